"""Samples of factorizations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core.errors import LinAlgError
from rushlight.operators.samples._matrices import (
    apart,
    hermitian,
    of_hermitian_part,
    positive,
    regular,
    triangular_factor,
)
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples

_DTYPES = "float32 float64 complex"


def _of_positive(op: Any) -> Callable[..., Any]:
    return of_hermitian_part(lambda a, *rest, **options: op(a / 2, *rest, **options))


for _name in ("cholesky", "linalg.cholesky", "linalg.cholesky_ex"):

    @samples(
        _name,
        dtypes=_DTYPES,
        tolerance=20.0,
        through=_of_positive,
        reference=None
        if _name.endswith("_ex")
        else lambda np, a, upper=False: (
            np.swapaxes(np.linalg.cholesky(a), -1, -2).conj() if upper else np.linalg.cholesky(a)
        ),
    )
    def _cholesky(make: Make, name: str = _name) -> Samples:
        import rushlight

        yield Sample(positive(make, 3, 3))
        yield Sample(positive(make, 2, 4, 4), upper=True)
        yield Sample(positive(make, 20, 20))
        yield Sample(positive(make, 20, 20), upper=True)
        yield Sample(make((0, 3, 3)))
        yield ErrorSample(RuntimeError, "the matrices of A must be square; found 2 x 3", make((2, 3)))
        bad = rushlight.stack([rushlight.eye(2), -rushlight.eye(2)])
        if not name.endswith("_ex"):
            yield ErrorSample(
                LinAlgError,
                r"linalg.cholesky: \(Batch element 1\): the matrix is not positive definite: its leading minor of "
                r"order 1",
                bad,
            )
        else:
            yield ErrorSample(LinAlgError, "not positive definite", bad[1], check_errors=True)


@samples("cholesky_solve", dtypes=_DTYPES, tolerance=50.0)
def _cholesky_solve(make: Make) -> Samples:
    yield Sample(make((3, 2)), triangular_factor(make, 3, 3))
    yield Sample(make((2, 3, 2)), triangular_factor(make, 3, 3, upper=True), upper=True)
    yield ErrorSample(
        RuntimeError, "in AX = B, A and B must have as many rows; found 3 x 3 and 2 x 3", make((2, 3)), make((3, 3))
    )


@samples("cholesky_inverse", dtypes=_DTYPES, tolerance=50.0)
def _cholesky_inverse(make: Make) -> Samples:
    yield Sample(triangular_factor(make, 3, 3))
    yield Sample(triangular_factor(make, 2, 3, 3, upper=True), upper=True)
    yield ErrorSample(RuntimeError, "the matrices of L must be square; found 2 x 3", make((2, 3)))


def _rectangles(make: Make) -> Samples:
    yield Sample(make((3, 3)))
    yield Sample(make((2, 4, 3)))
    yield Sample(make((2, 3, 4)))
    yield Sample(apart(make, 20, 20))
    yield Sample(make((0, 3)))
    yield Sample(make((0, 3, 3)))


for _name in ("linalg.lu", "linalg.lu_factor_ex"):

    @samples(_name, dtypes=_DTYPES, tolerance=20.0)
    def _lu(make: Make) -> Samples:
        yield from _rectangles(make)
        yield ErrorSample(RuntimeError, "'pivot' must be True on the CPU; found False", make((2, 2)), pivot=False)


for _name in ("linalg.lu_factor", "lu"):

    @samples(_name, dtypes=_DTYPES, tolerance=20.0)
    def _lu_factor(make: Make, name: str = _name) -> Samples:
        import rushlight

        yield from _rectangles(make)
        if name != "lu":
            yield ErrorSample(LinAlgError, "the diagonal element 1 of U is zero", rushlight.zeros(2, 2))
        yield ErrorSample(RuntimeError, "A must hold matrices, in 2 dimensions or more; found a 1-d tensor", make((2,)))


def _factors(make: Make, *shape: int) -> Any:
    """Packed factors (differentiated by) and their pivots."""
    import rushlight

    a = regular(make, *shape)
    a_, pivots = rushlight.linalg.lu_factor(rushlight.flip(a, (-2,)))
    return changed_to(a, a_), pivots


def changed_to(t: Any, values: Any) -> Any:
    from rushlight.operators.samples._matrices import changed

    return changed(t, lambda _: values)


@samples("linalg.lu_solve", dtypes=_DTYPES, tolerance=50.0)
def _linalg_lu_solve(make: Make) -> Samples:
    yield Sample(*_factors(make, 3, 3), make((3, 2)))
    yield Sample(*_factors(make, 2, 3, 3), make((3, 2)), adjoint=True)
    yield Sample(*_factors(make, 2, 3, 3), make((2, 2, 3)), left=False)
    yield Sample(*_factors(make, 20, 20), make((20, 4)), adjoint=True)
    yield ErrorSample(
        RuntimeError,
        r"'pivots' must be of dtype int32; found torch\.int64",
        make((2, 2)),
        make.index((2,), 2),
        make((2, 1)),
    )


@samples("lu_solve", dtypes=_DTYPES, tolerance=50.0)
def _lu_solve(make: Make) -> Samples:
    factors, pivots = _factors(make, 3, 3)
    yield Sample(make((3, 2)), factors, pivots)
    yield ErrorSample(
        RuntimeError, "in AX = B, A and B must have as many rows; found 3 x 3 and 2 x 2", make((2, 2)), factors, pivots
    )


@samples("lu_unpack", dtypes=_DTYPES)
def _lu_unpack(make: Make) -> Samples:
    yield Sample(*_factors(make, 3, 3))
    yield Sample(*_factors(make, 2, 3, 3), unpack_data=False)
    yield Sample(*_factors(make, 2, 3, 3), unpack_pivots=False)
    yield ErrorSample(
        RuntimeError, r"'LU_pivots' must be of dtype int32; found torch\.int64", make((2, 2)), make.index((2,), 2)
    )


@samples("linalg.qr", dtypes=_DTYPES, tolerance=50.0)
def _linalg_qr(make: Make) -> Samples:
    yield Sample(apart(make, 3, 3))
    yield Sample(apart(make, 2, 4, 3))
    yield Sample(apart(make, 2, 3, 4))
    yield Sample(apart(make, 30, 25))
    yield Sample(apart(make, 3, 4), mode="complete")
    yield Sample(make((0, 3)))
    yield ErrorSample(RuntimeError, "'mode' must be 'reduced', 'complete' or 'r'; found 'x'", make((2, 2)), mode="x")


@samples("qr", dtypes=_DTYPES, tolerance=50.0)
def _qr(make: Make) -> Samples:
    yield Sample(apart(make, 3, 3))
    yield Sample(apart(make, 2, 4, 3))
    yield Sample(apart(make, 3, 4), some=False)
    yield ErrorSample(RuntimeError, "A must hold matrices, in 2 dimensions or more; found a 1-d tensor", make((2,)))


@samples("geqrf", dtypes=_DTYPES, tolerance=50.0, grad=False)
def _geqrf(make: Make) -> Samples:
    yield Sample(make((3, 3)))
    yield Sample(make((2, 4, 3)))
    yield ErrorSample(RuntimeError, "A must hold matrices, in 2 dimensions or more; found a 1-d tensor", make((2,)))


for _name in ("linalg.householder_product", "orgqr"):

    @samples(_name, dtypes=_DTYPES, tolerance=50.0)
    def _householder(make: Make) -> Samples:
        yield Sample(make((3, 3)), make((3,)))
        yield Sample(make((2, 4, 3)), make((2, 2)))
        yield ErrorSample(
            RuntimeError, "'input' must have at least as many rows as columns; found 2 x 3", make((2, 3)), make((2,))
        )


@samples("ormqr", dtypes=_DTYPES, tolerance=50.0)
def _ormqr(make: Make) -> Samples:
    yield Sample(make((4, 3)), make((3,)), make((4, 2)))
    yield Sample(make((4, 3)), make((3,)), make((4, 2)), transpose=True)
    yield Sample(make((2, 5)), make((2,)), make((2, 3)))
    yield Sample(make((2, 4, 3)), make((2, 3)), make((2, 2, 4)), left=False)
    yield Sample(make((2, 4, 3)), make((2, 3)), make((2, 2, 4)), left=False, transpose=True)
    yield ErrorSample(
        RuntimeError, "'tau' must have an element for each reflector", make((4, 3)), make((2,)), make((4, 2))
    )
    yield ErrorSample(
        RuntimeError, "'other' must have 3 rows, as 'input' has rows; found 2", make((3, 2)), make((2,)), make((2, 2))
    )


for _name in ("linalg.ldl_factor", "linalg.ldl_factor_ex"):

    @samples(_name, dtypes=_DTYPES, tolerance=50.0, grad=False)
    def _ldl(make: Make) -> Samples:
        yield Sample(hermitian(make, 3, 3))
        yield Sample(hermitian(make, 2, 4, 4), hermitian=True)
        yield Sample(make((0, 0)))
        yield ErrorSample(RuntimeError, "the matrices of A must be square; found 2 x 3", make((2, 3)))


@samples("linalg.ldl_solve", dtypes=_DTYPES, tolerance=100.0)
def _ldl_solve(make: Make) -> Samples:
    import rushlight

    for shape, flag in (((3, 3), False), ((2, 4, 4), True)):
        ld, pivots = rushlight.linalg.ldl_factor(hermitian(make, *shape), hermitian=flag)
        yield Sample(ld, pivots, make((shape[-1], 2)), hermitian=flag)
    yield ErrorSample(
        RuntimeError, "in AX = B, A and B must have as many rows; found 4 x 4 and 2 x 2", ld, pivots, make((2, 2))
    )


@samples(
    "linalg.lstsq",
    dtypes=_DTYPES,
    tolerance=200.0,
    through=lambda op: lambda *a, **k: op(*a, **k)[0],
    skip={"vmap": "whether there are residuals depends on the rank"},
)
def _lstsq(make: Make) -> Samples:
    yield Sample(apart(make, 4, 3), make((4, 2)))
    yield Sample(apart(make, 2, 3, 4), make((2, 3, 2)), driver="gels")
    yield Sample(apart(make, 4, 3), make((4,)), driver="gelsd")
    yield Sample(apart(make, 2, 4, 3), make((2, 4, 2)), driver="gelss")
    yield Sample(apart(make, 2, 4, 3), make((1, 4, 2)))
    yield ErrorSample(
        RuntimeError,
        "'driver' must be 'gels', 'gelsy', 'gelsd' or 'gelss'; found 'x'",
        make((2, 2)),
        make((2, 2)),
        driver="x",
    )
    yield ErrorSample(RuntimeError, "B must have as many rows as A, 2; found 3", make((2, 2)), make((3, 2)))
