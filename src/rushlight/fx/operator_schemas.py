"""Arguments of a node bound by the signature of what it calls."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["ArgsKwargsPair"]


class ArgsKwargsPair(NamedTuple):
    """Positional and keyword arguments."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
