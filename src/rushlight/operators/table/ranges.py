"""Which numbers a dtype holds, and the refusal of others where a number is written into memory of a dtype."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.operators.table.arguments import overflow
from rushlight.operators.table.tracer import Tracer
from rushlight.program.sym import Sym

INT_RANGES = {
    d: (-(1 << (8 * d.itemsize - 1)), (1 << (8 * d.itemsize - 1)) - 1)
    if d.kind == "i"
    else (0, (1 << (8 * d.itemsize)) - 1)
    for d in dt.by_code
    if d.kind in "iu"
}
# The largest finite number of a dtype, or of its parts, where it is smaller than that of Python's floats.
LARGEST = {
    dt.float16: 65504.0,
    dt.complex32: 65504.0,
    dt.bfloat16: (2.0 - 2.0**-7) * 2.0**127,
    dt.float32: (2.0 - 2.0**-23) * 2.0**127,
    dt.complex64: (2.0 - 2.0**-23) * 2.0**127,
    **{d: d.format.max for d in dt.by_code if d.format is not None and d.format.signed and d.format.parts == 1},
}
_WITHOUT_INFINITY = frozenset(
    d for d in LARGEST if d.format is not None and not math.isinf(d.format.decode(d.format.encode(math.inf)))
)


def check_range(name: str, value: Any, d: dt.dtype) -> None:
    """Refuse a number that a dtype cannot hold: an int or a finite float beyond its range, NaN and the infinities in
    ints, an imaginary part in real dtypes. Small negative ints wrap in unsigned dtypes; bool takes whatever there is.

    Args:
        name: the operator, for the error.
        value: a number. A number given at launch becomes a guard of the compiled call; tensors, and what a program
            computes, are taken as they are.
        d: what the number is written into.

    Raises:
        RuntimeError: the number is beyond the range.
        OverflowError: it is an int beyond 64 bits.
    """
    found: list[Any] | None = None
    place = -1
    if isinstance(value, Tracer):
        if value.given is None:
            return
        value, place, found = value.given
    if isinstance(value, (bool, Sym)) or d.kind == "b":
        return
    if isinstance(value, complex):
        parts: tuple[tuple[Any, int], ...] = ((value.real, -1), (value.imag, -2))
    else:
        parts = ((value, -1),)
    for part, which in parts:
        bounds = (0.0, 0.0) if which == -2 and d.kind != "c" else _bounds(d, whole=isinstance(part, int))
        if bounds is None:
            continue
        low, high = bounds
        wild = d not in _WITHOUT_INFINITY and (d.kind == "c" or (d.kind == "f" and which == -1))
        held = bool(low <= part <= high)  # of a NumPy scalar it is NumPy's bool
        fits = held or (wild and not math.isfinite(part)) or (d in _WITHOUT_INFINITY and math.isnan(part))
        # Doubles cannot tell all ints of 64 bits apart; but the key says that a number is an int.
        if found is not None and not (isinstance(part, int) and d in INT_RANGES and d.itemsize == 8):
            facts: list[Any] = [
                (place, "in or not finite" if wild else "in", (float(low), float(high)), which, fits if wild else held)
            ]
            if fits and not held and not wild:  # a NaN, which is outside of the range as well
                facts.append((place, "<=", math.inf, which, False))
            found += [fact for fact in facts if fact not in found]
        if not fits:
            raise overflow(name, value, d)


def of_scalar_tensor(d: dt.dtype) -> dt.dtype:
    """The dtype whose range counts for a number that first becomes a tensor of dtype d: float64 for floats of 16 bits
    or fewer, which are rounded from that, to infinity if need be.
    """
    return dt.float64 if d.kind == "f" and d.itemsize <= 2 else d


def _bounds(d: dt.dtype, whole: bool) -> tuple[float, float] | None:
    """The least and the greatest number that fits; None where all do."""
    if d in INT_RANGES:
        low, high = INT_RANGES[d]
        if whole:
            return (-high if d.kind == "u" else low), high
        return float(low), math.nextafter(float(high), 0.0) if d.itemsize == 8 else float(high)
    most = LARGEST.get(d)
    return None if most is None else (-most, most)
