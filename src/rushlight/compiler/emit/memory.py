"""Loads and stores along a vector axis: contiguous, broadcast and strided operands, and tails."""

from __future__ import annotations

from collections.abc import Callable

from rushlight.compiler.emit import functions
from rushlight.compiler.emit.frame import Frame
from rushlight.compiler.emit.scalar import Value, from_memory, memory_type, to_memory
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.ir import F16, F32, I8, I16, I32, I64, PTR
from rushlight.compiler.llvm.lanes import const, intrinsic, lanes_of, splat
from rushlight.core.dtypes import dtype
from rushlight.program.loops import LANES, Node

LEAST_MASKED = 4  # bytes of an element that processors without AVX-512 load under a mask, too

Bundle = list[tuple[int, ir.Value, int]]  # (key, pointer, operand)


def step_of(d: dtype) -> int:
    """Bytes from one part of a value to the next."""
    return d.itemsize // (2 if d.kind == "c" else 1)


def parts_of(d: dtype) -> int:
    return 2 if d.kind == "c" else 1


def load_scalar(b: ir.IRBuilder, p: ir.Value, d: dtype) -> Value:
    t = memory_type(d)
    out = []
    for k in range(parts_of(d)):
        q = b.gep(p, [I64(k * step_of(d))], source_etype=I8) if k else p
        out.append(_load_half(b, q) if t is F16 else from_memory(b, b.load(q, typ=t, align=step_of(d)), d))
    return out


def _load_half(b: ir.IRBuilder, p: ir.Value) -> ir.Value:
    """A float16 as it is computed with. LLVM loads one by an instruction that keeps the rest of a register, and so
    waits for what was computed in that before; one of a vector of zeros waits for nothing.
    """
    bits = b.load(p, typ=I16, align=2)
    words = b.insert_element(ir.constant(ir.vector(I32, 4), 0), b.zext(bits, I32), I32(0))
    halves = b.shuffle(b.bitcast(words, ir.vector(F16, 8)), None, range(4))
    wide = b.extract_element(b.fpext(halves, ir.vector(F32, 4)), I32(0))
    wide.narrow = b.bitcast(bits, F16)
    return wide


def store_scalar(b: ir.IRBuilder, v: Value, p: ir.Value, d: dtype) -> None:
    for k, x in enumerate(v):
        q = b.gep(p, [I64(k * step_of(d))], source_etype=I8) if k else p
        b.store(to_memory(b, x, d), q, align=step_of(d))


def lane_numbers(t: ir.Type, lanes: int = LANES) -> ir.Value:
    return ir.lanes(t, tuple(range(lanes)))


def interleave(b: ir.IRBuilder, re: ir.Value, im: ir.Value) -> ir.Value:
    n = re.type.count
    return b.shuffle(re, im, [i // 2 + (i % 2) * n for i in range(2 * n)])


def _deinterleave(b: ir.IRBuilder, v: ir.Value) -> list[ir.Value]:
    return [b.shuffle(v, None, range(k, v.type.count, 2)) for k in (0, 1)]


def raw_type(d: dtype) -> ir.Type:
    """The vector of LANES elements as it lies in memory (both parts of a complex number)."""
    return ir.vector(memory_type(d), LANES * parts_of(d))


def unpack(b: ir.IRBuilder, raw: ir.Value, d: dtype) -> Value:
    return [from_memory(b, x, d) for x in (_deinterleave(b, raw) if d.kind == "c" else [raw])]


def pack(b: ir.IRBuilder, v: Value, d: dtype) -> ir.Value:
    parts = [to_memory(b, x, d) for x in v]
    return interleave(b, *parts) if d.kind == "c" else parts[0]


class Axis:
    """LANES elements along the vector axis, of which the first `rem` (>= 1) exist.

    path: "either" decides at run time between whole and masked access; "whole" (all lanes exist) and "masked" have no
    branch.
    """

    def __init__(
        self, f: Frame, rem: ir.Value, lanes: int = LANES, full: ir.Value | None = None, path: str = "either"
    ) -> None:
        self.frame, self.lanes, self.path = f, lanes, path
        if path == "whole":
            full = ir.I1(1)
        b = f.b
        self.dim = f.K - 1 if f.by_columns else f.K + f.R - 1
        self.full = full if full is not None else b.icmp_signed(">=", rem, I64(LANES))
        self.rem = b.select(self.full, I64(LANES), rem)
        self._mask: ir.Value | None = None
        if f.by_columns and f.R:  # one axis for the whole item: its mask must dominate every use
            _ = self.mask

    @property
    def mask(self) -> ir.Value:
        if self._mask is None:
            b = self.frame.b
            rem = splat(b, b.trunc(self.rem, I32), LANES)
            self._mask = b.icmp_signed("<", lane_numbers(I32), rem)
        return self._mask

    def stride(self, k: int) -> ir.Value:
        return self.frame.strides[k][self.dim]

    def offsets(self, k: int) -> ir.Value:
        """Byte offsets of the lanes, those past the end pointing at the last element."""
        b = self.frame.b
        last = b.sub(self.rem, I64(1))
        lanes = lane_numbers(I64)
        lim = splat(b, last, LANES)
        clamped = b.select(b.icmp_signed("<", lanes, lim), lanes, lim)
        return b.mul(clamped, splat(b, self.stride(k), LANES))

    def iota(self, base: ir.Value) -> ir.Value:
        return self.frame.b.add(splat(self.frame.b, base, LANES), lane_numbers(I64))

    def place(self, p: ir.Value, k: int) -> ir.Value:
        """The lanes' addresses in operand k, as numbers."""
        b = self.frame.b
        start = splat(b, b.ptrtoint(p, I64), LANES)
        if self.frame.classes[k] == "b":
            return start
        return b.add(
            start,
            lane_numbers(I64)
            if self.frame.classes[k] == "c"
            else b.mul(lane_numbers(I64), splat(b, self.stride(k), LANES)),
        )

    def load(self, p: ir.Value, k: int) -> Value:
        return self.load_many([(0, p, k)])[0]

    def load_many(self, bundle: Bundle) -> dict[int, Value]:
        """Values by key; what is not broadcast shares one branch between whole and partial vectors."""
        f = self.frame
        b = f.b
        out = {
            key: [splat(b, x, LANES) for x in load_scalar(b, p, f.dtypes[k])]
            for key, p, k in bundle
            if f.classes[k] == "b"
        }
        rest = [x for x in bundle if x[0] not in out]
        if self.path != "either":
            raws = [self._raw(p, k, self.path == "whole") for _, p, k in rest]
        elif rest:
            sides = []
            with b.if_else(self.full) as (whole, tail):
                for side in (whole, tail):
                    with side:
                        sides.append(([self._raw(p, k, side is whole) for _, p, k in rest], b.block))
            raws = [joined(b, [(values[j], block) for values, block in sides]) for j in range(len(rest))]
        for (key, _, k), raw in zip(rest, raws if rest else (), strict=True):
            d = f.dtypes[k]
            out[key] = unpack(b, raw[0], d) if f.classes[k] == "c" else [from_memory(b, x, d) for x in raw]
        return out

    def _raw(self, p: ir.Value, k: int, whole: bool) -> list[ir.Value]:
        """What lies in memory: one vector if it is contiguous, else one for each part; zeros in lanes that do not
        exist.
        """
        d = self.frame.dtypes[k]
        if self.frame.classes[k] == "s":
            return self._strided(p, k) if whole else self._strided_tail(p, k)
        if self.frame.classes[k] == "r":
            return self._backward(p, d, None if whole else self.rem)
        mask = None if whole else self.mask if self.path == "masked" else self.mask_of(self.rem)
        return [self._dense_load(p, d, mask)]

    def mask_of(self, rem: ir.Value) -> ir.Value:
        b = self.frame.b
        return b.icmp_signed("<", lane_numbers(I32), splat(b, b.trunc(rem, I32), LANES))

    def _parts_mask(self, mask: ir.Value, d: dtype) -> ir.Value:
        return interleave(self.frame.b, mask, mask) if d.kind == "c" else mask

    def _dense_load(self, p: ir.Value, d: dtype, mask: ir.Value | None) -> ir.Value:
        b, t = self.frame.b, raw_type(d)
        if mask is None:
            return b.load(p, typ=t, align=step_of(d))
        zero = const(t.element, 0, t.count)
        return masked_load(b, t, p, step_of(d), self._parts_mask(mask, d), zero)

    def _backward(self, p: ir.Value, d: dtype, rem: ir.Value | None) -> list[ir.Value]:
        """The lanes of an operand whose elements lie side by side in reverse order, the first `rem` of them if that is
        given: a vector that is turned around.
        """
        b = self.frame.b
        last = self.frame.moved(p, I64(-(LANES - 1) * d.itemsize))
        if rem is None:
            return turned_around(b, self._dense_load(last, d, None), d)
        there = b.icmp_signed(">=", lane_numbers(I32), splat(b, b.trunc(b.sub(I64(LANES), rem), I32), LANES))
        return turned_around(b, self._dense_load(last, d, there), d)

    def _strided(self, p: ir.Value, k: int) -> list[ir.Value]:
        f, d, stride = self.frame, self.frame.dtypes[k], self.stride(k)
        b, t = f.b, memory_type(f.dtypes[k])

        def apart() -> list[ir.Value]:
            places = four_by_four(b, p, stride, LANES)
            out = []
            for part in range(parts_of(d)):
                raw = ir.undefined(ir.vector(t, LANES))
                for j, q in enumerate(places):
                    at = b.gep(q, [I64(part * step_of(d))], source_etype=I8)
                    raw = b.insert_element(raw, b.load(at, typ=t, align=step_of(d)), I32(j))
                out.append(raw)
            return out

        def forward() -> list[ir.Value]:
            return apart() if d.itemsize < LEAST_MASKED else self._second(p, k, None, apart)

        if d.kind == "c":
            return apart()
        if f.variant.tells_backward:
            return forward()
        with b.if_else(b.icmp_signed("==", stride, I64(-d.itemsize)), likely=False) as (backward, other):
            with backward:
                sides = [(self._backward(p, d, None), b.block)]
            with other:
                sides.append((forward(), b.block))
        return joined(b, sides)

    def _second(
        self, p: ir.Value, k: int, rem: ir.Value | None, otherwise: Callable[[], list[ir.Value]]
    ) -> list[ir.Value]:
        """The lanes of operand k, the first `rem` of them if that is given: two vectors where every second element is
        wanted, as in windows of two; else what `otherwise` gives. The second vector begins at an element that the first
        one has, so that nothing behind the last lane is read.
        """
        b, d = self.frame.b, self.frame.dtypes[k]
        with b.if_else(b.icmp_signed("==", self.stride(k), I64(2 * d.itemsize))) as (second, other):
            with second:
                halves = []
                for first in (0, LANES - 1):
                    at = self.frame.moved(p, I64(first * d.itemsize))
                    there = None if rem is None else self.mask_of(b.sub(b.shl(rem, I64(1)), I64(first + 1)))
                    halves.append(self._dense_load(at, d, there))
                lanes = [*range(0, LANES, 2), *range(LANES + 1, 2 * LANES, 2)]
                sides = [([b.shuffle(halves[0], halves[1], lanes)], b.block)]
            with other:
                sides.append((otherwise(), b.block))
        return joined(b, sides)

    def _strided_tail(self, p: ir.Value, k: int) -> list[ir.Value]:
        d, t, b = self.frame.dtypes[k], memory_type(self.frame.dtypes[k]), self.frame.b

        def apart() -> list[ir.Value]:
            out = []
            for part in range(parts_of(d)):
                at = b.gep(p, [I64(part * step_of(d))], source_etype=I8)
                raw = functions.first_of_strided(b, step_of(d), LANES, at, self.stride(k), self.rem)
                out.append(b.bitcast(raw, ir.vector(t, LANES)) if t.kind == "f" else raw)
            return out

        return apart() if d.kind == "c" or d.itemsize < LEAST_MASKED else self._second(p, k, self.rem, apart)

    def store(self, v: Value, p: ir.Value, k: int) -> None:
        """Write the lanes that exist."""
        f = self.frame
        b, d = f.b, f.dtypes[k]
        if f.classes[k] == "b":
            store_scalar(b, [b.extract_element(x, I32(0)) for x in v], p, d)
            return
        raw = pack(b, v, d)
        if self.path == "whole":
            self._store_whole(raw, p, k)
        elif self.path == "masked" and f.classes[k] == "c":
            masked_store(b, raw, p, step_of(d), self._parts_mask(self.mask, d))
        else:
            with b.if_else(self.full) as (whole, tail):
                with whole:
                    self._store_whole(raw, p, k)
                with tail:
                    self._store_tail(raw, p, k)

    def _store_whole(self, raw: ir.Value, p: ir.Value, k: int) -> None:
        b, d = self.frame.b, self.frame.dtypes[k]
        if self.frame.classes[k] == "c":
            b.store(raw, p, align=step_of(d))
            return
        parts = parts_of(d)
        for j, q in enumerate(four_by_four(b, p, self.stride(k), LANES)):
            for part in range(parts):
                b.store(
                    b.extract_element(raw, I32(j * parts + part)),
                    b.gep(q, [I64(part * step_of(d))], source_etype=I8),
                    align=step_of(d),
                )

    def _store_tail(self, raw: ir.Value, p: ir.Value, k: int) -> None:
        f, d = self.frame, self.frame.dtypes[k]
        b = f.b
        if f.classes[k] == "c":
            masked_store(b, raw, p, step_of(d), self._parts_mask(self.mask_of(self.rem), d))
            return
        buffer = f.array(raw.type, 1)
        b.store(raw, buffer)
        with f.loop(I64(0), self.rem, 1) as j:
            copy_element(b, f.moved(buffer, b.mul(j, I64(d.itemsize))), f.moved(p, b.mul(j, self.stride(k))), d)


def turned_around(b: ir.IRBuilder, raw: ir.Value, d: dtype) -> list[ir.Value]:
    """The parts of the elements of a vector from memory, in reverse order."""
    parts = _deinterleave(b, raw) if d.kind == "c" else [raw]
    return [b.shuffle(x, None, range(x.type.count - 1, -1, -1)) for x in parts]


def four_by_four(b: ir.IRBuilder, p: ir.Value, stride: ir.Value, lanes: int) -> list[ir.Value]:
    """The addresses of lanes that lie so many bytes apart, four of them from one base: an addressing mode of the
    processor gives each.
    """
    out = []
    for _ in range(0, lanes, 4):
        out += [b.gep(p, [b.mul(stride, I64(j))], source_etype=I8) for j in range(4)]
        p = b.gep(p, [b.mul(stride, I64(4))], source_etype=I8)
    return out


def joined(b: ir.IRBuilder, sides: list[tuple[list[ir.Value], ir.Block]]) -> list[ir.Value]:
    """The values that come from whichever block was left last."""
    out: list[ir.Value] = []
    for j in range(len(sides[0][0])):
        phi = b.phi(sides[0][0][j].type)
        for values, block in sides:
            phi.add_incoming(values[j], block)
        out.append(phi)
    return out


def masked_load(b: ir.IRBuilder, t: ir.Type, p: ir.Value, align: int, mask: ir.Value, other: ir.Value) -> ir.Value:
    return b.intrinsic(f"masked.load.{t.suffix}.p0", t, [p, I32(align), mask, other])


def masked_store(b: ir.IRBuilder, v: ir.Value, p: ir.Value, align: int, mask: ir.Value) -> None:
    b.intrinsic(f"masked.store.{v.type.suffix}.p0", ir.VOID, [v, p, I32(align), mask])


def _lane_pointers(b: ir.IRBuilder, base: ir.Value, offsets: ir.Value, step: int) -> ir.Value:
    """base plus each byte offset plus step bytes, as a vector of addresses."""
    at = b.add(b.add(splat(b, b.ptrtoint(base, I64), LANES), offsets), const(I64, step, LANES))
    return b.inttoptr(at, ir.vector(PTR, LANES))


def _gathered(b: ir.IRBuilder, t: ir.Type, pointers: ir.Value, align: int) -> ir.Value:
    """The vector of what is at these addresses, by the processor's own gather."""
    name = f"masked.gather.{t.suffix}.{pointers.type.suffix}"
    everywhere, zeros = const(ir.I1, 1, LANES), const(t.element, 0, LANES)
    return b.intrinsic(name, t, [pointers, I32(align), everywhere, zeros])


def gather_load(b: ir.IRBuilder, base: ir.Value, offsets: ir.Value, d: dtype) -> Value:
    """Load a value from base plus each byte offset; all of them are valid.

    Elements of 4 and 8 bytes by the processor's own gather, where LLVM finds that it has one: half the time of sixteen
    loads and inserts on a processor with AVX-512.
    """
    t = memory_type(d)
    vt = ir.vector(t, LANES)
    if d.kind == "c" and d.itemsize <= 8:  # one gather of both parts
        whole = ir.vector(ir.integer(8 * d.itemsize), LANES)
        both = _gathered(b, whole, _lane_pointers(b, base, offsets, 0), step_of(d))
        raw = b.bitcast(both, ir.vector(t, 2 * LANES))
        return [from_memory(b, x, d) for x in _deinterleave(b, raw)]
    out = []
    for part in range(parts_of(d)):
        if step_of(d) >= 4:
            raw = _gathered(b, vt, _lane_pointers(b, base, offsets, part * step_of(d)), step_of(d))
        else:
            raw = ir.undefined(vt)
            for j in range(LANES):
                p = b.gep(base, [b.extract_element(offsets, I32(j))], source_etype=I8)
                if part:
                    p = b.gep(p, [I64(part * step_of(d))], source_etype=I8)
                raw = b.insert_element(raw, b.load(p, typ=t, align=step_of(d)), I32(j))
        out.append(from_memory(b, raw, d))
    return out


def scatter_store(b: ir.IRBuilder, v: Value, base: ir.Value, offsets: ir.Value, d: dtype, mask: ir.Value) -> None:
    """Write the lanes of the mask to base plus their byte offsets, in order of lanes."""
    for part, x in enumerate(v):
        raw = to_memory(b, x, d)
        pointers = _lane_pointers(b, base, offsets, part * step_of(d))
        b.intrinsic(
            f"masked.scatter.{raw.type.suffix}.{pointers.type.suffix}", ir.VOID, [raw, pointers, I32(step_of(d)), mask]
        )


def gather(f: Frame, node: Node, base: ir.Value, index: list[Value], axis: Axis | None) -> Value:
    """Load operand param[0] at base + the axis + sum of index * stride; an index out of range ends the kernel with 1.

    param = (operand, ((size scalar, stride scalar), ...)): positions among the kernel's scalars, strides in elements.
    """
    b = f.b
    operand, dims = node.param
    d = f.dtypes[operand]
    lanes = LANES if axis is not None else 0
    index = [[splat(b, x, lanes) for x in i] for i in index]
    offset: ir.Value | None = None
    for j, (size_k, stride_k) in enumerate(dims):
        size, stride = (f.scalar_value(k) for k in (size_k, stride_k))
        safe = check_index(f, index[j][0], size, j, axis)
        term = b.mul(safe, splat(b, b.mul(stride, I64(d.itemsize)), lanes))
        offset = term if offset is None else b.add(offset, term)
    assert offset is not None
    if axis is None:
        return load_scalar(b, f.moved(base, offset), d)
    if f.classes[operand] != "b":
        offset = b.add(offset, axis.offsets(operand))
    return gather_load(b, base, offset, d)


def gather_place(f: Frame, node: Node, base: ir.Value, index: list[ir.Value]) -> ir.Value:
    """Where `gather` reads when its indices are the same in all lanes: base moved by them."""
    b = f.b
    operand, dims = node.param
    for j, (size_k, stride_k) in enumerate(dims):
        x = b.extract_element(index[j], I32(0)) if lanes_of(index[j]) else index[j]
        x = check_index(f, x, f.scalar_value(size_k), j, None)
        base = f.moved(base, b.mul(x, b.mul(f.scalar_value(stride_k), I64(f.dtypes[operand].itemsize))))
    return base


def check_index(f: Frame, x: ir.Value, size: ir.Value, dim: int, axis: Axis | None) -> ir.Value:
    """The index with lanes that do not exist made 0; leaves the kernel with an error record when one is out of
    range.
    """
    b = f.b
    lanes = lanes_of(x)
    bad = b.icmp_unsigned(">=", x, splat(b, size, lanes))
    first = x
    if axis is not None:
        mask = axis.mask_of(axis.rem)
        bad = b.and_(bad, mask)
        x = b.select(mask, x, const(I64, 0, lanes))
        bits = b.bitcast(bad, I16)
        any_bad = b.icmp_unsigned("!=", bits, I16(0))
    else:
        any_bad = bad
    with b.if_then(any_bad, likely=False):
        if axis is not None:
            lane = intrinsic(b, "cttz", I16, [bits, ir.I1(0)])
            first = b.extract_element(x, b.zext(lane, I32))
        for k, v in enumerate((I64(1), first, size, I64(dim))):
            b.store(v, b.gep(f.err, [I64(k)], source_etype=I64))
        b.ret(I64(1))
        # Code after the return is unreachable; the builder wants an open block for its branch.
        b.position_at_end(b.append_basic_block("unreached"))
    return x


def check_divisor(f: Frame, y: ir.Value, axis: Axis | None) -> None:
    """Leave the kernel with flag 2 (ZeroDivisionError) when an integer divisor is 0."""
    b = f.b
    lanes = lanes_of(y)
    bad = b.icmp_unsigned("==", y, const(y.type.element if lanes else y.type, 0, lanes))
    if lanes and axis is not None:
        bad = b.and_(bad, axis.mask_of(axis.rem))
    with b.if_then(b.any_lane(bad), likely=False):
        b.store(I64(2), f.err)
        b.ret(I64(1))
        b.position_at_end(b.append_basic_block("unreached"))


def load_whole(line: Axis, bundle: Bundle) -> dict[int, Value]:
    """Loads of LANES elements that all exist: no branch for a tail."""
    f = line.frame
    out = {}
    for key, p, k in bundle:
        d = f.dtypes[k]
        if f.classes[k] == "c":
            out[key] = unpack(f.b, f.b.load(p, typ=raw_type(d), align=step_of(d)), d)
        else:
            out[key] = line.load_many([(key, p, k)])[key]
    return out


def copy_element(b: ir.IRBuilder, src: ir.Value, dst: ir.Value, d: dtype) -> None:
    t = ir.integer(8 * step_of(d))
    for k in range(parts_of(d)):
        offset = [I64(k * step_of(d))]
        x = b.load(b.gep(src, offset, source_etype=I8), typ=t, align=step_of(d))
        b.store(x, b.gep(dst, offset, source_etype=I8), align=step_of(d))
