"""Samples of operators/shapes/shape.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Sample, refused, samples


@samples("split", dtypes="all")
@samples("unsafe_split", dtypes="all")
def _split(make: Any) -> Iterator[Any]:
    yield Sample(make((5, 3)), 2)
    yield Sample(make((5, 6)), 4, 1)
    yield Sample(make((5, 6)), [1, 0, 5], -1)
    yield Sample(make((0, 3)), 2)
    yield ErrorSample(
        RuntimeError, r"'split_sizes' must add up to 5, the size of dimension 0; found \[2, 2\]", make((5, 3)), [2, 2]
    )
    yield ErrorSample(
        RuntimeError, "'split_size' must be at least 1 for a dimension with elements; found 0 for 5", make((5, 3)), 0
    )
    yield ErrorSample(RuntimeError, "'split_size' must be at least 0; found -1", make((5, 3)), -1)
    yield ErrorSample(IndexError, r"'dim' must be in \[-2, 1\] for a 2-d tensor; found 2", make((5, 3)), 1, 2)


@samples("split_with_sizes", dtypes="all")
@samples("unsafe_split_with_sizes", dtypes="all")
def _split_with_sizes(make: Any) -> Iterator[Any]:
    yield Sample(make((5, 3)), [2, 3])
    yield Sample(make((5, 0)), [2, 3])
    yield ErrorSample(RuntimeError, r"'split_sizes' must be at least 0 each; found \[6, -1\]", make((5, 3)), [6, -1])


@samples("chunk", dtypes="all")
@samples("unsafe_chunk", dtypes="all")
def _chunk(make: Any) -> Iterator[Any]:
    yield Sample(make((5, 3)), 3)
    yield Sample(make((5, 6)), 4, 1)
    yield Sample(make((0, 6)), 2)
    yield ErrorSample(RuntimeError, "'chunks' must be at least 1; found 0", make((5, 3)), 0)
    yield ErrorSample(RuntimeError, "'input' must have a dimension to split; found a 0-d tensor", make(()), 1)


@samples("tensor_split", dtypes="all")
def _tensor_split(make: Any) -> Iterator[Any]:
    yield Sample(make((7, 3)), 3)
    yield Sample(make((7, 3)), (2, 5))
    yield Sample(make((7, 3)), (5, 2, -1), 0)
    yield Sample(make((7, 3)), 5, dim=1)
    yield Sample(make((0, 3)), 3)
    yield ErrorSample(RuntimeError, "'sections' must be at least 1; found 0", make((7, 3)), 0)


@samples("hsplit", dtypes="all")
def _hsplit(make: Any) -> Iterator[Any]:
    yield Sample(make((4,)), 2)
    yield Sample(make((3, 4)), (1, 3))
    yield Sample(make((0, 4)), 2)
    yield ErrorSample(RuntimeError, "'sections' must divide the size of dimension 1, 4; found 3", make((3, 4)), 3)
    yield ErrorSample(RuntimeError, "'input' must be of 1 dimension or more; found 0", make(()), 1)


@samples("vsplit", dtypes="all")
def _vsplit(make: Any) -> Iterator[Any]:
    yield Sample(make((4, 2)), 2)
    yield Sample(make((4, 0)), 2)
    yield ErrorSample(RuntimeError, "'input' must be of 2 dimensions or more; found 1", make((3,)), 1)


@samples("dsplit", dtypes="all")
def _dsplit(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 2, 4)), (1, 2))
    yield Sample(make((2, 0, 4)), 2)
    yield ErrorSample(RuntimeError, "'input' must be of 3 dimensions or more; found 2", make((3, 2)), 1)


@samples("unbind", dtypes="all")
def _unbind(make: Any) -> Iterator[Any]:
    yield Sample(make((3, 4)))
    yield Sample(make((3, 4)), -1)
    yield Sample(make((0, 4)))
    yield ErrorSample(IndexError, "'input' must have a dimension to take apart; found a 0-d tensor", make(()))


@samples("real", dtypes="complex")
def _real(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)))
    yield Sample(make(()))
    yield Sample(make((0, 3)))


@samples("imag", dtypes="complex")
def _imag(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)))
    yield Sample(make((4, 3), noncontiguous=True))
    yield Sample(make((0, 3)))


@samples("view_as_real", dtypes="complex")
def _view_as_real(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)))
    yield Sample(make(()))
    yield Sample(make((0,)))


@samples("view_as_complex", dtypes="float32 float64")
def _view_as_complex(make: Any) -> Iterator[Any]:
    yield Sample(make((3, 2)))
    yield Sample(make((2,)))
    yield Sample(make((0, 2)))
    yield ErrorSample(RuntimeError, "the last dimension of 'input' must have the size 2; found 3", make((2, 3)))
    yield ErrorSample(RuntimeError, "'input' must hold pairs along its last dimension; found a 0-d tensor", make(()))
    yield ErrorSample(
        RuntimeError, "the last dimension of 'input' must have the stride 1; found 2", make((2, 2)).transpose(0, 1)
    )


def _ranks(make: Any) -> Iterator[Any]:
    yield Sample(make(()))
    yield Sample(make((3,)))
    yield Sample(make((3, 2)))
    yield Sample(make((3, 2, 4)))
    yield Sample(make(()), make((2, 2)))
    yield Sample(make((0, 2)))


for _name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    samples(_name, dtypes="all")(_ranks)


# Copies of what the view operators give: the same arguments.
_COPIES: dict[str, Any] = {
    "alias_copy": lambda make: [(make((2, 3)),), (make(()),), (make((0, 3)),)],
    "as_strided_copy": lambda make: [
        (make((4, 5)), (2, 3), (5, 1)),
        (make((4, 5)), (2, 2), (1, 2), 3),
        (make((0,)), (0, 3), (3, 1)),
    ],
    "detach_copy": lambda make: [(make((2, 3)),), (make(()),), (make((0, 3)),)],
    "diagonal_copy": lambda make: [(make((4, 4)),), (make((2, 3, 4)), 1, 1, 2), (make((0, 3)),)],
    "expand_copy": lambda make: [(make((3, 1)), (3, 4)), (make(()), (2, 3)), (make((1, 0)), (3, 0))],
    "permute_copy": lambda make: [(make((2, 3, 4)), (2, 0, 1)), (make(()), ()), (make((0, 3)), (1, 0))],
    "select_copy": lambda make: [(make((4, 5)), 0, 2), (make((4, 5)), -1, -3), (make((4, 0)), 0, 2)],
    "split_with_sizes_copy": lambda make: [(make((5, 3)), [2, 3]), (make((5, 3)), [1, 2], 1), (make((5, 0)), [2, 3])],
    "squeeze_copy": lambda make: [(make((1, 3, 1)),), (make((1, 3, 1)), 0), (make((1, 0)),)],
    "t_copy": lambda make: [(make((2, 3)),), (make((3,)),), (make((0, 3)),)],
    "transpose_copy": lambda make: [(make((2, 3, 4)), 0, 2), (make((2, 3)), -1, -2), (make((0, 3)), 0, 1)],
    "unbind_copy": lambda make: [(make((3, 4)),), (make((3, 4)), -1), (make((0, 4)),)],
    "unfold_copy": lambda make: [(make((7,)), 0, 3, 2), (make((3, 8)), 1, 4, 4), (make((0, 7)), 1, 3, 2)],
    "unsqueeze_copy": lambda make: [(make((2, 3)), 0), (make((2, 3)), -1), (make((0,)), 0)],
    "view_copy": lambda make: [(make((2, 3, 4)), (6, 4)), (make((2, 3)), (-1,)), (make((0, 3)), (3, 0))],
}
_NO_LAYOUT = {
    "as_strided_copy": {
        "vmap": "a batched tensor has no memory layout of its own",
        "noncontiguous": "reads the memory, whatever the strides",
        "negative_strides": "reads the memory, whatever the strides",
    },
    "view_copy": {},
    "detach_copy": {},
}


def _copies(arguments: Any) -> Any:
    def generate(make: Any) -> Iterator[Any]:
        for args in arguments(make):
            yield Sample(*args)

    return generate


for _name, _arguments in _COPIES.items():
    samples(_name, dtypes="all", grad=_name != "detach_copy", skip=_NO_LAYOUT.get(_name))(_copies(_arguments))


refused("unfold_copy", RuntimeError, "'size' must be at least 0", lambda make: (make((3,)), 0, -1, 1))
refused("unfold_copy", RuntimeError, "'step' must be at least 1", lambda make: (make((3,)), 0, 1, 0))
