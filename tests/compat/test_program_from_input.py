"""`python -m rushlight -`: a program that standard input holds."""

from __future__ import annotations

import subprocess
import sys


def test_a_program_from_standard_input() -> None:
    program = "import sys, torch\nprint(__name__, sys.argv, torch.ones(2).sum().item())\n"
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", "-", "a", "b"], input=program, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "__main__ ['-', 'a', 'b'] 2.0\n"), done.stderr


def test_an_error_in_it_is_the_programs() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", "-"], input="import torch\ntorch.ones(2) @@ 3\n", capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1 and "<stdin>" in done.stderr and "SyntaxError" in done.stderr
