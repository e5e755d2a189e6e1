"""`torch.library` as programs use it: each fact of library_programs.py is PyTorch's, but for those that stand here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the reference")
PROGRAM = Path(__file__).parent / "library_programs.py"

DIFFERENCES = {
    "name": "a custom operator has the name and the text of its function",
    "meta before": "another type of error: the function itself refuses a tensor without data",
    "func.grad": "a registered gradient serves under the transforms",
    "unknown name": "register_fake before the operator is defined: the function waits for it",
    "unknown gradient": "another type of error",
    "namespace is lazy": "a class without an underscore",
}


def facts(*command: str) -> dict[str, str]:
    done = subprocess.run([sys.executable, *command, str(PROGRAM)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, str] = {}
    for line in done.stdout.splitlines():
        label, _, fact = line.partition(": ")
        found[label] = fact
    return found


def test_facts() -> None:
    theirs, ours = facts(), facts("-m", "rushlight")
    assert len(theirs) > 120 and set(theirs) == set(ours)
    assert {k: (ours[k], v) for k, v in theirs.items() if ours[k] != v and k not in DIFFERENCES} == {}
    assert [k for k in DIFFERENCES if ours[k] == theirs[k]] == [], "these are equal now"
