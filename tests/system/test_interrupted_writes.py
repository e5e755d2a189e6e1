"""An interrupt at any moment of writes to parts of results that wait leaves the results as they are between two of the
writes, and the views that are held as views of them; what waits for a graph has the gradients of what was written.
"""

from __future__ import annotations

import contextlib
import functools
import random
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from interrupts import Interrupt, Moments

MOST = 15  # moments of each kind of call and file, at random where it has more

Writes = list[Callable[[Any, Any], Any]]


def _first_column(y: Any, views: Any) -> None:
    y[:, 0] = 7.0


def _all(y: Any, views: Any) -> None:
    y.view(-1).add_(1)


def _corner(y: Any, views: Any) -> None:
    y[1:, 1:].mul_(y[1:, 1:].sum() * 0.125)


def _whole(y: Any, views: Any) -> None:
    y += 0.5


def _masked(y: Any, views: Any) -> None:
    y[y > 3] = -1.0


def _through_a_view(y: Any, views: Any) -> None:
    if views:
        views["column"].mul_(2)
    else:
        y.select(1, 1).mul_(2)


def _of_several(y: Any, views: Any) -> None:
    y.t()[0].sub_(0.25)


WRITES: Writes = [_first_column, _all, _corner, _whole, _masked, _through_a_view, _of_several]
# What leads from a result to a view that is held.
VIEWS: dict[str, Callable[[Any], Any]] = {
    "column": lambda y: y[:, 1],
    "flat": lambda y: y.view(-1),
    "across": lambda y: y.t(),
    "part of it": lambda y: y.t()[1:],
    "detached": lambda y: y.detach(),
}


def between(x: Any, writes: Writes) -> list[tuple[Any, Any]]:
    """What a result is between the writes, and the gradient of its sum, as they are made without recording."""
    found = []
    for n in range(len(writes) + 1):
        y = x * 2 + 1
        for write in writes[:n]:
            write(y, {})
        found.append((y.detach().clone(), rl.autograd.grad(y.sum(), x)[0] if x.requires_grad else None))
    return found


def program(kept: dict[str, Any], writes: Writes, views: bool) -> dict[bool, Callable[[Any], Any]]:
    """Functions that write to a result of their own, which `kept` gets, with views of it; and whether they catch what
    interrupts them.
    """

    def made(x: Any) -> Any:
        kept.clear()
        y = x * 2 + 1
        kept["y"] = y
        if views:
            kept.update({name: view(y) for name, view in VIEWS.items()})
        held = {name: t for name, t in kept.items() if name != "y"}
        for write in writes:
            write(y, held)
        return (y * y).sum()

    def caught(x: Any) -> Any:
        try:
            return made(x)
        except Interrupt:
            return (kept["y"] * 1).sum() if "y" in kept else x.sum()

    return {False: made, True: caught}


def look(kept: dict[str, Any], x: Any, told: str) -> tuple[Any, Any]:
    """The result and the gradient of its sum; the views must be views of it."""
    y = kept["y"]
    for name, view in kept.items():
        if name != "y":
            wanted = VIEWS[name](y)
            assert view.data_ptr() == wanted.data_ptr() and view.stride() == wanted.stride(), f"{told}: {name}"
            assert rl.equal(view, wanted), f"{told}: {name}"
    return y.detach(), rl.autograd.grad(y.sum(), x)[0] if x.requires_grad else None


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of a weak reference's callback
@pytest.mark.parametrize("catches", [False, True])  # within the function, which goes on with what it has
@pytest.mark.parametrize(("grad", "views"), [(False, False), (False, True), (True, False)])
@pytest.mark.parametrize("n_before", [0, 2])
def test_an_interrupt_leaves_a_result_between_two_writes(grad: bool, views: bool, catches: bool, n_before: int) -> None:
    r = random.Random(0)
    for file in ("jit/parts.py", "jit/recording.py", "jit/segments.py", ""):
        moments = Moments(file)
        for k in (0, 3):
            writes = WRITES[k:] + WRITES[:k]
            x = rl.arange(6.0).reshape(2, 3).requires_grad_(grad)
            states = between(x, writes)

            def call(
                at: int, writes: Writes = writes, x: Any = x, moments: Moments = moments
            ) -> tuple[dict[str, Any], Any, Any, int]:
                kept: dict[str, Any] = {}
                f = rl.compile(program(kept, writes, views)[catches], options={"always": True})
                for _ in range(n_before):
                    f(x)
                found = moments.interrupted(lambda: f(x), at)
                return kept, f, found, moments.count

            n = call(0)[3]
            for at in sorted(r.sample(range(1, n + 1), min(MOST, n))):
                kept, f, found, _ = call(at)
                told = f"moment {at} of {n} {file}, writes from {k} on"
                if "y" in kept:
                    left = look(kept, x, told)
                    fits = [(a, g) for a, g in states if rl.equal(a, left[0])]
                    assert fits, f"{told}: {left[0]} is none of {states}"
                    if x.requires_grad:
                        assert any(rl.equal(left[1], g) for _, g in fits), f"{told}: {left[1]} for {fits}"
                    if found is not None:  # of what was left, or to the end
                        sums = [float(s) for a, _ in fits for s in (a.sum(), (a * a).sum())]
                        assert float(found.detach()) in sums, told
                last = states[-1][0]
                assert rl.equal(f(x), (last * last).sum()), told


def test_what_the_graph_keeps_is_known_after_an_interrupt() -> None:
    """A write to what an earlier call keeps is an error at the backward, also where the first call, in which that was
    found out, was interrupted.
    """

    def refused(x: Any) -> Any:
        y = x.exp()
        y.add_(1)
        y.sum().backward()

    moments = Moments("jit/recording.py")
    x = rl.ones(3, requires_grad=True)

    def compiled() -> Callable[[Any], Any]:
        f: Callable[[Any], Any] = rl.compile(refused, options={"always": True})
        return f

    def once(f: Callable[[Any], Any]) -> None:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            f(x)

    first = compiled()
    n = moments.of(lambda: once(first))
    for at in range(1, n + 1):
        f = compiled()
        with contextlib.suppress(RuntimeError):
            moments.interrupted(lambda f=f: f(x), at)  # type: ignore[misc]
        once(f)
        once(f)


def _interrupted(moments: Moments, call: Callable[[Any], Any], at: int, x: Any) -> Any:
    return moments.interrupted(lambda: call(x), at)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("grad", [False, True])
def test_a_function_that_catches_an_interrupt_goes_on(grad: bool) -> None:
    """Calls behind a run that was interrupted are none of its segment."""

    def f(x: Any) -> Any:
        y = x * 2 + 1
        z = y.exp().sum()
        try:
            z.item()
        except Interrupt:
            y = y * 1
        w = (y * 3).relu() * z.detach()
        y = y + 1
        y[:, 0] = w[:, 1]
        return w, y, z

    def left(call: Callable[[Any], Any]) -> Any:
        x = rl.arange(6.0).reshape(2, 3).mul(0.25).requires_grad_(grad)
        results = call(x)
        if results is None:
            return None
        g = rl.autograd.grad(sum(t.sum() for t in results), x)[0].tolist() if grad else None
        return [t.tolist() for t in results], g

    r, wanted = random.Random(0), left(f)
    for file in ("jit/segments.py", "jit/recording.py", ""):
        moments = Moments(file)
        for n_before in (0, 2):

            def begun(n_before: int = n_before) -> Callable[[Any], Any]:
                compiled: Callable[[Any], Any] = rl.compile(f, options={"always": True})
                for _ in range(n_before):
                    left(compiled)
                return compiled

            first = begun()
            n = moments.of(lambda first=first: left(first))  # type: ignore[misc]
            for at in sorted(r.sample(range(1, n + 1), min(MOST, n))):
                compiled = begun()
                once = functools.partial(_interrupted, moments, compiled, at)
                found = left(once)
                assert found is None or found == wanted, f"moment {at} of {n} {file}"
                assert left(compiled) == wanted, f"moment {at} of {n} {file}"


def _fills(kept: dict[str, Any], x: Any, buffer: Any) -> Any:
    out, kept["ones"] = rl.zeros(3, 3), rl.ones(3)
    kept["out"] = out
    for i in range(3):
        buffer[i] = (x * (i + 1)).exp()
        out[:, i] = x * (i + 1) + kept["ones"]
    kept["late"] = rl.full((3,), 2.0)
    kept["late"].uniform_(3, 4)
    return out * 1


@pytest.mark.parametrize("file", ["jit/recording.py", "jit/placing.py", "jit/segments.py", "jit/parts.py", ""])
@pytest.mark.parametrize("n_before", [0, 2])
def test_an_interrupt_leaves_filled_memory_between_two_writes(file: str, n_before: int) -> None:
    """A buffer, and what factories have made, have what some of the writes give, in their order; and the next call is
    whole.
    """
    x = rl.tensor([0.25, -1.0, 2.0])
    kept: dict[str, Any] = {}
    buffer = rl.zeros(3, 3)
    wanted = _fills(kept, x, buffer)
    full, moments = buffer.clone(), Moments(file)
    buffers = [rl.cat([full[:i], rl.zeros(3 - i, 3)]) for i in range(4)]
    outs = [rl.cat([wanted[:, :i], rl.zeros(3, 3 - i)], 1) for i in range(4)]

    def call(at: int) -> int:
        f = rl.compile(_fills, options={"always": True})
        for _ in range(n_before):
            f({}, x, rl.zeros(3, 3))
        kept.clear()
        buffer = rl.zeros(3, 3)
        found = moments.interrupted(lambda: f(kept, x, buffer), at)
        n = moments.count
        told = f"moment {at} of {n} {file}"
        at_buffer = [i for i, b in enumerate(buffers) if rl.equal(b, buffer)]
        assert at_buffer, f"{told}: {buffer}"
        if "out" in kept:
            at_out = [i for i, b in enumerate(outs) if rl.equal(b, kept["out"])]
            assert at_out and at_buffer[0] - at_out[0] in (0, 1), f"{told}: {kept['out']} beside {buffer}"
        if "ones" in kept:
            assert kept["ones"].tolist() == [1.0, 1.0, 1.0], told
        if "late" in kept:
            assert kept["late"].tolist() == [2.0, 2.0, 2.0] or kept["late"].min() >= 3, told
        assert found is None or rl.equal(found, wanted), told
        again = rl.zeros(3, 3)
        assert rl.equal(f({}, x, again), wanted) and rl.equal(again, full), told
        return n

    n = call(0)
    for at in sorted(random.Random(n_before).sample(range(1, n + 1), min(60, n))):
        call(at)
