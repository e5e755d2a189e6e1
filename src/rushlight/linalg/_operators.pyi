# Made by `python tools/stubs.py` from the operator table; do not edit.
# ruff: noqa
from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from builtins import type as _type
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Self, TypeAlias, overload

from rushlight import return_types as _return_types
from rushlight.core.dtypes import dtype as _dtype
from rushlight.core.dtypes import layout as _layout
from rushlight.core.dtypes import memory_format as _memory_format
from rushlight.core.tensor import Size, Tensor
from rushlight.core.tensor import device as _device
from rushlight.operators.random.generators import Generator as _Generator

_Number: TypeAlias = _complex  # int, float and bool are taken for a complex

def cholesky(A: Tensor, *, upper: _bool = False, out: Tensor | None = None) -> Tensor:
    """The Cholesky factor of Hermitian positive definite matrices: A = L L^H, or U^H U with `upper`."""

def cholesky_ex(
    A: Tensor, *, upper: _bool = False, check_errors: _bool = False, out: Tensor | tuple[Tensor, ...] | None = None,
) -> Any:
    """(L, info): as linalg.cholesky, with the order of the first minor that is not positive (0: none) instead of an
    error.
    """

def cond(A: Tensor, p: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The condition number |A| |A^-1| in a matrix norm; inf for a singular matrix."""

def cross(input: Tensor, other: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Tensor:
    """The vector product of the 3-vectors along `dim`; the other dimensions broadcast."""

def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinants of square matrices (*, n, n) -> (*)."""

def diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """A view of the diagonal of two dimensions (the last two unless given), appended as the last one."""

def eig(A: Tensor, *, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """(eigenvalues, eigenvectors) of square matrices: complex; columns of norm 1."""

def eigh(A: Tensor, UPLO: _str = 'L', *, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """(eigenvalues, eigenvectors) of symmetric or Hermitian matrices: real, ascending; orthonormal, as columns."""

def eigvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues of square matrices, complex, in no particular order; see linalg.eig."""

def eigvalsh(A: Tensor, UPLO: _str = 'L', *, out: Tensor | None = None) -> Tensor:
    """The eigenvalues of symmetric or Hermitian matrices, ascending; see linalg.eigh."""

def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The first n columns of H_1 ... H_k, H_i = I - tau_i v_i v_i^H, v_i column i of input below its diagonal with a 1
    on it.
    """

def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of square matrices (*, n, n)."""

def inv_ex(A: Tensor, *, check_errors: _bool = False, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """As linalg.inv, with LAPACK's report: (inverse, info), info int32, not 0 where a matrix is singular."""

def ldl_factor(A: Tensor, *, hermitian: _bool = False, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """(LD, pivots): LAPACK's factors of symmetric (or Hermitian) matrices that need not be definite; the lower triangle
    is read.
    """

def ldl_factor_ex(
    A: Tensor, *, hermitian: _bool = False, check_errors: _bool = False, out: Tensor | tuple[Tensor, ...] | None = None,
) -> Any:
    """(LD, pivots, info): as linalg.ldl_factor, with a report instead of an error."""

def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: _bool = False, out: Tensor | None = None) -> Tensor:
    """The solution X of A X = B for the A that linalg.ldl_factor made LD and pivots of."""

def lstsq(
    A: Tensor, B: Tensor, rcond: Any = None, *, driver: _str | None = None,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Any:
    """(solution, residuals, rank, singular_values) of the least squares problem min |A X - B|."""

def lu(A: Tensor, *, pivot: _bool = True, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """(P, L, U) with A = P L U: a permutation, a lower triangle with ones on its diagonal, an upper triangle."""

def lu_factor(A: Tensor, *, pivot: _bool = True, out: Tensor | tuple[Tensor, ...] | None = None) -> Any:
    """(LU, pivots): the factors packed in one matrix; row i was exchanged with row pivots[i] - 1 (int32)."""

def lu_factor_ex(
    A: Tensor, *, pivot: _bool = True, check_errors: _bool = False, out: Tensor | tuple[Tensor, ...] | None = None,
) -> Any:
    """(LU, pivots, info): as linalg.lu_factor; info is the first zero on U's diagonal, counted from 1, or 0."""

def lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: _bool = True, adjoint: _bool = False, out: Tensor | None = None,
) -> Tensor:
    """The solution X of A X = B (X A = B with left=False; with A^H with `adjoint`) for the A that lu_factor made LU and
    pivots of.
    """

def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The matrix product; matmul."""

def matrix_exp(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The exponential of square matrices, the sum of A^k / k!."""

def matrix_norm(
    A: Tensor, ord: Any = 'fro', dim: _int | Sequence[_int] | None = ..., keepdim: _bool = False, *,
    dtype: _dtype | None = None, out: Tensor | None = None,
) -> Tensor:
    """A norm of matrices: 'fro', 'nuc' (the sum of singular values), 2 and -2 (the greatest and least of them), 1 and
    -1 (the greatest and least sum of a column's absolute values), inf and -inf (of a row's).
    """

def matrix_power(A: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor:
    """The n-th power of square matrices (*, k, k); of the inverse for negative n."""

def matrix_rank(
    A: Tensor, tol: Tensor | _Number | None = None, hermitian: _bool = False, *, atol: Tensor | _Number | None = None,
    rtol: Tensor | _Number | None = None, out: Tensor | None = None,
) -> Tensor:
    """How many singular values are above max(atol, rtol * the largest): int64 (*). See linalg.pinv; tol is an older
    atol.
    """

def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The product of two or more matrices, multiplied in the cheapest order; the first and the last may be vectors."""

def norm(
    A: Tensor, ord: _float | _str | None = None, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
    dtype: _dtype | None = None, out: Tensor | None = None,
) -> Tensor:
    """A vector norm over one dimension, or a matrix norm over two."""

def pinv(
    A: Tensor, rcond: Tensor | _Number | None = None, hermitian: _bool = False, *, atol: Tensor | _Number | None = None,
    rtol: Tensor | _Number | None = None, out: Tensor | None = None,
) -> Tensor:
    """The Moore-Penrose inverse of matrices (*, m, n) -> (*, n, m)."""

def qr(A: Tensor, mode: _str = 'reduced', *, out: tuple[Tensor, ...] | None = None) -> _return_types.qr:
    """(Q, R) with A = Q R, Q of orthonormal columns, R an upper triangle."""

def slogdet(A: Tensor, *, out: tuple[Tensor, ...] | None = None) -> _return_types.slogdet:
    """(sign, logabsdet) with determinant sign * exp(logabsdet); (0, -inf) for a singular matrix."""

def solve(A: Tensor, B: Tensor, *, left: _bool = True, out: Tensor | None = None) -> Tensor:
    """The solution X of A X = B, or of X A = B with left=False, by an LU factorization with row exchanges."""

def solve_ex(
    A: Tensor, B: Tensor, *, left: _bool = True, check_errors: _bool = False,
    out: Tensor | tuple[Tensor, ...] | None = None,
) -> Any:
    """As linalg.solve, with LAPACK's report: (result, info), info int32, not 0 where a matrix is singular."""

def solve_triangular(
    A: Tensor, B: Tensor, *, upper: _bool, left: _bool = True, unitriangular: _bool = False, out: Tensor | None = None,
) -> Tensor:
    """The solution X of A X = B, or of X A = B with left=False, for triangular A; the other triangle is not read."""

def svd(
    A: Tensor, full_matrices: _bool = True, *, driver: _str | None = None, out: tuple[Tensor, ...] | None = None,
) -> _return_types.svd:
    """(U, S, Vh) with A = U diag(S) Vh: orthonormal columns and rows, S descending."""

def svdvals(A: Tensor, *, driver: _str | None = None, out: Tensor | None = None) -> Tensor:
    """The singular values of matrices (*, m, n), descending; see linalg.svd."""

def tensorinv(A: Tensor, ind: _int = 2, *, out: Tensor | None = None) -> Tensor:
    """The inverse of tensordot by A: tensordot(tensorinv(A), B, ind) is tensorsolve(A, B) for B of the shape
    A.shape[:ind].
    """

def tensorsolve(
    A: Tensor, B: Tensor, dims: _int | Sequence[_int] | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The solution X of tensordot(A, X, X.ndim) = B."""

def vander(x: Tensor, *, N: _int | None = None) -> Tensor:
    """The matrices whose columns are the powers 0 ... N - 1 of x."""

def vecdot(x: Tensor, y: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Tensor:
    """The sum of conj(x) * y over one dimension; the others broadcast."""

def vector_norm(
    x: Tensor, ord: _float = 2, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *,
    dtype: _dtype | None = None, out: Tensor | None = None,
) -> Tensor:
    """The vector norm (sum |x|^ord)^(1/ord) over dimensions."""
