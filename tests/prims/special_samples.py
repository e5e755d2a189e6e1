"""Samples of the special functions, for samples.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight import prims as p


def by_name(names_of: dict[tuple[float, float], str]) -> dict[str, tuple[float, float]]:
    """The range of the operands of each primitive, of the names that go with each range."""
    return {name: ends for ends, names in names_of.items() for name in names.split()}


UNARY = by_name(
    {
        (-1, 2): "erfcx",
        (-2, 2): "ndtr i0 airy_ai airy_ai_prime",
        (0.1, 0.9): "ndtri",
        (0.3, 3): "i0e i1 i1e",
        (0.5, 3): "k0 k0e k1 k1e j0 j1 y0 y1",
        (0.1, 0.7): "ellipk ellipe ellipd",
        (0.2, 0.8): "ellipkm1",
        (0.1, 3): "lambertw",
        (-0.3, -0.1): "lambertw_1",
    }
)
# name -> parameter, ranges of the operands
PARAMETRIC: dict[str, tuple[Any, list[tuple[float, float]]]] = {
    "spherical_j": (1, [(0.3, 4)]),
    "igamma": (0, [(0.5, 3), (0.5, 3)]),
    "igammac": (0, [(0.5, 3), (0.5, 3)]),
    "zeta": (0, [(1.5, 4), (0.5, 3)]),
    "betaln": (0, [(0.5, 3), (0.5, 3)]),
    "beta": (0, [(0.5, 3), (0.5, 3)]),
    "igammainv": (0, [(0.7, 3), (0.2, 0.8)]),
    "igammacinv": (0, [(0.7, 3), (0.2, 0.8)]),
    "ellipkinc": (0, [(0.2, 1.2), (0.2, 0.7)]),
    "owens_t": (0, [(0.2, 2), (0.2, 2)]),
    "faddeeva": (0, [(-2, 2), (0.2, 2)]),
    "ellipdinc": (0, [(0.2, 1.2), (0.2, 0.7)]),
}
# Those whose first operands have no derivative, or none beyond the first: these are integers, converted. name ->
# parameter, range of the last
BY_LAST: dict[str, tuple[Any, list[list[int]], tuple[float, float]]] = {
    "betainc": (("", 0), [[1, 2, 3, 1], [2, 2, 1, 3]], (0.2, 0.8)),
    "betaincinv": (0, [[1, 2, 3, 1], [2, 2, 1, 3]], (0.2, 0.8)),
    "hyp1f1": (("", 0), [[1, 2, -3, 1], [2, 5, 1, 3]], (-4, 4)),
    "hyp2f1": (("", 0), [[1, 2, -3, 1], [2, 1, 3, 1], [2, 5, 1, 3]], (-4, 0.9)),
    **{name: (0, [[0, 1, 2, 3]], (0.5, 4)) for name in ("jv", "yv", "iv", "kv", "ive", "kve")},
    **{
        f"polynomial:{family}": ((family, 0), [[0, 1, 3, 6]], (-0.9, 0.9))
        for family in ("chebyshev_t", "chebyshev_u", "hermite_h", "legendre_p", "laguerre_l")
    },
}


def special_samples(make: Callable[[str, tuple[int, ...], float, float], Any], sample: Callable[..., Any]) -> list[Any]:
    """The samples; make(name, shape, low, high) gives an array, sample(name, function, arrays) a Sample."""
    out = [sample(name, getattr(p, name), [make(name, (2, 3), low, high)]) for name, (low, high) in UNARY.items()]
    for name, (n, ranges) in PARAMETRIC.items():
        arrays = [make(f"{name}{i}", (4,), low, high) for i, (low, high) in enumerate(ranges)]
        out.append(sample(name, lambda *xs, name=name, n=n: getattr(p, name)(*xs, n=n), arrays))
    for name, (n, whole, (low, high)) in BY_LAST.items():
        base, _, family = name.partition(":")

        def call(*xs: Any, base: str = base, n: Any = n, turned: bool = bool(family)) -> Any:
            *first, x = xs
            converted = [p.convert(v, dtype=x.dtype) for v in first]
            return getattr(p, base)(*([x, *converted] if turned else [*converted, x]), n=n)

        out.append(sample(base, call, [*map(np.array, whole), make(name, (4,), low, high)]))
    return out
