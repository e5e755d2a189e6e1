"""Arguments that may be one number or one number for each spatial dimension."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

Sizes: TypeAlias = int | Sequence[int]


def ntuple(value: Any, n: int) -> tuple[Any, ...]:
    """Return ``value`` as a tuple: its own elements when it has some, else ``n`` times itself."""
    if isinstance(value, Iterable) and not isinstance(value, str):
        return tuple(value)
    return (value,) * n
