"""The room of sparse tensors, which are not there yet: what takes dense ones works, types are there for `isinstance`,
the rest says that it lacks.
"""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.core.tensor import Tensor
from rushlight.operators.shapes.layouts import LACKING
from rushlight.operators.table.define import TABLE
from rushlight.utils._absent import absent_class, absent_function

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
    """The product of two matrices, (n, k) and (k, m).

    Raises:
        NotImplementedError: a reduction other than the sum is asked for, which is for sparse matrices.
    """
    if reduce not in (None, "sum"):
        raise NotImplementedError(f"sparse.mm(): 'reduce' must be None for dense matrices; found {reduce!r}: {LACKING}")
    return TABLE["mm"](sparse, dense)  # type: ignore[no-any-return]


def addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta * mat + alpha * (mat1 @ mat2)."""
    return TABLE["addmm"](mat, mat1, mat2, beta=beta, alpha=alpha)  # type: ignore[no-any-return]


def sum(input: Tensor, dim: Any = None, dtype: Any = None) -> NoReturn:
    """The sum of a sparse tensor's elements: RuntimeError for others."""
    raise RuntimeError(f"sparse.sum(): 'input' must have a sparse coordinate layout; found {input.layout}; use sum()")


class check_sparse_tensor_invariants:
    """Whether the parts that sparse tensors are made of are checked: a context, a decorator, and a switch. There is
    nothing to check yet.
    """

    _enabled = False

    def __init__(self, enable: bool = True) -> None:
        self.state, self.saved = enable, False

    @staticmethod
    def is_enabled() -> bool:
        """What the switch says."""
        return check_sparse_tensor_invariants._enabled

    @staticmethod
    def enable() -> None:
        """Turn it on."""
        check_sparse_tensor_invariants._enabled = True

    @staticmethod
    def disable() -> None:
        """Turn it off."""
        check_sparse_tensor_invariants._enabled = False

    def __enter__(self) -> None:
        self.saved, check_sparse_tensor_invariants._enabled = self.is_enabled(), self.state

    def __exit__(self, *exc: object) -> None:
        check_sparse_tensor_invariants._enabled = self.saved

    def __call__(self, fn: Any) -> Any:
        def inside(*args: Any, **kwargs: Any) -> Any:
            with type(self)(self.state):
                return fn(*args, **kwargs)

        return inside


_why = LACKING
log_softmax, softmax, sampled_addmm, spdiags, spsolve, as_sparse_gradcheck = (
    absent_function(f"sparse.{name}", __name__, _why, NotImplementedError)
    for name in ("log_softmax", "softmax", "sampled_addmm", "spdiags", "spsolve", "as_sparse_gradcheck")
)
BFloat16Tensor, ByteTensor, CharTensor, DoubleTensor, FloatTensor, HalfTensor, IntTensor, LongTensor, ShortTensor = (
    absent_class(name, __name__, _why, TypeError)
    for name in (
        "BFloat16Tensor",
        "ByteTensor",
        "CharTensor",
        "DoubleTensor",
        "FloatTensor",
        "HalfTensor",
        "IntTensor",
        "LongTensor",
        "ShortTensor",
    )
)
