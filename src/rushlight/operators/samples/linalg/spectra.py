"""Samples of eigenvalues, singular values and what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core.errors import LinAlgError
from rushlight.operators.samples._matrices import apart, deficient, hermitian, of_hermitian_part
from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples

_DTYPES = "float32 float64 complex"


def _eigh_without_phases(op: Any) -> Callable[..., Any]:
    def values_and_sizes(a: Any, *rest: Any, **options: Any) -> Any:
        w, v = op(a, *rest, **options)
        return w, v.abs() if v.dtype.is_complex else v

    return of_hermitian_part(values_and_sizes)


@samples("linalg.eigh", dtypes=_DTYPES, tolerance=100.0, through=_eigh_without_phases)
def _eigh(make: Make) -> Samples:
    yield Sample(hermitian(make, 3, 3))
    yield Sample(hermitian(make, 2, 4, 4), UPLO="U")
    yield Sample(make((0, 0)))
    yield Sample(make((0, 3, 3)))
    yield ErrorSample(RuntimeError, "'UPLO' must be 'L' or 'U'; found 'x'", make((2, 2)), UPLO="x")
    yield ErrorSample(RuntimeError, "the matrices of A must be square; found 2 x 3", make((2, 3)))


@samples(
    "linalg.eigvalsh",
    dtypes=_DTYPES,
    tolerance=50.0,
    through=of_hermitian_part,
    reference=lambda np, a, UPLO="L": np.linalg.eigvalsh(a, UPLO),
)
def _eigvalsh(make: Make) -> Samples:
    yield Sample(hermitian(make, 3, 3))
    yield Sample(hermitian(make, 2, 4, 4), UPLO="U")
    yield Sample(hermitian(make, 30, 30))
    yield ErrorSample(RuntimeError, "the matrices of A must be square; found 2 x 3", make((2, 3)))


def _eig_without_phases(op: Any) -> Callable[..., Any]:
    def values_and_sizes(a: Any) -> Any:
        w, v = op(a)
        return w, v.abs()

    return values_and_sizes


@samples("linalg.eig", dtypes=_DTYPES, tolerance=200.0, through=_eig_without_phases)
def _eig(make: Make) -> Samples:
    yield Sample(apart(make, 3, 3))
    yield Sample(apart(make, 2, 4, 4))
    yield Sample(make((0, 0)))
    yield ErrorSample(LinAlgError, "not finite", make((2, 2), low=float("nan"), high=float("nan")))


@samples("linalg.eigvals", dtypes=_DTYPES, tolerance=200.0)
def _eigvals(make: Make) -> Samples:
    yield Sample(apart(make, 3, 3))
    yield Sample(apart(make, 2, 4, 4))
    yield ErrorSample(RuntimeError, "the matrices of A must be square; found 2 x 3", make((2, 3)))


def _svd_without_phases(op: Any) -> Callable[..., Any]:
    def values_and_sizes(a: Any, *rest: Any, **options: Any) -> Any:
        u, s, v = op(a, *rest, **options)
        k = s.shape[-1]
        u, v = u[..., :k], v[..., :k, :] if options.get("full_matrices") is not None else v[..., :k]
        return (u.abs(), s, v.abs()) if a.dtype.is_complex else (u, s, v)

    return values_and_sizes


@samples("linalg.svd", dtypes=_DTYPES, tolerance=200.0, through=_svd_without_phases)
def _linalg_svd(make: Make) -> Samples:
    yield Sample(apart(make, 3, 3), full_matrices=False)
    yield Sample(apart(make, 2, 4, 3), full_matrices=False)
    yield Sample(apart(make, 2, 3, 4), full_matrices=False)
    yield Sample(apart(make, 3, 3), full_matrices=True)
    yield Sample(make((0, 3)), full_matrices=True)
    yield ErrorSample(
        RuntimeError,
        "'driver' chooses among cuSOLVER's methods, for CUDA tensors alone; found 'gesvd'",
        make((2, 2)),
        driver="gesvd",
    )
    yield ErrorSample(
        LinAlgError,
        "linalg.svd: the matrix has an element that is not finite",
        make((2, 2), low=float("nan"), high=float("nan")),
    )


@samples("svd", dtypes=_DTYPES, tolerance=200.0, through=_svd_without_phases)
def _svd(make: Make) -> Samples:
    yield Sample(apart(make, 3, 3))
    yield Sample(apart(make, 2, 4, 3))
    yield Sample(apart(make, 3, 3), some=False)
    yield Sample(apart(make, 4, 3), compute_uv=False)
    yield ErrorSample(RuntimeError, "A must hold matrices, in 2 dimensions or more; found a 1-d tensor", make((2,)))


@samples("linalg.svdvals", dtypes=_DTYPES, tolerance=50.0, reference=lambda np, a: np.linalg.svd(a, compute_uv=False))
def _svdvals(make: Make) -> Samples:
    yield Sample(apart(make, 3, 3))
    yield Sample(apart(make, 2, 4, 3))
    yield Sample(apart(make, 20, 30))
    yield ErrorSample(RuntimeError, "A must hold matrices, in 2 dimensions or more; found a 1-d tensor", make((2,)))


@samples("linalg.pinv", dtypes=_DTYPES, tolerance=100.0)
def _pinv(make: Make) -> Samples:
    import rushlight

    yield Sample(apart(make, 3, 3))
    yield Sample(apart(make, 2, 4, 3))
    yield Sample(apart(make, 2, 3, 4), atol=0.1)
    yield Sample(apart(make, 2, 3, 4), rtol=rushlight.tensor([0.01, 0.02]))
    yield Sample(deficient(make, 4, 3, 2))
    yield Sample(make((0, 3)))
    yield ErrorSample(RuntimeError, "the matrices of A must be square; found 2 x 3", make((2, 3)), hermitian=True)


@samples("pinverse", dtypes=_DTYPES, tolerance=100.0)
def _pinverse(make: Make) -> Samples:
    yield Sample(apart(make, 4, 3))
    yield ErrorSample(RuntimeError, "A must hold matrices, in 2 dimensions or more; found a 1-d tensor", make((2,)))


@samples("linalg.matrix_rank", dtypes=_DTYPES, grad=False)
def _matrix_rank(make: Make) -> Samples:
    import rushlight

    yield Sample(apart(make, 4, 3))
    yield Sample(deficient(make, 4, 3, 2), rtol=1e-4)
    yield Sample(hermitian(make, 2, 3, 3), hermitian=True)
    yield Sample(apart(make, 2, 3, 3), atol=rushlight.tensor([1.0, 100.0]))
    yield Sample(make((0, 3)))
    yield ErrorSample(RuntimeError, "A must hold matrices, in 2 dimensions or more; found a 1-d tensor", make((2,)))


@samples("linalg.cond", dtypes=_DTYPES, tolerance=100.0)
def _cond(make: Make) -> Samples:
    yield Sample(apart(make, 3, 3))
    yield Sample(apart(make, 4, 3), -2)
    for p in ("fro", "nuc", 1, -1, float("inf")):
        yield Sample(apart(make, 2, 3, 3), p)
    yield ErrorSample(RuntimeError, "'p' must be a norm of matrices; found 'x'", make((2, 2)), "x")
