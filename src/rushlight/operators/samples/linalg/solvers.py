"""Samples of linear systems and determinants."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from rushlight.core.errors import LinAlgError
from rushlight.operators.samples._matrices import regular
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, refused, samples

_DTYPES = "float32 float64 complex"


def _singular(make: Make) -> Any:
    import rushlight

    return rushlight.stack([rushlight.eye(2), rushlight.zeros(2, 2)])


def _np_solve(np: ModuleType, a: Any, b: Any, left: bool = True) -> Any:
    if b.ndim == 1 or b.shape == a.shape[:-1]:
        return np.linalg.solve(a, b[..., None])[..., 0]
    return (
        np.linalg.solve(a, b)
        if left
        else np.swapaxes(np.linalg.solve(np.swapaxes(a, -1, -2), np.swapaxes(b, -1, -2)), -1, -2)
    )


def _systems(make: Make) -> Samples:
    yield Sample(regular(make, 3, 3), make((3, 2)))
    yield Sample(regular(make, 3, 3), make((3,)))
    yield Sample(regular(make, 2, 4, 4, noncontiguous=True), make((2, 4, 3)))
    yield Sample(regular(make, 2, 1, 3, 3), make((4, 3, 2)))
    yield Sample(regular(make, 2, 3, 3), make((2, 3)))
    yield Sample(regular(make, 3, 3), make((2, 3)), left=False)
    yield Sample(regular(make, 0, 3, 3), make((0, 3, 2)))
    yield Sample(regular(make, 0, 0), make((0, 2)))
    yield Sample(regular(make, 20, 20), make((20, 5)))
    yield ErrorSample(
        RuntimeError, "in AX = B, A and B must have as many rows; found 2 x 2 and 3 x 1", make((2, 2)), make((3, 1))
    )
    yield ErrorSample(RuntimeError, "the matrices of A must be square; found 2 x 3", make((2, 3)), make((2, 1)))
    yield ErrorSample(
        RuntimeError, "A must hold matrices, in 2 dimensions or more; found a 1-d tensor", make((3,)), make((3,))
    )


@samples("linalg.solve", dtypes=_DTYPES, tolerance=10.0, reference=_np_solve)
def _solve(make: Make) -> Samples:
    yield from _systems(make)
    yield ErrorSample(
        LinAlgError, r"linalg.solve: \(Batch element 1\): the matrix is singular", _singular(make), make((2, 1))
    )


@samples("linalg.solve_ex", dtypes=_DTYPES, tolerance=10.0)
def _solve_ex(make: Make) -> Samples:
    yield from _systems(make)
    yield ErrorSample(
        LinAlgError, r"linalg.solve_ex: \(Batch element 1\)", _singular(make), make((2, 1)), check_errors=True
    )


def _inverses(make: Make) -> Samples:
    yield Sample(regular(make, 3, 3))
    yield Sample(regular(make, 1, 1))
    yield Sample(regular(make, 2, 2, 4, 4))
    yield Sample(regular(make, 20, 20))
    yield Sample(regular(make, 0, 0))
    yield ErrorSample(RuntimeError, "the matrices of A must be square; found 2 x 3", make((2, 3)))


for _name in ("linalg.inv", "inverse", "linalg.inv_ex"):

    @samples(
        _name,
        dtypes=_DTYPES,
        tolerance=10.0,
        reference=None if _name.endswith("_ex") else lambda np, a: np.linalg.inv(a),
    )
    def _inv(make: Make, name: str = _name) -> Samples:
        yield from _inverses(make)
        if name.endswith("_ex"):
            yield ErrorSample(LinAlgError, r"linalg.inv_ex: \(Batch element 1\)", _singular(make), check_errors=True)
        else:
            yield ErrorSample(LinAlgError, r"linalg.inv: \(Batch element 1\)", _singular(make))


@samples("linalg.solve_triangular", dtypes=_DTYPES, tolerance=10.0)
def _solve_triangular(make: Make) -> Samples:
    yield Sample(regular(make, 3, 3), make((3, 2)), upper=True)
    yield Sample(regular(make, 2, 3, 3), make((3, 2)), upper=False)
    yield Sample(regular(make, 2, 3, 3), make((2, 2, 3)), upper=True, left=False)
    yield Sample(make((3, 3)), make((3, 2)), upper=False, unitriangular=True)
    yield Sample(regular(make, 24, 24), make((24, 9)), upper=True)
    yield Sample(regular(make, 0, 0), make((0, 2)), upper=True)
    yield ErrorSample(
        RuntimeError,
        "in AX = B, A and B must have as many rows; found 2 x 2 and 3 x 2",
        make((2, 2)),
        make((3, 2)),
        upper=True,
    )


@samples("triangular_solve", dtypes=_DTYPES, tolerance=10.0)
def _triangular_solve(make: Make) -> Samples:
    yield Sample(make((3, 2)), regular(make, 3, 3))
    yield Sample(make((2, 3, 2)), regular(make, 3, 3), upper=False)
    yield Sample(make((3, 2)), regular(make, 3, 3), transpose=True)
    yield Sample(make((3, 2)), make((3, 3)), False, False, True)
    yield ErrorSample(
        RuntimeError, "in AX = B, A and B must have as many rows; found 2 x 2 and 3 x 2", make((3, 2)), make((2, 2))
    )


for _name in ("det", "linalg.det"):

    @samples(_name, dtypes=_DTYPES, tolerance=10.0, reference=lambda np, a: np.linalg.det(a))
    def _det(make: Make) -> Samples:
        yield Sample(make((3, 3)))
        yield Sample(make((2, 4, 4)))
        yield Sample(regular(make, 1, 1))
        yield Sample(make((0, 0)))
        yield Sample(make((0, 3, 3)))
        yield ErrorSample(RuntimeError, "the matrices of A must be square; found 2 x 3", make((2, 3)))


for _name in ("slogdet", "linalg.slogdet"):

    @samples(_name, dtypes=_DTYPES, tolerance=10.0, reference=lambda np, a: tuple(np.linalg.slogdet(a)))
    def _slogdet(make: Make) -> Samples:
        yield Sample(make((3, 3)))
        yield Sample(regular(make, 2, 4, 4))
        yield Sample(make((0, 0)))
        yield ErrorSample(RuntimeError, "the matrices of A must be square; found 2 x 3", make((2, 3)))


@samples("logdet", dtypes=_DTYPES, tolerance=10.0)
def _logdet(make: Make) -> Samples:
    yield Sample(regular(make, 3, 3))
    yield Sample(regular(make, 2, 4, 4))
    yield ErrorSample(RuntimeError, "the matrices of A must be square; found 2 x 3", make((2, 3)))


@samples(
    "linalg.tensorsolve",
    dtypes=_DTYPES,
    tolerance=100.0,
    reference=lambda np, a, b, dims=None: np.linalg.tensorsolve(a, b, axes=dims),
)
def _tensorsolve(make: Make) -> Samples:
    yield Sample(regular(make, 6, 6).reshape(2, 3, 6), make((2, 3)))
    yield Sample(regular(make, 6, 6).reshape(2, 3, 3, 2), make((2, 3)))
    yield Sample(regular(make, 6, 6).reshape(6, 2, 3), make((6,)), dims=None)
    yield Sample(regular(make, 6, 6).reshape(6, 2, 3).permute(1, 0, 2), make((6,)), dims=(0,))
    yield ErrorSample(
        RuntimeError,
        "the last dimensions of A must have as many elements as its first 1; found 3 and 2",
        make((2, 3)),
        make((2,)),
    )


@samples(
    "linalg.tensorinv", dtypes=_DTYPES, tolerance=100.0, reference=lambda np, a, ind=2: np.linalg.tensorinv(a, ind)
)
def _tensorinv(make: Make) -> Samples:
    yield Sample(regular(make, 6, 6).reshape(6, 2, 3), ind=1)
    yield Sample(regular(make, 6, 6).reshape(2, 3, 3, 2))
    yield ErrorSample(RuntimeError, "'ind' must be at least 1; found 0", make((2, 2)), ind=0)
    yield ErrorSample(
        RuntimeError,
        "the last dimensions of A must have as many elements as its first 1; found 3 and 2",
        make((2, 3)),
        ind=1,
    )


refused("linalg.tensorinv", RuntimeError, "'ind' must be less than", lambda make: (make((2, 2)), 2))
