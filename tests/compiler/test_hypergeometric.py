"""hyp1f1 and hyp2f1 against mpmath, and beside SciPy, over their domains; special values; derivatives by the
parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import scipy.special

import rushlight as rl
from known_values import KnownValues

Array = np.ndarray[Any, Any]
EPS = 2.0**-52
EXACT: dict[str, Callable[..., Any]] = {"hyp1f1": mp.hyp1f1, "hyp2f1": mp.hyp2f1}
KNOWN = KnownValues(Path(__file__).parent / "known_values" / "hypergeometric.json")


def parameters(rng: np.random.Generator, limit: float, n: int) -> Array:
    """Real numbers, integers and half integers."""
    v, kind = rng.uniform(-limit, limit, n), rng.integers(0, 4, n)
    return np.where(kind == 0, np.round(v), np.where(kind == 1, np.round(2 * v) / 2, v))


def no_pole(c: Array) -> Array:
    return np.where((c <= 0) & (c == np.round(c)), c + 0.3, c)


def points(name: str, limit: float, n: int, seed: int) -> list[Array]:
    """Arguments of every region: 1F1 of small and large x of both signs; 2F1 inside (-1, 1), close to 1, and far below
    0.
    """
    rng = np.random.default_rng(seed)
    if name == "hyp1f1":
        far = -(10 ** rng.uniform(2, 8, n // 4))
        x = np.concatenate(
            [np.where(rng.random(n - n // 4) < 0.5, -1, 1) * 10 ** rng.uniform(-3, 2.8, n - n // 4), far]
        )
        return [parameters(rng, limit, n), no_pole(parameters(rng, limit, n)), x]
    m = n // 4
    x = np.concatenate(
        [
            rng.uniform(0, 1, m),
            rng.uniform(-1, 0, m),
            -(10 ** rng.uniform(0, 5, m)),
            1 - 10 ** rng.uniform(-12, 0, n - 3 * m),
        ]
    )
    return [parameters(rng, limit, n), parameters(rng, limit, n), no_pole(parameters(rng, limit, n)), x]


def values(name: str, arguments: list[Array]) -> Iterator[tuple[int, Any]]:
    """(place, exact value) of the points whose value is a finite double."""

    def exact(*p: float) -> Any:
        with mp.workdps(60):
            try:
                return mp.re(EXACT[name](*map(mp.mpf, p), maxterms=10**6))
            except mp.NoConvergence:
                return None

    for i, e in enumerate(KNOWN.values(name, exact, zip(*(a.tolist() for a in arguments), strict=True))):
        if e is not None and (e == 0 or 1e-290 < abs(e) < 1e290):
            yield i, e


def ulp(got: float, exact: Any) -> float:
    if exact == 0:
        return 0.0 if got == 0 else math.inf
    return (
        float(abs(mp.mpf(got) - exact) / mp.mpf(2) ** (int(mp.floor(mp.log(abs(exact), 2))) - 52))
        if math.isfinite(got)
        else math.inf
    )


def call(name: str, arguments: list[Array]) -> list[float]:
    return getattr(rl.special, name)(*map(rl.tensor, arguments)).tolist()


@pytest.mark.parametrize(
    ("name", "limit", "bound"), [("hyp1f1", 20, 3), ("hyp1f1", 2, 3), ("hyp2f1", 10, 1), ("hyp2f1", 2, 1)]
)
def test_accuracy_and_scipy_beside_it(name: str, limit: float, bound: float) -> None:
    arguments = points(name, limit, 480, 5)
    ours, theirs = call(name, arguments), getattr(scipy.special, name)(*arguments).tolist()
    exact = list(values(name, arguments))
    assert len(exact) > 430
    for i, e in exact:
        error = ulp(ours[i], e)
        assert error <= bound, ([a[i] for a in arguments], ours[i], e)
        assert error <= max(2 * ulp(theirs[i], e), 3.0)


@pytest.mark.parametrize(
    ("name", "limit", "most"), [("hyp1f1", 30, 0.002), ("hyp2f1", 20, 0.01), ("hyp2f1", 30, 0.05), ("hyp2f1", 60, 0.5)]
)
def test_nan_rather_than_wrong_digits(name: str, limit: float, most: float) -> None:
    arguments = points(name, limit, 800, 6)
    got = call(name, arguments)
    lost, count = 0, 0
    for i, e in values(name, arguments):
        count += 1
        if math.isnan(got[i]):
            lost += 1
        else:
            assert ulp(got[i], e) < 2e5, ([a[i] for a in arguments], got[i], e)
    assert lost <= most * count


inf, nan = math.inf, math.nan
SPECIAL: dict[str, list[tuple[float, ...]]] = {
    # a, b, x, value
    "hyp1f1": [
        (1, 0, 1, inf),
        (-1, -1, 2, 3),
        (-1, -2, 2, 2),
        (-2, -1, 2, inf),
        (-2, -2, 3, 8.5),
        (-2, -3, -30, 131),
        (1, -1, 0, inf),
        (0, -1, 5, 1),
        (2, 3, 0, 1),
        (0, 2, 7, 1),
        (2, 2, 3, math.exp(3)),
        (2, 2, -3, math.exp(-3)),
        (1, 2, inf, inf),
        (1, 2, -inf, 0),
        (-1, 2, inf, -inf),
        (-2, 1, -inf, inf),
        (0, 2, inf, 1),
        (nan, 1, 1, nan),
        (1, nan, 1, nan),
        (1, 1, nan, nan),
        (inf, 1, 1, nan),
        (-1, 2, 1e300, -5e299),
        (-2, 2, 1e150, 1e300 / 6),
        (-3, 2, 1e200, -inf),
        (1, 2, 1e4, inf),
        (-1.5, 2, 1e4, inf),
        (3, 2, -1e4, 0),
        (0.5, 1.5, -1e300, math.sqrt(math.pi) / 2e150),
        (1, 2, -1e-300, 1),
        (100000, 100001, 1, 2.718254646184403797),
        (1, 1e6, 5000, 1.0050251256027622),
        (1e-300, 1, 1000, 1.972045137141238403e131),
    ],
    # a, b, c, x, value
    "hyp2f1": [
        (1, 1, 0, 0.5, inf),
        (1, 1, 0, 0, 1),
        (-1, 1, -2, 0.5, 1.25),
        (-2, 1, -1, 0.5, inf),
        (-2, 1, -2, 0.5, 1.75),
        (1, 1, 2, 1, inf),
        (1, 1, 3, 1, 2),
        (2, 2, 3, 1, inf),
        (-2, 2, 3, 1, 1 / 6),
        (1, 1, 2, 1.5, nan),
        (-2, 1, 2, 1.5, 0.25),
        (-2, 1, 2, 5, 13 / 3),
        (0, 1, 2, 3, 1),
        (1, 0, -2, 0.5, 1),
        (1, 2, 3, inf, nan),
        (1, 2, 3, -1e300, 2e-300),
        (1, 2, 1, 0.5, 4),
        (1, -2, -2, 0.3, 1.39),
        (-2.5, 2, 3, 1, 0.126984126984126984),
        (3, 1, -2, -3, inf),
        (2, 3, 2, 1, inf),
        (-2, 3, 2, 1, 0),
        (-5, 3, 1, 1, 0),
        (-5, 3, 1, 0.9, 0.00721),
        (-5, 30, 1, 3, -52341407),
        (2.5, -2, -4, -3, 3.8125),
        (-2, 2.5, -4, -3, 3.8125),
        (-2, -3, -4, -3, 10),
        (-2, -3, -4, 1, 0),
        (-5, -2, -4, 0.3, 0.4),
        (-5, -2, -4, -0.3, 1.9),
        (nan, 1, 1, 0, nan),
        (1, 1, 1, nan, nan),
        (0.5, 0.5, 0.5, -8, 1 / 3),
        (30, 30, 30, 0.5, 2.0**30),
        (1, 1, 2, 0.5, 2 * math.log(2)),
        (0.5, 1, 1.5, -1, math.pi / 4),
        (-3, 5, 2, 1e100, -8.75e300),
    ],
}


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("dtype", [rl.float64, rl.float32])
def test_special_values(name: str, dtype: rl.dtype) -> None:
    for *arguments, value in SPECIAL[name]:
        if dtype is rl.float32 and any(
            abs(v) != inf and abs(v) > 3e38 or 0 < abs(v) < 1e-38 for v in (*arguments, value)
        ):
            continue
        got = getattr(rl.special, name)(*(rl.tensor(float(v), dtype=dtype) for v in arguments)).item()
        same = (
            math.isnan(got)
            if math.isnan(value)
            else got == value or abs(got - value) <= abs(value) * (2e-15 if dtype is rl.float64 else 1e-6)
        )
        assert same, (name, arguments, got, value)


def test_floats_are_rounded_doubles() -> None:
    """With as much room for cancellation: the same kernel, rounded at the end."""
    for name in EXACT:
        arguments = [rl.tensor(a).float() for a in points(name, 8, 200, 7)]
        double = getattr(rl.special, name)(*(a.double() for a in arguments))
        single = getattr(rl.special, name)(*arguments)
        assert ((single == double.float()) | (single.isnan() & double.isnan())).all(), name


@pytest.mark.parametrize(("name", "limit", "bound"), [("hyp1f1", 10, 100), ("hyp2f1", 5, 4)])
def test_derivatives(name: str, limit: float, bound: float) -> None:
    """By every argument, against central differences of 70 digits; integer parameters included."""
    arguments = points(name, limit, 80, 8)
    if name == "hyp1f1":
        arguments[-1] = arguments[-1].clip(-1e4)
    leaves = [rl.tensor(a, requires_grad=True) for a in arguments]
    grads = rl.autograd.grad(getattr(rl.special, name)(*leaves).sum(), leaves)

    def slope(k: int, *at: float) -> Any:
        p = [mp.mpf(v) for v in at]
        with mp.workdps(70):
            step = mp.mpf(10) ** -30 * (min(abs(p[k]), abs(1 - p[k])) if k == len(p) - 1 else 1)
            ahead, behind = (
                EXACT[name](*(v + s * step if j == k else v for j, v in enumerate(p)), maxterms=10**6) for s in (1, -1)
            )
            return mp.re((ahead - behind) / (2 * step))

    checked = 0
    for k, g in enumerate(grads):
        points_of_k = [(k, *p) for p in zip(*(a.tolist() for a in arguments), strict=True)]
        for p, got, exact in zip(
            points_of_k, g.tolist(), KNOWN.values(f"{name}, slope", slope, points_of_k), strict=True
        ):
            if 1e-280 < abs(exact) < 1e280:
                checked += 1
                assert abs(got - exact) <= bound * EPS * abs(exact), (p, got, exact)
    assert checked > 60 * len(arguments)


@pytest.mark.parametrize("name", EXACT)
def test_second_derivatives(name: str) -> None:
    """By every pair of arguments, in every region, integer parameters and a point beyond the asymptotic series' bound
    included.
    """
    places = {
        "hyp1f1": [(1.3, 2.4, -0.7), (-2.0, 1.5, 3.0), (2.0, 1.0, -4.0), (0.5, 1.75, -300.0), (-3.2, -1.6, 11.0)],
        "hyp2f1": [
            (1.3, -0.6, 2.4, 0.4),
            (-2.0, 1.5, 0.7, 0.8),
            (1.0, 2.0, 3.0, -9.0),
            (0.5, 0.5, 1.0, 0.97),
            (2.0, 1.5, 1.0, 0.9),
            (-3.0, 2.0, 1.0, 0.9),
        ],
    }

    def bend(i: int, k: int, *at: float) -> Any:
        with mp.workdps(40):
            return mp.re(
                mp.diff(
                    EXACT[name],
                    tuple(map(mp.mpf, at)),
                    tuple(int(j == i) + int(j == k) for j in range(len(at))),
                    h=mp.mpf(10) ** -11,
                )
            )

    pairs = [(i, k) for i in range(len(places[name][0])) for k in range(len(places[name][0]))]
    wanted = iter(KNOWN.values(f"{name}, bend", bend, [(*pair, *at) for at in places[name] for pair in pairs]))
    for at in places[name]:
        leaves = [rl.tensor(v, dtype=rl.float64, requires_grad=True) for v in at]
        first = rl.autograd.grad(getattr(rl.special, name)(*leaves), leaves, create_graph=True)
        for i, slope in enumerate(first):
            for k, got in enumerate(rl.autograd.grad(slope, leaves, retain_graph=True)):
                exact = next(wanted)
                assert abs(got.item() - exact) <= 2e-14 * abs(exact), (name, at, i, k, got.item(), exact)
    assert next(wanted, None) is None
    with pytest.raises(NotImplementedError, match=f"{name}.*at most two derivatives by the parameters.*'a' after 'aa'"):
        rl.autograd.grad(first[0], leaves, create_graph=True)


def test_derivatives_at_one() -> None:
    """Of Gauss's sum, by the parameters; c - a at a pole of the gamma function included."""

    def slope(k: int, *at: float) -> Any:
        with mp.workdps(60):
            return mp.diff(
                lambda a, b, c: mp.gammaprod([c, c - a - b], [c - a, c - b]),
                tuple(map(mp.mpf, at)),
                tuple(int(j == k) for j in range(3)),
                h=mp.mpf(10) ** -20,
            )

    for at in ((0.3, -1.7, 2.1, 1.0), (2.0, -1.5, 1.0, 1.0)):
        leaves = [rl.tensor(v, dtype=rl.float64, requires_grad=True) for v in at[:3]]
        wanted = KNOWN.values("slope at one", slope, [(k, *at[:3]) for k in range(3)])
        for k, (got, exact) in enumerate(
            zip(rl.autograd.grad(rl.special.hyp2f1(*leaves, 1.0), leaves), wanted, strict=True)
        ):
            assert abs(got.item() - exact) <= 1e-14 * abs(exact), (at, k)
