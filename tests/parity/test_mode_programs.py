"""What function modes see of attributes, and what nodes and hooks of the graph answer: each fact of mode_programs.py is
PyTorch's.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the reference")
PROGRAM = Path(__file__).parent / "mode_programs.py"

DIFFERENCES = {"input of tensor_split": "one node for all parts, of which each is an output"}


def facts(*command: str) -> dict[str, str]:
    done = subprocess.run([sys.executable, *command, str(PROGRAM)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(line.partition(": ")[::2] for line in done.stdout.splitlines())


def test_facts() -> None:
    theirs, ours = facts(), facts("-m", "rushlight")
    assert len(theirs) > 250 and set(theirs) == set(ours)
    assert {k: (ours[k], v) for k, v in theirs.items() if ours[k] != v and k not in DIFFERENCES} == {}
    assert [k for k in DIFFERENCES if ours[k] == theirs[k]] == [], "these are equal now"
