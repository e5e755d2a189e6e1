"""Graphs that a recorded backward has run: what is done with them afterwards gives what it gives without a compiler.

A graph that was run keeps its nodes. One that has kept no tensor runs again, and leaves that are reached before a node
refuses have their gradients.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl

F = rl.nn.functional


def twice(loss: Any, *_: Any) -> None:
    loss.backward()
    loss.backward()


def asked(loss: Any, first: Any, second: Any) -> Any:
    return [
        [g is not None and g.tolist() for g in rl.autograd.grad(loss, [x], allow_unused=True)] for x in (first, second)
    ]


def later(loss: Any, *_: Any) -> None:
    loss.backward()
    (loss * 2).backward()


def looked_at(loss: Any, *_: Any) -> Any:
    loss.backward()
    names, left = [], [loss.grad_fn]
    while left:
        node = left.pop()
        if node is not None:
            names.append((node.name(), len(node.next_functions)))
            left += [n for n, _ in node.next_functions]
    return names


def kept_values(loss: Any, *_: Any) -> Any:
    loss.backward()
    found = []
    for node in (loss.grad_fn, *[n for n, _ in loss.grad_fn.next_functions]):
        for name in sorted(n for n in dir(node) if n.startswith("_saved_")):
            try:
                found.append((name, str(getattr(node, name))))
            except RuntimeError:
                found.append((name, "let go"))
    return found


def hooked(loss: Any, w: Any, v: Any) -> Any:
    seen: list[Any] = []
    handles = [x.register_hook(lambda g, i=i: seen.append((i, g.tolist()))) for i, x in enumerate((w, v))]
    handles.append(w.register_post_accumulate_grad_hook(lambda t: t.grad.mul_(2) and None))
    loss.backward()
    handles.append(loss.register_hook(lambda g: g * 3))
    try:
        loss.backward()
    except RuntimeError:
        seen.append("refused")
    for handle in handles:
        handle.remove()
    return seen


def graph_of_graph(loss: Any, w: Any, v: Any) -> Any:
    loss.backward()
    found = rl.autograd.grad(loss, [w, v], create_graph=True, allow_unused=True)
    return [None if g is None else (g.tolist(), g.requires_grad) for g in found]


def caught(loss: Any, w: Any, v: Any) -> Any:
    loss.backward()
    try:
        (loss * 2).backward()
    except RuntimeError:
        return "refused"
    return v * 1


ENDS = [caught, twice, asked, later, looked_at, kept_values, hooked, graph_of_graph]


def written(y: Any, write: Callable[[Any], Any]) -> Any:
    write(y)
    return y


LOSSES: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda w, v: w.sum(),
    "sum of two": lambda w, v: (w + v).sum(),
    "number": lambda w, v: (w * 2).sum(),
    "square and sum": lambda w, v: (w * w).sum() + v.sum(),
    "sum and square": lambda w, v: v.sum() + (w * w).sum(),
    "two squares": lambda w, v: (w * w).sum() + (v * v).sum(),
    "mean": lambda w, v: w.mean() - v.mean(),
    "views": lambda w, v: w.view(4, 1).expand(4, 2).sum() + (v * 1.5)[1:].sum(),
    "elements": lambda w, v: w[1:].sum() + w[0] - (v + 1)[2],
    "cat": lambda w, v: rl.cat([w + 1, v]).sum(),
    "stack": lambda w, v: rl.stack([w, v + 1]).cumsum(0).sum(),
    "chunk": lambda w, v: (w + v).chunk(2)[0].sum() + v.sum(),
    "unbind": lambda w, v: sum((w + v).unbind()),
    "lerp": lambda w, v: rl.lerp(w, v, 0.5).sum(),
    "dtypes": lambda w, v: w.double().sum().float() + v.bfloat16().float().sum(),
    "relu": lambda w, v: w.relu().sum() + v.sum(),
    "product": lambda w, v: w @ v,
    "layer": lambda w, v: F.layer_norm(w * v, (4,)).square().mean() + v.sum(),
    "several results": lambda w, v: (w * 2).max(0).values + (v + 1).sum(),
    "written": lambda w, v: (w + 1).add_(v).mul_(2).sum() + v.sum(),
    "a part written": lambda w, v: written(w + 1, lambda y: y[1:].copy_(v[1:])).sum() + v.sum(),
    "a view written": lambda w, v: written(w + v, lambda y: y.view(2, 2)[0].mul_(2)).sum(),
    "a part of itself": lambda w, v: written(w * v, lambda y: y[:2].add_(y[2:])).sum() + v.mean(),
    "floor": lambda w, v: (w * (v * -2).floor()).sum() + v.sum(),
    "floor alone": lambda w, v: (w + 1).floor().sum() + v.sum(),
    "many uses": lambda w, v: (lambda m: m.sum() + m.mean() + v.sum() + m[0])(w + v),
}


def found_of(f: Callable[[Any, Any], Any]) -> Any:
    rl.manual_seed(0)
    w, v = rl.randn(4, requires_grad=True), rl.randn(4, requires_grad=True)
    try:
        result = f(w, v)
    except RuntimeError as error:
        result = "second time" in str(error) or str(error)
    result = result.tolist() if isinstance(result, rl.Tensor) else result
    return result, *[None if t.grad is None else t.grad.tolist() for t in (w, v)]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("end", ENDS, ids=lambda f: f.__name__)
def test_what_is_done_with_it_afterwards(end: Any, loss: str) -> None:
    def f(w: Any, v: Any) -> Any:
        return end(LOSSES[loss](w, v), w, v)

    expected = found_of(f)
    for options in ({"always": True}, None):
        compiled = rl.compile(f, options=options)
        for _ in range(3):
            assert found_of(compiled) == expected


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("singly", [False, True])
def test_what_is_done_with_it_outside(loss: str, singly: bool) -> None:
    def step(w: Any, v: Any) -> Any:
        y = LOSSES[loss](w, v)
        y.backward()
        return y

    def outside(f: Any) -> Any:
        return lambda w, v: (f(w, v) * 2).backward()

    expected = found_of(outside(step))
    for options in ({"always": True}, None):
        compiled: Any = rl.compile(step, options=options)
        compiled._context_.runner.singly = singly
        for _ in range(4):
            assert found_of(outside(compiled)) == expected


def test_a_step_that_is_replayed_leaves_such_a_graph() -> None:
    def step(w: Any, v: Any) -> Any:
        y = (w + v).sum()
        y.backward()
        return y

    compiled: Any = rl.compile(step)
    w, v = rl.ones(4, requires_grad=True), rl.ones(4, requires_grad=True)
    for k in range(4):
        (compiled(w, v) * 2).backward()
        assert w.grad.tolist() == v.grad.tolist() == [3.0 * (k + 1)] * 4
    assert sum(r.runs for r in compiled._context_.replays) >= 2


def test_results_that_are_in_one_graph() -> None:
    def f(w: Any, v: Any) -> Any:
        m = w + v
        n = m * 1.5
        loss = m.sum() + n.mean() + (v * v).sum()
        loss.backward()
        parts = m.unbind()
        parts[1].backward()
        found = rl.autograd.grad(m.sum(), [w])[0].tolist(), m.grad_fn is m.grad_fn, n.grad_fn.name()
        assert n.grad_fn.next_functions[0][0] is m.grad_fn
        return found

    assert found_of(f) == found_of(rl.compile(f, options={"always": True})) == found_of(rl.compile(f))


def test_gradients_that_are_asked_for_let_go_of_no_more_than_they_need() -> None:
    def f(w: Any, v: Any) -> Any:
        a, b = (w * w).sum(), (v * v).sum()
        loss = a + b
        found = [g.tolist() for g in rl.autograd.grad(loss, [w])]
        found += [g.tolist() for g in rl.autograd.grad(loss, [v])]
        loss.backward()
        return found

    expected = found_of(f)
    compiled: Any = rl.compile(f, options={"always": True})
    assert expected == found_of(compiled) == found_of(compiled) == found_of(rl.compile(f))


def test_it_holds_neither_values_nor_results() -> None:
    def f(w: Any, x: Any) -> Any:
        loss = (w * x).exp().sum()
        loss.backward()
        return loss

    w, x = rl.ones(4, requires_grad=True), rl.ones(4)
    known = weakref.ref(x)
    loss = rl.compile(f, options={"always": True})(w, x)
    del x
    assert known() is None
    node = weakref.ref(loss.grad_fn)
    gc.disable()
    try:
        del loss
        assert node() is None
    finally:
        gc.enable()


def test_the_graph_beyond_is_reached() -> None:
    def f(y: Any, v: Any) -> Any:
        loss = (y + v).sum()
        loss.backward(retain_graph=False)
        return loss

    for fn in (f, rl.compile(f, options={"always": True})):
        w, v = rl.ones(4, requires_grad=True), rl.ones(4, requires_grad=True)
        loss = fn(w + 1, v)
        loss.backward()
        assert w.grad.tolist() == v.grad.tolist() == [2.0] * 4
        loss = fn((w * w), v)
        with pytest.raises(RuntimeError, match="second time"):
            loss.backward()
        assert v.grad.tolist() == [4.0] * 4 and w.grad.tolist() == [4.0] * 4
