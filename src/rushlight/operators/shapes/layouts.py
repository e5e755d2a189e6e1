"""The attributes and methods of tensors that concern layouts; the operators of sparse tensors are loaded with the
first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn

from rushlight.core import dtypes as dt
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.naming import named
from rushlight.core.tensor import Tensor, attach
from rushlight.core.upcalls import upcalls
from rushlight.operators.table.arguments import int_argument
from rushlight.operators.table.define import FUNCTIONS, TABLE, attach_built_in
from rushlight.operators.table.types import Device, DType, Layout, SizeLike

_LAYOUT = _core.get_keys_flag_mask()["LAYOUT"]
_COMPRESSED = ("sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")
_COO, _ROWS, _COLUMNS = "sparse coordinate", "sparse row compressed", "sparse column compressed"


def sparse_module(module: str) -> ModuleType:
    """A module of the operators on sparse tensors."""
    import_module("rushlight.operators.sparse")
    return import_module(f"rushlight.operators.sparse.{module}")


def of_sparse(function: str, *args: Any, **kwargs: Any) -> Tensor:
    """The result of a function on sparse tensors, which is named with its module: "making.to_dense"."""
    module, name = function.split(".")
    made: Tensor = getattr(sparse_module(module), name)(*args, **kwargs)
    return made


def _compressed(name: str, x: Tensor, layout: dt.layout, blocksize: Any, dense_dim: int | None) -> Tensor:
    return of_sparse("compressed.convert", name, x, layout, blocksize, dense_dim)


def _public(name: str, fn: Any) -> None:
    """Make a function of the package."""
    FUNCTIONS[name] = globals()[name] = named(fn, name)


def _refuse(name: str, wanted: str, x: Tensor) -> NoReturn:
    raise RuntimeError(f"{name}(): 'input' must have a {wanted} layout; found {x.layout}")


def _is_compressed(x: Tensor) -> bool:
    """Whether a tensor has one of the compressed layouts."""
    return bool(x._keys_ & _LAYOUT) and x.layout.name in _COMPRESSED


def _wants(name: str, x: Tensor, wanted: str = _COO) -> Any:
    """The parts of a tensor that must be in coordinate format."""
    if not x._keys_ & _LAYOUT or x.layout is not dt.sparse_coo:
        _refuse(name, wanted, x)
    return x._meta_.parts


# ------------------------------------------------------------------------------------------------- questions
def _to_dense(self: Tensor, dtype: DType = None, *, masked_grad: bool | None = None) -> Tensor:
    """The dense tensor, itself if it is so. masked_grad: False: the gradient of a sparse tensor has an entry for every
    element.
    """
    if self._keys_ & _LAYOUT:
        if self.layout is not dt.sparse_coo:
            self = of_sparse("compressed.coo", self)
        return of_sparse("making.to_dense", self, dtype, masked_grad)
    return self if dtype is None else self.to(dtype)


def _sparse_dim(self: Tensor) -> int:
    """How many dimensions are sparse: none of a dense tensor."""
    if not self._keys_ & _LAYOUT:
        return 0
    return 2 if _is_compressed(self) else int(_wants("sparse_dim", self).indices.shape[0])


def _dense_dim(self: Tensor) -> int:
    """How many dimensions are dense: all of a dense tensor."""
    if _is_compressed(self):
        return len(self._meta_.parts.dense)
    return self.ndim - _sparse_dim(self)


def _grad_dtype(self: Tensor) -> Any:
    """The dtype of the leaf's gradient: the tensor's own unless another was set; None: any.

    Raises:
        RuntimeError: for a tensor that is no leaf.
    """
    if not self.is_leaf:
        raise RuntimeError("grad_dtype: can only be accessed on leaf tensors; found the result of a recorded call")
    wanted = self._meta_.grad_dtype
    return self.dtype if wanted is None else wanted or None


def _set_grad_dtype(self: Tensor, dtype: Any) -> None:
    if dtype is not None and not isinstance(dtype, dt.dtype):
        raise RuntimeError(f"grad_dtype: must be a torch.dtype or None; found {type(dtype).__name__}")
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"grad_dtype: must be a floating point or complex dtype; found {dtype}")
    if not self.is_leaf:
        raise RuntimeError("grad_dtype: can only be set on leaf tensors; found the result of a recorded call")
    held = self._meta_.grad
    if dtype is not None and held is not None and held.dtype is not dtype:
        raise RuntimeError(
            f"grad_dtype: must be the dtype of the gradient that is there, {held.dtype}, or that be cleared "
            f"(.grad = None); found {dtype}"
        )
    self._meta_.grad_dtype = False if dtype is None else None if dtype is self.dtype else dtype


def _is_coalesced(self: Tensor) -> bool:
    """Whether the indices of a sparse tensor are in order, each there once."""
    return bool(_wants("is_coalesced", self).coalesced)


def _coalesce(self: Tensor) -> Tensor:
    """A sparse tensor with its indices in order, each there once with the sum of its values."""
    _wants("coalesce", self)
    return of_sparse("parts.coalesced", self)


def _coalesced_(self: Tensor, coalesced: bool) -> Tensor:
    """Say of a sparse tensor that it is coalesced, or not, in place."""
    own = _wants("_coalesced_", self)
    module = sparse_module("parts")
    _raw.set_parts(self, self.dtype, tuple(self.shape), module.Coo(own.indices, own.values, bool(coalesced)))
    return self


def _checked_coalesced(name: str, x: Tensor) -> Any:
    own = _wants(name, x)
    if not own.coalesced:
        raise RuntimeError(
            f"{name}(): Cannot get {name} on an uncoalesced tensor; 'input' must be coalesced, found one that is not: "
            "please call .coalesce() first"
        )
    return own


def _indices(self: Tensor) -> Tensor:
    """The indices of a coalesced sparse tensor: (sparse dimensions, count), int64."""
    return _raw.alias_of(_checked_coalesced("indices", self).indices)


def _values(self: Tensor) -> Tensor:
    """The values of a coalesced sparse tensor: (count, *dense dimensions)."""
    if not self._keys_ & _LAYOUT:
        _refuse("values", "sparse", self)
    if _is_compressed(self):
        return of_sparse("compressed.values_of", self)
    _checked_coalesced("values", self)
    return of_sparse("parts.values_of", self)


def _raw_indices(self: Tensor) -> Tensor:
    """The indices of a sparse tensor as they are."""
    return _raw.alias_of(_wants("_indices", self).indices)


def _raw_values(self: Tensor) -> Tensor:
    """The values of a sparse tensor as they are, without history."""
    return _raw.alias_of(_wants("_values", self).values)


def _nnz(self: Tensor) -> int:
    """How many entries a sparse tensor has."""
    if _is_compressed(self):
        return int(self._meta_.parts.others.shape[-1])
    return int(_wants("_nnz", self).indices.shape[1])


_METHODS: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("to_dense", _to_dense),
    ("sparse_dim", _sparse_dim),
    ("dense_dim", _dense_dim),
    ("_dimI", lambda self: _sparse_dim(self)),  # a method of its own, with its own name
    ("_dimV", lambda self: _dense_dim(self)),
    ("coalesce", _coalesce),
    ("is_coalesced", _is_coalesced),
    ("_coalesced_", _coalesced_),
    ("indices", _indices),
    ("values", _values),
    ("_indices", _raw_indices),
    ("_values", _raw_values),
    ("_nnz", _nnz),
)
for _name, _fn in _METHODS:
    attach_built_in(_name, _fn)
attach("grad_dtype", property(_grad_dtype, _set_grad_dtype))


def _asks(name: str, wanted: str) -> Callable[..., Tensor]:
    """A question for the indices of a compressed layout."""
    layouts = _COMPRESSED[::2] if wanted is _ROWS else _COMPRESSED[1::2]
    part = "ends" if name in ("crow_indices", "ccol_indices") else "others"

    def ask(self: Tensor) -> Tensor:
        if not self._keys_ & _LAYOUT or self.layout.name not in layouts:
            _refuse(name, wanted, self)
        return _raw.alias_of(getattr(self._meta_.parts, part))

    return named(ask, name, f"A part of a tensor with a {wanted} layout; RuntimeError for others.")


def _copies(name: str) -> Callable[..., Tensor]:
    def copied(self: Tensor) -> Tensor:
        return getattr(self, name)().clone()  # type: ignore[no-any-return]

    return named(copied, f"{name}_copy", f"A copy of {name}() of a sparse tensor.")


for _name, _wanted in (
    ("crow_indices", _ROWS),
    ("col_indices", _ROWS),
    ("ccol_indices", _COLUMNS),
    ("row_indices", _COLUMNS),
):
    attach_built_in(_name, _asks(_name, _wanted))
    _public(f"{_name}_copy", _copies(_name))
_public("indices_copy", _copies("indices"))
_public("values_copy", _copies("values"))


# ----------------------------------------------------------------------------------------------- conversions
def _to_sparse(
    self: Tensor, sparse_dim: int | None = None, *, layout: Layout = None, blocksize: Any = None, dense_dim: Any = None
) -> Tensor:
    """The sparse tensor of the elements that are not zero. sparse_dim: how many of the first dimensions are sparse."""
    if layout is not None and layout is not dt.sparse_coo:
        if layout is dt.strided:
            return _to_dense(self)
        if getattr(layout, "name", "") not in _COMPRESSED:
            raise RuntimeError(f"to_sparse(): 'layout' must be that of a sparse or a dense tensor; found {layout}")
        return _compressed("to_sparse", self, layout, blocksize, dense_dim)
    if blocksize is not None:
        raise RuntimeError(f"to_sparse(): 'blocksize' is for the layouts of blocks; found {blocksize}")
    if dense_dim is not None and not self._keys_ & _LAYOUT:
        sparse_dim = self.ndim - dense_dim
    if _is_compressed(self):
        if sparse_dim not in (None, 2):
            raise RuntimeError(
                "to_sparse(): conversion from a compressed layout with sparse_dim argument != 2 is not supported; "
                f"found {sparse_dim}"
            )
        return of_sparse("compressed.coo", self)
    return of_sparse("making.to_sparse", self, sparse_dim)


def _to_sparse_coo(self: Tensor) -> Tensor:
    """The sparse tensor in coordinate format of the elements that are not zero."""
    return _to_sparse(self)


def _to_compressed(layout: dt.layout) -> Callable[..., Tensor]:
    def elements(self: Tensor, dense_dim: int | None = None) -> Tensor:
        return _compressed(f"to_{layout.name}", self, layout, None, dense_dim)

    def blocks(self: Tensor, blocksize: Any, dense_dim: int | None = None) -> Tensor:
        return _compressed(f"to_{layout.name}", self, layout, blocksize, dense_dim)

    convert = blocks if layout.name in _COMPRESSED[2:] else elements
    convert.__doc__ = f"The tensor in the layout {layout}: entries where elements are not zero, or the sparse tensor's."
    return convert


def _sparse_mask(self: Tensor, mask: Tensor) -> Tensor:
    """The elements at the entries of a sparse mask, as a sparse tensor."""
    if _is_compressed(mask):
        own, compressed = mask._meta_.parts, sparse_module("compressed")
        flat = _sparse_mask(compressed.coo(self), compressed.coo(mask))
        values = flat._values() if not flat.requires_grad else sparse_module("parts").values_of(flat)
        values = values.reshape(own.values.shape)
        return of_sparse("compressed.make", own, values, mask.shape, "SparseMaskBackward0")
    if _is_compressed(self):
        self = of_sparse("compressed.coo", self)
    return of_sparse("making.sparse_mask", self, mask)


def _sparse_resize_(self: Tensor, size: SizeLike, sparse_dim: int, dense_dim: int) -> Tensor:
    """Give a sparse tensor another size, in place."""
    _wants("sparse_resize_", self)
    return of_sparse("making.sparse_resize_", self, size, sparse_dim, dense_dim)


def _sparse_resize_and_clear_(self: Tensor, size: SizeLike, sparse_dim: int, dense_dim: int) -> Tensor:
    """Give a sparse tensor another size and no entries, in place."""
    _wants("sparse_resize_and_clear_", self)
    cleared = of_sparse("making.sparse_resize_", self, size, sparse_dim, dense_dim, clear=True)
    return cleared


def _resize_as_sparse_(self: Tensor, the_template: Tensor) -> Tensor:
    """Give a sparse tensor the size of another, in place."""
    _wants("resize_as_sparse_", self)
    _wants("resize_as_sparse_", the_template)
    return _sparse_resize_(self, tuple(the_template.shape), _sparse_dim(the_template), _dense_dim(the_template))


def _smm(self: Tensor, mat: Tensor) -> Tensor:
    """The sparse product of a sparse and a dense matrix."""
    return of_sparse("products.smm", self, mat)


def _sspaddmm(self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """The sparse beta * self + alpha * (mat1 @ mat2) of a sparse mat1 and a dense mat2."""
    return of_sparse("products.sspaddmm", self, mat1, mat2, beta=beta, alpha=alpha)


def _to_padded_tensor(*args: Any, **kwargs: Any) -> NoReturn:
    """Not there, for it is of nested tensors: NotImplementedError."""
    raise NotImplementedError("to_padded_tensor(): rushlight lacks nested tensors")


_CONVERSIONS: tuple[tuple[str, Callable[..., Any]], ...] = (
    ("to_sparse", _to_sparse),
    ("to_sparse_coo", _to_sparse_coo),
    ("sparse_mask", _sparse_mask),
    ("sparse_resize_", _sparse_resize_),
    ("sparse_resize_and_clear_", _sparse_resize_and_clear_),
    ("resize_as_sparse_", _resize_as_sparse_),
    ("smm", _smm),
    ("sspaddmm", _sspaddmm),
)
for _name, _fn in _CONVERSIONS:
    attach_built_in(_name, _fn)
for _name in _COMPRESSED:
    attach_built_in(f"to_{_name}", _to_compressed(dt.layout.registry[_name]))
attach_built_in("to_padded_tensor", _to_padded_tensor)


# ----------------------------------------------------------------------------------- functions of the package
def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Sequence[int] | None = None,
    *,
    dtype: DType = None,
    device: Device = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> Tensor:
    """A sparse tensor in coordinate format.

    Args:
        indices: (sparse dimensions, count), of which column e is the place of values[e]; entries at one place add up.
        values: (count, *dense dimensions).
        size: by default what holds the indices. sparse_coo_tensor(size): no entries.
    """
    return of_sparse("making.coo", indices, values, size, dtype, device, requires_grad, is_coalesced)


def given_values(name: str, values: Any, dtype: DType, device: Device) -> Tensor:
    """The values that a sparse tensor is made of, in the dtype that is asked for."""
    if device is not None and _core.device(device).type != "cpu":
        raise NotImplementedError(f"{name}(): sparse tensors are on the CPU alone; found the device {device}")
    if not isinstance(values, Tensor):
        return TABLE["tensor"](values, dtype=dtype)
    return values if dtype is None or values.dtype is dtype else values.to(dtype)


def sizes_argument(name: str, size: Any) -> list[int]:
    """The argument `size`, which must be ints."""
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"{name}(): argument 'size' must be tuple of ints, not {type(size).__name__}")
    return [int_argument(n, name, "size") for n in size]


def requiring_grad(x: Tensor) -> Tensor:
    """A leaf with the entries of a tensor that was just made."""
    leaf: Tensor = _raw.alias_of(x).requires_grad_()
    return leaf


def _of_parts(name: str, ends: str, others: str, doc: str, own: dt.layout | None = None) -> Callable[..., Tensor]:
    """The function that makes tensors of a compressed layout of its own, or of the one it is given; ends, others: what
    its indices are called.
    """

    def make(
        ends: Any,
        others: Any,
        values: Any,
        size: Sequence[int] | None = None,
        *,
        dtype: DType = None,
        layout: Layout = None,
        device: Device = None,
        pin_memory: bool = False,
        requires_grad: bool = False,
        check_invariants: bool | None = None,
    ) -> Tensor:
        if own is not None and layout not in (None, own):
            raise RuntimeError(f"{name}(): 'layout' must be {own}; found {layout}")
        layout = own or layout
        if getattr(layout, "name", "") not in _COMPRESSED:
            raise RuntimeError(f"{name}(): expected sparse compressed tensor layout; found {layout}")
        values = given_values(name, values, dtype, device)
        indices = [x if isinstance(x, Tensor) else TABLE["tensor"](x, dtype=dt.int64) for x in (ends, others)]
        if size is not None:
            size = sizes_argument(name, size)
        made = of_sparse("compressed.from_parts", name, layout, *indices, values, size, check_invariants)
        return requiring_grad(made) if requires_grad else made

    return named(make, name, doc, parameters=(ends, others))


_ROW_INDICES, _COLUMN_INDICES = ("crow_indices", "col_indices"), ("ccol_indices", "row_indices")


def _of_layout(layout: str, indices: tuple[str, str], what: str) -> Callable[..., Tensor]:
    doc = f"A sparse tensor {what}; see sparse_compressed_tensor()."
    return _of_parts(f"{layout}_tensor", *indices, doc, dt.layout.registry[layout])


def spmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices, (n, k) and (k, m), of which either may be sparse."""
    return TABLE["mm"](input, mat2)


def dsmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices, (n, k) and (k, m), of which either may be sparse."""
    return TABLE["mm"](input, mat2)


def hspmm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse and a dense matrix, as a sparse tensor of rows."""
    return of_sparse("products.hspmm", mat1, mat2)


def hsmm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse and a dense matrix, as a sparse tensor of rows."""
    return hspmm(mat1, mat2)


def smm(input: Tensor, mat: Tensor) -> Tensor:
    """The sparse product of a sparse and a dense matrix."""
    return _smm(input, mat)


def sspaddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """The sparse beta * input + alpha * (mat1 @ mat2) of a sparse mat1 and a dense mat2."""
    return _sspaddmm(input, mat1, mat2, beta=beta, alpha=alpha)


def saddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """sspaddmm under an older name."""
    return _sspaddmm(input, mat1, mat2, beta=beta, alpha=alpha)


def resize_as_sparse_(input: Tensor, the_template: Tensor) -> Tensor:
    """Give a sparse tensor the size of another, in place."""
    return _resize_as_sparse_(input, the_template)


_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    sparse_coo_tensor,
    _of_parts(
        "sparse_compressed_tensor",
        "compressed_indices",
        "plain_indices",
        """A sparse tensor in a compressed layout: its indices are looked at, whatever check_invariants is.

    Args:
        compressed_indices: (*batch, n + 1): where the entries of each of n rows (columns of blocks, ...) begin and end.
        plain_indices: (*batch, count): the column (row) of each.
        values: (*batch, count, *block, *dense).
        size: by default what holds the indices.
        layout: which of the four.
        check_invariants: whether the indices must be in order.
    """,
    ),
    _of_layout("sparse_csr", _ROW_INDICES, "by rows"),
    _of_layout("sparse_csc", _COLUMN_INDICES, "by columns"),
    _of_layout("sparse_bsr", _ROW_INDICES, "of blocks by rows"),
    _of_layout("sparse_bsc", _COLUMN_INDICES, "of blocks by columns"),
    spmm,
    dsmm,
    hspmm,
    hsmm,
    smm,
    sspaddmm,
    saddmm,
    resize_as_sparse_,
)
for _fn in _FUNCTIONS:
    _public(_fn.__name__, _fn)


upcalls.layout_item = lambda x: sparse_module("making").item(x)
