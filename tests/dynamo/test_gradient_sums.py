"""Gradients of values that are used several times, within a compiled function and by its caller, who may write to what
it gets: to the bit as the function gives them as it is written, whatever the order in which the uses come.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl

# Pointwise operators, which share a program, and products, which are programs of their own where a segment is cut.
ONE: list[Callable[[Any], Any]] = [lambda v: v * 2, lambda v: v.sin(), lambda v: v.relu(), lambda v: v.tanh() * 0.5]
TWO: list[Callable[[Any, Any], Any]] = [lambda v, u: v + u, lambda v, u: v * u, lambda v, u: v @ u * 0.25]


def drawn(rng: random.Random) -> Callable[..., list[Any]]:
    """A random function of two tensors, which gives some of the values on its way."""
    steps: list[tuple[Any, tuple[int, ...]]] = []
    for n in range(2, rng.randint(5, 10)):
        recent = [rng.choice([rng.randrange(n), n - 1]) for _ in range(2)]
        steps.append(
            (rng.choice(ONE), (recent[0],)) if rng.random() < 0.4 else (rng.choice(TWO), (recent[0], recent[1]))
        )
    held = sorted({len(steps) + 1, *(rng.randrange(2, len(steps) + 2) for _ in range(rng.randint(0, 2)))})

    def f(x: Any, w: Any) -> list[Any]:
        values = [x, w]
        for op, of in steps:
            values.append(op(*[values[k] for k in of]))
        return [values[k] for k in held]

    return f


def gradients(f: Callable[..., list[Any]], seed: int, outside: int) -> list[Any]:
    """Of two leaves by way of what is no leaf; `outside`: how the caller uses what it hands over and what it gets."""
    rl.manual_seed(seed)
    leaves = [rl.randn(4, 4, requires_grad=True) for _ in range(2)]
    x, w = leaves[0] * 1.5, leaves[1]
    results = f(x, w)
    if outside & 4:
        results[seed % len(results)].view(-1)[1:].mul_(0.5)
    loss = sum((v.square().sum() for v in results), x.square().sum() if outside & 1 else 0)
    if outside & 2:
        loss = loss + sum(v.cos().sum() for v in results) + (x.sin() * w).sum()
    loss.backward()
    return [*results, *(t.grad for t in leaves if t.grad is not None)]


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_gradients_of_values_used_several_times(first: int) -> None:
    for number in range(first, first + 50):
        f = drawn(random.Random(number))
        compiled: Any = rl.compile(f, options={"always": True})
        for seed in range(3):
            for outside in range(4):
                for a, b in zip(gradients(f, seed, outside), gradients(compiled, seed, outside), strict=True):
                    # (NaN in the same places: a product may overflow.)
                    assert rl.equal(a.nan_to_num(7.0), b.nan_to_num(7.0)), f"function {number}, uses {outside}"


def outcome(f: Callable[..., list[Any]], seed: int) -> list[Any] | None:
    """The gradients where a result is written to before the backward; None where the graph keeps it."""
    try:
        return gradients(f, seed, 4)
    except RuntimeError as error:
        assert "was modified by an inplace operation" in str(error), error
        return None


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_results_that_are_written_to_before_the_backward(first: int) -> None:
    refused = 0
    for number in range(first, first + 50):
        f = drawn(random.Random(number))
        compiled: Any = rl.compile(f, options={"always": True})
        for seed in range(3):
            expected, got = outcome(f, seed), outcome(compiled, seed)
            refused += expected is None
            if expected is not None:
                assert got is not None, f"function {number}: the compiled one keeps what the graph does not"
                for a, b in zip(got, expected, strict=True):
                    assert rl.equal(a.nan_to_num(7.0), b.nan_to_num(7.0)), f"function {number}"
    assert 0 < refused < 120


def writing(f: Callable[..., list[Any]], number: int) -> Callable[..., list[Any]]:
    """A function that then writes to one of its arguments."""

    def g(x: Any, w: Any) -> list[Any]:
        results = f(x, w)
        (x if number % 2 else w.detach()).mul_(0.5)
        return results

    return g


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_arguments_that_are_written_to_after_their_use(first: int) -> None:
    """A program keeps an argument for its backward where single calls keep what they have made of it: not where the
    function itself writes to it then.
    """
    refused = 0
    for number in range(first, first + 50):
        f = writing(drawn(random.Random(number)), number)
        compiled: Any = rl.compile(f, options={"always": True})
        for seed in range(3):
            expected, got = outcome(f, seed), outcome(compiled, seed)
            assert (expected is None) is (got is None), f"function {number}: {expected} {got}"
            refused += expected is None
            for a, b in zip(got or (), expected or (), strict=True):
                assert rl.equal(a.nan_to_num(7.0), b.nan_to_num(7.0)), f"function {number}"
    assert 0 < refused < 150
