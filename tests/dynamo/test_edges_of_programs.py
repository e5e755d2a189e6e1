"""A program's node leads where the nodes of its calls would lead, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl


def unused_call(x: Any, w: Any, v: Any) -> Any:
    found = (x * v).sum()
    del found
    return (x * w).square().sum()


def result_that_is_replaced(x: Any, w: Any, v: Any) -> Any:
    y = (x * v).sum()
    y = (x * w).square().sum()
    return y


def detached(x: Any, w: Any, v: Any) -> Any:
    return (x * w * (v * 2).detach().sum()).square().sum()


def compared(x: Any, w: Any, v: Any) -> Any:
    return rl.where(x * v > 0, x * w, x - w).square().sum()


def without_grad(x: Any, w: Any, v: Any) -> Any:
    with rl.no_grad():
        y = (x * v).tanh() * 2
    return (y * w).square().sum()


def constant_piece_by_piece(x: Any, w: Any, v: Any) -> Any:
    return (x * w * (v * 2).floor()).square().sum()


def of_both(x: Any, w: Any, v: Any) -> Any:
    return (x * w + v).square().sum()


FUNCTIONS = [unused_call, result_that_is_replaced, detached, compared, without_grad, constant_piece_by_piece, of_both]


def leads_to(node: Any) -> set[int]:
    """The leaves behind a node, by their ids."""
    found, left, seen = set(), [node], []
    while left:
        at = left.pop()
        seen.append(at)  # (so that no other gets its id)
        if hasattr(at, "variable"):
            found.add(id(at.variable))
        left += [n for n, _ in at.next_functions if n is not None]
    return found


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_leaves_behind_a_program(f: Callable[..., Any]) -> None:
    x = rl.arange(6.0).reshape(2, 3) + 0.5
    w, v = rl.linspace(-1, 1, 3).requires_grad_(), rl.linspace(0, 2, 3).requires_grad_()
    compiled = rl.compile(f, options={"always": True})
    for _ in range(3):
        plain, program = f(x, w, v), compiled(x, w, v)
        assert leads_to(program.grad_fn) == leads_to(plain.grad_fn)
        got, want = [rl.autograd.grad(y, (w, v), allow_unused=True) for y in (program, plain)]
        assert [g is None for g in got] == [g is None for g in want]
        assert all(rl.equal(a, b) for a, b in zip(got, want, strict=True) if a is not None and b is not None)


def test_a_leaf_waits_for_no_node_that_has_nothing_for_it() -> None:
    """A run that is refused at an older node has reached the leaves that need nothing of that."""

    def step(x: Any, w: Any, s: Any) -> Any:
        loss = (x.sum() * w).sum()
        loss = s.square().sum()
        loss.backward(retain_graph=True)
        (loss * 0.5 + (x * w).sin().sum()).backward()
        loss = loss + (x * w).tanh().sum()
        loss.backward(retain_graph=True)
        return loss

    x = rl.arange(6.0).reshape(2, 3)
    found = []
    for call in (step, rl.compile(step), rl.compile(step, options={"always": True})):
        w, s = rl.linspace(-1, 1, 3).requires_grad_(), rl.linspace(0, 2, 3).requires_grad_()
        for _ in range(3):
            with pytest.raises(RuntimeError, match="second time"):
                call(x, w, s)
        assert w.grad is not None and s.grad is not None
        found.append([w.grad.tolist(), w.grad._version, s.grad.tolist(), s.grad._version])
    assert found[0] == found[1] == found[2]
