"""x[...] and x[...] = value: everything that an index may be.

An index is taken apart in two steps, as PyTorch does: ints, slices, None and `...` make a view; index tensors and masks
then choose from that view. Slices may have negative steps (a view; PyTorch refuses them).
"""

from __future__ import annotations

import sys
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import factory as _factory
from rushlight.core import indexing as _indexing
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.tensor import Tensor
from rushlight.core.upcalls import upcalls
from rushlight.core.warning import warn
from rushlight.operators.indexing import gather as indexing
from rushlight.operators.table.arguments import index_outside, too_many_indices
from rushlight.operators.table.define import METHODS, eager, operator
from rushlight.operators.table.ranges import check_range, of_scalar_tensor
from rushlight.operators.table.tracer import P, Tracer, expand_to, is_number
from rushlight.operators.table.types import Ints
from rushlight.program.sym import Sym

_in_modes = _core.modes_in_force
LAYOUT = _core.get_keys_flag_mask()["LAYOUT"]
_new_tuple: type[tuple[Any, ...]] = tuple

# How each entry of a basic index is written in the static argument of `_slice_view`; entries left out are whole
# dimensions.
_FULL, _SELECT, _SLICE, _STEP, _BACK, _NEW = ":i[+-n"


def as_tuple(index: Any) -> tuple[Any, ...]:
    """The index as a tuple of one entry a dimension (or group of dimensions)."""
    if isinstance(index, tuple):
        return _new_tuple(index)
    # A short list that holds more than numbers stands for a tuple, as in the days before x[[...]] meant an index
    # tensor.
    if (
        isinstance(index, list)
        and len(index) < 32
        and any(i is None or i is Ellipsis or isinstance(i, slice) or hasattr(type(i), "__getitem__") for i in index)
    ):
        warn(
            "a list that holds more than numbers is deprecated as an index of several dimensions; write "
            "x[tuple(index)], or "
            "x[torch.tensor(index)] for one index tensor"
        )
        return _new_tuple(index)
    return (index,)


def _is_bool(i: Any) -> bool:
    return isinstance(i, bool) or (
        type(i).__name__ in ("bool", "bool_") and hasattr(i, "dtype") and not isinstance(i, Tensor)
    )


def consumed(index: tuple[Any, ...]) -> int:
    """How many dimensions of the tensor the entries of an index take."""
    total = 0
    for i in index:
        if i is None or i is Ellipsis or _is_bool(i):
            continue
        if isinstance(i, Tensor):
            total += i.ndim if i.dtype in (dt.bool_, dt.uint8) else 1
        elif isinstance(i, (list, tuple)) and _holds_bools(i):
            total += _depth(i)
        elif hasattr(i, "ndim") and hasattr(i, "dtype") and str(i.dtype) in ("bool", "uint8"):
            total += i.ndim
        else:
            total += 1
    return total


def _holds_bools(i: Any) -> bool:
    while isinstance(i, (list, tuple)) and len(i):
        i = i[0]
    return _is_bool(i) or (isinstance(i, Tensor) and i.dtype is dt.bool_)


def _depth(i: Any) -> int:
    n = 0
    while isinstance(i, (list, tuple)) and len(i):
        i, n = i[0], n + 1
    return n


@eager(name="__getitem__", namespace=None, method=False)
def _getitem(input: Tensor, index: Any) -> Tensor:
    """input[index], for what core/indexing.pyx leaves: other entries, other tensors, and what must raise."""
    view, chosen = split(input, index)
    return indexing.index(view, chosen) if chosen else view


def split(x: Tensor, index: Any) -> tuple[Tensor, list[Tensor | None]]:
    """The view that ints, slices, None and `...` make, and the index tensors for its dimensions ([] when there are
    none).
    """
    entries = as_tuple(index)
    ndim = x.ndim
    first = next((at for at, i in enumerate(entries) if i is Ellipsis), len(entries))
    if first == len(entries):
        entries = (*entries, Ellipsis)
    kinds = ""
    ints: list[Any] = []
    chosen: list[Tensor | None] = []
    shape = x.shape
    d = 0

    def take(n: int) -> None:
        nonlocal d
        if d + n > ndim:
            raise too_many_indices(ndim)
        d += n

    for at, i in enumerate(entries):
        if i is None or _is_bool(i):
            kinds += _NEW
            chosen.append(None if i is None else indexing.int64_tensor([0] if i else [], (1 if i else 0,)))
        elif i is Ellipsis:
            rest = max(ndim - d - consumed(entries[at + 1 :]), 0) if at == first else 0
            again = [k for k, e in enumerate(entries) if e is Ellipsis and k > at]
            if rest and again and any(e is not Ellipsis for e in entries[again[0] :]):
                raise IndexError("an index has one '...' for all that is left; found entries behind a second one")
            take(rest)
            kinds += _FULL * rest
            chosen += [None] * rest
        elif isinstance(i, slice):
            take(1)
            kinds += _slice(i, shape[d - 1], ints)
            chosen.append(None)
        else:
            i = entry(i)
            if isinstance(i, Tensor):
                if i.ndim == 0 and i.dtype in (dt.bool_, dt.uint8):
                    kinds += _NEW
                    chosen.append(i.reshape(1))
                    continue
                n = i.ndim if i.dtype in (dt.bool_, dt.uint8) else 1
                take(n)
                kinds += _FULL * n
                chosen += [i] + [_COVERED] * (n - 1)
            else:
                take(1)
                n = shape[d - 1]
                if not -n <= i < n:
                    raise index_outside(i, d - 1, n)
                kinds += _SELECT
                ints.append(i + n if i < 0 else i)
    view = x
    if any(k != _FULL for k in kinds):
        view = _basic(x, kinds, _new_tuple(ints))
    elif all(c is None for c in chosen):
        view = METHODS["alias"](x) if "alias" in METHODS else _basic(x, kinds, ())
    if all(c is None for c in chosen):
        return view, []
    while chosen[-1] is None:
        chosen.pop()
    return view, [c for c in chosen if c is not _COVERED]


_COVERED: Any = object()  # a dimension that the mask before it takes


def entry(i: Any) -> Any:
    """One entry of an index as an int or an index tensor; IndexError when it can be neither."""
    if isinstance(i, Tensor):
        # A 0-d tensor with a value is an int: it makes a view, and its value is no part of any program.
        if i.ndim == 0 and i.dtype.kind == "i" and not getattr(type(i), "_dispatch_keys", 0) and not i.is_meta:
            return i.item()
        if i.dtype not in (dt.int64, dt.int32, dt.bool_, dt.uint8):
            raise IndexError(f"an index tensor must be of dtype int64, int32, bool or uint8; found {i.dtype}")
        return i
    if isinstance(i, (int, Sym)):
        return i
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(i, numpy.ndarray):
        if i.dtype.kind not in "iub":
            raise IndexError(f"an index array must hold integers or bools; found {i.dtype}")
        return entry(indexing.tensor_of(i if i.dtype.kind == "b" or i.dtype == numpy.uint8 else i.astype(numpy.int64)))
    if isinstance(i, (list, tuple, range)):
        return _from_sequence(i)
    if hasattr(type(i), "__index__"):
        return i.__index__()
    if isinstance(i, str):
        raise TypeError(
            "an index must be an int, a slice, '...', None, or a tensor or sequence of ints or bools; found a str"
        )
    raise IndexError(
        "an index must be an int, a slice, '...', None, or a tensor or sequence of ints or bools; found a "
        f"{type(i).__name__}"
    )


def _from_sequence(values: Any) -> Tensor:
    shape: list[int] = []
    level = values
    while isinstance(level, (list, tuple, range)) or (isinstance(level, Tensor) and level.ndim):
        shape.append(len(level))
        if len(shape) > 64:
            raise TypeError(
                "a sequence used as an index must be nested at most 64 deep; found more, or one that contains itself"
            )
        if not len(level):
            break
        level = level[0]
    flat = _flatten(values, shape)
    bools = bool(flat) and all(_is_bool(v) for v in flat)
    for v in flat:
        if not bools and not hasattr(type(v), "__index__"):
            raise IndexError(
                f"a sequence used as an index must hold ints or bools; found an element of type {type(v).__name__}"
            )
    t = _raw.empty_strided_raw(dt.bool_ if bools else dt.int64, shape, None)
    _factory.fill_from_nested(_raw.flat_of(t), [bool(v) if bools else v.__index__() for v in flat])
    return t


def _flatten(values: Any, shape: list[int], depth: int = 0) -> list[Any]:
    if isinstance(values, Tensor):
        values = values.tolist()
    if isinstance(values, (list, tuple, range)):
        if depth == len(shape):
            raise TypeError(
                f"the items of an index at depth {depth} must all be numbers; found a {type(values).__name__}"
            )
        if len(values) != shape[depth]:
            raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(values)})")
        return [x for v in values for x in _flatten(v, shape, depth + 1)]
    if depth < len(shape):
        raise TypeError(
            f"the items of an index at depth {depth} must all be sequences; found a {type(values).__name__}"
        )
    return [values]


def _slice(s: slice, n: int, ints: list[Any]) -> str:
    """Append start, size (and step) of a slice of a dimension of size n to `ints`; returns what kind of entry it is."""
    if s.start is None and s.stop is None and s.step is None:
        return _FULL
    if not isinstance(n, Sym) and not any(isinstance(v, Sym) for v in (s.start, s.stop, s.step)):
        r = range(n)[s]
        start, size, step = (r.start if r else 0), len(r), r.step
        if size == n and step == 1:
            return _FULL
    else:
        start, size, step = _symbolic_slice(s, n)
    ints += [start, size]
    if step == 1:
        return _SLICE
    # The sign of a step is a matter of the program, its size is not.
    ints.append(-step if step < 0 else step)
    return _BACK if step < 0 else _STEP


def _symbolic_slice(s: slice, n: Any) -> tuple[Any, Any, Any]:
    """slice.indices for symbolic sizes; how the ends compare with the size becomes a guard."""
    step = 1 if s.step is None else s.step
    if step == 0:
        raise ValueError("the step of a slice must not be 0")
    low, high = (0, n) if step > 0 else (-1, n - 1)

    def clamp(v: Any, default: Any) -> Any:
        if v is None:
            return default
        if v < 0:
            v = v + n
            return low if v < low else v
        return high if v > high else v

    start, stop = clamp(s.start, low if step > 0 else high), clamp(s.stop, high if step > 0 else low)
    span, stride = (stop - start, step) if step > 0 else (start - stop, -step)
    if span <= 0:
        return 0, 0, step
    return start, span if stride == 1 else (span + stride - 1) // stride, step


@operator(name="_slice_view", namespace=None, method=False, view=True)
def _basic(input: Tensor, kinds: str, ints: Ints) -> Tensor:
    """A view by ints, slices and None; `kinds` says what each entry is, `ints` has starts, sizes and steps in order."""
    kinds += _FULL * (input.ndim + kinds.count(_NEW) - len(kinds))
    values = iter(ints)
    starts: list[Any] = []
    sizes: list[Any] = []
    steps: list[Any] = []
    shape: list[Any] = []
    d = 0
    for k in kinds:
        if k == _NEW:
            shape.append(1)
            continue
        start, size, step = 0, input.var.shape[d], 1
        if k == _SELECT:
            start, size = next(values), 1
        elif k != _FULL:
            start, size = next(values), next(values)
            if k != _SLICE:
                step = next(values)
                step = -step if k == _BACK else step
        starts.append(start)
        sizes.append(size)
        steps.append(step)
        if k != _SELECT:
            shape.append(size)
        d += 1
    y = P.slice(input, starts=_new_tuple(starts), sizes=_new_tuple(sizes), steps=_new_tuple(steps))
    return P.reshape(y, shape=_new_tuple(shape))


# ---------------------------------------------------------------------------------------------------------- assignment
def setitem(t: Tensor, index: Any, value: Any) -> None:
    """t[index] = value; value is a tensor that broadcasts to t[index], or a number."""
    if (
        type(t) is not Tensor
        or t._keys_ & LAYOUT
        or _in_modes()
        or (isinstance(value, Tensor) and type(value) is not Tensor)
    ):
        _setitem(t, index, value)
    else:
        assign(t, index, value)


@eager(name="__setitem__", namespace=None, method=False)
def _setitem(input: Tensor, index: Any, value: Any) -> None:
    """input[index] = value, for tensors that are more than their own memory."""
    if isinstance(input, Tracer):
        _assign_traced(input, index, value)
    else:
        assign(input, index, value)


def assign(t: Tensor, index: Any, value: Any) -> None:
    """t[index] = value, by writing to the view that the index is, or to the elements that it chooses."""
    if not isinstance(value, Tensor) and not is_number(value):
        numpy = sys.modules.get("numpy")
        if numpy is None or not isinstance(value, (numpy.number, numpy.bool_)):
            raise TypeError(f"the elements of a tensor of dtype {t.dtype} are numbers; found a {type(value).__name__}")
        value = value.item()
    if isinstance(value, complex) and t.dtype.kind != "c":
        check_range("", value, of_scalar_tensor(t.dtype))
        value = value != 0 if t.dtype.kind == "b" else value.real
    if isinstance(value, int) and not -(2**63) <= value < 2**63 and t.dtype is not dt.uint64:
        raise ValueError(f"__setitem__(): an int must fit into 64 bits; found {value}: overflow")
    if isinstance(value, (int, float)):
        value = _indexing.nearest_number(t, value)
    # (true and false alone choose all or nothing, and write as a view does)
    chosen: list[Tensor | None] = []
    if index is True:
        view = METHODS["unsqueeze"](t, 0)
    elif _is_whole(index, t):
        view = t
    else:
        view, chosen = split(t, index)
    if index is False:
        return
    if not chosen:
        if isinstance(value, Tensor):
            METHODS["copy_"](view, without_leading_ones(value) if value.ndim > view.ndim else value)
        else:
            METHODS["fill_"](view, value)
        return
    only = [c for c in chosen if c is not None]
    if len(only) == 1 and only[0].dtype is dt.bool_ and (not isinstance(value, Tensor) or value.ndim == 0):
        # One mask and one value need no list of places.
        mask, at = only[0], chosen.index(only[0])
        indexing.check_mask(mask, view, at)
        if mask.shape != view.shape[at : at + mask.ndim]:  # by a size of 0, so that it selects nothing
            return
        ones = (1,) * (view.ndim - at - mask.ndim)
        if isinstance(value, Tensor):
            value = indexing.single_value(view, only, value, False)
        METHODS["masked_fill_"](view, mask.reshape((*mask.shape, *ones)), value)
        return
    if not isinstance(value, Tensor):
        check_range("index_put_", value, view.dtype)
        value = METHODS["new_tensor"](view, value, dtype=view.dtype)
    indexing.index_put_(view, chosen, without_leading_ones(value))


def _is_whole(index: Any, t: Tensor) -> bool:
    """Whether an index is all of a tensor, by slices and `...` alone: then the tensor itself is written to."""
    entries = index if type(index) is tuple else (index,)
    at = next((k for k, i in enumerate(entries) if i is Ellipsis), len(entries))
    slices = [*entries[:at], *entries[at + 1 :]]
    if len(slices) > t.ndim or not all(type(i) is slice for i in slices):
        return False
    if not all(x is None or type(x) is int for i in slices for x in (i.start, i.stop, i.step)):
        return False
    sizes = [*t.shape[:at], *t.shape[t.ndim - len(slices) + at :]]
    return all(i.indices(n) == (0, n, 1) for i, n in zip(slices, sizes, strict=True))


def without_leading_ones(value: Tensor) -> Tensor:
    """The value less its leading sizes 1, which broadcasts to the same: x[0] = y with y of shape (1, 1, 4)."""
    ones = next((d for d, s in enumerate(value.shape) if s != 1), value.ndim)
    return value.reshape(value.shape[ones:]) if ones else value


def _assign_traced(x: Tracer, index: Any, value: Any) -> None:
    """Assignment inside a trace: the positions are found by indexing the positions, then x gets a new value."""
    from rushlight.program.sym import prod

    shape = x.var.shape
    n = prod(shape)
    places = P.reshape(P.iota(shape=(n,), dim=0, dtype=dt.int64), shape=shape)
    where = _getitem(places, index)
    if isinstance(value, Tensor):
        extra = value.ndim - where.ndim
        if extra > 0:
            value = P.reshape(value, shape=value.shape[extra:])
    from rushlight.operators.table.tracer import convert

    updates = expand_to(convert(value, x.dtype), where.var.shape)
    flat = P.scatter(P.reshape(x, shape=(n,)), where, updates, dims=(0,), mode="set")
    x.var = P.reshape(flat, shape=shape).var


upcalls.getitem = _getitem
upcalls.slice_view = _basic
upcalls.setitem = setitem
for _op in (_getitem, _setitem):
    _op.__dict__["shown"] = vars(Tensor)[_op.name]  # `__torch_function__` is handed Tensor.__getitem__
upcalls.fill_ = METHODS["fill_"]
upcalls.copy_ = METHODS["copy_"]
upcalls.masked_fill_ = METHODS["masked_fill_"]
upcalls.index_put_ = METHODS["index_put_"]
upcalls._index_put_ = METHODS["_index_put_"]
