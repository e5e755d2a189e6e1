"""Plans of Fourier transforms: the passes that a length takes, and its twiddles (`core/native/fourier.c` follows them).

A plan depends on the length and the precision alone, so a line's bits do not depend on what lies beside it. Plans are
kept; the least recently made go first.

Sources: Cooley and Tukey, 1965; Stockham, "High-speed convolution and correlation", 1966; Bailey, "FFTs in external or
hierarchical memory", 1990; Rader, "Discrete Fourier transforms when the number of data samples is prime", 1968;
Bluestein, "A linear filtering approach to the computation of the discrete Fourier transform", 1970.
"""

from __future__ import annotations

import math
from array import array
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core import locks

_LARGEST = 139  # radix; a longer prime is done by longer transforms
_PASSES = 24  # RL_FOURIER_PASSES
_KINDS = {"passes": 0, "square": 1, "chirp": 2, "powers": 3, "halves": 4, "odd": 5, "trig": 6}
_LINE = 1 << 18  # bytes of planes up to which a line is done in one go: the cache holds them twice
_TOGETHER = 1 << 13  # bytes of planes up to which lines are done together: the first-level cache holds them twice
_SYMMETRIC = 128  # numbers of a symmetric line up to which it is transformed as complex numbers
_KEPT = 96 << 20  # bytes of tables of the plans that are kept


class Plan:
    """One plan: its C struct and the memory that this points at.

    Attributes: n, item; address (of the struct); bytes (of all that it keeps).
    """

    def __init__(
        self,
        kind: str,
        n: int,
        item: int,
        *,
        radices: Sequence[int] = (),
        before: int = 0,
        lines: int = 1,
        parts: Sequence[Plan] = (),
        tables: Sequence[Any] = (),
        twiddles: Sequence[Any] = (),
        turn: Any = None,
    ) -> None:
        self.n, self.item, self.kind, self.radices, self.before = n, item, kind, tuple(radices), before
        self._kept = (*parts, *tables, *twiddles, turn)
        a = [p.address for p in parts] + [0, 0]
        t = [_address(x) for x in tables] + [0, 0]
        fill = [0] * (_PASSES - len(radices))
        head = [n, _KINDS[kind], item, len(radices), before, lines, a[0], a[1], t[0], t[1], _address(turn)]
        self._struct = array("q", [*head, *radices, *fill, *map(_address, twiddles)] + [0] * (_PASSES - len(twiddles)))
        self.address: int = self._struct.buffer_info()[0]
        places = 0 if turn is None else turn.nbytes
        self.bytes: int = places + sum(p.bytes for p in parts) + sum(x.nbytes for x in (*tables, *twiddles))


def _address(x: Any) -> int:
    return 0 if x is None else int(x.ctypes.data)


# -- numbers
def _planes(parts: Any, item: int) -> Any:
    import numpy as np

    return np.ascontiguousarray(parts, np.float32 if item == 4 else np.float64)


def _wide(item: int) -> Any:
    """The type of numbers of more digits than are kept."""
    import numpy as np

    return np.float64 if item == 4 else np.longdouble


def _roots(k: Any, n: int, item: int, factors: Any = 1) -> Any:
    """Planes of cos and sin of -2 pi k / n times factors, rounded once."""
    re, im = _unrounded(k, n, item)
    return _planes([re * factors, im * factors], item)


def _unrounded(k: Any, n: int, item: int) -> tuple[Any, Any]:
    """cos and sin of -2 pi k / n in more digits than are kept: angles of at most pi / 4, then symmetry."""
    import numpy as np

    wide = _wide(item)
    k = np.asarray(k, np.int64) % n
    quarter = (8 * k // n + 1) // 2
    angle = (4 * k - quarter * n).astype(wide) * (wide("3.14159265358979323846264338327950288") / (2 * n))
    c, s = np.cos(angle), np.sin(angle)
    odd, real, imag = quarter % 2 == 1, (quarter + 1) // 2 % 2 == 1, quarter // 2 % 2 == 0
    re, im = np.where(odd, s, c), np.where(odd, c, s)
    return np.where(real, -re, re), np.where(imag, -im, im)


def primes_of(n: int) -> list[int]:
    """The prime factors of n, from the least."""
    found, p = [], 2
    while p * p <= n:
        while n % p == 0:
            found.append(p)
            n //= p
        p += 1 + (p > 2)
    return found + [n] * (n > 1)


def radices_of(n: int) -> list[int]:
    """The radices of n, from the largest; empty if it has a factor that is too large for them."""
    primes = primes_of(n)
    if primes and primes[-1] > _LARGEST:
        return []
    twos, threes = primes.count(2), primes.count(3)
    rest = [p for p in primes if p > 3] + [9] * (threes // 2) + [3] * (threes % 2)
    # Eights are the cheapest a factor of two (16 finds too few registers); two sixteens save a pass over 4 8 8.
    sixteens = twos % 3 if twos >= 4 * (twos % 3) else 0
    twos -= 4 * sixteens
    rest += [16] * sixteens + [8] * (twos // 3) + [1 << twos % 3] * (twos % 3 > 0)
    return sorted(rest, reverse=True) or [1]


# -- plans
def _passes(n: int, item: int) -> Plan:
    import numpy as np

    radices = radices_of(n)
    lines = max(1, min(16, _TOGETHER // (2 * n * item)))
    first = _first(radices, 64 // item, lines)
    rest = list(radices)
    for r in first:
        rest.remove(r)
    radices, twiddles, left = [*first, *rest], [], n
    for r in radices[:-1]:
        m = left // r
        twiddles.append(_roots(np.outer(np.arange(1, r), np.arange(m)), left, item))
        left = m
    turn, index = None, np.zeros(1, np.int64)
    if first:
        blocks = math.prod(first)
        for r in first:
            index = (index[:, None] * r + np.arange(r)).ravel()
        # lane i0 + f0 (i1 + f1 ...) is the row (i0 f1 + i1) f2 + ...
        turn = index.reshape(first).transpose(range(len(first))[::-1]).ravel() * (n // blocks * item)
        turn = np.add.outer(np.arange(lines) * (n * item), turn).ravel()
    return Plan("passes", n, item, radices=radices, before=len(first), lines=lines, twiddles=twiddles, turn=turn)


def _waste(x: int, lanes: int) -> float:
    """How many lanes vectors have for each of x numbers."""
    return -(-x // lanes) * lanes / x


def _first(radices: list[int], lanes: int, lines: int) -> list[int]:
    """The radices to do while lanes lie along the line: such that vectors are full before and after."""
    n, best, chosen = math.prod(radices), math.inf, list[int]()
    subsets: dict[int, list[int]] = {1: []}
    for r in radices:
        for product, members in list(subsets.items()):
            subsets.setdefault(product * r, [*members, r])
    for product, members in subsets.items():
        if 1 < product < n:
            # the turn between has as rows those of several lines, and so have the passes after it but the last
            after = len(radices) - len(members) - 1
            cost = (len(members) + 1) * _waste(n // product, lanes) + after * _waste(product * lines, lanes)
            cost += _waste(product, lanes)
            cost += 1e-3 * abs(math.log(product * product / n))
            if cost < best:
                best, chosen = cost, members
    return chosen


def _square(n: int, item: int) -> Plan:
    """n = n1 n2, both near the root of n."""
    import numpy as np

    products = {1}
    for p in primes_of(n):
        products |= {x * p for x in products}
    n1 = min(products, key=lambda x: abs(math.log(x * x / n)))
    n2, lanes = n // n1, 64 // item
    # twiddles within a block of columns, and from block to block: their products are those of all columns
    within = _roots(np.multiply.outer(np.arange(n1), np.arange(lanes)), n, item)
    between = _roots(np.multiply.outer(np.arange(0, n2, lanes), np.arange(n1)), n, item)
    return Plan("square", n, item, parts=[_passes(n1, item), _passes(n2, item)], tables=[within, between])


def _chirp(n: int, item: int) -> Plan:
    import numpy as np

    m = _longer(2 * n - 1)
    places = np.arange(n, dtype=np.int64)
    squares = places * places % (2 * n)
    re, im = _unrounded(squares, 2 * n, item)
    kernel = np.zeros(m, np.clongdouble if item == 8 else np.complex128)
    kernel[:n] = re - 1j * im
    kernel[m - n + 1 :] = kernel[n - 1 : 0 : -1]
    tables = [_planes([re, im], item), _transformed(kernel, item)]
    return Plan("chirp", n, item, parts=[_complex(m, item)], tables=tables)


def _transformed(kernel: Any, item: int) -> Any:
    """Planes of the transform of a convolution's kernel, divided by its length."""
    import numpy as np

    transformed = np.fft.fft(kernel) / len(kernel)
    return _planes([transformed.real, transformed.imag], item)


def _powers(n: int, item: int) -> Plan:
    """A prime n by a transform of n - 1."""
    import numpy as np

    m, factors = n - 1, set(primes_of(n - 1))
    root = next(g for g in range(1, n) if all(pow(g, m // p, n) != 1 for p in factors))
    powers = np.ones(1, np.int64)
    while len(powers) < m:
        powers = np.concatenate([powers, powers * pow(root, len(powers), n) % n])[:m]
    inverse = np.roll(powers[::-1], 1)  # powers of 1 / root
    re, im = _unrounded(inverse, n, item)
    back = np.empty(m, np.int64)  # the second transform's results come in the order of the inverse's powers, ...
    back[powers - 1] = -np.arange(m) % m  # ... backwards
    turn = np.concatenate([powers, back])
    return Plan("powers", n, item, parts=[_complex(m, item)], tables=[_transformed(re + 1j * im, item)], turn=turn)


def _has_powers(n: int, lanes: int) -> bool:
    """Whether n is prime, and `_powers` better than `_chirp`."""
    if primes_of(n) != [n] or n >= 1 << 31 or not radices_of(n - 1):
        return False
    return _work(n - 1, lanes) < _work(_longer(2 * n - 1), lanes)


def _work(n: int, lanes: int) -> float:
    """About what a line of n takes: passes of one number, of a large radix more, the more so of lanes not all full."""
    radices = radices_of(n)
    return n * (1 + sum(max(1, r / 12 * _waste(n // r, lanes)) for r in radices))


def _longer(least: int) -> int:
    """A length of at least so many numbers that is quick: 2^a 3^b 5^c, full vectors."""
    best, cost = 0, math.inf
    for odd in (1, 3, 5, 9, 15, 25, 27, 45, 75):
        n = odd
        while n < least:
            n *= 2
        spent = n * (len(radices_of(n)) + 1) * (1.0 if n % 256 == 0 or n < 256 else 1.2)
        if spent < cost:
            best, cost = n, spent
    return best


def _complex(n: int, item: int) -> Plan:
    """The plan of a complex transform."""
    if not radices_of(n):
        return _powers(n, item) if _has_powers(n, 64 // item) else _chirp(n, item)
    return _passes(n, item) if 2 * n * item <= _LINE else _square(n, item)


def _real(n: int, item: int) -> Plan:
    """The plan of a transform of n real numbers, or to them."""
    import numpy as np

    if n % 2:
        return Plan("odd", n, item, parts=[_complex(n, item)])
    w = _roots(np.arange(n // 4 + 1), n, item)
    return Plan("halves", n, item, parts=[_complex(n // 2, item)], tables=[w])


def _trig(n: int, item: int, type: int, sine: bool, scale: int) -> Plan:
    """The plan of a cosine or sine transform (`core/native/fourier_trig.c`), its twiddles times the scale."""
    import numpy as np

    if type == 1:
        m = 2 * (n + 1 if sine else n - 1)
        # As complex numbers a symmetric line's errors are half in the part that symmetry makes zero.
        whole = m <= _SYMMETRIC and bool(radices_of(m))
        part = Plan("odd", m, item, parts=[_complex(m, item)]) if whole else _real(m, item)
        return Plan("trig", n, item, parts=[part])
    root = np.sqrt(_wide(item)(2))
    factor = 1 / np.sqrt(_wide(item)(2 * n)) ** scale
    if type == 4:
        if n % 2:
            return Plan("trig", n, item, parts=[_real(n, item)], tables=[_planes([root * factor], item)])
        j = np.arange(n // 2)
        tables = [np.concatenate([_roots(4 * j + 1, 8 * n, item), _roots(j, 2 * n, item, 2 * factor)])]
        return Plan("trig", n, item, parts=[_complex(n // 2, item)], tables=tables)
    factors = np.full(n // 2 + 1, 2 * factor if type == 2 else factor)
    if scale == 1:
        factors[0] *= 1 / root if type == 2 else root
    return Plan("trig", n, item, parts=[_real(n, item)], tables=[_roots(np.arange(n // 2 + 1), 4 * n, item, factors)])


_plans: OrderedDict[tuple[int, ...], Plan] = OrderedDict()


def plan(n: int, item: int, real: bool) -> Plan:
    """The plan of lines of n numbers, complex or real, of so many bytes a real part."""
    return _plans.get((n, item, real)) or _planned((n, item, real), _real if real else _complex, n, item)


def trig_plan(n: int, item: int, type: int, sine: bool, scale: int) -> Plan:
    """The plan of cosine or sine transforms of lines of n numbers, divided by the scale-th power of sqrt(N)."""
    key = n, item, type, sine, scale if type > 1 else 0
    return _plans.get(key) or _planned(key, _trig, *key)


def _planned(key: tuple[int, ...], make: Callable[..., Plan], *args: int) -> Plan:
    with locks.building:
        found = _plans.get(key)
        if found is None:
            found = make(*args)
            while _plans and found.bytes + sum(p.bytes for p in _plans.values()) > _KEPT:
                _plans.popitem(last=False)
            _plans[key] = found
        return found
