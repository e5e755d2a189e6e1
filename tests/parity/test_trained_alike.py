"""Training programs of many kinds beside PyTorch: the same draws, and after twenty steps the same numbers."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

import rushlight as rl

sys.path.insert(0, str(Path(__file__).parent.parent / "dynamo"))

from kinds_of_training import PROGRAMS, trained

STEPS, TOLERANCE = 20, 2e-3


def _near(a: Any, b: Any) -> bool:
    if isinstance(a, list):
        return len(a) == len(b) and all(map(_near, a, b))
    if isinstance(a, float) and not math.isnan(a):
        return abs(a - b) <= TOLERANCE * (1 + abs(a))
    return a == b or (a != a and b != b)


@pytest.mark.parametrize("name", PROGRAMS)
def test_steps_give_the_numbers_of_pytorch(name: str) -> None:
    for n, (a, b) in enumerate(
        zip(trained(rl, name, lambda f: f, STEPS), trained(torch, name, lambda f: f, STEPS), strict=True)
    ):
        assert _near(a, b), f"step {n}"
