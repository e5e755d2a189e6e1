"""The errors of sizes and numbers that a traced program cannot be one program for."""

from __future__ import annotations

__all__ = ["ConstraintViolationError", "GuardOnDataDependentSymNode"]


class ConstraintViolationError(RuntimeError):
    """A size is none of those that were declared."""


class GuardOnDataDependentSymNode(RuntimeError):
    """Python would go one way or another by the value of a tensor."""
