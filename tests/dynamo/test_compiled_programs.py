"""Compiled functions below `python -m rushlight`, where the package's modules call themselves torch's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import torch

def refused(x):
    y = x * 2
    y.add_(torch.ones(7))

def wider(x):
    y = (x * 2).half()
    y[0] += x[0]
    return y.tolist()

def chooses(x):
    return x * 2 if x.sum() > 0 else x

def found(f):
    try:
        return f(torch.ones(2, 2))
    except Exception as error:
        return type(error).__name__, str(error)

for f in (refused, wider):
    print(found(f) == found(torch.compile(f, options={"always": True})))
print(found(torch.compile(chooses, fullgraph=True))[1])
print(torch._dynamo.explain(chooses)(torch.ones(2)).break_reasons[0].user_stack)
"""


def test_errors_and_lines_are_known(tmp_path: Path) -> None:
    """Errors and frames of the library are known from those of the program."""
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    given = [sys.executable, "-m", "rushlight", str(file)]
    found = subprocess.run(given, check=True, capture_output=True, text=True).stdout.splitlines()
    line = f"{file}:{PROGRAM.splitlines().index('    return x * 2 if x.sum() > 0 else x') + 1}"
    assert found[:2] == ["True", "True"]
    assert f"needs the values of a tensor, in {line};" in found[2]
    assert found[3] == str([line])
