"""How long a call takes, compared with the limits of the machine."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.core.dispatch import Operator
from rushlight.inspection.layers import multiply_adds, tensors
from rushlight.inspection.steps import best, machine


def measured(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """A call's time, the bytes of its operands and results, and its share of the roofline, as a line of text."""
    with rushlight.no_grad():
        result = op(*args, **kwargs)
        took = best(lambda: op(*args, **kwargs))
        moved = bytes_of((args, kwargs)) + bytes_of(result)
        adds = multiply_adds(op, [*args], result) if isinstance(op, Operator) and not kwargs else 0
        limits = machine()
        least = limits.seconds(moved, adds)
        text = f"\nmeasured    {took * 1e6:.1f} us; {moved:,} bytes of operands and results"
        if adds:
            text += f"; {adds:,} multiply-adds, {adds / took / 1e9:.1f} of {limits.products / 1e9:.1f} G/s"
    return (
        f"{text}\n            at least {least * 1e6:.1f} us on this machine: {min(least / took, 1):.2f} of the roofline"
    )


def bytes_of(value: Any) -> int:
    """The bytes of the different memory that tensors read or hold."""
    known: dict[tuple[int, tuple[int, ...]], int] = {}
    for t in tensors(list(value) if isinstance(value, tuple) else value):
        known[t.data_ptr(), tuple(t.shape)] = t.numel() * t.element_size()
    return sum(known.values())
