"""What the core joins and parts with, handed over wrong: an error or None, and no byte outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight.core.dispatch import join, needs_history, part

WHOLE = rl.arange(24.0).reshape(2, 3, 4)
WRONG: dict[str, Callable[[], Any]] = {
    **{f"parts of dimension {d}": lambda d=d: part(WHOLE, d, [1, 2], False) for d in (-1, 3, 100, 2**31 - 1, -(2**31))},
    **{
        f"parts that end at {ends}": lambda ends=ends: part(WHOLE, 1, ends, False)
        for ends in ([4], [2, 1], [-1], [1, 2**62], [-(2**63)], [3, 3, 4], ["a"], [None])
    },
    **{
        f"rows that end at {ends}": lambda ends=ends: part(WHOLE, 1, ends, True)
        for ends in ([2], [0], [1, 3], [1, 2, 3, 4], [2, 3])
    },
    "parts of no tensor": lambda: part(3, 0, [1], False),  # type: ignore[arg-type]
    "parts of None": lambda: part(None, 0, [1], False),  # type: ignore[arg-type]
    "no list of ends": lambda: part(WHOLE, 0, 5, False),  # type: ignore[arg-type]
    **{
        f"history of {name}": lambda what=what: needs_history(what)
        for name, what in (
            ("ints", [1, 2]),
            ("strings", ["a"]),
            ("None", [WHOLE, None]),
            ("no list", 3),
            ("objects", [object()]),
        )
    },
    "joined numbers": lambda: join(3, 0, False),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_handed_over_wrong(what: str) -> None:
    with (
        rl.set_grad_enabled("history" in what),
        pytest.raises((RuntimeError, ValueError, TypeError, IndexError, OverflowError)) as caught,
    ):
        WRONG[what]()
    assert str(caught.value)


def test_what_a_program_does() -> None:
    """Other tensors than plain row-major ones of one dtype, and dimensions that are not there, are not joined here."""
    for tensors, dim in (
        ([WHOLE, WHOLE[:, ::2]], 0),
        ([WHOLE, WHOLE.double()], 0),
        ([WHOLE, 3], 0),
        ([WHOLE, WHOLE.to("meta")], 0),
        ([WHOLE, WHOLE], 3),
        ([WHOLE, WHOLE], -4),
        ([WHOLE, WHOLE[:1]], 1),
        ([WHOLE, rl.ones(3)], 0),
        ([], 0),
        ([rl.tensor(1.0), rl.tensor(2.0)], 0),
        ([WHOLE, WHOLE], 2**62),
    ):
        assert join(tensors, dim, False) is None, (tensors, dim)


@pytest.mark.parametrize("stacked", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4, 5, 40])
def test_joined_and_parted_again(stacked: bool, count: int) -> None:
    pieces = [rl.arange(6).reshape(2, 3) + 10 * i for i in range(count)]
    for dim in range(-2 - stacked, 2 + stacked):
        whole = join(pieces, dim, stacked)
        assert isinstance(whole, rl.Tensor)
        at = dim % (2 + stacked)
        step = 1 if stacked else pieces[0].shape[at]
        with rl.no_grad():
            again = part(whole, at, [step * (i + 1) for i in range(count)], stacked)
        assert again is not None
        assert [p.tolist() for p in again] == [p.tolist() for p in pieces]
