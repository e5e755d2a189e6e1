"""The operands of a call in a program of many, see `prims.operand`."""

from __future__ import annotations

from typing import Any

from rushlight import prims
from rushlight.operators.table.tracer import Tracer, tracer

__all__ = ["marked"]


def marked(values: list[Any], call: int, view: bool) -> list[Any]:
    """A call's arguments, each tracer among them marked as its operand: the first last, so that on the way back it comes
    first.

    Args:
        values: the arguments.
        call: its number in the program.
        view: it is a view.
    """
    return [_marked(v, (call, k), view) for k, v in reversed(list(enumerate(values)))][::-1]


def _marked(value: Any, call: tuple[int, ...], view: bool) -> Any:
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        found = [_marked(v, (*call, k), view) for k, v in reversed(list(enumerate(value)))]
        return type(value)(found[::-1])
    if isinstance(value, Tracer) and not value.number and value.dtype.kind in "fc":
        return tracer(prims.operand(value.var, call=call, view=view))
    return value
