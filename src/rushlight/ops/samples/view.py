"""Samples of ops/view.py."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rushlight.ops.samples._registry import ErrorSample, Sample, samples


@samples("view", dtypes="all")
def _view(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3, 4)), 6, 4)
    yield Sample(make((2, 3, 4)), (-1,))
    yield Sample(make((2, 3, 4)), (2, -1, 2))
    yield Sample(make(()), (1, 1))
    yield Sample(make((1,)), ())
    yield Sample(make((0, 3)), (3, 0))
    yield ErrorSample(RuntimeError, "is invalid for input of size 24", make((2, 3, 4)), 5, 5)
    yield ErrorSample(RuntimeError, "only one dimension can be inferred", make((2, 3, 4)), -1, -1)
    yield ErrorSample(RuntimeError, "ambiguous", make((0, 3)), -1, 0)
    yield ErrorSample(RuntimeError, "not compatible", make((2, 3)).transpose(0, 1), 6)


@samples("reshape", dtypes="all")
def _reshape(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3, 4)), (4, 6))
    yield Sample(make((4, 3), noncontiguous=True), (2, -1))
    yield Sample(make((2, 3, 4), noncontiguous=True), (24,))
    yield Sample(make(()), (1,))
    yield Sample(make((0, 3)), (0,))
    yield ErrorSample(RuntimeError, "is invalid for input of size 6", make((2, 3)), (4, 2))


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
    yield ErrorSample(RuntimeError, "cannot come after", make((2, 3, 4)), 2, 1)
    yield ErrorSample(IndexError, "out of range", make((2, 3, 4)), 3)


@samples("unflatten", dtypes="all")
def _unflatten(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 12)), 1, (3, 4))
    yield Sample(make((2, 12)), -1, (3, -1, 2))
    yield Sample(make((0, 12)), 1, (3, 4))
    yield ErrorSample(RuntimeError, "multiply up", make((2, 12)), 1, (5, -1))


@samples("squeeze", dtypes="all")
def _squeeze(make: Any) -> Iterator[Any]:
    yield Sample(make((1, 3, 1, 2)))
    yield Sample(make((1, 3, 1, 2)), 0)
    yield Sample(make((1, 3, 1, 2)), 1)
    yield Sample(make((1, 3, 1, 2)), (0, -2))
    yield Sample(make(()))
    yield Sample(make(()), 0)
    yield Sample(make((1, 0, 1)))
    yield ErrorSample(IndexError, "out of range", make((1, 3)), 2)


@samples("unsqueeze", dtypes="all")
def _unsqueeze(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)), 0)
    yield Sample(make((2, 3)), -1)
    yield Sample(make(()), 0)
    yield Sample(make((0,)), 0)
    yield ErrorSample(IndexError, "out of range", make((2, 3)), 3)


@samples("permute", dtypes="all")
def _permute(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3, 4)), (2, 0, 1))
    yield Sample(make((2, 3, 4)), (0, -1, 1))
    yield Sample(make(()), ())
    yield Sample(make((0, 3)), (1, 0))
    yield ErrorSample(RuntimeError, "number of dimensions", make((2, 3)), (0,))
    yield ErrorSample(RuntimeError, "duplicate dims", make((2, 3)), (0, 0))
    yield ErrorSample(IndexError, "out of range", make((2, 3)), (0, 2))


@samples("transpose", dtypes="all")
def _transpose(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3, 4)), 0, 2)
    yield Sample(make((2, 3, 4)), -1, -2)
    yield Sample(make(()), 0, 0)
    yield Sample(make((0, 3)), 0, 1)
    yield ErrorSample(IndexError, "out of range", make((2, 3)), 0, 2)


@samples("swapaxes", dtypes="all")
def _swapaxes(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3, 4)), 0, -1)
    yield Sample(make((0, 3)), 0, 1)
    yield ErrorSample(IndexError, "out of range", make((2, 3)), 0, 2)


@samples("t", dtypes="all")
def _t(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3)))
    yield Sample(make((3,)))
    yield Sample(make(()))
    yield Sample(make((0, 3)))
    yield ErrorSample(RuntimeError, "<= 2 dimensions", make((2, 3, 4)))


@samples("movedim", dtypes="all")
def _movedim(make: Any) -> Iterator[Any]:
    yield Sample(make((2, 3, 4)), 0, -1)
    yield Sample(make((2, 3, 4)), (0, 1), (2, 0))
    yield Sample(make((2, 0, 4)), 1, 0)
    yield ErrorSample(RuntimeError, "same number of dims", make((2, 3)), (0, 1), (0,))
    yield ErrorSample(RuntimeError, "repeated dim", make((2, 3)), (0, 0), (0, 1))


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
    yield ErrorSample(RuntimeError, "must match the existing size", make((3, 2)), 3, 4)
    yield ErrorSample(RuntimeError, "number of sizes provided", make((3, 2)), 3)
    yield ErrorSample(RuntimeError, "leading, non-existing dimension", make((3,)), -1, 3)


@samples("broadcast_to", dtypes="all")
def _broadcast_to(make: Any) -> Iterator[Any]:
    yield Sample(make((3, 1)), (2, 3, 4))
    yield Sample(make((0, 1)), (0, 3))
    yield ErrorSample(RuntimeError, "must match the existing size", make((3, 2)), (3, 4))


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
    yield ErrorSample(IndexError, "out of range for tensor of size", make((4, 5)), 0, 4)
    yield ErrorSample(IndexError, "0-dim tensor", make(()), 0, 0)


@samples("narrow", dtypes="all")
def _narrow(make: Any) -> Iterator[Any]:
    yield Sample(make((4, 6)), 1, 2, 3)
    yield Sample(make((4, 6)), 0, -3, 2)
    yield Sample(make((4, 6)), 0, 4, 0)
    yield Sample(make((0, 6)), 1, 2, 3)
    yield ErrorSample(RuntimeError, "exceeds dimension size", make((4, 6)), 1, 4, 3)
    yield ErrorSample(RuntimeError, "non-negative", make((4, 6)), 1, 4, -1)
    yield ErrorSample(IndexError, "start out of range", make((4, 6)), 1, 7, 0)


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
    yield ErrorSample(RuntimeError, "cannot be identical", make((3, 3)), 0, 1, 1)
    yield ErrorSample(IndexError, "out of range", make((3, 3)), 0, 0, 2)


@samples("unfold", dtypes="all")
def _unfold(make: Any) -> Iterator[Any]:
    yield Sample(make((7,)), 0, 3, 2)
    yield Sample(make((3, 8)), 1, 4, 4)
    yield Sample(make((3, 8, 2)), -2, 2, 3)
    yield Sample(make((0, 7)), 1, 3, 2)
    yield ErrorSample(RuntimeError, "maximum size for tensor at dimension 0 is 7 but size is 8", make((7,)), 0, 8, 1)
    yield ErrorSample(RuntimeError, "step is 0 but must be > 0", make((7,)), 0, 2, 0)


@samples("as_strided", dtypes="all", skip={"vmap": "a batched tensor has no memory layout of its own"})
def _as_strided(make: Any) -> Iterator[Any]:
    yield Sample(make((4, 5)), (2, 3), (5, 1))
    yield Sample(make((4, 5)), (2, 2), (1, 2), 3)
    yield Sample(make((4, 5)), (), (), 7)
    yield Sample(make((6,)), (4, 3), (1, 1))
    yield Sample(make((0,)), (0, 3), (3, 1))
    yield ErrorSample(RuntimeError, "out of bounds", make((4,)), (3, 3), (2, 1))
    yield ErrorSample(RuntimeError, "mismatch in length", make((4,)), (3, 3), (2,))
    yield ErrorSample(RuntimeError, "[Nn]egative", make((4,)), (3,), (-1,))


# In-place variants change the metadata of their input: it must not be one that is differentiated or batched.
_IN_PLACE: dict[str, Any] = {
    "as_strided_": lambda make: [(make((4, 5)), (2, 3), (5, 1)), (make((4, 5)), (2, 2), (1, 2), 3), (make((0,)), (0, 3), (3, 1))],
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
    samples(_name, dtypes="all", grad=False, skip={
        "vmap": "changes its input", "dtypes": "the check calls twice, and the shape has changed",
        **({"noncontiguous": "reads the memory, whatever the strides", "negative_strides": "reads the memory, whatever the strides"} if _name == "as_strided_" else {})})(_changed(_arguments))
