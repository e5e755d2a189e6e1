"""Named results: torch.return_types.max and its family, tuples with fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any, ClassVar, Self

TYPES: dict[str, type] = {}  # by name; `rushlight.return_types` shows them


class Fields(tuple[Any, ...]):
    """Base of the named results: a tuple whose elements are attributes too. (A namedtuple compiles a function for each
    class, when the package is imported.)
    """

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]]

    def __new__(cls, *values: Any) -> Self:
        if len(values) != len(cls._fields):
            raise TypeError(
                f"{cls.__name__}() takes {len(cls._fields)} values ({', '.join(cls._fields)}); found {len(values)}"
            )
        return tuple.__new__(cls, values)

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Self:
        return cls(*values)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        body = ",\n".join(f"{f}={v!r}" for f, v in zip(self._fields, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{body})"


def return_type(name: str, *fields: str) -> Callable[..., tuple[Any, ...]]:
    """The named tuple that operator `name` returns."""
    own = {field: property(itemgetter(i)) for i, field in enumerate(fields)}
    place = {"__slots__": (), "__module__": "rushlight.return_types", "__match_args__": fields, "_fields": fields}
    made = type(name, (Fields,), own | place)
    TYPES[name] = made
    return made
