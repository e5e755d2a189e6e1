"""The memory of a program: how much lives at a time, what a backward lets go, and what an error leaves behind."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from benchmarks.jit import Block
from benchmarks.steps import peak

import rushlight as rl
from rushlight import nn
from rushlight.core import _native
from rushlight.nn import functional as F

pytestmark = pytest.mark.usefixtures("one_thread")


def test_a_step_of_a_gpt_takes_less_memory() -> None:
    model, x = nn.Sequential(*(Block(128, 4) for _ in range(4))), rl.randn(12, 64, 128)

    def step(f: Callable[[Any], Any]) -> None:
        model.zero_grad()
        f(x).square().mean().backward()
        model.zero_grad()

    traced = rl.jit(model)
    assert peak(lambda: step(traced)) <= 0.7 * peak(lambda: step(model))  # (0.666)


def test_values_live_as_long_as_they_are_wanted() -> None:
    w = [rl.randn(256, 256) / 16 for _ in range(8)]

    def chain(x: Any) -> Any:
        for v in w:
            x = (x @ v).relu()
        return x

    # The operand of a product, the product, what is made of it, and what it packs.
    x, traced = rl.randn(256, 256), rl.jit(chain)
    assert peak(lambda: traced(x)) <= 4 * 256 * 256 * 4


def test_a_value_is_computed_where_its_only_operand_lay() -> None:
    v, x = rl.randn(1024, 4), rl.rand(1024, 1024) / 1024
    traced = rl.jit(lambda x: x.cumsum(0).exp() @ v)
    assert peak(lambda: traced(x)) <= 1.5 * 1024 * 1024 * 4


def test_what_is_written_at_two_places_lies_over_no_other_value() -> None:
    """The kernel of the sum computes v at [i, j] and at [j, i], and stores it on its way at both."""
    m, x = rl.randn(64, 4, dtype=rl.float64), rl.rand(64, 64, dtype=rl.float64)

    def f(x: Any) -> tuple[Any, Any]:
        v = x.tanh()
        return x.cumsum(0) + v + v.t(), v @ m

    total, product = rl.jit(f)(x)
    rl.testing.assert_close(total, x.cumsum(0) + x.tanh() + x.tanh().t())
    rl.testing.assert_close(product, x.tanh() @ m)


def chained(x: Any, w: list[Any]) -> Any:
    for v in w:
        x = (x @ v).tanh()
    return x.sum()


def test_a_backward_lets_go_of_what_it_has_used() -> None:
    w = [(rl.randn(256, 256) / 16).requires_grad_() for _ in range(8)]
    traced, x, size = rl.jit(chained), rl.randn(256, 256, requires_grad=True), 256 * 256 * 4

    def step(keep: bool) -> int:
        loss = traced(x, w)
        before, _ = _native.allocated()
        _native.reset_peak()
        grads = rl.autograd.grad(loss, [x, *w], retain_graph=keep)
        assert len(grads) == 9
        return _native.allocated()[1] - before

    step(False)
    # Nine gradients take the place of eight results.
    assert step(False) <= 6 * size < 9 * size <= step(True)


def test_a_kept_graph_runs_again_and_a_spent_one_does_not() -> None:
    w = [(rl.randn(8, 8) / 4).requires_grad_() for _ in range(5)]
    loss = rl.jit(chained)(rl.randn(8, 8), w)
    first = rl.autograd.grad(loss, w, retain_graph=True)
    again = rl.autograd.grad(loss, w)
    assert all(rl.equal(a, b) for a, b in zip(first, again, strict=True))
    with pytest.raises(RuntimeError, match="second time"):
        rl.autograd.grad(loss, w)


def test_what_others_hold_outlives_the_backward() -> None:
    w = [(rl.randn(8, 8) / 4).requires_grad_() for _ in range(5)]
    loss = rl.jit(chained)(rl.randn(8, 8), w)
    saved = loss.grad_fn.saved_tensors
    before = [t.clone() for t in saved]
    loss.backward()
    assert all(rl.equal(a, b) for a, b in zip(saved, before, strict=True))


def widened(x: Any, w: list[Any]) -> Any:
    for up, down in zip(w[::2], w[1::2], strict=True):
        x = x + F.gelu(x @ up) @ down
    return x.square().sum()


def test_what_flows_back_lies_where_what_it_is_computed_of_lay() -> None:
    """But not where somebody else has that."""
    w = [(rl.randn(*n) / 16).requires_grad_() for n in ((128, 512), (512, 128)) * 3]
    x, traced, size = rl.randn(256, 128, requires_grad=True), rl.jit(widened), 256 * 512 * 4
    expected = rl.autograd.grad(widened(x, w), [x, *w])

    def step(hold: bool, keep: bool = False) -> int:
        loss = traced(x, w)
        held = loss.grad_fn.saved_tensors if hold else ()
        copies = [t.clone() for t in held]
        before, _ = _native.allocated()
        _native.reset_peak()
        for _ in range(1 + keep):
            found = rl.autograd.grad(loss, [x, *w], retain_graph=keep)
            assert all(rl.equal(a, b) for a, b in zip(found, expected, strict=True))
        assert all(rl.equal(a, b) for a, b in zip(held, copies, strict=True))
        return _native.allocated()[1] - before

    step(False)
    # Held, each value flows back in memory of its own.
    assert step(False) + size // 2 <= step(True)
    step(False, True)
    step(True, True)


def test_an_error_on_the_way_leaves_nothing_behind() -> None:
    w, table = rl.randn(64, 64), rl.randn(64, 64)
    traced = rl.jit(lambda x, i: ((x @ w).exp() @ w) + table[i] @ w)
    x, good, bad = rl.randn(64, 64), rl.arange(64), rl.full((64,), 64)
    traced(x, good)
    for _ in range(2):
        before, _ = _native.allocated()
        with pytest.raises(IndexError):
            traced(x, bad)
        assert _native.allocated()[0] == before
    assert traced(x, good).shape == (64, 64)


def test_explain_says_how_much_memory_a_function_takes() -> None:
    w = [(rl.randn(256, 256) / 16).requires_grad_() for _ in range(8)]
    x, out = rl.randn(256, 256), io.StringIO()
    rl.explain(rl.jit(lambda x: chained(x, w)), x, file=out)
    found = re.search(r"memory +([\d,]+) bytes at most, .*; ([\d,]+) operator by operator", out.getvalue())
    assert found is not None
    ours, theirs = (int(n.replace(",", "")) for n in found.groups())
    # Eight products and their gradients in either case; the products' operands beside.
    assert 9 * 256 * 256 * 4 <= min(ours, theirs)
    assert all(v.grad is None for v in w)


def adamw(p: Any, g: Any, m: Any, v: Any, lr: float) -> None:
    with rl.no_grad():
        p.mul_(1 - lr * 0.01)
        m.lerp_(g, 0.1)
        v.mul_(0.999).addcmul_(g, g, value=0.001)
        p.addcdiv_(m, v.sqrt().add_(1e-8), value=-1.0)


def test_writes_go_where_they_belong() -> None:
    size = 1 << 16

    def states() -> list[Any]:
        rl.manual_seed(0)
        return [rl.randn(size), rl.randn(size), rl.zeros(size), rl.zeros(size)]

    traced, ours, theirs = rl.jit(adamw), states(), states()
    ours[0].requires_grad_()
    before = [(t.data_ptr(), t._version) for t in ours]
    seen = ours[2].view(-1, 16)
    for step in range(4):
        lr = 0.1 / (step + 1)
        with rl.no_grad():
            traced(*ours, lr)
        adamw(*theirs, lr)
    assert all(rl.equal(a, b) for a, b in zip(ours, theirs, strict=True))
    assert [t.data_ptr() for t in ours] == [at for at, _ in before] and rl.equal(seen.view(-1), ours[2])
    assert [t._version > version for t, (_, version) in zip(ours, before, strict=True)] == [True, False, True, True]
    with rl.no_grad():
        assert peak(lambda: traced(*ours, 0.1)) <= size  # bytes, of three tensors of four times as many


def test_writes_that_others_read() -> None:
    """What is written is wanted as it was by what comes after, or is returned as well."""

    def f(x: Any, y: Any) -> Any:
        before = x.sum(0)
        x.copy_(x.flip(0) + y)
        y += x
        return before, x @ x, y * 2

    traced = rl.jit(f)
    a, b = rl.randn(8, 8), rl.randn(8, 8)
    c, d = a.clone(), b.clone()
    for _ in range(3):
        for u, v in zip(traced(a, b), f(c, d), strict=True):
            assert rl.equal(u, v)
        assert rl.equal(a, c) and rl.equal(b, d)
    t, u = rl.randn(8, 8).t(), rl.randn(8, 16)[:, ::2]
    t2, u2 = t.clone(), u.clone()
    for _ in range(2):
        for v, w in zip(traced(t, u), f(t2, u2), strict=True):
            assert rl.allclose(v, w)
        assert rl.equal(t, t2) and rl.equal(u, u2)


def test_what_is_written_may_depend_on_sizes() -> None:
    def f(x: Any, y: Any) -> Any:
        (x if x.shape[0] > 4 else y).mul_(2)
        return x + y

    traced = rl.jit(f)
    for n in (3, 6, 6, 3, 3, 7, 2, 6):
        a, b = rl.randn(n), rl.randn(n)
        c, d = a.clone(), b.clone()
        assert rl.equal(traced(a, b), f(c, d)) and rl.equal(a, c) and rl.equal(b, d)
