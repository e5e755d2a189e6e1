"""A group of one process, and state dicts in it: what the two programs print is what they print on PyTorch."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the reference")
PROGRAMS = {"distributed_programs.py": 230, "state_dict_programs.py": 400}


def printed(program: str, *command: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, *command, str(Path(__file__).parent / program)],
        capture_output=True,
        text=True,
        timeout=300,
        env={k: v for k, v in os.environ.items() if k not in ("RANK", "WORLD_SIZE", "LOCAL_RANK")},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program: str) -> None:
    theirs, ours = printed(program), printed(program, "-m", "rushlight")
    assert len(theirs) > PROGRAMS[program]
    assert [(a, b) for a, b in zip(theirs, ours, strict=True) if a != b] == []
