"""Samples of what is done to a tensor's memory as such."""

from __future__ import annotations

from rushlight.core import dtypes as dt
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples


@samples("fill_diagonal_", dtypes="float complex int bool", grad=False)
def _fill_diagonal(make: Make) -> Samples:
    for shape in ((3, 3), (2, 5), (5, 2), (2, 2, 2), (0, 3)):
        yield Sample(make(shape), 1)
    for shape in ((7, 2), (3, 3), (2, 5)):
        yield Sample(make(shape), 1, True)
    yield ErrorSample(RuntimeError, "the tensor must be of 2 dimensions or more; found 1", make((3,)), 1.0)
    yield ErrorSample(
        RuntimeError,
        r"a tensor of more than 2 dimensions must have one size in all; found \[2, 3, 2\]",
        make((2, 3, 2)),
        1.0,
    )


@samples("slice_copy", dtypes="float int64")
def _slice_copy(make: Make) -> Samples:
    yield Sample(make((5, 4)))
    yield Sample(make((5, 4)), 1, 1, -1, 2)
    yield Sample(make((5,)), -1, None, 9)
    yield ErrorSample(RuntimeError, "'step' must be at least 1; found 0", make((3,)), 0, 0, 2, 0)
    yield ErrorSample(IndexError, r"'dim' must be in \[-1, 0\] for a 1-d tensor; found 1", make((3,)), 1)


@samples("split_copy", dtypes="float int64")
def _split_copy(make: Make) -> Samples:
    yield Sample(make((5, 4)), 2)
    yield Sample(make((5, 4)), 3, dim=1)


@samples("view_as_real_copy", dtypes="complex")
def _view_as_real_copy(make: Make) -> Samples:
    yield Sample(make((2, 3)))
    yield ErrorSample(RuntimeError, "complex", make((2, 3), dtype=dt.float32))


@samples("view_as_complex_copy", dtypes="float32 float64")
def _view_as_complex_copy(make: Make) -> Samples:
    yield Sample(make((3, 2)))
    yield ErrorSample(RuntimeError, "size 2", make((3, 3)))


@samples("__reversed__", dtypes="float int64")
def _reversed(make: Make) -> Samples:
    for shape in ((), (3,), (2, 3)):
        yield Sample(make(shape))


@samples("module_load", dtypes="float32", grad=False)
def _module_load(make: Make) -> Samples:
    yield Sample(make((2, 3)), make((2, 3)))
    yield Sample(make((2, 3)), make((2, 3)), True)
