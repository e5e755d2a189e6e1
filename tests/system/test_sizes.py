"""Sizes whose product no 63 bits hold: an error that names the operator, never a tensor of a size that wrapped
around.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl

WIDE = 1 << 33

CALLS: dict[str, Callable[[], Any]] = {
    "empty": lambda: rl.empty(WIDE, WIDE),
    "zeros": lambda: rl.zeros(WIDE, WIDE, dtype=rl.bool),
    "full": lambda: rl.full((WIDE, WIDE), 2.0),
    "eye": lambda: rl.eye(WIDE),
    "randn": lambda: rl.randn(WIDE, WIDE),
    "randint": lambda: rl.randint(0, 5, (WIDE, WIDE)),
    "arange": lambda: rl.arange(0, 1 << 62),
    "linspace": lambda: rl.linspace(0, 1, 1 << 62),
    "new_empty": lambda: rl.ones(2).new_empty((WIDE, WIDE)),
    "empty_strided": lambda: rl.empty_strided((WIDE, WIDE), (0, 0)),
    "expand": lambda: rl.ones(1).expand(WIDE, WIDE),
    "broadcast_to": lambda: rl.broadcast_to(rl.ones(1, device="meta"), (WIDE, WIDE)),
    "repeat": lambda: rl.ones(1).repeat(WIDE, WIDE),
    "as_strided": lambda: rl.ones(3).as_strided((WIDE, WIDE), (WIDE, 1)),
    "add": lambda: rl.add(rl.ones(1).expand(WIDE, 1), rl.ones(1).expand(1, WIDE)),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_size_that_overflows_is_refused(name: str) -> None:
    with pytest.raises(RuntimeError, match=rf"{name}\(\): .*overflow"):
        CALLS[name]()


def test_no_elements_are_no_overflow() -> None:
    for shape in ((0, WIDE, WIDE), (WIDE, WIDE, 0), (WIDE, 0, WIDE)):
        assert rl.empty(shape).shape == shape
        assert rl.empty(0, 1, 1).expand(0, WIDE, WIDE).numel() == rl.empty(shape, device="meta").numel() == 0


def test_the_widest_views() -> None:
    """Views of many elements in little memory."""
    x = rl.ones(1).expand(1 << 31, 1 << 31)
    assert x.numel() == 1 << 62 and x[-1, -1].item() == 1.0
    with pytest.raises(MemoryError, match=r"clone\(\): cannot allocate"):
        x[: 1 << 25].clone()
