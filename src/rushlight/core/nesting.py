"""Finding objects inside of tuples, lists, dictionaries and slices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

T = TypeVar("T")


def found_in(value: Any, kind: type[T], within: tuple[type, ...] = (tuple, list)) -> Iterator[T]:
    """The objects of a kind in a value, however deep.

    Args:
        value: what is searched.
        kind: what is looked for; nothing is searched inside of one.
        within: which of tuple, list, dict (its values) and slice are searched.

    Returns:
        An iterator, from first to last.
    """
    if isinstance(value, kind):
        yield value
    elif isinstance(value, within):
        parts: Any = value
        if isinstance(value, dict):
            parts = value.values()
        elif isinstance(value, slice):
            parts = (value.start, value.stop, value.step)
        for part in parts:
            yield from found_in(part, kind, within)
