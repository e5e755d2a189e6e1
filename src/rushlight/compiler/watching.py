"""Those who want to see what the compiler's passes make."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar


class Form(Protocol):
    """What a pass makes: it can be printed and checked."""

    def check(self) -> None:
        """AssertionError where it is not what the next pass takes."""


_F = TypeVar("_F", bound=Form)

_watches: list[list[tuple[str, Form]]] = []


@contextmanager
def watched() -> Iterator[list[tuple[str, Form]]]:
    """What the passes make meanwhile: (the name of the pass, the form). No plan is read from the disk."""
    seen: list[tuple[str, Form]] = []
    _watches.append(seen)
    try:
        yield seen
    finally:
        _watches[:] = [w for w in _watches if w is not seen]


def anyone() -> bool:
    """Whether somebody watches."""
    return bool(_watches)


def made(name: str, form: _F) -> _F:
    """What a pass made, shown to those who watch."""
    for seen in _watches:
        seen.append((name, form))
    return form
