"""Routines of plans that NumPy does: sorting."""
from __future__ import annotations

from typing import Any


def sort(x: Any, values: Any, indices: Any, *, dim: int, descending: bool, stable: bool) -> None:
    """Sort along `dim` into `values` and `indices` (NumPy arrays, views of the plan's buffers).

    Args:
        x: the operand.
        values, indices: the results, written in place; indices are int64.
        dim: the dim to sort along.
        descending: from the greatest down. NaN counts as the greatest, as in PyTorch.
        stable: accepted for its meaning's sake: every sort here is stable (so equal elements keep their order).
    """
    import numpy as np

    if x.ndim == 0:
        values[...], indices[...] = x, 0
        return
    if not descending:
        order = np.argsort(x, axis=dim, kind="stable")
    else:
        # A stable descending sort is a stable ascending one of the reversed line, reversed.
        order = np.flip(x.shape[dim] - 1 - np.argsort(np.flip(x, dim), axis=dim, kind="stable"), dim)
    indices[...] = order
    values[...] = np.take_along_axis(x, order, axis=dim)
