"""Scans, recurrences and scatters: what visits the reduced elements in sequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rushlight.compiler.emit import memory
from rushlight.compiler.emit.frame import Frame
from rushlight.compiler.emit.item import Item
from rushlight.compiler.emit.pointwise import extreme, greater, pointwise
from rushlight.compiler.emit.reductions import combine, identity
from rushlight.compiler.emit.scalar import Value, constant, convert
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import I32, I64
from rushlight.compiler.llvm.lanes import const, lanes_of, splat
from rushlight.core.dtypes import by_name, dtype
from rushlight.program.loops import LANES, Store


class Rule(NamedTuple):
    """A scan: its value before the first element, and after one more.

    step: (builder, dtype, value, element, factors) -> value.
    """

    start: Callable[[dtype, int], Value]
    step: Callable[[ir.IRBuilder, dtype, Value, Value, list[Value]], Value]


def _like(reduction: str) -> Rule:
    """The running form of a reduction."""
    return Rule(
        lambda d, lanes: [*identity(reduction, d, lanes)], lambda b, d, old, x, _: combine(b, reduction, d, old, x)
    )


def _extremum(largest: bool) -> Rule:
    """cummax and cummin: a later equal element, or NaN, takes over."""
    beats = ">=" if largest else "<="

    def step(b: ir.IRBuilder, d: dtype, old: Value, x: Value, _: list[Value]) -> Value:
        take = greater(b, x[0], old[0], d, beats)
        if d.kind == "f":
            take = b.or_(take, b.fcmp_unordered("uno", x[0], x[0]))
        return [b.select(take, x[0], old[0])]

    return Rule(_like("reduce_max" if largest else "reduce_min").start, step)


def _recurrence(b: ir.IRBuilder, d: dtype, old: Value, x: Value, factor: list[Value]) -> Value:
    return pointwise(b, "add", [pointwise(b, "mul", [factor[0], old], d, d), x], d, d)


def _logarithms(b: ir.IRBuilder, d: dtype, old: Value, x: Value, _: list[Value]) -> Value:
    return log_add_exp_complex(b, old, x, d) if d.kind == "c" else [log_add_exp(b, old[0], x[0], d)]


_RULES = {
    "cumsum": _like("reduce_sum"),
    "cumprod": _like("reduce_prod"),
    "cummax": _extremum(True),
    "cummin": _extremum(False),
    "cumlogsumexp": Rule(lambda d, lanes: constant(d, float("-inf"), lanes), _logarithms),
    "linrec": Rule(_like("reduce_sum").start, _recurrence),
}


class Scan:
    """A running combination along the reduced dim, in sequence from its first element.

    param = (name, the dtype of the running values, reverse, those to which they are rounded as they are stored).
    """

    def __init__(self, frame: Frame, store: Store, lanes: int) -> None:
        self.frame = frame
        name, dtype_name, _, self.rounding = store.param
        self.rule, self.d = _RULES[name], by_name[dtype_name]
        self.start = self.rule.start(self.d, lanes)
        self.state = [frame.var(v.type) for v in self.start]
        self.begin()

    def begin(self) -> None:
        """Be before the first element."""
        for s, v in zip(self.state, self.start, strict=True):
            self.frame.b.store(v, s)

    def step(self, x: Value, factor: list[Value]) -> Value:
        """Take in one more element; what is to be stored."""
        b, d = self.frame.b, self.d
        old = [b.load(s, typ=v.type) for s, v in zip(self.state, self.start, strict=True)]
        out = self.rule.step(b, d, old, x, factor)
        for s, v in zip(self.state, out, strict=True):
            b.store(v, s)
        for name in self.rounding:
            out, d = convert(b, out, d, by_name[name]), by_name[name]
        return out


def log_add_exp(b: ir.IRBuilder, x: ir.Value, y: ir.Value, d: dtype) -> ir.Value:
    """log(exp x + exp y) = max + log1p(exp(min - max)); equal infinities give themselves."""
    high, low = extreme(b, x, y, d, True), extreme(b, x, y, d, False)
    wide = d.compute
    tail = pointwise(b, "log1p", [pointwise(b, "exp", [[b.fsub(low, high)]], wide, wide)], wide, wide)
    return b.select(b.fcmp_ordered("==", low, high), _equal_sum(b, high), b.fadd(high, tail[0]))


def log_add_exp_complex(b: ir.IRBuilder, x: Value, y: Value, d: dtype) -> Value:
    """log(exp x + exp y) of complex numbers: the one of larger real part + log1p(exp(other - it)); zero summands give
    -inf.
    """
    first, d = b.fcmp_ordered(">=", x[0], y[0]), d.compute
    high, low = ([b.select(first, u, v) for u, v in zip(s, t, strict=True)] for s, t in ((x, y), (y, x)))
    tail = pointwise(b, "log1p", [pointwise(b, "exp", [pointwise(b, "sub", [low, high], d, d)], d, d)], d, d)
    lanes = lanes_of(high[0])
    nothing = b.fcmp_ordered(
        "==", high[0], const(high[0].type.element if lanes else high[0].type, float("-inf"), lanes)
    )
    return [b.select(nothing, u, v) for u, v in zip(high, pointwise(b, "add", [high, tail], d, d), strict=True)]


def _equal_sum(b: ir.IRBuilder, x: ir.Value) -> ir.Value:
    lanes = lanes_of(x)
    t = x.type.element if lanes else x.type
    return b.fadd(x, const(t, 0.6931471805599453, lanes))


def band_step(item: Item, store: Store, value: Value, bands: list[Value], at: list[ir.Value], p: ir.Value) -> None:
    """out[t, s] = value + sum_k bands[k] * out[t-1, s-k] (or the same among logarithms), read from and written to
    memory.

    at: the numbers t and s of the visit. param = (name, (scalars of the strides along which t and s count)).
    """
    f, columns = item.frame, item.columns
    b, d = f.b, f.dtypes[store.operand]
    up, left = band_strides(f, store)
    started = b.icmp_signed(">", at[0], I64(0))

    def before(k: int) -> tuple[ir.Value, Value]:
        there = b.and_(started, b.icmp_signed(">=", at[1], I64(k)))
        # Where there is none, what is about to be overwritten is read instead.
        q = b.select(there, f.moved(p, b.neg(b.add(up, b.mul(left, I64(k))))), p)
        return there, columns.load(q, store.operand) if columns is not None else memory.load_scalar(b, q, d)

    out = band_sum(f, store, value, bands, before, LANES if columns is not None else 0)
    if columns is not None:
        columns.store(out, p, store.operand)
    else:
        memory.store_scalar(b, out, p, d)


def band_row(
    f: Frame, store: Store, value: Value, bands: list[Value], at: list[ir.Value], row: ir.Value, axis: memory.Axis
) -> None:
    """The same for LANES places of one step side by side. at: t, and the places' numbers. row: where the step's first
    place is.
    """
    b, d = f.b, f.dtypes[store.operand]
    up, left = band_strides(f, store)
    started = b.icmp_signed(">", at[0], I64(0))
    last = splat(b, b.sub(f.reduced[1], I64(1)), LANES)
    place = b.select(b.icmp_signed("<", at[1], last), at[1], last)
    earlier, zero = b.select(started, f.moved(row, b.neg(up)), row), const(I64, 0, LANES)

    def before(k: int) -> tuple[ir.Value, Value]:
        enough = b.icmp_signed(">=", place, const(I64, k, LANES))
        back = b.select(enough, b.sub(place, const(I64, k, LANES)), zero)
        return b.and_(enough, splat(b, started, LANES)), memory.gather_load(
            b, earlier, b.mul(back, splat(b, left, LANES)), d
        )

    axis.store(
        band_sum(f, store, value, bands, before, LANES),
        f.moved(row, b.mul(b.extract_element(at[1], I32(0)), left)),
        store.operand,
    )


def band_strides(f: Frame, store: Store) -> list[ir.Value]:
    """In bytes, along steps and places, as they are visited."""
    return [f.b.mul(f.scalar_value(k), I64(f.dtypes[store.operand].itemsize)) for k in store.param[1]]


def band_sum(
    f: Frame,
    store: Store,
    value: Value,
    bands: list[Value],
    before: Callable[[int], tuple[ir.Value, Value]],
    lanes: int,
) -> Value:
    """value + sum_k bands[k] * before(k), in this order, or the same among logarithms; before(k): whether there is one,
    and it.
    """
    b, d = f.b, f.dtypes[store.operand]
    linear = store.param[0] == "bandrec"
    none = constant(d, 0.0 if linear else float("-inf"), lanes)
    terms = [value]
    for k, a in enumerate(bands):
        there, y = before(k)
        term = pointwise(b, "mul" if linear else "add", [a, y], d, d)
        terms.append([b.select(there, x, z) for x, z in zip(term, none, strict=True)])
    if not linear:
        return log_sum_exp(b, terms, d, lanes)
    out = terms[0]
    for x in terms[1:]:
        out = pointwise(b, "add", [out, x], d, d)
    return out


def log_sum_exp(b: ir.IRBuilder, terms: list[Value], d: dtype, lanes: int) -> Value:
    """log(sum of exp x) = max + log(sum of exp(x - max)), an infinite max taken as 0."""
    top = terms[0]
    for x in terms[1:]:
        top = [extreme(b, top[0], x[0], d, True)]
    endless = b.fcmp_ordered("==", pointwise(b, "abs", [top], d, d)[0], constant(d, float("inf"), lanes)[0])
    top = [b.select(endless, constant(d, 0.0, lanes)[0], top[0])]
    total: Value | None = None
    for x in terms:
        e = pointwise(b, "exp", [pointwise(b, "sub", [x, top], d, d)], d, d)
        total = e if total is None else pointwise(b, "add", [total, e], d, d)
    assert total is not None
    return pointwise(b, "add", [pointwise(b, "log", [total], d, d), top], d, d)


_COMBINED = {m: m for m in ("add", "mul", "max", "min")}  # modes of a scatter that read what they replace


def scatter_place(f: Frame, store: Store, index: list[Value], axis: memory.Axis | None) -> tuple[ir.Value, ir.Value]:
    """The first index of a scatter store that has a stride, and the sum of index * stride in bytes.

    param = ((mode, fill), ((size, stride) scalars, ...)); fill: see `number_before`. An index without a stride is a
    kept place, which is only looked at; where there is None it is not even that.
    """
    b, d = f.b, f.dtypes[store.operand]
    dims = store.param[1]
    looked = [(j, *sizes) for j, sizes in enumerate(dims) if sizes is not None]
    first: ir.Value | None = None
    offset: ir.Value | None = None
    for i, (j, size_k, stride_k) in zip(index, looked, strict=True):
        x = memory.check_index(f, i[0], f.scalar_value(size_k), j, axis if lanes_of(i[0]) else None)
        if stride_k is None:
            continue
        first = x if first is None else first
        if offset is not None and lanes_of(offset) != lanes_of(x):
            offset, x = splat(b, offset, LANES), splat(b, x, LANES)
        term = b.mul(x, splat(b, b.mul(f.scalar_value(stride_k), I64(d.itemsize)), lanes_of(x)))
        offset = term if offset is None else b.add(offset, term)
    assert first is not None and offset is not None, "a scatter without an index"
    return first, offset


def scatter_step(item: Item, store: Store, value: Value, index: list[Value], p: ir.Value) -> None:
    """out[index] = out[index] (mode) value, at p + sum of index * stride."""
    f, axis = item.frame, item.columns
    b, d = f.b, f.dtypes[store.operand]
    _, offset = scatter_place(f, store, index, axis)
    combined = _COMBINED.get(store.param[0][0])
    if axis is None:
        q = f.moved(p, offset)
        if combined:
            value = pointwise(b, combined, [memory.load_scalar(b, q, d), value], d, d)
        memory.store_scalar(b, value, q, d)
        return
    if not lanes_of(offset):
        scatter_row(f, store, value, f.moved(p, offset), axis)
        return
    offset = b.add(offset, axis.offsets(store.operand))
    if combined:
        value = pointwise(b, combined, [memory.gather_load(b, p, offset, d), value], d, d)
    memory.scatter_store(b, value, p, offset, d, axis.mask)


def scatter_row(f: Frame, store: Store, value: Value, p: ir.Value, axis: memory.Axis) -> None:
    """Combine a vector of columns with what lies at p."""
    combined, d = _COMBINED.get(store.param[0][0]), f.dtypes[store.operand]
    if combined:
        value = pointwise(f.b, combined, [axis.load(p, store.operand), value], d, d)
    axis.store(value, p, store.operand)


def place_dim(f: Frame, store: Store) -> tuple[ir.Value, ir.Value]:
    """The size of the dim that a scatter's first index with a stride names, and that stride in bytes."""
    size, stride = next(sizes for sizes in store.param[1] if sizes is not None and sizes[1] is not None)
    return f.scalar_value(size), f.b.mul(f.scalar_value(stride), I64(f.dtypes[store.operand].itemsize))


def number_before(f: Frame, store: Store) -> Value | None:
    """What a scatter writes to its places first, in all lanes; None where a kernel before has."""
    fill = store.param[0][1]
    return None if fill is None else constant(f.dtypes[store.operand], fill[0], LANES)


def fill_places(item: Item, store: Store) -> None:
    """Write to the places of one item what they hold before anything is scattered."""
    f, axis, p = item.frame, item.columns, item.base[store.operand]
    b, d, number = f.b, f.dtypes[store.operand], number_before(f, store)
    if number is None:
        return
    size, stride = place_dim(f, store)
    if axis is not None:
        with f.loop(I64(0), size, 1) as i:
            axis.store(number, f.moved(p, b.mul(i, stride)), store.operand)
        return
    whole = b.and_(b.select(b.icmp_signed("==", stride, I64(d.itemsize)), size, I64(0)), I64(-LANES))
    raw = memory.pack(b, number, d)
    with f.loop(I64(0), whole, LANES) as i:
        b.store(raw, f.moved(p, b.mul(i, I64(d.itemsize))), align=memory.step_of(d))
    with f.loop(whole, size, 1) as i:
        memory.store_scalar(b, constant(d, store.param[0][1][0], 0), f.moved(p, b.mul(i, stride)), d)
