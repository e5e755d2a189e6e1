"""Suites of the package with every test recorded as a whole (recorded.py): here a sample; `make recorded` runs
them all.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SAMPLE = ("nn/test_layers.py", "nn/test_module.py", "optim/test_optimizers.py", "core/test_engine.py")


@pytest.mark.parametrize("name", SAMPLE)
def test_a_suite_recorded(name: str) -> None:
    path = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:logging", "-p", "recorded", str(HERE.parent / name)],
        env={**os.environ, "PYTHONPATH": path},
        cwd=HERE.parent.parent,
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0 and " passed" in found.stdout, found.stdout[-4000:]
