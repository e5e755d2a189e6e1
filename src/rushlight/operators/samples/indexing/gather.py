"""Samples of choosing elements by index."""

from __future__ import annotations

from rushlight.core import dtypes as dt
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples

DATA = {"data": "the size of the result depends on data"}


@samples("index_put", dtypes="all")
def _index_put(make: Make) -> Samples:
    yield Sample(make((4, 5)), (make.index((1,), 4),), make((5,)))
    yield Sample(make((4, 5)), (make.index((1,), 4), make.index((1,), 5)), make(()))
    yield Sample(make((4, 5)), (make.index((3,), 4),), make((3, 5)), accumulate=True)
    yield Sample(make((4, 5)), (make.index((0,), 4),), make((0, 5)))
    yield ErrorSample(
        RuntimeError,
        r"the values must broadcast to \[3, 5\], what the index selects; found the shape \[2, 5\]",
        make((4, 5)),
        (make.index((3,), 4),),
        make((2, 5)),
    )
    yield ErrorSample(
        IndexError,
        "too many indices for tensor of dimension 1: it takes at most 1; found 2",
        make((4,)),
        (make.index((3,), 4), make.index((3,), 4)),
        make((3,)),
    )


@samples("gather", dtypes="all")
def _gather(make: Make) -> Samples:
    yield Sample(make((4, 5)), 0, make.index((3, 5), 4))
    yield Sample(make((4, 5)), -1, make.index((2, 7), 5))
    yield Sample(make((2, 3, 4)), 1, make.index((2, 1, 3), 3))
    yield Sample(make(()), 0, make.index((), 1))
    yield Sample(make((5,)), 0, make.index((0,), 5))
    yield ErrorSample(
        RuntimeError,
        "'index' must have as many dimensions as 'input', 2; found 1",
        make((4, 5)),
        0,
        make.index((3,), 4),
    )
    yield ErrorSample(
        RuntimeError,
        "'index' must not be larger than 'input' apart from dimension 0",
        make((4, 5)),
        0,
        make.index((3, 6), 4),
    )
    yield ErrorSample(
        RuntimeError, "'index' must be of dtype int64 or int32", make((4, 5)), 0, make((3, 5), dtype=dt.float32)
    )


@samples("index_select", dtypes="all")
def _index_select(make: Make) -> Samples:
    yield Sample(make((4, 5)), 0, make.index((3,), 4))
    yield Sample(make((2, 3, 4)), -1, make.index((6,), 4))
    yield Sample(make((2, 3, 4)), 1, make.index((), 3))
    yield Sample(make((5,)), 0, make.index((0,), 5))
    yield ErrorSample(
        IndexError, r"'index' must be a vector; found the shape \[1, 1\]", make((4, 5)), 0, make.index((1, 1), 4)
    )
    yield ErrorSample(
        IndexError, "index 9 lies outside dimension 0, which has the size 4", make((4, 5)), 0, make.index((3,), 4) + 9
    )


@samples("take", dtypes="all")
def _take(make: Make) -> Samples:
    yield Sample(make((4, 5)), make.index((2, 3), 20))
    yield Sample(make((4, 5)), make.index((3,), 20) - 20)
    yield Sample(make(()), make.index((), 1))
    yield Sample(make((4,)), make.index((0,), 4))
    yield ErrorSample(
        IndexError, "index 9 lies outside dimension 0, which has the size 4", make((4,)), make.index((3,), 4) + 9
    )


@samples("take_along_dim", dtypes="all")
def _take_along_dim(make: Make) -> Samples:
    yield Sample(make((4, 5)), make.index((4, 2), 5), 1)
    yield Sample(make((4, 5)), make.index((1, 5), 4), 0)
    yield Sample(make((4, 5)), make.index((6,), 20))
    yield Sample(make((4, 0)), make.index((2, 0), 4), 0)
    yield ErrorSample(
        RuntimeError,
        "'indices' must have as many dimensions as 'input', 2; found 1",
        make((4, 5)),
        make.index((4,), 5),
        1,
    )


@samples("masked_fill", dtypes="all")
def _masked_fill(make: Make) -> Samples:
    for shape in ((), (4,), (3, 4), (0, 3)):
        yield Sample(make(shape), make(shape, dtype=dt.bool_), 1)
    yield Sample(make((3, 4)), make((4,), dtype=dt.bool_), make(()))
    yield Sample(make((3, 4)), make((3, 1), dtype=dt.bool_), 0)
    yield ErrorSample(
        RuntimeError, r"'mask' must be of dtype bool; found torch\.int64", make((3,)), make((3,), dtype=dt.int64), 1
    )
    yield ErrorSample(
        RuntimeError,
        "'value' must be a number or a 0-d tensor; found a 1-d tensor",
        make((3,)),
        make((3,), dtype=dt.bool_),
        make((3,)),
    )


@samples("masked_scatter", dtypes="all")
def _masked_scatter(make: Make) -> Samples:
    yield Sample(make((3, 4)), make((3, 4), dtype=dt.bool_), make((12,)))
    yield Sample(make((3, 4)), make((4,), dtype=dt.bool_), make((3, 4)))
    yield Sample(make((0, 4)), make((4,), dtype=dt.bool_), make((0,)))
    yield ErrorSample(RuntimeError, "mask", make((3,)), make((3,), dtype=dt.uint8), make((3,)))
    every = make.index((3,), 1) == 0
    yield ErrorSample(RuntimeError, "index 3 lies outside dimension 0", make((3,)), every, make((2,)))


@samples("masked_select", dtypes="all", skip=DATA)
def _masked_select(make: Make) -> Samples:
    yield Sample(make((3, 4)), make((3, 4), dtype=dt.bool_))
    yield Sample(make((3, 4)), make((4,), dtype=dt.bool_))
    yield Sample(make((4,)), make((3, 1), dtype=dt.bool_))
    yield Sample(make(()), make((), dtype=dt.bool_))
    yield Sample(make((0, 4)), make((4,), dtype=dt.bool_))
    yield ErrorSample(
        RuntimeError, r"'mask' must be of dtype bool; found torch\.int64", make((3,)), make((3,), dtype=dt.int64)
    )


@samples("nonzero", dtypes="all", grad=False, skip=DATA)
def _nonzero(make: Make) -> Samples:
    for shape in ((), (5,), (3, 4), (0, 3)):
        yield Sample(make(shape))
    yield Sample(make((3, 4)), as_tuple=True)


@samples("argwhere", dtypes="all", grad=False, skip=DATA)
def _argwhere(make: Make) -> Samples:
    for shape in ((), (5,), (3, 4), (0, 3)):
        yield Sample(make(shape))


@samples("isin", dtypes="float int", grad=False)
def _isin(make: Make) -> Samples:
    yield Sample(make((3, 4)), make((3,)))
    yield Sample(make((3, 4)), make((4, 5)), invert=True)
    yield Sample(make((3, 4)), 1)
    yield Sample(make((3, 4)), make((0,)))


@samples("nonzero_static", dtypes="all", grad=False, skip=DATA)
def _nonzero_static(make: Make) -> Samples:
    for shape in ((), (5,), (3, 4), (0, 3)):
        yield Sample(make(shape), size=3)
    yield Sample(make((3, 4)), size=0)
    yield Sample(make((3, 4)), size=20, fill_value=7)
    yield ErrorSample(RuntimeError, "'size' must be at least 0; found -1", make((3,)), size=-1)


@samples("unravel_index", dtypes="int64 int32", grad=False)
def _unravel_index(make: Make) -> Samples:
    yield Sample(make((), low=0, high=7), (2, 4))
    yield Sample(make((3, 2), low=0, high=23), (2, 3, 4))
    yield Sample(make((3,), low=0, high=4), 5)
    yield Sample(make((0,)), (2, 3))
    yield ErrorSample(TypeError, "integer dtype", make((3,), dtype=dt.float32), (2, 4))
    yield ErrorSample(
        ValueError,
        r"'shape' must be at least 0 in each dimension; found \[2, -4\]",
        make((3,), dtype=dt.int64),
        (2, -4),
    )
    yield ErrorSample(
        TypeError,
        r"'shape' must be an integer or a sequence of integers; found \(2, 1.5\)",
        make((3,), dtype=dt.int64),
        (2, 1.5),
    )
    yield ErrorSample(
        TypeError, r"'shape' must be .* found tensor\(\[\[", make((3,), dtype=dt.int64), make((1, 2), dtype=dt.int64)
    )
