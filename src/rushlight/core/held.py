"""An attribute that has another value for the duration of a `with` block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["held"]


@contextmanager
def held(owner: object, attribute: str, value: Any) -> Iterator[None]:
    """Inside, the attribute has `value`; afterwards, and after an error, what it had before."""
    before = getattr(owner, attribute)
    setattr(owner, attribute, value)
    try:
        yield
    finally:
        setattr(owner, attribute, before)
