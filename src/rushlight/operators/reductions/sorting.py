"""Sorting, order statistics, searching in sorted sequences, and unique elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.indexing.gather import at_least_1d, taken_along
from rushlight.operators.reductions.calculus import neighbours
from rushlight.operators.reductions.reduction import take_slice
from rushlight.operators.table.arguments import empty_reduction, undefined_for
from rushlight.operators.table.arrays import array_of, need_data, tensor_of
from rushlight.operators.table.body import keep, refuse_kinds, with_rule, wrap_dim
from rushlight.operators.table.checks import (
    check_argument,
    check_bools,
    check_choice,
    check_dtype,
    check_least_rank,
    check_rank,
    check_same_dtype,
    check_that,
)
from rushlight.operators.table.define import METHODS, eager, operator
from rushlight.operators.table.returns import return_type
from rushlight.operators.table.tracer import P, Tracer, constant, convert, filled, is_number, result_type
from rushlight.operators.table.types import Int, Operand
from rushlight.program.sym import hint, hints, prod

_Sort, _Topk, _Kth = (return_type(n, "values", "indices") for n in ("sort", "topk", "kthvalue"))
_Median, _Nanmedian, _Mode = (return_type(n, "values", "indices") for n in ("median", "nanmedian", "mode"))


# -------------------------------------------------------------------------------------------------------------- sorting
def _sorted(x: Tensor, dim: int, descending: bool, stable: bool, name: str) -> tuple[Tracer, Tracer]:
    if x.dtype.kind == "c":
        raise RuntimeError(f"{name}(): complex numbers have no order to sort by; found {x.dtype}")
    d = wrap_dim(dim, x.ndim, name)
    values, indices = ordered(at_least_1d(x), d, bool(descending))
    if x.ndim == 0:
        return P.reshape(values, shape=()), P.reshape(indices, shape=())
    return values, indices


def ordered(x: Tensor, d: int, descending: bool = False, count: Int | None = None) -> tuple[Tracer, Tracer]:
    """(values, indices) of the first `count` elements (all, unless given) in order along dimension d; equal ones keep
    their order.

    A number of at most 32 bits and its index fit into one integer, and a sort of integers needs to carry nothing along:
    NumPy's vector sort serves, which its stable sort of indices cannot use, and selection is as easy.
    """
    shape = x.var.shape
    if x.dtype.itemsize > 4:
        some = {} if count is None else {"count": count}
        _, indices = P.sort(x, dim=d, descending=descending, stable=True, **some)
    else:
        key = _rank(x)
        if descending:
            key = P.not_(key)
        keys = P.shl(key, filled(32, key)) | P.iota(shape=shape, dim=d, dtype=dt.int64)
        least = P.sort_keys(keys, dim=d, count=shape[d] if count is None else count)
        indices = least & filled((1 << 32) - 1, least)
    return taken_along(x, indices, d), indices


def _rank(x: Tensor) -> Tracer:
    """Numbers of at most 32 bits as int64 in [-2^31, 2^31) that have their order; NaN is the greatest, and -0.0 equals
    0.0.
    """
    if x.dtype.kind != "f":
        rank = convert(x, dt.int64)
        return rank - filled(1 << 31, rank) if x.dtype is dt.uint32 else rank
    x = convert(x, x.dtype.compute)
    bits = P.bitcast(x + 0.0, dtype=dt.int32)
    greatest = filled((1 << 31) - 1, bits)
    bits = P.select(bits < 0, bits ^ greatest, bits)
    return convert(P.select(P.isnan(x), greatest, bits), dt.int64)


@operator(memory_format="kept")
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool | None = False) -> tuple[Tensor, Tensor]:
    """The elements in order along `dim` (NaN is the greatest) and where they were; a named tuple (values, indices).

    Args:
        stable: equal elements keep their order.
    """
    return _Sort(*_sorted(input, dim, descending, stable or False, "sort"))


@operator(memory_format="kept")
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The indices that sort the input along `dim`; see sort."""
    return _sorted(input, dim, descending, stable, "argsort")[1]


@operator(memory_format="kept")
def msort(input: Tensor) -> Tensor:
    """The input sorted along its first dimension."""
    return _sorted(input, 0, False, False, "msort")[0]


@operator()
def topk(input: Tensor, k: Int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """The k largest (or smallest) elements along `dim` and their indices, in order; a named tuple (values, indices).

    Args:
        k: in [0, size of the dimension].
        sorted: accepted; the result is always sorted.
    """
    check_argument(input.dtype.kind not in "bc", "topk()", "input", "be real numbers", input.dtype)
    d = wrap_dim(dim, input.ndim, "topk")
    x = at_least_1d(input)
    if not 0 <= k <= x.var.shape[d]:
        raise RuntimeError(
            f"topk(): 'k' must be in [0, {hint(x.var.shape[d])}], the size of dimension {d}; found {hint(k)}"
        )
    values, indices = ordered(x, d, bool(largest), k)
    if input.ndim:
        return _Topk(values, indices)
    return _Topk(P.reshape(values, shape=()), P.reshape(indices, shape=()))


# ----------------------------------------------------------------------------------------------------- order statistics
def _pick(
    input: Tensor, dim: int, keepdim: bool, result: Callable[..., tuple[Any, ...]], name: str, place: Any
) -> tuple[Any, ...]:
    """The element at sorted place `place(sorted values, dim)` along `dim`, and its index."""
    d = wrap_dim(dim, input.ndim, name)
    x = at_least_1d(input)
    if x.var.shape[d] == 0:
        raise IndexError(empty_reduction(name, d))
    values, indices = ordered(x, d)
    index = take_slice(indices, place(values, d), d)
    found = take_slice(x, index, d)
    if input.ndim == 0:
        return result(found, index)
    return result(keep(found, x, (d,), keepdim), keep(index, x, (d,), keepdim))


def _valid(values: Tensor, dim: int) -> Tracer:
    """How many elements are not NaN, along `dim`."""
    good = P.not_(P.isnan(values)) if values.dtype.kind == "f" else constant(True, values.var.shape, dt.bool_)
    return P.reduce_sum(convert(good, dt.int64), dims=(dim,))


def _median_place(ignore_nan: bool) -> Callable[[Tracer, int], Tracer]:
    def place(values: Tracer, d: int) -> Tracer:
        n = values.var.shape[d]
        count = _valid(values, d)
        one, two, zero = (filled(v, count) for v in (1, 2, 0))
        if ignore_nan:
            return P.floordiv(P.max(count - one, zero), two)
        size = filled(n, count)
        # NaN are sorted to the end; when there is one, the first of them is the median.
        return P.select(count < size, count, P.floordiv(size - one, two))

    return place


def flat(x: Tensor) -> Tracer:
    return P.reshape(x, shape=(prod(x.var.shape),))


def _median_all(input: Tensor, ignore_nan: bool, name: str) -> Tracer:
    refuse_kinds(input, "bc", name)
    x = flat(input)
    if x.var.shape[0] == 0:
        # The median of nothing is NaN, and for integers what NaN becomes on conversion.
        return constant(
            float("nan") if x.dtype.kind == "f" else 0 if x.dtype.kind == "u" else -(1 << (8 * x.dtype.itemsize - 1)),
            (),
            x.dtype,
        )

    def jvp(xs: Sequence[Tracer], y: Tracer, ts: Sequence[Tracer]) -> Tracer:
        # All elements that equal the median get the same share of its gradient.
        (v,), (t,) = xs, ts
        found = P.broadcast_in_dim(y, shape=v.var.shape, dims=())
        share = convert((v == found) | (P.isnan(v) & P.isnan(found)), t.dtype)
        return P.reduce_sum(t * share, dims=(0,)) / P.reduce_sum(share, dims=(0,))

    def body(v: Tracer) -> Tracer:
        found: Tracer = _pick(v, 0, False, lambda values, i: (values, i), name, _median_place(ignore_nan))[0]
        return found

    return with_rule(body, jvp, x, name=name) if x.dtype.kind == "f" else body(x)


def _median_dim(input: Tensor, dim: int, keepdim: bool, ignore_nan: bool, name: str) -> tuple[Any, ...]:
    refuse_kinds(input, "bc", name)
    return _pick(input, dim, keepdim, _Nanmedian if ignore_nan else _Median, name, _median_place(ignore_nan))


@operator()
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower median of all elements, or along `dim` a named tuple (values, indices); NaN if there is one among
    them.
    """
    return _median_all(input, False, "median") if dim is None else _median_dim(input, dim, keepdim, False, "median")


@operator()
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower median of the elements that are not NaN; along `dim` a named tuple (values, indices)."""
    return _median_all(input, True, "nanmedian") if dim is None else _median_dim(input, dim, keepdim, True, "nanmedian")


@operator()
def kthvalue(input: Tensor, k: Int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The k-th smallest element along `dim`, counted from 1, and its index; a named tuple (values, indices)."""
    refuse_kinds(input, "bc", "kthvalue")
    d = wrap_dim(dim, input.ndim, "kthvalue")
    n = input.var.shape[d] if input.ndim else 1
    if n == 0:
        raise IndexError(empty_reduction("kthvalue", d))
    if not 1 <= k <= n:
        raise RuntimeError(f"kthvalue(): 'k' must be in [1, {hint(n)}], the size of dimension {d}; found {hint(k)}")

    def place(values: Tracer, d: int) -> Tracer:
        return constant(k - 1, tuple(s for i, s in enumerate(values.var.shape) if i != d), dt.int64)

    return _pick(input, dim, keepdim, _Kth, "kthvalue", place)


@operator()
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The most frequent element along `dim` (the smallest of equally frequent ones) and the index of its last
    occurrence.
    """
    refuse_kinds(input, "c", "mode")
    if keepdim is None:
        raise TypeError("mode(): argument 'keepdim' (position 3) must be bool, not NoneType")

    def place(values: Tracer, d: int) -> Tracer:
        n = values.var.shape[d]
        if n == 1:
            return constant(0, tuple(s for i, s in enumerate(values.var.shape) if i != d), dt.int64)
        first, second = neighbours(values, d)
        low, none = tuple(1 if i == d else 0 for i in range(values.ndim)), (0,) * values.ndim
        same = P.pad(second == first, convert(False, dt.bool_), low=low, high=none, interior=none)
        # The length of the run so far is the distance to where the run began.
        at = P.iota(shape=values.var.shape, dim=d, dtype=dt.int64)
        began = P.cummax(P.select(same, 0, at), dim=d, reverse=False)
        run = at - began
        best = P.argmax(run, dim=d)
        if values.dtype.kind != "f":
            return best
        # NaN equals nothing, and comes before the others where no two elements are equal.
        count, alone = _valid(values, d), P.reduce_max(run, dims=(d,))
        return P.select((alone == 0) & (count < filled(n, count)), count, best)

    return _pick(input, dim, keepdim, _Mode, "mode", place)


# How a place between two elements becomes one of them; None: the result lies between the two.
_INTERPOLATIONS: dict[str, str | None] = {
    "linear": None,
    "lower": "floor",
    "higher": "ceil",
    "midpoint": None,
    "nearest": "round",
}


def _quantile(
    input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, ignore_nan: bool, name: str
) -> Tracer:
    check_dtype(name, "input", input, dt.float32, dt.float64)
    check_choice(name, "interpolation", interpolation, _INTERPOLATIONS)
    if not is_number(q):
        check_argument(q.ndim <= 1, f"{name}()", "q", "be a number, 0-d or a vector", f"a {q.ndim}-d tensor")
        check_same_dtype(name, "q", q, input)
    x = flat(input) if dim is None else at_least_1d(input)
    d = 0 if dim is None else wrap_dim(dim, input.ndim, name)
    n = x.var.shape[d]
    if prod(x.var.shape) == 0:
        raise RuntimeError(f"{name}(): 'input' must have elements; found the shape {hints(input.shape)}")
    values, _ = ordered(x, d)
    q_shape = () if is_number(q) else q.var.shape
    q = convert(q, x.dtype)
    rest = tuple(s for i, s in enumerate(x.var.shape) if i != d)
    shape = (*q_shape, *rest)
    count = _valid(x, d)
    size = filled(n, count)
    rank_of = P.max(count - 1, 0) if ignore_nan else size - 1
    qn = len(q_shape)
    rank = P.broadcast_in_dim(q, shape=shape, dims=tuple(range(qn))) * P.broadcast_in_dim(
        convert(rank_of, x.dtype), shape=shape, dims=tuple(range(qn, len(shape)))
    )
    if not ignore_nan:  # with a NaN among them, the result is the last element, which is one
        nan = P.broadcast_in_dim(count < size, shape=shape, dims=tuple(range(qn, len(shape))))
        rank = P.select(nan, filled(n - 1, rank), rank)

    def at(r: Tracer) -> Tracer:
        where, k = [], qn
        for i in range(x.ndim):
            where.append(convert(r, dt.int64) if i == d else P.iota(shape=shape, dim=k, dtype=dt.int64))
            k += i != d
        return P.gather(values, *where, dims=tuple(range(x.ndim)))

    rounded = _INTERPOLATIONS[interpolation]
    if rounded is not None:
        y = at(getattr(P, rounded)(rank))
    else:
        place = P.floor(rank)
        low, high = at(place), at(P.ceil(rank))
        share = rank - place if interpolation == "linear" else filled(0.5, rank)
        y = low + share * (high - low)
    if keepdim:
        kept = (
            (1,) * input.ndim
            if dim is None
            else tuple(1 if i == d else s for i, s in enumerate(x.var.shape))
            if input.ndim
            else ()
        )
        return P.reshape(y, shape=(*q_shape, *kept))
    return y


def _check_q(q: Any, name: str) -> None:
    """PyTorch checks the values of a float q at the call, and those of a tensor on the CPU too."""
    if isinstance(q, complex):
        raise TypeError(f"{name}(): argument 'q' must be float or Tensor, not complex")
    check_argument(not isinstance(q, (int, float)) or 0 <= q <= 1, f"{name}()", "q", "be in [0, 1]", q)
    if isinstance(q, Tensor) and q.ndim <= 1 and not getattr(type(q), "_dispatch_keys", 0) and not q.is_meta:
        values = q.tolist()
        for v in values if isinstance(values, list) else [values]:
            check_that(0 <= v <= 1, f"{name}()", "the elements of 'q'", "be in [0, 1]", v)


@operator(name="_quantile", namespace=None, method=False)
def _quantile_op(
    input: Tensor, q: Operand, dim: int | None, keepdim: bool, interpolation: str, ignore_nan: bool
) -> Tensor:
    """quantile and nanquantile."""
    return _quantile(input, q, dim, keepdim, interpolation, ignore_nan, "nanquantile" if ignore_nan else "quantile")


def _quantiles(name: str, ignore_nan: bool, which: str) -> None:
    def body(
        input: Tensor,
        q: Any,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
        out: Any = None,
    ) -> Tensor:
        _check_q(q, name)
        more = {} if out is None else {"out": out}
        return _quantile_op(input, q, dim, keepdim, interpolation, ignore_nan, **more)

    eager(
        name=name,
        out=True,
        doc=f"""The q-quantiles along `dim` (None: of all elements); {which}.

    Args:
        input: float32 or float64.
        q: a number in [0, 1] or a 1-d tensor of them, which adds a dimension in front.
        interpolation: "linear", "lower", "higher", "midpoint" or "nearest", between the two elements around the
            quantile.
    """,
    )(body)


_quantiles("quantile", False, "NaN where there is one")
_quantiles("nanquantile", True, "of the elements that are not NaN")


# ------------------------------------------------------------------------------------------------------------ searching
def search(sequence: Tracer, x: Tracer, *, right: bool) -> Tracer:
    """Where each of x would go in the sorted sequence (same leading dimensions, or 1-d), as int64.

    Binary lifting: the answer is built from its highest bit down, one gather a bit; the number of bits is a guard of
    the program, so a sequence of a new size class is traced again and others are not.
    """
    shape = x.var.shape
    n = sequence.var.shape[-1]
    at = constant(0, shape, dt.int64)
    if n == 0:
        return at
    bits = 1
    while n >= 1 << bits:
        bits += 1
    lead = sequence.ndim - 1
    size, last = filled(n, at), filled(n - 1, at)
    for bit in reversed(range(bits)):
        beyond = at + filled(1 << bit, at)
        probe = P.min(beyond - 1, last)
        where = [P.iota(shape=shape, dim=d, dtype=dt.int64) for d in range(lead)]
        value = P.gather(sequence, *where, probe, dims=tuple(range(sequence.ndim)))
        # The negations let a NaN go to the end.
        before = P.not_(value > x) if right else P.not_(value >= x)
        at = P.select(before & (beyond <= size), beyond, at)
    return at


def _search(sequence: Tensor, x: Any, right: bool, out_int32: bool) -> Tracer:
    d = result_type(sequence, x)
    if d.kind in "bc":
        raise undefined_for("searchsorted", d)
    if sequence.dtype is not d and is_number(x):
        d = dt.promote_types(sequence.dtype, d) if d.kind != "c" else d
    found = search(convert(sequence, d), convert(x, d), right=right)
    return convert(found, dt.int32) if out_int32 else found


@operator(method=False)
def searchsorted(
    sorted_sequence: Tensor,
    input: Operand,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where each element of `input` would be inserted in the sorted innermost dimension of `sorted_sequence`.

    Args:
        input: a number, or a tensor with the leading dimensions of a sequence that is not 1-d.
        out_int32: int32 instead of int64.
        right: whether an element goes behind those that it equals; as side="right" says.
        sorter: integers (int64), the indices that sort the sequence.
    """
    check_choice("searchsorted", "side", side, (None, "left", "right"))
    if side == "left" and right:
        raise RuntimeError("searchsorted(): 'side' and 'right' must agree; found side='left' with right=True")
    seq = sorted_sequence
    check_least_rank("searchsorted", "sorted_sequence", seq, 1)
    x_shape = () if is_number(input) else input.var.shape
    fits = seq.ndim == 1 or (len(x_shape) == seq.ndim and _equal(seq.var.shape[:-1], x_shape[:-1]))
    if not fits:
        raise RuntimeError(
            f"searchsorted(): 'input' must have the shape of 'sorted_sequence', {hints(seq.shape)}, apart from "
            "the last dimension, unless "
            f"that is a vector; found {hints(x_shape)}"
        )
    if sorter is not None:
        check_dtype("searchsorted", "sorter", sorter, dt.int64)
        if not _equal(sorter.var.shape, seq.var.shape):
            raise RuntimeError(
                f"searchsorted(): 'sorter' must have the shape of 'sorted_sequence', {hints(seq.shape)}; found "
                f"{hints(sorter.shape)}"
            )
        seq = taken_along(seq, sorter, seq.ndim - 1)
    return _search(seq, input, right or side == "right", out_int32)


def _equal(a: Any, b: Any) -> bool:
    return len(a) == len(b) and tuple(a) == tuple(b)


@operator(method=False)
def bucketize(input: Operand, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """The index of the bucket between sorted 1-d `boundaries` that each element falls into.

    Args:
        right: buckets are closed on the left instead of the right.
        out_int32: int32 instead of int64.
    """
    check_rank("bucketize", "boundaries", boundaries, 1)
    return _search(boundaries, input, right, out_int32)


# --------------------------------------------------------------------------------------------------------------- unique
def _beginnings(rows: Tensor) -> Tensor:
    """Whether each element of a vector, or each row of a matrix, differs from the one before; the first does."""
    n = rows.shape[0]
    begins = METHODS["new_ones"](rows, (n,), dtype=dt.bool_)
    if n > 1:
        differ = METHODS["ne"](*(METHODS["narrow"](rows, 0, at, n - 1) for at in (1, 0)))
        METHODS["copy_"](METHODS["narrow"](begins, 0, 1, n - 1), differ if rows.ndim == 1 else differ.any(1))
    return begins


def _of_runs(begins: Tensor, starts: Tensor | None, inverse: bool, counts: bool) -> tuple[list[Tensor], list[Tensor]]:
    """What is asked for of runs of equal elements: the number of each element's run; the lengths of the runs."""
    starts = METHODS["nonzero"](begins).reshape(-1) if counts and starts is None else starts
    numbers = [METHODS["cumsum"](begins, 0) - 1] if inverse else []
    end = METHODS["new_full"](begins, (1,), begins.shape[0], dtype=dt.int64)
    return numbers, [METHODS["diff"](starts, append=end)] if counts else []


def distinct(input: Tensor, return_inverse: bool, return_counts: bool, dim: int | None = None) -> Any:
    """`unique`, of complex numbers too, which are ordered by their real parts and then by their imaginary ones."""
    a = array_of(input, "unique")
    axis = None if dim is None else wrap_dim(dim, input.ndim, "unique")
    out = _distinct(a, return_inverse, return_counts) if axis is None or input.ndim == 0 else None
    if out is None:
        import numpy as np

        wanted: dict[str, Any] = {"return_inverse": return_inverse, "return_counts": return_counts, "axis": axis}
        found = np.unique(a, **wanted)
        values, *rest = found if isinstance(found, tuple) else (found,)
        if return_inverse:
            rest[0] = rest[0].reshape(-1)
        out = [tensor_of(values), *(tensor_of(x.astype("int64")) for x in rest)]
    out[0] = out[0].to(input.dtype)
    return out[0] if len(out) == 1 else tuple(out)


def _distinct(a: Any, return_inverse: bool, return_counts: bool) -> list[Tensor]:
    """The distinct numbers of an array in order, and what is asked for of them; each NaN is distinct."""
    # (NumPy's vector sorts have no short integers, which its stable sorts count.)
    kind = "stable" if a.dtype.itemsize <= 2 and a.dtype.kind in "iub" else None
    if return_inverse:
        order = a.argsort(axis=None, kind=kind)
        values = tensor_of(a.reshape(-1)[order])
    else:
        values = tensor_of(a).reshape(-1)
        array_of(values, "unique").sort(kind=kind)
    begins = _beginnings(values)
    inverse, counts = _of_runs(begins, None, return_inverse, return_counts)
    if return_inverse:
        places = METHODS["new_empty"](inverse[0], inverse[0].shape)
        inverse = [METHODS["index_put_"](places, (tensor_of(order),), inverse[0]).reshape(a.shape)]
    return [values[begins], *inverse, *counts]


@eager()
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct elements in order (or distinct slices along `dim`), and where asked for their places and counts.

    Returns:
        A tensor; with places or counts a tuple: the tensor, the index into it of every element of input, how often each
        occurs.
    """
    check_bools("unique", sorted=sorted, return_inverse=return_inverse, return_counts=return_counts)
    refuse_kinds(input, "c", "unique")
    return distinct(input, return_inverse, return_counts, dim)


@eager()
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The first of every run of equal elements (or equal slices along `dim`); see unique."""
    check_bools("unique_consecutive", return_inverse=return_inverse, return_counts=return_counts)
    refuse_kinds(input, "c", "unique_consecutive")
    if input._keys_:
        need_data(input, "unique_consecutive")
    x = METHODS["detach"](input)
    axis = None if dim is None or input.ndim == 0 else wrap_dim(dim, input.ndim, "unique_consecutive")
    if axis is None:
        rows = x.reshape(-1)
    else:
        n = x.shape[axis]
        rows = METHODS["movedim"](x, axis, 0).reshape(n, x.numel() // n if n else 0)
    begins = _beginnings(rows)
    starts = None if axis is None else METHODS["nonzero"](begins).reshape(-1)
    inverse, counts = _of_runs(begins, starts, return_inverse, return_counts)
    values = rows[begins] if starts is None else METHODS["index_select"](x, axis, starts)
    shape = x.shape if axis is None else begins.shape
    out = (values, *(i.reshape(shape) for i in inverse), *counts)
    return values if len(out) == 1 else out


_FEW = 8  # so many elements to look for are compared one by one; more are sorted and searched


@operator(method=False)
def isin(elements: Operand, test_elements: Operand, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each of `elements` is among `test_elements`, a bool tensor in the shape of elements; `invert` negates it.

    Args:
        assume_unique: accepted; the result is the same.
    """
    if is_number(elements) and is_number(test_elements):
        raise TypeError("isin(): 'elements' or 'test_elements' must be a tensor; found two numbers")
    for label, value in (("elements", elements), ("test_elements", test_elements)):
        if isinstance(value, Tensor) and value.dtype.kind == "b":
            raise RuntimeError(f"isin(): argument '{label}' must hold numbers; found {value.dtype}")
    d = result_type(elements, test_elements)
    if d.kind == "c":
        raise RuntimeError(f"isin(): complex numbers have no order to search by; found {d}")
    x, t = convert(elements, d), convert(test_elements, d)
    m = prod(t.var.shape)
    t = P.reshape(t, shape=(m,))
    shape = x.var.shape
    if m <= _FEW:
        wide = (*shape, m)
        same = P.broadcast_in_dim(x, shape=wide, dims=tuple(range(x.ndim))) == P.broadcast_in_dim(
            t, shape=wide, dims=(x.ndim,)
        )
        hit = P.reduce_or(same, dims=(x.ndim,))
    else:
        s, _ = P.sort(t, dim=0, descending=False, stable=False)
        at = search(s, x, right=False)
        last = constant(m - 1, shape, dt.int64)
        hit = P.gather(s, P.min(at, last), dims=(0,)) == x
    return P.not_(hit) if invert else hit
