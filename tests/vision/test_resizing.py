"""Bytes resized: PyTorch's own, and within one of Pillow's, whose weights have 8 digits more (but where PyTorch's are
further away).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.core import _native

pytest.importorskip("PIL", reason="Pillow is not installed")

from picture_files import smooth
from PIL import Image


def _by_pillow(image: np.ndarray, size: tuple[int, int], way: Any) -> np.ndarray:
    """Resized along rows first, as PyTorch does it: Pillow 13 takes whichever is the shorter way first, and bytes are
    cut off between the two.
    """
    along_rows = Image.fromarray(image).resize((size[1], len(image)), way)
    return np.asarray(along_rows.resize(size[::-1], way))


WAYS = [
    ("bilinear", Image.Resampling.BILINEAR),
    ("bicubic", Image.Resampling.BICUBIC),
    ("lanczos", Image.Resampling.LANCZOS),
]


def _cases(noise: bool) -> Iterator[tuple[np.ndarray, tuple[int, int]]]:
    """A hundred images (H, W, 3) and sizes; a quarter of them change along columns alone."""
    r = np.random.RandomState(8)
    for k in range(100):
        shape = r.randint(1, 260, 2)
        image = r.randint(0, 256, (*shape, 3)).astype("u1") if noise else smooth(*shape, 3, k)
        height, width = (int(n) for n in r.randint(1, 260, 2))
        yield image, (height, int(shape[1]) if k % 4 == 0 else width)


def _resized(library: Any, image: np.ndarray, size: tuple[int, int], mode: str, antialias: bool) -> np.ndarray:
    x = library.from_numpy(image).movedim(-1, 0)[None]
    found = library.nn.functional.interpolate(x, size, mode=mode, antialias=antialias)
    return np.asarray(found[0].movedim(0, -1).numpy())


@pytest.mark.parametrize(("mode", "way"), WAYS)
@pytest.mark.parametrize("noise", [False, True])
def test_bytes_are_within_one_of_pillow(mode: str, way: Any, noise: bool) -> None:
    apart = far = total = 0
    for image, size in _cases(noise):
        gap = np.abs(_resized(rushlight, image, size, mode, True).astype(int) - _by_pillow(image, size, way))
        # Negative weights of the second dimension make one in a byte of the first more than one.
        assert gap.max() <= (2 if mode != "bilinear" and size[1] != image.shape[1] else 1), (image.shape, size)
        apart, far, total = apart + int((gap > 0).sum()), far + int((gap > 1).sum()), total + gap.size
    assert apart < 0.1 * total
    assert far < 1e-5 * total


@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize(("mode", "way"), WAYS)
@pytest.mark.parametrize("noise", [False, True])
def test_bytes_are_those_of_pytorch(mode: str, way: Any, noise: bool, antialias: bool) -> None:
    """Each byte; so those that are two from Pillow's (with antialias, the same filter) are PyTorch's as well, and no
    result is both PyTorch's and within one of Pillow's.
    """
    torch = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")
    if mode == "lanczos" and not antialias:
        pytest.skip("this filter is with antialias alone")
    far = 0
    for image, size in _cases(noise):
        expected = _resized(torch, image, size, mode, antialias)
        assert np.array_equal(_resized(rushlight, image, size, mode, antialias), expected), (image.shape, size)
        far += int((np.abs(expected.astype(int) - _by_pillow(image, size, way)) > 1).sum())
    if antialias:
        assert (far > 0) == (mode != "bilinear")


@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "lanczos"])
def test_one_column_is_that_of_its_rows(mode: str) -> None:
    """PyTorch gives other rows' numbers where both dimensions change and one column is left."""
    x = rushlight.arange(24, dtype=rushlight.float64).reshape(1, 1, 4, 6)
    resized = functools.partial(rushlight.nn.functional.interpolate, mode=mode, antialias=True)
    for rows in (2, 3, 8):
        both = resized(x, (rows, 1))
        assert rushlight.allclose(both, resized(resized(x, (4, 1)), (rows, 1)))
        if mode == "bilinear" and rows == 8:
            means = np.interp((np.arange(8) + 0.5) / 2 - 0.5, np.arange(4), [2.5, 8.5, 14.5, 20.5])
            assert np.allclose(both.numpy().reshape(8), means)


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5])
def test_bytes_of_far_smaller_results_do_not_depend_on_the_processor(channels: int) -> None:
    """Where a byte's taps lie too far from the next one's to be taken together, in each layout and by each set of
    instructions; 0 is plain C.
    """
    r = np.random.RandomState(channels)
    most = _native.limit_byte_level(2)
    try:
        for k in range(60):
            height, width = int(r.randint(1, 40)), int(r.randint(20, 400))
            size = (int(r.randint(1, height + 9)), int(r.randint(1, max(2, width // 4))))
            x = rushlight.from_numpy(r.randint(0, 256, (2, height, width, channels)).astype("u1")).movedim(-1, 1)
            x = x if k % 2 else x.contiguous()
            for mode, antialias in itertools.product(("bilinear", "bicubic", "lanczos"), (True, False)):
                if mode == "lanczos" and not antialias:
                    continue
                found = []
                for level in range(most + 1):
                    _native.limit_byte_level(level)
                    found.append(rushlight.nn.functional.interpolate(x, size, mode=mode, antialias=antialias))
                assert all(rushlight.equal(y, found[0]) for y in found), (x.stride(), height, width, size, mode)
    finally:
        _native.limit_byte_level(2)
