"""Joining, repeating and rearranging: results with memory of their own made of other tensors' elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import engine
from rushlight.core import raw as _raw
from rushlight.core.dispatch import Operator
from rushlight.core.joining import join, needs_history, part
from rushlight.core.tensor import Size, Tensor
from rushlight.core.warning import warn
from rushlight.operators.shapes.shape import atleast_1d, atleast_2d, atleast_3d
from rushlight.operators.shapes.view import expand, reshape, sliced
from rushlight.operators.table.arguments import negative_size
from rushlight.operators.table.arrays import array_of
from rushlight.operators.table.body import wrap_dim, wrap_dims
from rushlight.operators.table.checks import (
    check_argument,
    check_choice,
    check_dtype,
    check_least,
    check_least_rank,
    check_rank,
)
from rushlight.operators.table.define import METHODS, eager, function, operator
from rushlight.operators.table.tracer import P, Tracer, convert, expand_to, result_type
from rushlight.operators.table.tracer import broadcast_shapes as common_shape
from rushlight.operators.table.types import Dims, Int, Ints, Sizes, Tensors
from rushlight.program.sym import hint, hints, prod

GROUP = 64  # tensors joined by one program; more are joined in groups


# ----------------------------------------------------------------------------------------------------------- cat, stack
@operator(name="cat", register=False, memory_format="all")
def _cat(tensors: Tensors, dim: int) -> Tensor:
    """Tensors of one shape but for `dim`, one after the other."""
    check_argument(tensors, "cat()", "tensors", "hold at least one tensor", "none", ValueError)
    d = result_type(*tensors)
    ranks = {x.ndim for x in tensors}
    # An empty vector joins with anything: so it was before tensors could be empty in one dimension.
    kept = [x for x in tensors if len(ranks) == 1 or not (x.ndim == 1 and x.var.shape[0] == 0)] or list(tensors)
    first = kept[0]
    check_argument(first.ndim != 0, "cat()", "tensors", "have dimensions", "a 0-d tensor at position 0")
    at = wrap_dim(dim, first.ndim, "cat")
    for i, x in enumerate(tensors):
        if not any(x is k for k in kept):
            continue
        if x.ndim == 0:
            raise RuntimeError(f"cat(): 'tensors' must have dimensions; found a 0-d tensor at position {i}")
        if x.ndim != first.ndim:
            raise RuntimeError(f"cat(): 'tensors' must be of one rank; found {first.ndim} and {x.ndim} dimensions")
        for k, (a, b) in enumerate(zip(first.var.shape, x.var.shape, strict=True)):
            if k != at and a != b:
                raise RuntimeError(
                    f"cat(): 'tensors' may differ in size along dimension {at} alone; found {hint(b)} for {hint(a)} "
                    f"along dimension {k} of "
                    f"tensor {i}"
                )
    none = (*first.var.shape[:at], 0, *first.var.shape[at + 1 :])
    # What is left out stays an operand: the result requires grad where it does, and its gradient is empty, not None.
    parts = [x if any(x is k for k in kept) else P.reshape(x, shape=none) for x in tensors]
    return P.concatenate(*[convert(x, d) for x in parts], dim=at)


@operator(name="stack", register=False)
def _stack(tensors: Tensors, dim: int) -> Tensor:
    """Tensors of one shape along a new dimension."""
    check_argument(tensors, "stack()", "tensors", "hold at least one tensor", "none")
    d, first = result_type(*tensors), tensors[0]
    at = wrap_dim(dim, first.ndim + 1, "stack")
    shape = first.var.shape
    for i, x in enumerate(tensors):
        if x.ndim != first.ndim or any(a != b for a, b in zip(shape, x.var.shape, strict=True)):
            raise RuntimeError(
                f"stack(): 'tensors' must be of one shape; found {hints(shape)} and, at position {i}, "
                f"{hints(x.var.shape)}"
            )
    row = (*shape[:at], 1, *shape[at:])
    return P.concatenate(*[P.reshape(convert(x, d), shape=row) for x in tensors], dim=at)


PROGRAM_OF = {"cat": _cat, "stack": _stack}  # for what the core joins: the operators of which programs consist

_MOST = 64  # of dimensions: what lies beyond is an error, which the general path tells


def _joined(name: str, tensors: Sequence[Tensor], dim: int, stacked: bool) -> Tensor | None:
    """Tensors joined by the core, piece after piece, so that another count of them compiles nothing; None for what
    programs do (core/joining.pyx).
    """
    if type(dim) is not int or not -_MOST <= dim < _MOST:
        return None
    y = join(tensors, dim, stacked)
    if y is None or not needs_history(tensors):
        return y
    at = dim % (tensors[0].ndim + stacked)
    ends = list(range(1, len(tensors) + 1)) if stacked else list(accumulate([x.shape[at] for x in tensors]))
    dtypes = [x.dtype for x in tensors]

    def backward(grads: list[Any]) -> list[Any]:
        g = grads[0]
        if g is None:
            return [None] * len(ends)
        given = part(g, at, ends, stacked) or _pieces(g, at, ends, stacked)
        return [_gradient_of(d, x) for x, d in zip(given, dtypes, strict=True)]

    node = engine.CallbackNode(f"{name}Backward0", backward, [engine.edge_of(x) for x in tensors])
    node.about = {"saved": {"dim": dim % (1 << 64)}, "results": [(tuple(y.shape), y.dtype, y.device)]}
    engine.set_history(y, node, 0)
    return y


def _gradient_of(d: dt.dtype, g: Tensor) -> Tensor:
    """The gradient of a tensor of dtype d that was promoted."""
    if g.dtype.kind == "c" and d.kind != "c":
        g = METHODS["real"](g)
    return g if g.dtype is d else METHODS["to"](g, d)


def _pieces(y: Tensor, at: int, ends: list[int], stacked: bool) -> list[Tensor]:
    if stacked:
        return [METHODS["select"](y, at, i) for i in range(len(ends))]
    return [METHODS["narrow"](y, at, start, end - start) for start, end in zip([0, *ends], ends, strict=False)]


def _in_groups(
    one: Callable[..., Tensor], join: Callable[..., Tensor], tensors: Sequence[Tensor], dim: int, out: Tensor | None
) -> Tensor:
    done = [one(list(tensors[i : i + GROUP]), dim) for i in range(0, len(tensors), GROUP)]
    while len(done) > GROUP:
        done = [join(done[i : i + GROUP], dim) for i in range(0, len(done), GROUP)]
    return join(done, dim) if out is None else join(done, dim, out=out)


def _sequence(tensors: Any, name: str) -> Sequence[Tensor]:
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}"
        )
    return tensors


@eager(method=False, aliases=("concat", "concatenate"), out=True)
def cat(tensors: Tensors, dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors joined along a dimension; dtypes are promoted.

    Args:
        tensors: sequence of tensors of one shape but for `dim` (empty vectors are left out).
        dim: int.

    Raises:
        RuntimeError: for shapes that do not fit.
    """
    if _sequence(tensors, "cat") and out is None and (y := _joined("Cat", tensors, dim, False)) is not None:
        return y
    if len(tensors) > GROUP:
        d = wrap_dim(dim, max((x.ndim for x in tensors), default=1), "cat")
        return _in_groups(_cat, _cat, tensors, d, out)
    return _cat(tensors, dim) if out is None else _cat(tensors, dim, out=out)


@eager(method=False, out=True)
def stack(tensors: Tensors, dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Tensors of one shape joined along a new dimension.

    Raises:
        RuntimeError: for different shapes or an empty list.
    """
    if _sequence(tensors, "stack") and out is None and (y := _joined("Stack", tensors, dim, True)) is not None:
        return y
    if len(tensors) > GROUP:
        d = wrap_dim(dim, tensors[0].ndim + 1, "stack")
        return _in_groups(_stack, _cat, tensors, d, out)
    return _stack(tensors, dim) if out is None else _stack(tensors, dim, out=out)


def _stacker(name: str, aliases: tuple[str, ...], least: Any, dim: Any, what: str) -> Operator[Tensor]:
    def join(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
        if not _sequence(tensors, name):
            raise RuntimeError(f"{name}(): 'tensors' must hold at least one tensor; found none")
        wide = [least(t) for t in tensors]
        return cat(wide, dim(wide)) if out is None else cat(wide, dim(wide), out=out)

    return eager(name=name, aliases=aliases, method=False, out=True, doc=what)(join)


hstack = _stacker(
    "hstack",
    (),
    atleast_1d,
    lambda ts: 0 if ts[0].ndim == 1 else 1,
    "Tensors side by side: joined along dimension 1 (0 for vectors).",
)
vstack = _stacker(
    "vstack",
    ("row_stack",),
    atleast_2d,
    lambda ts: 0,
    "Tensors one below the other: joined along dimension 0, vectors as rows.",
)
dstack = _stacker("dstack", (), atleast_3d, lambda ts: 2, "Tensors joined along dimension 2.")
column_stack = _stacker(
    "column_stack",
    (),
    lambda t: reshape(t, (t.numel(), 1)) if t.ndim <= 1 else t,
    lambda ts: 1,
    "Tensors joined along dimension 1, vectors as columns.",
)


# ------------------------------------------------------------------------------------------------------------ repeating
def repeated(x: Tensor, counts: Sequence[Any]) -> Tracer:
    """A traced value repeated counts[d] times along each dimension."""
    shape = x.var.shape
    wide = tuple(n for c, s in zip(counts, shape, strict=True) for n in (c, s))
    x = P.broadcast_in_dim(x, shape=wide, dims=tuple(range(1, len(wide), 2)))
    return P.reshape(x, shape=tuple(c * s for c, s in zip(counts, shape, strict=True)))


def _widened(input: Tensor, rank: int) -> Tensor:
    return P.reshape(input, shape=(1,) * (rank - input.ndim) + input.var.shape) if rank > input.ndim else input


@operator(namespace=None, varargs="repeats", keywords={"sizes": "repeats"})
def repeat(input: Tensor, repeats: Ints) -> Tensor:
    """The tensor repeated along each dimension; repeats has at least as many entries as there are dimensions."""
    counts = tuple(repeats) if isinstance(repeats, (tuple, list)) else (repeats,)
    if len(counts) < input.ndim:
        raise RuntimeError(
            f"repeat(): 'repeats' must have a count for each of the {input.ndim} dimensions; found {len(counts)}"
        )
    for c in counts:
        if c < 0:
            raise negative_size("repeat", hints(counts), "repeats")
    return repeated(_widened(input, len(counts)), counts)


@operator(varargs="dims")
def tile(input: Tensor, dims: Ints) -> Tensor:
    """The tensor repeated dims[d] times along each dimension; missing counts are 1."""
    counts = tuple(dims) if isinstance(dims, (tuple, list)) else (dims,)
    rank = max(len(counts), input.ndim)
    counts = (1,) * (rank - len(counts)) + counts
    for c in counts:
        if c < 0:
            raise negative_size("tile", hints(counts), "dims")
    return repeated(_widened(input, rank), counts)


@operator(name="repeat_interleave", register=False)
def _repeat_each(input: Tensor, repeats: Int, dim: int | None) -> Tensor:
    """Each element of a dimension `repeats` times in a row."""
    check_least("repeat_interleave", "repeats", repeats, 0)
    if dim is None:
        input, dim = P.reshape(input, shape=(prod(input.var.shape),)), 0
    if input.ndim == 0:
        input = P.reshape(input, shape=(1,))
    d = wrap_dim(dim, input.ndim, "repeat_interleave")
    shape = input.var.shape
    wide = (*shape[: d + 1], repeats, *shape[d + 1 :])
    x = P.broadcast_in_dim(input, shape=wide, dims=tuple(i for i in range(len(wide)) if i != d + 1))
    return P.reshape(x, shape=(*shape[:d], shape[d] * repeats, *shape[d + 1 :]))


@eager()
def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element of a dimension repeated in place.

    Args:
        repeats: an int, or an int tensor with a count per element; without it, `input` holds the counts and the result
            is the indices.
        dim: default: the flattened input.

    Raises:
        RuntimeError: for negative counts or a wrong number of them.
    """
    if repeats is None:
        return _indices(input, input.shape[0] if input.ndim else 1, output_size)
    if not isinstance(repeats, Tensor):
        if isinstance(repeats, (tuple, list)):
            from rushlight.operators.tensors.interop import tensor

            repeats = tensor(list(repeats), dtype=dt.int64)
        else:
            return _repeat_each(input, repeats, dim)
    x = reshape(input, (-1,)) if dim is None else input
    if x.ndim == 0:
        x = reshape(x, (1,))
    d = wrap_dim(0 if dim is None else dim, x.ndim, "repeat_interleave")
    n = x.shape[d]
    if repeats.numel() == 1:
        repeats = expand(reshape(repeats, (1,)), (n,))
    if repeats.ndim != 1 or repeats.shape[0] != n:
        raise RuntimeError(
            f"repeat_interleave(): 'repeats' must be a number or one for each of the {n} elements of dimension {d}; "
            "found the shape "
            f"{list(repeats.shape)}"
        )
    return METHODS["index_select"](x, d, _indices(repeats, n, output_size))


def _indices(repeats: Tensor, n: int, output_size: int | None) -> Tensor:
    check_rank("repeat_interleave", "repeats", repeats, 1)
    check_dtype("repeat_interleave", "repeats", repeats, dt.int64, dt.int32)
    import numpy as np

    from rushlight.operators.tensors.interop import from_array

    if repeats.is_meta and output_size is not None:
        return _raw.empty_meta(repeats.dtype, (output_size,))
    counts = array_of(METHODS["detach"](repeats), "repeat_interleave")
    check_argument(not (counts < 0).any(), "repeat_interleave()", "repeats", "be at least 0", lambda: counts.min())
    if output_size is not None and output_size != counts.sum():
        raise RuntimeError(
            f"repeat_interleave(): 'output_size' must be the sum of the counts, {counts.sum()}; found {output_size}"
        )
    return from_array(
        np.repeat(np.arange(n, dtype=np.int64), counts),
        repeats.dtype if repeats.dtype is dt.int32 else None,
        repeats.device,
    )


# ---------------------------------------------------------------------------------------------------------- rearranging
@operator(varargs="dims", memory_format="kept")
def flip(input: Tensor, dims: Dims) -> Tensor:
    """The elements in reverse order along the given dimensions."""
    found = wrap_dims(dims, input.ndim, "flip")
    return flipped(input, found)


def flipped(x: Tensor, dims: Sequence[int]) -> Tracer:
    """A traced value in reverse order along dims."""
    shape = x.var.shape
    return P.slice(
        x,
        starts=tuple(s - 1 if d in dims else 0 for d, s in enumerate(shape)),
        sizes=shape,
        steps=tuple(-1 if d in dims else 1 for d in range(len(shape))),
    )


@operator(memory_format="kept")
def fliplr(input: Tensor) -> Tensor:
    """The columns in reverse order."""
    check_least_rank("fliplr", "input", input, 2)
    return flipped(input, (1,))


@operator(memory_format="kept")
def flipud(input: Tensor) -> Tensor:
    """The rows in reverse order."""
    check_least_rank("flipud", "input", input, 1)
    return flipped(input, (0,))


@operator()
def rot90(input: Tensor, k: Sizes = 1, dims: Dims = (0, 1)) -> Tensor:
    """Rotated k quarter turns in the plane of two dimensions, from the first towards the second."""
    if not isinstance(dims, (tuple, list)) or len(dims) != 2:
        raise RuntimeError(f"rot90(): 'dims' must be the two dimensions of a plane; found {dims}")
    check_least_rank("rot90", "input", input, 2)
    a, b = wrap_dims(dims, input.ndim, "rot90", "dims")
    k %= 4
    if k == 0:
        return input
    if k == 2:
        return flipped(input, (a, b))
    perm = list(range(input.ndim))
    perm[a], perm[b] = perm[b], perm[a]
    if k == 1:
        return P.permute(flipped(input, (b,)), perm=tuple(perm))
    return flipped(P.permute(input, perm=tuple(perm)), (b,))


@operator()
def roll(input: Tensor, shifts: Ints, dims: Dims = None) -> Tensor:
    """The elements shifted along dimensions, those that leave at the end coming back at the start.

    Args:
        shifts: int or ints.
        dims: as many dimensions; without them the flattened tensor is shifted.
    """
    moves = tuple(shifts) if isinstance(shifts, (tuple, list)) else (shifts,)
    check_argument(moves, "roll()", "shifts", "hold at least one number", "none")
    where = () if dims is None else tuple(dims) if isinstance(dims, (tuple, list)) else (dims,)
    if not where and len(moves) == 1:
        flat = P.reshape(input, shape=(prod(input.var.shape),))
        return P.reshape(_rolled(flat, moves[0], 0), shape=input.var.shape)
    if len(moves) != len(where):
        raise RuntimeError(f"roll(): 'shifts' and 'dims' must be of one length; found {len(moves)} and {len(where)}")
    for shift, d in zip(moves, where, strict=True):
        input = _rolled(input, shift, wrap_dim(d, input.ndim, "roll"))
    return input


def _rolled(x: Tensor, shift: Any, dim: int) -> Tensor:
    n = x.var.shape[dim]
    if n == 0:
        return x
    cut = (-shift) % n
    return P.concatenate(sliced(x, dim, cut, n - cut), sliced(x, dim, 0, cut), dim=dim)


def _triangle(input: Tensor, diagonal: Any, lower: bool, name: str) -> Tracer:
    check_least_rank(name, "input", input, 2)
    from rushlight.operators.table.tracer import tracer, var_of

    shape, n = input.var.shape, input.ndim
    row, col = P.iota(shape=shape, dim=n - 2, dtype=dt.int64), P.iota(shape=shape, dim=n - 1, dtype=dt.int64)
    k = expand_to(convert(tracer(var_of(diagonal)), dt.int64), shape)
    edge = row + k
    inside = col <= edge if lower else col >= edge
    return P.select(inside, input, expand_to(convert(0, input.dtype), shape))


@operator(inplace=True)
def tril(input: Tensor, diagonal: Int = 0) -> Tensor:
    """The elements on and below a diagonal of the last two dimensions, zeros above it."""
    return _triangle(input, diagonal, True, "tril")


@operator(inplace=True)
def triu(input: Tensor, diagonal: Int = 0) -> Tensor:
    """The elements on and above a diagonal of the last two dimensions, zeros below it."""
    return _triangle(input, diagonal, False, "triu")


@operator()
def diag_embed(input: Tensor, offset: Int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Square matrices in dimensions dim1 and dim2 of the result, with the last dimension of the input on a diagonal.

    Args:
        offset: of the diagonal; positive is above the main one.
    """
    check_least_rank("diag_embed", "input", input, 1)
    rank = input.ndim + 1
    a, b = wrap_dims((dim1, dim2), rank, "diag_embed", "dim2")
    if a > b:
        a, b = b, a
        offset = -offset
    return P.diag_embed(input, offset=offset, dim1=a, dim2=b)


@operator()
def diag(input: Tensor, diagonal: Int = 0) -> Tensor:
    """A matrix with a vector on its diagonal, or the diagonal of a matrix."""
    if input.ndim == 1:
        return P.diag_embed(input, offset=diagonal, dim1=0, dim2=1)
    if input.ndim == 2:
        return P.diagonal(input, offset=diagonal, dim1=0, dim2=1)
    raise RuntimeError(f"diag(): 'input' must be a vector or a matrix; found a {input.ndim}-d tensor")


@operator()
def diagflat(input: Tensor, offset: Int = 0) -> Tensor:
    """A matrix with the flattened input on its diagonal."""
    return P.diag_embed(P.reshape(input, shape=(prod(input.var.shape),)), offset=offset, dim1=0, dim2=1)


@operator(name="block_diag", register=False)
def _block_diag(tensors: Tensors) -> Tensor:
    """Matrices on the diagonal of a matrix of zeros."""
    d = result_type(*tensors)
    for i, t in enumerate(tensors):
        if t.ndim > 2:
            raise RuntimeError(
                f"block_diag(): each tensor must be of at most 2 dimensions; found {t.ndim} at position {i}"
            )
    mats = [convert(P.reshape(t, shape=(1,) * (2 - t.ndim) + t.var.shape), d) for t in tensors]
    total: Any = sum(m.var.shape[1] for m in mats)
    rows: list[Tracer] = []
    left: Any = 0
    zero = convert(0, d)
    for m in mats:
        n = m.var.shape[1]
        rows.append(P.pad(m, zero, low=(0, left), high=(0, total - left - n), interior=(0, 0)))
        left = left + n
    return P.concatenate(*rows, dim=0)


@eager(method=False, varargs="tensors")
def block_diag(tensors: Tensors = ()) -> Tensor:
    """A matrix with the given matrices on its diagonal and zeros elsewhere; vectors are rows."""
    from rushlight.operators.creation.creation import empty

    return _block_diag(tensors) if len(tensors) else empty((1, 0))


# --------------------------------------------------------------------------------------------------------- broadcasting
@function
def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that the given shapes broadcast to.

    Raises:
        RuntimeError: there is none.
    """
    for s in shapes:
        if not isinstance(s, (int, Sequence)):
            raise RuntimeError(f"broadcast_shapes(): 'shapes' must be ints, or ints in tuples or lists; found {s!r}")
    plain = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    for s in plain:
        if any(n < 0 for n in s):
            raise negative_size("broadcast_shapes", list(s), "shapes")
    try:
        return Size(common_shape(*plain))
    except RuntimeError:
        raise RuntimeError(
            f"broadcast_shapes(): Shape mismatch: objects cannot be broadcast to a single shape; 'shapes' are {plain}"
        ) from None


@eager(method=False, varargs="tensors")
def broadcast_tensors(tensors: Tensors) -> tuple[Tensor, ...]:
    """The tensors expanded to their common shape, as views; one that has it already is given itself."""
    shape = common_shape(*[t.shape for t in tensors])
    return tuple(t if tuple(t.shape) == tuple(shape) else expand(t, shape) for t in tensors)


@eager(method=False, varargs="tensors")
def meshgrid(tensors: Tensors, *, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Coordinates: each vector expanded over the grid that all of them span.

    Args:
        tensors: vectors or 0-d tensors.
        indexing: "ij" (default; matrix order) or "xy" (the first two dimensions exchanged).
    """
    if indexing is None:
        warn(
            "meshgrid(): say indexing='ij' (as it is without) or indexing='xy' (as NumPy's); it will be required",
            once="meshgrid without indexing",
        )
    if not tensors:
        raise RuntimeError("meshgrid(): 'tensors' must hold at least one vector; found none")
    check_choice("meshgrid", "indexing", indexing, (None, "ij", "xy"))
    for t in tensors:
        if t.ndim > 1:
            raise RuntimeError(f"meshgrid(): 'tensors' must be vectors or 0-d; found the shape {list(t.shape)}")
        if t.dtype is not tensors[0].dtype:
            raise RuntimeError(f"meshgrid(): 'tensors' must be of one dtype; found {tensors[0].dtype} and {t.dtype}")
    rank = len(tensors)
    # the dimension of each vector
    axis = [1, 0, *range(2, rank)] if indexing == "xy" and rank > 1 else list(range(rank))
    shape = tuple(tensors[k].numel() for k in axis)  # the exchange is its own inverse
    return tuple(
        expand(reshape(t, tuple(-1 if k == d else 1 for k in range(rank))), shape)
        for t, d in zip(tensors, axis, strict=True)
    )


@eager(method=False, varargs="tensors")
def cartesian_prod(tensors: Tensors) -> Tensor:
    """All combinations of one element of each vector, as rows; a single vector as it is."""
    for t in tensors:
        if t.ndim != 1:
            raise RuntimeError(f"cartesian_prod(): 'tensors' must be vectors; found the shape {list(t.shape)}")
    if len(tensors) == 1:
        only: Tensor = tensors[0]
        return only
    return stack([reshape(g, (-1,)) for g in meshgrid(*tensors, indexing="ij")], 1)


@eager(method=False, shape_class="index")
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All combinations of r elements of a vector in order, as rows."""
    check_rank("combinations", "input", input, 1)
    check_least("combinations", "r", r, 0)
    from rushlight.operators.creation.creation import empty
    from rushlight.operators.tensors.interop import from_array

    if r == 0:
        return empty((0,), dtype=input.dtype, device=input.device)
    n = int(input.shape[0])
    rows = _choices(n + r - 1 if with_replacement else n, r) if n else 0
    if rows == 0:
        return reshape(METHODS["index_select"](input, 0, empty((0,), dtype=dt.int64, device=input.device)), (0, r))
    if rows * r >= _MOST_CHOSEN:
        raise RuntimeError(
            f"combinations(): 'r' elements out of {n} must be chosen in fewer ways than memory holds; found r={r}: "
            "overflow"
        )
    where = METHODS["to"](from_array(_rows(n, r, with_replacement), dt.int64, None), input.device)
    return reshape(METHODS["index_select"](input, 0, where), (rows, r))


_MOST_CHOSEN = 1 << 44  # indices: more bytes than an address space has


def _choices(n: int, r: int) -> int:
    """n over r; a number of at least _MOST_CHOSEN for those that are so large."""
    found = 1
    for i in range(min(r, n - r)):
        found = found * (n - i) // (i + 1)
        if found >= _MOST_CHOSEN:
            break
    return found if r <= n else 0


def _rows(n: int, r: int, again: bool) -> Any:
    """The indices of all combinations of r out of n in order, one after the other; `again`: with repetitions."""
    import numpy as np

    columns: list[Any] = []
    for k in range(r):
        most = n if again else n - r + k + 1  # those above leave too few for the places behind
        if not columns:
            columns = [np.arange(most)]
            continue
        first = columns[-1] if again else columns[-1] + 1
        counts = most - first
        ends = np.cumsum(counts)
        columns = [np.repeat(c, counts) for c in columns]
        columns.append(np.arange(ends[-1]) - np.repeat(ends - counts, counts) + np.repeat(first, counts))
    return np.stack(columns, 1).reshape(-1)
