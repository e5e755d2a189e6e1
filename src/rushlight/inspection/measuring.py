"""How long a call takes, beside what the machine can do: a copy of as many bytes, and the quickest product."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.core.dispatch import Operator
from rushlight.inspection.layers import multiply_adds, tensors

SIZE = 512  # of the product whose rate is the roof


def best(call: Callable[[], Any], seconds: float = 0.2) -> float:
    """The least time of a call, of those that fit into so many seconds, but five at least."""
    call()
    least, until, n = float("inf"), time.perf_counter() + seconds, 0
    while n < 5 or (time.perf_counter() < until and n < 1000):
        begun = time.perf_counter()
        call()
        least = min(least, time.perf_counter() - begun)
        n += 1
    return least


def measured(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """A call's time, the bytes of its operands and results, and its share of the roofline, as a line of text."""
    with rushlight.no_grad():
        result = op(*args, **kwargs)
        took = best(lambda: op(*args, **kwargs))
        moved = bytes_of((args, kwargs)) + bytes_of(result)
        half = max(moved // 2, 1)
        source, target = rushlight.zeros(half, dtype=rushlight.uint8), rushlight.empty(half, dtype=rushlight.uint8)
        copied = best(lambda: target.copy_(source))
        adds = multiply_adds(op, [*args], result) if isinstance(op, Operator) and not kwargs else 0
        text = f"\nmeasured    {took * 1e6:.1f} us; {moved:,} bytes of operands and results"
        least = copied
        if adds:
            a = rushlight.rand(SIZE, SIZE)
            rate = SIZE**3 / best(lambda: a @ a)
            least = max(copied, adds / rate)
            text += f"; {adds:,} multiply-adds, {adds / took / 1e9:.1f} of {rate / 1e9:.1f} G/s"
    text += f"\n            a copy of as many bytes takes {copied * 1e6:.1f} us: "
    return text + f"{min(least / took, 1):.2f} of the roofline"


def bytes_of(value: Any) -> int:
    """The bytes of the different memory that tensors read or hold."""
    known: dict[tuple[int, tuple[int, ...]], int] = {}
    for t in tensors(list(value) if isinstance(value, tuple) else value):
        known[t.data_ptr(), tuple(t.shape)] = t.numel() * t.element_size()
    return sum(known.values())
