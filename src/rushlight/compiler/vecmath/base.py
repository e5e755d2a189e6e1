"""Typed values over an LLVM IR builder, with which the functions of vector mathematics are written as formulas.

`Kit` holds the builder and the floating type; `F`, `I` and `M` are a float, integer and mask (i1) value with Python's
operators. A value has L lanes, or is a plain scalar when L = 1; every operation here acts on lanes alone, so the two
give the same bits. Nothing is marked fast: each operator below is one correctly rounded IEEE operation.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

from rushlight.compiler.llvm import ir, machine
from rushlight.compiler.llvm.control import Turns
from rushlight.compiler.llvm.lanes import in_parts
from rushlight.compiler.vecmath.coefficients import COEFFICIENTS


class Kit:
    """A builder and a floating type: where values come from, and the constants of the format."""

    def __init__(self, builder: ir.IRBuilder, type_: ir.Type, rough: bool = False) -> None:
        self.b = builder
        self.type = type_
        element = type_.element
        if element is not ir.F32 and element is not ir.F64:
            raise TypeError(f"vecmath: expected float or double lanes; found {type_}")
        self.lanes = type_.count
        self.wide = element is ir.F64
        self.bits = 64 if self.wide else 32
        self.mantissa = 52 if self.wide else 23
        self.bias = 1023 if self.wide else 127
        self.int_type = self.shaped(ir.integer(self.bits))
        self.mask_type = self.shaped(ir.integer(1))
        self.tiny = 2.0 ** (1 - self.bias)  # the smallest normal number
        self.huge = (2.0 - 2.0**-self.mantissa) * 2.0**self.bias
        self.kind = "f64" if self.wide else "f32"
        self.rough = rough  # double arithmetic on the way to a float result: polynomials of lower degree do

    def shaped(self, element: ir.Type) -> ir.Type:
        """`element` with this kit's lanes."""
        return ir.vector(element, self.lanes) if self.lanes else element

    def doubles(self) -> Kit:
        """The kit of the same lanes in double precision."""
        return self if self.wide else Kit(self.b, self.shaped(ir.F64))

    def rough_doubles(self) -> Kit:
        """The kit of the same lanes for a float result computed in double arithmetic."""
        return Kit(self.b, self.shaped(ir.F64), rough=True)

    def c(self, x: float) -> F:
        """The float constant x, rounded to the format."""
        return F(self, ir.constant(self.type, x))

    def i(self, x: int) -> I:
        """The integer constant x (two's complement of the format's width)."""
        return I(self, ir.constant(self.int_type, x))

    def f(self, value: ir.Value) -> F:
        """A value of the builder as a float of this kit."""
        return F(self, value)

    def call(self, name: str, *args: F) -> F:
        """An intrinsic of floats."""
        return F(self, self.b.intrinsic(f"{name}.{self.type.suffix}", self.type, [a.v for a in args]))

    def estimated_reciprocal_root(self, x: F) -> F | None:
        """1 / sqrt(x) to 14 bits of whole vectors by AVX-512, or None where it is not there."""
        width = 512 // self.bits
        if not self.lanes or self.lanes % width or not machine.masks():
            return None
        every, b = ir.constant(ir.integer(width), (1 << width) - 1), self.b

        def emit(v: ir.Value) -> ir.Value:
            return b.intrinsic(f"x86.avx512.rsqrt14.p{'d' if self.wide else 's'}.512", v.type, [v, v, every])

        return F(self, in_parts(b, width, emit, x.v))

    def poly(self, name: str, x: F) -> F:
        """The generated polynomial `name` at x, by Horner's rule with fused multiply-adds."""
        if self.rough and f"{name}32.f64" in COEFFICIENTS:
            name += "32"
        return self.horner(x, COEFFICIENTS[f"{name}.{self.kind}"])

    def horner(self, x: F, coefficients: Sequence[float | F]) -> F:
        """A polynomial, coefficients lowest power first."""
        terms = [c if isinstance(c, F) else self.c(c) for c in coefficients]
        total = terms[-1]
        for c in reversed(terms[:-1]):
            total = fma(total, x, c)
        return total

    def constant(self, name: str) -> tuple[float, ...]:
        """The constant `name` as an unevaluated sum of three floats of the format."""
        return COEFFICIENTS[f"{name}.{self.kind}"]

    def pow2(self, n: I) -> F:
        """2^n for an integer n in the range of the normal exponents."""
        return ((n + self.i(self.bias)) << self.mantissa).as_float()

    def any(self, mask: M) -> ir.Value:
        """Whether the mask is true in any lane, as an i1."""
        return self.b.any_lane(mask.v)

    def where_any(self, mask: M, default: F, compute: Callable[[], F]) -> F:
        """`mask.select(compute(), default)`, branching around the computation when no lane of mask is true.

        The builder is left at the end of a new block.
        """
        return self.where_any_of(mask, [default], lambda: [compute()])[0]

    def where_any_of(self, mask: M, defaults: Sequence[F], compute: Callable[[], Sequence[F]]) -> list[F]:
        """`where_any` of several values at once."""
        start = self.b.block
        with self.b.if_then(self.any(mask)):
            values = [mask.select(value, default).v for value, default in zip(compute(), defaults, strict=True)]
            end = self.b.block
        return self.joined(defaults, start, values, end)

    def joined(self, first: Sequence[_V], start: ir.Block, second: Sequence[ir.Value], end: ir.Block) -> list[_V]:
        """Where two paths meet: the values that come from the block `start`, or those from `end`."""
        made = []
        for x, y in zip(first, second, strict=True):
            phi = self.b.phi(x.v.type)
            phi.add_incoming(x.v, start)
            phi.add_incoming(y, end)
            made.append(type(x)(self, phi))
        return made

    def rare(self, mask: M, fast: Sequence[Any], slow: Callable[..., Sequence[Any]], *args: F) -> list[Any]:
        """`slow(*args)` in the lanes of mask and `fast` elsewhere, branching around the slow code when no lane needs
        it.

        The slow code is emitted once, for a scalar, in a loop over the lanes: sixteen lanes of it would cost more to
        compile than every other part of a kernel. The builder is left at the end of a new block.
        """
        b = self.b
        scalar = Kit(b, self.type.element, self.rough)
        slots = [b.alloca(ir.array(value.v.type.element, self.lanes)) for value in [*args, *fast] if self.lanes]
        start = b.block
        with b.if_then(self.any(mask)):
            if self.lanes:
                merged = self._lane_loop(mask, fast, slow, args, slots, scalar)
            else:
                merged = [v.v for v in slow(*[F(scalar, a.v) for a in args])]
            end = b.block
        return self.joined(fast, start, merged, end)

    def _lane_loop(self, mask: M, fast: Sequence[Any], slow: Callable[..., Sequence[Any]], args: Sequence[F],
                   slots: list[ir.Value], scalar: Kit) -> list[ir.Value]:  # fmt: skip
        """Run the scalar `slow` for the lanes of mask, through the stack slots; the merged vectors."""
        b, i32 = self.b, ir.integer(32)
        values = [*args, *fast]
        for v, slot in zip(values, slots, strict=True):
            b.store(v.v, slot, align=4)
        bits_type = ir.integer(self.lanes)
        turns = Turns(b, i32(0), b.bitcast(mask.v, bits_type))
        lane, left = turns.carried
        with b.if_then(b.trunc(left, ir.integer(1))):
            places = [
                b.gep(slot, [lane], v.v.type.element, inbounds=True) for slot, v in zip(slots, values, strict=True)
            ]
            inputs = [F(scalar, b.load(place, scalar.type)) for place in places[: len(args)]]
            for value, place in zip(slow(*inputs), places[len(args) :], strict=True):
                b.store(value.v, place)
        following, rest = b.add(lane, i32(1)), b.lshr(left, bits_type(1))
        turns.close(b.icmp_unsigned("!=", rest, bits_type(0)), following, rest)
        return [b.load(slot, v.v.type, align=4) for slot, v in zip(slots[len(args) :], fast, strict=True)]

    def table(self, name: str, words: Callable[[], Sequence[int]]) -> ir.Value:
        """A private constant array of integers of this kit's width, made once in a module; the name means words()."""
        return self.b.module.table(name, ir.integer(self.bits), words)

    def lookup(self, table: ir.Value, index: I) -> I:
        """table[index], for scalars."""
        return I(self, self.b.load(self.b.gep(table, [index.v], self.int_type, inbounds=True), self.int_type))


_V = TypeVar("_V", "F", "I")


def _result(op: str) -> Callable[[_V, Any], _V]:
    """The operator that is the builder's instruction `op`, of a value and another one or a number."""
    return lambda x, y: type(x)(x.k, getattr(x.k.b, op)(x.v, x._of(y).v))


def _truth(op: str, compare: str) -> Callable[[Any, Any], M]:
    """The comparison `op` by the builder's instruction `compare`."""
    return lambda x, y: M(x.k, getattr(x.k.b, compare)(op, x.v, x._of(y).v))


def _reflected(op: Callable[[Any, Any], Any]) -> Callable[[F, float], F]:
    return lambda x, y: op(x._of(y), x)


def _mask(op: str) -> Callable[[M, M], M]:
    return lambda x, y: M(x.k, getattr(x.k.b, op)(x.v, y.v))


class _Held:
    """A value and the kit that computes with it."""

    __slots__ = ("k", "v")

    def __init__(self, kit: Kit, value: ir.Value) -> None:
        self.k = kit
        self.v = value


class F(_Held):
    """A float value."""

    __slots__ = ()

    def _of(self, other: F | float) -> F:
        return other if isinstance(other, F) else self.k.c(other)

    __add__, __radd__ = _result("fadd"), _reflected(operator.add)
    __sub__, __rsub__ = _result("fsub"), _reflected(operator.sub)
    __mul__, __rmul__ = _result("fmul"), _reflected(operator.mul)
    __truediv__, __rtruediv__ = _result("fdiv"), _reflected(operator.truediv)
    # False for NaN.
    __lt__, __le__ = _truth("<", "fcmp_ordered"), _truth("<=", "fcmp_ordered")
    __gt__, __ge__ = _truth(">", "fcmp_ordered"), _truth(">=", "fcmp_ordered")
    eq = _truth("==", "fcmp_ordered")

    def __neg__(self) -> F:
        return F(self.k, self.k.b.fneg(self.v))

    def __abs__(self) -> F:
        return self.k.call("fabs", self)

    def is_nan(self) -> M:
        """True for NaN."""
        return M(self.k, self.k.b.fcmp_unordered("uno", self.v, self.v))

    def at_most(self, bound: F | float) -> F:
        """The smaller of self and bound; NaN stays NaN."""
        bound = self._of(bound)
        return (self > bound).select(bound, self)

    def at_least(self, bound: F | float) -> F:
        """The larger of self and bound; NaN stays NaN."""
        bound = self._of(bound)
        return (self < bound).select(bound, self)

    def sqrt(self, alone: bool = False) -> F:
        """The correctly rounded square root. alone: little else is computed meanwhile.

        AVX-512's instruction takes 20 cycles for a vector of floats and 30 for one of doubles, in which others may run.
        Goldschmidt's iterations, from the 14 bits of another instruction, take a third of that: a root and half its
        reciprocal, then one correction by the exact residual, which rounds correctly (P. Markstein, IBM J. Res. Dev.
        34 (1990) 111). `tests/compiler/test_roots.py` has all floats, and all doubles whose roots lie next to where
        rounding changes.
        """
        k = self.k
        start = k.estimated_reciprocal_root(self) if alone or k.wide else None
        if start is None:
            return k.call("sqrt", self)
        root, half = self * start, start * 0.5
        for _ in range(2 if k.wide else 1):
            r = fma(-half, root, 0.5)
            root, half = fma(root, r, root), fma(half, r, half)
        root = fma(fma(-root, root, self), half, root)
        root = (self.eq(0.0) | self.eq(math.inf)).select(self, root)
        # the residual of a smaller number is not exact
        small = (self > 0.0) & (self < 2.0 ** (-960 if k.wide else -100))
        return k.where_any(small, root, lambda: k.call("sqrt", self))

    def signed_as(self, other: F) -> F:
        """The magnitude of self with the sign of other."""
        return self.k.call("copysign", self, other)

    def as_int(self) -> I:
        """The bits."""
        return I(self.k, self.k.b.bitcast(self.v, self.k.int_type))

    def to(self, kit: Kit) -> F:
        """Converted to the format of another kit of as many lanes."""
        if kit.wide == self.k.wide:
            return self
        convert = self.k.b.fpext if kit.wide else self.k.b.fptrunc
        return F(kit, convert(self.v, kit.type))


class I(_Held):  # noqa: E742 - the natural partner of F and M
    """An integer value of the format's width."""

    __slots__ = ()

    def _of(self, other: I | int) -> I:
        return other if isinstance(other, I) else self.k.i(other)

    __add__, __sub__, __mul__ = _result("add"), _result("sub"), _result("mul")
    __and__, __or__, __xor__ = _result("and_"), _result("or_"), _result("xor")
    __lshift__, __rshift__ = _result("shl"), _result("ashr")
    lshr = _result("lshr")  # zeros move in, and not the sign
    __lt__, __gt__ = _truth("<", "icmp_signed"), _truth(">", "icmp_signed")
    below = _truth("<", "icmp_unsigned")
    eq, ne = _truth("==", "icmp_signed"), _truth("!=", "icmp_signed")

    def as_float(self) -> F:
        """The float with these bits."""
        return F(self.k, self.k.b.bitcast(self.v, self.k.type))

    def to_float(self) -> F:
        """The signed integer's value, rounded."""
        return F(self.k, self.k.b.sitofp(self.v, self.k.type))

    def to(self, kit: Kit) -> I:
        """Sign-extended or truncated to the width of another kit of as many lanes."""
        if kit.bits == self.k.bits:
            return self
        return I(kit, (self.k.b.sext if kit.wide else self.k.b.trunc)(self.v, kit.int_type))


class M(_Held):
    """A mask."""

    __slots__ = ()

    __and__, __or__, __xor__ = _mask("and_"), _mask("or_"), _mask("xor")

    def __invert__(self) -> M:
        ones = self.k.mask_type(1)
        return M(self.k, self.k.b.xor(self.v, ones))

    @overload
    def select(self, yes: I | int, no: I) -> I: ...

    @overload
    def select(self, yes: I, no: int) -> I: ...

    @overload
    def select(self, yes: F | float, no: F | float) -> F: ...

    def select(self, yes: Any, no: Any) -> Any:
        """`yes` where the mask is true, `no` elsewhere; two floats (or numbers beside one) or two integers."""
        like = yes if isinstance(yes, F | I) else no
        if not isinstance(like, F | I):
            like = self.k.c(0.0)
        yes, no = like._of(yes), like._of(no)
        return type(like)(like.k, self.k.b.select(self.v, yes.v, no.v))


def fma(a: F, b: F | float, c: F | float) -> F:
    """a b + c, rounded once."""
    return a.k.call("fma", a, a._of(b), a._of(c))


def fast_two_sum(a: F | float, b: F) -> tuple[F, F]:
    """a + b exactly, as a rounded sum and its error; |a| >= |b| (T. Dekker, Numer. Math. 18 (1971) 224)."""
    s = a + b
    return s, b - (s - a)


def two_sum(a: F, b: F | float) -> tuple[F, F]:
    """a + b exactly, as a rounded sum and its error (D. Knuth, The Art of Computer Programming 2, 4.2.2)."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def two_product(a: F, b: F | float) -> tuple[F, F]:
    """a b exactly, as a rounded product and its error."""
    p = a * b
    return p, fma(a, b, -p)
