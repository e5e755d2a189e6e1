"""A group of one process: what distributed_programs.py prints is what it prints on PyTorch."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the reference")
PROGRAM = Path(__file__).parent / "distributed_programs.py"


def printed(*command: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, *command, str(PROGRAM)],
        capture_output=True,
        text=True,
        timeout=300,
        env={k: v for k, v in os.environ.items() if k not in ("RANK", "WORLD_SIZE", "LOCAL_RANK")},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def test_programs() -> None:
    theirs, ours = printed(), printed("-m", "rushlight")
    assert len(theirs) > 150
    assert [(a, b) for a, b in zip(theirs, ours, strict=True) if a != b] == []
