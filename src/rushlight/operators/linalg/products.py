"""Products of matrices with themselves and one another: powers, exponentials, chains; low-rank approximations."""

from __future__ import annotations

import itertools
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.linalg import _matrices as m
from rushlight.operators.linalg.contraction import chain
from rushlight.operators.linalg.solvers import inverted
from rushlight.operators.table.arguments import dim_out_of_range
from rushlight.operators.table.body import wrap_dim, wrap_dims
from rushlight.operators.table.checks import check_argument, check_least
from rushlight.operators.table.define import METHODS, TABLE, eager, operator
from rushlight.operators.table.tracer import P, Tracer, align, broadcast_shapes
from rushlight.operators.table.types import Int, Tensors


# --------------------------------------------------------------------------------------------------------------- powers
def _power(name: str, a: Tensor, n: int) -> Tracer:
    m.check_matrix(name, a, square=True)
    x = m.matrix(name, a)
    size = x.var.shape[-1]
    if n == 0:
        return m.like(m.eye_like(x, size, size), a)
    if n < 0:
        x, n = inverted(x, name)[0], -n
    out: Tracer | None = None
    while n:  # binary powers
        if n % 2:
            out = x if out is None else m.product(out, x)
        n //= 2
        if n:
            x = m.product(x, x)
    assert out is not None
    return m.like(out, a)


@operator(shape_class="linalg", zero_gradient=True, memory_format="rows")
def matrix_power(input: Tensor, n: int) -> Tensor:
    """The n-th power of square matrices (*, k, k); of the inverse for negative n."""
    return _power("linalg.matrix_power", input, n)


@operator(
    name="matrix_power",
    namespace="linalg",
    method=False,
    shape_class="linalg",
    zero_gradient=True,
    memory_format="rows",
)
def linalg_matrix_power(A: Tensor, n: int) -> Tensor:
    """The n-th power of square matrices (*, k, k); of the inverse for negative n.

    Raises:
        LinAlgError: for a singular one.
    """
    return _power("linalg.matrix_power", A, n)


@operator(shape_class="linalg")
def matrix_exp(input: Tensor) -> Tensor:
    """The exponential of square matrices, the sum of A^k / k!."""
    return m.like(P.matrix_exp(m.matrix("linalg.matrix_exp", input, square=True)), input)


@operator(name="matrix_exp", namespace="linalg", method=False, shape_class="linalg")
def linalg_matrix_exp(A: Tensor) -> Tensor:
    """The exponential of square matrices, the sum of A^k / k!."""
    return m.like(P.matrix_exp(m.matrix("linalg.matrix_exp", A, square=True)), A)


# ------------------------------------------------------------------------------------------------------------- products
@operator(namespace="linalg", method=False, shape_class="contraction")
def multi_dot(tensors: Tensors) -> Tensor:
    """The product of two or more matrices, multiplied in the cheapest order; the first and the last may be vectors.

    Raises:
        RuntimeError: for fewer than two tensors, or for shapes and dtypes that do not fit.
    """
    n = len(tensors)
    check_argument(not n < 2, "multi_dot()", "tensors", "hold 2 or more", n)
    for i, t in enumerate(tensors):
        if t.dtype is not tensors[0].dtype:
            raise RuntimeError(
                f"multi_dot(): 'tensors' must be of one dtype; found {tensors[0].dtype} and, at position {i}, {t.dtype}"
            )
        if t.ndim != 2 and not (t.ndim == 1 and i in (0, n - 1)):
            raise RuntimeError(
                f"multi_dot(): 'tensors' must be matrices (the first and the last may be vectors); found {t.ndim} "
                f"dimensions at position {i}"
            )
    first, last = tensors[0], tensors[-1]
    row, column = first.ndim == 1, last.ndim == 1
    given: list[Any] = list(tensors)
    if row:
        given[0] = m.reshape(first, 1, first.var.shape[0])
    if column:
        given[-1] = m.reshape(last, last.var.shape[0], 1)
    for i, (a, b) in enumerate(itertools.pairwise(given)):
        if a.shape[1] != b.shape[0]:
            raise RuntimeError(
                "multi_dot(): neighbours must fit as factors of a matrix product; found "
                f"{list(map(m.hint, tensors[i].shape))} and "
                f"{list(map(m.hint, tensors[i + 1].shape))} at positions {i} and {i + 1}"
            )
    y = chain(given)
    rows, columns = y.var.shape
    return m.reshape(y, *([] if row else [rows]), *([] if column else [columns])) if row or column else y


@operator(name="matmul", namespace="linalg", method=False, shape_class="contraction")
def linalg_matmul(input: Tensor, other: Tensor) -> Tensor:
    """The matrix product; matmul."""
    from rushlight.operators.linalg.matmul import check_factors

    check_factors("matmul", input, other)
    return m.product(input, other)


@operator(namespace="linalg", method=False, shape_class="contraction")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """The sum of conj(x) * y over one dimension; the others broadcast."""
    from rushlight.operators.linalg.matmul import check_dtypes

    check_dtypes("linalg.vecdot", x, y)
    a, b = align(x, y)
    d = wrap_dim(dim, a.ndim, "linalg.vecdot")
    perm = (*(i for i in range(a.ndim) if i != d), d)
    a, b = P.permute(P.conj(a) if a.dtype.kind == "c" else a, perm=perm), P.permute(b, perm=perm)
    *lead, n = a.var.shape
    return m.reshape(P.dot(m.reshape(a, *lead, 1, n), m.reshape(b, *lead, n, 1)), *lead)


@operator(name="cross", namespace="linalg", method=False, shape_class="other")
def linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The vector product of the 3-vectors along `dim`; the other dimensions broadcast."""
    name = "linalg.cross"
    if input.ndim != other.ndim:
        raise RuntimeError(f"{name}: 'input' and 'other' must be of one rank; found {input.ndim} and {other.ndim}")
    for x in (input, other):
        if x.ndim and not -x.ndim <= dim < x.ndim:
            raise dim_out_of_range(name, dim, x.ndim)
        if not x.ndim or x.shape[dim] != 3:
            raise RuntimeError(
                f"{name}: dimension {dim} of 'input' and 'other' must have the size 3; found "
                f"{m.hint(input.shape[dim]) if input.ndim else 0} "
                f"and {m.hint(other.shape[dim]) if other.ndim else 0}"
            )
    broadcast_shapes(input.var.shape, other.var.shape)
    return METHODS["cross"](input, other, dim)


@eager(name="vander", namespace="linalg", method=False)
def linalg_vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """The matrices whose columns are the powers 0 ... N - 1 of x.

    Args:
        x: (*, n), or a single number.
        N: number of columns, more than 1; default n.

    Returns:
        (*, n, N).
    """
    name = "linalg.vander"
    if x.dtype.kind == "b":
        raise RuntimeError(f"{name}: argument 'x' must hold numbers; found {x.dtype}")
    if x.ndim == 0:
        x = METHODS["reshape"](x, (1,))
    n = x.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError(f"{name}: 'N' must be greater than 1; found {n}")
    y = x if x.dtype.kind in "fc" else METHODS["to"](x, dt.int64)
    powers = METHODS["expand"](METHODS["unsqueeze"](y, -1), (*y.shape, n - 1))
    ones = TABLE["ones"]((*y.shape, 1), dtype=y.dtype, device=y.device)
    return METHODS["cumprod"](TABLE["cat"]([ones, powers], -1), -1)


@operator(name="diagonal", namespace="linalg", method=False, view=True)
def linalg_diagonal(A: Tensor, *, offset: Int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """A view of the diagonal of two dimensions (the last two unless given), appended as the last one."""
    a, b = wrap_dims((dim1, dim2), A.ndim, "linalg.diagonal", "dim2")
    return P.diagonal(A, offset=offset, dim1=a, dim2=b)


# -------------------------------------------------------------------------------------------------- low-rank, by chance
def _range(a: Tensor, q: int, niter: int) -> Tensor:
    """Q (*, m, q), orthonormal, whose span holds most of the action of a (N. Halko, P. G. Martinsson, J. A. Tropp,
    "Finding structure with randomness", SIAM Rev. 53, 2011, algorithm 4.4)."""
    qr, matmul, h = TABLE["linalg.qr"], METHODS["matmul"], _adjoint
    start = TABLE["randn"]((a.shape[-1], q), dtype=a.dtype, device=a.device)
    basis: Tensor = qr(matmul(a, start))[0]
    for _ in range(niter):
        basis = qr(matmul(a, qr(matmul(h(a), basis))[0]))[0]
    return basis


def _adjoint(x: Tensor) -> Tensor:
    y = METHODS["transpose"](x, -2, -1)
    return METHODS["conj"](y) if x.dtype.kind == "c" else y


@eager(method=False, shape_class="linalg")
def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """(U, S, V) with A - M close to U diag(S) V^H, of rank q: a random approximation.

    Args:
        A: (*, m, n).
        q: the rank, a little above the one expected; of the sizes of A and q the least counts.
        niter: subspace iterations.
        M: what is subtracted from A (broadcast).
    """
    name, rank = "svd_lowrank", 6 if q is None else q
    m.check_matrix(name, A)
    check_least(name, "q", rank, 0)
    check_argument(niter is None or not niter < 0, f"{name}()", "niter", "be at least 0", niter, ValueError)
    a = A if M is None else METHODS["sub"](A, M)
    wide = a.shape[-2] < a.shape[-1]
    if wide:
        a = _adjoint(a)
    basis = _range(a, rank, 2 if niter is None else niter)
    u, s, vh = TABLE["linalg.svd"](METHODS["matmul"](_adjoint(basis), a), False)
    u, v = METHODS["matmul"](basis, u), _adjoint(vh)
    return (v, s, u) if wide else (u, s, v)


@eager(method=False, shape_class="linalg")
def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    """(U, S, V): the q principal components of the rows of A (*, m, n), as columns of V, by svd_lowrank.

    Args:
        q: how many, min(6, m, n) if not given.
        center: subtract the mean of the columns.
        niter: subspace iterations.
    """
    name = "pca_lowrank"
    m.check_matrix(name, A)
    rank = min(6, *A.shape[-2:]) if q is None else q
    if not 0 <= rank <= min(A.shape[-2:]):
        raise ValueError(f"{name}(): 'q' must be in [0, {min(A.shape[-2:])}], the lesser size of A; found {rank}")
    check_least(name, "niter", niter, 0, ValueError)
    mean = METHODS["mean"](A, -2, True) if center else None
    return svd_lowrank(A, rank, niter, mean)
