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
    """Each line, but those that PyTorch itself prints otherwise the next time.

    Its groups wait for sockets, also in a group of one process: beside a busy machine a barrier may raise there.
    """
    ours = printed(program, "-m", "rushlight")
    differ: list[tuple[str, str]] = []
    for _ in range(3):
        theirs = printed(program)
        assert len(theirs) > PROGRAMS[program]
        differ = [(a, b) for a, b in zip(theirs, ours, strict=True) if a != b]
        if not differ:
            break
    assert differ == []
