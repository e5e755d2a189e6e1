"""What tensors answer of layouts: all are strided, sparse ones are not there yet; methods and functions of sparse
tensors say so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from rushlight.core.tensor import Tensor, attach
from rushlight.operators.table.define import FUNCTIONS, TABLE

LACKING = "there are no sparse tensors yet; a dense one takes their place"


def _to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """The tensor itself, which is dense; in another dtype, if one is given."""
    return self if dtype is None else self.to(dtype)


def _sparse_dim(self: Tensor) -> int:
    """How many dimensions are sparse: none."""
    return 0


def _dense_dim(self: Tensor) -> int:
    """How many dimensions are dense: all."""
    return self.ndim


def _grad_dtype(self: Tensor) -> Any:
    """The dtype of the gradient: the tensor's own."""
    return self.dtype


def _method(name: str, fn: Callable[..., Any]) -> None:
    """Attach a method that says of itself what PyTorch's built-in ones do."""
    fn.__name__, fn.__qualname__ = name, f"TensorBase.{name}"
    fn.__module__ = None  # type: ignore[assignment]
    attach(name, fn)


def _public(name: str, fn: Any) -> None:
    """Make a function of the package."""
    fn.__name__ = fn.__qualname__ = name
    FUNCTIONS[name] = globals()[name] = fn


for _name, _fn in (("to_dense", _to_dense), ("sparse_dim", _sparse_dim), ("dense_dim", _dense_dim)):
    _method(_name, _fn)
attach("grad_dtype", property(_grad_dtype))


def _asks(name: str, wanted: str) -> Callable[..., NoReturn]:
    """A question that only another layout answers."""

    def ask(self: Tensor) -> NoReturn:
        raise RuntimeError(f"{name}(): 'input' must have a {wanted} layout; found {self.layout}")

    ask.__name__, ask.__doc__ = name, f"A part of a tensor with a {wanted} layout; RuntimeError for others."
    return ask


_COO, _ROWS, _COLUMNS = "sparse coordinate", "sparse row compressed", "sparse column compressed"
for _name, _wanted in (
    ("coalesce", _COO),
    ("is_coalesced", _COO),
    ("indices", _COO),
    ("values", "sparse"),
    ("crow_indices", _ROWS),
    ("col_indices", _ROWS),
    ("ccol_indices", _COLUMNS),
    ("row_indices", _COLUMNS),
):
    _method(_name, _asks(_name, _wanted))
    if _name.endswith("indices") or _name == "values":
        _public(f"{_name}_copy", _asks(f"{_name}_copy", _wanted))


def _lacks(name: str) -> Callable[..., NoReturn]:
    """A call that makes, or takes, a sparse tensor."""

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"{name}(): {LACKING}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Not there: NotImplementedError."
    return refuse


for _name in (
    "to_sparse",
    "to_sparse_coo",
    "to_sparse_csr",
    "to_sparse_csc",
    "to_sparse_bsr",
    "to_sparse_bsc",
    "sparse_mask",
    "sparse_resize_",
    "sparse_resize_and_clear_",
    "resize_as_sparse_",
    "smm",
    "sspaddmm",
    "to_padded_tensor",
):
    _method(_name, _lacks(_name))
for _name in (
    "sparse_coo_tensor",
    "sparse_csr_tensor",
    "sparse_csc_tensor",
    "sparse_bsr_tensor",
    "sparse_bsc_tensor",
    "sparse_compressed_tensor",
    "hspmm",
    "hsmm",
    "smm",
    "sspaddmm",
    "saddmm",
    "resize_as_sparse_",
):
    _public(_name, _lacks(_name))


def spmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices, (n, k) and (k, m), of which the first may be sparse in PyTorch."""
    return TABLE["mm"](input, mat2)


def dsmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices, (n, k) and (k, m), of which the second may be sparse in PyTorch."""
    return TABLE["mm"](input, mat2)


_public("spmm", spmm)
_public("dsmm", dsmm)
