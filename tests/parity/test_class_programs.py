"""Classes of a program's own in the place of tensors and numbers: each fact of class_programs.py is PyTorch's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the reference")
PROGRAM = Path(__file__).parent / "class_programs.py"


def facts(*command: str) -> list[str]:
    done = subprocess.run([sys.executable, *command, str(PROGRAM)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def test_facts() -> None:
    theirs, ours = facts(), facts("-m", "rushlight")
    assert len(theirs) > 280 and len(theirs) == len(ours)
    assert [(b, a) for a, b in zip(theirs, ours, strict=True) if a != b] == []
