"""Training programs of many kinds: fifty steps, compiled, give the bits of those that run as they are written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import rushlight as rl

sys.path.insert(0, str(Path(__file__).parent))

from kinds_of_training import PROGRAMS, trained

STEPS = 50


@pytest.mark.parametrize("name", PROGRAMS)
def test_compiled_steps_have_the_bits_of_eager_ones(name: str) -> None:
    def recorded(f: Any) -> Any:
        return rl.compile(f, options={"always": True})

    eager = trained(rl, name, lambda f: f, STEPS)
    for way in (rl.compile, recorded):
        for n, (a, b) in enumerate(zip(eager, trained(rl, name, way, STEPS), strict=True)):
            assert repr(a) == repr(b), f"step {n}"  # (nan is nan, and 0.0 is not -0.0)
