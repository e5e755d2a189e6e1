"""What listeners hear while programs are traced and compiled: see `rushlight.logging`."""

from __future__ import annotations

from collections.abc import Callable

KINDS = ("graphs", "breaks", "recompiles", "kernels")
_listeners: dict[str, list[Callable[[str, str], None]]] = {}


def heard(kind: str) -> bool:
    """Whether somebody listens to events of a kind: else their text need not be made."""
    return kind in _listeners


def tell(kind: str, text: str) -> None:
    """Tell those who listen."""
    for listener in tuple(_listeners.get(kind, ())):
        listener(kind, text)


def listen(kinds: tuple[str, ...], listener: Callable[[str, str], None]) -> None:
    """Call `listener(kind, text)` for every event of these kinds."""
    for kind in kinds:
        _listeners.setdefault(kind, []).append(listener)


def leave(listener: Callable[[str, str], None]) -> None:
    """Call it no more."""
    for kind in list(_listeners):
        left = [f for f in _listeners[kind] if f is not listener]
        if left:
            _listeners[kind] = left
        else:
            del _listeners[kind]
