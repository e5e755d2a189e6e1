"""References and samples for complex vector mathematics: the error |got - exact| in units of eps |exact|, against
mpmath.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import mpmath as mp
import numpy as np
import vecmath_jit as jit

from rushlight.compiler import vecmath
from rushlight.compiler.vecmath import complex_functions

REFERENCE: dict[str, Any] = {
    "mul": lambda z, w: z * w, "div": lambda z, w: z / w, "reciprocal": lambda z: 1 / z, "abs": abs, "angle": mp.arg,
    "exp": mp.exp, "exp2": lambda z: mp.exp(z * mp.log(2)), "expm1": mp.expm1, "log": mp.log,
    "sigmoid": lambda z: 1 / (1 + mp.exp(-z)), "log2": lambda z: mp.log(z) / mp.log(2), "log10": mp.log10,
    "log1p": mp.log1p, "sqrt": mp.sqrt, "rsqrt": lambda z: 1 / mp.sqrt(z), "pow": lambda z, w: mp.exp(w * mp.log(z)),
    "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "sinh": mp.sinh, "cosh": mp.cosh, "tanh": mp.tanh, "asin": mp.asin,
    "acos": mp.acos, "atan": mp.atan, "asinh": mp.asinh, "acosh": mp.acosh, "atanh": mp.atanh,
}  # fmt: skip


class Compiled:
    """The loop over `emit_complex(name, ...)`, called with complex arrays."""

    def __init__(self, name: str, double: bool, lanes: int) -> None:
        self.count = 2 if name in complex_functions.BINARY else 1
        real = name in complex_functions.REAL_RESULT

        def emit(b: Any, parts: list[Any]) -> list[Any]:
            out = vecmath.emit_complex(name, b, _pairs(parts))
            return [out] if real else list(out)

        outputs = 1 if real else 2
        self.real = real
        module = jit.build(emit, double, lanes, 2 * self.count, outputs)
        self.loop = jit.Compiled(module, double, lanes, 2 * self.count, outputs)

    def __call__(self, *zs: np.ndarray) -> np.ndarray:
        out = self.loop(*[part for z in zs for part in (z.real, z.imag)])
        if self.real:
            return out
        z = np.empty(out[0].size, np.complex128 if out[0].dtype == np.float64 else np.complex64)
        z.real, z.imag = out
        return z


def _pairs(parts: list[Any]) -> list[tuple[Any, Any]]:
    return list(zip(parts[::2], parts[1::2], strict=True))


@functools.cache
def compiled(name: str, double: bool, lanes: int = 16) -> Compiled:
    return Compiled(name, double, lanes)


@functools.cache
def samples(double: bool) -> np.ndarray:
    """Points all over the plane and close to 0, 1, i, the unit circle, both axes and multiples of i pi / 2."""
    rng = np.random.default_rng(9)
    n = 60

    def c(x: Any, y: Any) -> np.ndarray:
        return np.asarray(x) + 1j * np.asarray(y)

    def signs(size: int) -> np.ndarray:
        return rng.choice([-1.0, 1.0], size)

    def spread(low: float, high: float) -> np.ndarray:
        return signs(n) * 2.0 ** rng.uniform(low, high, n)

    top = 1020 if double else 126
    small = 60 if double else 26
    circle = np.exp(1j * rng.uniform(-np.pi, np.pi, n))
    near = c(spread(-small, -1), spread(-small, -1))
    quarter = 1j * np.pi / 2 * rng.integers(-6, 7, n)
    sets = [
        c(rng.normal(0, 1, n), rng.normal(0, 1, n)), c(rng.normal(0, 30, n), rng.normal(0, 30, n)),
        c(spread(-top, top), spread(-top, top)), c(spread(-8, 8), spread(-8, 8)), circle, circle * (1 + spread(-small,
        -2)),
        near, near + 1, near - 1, near + 1j, near - 1j, near + quarter, near - quarter * 1j, near - 2,
        c(spread(-2, 2), spread(-top, -small)), c(spread(-top, -small), spread(-2, 2)),
        c(signs(n), spread(-top, -small)), c(spread(top - 3, top + 2), spread(top - 3, top + 2)),
        c(spread(-top - 20, 4 - top), spread(-top - 20, 4 - top)),
    ]  # fmt: skip
    z = np.concatenate(sets)
    with np.errstate(over="ignore"):
        z = z if double else z.astype(np.complex64)
    z = z[(z.real != 0) & (z.imag != 0)]  # on the axes the sign of a zero decides: tested below
    return z[np.isfinite(z)]


def errors(name: str, double: bool) -> tuple[np.ndarray, list[np.ndarray]]:
    z = samples(double)
    args = [z]
    if name in complex_functions.BINARY:
        rng = np.random.default_rng(4)
        args.append(rng.permutation(z))
        if name == "pow":
            args = [z, (rng.normal(0, 3, z.size) + 1j * rng.normal(0, 3, z.size)).astype(z.dtype)]
    got = compiled(name, double)(*args)
    info = np.finfo(z.real.dtype)
    out = np.zeros(z.size)
    for i, g in enumerate(got.tolist()):
        zs = [complex(a[i]) for a in args]
        if name in ("exp", "exp2", "expm1", "sinh", "cosh", "sigmoid", "sin", "cos", "tan", "tanh"):
            growth = abs(zs[0].imag if name in ("sin", "cos", "tan") else zs[0].real)
            # 2^iy turns at a rate that no double word holds
            if growth > 3000 or name == "exp2" and abs(zs[0].imag) > 1e6:
                continue
        need = max(0, *(math.frexp(part)[1] for w in zs for part in (w.real, w.imag)))
        deep = max(0, *(-math.frexp(part)[1] for w in zs for part in (w.real, w.imag)))
        with mp.workprec(150 + 2 * need + 2 * deep):
            exact = REFERENCE[name](*[mp.mpc(w) for w in zs])
            size = abs(exact)
            if name == "mul":
                size = abs(mp.mpc(zs[0])) * abs(mp.mpc(zs[1]))
            if max(abs(mp.re(exact)), abs(mp.im(exact)), size if name == "mul" else 0) > mp.mpf(float(info.max)) * 0.99:
                continue
            if not (math.isfinite(g.real) and math.isfinite(g.imag)):
                out[i] = np.inf
                continue
            scale = size * float(info.eps)
            if name == "pow":  # the condition of e^(w log z)
                scale *= 1 + (abs(mp.mpc(zs[1]) * mp.log(mp.mpc(zs[0]))) if double else 0)
            out[i] = float(abs(mp.mpc(g) - exact) / max(scale, 2 * mp.mpf(float(info.smallest_subnormal))))
    return out, args
