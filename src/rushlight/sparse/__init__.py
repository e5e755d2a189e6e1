"""Functions of sparse tensors, and the names of their types."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.checks import check_argument, check_that
from rushlight.core.tensor import Tensor
from rushlight.operators.sparse import compressed, compressed_calls, products, reductions
from rushlight.operators.sparse import parts as p
from rushlight.operators.table.arguments import type_name
from rushlight.operators.table.define import FUNCTIONS, TABLE
from rushlight.operators.table.types import DType

__all__ = [
    "addmm",
    "as_sparse_gradcheck",
    "check_sparse_tensor_invariants",
    "log_softmax",
    "mm",
    "sampled_addmm",
    "softmax",
    "spdiags",
    "spsolve",
    "sum",
]


def mm(sparse: Tensor, dense: Tensor, reduce: str | None = None) -> Tensor:
    """The product of two matrices, (n, k) and (k, m); a sparse one gets a sparse gradient.

    Args:
        sparse: a matrix, of any layout.
        dense: a matrix, of any layout.
        reduce: of a csr and a dense matrix: what becomes of the terms, "sum", "mean", "amax" or "amin" ("max" and
            "min" are the same).
    """
    if reduce is not None:
        return compressed_calls.reduced_product(sparse, dense, reduce)
    sparse, dense = compressed.coo(sparse), compressed.coo(dense)
    if not (p.is_sparse(sparse) or p.is_sparse(dense)):
        return TABLE["mm"](sparse, dense)
    return products.masked_product("sparse.mm", sparse, dense)


def addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * mat + alpha * (mat1 @ mat2); a sparse mat1 gets a sparse gradient."""
    mat1 = compressed.coo(mat1)
    if not p.is_sparse(mat1):
        return TABLE["addmm"](mat, mat1, mat2, beta=beta, alpha=alpha)
    return products.sparse_addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


def sum(input: Tensor, dim: Any = None, dtype: DType = None) -> Tensor:
    """The sum of a sparse tensor's elements, or over dimensions: sparse while a sparse dimension is left.

    Raises:
        RuntimeError: input is dense.
    """
    check_argument(
        p.is_sparse(input), "sparse.sum()", "input", "have a sparse coordinate layout", f"{input.layout}; use sum()"
    )
    return reductions.masked_sum("sparse.sum", input, dim, dtype)


def softmax(input: Tensor, dim: int, *, dtype: DType = None) -> Tensor:
    """softmax along a dimension over the entries of a sparse tensor: elements without one count as -inf."""
    return reductions.softmax("sparse.softmax", input, dim, dtype)


def log_softmax(input: Tensor, dim: int, *, dtype: DType = None) -> Tensor:
    """The logarithm of softmax along a dimension over the entries of a sparse tensor."""
    return reductions.softmax("sparse.log_softmax", input, dim, dtype, log=True)


def spdiags(diagonals: Tensor, offsets: Tensor, shape: Any, layout: Any = None) -> Tensor:
    """A sparse matrix with given diagonals.

    Args:
        diagonals: (count, length), of which column j is put into column j of the matrix.
        offsets: (count): each diagonal's distance above the main one, negative below.
        shape: of the matrix.
        layout: torch.sparse_coo, torch.sparse_csr or torch.sparse_csc; by default the first.
    """
    if layout is not None and getattr(layout, "name", "") not in ("sparse_coo", "sparse_csr", "sparse_csc"):
        raise RuntimeError(f"spdiags(): 'layout' must be sparse_coo, sparse_csr or sparse_csc; found {layout}")
    diagonals = diagonals.unsqueeze(0) if diagonals.ndim == 1 else diagonals
    offsets = offsets.unsqueeze(0) if offsets.ndim == 0 else offsets
    check_that(diagonals.ndim == 2, "spdiags()", "Diagonals", "be vector or matrix", f"{diagonals.ndim} dimensions")
    if offsets.ndim != 1 or offsets.shape[0] != diagonals.shape[0]:
        raise RuntimeError(
            f"spdiags(): Number of diagonals ({diagonals.shape[0]}) does not match the number of offsets; found shape "
            f"{list(offsets.shape)}"
        )
    check_that(len(shape) == 2, "spdiags()", "Output shape", "be 2d", lambda: list(shape))
    check_that(offsets.dtype is dt.int64, "spdiags()", "Offset Tensor", "have dtype Long", offsets.dtype)
    places = offsets.tolist()
    if len(set(places)) != len(places):
        raise RuntimeError(f"spdiags(): Offset tensor contains duplicate values; found {places}")
    n, m = (int(s) for s in shape)
    with p.unrecorded():
        columns = TABLE["arange"](int(diagonals.shape[1])).expand(*diagonals.shape)
        rows = columns - offsets.unsqueeze(1)
        inside = (rows >= 0) & (rows < n) & (columns < m)
        indices = TABLE["stack"]([rows[inside], columns[inside]])
        which = TABLE["nonzero"](inside.flatten()).flatten()
    made = p.make(indices, diagonals.reshape(-1)[which], (n, m))
    return made if layout is None else made.to_sparse(layout=layout)


_asked = [False]  # what the switch below says


class check_sparse_tensor_invariants:
    """Whether all that sparse tensors must hold to is checked where one is made: a context, a decorator, and a switch.

    That indices lie inside of the tensor is always checked.
    """

    def __init__(self, enable: bool = True) -> None:
        self.state = enable
        self.saved: bool | None = None

    @staticmethod
    def is_enabled() -> bool:
        """What the switch says."""
        return _asked[0]

    @staticmethod
    def enable() -> None:
        """Turn it on."""
        _asked[0] = True

    @staticmethod
    def disable() -> None:
        """Turn it off."""
        _asked[0] = False

    def __enter__(self) -> None:
        if self.saved is not None:
            raise RuntimeError(
                "check_sparse_tensor_invariants: This context manager is not reentrant; found it entered twice"
            )
        self.saved, _asked[0] = self.is_enabled(), self.state

    def __exit__(self, *exc: object) -> None:
        assert self.saved is not None
        _asked[0], self.saved = self.saved, None

    def __call__(self, fn: Any) -> Any:
        def inside(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return fn(*args, **kwargs)

        return inside


def as_sparse_gradcheck(gradcheck: Any) -> Any:
    """gradcheck for functions of sparse tensors, which rushlight's own takes as they are: itself."""
    return gradcheck


sampled_addmm, spsolve = compressed_calls.sampled_addmm, compressed_calls.spsolve


def _type(name: str, kind: dt.dtype) -> type[Any]:
    """torch.sparse.FloatTensor and its family: a function that makes one, and a type to ask `isinstance` of."""

    class Meta(type):
        def __instancecheck__(cls, x: object) -> bool:
            return p.is_sparse(x) and x.dtype is kind  # type: ignore[attr-defined]

        def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
            if not args or isinstance(args[0], int):
                args = (tuple(args) or (0,),)
            return FUNCTIONS["sparse_coo_tensor"](*args, dtype=kind, **kwargs)

    return Meta(name, (), {"dtype": kind, "__module__": __name__, "__doc__": f"Sparse tensors of {kind}."})


BFloat16Tensor, ByteTensor, CharTensor, DoubleTensor, FloatTensor, HalfTensor, IntTensor, LongTensor, ShortTensor = (
    _type(f"{type_name(kind)}Tensor", kind)
    for kind in (dt.bfloat16, dt.uint8, dt.int8, dt.float64, dt.float32, dt.float16, dt.int32, dt.int64, dt.int16)
)
