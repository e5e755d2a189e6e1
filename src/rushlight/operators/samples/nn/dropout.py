"""Samples of dropout."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, samples


def _dropout(make: Make) -> Iterator[Any]:
    # Without a coin to toss the result is known; tests of the distributions are in the random suite.
    yield Sample(make((3, 4)), 0.5, False)
    yield Sample(make((3, 4)), 0.0, True)
    yield Sample(make((3, 4)), 1.0, True)
    yield ErrorSample(ValueError, r"'p' must be a probability, in \[0, 1\]; found 1\.5", make((3, 4)), 1.5, True)


for _name in ("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"):
    samples(_name, dtypes="float32 float64")(_dropout)
    samples(f"{_name}_", dtypes="float32 float64", grad=False)(_dropout)
