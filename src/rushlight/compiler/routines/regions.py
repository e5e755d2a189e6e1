"""Routines of regions of images and of boxes (`core/native/regions.c`): their buffers, and errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.compiler.routines.arrays import array_of
from rushlight.core import _native
from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.prims.regions import MODES

_AVERAGE, _SPREAD, _LARGEST = 0, 1, 2


def _rows(t: Tensor) -> Any:
    """The values in memory row by row, as the routines read them: the buffer, or a copy."""
    if t.is_contiguous():
        return t
    import numpy as np

    return np.ascontiguousarray(array_of(t))


def _address(rows: Any) -> int:
    return rows.data_ptr() if isinstance(rows, Tensor) else rows.ctypes.data


def _written(t: Tensor) -> Any:
    """Where a routine writes what becomes the values: the buffer, or room beside it (see _copied)."""
    if t.is_contiguous():
        return t
    import numpy as np

    return np.empty(tuple(t.shape), array_of(t).dtype)


def _copied(t: Tensor, made: Any) -> None:
    if made is not t:
        array_of(t)[...] = made


def _run(
    task: int, params: dict[str, Any], images: Tensor, at: Tensor, boxes: Tensor, bins: Tensor, *places: Tensor
) -> None:
    outputs = (images,) if task == _SPREAD else (bins, *places)
    if not outputs[0].numel():
        return
    made = {id(t): _written(t) for t in outputs}
    held = [made[id(t)] if id(t) in made else _rows(t) for t in (at, boxes, images, bins, *places)]
    count, sizes = at.shape[0], tuple(images.shape)
    mode, sampling = MODES.index(params.get("mode", MODES[0])), max(params.get("sampling", 0), 0)
    addresses = [*map(_address, held), 0][:5]
    there = _native.regions(
        task, mode, images.dtype is dt.float64, sizes, count, bins.shape[2], bins.shape[3], sampling, *addresses
    )
    if not there:
        raise IndexError(
            f"{params['name']}(): column 0 of 'rois' must be the number of an image, in [0, {sizes[0]}); found one "
            "beyond"
        )
    for t in outputs:
        _copied(t, made[id(t)])


def average(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """The averages of regions' bins."""
    _run(_AVERAGE, params, *inputs, outputs[0])


def spread(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """The transpose of that."""
    bins, at, boxes = inputs
    _run(_SPREAD, params, outputs[0], at, boxes, bins)


def largest(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """The largest elements of regions' bins, and where they are."""
    values, places = outputs
    _run(_LARGEST, params, *inputs, values, places)


def keep(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """Which boxes overlap none that is kept before them, and how many they are."""
    (boxes, threshold), (numbers, count) = inputs, outputs
    n, found = boxes.shape[0], 0
    if n:
        rows, made = _rows(boxes), _written(numbers)
        limit = float(array_of(threshold))
        found = _native.boxes_keep(boxes.dtype is dt.float64, n, _address(rows), limit, _address(made))
        _copied(numbers, made)
        array_of(numbers)[found:] = 0
    array_of(count)[...] = found


def turned(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """How much rectangles overlap."""
    (a, b), (out,) = inputs, outputs
    if out.numel():
        held = _rows(a), _rows(b), _written(out)
        is_double = a.dtype is dt.float64
        _native.boxes_turned(is_double, a.shape[0], b.shape[0], *map(_address, held))
        _copied(out, held[2])
