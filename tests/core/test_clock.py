"""core/clock.pxi: what a profile keeps of calls, and what it is handed wrong."""

from __future__ import annotations

import gc
import time
from typing import Any

import pytest

import rushlight as rl
from rushlight.autograd.profiler import profile
from rushlight.core.dispatch import Clock, Nodes, set_clock


def test_a_clock_that_nobody_else_holds() -> None:
    x = rl.ones(3)
    with profile():
        before = set_clock(Clock())
        gc.collect()
        for _ in range(5000):  # more than there is room for at first
            x.add(1)
        mine = set_clock(before)
    assert type(mine) is Clock
    events = mine.events()
    assert len(events) == 5000 and all(0 < start <= stop and around == -1 for _, start, stop, around in events)


def test_clocks_that_are_set_within_a_call() -> None:
    """The one of the call is back after it, and the other is let go of."""
    held: list[Any] = []

    class Inner(rl.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            set_clock(Clock())
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    with profile() as p:
        for _ in range(100):
            Inner.apply(rl.ones(2, requires_grad=True)).sum().backward()
            held.append(set_clock(None))
    assert all(clock is None or type(clock) is Clock for clock in held)
    assert set_clock(None) is None
    assert p.key_averages() is not None


def test_what_is_none() -> None:
    for wrong in (3, object(), Clock):
        with pytest.raises(TypeError, match=r"set_clock\(\): 'clock' must be a Clock or None; found"):
            set_clock(wrong)  # type: ignore[arg-type]
    clock = Clock()
    for at in (-1, 0, 1 << 62):
        with pytest.raises(IndexError, match="there are 0 events"):
            clock.end(at)
    with pytest.raises(TypeError):
        clock.begin(None)
    with pytest.raises(TypeError):
        Nodes(None)
    first, second = clock.begin("a"), clock.begin("b")
    clock.end(first)  # what it has left open ends as well
    clock.end(second)
    assert [stop >= start > 0 for _, start, stop, _ in clock.events()] == [True, True]
    assert clock.innermost_open() == -1


def test_times_are_those_of_the_clock() -> None:
    """They are counts of the processor where it has a steady one, and become nanoseconds when they are asked for."""
    clock = Clock()
    before = time.perf_counter_ns()
    outer = clock.begin("outer")
    inner = clock.begin("inner")
    time.sleep(0.02)
    clock.end(inner)
    clock.end(outer)
    after = time.perf_counter_ns()
    (_, start, stop, _), (_, begun, ended, around) = clock.events()
    assert around == 0 and before - 1_000_000 <= start <= begun <= ended <= stop <= after + 1_000_000
    assert ended - begun >= 19_000_000
    clock.begin("open")
    assert clock.events()[-1][2] == 0, "it has not ended"
