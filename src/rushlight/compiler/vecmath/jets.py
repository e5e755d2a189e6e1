"""Numbers that carry derivatives by up to two variables along: what the derivatives of special functions by their
parameters are computed with.

Source:
    L. Rall, "Automatic Differentiation", Lecture Notes in Computer Science 120 (1981), differentiation arithmetic.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, Self

from rushlight.compiler.vecmath.base import F, M, fma
from rushlight.compiler.vecmath.double_words import D, choose, loop
from rushlight.compiler.vecmath.exponential import exp


class Jet:
    """terms[0] is a number, terms[1] and terms[2] its derivatives by the first and the second variable, terms[3] that
    by both.

    A term that is missing is zero. For the second derivative by one parameter, let it be the sum of the two variables.
    A subclass says what the numbers are. A jet stands to the left of a plain number, F or D.
    """

    __slots__ = ("terms",)

    def __init__(self, value: Any, slopes: dict[int, Any] | None = None) -> None:
        self.terms: dict[int, Any] = {0: value, **(slopes or {})}

    @property
    def value(self) -> Any:
        """The number itself."""
        return self.terms[0]

    @staticmethod
    def zero(like: F) -> Any:
        """Zero as a number of a jet, in the kit of `like`."""
        raise NotImplementedError

    @staticmethod
    def flat(term: Any) -> list[F]:
        """What a number is made of."""
        raise NotImplementedError

    @classmethod
    def _from(cls, terms: dict[int, Any]) -> Self:
        return cls(terms[0], {mask: term for mask, term in terms.items() if mask})

    @staticmethod
    def _sum(terms: Sequence[tuple[int, Any]]) -> dict[int, Any]:
        out: dict[int, Any] = {}
        for mask, term in terms:
            out[mask] = out[mask] + term if mask in out else term
        return out

    def _of(self, other: Any) -> Self:
        # of one kind
        return other if isinstance(other, Jet) else type(self)(self.value._of(other))  # type: ignore[return-value]

    def __neg__(self) -> Self:
        return self._from({mask: -term for mask, term in self.terms.items()})

    def __add__(self, other: Any) -> Self:
        return self._from(self._sum([*self.terms.items(), *self._of(other).terms.items()]))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Self:
        return self + -self._of(other)

    def __rsub__(self, other: Any) -> Self:
        return self._of(other) - self

    def __mul__(self, other: Any) -> Self:
        o = self._of(other)
        return self._from(
            self._sum([(m | n, x * y) for m, x in self.terms.items() for n, y in o.terms.items() if not m & n])
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Self:
        o = self._of(other)
        out: dict[int, Any] = {}
        for mask in range(4):
            rest = [(0, -(q * o.terms[mask ^ m])) for m, q in out.items() if m & mask == m and mask ^ m in o.terms]
            if mask in self.terms:
                rest.insert(0, (0, self.terms[mask]))
            if rest:
                out[mask] = self._sum(rest)[0] / o.value
        return self._from(out)

    def __rtruediv__(self, other: Any) -> Self:
        return self._of(other) / self

    @property
    def order(self) -> int:
        """How many variables there are."""
        return max(self.terms).bit_length()

    @property
    def top(self) -> Any:
        """The derivative by all the variables."""
        return self.terms[max(self.terms)]

    @property
    def parts(self) -> list[F]:
        """The numbers that it is made of, for the state of a loop."""
        return [p for mask in sorted(self.terms) for p in self.flat(self.terms[mask])]

    def full(self, order: int) -> Self:
        """The same with all terms of `order` variables."""
        zero = self.zero(self.flat(self.value)[0])
        return self._from({mask: self.terms.get(mask, zero) for mask in range(1 << order)})

    def size(self) -> list[F]:
        """The magnitudes of the terms."""
        return [abs(self.flat(self.terms[mask])[0]) for mask in sorted(self.terms)]

    def is_zero(self) -> M:
        """All terms are zero."""
        return functools.reduce(operator.and_, [self.flat(term)[0].eq(0.0) for term in self.terms.values()])


class Words(Jet):
    """A jet of double words."""

    __slots__ = ()

    @staticmethod
    def zero(like: F) -> D:
        """Zero in both words."""
        return D(like.k.c(0.0), like.k.c(0.0))

    @staticmethod
    def flat(term: D) -> list[F]:
        """The two words."""
        return [term.hi, term.low]

    @staticmethod
    def of(parts: Sequence[F]) -> Words:
        """What `parts` of a full jet took apart."""
        return Words._from({i // 2: D(parts[i], parts[i + 1]) for i in range(0, len(parts), 2)})

    def terminates(self) -> M:
        """A parameter that is 0 or a negative integer, and stays so."""
        v = self.value
        whole: M = (v.hi <= 0.0) & v.hi.k.call("floor", v.hi).eq(v.hi) & v.low.eq(0.0)
        for zero in [term.hi.eq(0.0) for mask, term in self.terms.items() if mask]:
            whole = whole & zero
        return whole


def either(mask: M, yes: Words, no: Words) -> Words:
    """yes where the mask is true, no elsewhere."""
    order = max(yes.order, no.order)
    yes, no = yes.full(order), no.full(order)
    return Words._from({m: choose(mask, term, no.terms[m]) for m, term in yes.terms.items()})


class Numbers(Jet):
    """A jet of floating-point numbers."""

    __slots__ = ()

    @staticmethod
    def zero(like: F) -> F:
        """Zero."""
        return like.k.c(0.0)

    @staticmethod
    def flat(term: F) -> list[F]:
        """The number."""
        return [term]

    def through(self, value: F, first: F, second: F) -> Numbers:
        """A function of the jet, from its value and its derivatives there."""
        out = {mask: first * term for mask, term in self.terms.items() if mask}
        if 1 in self.terms and 2 in self.terms:
            bent = second * self.terms[1] * self.terms[2]
            out[3] = out[3] + bent if 3 in out else bent
        return Numbers(value, out)


Number = F | Numbers
"""What a formula is written for once: a plain number, or one with derivatives."""


def plain(x: Number) -> F:
    """The number without its derivatives."""
    return x.value if isinstance(x, Numbers) else x


def pick(mask: M, yes: Number | float, no: Number | float) -> Number:
    """yes where the mask is true, no elsewhere."""
    jets = [v for v in (yes, no) if isinstance(v, Numbers)]
    if not jets:
        return mask.select(yes, no)  # type: ignore[arg-type]  # no jets here
    order = max(j.order for j in jets)
    a, b = (jets[0]._of(v).full(order) for v in (yes, no))
    return Numbers._from({m: mask.select(term, b.terms[m]) for m, term in a.terms.items()})


def madd(a: Number, b: Number | float, c: Number | float) -> Number:
    """a b + c, rounded once where all are plain."""
    if isinstance(a, Numbers):
        return a * b + c
    if isinstance(b, Numbers):
        return b * a + c
    return c + a * b if isinstance(c, Numbers) else fma(a, b, c)


def polynomial(x: Number, coefficients: Sequence[float]) -> Number:
    """A polynomial, coefficients lowest power first."""
    if not isinstance(x, Numbers):
        return x.k.horner(x, coefficients)
    total: Number = x * coefficients[-1] + coefficients[-2]
    for c in reversed(coefficients[:-2]):
        total = x * total + c
    return total


def exponential(x: Number) -> Number:
    """e^x."""
    if not isinstance(x, Numbers):
        return exp(x)
    y = exp(x.value)
    return x.through(y, y, y)


def root(x: Number) -> Number:
    """The square root of a positive number."""
    if not isinstance(x, Numbers):
        return x.sqrt()
    y = x.value.sqrt()
    slope = 0.5 / y
    return x.through(y, slope, slope * (-0.5 / x.value))


def turns(
    active: M, state: Sequence[Number | float], step: Callable[[F, list[Any]], tuple[Sequence[Number], M]], limit: int
) -> list[Any]:
    """`loop` of double_words for a state of plain numbers and jets."""
    orders = [v.order if isinstance(v, Numbers) else None for v in state]

    def flat(values: Sequence[Any]) -> list[F]:
        out: list[F] = []
        for v, order in zip(values, orders, strict=True):
            out.extend([plain(v)] if order is None else (v if isinstance(v, Numbers) else Numbers(v)).full(order).parts)
        return out

    def whole(parts: list[F]) -> list[Any]:
        out: list[Any] = []
        at = 0
        for order in orders:
            width = 1 if order is None else 1 << order
            out.append(parts[at] if order is None else Numbers._from(dict(enumerate(parts[at : at + width]))))
            at += width
        return out

    def inner(n: F, parts: list[F]) -> tuple[list[F], Any]:
        values, more = step(n, whole(parts))
        return flat(values), more

    return whole(loop(active, flat(state), inner, limit))
