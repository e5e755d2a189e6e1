"""Samples of random numbers that depend on each element."""

from __future__ import annotations

from rushlight.operators.samples._registry import Make, Sample, Samples, samples


def _rrelu(make: Make) -> Samples:
    yield Sample(make((3, 4)))
    yield Sample(make((3, 4)), 0.1, 0.5)


samples("rrelu", dtypes="float32 float64")(_rrelu)
samples(
    "rrelu_",
    dtypes="float32 float64",
    grad=False,
    skip={"dtypes": "the check computes twice from one input, which this call changes"},
)(_rrelu)
