"""Samples of writing by index. Where an assignment may hit a place twice, the indices are distinct."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples


def distinct_rows(rows: int, columns: int) -> Any:
    """An index of shape (rows, columns) for dim 0 that names no place twice."""
    import rushlight

    return rushlight.tensor([[(r + c) % rows for c in range(columns)] for r in range(rows)])


@samples("scatter", dtypes="all")
def _scatter(make: Make) -> Samples:
    yield Sample(make((4, 5)), 0, distinct_rows(3, 5), make((3, 5)))
    yield Sample(make((4, 5)), 0, distinct_rows(3, 2), make((4, 5)))
    yield Sample(make((4, 5)), 0, distinct_rows(3, 2), 1)
    yield Sample(make((4, 5)), 1, make.index((2, 2), 5), value=2)
    yield Sample(make(()), 0, make.index((), 1), make(()))
    yield Sample(make((4, 5)), 0, make.index((0, 5), 4), make((0, 5)))
    index, source, short = make.index((3, 5), 4), make((3, 5)), make((3, 5), dtype=dt.int16)
    rows: tuple[tuple[str, Any, Any, dict[str, str]], ...] = (
        ("'index' must be of dtype int64 or int32", make((3, 5), dtype=dt.float32), source, {}),
        ("'index' must have as many dimensions as 'input', 2; found 1", make.index((3,), 4), source, {}),
        (r"'src' must be of the dtype of 'input', torch\.float32; found torch\.int16", index, short, {}),
        ("'reduce' must be 'add' or 'multiply'; found 'mean'", index, source, {"reduce": "mean"}),
    )
    for message, i, src, options in rows:
        yield ErrorSample(RuntimeError, message, make((4, 5)), 0, i, src, **options)


@samples("scatter_add", dtypes="all")
def _scatter_add(make: Make) -> Samples:
    yield Sample(make((4, 5)), 0, make.index((6, 5), 4), make((6, 5)))
    yield Sample(make((4, 5)), -1, make.index((2, 3), 5), make((4, 5)))
    yield Sample(make((4, 5)), 0, make.index((0, 5), 4), make((0, 5)))


@samples("scatter_reduce", dtypes="float int")
def _scatter_reduce(make: Make) -> Samples:
    for how in ("sum", "prod", "mean", "amax", "amin"):
        for include_self in (True, False):
            yield Sample(make((4, 5)), 0, make.index((6, 5), 4), make((6, 5)), how, include_self=include_self)
    yield Sample(make((4, 5)), 0, make.index((0, 5), 4), make((0, 5)), "sum")
    yield ErrorSample(
        RuntimeError,
        "'reduce' must be 'sum', 'prod', 'mean', 'amax' or 'amin'; found 'add'",
        make((4, 5)),
        0,
        make.index((6, 5), 4),
        make((6, 5)),
        "add",
    )


@samples("index_add", dtypes="all")
def _index_add(make: Make) -> Samples:
    yield Sample(make((4, 5)), 0, make.index((6,), 4), make((6, 5)))
    yield Sample(make((2, 3, 4)), -1, make.index((2,), 4), make((2, 3, 2)))
    yield Sample(make(()), 0, make.index((), 1), make(()))
    yield Sample(make((4, 0)), 0, make.index((2,), 4), make((2, 0)))
    yield ErrorSample(
        RuntimeError,
        r"'source' must have the shape of 'input', \[4, 5\], apart from dimension 0; found \[6, 4\]",
        make((4, 5)),
        0,
        make.index((6,), 4),
        make((6, 4)),
    )
    yield ErrorSample(
        IndexError,
        r"'index' must be a vector; found the shape \[1, 1\]",
        make((4, 5)),
        0,
        make.index((1, 1), 4),
        make((1, 5)),
    )


@samples("index_copy", dtypes="all")
def _index_copy(make: Make) -> Samples:
    yield Sample(make((4, 5)), 0, make.index((1,), 4), make((1, 5)))
    yield Sample(make((2, 3, 4)), -1, make.index((1,), 4), make((2, 3, 1)))
    yield Sample(make((4, 0)), 0, make.index((1,), 4), make((1, 0)))


@samples("index_fill", dtypes="all")
def _index_fill(make: Make) -> Samples:
    yield Sample(make((4, 5)), 0, make.index((3,), 4), 1)
    yield Sample(make((4, 5)), 1, make.index((3,), 5) - 5, make(()))
    yield Sample(make((4, 0)), 0, make.index((1,), 4), 1)
    yield ErrorSample(
        RuntimeError, "'index' must be a vector or 0-d; found a 2-d tensor", make((4, 5)), 0, make.index((1, 1), 4), 1
    )


@samples("index_reduce", dtypes="float int")
def _index_reduce(make: Make) -> Samples:
    for how in ("prod", "mean", "amax", "amin"):
        for include_self in (True, False):
            yield Sample(make((4, 5)), 0, make.index((6,), 4), make((6, 5)), how, include_self=include_self)
    yield Sample(make((4, 0)), 0, make.index((1,), 4), make((1, 0)), "amax")
    yield ErrorSample(
        RuntimeError,
        "'reduce' must be 'prod', 'mean', 'amax' or 'amin'; found 'sum'",
        make((4, 5)),
        0,
        make.index((6,), 4),
        make((6, 5)),
        "sum",
    )


@samples("put", dtypes="all")
def _put(make: Make) -> Samples:
    yield Sample(make((4, 5)), make.index((1,), 20), make((1,)))
    yield Sample(make((4, 5)), make.index((2, 3), 20) - 20, make((6,)), True)
    yield Sample(make((4, 5)), make.index((0,), 20), make((0,)))
    yield ErrorSample(
        IndexError,
        r"'source' must have as many elements as 'index', of the shape \[2\]; found the shape \[3\]",
        make((4, 5)),
        make.index((2,), 20),
        make((3,)),
    )


@samples("select_scatter", dtypes="all")
def _select_scatter(make: Make) -> Samples:
    yield Sample(make((4, 5)), make((5,)), 0, -2)
    yield Sample(make((2, 3, 4)), make((2, 4)), 1, 2)
    yield Sample(make((4, 0)), make((0,)), 0, 1)
    yield ErrorSample(
        IndexError, r"'index' must be in dimension 0 of \[4, 5\]; found 4", make((4, 5)), make((5,)), 0, 4
    )
    yield ErrorSample(
        RuntimeError, r"'src' must have the shape of the slice, \[5\]; found \[4\]", make((4, 5)), make((4,)), 0, 0
    )


@samples("slice_scatter", dtypes="all")
def _slice_scatter(make: Make) -> Samples:
    yield Sample(make((6, 5)), make((2, 5)), 0, 1, 5, 2)
    yield Sample(make((6, 5)), make((6, 3)), 1, -3)
    yield Sample(make((6, 5)), make((6, 5)))
    yield Sample(make((6, 5)), make((0, 5)), 0, 2, 2)
    yield ErrorSample(
        RuntimeError,
        r"'src' must have the shape of the slice, \[2, 5\]; found \[3, 5\]",
        make((6, 5)),
        make((3, 5)),
        0,
        1,
        3,
    )


@samples("diagonal_scatter", dtypes="all")
def _diagonal_scatter(make: Make) -> Samples:
    yield Sample(make((4, 5)), make((4,)))
    yield Sample(make((4, 5)), make((2,)), -2)
    yield Sample(make((0, 5)), make((0,)))
    yield Sample(make((2, 3, 4)), make((2, 3)), 1, 1, 2)
    yield ErrorSample(
        RuntimeError, r"'src' must have the shape of the slice, \[4\]; found \[3\]", make((4, 5)), make((3,))
    )


@samples("as_strided_scatter", dtypes="all")
def _as_strided_scatter(make: Make) -> Samples:
    yield Sample(make((4, 5)), make((2, 2)), (2, 2), (10, 2), 1)
    yield Sample(make((4, 5)), make((0,)), (0,), (1,))
    yield ErrorSample(RuntimeError, "index 20 lies outside dimension 0", make((4, 5)), make((2,)), (2,), (1,), 19)


@samples("segment_reduce", dtypes="float32 float64", tolerance=4.0)
def _segment_reduce(make: Make) -> Samples:
    import rushlight

    def ints(values: Any) -> Any:
        return rushlight.tensor(values, dtype=rushlight.int64)

    for reduce in ("sum", "mean", "max", "min", "prod", "amax", "amin"):
        yield Sample(make((4, 2)), reduce, lengths=ints([1, 0, 3]), initial=1.5)
        yield Sample(make((2, 5)), reduce, lengths=ints([[2, 3], [4, 1]]), axis=1)
        yield Sample(make((6,)), reduce, offsets=ints([0, 2, 6]))
    yield Sample(make((5,)), "sum", lengths=ints([1, 2]), unsafe=True)
    yield ErrorSample(
        RuntimeError,
        "'reduce' must be 'sum', 'mean', 'max', 'min' or 'prod'; found 'median'",
        make((4,)),
        "median",
        lengths=ints([4]),
    )
    yield ErrorSample(RuntimeError, "'lengths' or 'offsets' must be given; found neither", make((4,)), "sum")
    yield ErrorSample(
        RuntimeError,
        "each row of 'lengths' must add up to the size of 'data' along 'axis', 4, unless unsafe=True",
        make((4,)),
        "sum",
        lengths=ints([1, 2]),
    )
    yield ErrorSample(
        RuntimeError,
        "the elements of 'lengths' must be at least 0; found negative ones",
        make((4,)),
        "sum",
        lengths=ints([-1, 5]),
    )
    yield ErrorSample(
        RuntimeError,
        r"the shape of 'lengths' must be that of 'data' up to 'axis' \(1\); found \(1,\) for \(4, 2\)",
        make((4, 2)),
        "sum",
        lengths=ints([4]),
        axis=1,
    )


refused("slice_scatter", RuntimeError, "'step' must be at least 1", lambda make: (make((4,)), make((2,)), 0, 0, 4, 0))
