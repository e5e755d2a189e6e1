"""An interrupt at any moment of a compiled training step leaves each tensor as it was, or as the step makes it; and the
next step leaves what it leaves as it is written.

`fault_steps.py` does the same with signals, which come at random.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from fault_steps import World, check, same

import rushlight
from interrupts import Moments
from rushlight.core import tensor as _core
from rushlight.jit import recording
from rushlight.jit.segments import Segments
from rushlight.operators.random import samplers
from rushlight.operators.table import dispatch as _dispatch

MOST = 15  # moments of each kind of call, at random
FEW = 3  # of the first call, which is looked into, or planned


def in_force() -> list[Any]:
    """What an interrupt must leave as it was."""
    return [
        _core.modes_in_force(),
        len(_dispatch.modes.stack),
        len(samplers._watching),
        _core.no_subclass(),
        rushlight.is_grad_enabled(),
        rushlight.is_inference_mode_enabled(),
        rushlight.get_default_dtype(),
    ]


def steps_before(kind: str, optimizer: str, options: Any, n: int) -> World:
    """A world that has made n steps."""
    world = World(kind, optimizer, options)
    for k in range(n):
        world.call(k)
    return world


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of a weak reference's callback
@pytest.mark.parametrize("n_before", [0, 2])  # looked into, and planned; replayed, or noted as before
@pytest.mark.parametrize("way", ["replayed", "recorded", "by calls"])
@pytest.mark.parametrize(
    ("kind", "optimizer"), [("usual", "AdamW"), ("zeros", "SGD"), ("kept", "SGD"), ("told", "AdamW")]
)
def test_an_interrupt_leaves_each_tensor_before_or_after_the_step(
    monkeypatch: pytest.MonkeyPatch, kind: str, optimizer: str, way: str, n_before: int
) -> None:
    options, r = {} if way == "replayed" else {"always": True}, random.Random(0)
    if way == "by calls":  # no segment is a program
        monkeypatch.setattr(Segments, "by_calls", lambda segments, recorder: True)
    clean, others = in_force(), list(recording._recorders)
    for file in ("", "jit/segments.py", "jit/backward.py"):  # in the second a segment's run begins and ends
        moments = Moments(file)
        world = steps_before(kind, optimizer, options, n_before)
        n = moments.of(lambda w=world: w.call(50))  # type: ignore[misc]
        if n == 0:
            continue
        for at in sorted(r.sample(range(1, n + 1), min(MOST if n_before else FEW, n))):
            world, plain = steps_before(kind, optimizer, options, n_before), World(kind, optimizer, None)
            before = world.tensors()
            plain.take(before)
            plain.call(50)
            whole = plain.tensors()
            moments.interrupted(lambda w=world: w.call(50), at)  # type: ignore[misc]
            told = f"moment {at} of {n} {file}"
            assert in_force() == clean, told
            after = world.tensors()
            assert all(recorder in others for recorder in recording._recorders), told
            check(before, after, whole, told)
            assert moments.came or all(same(after.get(key), whole[key]) for key in whole), told
            plain.take(after)
            plain.call(60)
            world.call(60)
            a, b = plain.tensors(), world.tensors()
            assert a.keys() == b.keys(), told
            assert all(same(a[key], b[key]) for key in a), told


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("kind", ["usual", "kept"])
def test_an_interrupt_at_any_line_of_an_inspection_leaves_what_is_in_force(kind: str) -> None:
    clean, others = in_force(), list(recording._recorders)
    moments = Moments("_dynamo/proving.py")
    world = World(kind, "AdamW", {})
    moments.of(lambda: world.call(50))
    assert moments.first
    for at in moments.first:
        world = World(kind, "AdamW", {})
        moments.interrupted(lambda w=world: w.call(50), at)  # type: ignore[misc]
        assert in_force() == clean, f"moment {at}"
        assert all(recorder in others for recorder in recording._recorders), f"moment {at}"
        world.call(60)
