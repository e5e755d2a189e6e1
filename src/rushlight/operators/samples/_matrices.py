"""Matrices for the samples of linear algebra: well conditioned, Hermitian, triangular, of rank less than full."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.operators.samples._registry import Make


def changed(t: Any, change: Callable[[Any], Any]) -> Any:
    """The tensor with the values of change(t); it stays the one that the suite differentiates by."""
    import rushlight

    with rushlight.no_grad():
        t.copy_(change(t))
    return t


def regular(make: Make, *shape: int, **options: Any) -> Any:
    """Square matrices with a dominant diagonal."""
    import rushlight

    n = shape[-1]
    return changed(make(shape, **options), lambda t: t / 2 + 2 * n * rushlight.eye(n, dtype=t.dtype))


def positive(make: Make, *shape: int) -> Any:
    """Hermitian positive definite matrices."""
    import rushlight

    n = shape[-1]
    return changed(make(shape), lambda t: t @ t.mH + rushlight.eye(n, dtype=t.dtype))


def hermitian(make: Make, *shape: int) -> Any:
    """Hermitian matrices with eigenvalues apart."""
    import rushlight

    n = shape[-1]
    return changed(make(shape), lambda t: t + t.mH + 6 * rushlight.diag(rushlight.arange(n)).to(t.dtype))


def apart(make: Make, *shape: int) -> Any:
    """Matrices with singular values and eigenvalues apart."""
    import rushlight

    m, n = shape[-2:]
    return changed(
        make(shape), lambda t: t / 2 + 5 * rushlight.eye(m, n, dtype=t.dtype) * (1 + rushlight.arange(n)).to(t.dtype)
    )


def deficient(make: Make, m: int, n: int, rank: int) -> Any:
    """A matrix of a given rank, not differentiated: its derivative does not exist."""
    return changed(make((m, n), requires_grad=False), lambda t: t[:, :rank] @ t[:rank, :])


def of_hermitian_part(op: Any) -> Callable[..., Any]:
    """op of a + a^H: an operator that reads one triangle, as a function of all elements."""
    return lambda a, *rest, **options: op(a + a.mH, *rest, **options)


def triangular_factor(make: Make, *shape: int, upper: bool = False) -> Any:
    """Triangles with a positive diagonal, as Cholesky's factors."""
    import rushlight

    n = shape[-1]
    half = rushlight.triu if upper else rushlight.tril
    return changed(make(shape), lambda t: half(t, 1 if upper else -1) / 2 + n * rushlight.eye(n, dtype=t.dtype))
