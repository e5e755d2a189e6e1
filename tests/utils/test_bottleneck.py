"""`utils.bottleneck`: a program's profile on the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rushlight.utils.bottleneck", *arguments], capture_output=True, text=True, timeout=240
    )


def test_a_program(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import sys, torch\ndef slow():\n    return torch.ones(20, 20).matmul(torch.ones(20, 20)).sum(), sum(i * i "
        "for i in range(1000000))\nassert sys.argv[1:] == ['--n', '3']\nfor _ in range(3): slow()\nprint('ran')\n"
    )
    done = run(str(script), "--n", "3")
    assert done.returncode == 0, done.stderr
    assert (
        done.stdout.count("ran\n") == 2
        and "(<genexpr>)" in done.stdout
        and "matmul" in done.stdout
        and "CPU features" in done.stdout
    )


def test_what_it_refuses(tmp_path: Path) -> None:
    done = run(str(tmp_path / "none.py"))
    assert done.returncode == 2 and "SCRIPT must be a file" in done.stderr
    assert run().returncode == 2 and "usage" in run("--help").stdout
