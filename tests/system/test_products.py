"""A bounded run of the random products; a long one is by hand, see products.py."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("seed", [2, 3])
def test_batched_products_of_any_strides(seed: int) -> None:
    count = os.environ.get("RUSHLIGHT_PRODUCTS", "250")
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("products.py")), count, str(seed)], capture_output=True, text=True
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
