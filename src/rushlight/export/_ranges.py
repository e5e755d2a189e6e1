"""Symbols of sizes within bounds: the bounds answer a program's comparisons where they can; other comparisons are
recorded."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rushlight.program.sym import Int, Sym, SymEnv, Undecided

__all__ = ["Ranges", "ValueRanges"]

INFINITE = float("inf")


@dataclass(frozen=True)
class ValueRanges:
    """The numbers from `lower` to `upper`, both included."""

    lower: float
    upper: float

    def __contains__(self, x: float) -> bool:
        return self.lower <= x <= self.upper

    def __and__(self, other: ValueRanges) -> ValueRanges:
        return ValueRanges(max(self.lower, other.lower), min(self.upper, other.upper))

    def __add__(self, other: ValueRanges) -> ValueRanges:
        return ValueRanges(self.lower + other.lower, self.upper + other.upper)

    def __mul__(self, other: ValueRanges) -> ValueRanges:
        ends = [
            0.0 if 0 in (a, b) else a * b for a in (self.lower, self.upper) for b in (other.lower, other.upper)
        ]  # nothing times no bound is nothing
        return ValueRanges(min(ends), max(ends))

    def __repr__(self) -> str:
        return f"VR[{_shown(self.lower)}, {_shown(self.upper)}]"


def _shown(x: float) -> str:
    return ("-" if x < 0 else "") + "int_oo" if abs(x) == INFINITE else str(int(x))


class Ranges(SymEnv):
    """An environment whose symbols have bounds. A size that may change is at least 2 while a program is traced: 0 and 1
    are sizes of their own.
    """

    def __init__(self) -> None:
        super().__init__()
        self.bounds: list[ValueRanges] = []

    def size(self, hint: int, lower: float | None = None, upper: float | None = None) -> Sym:
        """A symbol with its example value and bounds."""
        self.bounds.append(ValueRanges(max(2, 0 if lower is None else lower), INFINITE if upper is None else upper))
        return self.new(hint)

    def new(self, hint: int, name: str | None = None) -> Sym:
        """A symbol; one that was not made by `size` has no bounds."""
        if len(self.bounds) == len(self.hints):
            self.bounds.append(ValueRanges(0, INFINITE))
        return super().new(hint, name)

    def range_of(self, x: Int) -> ValueRanges:
        """The bounds of a size."""
        if not isinstance(x, Sym):
            return ValueRanges(x, x)
        return x.evaluated(self._of_atom, lambda c: ValueRanges(c, c))  # type: ignore[no-any-return]

    def _of_atom(self, atom: Any) -> ValueRanges:
        if atom.op == "var":
            return self.bounds[atom.args[0]]
        a, b = (self.range_of(x) for x in atom.args)
        if atom.op in ("min", "max"):
            pick = min if atom.op == "min" else max
            return ValueRanges(pick(a.lower, b.lower), pick(a.upper, b.upper))
        if b.lower <= 0:
            return ValueRanges(-INFINITE, INFINITE)
        if atom.op == "mod":
            return ValueRanges(0, b.upper - 1)
        ends = [x if abs(x) == INFINITE else x // y for x in (a.lower, a.upper) for y in (b.lower, b.upper)]
        return ValueRanges(min(ends), max(ends))

    def upper(self, x: Int) -> float:
        """An upper bound that treats quotients in a size as fractions: s // 2 - s is at most -s / 2."""
        if not isinstance(x, Sym):
            return x
        terms: dict[Any, Fraction] = {}
        for mono, c in x.terms.items():
            parts: dict[Any, Fraction] = {mono: Fraction(c)}
            if len(mono) == 1 and mono[0].op == "floordiv" and isinstance(mono[0].args[1], int) and mono[0].args[1] > 0:
                a, k = mono[0].args
                parts = {m: Fraction(c * n, k) for m, n in a.terms.items()} if isinstance(a, Sym) else {(): Fraction(a)}
                if c < 0:  # the quotient is at least (a - k + 1) / k
                    parts[()] = parts.get((), Fraction(0)) + Fraction(c * (1 - k), k)
            for m, n in parts.items():
                terms[m] = terms.get(m, Fraction(0)) + n
        total = 0.0
        for m, n in terms.items():
            if n:
                bounds = ValueRanges(1, 1)
                for atom in m:
                    bounds = bounds * self._of_atom(atom)
                total += float(n) * (bounds.upper if n > 0 else bounds.lower)
        return math.floor(total) if math.isfinite(total) else total

    def ask(self, op: str, lhs: Int, rhs: Int) -> Any:
        """The answer where it is sure; else it is decided where the program needs it."""
        found = self.sure(op, lhs, rhs)
        return Undecided((self, op, lhs, rhs, False)) if found is None else found

    def sure(self, op: str, lhs: Int, rhs: Int) -> bool | None:
        """Answer by the bounds where they decide."""
        return self._by_bounds(op, self.simplify(lhs) - self.simplify(rhs), super().sure(op, lhs, rhs))

    def _by_bounds(self, op: str, difference: Int, otherwise: bool | None) -> bool | None:
        if isinstance(difference, Sym):
            bounds = self.range_of(difference) & ValueRanges(-self.upper(-difference), self.upper(difference))
            if op == "==" and 0 not in bounds:
                return False
            if op == "<" and (bounds.upper < 0 or bounds.lower >= 0):
                return bounds.upper < 0
            if op == "<=" and (bounds.upper <= 0 or bounds.lower > 0):
                return bounds.upper <= 0
        return otherwise

    def decide(self, op: str, lhs: Int, rhs: Int) -> bool:
        """Answer by the bounds where they decide."""
        difference = self.simplify(lhs) - self.simplify(rhs)
        if (sure := self._by_bounds(op, difference, None)) is not None:
            return sure
        answer = super().decide(op, lhs, rhs)
        if op == "==" and answer and isinstance(difference, Sym) and (found := linear(difference)) is not None:
            index, a, b = found
            self._unify(self.var(index), -b // a)
        return answer


def linear(x: Sym) -> tuple[int, int, int] | None:
    """(index, a, b) of a symbol in a x + b; None for other sizes."""
    variables = [(m, c) for m, c in x.terms.items() if m]
    if len(variables) != 1 or len(variables[0][0]) != 1 or variables[0][0][0].op != "var":
        return None
    return variables[0][0][0].args[0], variables[0][1], x.terms.get((), 0)
