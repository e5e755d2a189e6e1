"""Samples of derivatives by their names."""

from __future__ import annotations

from rushlight.operators.samples._registry import Make, Sample, Samples, samples


@samples("_softmax_backward_data", dtypes="float32 float64", tolerance=8.0)
@samples("_log_softmax_backward_data", dtypes="float32 float64", tolerance=8.0)
def _backward_data(make: Make) -> Samples:
    for shape, dim in (((3, 4), 1), ((3, 4), 0), ((2, 0), 1)):
        output = make(shape, low=-3, high=-0.1)
        yield Sample(make(shape), output, dim, output.dtype)
