"""A few random functions, replayed while what they read changes; `random_replays.py` tries as many as are asked for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import random_programs
import random_steps
from random_replays import tried


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("numbers", [range(2), range(2, 4)], ids=str)
def test_random_functions_are_what_they_are_as_written(numbers: range) -> None:
    replayed = 0
    for number in numbers:
        found = tried(number)
        assert not found.wrong, f"{found.wrong}\n{found.changes}\n{found.source}"
        replayed += found.replayed
    assert replayed, "no call was replayed"


@pytest.mark.filterwarnings("ignore")
def test_random_steps_leave_what_they_leave_as_written() -> None:
    replayed = 0
    for number in (1, 4, 5, 7):
        found = random_steps.tried(number)
        assert not found.wrong, f"{found.wrong}\n{found.changes}\n{found.source}"
        replayed += found.replayed
    assert replayed, "no step was replayed"


@pytest.mark.filterwarnings("ignore")
def test_random_programs_leave_what_they_leave_as_written() -> None:
    replayed = 0
    for number in (0, 1, 2, 3, 13, 21, 22, 58):
        found = random_programs.tried(number)
        assert not found.wrong, f"{found.wrong}\n{found.changes}\n{found.source}"
        replayed += found.replayed
    assert replayed, "no program was replayed"
