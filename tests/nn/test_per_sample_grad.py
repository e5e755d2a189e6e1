"""`nn.utils._per_sample_grad`: a row of `grad_sample` is the gradient that the example alone gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight
from rushlight import nn
from rushlight.nn.utils._per_sample_grad import call_for_per_sample_grads


class Tied(nn.Module):
    """One weight in two places, one that is not trained, and one that takes no part."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = nn.Linear(4, 4, bias=False)
        self.second.weight = self.first.weight
        self.fixed = nn.Parameter(rushlight.randn(4), requires_grad=False)
        self.idle = nn.Parameter(rushlight.randn(4))

    def forward(self, x: rushlight.Tensor, scale: float = 1.0) -> rushlight.Tensor:
        return self.second(self.first(x).tanh()) * self.fixed * scale


MODULES: dict[str, tuple[Callable[[], nn.Module], Callable[[], Any]]] = {
    "linear": (lambda: nn.Linear(4, 3), lambda: rushlight.randn(5, 4)),
    "stack": (lambda: nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.LayerNorm(6)), lambda: rushlight.randn(5, 2, 4)),
    "conv": (lambda: nn.Conv2d(3, 4, 3, padding=1, groups=1), lambda: rushlight.randn(5, 3, 6, 6)),
    "group norm": (lambda: nn.GroupNorm(2, 4), lambda: rushlight.randn(5, 4, 3)),
    "instance norm": (lambda: nn.InstanceNorm1d(4, affine=True), lambda: rushlight.randn(5, 4, 6)),
    "embedding": (lambda: nn.Embedding(7, 3), lambda: rushlight.randint(0, 7, (5, 2))),
    "tied": (Tied, lambda: rushlight.randn(5, 4)),
    "batch norm, eval": (lambda: nn.BatchNorm1d(4).eval(), lambda: rushlight.randn(5, 4)),
}


@pytest.mark.parametrize("reduction", ["sum", "mean"])
@pytest.mark.parametrize("name", MODULES)
def test_a_row_is_the_gradient_of_an_example(name: str, reduction: str) -> None:
    make, draw = MODULES[name]
    module, x = make(), draw()
    with rushlight.no_grad():
        y = module(x)
    weights = rushlight.randn(y.shape)
    result = call_for_per_sample_grads(module, loss_reduction=reduction)(x)
    assert rushlight.allclose(result, y, atol=1e-6)
    losses = (result * weights).flatten(1).sum(1)
    getattr(losses, reduction)().backward()
    trained = {n: p for n, p in module.named_parameters() if p.requires_grad}
    assert trained and all(p.grad is None for p in module.parameters())
    for i in range(len(x)):
        loss = (module(x[i : i + 1]) * weights[i : i + 1]).sum()
        for p, expected in zip(
            trained.values(), rushlight.autograd.grad(loss, list(trained.values()), allow_unused=True), strict=True
        ):
            if expected is None:
                assert not hasattr(p, "grad_sample")
            else:
                sample = p.grad_sample[i]  # type: ignore[attr-defined]
                rushlight.testing.assert_close(sample, expected, rtol=1e-4, atol=1e-5)


def test_examples_along_the_second_dimension_and_running_statistics() -> None:
    module, x = nn.Linear(4, 3), rushlight.randn(7, 5, 4)
    call_for_per_sample_grads(module, batch_first=False)(x).sum().backward()
    rushlight.testing.assert_close(module.weight.grad_sample, x.sum(0).unsqueeze(1).expand(5, 3, 4))
    one, other = (nn.InstanceNorm1d(4, affine=True, track_running_stats=True) for _ in range(2))
    x = rushlight.randn(5, 4, 6)
    call_for_per_sample_grads(one)(x)
    other(x)
    rushlight.testing.assert_close(one.running_var, other.running_var)
    assert one.num_batches_tracked == other.num_batches_tracked


def test_two_calls_before_one_backward_are_added() -> None:
    module, x = nn.Linear(4, 3), rushlight.randn(5, 4)
    run = call_for_per_sample_grads(module)
    (run(x).sum() + run(x).sum()).backward()
    rushlight.testing.assert_close(module.weight.grad_sample[:, 0], 2 * x)
    with pytest.raises(RuntimeError, match="grad_sample"):
        call_for_per_sample_grads(module)


def test_what_is_refused() -> None:
    linear, x = nn.Linear(4, 3), rushlight.randn(5, 4)
    bad: list[tuple[str, Callable[[], Any]]] = [
        ("loss_reduction", lambda: call_for_per_sample_grads(linear, loss_reduction="none")),
        ("nn.Module", lambda: call_for_per_sample_grads(linear.forward)),  # type: ignore[arg-type]
        ("integer", lambda: call_for_per_sample_grads(linear, batch_size=5.0)),  # type: ignore[arg-type]
        ("positive", lambda: call_for_per_sample_grads(linear, batch_size=0)),
        ("batch size", lambda: call_for_per_sample_grads(linear, batch_size=4)(x)),
        ("batch size", lambda: call_for_per_sample_grads(nn.Bilinear(4, 4, 2))(x, x[:3])),
        ("batch size", lambda: call_for_per_sample_grads(linear)()),
        ("batch dimension", lambda: call_for_per_sample_grads(linear)(rushlight.tensor(1.0))),
        ("batch_norm", lambda: call_for_per_sample_grads(nn.BatchNorm1d(4))(x)),
    ]
    for words, call in bad:
        with pytest.raises(RuntimeError, match=words):
            call()
