"""Samples of the inverse of max pooling."""

from __future__ import annotations

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples


@samples("nn.functional.max_unpool1d", dtypes="float32 float64")
def _max_unpool1d(make: Make) -> Samples:
    indices = make.index((2, 3, 1), 2) + 2 * make.index((1,), 1)
    yield Sample(make((2, 3, 1)), indices, 2)


@samples("nn.functional.max_unpool2d", dtypes="float32 float64")
def _max_unpool2d(make: Make) -> Samples:
    yield Sample(make((2, 3, 1, 1)), make.index((2, 3, 1, 1), 4), 2)


@samples("nn.functional.max_unpool3d", dtypes="float32 float64")
def _max_unpool3d(make: Make) -> Samples:
    yield Sample(make((1, 2, 1, 1, 1)), make.index((1, 2, 1, 1, 1), 8), 2)
    yield ErrorSample(
        ValueError, "must be at least 0; found", make((1, 2, 1, 1, 1)), make.index((1, 2, 1, 1, 1), 8), -2
    )


refused(
    "nn.functional.max_unpool1d",
    ValueError,
    "'output_size' must be less than",
    lambda make: (make((1, 1, 2)), make.index((1, 1, 2), 2), 2),
    output_size=(9,),
)
