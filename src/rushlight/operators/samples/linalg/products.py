"""Samples of powers, exponentials and products."""

from __future__ import annotations

from rushlight.core.errors import LinAlgError
from rushlight.operators.samples._matrices import regular
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples

_DTYPES = "float32 float64 complex"


for _name in ("matrix_power", "linalg.matrix_power"):

    @samples(_name, dtypes=_DTYPES, tolerance=50.0, reference=lambda np, a, n: np.linalg.matrix_power(a, n))
    def _matrix_power(make: Make) -> Samples:
        import rushlight

        for n in (1, 2, 3, -1, -2, 5, 0):
            yield Sample(regular(make, 2, 3, 3), n)
        yield ErrorSample(RuntimeError, "the matrices of A must be square; found 2 x 3", make((2, 3)), 2)
        yield ErrorSample(LinAlgError, "linalg.matrix_power: the matrix is singular", rushlight.zeros(2, 2), -1)


for _name in ("matrix_exp", "linalg.matrix_exp"):

    @samples(_name, dtypes=_DTYPES, tolerance=50.0)
    def _matrix_exp(make: Make) -> Samples:
        yield Sample(make((3, 3), low=-0.1, high=0.1))
        yield Sample(make((2, 4, 4)))
        yield Sample(make((8, 8), low=-3, high=3))
        yield Sample(make((1, 1)))
        yield Sample(make((0, 0)))
        yield ErrorSample(RuntimeError, "the matrices of A must be square; found 2 x 3", make((2, 3)))


@samples("linalg.multi_dot", dtypes=_DTYPES, tolerance=20.0, reference=lambda np, xs: np.linalg.multi_dot(xs))
def _multi_dot(make: Make) -> Samples:
    yield Sample([make((2, 3)), make((3, 4))])
    yield Sample([make((3,)), make((3, 4)), make((4, 2)), make((2,))])
    yield Sample([make((10, 2)), make((2, 9)), make((9, 3))])
    yield ErrorSample(RuntimeError, "'tensors' must hold 2 or more; found 1", [make((2, 3))])
    yield ErrorSample(RuntimeError, "neighbours must fit as factors of a matrix product", [make((2, 3)), make((2, 2))])


@samples("linalg.matmul", dtypes="float complex int", tolerance=4.0, reference=lambda np, a, b: np.matmul(a, b))
def _matmul(make: Make) -> Samples:
    yield Sample(make((2, 3)), make((3, 4)))
    yield Sample(make((2, 2, 3)), make((3,)))
    yield ErrorSample(
        RuntimeError,
        "the columns of the first operand must be as many as the rows of the second",
        make((2, 3)),
        make((2, 3)),
    )


@samples("linalg.vecdot", dtypes=_DTYPES, tolerance=4.0)
def _vecdot(make: Make) -> Samples:
    yield Sample(make((3,)), make((3,)))
    yield Sample(make((2, 3)), make((3,)))
    yield Sample(make((3, 2)), make((3, 1)), dim=0)
    yield ErrorSample(RuntimeError, "sizes that differ must be 1 in one of the tensors", make((3,)), make((4,)))


@samples(
    "linalg.cross",
    dtypes="float32 float64 complex int",
    tolerance=4.0,
    reference=lambda np, a, b, dim=-1: np.cross(a, b, axis=dim),
)
def _cross(make: Make) -> Samples:
    yield Sample(make((2, 3)), make((2, 3)))
    yield Sample(make((3, 2)), make((3, 2)), dim=0)
    yield ErrorSample(
        RuntimeError,
        "dimension -1 of 'input' and 'other' must have the size 3; found 2 and 2",
        make((2, 2)),
        make((2, 2)),
    )


@samples("linalg.vander", dtypes="float32 float64 complex int", tolerance=8.0)
def _vander(make: Make) -> Samples:
    yield Sample(make((4,)))
    yield Sample(make((2, 3)), N=5)
    yield ErrorSample(RuntimeError, "'N' must be greater than 1; found 1", make((3,)), N=1)


@samples(
    "linalg.diagonal",
    dtypes="float complex int bool",
    reference=lambda np, a, offset=0, dim1=-2, dim2=-1: np.diagonal(a, offset, dim1, dim2),
)
def _diagonal(make: Make) -> Samples:
    yield Sample(make((3, 4)))
    yield Sample(make((2, 3, 4)), offset=1)
    yield Sample(make((2, 3, 4)), offset=-1, dim1=0, dim2=1)
    yield ErrorSample(
        RuntimeError, r"'dim2' must name each dimension once; found \[0, 0\]", make((2, 2)), dim1=0, dim2=0
    )
