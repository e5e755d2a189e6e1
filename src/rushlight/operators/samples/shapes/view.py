"""Samples of operators/shapes/view.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Sample, refused, samples


@samples("view", dtypes="all")
def _view(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3, 4)), 6, 4)
    yield Sample(make((2, 3, 4)), (-1,))
    yield Sample(make((2, 3, 4)), (2, -1, 2))
    yield Sample(make(()), (1, 1))
    yield Sample(make((1,)), ())
    yield Sample(make((0, 3)), (3, 0))
    yield ErrorSample(
        RuntimeError, r"the sizes \[5, 5\] must hold the 24 elements of the tensor", make((2, 3, 4)), 5, 5
    )
    yield ErrorSample(
        RuntimeError, r"at most one size may be -1, to be inferred; found \[-1, -1\]", make((2, 3, 4)), -1, -1
    )
    yield ErrorSample(
        RuntimeError, r"any size in the place of -1 makes \[-1, 0\] hold 0 elements; give the size", make((0, 3)), -1, 0
    )
    yield ErrorSample(
        RuntimeError,
        r"sizes \[6\] cannot be a view: no strides lead through the elements of a tensor of sizes \[3, 2\] and "
        r"strides \[1, 3\]",
        make((2, 3)).transpose(0, 1),
        6,
    )
    yield ErrorSample(TypeError, "must be torch.dtype, not Tensor", make((2, 3)), dtype=make((2,)))


@samples("reshape", dtypes="all")
def _reshape(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3, 4)), (4, 6))
    yield Sample(make((4, 3), noncontiguous=True), (2, -1))
    yield Sample(make((2, 3, 4), noncontiguous=True), (24,))
    yield Sample(make(()), (1,))
    yield Sample(make((0, 3)), (0,))
    yield ErrorSample(
        RuntimeError, r"reshape\(\): the sizes \[4, 2\] must hold the 6 elements of the tensor", make((2, 3)), (4, 2)
    )


@samples("view_as", dtypes="all")
def _view_as(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 6)), make((3, 4), requires_grad=False))
    yield Sample(make((0, 6)), make((3, 0), requires_grad=False))


@samples("reshape_as", dtypes="all")
def _reshape_as(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 6), noncontiguous=True), make((3, 4), requires_grad=False))
    yield Sample(make((0, 6)), make((3, 0), requires_grad=False))


@samples("ravel", dtypes="all")
def _ravel(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)))
    yield Sample(make((2, 3), noncontiguous=True))
    yield Sample(make(()))
    yield Sample(make((0, 3)))


@samples("flatten", dtypes="all")
def _flatten(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3, 4)))
    yield Sample(make((2, 3, 4)), 1)
    yield Sample(make((2, 3, 4), noncontiguous=True), 0, 1)
    yield Sample(make((2, 3, 4)), start_dim=-2)
    yield Sample(make(()))
    yield Sample(make((2, 0, 3)), 1)
    yield ErrorSample(RuntimeError, "'start_dim' must not be behind 'end_dim'; found 2 and 1", make((2, 3, 4)), 2, 1)
    yield ErrorSample(IndexError, r"'dim' must be in \[-3, 2\] for a 3-d tensor; found 3", make((2, 3, 4)), 3)


@samples("unflatten", dtypes="all")
def _unflatten(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 12)), 1, (3, 4))
    yield Sample(make((2, 12)), -1, (3, -1, 2))
    yield Sample(make((0, 12)), 1, (3, 4))
    yield ErrorSample(
        RuntimeError,
        r"the product of 'sizes' must be 12, the size of dimension 1; found \[5, -1\]",
        make((2, 12)),
        1,
        (5, -1),
    )


@samples("squeeze", dtypes="all")
def _squeeze(make: Any) -> Iterator[Any]:
    yield Sample(make((1, 3, 1, 2)))
    yield Sample(make((1, 3, 1, 2)), 0)
    yield Sample(make((1, 3, 1, 2)), 1)
    yield Sample(make((1, 3, 1, 2)), (0, -2))
    yield Sample(make(()))
    yield Sample(make(()), 0)
    yield Sample(make((1, 0, 1)))
    yield ErrorSample(IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((1, 3)), 2)


@samples("unsqueeze", dtypes="all")
def _unsqueeze(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)), 0)
    yield Sample(make((2, 3)), -1)
    yield Sample(make(()), 0)
    yield Sample(make((0,)), 0)
    yield ErrorSample(IndexError, r"'dim' must be in \[-3, 2\] for a 3-d tensor; found 3", make((2, 3)), 3)


@samples("permute", dtypes="all")
def _permute(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3, 4)), (2, 0, 1))
    yield Sample(make((2, 3, 4)), (0, -1, 1))
    yield Sample(make(()), ())
    yield Sample(make((0, 3)), (1, 0))
    yield ErrorSample(RuntimeError, r"'dims' must name each of the 2 dimensions once; found \[0\]", make((2, 3)), (0,))
    yield ErrorSample(RuntimeError, r"'dims' must name each dimension once; found \[0, 0\]", make((2, 3)), (0, 0))
    yield ErrorSample(IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((2, 3)), (0, 2))


@samples("transpose", dtypes="all")
def _transpose(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3, 4)), 0, 2)
    yield Sample(make((2, 3, 4)), -1, -2)
    yield Sample(make(()), 0, 0)
    yield Sample(make((0, 3)), 0, 1)
    yield ErrorSample(IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((2, 3)), 0, 2)


@samples("swapaxes", dtypes="all")
def _swapaxes(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3, 4)), 0, -1)
    yield Sample(make((0, 3)), 0, 1)
    yield ErrorSample(IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((2, 3)), 0, 2)


@samples("t", dtypes="all")
def _t(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)))
    yield Sample(make((3,)))
    yield Sample(make(()))
    yield Sample(make((0, 3)))
    yield ErrorSample(RuntimeError, "'input' must be of at most 2 dimensions; found 3", make((2, 3, 4)))


@samples("movedim", dtypes="all")
def _movedim(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3, 4)), 0, -1)
    yield Sample(make((2, 3, 4)), (0, 1), (2, 0))
    yield Sample(make((2, 0, 4)), 1, 0)
    yield ErrorSample(
        RuntimeError,
        r"'source' and 'destination' must be of one length; found \[0, 1\] and \[0\]",
        make((2, 3)),
        (0, 1),
        (0,),
    )
    yield ErrorSample(
        RuntimeError, r"'source' must name each dimension once; found \[0, 0\]", make((2, 3)), (0, 0), (0, 1)
    )


@samples("adjoint", dtypes="all")
def _adjoint(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)))
    yield Sample(make((2, 3, 4)))
    yield Sample(make((0, 3)))
    yield ErrorSample(RuntimeError, "matrices", make((3,)))


@samples("expand", dtypes="all")
def _expand(make: Any) -> Iterator[Any]:
    yield Sample(make((3, 1)), 3, 4)
    yield Sample(make((3, 1)), (2, -1, 4))
    yield Sample(make(()), (2, 3))
    yield Sample(make((1, 2)), (0, 2))
    yield Sample(make((1, 0)), 3, 0)
    yield ErrorSample(
        RuntimeError,
        r"dimension 1 must be of size 1 to become 4; found 2 \(from \[3, 2\] to \[3, 4\]\)",
        make((3, 2)),
        3,
        4,
    )
    yield ErrorSample(
        RuntimeError, r"'size' must have a size for each of the 2 dimensions; found \[3\] for \[3, 2\]", make((3, 2)), 3
    )
    yield ErrorSample(
        RuntimeError, "-1 keeps a size, and a new dimension has none; found it for dimension 0", make((3,)), -1, 3
    )


@samples("broadcast_to", dtypes="all")
def _broadcast_to(make: Any) -> Iterator[Any]:
    yield Sample(make((3, 1)), (2, 3, 4))
    yield Sample(make((0, 1)), (0, 3))
    yield ErrorSample(
        RuntimeError,
        r"dimension 1 must be of size 1 to become 4; found 2 \(from \[3, 2\] to \[3, 4\]\)",
        make((3, 2)),
        (3, 4),
    )


@samples("expand_as", dtypes="all")
def _expand_as(make: Any) -> Iterator[Any]:
    yield Sample(make((3, 1)), make((2, 3, 4), requires_grad=False))
    yield Sample(make((0, 1)), make((0, 4), requires_grad=False))


@samples("select", dtypes="all")
def _select(make: Any) -> Iterator[Any]:
    yield Sample(make((4, 5)), 0, 2)
    yield Sample(make((4, 5)), -1, -3)
    yield Sample(make((4, 1)), 1, 0)
    yield Sample(make((4, 0)), 0, 2)
    yield ErrorSample(IndexError, r"'index' must be in dimension 0 of \[4, 5\]; found 4", make((4, 5)), 0, 4)
    yield ErrorSample(IndexError, "'input' must have a dimension to select from; found a 0-d tensor", make(()), 0, 0)


@samples("narrow", dtypes="all")
def _narrow(make: Any) -> Iterator[Any]:
    yield Sample(make((4, 6)), 1, 2, 3)
    yield Sample(make((4, 6)), 0, -3, 2)
    yield Sample(make((4, 6)), 0, 4, 0)
    yield Sample(make((0, 6)), 1, 2, 3)
    yield ErrorSample(
        RuntimeError,
        r"'start' \+ 'length' must be at most 6, the size of dimension 1; found 4 \+ 3",
        make((4, 6)),
        1,
        4,
        3,
    )
    yield ErrorSample(RuntimeError, "'length' must be at least 0; found -1", make((4, 6)), 1, 4, -1)
    yield ErrorSample(IndexError, r"'start' must be in \[-6, 6\]; found 7", make((4, 6)), 1, 7, 0)


@samples("narrow_copy", dtypes="all")
def _narrow_copy(make: Any) -> Iterator[Any]:
    yield Sample(make((4, 6)), 1, 2, 3)
    yield Sample(make((0, 6)), 1, 2, 3)


@samples("diagonal", dtypes="all")
def _diagonal(make: Any) -> Iterator[Any]:
    yield Sample(make((4, 4)))
    yield Sample(make((3, 5)), 2)
    yield Sample(make((3, 5)), -2)
    yield Sample(make((3, 5)), 7)
    yield Sample(make((2, 3, 4)), 1, 1, 2)
    yield Sample(make((2, 3, 4)), 0, -1, 0)
    yield Sample(make((0, 3)))
    yield ErrorSample(RuntimeError, r"'dim2' must name each dimension once; found \[1, 1\]", make((3, 3)), 0, 1, 1)
    yield ErrorSample(IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((3, 3)), 0, 0, 2)


@samples("unfold", dtypes="all")
def _unfold(make: Any) -> Iterator[Any]:
    yield Sample(make((7,)), 0, 3, 2)
    yield Sample(make((3, 8)), 1, 4, 4)
    yield Sample(make((3, 8, 2)), -2, 2, 3)
    yield Sample(make((0, 7)), 1, 3, 2)
    yield ErrorSample(RuntimeError, "'size' must be at most 7, the size of dimension 0; found 8", make((7,)), 0, 8, 1)
    yield ErrorSample(RuntimeError, "'step' must be at least 1; found 0", make((7,)), 0, 2, 0)


@samples("as_strided", dtypes="all", skip={"vmap": "a batched tensor has no memory layout of its own"})
def _as_strided(make: Any) -> Iterator[Any]:
    yield Sample(make((4, 5)), (2, 3), (5, 1))
    yield Sample(make((4, 5)), (2, 2), (1, 2), 3)
    yield Sample(make((4, 5)), (), (), 7)
    yield Sample(make((6,)), (4, 3), (1, 1))
    yield Sample(make((0,)), (0, 3), (3, 1))
    yield ErrorSample(RuntimeError, "the view must lie within its storage of 16 bytes", make((4,)), (3, 3), (2, 1))
    yield ErrorSample(
        RuntimeError, r"'size' and 'stride' must be of one length; found \[3, 3\] and \[2\]", make((4,)), (3, 3), (2,)
    )
    yield ErrorSample(
        RuntimeError, r"'stride' must be at least 0 in each dimension; found \[-1\]", make((4,)), (3,), (-1,)
    )
    yield ErrorSample(TypeError, r"'size' \(position 2\) must be tuple of ints, not NoneType", make((4,)), None, (1,))
    yield ErrorSample(TypeError, r"'storage_offset' \(position 4\) must be int, not float", make((4,)), (2,), (1,), 1.5)


# In-place variants change the metadata of their input: it must not be one that is differentiated or batched.
_IN_PLACE: dict[str, Any] = {
    "as_strided_": lambda make: [
        (make((4, 5)), (2, 3), (5, 1)),
        (make((4, 5)), (2, 2), (1, 2), 3),
        (make((0,)), (0, 3), (3, 1)),
    ],
    "squeeze_": lambda make: [(make((1, 3, 1)),), (make((1, 3, 1)), 0), (make((1, 0)),)],
    "unsqueeze_": lambda make: [(make((2, 3)), 0), (make((2, 3)), -1), (make((0,)), 0)],
    "transpose_": lambda make: [(make((2, 3, 4)), 0, 2), (make((2, 3)), -1, -2), (make((0, 3)), 0, 1)],
    "swapaxes_": lambda make: [(make((2, 3, 4)), 0, 2), (make((0, 3)), 0, 1)],
    "swapdims_": lambda make: [(make((2, 3, 4)), 0, 2), (make((0, 3)), 0, 1)],
    "t_": lambda make: [(make((2, 3)),), (make((3,)),), (make((0, 3)),)],
}


def _changed(arguments: Any) -> Any:
    def generate(make: Any) -> Iterator[Any]:
        for args in arguments(make):
            yield Sample(*args)

    return generate


for _name, _arguments in _IN_PLACE.items():
    samples(
        _name,
        dtypes="all",
        grad=False,
        skip={
            "vmap": "changes its input",
            "dtypes": "the check calls twice, and the shape has changed",
            **(
                {
                    "noncontiguous": "reads the memory, whatever the strides",
                    "negative_strides": "reads the memory, whatever the strides",
                }
                if _name == "as_strided_"
                else {}
            ),
        },
    )(_changed(_arguments))


refused("narrow_copy", RuntimeError, "'length' must be at least 0", lambda make: (make((3,)), 0, 0, -1))

refused("as_strided", RuntimeError, "'stride' must be at least 0", lambda make: (make((3,)), (2,), (-1,)))
refused("unfold", RuntimeError, "'size' must be at most 1", lambda make: (make(()), 0, 2, 1))
refused("expand", RuntimeError, "'size' must be at least 0", lambda make: (make((1,)), (-2,)))
