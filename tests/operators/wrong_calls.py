"""Calls that a program gets wrong: each operator's sample with one argument of a wrong type, dtype, rank, size or
value, or with one too many or too few.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from typing import Any

import rushlight
from rushlight.core import dtypes as dt
from rushlight.testing.samples import OperatorSamples

# RUSHLIGHT_WRONG_CALLS=all tries every operator, by hand; the suite one in three.
EVERY = 1 if os.environ.get("RUSHLIGHT_WRONG_CALLS") == "all" else 3


def tried(name: str) -> bool:
    """Whether this run tries an operator."""
    return zlib.crc32(name.encode()) % EVERY == 0


def sample_of(known: OperatorSamples) -> Any:
    """The first sample whose first tensor has two dimensions or more, else the first one of all; None where there is
    none.
    """
    dtype = dt.float32 if dt.float32 in known.dtypes else known.dtypes[0]
    good = known.samples(dtype)
    return next(
        (
            s
            for s in good
            if s.args and isinstance(s.args[0], rushlight.Tensor) and s.args[0].ndim >= 2 and s.args[0].numel()
        ),
        good[0] if good else None,
    )


def replacements(a: Any) -> Iterator[tuple[str, Any]]:
    """What may wrongly stand in the place of an argument."""
    if isinstance(a, rushlight.Tensor):
        a = a.detach()
        yield from (("str", "text"), ("None", None), ("list", [1.0, 2.0]))
        yield from (
            (name, a.to(getattr(rushlight, name)))
            for name in ("bool", "complex64", "int64", "float64")
            if a.dtype.name != name
        )
        yield "two more dimensions", a[None, None]
        if a.ndim:
            yield "no dimension", a.reshape(-1)[0] if a.numel() else a.sum()
        yield from (
            (f"shorter in dimension {d}", a.narrow(d, 0, a.shape[d] - 1).clone())
            for d in range(a.ndim)
            if a.shape[d] > 1
        )
    elif type(a) in (int, float, bool):
        yield from (("str", "text"), ("None", None))
        if type(a) is int:
            yield from (("larger", a + 7), ("negative", -a - 9), ("float", 1.5))
    elif isinstance(a, (list, tuple)):
        yield from (("str", "text"), ("empty", type(a)()), ("object", [object()]))
    elif isinstance(a, str):
        yield from (("unknown", "nonsense"), ("int", 7))


def wrong_calls(sample: Any) -> Iterator[tuple[str, list[Any], dict[str, Any]]]:
    """What is wrong, arguments, keyword arguments."""
    args = list(sample.args)
    for i, a in enumerate(args):
        for what, other in replacements(a):
            yield f"argument {i}: {what}", [*args[:i], other, *args[i + 1 :]], sample.kwargs
    yield "a keyword too many", args, {**sample.kwargs, "nonsense": 1}
    if args and not sample.kwargs:
        yield "an argument too few", args[:-1], {}
