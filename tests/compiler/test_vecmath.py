"""The vector mathematics: error bounds, special values, and the same bits for one lane as for sixteen."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import vecmath_accuracy as accuracy
import vecmath_jit as jit

from rushlight.compiler import vecmath
from rushlight.compiler.llvm import ir, machine

# The largest error allowed, in ulp, in float and in double. docs/accuracy.md has what was measured.
BOUNDS: dict[str, tuple[float, float]] = {
    "exp": (1, 1), "exp2": (1, 1), "expm1": (1.1, 1), "log": (1, 1.1), "log2": (1.1, 1.1), "log10": (1, 1),
    "log1p": (1, 1), "sqrt": (0.5, 0.5), "rsqrt": (0.51, 0.51), "sin": (0.85, 0.8), "cos": (0.85, 0.8),
    "tan": (1.3, 1.1), "asin": (0.8, 0.7), "acos": (0.8, 0.7), "atan": (1.35, 1.1), "atan2": (1.4, 1.1),
    "sinh": (1, 1), "cosh": (1, 1), "tanh": (0.7, 1.4), "asinh": (0.8, 0.8), "acosh": (1, 1), "atanh": (0.8, 0.8),
    "erf": (0.75, 1.1), "erfc": (0.52, 0.7), "erfinv": (0.9, 1.2), "pow": (0.6, 0.7), "sigmoid": (0.9, 0.9),
    "hypot": (0.51, 0.6), "i0": (0.51, 0.8), "i0e": (0.51, 0.8), "i1": (0.51, 0.8), "i1e": (0.51, 0.8),
    "k0": (0.51, 0.7), "k0e": (0.51, 0.7), "k1": (0.51, 0.7), "k1e": (0.51, 0.7), "j0": (0.51, 1.95), "j1": (0.51,
    1.95),
    "y0": (0.51, 1.95), "y1": (0.51, 1.95), "airy_ai": (0.51, 2), "airy_ai_prime": (0.51, 2),
    "ellipk": (0.51, 0.6), "ellipe": (0.51, 0.6), "ellipd": (0.51, 0.6), "ellipkm1": (0.51, 0.6), "lambertw": (0.51, 2),
    "lambertw_1": (0.51, 4),
    "erfcx": (0.51, 0.7), "ndtr": (0.51, 0.9), "ndtri": (0.51, 1.4),
}  # fmt: skip
# Compared on x > 0; on the negative axis, near the zeros there, the bound is on the absolute error.
GAMMA: dict[str, tuple[float, float]] = {"lgamma": (0.51, 0.9), "digamma": (0.52, 1.3)}
EXACT = ("floor", "ceil", "trunc", "round", "copysign", "fmod")

INF, NAN = math.inf, math.nan


def test_every_function_is_bounded() -> None:
    assert set(BOUNDS) | set(GAMMA) | set(EXACT) | {"nextafter"} == vecmath.SUPPORTED


@pytest.mark.parametrize("name", [*BOUNDS, *EXACT])
def test_float_error(name: str) -> None:
    args = accuracy.samples32(name, vecmath.arity(name))
    if name.startswith("airy"):  # further down the phase has no digit left, in double precision either
        args = [args[0][args[0] > -(2.0**34)]]
    errors = accuracy.ulp_errors32(name, jit.compiled(name)(*args), args)
    assert errors.max() <= BOUNDS.get(name, (0.0, 0.0))[0], [float(a[errors.argmax()]) for a in args]


@pytest.mark.parametrize("name", BOUNDS)
def test_double_error(name: str) -> None:
    # mpmath is slow at these
    args = accuracy.samples64(name, vecmath.arity(name), 100 if name in accuracy.TABLED else 400)
    errors = accuracy.ulp_errors64(name, jit.compiled(name, True)(*args), args)
    assert errors.max() <= BOUNDS[name][1], [float(a[errors.argmax()]) for a in args]


@pytest.mark.parametrize("name", GAMMA)
@pytest.mark.parametrize("double", [False, True])
def test_gamma_functions(name: str, double: bool) -> None:
    errors_of = accuracy.ulp_errors64 if double else accuracy.ulp_errors32
    (x,) = accuracy.samples64(name, 1, 400) if double else accuracy.samples32(name, 1)
    positive = x[x > 0]
    errors = errors_of(name, jit.compiled(name, double)(positive), [positive])
    assert errors.max() <= GAMMA[name][double], float(positive[errors.argmax()])
    negative = np.random.default_rng(3).uniform(-20, 0, 1000).astype(x.dtype)
    got = jit.compiled(name, double)(negative)
    ulps = errors_of(name, got, [negative])
    eps = np.finfo(x.dtype).eps
    slope = np.abs(negative) * 40 + np.abs(got)  # the size of the terms that cancel
    assert (ulps * np.spacing(np.abs(got)) <= 8 * eps * slope).all()


@pytest.mark.parametrize("double", [False, True])
def test_fmod_double_and_subnormal(double: bool) -> None:
    dtype = np.float64 if double else np.float32
    info = np.finfo(dtype)
    least = info.smallest_subnormal
    values = [info.max, 1e30, 3.0, 1.0, 0.7, 1e-30, info.tiny, info.tiny / 8, least, 17 * least]
    pairs = np.array(list(itertools.product(values, values)), dtype)
    expected = [math.fmod(float(a), float(b)) for a, b in pairs]
    assert jit.compiled("fmod", double)(pairs[:, 0], pairs[:, 1]).tolist() == expected


def special_values(dtype: type) -> np.ndarray:
    info = np.finfo(dtype)
    base = [0.0, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 7.999, 8, 10, 88.9, 104, 709.9, 745.2, 1000, 1e-20, 2.0**23 +
    1,
            2.0**24, 2.0**52 + 1, 2.0**53, 1 - info.epsneg, 1 + info.eps, info.tiny, info.tiny / 2, info.max,
            info.smallest_subnormal, 3 * info.smallest_subnormal, INF]  # fmt: skip
    return np.array(base + [-x for x in base] + [NAN], dtype)


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("name", sorted(vecmath.SUPPORTED))
def test_one_lane_gives_the_same_bits(name: str, double: bool) -> None:
    values = special_values(np.float64 if double else np.float32)
    rng = np.random.default_rng(5)
    values = np.concatenate([values, rng.normal(0, 10, 300).astype(values.dtype)])
    args = [values] if vecmath.arity(name) == 1 else list(np.array(list(itertools.product(values[:90], values[:90]))).T)
    wide, single = jit.compiled(name, double, 16)(*args), jit.compiled(name, double, 1)(*args)
    bits = np.uint64 if double else np.uint32
    assert ((wide.view(bits) == single.view(bits)) | (np.isnan(wide) & np.isnan(single))).all()


@pytest.mark.parametrize("name", ["tanh", "erf", "erfinv", "sigmoid"])
def test_every_way_of_picking_coefficients_gives_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Functions on segments on a processor without AVX-512."""
    (values,) = accuracy.samples32(name, 1)
    usual = jit.compiled(name)(values)
    monkeypatch.setattr(machine, "masks", lambda: False)
    for lanes in (16, 32):
        module = jit.build(lambda b, args: [vecmath.emit(name, b, args)], False, lanes, 1, 1)
        got = jit.Compiled(module, False, lanes, 1, 1)(values)
        assert ((usual.view(np.uint32) == got.view(np.uint32)) | (np.isnan(usual) & np.isnan(got))).all()


# (function, argument, result): ISO C99 Annex F, and by continuity for the functions that it does not name.
SPECIAL = [
    ("exp", 0.0, 1.0), ("exp", -INF, 0.0), ("exp", INF, INF), ("exp", 1e5, INF), ("exp", -1e5, 0.0),
    ("exp2", 10.0, 1024.0), ("exp2", -INF, 0.0), ("expm1", -0.0, -0.0), ("expm1", -INF, -1.0), ("expm1", INF, INF),
    ("log", 0.0, -INF), ("log", -0.0, -INF), ("log", 1.0, 0.0), ("log", -1.0, NAN), ("log", INF, INF),
    ("log2", 8.0, 3.0), ("log2", 0.0, -INF), ("log10", 1.0, 0.0), ("log10", -1.0, NAN), ("log10", INF, INF),
    ("log1p", -0.0, -0.0), ("log1p", -1.0, -INF), ("log1p", -2.0, NAN), ("log1p", INF, INF),
    ("sqrt", -0.0, -0.0), ("sqrt", -1.0, NAN), ("rsqrt", 0.0, INF), ("rsqrt", INF, 0.0), ("rsqrt", -1.0, NAN),
    ("sin", -0.0, -0.0), ("sin", INF, NAN), ("cos", 0.0, 1.0), ("cos", -INF, NAN), ("tan", -0.0, -0.0), ("tan", INF,
    NAN),
    ("asin", -0.0, -0.0), ("asin", 1.5, NAN), ("acos", 1.0, 0.0), ("acos", -1.5, NAN), ("atan", -0.0, -0.0),
    ("sinh", -0.0, -0.0), ("sinh", -INF, -INF), ("cosh", -INF, INF), ("tanh", -0.0, -0.0), ("tanh", INF, 1.0),
    ("tanh", -INF, -1.0), ("asinh", -0.0, -0.0), ("asinh", -INF, -INF), ("acosh", 1.0, 0.0), ("acosh", 0.5, NAN),
    ("acosh", INF, INF), ("atanh", -0.0, -0.0), ("atanh", 1.0, INF), ("atanh", -1.0, -INF), ("atanh", 2.0, NAN),
    ("erf", -0.0, -0.0), ("erf", INF, 1.0), ("erf", -INF, -1.0), ("erfc", INF, 0.0), ("erfc", -INF, 2.0),
    ("erfinv", -0.0, -0.0), ("erfinv", 1.0, INF), ("erfinv", -1.0, -INF), ("erfinv", 1.5, NAN),
    ("lgamma", 1.0, 0.0), ("lgamma", 2.0, 0.0), ("lgamma", 0.0, INF), ("lgamma", -3.0, INF), ("lgamma", INF, INF),
    ("lgamma", -INF, INF), ("digamma", 0.0, -INF), ("digamma", -0.0, INF), ("digamma", -2.0, NAN), ("digamma", INF,
    INF),
    ("digamma", -INF, NAN), ("sigmoid", -INF, 0.0), ("sigmoid", INF, 1.0), ("sigmoid", 0.0, 0.5),
    ("floor", -0.5, -1.0), ("ceil", -0.5, -0.0), ("trunc", -0.5, -0.0), ("round", 2.5, 2.0), ("round", -0.5, -0.0),
    ("i0", INF, INF), ("i1", -INF, -INF), ("i1", -0.0, -0.0), ("j0", 0.0, 1.0), ("j0", -INF, 0.0), ("j1", -0.0, -0.0),
    ("j1", INF, 0.0),
    ("y0", 0.0, -INF), ("y0", -1.0, NAN), ("y0", INF, 0.0), ("y1", 0.0, -INF), ("y1", -0.5, NAN), ("y1", INF, 0.0),
    ("k0", 0.0, INF), ("k0", -1.0, NAN), ("k0", INF, 0.0), ("k1", 0.0, INF), ("k1", INF, 0.0), ("k0e", 0.0, INF),
    ("k0e", INF, 0.0),
    ("k1e", 0.0, INF), ("k1e", -2.0, NAN), ("k1e", INF, 0.0), ("airy_ai", INF, 0.0), ("airy_ai", -INF, 0.0),
    ("airy_ai_prime", -INF, NAN),
    ("ellipk", 1.0, INF), ("ellipk", 1.5, NAN), ("ellipk", -INF, 0.0), ("ellipe", 1.0, 1.0), ("ellipe", 2.0, NAN),
    ("ellipe", -INF, INF),
    ("ellipkm1", 0.0, INF), ("ellipkm1", -1.0, NAN), ("lambertw", -0.0, -0.0), ("lambertw", INF, INF), ("lambertw",
    -1.0, NAN),
    ("lambertw_1", 0.0, -INF), ("lambertw_1", 1.0, NAN),
    ("erfcx", 0.0, 1.0), ("erfcx", INF, 0.0), ("erfcx", -INF, INF), ("ndtr", -INF, 0.0), ("ndtr", INF, 1.0), ("ndtr",
    0.0, 0.5),
    ("ndtri", 0.0, -INF), ("ndtri", 1.0, INF), ("ndtri", 0.5, 0.0), ("ndtri", 1.5, NAN), ("ndtri", -0.5, NAN),
    ("i0e", 0.0, 1.0), ("i0e", INF, 0.0), ("i1e", -0.0, -0.0), ("i1e", INF, 0.0),
]  # fmt: skip


@pytest.mark.parametrize("double", [False, True])
def test_special_values(double: bool) -> None:
    dtype = np.float64 if double else np.float32
    wrong = []
    for name, x, expected in SPECIAL:
        got = float(jit.compiled(name, double)(np.array([x], dtype))[0])
        near = math.isfinite(expected) and expected != 0 and abs(got - expected) <= np.finfo(dtype).eps * abs(expected)
        same = got == expected and math.copysign(1, got) == math.copysign(1, expected)
        if not (near or same or (math.isnan(got) and math.isnan(expected))):
            wrong.append((name, x, got, expected))
    assert not wrong
    for name in sorted(vecmath.SUPPORTED - vecmath.BINARY):
        assert np.isnan(jit.compiled(name, double)(np.array([NAN], dtype))[0]), name


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("name", ["pow", "atan2", "hypot", "copysign", "nextafter", "fmod"])
def test_special_pairs(name: str, double: bool) -> None:
    """Every pair of special values, against the C library through NumPy."""
    dtype = np.float64 if double else np.float32
    values = special_values(dtype)
    pairs = np.array(list(itertools.product(values, values)), dtype)
    x, y = pairs[:, 0].copy(), pairs[:, 1].copy()
    got = jit.compiled(name, double)(x, y)
    reference = {"atan2": "arctan2", "pow": "power"}.get(name, name)
    with np.errstate(all="ignore"):
        wide = np.float64 if name != "nextafter" else dtype
        expected = getattr(np, reference)(x.astype(wide), y.astype(wide)).astype(dtype)
        close = np.isfinite(got) & np.isfinite(expected) & (np.abs(got - expected) <= np.spacing(np.abs(expected)))
    same = (got == expected) & (np.signbit(got) == np.signbit(expected)) | (np.isnan(got) & np.isnan(expected))
    ok = same | (close & (np.signbit(got) == np.signbit(expected)) if name in ("pow", "atan2", "hypot") else False)
    assert ok.all(), np.stack([x[~ok], y[~ok], got[~ok], expected[~ok]], -1)[:8].tolist()


@pytest.mark.parametrize("double", [False, True])
def test_no_calls(double: bool) -> None:
    """The machine code calls nothing: no mathematics library, no helper of the compiler's runtime."""
    for name in sorted(vecmath.SUPPORTED):
        code = jit.compiled(name, double).assembly()
        assert "call" not in code, name


def test_errors() -> None:
    types = [ir.F32, ir.F64, ir.I32]
    module = ir.Module()
    function = ir.Function(module, ir.VOID, types, "f")
    b = ir.IRBuilder(function)
    x, y, n = function.args
    with pytest.raises(NotImplementedError, match="no function named 'gamma'"):
        vecmath.emit("gamma", b, [x])
    with pytest.raises(TypeError, match="exp takes 1 arguments; found 2"):
        vecmath.emit("exp", b, [x, x])
    with pytest.raises(TypeError, match="pow takes arguments of one type; found float, double"):
        vecmath.emit("pow", b, [x, y])
    with pytest.raises(TypeError, match="expected float or double lanes; found i32"):
        vecmath.emit("exp", b, [n])
