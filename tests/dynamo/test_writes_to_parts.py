"""Writes to views and elements of results that wait: eager mode's values, gradients, aliases, counts and errors."""

from __future__ import annotations

import gc
import random
import struct
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl

INDEX, ROWS = rl.tensor([2, 0]), rl.tensor([1, 1, 3])
VIEWS: list[Callable[[Any], Any]] = [
    lambda y: y[0],
    lambda y: y[:, 1],
    lambda y: y[1:3],
    lambda y: y[..., ::2],
    lambda y: y[-1:, None],
    lambda y: y.view(-1),
    lambda y: y.t(),
    lambda y: y.t()[1:].t(),
    lambda y: y.reshape(2, 2, 4)[1, :, 1:3],
    lambda y: y.diagonal(),
    lambda y: y.diagonal(1)[:2],
    lambda y: y.unsqueeze(1).squeeze(1),
    lambda y: y.transpose(0, 1).unsqueeze(0)[0, 2],
    lambda y: y.narrow(1, 1, 2).select(0, 3),
    lambda y: y,
    lambda y: y.split(2)[1],
    lambda y: y.chunk(2, 1)[0],
    lambda y: y.unbind()[3],
    lambda y: y[:0],
    lambda y: y.expand(4, 4)[1],
    lambda y: y.detach()[1],
    lambda y: y.unfold(1, 2, 2)[0],
]
WRITES: list[Callable[[Any, Any], Any]] = [
    lambda v, w: v.add_(1),
    lambda v, w: v.mul_(-0.5),
    lambda v, w: v.mul_(w.mean()),
    lambda v, w: v.fill_(2.5),
    lambda v, w: v.zero_(),
    lambda v, w: v.copy_(w.sum()),
    lambda v, w: v.sigmoid_(),
    lambda v, w: v.relu_(),
    lambda v, w: v.neg_(),
    lambda v, w: v.clamp_(-0.25, 0.75),
    lambda v, w: v.masked_fill_(v.detach() > 0.3, -1.0),
    lambda v, w: v.sub_(w[0, 0], alpha=2),
    lambda v, w: v.exp_().div_(3),
    lambda v, w: v.add_(w.double().mean(0)[:1]),
    lambda v, w: v.mul_(rl.ones(7)),
]
ENTRIES: list[Callable[[Any, Any], Any]] = [
    lambda y, w: y.__setitem__((slice(None), 0), 1.0),
    lambda y, w: y.__setitem__(1, w[0]),
    lambda y, w: y.__setitem__((..., 2), w.sum()),
    lambda y, w: y.__setitem__(INDEX, w[:2]),
    lambda y, w: y.__setitem__([0, 3], 0.5),
    lambda y, w: y.__setitem__((slice(1, 3), INDEX), -w.mean()),
    lambda y, w: y.__setitem__((0, ROWS), w[0, 1:]),
    lambda y, w: y.__setitem__(w.detach() > 0, 0.0),
    lambda y, w: y.index_put_((ROWS,), w[:3], accumulate=True),
    lambda y, w: y.index_fill_(0, INDEX, 3.0),
    lambda y, w: y.index_add_(1, INDEX, w[:, :2], alpha=2),
    lambda y, w: y.index_copy_(0, INDEX, w[1:3]),
    lambda y, w: y.scatter_(1, INDEX.expand(4, 2), w[:, 2:]),
    lambda y, w: y.masked_scatter_(w.detach() > 0, w),
    lambda y, w: y[2].index_fill_(0, INDEX, 3.0),
    lambda y, w: y.fill_diagonal_(1.5),
    lambda y, w: y.__setitem__(slice(1, None), y.detach()[:-1].clone()),
    lambda y, w: y.__setitem__(slice(0, 2), y[1:3]),
    lambda y, w: y.__setitem__(5, 1.0),
]
STARTS: list[Callable[[Any, Any], Any]] = [
    lambda x, w: x * 2,
    lambda x, w: x * w,
    lambda x, w: rl.zeros_like(x),
    lambda x, w: (x + w).tanh(),
    lambda x, w: x.clone(),
    lambda x, w: (x - w).t(),
    lambda x, w: (x.reshape(2, 8) * 3).reshape(4, 4),
    lambda x, w: x @ w,
    lambda x, w: x > w,
    lambda x, w: (x * 3).to(rl.int32),
    lambda x, w: (x * w).half(),
]


def made(seed: int) -> Callable[..., Any]:
    """A random function that writes to what it makes."""

    def f(x: Any, w: Any) -> Any:
        rng = random.Random(seed)
        y = rng.choice(STARTS)(x, w)
        kept: list[Any] = []
        for _ in range(rng.randint(1, 4)):
            how = rng.random()
            if how < 0.15:
                kept.append(rng.choice(VIEWS)(y))
            elif how < 0.3:
                kept.append(y * 3)
            elif how < 0.4 and kept:
                kept[-1] = kept[-1] + 1
            elif how < 0.7:
                v = rng.choice(VIEWS)(y)
                rng.choice(WRITES)(v, w)
                if rng.random() < 0.3:
                    kept.append(v)
                    if rng.random() < 0.5:
                        kept.append(v * 2)
            else:
                rng.choice(ENTRIES)(y, w)
        return y, (y * y).sum(), *kept

    return f


def bits(t: Any) -> Any:
    return None if t is None else (tuple(t.shape), [struct.pack("d", v) for v in t.detach().reshape(-1).tolist()])


def tried(way: Callable[..., Any], given: tuple[bool, bool, bool], k: int) -> Any:
    """All that a call leaves behind."""
    rl.manual_seed(k)
    x, w = rl.randn(4, 4), rl.randn(4, 4)
    x.requires_grad_(given[0])
    w.requires_grad_(given[1])
    found: list[Any] = []
    try:
        with rl.set_grad_enabled(given[2]):
            results = way(x, w)
        found += [[(bits(t), t.requires_grad, t._version, t.stride()) for t in results]]
        if any(t.requires_grad for t in results):
            sum((t * t).sum() for t in results if t.requires_grad).backward()
            found += [bits(x.grad), bits(w.grad)]
        with rl.no_grad():  # what shares memory
            for t in results:
                t.add_(1)
        found += [[bits(t) for t in results]]
    except Exception as error:
        found += [type(error), str(error).partition("It was saved by")[0] if "modified" not in str(error) else ""]
    return found


GIVEN = [(False, False, True), (True, False, True), (False, True, True), (True, True, True), (True, True, False)]


def differs(seed: int, calls: int = 4) -> str:
    """How compiled calls of a random function differ from those as it is written; "" where they do not."""
    for given in GIVEN:
        for options in ({"always": True}, None):
            f = made(seed)
            compiled: Any = rl.compile(f, options=options)
            for k in range(calls):
                want, got = tried(f, given, k), tried(compiled, given, k)
                if got != want:
                    return f"{seed} {given} {options} call {k}: {want!r:.300} {got!r:.300}"
    return ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, 60, 20))
def test_random_writes_leave_what_they_leave_as_written(first: int) -> None:
    for seed in range(first, first + 20):
        assert not differs(seed)


@pytest.mark.filterwarnings("ignore")
def test_nothing_keeps_what_was_written() -> None:
    """No tensor waits for the garbage collector: one that is thought to be held is given its memory."""

    def left(call: Callable[..., Any]) -> list[Any]:
        x, w = rl.randn(4, 4, requires_grad=True), rl.randn(4, 4)
        try:
            results = call(x, w)
        except RuntimeError:
            return []
        return [weakref.ref(t) for t in (x, w, *results)]

    gc.collect()
    gc.disable()
    try:
        for seed in range(30):
            compiled: Any = rl.compile(made(seed), options={"always": True})
            for _ in range(3):
                assert all(t() is None for t in left(compiled)), seed
    finally:
        gc.enable()
