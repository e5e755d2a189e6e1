"""Gradients on wrapper subclasses: what wrapper_programs.py prints is what it prints on PyTorch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the reference")
PROGRAM = Path(__file__).parent / "wrapper_programs.py"


def printed(*command: str) -> list[str]:
    done = subprocess.run([sys.executable, *command, str(PROGRAM)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def test_programs() -> None:
    theirs, ours = printed(), printed("-m", "rushlight")
    assert len(theirs) > 30 and not any("Error" in line or "False" in line for line in theirs)
    assert [(a, b) for a, b in zip(theirs, ours, strict=True) if a != b] == []
