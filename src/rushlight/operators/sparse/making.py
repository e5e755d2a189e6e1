"""Sparse tensors from indices and values, copies, conversions, and what they answer of themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import raw
from rushlight.core.tensor import Tensor
from rushlight.operators.creation.placement import Options
from rushlight.operators.shapes.layouts import given_values, requiring_grad, sizes_argument
from rushlight.operators.sparse import parts as p
from rushlight.operators.sparse.elementwise import empty_like, without_entries
from rushlight.operators.sparse.handling import COMPOSED, IMPLEMENTATIONS, check_leaf, sparse_operator
from rushlight.operators.table.arguments import int_argument
from rushlight.operators.table.checks import check_argument, check_each, check_that
from rushlight.operators.table.define import FUNCTIONS, METHODS, TABLE
from rushlight.operators.table.types import Device, DType, MemoryFormat, SizeLike

COMPOSED.update(
    "half float double bfloat16 int long short byte char bool cfloat cdouble chalf cpu cuda module_load".split()
)


def check_parts(indices: Tensor, values: Tensor, size: Sequence[int], coalesced: bool | None = None) -> None:
    """RuntimeError where an index lies outside of the tensor."""
    n_sparse = int(indices.shape[0])
    if n_sparse and indices.shape[1]:
        low, high = indices.amin(1).tolist(), indices.amax(1).tolist()
        for d in range(n_sparse):
            if low[d] < 0:
                raise RuntimeError(
                    f"sparse_coo_tensor(): found negative index {low[d]} for dim {d}; indices count from 0"
                )
            if high[d] >= size[d]:
                raise RuntimeError(
                    f"sparse_coo_tensor(): size is inconsistent with indices: for dim {d}, size is {size[d]} but found "
                    f"index {high[d]}"
                )
    if coalesced:
        keys = p.linear(indices, size)
        if not bool((keys[1:] > keys[:-1]).all()):
            raise RuntimeError(
                "sparse_coo_tensor(): cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor"
            )


def _checked_shapes(name: str, indices: Tensor, values: Tensor, size: Sequence[int] | None) -> list[int]:
    """The size of the tensor, which is inferred where it is not given."""
    for what, x in (("indices", indices), ("values", values)):
        if x._keys_ & p.LAYOUT:
            raise RuntimeError(f"{name}(): expected {what} to be a dense tensor; found layout {x.layout}")
    check_that(indices.ndim == 2, f"{name}()", "indices", "be sparse_dim x nnz, of 2 dimensions", indices.ndim)
    if indices.dtype.kind not in "iu":
        raise RuntimeError(f"{name}(): expected indices of an integer dtype; found {indices.dtype}")
    if not values.ndim or values.shape[0] != indices.shape[1]:
        found = list(values.shape)
        raise RuntimeError(
            f"{name}(): indices and values must have same nnz; found nnz from indices: {indices.shape[1]}, values of "
            f"shape {found}"
        )
    n_sparse, dense = int(indices.shape[0]), [int(n) for n in values.shape[1:]]
    if size is None:
        if not indices.shape[1]:
            return [0] * n_sparse + dense
        low = indices.amin(1).tolist() if n_sparse else []
        for d, at in enumerate(low):
            if at < 0:
                raise RuntimeError(f"{name}(): found negative index {at} for dim {d}; indices count from 0")
        return [n + 1 for n in (indices.amax(1).tolist() if n_sparse else [])] + dense
    out = sizes_argument(name, size)
    if len(out) != n_sparse + len(dense):
        raise RuntimeError(
            f"{name}(): number of dimensions must be sparse_dim ({n_sparse}) + dense_dim ({len(dense)}); found "
            f"{len(out)} in the size {out}"
        )
    if out[n_sparse:] != dense:
        raise RuntimeError(
            f"{name}(): values has incorrect size, expected {[int(values.shape[0]), *out[n_sparse:]]}; found "
            f"{list(values.shape)}"
        )
    check_each(name, "size", out, 0)
    return out


def from_parts(indices: Tensor, values: Tensor, size: Sequence[int], coalesced: bool) -> Tensor:
    """A sparse tensor on indices that are not checked here; the caller must do that (`check_parts`)."""
    return p.plain(indices, values, _checked_shapes("sparse_coo_tensor", indices, values, size), coalesced)


def coo(
    indices: Any,
    values: Any = None,
    size: Sequence[int] | None = None,
    dtype: DType = None,
    device: Device = None,
    requires_grad: bool = False,
    is_coalesced: bool | None = None,
) -> Tensor:
    """What sparse_coo_tensor() of the package gives."""
    name = "sparse_coo_tensor"
    if size is not None:
        size = sizes_argument(name, size)
    if indices is None and size is None:
        raise TypeError(f"{name}(): 'indices' and 'values', or a 'size', must be given; found neither")
    if size is None and values is None and not isinstance(indices, Tensor):
        indices, size = None, indices  # sparse_coo_tensor(size)
    if indices is None and values is None and size is not None:
        made = without_entries(size, len(size), _float(dtype))
        return made.requires_grad_() if requires_grad else made
    check_argument(values is not None, f"{name}()", "values", "be given beside 'indices'", "None", TypeError)
    tensor = TABLE["tensor"]
    if not isinstance(indices, Tensor):
        indices = tensor(indices, dtype=dt.int64)
    values = given_values(name, values, dtype, device)
    shape = _checked_shapes(name, indices, values, size)
    with p.unrecorded():
        indices = indices.to(dt.int64)
        check_parts(indices, values, shape, is_coalesced)
    made = p.make(indices, values, shape, bool(is_coalesced) or int(indices.shape[1]) < 2)
    return requiring_grad(made) if requires_grad else made


def _float(dtype: DType) -> Any:
    return FUNCTIONS["get_default_dtype"]() if dtype is None else dtype


def to_sparse(x: Tensor, n_sparse: int | None = None) -> Tensor:
    """The sparse tensor in coordinate format of a dense one; itself if it is sparse."""
    if x._keys_ & p.LAYOUT:
        if n_sparse is not None and n_sparse != p.sparse_dim(x):
            raise RuntimeError(
                "to_sparse(): conversion from Sparse to Sparse with sparse_dim argument != self.sparse_dim() is not "
                f"supported; found {n_sparse} for {p.sparse_dim(x)}"
            )
        return x
    if n_sparse is not None and not (0 < n_sparse <= x.ndim or n_sparse == x.ndim):
        raise RuntimeError(
            f"to_sparse(): 'sparse_dim' must be in [1, {x.ndim}] for a {x.ndim}-d tensor; found {n_sparse}"
        )
    return p.sparse(x, n_sparse)


def to_dense(x: Tensor, dtype: DType = None, masked_grad: bool | None = None) -> Tensor:
    """The dense tensor. masked_grad: False: the gradient has an entry for every element."""
    if dtype is not None:
        raise RuntimeError(f"to_dense(): dtype argument is not supported for sparse tensors; found {dtype}; use to()")
    if masked_grad is False:
        with p.unrecorded():
            result = p.dense(x)
        n_sparse = p.sparse_dim(x)
        result = p.record(result, "ToDenseBackward0", [x], lambda g: [_everywhere(g, n_sparse)])
    else:
        with p.unrecorded():
            result = p.dense(x)
        own, shape = p.parts(x), tuple(x.shape)
        result = p.record(
            result, "ToDenseBackward0", [x], lambda g: [p._once(own, p.picked(g, own.indices, shape), shape)]
        )
    return result


def _everywhere(g: Tensor, n_sparse: int) -> Tensor:
    if g._keys_ & p.LAYOUT:
        return g
    with p.unrecorded():
        ones = TABLE["ones"](tuple(g.shape[:n_sparse]), dtype=dt.bool_)
        indices = TABLE["nonzero"](ones).t().contiguous()
    return p.make(indices, p.picked(g, indices, g.shape), g.shape, True)


def sparse_mask(x: Tensor, mask: Tensor) -> Tensor:
    """The elements of x at the entries of a sparse mask."""
    check_argument(p.is_sparse(mask), "sparse_mask()", "mask", "be sparse", f"layout {mask.layout}", TypeError)
    if tuple(x.shape) != tuple(mask.shape):
        raise RuntimeError(
            f"sparse_mask(): operands have incompatible sizes; self has size {list(x.shape)} but mask has size "
            f"{list(mask.shape)}"
        )
    own = p.parts(mask)
    if p.is_sparse(x):
        with p.unrecorded():
            made = p.plain(own.indices, p.picked(x, own.indices, x.shape), x.shape, own.coalesced)
        return p.record(made, "SparseMaskBackward0", [x], lambda g: [sparse_mask(g, mask)])
    return p.make(own.indices, p.picked(x, own.indices, x.shape), x.shape, own.coalesced, "SparseMaskBackward0")


def sparse_resize_(x: Tensor, size: Sequence[int], n_sparse: int, n_dense: int, clear: bool = False) -> Tensor:
    """Give a sparse tensor another size, in place. clear: without entries."""
    size = sizes_argument("sparse_resize_", size)
    n_sparse = int_argument(n_sparse, "sparse_resize_", "sparse_dim")
    n_dense = int_argument(n_dense, "sparse_resize_", "dense_dim")
    if n_sparse < 0 or n_dense < 0:
        raise RuntimeError(
            f"sparse_resize_(): 'sparse_dim' and 'dense_dim' must be at least 0; found {n_sparse} and {n_dense}"
        )
    if len(size) != n_sparse + n_dense:
        raise RuntimeError(
            f"sparse_resize_(): number of dimensions must be sparse_dim ({n_sparse}) + dense_dim ({n_dense}); found "
            f"{len(size)}"
        )
    own = p.parts(x)
    check_leaf("sparse_resize_", x)
    if not p.count(x) or clear:
        return p.replace(x, without_entries(size, n_sparse, x.dtype))
    old = p.sparse_dim(x)
    if old != n_sparse or x.ndim - old != n_dense:
        raise RuntimeError(
            "sparse_resize_(): changing the number of sparse or dense dimensions of a tensor with entries is not "
            f"supported; found {n_sparse} and {n_dense} for {old} and {x.ndim - old}"
        )
    if any(a < b for a, b in zip(size, x.shape, strict=True)):
        raise RuntimeError(
            "sparse_resize_(): shrinking the size of sparse or dense dimensions of a tensor with entries is not "
            f"supported; found {size} for {list(x.shape)}"
        )
    values = own.values
    if list(values.shape[1:]) != size[n_sparse:]:
        grown = TABLE["zeros"]((int(values.shape[0]), *size[n_sparse:]), dtype=values.dtype)
        grown[tuple(slice(0, int(n)) for n in values.shape)] = values
        values = grown
    return p.replace(x, raw.layout_tensor(x.dtype, tuple(size), p.Coo(own.indices, values, own.coalesced)))


# --------------------------------------------------------------------------------- copies and other operators
@sparse_operator("clone")
def _clone(input: Tensor, *, memory_format: MemoryFormat = None) -> Tensor:
    if memory_format is not None and memory_format is not dt.preserve_format:
        raise RuntimeError(
            f"clone(): 'memory_format' must be preserve_format for sparse tensors; found {memory_format}"
        )
    own = p.parts(input)
    with p.unrecorded():
        made = p.plain(own.indices.clone(), own.values.clone(), input.shape, own.coalesced)
    return p.record(made, "CloneBackward0", [input], lambda g: [g])


@sparse_operator("detach")
def _detach(input: Tensor) -> Tensor:
    return raw.alias_of(input)


@sparse_operator("to")
def _to(
    input: Tensor, target: Any = None, dtype: DType = None, non_blocking: Any = False, copy: Any = False, **place: Any
) -> Tensor:
    own, device = p.parts(input), place.get("device")
    # What the arguments mean is what they mean for the values.
    given = target if isinstance(target, Tensor) else place.get("other")
    if given is not None and given.layout is not input.layout:
        raise RuntimeError(
            f"to(): converting to a different layout is not supported; found {given.layout} for {input.layout}"
        )
    if isinstance(target, Tensor):
        target, device = target.dtype, target.device
        if isinstance(dtype, bool):
            dtype, non_blocking, copy = None, dtype, non_blocking
    with p.unrecorded():
        new = METHODS["to"](own.values, target, dtype, non_blocking, copy, device=device)
        if new is own.values:
            return input
        made = p.plain(own.indices, new, input.shape, own.coalesced)
    kind = input.dtype
    return p.record(made, "ToCopyBackward0", [input], lambda g: [g.to(kind)])


@sparse_operator("type_as")
def _type_as(input: Tensor, other: Tensor) -> Tensor:
    if input.layout is not other.layout:
        raise RuntimeError(
            f"type_as(): converting to a different layout is not supported; found {other.layout} for {input.layout}"
        )
    return METHODS["to"](input, other.dtype)


@sparse_operator("_to_copy")
def _to_copy(input: Tensor, *, dtype: dt.dtype) -> Tensor:
    return _to(input, dtype)


@sparse_operator("copy_")
def _copy_(input: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    check_leaf("copy_", input)
    if not p.is_sparse(input) or not p.is_sparse(src):
        raise RuntimeError("copy_(): copying between dense and sparse tensors is not supported; found one of each")
    if tuple(input.shape) != tuple(src.shape):
        raise RuntimeError(
            f"copy_(): a sparse tensor is copied to one of its size; found {list(src.shape)} for {list(input.shape)}"
        )
    new = _clone(src)
    return p.replace(input, new if new.dtype is input.dtype else _to(new, input.dtype))


def _elsewhere(new: Options) -> bool:
    """Whether a factory is asked for another layout than its operand's."""
    return new.layout is not None and new.layout is not dt.sparse_coo


def _filled(name: str, size: Sequence[int], input: Tensor, new: Options) -> Tensor:
    return new.finish(TABLE[name](tuple(size), dtype=new.dtype or input.dtype, layout=new.layout))


def _like(name: str) -> Any:
    def like(input: Tensor, **options: Any) -> Tensor:
        new = Options(**options)
        if _elsewhere(new):
            return _filled(name.removesuffix("_like"), input.shape, input, new)
        return new.finish(empty_like(input, new.dtype))

    return like


def _new(name: str) -> Any:
    def make(input: Tensor, size: SizeLike, **options: Any) -> Tensor:
        new, size = Options(**options), (size,) if isinstance(size, int) else tuple(size)
        if _elsewhere(new):
            return _filled(name.removeprefix("new_"), size, input, new)
        return new.finish(without_entries(size, len(size), new.dtype or input.dtype))

    return make


for _name in ("zeros_like", "empty_like"):
    IMPLEMENTATIONS[_name] = _like(_name)
for _name in ("new_zeros", "new_empty"):
    IMPLEMENTATIONS[_name] = _new(_name)


@sparse_operator("new")
def _of_its_kind(input: Tensor, args: Any = ()) -> Tensor:
    if args and isinstance(args[0], Tensor) and args[0].ndim == 2:  # indices, values and a size
        return coo(args[0], args[1], args[2] if len(args) > 2 else None, input.dtype)
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    return without_entries((0,) if not args else tuple(int(n) for n in args), len(args) or 1, input.dtype)


@sparse_operator("new_tensor")
def _new_tensor(input: Tensor, data: Any, **options: Any) -> Tensor:
    if not isinstance(data, Tensor):
        raise NotImplementedError(
            "new_tensor(): of a sparse tensor 'data' must be a sparse one; found "
            f"{type(data).__name__}; use sparse_coo_tensor()"
        )
    new = Options(**options)
    return new.finish(METHODS["to"](data.detach(), new.dtype or data.dtype).clone())


@sparse_operator("resize_as_")
def _resize_as_(input: Tensor, the_template: Tensor, *, memory_format: MemoryFormat = None) -> Tensor:
    if tuple(input.shape) == tuple(the_template.shape):
        return input
    return sparse_resize_(
        input, the_template.shape, p.sparse_dim(the_template), the_template.ndim - p.sparse_dim(the_template)
    )


@sparse_operator("type")
def _type(input: Tensor, dtype: DType = None, non_blocking: bool = False) -> Any:
    if dtype is None:
        return p.parts(input).values.type().replace("torch.", "torch.sparse.")
    return _to(input, dtype)


@sparse_operator("numpy")
def _numpy(input: Tensor, *, force: bool = False) -> Any:
    raise TypeError(
        f"numpy(): can't convert a tensor with layout {input.layout} to numpy; found one. Use to_dense() first"
    )


@sparse_operator("contiguous")
def _contiguous(input: Tensor, memory_format: MemoryFormat = None) -> Tensor:
    raise RuntimeError(f"contiguous(): unsupported memory format option: a tensor with layout {input.layout} has none")


@sparse_operator("expand", "broadcast_to", "expand_as")
def _expand(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    raise RuntimeError(f"expand(): expand is unsupported for Sparse tensors; found layout {input.layout}")


@sparse_operator("reshape", "reshape_as", "flatten", "ravel", "unflatten")
def _reshape(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    if input.ndim == 1 and not args:  # flatten() of a vector
        return input
    raise RuntimeError(f"reshape(): reshape is not implemented for sparse tensors; found layout {input.layout}")


def item(x: Tensor) -> Any:
    """The value of a tensor of one element."""
    if x.numel() != 1:
        raise RuntimeError(
            f"item(): the tensor must have one element; found a Tensor with {x.numel()} elements, which "
            "cannot be converted to Scalar"
        )
    return to_dense(x.detach()).item()
