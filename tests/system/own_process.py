"""Runs a function of a test file in a fresh process, whose memory holds nothing of the other tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def in_its_own_process(module: str, function: str, timeout: float = 600) -> None:
    """Call a function of a file in this folder; raises AssertionError with what the process said if it fails."""
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import {module}; {module}.{function}()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-3000:]}"
