"""How a loss is reduced, as the numbers that PyTorch's kernels take: programs with losses of their own ask for them."""

from __future__ import annotations

import warnings

__all__ = ["get_enum", "legacy_get_enum", "legacy_get_string"]

_NUMBERS = {"none": 0, "mean": 1, "sum": 2}


def get_enum(reduction: str) -> int:
    """The number of a reduction: 0 for "none", 1 for "mean", 2 for "sum".

    Raises:
        ValueError: for another word.
    """
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated; write reduction='mean'", stacklevel=2)
        reduction = "mean"
    if reduction not in _NUMBERS:
        raise ValueError(f"get_enum(): 'reduction' must be one of {', '.join(_NUMBERS)}; found {reduction!r}")
    return _NUMBERS[reduction]


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """The reduction that the two old flags stand for; what is None counts as True."""
    found = "none" if reduce is False else "sum" if size_average is False else "mean"
    if emit_warning:
        warnings.warn(f"size_average and reduce are deprecated; write reduction='{found}'", stacklevel=2)
    return found


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """The number of the reduction that the two old flags stand for."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
