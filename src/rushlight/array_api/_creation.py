"""Arrays from sizes, numbers, sequences and other libraries' arrays."""

from __future__ import annotations

from typing import Any, Literal

import rushlight as rl
from rushlight.array_api._arguments import Device, Dtype, Scalar, Shape, array
from rushlight.core.tensor import Tensor


def asarray(
    obj: Any, /, *, dtype: Dtype | None = None, device: Device | None = None, copy: bool | None = None
) -> Tensor:
    """An array of a number, a nested sequence of numbers, or what lends its memory (an array of another library, a
    buffer).

    Args:
        dtype: None keeps that of an array; numbers get int64, bool or the default floating point dtype.
        copy: True always copies, False never does, None copies where that is needed. An array of ours keeps its history
            for autograd.

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
    """The numbers start, start + step, ... before stop, 1-d; one number alone is stop, and start is 0.

    Args:
        dtype: None is int64 for ints and the default floating point dtype otherwise.
    """
    if stop is None:
        start, stop = 0, start
    # PyTorch refuses a range that runs away from its end; here it is empty
    if step != 0 and (stop - start) * (1 if step > 0 else -1) <= 0:
        whole = all(isinstance(x, int) for x in (start, stop, step))
        return rl.empty((0,), dtype=dtype or (rl.int64 if whole else None), device=device)
    return rl.arange(start, stop, step, dtype=dtype, device=device)


def empty(shape: Shape, *, dtype: Dtype | None = None, device: Device | None = None) -> Tensor:
    """An array of a shape, its elements whatever was in memory."""
    return rl.empty(_sizes(shape), dtype=dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: Dtype | None = None, device: Device | None = None) -> Tensor:
    """An array of the shape of x, its elements whatever was in memory."""
    return rl.empty_like(array("empty_like", "x", x), dtype=dtype, device=device)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Dtype | None = None, device: Device | None = None
) -> Tensor:
    """A matrix with ones on diagonal k (above the main one where k is positive) and zeros elsewhere.

    Args:
        n_cols: None is as many as rows.
    """
    columns = n_rows if n_cols is None else n_cols
    result = rl.zeros((n_rows, columns), dtype=dtype, device=device)
    if -n_rows < k < columns:
        rl.diagonal(result, k).fill_(1)
    return result


def from_dlpack(x: Any, /, *, device: Device | None = None, copy: bool | None = None) -> Tensor:
    """An array on the memory of another library's array, which lends it by `__dlpack__`.

    Args:
        copy: True copies, False never does, None copies if the other library or the device asks for it.

    Raises:
        BufferError: copy is False and the memory cannot be lent.
    """
    return rl.from_dlpack(x, device=device, copy=copy)


def full(shape: Shape, fill_value: Scalar, *, dtype: Dtype | None = None, device: Device | None = None) -> Tensor:
    """An array of a shape, all its elements fill_value; dtype None is what asarray gives the number."""
    return rl.full(_sizes(shape), fill_value, dtype=dtype, device=device)


def full_like(x: Tensor, /, fill_value: Scalar, *, dtype: Dtype | None = None, device: Device | None = None) -> Tensor:
    """An array of the shape and dtype of x, all its elements fill_value."""
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
    """num numbers at equal distances from start to stop, 1-d; without endpoint the last is one distance short of stop.

    Args:
        dtype: None is the default floating point dtype, or the complex one of its width if start or stop is complex.
    """
    if endpoint or num == 0:
        return rl.linspace(start, stop, num, dtype=dtype, device=device)
    return rl.linspace(start, stop, num + 1, dtype=dtype, device=device)[:-1]


def meshgrid(*arrays: Tensor, indexing: Literal["xy", "ij"] = "xy") -> tuple[Tensor, ...]:
    """The coordinates of a grid: an array for each given 1-d one, of the shape of all their sizes, along its own axis.

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
    """A diagonal as near to the matrices as leaves the result what it is, and fits into 64 bits."""
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
