"""The standard's linear algebra, of its core and of its extension: the functions take stacks of matrices, in the last
two axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import rushlight as rl
from rushlight.array_api._arguments import Axes, Dtype, array, axes_of, one_axis, promoted, two_promoted
from rushlight.array_api._elementwise import unary
from rushlight.array_api._reductions import sum as _sum
from rushlight.core.tensor import Tensor


class eig_result(NamedTuple):
    """What `eig` returns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class eigh_result(NamedTuple):
    """What `eigh` returns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class qr_result(NamedTuple):
    """What `qr` returns."""

    Q: Tensor
    R: Tensor


class slogdet_result(NamedTuple):
    """What `slogdet` returns."""

    sign: Tensor
    logabsdet: Tensor


class svd_result(NamedTuple):
    """What `svd` returns."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The matrix product; a 1-d array counts as a row on the left or a column on the right, and the result lacks that
    axis."""
    a, b = two_promoted("matmul", x1, x2)
    return rl.matmul(a, b)


def matrix_transpose(x: Tensor, /) -> Tensor:
    """A view of the matrices with rows and columns exchanged."""
    return _matrices("matrix_transpose", x).mT


def _matrices(function: str, x: Tensor, name: str = "x") -> Tensor:
    if array(function, name, x).ndim < 2:
        raise ValueError(
            f"{function}(): expected matrices, 2 dimensions at least, for argument '{name}'; found {x.ndim}"
        )
    return x


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """The sum of products over axes of x1 paired with axes of x2.

    Args:
        axes: how many of the last axes of x1 and of the first axes of x2; or the two sequences of axes.
    """
    a, b = two_promoted("tensordot", x1, x2)
    pairs = axes if isinstance(axes, int) else tuple([int(i) for i in side] for side in axes)
    return rl.tensordot(a, b, pairs)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The sum over an axis of conj(x1) * x2; the axis is counted from the end in both."""
    a, b = two_promoted("vecdot", x1, x2)
    if a.ndim == 0 or b.ndim == 0:
        raise ValueError("vecdot(): expected arrays of 1 dimension at least")
    shortest = min(a.ndim, b.ndim)
    if not -shortest <= axis < shortest:
        raise IndexError(f"vecdot(): axis {axis} is out of range for arrays of {a.ndim} and {b.ndim} dimensions")
    i, j = one_axis("vecdot", axis, a.ndim), one_axis("vecdot", axis, b.ndim)
    if a.shape[i] != b.shape[j]:
        raise ValueError(f"vecdot(): expected one size along axis {axis}; found {a.shape[i]} and {b.shape[j]}")
    return rl.linalg.vecdot(rl.movedim(a, i, -1), rl.movedim(b, j, -1))


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    """The lower triangular L with L L^H = x for Hermitian positive definite x; upper gives L^H."""
    return rl.linalg.cholesky(array("cholesky", "x", x), upper=upper)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The cross products of the vectors of 3 elements along an axis, which is counted from the end; the other axes
    broadcast.
    """
    a, b = two_promoted("cross", x1, x2)
    i, j = one_axis("cross", axis, a.ndim) - a.ndim, one_axis("cross", axis, b.ndim) - b.ndim
    if i != j or a.shape[i] != 3 or b.shape[j] != 3:
        raise ValueError(
            f"cross(): expected size 3 along axis {axis} of both arrays; found shapes {tuple(a.shape)} and "
            f"{tuple(b.shape)}"
        )
    a, b = rl.broadcast_tensors(a, b)
    return rl.linalg.cross(a, b, dim=i)


det = unary(rl.linalg.det, "The determinants.", "det", __name__)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """A view of the diagonals, `offset` above the main ones, along a new last axis."""
    return rl.linalg.diagonal(_matrices("diagonal", x), offset=offset)


def eig(x: Tensor, /) -> eig_result:
    """The eigenvalues of square matrices, and the right eigenvectors as columns; both complex."""
    return eig_result(*rl.linalg.eig(array("eig", "x", x)))


eigvals = unary(rl.linalg.eigvals, "The eigenvalues of square matrices, complex.", "eigvals", __name__)


def eigh(x: Tensor, /) -> eigh_result:
    """The eigenvalues of Hermitian matrices, ascending and real, and the eigenvectors as columns."""
    return eigh_result(*rl.linalg.eigh(array("eigh", "x", x)))


eigvalsh = unary(rl.linalg.eigvalsh, "The eigenvalues of Hermitian matrices, ascending and real.", "eigvalsh", __name__)


inv = unary(rl.linalg.inv, "The inverses of square matrices.", "inv", __name__)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro") -> Tensor:
    """The norms of matrices.

    Args:
        ord: "fro" (or None): the root of the sum of squares; "nuc": the sum of singular values; 2 and -2: the largest
            and smallest singular value; 1 and -1: the largest and smallest sum of a column's absolute values; inf and
            -inf: the same of rows.
    """
    return rl.linalg.matrix_norm(_matrices("matrix_norm", x), "fro" if ord is None else ord, keepdim=keepdims)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """Square matrices raised to an integer power; a negative one is a power of the inverse."""
    return rl.linalg.matrix_power(array("matrix_power", "x", x), n)


def matrix_rank(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """How many singular values are larger than rtol times the largest.

    Args:
        rtol: None stands for eps of the dtype times the larger of the sizes.
    """
    s = svdvals(_matrices("matrix_rank", x))
    if s.shape[-1] == 0:
        return rl.zeros(s.shape[:-1], dtype=rl.int64, device=x.device)
    return rl.sum(s > rl.amax(s, -1, True) * _tolerance(x, rtol), -1)


def _tolerance(x: Tensor, rtol: float | Tensor | None) -> Tensor | float:
    if rtol is None:
        return rl.finfo(x.dtype).eps * max(x.shape[-2:])
    return rtol.unsqueeze(-1) if isinstance(rtol, Tensor) else rtol


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The matrix of the products of each element of one 1-d array with each of another."""
    a, b = two_promoted("outer", x1, x2)
    if a.ndim != 1 or b.ndim != 1:
        raise ValueError(f"outer(): expected arrays of 1 dimension; found {a.ndim} and {b.ndim}")
    return rl.outer(a, b)


def pinv(x: Tensor, /, *, rtol: float | Tensor | None = None) -> Tensor:
    """The Moore-Penrose inverses; singular values not larger than rtol times the largest count as zero.

    Args:
        rtol: None stands for eps of the dtype times the larger of the sizes.
    """
    return rl.linalg.pinv(_matrices("pinv", x), rtol=rtol)


def qr(x: Tensor, /, *, mode: Literal["reduced", "complete"] = "reduced") -> qr_result:
    """x = Q R with orthonormal columns in Q and R upper triangular.

    Args:
        mode: "reduced" gives Q as many columns as the smaller of the sizes, "complete" makes it square.
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr(): mode must be 'reduced' or 'complete'; found {mode!r}")
    return qr_result(*rl.linalg.qr(array("qr", "x", x), mode))


def slogdet(x: Tensor, /) -> slogdet_result:
    """The signs of determinants (of modulus 1 if complex) and the logarithms of their absolute values."""
    return slogdet_result(*rl.linalg.slogdet(array("slogdet", "x", x)))


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The solutions y of x1 y = x2; a 1-d x2 is one vector, any other a stack of matrices whose columns are vectors."""
    a, b = promoted(_matrices("solve", x1, "x1"), array("solve", "x2", x2))
    if b.ndim == 1:
        return rl.squeeze(rl.linalg.solve(a, rl.unsqueeze(b, -1)), -1)
    # PyTorch takes x2 for a batch of vectors if its shape is that of x1 without the last axis; with batch axes that
    # agree it cannot be.
    batch = rl.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return rl.linalg.solve(rl.broadcast_to(a, (*batch, *a.shape[-2:])), rl.broadcast_to(b, (*batch, *b.shape[-2:])))


def svd(x: Tensor, /, *, full_matrices: bool = True) -> svd_result:
    """x = U diag(S) Vh, S descending; without full_matrices, only the columns of U and rows of Vh that S needs."""
    return svd_result(*rl.linalg.svd(array("svd", "x", x), full_matrices))


svdvals = unary(rl.linalg.svdvals, "The singular values, descending and real.", "svdvals", __name__)


def trace(x: Tensor, /, *, offset: int = 0, dtype: Dtype | None = None) -> Tensor:
    """The sums along the diagonals, `offset` above the main ones; dtype as in sum."""
    return _sum(rl.linalg.diagonal(_matrices("trace", x), offset=offset), axis=-1, dtype=dtype)


def vector_norm(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2) -> Tensor:
    """The norm of the vectors along the axes; of x flattened if axis is None.

    Args:
        ord: the power; inf and -inf give the largest and the smallest absolute value, 0 the number of nonzero elements.
    """
    axes = axes_of("vector_norm", axis, array("vector_norm", "x", x).ndim)
    if not axes:  # without axes nothing is reduced: each element is a vector of its own
        return rl.linalg.vector_norm(rl.unsqueeze(x, -1), ord, -1)
    return rl.linalg.vector_norm(x, ord, axes, keepdims)


__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]
