"""Choosing elements by index tensors and masks: what x[...] is made of, take, index_select, gather, nonzero, masks."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index as to_index
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import indexing as _indexing
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.tensor import Tensor
from rushlight.core.upcalls import upcalls
from rushlight.core.warning import warn
from rushlight.operators.table.arguments import too_many_indices
from rushlight.operators.table.arrays import int64_tensor, need_data, tensor_of
from rushlight.operators.table.body import wrap_dim
from rushlight.operators.table.checks import check_dtype, check_each, check_least, check_same_dtype
from rushlight.operators.table.define import METHODS, TABLE, eager, operator
from rushlight.operators.table.ranges import check_range
from rushlight.operators.table.tracer import P, Tracer, broadcast_shapes, constant, convert, expand_to, is_number
from rushlight.operators.table.types import Operand, Tensors
from rushlight.program.sym import Int, hints, prod

DISPATCH = _core.get_keys_flag_mask()["DISPATCH"]

__all__ = [
    "as_index",
    "check_mask",
    "constant",
    "index",
    "index_put",
    "index_put_",
    "int64_tensor",
    "tensor_of",
    "wrapped",
]


# ------------------------------------------------------------------------------------------------------------- helpers
def wrapped(index: Tensor, size: Int) -> Tracer:
    """Indices with negative ones counted from the end; one that is out of bounds stays what it was, for the message."""
    index = convert(index, dt.int64)
    shape = index.var.shape
    zero = constant(0, shape, dt.int64)
    from_end = index + constant(size, shape, dt.int64)
    return P.select((index < zero) & (from_end >= zero), from_end, index)


def check_places(name: str, index: Tensor, size: Int, dim: int, error: type[Exception] = IndexError) -> None:
    """An error for indices in a dimension without elements: where the result has none either, no kernel looks at
    them.
    """
    if size == 0 and prod(index.var.shape) != 0:
        raise error(
            f"{name}(): 'index' must be empty for dimension {dim}, which has the size 0; found {hints(index.shape)}"
        )


def as_index(
    index: Tensor,
    name: str,
    *,
    error: type[Exception] = RuntimeError,
    message: str = "'index' must be of dtype int64 or int32",
) -> Tracer:
    """An index tensor as int64."""
    if index.dtype not in (dt.int64, dt.int32):
        raise error(f"{name}(): {message}")
    return convert(index, dt.int64)


def positions(index: Tensor, dim: int) -> list[Tensor]:
    """Coordinates for gather and scatter: `index` along `dim`, every element's own place along the other dims."""
    shape = index.var.shape
    return [index if d == dim else P.iota(shape=shape, dim=d, dtype=dt.int64) for d in range(len(shape))]


def taken_along(x: Tensor, index: Tensor, dim: int) -> Tracer:
    """The elements of x at `index` along `dim`, in place along the others: one scatter is all of its derivative."""
    return P.gather(x, *positions(index, dim), dims=tuple(range(x.ndim)))


def at_least_1d(x: Tensor) -> Tensor:
    """A 0-d tensor as one of shape (1,)."""
    return P.reshape(x, shape=(1,)) if x.ndim == 0 else x


def first_to(x: Tracer, n: int, dim: int) -> Tracer:
    """Move the first n dimensions so that they begin at dimension `dim`."""
    if dim == 0 or n == x.ndim:
        return x
    return P.permute(x, perm=(*range(n, n + dim), *range(n), *range(n + dim, x.ndim)))


def to_first(x: Any, n: int, dim: int) -> Tracer:
    """Undo `first_to`: the `dim` dimensions before those n are moved behind them."""
    return first_to(x, dim, n)


# ------------------------------------------------------------------------------------------------------------ x[index]
def check_mask(mask: Tensor, x: Tensor, at: int) -> None:
    """IndexError when a mask does not have the sizes of x's dimensions from `at` on; 0, which the array API standard
    allows, selects nothing.
    """
    if at + mask.ndim > x.ndim:
        raise too_many_indices(x.ndim)
    for j in range(mask.ndim):
        if mask.shape[j] != x.shape[at + j] and mask.shape[j] != 0:
            raise IndexError(
                f"The shape of the mask {hints(mask.shape)} at index {j} does not match the shape of the indexed "
                f"tensor {hints(x.shape)} at index "
                f"{at + j}: a mask must have the sizes of the dimensions that it selects from"
            )


def chosen_places(x: Tensor, indices: Sequence[Tensor | None], name: str) -> tuple[tuple[int, ...], list[Tensor]]:
    """The indexed dimensions and an integer index tensor for each; masks become the places of their true elements."""
    dims: list[int] = []
    found: list[Tensor] = []
    d = 0
    for i in indices:
        if i is None:
            d += 1
        elif i.dtype in (dt.bool_, dt.uint8):
            if i.dtype is dt.uint8:
                warn(f"{name}(): a mask of dtype uint8 is deprecated; make it bool")
            check_mask(i, x, d)
            columns = _nonzero_columns(i)
            dims += range(d, d + len(columns))
            found += columns
            d += len(columns)
        else:
            if i.dtype not in (dt.int64, dt.int32):
                raise IndexError(f"an index tensor must be of dtype int64, int32, bool or uint8; found {i.dtype}")
            dims.append(d)
            found.append(i)
            d += 1
    if d > x.ndim:
        raise too_many_indices(x.ndim)
    if not found:
        raise IndexError(f"{name}(): 'indices' must hold at least one tensor; found none")
    # Index tensors of the CPU index a tensor on any device.
    return tuple(dims), [i.to(x.device) for i in found] if x.is_meta else found


def index(x: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    """x[indices] for index tensors and masks, None standing for a whole dimension."""
    if any(i is not None and i.dtype in (dt.bool_, dt.uint8) and _is_handled(x, i) for i in indices):
        return _index_by_masks(x, list(indices))
    dims, found = chosen_places(x, indices, "index")
    return _index(x, dims, found)


def _is_handled(x: Tensor, mask: Tensor) -> bool:
    """Whether a handler below `__torch_dispatch__` may see the call, which is handed the mask rather than an index."""
    return bool(_core.modes_in_force() or (x._keys_ | mask._keys_) & DISPATCH)


@eager(name="_index_by_masks", namespace=None, method=False)
def _index_by_masks(input: Tensor, indices: Any) -> Tensor:
    """input[indices] of index tensors and masks: the call that handlers are handed, aten's `index`."""
    dims, found = chosen_places(input, indices, "index")
    return _index(input, dims, found)


def _grid(
    name: str, x: Tensor, dims: tuple[int, ...], indices: Sequence[Tracer]
) -> tuple[list[Tracer], tuple[Int, ...], int]:
    """Broadcast and wrapped indices, the shape of the result, and where in it the indexed dimensions are."""
    try:
        shape = broadcast_shapes(*[i.shape for i in indices])
    except RuntimeError:
        found = ", ".join(str(hints(i.shape)) for i in indices)
        raise IndexError(f"index tensors must broadcast to one shape; found {found}") from None
    sizes = x.var.shape
    if prod(shape) != 0:
        for i, d in zip(indices, dims, strict=True):
            check_places(name, i, sizes[d], d)
    grid = [expand_to(wrapped(i, sizes[d]), shape) for i, d in zip(indices, dims, strict=True)]
    rest = [s for d, s in enumerate(sizes) if d not in dims]
    # Indexed dimensions that stand side by side are replaced where they are, others by dimensions in front.
    place = dims[0] if dims == tuple(range(dims[0], dims[0] + len(dims))) else 0
    return grid, (*rest[:place], *shape, *rest[place:]), place


@operator(name="_index", namespace=None, method=False, memory_format="indexed")
def _index(input: Tensor, dims: Any, indices: Tensors) -> Tensor:
    """input[..., indices, ...] for integer index tensors of the dimensions `dims`."""
    grid, _, place = _grid("index", input, dims, indices)
    return first_to(P.gather(input, *grid, dims=dims), grid[0].ndim, place)


@operator(name="_index_put", namespace=None, method=False, inplace=True, shape_class="index", memory_format="kept")
def _index_put(input: Tensor, dims: Any, indices: Tensors, values: Tensor, accumulate: bool = False) -> Tensor:
    """input with input[..., indices, ...] = values (or += when `accumulate`)."""
    if values.dtype is not input.dtype:
        raise RuntimeError(
            f"the values must be of the dtype of the tensor they are put into, {input.dtype}; found {values.dtype}"
        )
    grid, shape, place = _grid("index_put", input, dims, indices)
    extra = max(values.ndim - len(shape), 0)
    tail = values.var.shape[extra:]
    fits = all(s == 1 for s in values.var.shape[:extra]) and all(
        s == 1 or s == n for s, n in zip(tail, shape[len(shape) - len(tail) :], strict=True)
    )
    if not fits:
        raise RuntimeError(
            f"the values must broadcast to {hints(shape)}, what the index selects; found the shape "
            f"{hints(values.shape)}"
        )
    spread = expand_to(P.reshape(values, shape=tail), shape)
    mode = "set" if not accumulate else "max" if input.dtype.kind == "b" else "add"
    return P.scatter(input, *grid, to_first(spread, grid[0].ndim, place), dims=dims, mode=mode)


def _put_arguments(input: Tensor, indices: Any, values: Tensor, name: str) -> tuple[tuple[int, ...], list[Tensor]]:
    if not isinstance(indices, (tuple, list)) or not all(i is None or isinstance(i, Tensor) for i in indices):
        raise TypeError(
            f"{name}(): argument 'indices' (position 2) must be tuple of Tensors, not {type(indices).__name__}"
        )
    if len(indices) > input.ndim:
        raise too_many_indices(input.ndim, len(indices))
    dims, places = chosen_places(input, indices, name)
    chosen = input.ndim - len(dims) + max((p.ndim for p in places), default=0)
    if values.ndim > chosen:  # (an assignment to an index takes off leading ones)
        raise RuntimeError(
            f"{name}(): argument 'values' must broadcast to what the index selects, of {chosen} dimensions; found "
            f"{values.ndim}"
        )
    return dims, places


def _places_unknown(input: Tensor, indices: Any) -> bool:
    """Whether a mask without data is put through: on the device 'meta', where the result's shape is all there is to
    know.
    """
    return (
        input.is_meta
        and isinstance(indices, (tuple, list))
        and any(isinstance(i, Tensor) and i.is_meta and i.dtype in (dt.bool_, dt.uint8) for i in indices)
    )


def single_value(input: Tensor, indices: Any, values: Tensor, accumulate: bool) -> Tensor:
    """The values to write. A single value for the elements of a single mask becomes one of the tensor's dtype, as
    `masked_fill` does it.
    """
    if accumulate or values.numel() != 1 or not isinstance(indices, (tuple, list)):
        return values
    masks = [i for i in indices if i is not None]
    alone = len(masks) == 1 and isinstance(masks[0], Tensor) and masks[0].dtype in (dt.bool_, dt.uint8)
    if not alone:
        return values
    if values.dtype is input.dtype:
        return values.reshape(())
    if not values._keys_:
        check_range("index_put_", values.item(), input.dtype)
    return METHODS["to"](values.reshape(()), input.dtype)


@eager()
def index_put(input: Tensor, indices: Tensors | None, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of input with input[indices] = values.

    Args:
        indices: a sequence of integer index tensors or masks, one for each leading dimension.
        values: broadcasts to input[indices].
        accumulate: add to what is there; equal indices add up.
    """
    if _places_unknown(input, indices):
        return METHODS["clone"](input)
    values = single_value(input, indices, values, accumulate)
    return _index_put(input, *_put_arguments(input, indices, values, "index_put"), values, accumulate)


@eager(inplace_of=index_put)
def index_put_(input: Tensor, indices: Tensors | None, values: Tensor, accumulate: bool = False) -> Tensor:
    """index_put in place. It runs at every call: masks have to be searched."""
    if _places_unknown(input, indices):
        return input
    values = single_value(input, indices, values, accumulate)
    return METHODS["_index_put_"](input, *_put_arguments(input, indices, values, "index_put_"), values, accumulate)


def _truth(x: Tensor) -> Tensor:
    """Where x is not zero, as a mask with data."""
    if x._keys_:
        need_data(x, "nonzero")
    return x if x.dtype is dt.bool_ or x.dtype is dt.uint8 else METHODS["ne"](x.detach(), 0)


def _nonzero_columns(x: Tensor) -> list[Tensor]:
    return _indexing.place_columns(_truth(x if x.ndim else x.reshape(1)))


@eager(out=True)
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not zero.

    Returns:
        An int64 tensor of shape (found, ndim) in row-major order; with as_tuple, one tensor of indices for each
        dimension.
    """
    return tuple(_nonzero_columns(input)) if as_tuple else _indexing.places(_truth(input))


@eager()
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The indices of the first `size` elements that are not zero, shape (size, ndim), filled up with `fill_value`.

    Raises:
        RuntimeError: for a negative size.
    """
    check_least("nonzero_static", "size", size, 0)
    if input.is_meta:
        return _raw.empty_meta(dt.int64, (size, input.ndim))
    found = nonzero(input)[:size]
    return TABLE["cat"]([found, TABLE["full"]((size - found.shape[0], input.ndim), fill_value, dtype=dt.int64)])


@eager(method=False)
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """The coordinates, one tensor a dimension, of the elements of a row-major tensor of `shape` at flat `indices`;
    int64.

    Raises:
        TypeError: for indices or sizes that are not integers.
        ValueError: for negative sizes.
    """
    if not isinstance(indices, Tensor) or indices.dtype.kind not in "iu":
        raise TypeError(
            "unravel_index(): 'indices' must be a tensor of an integer dtype; found "
            f"{indices.dtype if isinstance(indices, Tensor) else type(indices).__name__}"
        )
    given = shape.tolist() if isinstance(shape, Tensor) and shape.dtype.kind in "iu" else shape
    try:
        sizes = tuple(to_index(s) for s in (given if isinstance(given, (tuple, list)) else (given,)))
    except TypeError:
        raise TypeError(
            f"unravel_index(): 'shape' must be an integer or a sequence of integers; found {shape!r}"
        ) from None
    check_each("unravel_index", "shape", sizes, 0, ValueError)
    out, step, wide = [], 1, METHODS["to"](indices, dt.int64)
    for s in reversed(sizes):
        out.append(METHODS["remainder"](METHODS["floor_divide"](wide, step), s) if s else METHODS["clone"](wide))
        step *= max(s, 1)
    return tuple(reversed(out))


@eager()
def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, shape (found, ndim)."""
    found: Tensor = nonzero(input)
    return found


# --------------------------------------------------------------------------------------------------------------- masks
@eager(out=True)
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements of input where the bool `mask` is true, as a 1-d tensor; both broadcast."""
    check_dtype("masked_select", "mask", mask, dt.bool_)
    if type(input) is Tensor and type(mask) is Tensor and input.shape == mask.shape and input.ndim:
        return input[mask]
    shape: tuple[Any, ...] = broadcast_shapes(input.shape, mask.shape)
    if not shape:
        return index(input.reshape(1), [mask.reshape(1)])
    if tuple(input.shape) != shape:
        input = input.expand(shape)
    return index(input, [mask if tuple(mask.shape) == shape else mask.expand(shape)])


def _check_mask_dtype(mask: Tensor, name: str) -> None:
    check_dtype(name, "mask", mask, dt.bool_)


def check_value(value: Any, d: dt.dtype, name: str) -> Tracer:
    """A number, or a tensor of no dimensions, as a value of dtype d."""
    if not is_number(value) and value.ndim:
        raise RuntimeError(f"{name}(): 'value' must be a number or a 0-d tensor; found a {value.ndim}-d tensor")
    if is_number(value):
        check_range(name, value, d)
    elif d.kind != "c" and value.dtype.kind == "c":
        raise RuntimeError(f"{name}(): a complex 'value' does not fit into dtype {d}: overflow")
    return convert(value, d)


@operator(inplace=True, memory_format="rows")
def masked_fill(input: Tensor, mask: Tensor, value: Operand) -> Tensor:
    """input with `value` wherever the bool `mask` is true.

    Args:
        mask: broadcastable with input.
        value: a number or a 0-d tensor.
    """
    _check_mask_dtype(mask, "masked_fill_")
    v = check_value(value, input.dtype, "masked_fill_")
    shape = broadcast_shapes(input.shape, mask.shape)
    return P.select(expand_to(mask, shape), expand_to(v, shape), expand_to(input, shape))


@operator(inplace=True)
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """input with the elements of `source`, in order, wherever the bool `mask` is true.

    Args:
        mask: broadcastable with input.
        source: at least as many elements as there are true ones, of input's dtype.
    """
    _check_mask_dtype(mask, "masked_scatter_")
    check_same_dtype("masked_scatter", "source", source, input)
    shape = broadcast_shapes(input.shape, mask.shape)
    n = prod(shape)
    flat = P.reshape(expand_to(mask, shape), shape=(n,))
    count = P.cumsum(convert(flat, dt.int64), dim=0, reverse=False)
    zero = constant(0, (n,), dt.int64)
    # One element is added, so that an index into an empty source (with an empty mask) is in range.
    m = prod(source.var.shape)
    longer = P.pad(P.reshape(source, shape=(m,)), convert(0, source.dtype), low=(1,), high=(0,), interior=(0,))
    taken = P.gather(longer, P.select(flat, count, zero), dims=(0,))
    return P.select(expand_to(mask, shape), P.reshape(taken, shape=shape), expand_to(input, shape))


# ------------------------------------------------------------------------------------------------- along one dimension
@operator()
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """out[i][j][k] = input[index[i][j][k]][j][k] for dim 0, and likewise for the other dimensions.

    Args:
        index: int64 or int32, as many dimensions as input, no larger than it apart from `dim`.
        sparse_grad: accepted; gradients are dense.
    """
    d = wrap_dim(dim, input.ndim, "gather")
    # An empty index may have any dtype: rushlight.tensor([]) is a float tensor.
    idx = convert(index, dt.int64) if prod(index.var.shape) == 0 else as_index(index, "gather")
    x, i = at_least_1d(input), at_least_1d(idx)
    check_index_sizes(x, i, d, "gather", "input")
    if x.ndim != i.ndim:
        return P.gather(P.reshape(x, shape=(prod(x.var.shape),)), i, dims=(0,))
    return P.reshape(taken_along(x, i, d), shape=index.var.shape)


def check_index_sizes(x: Tensor, index: Tensor, dim: int, name: str, what: str) -> None:
    """RuntimeError when an index tensor has another rank than x, or is larger than it apart from `dim`."""
    if x.ndim != index.ndim and prod(index.var.shape) != 0:
        raise RuntimeError(f"{name}(): 'index' must have as many dimensions as '{what}', {x.ndim}; found {index.ndim}")
    if prod(index.var.shape) == 0:
        return
    for k in range(x.ndim):
        if k != dim and not index.var.shape[k] <= x.var.shape[k]:
            raise RuntimeError(
                f"{name}(): 'index' must not be larger than 'input' apart from dimension {dim}; found "
                f"{hints(index.shape)} for "
                f"{hints(x.shape)} (dimension {k})"
            )


def vector_index(index: Tensor, name: str, *, message: str = "'index' must be a vector") -> Tensor:
    """A 1-d (or 0-d) index tensor as int64 of shape (n,)."""
    check_dtype(name, "index", index, dt.int64, dt.int32)
    if index.ndim > 1:
        raise IndexError(f"{name}(): {message}; found the shape {hints(index.shape)}")
    return at_least_1d(convert(index, dt.int64))


@operator()
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices of input along `dim` that the 1-d `index` (int64 or int32, not negative) names."""
    i = vector_index(index, "index_select")
    d = wrap_dim(dim, input.ndim, "index_select")
    x = at_least_1d(input)
    check_places("index_select", i, x.var.shape[d], d, RuntimeError if input.ndim > 1 else IndexError)
    y = first_to(P.gather(x, i, dims=(d,)), 1, d)
    if input.ndim == 0:
        if not i.var.shape[0] == 1:
            raise RuntimeError(
                f"index_select(): 'index' must have 1 element for a 0-d tensor; found the shape {hints(i.shape)}"
            )
        return P.reshape(y, shape=())
    return y


@operator()
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements of the flattened input at `index` (int64; negative ones count from the end), in the shape of
    `index`.
    """
    check_dtype("take", "index", index, dt.int64)
    n = prod(input.var.shape)
    return P.gather(P.reshape(input, shape=(n,)), wrapped(index, n), dims=(0,))


@operator()
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """The elements of input along `dim` at `indices` (as argsort and argmax give them); the other dimensions broadcast.

    Args:
        indices: int64 (negative ones count from the end), as many dimensions as input.
        dim: None takes from the flattened input.
    """
    check_dtype("take_along_dim", "indices", indices, dt.int64)
    if dim is None:
        n, m = prod(input.var.shape), prod(indices.var.shape)
        return P.gather(P.reshape(input, shape=(n,)), wrapped(P.reshape(indices, shape=(m,)), n), dims=(0,))
    if input.ndim != indices.ndim:
        raise RuntimeError(
            f"take_along_dim(): 'indices' must have as many dimensions as 'input', {input.ndim}; found {indices.ndim}"
        )
    d = wrap_dim(dim, input.ndim, "take_along_dim")
    x, i = at_least_1d(input), at_least_1d(indices)
    xs, ns = x.var.shape, i.var.shape
    rest = broadcast_shapes(
        [1 if k == d else s for k, s in enumerate(xs)], [1 if k == d else s for k, s in enumerate(ns)]
    )
    i = expand_to(i, tuple(ns[d] if k == d else s for k, s in enumerate(rest)))
    x = expand_to(x, tuple(xs[d] if k == d else s for k, s in enumerate(rest)))
    check_places("take_along_dim", i, xs[d], d)
    y = taken_along(x, wrapped(i, xs[d]), d)
    return P.reshape(y, shape=()) if input.ndim == 0 else y


upcalls.index = _index
