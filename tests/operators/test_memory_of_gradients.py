"""Gradients that lie on the memory of their cotangent, or of one another, do so below torch.compile: for every
operator, what is written to one of them is seen in the others as in eager mode.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
from checks import pick
from jitted import _copied
from support import find, flat, inputs_of, same_bits

import rushlight as rl
from rushlight.core import dtypes as dt
from rushlight.core.raw import same_memory
from rushlight.testing.samples import REGISTRY, OperatorSamples, load

load()


def _of_call(op: Any, args: list[Any], kwargs: dict[str, Any], leaves: list[Any], start: Any, waits: bool) -> Any:
    """The cotangent of a call's results, and the gradients of its leaves, one of which is written to. waits: whether
    the cotangent is made in the function.
    """
    due = [y for y in flat(op(*args, **kwargs)) if y.requires_grad and y.dtype.kind in "fc"]
    if not due or not leaves:
        return []
    given = [start(y).exp() if waits else start(y) for y in due]
    found = [*given, *rl.autograd.grad(due, leaves, given, allow_unused=True)]
    found = [g for g in found if g is not None]
    for g in (found[0], found[-1]):
        if all(n > 0 for n in g.stride()):
            g.mul_(3)
    return found


@pytest.mark.parametrize("spec", REGISTRY.values(), ids=lambda spec: spec.name)
def test_memory_of_gradients(spec: OperatorSamples) -> None:
    op = find(spec.name)
    for s in spec.samples(pick(spec, dt.float32)[0])[:2]:
        for waits in (False, True):
            found: list[Any] = []
            for fn in (_of_call, rl.compile(_of_call, options={"always": True})):
                own = _copied(s, True)
                leaves = [x for x in inputs_of(own) if x.requires_grad and x.is_leaf and x.layout is rl.strided]
                kept: dict[Any, Any] = {}

                def start(y: Any, kept: dict[Any, Any] = kept) -> Any:
                    return kept.setdefault(len(kept), rl.ones(tuple(y.shape), dtype=y.dtype) / 2)

                rl.manual_seed(0)
                try:
                    found.append(fn(op, list(own.args), dict(own.kwargs), leaves, start, waits))
                except Exception as error:
                    found.append(type(error))
            expected, got = found
            if not isinstance(expected, list):
                assert got is expected
                continue
            pairs = list(combinations(range(len(expected)), 2))
            assert [same_memory(got[i], got[k]) for i, k in pairs] == [
                same_memory(expected[i], expected[k]) for i, k in pairs
            ]
            for g, e in zip(got, expected, strict=True):
                same_bits(g.detach(), e.detach(), f"{spec.name}: a gradient")


SHARED: dict[str, Callable[[Any, Any], Any]] = {
    "cat": lambda a, b: rl.cat([a, b]),
    "stack": lambda a, b: rl.stack([a, b]),
    "stack of expressions": lambda a, b: rl.stack([a + 0, b.t().t()], 1),
    "sum of two": lambda a, b: a + b,
    "sum, then a product": lambda a, b: (a + b) * 2,
    "view": lambda a, b: a.view(-1),
    "concatenated rows": lambda a, b: rl.cat([*a.unbind(), *b.unbind()]),
    "column": lambda a, b: rl.cat([a, b], 1).t(),
    "copy": lambda a, b: a.clone(),
    "broadcast": lambda a, b: a + b[0],
}


@pytest.mark.parametrize("case", SHARED)
@pytest.mark.parametrize("written", ["cotangent", "first", "hook"])
def test_writes_reach_gradients(case: str, written: str) -> None:
    """A write to the cotangent, to one of the gradients, or of a hook to the gradient that it is given."""

    def both(v: Any = None) -> Any:
        a, b = (rl.arange(6.0).view(2, 3).add(k).requires_grad_() for k in (0, 1))
        if written == "hook":
            a.register_hook(lambda g: g.mul_(3))
        y = SHARED[case](a, b)
        if v is None:
            v = y.detach().exp()
        if written == "hook":
            y.backward(v)
            return v, a.grad, b.grad
        ga, gb = rl.autograd.grad(y, [a, b], v, allow_unused=True)
        if written == "cotangent":
            v.mul_(5)
        else:
            ga.mul_(5)
        return v, ga, gb

    given = rl.arange(12.0).add(1)
    shape = SHARED[case](rl.zeros(2, 3), rl.zeros(2, 3)).shape
    n = shape.numel()
    compiled = rl.compile(both, options={"always": True})
    for _ in range(3):
        for make in (lambda: None, lambda: given[:n].clone().view(shape)):
            expected, got = both(make()), compiled(make())
            for g, e in zip(got, expected, strict=True):
                assert (g is None) == (e is None)
                if g is not None:
                    assert g.tolist() == e.tolist()
            if expected[1] is not None and written != "hook":
                assert same_memory(got[0], got[1]) == same_memory(expected[0], expected[1])


def test_other_gradients_are_recorded() -> None:
    """Gradients with memory of their own do not end a segment, where a cotangent is given."""

    def step(x: Any, w: Any) -> Any:
        y = (x * w).tanh() * 2
        (g,) = rl.autograd.grad(y, w, rl.ones_like(y))
        return g.mul_(2) + 1

    x, w = rl.ones(3, 4), rl.full((3, 4), 0.5, requires_grad=True)
    assert rl._dynamo.explain(step)(x, w).graph_break_count == 0


@pytest.mark.parametrize("keeps", [True, False])
def test_a_gradient_that_a_hook_keeps_is_its_own(keeps: bool) -> None:
    """What is written to `.grad` afterwards is not seen in it."""
    kept: list[Any] = []
    b = rl.ones(3, requires_grad=True)
    b.register_hook(kept.append if keeps else (lambda g: kept.append(g.clone())))
    for n in (1, 2):
        (b * 2).sum().backward()
        assert [g.tolist() for g in kept] == [[2.0] * 3] * n
    assert b.grad is not None
    b.grad.zero_()
    assert [g.tolist() for g in kept] == [[2.0] * 3] * 2
