"""Routines of plans that NumPy does: sorting."""

from __future__ import annotations

from typing import Any

from rushlight.core import _native

_COUNTED_FROM = 4096  # keys: twice as many as there are counters


def sort(x: Any, values: Any, indices: Any, *, dim: int, descending: bool, stable: bool, count: Any = None) -> None:
    """Sort along `dim` into `values` and `indices` (NumPy arrays, views of the plan's buffers): as many as these have
    places for.

    Args:
        x: the operand.
        values, indices: the results, written in place; indices are int64.
        dim: the dim to sort along.
        descending: from the greatest down. NaN counts as the greatest, as in PyTorch.
        stable: accepted for its meaning's sake: every sort here is stable (so equal elements keep their order).
        count: accepted; the results' sizes say it.
    """
    import numpy as np

    if x.ndim == 0:
        values[...], indices[...] = x, 0
        return
    # NumPy's sort that does not keep the order of equals uses the processor's vectors, the one that does cannot;
    # equals, where there are any, are put in order by their places afterwards.
    order = np.argsort(x, axis=dim)
    if descending:
        order = np.flip(order, dim)
    first, second = ((slice(None),) * (dim % x.ndim) + (s,) for s in (slice(None, -1), slice(1, None)))
    found = np.take_along_axis(x, order, axis=dim)
    equal = found[first] == found[second]
    if x.dtype.kind == "f":
        equal |= np.isnan(found[first]) & np.isnan(found[second])
    if equal.any():
        if x.shape[dim] >> 31:
            raise RuntimeError(f"sort: a dimension may have at most 2**31 elements; found {x.shape[dim]}")
        run = np.zeros(x.shape, np.int64)
        np.cumsum(~equal, axis=dim, out=run[second])
        order = np.sort(run << 32 | order, axis=dim) & 0xFFFFFFFF
    wanted = (slice(None),) * (dim % x.ndim) + (slice(values.shape[dim]),)
    indices[...] = order[wanted]
    values[...] = np.take_along_axis(x, indices, axis=dim)


def sort_keys(keys: Any, least: Any, dim: int) -> None:
    """The least elements of `keys` along `dim`, as many as `least` has places, in order. Keys differ, so that no order
    is chosen among equals.

    Args:
        keys: int64, the index in the low 32 bits.
        least: int64, written in place.
    """
    import numpy as np

    n, count = keys.shape[dim], least.shape[dim]
    if n >> 32:
        raise RuntimeError(f"sort: a dimension may have at most 2**32 elements; found {n}")
    if not count or not keys.size:
        return
    if keys.ndim == 1 and count == n >= _COUNTED_FROM and keys.flags.c_contiguous and least.flags.c_contiguous:
        if _native.sort_by_counting(n, keys.ctypes.data, least.ctypes.data):
            return
    first = (slice(None),) * (dim % keys.ndim) + (slice(count),)
    if count <= n // 2:
        # Quickselect first: only what is wanted is put in order.
        least[...] = np.partition(keys, count - 1, axis=dim)[first]
        least.sort(axis=dim)
    else:
        least[...] = np.sort(keys, axis=dim)[first]
