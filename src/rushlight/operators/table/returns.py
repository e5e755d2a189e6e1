"""Named results: torch.return_types.max and its family, tuples with fields."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

TYPES: dict[str, type] = {}  # by name; `rushlight.return_types` shows them


def return_type(name: str, *fields: str) -> Callable[..., tuple[Any, ...]]:
    """The named tuple that operator `name` returns."""
    made: Any = namedtuple(name, fields, module="rushlight.return_types")  # type: ignore[misc]

    def text(self: Any) -> str:
        body = ",\n".join(f"{f}={v!r}" for f, v in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{body})"

    made.__repr__ = text  # type: ignore[method-assign]
    TYPES[name] = made
    return made  # type: ignore[no-any-return]
