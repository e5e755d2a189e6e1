"""The confluent and Gauss's hypergeometric functions of real arguments, with first and second derivatives by their
parameters, as LLVM IR.

Everything is summed in double words, whose 106 bits leave room for the cancellation that these sums have; how much of
it there was is measured as they are summed, and where too little is left the result is NaN.

1F1: the series of DLMF 13.2.2 for x > 0; for x < 0 Kummer's transformation 13.2.39, and far out the asymptotic series
13.7.2.
2F1: Pfaff's and Euler's transformations, DLMF 15.8.1, bring the argument into [0, 1) and the exponent c - a - b of the
singularity at 1 to >= 0; then the series 15.2.1 up to 1/4 or 3/4 and from there Taylor series of the differential
equation 15.10.1, each reaching half the way to the nearer singularity. That is stable, since the function contains the
larger solution at 1 (the polynomials that do not are turned around by 15.8.7), and there is no special case for integer
c - a - b. At 1: Gauss's sum 15.4.20. The choice of regions follows J. Pearson, S. Olver & M. Porter, Numer. Algorithms
74 (2017) 821, and N. Michel & M. Stoitsov, Comput. Phys. Commun. 178 (2008) 535; neither has the steps.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.compiler.vecmath.base import F, Kit, M, fma
from rushlight.compiler.vecmath.double_words import D, choose, exp_times, log_of, loop
from rushlight.compiler.vecmath.erf_lgamma import _sin_cos_pi, digamma, lgamma_positive
from rushlight.compiler.vecmath.exponential import exp, log
from rushlight.compiler.vecmath.gamma import _trigamma as trigamma
from rushlight.compiler.vecmath.jets import Words, either

TURNS = 1 << 13  # terms of one series at most
STEPS = 1100  # halvings of the distance to 1
NEGLIGIBLE = 2.0**-107
BIG = 2.0**400
FARTHEST = 2.0**450
ROUNDING = 2.0**-101  # of double words, relative to the largest term
TOLERANCE = 2.0**-45  # relative; NaN beyond


def _order(*jets: Words) -> int:
    """How many variables there are."""
    return max(j.order for j in jets)


def _number(k: Kit, x: float, order: int = 0) -> Words:
    """A constant, with the terms of so many variables."""
    return Words(D(k.c(x), k.c(0.0))).full(order)


def _parameter(value: F, name: str, by: str) -> Words:
    """A parameter that is differentiated by where `by` names it."""
    k = value.k
    slopes = {1 << i: D(k.c(1.0), k.c(0.0)) for i, letter in enumerate(by) if letter == name}
    return Words(D(value, k.c(0.0)), slopes)


def _integer(x: F) -> M:
    """0 or a negative integer."""
    return (x <= 0.0) & x.k.call("floor", x).eq(x)


def _largest(sizes: Sequence[F], known: Sequence[F]) -> list[F]:
    return [b.at_least(s) for s, b in zip(sizes, known, strict=True)]


def _negligible(term: Words, largest: Sequence[F], limit: float = NEGLIGIBLE) -> M:
    return functools.reduce(operator.and_, [s <= b * limit for s, b in zip(term.size(), largest, strict=True)])


def _series(top: Sequence[Words], bottom: Words, z: D, active: M, scaled: bool) -> tuple[Words, Words, list[F], F, M]:
    """The sum of (top)_n / (bottom)_n z^n/n!, that of n times the terms, the largest terms, how often 2^-400 was taken
    out, whether it ended.

    A term that is negligible ends it where all later ones are smaller: both parameters are positive there, and the
    ratio of terms falls.
    """
    order = _order(*top, bottom)
    first, nothing = _number(active.k, 1.0, order), _number(active.k, 0.0, order)
    width, count = len(first.parts), len(first.size())

    def step(n: F, state: list[F]) -> tuple[list[F], Any]:
        term, total, moment = (Words.of(state[i * width : (i + 1) * width]) for i in range(3))
        largest, scale = state[3 * width : 3 * width + count], state[-2]
        m = n - 1.0
        above = [t + m for t in top]
        below = bottom + m
        pole = below.value.hi.eq(0.0)  # met only where a parameter above has ended the series
        below.terms[0] = choose(pole, 1.0, below.value)
        for t in above:
            term = term * t
        term = (term * z / (below * n)).full(order)
        total, moment = total + term, moment + term * n
        largest = _largest(term.size(), largest)
        ratio, sure = abs(z.hi) / n, below.value.hi > 0.0
        for i, t in enumerate(above):
            ratio = ratio * (t.value.hi / (below.value.hi if i == 0 else n)).at_least(1.0)
            sure = sure & (t.value.hi > 0.0)
        finished = (_negligible(term, largest) & sure & (ratio < 0.75)) | term.is_zero()
        parts = [*term.parts, *total.parts, *moment.parts, *largest]
        if scaled:
            shrink = ((abs(total.value.hi) > BIG) | (largest[0] > BIG)).select(1 / BIG, 1.0)
            parts = [p * shrink for p in parts]
            scale = (shrink < 1.0).select(scale + 1.0, scale)
            finished = finished | (scale > 3.0)
        return [*parts, scale, finished.select(1.0, 0.0)], ~finished

    state = loop(active, [*first.parts, *first.parts, *nothing.parts, *first.size(), 0.0, 0.0], step, TURNS)
    total, moment = Words.of(state[width : 2 * width]), Words.of(state[2 * width : 3 * width])
    return total, moment, state[3 * width : 3 * width + count], state[-2], state[-1] > 0.0


def _lost(largest: Sequence[F], total: Words, moment: Words) -> F:
    """The largest terms over the sum; over what one rounding of the argument makes of it where that is more."""
    sizes = [t + m for t, m in zip(total.size(), moment.size(), strict=True)]
    # of the value below a derivative only what is not small beside that counts
    everything = functools.reduce(operator.add, sizes)
    ratio = largest[-1].eq(0.0).select(largest[-1], largest[-1] / sizes[-1])
    for known in largest[:-1]:
        ratio = ratio.at_least(known / everything)
    return ratio


def _total(*jets: Words) -> F:
    return functools.reduce(operator.add, [s for j in jets for s in j.size()])


def _power(exponent: Words, logarithm: D, factor: Words, extra: Words | None = None) -> F:
    """exp(exponent logarithm + extra) factor, or its derivative."""
    total = exponent * logarithm if extra is None else exponent * logarithm + extra
    bounded = total.value.hi.at_most(1390.0).at_least(-1390.0)
    main = D(bounded, bounded.eq(total.value.hi).select(total.value.low, 0.0))
    slopes = {mask: term for mask, term in total.terms.items() if mask}
    if 1 in slopes and 2 in slopes:
        product = slopes[1] * slopes[2]
        slopes[3] = slopes[3] + product if 3 in slopes else product
    grown = factor * Words(_number(bounded.k, 1.0).value, slopes)
    return exp_times(main, grown.top)


def _gamma_quotient(arguments: Sequence[Words], above: int, active: M) -> tuple[Words, Words]:
    """The product of Gamma of the first `above` arguments over that of the others: a factor, and the logarithm of the
    rest.

    Below 1/2 by the reflection (DLMF 5.5.3): a factor of sin(pi y)/pi, which is 0 where 1/Gamma is.
    """
    k = active.k
    order = _order(*arguments)
    arguments = [a.full(order) for a in arguments]
    width = len(arguments[0].parts)

    def step(n: F, state: list[F]) -> tuple[list[F], Any]:
        factor, total = Words.of(state[:width]), Words.of(state[width:])
        y = arguments[0]
        for i, a in enumerate(arguments[1:], 2):
            y = either(n.eq(float(i)), a, y)
        numerator = n <= float(above)
        low = y.value.hi < 0.5
        shape = choose(low, -y.value + 1.0, y.value)
        w = shape.hi
        # what the low part of the argument adds, by the first terms of digamma's series
        up = w + 2.0
        about = log(up) - 0.5 / up - (1 / 12) / (up * up) - 1.0 / w - 1.0 / (w + 1.0)
        value = lgamma_positive(w) + shape.low * about
        size = abs(y.value.hi)
        s, c = _sin_cos_pi(size)  # |sin|, and the cosine times the sine's sign
        half = k.call("floor", size) * 0.5
        odd = ~k.call("floor", half).eq(half)
        c = odd.select(-c, c)
        s = (odd ^ (y.value.hi < 0.0)).select(-s, s)
        s = fma(c * math.pi, y.value.low, s)
        sine, more = Words(D(low.select(s * (1 / math.pi), 1.0))), Words(value)
        if order:
            psi = digamma(w)
            for mask in range(1, 1 << order):
                twice = mask == 3
                by = y.terms[1].hi * y.terms[2].hi if twice else y.terms[mask].hi
                sine.terms[mask] = D(low.select((s * -math.pi if twice else c) * by, 0.0))
                # log Gamma(1 - y) counts the other way round: its first derivative has the sign of log Gamma(y)'s, its
                # second the opposite one
                slope = trigamma(w) * low.select(-1.0, 1.0) if twice else psi
                more.terms[mask] = D(slope * by * numerator.select(1.0, -1.0))
        factor = either(numerator, factor / sine, factor * sine)
        sign = (numerator ^ low).select(1.0, -1.0)
        more.terms[0] = more.terms[0] * sign
        total = total + more
        return [*factor.full(order).parts, *total.full(order).parts], n < float(len(arguments))

    start = [*_number(k, 1.0, order).parts, *_number(k, 0.0, order).parts]
    state = loop(active, start, step, len(arguments))
    return Words.of(state[:width]), Words.of(state[width:])


# -- 1F1
# ------------------------------------------------------------------------------------------------------------------
def _far(a: Words, b: Words, z: F, active: M) -> tuple[Words, list[F], M]:
    """The sum of (a)_n (a - b + 1)_n / (n! z^n), its largest terms, and whether it ended before it
    diverged.
    """
    order = _order(a, b)
    c = a - b + 1.0
    first = _number(active.k, 1.0, order)
    width = len(first.parts)

    def step(n: F, state: list[F]) -> tuple[list[F], Any]:
        term, total, largest = Words.of(state[:width]), Words.of(state[width : 2 * width]), state[2 * width : -1]
        m = n - 1.0
        term = (term * (a + m) * (c + m) / (D(n) * z)).full(order)
        total = total + term
        largest = _largest(term.size(), largest)
        ended = _negligible(term, total.size(), 2.0**-70) | term.is_zero()
        return [*term.parts, *total.parts, *largest, ended.select(1.0, 0.0)], ~ended

    state = loop(active, [*first.parts, *first.parts, *first.size(), 0.0], step, 400)
    return Words.of(state[width : 2 * width]), state[2 * width : -1], state[-1] > 0.0


def _confluent(a: F, b: F, x: F, by: str) -> F:
    k = a.k
    pole, ends = _integer(b), _integer(a)
    legal = (~pole if by else ~pole | (ends & (a >= b))) & (abs(a) < math.inf) & (abs(b) < math.inf) & ~x.is_nan()
    a0, b0 = legal.select(a, 1.0), legal.select(b, 2.0)
    v = legal.select(x, 0.0).at_most(1e300).at_least(-1e300)
    p, q = _parameter(a0, "a", by), _parameter(b0, "b", by)
    other = q - p
    direct = (v >= 0.0) | pole
    z = abs(v)
    # the asymptotic series leaves out a part of size e^-z, which is all there is where b - a is 0 or a negative integer
    near = other.value.hi - k.call("rint", other.value.hi)
    near_zero = (other.value.hi < 0.5) & (abs(near) < 2.0**-20)
    far = legal & ~direct & (z > (abs(a0) + abs(b0)) * 4.0 + 100.0)
    if not by:
        far = far & (~near_zero | (z > 1500.0)) & ~other.terminates()
    tail, largest, settled = _far(p, q, far.select(z, 1.0), far)
    settled = settled & far
    factor, logarithm = _gamma_quotient([q, other], 1, settled)
    distant = _power(-p, log_of(far.select(z, 1.0)), tail * factor, logarithm)
    distant_lost = _lost(largest, tail, Words(D(k.c(0.0))).full(_order(tail)))
    near_enough = legal & ~settled & (direct | (z < 1300.0) | other.terminates())
    reach = z.at_most(FARTHEST)  # farther out only polynomials of degree 1 and 2 are finite
    total, moment, largest, scale, done = _series(
        [either(direct, p, other)], q, D((v < 0.0).select(direct.select(-reach, reach), reach)), near_enough, True
    )
    lost = _lost(largest, total, moment)
    exponent = direct.select(0.0, v).at_least(-1390.0)
    summed = exp_times(D(exponent), total.top)
    for turn in range(4):
        summed = (scale > float(turn)).select(summed * BIG, summed)
    overflow = scale > 3.0
    beyond = (z > reach).select(z / reach, 1.0)
    summed = a.eq(0.0).select(summed, summed * beyond)
    summed = (a < -1.5).select(summed * beyond, summed)
    result = settled.select(distant, (done & near_enough).select(summed, math.nan))
    wrong = settled.select(distant_lost, overflow.select(0.0, lost)) * ROUNDING > TOLERANCE
    result = wrong.select(math.nan, result)
    if not by:
        result = (x.eq(math.inf) & ~a.eq(0.0)).select(k.c(math.inf).signed_as(result), result)
        vanishing = x.eq(-math.inf) & ~a.eq(0.0)
        result = vanishing.select(((a > 0.0) | other.terminates()).select(0.0, k.c(math.inf).signed_as(result)), result)
        result = legal.select(result, (pole & ~(a.is_nan() | x.is_nan())).select(math.inf, math.nan))
        return result
    return (legal & (abs(x) < math.inf)).select(result, math.nan)


# -- 2F1
# ------------------------------------------------------------------------------------------------------------------
def _steps(
    a: Words, b: Words, c: Words, start: F, value: Words, slope: Words, rest: D, lost: F, active: M
) -> tuple[Words, F]:
    """The solution of the hypergeometric equation continued from `start` (1/4 or 3/4) to 1 - rest.

    value and slope: the function there, and 1 - start times its derivative by the argument. With x = p + q t, q = 1 -
    p, and F the sum of v_n(t): p (n+2)(n+1) v_(n+2) = ((p - q) n + (a + b + 1) p - c) (n+1) t v_(n+1) + (n+a)(n+b) q
    t^2 v_n. A step goes at most half the way to 1, and half that to 0, where the rounding errors have a singularity
    though F has none.
    """
    order = _order(a, b, c)
    value, slope = value.full(order), slope.full(order)
    width, count = len(value.parts), len(value.size())
    sum_ = a + b + 1.0
    rise = (1.0 - c.value.hi).at_least(0.0)

    def forward(_: F, state: list[F]) -> tuple[list[F], Any]:
        value, slope, q, lost = (
            Words.of(state[:width]),
            Words.of(state[width : 2 * width]),
            state[2 * width],
            state[2 * width + 1],
        )
        following = (q > 0.7).select(0.625, (q > 0.6).select(0.4375, q * 0.5))
        last = rest.hi >= following
        going = active & (rest.hi < q)
        before = _total(value, slope)
        t = (D(q) - choose(last, rest, following)) / q
        p = D.sum(-q, 1.0)
        e = sum_ * p - c
        difference = p - q
        weight = t * t * q

        def term(n: F, inner: list[F]) -> tuple[list[F], Any]:
            before, at, total, moment = (Words.of(inner[i * width : (i + 1) * width]) for i in range(4))
            largest = inner[4 * width :]
            m = n - 1.0
            new = (e + difference * m) * (t * n) * at + (a + m) * (b + m) * weight * before
            new = (new / (p * (n * (n + 1.0)))).full(order)
            largest = _largest(new.size(), largest)
            ended = _negligible(new, largest) & _negligible(at, largest) & (n > 8.0)
            return [*at.parts, *new.parts, *(total + new).parts, *(moment + new * (n + 1.0)).parts, *largest], ~(
                ended | (new.is_zero() & at.is_zero())
            )

        first = slope * t
        inner = loop(
            going,
            [*value.parts, *first.parts, *(value + first).parts, *first.parts, *_largest(value.size(), first.size())],
            term,
            TURNS,
        )
        total, moment = Words.of(inner[2 * width : 3 * width]), Words.of(inner[3 * width : 4 * width])
        largest = inner[4 * width :]
        slope = moment / t * (-t + 1.0)
        # errors grow like the other solution at 0, x^(1 - c), and stay where F falls
        growth = exp(log((1.0 - last.select(rest.hi, following)) / (1.0 - q)).at_least(0.0) * rise)
        fall = before / _total(total, slope)
        lost = fma(lost, growth * fall.at_least(1.0), _lost(largest[:count], total, moment))
        return [*total.parts, *slope.parts, following, lost], ~last

    state = loop(active, [*value.parts, *slope.parts, 1.0 - start, lost], forward, STEPS)
    return Words.of(state[:width]), state[-1]


def _turned(a: Words, c_minus_b: Words, c: Words, active: M) -> tuple[Words, Words]:
    """F(a, b; c; z) of a = -m is (c - b)_m / (c)_m F(a, b; c'; 1 - z) (DLMF 15.8.7): c' = 1 - m - (c - b), and the
    factor.
    """
    m = -a.value.hi
    order = _order(c_minus_b, c)

    def step(n: F, state: list[F]) -> tuple[list[F], Any]:
        return (Words.of(state) * (c_minus_b + (n - 1.0)) / (c + (n - 1.0))).full(order).parts, n < m

    start = _number(active.k, 1.0, order).parts
    return -c_minus_b + D.sum(-m, 1.0), Words.of(loop(active & (m > 0.0), start, step, TURNS))


def _gauss(a: F, b: F, c: F, x: F, by: str) -> F:
    k = a.k
    nothing, unit = _number(k, 0.0), _number(k, 1.0)
    pole = _integer(c)
    ends = (_integer(a) & (a >= c)) | (_integer(b) & (b >= c))
    bounded = (abs(a) < math.inf) & (abs(b) < math.inf) & (abs(c) < math.inf) & (abs(x) < math.inf)
    legal = (~pole if by else ~pole | ends) & bounded
    p, q, r = (
        _parameter(legal.select(v, other), name, by) for v, name, other in ((a, "a", 1.0), (b, "b", 1.0), (c, "c", 2.0))
    )
    v = legal.select(x, 0.0)
    rp, rq = r - p, r - q
    minus = v < 0.0
    # Pfaff: (1 - x)^-a F(a, c - b; c; x/(x - 1)), with the parameter that ends the series or the smaller one as a
    ending = (pole & (p.value.hi >= r.value.hi) & p.terminates()) | (~pole & (p.terminates() | rq.terminates()))
    swap = minus & ~ending & (pole | q.terminates() | rp.terminates() | (p.value.hi > q.value.hi))
    p, q, rp, rq = either(swap, q, p), either(swap, p, q), either(swap, rq, rp), either(swap, rp, rq)
    exponent = either(minus, -p, nothing)
    q, rq = either(minus, rq, q), either(minus, q, rq)
    distance = D.sum(-v, 1.0)
    beyond, at_one = distance.hi < 0.0, distance.hi.eq(0.0)
    z = choose(minus, -(D(v) / distance), v)
    rest = choose(minus, unit.value / distance, distance)
    # Euler: (1 - z)^(c - a - b) F(c - a, c - b; c; z), where that is the larger solution at 1 or the series ends
    s = rp - q
    gap = s.value.hi
    poly = p.terminates() | q.terminates()
    summed = legal & at_one & ~poly
    euler = ~pole & ~beyond & ~at_one & (((rp.terminates() | rq.terminates()) & (gap > 0.0)) | (~poly & (gap < 0.0)))
    exponent = either(euler, exponent + either(minus, -s, s), exponent)
    p, q, rp, rq = either(euler, rp, p), either(euler, rq, q), either(euler, p, rp), either(euler, q, rq)
    gap = euler.select(-gap, gap)
    ends_first, ends_second = p.terminates(), q.terminates()
    # a polynomial that may be the smaller solution at 1: by powers of 1 - z
    turned = (ends_first | ends_second) & legal & (((gap <= 0.0) & (z.hi > 0.5)) | at_one)
    change = turned & ends_second & (~ends_first | (q.value.hi > p.value.hi))
    p, q, rq = either(change, q, p), either(change, p, q), either(change, rp, rq)
    other, factor = _turned(p, rq, r, turned)
    lower = either(turned, other, r)
    z, rest = choose(turned, rest, z), choose(turned, z, rest)
    active = legal & (~beyond | poly) & ~summed
    # the series reaches far where its terms have one sign, and where c < 0, as the steps are less stable there
    direct = (lower.value.hi < -4.0) | ((p.value.hi > 0.0) & (q.value.hi > 0.0) & (lower.value.hi > 0.0))
    start = direct.select(0.75, 0.25)
    stepping = active & (z.hi > start) & ~beyond
    total, moment, largest, _, done = _series([p, q], lower, choose(stepping, start, z), active, False)
    lost = _lost(largest, total, moment)
    slope = either(direct, moment / 3.0, moment * 3.0)
    value, lost = _steps(p, q, lower, start, total, slope, choose(stepping, rest, 0.125), lost, stepping)
    value = value * either(turned, factor, unit)
    result = _power(exponent, log_of(choose(active & (distance.hi > 0.0), distance, 1.0)), value)
    result = (active & done & (lost * ROUNDING <= TOLERANCE)).select(result, math.nan)
    # at 1: Gauss's sum, infinite where c - a - b <= 0
    finite = summed & (gap > 0.0)
    one_, two, three = (
        _parameter(finite.select(v, other), name, by)
        for v, name, other in ((a, "a", 1.0), (b, "b", 1.0), (c, "c", 4.0))
    )
    product, logarithm = _gamma_quotient([three, three - one_ - two, three - one_, three - two], 2, finite)
    at_end = _power(nothing, unit.value, product, logarithm)
    result = summed.select(finite.select(at_end, math.nan if by else math.inf), result)
    if by:
        return result
    nan = a.is_nan() | b.is_nan() | c.is_nan() | x.is_nan()
    return nan.select(math.nan, x.eq(0.0).select(1.0, (pole & ~ends).select(math.inf, result)))


def _of(function: Callable[..., F]) -> Callable[..., F]:
    """In double words for floats too, since the cancellation is the same."""

    def run(*args: Any) -> F:
        *xs, (by, _) = args
        k: Kit = xs[0].k
        return function(*(x.to(k.doubles()) for x in xs), by).to(k)

    return run


# The static parameter, given last: the parameters differentiated by, "" to "bc" or "aa", and how many they are.
PARAMETRIC: dict[str, Callable[..., F]] = {"hyp1f1": _of(_confluent), "hyp2f1": _of(_gauss)}
