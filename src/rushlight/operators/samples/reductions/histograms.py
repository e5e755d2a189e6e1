"""Samples of counting: how many elements have each value, or lie between edges."""

from __future__ import annotations

from rushlight.core import dtypes as dt
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples

DATA = {"data": "the size of the result depends on data"}


@samples("histc", dtypes="float32 float64", grad=False)
def _histc(make: Make) -> Samples:
    yield Sample(make((50,)), 10)
    yield Sample(make((5, 10)), 7, -1, 1)
    yield Sample(make((0,)), 3)
    yield ErrorSample(RuntimeError, "'bins' must be at least 1; found 0", make((3,)), 0)


@samples("bincount", dtypes="uint8 int32 int64", grad=False, skip=DATA)
def _bincount(make: Make) -> Samples:
    yield Sample(make((9,), low=0))
    yield Sample(make((9,), low=0), minlength=20)
    yield Sample(make((9,), low=0), make((9,), dtype=dt.float64))
    yield Sample(make((0,), low=0))
    yield ErrorSample(RuntimeError, "'input' must be a vector; found a 2-d tensor", make((2, 2), dtype=dt.int64, low=0))


_WHOLE = {"data": "the edges depend on data"}


@samples("histogram", dtypes="float32 float64", grad=False, skip=_WHOLE)
def _histogram(make: Make) -> Samples:
    yield Sample(make((20,)), 4)
    yield Sample(make((3, 4)), 5, range=(-1.0, 1.0))
    yield Sample(make((20,)), 4, weight=make((20,), low=0, high=1), density=True)
    yield Sample(make((20,)), make((5,), low=0.1, high=0.5).cumsum(0))
    yield Sample(make((0,)), 3)
    yield ErrorSample(RuntimeError, "'bins' must be at least 1 for dimension 0; found 0", make((3,)), 0)
    yield ErrorSample(
        RuntimeError,
        r"'range' must begin below its end in dimension 0; found 2\.0 and 1\.0",
        make((3,)),
        3,
        range=(2.0, 1.0),
    )
    yield ErrorSample(NotImplementedError, r"not defined for dtype torch\.int64", make((3,), dtype=dt.int64), 3)


@samples("histogramdd", dtypes="float32 float64", grad=False, skip=_WHOLE)
def _histogramdd(make: Make) -> Samples:
    yield Sample(make((20, 2)), (3, 4))
    yield Sample(make((20, 3)), 2, range=(-1.0, 1.0, -2.0, 2.0, 0.0, 1.0))
    yield Sample(make((20, 2)), 3, density=True)
    yield Sample(make((0, 2)), 2)
    yield ErrorSample(RuntimeError, r"'input' must be of 2 dimensions \(\.\.\., D\) or more; found 1", make((3,)), 2)
    yield ErrorSample(RuntimeError, "for 2 dimensions", make((3, 2)), (2, 2, 2))


refused("bincount", RuntimeError, "'minlength' must be at least 0", lambda make: (make.index((3,), 4),), minlength=-1)
refused(
    "histc", RuntimeError, "'min' and 'max' must be finite, 'min' at most 'max'", lambda make: (make((4,)), 4, 1.0, 0.0)
)

refused("bincount", RuntimeError, "must be at least 0", lambda make: (-1 - make.index((2,), 3),))
