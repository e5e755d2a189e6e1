"""Double-word numbers, tables of local polynomials, and loops: what the special functions are written with.

Sources: T. Dekker, Numer. Math. 18 (1971) 224, and M. Joldes, J.-M. Muller & V. Popescu, ACM TOMS 44 (2017) 15,
double-word arithmetic. The tables come from benchmarks/pieces.py.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.control import Turns
from rushlight.compiler.vecmath.base import F, I, Kit, M, fast_two_sum, fma, two_product, two_sum
from rushlight.compiler.vecmath.exponential import _pow_log, _reduce_exp, log
from rushlight.compiler.vecmath.pieces import PIECES


class D:
    """An unevaluated sum of two doubles; in a rough kit (a float result is wanted) the low part is None, and costs
    nothing.
    """

    __slots__ = ("hi", "lo")

    def __init__(self, hi: F, lo: F | None = None) -> None:
        self.hi = hi
        self.lo = None if hi.k.rough else lo

    @staticmethod
    def product(a: F, b: F | float) -> D:
        """a b exactly."""
        return D(a * b) if a.k.rough else D(*two_product(a, b))

    @staticmethod
    def sum(a: F, b: F | float) -> D:
        """a + b exactly."""
        return D(a + b) if a.k.rough else D(*two_sum(a, b))

    @staticmethod
    def constant(k: Kit, name: str) -> D:
        """A generated constant."""
        high, low = k.constant(name)[:2]
        return D(k.c(high), k.c(low))

    def _of(self, other: D | F | float) -> D:
        return other if isinstance(other, D) else D(other) if isinstance(other, F) else D(self.hi.k.c(other))

    def __neg__(self) -> D:
        return D(-self.hi, None if self.lo is None else -self.lo)

    def __add__(self, other: D | F | float) -> D:
        b = self._of(other)
        if self.hi.k.rough:
            return D(self.hi + b.hi)
        s, e = two_sum(self.hi, b.hi)
        for low in (self.lo, b.lo):
            e = e if low is None else e + low
        return D(*fast_two_sum(s, e))

    __radd__ = __add__

    def __sub__(self, other: D | F | float) -> D:
        return self + -self._of(other)

    def __rsub__(self, other: F | float) -> D:
        return self._of(other) - self

    def __mul__(self, other: D | F | float) -> D:
        b = self._of(other)
        if self.hi.k.rough:
            return D(self.hi * b.hi)
        p, e = two_product(self.hi, b.hi)
        e = e if self.lo is None else fma(self.lo, b.hi, e)
        e = e if b.lo is None else fma(self.hi, b.lo, e)
        return D(*fast_two_sum(p, e))

    __rmul__ = __mul__

    def __truediv__(self, other: D | F | float) -> D:
        b = self._of(other)
        q = self.hi / b.hi
        if self.hi.k.rough:
            return D(q)
        r = fma(-q, b.hi, self.hi)
        r = r if self.lo is None else r + self.lo
        r = r if b.lo is None else fma(-q, b.lo, r)
        return D(*fast_two_sum(q, r / b.hi))

    def __rtruediv__(self, other: F | float) -> D:
        return self._of(other) / self

    def at_most(self, bound: float) -> D:
        """The high part no larger than bound; beyond, no digit of the low one counts."""
        return D(self.hi.at_most(bound), self.lo)

    def at_least(self, bound: float) -> D:
        """The high part no smaller than bound; beyond, no digit of the low one counts."""
        return D(self.hi.at_least(bound), self.lo)

    def scaled(self, factor: float) -> D:
        """The product with a power of two."""
        return D(self.hi * factor, None if self.lo is None else self.lo * factor)

    def sqrt(self) -> D:
        """The square root of a positive number."""
        root = self.hi.sqrt()
        if self.hi.k.rough:
            return D(root)
        rest = fma(-root, root, self.hi)
        rest = rest if self.lo is None else rest + self.lo
        return D(*fast_two_sum(root, rest / (root + root)))

    def rounded(self) -> F:
        """The nearest double."""
        return self.hi if self.lo is None else self.hi + self.lo

    @property
    def low(self) -> F:
        """The low part as a number."""
        return self.hi.k.c(0.0) if self.lo is None else self.lo


def choose(mask: M, yes: D | F | float, no: D | F | float) -> D:
    """yes where the mask is true, no elsewhere; one of the two is a double word."""
    like = next(v for v in (yes, no) if isinstance(v, D))
    a, b = like._of(yes), like._of(no)
    hi = mask.select(a.hi, b.hi)
    return D(hi) if a.lo is None and b.lo is None else D(hi, mask.select(a.low, b.low))


def words(x: D) -> list[F]:
    """The high word and, where there is one, the low one."""
    return [x.hi] if x.hi.k.rough else [x.hi, x.low]


def choose_any(mask: M, compute: Callable[[], D], otherwise: D) -> D:
    """`choose(mask, compute(), otherwise)`, branching around the computation when no lane of mask is true."""
    return D(*mask.k.where_any_of(mask, words(otherwise), lambda: words(compute())))


def exp_parts(x: D) -> tuple[D, F, F]:
    """e^x as a double-word p in (0.7, 1.42) and two powers of two, |x| < 1400: the result is p s1 s2."""
    k = x.hi.k
    _, s1, s2, r, e = _reduce_exp(x.hi)
    if k.rough:
        return D(fma(k.poly("exp", r), r * r, r) + 1.0), s1, s2
    p = k.poly("exp", r) * (r * r)
    s, t = fast_two_sum(1.0, r)
    return D(*fast_two_sum(s, p + fma(e + x.low, s + p, t))), s1, s2


def exp_times(x: D, factor: D | float = 1.0) -> F:
    """e^x factor for |x| < 1400, rounded at the end."""
    p, s1, s2 = exp_parts(x)
    return (p * factor).rounded() * s1 * s2


def log_of(x: D | F) -> D:
    """The logarithm of a positive finite number."""
    if isinstance(x, F):
        x = D(x)
    if x.hi.k.rough:
        return D(log(x.hi))
    out = D(*_pow_log(x.hi))
    return out if x.lo is None else out + x.lo / x.hi


def pieces(name: str, v: F, v_low: F | None = None) -> D:
    """The function that table `name` holds, at v (+ v_low, a small correction), v within the table's range; any value
    outside.

    Row i of the table is (centre, its low part, c0, its low part, c1, c2, ...): c0 + u (c1 + u (c2 + ...)) with u = v -
    centre. Where the function has a zero the centre is that zero and c0 is 0, so that no digit is lost near it.
    """
    k, table = v.k, PIECES[name]
    rows = len(table.rows)
    width = len(table.rows[0])
    if rows > 1:
        if table.bits is None:  # rows of equal width
            # to the nearest integer, which the low bits are
            shifted = ((v - table.start) * table.scale - 0.5) + 1.5 * 2.0**52
            index = shifted.as_int() & 0xFFFF
        else:  # 2^bits rows a binade
            index = (v.as_int() >> (52 - table.bits)) - table.first
        index = index.below(rows).select(index, rows - 1)  # the upper end belongs to the last row
        array = k.table(
            f"rl.{name}", lambda: [struct.unpack("<q", struct.pack("<d", c))[0] for row in table.rows for c in row]
        )
        at = index * width

    def column(j: int) -> F:
        return gather(array, at, j) if rows > 1 else k.c(table.rows[0][j])

    distance, low = v - column(0), column(1)
    low = low if v_low is None else low - v_low
    u = distance - low
    last = 4 + (table.rough if k.rough else width - 4)
    total = column(last - 1)
    for j in range(last - 2, 3, -1):
        total = fma(total, u, column(j))
    if k.rough:
        return D(fma(total, u, column(2)))
    tail = u * total
    hi, lo = two_sum(column(2), tail)
    rest = (distance - u) - low  # what rounding has left of u; near a zero nothing else is as large
    return D(hi, lo + (fma(rest, total, fma(u, total, -tail)) + column(3)))


def gather(array: ir.Value, at: I, offset: int) -> F:
    """array[at + offset] in every lane; the index must be inside."""
    k, b = at.k, at.k.b
    if not k.lanes:
        return k.lookup(array, at + offset).as_float()
    base = b.add(b.ptrtoint(array, ir.I64), ir.I64(8 * offset))
    pointers = b.inttoptr(b.add(b.broadcast(base, k.lanes), (at << 3).v), ir.vector(ir.PTR, k.lanes))
    args = [pointers, ir.I32(8), k.mask_type(1), ir.undefined(k.type)]
    return F(k, b.intrinsic(f"masked.gather.{k.type.suffix}.{pointers.type.suffix}", k.type, args))


def loop(
    active: M, state: Sequence[F | float], step: Callable[[F, list[F]], tuple[Sequence[F], M]], limit: int | None
) -> list[F]:
    """Repeat `state, going_on = step(n, state)` for n = 1, 2, ... in the lanes of `active` until going_on is false
    there, at most `limit` times; None is for a step that ends by itself. state: values, or numbers.

    A lane that has stopped keeps its state, so the result does not depend on its neighbours. The builder is left in a
    new block.
    """
    k = active.k
    first = [x if isinstance(x, F) else k.c(x) for x in state]
    turns = Turns(k.b, k.c(1.0).v, active.v, *(x.v for x in first), when=k.any(active))
    count, going, old = F(k, turns.carried[0]), M(k, turns.carried[1]), [F(k, v) for v in turns.carried[2:]]
    new, more = step(count, old)
    after = [going.select(x, y).v for x, y in zip(new, old, strict=True)]
    rest, following = going & more, count + 1.0
    end = k.b.block
    again = k.any(rest if limit is None else rest & (following <= float(limit)))
    turns.close(again, following.v, rest.v, *after)
    return k.joined(first, turns.before, after, end)


def in_doubles(function: Callable[..., F]) -> Callable[..., F]:
    """The function in double precision, with the terms that a float result needs where it is given floats; what is no
    value is handed on.
    """

    @functools.wraps(function)
    def run(*args: Any) -> F:
        k = args[0].k
        if k.wide:
            return function(*args)
        wide = k.rough_doubles()
        return function(*(x.to(wide) if isinstance(x, F) else x for x in args)).to(k)

    return run
