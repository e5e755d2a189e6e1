"""Finding objects: inside of tuples, lists, dictionaries and slices, and in graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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


def reached(first: Iterable[T | None], behind: Callable[[T], Iterable[T | None]]) -> Iterator[T]:
    """The objects to which a graph leads, each once.

    Args:
        first: where it begins, the last of these first; None is passed over, here and behind an object.
        behind: what an object leads to; asked for when the object has been looked at.

    Returns:
        An iterator, along each path as far as it leads.
    """
    left, seen = list(first), dict[int, T]()
    while left:
        x = left.pop()
        if x is not None and id(x) not in seen:
            seen[id(x)] = x
            yield x
            left += behind(x)
