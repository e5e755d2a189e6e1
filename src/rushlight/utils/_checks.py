"""The one form of the errors that refuse an argument."""

from __future__ import annotations

from typing import Any


def check_argument(
    owner: str, name: str, found: Any, expected: str, ok: bool, error: type[Exception] = ValueError
) -> None:
    """Raise ``error`` unless ``ok``.

    Args:
        owner: the function or class.
        name: the argument.
        found: its value.
        expected: what it must be, to go after "must be".
        ok: whether it is that.
        error: the type to raise.
    """
    if not ok:
        raise error(f"{owner}: '{name}' must be {expected}; found {found!r}")
