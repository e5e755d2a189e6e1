"""A plain NumPy interpreter of programs: the oracle of the tests. It shares no code with the compiler or the rules.

Half precision is computed in float32 and rounded after every equation; bfloat16 is not supported.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.special as sp

from reference_matrices import MATRICES
from reference_special import SPECIAL
from rushlight.core.dtypes import dtype, to_numpy_dtype
from rushlight.operators.samples.vision import boxes as samples_of_boxes
from rushlight.operators.samples.vision import regions
from rushlight.program.ir import Eqn, Program
from rushlight.program.sym import Sym

Array = Any


def size_of(x: Any, sizes: Sequence[int]) -> int:
    """The value of an int or Sym when symbol i is sizes[i]."""
    if not isinstance(x, Sym):
        return int(x)
    total = 0
    for mono, c in x.terms.items():
        for a in mono:
            if a.op == "var":
                c *= sizes[a.args[0]]
            else:
                m, n = (size_of(v, sizes) for v in a.args)
                c *= {
                    "floordiv": lambda m=m, n=n: m // n,
                    "mod": lambda m=m, n=n: m % n,
                    "min": lambda m=m, n=n: min(m, n),
                    "max": lambda m=m, n=n: max(m, n),
                }[a.op]()
        total += c
    return total


def bind(program: Program, args: Sequence[Any], sizes: Sequence[int] | None = None) -> list[int]:
    """The values of the symbols: given, or found from the arguments' shapes (else the example's)."""
    if sizes is not None:
        return list(sizes)
    found = list(program.env.hints)
    for v, a in zip(program.inputs, args, strict=True):
        for n, m in zip(v.shape, np.shape(a), strict=True):
            if isinstance(n, Sym) and len(n.terms) == 1:
                ((mono, c),) = n.terms.items()
                if c == 1 and len(mono) == 1 and mono[0].op == "var":
                    found[mono[0].args[0]] = m
    return found


def evaluate(program: Program, args: Sequence[Any], sizes: Sequence[int] | None = None) -> list[Array]:
    """The outputs of a program for NumPy arrays and Python numbers.

    Raises AssertionError when an argument or a result does not have the shape or dtype that the program says.
    """
    values = bind(program, args, sizes)
    env: dict[Any, Array] = {}
    for v, a in zip(program.inputs, args, strict=True):
        env[v] = np.asarray(a, to_numpy_dtype(v.dtype))
        _check("an argument", env[v], v, values)
    for guard in program.env.guards:
        a, b = size_of(guard.lhs, values), size_of(guard.rhs, values)
        assert {"==": a == b, "<": a < b, "<=": a <= b}[guard.op] == guard.expected, f"guard {guard} does not hold"
    for e in program.eqns:
        results = run(e, [env[v] for v in e.inputs], values)
        for v, r in zip(e.outputs, results, strict=True):
            r = np.asarray(r)
            if r.dtype != to_numpy_dtype(v.dtype):
                assert v.dtype.itemsize == 2 or e.prim.name in ("abs",), f"{e.prim.name}: {r.dtype} for {v}"
                r = r.astype(to_numpy_dtype(v.dtype))
            _check(e.prim.name, r, v, values)
            env[v] = r
    return [env[v] for v in program.outputs]


def _check(what: str, a: Array, v: Any, sizes: Sequence[int]) -> None:
    shape = tuple(size_of(n, sizes) for n in v.shape)
    assert a.shape == shape, f"{what}: found shape {a.shape}, the program says {shape}"
    assert a.dtype == to_numpy_dtype(v.dtype), f"{what}: found {a.dtype}, the program says {v.dtype.name}"


def run(e: Eqn, args: list[Array], sizes: Sequence[int]) -> list[Array]:
    """One equation."""
    params = {k: _concrete(v, sizes) for k, v in e.params.items()}
    name = e.prim.name
    if e.prim.kind == "call":
        from rushlight.transforms import inline_calls

        one = Program(_env(e), e.inputs, [e], e.outputs)
        return evaluate(inline_calls(one), args, sizes)
    if name == "recurrence":
        return _recurrence(args, sizes, **e.params)
    half = [a.dtype == np.float16 for a in args]
    wide = [a.astype(np.float32) if h and name != "bitcast" else a for a, h in zip(args, half, strict=True)]
    with np.errstate(all="ignore"):
        if name in POINTWISE:
            return [POINTWISE[name](*wide, **params)]
        out = GENERAL[name](*wide, **params)
    return list(out) if isinstance(out, tuple) else [out]


def _recurrence(
    args: list[Array], sizes: Sequence[int], body: Program, counts: tuple[int, int], reverse: bool
) -> list[Array]:
    n, m = counts
    constants, rows, carried = args[:n], args[n : n + m], args[n + m :]
    length = len(rows[0])
    out: list[list[Array]] = [[] for _ in body.outputs]
    for t in reversed(range(length)) if reverse else range(length):
        made = evaluate(body, [*constants, *(a[t] for a in rows), *carried], sizes)
        carried = made[: len(carried)]
        for k, a in enumerate(made):
            out[k].insert(0 if reverse else len(out[k]), a)
    return [np.stack(a) for a in out]


def _env(e: Eqn) -> Any:
    from rushlight.program.sym import SymEnv

    for v in (*e.inputs, *e.outputs):
        for n in v.shape:
            if isinstance(n, Sym):
                return n.env
    return SymEnv()


def _concrete(x: Any, sizes: Sequence[int]) -> Any:
    if isinstance(x, Sym):
        return size_of(x, sizes)
    if isinstance(x, (tuple, list)):
        return tuple(_concrete(v, sizes) for v in x)
    return x


# -- pointwise ---------------------------------------------------------------------------------------------------------
def _sigmoid(x: Array) -> Array:
    e = np.exp(-x)
    return (1 / (1 + e)).astype(x.dtype)


def _sign(x: Array) -> Array:
    if np.iscomplexobj(x):
        r = np.abs(x)
        return np.where(r == 0, 0, x / np.where(r == 0, 1, r)).astype(x.dtype)
    return ((x > 0).astype(x.dtype) - (x < 0).astype(x.dtype)) if x.dtype != bool else x


def _convert(x: Array, dtype: dtype) -> Array:
    t = to_numpy_dtype(dtype)
    if dtype.kind == "b":
        return x != 0
    return (x.real if np.iscomplexobj(x) and dtype.kind != "c" else x).astype(t)


def _whole(fn: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda x: fn(x) if x.dtype.kind == "f" else x


def _pow(x: Array, y: Array) -> Array:
    return x**y if x.dtype.kind != "b" else (x | ~y)


POINTWISE: dict[str, Callable[..., Array]] = {
    "buffered": lambda x, free=False: np.array(x),
    "neg": np.negative,
    "abs": np.abs,
    "sign": _sign,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: (1 / np.sqrt(x)).astype(x.dtype),
    "reciprocal": lambda x: (1 / x).astype(x.dtype),
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": sp.erf,
    "erfc": sp.erfc,
    "erfinv": sp.erfinv,
    "lgamma": sp.gammaln,
    "digamma": sp.digamma,
    "polygamma": lambda x, n: sp.polygamma(n, x).astype(x.dtype),
    "sigmoid": _sigmoid,
    "floor": _whole(np.floor),
    "ceil": _whole(np.ceil),
    "round": _whole(np.round),
    "trunc": _whole(np.trunc),
    "not_": np.invert,
    "isnan": lambda x: x != x,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "floordiv": np.floor_divide,
    "rem": np.mod,
    "fmod": np.fmod,
    "pow": _pow,
    "atan2": np.arctan2,
    "max": np.maximum,
    "min": np.minimum,
    "nextafter": np.nextafter,
    "copysign": np.copysign,
    "fma": lambda x, y, z: (x.astype(np.longdouble) * y + z).astype(x.dtype),
    "and_": np.bitwise_and,
    "or_": np.bitwise_or,
    "xor": np.bitwise_xor,
    "shl": np.left_shift,
    "shr": np.right_shift,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "select": np.where,
    "convert": _convert,
    "bitcast": lambda x, dtype: x.view(to_numpy_dtype(dtype)),
    "real": lambda x: x.real.copy(),
    "imag": lambda x: x.imag.copy(),
    "conj": np.conj,
    "complex": lambda a, b: a + 1j * b.astype(np.complex128 if b.dtype == np.float64 else np.complex64),
    **SPECIAL,
}


# -- sources -----------------------------------------------------------------------------------------------------------
def _philox(seed: int, counters: Array) -> tuple[Array, Array]:
    """The first two words of Philox4x32-10 for 64-bit counters."""
    low = np.uint64(0xFFFFFFFF)
    c = [counters & low, counters >> np.uint64(32), np.zeros_like(counters), np.zeros_like(counters)]
    k0, k1 = seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> np.uint64(32)) ^ c[1] ^ np.uint64(k0), b & low, (a >> np.uint64(32)) ^ c[3] ^ np.uint64(k1), a & low]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c[0], c[1]


def _random_bits(seed: Array, offset: Array, shape: tuple[int, ...], dtype: dtype) -> Array:
    n = int(np.prod(shape))
    lo, hi = _philox(int(seed) & (2**64 - 1), np.arange(n, dtype=np.uint64) + np.uint64(int(offset) & (2**64 - 1)))
    bits = lo.astype(np.uint32) if dtype.itemsize == 4 else lo | hi << np.uint64(32)
    return bits.reshape(shape)


def _iota(shape: tuple[int, ...], dim: int, dtype: dtype) -> Array:
    along = (
        np.arange(shape[dim]).astype(to_numpy_dtype(dtype)).reshape([-1 if d == dim else 1 for d in range(len(shape))])
    )
    return np.broadcast_to(along, shape)


# -- views and index maps ----------------------------------------------------------------------------------------------
def _broadcast_in_dim(x: Array, shape: tuple[int, ...], dims: tuple[int, ...]) -> Array:
    ones = [1] * len(shape)
    for n, d in zip(x.shape, dims, strict=True):
        ones[d] = n
    return np.broadcast_to(x.reshape(ones), shape)


def _slice(x: Array, starts: tuple[int, ...], sizes: tuple[int, ...], steps: tuple[int, ...]) -> Array:
    for d, (a, m, s) in enumerate(zip(starts, sizes, steps, strict=True)):
        x = np.take(x, a + s * np.arange(m), axis=d)
    return x


def _cubic_or_triangle(t: Array, a: float, cubic: bool) -> Array:
    near, far = ((a + 2) * t - (a + 3)) * t * t + 1, ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return np.where(t < 1, near, np.where(t < 2, far, 0)) if cubic else np.maximum(1 - t, 0)


def _filters(n: int, out: int, step: float, reach: int) -> Array:
    """The weights (out, n) of filters as wide as the step."""
    t = (np.arange(n) - (np.arange(out)[:, None] + 0.5) * step + 0.5) / max(step, 1)
    if reach == 3:
        w = np.where(np.abs(t) < 3, np.sinc(t) * np.sinc(t / 3), 0)
    else:
        w = _cubic_or_triangle(np.abs(t), -0.5, reach == 2)
    return w / w.sum(1, keepdims=True)


def _resample_along(x: Array, step: Array, dim: int, size: Any, reach: int, turned: bool) -> Array:
    n, out = (int(size), x.shape[dim]) if turned else (x.shape[dim], int(size))
    w = _filters(n, out, float(step), reach)
    return np.moveaxis(np.tensordot(x, w, (dim, 0 if turned else 1)), -1, dim).astype(x.dtype)


def _resample_bytes(x: Array, *steps: Array, size: Any, reach: int, antialias: bool, corners: bool) -> Array:
    """Each dimension that changes by a matrix of weights, which are rounded to 15 bits, and then to bytes."""

    for dim in (3, 2):
        n, out = x.shape[dim], int(size[dim - 2])
        if n == out:
            continue
        step = float(steps[dim - 2]) if steps else (n - corners) / max(out - corners, 1) * (out > corners)
        o = np.arange(out)[:, None]
        if antialias:
            w = _filters(n, out, step, reach)
        else:
            at = o * step if corners else (o + 0.5) * step - 0.5
            at = at if reach == 2 else np.maximum(at, 0)
            w = np.zeros((out, n))
            for k in (-1, 0, 1, 2):  # what is beyond the border is the border
                place = np.floor(at) + k
                weight = _cubic_or_triangle(np.abs(at - place), -0.75, reach == 2)
                np.add.at(w, (o, np.clip(place, 0, n - 1).astype(int)), weight)
        bits = max(b for b in range(22) if b == 0 or w.max() * 2**b + 0.5 < 2**15)
        whole = np.trunc(w * 2**bits + np.copysign(0.5, w)).astype(np.int64)
        total = np.moveaxis(np.tensordot(x.astype(np.int64), whole, (dim, 1)), -1, dim)
        x = np.clip((total + (1 << bits >> 1)) >> bits, 0, 255).astype(np.uint8)
    return x


def _windows(x: Array, dims: Any, sizes: Any, steps: Any, dilations: Any) -> Array:
    for d, k, s, dil in zip(dims, sizes, steps, dilations, strict=True):
        count = (x.shape[d] - dil * (k - 1) - 1) // s + 1
        index = s * np.arange(count)[:, None] + dil * np.arange(k)
        x = np.moveaxis(np.take(x, index, axis=d), d + 1, -1)
    return x


def _pad(x: Array, value: Array, low: Any, high: Any, interior: Any) -> Array:
    inner = [n + max(n - 1, 0) * g for n, g in zip(x.shape, interior, strict=True)]
    out = np.full([a + n + b for a, n, b in zip(low, inner, high, strict=True)], value, x.dtype)
    out[tuple(np.s_[a : a + n : g + 1] for a, n, g in zip(low, inner, interior, strict=True))] = x
    return out


def _diag_embed(x: Array, offset: int, dim1: int, dim2: int, sizes: tuple[int, ...] = ()) -> Array:
    n = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], *(sizes or (n, n))), x.dtype)
    i = np.arange(x.shape[-1])
    out[..., i + max(-offset, 0), i + max(offset, 0)] = x
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


# -- gather, scatter ---------------------------------------------------------------------------------------------------
def _gather(x: Array, *index: Array, dims: tuple[int, ...]) -> Array:
    for i, d in zip(index, dims, strict=True):
        if np.any((i < 0) | (i >= x.shape[d])):
            raise IndexError(f"gather: index out of range for dimension {d} of size {x.shape[d]}")
    front = np.moveaxis(x, dims, range(len(dims)))
    return front[index]


def _scatter(x: Array, *rest: Array, dims: tuple[int, ...], mode: str) -> Array:
    *index, u = rest
    for i, d in zip(index, dims, strict=True):
        if np.any((i < 0) | (i >= x.shape[d])):
            raise IndexError(f"scatter: index out of range for dimension {d} of size {x.shape[d]}")
    out = x.copy()
    front = np.moveaxis(out, dims, range(len(dims)))
    combine = {"set": lambda a, b: b, "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}[mode]
    for where in np.ndindex(*index[0].shape):
        at = tuple(int(i[where]) for i in index)
        front[at] = combine(front[at], u[where])
    return out


# -- reductions and scans ----------------------------------------------------------------------------------------------
def _reduce(fn: Callable[..., Array]) -> Callable[..., Array]:
    return lambda x, dims: np.asarray(fn(x, axis=tuple(dims))).astype(x.dtype) if dims else x


def _bits(ufunc: Any) -> Callable[..., Array]:
    def go(x: Array, dims: tuple[int, ...]) -> Array:
        for d in sorted(dims, reverse=True):
            x = ufunc.reduce(x, axis=d)
        return x

    return go


def _scan(step: Callable[..., Array]) -> Callable[..., Array]:
    def go(*xs: Array, dim: int, reverse: bool) -> Array:
        moved = [np.moveaxis(x, dim, 0)[:: -1 if reverse else 1] for x in xs]
        out = np.empty_like(moved[-1])
        for k in range(out.shape[0]):
            out[k] = step(None if k == 0 else out[k - 1], *(m[k] for m in moved))
        return np.moveaxis(out[:: -1 if reverse else 1], 0, dim)

    return go


def _first(combine: Callable[..., Array]) -> Callable[..., Array]:
    return _scan(lambda before, x: x if before is None else combine(before, x))


def _weights(q: Any, k: Any, scale: Any, mask: tuple[Any, ...], causal: bool) -> tuple[Any, Any]:
    """The weights, and log-sum-exp of the scores."""
    s = q @ k.swapaxes(-1, -2) * scale
    for m in mask:
        s = np.where(m, s, -np.inf) if m.dtype == bool else s + m
    if causal:
        s = np.where(np.tri(*s.shape[-2:], dtype=bool), s, -np.inf)
    lse = np.logaddexp.reduce(s, -1)
    lse = np.where(np.isneginf(lse), np.inf, lse)
    return np.exp(s - lse[..., None]), lse


def _attention(q: Any, k: Any, v: Any, scale: Any, *mask: Any, causal: bool) -> tuple[Any, Any]:
    w, lse = _weights(q, k, scale, mask, causal)
    return (w @ v).astype(q.dtype), lse.astype(scale.dtype)


def _attention_grad(
    q: Any, k: Any, v: Any, scale: Any, grad: Any, lse: Any, delta: Any, *mask: Any, causal: bool
) -> tuple[Any, ...]:
    w, _ = _weights(q, k, scale, mask, causal)
    d = w * (grad @ v.swapaxes(-1, -2) - delta[..., None]) * scale
    results = d @ k, d.swapaxes(-1, -2) @ q, w.swapaxes(-1, -2) @ grad
    return tuple(x.astype(q.dtype) for x in results)


def _rois(at: Array, boxes: Array) -> Array:
    return np.concatenate([at[:, None].astype(boxes.dtype), boxes], 1)


def _region_average(
    x: Array, at: Array, boxes: Array, rows: int, columns: int, sampling: int, mode: str, name: str
) -> Array:
    if mode == "ps_whole":
        found: Array = regions._means(np, x, _rois(at, boxes), 1.0, rows, columns)[0]
    else:
        more = {"aligned": mode != "align", "own": mode == "ps"}
        found = regions._aligned(np, x, _rois(at, boxes), 1.0, rows, columns, sampling, **more)
    return found.astype(x.dtype)


def _region_spread(bins: Array, at: Array, boxes: Array, images: tuple[int, ...], **params: Any) -> Array:
    """By what each pixel adds to the bins."""
    out = np.zeros(images, bins.dtype)
    for place in np.ndindex(*images):
        one = np.zeros(images, bins.dtype)
        one[place] = 1
        out[place] = (bins * _region_average(one, at, boxes, **params)).sum()
    return out


def _region_largest(x: Array, at: Array, boxes: Array, rows: int, columns: int, name: str) -> tuple[Array, Array]:
    values, places = regions._largest(np, x, _rois(at, boxes), 1.0, rows, columns)
    return values.astype(x.dtype), places


def _boxes_keep(boxes: Array, threshold: Array) -> tuple[Array, Array]:
    found = samples_of_boxes._kept(np, boxes, -np.arange(len(boxes)), float(threshold))
    return np.pad(found, (0, len(boxes) - len(found))), np.array(len(found))


def _boxes_turned(a: Array, b: Array) -> Array:
    """Of rectangles that are turned by right angles."""

    def corners(box: Array) -> Array:
        x, y, w, h, angle = box
        assert angle % 90 == 0
        w, h = (w, h) if angle % 180 == 0 else (h, w)
        return np.array([x - w / 2, y - h / 2, x + w / 2, y + h / 2])

    pairs = [[samples_of_boxes._over_union(np, corners(p), corners(q)) for q in b] for p in a]
    return np.array(pairs, np.float32).reshape(len(a), len(b))


def _sort(x: Array, dim: int, descending: bool, stable: bool) -> tuple[Array, Array]:
    if descending:
        order = np.flip(x.shape[dim] - 1 - np.argsort(np.flip(x, dim), axis=dim, kind="stable"), dim)
    else:
        order = np.argsort(x, axis=dim, kind="stable")
    return np.take_along_axis(x, order, dim), order.astype(np.int64)


# -- convolution: the terms of the trilinear form, one window position at a time
# -----------------------------------------
def _terms(n: Any, out: Any, kernel: Any, stride: Any, padding: Any, dilation: Any) -> Any:
    padded = [a + q[0] + q[1] for a, q in zip(n, padding, strict=True)]
    inside = tuple(np.s_[q[0] : q[0] + a] for a, q in zip(n, padding, strict=True))
    places = []
    for k in itertools.product(*map(range, kernel)):
        places.append(
            (
                k,
                tuple(
                    np.s_[i * d : i * d + s * (m - 1) + 1 : s]
                    for i, d, s, m in zip(k, dilation, stride, out, strict=True)
                ),
            )
        )
    return padded, inside, places


def _conv_all(
    x: Array | None, w: Array | None, g: Array | None, groups: int, spatial: Any, kernel: Any, out: Any, **window: Any
) -> Array:
    padded, inside, places = _terms(spatial, out, kernel, **window)
    like = next(a for a in (x, w, g) if a is not None)
    n = (x if x is not None else g).shape[0]  # type: ignore[union-attr]
    c = x.shape[1] if x is not None else w.shape[1] * groups  # type: ignore[union-attr]
    o = w.shape[0] if w is not None else g.shape[1]  # type: ignore[union-attr]
    xp = np.zeros((n, groups, c // groups, *padded), like.dtype)
    if x is not None:
        xp[(..., *inside)] = x.reshape(n, groups, c // groups, *spatial)
    wg = (
        np.zeros((groups, o // groups, c // groups, *kernel), like.dtype)
        if w is None
        else w.reshape(groups, o // groups, c // groups, *kernel)
    )
    gg = np.zeros((n, groups, o // groups, *out), like.dtype) if g is None else g.reshape(n, groups, o // groups, *out)
    for k, place in places:
        if g is None:
            gg += np.einsum("ngc...,goc->ngo...", xp[(..., *place)], wg[(..., *k)])
        elif x is None:
            xp[(..., *place)] += np.einsum("ngo...,goc->ngc...", gg, wg[(..., *k)])
        else:
            flat = (*gg.shape[:3], -1)
            wg[(..., *k)] = np.einsum("ngos,ngcs->goc", gg.reshape(flat), xp[(..., *place)].reshape(*xp.shape[:3], -1))
    if g is None:
        return gg.reshape(n, o, *out)
    return xp[(..., *inside)].reshape(n, c, *spatial) if x is None else wg.reshape(o, c // groups, *kernel)


def _conv(x: Array, w: Array, groups: int, **window: Any) -> Array:
    out = [
        (n + q[0] + q[1] - d * (k - 1) - 1) // s + 1
        for n, k, s, q, d in zip(
            x.shape[2:], w.shape[2:], window["stride"], window["padding"], window["dilation"], strict=True
        )
    ]
    return _conv_all(x, w, None, groups, x.shape[2:], w.shape[2:], out, **window)


def _banded(b: Array, *bands: Array, dims: tuple[int, int], reverse: bool, log: bool = False) -> Array:
    b, *bands = (np.moveaxis(x, dims, (0, 1)) for x in (b, *bands))
    if reverse:
        b, *bands = (x[::-1, ::-1] for x in (b, *bands))
    y = np.array(b)
    for t in range(1, y.shape[0]):
        for s in range(y.shape[1]):
            for k, a in enumerate(bands[: s + 1]):
                y[t, s] = (
                    np.logaddexp(y[t, s], a[t, s] + y[t - 1, s - k]) if log else y[t, s] + a[t, s] * y[t - 1, s - k]
                )
    return np.moveaxis(y[::-1, ::-1] if reverse else y, (0, 1), dims)


# -- transforms, from their definitions as matrices
# -----------------------------------------------------------------------
def _along(x: Array, dim: int, matrix: Array) -> Array:
    return np.moveaxis(np.tensordot(x, matrix, (dim, 0)), -1, dim)


def _dft(n: int, inverse: bool) -> Array:
    k = np.arange(n)
    return np.exp((2j if inverse else -2j) * np.pi * np.outer(k, k) / n)


def _fft(x: Array, dims: Any, inverse: bool, scale: int) -> Array:
    y = x.astype(np.complex128)
    for d in dims:
        y = _along(y, d, _dft(x.shape[d], inverse)) / x.shape[d] ** (scale / 2)
    return y.astype(np.result_type(x, np.complex64))


def _rfft(x: Array, dims: Any, inverse: bool, scale: int) -> Array:
    return np.take(_fft(x, dims, inverse, scale), np.arange(x.shape[dims[-1]] // 2 + 1), dims[-1])


def _irfft(x: Array, dims: Any, size: int, inverse: bool, scale: int) -> Array:
    n, last = size, dims[-1]
    y = _fft(x, dims[:-1], inverse, scale).astype(np.complex128)
    once = np.zeros(n // 2 + 1)
    once[[0, n // 2] if n % 2 == 0 else [0]] = 1
    rows = _dft(n, inverse)[: n // 2 + 1] * np.where(once, 1, 2)[:, None]
    return (_along(y, last, rows).real / n ** (scale / 2)).astype(x.real.dtype)


def _trig(x: Array, dims: Any, sine: bool, type: int, scale: int) -> Array:
    y = x.astype(np.float64)
    for d in dims:
        n = x.shape[d]
        i, k = np.arange(n)[:, None], np.arange(n)[None, :]
        m, weight = 2 * n, np.full(n, 2.0)
        if type == 1:
            m = 2 * (n + 1) if sine else 2 * (n - 1)
            a = np.sin(2 * np.pi * (i + 1) * (k + 1) / m) if sine else np.cos(2 * np.pi * i * k / m)
        else:
            di, dk = {2: (0.5, 0), 3: (0, 0.5), 4: (0.5, 0.5)}[type]
            shift = [(e or 1) if sine else e for e in (di, dk)]
            a = (np.sin if sine else np.cos)(2 * np.pi * (i + shift[0]) * (k + shift[1]) / m)
        if type == 1 and not sine:
            weight[[0, -1]] = 1
        if type == 3:
            weight[-1 if sine else 0] = 1
        matrix = weight[:, None] * a
        if scale == 1:
            edge = [0, n - 1] if type == 1 and not sine else [n - 1 if sine else 0] if type in (2, 3) else []
            if type != 2:
                matrix[edge] *= np.sqrt(2)
            if type in (1, 2):
                matrix[:, edge] /= np.sqrt(2)
        y = _along(y, d, matrix) / m ** (scale / 2)
    return y.astype(x.dtype)


GENERAL: dict[str, Callable[..., Any]] = {
    "constant": lambda value, dtype: np.asarray(value).astype(to_numpy_dtype(dtype)),
    "iota": _iota,
    "random_bits": _random_bits,
    "broadcast_in_dim": _broadcast_in_dim,
    "reshape": lambda x, shape: x.reshape(shape),
    "permute": lambda x, perm: x.transpose(perm),
    "slice": _slice,
    "diagonal": lambda x, offset, dim1, dim2: np.diagonal(x, offset, dim1, dim2),
    "windows": _windows,
    "pad": _pad,
    "concatenate": lambda *xs, dim: np.concatenate(xs, dim),
    "diag_embed": _diag_embed,
    "window_sum": _reduce(np.sum),
    "window_max": _reduce(np.max),
    "window_min": _reduce(np.min),
    "reduce_sum": _reduce(np.sum),
    "reduce_prod": _reduce(np.prod),
    "reduce_max": _reduce(np.max),
    "reduce_min": _reduce(np.min),
    "reduce_and": _bits(np.bitwise_and),
    "reduce_or": _bits(np.bitwise_or),
    "reduce_xor": _bits(np.bitwise_xor),
    "argmax": lambda x, dim: np.argmax(x, dim).astype(np.int64),
    "argmin": lambda x, dim: np.argmin(x, dim).astype(np.int64),
    "gather": _gather,
    "scatter": _scatter,
    "cumsum": _first(np.add),
    "cumprod": _first(np.multiply),
    "cummax": _first(np.maximum),
    "cummin": _first(np.minimum),
    "cumlogsumexp": _first(np.logaddexp),
    "linrec": _scan(lambda before, a, b: b if before is None else a * before + b),
    "bandrec": _banded,
    "logbandrec": functools.partial(_banded, log=True),
    **MATRICES,
    "dot": lambda x, y, dtype=None: np.matmul(x, y),
    "attention": _attention,
    "attention_grad": _attention_grad,
    "region_average": _region_average,
    "region_spread": _region_spread,
    "region_largest": _region_largest,
    "boxes_keep": _boxes_keep,
    "boxes_turned": _boxes_turned,
    "resample_along": _resample_along,
    "resample_bytes": _resample_bytes,
    "sort": _sort,
    "sort_keys": lambda x, dim, count: np.take(np.sort(x, dim), range(count), dim),
    "conv": _conv,
    "fft": _fft,
    "rfft": _rfft,
    "irfft": _irfft,
    "trig": _trig,
    "conv_dx": lambda g, w, groups, in_spatial, **window: _conv_all(
        None, w, g, groups, in_spatial, w.shape[2:], g.shape[2:], **window
    ),
    "conv_dw": lambda x, g, groups, kernel, **window: _conv_all(
        x, None, g, groups, x.shape[2:], kernel, g.shape[2:], **window
    ),
}
