"""Samples of the reductions."""

from __future__ import annotations

import math
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples

SHAPES: tuple[tuple[int, ...], ...] = ((), (1,), (5,), (3, 4), (1, 4), (2, 3, 4), (2, 1, 3, 2))
EMPTY: tuple[tuple[int, ...], ...] = ((0,), (0, 3), (3, 0))


def axes(x: Any, dim: Any) -> Any:
    """NumPy's axis for our dim: () means all, and a 0-d array has no axis 0."""
    return None if dim is None or dim == () or x.ndim == 0 else dim


def over_dims(make: Make, *, empty: bool = True, tuples: bool = True, **options: Any) -> Samples:
    """Every rank, dims by int, negative int and tuple, keepdim, empty and strided inputs, and wrong dims."""
    for shape in SHAPES + (EMPTY if empty else ()):
        yield Sample(make(shape, **options))
    for shape in SHAPES[2:]:
        yield Sample(make(shape, **options), -1)
        yield Sample(make(shape, **options), dim=0, keepdim=True)
    yield Sample(make((), **options), 0)
    if tuples:
        yield Sample(make((2, 3, 4), **options), (0, 2))
        yield Sample(make((2, 3, 4), **options), (-1, 0), True)
    yield Sample(make((4, 5), noncontiguous=True, **options), 1)
    yield Sample(make((300, 70), **options), 0)
    yield ErrorSample(IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((3, 4), **options), 2)


def _sums(make: Make) -> Samples:
    yield from over_dims(make)
    yield Sample(make((0, 3)), 0)
    yield ErrorSample(RuntimeError, r"'dim' must name each dimension once; found \[0, 0\]", make((3, 4)), (0, 0))
    yield ErrorSample(TypeError, "dim", make((3, 4)), 1.5)


@samples(
    "sum", dtypes="all", reference=lambda np, x, dim=None, keepdim=False: np.sum(x, axis=axes(x, dim), keepdims=keepdim)
)
def _sum(make: Make) -> Samples:
    yield from _sums(make)
    yield Sample(make((3, 4)), dim=())


samples("nansum", dtypes="float int bool")(_sums)


@samples(
    "mean",
    dtypes="float complex",
    reference=lambda np, x, dim=None, keepdim=False: np.mean(x, axis=axes(x, dim), keepdims=keepdim),
)
def _mean(make: Make) -> Samples:
    yield from _sums(make)
    from rushlight.core import dtypes as dt

    yield ErrorSample(
        RuntimeError, r"'input' must be of a float or complex dtype; found torch\.int64", make((3,), dtype=dt.int64)
    )


samples("nanmean", dtypes="float")(_sums)


@samples("prod", dtypes="all", tolerance=4.0)
def _prod(make: Make) -> Samples:
    for shape in SHAPES + EMPTY:
        yield Sample(make(shape))
    for shape in SHAPES[2:]:
        yield Sample(make(shape), -1)
        yield Sample(make(shape), dim=0, keepdim=True)
    yield Sample(make((2, 3), low=0, high=0), 1)
    yield ErrorSample(TypeError, "must be int", make((3, 4)), (0, 1))


@samples("count_nonzero", dtypes="all", grad=False)
def _count_nonzero(make: Make) -> Samples:
    for shape in SHAPES + EMPTY:
        yield Sample(make(shape))
    yield Sample(make((3, 4)), 0)
    yield Sample(make((3, 4, 2)), (0, -1))


def _spreads(make: Make) -> Samples:
    for shape in SHAPES[2:]:
        yield Sample(make(shape))
        yield Sample(make(shape), -1)
        yield Sample(make(shape), False)
        yield Sample(make(shape), 0, False, True)
        yield Sample(make(shape), dim=0, correction=0)
    yield Sample(make((2, 3, 4)), (0, 2), keepdim=True, correction=2)
    yield Sample(make((0, 3)), 1)
    yield ErrorSample(IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((3, 4)), 2)
    yield ErrorSample(RuntimeError, "'correction' must be a real number", make((3, 4)), 0, correction=1j)
    from rushlight.core import dtypes as dt

    yield ErrorSample(
        RuntimeError, r"'input' must be of a float or complex dtype; found torch\.int64", make((3,), dtype=dt.int64)
    )


samples("var", dtypes="float complex")(_spreads)
samples("std", dtypes="float complex")(_spreads)
samples("var_mean", dtypes="float complex")(_spreads)
samples("std_mean", dtypes="float complex")(_spreads)
samples("all", dtypes="all", grad=False)(over_dims)
samples("any", dtypes="all", grad=False)(over_dims)


def _extrema(make: Make) -> Samples:
    yield from over_dims(make, empty=False)
    yield Sample(make((0, 3)), 1)
    yield ErrorSample(RuntimeError, "'dim' must be given for a tensor without elements; found None", make((0,)))
    yield ErrorSample(IndexError, "dimension 1 must have elements to choose from; found the size 0", make((3, 0)), 1)


samples("amax", dtypes="float int bool")(_extrema)
samples("amin", dtypes="float int bool")(_extrema)


@samples("aminmax", dtypes="float int bool")
def _aminmax(make: Make) -> Samples:
    for shape in SHAPES:
        yield Sample(make(shape))
    yield Sample(make((0, 3)), dim=1)
    yield Sample(make((3, 4)), dim=0)
    yield Sample(make((3, 4)), dim=-1, keepdim=True)
    yield ErrorSample(RuntimeError, "'dim' must be given for a tensor without elements", make((0, 3)))
    yield ErrorSample(IndexError, "dimension 0 must have elements to choose from; found the size 0", make((0,)), dim=0)


def _overloads(make: Make) -> Samples:
    yield from over_dims(make, empty=False, tuples=False)
    yield Sample(make((3, 4)), make((4,)))
    yield Sample(make((0, 3)), 1)
    yield ErrorSample(RuntimeError, "'dim' must be given for a tensor without elements; found None", make((0,)))
    yield ErrorSample(IndexError, "dimension 1 must have elements to choose from; found the size 0", make((3, 0)), 1)


samples("max", dtypes="float int bool")(_overloads)
samples("min", dtypes="float int bool")(_overloads)


def _args(make: Make) -> Samples:
    yield from over_dims(make, empty=False, tuples=False)
    yield Sample(make((3, 4)), keepdim=True)
    yield Sample(make((0, 3)), 1)
    yield ErrorSample(IndexError, "'dim' must be given for a tensor without elements; found None", make((0,)))


samples("argmax", dtypes="float int", grad=False)(_args)
samples("argmin", dtypes="float int", grad=False)(_args)


@samples(
    "logsumexp",
    dtypes="float int",
    reference=lambda np, x, dim, keepdim=False: np.log(np.sum(np.exp(x), axis=dim, keepdims=keepdim)),
)
def _logsumexp(make: Make) -> Samples:
    for shape in SHAPES[1:]:
        yield Sample(make(shape), -1)
        yield Sample(make(shape), 0, True)
    yield Sample(make((2, 3, 4)), (0, 2))
    yield Sample(make((0, 3)), 0)
    yield Sample(make((3, 4), low=-100, high=100), 1)
    yield ErrorSample(IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((3, 4)), 2)


@samples("linalg.vector_norm", dtypes="float complex")
def _vector_norm(make: Make) -> Samples:
    yield Sample(make((3, 4)))
    yield Sample(make((0,)))
    yield Sample(make((2, 3, 4)), 3, (0, 2), True)
    yield Sample(make((3, 4)), math.inf, 1)
    from rushlight.core import dtypes as dt

    yield ErrorSample(
        RuntimeError, r"'x' must be of a float or complex dtype; found torch\.int64", make((3,), dtype=dt.int64)
    )


@samples("norm", dtypes="float complex")
def _norm(make: Make) -> Samples:
    for shape in SHAPES + EMPTY:
        yield Sample(make(shape))
    for p in (0, 1, 2, 3, 0.5, -1, math.inf, -math.inf, "fro"):
        yield Sample(make((3, 4)), p)
    for p in (1, 2, 3, math.inf):
        yield Sample(make((3, 4)), p, 1)
        yield Sample(make((2, 3, 4)), p, (0, 2), True)
    yield ErrorSample(
        RuntimeError,
        "'x' must have elements for ord=inf, whose least and greatest of none are not defined",
        make((0,)),
        math.inf,
    )
    from rushlight.core import dtypes as dt

    yield ErrorSample(
        RuntimeError, r"'input' must be of a float or complex dtype; found torch\.int64", make((3,), dtype=dt.int64)
    )


@samples("dist", dtypes="float complex")
def _dist(make: Make) -> Samples:
    for p in (1, 2, 3, math.inf):
        yield Sample(make((3, 4)), make((4,)), p)
    yield Sample(make((0, 4)), make((4,)))
    yield Sample(make(()), make(()))


@samples("hash_tensor", dtypes="float int bool", grad=False)
def _hash_tensor(make: Make) -> Samples:
    for shape in SHAPES:
        yield Sample(make(shape))
    yield Sample(make((3, 4)), 1)
    yield Sample(make((2, 3, 4)), (0, 2), keepdim=True)
    yield Sample(make((0, 3)), 1)
    yield ErrorSample(RuntimeError, r"'mode' must be 0 \(exclusive or\); found 1", make((3,)), mode=1)
    yield ErrorSample(RuntimeError, "'dim' must be given for a tensor without elements; found None", make((0,)))
