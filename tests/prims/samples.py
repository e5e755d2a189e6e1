"""Inputs that exercise every primitive: a function over Vars, and NumPy operands of a few shapes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rushlight import prims as p
from rushlight.core import dtypes as dt
from rushlight.prims.emit import trace

from samples_matrices import matrices  # isort: skip
from special_samples import by_name, special_samples  # isort: skip

Array = Any


@dataclass
class Sample:
    """fn(*vars) -> Var or tuple; `smooth` says whether finite differences mean something at the operands."""

    name: str
    fn: Callable[..., Any]
    args: list[Array]
    smooth: bool = True
    batched: tuple[bool, ...] | None = None  # which operands can be batched; None for all
    tags: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"{self.name}-{'x'.join(map(str, np.shape(self.args[0]))) if self.args else 'none'}"


def _rng(name: str) -> np.random.Generator:
    return np.random.default_rng(sum(map(ord, name)))


def _real(name: str, shape: tuple[int, ...], low: float, high: float) -> Array:
    return _rng(name).uniform(low, high, shape)


def _complex(name: str, shape: tuple[int, ...]) -> Array:
    r = _rng(name)
    return r.uniform(0.2, 1.5, shape) + 1j * r.uniform(0.2, 1.5, shape)


UNARY = by_name(
    {
        (-2, 2): "neg exp exp2 expm1 sinh cosh tanh asinh erf erfc",
        (0.3, 2): "abs sign",
        (0.3, 3): "log log2 log10 sqrt rsqrt reciprocal",
        (-0.5, 3): "log1p",
        (-3, 3): "sin cos atan sigmoid",
        (-1, 1): "tan",
        (-0.8, 0.8): "asin acos atanh erfinv",
        (1.3, 3): "acosh",
        (0.5, 4): "lgamma digamma",
        (0.1, 0.9): "floor ceil trunc",
        (0.6, 1.4): "round",
    }
)
HOLOMORPHIC = [
    "neg",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "sigmoid",
]
NUMPY_HAS_NO_COMPLEX = {"expm1", "log1p", "sigmoid", "exp2", "log2", "log10"}
BINARY = by_name({(-2, 2): "add sub mul max min", (0.4, 2): "div pow atan2 copysign floordiv rem fmod"})
INTEGER = ["not_"]
INTEGER2 = ["and_", "or_", "xor", "shl", "shr", "floordiv", "rem", "fmod", "add", "mul", "max"]
COMPARE = ["eq", "ne", "lt", "le", "gt", "ge"]


def _pointwise() -> list[Sample]:
    out = []
    for name, (low, high) in UNARY.items():
        out.append(Sample(name, getattr(p, name), [_real(name, (3, 4), low, high)]))
    for name in HOLOMORPHIC + ["abs", "sign", "real", "imag", "conj"]:
        out.append(Sample(name, getattr(p, name), [_complex(name, (5,))], tags={"complex": True}))
    for name, (low, high) in BINARY.items():
        out.append(
            Sample(name, getattr(p, name), [_real(name, (3, 4), low, high), _real(name + "2", (3, 4), low, high)])
        )
    for name in ("add", "sub", "mul", "div", "pow"):
        out.append(
            Sample(name, getattr(p, name), [_complex(name, (5,)), _complex(name + "2", (5,))], tags={"complex": True})
        )
    ints = np.array([[5, -3, 7], [2, 9, -8]]), np.array([[2, 3, 1], [5, 2, 4]])
    out.append(Sample("fma", p.fma, [_real(c, (3, 4), -2, 2) for c in "abc"]))
    out += [Sample(name, getattr(p, name), [ints[0]]) for name in INTEGER]
    out += [Sample(name, getattr(p, name), list(ints)) for name in INTEGER2]
    out += [Sample(name, getattr(p, name), [_real("c", (2, 3), -1, 1), _real("d", (2, 3), -1, 1)]) for name in COMPARE]
    out += [
        Sample("isnan", p.isnan, [np.array([1.0, np.nan, np.inf])], smooth=False),
        Sample(
            "nextafter",
            p.nextafter,
            [np.array([1.0, 2.0]), np.array([2.0, 0.0])],
            smooth=False,
            tags={"no_derivative": True},
        ),
        Sample("polygamma", lambda x: p.polygamma(x, n=1), [_real("pg", (4,), 0.5, 4)]),
        Sample("polygamma", lambda x: p.polygamma(x, n=3), [_real("pg", (2, 2), 0.8, 4)]),
        Sample(
            "select",
            p.select,
            [np.array([[True, False, True]] * 2), _real("a", (2, 3), -1, 1), _real("b", (2, 3), -1, 1)],
        ),
        Sample("convert", lambda x: p.convert(p.mul(x, x), dtype=dt.complex128), [_real("a", (2, 3), -1, 1)]),
        Sample("convert", lambda x: p.convert(p.mul(x, x), dtype=dt.float64), [_complex("a", (4,))]),
        Sample("convert", lambda x: p.convert(x, dtype=dt.int64), [_real("a", (2, 3), -9, 9)]),
        Sample("convert", lambda x: p.convert(x, dtype=dt.bool_), [_real("a", (2, 3), -9, 9)]),
        Sample("bitcast", lambda x: p.bitcast(x, dtype=dt.int64), [_real("a", (2, 3), -9, 9)]),
        Sample("complex", p.complex, [_real("a", (2, 3), -1, 1), _real("b", (2, 3), -1, 1)]),
        # A scalar shape, and a size 1.
        Sample("exp", p.exp, [np.array(0.5)]),
        Sample("mul", p.mul, [_real("a", (1, 3), -1, 1), _real("b", (1, 3), -1, 1)]),
    ]
    return out


def _sources() -> list[Sample]:
    def bits(t: dt.dtype) -> Callable[..., Any]:
        return lambda seed, offset, x: p.random_bits(seed, offset, shape=x.shape, dtype=t)

    seed = [np.array(2**40 + 17), np.array(5), np.zeros((3, 5))]
    shared = (False, False, True)
    return [
        Sample("constant", lambda x: p.mul(x, p.full_like(x, 2.5)), [_real("a", (2, 3), -1, 1)]),
        Sample("iota", lambda x: p.mul(x, p.iota(shape=x.shape, dim=1, dtype=dt.float64)), [_real("a", (2, 3), -1, 1)]),
        Sample("random_bits", bits(dt.uint32), seed, batched=shared),
        Sample("random_bits", bits(dt.uint64), seed, batched=shared),
    ]


def _views() -> list[Sample]:
    a, z, line = _real("v", (3, 4, 5), -1, 1), _complex("v", (2, 3)), _real("l", (9,), -1, 1)

    def s(name: str, fn: Callable[..., Any], *args: Array) -> Sample:
        return Sample(name, fn, list(args))

    def windows(dims: Any, sizes: Any, steps: Any, dilations: Any) -> Callable[..., Any]:
        return lambda x: p.windows(x, dims=dims, sizes=sizes, steps=steps, dilations=dilations)

    def cut(starts: Any, sizes: Any, steps: Any) -> Callable[..., Any]:
        return lambda x: p.slice(x, starts=starts, sizes=sizes, steps=steps)

    return [
        s(
            "broadcast_in_dim",
            lambda x: p.broadcast_in_dim(x, shape=(2, 3, x.shape[1]), dims=(1, 2)),
            _real("b", (1, 4), -1, 1),
        ),
        s("broadcast_in_dim", lambda x: p.broadcast_in_dim(x, shape=(2, *x.shape), dims=(1, 2)), z),
        s("reshape", lambda x: p.reshape(x, shape=(x.shape[0] * x.shape[1], x.shape[2])), a),
        s("reshape", lambda x: p.reshape(x, shape=(x.shape[2], 1, x.shape[0] * x.shape[1])), a),
        s("permute", lambda x: p.permute(x, perm=(2, 0, 1)), a),
        s("slice", cut((1, 0, 0), (2, 2, 3), (1, 2, 2)), a),
        s("slice", cut((2, 3, 4), (3, 2, 2), (-1, -2, -3)), a),
        s("slice", cut((0, 1, 0), (3, 0, 5), (1, 2, 1)), a),
        s("slice", lambda x: cut((x.shape[0] - 1,), x.shape, (-1,))(x), line),
        s("diagonal", lambda x: p.diagonal(x, offset=0, dim1=0, dim2=1), a),
        s("diagonal", lambda x: p.diagonal(x, offset=2, dim1=2, dim2=0), a),
        s("diagonal", lambda x: p.diagonal(x, offset=-1, dim1=1, dim2=2), a),
        s("diagonal", lambda x: p.diagonal(x, offset=1, dim1=0, dim2=1), z),
        s("windows", windows((0,), (3,), (1,), (1,)), line),
        s("windows", windows((0,), (2,), (2,), (1,)), line),
        s("windows", windows((0,), (2,), (4,), (1,)), line),
        s("windows", windows((0,), (3,), (2,), (2,)), line),
        s("windows", windows((2, 0), (2, 2), (1, 1), (2, 1)), a),
        s("windows", windows((1,), (1,), (1,), (1,)), a),
        s("windows", lambda x: windows((0,), (x.shape[0] - 3,), (1,), (1,))(x), line),
        s("windows", windows((0,), (17,), (3,), (1,)), _real("w", (30,), -1, 1)),
    ]


def _index() -> list[Sample]:
    a, v = _real("i", (3, 4), -1, 1), np.array(0.7)
    pad = {"low": (1, 0), "high": (0, 2), "interior": (0, 1)}
    x3 = [_real(str(n), (2, n), -1, 1) for n in (2, 3, 4)]
    return [
        Sample("pad", lambda x, w: p.pad(x, w, **pad), [a, v]),
        Sample(
            "pad", lambda x, w: p.pad(x, w, low=(0,), high=(x.shape[0],), interior=(2,)), [_real("p", (3,), -1, 1), v]
        ),
        Sample("concatenate", lambda *xs: p.concatenate(*xs, dim=1), x3),
        Sample("concatenate", lambda x, y: p.concatenate(x, y, dim=0), [x3[0], _real("z", (3, 2), -1, 1)]),
        Sample("diag_embed", lambda x: p.diag_embed(x, offset=0, dim1=0, dim2=1), [_real("d", (4,), -1, 1)]),
        Sample("diag_embed", lambda x: p.diag_embed(x, offset=2, dim1=2, dim2=0), [a]),
        Sample("diag_embed", lambda x: p.diag_embed(x, offset=-1, dim1=0, dim2=2), [_complex("d", (2, 3))]),
    ]


def _reductions() -> list[Sample]:
    a = _rng("r").permutation(24).reshape(2, 3, 4) * 0.17 - 1.6
    out = []
    for name in ("window_sum", "window_max", "window_min"):
        # less than a vector of windows, and vectors and a rest; by themselves and of something computed
        for columns in (5, 40):
            out.append(
                Sample(
                    name,
                    lambda x, prim=name: getattr(p, prim)(
                        p.windows(x, dims=(1,), sizes=(3,), steps=(2,), dilations=(1,)), dims=(2,)
                    ),
                    [_real("w", (2, 2 * columns + 2), -1, 1)],
                )
            )
        out.append(
            Sample(
                name,
                lambda x, prim=name: getattr(p, prim)(
                    p.exp(p.windows(x, dims=(0, 1), sizes=(2, 2), steps=(1, 1), dilations=(1, 2))), dims=(2, 3)
                ),
                [_real("w", (4, 21), -1, 1)],
            )
        )
    for name in ("reduce_sum", "reduce_prod", "reduce_max", "reduce_min"):
        for dims in ((), (1,), (0, 2), (0, 1, 2)):
            out.append(Sample(name, lambda x, prim=name, dims=dims: getattr(p, prim)(x, dims=dims), [a]))
    out.append(Sample("reduce_sum", lambda x: p.reduce_sum(x, dims=(0,)), [np.ones((1, 3))]))
    out += [
        Sample(name, lambda x, prim=name: getattr(p, prim)(x, dims=(0,)), [_complex("r", (3, 2))])
        for name in ("reduce_sum", "reduce_prod")
    ]
    zeros = a.copy()
    zeros[0, 0, 1] = zeros[1, 2, 3] = zeros[1, 2, 0] = 0.0
    out.append(Sample("reduce_prod", lambda x: p.reduce_prod(x, dims=(2,)), [zeros]))
    ints, bools = np.arange(12).reshape(3, 4), np.array([[True, False], [True, True]])
    for name in ("reduce_and", "reduce_or", "reduce_xor"):
        out += [Sample(name, lambda x, prim=name: getattr(p, prim)(x, dims=(1,)), [v]) for v in (ints, bools)]
    for name in ("argmax", "argmin"):
        out.append(Sample(name, lambda x, prim=name: getattr(p, prim)(x, dim=1), [a]))
    out.append(Sample("argmax", lambda x: p.argmax(x, dim=0), [np.array([1.0, np.nan, 3.0, np.nan])], smooth=False))
    return out


def _gathers() -> list[Sample]:
    a, i, j = _real("g", (4, 3, 5), 0.5, 2), np.array([[0, 3], [2, 0], [1, 1]]), np.array([[1, 2], [0, 1], [2, 2]])
    out = [
        Sample("gather", lambda x, i: p.gather(x, i, dims=(0,)), [a, i]),
        Sample("gather", lambda x, i: p.gather(x, i, dims=(2,)), [a, i]),
        Sample("gather", lambda x, i, j: p.gather(x, i, j, dims=(0, 1)), [a, i, j]),
        Sample("gather", lambda x, i, j: p.gather(x, j, i, dims=(1, 0)), [a, i, j]),
        Sample("gather", lambda x, i: p.gather(x, i, dims=(0,)), [a[:, 0, 0], np.array(2)]),
        Sample("gather", lambda x, i, j: p.gather(x, i, j, dims=(0, 2)), [_complex("g", (4, 2, 3)), i, j]),
    ]
    for mode in ("set", "add", "mul", "max", "min"):
        one = np.array([2, 0]) if mode == "set" else np.array([2, 0, 2])
        two = np.array([1, 1]) if mode == "set" else np.array([1, 0, 1])
        n = len(one)
        fn = lambda x, i, u, mode=mode: p.scatter(x, i, u, dims=(1,), mode=mode)
        out.append(Sample("scatter", fn, [_real("s", (2, 3), 0.5, 2), one, _real("u" + mode, (n, 2), 0.5, 2)]))
        fn2 = lambda x, i, j, u, mode=mode: p.scatter(x, i, j, u, dims=(0, 1), mode=mode)
        out.append(Sample("scatter", fn2, [a, one, two, _real("t" + mode, (n, 5), 0.5, 2)]))
    return out


def _scans() -> list[Sample]:
    a = _rng("c").permutation(12).reshape(3, 4) * 0.3 - 1.5
    out = []
    for name in ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"):
        for dim, reverse in ((0, False), (1, True)):
            out.append(Sample(name, lambda x, q=name, d=dim, r=reverse: getattr(p, q)(x, dim=d, reverse=r), [a]))
    zeros = a.copy()
    zeros[1, 0] = zeros[0, 2] = zeros[2, 2] = 0.0
    out.append(Sample("cumprod", lambda x: p.cumprod(x, dim=0, reverse=False), [zeros]))
    out.append(Sample("cumprod", lambda x: p.cumprod(x, dim=1, reverse=True), [_complex("c", (2, 3))]))
    for reverse in (False, True):
        out.append(
            Sample("linrec", lambda a, b, r=reverse: p.linrec(a, b, dim=1, reverse=r), [a, _real("b", (3, 4), -1, 1)])
        )
    out.append(
        Sample("linrec", lambda a, b: p.linrec(a, b, dim=0, reverse=False), [_complex("a", (3,)), _complex("b", (3,))])
    )
    for reverse, shape, dims in (
        (False, (4, 5), (0, 1)),
        (True, (4, 2, 3), (0, 2)),
        (False, (2, 3, 4), (1, 2)),
        (False, (3, 1), (0, 1)),
        (False, (1, 4), (0, 1)),
    ):
        values = [_real(n, shape, -1, 1) for n in "bcde"]
        for name in ("bandrec", "logbandrec"):
            out.append(
                Sample(name, lambda *xs, q=name, d=dims, r=reverse: getattr(p, q)(*xs, dims=d, reverse=r), values)
            )
    out.append(
        Sample(
            "bandrec",
            lambda b, a: p.bandrec(b, a, dims=(0, 1), reverse=False),
            [_complex("b", (3, 2)), _complex("a", (3, 2))],
        )
    )
    return out


def _recurrence(step: Callable[..., Any], counts: tuple[int, int], reverse: bool = False) -> Callable[..., Any]:
    """A recurrence with this step, as a function of its operands."""

    def run(*operands: Any) -> tuple[Any, ...]:
        n, m = counts
        shapes = [v.shape[1:] if n <= k < n + m else v.shape for k, v in enumerate(operands)]
        body = trace(step, operands, shapes)
        return p.recurrence.several(*operands, body=body, counts=counts, reverse=reverse)

    return run


def _recurrences() -> list[Sample]:
    w, x, h = _real("w", (3, 3), -1, 1), _real("x", (4, 2, 3), -1, 1), _real("h", (2, 3), -1, 1)

    def simple(w: Any, x: Any, h: Any) -> Any:
        return p.tanh(p.add(x, p.dot(h, w)))

    def with_more(w: Any, x: Any, h: Any) -> tuple[Any, ...]:
        """Results beside what is carried: one that the derivative reads, an operand, the same twice."""
        product = p.dot(h, w)
        new = p.sin(p.mul(product, x))
        return new, product, x, new

    def two(a: Any, x: Any, y: Any, h: Any, c: Any) -> tuple[Any, ...]:
        """What is carried changes places; one thing that all steps share is added to rows and to what is carried."""
        shared = p.broadcast_in_dim(p.exp(a), shape=h.shape, dims=(1,))
        return p.add(p.mul(c, shared), x), p.mul(p.cos(h), p.add(y, shared))

    def counting(x: Any, n: Any, h: Any) -> tuple[Any, ...]:
        """What is carried need not have a derivative."""
        more = p.add(n, p.full_like(n, 1))
        return more, p.add(h, p.mul(x, p.broadcast_in_dim(p.convert(more, dtype=h.dtype), shape=h.shape, dims=())))

    def in_turn(x: Any, c: Any, h: Any) -> tuple[Any, ...]:
        """The first is moved by the second alone, which is moved by the rows alone."""
        return p.add(c, h), p.sin(x)

    def from_zeros(w: Any, x: Any) -> Any:
        return _recurrence(simple, (1, 1))(w, x, p.full(x.shape[1:], 0.0, x.dtype))

    def within(w: Any, x: Any, h: Any) -> Any:
        """A recurrence in a step of one: over the columns of a row."""
        inner = _recurrence(lambda w, v, s: p.tanh(p.add(v, p.mul(w, s))), (1, 1))
        (states,) = inner(w, x, h)
        return p.reshape(p.slice(states, starts=(1, 0), sizes=(1, 3), steps=(1, 1)), shape=(3,))

    split = _real("s", (3, 2), -1, 1)

    def in_parts(x: Any, h: Any) -> tuple[Any, ...]:
        """A value that is cut up, whose parts are put together again by the derivative."""
        n = x.shape[0]
        halves = [p.slice(x, starts=(0, k), sizes=(n, 1), steps=(1, 1)) for k in range(2)]
        return (p.mul(p.sin(halves[0]), p.add(h, p.mul(halves[1], halves[0]))),)

    return [
        Sample("recurrence", _recurrence(simple, (1, 1)), [w, x, h]),
        Sample("recurrence", _recurrence(simple, (1, 1), True), [w, x[:1], h]),
        Sample("recurrence", _recurrence(with_more, (1, 1), True), [w, x, h]),
        Sample("recurrence", _recurrence(two, (1, 2)), [w[0], x, x[::-1].copy(), h, h[::-1].copy()]),
        Sample("recurrence", _recurrence(two, (1, 2), True), [w[0], x, x[::-1].copy(), h, h[::-1].copy()]),
        Sample("recurrence", _recurrence(counting, (0, 1)), [x, np.array(2), h], batched=(True, False, True)),
        Sample("recurrence", _recurrence(in_turn, (0, 1)), [x, h, h[::-1].copy()]),
        Sample("recurrence", _recurrence(in_parts, (0, 1)), [_real("p", (4, 3, 2), -1, 1), split[:, :1].copy()]),
        Sample("recurrence", from_zeros, [w, x]),
        Sample("recurrence", _recurrence(within, (1, 1)), [w[0], x, h[0]]),
        Sample(
            "recurrence", _recurrence(simple, (1, 1)), [_complex("w", (3, 3)) / 4, _complex("x", (3, 2, 3)), h + 1j]
        ),
    ]


def _libraries() -> list[Sample]:
    out = [
        Sample("dot", p.dot, [_real("x", (3, 4), -1, 1), _real("y", (4, 2), -1, 1)]),
        Sample("dot", p.dot, [_real("x", (2, 3, 4), -1, 1), _real("y", (2, 4, 5), -1, 1)]),
        Sample("dot", p.dot, [_complex("x", (3, 4)), _complex("y", (4, 2))]),
    ]
    a = _rng("o").permutation(12).reshape(3, 4) * 0.3 - 1.5
    for dim, descending in ((0, False), (1, True)):
        out.append(Sample("sort", lambda x, d=dim, e=descending: p.sort(x, dim=d, descending=e, stable=True), [a]))
    keys = _rng("k").permutation(12).reshape(3, 4)
    out += [
        Sample("sort_keys", lambda x, c=count: p.sort_keys(x, dim=1, count=c), [keys], smooth=False)
        for count in (4, 2, 1)
    ]
    out.append(
        Sample(
            "sort",
            lambda x: p.sort(x, dim=0, descending=True, stable=True),
            [np.array([1.0, np.nan, 3.0, 1.0])],
            smooth=False,
        )
    )
    image = _rng("i").integers(0, 256, (2, 3, 7, 9)).astype(np.uint8)
    for size, reach, antialias, corners in itertools.product(
        ((4, 3), (7, 12)), (1, 2, 3), (False, True), (False, True)
    ):
        if reach == 3 and not antialias:
            continue
        steps = [(n - corners) / (m - corners) for n, m in zip((7, 9), size, strict=True)]
        how = {"reach": reach, "antialias": antialias, "corners": corners}
        out.append(
            Sample(
                "resample_bytes",
                lambda x, s=size, h=how: p.resample_bytes(x, size=s, **h),
                [image],
                smooth=False,
                batched=(True,),
            )
        )
        out.append(
            Sample(
                "resample_bytes",
                lambda x, a, b, s=size, h=how: p.resample_bytes(x, a, b, size=s, **h),
                [image, *map(np.array, steps)],
                smooth=False,
                batched=(True, False, False),
            )
        )
    for (dim, size), reach, turned in itertools.product(((1, 3), (1, 12), (2, 4)), (1, 2, 3), (False, True)):
        lines = _real("l", (2, 7, 19), -1, 1)
        n = lines.shape[dim]
        out.append(
            Sample(
                "resample_along",
                lambda x, step, d=dim, s=size, r=reach, t=turned: p.resample_along(
                    x, step, dim=d, size=s, reach=r, turned=t
                ),
                [lines, np.array(size / n if turned else n / size)],
                smooth=False,
                batched=(True, False),
            )
        )
    for groups, stride, padding, dilation in (
        (1, (1, 1), ((0, 0), (0, 0)), (1, 1)),
        (2, (2, 1), ((1, 2), (0, 1)), (1, 2)),
        (1, (2, 2), ((1, 1), (1, 1)), (1, 1)),
    ):
        window = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        x, w = _real("x", (2, 4, 5, 6), -1, 1), _real("w", (6, 4 // groups, 3, 2), -1, 1)
        out_size = [
            (n + sum(q) - d * (k - 1) - 1) // s + 1
            for n, k, s, q, d in zip((5, 6), (3, 2), stride, padding, dilation, strict=True)
        ]
        g = _real("g", (2, 6, *out_size), -1, 1)
        out.append(Sample("conv", lambda x, w, c=window: p.conv(x, w, **c), [x, w]))
        out.append(Sample("conv_dx", lambda g, w, c=window: p.conv_dx(g, w, in_spatial=(5, 6), **c), [g, w]))
        out.append(Sample("conv_dw", lambda x, g, c=window: p.conv_dw(x, g, kernel=(3, 2), **c), [x, g]))
    one = {"stride": (1,), "padding": ((1, 0),), "dilation": (1,), "groups": 1}
    out.append(Sample("conv", lambda x, w: p.conv(x, w, **one), [_complex("x", (2, 2, 5)), _complex("w", (3, 2, 2))]))
    return out


def _transforms() -> list[Sample]:
    out = []
    for inverse, scale in ((False, 0), (True, 1), (False, 2)):
        how = {"inverse": inverse, "scale": scale}
        out.append(Sample("fft", lambda x, h=how: p.fft(x, dims=(1,), **h), [_complex("x", (2, 5))]))
        out.append(Sample("fft", lambda x, h=how: p.fft(x, dims=(0, 2), **h), [_real("x", (3, 2, 4), -1, 1)]))
        for n in (4, 5):
            out.append(Sample("rfft", lambda x, h=how: p.rfft(x, dims=(0, 1), **h), [_real("x", (3, n), -1, 1)]))
            out.append(
                Sample(
                    "irfft",
                    lambda x, h=how, n=n: p.irfft(x, dims=(1, 0), size=n, **h),
                    [_complex("x", (n // 2 + 1, 2))],
                )
            )
    for sine in (False, True):
        for kind in (1, 2, 3, 4):
            for scale in (0, 1, 2):
                how = {"sine": sine, "type": kind, "scale": scale}
                out.append(Sample("trig", lambda x, h=how: p.trig(x, dims=(1, 0), **h), [_real("x", (3, 4), -1, 1)]))
    return out


def _attention() -> list[Sample]:
    """No derivatives of their own: `operators/nn/attention.py` has those."""
    out = []
    q, k, v, g = (_real(n, (2, *s), -1, 1) for n, s in zip("qkvg", ((3, 4), (5, 4), (5, 6), (3, 6)), strict=True))
    scale, lse, delta = np.array(0.7), np.zeros((2, 3)), _real("d", (2, 3), -1, 1)
    for causal in (False, True):
        for mask in ((), (_real("m", (2, 3, 5), -1, 1),), (_real("m", (2, 3, 5), -1, 1) > 0,)):
            can = (True, True, True, False, *(True for _ in mask))
            out.append(
                Sample(
                    "attention",
                    lambda *xs, c=causal: p.attention.several(*xs, causal=c),
                    [q, k, v, scale, *mask],
                    smooth=False,
                    batched=can,
                )
            )
            out.append(
                Sample(
                    "attention_grad",
                    lambda *xs, c=causal: p.attention_grad.several(*xs, causal=c),
                    [q, k, v, scale, g, lse, delta, *mask],
                    smooth=False,
                    batched=(*can[:4], True, True, True, *can[4:]),
                )
            )
    return out


def _regions() -> list[Sample]:
    """Of images and bins they are linear; where regions lie has no derivative (`operators/vision/` checks them)."""
    out = []
    at, params = np.array([0, 1, 1]), {"rows": 2, "columns": 2, "name": "region"}
    first = _real("f", (3, 2), -1, 3)
    boxes = np.concatenate([first, first + _real("s", (3, 2), 1, 4)], 1)
    for mode, channels, sampling in (("align", 2, 2), ("half", 2, 0), ("ps", 8, 2), ("ps_whole", 4, 0)):
        more = {**params, "mode": mode, "sampling": sampling}
        sizes = (2, channels, 4, 5)
        bins = _real("b", (3, channels // (4 if mode.startswith("ps") else 1), 2, 2), -1, 1)
        average = lambda *xs, more=more: p.region_average(*xs, **more)
        spread = lambda *xs, more=more, sizes=sizes: p.region_spread(*xs, images=sizes, **more)
        out.append(Sample("region_average", average, [_real("x", sizes, -1, 1), at, boxes], smooth=False))
        out.append(Sample("region_spread", spread, [bins, at, boxes], smooth=False))
    largest = lambda *xs: p.region_largest.several(*xs, **params)
    out.append(Sample("region_largest", largest, [_real("x", (2, 2, 4, 5), -1, 1), at, boxes], smooth=False))
    keep = lambda *xs: p.boxes_keep.several(*xs)
    out.append(Sample("boxes_keep", keep, [boxes, np.array(0.2)], smooth=False, batched=(False, False)))
    turned = [np.concatenate([_real(n, (3, 2), 0, 3), _real(n, (3, 2), 1, 4)], 1) for n in "pq"]
    turned = [np.concatenate([v, np.array([[0.0], [90.0], [-180.0]])], 1) for v in turned]
    # (Batches are made by rolling the numbers: angles would not stay angles.)
    alone = (False, False)
    out.append(Sample("boxes_turned", lambda *xs: p.boxes_turned(*xs), turned, smooth=False, batched=alone))
    return out


def _calls() -> list[Sample]:
    def body(x: Any, y: Any) -> Any:
        return p.mul(p.exp(x), y), p.reduce_sum(p.sin(y), dims=(0,))

    def rule(inputs: Any, outputs: Any, tangents: Any) -> Any:
        (x, y), (z, _), (tx, ty) = inputs, outputs, tangents
        total = None if tx is None else p.mul(z, tx)
        if ty is not None:
            other = p.mul(p.exp(x), ty)
            total = other if total is None else p.add(total, other)
        return total, None if ty is None else p.reduce_sum(p.mul(p.cos(y), ty), dims=(0,))

    def linear(*xs: Any) -> Any:
        x, y, *ts = xs
        parts = [p.mul(a, t) for a, t in zip((y, x), ts, strict=True)]
        return p.reduce_sum(p.add(*parts), dims=(1,))

    def transpose(inputs: Any, cotangents: Any) -> Any:
        ((x, y, *_), (c,)) = inputs, cotangents
        wide = p.broadcast_in_dim(c, shape=x.shape, dims=(0,))
        return p.mul(wide, y), p.mul(wide, x)

    def through_a_call(inputs: Any, outputs: Any, tangents: Any) -> Any:
        given = [p.zeros_like(x) if t is None else t for x, t in zip(inputs, tangents, strict=True)]
        return p.custom_call.several(*inputs, *given, body=linear, jvp=None, name="linear", transpose=transpose)

    def dots(x: Any, y: Any) -> Any:
        return p.reduce_sum(p.mul(x, y), dims=(1,))

    args = [_real("x", (3, 2), -1, 1), _real("y", (3, 2), -1, 1)]
    return [
        Sample("custom_call", lambda x, y: p.custom_call(x, y, body=dots, jvp=through_a_call, name="test"), args),
        Sample("custom_call", lambda x, y: p.custom_call(x, y, body=body, jvp=rule, name="test"), args),
        Sample("custom_call", lambda x, y: p.custom_call(x, y, body=body, jvp=None, name="test"), args),
        Sample("stop_gradient", lambda x: p.stop_gradient(p.exp(x)), args[:1], smooth=False),
        Sample("kept", lambda x: p.kept(p.exp(x)), args[:1]),
        Sample("buffered", lambda x: p.buffered(p.exp(x)), args[:1]),
        Sample("given", lambda x: p.given(p.exp(x)), args[:1]),
        Sample("operand", lambda x: p.exp(p.operand(p.sin(x), call=(0, 0), view=False)), args[:1]),
        Sample("operand", lambda x: p.exp(p.operand(p.sin(x), call=(0, 0), view=True)), args[:1]),
    ]


SAMPLES = [
    *_pointwise(),
    *special_samples(_real, Sample),
    *_sources(),
    *_views(),
    *_index(),
    *_reductions(),
    *_gathers(),
    *_scans(),
    *_recurrences(),
    *_libraries(),
    *matrices(Sample),
    *_transforms(),
    *_attention(),
    *_regions(),
    *_calls(),
]
