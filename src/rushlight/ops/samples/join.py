"""Samples of ops/join.py."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.ops.samples._registry import ErrorSample, Sample, samples


@samples("cat", dtypes="all")
def _cat(make: Any) -> Iterator[Any]:
    yield Sample([make((2, 3)), make((4, 3))])
    yield Sample([make((2, 3)), make((2, 1)), make((2, 0))], 1)
    yield Sample((make((2, 3, 2), noncontiguous=True), make((2, 3, 2))), -1)
    yield Sample([make((0,)), make((2, 3))])
    yield Sample([make((3,))] * 70)
    yield Sample([make((3,)), make((2,), dtype=dt.float64)])
    yield ErrorSample(ValueError, "non-empty list", [])
    yield ErrorSample(RuntimeError, "same number of dimensions: got 2 and 1", [make((2, 3)), make((3,))])
    yield ErrorSample(RuntimeError, "Expected size 3 but got size 4 for tensor number 1", [make((2, 3)), make((2, 4))])
    yield ErrorSample(RuntimeError, "zero-dimensional tensor", [make(()), make(())])
    yield ErrorSample(TypeError, "must be tuple of Tensors", make((2, 3)))


@samples("stack", dtypes="all")
def _stack(make: Any) -> Iterator[Any]:
    yield Sample([make((2, 3)), make((2, 3))])
    yield Sample([make((2, 3)), make((2, 3)), make((2, 3))], -1)
    yield Sample([make(()), make(())])
    yield Sample([make((2,))] * 70, 1)
    yield Sample([make((0, 3)), make((0, 3))], 1)
    yield ErrorSample(RuntimeError, "equal size", [make((2, 3)), make((2, 4))])
    yield ErrorSample(RuntimeError, "non-empty", [])
    yield ErrorSample(IndexError, "out of range", [make((2, 3))], 3)


def _stackers(make: Any) -> Iterator[Any]:
    yield Sample([make(()), make(())])
    yield Sample([make((3,)), make((3,))])
    yield Sample([make((2, 3)), make((2, 3))])
    yield Sample([make((2, 3, 2)), make((2, 3, 2))])
    yield Sample([make((0, 3)), make((0, 3))])
    yield ErrorSample(RuntimeError, "non-empty", [])


for _name in ("hstack", "vstack", "dstack", "column_stack"):
    samples(_name, dtypes="all")(_stackers)


@samples("repeat", dtypes="all")
def _repeat(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)), 2, 3)
    yield Sample(make((2, 3)), (4, 1, 2))
    yield Sample(make(()), 3)
    yield Sample(make((2,)), (0,))
    yield Sample(make((0, 3)), 2, 3)
    yield ErrorSample(RuntimeError, "can not be smaller", make((2, 3)), 2)
    yield ErrorSample(RuntimeError, "negative dimension", make((2, 3)), 2, -1)


@samples("tile", dtypes="all")
def _tile(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)), (2,))
    yield Sample(make((2, 3)), (2, 1, 2))
    yield Sample(make(()), (2, 2))
    yield Sample(make((0, 3)), (2,))


@samples("repeat_interleave", dtypes="all")
def _repeat_interleave(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)), 2)
    yield Sample(make((2, 3)), 3, 1)
    yield Sample(make(()), 3)
    yield Sample(make((0, 3)), 2, 1)
    yield ErrorSample(RuntimeError, "non-negative", make((2, 3)), -1)


@samples("flip", dtypes="all")
def _flip(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)), (0,))
    yield Sample(make((2, 3, 4)), (0, -1))
    yield Sample(make((0, 3)), (0, 1))
    yield ErrorSample(RuntimeError, "appears multiple times", make((2, 3)), (0, 0))
    yield ErrorSample(IndexError, "out of range", make((2, 3)), (2,))


@samples("fliplr", dtypes="all")
def _fliplr(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)))
    yield Sample(make((0, 3)))
    yield ErrorSample(RuntimeError, "must be >= 2-d", make((3,)))


@samples("flipud", dtypes="all")
def _flipud(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)))
    yield Sample(make((0, 3)))
    yield ErrorSample(RuntimeError, "must be >= 1-d", make(()))


@samples("rot90", dtypes="all")
def _rot90(make: Any) -> Iterator[Any]:
    for k in (-1, 0, 1, 2, 3):
        yield Sample(make((2, 3, 4)), k)
    yield Sample(make((2, 3, 4)), 1, (2, 0))
    yield Sample(make((0, 3)))
    yield ErrorSample(RuntimeError, "dims == 2", make((2, 3)), 1, (0,))
    yield ErrorSample(RuntimeError, "to be different", make((2, 3)), 1, (0, 0))


@samples("roll", dtypes="all")
def _roll(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)), 1)
    yield Sample(make((4, 3)), -3, 0)
    yield Sample(make((4, 3)), (2, 1), (0, 1))
    yield Sample(make((0, 3)), 1, 0)
    yield Sample(make((4,)), 9, 0)
    yield ErrorSample(RuntimeError, "must align", make((2, 3)), (1, 2), 0)


def _triangles(make: Any) -> Iterator[Any]:
    yield Sample(make((3, 3)))
    yield Sample(make((3, 5)), 2)
    yield Sample(make((2, 4, 3)), -2)
    yield Sample(make((0, 3)))
    yield ErrorSample(RuntimeError, "at least 2 dimensions", make((3,)))


samples("tril", dtypes="all")(_triangles)
samples("triu", dtypes="all")(_triangles)


@samples("diag", dtypes="all")
def _diag(make: Any) -> Iterator[Any]:
    yield Sample(make((3,)))
    yield Sample(make((3,)), -2)
    yield Sample(make((3, 4)), 1)
    yield Sample(make((3, 4)), -2)
    yield Sample(make((0,)))
    yield ErrorSample(RuntimeError, "1D or 2D", make((2, 3, 4)))


@samples("diag_embed", dtypes="all")
def _diag_embed(make: Any) -> Iterator[Any]:
    yield Sample(make((3,)))
    yield Sample(make((2, 3)), 2)
    yield Sample(make((2, 3)), -2, 0, 2)
    yield Sample(make((2, 3)), 1, 2, 0)
    yield Sample(make((2, 0)))
    yield ErrorSample(RuntimeError, "cannot be identical", make((3,)), 0, 1, 1)


@samples("diagflat", dtypes="all")
def _diagflat(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 2)))
    yield Sample(make((3,)), -2)
    yield Sample(make(()))
    yield Sample(make((0,)))


@samples("block_diag", dtypes="all")
def _block_diag(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)), make((2,)), make(()))
    yield Sample(make((2, 3)))
    yield Sample(make((0, 3)), make((2, 2)))
    yield ErrorSample(RuntimeError, "2 or fewer dimensions", make((2, 3, 4)))


@samples("broadcast_tensors", dtypes="all")
def _broadcast_tensors(make: Any) -> Iterator[Any]:
    yield Sample(make((3, 1)), make((4,)), make(()))
    yield Sample(make((0, 1)), make((4,)))
    yield ErrorSample(RuntimeError, "must match the size", make((3,)), make((4,)))


@samples("meshgrid", dtypes="all")
def _meshgrid(make: Any) -> Iterator[Any]:
    yield Sample(make((3,)), make((2,)), indexing="ij")
    yield Sample(make((3,)), make((2,)), make((4,)), indexing="xy")
    yield Sample(make((3,)), make(()), indexing="ij")
    yield Sample(make((0,)), make((2,)), indexing="ij")
    yield ErrorSample(RuntimeError, "0D or 1D", make((3, 2)), indexing="ij")
    yield ErrorSample(RuntimeError, "indexing must be one of", make((3,)), indexing="yx")


@samples("cartesian_prod", dtypes="all")
def _cartesian_prod(make: Any) -> Iterator[Any]:
    yield Sample(make((3,)), make((2,)))
    yield Sample(make((3,)))
    yield Sample(make((0,)), make((2,)))
    yield ErrorSample(RuntimeError, "1D vector", make((3, 2)))


@samples("combinations", dtypes="all")
def _combinations(make: Any) -> Iterator[Any]:
    yield Sample(make((4,)))
    yield Sample(make((4,)), 3)
    yield Sample(make((4,)), 2, True)
    yield Sample(make((0,)))
    yield ErrorSample(RuntimeError, "1D vector", make((3, 2)))
