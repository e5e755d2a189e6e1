"""Finding objects, and replacing them: inside of tuples, lists, dictionaries and slices, and in graphs."""

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


def mapped(value: Any, fn: Callable[[Any], Any], within: tuple[type, ...] = (tuple, list, dict)) -> Any:
    """A value with what a function makes of all that is in it.

    Args:
        value: tuples and lists, which keep their class, and what else `within` names, to any depth.
        fn: is called for everything else.
        within: which of tuple, list, dict (its values) and slice are taken apart.

    Returns:
        A new value.
    """
    if not isinstance(value, within):
        return fn(value)
    if isinstance(value, dict):
        return {k: mapped(v, fn, within) for k, v in value.items()}
    if isinstance(value, slice):
        return slice(*(mapped(v, fn, within) for v in (value.start, value.stop, value.step)))
    parts: Any = value
    made = [mapped(v, fn, within) for v in parts]
    return type(parts)(*made) if hasattr(parts, "_fields") else type(parts)(made)


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
