"""Samples of sorting, order statistics and searching."""

from __future__ import annotations

from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples

SHAPES: tuple[tuple[int, ...], ...] = ((), (1,), (5,), (3, 4), (2, 3, 4))
DATA = {"data": "the size of the result depends on data"}


def distinct(make: Make, shape: tuple[int, ...], step: int = 7) -> Any:
    """Values in a fixed disorder of which no two are equal, so that every index is determined."""
    import math

    n = math.prod(shape)
    values = [(i * step) % n if n % step else i for i in range(n)]
    import rushlight

    t = rushlight.tensor([float(v) if make.dtype.kind == "f" else v for v in values], dtype=make.dtype).reshape(shape)
    t._differentiate = make.dtype.kind == "f"
    return t


@samples("sort", dtypes="float int bool")
def _sort(make: Make) -> Samples:
    for shape in (*SHAPES, (0,), (0, 3)):
        yield Sample(make(shape), stable=True)
        yield Sample(make(shape), 0, True, stable=True)
    yield Sample(make((4, 5), noncontiguous=True), 0, stable=True)
    yield Sample(distinct(make, (2, 13)))
    yield ErrorSample(IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((3, 4)), 2)


@samples("argsort", dtypes="float int bool", grad=False)
def _argsort(make: Make) -> Samples:
    for shape in SHAPES:
        yield Sample(make(shape), stable=True)
    yield Sample(distinct(make, (3, 5)), 0, True)
    yield Sample(make((0, 3)))


@samples("msort", dtypes="float int bool")
def _msort(make: Make) -> Samples:
    for shape in (*SHAPES, (0, 3)):
        yield Sample(make(shape))


@samples("topk", dtypes="float int")
def _topk(make: Make) -> Samples:
    for shape in ((5,), (3, 5), (2, 3, 5)):
        yield Sample(distinct(make, shape), 2)
        yield Sample(distinct(make, shape), 1, 0, False)
        yield Sample(distinct(make, shape), 0)
    yield Sample(make(()), 1)
    yield Sample(make((0, 3)), 2)
    yield ErrorSample(RuntimeError, r"'k' must be in \[0, 3\], the size of dimension 0; found 4", make((3,)), 4)


@samples("median", dtypes="float int")
def _median(make: Make) -> Samples:
    for shape in SHAPES:
        yield Sample(make(shape))
    yield Sample(distinct(make, (3, 5)), 0)
    yield Sample(distinct(make, (3, 5)), -1, True)
    yield Sample(make((0, 3)), 1)
    yield ErrorSample(IndexError, "dimension 0 must have elements to choose from; found the size 0", make((0, 3)), 0)


samples("nanmedian", dtypes="float int")(_median)


@samples("kthvalue", dtypes="float int")
def _kthvalue(make: Make) -> Samples:
    yield Sample(distinct(make, (5,)), 1)
    yield Sample(distinct(make, (3, 5)), 2, 0)
    yield Sample(distinct(make, (3, 5)), 5, -1, True)
    yield Sample(make((0, 3)), 2)
    yield ErrorSample(RuntimeError, r"'k' must be in \[1, 3\], the size of dimension 0; found 4", make((3,)), 4)


@samples("mode", dtypes="float int bool")
def _mode(make: Make) -> Samples:
    yield Sample(distinct(make, (5,)))
    yield Sample(distinct(make, (3, 5)), 0, True)
    yield Sample(make((0, 3)), 1)
    yield ErrorSample(IndexError, "dimension 0 must have elements to choose from; found the size 0", make((0, 3)), 0)


def _quantiles(make: Make) -> Samples:
    import rushlight

    for method in ("linear", "lower", "higher", "midpoint", "nearest"):
        yield Sample(make((3, 5)), 0.3, interpolation=method)
        yield Sample(make((3, 5)), 0.6, 1, True, interpolation=method)
    q = rushlight.tensor([0.1, 0.5, 1.0], dtype=make.dtype)
    q._differentiate = False
    yield Sample(make((3, 5)), q, 0)
    yield Sample(make(()), 0.5)
    yield ErrorSample(RuntimeError, r"'q' must be in \[0, 1\]; found 1\.5", make((3,)), 1.5)
    yield ErrorSample(
        RuntimeError,
        "'interpolation' must be 'linear', 'lower', 'higher', 'midpoint' or 'nearest'; found 'cubic'",
        make((3,)),
        0.5,
        interpolation="cubic",
    )


samples("quantile", dtypes="float32 float64", skip={"empty": "PyTorch refuses inputs without elements"})(_quantiles)
samples("nanquantile", dtypes="float32 float64", skip={"empty": "PyTorch refuses inputs without elements"})(_quantiles)


def _boundaries(make: Make, n: int) -> Any:
    import rushlight

    return rushlight.tensor([2 * i for i in range(n)], dtype=make.dtype)


@samples("searchsorted", dtypes="float int", grad=False)
def _searchsorted(make: Make) -> Samples:
    for n in (0, 1, 2, 7, 8):
        for right in (False, True):
            yield Sample(_boundaries(make, n), make((3, 4), low=-1, high=15), right=right)
    yield Sample(_boundaries(make, 5), make((), low=0, high=9), side="right", out_int32=True)
    yield Sample(_boundaries(make, 6).reshape((2, 3)), make((2, 4), low=0, high=12))
    yield ErrorSample(
        RuntimeError, "'side' must be 'left' or 'right'; found 'up'", _boundaries(make, 3), make((2,)), side="up"
    )
    yield ErrorSample(
        RuntimeError,
        "'side' and 'right' must agree; found side='left' with right=True",
        _boundaries(make, 3),
        make((2,)),
        side="left",
        right=True,
    )
    yield ErrorSample(
        RuntimeError,
        r"'input' must have the shape of 'sorted_sequence', \[2, 3\], apart from the last dimension, unless that is "
        r"a vector",
        _boundaries(make, 6).reshape((2, 3)),
        make((2,)),
    )


@samples("bucketize", dtypes="float int", grad=False)
def _bucketize(make: Make) -> Samples:
    yield Sample(make((3, 4)), _boundaries(make, 5))
    yield Sample(make((3, 4)), _boundaries(make, 5), right=True, out_int32=True)
    yield Sample(make((0, 4)), _boundaries(make, 5))
    yield ErrorSample(RuntimeError, "'boundaries' must be a vector; found a 2-d tensor", make((3,)), make((2, 2)))


@samples("unique", dtypes="float int bool", grad=False, skip=DATA)
def _unique(make: Make) -> Samples:
    yield Sample(make((9,)))
    yield Sample(make((0,)))
    yield Sample(make((3, 4)), True, True, True)
    yield Sample(make((3, 4)), return_inverse=True, dim=1)


@samples("unique_consecutive", dtypes="float int bool", grad=False, skip=DATA)
def _unique_consecutive(make: Make) -> Samples:
    yield Sample(make((9,)))
    yield Sample(make((0,)))
    yield Sample(make((3, 4)), True, True)
    yield Sample(make((3, 4)), return_counts=True, dim=0)


refused("quantile", RuntimeError, "'q' must be in", lambda make: (make((3,)), 2.0))
refused(
    "quantile", RuntimeError, "the elements of 'q' must be in", lambda make: (make((3,)), make((2,), low=2, high=3))
)
