"""Writing by index: scatter, index_add, index_copy, index_fill, put, and slices scattered into a copy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.indexing.gather import (
    as_index,
    at_least_1d,
    check_index_sizes,
    check_places,
    check_value,
    positions,
    to_first,
    vector_index,
    wrapped,
)
from rushlight.operators.table.body import has_values, refuse_kinds, wrap_dim, wrap_dims
from rushlight.operators.table.checks import check_argument, check_choice, check_dtype, check_same_dtype, check_that
from rushlight.operators.table.define import METHODS, TABLE, eager, operator
from rushlight.operators.table.ranges import check_range
from rushlight.operators.table.tracer import P, Tracer, constant, convert, filled, is_number
from rushlight.operators.table.types import Int, Ints, Operand
from rushlight.program.sym import Int as Size
from rushlight.program.sym import hint, hints, prod


# ------------------------------------------------------------------------------------------------------------- scatter
def _identity(mode: str, d: dt.dtype) -> float:
    """The value that changes nothing under a reduction."""
    if mode in ("sum", "mean"):
        return False if d.kind == "b" else 0
    if mode == "prod":
        return True if d.kind == "b" else 1
    high = mode == "amin"
    if d.kind == "f":
        return math.inf if high else -math.inf
    if d.kind == "b":
        return high
    bits = 8 * d.itemsize
    if d.kind == "u":
        return (1 << bits) - 1 if high else 0
    return (1 << (bits - 1)) - 1 if high else -(1 << (bits - 1))


def _combined(
    x: Tensor, where: Sequence[Tensor], dims: tuple[int, ...], updates: Tensor, mode: str, include_self: bool
) -> Tracer:
    """x with updates reduced into it: sum, prod, mean, amax or amin; without its own values where include_self is
    off.
    """
    d = x.dtype
    if mode == "set":
        return P.scatter(x, *where, updates, dims=dims, mode="set")
    if (d.kind == "c" and mode in ("amax", "amin")) or (d.kind == "b" and mode == "mean"):
        raise NotImplementedError(f"scatter_reduce(): {mode!r} is not defined for dtype {d}")
    if d.kind == "b":  # bools add and reduce as or, multiply as and
        mode = {"sum": "amax", "prod": "amin"}.get(mode, mode)
        kind = dt.uint8
    else:
        kind = d.compute
    wide, up = convert(x, kind), convert(updates, kind)
    if not include_self:
        wide = P.scatter(wide, *where, filled(_identity(mode, kind), up), dims=dims, mode="set")
    how = {"sum": "add", "mean": "add", "prod": "mul", "amax": "max", "amin": "min"}[mode]
    y = P.scatter(wide, *where, up, dims=dims, mode=how)
    if mode == "mean":
        one = constant(1 if include_self else 0, x.var.shape, dt.int64)
        count = P.scatter(one, *where, constant(1, updates.var.shape, dt.int64), dims=dims, mode="add")
        count = convert(P.max(count, 1), kind)
        y = P.floordiv(y, count) if kind.kind in "ui" else y / count
    return convert(y, d)


def _scatter(input: Tensor, dim: int, index: Tensor, src: Any, mode: str, include_self: bool, name: str) -> Tensor:
    d = wrap_dim(dim, input.ndim, name)
    if prod(index.var.shape) == 0:
        return input
    idx = as_index(index, name)
    x, i = at_least_1d(input), at_least_1d(idx)
    if is_number(src):
        check_index_sizes(x, i, d, name, "input")
        updates = P.broadcast_in_dim(check_value(src, input.dtype, name), shape=i.var.shape, dims=())
    else:
        check_same_dtype(name, "src", src, input)
        s = at_least_1d(src)
        check_index_sizes(x, i, d, name, "input")
        check_argument(s.ndim == i.ndim, f"{name}()", "src", f"have as many dimensions as 'index', {i.ndim}", s.ndim)
        for k in range(i.ndim):
            if not i.var.shape[k] <= s.var.shape[k]:
                raise RuntimeError(
                    f"{name}(): 'src' must be at least as large as 'index', {hints(i.shape)}, in each dimension; "
                    f"found {hints(s.shape)} "
                    f"(dimension {k})"
                )
        updates = P.slice(s, starts=(0,) * s.ndim, sizes=i.var.shape, steps=(1,) * s.ndim)
    y = _combined(x, positions(i, d), tuple(range(x.ndim)), updates, mode, include_self)
    return P.reshape(y, shape=input.var.shape)


@operator(
    inplace=True, keywords={"value": "src"}, memory_format="rows", zero_gradient=True
)  # scatter(dim, index, value=1.0) is another overload
def scatter(input: Tensor, dim: int, index: Tensor, src: Operand, *, reduce: str | None = None) -> Tensor:
    """input with out[index[i][j]][j] = src[i][j] for dim 0, and likewise for the other dimensions.

    Args:
        index: int64 or int32, as many dimensions as input.
        src: tensor of input's dtype, no smaller than index, or a number (`value`).
        reduce: "add" or "multiply" instead of assigning.
    """
    check_choice("scatter", "reduce", reduce, (None, "add", "multiply"))
    if reduce is not None and not is_number(src):
        warn("scatter(): 'reduce' with a tensor is deprecated; write scatter_reduce()", once="scatter with reduce")
    mode = {None: "set", "add": "sum", "multiply": "prod"}[reduce]
    return _scatter(input, dim, index, src, mode, True, "scatter")


@operator(inplace=True, memory_format="rows", zero_gradient=True)
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """input with out[index[i][j]][j] += src[i][j] for dim 0, and likewise for the other dimensions; see scatter."""
    return _scatter(input, dim, index, src, "sum", True, "scatter_add")


@operator(inplace=True, memory_format="rows", zero_gradient=True)
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """input with the elements of src reduced into the places that index names; see scatter.

    Args:
        reduce: "sum", "prod", "mean", "amax" or "amin".
        include_self: whether input's own values take part.
    """
    check_choice("scatter_reduce", "reduce", reduce, ("sum", "prod", "mean", "amax", "amin"))
    return _scatter(input, dim, index, src, reduce, include_self, "scatter_reduce")


# ------------------------------------------------------------------------------------------------------------- segments
_SEGMENTS = {
    "sum": ("sum", 0.0),
    "mean": ("sum", 0.0),
    "max": ("amax", -math.inf),
    "min": ("amin", math.inf),
    "prod": ("prod", 1.0),
}
_SEGMENT_ALIASES = {"amax": "max", "amin": "min"}


@eager(method=False, shape_class="reduction", aliases=("_segment_reduce",))
def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Any = None,
    indices: Any = None,
    offsets: Any = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: Any = None,
) -> Tensor:
    """Reduce consecutive pieces of a dimension.

    Args:
        data: floating point.
        reduce: "sum", "mean", "max" ("amax"), "min" ("amin") or "prod".
        lengths: of the pieces, ints (*, n) where * are data's sizes before axis; or offsets: (*, n + 1), where they
            begin and end.
        axis: the last dimension of lengths.
        unsafe: lengths need not add up to the size.
        initial: what a piece begins with (by default nothing: an empty mean is nan).

    Returns:
        data's shape with n in the place of axis.

    Raises:
        RuntimeError: for lengths that do not fit.
    """
    name = "segment_reduce"
    reduce = _SEGMENT_ALIASES.get(reduce, reduce) if isinstance(reduce, str) else reduce
    check_choice(name, "reduce", reduce, _SEGMENTS)
    if indices is not None:
        raise RuntimeError(f"{name}(): 'indices' must be None; give 'lengths' or 'offsets'")
    check_that(lengths is not None or offsets is not None, f"{name}()", "'lengths' or 'offsets'", "be given", "neither")
    given = lengths if lengths is not None else offsets
    d = wrap_dim(axis, data.ndim, name)
    if given.ndim != d + 1 or tuple(given.shape[:d]) != tuple(data.shape[:d]):
        raise RuntimeError(
            f"{name}(): the shape of 'lengths' must be that of 'data' up to 'axis' ({axis}); found "
            f"{tuple(given.shape)} for {tuple(data.shape)}"
        )
    if given.dtype.kind not in "iu":
        raise NotImplementedError(f"{name}(): 'lengths' must be of an integer dtype; found {given.dtype}")
    refuse_kinds(data, "biuc", name)
    given = given.to(dt.int64)
    size = data.shape[d]
    first = None if lengths is not None else given.narrow(d, 0, 1)
    each = given if lengths is not None else given.diff(dim=d)
    if not unsafe and lengths is not None and has_values(given):
        if bool((each < 0).any()):
            raise RuntimeError(f"{name}(): the elements of 'lengths' must be at least 0; found negative ones")
        if bool((each.sum(d) != size).any()):
            raise RuntimeError(
                f"{name}(): each row of 'lengths' must add up to the size of 'data' along 'axis', {size}, unless "
                "unsafe=True; found another sum"
            )
    ends = each.cumsum(d) if first is None else given.narrow(d, 1, given.shape[d] - 1)
    at = TABLE["arange"](size, device=data.device).expand(*data.shape[:d], size).contiguous()
    piece = TABLE["searchsorted"](ends.contiguous(), at, right=True)
    n = each.shape[d]
    if first is not None:  # what lies before the first piece goes where that behind the last one goes
        piece = TABLE["where"](at < first, n, piece)
    piece = piece.reshape(*piece.shape, *(1,) * (data.ndim - d - 1)).expand(data.shape)
    how, nothing = _SEGMENTS[reduce]
    start = nothing if initial is None else initial
    out = TABLE["full"]((*data.shape[:d], n + 1, *data.shape[d + 1 :]), start, dtype=data.dtype, device=data.device)
    out = METHODS["scatter_reduce"](out, d, piece, data, how).narrow(d, 0, n)
    if reduce != "mean":
        return out
    each = each.reshape(*each.shape, *(1,) * (data.ndim - d - 1)).expand(out.shape)
    return TABLE["where"](each == 0, float("nan") if initial is None else initial, out / each.clamp(min=1)).to(
        data.dtype
    )


# -------------------------------------------------------------------------------------------------- along one dimension
def _slices(input: Tensor, dim: int, index: Tensor, source: Tensor, name: str) -> tuple[Tensor, int, Tensor, Tensor]:
    """The checked arguments of index_add and its family: input (1-d at least), dim, index, and source with that dim in
    front.
    """
    i = vector_index(index, name)
    d = wrap_dim(dim, input.ndim, name)
    check_same_dtype(name, "source", source, input)
    x, s = at_least_1d(input), at_least_1d(source)
    if x.ndim != s.ndim and not source.ndim == 0:
        raise RuntimeError(
            f"{name}(): 'source' must have as many dimensions as 'input', {input.ndim}; found {source.ndim}"
        )
    if source.ndim == 0 and x.ndim > 1:
        raise IndexError(f"{name}(): 'source' may be 0-d for an input of 1 dimension; found {input.ndim}")
    for k in range(x.ndim):
        if k != d and x.var.shape[k] != s.var.shape[k]:
            raise RuntimeError(
                f"{name}(): 'source' must have the shape of 'input', {hints(x.shape)}, apart from dimension {d}; "
                f"found {hints(s.shape)}"
            )
    if i.var.shape[0] != s.var.shape[d]:
        raise (IndexError if name == "index_copy" else RuntimeError)(
            f"{name}(): 'source' must have a slice along dimension {d} for each index, {hint(i.var.shape[0])}; "
            "found "
            f"{hint(s.var.shape[d])}"
        )
    return x, d, i, to_first(s, 1, d)


@operator(inplace=True, specialize={"alpha": (1,)})
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Operand = 1) -> Tensor:
    """input with alpha * source added to the slices along `dim` that the 1-d `index` names; equal indices add up.

    Args:
        index: int64 or int32.
        source: input's dtype and shape, but for `dim`, where it has index's size.
    """
    x, d, i, s = _slices(input, dim, index, source, "index_add")
    if not (isinstance(alpha, int) and alpha == 1):
        if is_number(alpha):
            check_range("index_add", alpha, s.dtype)
        s = s * filled(alpha, s) if s.dtype.kind != "b" else s & filled(alpha, s)
    return P.reshape(_combined(x, [i], (d,), s, "sum", True), shape=input.var.shape)


@operator(inplace=True)
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """input with the slices along `dim` that the 1-d `index` names replaced by those of source; see index_add."""
    x, d, i, s = _slices(input, dim, index, source, "index_copy")
    return P.reshape(P.scatter(x, i, s, dims=(d,), mode="set"), shape=input.var.shape)


@operator(inplace=True)
def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """input with the slices of source reduced into those along `dim` that the 1-d `index` names; see index_add.

    Args:
        reduce: "prod", "mean", "amax" or "amin".
        include_self: whether input's own values take part.
    """
    check_choice("index_reduce", "reduce", reduce, ("prod", "mean", "amax", "amin"))
    x, d, i, s = _slices(input, dim, index, source, "index_reduce")
    check_places("index_reduce", i, x.var.shape[d], d)
    return P.reshape(_combined(x, [i], (d,), s, reduce, include_self), shape=input.var.shape)


@operator(inplace=True)
def index_fill(input: Tensor, dim: int, index: Tensor, value: Operand) -> Tensor:
    """input with the slices along `dim` that the 1-d `index` (int64; negative from the end) names filled with a number
    or 0-d tensor.
    """
    check_argument(index.dtype is dt.int64, "index_fill()", "index", "be of dtype int64", index.dtype, IndexError)
    check_argument(index.ndim <= 1, "index_fill()", "index", "be a vector or 0-d", f"a {index.ndim}-d tensor")
    if not is_number(value) and value.ndim:
        raise RuntimeError(f"index_fill(): 'value' must be a number or a 0-d tensor; found a {value.ndim}-d tensor")
    d = wrap_dim(dim, input.ndim, "index_fill")
    x = at_least_1d(input)
    n = x.var.shape[d]
    i = wrapped(at_least_1d(index), n)
    # By way of a mask, so that an index given twice counts once in the gradient of `value`.
    hit = P.scatter(constant(False, (n,), dt.bool_), i, constant(True, i.var.shape, dt.bool_), dims=(0,), mode="set")
    v = P.broadcast_in_dim(check_value(value, input.dtype, "index_fill_"), shape=x.var.shape, dims=())
    return P.reshape(P.select(P.broadcast_in_dim(hit, shape=x.var.shape, dims=(d,)), v, x), shape=input.var.shape)


@operator(inplace=True, memory_format="kept")
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """input with its elements at `index` (counted in the flattened input; int64, negative from the end) replaced by
    source.

    Args:
        source: as many elements as index, of input's dtype.
        accumulate: add instead; equal indices add up.
    """
    check_dtype("put", "index", index, dt.int64)
    check_same_dtype("put", "source", source, input)
    n, m = prod(input.var.shape), prod(index.var.shape)
    if prod(source.var.shape) != m:
        raise IndexError(
            f"put(): 'source' must have as many elements as 'index', of the shape {hints(index.shape)}; found "
            "the shape "
            f"{hints(source.shape)}"
        )
    i = wrapped(P.reshape(index, shape=(m,)), n)
    flat, updates = P.reshape(input, shape=(n,)), P.reshape(source, shape=(m,))
    return P.reshape(_combined(flat, [i], (0,), updates, "sum" if accumulate else "set", True), shape=input.var.shape)


# ----------------------------------------------------------------------------------------------- slices put into a copy
def _check_slice(src: Tensor, shape: Sequence[Size], name: str) -> None:
    if src.ndim != len(shape) or not tuple(src.var.shape) == tuple(shape):
        raise RuntimeError(
            f"{name}(): 'src' must have the shape of the slice, {hints(shape)}; found {hints(src.shape)}"
        )


@operator(memory_format="kept")
def select_scatter(input: Tensor, src: Tensor, dim: int, index: Int) -> Tensor:
    """A copy of input whose slice input.select(dim, index) is src."""
    d = wrap_dim(dim, input.ndim, "select_scatter")
    shape = input.var.shape
    check_argument(shape, "select_scatter()", "input", "have a dimension to select from", "a 0-d tensor", IndexError)
    n = shape[d]
    if not -n <= index < n:
        raise IndexError(f"select_scatter(): 'index' must be in dimension {d} of {hints(shape)}; found {hint(index)}")
    index = index + n if index < 0 else index
    _check_slice(src, [s for k, s in enumerate(shape) if k != d], "select_scatter")
    at = P.iota(shape=shape, dim=d, dtype=dt.int64)
    wide = P.broadcast_in_dim(
        convert(src, input.dtype), shape=shape, dims=tuple(k for k in range(len(shape)) if k != d)
    )
    return P.select(at == filled(index, at), wide, input)


@operator(memory_format="kept")
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: Int | None = None, end: Int | None = None, step: Int = 1
) -> Tensor:
    """A copy of input whose slice start:end:step along `dim` is src; step > 0."""
    from rushlight.operators.indexing.getitem import _symbolic_slice

    d = wrap_dim(dim, input.ndim, "slice_scatter")
    shape = input.var.shape
    check_argument(shape, "slice_scatter()", "input", "have a dimension to slice", "a 0-d tensor")
    if not step > 0:
        raise RuntimeError("slice_scatter(): 'step' must be at least 1")
    first, size, step = _symbolic_slice(slice(start, end, step), shape[d])
    _check_slice(src, [size if k == d else s for k, s in enumerate(shape)], "slice_scatter")
    line = P.iota(shape=(size,), dim=0, dtype=dt.int64)
    where = line * filled(step, line) + filled(first, line)
    return P.scatter(input, where, to_first(convert(src, input.dtype), 1, d), dims=(d,), mode="set")


@operator(memory_format="kept")
def diagonal_scatter(input: Tensor, src: Tensor, offset: Int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy of input whose diagonal (see diagonal) is src."""
    a, b = wrap_dims((dim1, dim2), input.ndim, "diagonal_scatter", "dim2")
    line = P.diagonal(input, offset=offset, dim1=a, dim2=b).var.shape
    _check_slice(src, line, "diagonal_scatter")
    at = P.iota(shape=(line[-1],), dim=0, dtype=dt.int64)
    down = filled(-offset if offset < 0 else 0, at)
    right = filled(0 if offset < 0 else offset, at)
    updates = to_first(convert(src, input.dtype), 1, src.ndim - 1)
    rows, cols = at + down, at + right
    return P.scatter(input, rows, cols, updates, dims=(a, b), mode="set")


@operator(memory_format="kept")
def as_strided_scatter(
    input: Tensor, src: Tensor, size: Ints, stride: Ints, storage_offset: Int | None = None
) -> Tensor:
    """A copy of input whose view as_strided(size, stride, storage_offset), taken of a contiguous input, is src."""
    shape = (size,) if isinstance(size, int) else tuple(size)
    steps = (stride,) if isinstance(stride, int) else tuple(stride)
    if len(shape) != len(steps):
        raise RuntimeError(
            f"as_strided_scatter(): 'size' and 'stride' must be of one length; found {len(shape)} and {len(steps)}"
        )
    _check_slice(src, shape, "as_strided_scatter")
    where = constant(0 if storage_offset is None else storage_offset, shape, dt.int64)
    for k, step in enumerate(steps):
        at = P.iota(shape=shape, dim=k, dtype=dt.int64)
        where = where + at * filled(step, at)
    n = prod(input.var.shape)
    flat = P.scatter(P.reshape(input, shape=(n,)), where, convert(src, input.dtype), dims=(0,), mode="set")
    return P.reshape(flat, shape=input.var.shape)
