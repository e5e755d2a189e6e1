"""A bounded run of the random products; a long one is by hand, see products.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from processes import printed


@pytest.mark.parametrize("seed", [2, 3])
def test_batched_products_of_any_strides(seed: int) -> None:
    count = os.environ.get("RUSHLIGHT_PRODUCTS", "250")
    printed(Path(__file__).with_name("products.py"), count, seed)
