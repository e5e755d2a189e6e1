"""An attribute that has another value for the duration of a `with` block."""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any

from rushlight.core import locks

__all__ = ["held"]


class held(locks.Block[None], ContextDecorator):
    """A block, or a decorated function, in which an attribute has another value; afterwards, and after an error or an
    interrupt, it has what it had before.

    Args:
        owner: the object.
        attribute: the attribute's name.
        value: its value in the block.
    """

    def __init__(self, owner: object, attribute: str, value: Any) -> None:
        self.owner, self.attribute, self.value = owner, attribute, value

    def _before_(self) -> Any:
        return getattr(self.owner, self.attribute)

    def _begin_(self) -> None:
        setattr(self.owner, self.attribute, self.value)

    def _end_(self, before: Any) -> None:
        setattr(self.owner, self.attribute, before)
