"""Samples of operators/shapes/join.py."""

from __future__ import annotations

from rushlight.core import dtypes as dt
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples


@samples("cat", dtypes="all")
def _cat(make: Make) -> Samples:
    yield Sample([make((2, 3)), make((4, 3))])
    yield Sample([make((2, 3)), make((2, 1)), make((2, 0))], 1)
    yield Sample((make((2, 3, 2), noncontiguous=True), make((2, 3, 2))), -1)
    yield Sample([make((0,)), make((2, 3))])
    yield Sample([make((3,))] * 70)
    yield Sample([make((3,)), make((2,), dtype=dt.float64)])
    yield ErrorSample(ValueError, "'tensors' must hold at least one tensor; found none", [])
    yield ErrorSample(
        RuntimeError, "'tensors' must be of one rank; found 2 and 1 dimensions", [make((2, 3)), make((3,))]
    )
    yield ErrorSample(
        RuntimeError, "'tensors' may differ in size along dimension 0 alone", [make((2, 3)), make((2, 4))]
    )
    yield ErrorSample(
        RuntimeError, "'tensors' must have dimensions; found a 0-d tensor at position 0", [make(()), make(())]
    )
    yield ErrorSample(TypeError, "must be tuple of Tensors", make((2, 3)))


@samples("stack", dtypes="all")
def _stack(make: Make) -> Samples:
    yield Sample([make((2, 3)), make((2, 3))])
    yield Sample([make((2, 3)), make((2, 3)), make((2, 3))], -1)
    yield Sample([make(()), make(())])
    yield Sample([make((2,))] * 70, 1)
    yield Sample([make((0, 3)), make((0, 3))], 1)
    yield ErrorSample(
        RuntimeError,
        r"'tensors' must be of one shape; found \[2, 3\] and, at position 1, \[2, 4\]",
        [make((2, 3)), make((2, 4))],
    )
    yield ErrorSample(RuntimeError, "'tensors' must hold at least one tensor; found none", [])
    yield ErrorSample(IndexError, r"'dim' must be in \[-3, 2\] for a 3-d tensor; found 3", [make((2, 3))], 3)


def _stackers(make: Make) -> Samples:
    yield Sample([make(()), make(())])
    yield Sample([make((3,)), make((3,))])
    yield Sample([make((2, 3)), make((2, 3))])
    yield Sample([make((2, 3, 2)), make((2, 3, 2))])
    yield Sample([make((0, 3)), make((0, 3))])
    yield ErrorSample(RuntimeError, "'tensors' must hold at least one tensor; found none", [])


for _name in ("hstack", "vstack", "dstack", "column_stack"):
    samples(_name, dtypes="all")(_stackers)


@samples("repeat", dtypes="all")
def _repeat(make: Make) -> Samples:
    yield Sample(make((2, 3)), 2, 3)
    yield Sample(make((2, 3)), (4, 1, 2))
    yield Sample(make(()), 3)
    yield Sample(make((2,)), (0,))
    yield Sample(make((0, 3)), 2, 3)
    yield ErrorSample(
        RuntimeError, "'repeats' must have a count for each of the 2 dimensions; found 1", make((2, 3)), 2
    )
    yield ErrorSample(
        RuntimeError, r"'repeats' must be at least 0 in each dimension; found \[2, -1\]", make((2, 3)), 2, -1
    )


@samples("tile", dtypes="all")
def _tile(make: Make) -> Samples:
    yield Sample(make((2, 3)), (2,))
    yield Sample(make((2, 3)), (2, 1, 2))
    yield Sample(make(()), (2, 2))
    yield Sample(make((0, 3)), (2,))


@samples("repeat_interleave", dtypes="all")
def _repeat_interleave(make: Make) -> Samples:
    yield Sample(make((2, 3)), 2)
    yield Sample(make((2, 3)), 3, 1)
    yield Sample(make(()), 3)
    yield Sample(make((0, 3)), 2, 1)
    yield ErrorSample(RuntimeError, "'repeats' must be at least 0; found -1", make((2, 3)), -1)


@samples("flip", dtypes="all")
def _flip(make: Make) -> Samples:
    yield Sample(make((2, 3)), (0,))
    yield Sample(make((2, 3, 4)), (0, -1))
    yield Sample(make((0, 3)), (0, 1))
    yield ErrorSample(RuntimeError, r"'dim' must name each dimension once; found \[0, 0\]", make((2, 3)), (0, 0))
    yield ErrorSample(IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((2, 3)), (2,))
    yield Sample(make(()), (0,))
    yield ErrorSample(IndexError, r"'dim' must be in \[-1, 0\] for a 0-d tensor; found 1", make(()), (0, 1))
    yield ErrorSample(RuntimeError, r"'dim' must name each dimension once; found \[0, 0\]", make(()), (0, 0))


@samples("fliplr", dtypes="all")
def _fliplr(make: Make) -> Samples:
    yield Sample(make((2, 3)))
    yield Sample(make((0, 3)))
    yield ErrorSample(RuntimeError, "'input' must be of 2 dimensions or more; found 1", make((3,)))


@samples("flipud", dtypes="all")
def _flipud(make: Make) -> Samples:
    yield Sample(make((2, 3)))
    yield Sample(make((0, 3)))
    yield ErrorSample(RuntimeError, "'input' must be of 1 dimension or more; found 0", make(()))


@samples("rot90", dtypes="all")
def _rot90(make: Make) -> Samples:
    for k in (-1, 0, 1, 2, 3):
        yield Sample(make((2, 3, 4)), k)
    yield Sample(make((2, 3, 4)), 1, (2, 0))
    yield Sample(make((0, 3)))
    yield ErrorSample(
        RuntimeError, r"'dims' must be the two dimensions of a plane; found \(0,\)", make((2, 3)), 1, (0,)
    )
    yield ErrorSample(RuntimeError, r"'dims' must name each dimension once; found \[0, 0\]", make((2, 3)), 1, (0, 0))


@samples("roll", dtypes="all")
def _roll(make: Make) -> Samples:
    yield Sample(make((2, 3)), 1)
    yield Sample(make((4, 3)), -3, 0)
    yield Sample(make((4, 3)), (2, 1), (0, 1))
    yield Sample(make((0, 3)), 1, 0)
    yield Sample(make((4,)), 9, 0)
    yield ErrorSample(RuntimeError, "'shifts' and 'dims' must be of one length; found 2 and 1", make((2, 3)), (1, 2), 0)


def _triangles(make: Make) -> Samples:
    yield Sample(make((3, 3)))
    yield Sample(make((3, 5)), 2)
    yield Sample(make((2, 4, 3)), -2)
    yield Sample(make((0, 3)))
    yield ErrorSample(RuntimeError, "'input' must be of 2 dimensions or more; found 1", make((3,)))


samples("tril", dtypes="all")(_triangles)
samples("triu", dtypes="all")(_triangles)


@samples("diag", dtypes="all")
def _diag(make: Make) -> Samples:
    yield Sample(make((3,)))
    yield Sample(make((3,)), -2)
    yield Sample(make((3, 4)), 1)
    yield Sample(make((3, 4)), -2)
    yield Sample(make((0,)))
    yield ErrorSample(RuntimeError, "'input' must be a vector or a matrix; found a 3-d tensor", make((2, 3, 4)))


@samples("diag_embed", dtypes="all")
def _diag_embed(make: Make) -> Samples:
    yield Sample(make((3,)))
    yield Sample(make((2, 3)), 2)
    yield Sample(make((2, 3)), -2, 0, 2)
    yield Sample(make((2, 3)), 1, 2, 0)
    yield Sample(make((2, 0)))
    yield ErrorSample(RuntimeError, r"'dim2' must name each dimension once; found \[1, 1\]", make((3,)), 0, 1, 1)


@samples("diagflat", dtypes="all")
def _diagflat(make: Make) -> Samples:
    yield Sample(make((2, 2)))
    yield Sample(make((3,)), -2)
    yield Sample(make(()))
    yield Sample(make((0,)))


@samples("block_diag", dtypes="all")
def _block_diag(make: Make) -> Samples:
    yield Sample(make((2, 3)), make((2,)), make(()))
    yield Sample(make((2, 3)))
    yield Sample(make((0, 3)), make((2, 2)))
    yield ErrorSample(
        RuntimeError, "each tensor must be of at most 2 dimensions; found 3 at position 0", make((2, 3, 4))
    )


@samples("broadcast_tensors", dtypes="all")
def _broadcast_tensors(make: Make) -> Samples:
    yield Sample(make((3, 1)), make((4,)), make(()))
    yield Sample(make((0, 1)), make((4,)))
    yield ErrorSample(RuntimeError, "sizes that differ must be 1 in one of the tensors", make((3,)), make((4,)))


@samples("meshgrid", dtypes="all")
def _meshgrid(make: Make) -> Samples:
    yield Sample(make((3,)), make((2,)), indexing="ij")
    yield Sample(make((3,)), make((2,)), make((4,)), indexing="xy")
    yield Sample(make((3,)), make(()), indexing="ij")
    yield Sample(make((0,)), make((2,)), indexing="ij")
    yield ErrorSample(
        RuntimeError, r"'tensors' must be vectors or 0-d; found the shape \[3, 2\]", make((3, 2)), indexing="ij"
    )
    yield ErrorSample(RuntimeError, "'indexing' must be 'ij' or 'xy'; found 'yx'", make((3,)), indexing="yx")


@samples("cartesian_prod", dtypes="all")
def _cartesian_prod(make: Make) -> Samples:
    yield Sample(make((3,)), make((2,)))
    yield Sample(make((3,)))
    yield Sample(make((0,)), make((2,)))
    yield ErrorSample(RuntimeError, r"'tensors' must be vectors; found the shape \[3, 2\]", make((3, 2)))


@samples("combinations", dtypes="all")
def _combinations(make: Make) -> Samples:
    yield Sample(make((4,)))
    yield Sample(make((4,)), 3)
    yield Sample(make((4,)), 2, True)
    yield Sample(make((0,)))
    yield ErrorSample(RuntimeError, r"'input' must be a vector; found a 2-d tensor", make((3, 2)))


refused("repeat_interleave", RuntimeError, "'repeats' must be at least 0", lambda make: (make((3,)), -1))
refused("combinations", RuntimeError, "'r' must be at least 0", lambda make: (make((3,)), -1))
refused("repeat_interleave", RuntimeError, "'repeats' must be", lambda make: (make((2,)), -1 - make.index((2,), 3)))
