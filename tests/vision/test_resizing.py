"""Bytes resized with antialias beside Pillow, whose weights have 8 digits more: within one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.nn import functional as F

pytest.importorskip("PIL", reason="Pillow is not installed")

from picture_files import smooth
from PIL import Image


def _by_pillow(image: np.ndarray, size: tuple[int, int], way: Any) -> np.ndarray:
    """Resized along rows first, as PyTorch does it: Pillow 13 takes whichever is the shorter way first, and bytes are
    cut off between the two.
    """
    along_rows = Image.fromarray(image).resize((size[1], len(image)), way)
    return np.asarray(along_rows.resize(size[::-1], way))


@pytest.mark.parametrize(
    ("mode", "way"), [("bilinear", Image.Resampling.BILINEAR), ("bicubic", Image.Resampling.BICUBIC)]
)
@pytest.mark.parametrize("noise", [False, True])
def test_bytes_are_within_one_of_pillow(mode: str, way: Any, noise: bool) -> None:
    r = np.random.RandomState(8)
    apart = far = total = 0
    for k in range(100):
        shape = r.randint(1, 260, 2)
        image = r.randint(0, 256, (*shape, 3)).astype("u1") if noise else smooth(*shape, 3, k)
        size = tuple(int(n) for n in r.randint(1, 260, 2))
        if k % 4 == 0:  # along columns alone
            size = (size[0], int(shape[1]))
        x = rushlight.from_numpy(image).movedim(-1, 0)[None]
        found = F.interpolate(x, size, mode=mode, antialias=True)[0].movedim(0, -1).numpy()
        gap = np.abs(found.astype(int) - _by_pillow(image, size, way))
        # Negative weights of the second dimension make one in a byte of the first more than one.
        assert gap.max() <= (2 if mode == "bicubic" and k % 4 else 1), (shape, size)
        apart, far, total = apart + int((gap > 0).sum()), far + int((gap > 1).sum()), total + gap.size
    assert apart < 0.1 * total
    assert far < 1e-4 * total
