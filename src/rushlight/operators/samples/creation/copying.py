"""Samples of operators/creation/copying.py."""

from __future__ import annotations

from rushlight.core import dtypes as dt
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples


@samples("clone", dtypes="all")
def _clone(make: Make) -> Samples:
    yield Sample(make((2, 3)))
    yield Sample(make((4, 3), noncontiguous=True))
    yield Sample(make((4, 3), noncontiguous=True), memory_format=dt.contiguous_format)
    yield Sample(make(()))
    yield Sample(make((0, 2)))


@samples("contiguous", dtypes="all")
def _contiguous(make: Make) -> Samples:
    yield Sample(make((2, 3)))
    yield Sample(make((4, 3), noncontiguous=True))
    yield Sample(make((0, 3)))


@samples("detach", dtypes="all", grad=False)
def _detach(make: Make) -> Samples:
    yield Sample(make((2, 3)))
    yield Sample(make((0, 3)))


@samples("to", dtypes="all", skip={"meta": "a sample asks for data on the CPU"})
def _to(make: Make) -> Samples:
    yield Sample(make((2, 3)), dt.float64)
    yield Sample(make((2, 3)), dt.complex64)
    yield Sample(make((2, 3)), "cpu", dt.float32)
    yield Sample(make((2, 3)), make((1,), dtype=dt.float64, requires_grad=False))
    yield Sample(make((2, 3)), make.dtype, copy=True)
    yield Sample(make((0, 3)), dt.float64)
    yield ErrorSample(AssertionError, "not compiled with CUDA", make((2,)), "cuda")


def _plain(make: Make) -> Samples:
    yield Sample(make((2, 3)))
    yield Sample(make(()))
    yield Sample(make((0, 3)))


for _name in ("float", "double", "half", "bfloat16", "bool", "chalf", "cfloat", "cdouble"):
    samples(_name, dtypes="float int bool" if not _name.startswith("c") else "all", grad=_name not in ("bool",))(_plain)
for _name in ("int", "long", "short", "char"):
    samples(_name, dtypes="float int bool", grad=False)(_plain)


@samples("byte", dtypes="float int bool", grad=False)
def _byte(make: Make) -> Samples:
    yield Sample(make((2, 3), low=0, high=5))
    yield Sample(make((0, 3), low=0))


@samples("type_as", dtypes="all")
def _type_as(make: Make) -> Samples:
    yield Sample(make((2, 3)), make((1,), dtype=dt.complex128, requires_grad=False))
    yield Sample(make((0, 3)), make((1,), dtype=dt.float64, requires_grad=False))


@samples("copy_", dtypes="all", grad=False)
def _copy(make: Make) -> Samples:
    yield Sample(make((2, 3)), make((2, 3)))
    yield Sample(make((2, 3)), make((3,)))
    yield Sample(make((2, 3)), make((2, 3), dtype=dt.int64))
    yield Sample(make((4, 3), noncontiguous=True), make((4, 3)))
    yield Sample(make((0, 3)), make((3,)))
    yield ErrorSample(
        RuntimeError,
        r"a source must broadcast to the shape \[2, 3\]; found the size 4 for 3 in dimension 1",
        make((2, 3)),
        make((4,)),
    )
    yield ErrorSample(
        RuntimeError,
        r"'source' must broadcast to the shape of the tensor, \[3\]; found \[2, 3\]",
        make((3,)),
        make((2, 3)),
    )


@samples("fill", dtypes="all")
def _fill(make: Make) -> Samples:
    yield Sample(make((2, 3)), 1)
    yield Sample(make((2, 3)), make(()))
    yield Sample(make((0, 3)), 1)
    yield ErrorSample(
        RuntimeError, "'value' must be a number or a 0-d tensor; found a 1-d tensor", make((2, 3)), make((3,))
    )


@samples("cpu", dtypes="all", skip={"meta": "asks for data on the CPU"})
def _cpu(make: Make) -> Samples:
    yield Sample(make((2, 3)))
    yield Sample(make((0, 3)))


@samples("cuda", dtypes="float32", grad=False)
def _cuda(make: Make) -> Samples:
    yield ErrorSample(AssertionError, "not compiled with CUDA", make((2, 3)))


@samples("type", dtypes="float int")
def _type(make: Make) -> Samples:
    yield Sample(make((2, 3)))
    yield Sample(make((2, 3)), dt.float64)
    yield Sample(make((0, 3)), "torch.FloatTensor")


@samples("detach_", dtypes="all", grad=False, skip={"vmap": "changes its input"})
def _detach_in_place(make: Make) -> Samples:
    yield Sample(make((2, 3)))
    yield Sample(make((0, 3)))


@samples(
    "set_", dtypes="all", grad=False, skip={"vmap": "changes its input", "meta": "takes the memory of another tensor"}
)
def _set(make: Make) -> Samples:
    yield Sample(make((2, 3)), make((4,)))
    yield Sample(make((0, 3)), make((2,)))
