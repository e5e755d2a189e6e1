"""Random calls of every operator crash nothing, hang nothing, and fail only with ordinary exceptions."""
from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

CALLS = int(os.environ.get("RUSHLIGHT_FUZZ_CALLS", "10000"))
PROCESSES = 2


@pytest.mark.parametrize("seed", range(PROCESSES))
def test_random_calls(seed: int) -> None:
    script = Path(__file__).parent / "fuzz.py"
    with tempfile.TemporaryFile() as log:
        # Descriptor 3 is the log: pass_fds keeps its number, so it is moved there by the shell.
        command = ["sh", "-c", f'exec "$0" "$@" 3<>/dev/fd/{log.fileno()}', sys.executable, str(script), str(CALLS // PROCESSES), str(seed)]
        done = subprocess.run(command, pass_fds=[log.fileno()], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600,
                              env=dict(os.environ, RUSHLIGHT_FUZZ="1"))
        log.seek(0)
        last = log.read().decode().strip()
    assert done.returncode == 0, f"exit status {done.returncode}, last: {last}\n{done.stdout[-6000:]}"
