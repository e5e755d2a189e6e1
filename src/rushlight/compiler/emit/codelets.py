"""The codelets of Fourier transforms, which `core/native/fourier.c` calls: functions of one argument, a row of slots.

    int64 k(const int64 *slots)        a slot: an integer, an address, or a float64

A codelet is shared by all lengths: counts, strides (in bytes) and twiddles are slots. Its vectors run over lanes: other
lines that lie side by side, or neighbours within one line. Numbers lie in planes (a place for real parts, another for
imaginary ones), or, at the ends of a transform, as pairs. What a lane computes depends on no other lane and not on how
many there are.

Names: "pass 8 f32 p c n" is one pass of radix 8 from planes to pairs, without twiddles.

    source, target: "p" planes; "s" planes, the second of which is multiplied by a sign; "c" pairs, likewise; "r" real;
                    "q", "d" planes and pairs of two lines, of HALF bytes of lanes each
    twiddles:       "n" none, "b" one for all lanes, "v" one per lane

"line 8 8 f32 c c": both passes of lines of 8 x 8 numbers, in registers ("plain": without factors). "real 8 8 f32 c c":
of so many pairs of real numbers, and then what "post" does, to half the spectrum. "turn f32 p p n": rows to columns.
"post", "pre": between the transform of half as many pairs and that of real numbers, lane by lane ("b") or along the
line ("v").

"... ask": with each load of pairs or real numbers, and each store of pairs, the processor is asked for what a later
one needs, so that numbers move to and from a distant cache beside the arithmetic. Asking beyond the operands does no
harm.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from contextlib import AbstractContextManager

from rushlight.compiler.emit.butterflies import Arithmetic, Complex, root_of_unity
from rushlight.compiler.emit.memory import interleave, masked_load, masked_store
from rushlight.compiler.llvm import ir, machine
from rushlight.compiler.llvm.control import counted
from rushlight.compiler.llvm.ir import F32, F64, I8, I32, I64, PTR
from rushlight.compiler.llvm.lanes import transposed_squares

_PIECE = 18  # terms that are added one after the other: partial sums' roundings are the error of a large radix
HALF = 32  # bytes of lanes that belong to one of two lines
LINE = 64  # bytes of a line of the cache
_LINE = {"q": "p", "d": "c"}  # how one of the lines lies


def module(name: str) -> ir.Module:
    """The LLVM module of the codelet of this name."""
    kind, *rest = name.split()
    if ask := rest[-1] == "ask":
        rest.pop()
    # Values that find no register wait on the stack: whole lines of the cache, which System V's ABI does not promise.
    made = ir.Module(name, "alignstack(64)")
    fn = ir.Function(made, I64, [PTR], "k")
    if kind == "pass":
        radix, t, source, target, twiddles = rest
        _Pass(fn, t, source, target, twiddles, ask).emit(int(radix))
    elif kind in ("line", "real"):
        before, after, t, source, target, *plain = rest
        _Line(fn, t, source, target, int(before), int(after), ask).emit(kind == "real", bool(plain))
    elif kind == "turn":
        t, source, target, twiddles = rest
        _Turn(fn, t, source, target).emit(twiddles == "v")
    else:
        t, side, along, full = rest
        _Halves(fn, t, side, ask).emit(kind == "post", along == "v", full == "full")
    return made


class _Codelet:
    """A codelet under construction: how it reads its slots, loads and stores its lanes."""

    def __init__(self, fn: ir.Function, t: str, source: str, target: str, ask: bool = False) -> None:
        self.ask = ask
        self.b = b = ir.IRBuilder(fn)
        self.slots = fn.args[0]
        self.real, self.item = (F32, 4) if t == "f32" else (F64, 8)
        self.lanes = (64 if machine.masks() else 32) // self.item
        self.vector = ir.vector(self.real, self.lanes)
        self.source, self.target = source, target
        self.math = Arithmetic(b, self.vector)

    def integer(self, k: int) -> ir.Value:
        return self.b.load(self.b.gep(self.slots, [I64(k)], I64), I64)

    def pointer(self, k: int) -> ir.Value:
        return self.b.load(self.b.gep(self.slots, [I64(k)], I64), PTR)

    def number(self, k: int) -> ir.Value:
        """A float64 slot in every lane, in the codelet's precision."""
        x = self.b.load(self.b.gep(self.slots, [I64(k)], I64), F64)
        return self.b.broadcast(self.b.fptrunc(x, self.real) if self.real is F32 else x, self.lanes)

    def least(self, n: ir.Value) -> ir.Value:
        """n, or the number of lanes if that is less."""
        return self.b.select(self.b.icmp_signed("<", n, I64(self.lanes)), n, I64(self.lanes))

    def finish(self) -> None:
        self.b.ret(I64(0))

    # -- control ---------------------------------------------------------------------------------------------------
    def loop(self, start: ir.Value, stop: ir.Value, step: int = 1) -> AbstractContextManager[ir.Value]:
        return counted(self.b, start, stop, step, likely=True)

    # -- memory ----------------------------------------------------------------------------------------------------
    def moved(self, p: ir.Value, *offsets: ir.Value) -> ir.Value:
        for o in offsets:
            p = self.b.gep(p, [o], I8)
        return p

    def mask(self, rest: ir.Value, lanes: int = 0, first: int = 0) -> ir.Value:
        """Which lanes are among the first `rest`, or the last (first=-1)."""
        n = lanes or self.lanes
        numbers = tuple(range(n)) if first >= 0 else tuple(range(n - 1, -1, -1))
        return self.b.icmp_signed("<", ir.lanes(I32, numbers), self.b.broadcast(self.b.trunc(rest, I32), n))

    def masks(self, rest: ir.Value, form: str, first: int = 0) -> ir.Value:
        """The mask of lanes as `form` has them in memory."""
        if form == "c":
            return self.mask(self.b.add(rest, rest), 2 * self.lanes, first)
        return self.mask(rest, 0, first)

    def load(self, form: str, re: ir.Value, im: ir.Value | None, mask: ir.Value) -> Complex:
        """Lanes in a row from `re` (and `im`, when they lie in planes)."""
        b, t = self.b, self.vector
        if form == "c":
            pairs = ir.vector(self.real, 2 * self.lanes)
            x = masked_load(b, pairs, re, self.item, mask, ir.constant(pairs, 0.0))
            return b.shuffle(x, None, range(0, 2 * self.lanes, 2)), b.shuffle(x, None, range(1, 2 * self.lanes, 2))
        zero = ir.constant(t, 0.0)
        first = masked_load(b, t, re, self.item, mask, zero)
        return first, zero if im is None else masked_load(b, t, im, self.item, mask, zero)

    def store(self, form: str, x: Complex, re: ir.Value, im: ir.Value, mask: ir.Value) -> None:
        b = self.b
        if form == "c":
            masked_store(b, interleave(b, *x), re, self.item, mask)
            return
        masked_store(b, x[0], re, self.item, mask)
        masked_store(b, x[1], im, self.item, mask)

    def ask_for(self, p: ir.Value, size: int, to_write: bool) -> None:
        """Ask for what lies from p on: as many lines of the cache as `size` bytes are, for writing or reading."""
        for k in range(0, size, LINE):
            self.b.intrinsic("prefetch.p0", ir.VOID, [self.moved(p, I64(k)), I32(int(to_write)), I32(3), I32(1)])

    def size(self, form: str) -> int:
        """Bytes of a lane."""
        return 2 * self.item if form in "cd" else self.item

    def reversed(self, x: Complex) -> Complex:
        order = range(self.lanes - 1, -1, -1)
        return self.b.shuffle(x[0], None, order), self.b.shuffle(x[1], None, order)

    def steps(self, p: ir.Value, stride: ir.Value, n: int) -> list[ir.Value]:
        """p and n - 1 addresses `stride` apart: four of them from one register and the processor's addressing modes."""
        b = self.b
        multiples = [I64(0), stride, b.add(stride, stride), b.mul(stride, I64(3))]
        four = b.mul(stride, I64(4))
        out = []
        for i in range(n):
            if i and i % 4 == 0:
                p = self.moved(p, four)
            out.append(self.moved(p, multiples[i % 4]))
        return out


class _Pass(_Codelet):
    """One pass of a mixed-radix transform: butterflies, times twiddles.

    Slots: 0, 1 source (re, im); 2, 3 target; 4, 5 twiddles; 6 count of groups of lanes; 7, 8 bytes from group to group,
    in source and target; 9, 10 from one element of a butterfly to the next; 11 lanes; 12 bytes from one element's
    twiddles to the next's; 13 from a group's to the next's; 14 the sign that imaginary parts are multiplied by when
    they are read; 15, 16 what real and imaginary parts of results without twiddles are multiplied by; 17 bytes from one
    line of the target to the other ("q" and "d", where all lanes are those of two lines). ask: 18, 19 bytes from what
    is read, and from what is written, to what is asked for.
    """

    def __init__(self, fn: ir.Function, t: str, source: str, target: str, twiddles: str, ask: bool) -> None:
        super().__init__(fn, t, source, target, ask)
        self.twiddles = twiddles
        self.ask_in, self.ask_out = (self.integer(k) for k in (18, 19)) if ask else (I64(0), I64(0))
        self.in_step, self.out_step, self.w_step = (self.integer(k) for k in (9, 10, 12))
        self.sign, self.scale = self.number(14), (self.number(15), self.number(16))
        # the lanes that exist, turn by turn
        self.reads = self.writes = self.w_mask = ir.undefined(I64)

    def emit(self, radix: int) -> None:
        b, twiddles = self.b, self.twiddles
        source, target = (self.pointer(0), self.pointer(1)), (self.pointer(2), self.pointer(3))
        w = self.pointer(4), self.pointer(5)
        count, in_group, out_group, lanes, w_group = (self.integer(k) for k in (6, 7, 8, 11, 13))
        with self.loop(I64(0), count) as g:
            x_at = [self.moved(p, b.mul(g, in_group)) for p in source]
            y_at = [self.moved(p, b.mul(g, out_group)) for p in target]
            w_at = [self.moved(p, b.mul(g, w_group)) for p in w]
            with self.loop(I64(0), lanes, self.lanes) as i:
                rest = b.sub(lanes, i)
                self.reads, self.writes = (
                    self.masks(rest, self.source),
                    self.masks(rest, _LINE.get(self.target, self.target)),
                )
                x_here = [self.moved(p, b.mul(i, I64(self.size(self.source)))) for p in x_at]
                y_here = self._targets(y_at, i)
                if twiddles == "v":
                    self.w_mask = self.mask(rest)
                    w_here = [self.moved(p, b.mul(i, I64(self.item))) for p in w_at]
                else:
                    w_here = w_at
                (self._butterfly if radix <= 16 else self._long)(radix, x_here, y_here, w_here)
        self.finish()

    def _butterfly(self, radix: int, x_at: list[ir.Value], y_at: list[ir.Value], w_at: list[ir.Value]) -> None:
        places = zip(*(self.steps(p, self.in_step, radix) for p in x_at), strict=True)
        y = self.math.transform([self._fetch(re, im) for re, im in places])
        places = zip(*(self.steps(p, self.out_step, radix) for p in y_at), strict=True)
        factors = zip(*(self.steps(p, self.w_step, radix - 1) for p in w_at), strict=True)
        for k, (v, (re, im)) in enumerate(zip(y, places, strict=True)):
            self._put(v, re, im, next(factors) if k else None)

    def _long(self, radix: int, x_at: list[ir.Value], y_at: list[ir.Value], w_at: list[ir.Value]) -> None:
        """A larger odd radix, as `Arithmetic._odd`, in loops: its code is as short as that of a small one."""
        b, m, half = self.b, self.math, radix // 2
        sums, differences = ([b.alloca(ir.array(self.vector, half)) for _ in range(2)] for _ in range(2))
        cosines, sines = (self._factors(radix, part) for part in (0, 1))

        def at(places: list[ir.Value], step: ir.Value, k: ir.Value) -> list[ir.Value]:
            return [self.moved(p, b.mul(k, step)) for p in places]

        def of(places: list[ir.Value], k: ir.Value) -> Complex:
            re, im = (b.load(b.gep(p, [k], self.vector), self.vector) for p in places)
            return re, im

        first, zero = self._fetch(*x_at), (m.real(0.0), m.real(0.0))
        pieces = [(I64(k), I64(min(k + _PIECE, half))) for k in range(0, half, _PIECE)]
        running, total = [b.alloca(self.vector) for _ in range(2)], first
        for start, stop in pieces:
            self._keep(running, zero)
            with self.loop(start, stop) as j:
                near, far = b.add(j, I64(1)), b.sub(I64(radix - 1), j)
                u, v = (self._fetch(*at(x_at, self.in_step, k)) for k in (near, far))
                s = m.add(u, v)
                self._keep([b.gep(p, [j], self.vector) for p in sums], s)
                self._keep([b.gep(p, [j], self.vector) for p in differences], m.sub(u, v))
                self._keep(running, m.add(of(running, I64(0)), s))
            total = m.add(total, of(running, I64(0)))
        self._put(total, y_at[0], y_at[1], None)
        # two results and their images at a time: sums and differences are read half as often
        totals = [([b.alloca(self.vector) for _ in range(2)], [b.alloca(self.vector) for _ in range(2)]) for _ in "12"]
        with self.loop(I64(0), I64(half), 2) as k:
            rows = (k, b.select(b.icmp_signed("<", b.add(k, I64(1)), I64(half)), b.add(k, I64(1)), k))
            results = [(first, zero), (first, zero)]
            for start, stop in pieces:
                for even, odd in totals:
                    self._keep(even, zero)
                    self._keep(odd, zero)
                with self.loop(start, stop) as j:
                    s, d = of(sums, j), of(differences, j)
                    for (even, odd), row in zip(totals, rows, strict=True):
                        place = b.add(b.mul(row, I64(half)), j)
                        c, q = (
                            b.broadcast(b.load(b.gep(p, [place], self.real), self.real), self.lanes)
                            for p in (cosines, sines)
                        )
                        e, o = of(even, I64(0)), of(odd, I64(0))
                        self._keep(even, (m.fma(s[0], c, e[0]), m.fma(s[1], c, e[1])))
                        self._keep(odd, (m.fma(d[0], q, o[0]), m.fma(d[1], q, o[1])))
                results = [
                    (m.add(e, of(even, I64(0))), m.add(o, of(odd, I64(0))))
                    for (e, o), (even, odd) in zip(results, totals, strict=True)
                ]
            for (e, o), row in zip(results, rows, strict=True):
                near, far = b.add(row, I64(1)), b.sub(I64(radix - 1), row)
                for v, place in ((m.sub_i(e, o), near), (m.add_i(e, o), far)):
                    re, im = at(y_at, self.out_step, place)
                    w_re, w_im = at(w_at, self.w_step, b.sub(place, I64(1)))
                    self._put(v, re, im, (w_re, w_im))

    def _factors(self, radix: int, part: int) -> ir.Value:
        """The table of cos (part 0) or sin (1) of 2 pi j k / radix, j and k up to half of it."""
        places = range(1, radix // 2 + 1)
        code, word = ("<f", "<i") if self.item == 4 else ("<d", "<q")

        def words() -> list[int]:
            roots = [root_of_unity(j * k, radix) for k in places for j in places]
            return [struct.unpack(word, struct.pack(code, -w[1] if part else w[0]))[0] for w in roots]

        kind = "sin" if part else "cos"
        return self.b.module.table(f"{kind} {radix} {self.item}", ir.integer(8 * self.item), words)

    def _keep(self, places: list[ir.Value], x: Complex) -> None:
        for p, v in zip(places, x, strict=True):
            self.b.store(v, p)

    def _fetch(self, re: ir.Value, im: ir.Value) -> Complex:
        if self.ask and self.source not in "ps":
            self.ask_for(self.moved(re, self.ask_in), self.lanes * self.size(self.source), False)
        x = self.load(self.source, re, im if self.source in "ps" else None, self.reads)
        return (x[0], self.b.fmul(x[1], self.sign)) if self.source in "sc" else x

    def _put(self, x: Complex, re: ir.Value, im: ir.Value, w: tuple[ir.Value, ir.Value] | None) -> None:
        """Store a result, times its twiddle (the first one's is 1) or the factors of a last pass."""
        b = self.b
        if self.twiddles == "n":
            x = b.fmul(x[0], self.scale[0]), b.fmul(x[1], self.scale[1])
        elif w is not None and self.twiddles == "v":
            x = self.math.mul(x, *self.load("p", w[0], w[1], self.w_mask))
        elif w is not None:
            c, s = (b.broadcast(b.load(p, self.real), self.lanes) for p in w)
            x = self.math.mul(x, c, s)
        whole = self.target not in "qd" or self.lanes * self.item == HALF  # of one line
        if self.ask and whole and self.target in "cd":
            self.ask_for(self.moved(re, self.ask_out), self.lanes * self.size("c"), True)
        if self.target not in "qd":
            self.store(self.target, x, re, im, self.writes)
        elif whole:
            self.store(_LINE[self.target], x, re, im, self.writes)
        else:
            self._put_halves(x, re, im)

    def _targets(self, y_at: list[ir.Value], i: ir.Value) -> list[ir.Value]:
        """Where lanes from i on go."""
        b = self.b
        if self.target not in "qd":
            return [self.moved(p, b.mul(i, I64(self.size(self.target)))) for p in y_at]
        if self.lanes * self.item == HALF:
            second = b.icmp_signed(">", i, I64(0))
            return [self.moved(p, b.select(second, self.integer(17), I64(0))) for p in y_at]
        return y_at

    def _put_halves(self, x: Complex, re: ir.Value, im: ir.Value) -> None:
        b, n = self.b, self.lanes
        for k in range(2):
            lanes = range(k * n // 2, (k + 1) * n // 2)
            at = [self.moved(p, self.integer(17)) if k else p for p in (re, im)]
            if self.ask and self.target == "d":
                self.ask_for(self.moved(at[0], self.ask_out), len(lanes) * self.size("c"), True)
            if self.target == "d":
                b.store(b.shuffle(x[0], x[1], [j + part * n for j in lanes for part in (0, 1)]), at[0], self.item)
                continue
            for v, p in zip(x, at, strict=True):
                b.store(b.shuffle(v, None, lanes), p, self.item)


class _Line(_Codelet):
    """Short lines of `before` x `after` numbers, both powers of two: two passes, and between them numbers change their
    lanes without a way through memory.

    A number of the group of lines that is in registers has the bits of its line ("l") and of its place, after * i + p
    ("i", "p"). Each bit is one of a lane's number or one of a register's; passes go along those that are a register's.

    Slots: 0, 1 source (re, im); 2, 3 target; 4, 5 twiddles of the first pass; 6 lines; 7, 8 bytes from line to line, in
    source and target; 9 the sign that imaginary parts are multiplied by when they are read; 10, 11 what real and
    imaginary parts of results are multiplied by. "real": 12, 13 twiddles of the spectrum (`_Halves`), whose halves of
    factors 10 and 11 are. ask: 14 bytes from what is read to what is asked for; 15, 16 from what is written to that, of
    the first line, and how much more of each further one.
    """

    def __init__(self, fn: ir.Function, t: str, source: str, target: str, before: int, after: int, ask: bool) -> None:
        super().__init__(fn, t, source, target, ask)
        self.before, self.after = before, after
        bits = {"p": _log(after), "i": _log(before), "l": _log(max(self.lanes // min(before, after), 1))}
        of = {kind: [(kind, k) for k in range(n)] for kind, n in bits.items()}
        self.group = 1 << bits["l"]
        self.ask_in = self.integer(14) if ask else I64(0)
        self.ahead: list[ir.Value] = []  # bytes from where each line of a group is written to what is asked for
        width = _log(self.lanes)
        order = [*of["p"][:width], *of["l"], *of["p"][width:]]
        self.lanes_now, self.in_registers = order[:width], [*of["i"], *order[width:]]

    def emit(self, real: bool, plain: bool) -> None:
        b = self.b
        source, target, w = ((self.pointer(k), self.pointer(k + 1)) for k in (0, 2, 4))
        roots = (self.pointer(12), self.pointer(13)) if real else w
        lines, line_in, line_out = (self.integer(k) for k in (6, 7, 8))
        sign = None if real or plain else self.number(9)
        scale = (self.number(10), self.number(11))
        last = b.sub(lines, I64(1))
        with self.loop(I64(0), lines, self.group) as first:
            x_at, y_at = [], []
            self.ahead = []
            for k in range(self.group):
                # Of lines that do not exist, the last one is done again.
                line = b.add(first, I64(k))
                line = b.select(b.icmp_signed("<", line, last), line, last)
                x_at.append([self.moved(p, b.mul(line, line_in)) for p in source])
                y_at.append([self.moved(p, b.mul(line, line_out)) for p in target])
                if self.ask:
                    self.ahead.append(b.add(self.integer(15), b.mul(line, self.integer(16))))
            x = [self._fetch(x_at, self._bits(r, self.in_registers), sign) for r in range(1 << len(self.in_registers))]
            registers = self.in_registers
            for places in self._along("i", registers):
                y = self.math.transform([x[r] for r in places])
                at = self._bits(places[0], registers)
                x[places[0]] = y[0]
                for i in range(1, self.before):
                    x[places[i]] = self.math.mul(y[i], *self._twiddles(w, i, at))
            x, registers = self._turned(x)
            rows = self._along("p", registers)
            if not real:
                for places in rows:
                    y = self.math.transform([x[r] for r in places])
                    for r, (re, im) in zip(places, y, strict=True):
                        v = (re, im) if plain else (b.fmul(re, scale[0]), b.fmul(im, scale[1]))
                        at = self._bits(r, registers)
                        self._put(v, y_at, at["p"] * self.before + at["i"], at["l"])
            for some in sorted({self._bits(r, registers)["l"] for r, *_ in rows} if real else set()):
                z: dict[int, Complex] = {}
                for places in rows:
                    if (at := self._bits(places[0], registers))["l"] == some:
                        y = self.math.transform([x[r] for r in places])
                        z |= {at["i"] + self.before * p: v for p, v in enumerate(y)}
                self._spectrum(z, y_at, some, roots, scale)
        self.finish()

    def _bits(self, number: int, names: Sequence[tuple[str, int]]) -> dict[str, int]:
        """What a register's number, or a lane's, says of line and place."""
        found = dict.fromkeys("pil", 0)
        for k, (kind, bit) in enumerate(names):
            found[kind] |= (number >> k & 1) << bit
        return found

    def _along(self, kind: str, registers: Sequence[tuple[str, int]]) -> list[list[int]]:
        """The registers of each butterfly along the bits of this kind, which are all registers'."""
        rows: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        for r in range(1 << len(registers)):
            at = self._bits(r, registers)
            rows.setdefault(tuple(v for k, v in at.items() if k != kind), []).append((at[kind], r))
        return [[r for _, r in sorted(row)] for row in rows.values()]

    def _fetch(self, x_at: list[list[ir.Value]], at: dict[str, int], sign: ir.Value | None) -> Complex:
        """The numbers of one register: a piece of each of its lines."""
        b = self.b
        piece, pairs = min(self.after, self.lanes), self.source == "c"
        first = (at["i"] * self.after + at["p"]) * self.size(self.source)
        parts = []
        for plane in range(1 if pairs or self.source == "r" else 2):
            t = ir.vector(self.real, piece * (1 + pairs))
            whole = []
            for lane in range(0, self.lanes, piece):
                line = at["l"] | self._bits(lane, self.lanes_now)["l"]
                here = self.moved(x_at[line][plane], I64(first))
                if self.ask:
                    self.ask_for(self.moved(here, self.ask_in), piece * self.size(self.source), False)
                whole.append(b.load(here, t, self.item))
            while len(whole) > 1:
                both = range(2 * whole[0].type.count)
                whole = [b.shuffle(v, u, both) for v, u in zip(whole[::2], whole[1::2], strict=True)]
            parts.append(whole[0])
        if self.source == "r":
            return parts[0], ir.constant(self.vector, 0.0)
        if pairs:
            parts = [b.shuffle(parts[0], None, range(k, 2 * self.lanes, 2)) for k in (0, 1)]
        return parts[0], parts[1] if sign is None else b.fmul(parts[1], sign)

    def _twiddles(self, w: Complex, i: int, at: dict[str, int]) -> list[ir.Value]:
        """Those of row i, for each of the lines."""
        piece = min(self.after, self.lanes)
        first = I64(((i - 1) * self.after + at["p"]) * self.item)
        repeated = [lane % piece for lane in range(self.lanes)]
        rows = [self.b.load(self.moved(p, first), ir.vector(self.real, piece), self.item) for p in w]
        return [self.b.shuffle(v, None, repeated) if piece < self.lanes else v for v in rows]

    def _turned(self, x: list[Complex]) -> tuple[list[Complex], list[tuple[str, int]]]:
        """The same numbers with the lanes of the second pass: a bit of the lanes' changes places with one of the
        registers' at a time.
        """
        x, lanes, registers = list(x), self.lanes_now, list(self.in_registers)
        for k in range(len(lanes)):
            if k < _log(self.before):
                r = registers.index(("i", k))
            elif lanes[k][0] == "p":
                r = next(r for r, (kind, _) in enumerate(registers) if kind == "l")
            else:
                continue
            lanes[k], registers[r] = registers[r], lanes[k]
            d, n = 1 << k, self.lanes
            low = [n + j - d if j & d else j for j in range(n)]
            high = [n + j if j & d else j + d for j in range(n)]
            for number in range(len(x)):
                if not number >> r & 1:
                    other = number | 1 << r
                    both = list(zip(x[number], x[other], strict=True))
                    (a, c), (d_, e) = ([self.b.shuffle(u, v, order) for u, v in both] for order in (low, high))
                    x[number], x[other] = (a, c), (d_, e)
        return x, registers

    def _put(self, x: Complex, y_at: list[list[ir.Value]], place: int, some: int, backwards: bool = False) -> None:
        """The numbers of one register to each of its lines: from a place on, the last one first if backwards."""
        b, n, piece = self.b, self.lanes, min(self.before, self.lanes)
        first = I64(place * self.size(self.target))
        for lane in range(0, n, piece):
            line = some | self._bits(lane, self.lanes_now)["l"]
            places = [self.moved(p, first) for p in y_at[line]]
            lanes = range(lane, lane + piece)[:: -1 if backwards else 1]
            if self.ask:
                self.ask_for(self.moved(places[0], self.ahead[line]), piece * self.size(self.target), True)
            if self.target == "c":
                b.store(b.shuffle(x[0], x[1], [j + part * n for j in lanes for part in (0, 1)]), places[0], self.item)
                continue
            for v, p in zip(x, places, strict=True):
                b.store(b.shuffle(v, None, lanes) if backwards or piece < n else v, p, self.item)

    def _spectrum(
        self, z: dict[int, Complex], y_at: list[list[ir.Value]], some: int, roots: Complex, scale: Complex
    ) -> None:
        """Half the spectrum of lines of real numbers whose pairs' transform is in registers, by their first number."""
        b, n, h, piece = self.b, self.lanes, self.before * self.after, min(self.before, self.lanes)

        def row(first: int, step: int) -> Complex:
            """Numbers from `first` on, forwards or backwards, of each line."""
            numbers = [first + step * (lane % piece) for lane in range(n)]
            registers = sorted({k - k % piece for k in numbers})
            low, high = z[registers[0] % h], z[registers[-1] % h]
            order = [
                lane - lane % piece + k % piece + n * (k - k % piece > registers[0]) for lane, k in enumerate(numbers)
            ]
            return b.shuffle(low[0], high[0], order), b.shuffle(low[1], high[1], order)

        for k in range(1, h // 2 + 1, piece):
            w = [b.load(self.moved(p, I64(k * self.item)), ir.vector(self.real, piece), self.item) for p in roots]
            if piece < n:
                w = [b.shuffle(v, None, [lane % piece for lane in range(n)]) for v in w]
            first, second = spectrum(self.math, row(k, 1), row(h - k, -1), (w[0], w[1]), scale)
            self._put(first, y_at, k, some)
            self._put(second, y_at, h - k - piece + 1, some, backwards=True)
        re, im = z[0]  # x[0] and x[h], which are real
        zero, whole = ir.constant(self.vector, 0.0), b.fadd(scale[0], scale[0])
        for place, v in ((0, b.fadd(re, im)), (h, b.fsub(re, im))):
            v = b.fmul(v, whole)
            for lane in range(0, n, piece):
                line = some | self._bits(lane, self.lanes_now)["l"]
                p = self.moved(y_at[line][0], I64(place * self.size(self.target)))
                b.store(b.shuffle(v, zero, [lane, n]), p, self.item)


def spectrum(m: Arithmetic, z: Complex, image: Complex, w: Complex, scale: Complex) -> tuple[Complex, Complex]:
    """x[k] and x[h - k] of z[k] and z[h - k] (`_Halves`), times the halves of factors in `scale`."""
    b, (c, s) = m.b, w
    no_c, no_s = b.fneg(c), b.fneg(s)
    (ar, ai), (br, bi) = z, image
    sr, si, dr, di = b.fadd(ar, br), b.fsub(ai, bi), b.fsub(ar, br), b.fadd(ai, bi)
    first = m.fma(c, di, m.fma(s, dr, sr)), m.fma(s, di, m.fma(no_c, dr, si))
    second = m.fma(no_c, di, m.fma(no_s, dr, sr)), b.fneg(m.fma(no_s, di, m.fma(c, dr, si)))
    first, second = ((b.fmul(re, scale[0]), b.fmul(im, scale[1])) for re, im in (first, second))
    return first, second


def _log(n: int) -> int:
    return n.bit_length() - 1


class _Turn(_Codelet):
    """Rows of numbers to columns, in squares of real numbers, as many a side as a vector has lanes.

    A row of pairs is a row of twice as many real numbers, whose columns belong to one plane and the other in turn; and
    the rows of two planes, in turn, have as columns lines of pairs. "r": one plane.

    Slots: 0, 1 source; 2, 3 target; 4 offsets of the source's rows in bytes, int64; 5 rows, which become lanes; 6
    columns; 7 bytes from row to row of the target; "v": twiddles, planes of as many columns, times one per row: 8, 9;
    10 bytes from row to row of those; 11, 12 the rows'.
    """

    def __init__(self, fn: ir.Function, t: str, source: str, target: str) -> None:
        super().__init__(fn, t, source, target)
        self.from_pairs, self.to_pairs = source == "c", target == "c"
        self.sources, self.targets = (self.pointer(0), self.pointer(1)), (self.pointer(2), self.pointer(3))
        self.offsets, self.out_step = self.pointer(4), self.integer(7)
        self.row = self.column = I64(0)  # where the square begins

    def emit(self, twiddled: bool) -> None:
        b, n = self.b, self.lanes
        rows, columns = self.integer(5), self.integer(6)
        planes = range(2 if self.source == self.target == "p" else 1)
        read, written = ([b.alloca(ir.array(self.vector, n)) for _ in planes] for _ in range(2))
        rows, columns = (b.mul(k, I64(1 + two)) for k, two in ((rows, self.to_pairs), (columns, self.from_pairs)))
        with self.loop(I64(0), rows, n) as self.row, self.loop(I64(0), columns, n) as self.column:
            across, down = self.least(b.sub(columns, self.column)), self.least(b.sub(rows, self.row))
            whole = b.and_(b.icmp_signed("==", across, I64(n)), b.icmp_signed("==", down, I64(n)))
            # squares that are whole are read and written where they lie, others by way of the stack
            part = b.xor(whole, ir.I1(1))
            if twiddled:
                self._read_twiddled(read, down, across)
            else:
                with b.if_then(part):
                    self._read(read, down, across)
            offsets = [] if twiddled else self._row_offsets(whole)
            for plane in planes:
                if twiddled:
                    places = [b.gep(read[plane], [I64(k)], self.vector) for k in range(n)]
                else:
                    bases = self._bases(plane, read[plane], whole)
                    places = [self.moved(bases[k % len(bases)], offset) for k, offset in enumerate(offsets)]
                columns_here = transposed(b, self.vector, places)
                for p, v in zip(self._columns(plane, written[plane], whole), columns_here, strict=True):
                    b.store(v, p, self.item)
            with b.if_then(part):
                self._write(written, down, across)
        self.finish()

    def _row_offsets(self, whole: ir.Value) -> list[ir.Value]:
        """Where the square's rows begin, of a whole one from the sources on, else from the square on the stack."""
        b, two, line = self.b, 2 if self.to_pairs else 1, self.lanes * self.item
        first = b.gep(self.offsets, [b.lshr(self.row, I64(two - 1))], I64)
        out: list[ir.Value] = []
        for k in range(0, self.lanes, two):
            # of a square that is not whole some offsets are not there to be read
            here = b.select(whole, b.gep(first, [I64(k // two)], I64), first)
            out += [b.select(whole, b.load(here, I64), I64(k * line))] * two
        return out

    def _bases(self, plane: int, near: ir.Value, whole: ir.Value) -> list[ir.Value]:
        """What the offsets of even and of odd rows count from."""
        b, along = self.b, self.b.mul(self.column, I64(self.item))
        places = self.sources if self.to_pairs else self.sources[plane : plane + 1]
        line = self.lanes * self.item
        return [b.select(whole, self.moved(p, along), self.moved(near, I64(k * line))) for k, p in enumerate(places)]

    def _columns(self, plane: int, near: ir.Value, whole: ir.Value) -> list[ir.Value]:
        """Where the square's columns go."""
        b, n, two = self.b, self.lanes, 2 if self.from_pairs else 1
        line = n * self.item
        at = b.mul(b.lshr(self.column, I64(two - 1)), self.out_step)
        along = b.mul(self.row, I64(self.item))
        step = b.select(whole, self.out_step, I64(two * line))
        rows = []
        for k, p in enumerate(self.targets if self.from_pairs else self.targets[plane : plane + 1]):
            base = b.select(whole, self.moved(p, at, along), self.moved(near, I64(k * line)))
            rows.append(self.steps(base, step, n // two))
        return [p for both in zip(*rows, strict=True) for p in both]

    def _either(self, of: tuple[ir.Value, ir.Value], k: ir.Value) -> ir.Value:
        return self.b.select(self.b.icmp_signed("==", self.b.and_(k, I64(1)), I64(0)), *of)

    def _read(self, squares: list[ir.Value], down: ir.Value, across: ir.Value) -> None:
        b, mask = self.b, self.mask(across)
        with self.loop(I64(0), down) as k:
            row, sources = b.add(self.row, k), list(self.sources[: len(squares)])
            if self.to_pairs:
                row, sources = b.lshr(row, I64(1)), [self._either(self.sources, row)]
            at = b.load(b.gep(self.offsets, [row], I64), I64)
            for p, square in zip(sources, squares, strict=True):
                here = self.moved(p, at, b.mul(self.column, I64(self.item)))
                x = masked_load(b, self.vector, here, self.item, mask, ir.constant(self.vector, 0.0))
                b.store(x, b.gep(square, [k], self.vector))

    def _read_twiddled(self, squares: list[ir.Value], down: ir.Value, across: ir.Value) -> None:
        b, n, mask = self.b, self.lanes, self.mask(across)
        w, w_step, rows = (self.pointer(8), self.pointer(9)), self.integer(10), (self.pointer(11), self.pointer(12))
        along = b.mul(self.column, I64(self.item))
        with self.loop(I64(0), down) as k:
            row = b.add(self.row, k)
            at = b.load(b.gep(self.offsets, [row], I64), I64)
            re, im = (self.moved(p, at, along) for p in self.sources)
            w_re, w_im = (self.moved(p, b.mul(row, w_step), along) for p in w)
            c, s = (b.broadcast(b.load(b.gep(p, [row], self.real), self.real), n) for p in rows)
            factor = self.math.mul(self.load("p", w_re, w_im, mask), c, s)
            x = self.math.mul(self.load("p", re, im, mask), *factor)
            for square, v in zip(squares, x, strict=True):
                b.store(v, b.gep(square, [k], self.vector))

    def _write(self, squares: list[ir.Value], down: ir.Value, across: ir.Value) -> None:
        b, mask = self.b, self.mask(down)
        with self.loop(I64(0), across) as k:
            row, targets = b.add(self.column, k), list(self.targets[: len(squares)])
            if self.from_pairs:
                row, targets = b.lshr(row, I64(1)), [self._either(self.targets, row)]
            for p, square in zip(targets, squares, strict=True):
                x = b.load(b.gep(square, [k], self.vector), self.vector)
                here = self.moved(p, b.mul(row, self.out_step), b.mul(self.row, I64(self.item)))
                masked_store(b, x, here, self.item, mask)


class _Halves(_Codelet):
    """Between the transform z of the h = n / 2 pairs of a real line and the half spectrum x of its n numbers.

    With w = exp(-2 pi i k / n), s = z[k] + conj(z[h - k]) is twice the transform of the numbers at even places, and d =
    z[k] - conj(z[h - k]) is 2 i times that of those at odd ones: 2 x[k] = s - i w d and 2 x[h - k] = conj(s + i w d);
    and back. Here for k from 1 to h // 2; the ends are the caller's. "pre" gives conj(z): what comes next runs forward.

    Slots: 0, 1 z (planes); 2, 3 x; 4, 5 twiddles; 6 h // 2; 7 bytes from row to row of z; 8 of x; 9 h; 10 lanes; 11, 12
    what real and imaginary parts of x are multiplied by; 13 lines, one after the other ("v", else 1); 14, 15 bytes from
    line to line of z and of x. post, full: x[n - k] and x[h + k] are written too. ask: 16 bytes from what is read or
    written of x to what is asked for.
    """

    def __init__(self, fn: ir.Function, t: str, side: str, ask: bool) -> None:
        super().__init__(fn, t, side, side, ask)
        self.scale = self.number(11), self.number(12)
        self.ask_at = self.integer(16) if ask else I64(0)

    def emit(self, post: bool, along: bool, full: bool) -> None:
        b = self.b
        z_base, x_base, w = ((self.pointer(k), self.pointer(k + 1)) for k in (0, 2, 4))
        count, z_step, x_step, h, lanes = (self.integer(k) for k in range(6, 11))
        item, size = self.item, self.size(self.source)
        with self.loop(I64(0), self.integer(13)) as line:
            z, x = self._at(z_base, line, self.integer(14)), self._at(x_base, line, self.integer(15))
            if not along:
                with self.loop(I64(1), b.add(count, I64(1))) as k, self.loop(I64(0), lanes, self.lanes) as i:
                    rest = b.sub(lanes, i)
                    c, s = (b.broadcast(b.load(p, self.real), self.lanes) for p in self._at(w, k, I64(item)))
                    z_here, x_here = self._at(z, i, I64(item)), self._at(x, i, I64(size))
                    back = b.sub(h, k)
                    z_at = [self._at(z_here, j, z_step) for j in (k, back)]
                    x_at = [self._at(x_here, j, x_step) for j in (k, back, b.add(h, k), b.add(h, back))]
                    masks = self.masks(rest, "p"), self.masks(rest, self.source)
                    self._both(post, full, (c, s), z_at, x_at, (masks, masks), False)
            else:
                with self.loop(I64(0), count, self.lanes) as i:
                    rest = b.sub(count, i)
                    k = b.add(i, I64(1))
                    # the vector that ends at h - k: its lanes run the other way
                    back = b.sub(b.sub(h, k), I64(self.lanes - 1))
                    w_here = self._at(w, k, I64(item))
                    factors = self.load("p", w_here[0], w_here[1], self.mask(rest))
                    z_at = [self._at(z, j, I64(item)) for j in (k, back)]
                    x_at = [self._at(x, j, I64(size)) for j in (k, back, b.add(h, k), b.add(h, back))]
                    there, turned = (
                        (self.masks(rest, "p", first), self.masks(rest, self.source, first)) for first in (0, -1)
                    )
                    self._both(post, full, factors, z_at, x_at, (there, turned), True)
        self.finish()

    def _at(self, base: Complex, k: ir.Value, step: ir.Value) -> Complex:
        b = self.b
        return self.moved(base[0], b.mul(k, step)), self.moved(base[1], b.mul(k, step))

    def _both(
        self,
        post: bool,
        full: bool,
        w: Complex,
        z: list[Complex],
        x: list[Complex],
        masks: tuple[Complex, Complex],
        along: bool,
    ) -> None:
        """Two numbers of each lane, of one side: at the places of z and x under the masks (of z, of x) of each."""
        b, m = self.b, self.math
        (z_mask, x_mask), (z_turned, x_turned) = masks
        if self.ask:
            for re, _ in x[: 4 if full else 2]:
                self.ask_for(self.moved(re, self.ask_at), self.lanes * self.size(self.source), post)

        def turn(v: Complex) -> Complex:
            return self.reversed(v) if along else v

        if not post:
            c, s = w
            no_c, no_s = b.fneg(c), b.fneg(s)
            first, second = self.load(self.source, *x[0], x_mask), turn(self.load(self.source, *x[1], x_turned))
            first, second = ((b.fmul(re, self.scale[0]), b.fmul(im, self.scale[1])) for re, im in (first, second))
            (ar, ai), (br, bi) = first, second
            sr, si, dr, di = b.fadd(ar, br), b.fsub(ai, bi), b.fsub(ar, br), b.fadd(ai, bi)
            first = m.fma(s, dr, m.fma(no_c, di, sr)), b.fneg(m.fma(c, dr, m.fma(s, di, si)))
            second = m.fma(no_s, dr, m.fma(c, di, sr)), m.fma(no_c, dr, m.fma(no_s, di, si))
            self.store("p", first, *z[0], z_mask)
            self.store("p", turn(second), *z[1], z_turned)
            return
        first, second = self.load("p", *z[0], z_mask), turn(self.load("p", *z[1], z_turned))
        first, second = spectrum(m, first, second, w, self.scale)
        self.store(self.target, first, *x[0], x_mask)
        self.store(self.target, turn(second), *x[1], x_turned)
        if full:
            first, second = ((re, b.fneg(im)) for re, im in (first, second))
            self.store(self.target, second, *x[2], x_mask)
            self.store(self.target, turn(first), *x[3], x_turned)


def transposed(b: ir.IRBuilder, t: ir.Type, rows: Sequence[ir.Value]) -> list[ir.Value]:
    """The columns of a square at the given addresses of rows.

    Quarters of vectors (128 bits) change places by being loaded where they belong, which takes no shuffle; what is left
    are squares of four (two, of float64) within each quarter.
    """
    n, e = t.count, t.element
    few = 128 // (32 if e is F32 else 64)  # numbers in a quarter
    quarter, size = ir.vector(e, few), 16 // few
    out: list[ir.Value] = []
    for c in range(0, n, few):
        # the k-th vector: quarter c of rows k, k + few, k + 2 few, ...
        square = []
        for k in range(few):
            parts = [b.load(b.gep(rows[r], [I64(c * size)], I8), quarter, size) for r in range(k, n, few)]
            while len(parts) > 1:
                width = 2 * parts[0].type.count
                parts = [b.shuffle(x, y, range(width)) for x, y in zip(parts[::2], parts[1::2], strict=True)]
            square.append(parts[0])
        out += transposed_squares(b, square)
    return out
