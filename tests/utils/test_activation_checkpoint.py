"""Activation checkpointing: gradients of every order, what is kept, what fails."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight
from rushlight import Tensor, nn
from rushlight.utils.checkpoint import CheckpointError, checkpoint, set_checkpoint_early_stop


def body(x: Tensor, w: Tensor) -> Tensor:
    return ((x @ w).tanh().exp() * x).softmax(-1)


@pytest.mark.parametrize("reentrant", [True, False])
@pytest.mark.parametrize("early", [True, False])
def test_gradients_of_both_orders(reentrant: bool, early: bool) -> None:
    x = rushlight.linspace(-1, 1, 16).double().reshape(4, 4).requires_grad_()
    w = rushlight.linspace(0, 1, 16).double().reshape(4, 4).requires_grad_()
    weights = rushlight.arange(16.0).double().reshape(4, 4)

    def both(y: Tensor) -> list[Tensor]:
        first = rushlight.autograd.grad((y * weights).sum(), (x, w), create_graph=True)
        return [*first, *rushlight.autograd.grad(sum((g**2).sum() for g in first), (x, w))]

    want = both(body(x, w))
    with set_checkpoint_early_stop(early):
        got = both(checkpoint(body, x, w, use_reentrant=reentrant))
    for a, b in zip(got, want, strict=True):
        rushlight.testing.assert_close(a, b)


def test_activations_are_not_kept_and_run_twice() -> None:
    runs: list[int] = []
    net = nn.Sequential(*[nn.Sequential(nn.Linear(8, 8), nn.Tanh()) for _ in range(3)])

    def run(x: Tensor) -> Tensor:
        runs.append(1)
        return net(x)

    x = rushlight.randn(2, 8, requires_grad=True)
    y = checkpoint(run, x, use_reentrant=False)
    node: Any = y.grad_fn
    assert len(runs) == 1
    y.sum().backward()
    assert len(runs) == 2 and x.grad is not None and node is not None
    with rushlight.no_grad():
        assert not checkpoint(run, x, use_reentrant=False).requires_grad


def test_random_numbers_are_the_same_and_the_generator_is_left_alone() -> None:
    x = rushlight.ones(1000, requires_grad=True)
    y = checkpoint(lambda t: nn.functional.dropout(t, 0.5), x, use_reentrant=False)
    state = rushlight.get_rng_state()
    y.sum().backward()
    assert rushlight.equal(state, rushlight.get_rng_state()) and x.grad is not None
    assert rushlight.equal(x.grad, y.detach())


def test_a_function_that_changes_is_an_error() -> None:
    x = rushlight.ones(3, requires_grad=True)
    calls: list[int] = []

    def changing(t: Tensor) -> Tensor:
        calls.append(1)
        return (t if len(calls) == 1 else rushlight.cat([t, t])).exp().sin()

    with pytest.raises(CheckpointError, match="checkpoint: the function must save tensors of the same shapes"):
        checkpoint(changing, x, use_reentrant=False).sum().backward()
    calls.clear()

    def shrinking(t: Tensor) -> Tensor:
        calls.append(1)
        return t.exp().sin().exp() if len(calls) == 1 else t * 1

    with pytest.raises(
        CheckpointError,
        match="checkpoint: the function must save the same number of tensors when it is run again, 3; found",
    ):
        checkpoint(shrinking, x, use_reentrant=False).sum().backward()
    with pytest.warns(UserWarning, match="use_reentrant"):
        checkpoint(lambda t: t, x)
    with pytest.raises(ValueError, match="checkpoint: 'determinism_check' must be 'default' or 'none'; found 'all'"):
        checkpoint(lambda t: t, x, use_reentrant=False, determinism_check="all")
