"""A few random functions, replayed while what they read changes; `random_replays.py` tries as many as are asked for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import random_programs
import random_replays
import random_steps

CASES = {
    "functions": (random_replays, range(2)),
    "other functions": (random_replays, range(2, 4)),
    "steps": (random_steps, (1, 4, 5, 7)),
    "programs": (random_programs, (0, 1, 2, 3, 13, 21, 22, 58)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_random_code_leaves_what_it_leaves_as_written(name: str) -> None:
    module, numbers = CASES[name]
    replayed = 0
    for number in numbers:
        found = module.tried(number)
        assert not found.wrong, f"{found.wrong}\n{found.changes}\n{found.source}"
        replayed += found.replayed
    assert replayed, f"none of the {name} was replayed"
