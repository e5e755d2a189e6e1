"""Arrays from sizes, numbers, sequences and other libraries' arrays."""

from __future__ import annotations

from typing import Any, Literal

import rushlight as rl
from rushlight.array_api._arguments import Device, Dtype, Scalar, Shape, array
from rushlight.core.tensor import Tensor


def asarray(
    obj: Any, /, *, dtype: Dtype | None = None, device: Device | None = None, copy: bool | None = None
) -> Tensor:
    """An array from a number, a nested sequence of numbers, or an object that shares its memory (an array of another
    library, a buffer).

    Args:
        dtype: None keeps the dtype of an array, and gives numbers int64, bool or the default floating point dtype.
        copy: True always copies, False never does, None copies where it must. An array of rushlight stays in its
            autograd graph.

    Raises:
        ValueError: copy is False and a copy is needed.
    """
    if isinstance(obj, Tensor):
        d = obj.dtype if dtype is None else dtype
        where = obj.device if device is None else rl.device(device)
        if copy is False and (d is not obj.dtype or where != obj.device):
            raise ValueError(
                f"asarray(): copy=False, but an array of {obj.dtype} on {obj.device} as one of {d} on {where} is a copy"
            )
        return obj.to(where, d, copy=bool(copy))
    return rl.asarray(obj, dtype=dtype, device=device, copy=copy)


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: Dtype | None = None,
    device: Device | None = None,
) -> Tensor:
    """The numbers start, start + step, ... up to, but without, stop, as a 1-d array; a single number is stop, and start
    is 0.

    Args:
        dtype: None chooses int64 if all numbers are ints, and the default floating point dtype otherwise.
    """
    if stop is None:
        start, stop = 0, start
    # PyTorch refuses a step that leads away from stop; the standard has an empty array
    if step != 0 and (stop - start) * (1 if step > 0 else -1) <= 0:
        whole = all(isinstance(x, int) for x in (start, stop, step))
        return rl.empty((0,), dtype=dtype or (rl.int64 if whole else None), device=device)
    return rl.arange(start, stop, step, dtype=dtype, device=device)


def empty(shape: Shape, *, dtype: Dtype | None = None, device: Device | None = None) -> Tensor:
    """An array of a shape, with uninitialized elements."""
    return rl.empty(_sizes(shape), dtype=dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: Dtype | None = None, device: Device | None = None) -> Tensor:
    """An array of the shape of x, with uninitialized elements."""
    return rl.empty_like(array("empty_like", "x", x), dtype=dtype, device=device)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Dtype | None = None, device: Device | None = None
) -> Tensor:
    """A matrix with ones on diagonal k (above the main one where k is positive) and zeros elsewhere.

    Args:
        n_cols: None makes as many columns as rows.
    """
    columns = n_rows if n_cols is None else n_cols
    result = rl.zeros((n_rows, columns), dtype=dtype, device=device)
    if -n_rows < k < columns:
        rl.diagonal(result, k).fill_(1)
    return result


def from_dlpack(x: Any, /, *, device: Device | None = None, copy: bool | None = None) -> Tensor:
    """An array that shares the memory of another library's array, by `__dlpack__`.

    Args:
        copy: True copies, False never does, None copies if the other library or the device asks for it.

    Raises:
        BufferError: copy is False and the memory cannot be shared.
    """
    return rl.from_dlpack(x, device=device, copy=copy)


def full(shape: Shape, fill_value: Scalar, *, dtype: Dtype | None = None, device: Device | None = None) -> Tensor:
    """An array of a shape, filled with fill_value; dtype=None chooses the dtype that asarray gives to that number."""
    return rl.full(_sizes(shape), fill_value, dtype=dtype, device=device)


def full_like(x: Tensor, /, fill_value: Scalar, *, dtype: Dtype | None = None, device: Device | None = None) -> Tensor:
    """An array of the shape and dtype of x, filled with fill_value."""
    return rl.full_like(array("full_like", "x", x), fill_value, dtype=dtype, device=device)


def linspace(
    start: Scalar,
    stop: Scalar,
    /,
    num: int,
    *,
    dtype: Dtype | None = None,
    device: Device | None = None,
    endpoint: bool = True,
) -> Tensor:
    """num evenly spaced numbers from start to stop, as a 1-d array; with endpoint=False the last one is a step before
    stop.

    Args:
        dtype: None chooses the default floating point dtype, or the complex dtype whose parts have it if start or stop
            is complex.
    """
    if endpoint or num == 0:
        return rl.linspace(start, stop, num, dtype=dtype, device=device)
    return rl.linspace(start, stop, num + 1, dtype=dtype, device=device)[:-1]


def meshgrid(*arrays: Tensor, indexing: Literal["xy", "ij"] = "xy") -> tuple[Tensor, ...]:
    """The coordinates of the points of a grid: for each of the 1-d arrays, an array with the shape of the grid, in
    which its elements vary along its own axis.

    Args:
        indexing: "xy" swaps the first two axes, as for pictures; "ij" does not.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid(): indexing must be 'xy' or 'ij'; found {indexing!r}")
    return tuple(rl.meshgrid(*arrays, indexing=indexing)) if arrays else ()


def ones(shape: Shape, *, dtype: Dtype | None = None, device: Device | None = None) -> Tensor:
    """An array of ones of a shape."""
    return rl.ones(_sizes(shape), dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: Dtype | None = None, device: Device | None = None) -> Tensor:
    """An array of ones of the shape and dtype of x."""
    return rl.ones_like(array("ones_like", "x", x), dtype=dtype, device=device)


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The matrices of the last two axes with zeros above diagonal k."""
    return rl.tril(array("tril", "x", x), _inside(x, k))


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The matrices of the last two axes with zeros below diagonal k."""
    return rl.triu(array("triu", "x", x), _inside(x, k))


def _inside(x: Tensor, k: int) -> int:
    """The diagonal k, clamped to the nearest one outside the matrices: with the same result, k fits into 64 bits."""
    rows, columns = x.shape[-2:] if x.ndim > 1 else (0, 0)
    return max(-rows - 1, min(k, columns + 1))


def zeros(shape: Shape, *, dtype: Dtype | None = None, device: Device | None = None) -> Tensor:
    """An array of zeros of a shape."""
    return rl.zeros(_sizes(shape), dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: Dtype | None = None, device: Device | None = None) -> Tensor:
    """An array of zeros of the shape and dtype of x."""
    return rl.zeros_like(array("zeros_like", "x", x), dtype=dtype, device=device)


def _sizes(shape: Shape) -> tuple[int, ...]:
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


__all__ = [
    "arange",
    "asarray",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]
