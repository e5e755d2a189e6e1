"""Samples of contractions."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, samples


@samples("tensordot", dtypes="float complex int64", tolerance=4.0)
def _tensordot(make: Make) -> Iterator[Any]:
    yield Sample(make((2, 3, 4)), make((3, 4, 5)))
    yield Sample(make((2, 3, 4)), make((4, 2, 5)), dims=([0, 2], [1, 0]))
    yield Sample(make((2, 3)), make((4,)), dims=0)
    yield ErrorSample(RuntimeError, "dimensions that are summed over must be of one size", make((2, 3)), make((2, 3)), dims=1)
