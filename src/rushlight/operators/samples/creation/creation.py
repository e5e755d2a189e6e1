"""Samples of operators/creation/creation.py."""

from __future__ import annotations

from rushlight.core import dtypes as dt
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples

_NO_INPUT = {"vmap": "takes no tensor", "noncontiguous": "takes no tensor"}


def _sizes(make: Make) -> Samples:
    yield Sample(2, 3, dtype=make.dtype)
    yield Sample((2, 0), dtype=make.dtype)
    yield Sample((), dtype=make.dtype)
    yield Sample([4, 1, 2], dtype=make.dtype)
    yield ErrorSample(TypeError, "must be tuple of ints", 2.5)
    yield ErrorSample(RuntimeError, r"'size' must be at least 0 in each dimension; found \[2, -3\]", 2, -3)
    yield ErrorSample(AssertionError, "not compiled with CUDA", 2, device="cuda")
    yield ErrorSample(TypeError, "must be torch.dtype", 2, dtype="float32")


samples("zeros", dtypes="all", grad=False, skip=_NO_INPUT)(_sizes)
samples("ones", dtypes="all", grad=False, skip=_NO_INPUT)(_sizes)


@samples("full", dtypes="all", grad=False, skip=_NO_INPUT)
def _full(make: Make) -> Samples:
    yield Sample((2, 3), 1, dtype=make.dtype)
    yield Sample((), 1)
    yield Sample((3,), 1.5)
    yield Sample((3,), True)
    yield ErrorSample(
        RuntimeError, r"the number 300 does not fit into dtype torch\.uint8: overflow", (2,), 300, dtype=dt.uint8
    )
    yield ErrorSample(TypeError, "must be tuple of ints", 3, 2)


def _like(make: Make) -> Samples:
    yield Sample(make((2, 3)))
    yield Sample(make((4, 3), noncontiguous=True))
    yield Sample(make(()), dtype=dt.int64)
    yield Sample(make((0, 3)))


samples("zeros_like", dtypes="all", grad=False)(_like)
samples("ones_like", dtypes="all", grad=False)(_like)


@samples("full_like", dtypes="all", grad=False)
def _full_like(make: Make) -> Samples:
    yield Sample(make((2, 3)), 1)
    yield Sample(make((2, 3)), 2.5, dtype=dt.float64)
    yield Sample(make((0, 3)), 1)


def _new(make: Make) -> Samples:
    yield Sample(make((2,)), 2, 3)
    yield Sample(make((2,)), (2, 3), dtype=dt.int32)
    yield Sample(make((0,)), 2, 3)


samples("new_zeros", dtypes="all", grad=False)(_new)
samples("new_ones", dtypes="all", grad=False)(_new)


@samples("new_full", dtypes="all", grad=False)
def _new_full(make: Make) -> Samples:
    yield Sample(make((2,)), (2, 3), 1)
    yield Sample(make((0,)), (2, 3), 1)


@samples("arange", dtypes="float int", grad=False, skip=_NO_INPUT)
def _arange(make: Make) -> Samples:
    yield Sample(5, dtype=make.dtype)
    yield Sample(1, 7, 2, dtype=make.dtype)
    yield Sample(5, 1, -2) if make.dtype.kind != "u" else Sample(5)
    yield Sample(0, 1, 0.125)
    yield Sample(0)
    yield ErrorSample(RuntimeError, "'step' must not be 0", 0, 5, 0)
    yield ErrorSample(RuntimeError, "'step' must lead from 'start' to 'end'; found start 5, end 0, step 1", 5, 0)


@samples("linspace", dtypes="float int", grad=False, skip=_NO_INPUT)
def _linspace(make: Make) -> Samples:
    yield Sample(0, 12, 5, dtype=make.dtype)
    yield Sample(3, 3, 1, dtype=make.dtype)
    yield Sample(0, 1, 0, dtype=make.dtype)
    yield ErrorSample(RuntimeError, "'steps' must be at least 0; found -1", 0, 1, -1)


@samples("logspace", dtypes="float32 float64", grad=False, skip=_NO_INPUT)
def _logspace(make: Make) -> Samples:
    yield Sample(0, 2, 5, dtype=make.dtype)
    yield Sample(0, 4, 5, base=2.0, dtype=make.dtype)


@samples("eye", dtypes="all", grad=False, skip=_NO_INPUT)
def _eye(make: Make) -> Samples:
    yield Sample(3, dtype=make.dtype)
    yield Sample(2, 4, dtype=make.dtype)
    yield Sample(0, dtype=make.dtype)
    yield ErrorSample(RuntimeError, "'n' must be at least 0; found -1", -1)


def _indices(make: Make) -> Samples:
    yield Sample(3, 4)
    yield Sample(4, 3, -1)
    yield Sample(3, 3, 5)
    yield ErrorSample(RuntimeError, "'row' and 'col' must be at least 0; found -1 and 3", -1, 3)


samples("tril_indices", dtypes="int64", grad=False, skip=_NO_INPUT)(_indices)
samples("triu_indices", dtypes="int64", grad=False, skip=_NO_INPUT)(_indices)


@samples("complex", dtypes="float32 float64")
def _complex(make: Make) -> Samples:
    yield Sample(make((2, 3)), make((2, 3)))
    yield Sample(make((2, 1)), make((3,)))
    yield ErrorSample(
        RuntimeError,
        r"the two tensors must be of one dtype; found torch\.float32 and torch\.int64",
        make((2,)),
        make((2,), dtype=dt.int64),
    )


@samples("polar", dtypes="float32 float64")
def _polar(make: Make) -> Samples:
    yield Sample(make((2, 3), low=0.5), make((2, 3)))


@samples("range", dtypes="float32 float64 int64", grad=False, skip=_NO_INPUT)
def _range(make: Make) -> Samples:
    yield Sample(0, 4, dtype=make.dtype)
    yield Sample(1, 7, 2, dtype=make.dtype)
    yield Sample(5, 1, -2, dtype=make.dtype)
    yield ErrorSample(RuntimeError, "'step' must not be 0", 0, 5, 0)


refused("range", RuntimeError, "'step' must not be less than 1", lambda make: (0, 5, 0.5), dtype=dt.int64)
refused("range", RuntimeError, "'start' and 'end' must be finite", lambda make: (0, float("inf")))
refused("arange", ValueError, "'step' must not be less than 1", lambda make: (0, 5, 0.5), dtype=dt.int64)
