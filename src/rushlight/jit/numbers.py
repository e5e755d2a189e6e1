"""Floats among the arguments of a traced function, which are given at launch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rushlight.operators.table.tracer import RealNumber

__all__ = ["Number"]


class Number(RealNumber):
    """A float of a function's arguments. Sums, products and quotients of it are computed at launch, as Python computes
    them. Any other operation takes the float that it is in this call, and then the program holds for that float only.
    """


def _asks(name: str, of_float: Callable[..., Any]) -> None:
    def method(self: Number, *args: Any) -> Any:
        return of_float(float(self), *[float(x) if isinstance(x, RealNumber) else x for x in args])

    method.__name__ = method.__qualname__ = name
    setattr(Number, name, method)


for _name in (
    "__abs__ __floordiv__ __rfloordiv__ __mod__ __rmod__ __divmod__ __rdivmod__ __rpow__ __round__ __trunc__ __int__ "
    "__hash__ __repr__ __str__ __format__ is_integer hex as_integer_ratio conjugate"
).split():
    _asks(_name, getattr(float, _name))
for _name, _function in {"__floor__": math.floor, "__ceil__": math.ceil}.items():
    _asks(_name, _function)


def _power(self: Number, other: Any) -> Any:
    return self * self if other == 2 else float(self) ** other


setattr(Number, "__pow__", _power)  # noqa: B010
