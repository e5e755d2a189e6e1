"""Samples of the scans."""

from __future__ import annotations

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples


def _scans(make: Make) -> Samples:
    for shape in ((), (1,), (5,), (3, 4), (2, 3, 4), (0,), (0, 3)):
        yield Sample(make(shape), 0)
        yield Sample(make(shape), -1)
    yield Sample(make((4, 5), noncontiguous=True), 1)
    yield Sample(make((3, 20)), dim=1)
    yield ErrorSample(IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((3, 4)), 2)


samples("cumsum", dtypes="all", reference=lambda np, x, dim: np.cumsum(x, axis=dim) if x.ndim else x)(_scans)


@samples("cumprod", dtypes="all")
def _cumprod(make: Make) -> Samples:
    yield from _scans(make)
    yield Sample(make((3, 4), low=0, high=0), 1)


samples("cummax", dtypes="float int bool")(_scans)
samples("cummin", dtypes="float int bool")(_scans)
samples("logcumsumexp", dtypes="float complex")(_scans)
