"""What is resampled in the core (`core/native/resample.c`, `resample_numbers.c`): how it lies."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from rushlight.compiler.routines.arrays import array_of
from rushlight.core import _native
from rushlight.core.dtypes import float64
from rushlight.core.tensor import Tensor


def _by_pixels(shape: Sequence[int], strides: tuple[int, ...]) -> bool:
    """Whether the numbers of each pixel lie side by side, and the pixels of a row."""
    return shape[1] > 1 and strides[1] == 1 and strides[3] == shape[1]


def _by_planes(shape: Sequence[int], strides: tuple[int, ...]) -> bool:
    """Whether the pixels of a row of each channel lie side by side."""
    return strides[3] == 1 or shape[3] == 1


def _step(n: int, out: int, corners: bool) -> float:
    """How far the source moves for one pixel of the result."""
    if not corners:
        return n / out
    return (n - 1) / (out - 1) if out > 1 else 0.0


def resample_bytes(x: Tensor, steps: Sequence[Tensor], y: Tensor, reach: int, antialias: bool, corners: bool) -> None:
    """x (N, C, H, W) resampled into y; see `prims/resample.py`."""
    n, c, h, w = shape = x.shape
    oh, ow = (there := y.shape)[2:]
    strides, to = x.stride(), y.stride()
    pixels = _by_pixels(shape, strides)
    source, result = x.data_ptr(), y.data_ptr()
    read = made = None
    if not pixels and not _by_planes(shape, strides):
        read = array_of(x).copy()  # which lives until the call is over
        source, strides = _place(read)
    split = pixels and not _by_pixels(there, to) and _by_planes(there, to)  # its channels come apart on the way
    if not split and not (_by_pixels if pixels else _by_planes)(there, to):
        import numpy as np

        made = (
            np.empty((n, oh, ow, c), np.uint8).transpose(0, 3, 1, 2) if pixels else np.empty((n, c, oh, ow), np.uint8)
        )
        result, to = _place(made)
    sizes = (n, 1, h, w, oh, ow, c) if pixels else (n, c, h, w, oh, ow, 1)
    depth = to[1] if split else 0
    down, across = (step.item() for step in steps) if steps else (_step(h, oh, corners), _step(w, ow, corners))
    _native.resample(sizes, source, strides[:3], result, to[:3], depth, down, across, reach, antialias, corners)
    if made is not None:
        array_of(y)[...] = made


def resample_along(x: Tensor, step: Tensor, y: Tensor, dim: int, reach: int, turned: bool) -> None:
    """x resampled into y along a dimension; see `prims/resample.py`."""
    order = sorted(range(x.ndim), key=x.stride, reverse=True)
    if not (x.permute(order).is_contiguous() and y.permute(order).is_contiguous()):
        order = list(range(x.ndim))
    source, result = x.permute(order), y.permute(order)
    read = None if source.is_contiguous() else array_of(x).copy("C")
    written: Any = None
    if not result.is_contiguous():
        import numpy as np

        written = np.empty(tuple(y.shape), array_of(y).dtype)
    at, sizes = order.index(dim), tuple(source.shape)
    _native.resample_along(
        x.dtype is float64,
        (prod(sizes[:at]), sizes[at], result.shape[at], prod(sizes[at + 1 :])),
        source.data_ptr() if read is None else read.ctypes.data,
        result.data_ptr() if written is None else written.ctypes.data,
        step.item(),
        reach,
        turned,
    )
    if written is not None:
        array_of(y)[...] = written


def _place(a: Any) -> tuple[int, tuple[int, ...]]:
    """Where the memory of an array of bytes begins, and its strides."""
    return a.__array_interface__["data"][0], a.strides
