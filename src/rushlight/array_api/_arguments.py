"""Helpers of the namespace's functions: they check and promote operands, and normalise axes, by the rules of the
standard.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import rushlight as rl
from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor, device
from rushlight.operators.table.arguments import is_plain_number, number
from rushlight.operators.table.tracer import default_dtype

Dtype: TypeAlias = dt.dtype
Device: TypeAlias = device | str
Scalar: TypeAlias = bool | int | float | complex
Shape: TypeAlias = int | tuple[int, ...]
Axes: TypeAlias = int | tuple[int, ...] | None

_KIND = {bool: 0, int: 1, float: 2, complex: 3}
KIND_ORDER = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def array(function: str, name: str, x: Any) -> Tensor:
    """`x` itself; TypeError if it is no array."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{function}(): expected an array for argument '{name}'; found {type(x).__name__}")
    return x


def scalar(x: Any) -> Scalar | None:
    """A number of Python or NumPy as a Python number; None for anything else."""
    if isinstance(x, (bool, int, float, complex)):
        return x
    return number(x) if is_plain_number(x) and not isinstance(x, Tensor) else None


def with_scalar(d: Dtype, value: Scalar) -> Dtype:
    """The dtype that an array of dtype `d` and a Python number are promoted to: d, unless the number is of a higher
    kind.
    """
    kind = _KIND[next(t for t in (bool, int, float, complex) if isinstance(value, t))]
    if kind <= KIND_ORDER[d.kind]:
        return d
    return (dt.bool_, dt.int64, default_dtype(), dt.complex_of(d if d.kind == "f" else default_dtype()))[kind]


def common_dtype(*operands: Any) -> Dtype:
    """The dtype that arrays, dtypes and Python numbers are promoted to; an array of rank 0 counts like any other.

    Raises:
        TypeError: no array and no dtype is among them.
    """
    found: Dtype | None = None
    numbers = []
    for x in operands:
        d = x.dtype if isinstance(x, Tensor) else x
        if isinstance(d, dt.dtype):
            found = d if found is None else dt.promote_types(found, d)
            continue
        value = scalar(x)
        if value is None:
            raise TypeError(f"result_type(): expected arrays, dtypes and numbers; found {type(x).__name__}")
        numbers.append(value)
    if found is None:
        raise TypeError("result_type(): expected at least one array or dtype")
    for value in numbers:
        found = with_scalar(found, value)
    return found


def cast(x: Tensor, d: Dtype) -> Tensor:
    """`x` converted to dtype `d`; `x` itself if it has that dtype."""
    return x if x.dtype is d else x.to(d)


def promoted(*arrays: Tensor) -> list[Tensor]:
    """The arrays, converted to their common dtype."""
    d = arrays[0].dtype
    for x in arrays[1:]:
        d = dt.promote_types(d, x.dtype)
    return [cast(x, d) for x in arrays]


def two_promoted(function: str, x1: Any, x2: Any) -> list[Tensor]:
    """Two arrays, converted to their common dtype; TypeError for what is no array."""
    return promoted(array(function, "x1", x1), array(function, "x2", x2))


def pair(function: str, x1: Any, x2: Any, numbers: bool) -> tuple[Any, Any]:
    """The operands of a binary function, converted where the operator would not promote them as the standard does.

    In PyTorch, and in the operators, the dtype of an array of rank 0 counts for less than that of one with dimensions;
    in the standard it counts as much. So two arrays of unequal dtypes, of which one has rank 0, are cast here.
    numbers: whether the operator takes Python numbers.
    """
    if isinstance(x1, Tensor) and isinstance(x2, Tensor):
        if x1.dtype is not x2.dtype and (x1.ndim == 0) != (x2.ndim == 0):
            d = dt.promote_types(x1.dtype, x2.dtype)
            return cast(x1, d), cast(x2, d)
        return x1, x2
    if isinstance(x1, Tensor):
        return x1, _beside(function, "x2", x2, x1, numbers)
    if isinstance(x2, Tensor):
        return _beside(function, "x1", x1, x2, numbers), x2
    raise TypeError(
        f"{function}(): expected an array for 'x1' or 'x2'; found {type(x1).__name__} and {type(x2).__name__}"
    )


def _beside(function: str, name: str, value: Any, x: Tensor, numbers: bool) -> Any:
    found = scalar(value)
    if found is None:
        raise TypeError(
            f"{function}(): expected an array or a number for argument '{name}'; found {type(value).__name__}"
        )
    # A kernel takes signed integers of 64 bits as arguments; a number that only uint64 can hold becomes an array.
    if numbers and not (isinstance(found, int) and not -(1 << 63) <= found < 1 << 63):
        return found
    return rl.full((), found, dtype=with_scalar(x.dtype, found), device=x.device)


def axes_of(function: str, axis: Axes, ndim: int) -> tuple[int, ...]:
    """The axes of a reduction, counted from the front; None stands for all of them.

    Raises:
        IndexError: an axis is outside [-ndim, ndim).
        ValueError: an axis is given twice.
    """
    if axis is None:
        return tuple(range(ndim))
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    found = tuple(one_axis(function, a, ndim) for a in given)
    if len(set(found)) != len(found):
        raise ValueError(f"{function}(): axes must be different from one another; found axis={axis}")
    return found


def one_axis(function: str, axis: Any, ndim: int) -> int:
    """An axis, counted from the front."""
    if isinstance(axis, bool) or not hasattr(axis, "__index__"):
        raise TypeError(f"{function}(): argument 'axis' must be int; found {type(axis).__name__}")
    a: int = axis.__index__()
    if not -ndim <= a < ndim:
        raise IndexError(f"{function}(): axis {a} is out of range for an array of {ndim} dimensions")
    return a + ndim if a < 0 else a


def arrays_of(function: str, arrays: Sequence[Tensor]) -> list[Tensor]:
    """The arrays of a sequence, converted to their common dtype; ValueError if it is empty."""
    found = [array(function, f"arrays[{i}]", x) for i, x in enumerate(arrays)]
    if not found:
        raise ValueError(f"{function}(): expected at least one array in 'arrays'; found none")
    return promoted(*found)
