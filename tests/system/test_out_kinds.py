"""What cannot be meant as out= is an error, for every operator: see out_kinds.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("part", range(4))
def test_wrong_kinds_of_out(part: int) -> None:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("out_kinds.py")), str(part), "4"], capture_output=True, text=True
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
