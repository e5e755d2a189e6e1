"""Searching, sorting and sets."""

from __future__ import annotations

import inspect
from typing import Literal, NamedTuple, overload

import rushlight as rl
from rushlight.array_api._arguments import Scalar, array, cast, common_dtype, one_axis, pair, promoted, scalar
from rushlight.core.tensor import Tensor
from rushlight.operators.reductions.sorting import distinct


class unique_all_result(NamedTuple):
    """What `unique_all` returns."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class unique_counts_result(NamedTuple):
    """What `unique_counts` returns."""

    values: Tensor
    counts: Tensor


class unique_inverse_result(NamedTuple):
    """What `unique_inverse` returns."""

    values: Tensor
    inverse_indices: Tensor


def argsort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The indices that sort x along an axis; stable=True keeps equal elements in their order."""
    return rl.argsort(array("argsort", "x", x), one_axis("argsort", axis, x.ndim), descending, stable)


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements of x in ascending (or descending) order along an axis."""
    return rl.sort(array("sort", "x", x), one_axis("sort", axis, x.ndim), descending, stable)[0]


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """The indices of the elements that are not zero, as an int64 array for each axis; ValueError for an array of rank
    0.
    """
    if array("nonzero", "x", x).ndim == 0:
        raise ValueError("nonzero(): expected an array of 1 dimension at least; found one of 0")
    return tuple(rl.nonzero(x, as_tuple=True))


def searchsorted(
    x1: Tensor, x2: Tensor | int | float, /, *, side: Literal["left", "right"] = "left", sorter: Tensor | None = None
) -> Tensor:
    """The indices at which the elements of x2 would be inserted into the sorted 1-d array x1.

    Args:
        side: whether that is before ("left") or after ("right") equal elements.
        sorter: the indices that sort x1, if it is not sorted.
    """
    if array("searchsorted", "x1", x1).ndim != 1:
        raise ValueError(f"searchsorted(): expected a 1-d array for 'x1'; found one of {x1.ndim} dimensions")
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted(): side must be 'left' or 'right'; found {side!r}")
    ordered, wanted = promoted(x1, _as_array("searchsorted", "x2", x2, x1))
    return rl.searchsorted(ordered, wanted, side=side, sorter=None if sorter is None else cast(sorter, rl.int64))


def _as_array(function: str, name: str, x: Tensor | Scalar, beside: Tensor) -> Tensor:
    """`x`, or the array of rank 0 that stands for a number next to an array."""
    if isinstance(x, Tensor):
        return x
    value = scalar(x)
    if value is None:
        raise TypeError(f"{function}(): expected an array or a number for argument '{name}'; found {type(x).__name__}")
    return rl.full((), value, dtype=common_dtype(beside, value), device=beside.device)


@overload
def where(condition: Tensor, x1: Tensor | Scalar, x2: Tensor | Scalar, /) -> Tensor: ...
@overload
def where(condition: Tensor, /) -> tuple[Tensor, ...]: ...
def where(
    condition: Tensor, x1: Tensor | Scalar | None = None, x2: Tensor | Scalar | None = None, /
) -> Tensor | tuple[Tensor, ...]:
    """The elements of x1 where condition is true and those of x2 where it is not, in their common dtype.

    The standard has no where(condition); scikit-learn's roc_curve calls it in place of nonzero(condition), as NumPy and
    PyTorch allow.
    """
    array("where", "condition", condition)
    if x1 is None and x2 is None:
        return nonzero(condition)
    return rl.where(cast(condition, rl.bool), *pair("where", x1, x2, True))


# The signature that is shown is the standard's, in which x1 and x2 have no defaults.
_shown = inspect.signature(where)
_required = [p.replace(default=p.empty) for p in _shown.parameters.values()]
where.__signature__ = _shown.replace(parameters=_required)  # type: ignore[attr-defined]


def isin(x1: Tensor | int, x2: Tensor | int, /, *, invert: bool = False) -> Tensor:
    """Whether each element of x1 is (with invert: is not) among those of x2, in the shape of x1."""
    beside = x1 if isinstance(x1, Tensor) else array("isin", "x2", x2)
    elements, wanted = promoted(_as_array("isin", "x1", x1, beside), _as_array("isin", "x2", x2, beside))
    return rl.isin(elements, wanted, invert=invert)


def unique_all(x: Tensor, /) -> unique_all_result:
    """The distinct elements of x in ascending order, the index of the first of each, for each element of x the index of
    its value among them, and how often each occurs.

    NaN equals nothing, so each NaN counts as distinct.
    """
    values, inverse, counts = distinct(array("unique_all", "x", x), True, True)
    flat = rl.flatten(inverse)
    places = rl.arange(flat.numel(), device=x.device)
    first = rl.full((values.numel(),), flat.numel(), dtype=rl.int64, device=x.device).scatter_reduce(
        0, flat, places, "amin"
    )
    return unique_all_result(values, first, inverse, counts)


def unique_counts(x: Tensor, /) -> unique_counts_result:
    """The distinct elements of x in ascending order, and how often each occurs."""
    return unique_counts_result(*distinct(array("unique_counts", "x", x), False, True))


def unique_inverse(x: Tensor, /) -> unique_inverse_result:
    """The distinct elements of x in ascending order, and for each element of x the index of its value among them."""
    return unique_inverse_result(*distinct(array("unique_inverse", "x", x), True, False))


def unique_values(x: Tensor, /) -> Tensor:
    """The distinct elements of x in ascending order."""
    return distinct(array("unique_values", "x", x), False, False)


__all__ = [
    "argsort",
    "isin",
    "nonzero",
    "searchsorted",
    "sort",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "where",
]
