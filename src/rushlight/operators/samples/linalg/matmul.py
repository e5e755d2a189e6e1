"""Samples of the matrix products."""

from __future__ import annotations

from rushlight.core import dtypes as dt
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples

_ALL = "float complex int64 int32"


@samples("matmul", dtypes=f"{_ALL} int8 int16 uint8", reference=lambda np, a, b: np.matmul(a, b), tolerance=4.0)
def _matmul(make: Make) -> Samples:
    shapes = [
        ((3,), (3,)),
        ((2, 3), (3,)),
        ((3,), (3, 4)),
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3, 4)),
        ((5, 2, 3), (5, 3, 4)),
        ((2, 3), (5, 3, 4)),
        ((1, 2, 3), (5, 3, 4)),
        ((5, 1, 2, 3), (4, 3, 2)),
        ((2, 0), (0, 3)),
        ((0, 3), (3, 2)),
        ((5, 2, 3), (3,)),
        ((1, 1), (1, 1)),
    ]
    for a, b in shapes:
        yield Sample(make(a), make(b))
    yield Sample(make((3, 4), noncontiguous=True), make((4, 5), noncontiguous=True))
    yield ErrorSample(
        RuntimeError,
        "the columns of the first operand must be as many as the rows of the second",
        make((2, 3)),
        make((2, 3)),
    )
    yield ErrorSample(RuntimeError, "the operands must have at least 1 dimension; found 0 and 1", make(()), make((2,)))
    yield ErrorSample(RuntimeError, "the vectors must be of one length; found 2 and 3", make((2,)), make((3,)))


@samples("_int_mm", dtypes="int8", reference=lambda np, a, b: np.matmul(a.astype("int32"), b.astype("int32")))
def _int_mm(make: Make) -> Samples:
    yield Sample(make((2, 3)), make((3, 4)))
    yield Sample(make((0, 3)), make((3, 4)))
    yield Sample(make((3, 4), noncontiguous=True), make((4, 5), noncontiguous=True))
    yield ErrorSample(RuntimeError, "'input' must be a matrix", make((3,)), make((3, 4)))
    yield ErrorSample(
        RuntimeError,
        "the columns of the first operand must be as many as the rows of the second",
        make((2, 3)),
        make((4, 3)),
    )


@samples("mm", dtypes=f"{_ALL} int8 int16 uint8", tolerance=4.0)
def _mm(make: Make) -> Samples:
    yield Sample(make((2, 3)), make((3, 4)))
    yield Sample(make((0, 3)), make((3, 4)))
    yield ErrorSample(RuntimeError, "must be a matrix", make((2, 3, 1)), make((3, 4)))
    yield ErrorSample(
        RuntimeError,
        "the columns of the first operand must be as many as the rows of the second",
        make((2, 3)),
        make((4, 3)),
    )


@samples("bmm", dtypes=f"{_ALL} int8 int16 uint8", tolerance=4.0)
def _bmm(make: Make) -> Samples:
    yield Sample(make((2, 3, 4)), make((2, 4, 5)))
    yield Sample(make((0, 3, 4)), make((0, 4, 5)))
    yield ErrorSample(
        RuntimeError,
        "the second operand must be a batch of 2 matrices of 4 rows; found 3 of 4",
        make((2, 3, 4)),
        make((3, 4, 5)),
    )


@samples("mv", dtypes=_ALL, tolerance=4.0)
def _mv(make: Make) -> Samples:
    yield Sample(make((2, 3)), make((3,)))
    yield ErrorSample(
        RuntimeError,
        "'vec' must have an element for each of the 3 columns of 'input'; found 4",
        make((2, 3)),
        make((4,)),
    )


@samples("dot", dtypes=_ALL, tolerance=4.0)
def _dot(make: Make) -> Samples:
    yield Sample(make((3,)), make((3,)))
    yield Sample(make((0,)), make((0,)))
    yield ErrorSample(RuntimeError, "the operands must be vectors; found 2 and 1 dimensions", make((3, 1)), make((3,)))


@samples("vdot", dtypes=_ALL, tolerance=4.0)
def _vdot(make: Make) -> Samples:
    yield Sample(make((3,)), make((3,)))
    yield ErrorSample(RuntimeError, "the vectors must be of one length; found 3 and 4", make((3,)), make((4,)))


@samples("inner", dtypes=_ALL, tolerance=4.0)
def _inner(make: Make) -> Samples:
    yield Sample(make((2, 3)), make((4, 3)))
    yield Sample(make((3,)), make((4, 2, 3)))
    yield Sample(make(()), make((2, 3)))
    yield ErrorSample(
        RuntimeError,
        r"the last dimensions of 'input' and 'other' must be of one size; found \[2, 3\] and \[3, 2\]",
        make((2, 3)),
        make((3, 2)),
    )


@samples("outer", dtypes=_ALL, reference=lambda np, a, b: np.outer(a, b))
def _outer(make: Make) -> Samples:
    yield Sample(make((3,)), make((4,)))
    yield Sample(make((0,)), make((4,)))
    yield ErrorSample(
        RuntimeError, "'input' and 'vec2' must be vectors; found 2 and 1 dimensions", make((3, 1)), make((4,))
    )


def _scaled(make: Make, shape: tuple[int, ...], a: tuple[int, ...], b: tuple[int, ...]) -> Samples:
    yield Sample(make(shape), make(a), make(b))
    yield Sample(make((1,)), make(a), make(b))
    yield Sample(make(shape), make(a), make(b), beta=2, alpha=3)
    yield Sample(make(shape), make(a), make(b), beta=0)
    yield Sample(make(shape), make(a), make(b), beta=1, alpha=7)


@samples("addmm", dtypes=_ALL, tolerance=4.0)
def _addmm(make: Make) -> Samples:
    yield from _scaled(make, (2, 4), (2, 3), (3, 4))
    yield ErrorSample(
        RuntimeError,
        "'input' must broadcast to the shape of the product, 2x4; found 3x4",
        make((3, 4)),
        make((2, 3)),
        make((3, 4)),
    )


@samples("addmv", dtypes=_ALL, tolerance=4.0)
def _addmv(make: Make) -> Samples:
    yield from _scaled(make, (2,), (2, 3), (3,))


@samples("addr", dtypes=_ALL, tolerance=4.0)
def _addr(make: Make) -> Samples:
    yield from _scaled(make, (2, 3), (2,), (3,))
    yield ErrorSample(
        RuntimeError,
        "'alpha' must be a bool or an integer where the tensors are bools",
        *(make(shape, dtype=dt.bool_) for shape in ((2, 3), (2,), (3,))),
        alpha=0.5,
    )
    yield ErrorSample(
        RuntimeError, "'vec1' must be a vector; found a 2-d tensor", make((2, 3)), make((2, 1)), make((3,))
    )


@samples("baddbmm", dtypes=_ALL, tolerance=4.0)
def _baddbmm(make: Make) -> Samples:
    yield from _scaled(make, (2, 2, 4), (2, 2, 3), (2, 3, 4))


@samples("addbmm", dtypes=_ALL, tolerance=4.0)
def _addbmm(make: Make) -> Samples:
    yield from _scaled(make, (2, 4), (3, 2, 3), (3, 3, 4))


@samples("nn.functional.linear", dtypes="float complex", tolerance=4.0)
def _linear(make: Make) -> Samples:
    yield Sample(make((2, 3)), make((4, 3)), make((4,)))
    yield Sample(make((5, 2, 3)), make((4, 3)))
    yield Sample(make((3,)), make((4, 3)), make((4,)))
    yield Sample(make((0, 3)), make((4, 3)), make((4,)))
    yield Sample(make((2, 3)), make((3,)), make(()))
    yield ErrorSample(
        RuntimeError, "the last dimension of 'input' must be that of 'weight', 2; found 3", make((2, 3)), make((4, 2))
    )
    # The bias does not enlarge the product.
    for x, weight, bias in (
        ((2, 3), (1, 3), (4,)),
        ((3,), (1, 3), (4,)),
        ((1, 3), (4, 3), (2, 4)),
        ((2, 3), (4, 3), (5,)),
    ):
        yield ErrorSample(RuntimeError, "'bias' must broadcast to the shape", make(x), make(weight), make(bias))


@samples("bilinear", dtypes="float", tolerance=4.0)
def _bilinear(make: Make) -> Samples:
    yield Sample(make((2, 3)), make((2, 4)), make((5, 3, 4)), make((5,)))
    yield Sample(make((3,)), make((4,)), make((5, 3, 4)))
    yield ErrorSample(
        RuntimeError,
        "the last dimension of 'input1' must be dimension 1 of 'weight', 4; found 3",
        make((2, 3)),
        make((2, 4)),
        make((5, 4, 3)),
    )


@samples("kron", dtypes=_ALL, reference=lambda np, a, b: np.kron(a, b))
def _kron(make: Make) -> Samples:
    yield Sample(make((2, 3)), make((3, 2)))
    yield Sample(make((2,)), make((3, 2)))
    yield Sample(make(()), make((3,)))


@samples("cov", dtypes="float32 float64", tolerance=4.0)
def _cov(make: Make) -> Samples:
    yield Sample(make((3, 5)))
    yield Sample(make((5,)))
    yield Sample(make((3, 5)), correction=0)
    yield Sample(make((3, 5)), aweights=make((5,), low=0.1, high=1, requires_grad=False, dtype=dt.float64))
    yield ErrorSample(RuntimeError, "'input' must be of at most 2 dimensions; found 3", make((2, 3, 4)))


@samples("corrcoef", dtypes="float32 float64", tolerance=8.0)
def _corrcoef(make: Make) -> Samples:
    yield Sample(make((3, 5)))
    yield Sample(make((5,)))
