"""Random calls as values: how tests/system/fuzz.py draws them near the operators' samples, prints them and makes them
smaller.

A call is made of descriptions, not of tensors, so that it can be repeated, changed and shown: `Call("add",
[T("float32", (3,))], {})` is a program's text. `run` does it.
"""

from __future__ import annotations

import functools
import math
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import rushlight as rl
from rushlight.core import dtypes as dt
from rushlight.core import raw as core_raw
from rushlight.core import storage as core_storage
from rushlight.core.flatten import Kind
from rushlight.operators.table.define import METHODS, TABLE, public
from rushlight.testing.samples import REGISTRY, ErrorSample, Sample

# Would change how later tensors are printed, or the default dtype of later calls.
LEFT_OUT = frozenset({"set_printoptions"})
OPERATORS: dict[str, Any] = {
    n: op for n, op in {**METHODS, **{key: public(key) for key in TABLE}}.items() if n not in LEFT_OUT
}
DTYPES = [d.name for d in dt.by_code]  # of tensors; an argument may be any
NAMES_OF_DTYPES = list(dt.by_name)
SHAPES = (
    (),
    (1,),
    (3,),
    (0,),
    (2, 3),
    (3, 2),
    (1, 3),
    (3, 3),
    (2, 0),
    (2, 3, 4),
    (1, 1, 1),
    (4, 3, 2),
    (2, 3, 4, 5),
    (2, 1, 3, 3),
)
SIZES = (0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 65, 100, 257, 1000, 2049)
# elements of one tensor, mostly and now and then (tiles, chunks of a sum, several threads)
LARGEST, HUGE = 20_000, 300_000
MODES = ("call",) * 8 + ("out",) * 3 + ("inplace",) * 3 + ("backward",) * 3 + ("double", "vmap", "vmap", "jvp", "meta")


@dataclass
class T:
    """A tensor: its values (row-major, repeated as needed) put into a storage of `length` elements by strides and
    offset.

    strides, offset and length None or 0 mean a contiguous one. kind: "own", "foreign" (memory that the library did not
    allocate) or "meta". common: tensors of one dtype that say so lie in one storage.
    """

    dtype: str
    shape: tuple[int, ...]
    values: list[Any] = field(default_factory=lambda: [1])
    strides: tuple[int, ...] | None = None
    offset: int = 0
    slack: int = 0  # elements of the storage behind the last one
    kind: str = "own"
    grad: bool = False
    common: bool = False

    def build(self, storages: dict[str, Any] | None = None) -> Any:
        """The tensor; storages: those that tensors of one call have in common, by dtype."""
        d = dt.by_name[self.dtype]
        strides = contiguous(self.shape) if self.strides is None else self.strides
        if self.kind == "meta":
            return core_raw.empty_meta(d, self.shape, strides)
        last = (
            self.offset + sum((n - 1) * s for n, s in zip(self.shape, strides, strict=True) if s > 0)
            if 0 not in self.shape
            else self.offset - 1
        )
        owner = storages.get(self.dtype) if self.common and storages is not None else None
        if owner is None or owner.numel() <= last:
            owner = rl.empty(max(0, last + 1 + self.slack), dtype=d)
            if self.common and storages is not None:
                storages[self.dtype] = owner
        storage = owner.untyped_storage()
        if math.prod(self.shape):
            raw = np.frombuffer(memoryview(storage), dtype=d.numpy_name or f"u{d.itemsize}")
            place = np.lib.stride_tricks.as_strided(raw[self.offset :], self.shape, [s * d.itemsize for s in strides])
            place[...] = encoded(self.values, d, math.prod(self.shape)).reshape(self.shape)
        if self.kind == "foreign":
            storage = core_storage.storage_from_external(owner.data_ptr(), len(storage), owner)
        t = core_raw.tensor_from_storage(storage, d, self.offset, self.shape, strides)
        if self.grad and d.kind in "fc":
            t.requires_grad = True
        return t


def contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(max(n, 1) for n in shape[i + 1 :]) for i in range(len(shape)))


def encoded(values: list[Any], d: Any, n: int) -> Any:
    """`n` values of dtype `d` as NumPy holds them, of a dtype that it lacks their bits; a bfloat16 is the upper half
    of a float32.
    """
    few = [values[i % len(values)] for i in range(min(n, len(values)))]
    with np.errstate(all="ignore"):
        if d.kind in "iu":
            plain = [int(v.real) if math.isfinite(v.real) else 0 for v in few]
            found = np.array([(v + 2**63) % 2**64 - 2**63 for v in plain], dtype=np.int64).astype(d.name)
        elif d is dt.complex32:
            found = np.array([(v.real, v.imag) for v in few], dtype=np.float16).view(np.uint32).ravel()
        elif d.format is not None:
            found = np.array([d.format.encode(v.real) for v in few], dtype=np.uint8)
        elif d.kind == "c":
            found = np.array(few, dtype=d.name)
        elif d is dt.bfloat16:
            found = (np.array([v.real for v in few], dtype=np.float32).view(np.uint32) >> 16).astype(np.uint16)
        else:
            found = np.array([v.real for v in few]).astype(d.name)
    return np.resize(found, n)


@dataclass
class Call:
    """A call of operator `name`; see `run` for the modes. seed: draws whatever the mode needs besides."""

    name: str
    args: list[Any]
    kwargs: dict[str, Any]
    mode: str = "call"
    seed: int = 0

    def __repr__(self) -> str:
        return f"Call({self.name!r}, {self.args!r}, {self.kwargs!r}, {self.mode!r}, {self.seed})"


def change(x: Any, f: Callable[[T], Any]) -> Any:
    """`x` with `f` of each description of a tensor in its place."""
    if isinstance(x, T):
        return f(x)
    if type(x) in (list, tuple):
        return type(x)(change(v, f) for v in x)
    return {k: change(v, f) for k, v in x.items()} if type(x) is dict else x


def with_tensors(call: Call, f: Callable[[T], Any]) -> Call:
    return replace(call, args=change(call.args, f), kwargs=change(call.kwargs, f))


def tensors_of(x: Any) -> list[T]:
    """The descriptions of tensors in an argument."""
    found: list[T] = []
    change(x, found.append)
    return found


# ------------------------------------------------------------------------------------------------------------- doing it
def flat(x: Any) -> list[Any]:
    """The tensors of a result."""
    if isinstance(x, rl.Tensor):
        return [x]
    return [t for v in x for t in flat(v)] if isinstance(x, (list, tuple)) else []


def run(call: Call) -> list[Any]:
    """Do a call and read its results. "out" and "inplace" write, into memory that may overlap an operand's; "backward"
    and "double" differentiate; "vmap" and "jvp" apply under that transform; "meta" has no memory."""
    op = OPERATORS[call.name]
    made: list[Any] = []
    storages: dict[str, Any] = {}

    def build(t: T) -> Any:
        made.append(t.build(storages))
        return made[-1]

    r = random.Random(call.seed)
    rl.manual_seed(0)
    if call.mode in ("vmap", "jvp"):
        results = transformed(call, op, r)
    else:
        args, kwargs = change(call.args, build), change(call.kwargs, build)
        if call.mode == "out":
            results = into_destinations(op, args, kwargs, made, r)
        elif call.mode == "inplace":
            results = flat(METHODS[call.name.rpartition(".")[2] + "_"](*args, **kwargs))
        else:
            results = flat(op(*args, **kwargs))
            if call.mode in ("backward", "double"):
                results += gradients(results, [t for t in made if t.requires_grad], r, call.mode == "double")
    for t in results:
        if t is not None and not t.is_meta and t.numel() <= 2000:
            t.tolist()
    return results


def into_destinations(op: Any, args: Any, kwargs: Any, made: list[Any], r: random.Random) -> list[Any]:
    """The call with out=: of the right shape or another, strided in some way, or a view of an operand."""
    first = op(*args, **kwargs)
    dests = []
    for t in flat(first):
        same = [
            m
            for m in made
            if m.dtype is t.dtype and not m.is_meta and m.untyped_storage().nbytes() >= t.numel() * t.itemsize
        ]
        if same and r.random() < 0.4:
            m = r.choice(same)
            room = m.untyped_storage().nbytes() // t.itemsize - t.numel()
            dests.append(
                core_raw.tensor_from_storage(
                    m.untyped_storage(), t.dtype, r.randint(0, room), tuple(t.shape), contiguous(tuple(t.shape))
                )
            )
        else:
            shape = tuple(t.shape) if r.random() < 0.8 else r.choice(SHAPES)
            dests.append(layout(r, T(t.dtype.name, shape), writable=r.random() < 0.9).build())
    out = dests[0] if isinstance(first, rl.Tensor) else tuple(dests)
    return flat(op(*args, **kwargs, out=out))


def gradients(outputs: list[Any], leaves: list[Any], r: random.Random, twice: bool) -> list[Any]:
    outputs = [o for o in outputs if o.requires_grad]
    if not outputs or not leaves:
        return []
    cotangents = [layout(r, T(o.dtype.name, tuple(o.shape), [1, -0.5, 2])).build() for o in outputs]
    grads = rl.autograd.grad(outputs, leaves, cotangents, allow_unused=True, create_graph=twice)
    if twice:
        grads = [g for g in grads if g is not None and g.requires_grad]
        if grads:
            grads = rl.autograd.grad(grads, leaves, [rl.ones_like(g) for g in grads], allow_unused=True)
    return [g for g in grads if g is not None]


def transformed(call: Call, op: Any, r: random.Random) -> list[Any]:
    """The call under vmap (three examples, along a random dimension of each batched tensor) or jvp."""
    given = tensors_of([call.args, call.kwargs])

    def apply(*xs: Any) -> Any:
        left = iter(xs)
        return tuple(flat(op(*change(call.args, lambda _: next(left)), **change(call.kwargs, lambda _: next(left)))))

    if call.mode == "jvp":
        primals = tuple(replace(t, grad=False).build() for t in given)
        at = [i for i, t in enumerate(primals) if t.is_floating_point() or t.is_complex()]

        def of_floats(*xs: Any) -> Any:
            new = dict(zip(at, xs, strict=True))
            return tuple(o for o in apply(*[new.get(i, p) for i, p in enumerate(primals)]) if o.dtype.kind in "fc")

        if not at:
            return flat(apply(*primals))
        tangents = tuple(layout(r, T(primals[i].dtype.name, tuple(primals[i].shape), [1, 0.5, -1])).build() for i in at)
        return flat(rl.func.jvp(of_floats, tuple(primals[i] for i in at), tangents))
    dims: list[int | None] = [r.choice([0, 0, 0, None, len(t.shape)]) for t in given]
    if all(d is None for d in dims):
        dims = [0] * len(dims)
    batched = [
        t if d is None else layout(r, replace(t, shape=(*t.shape[:d], 3, *t.shape[d:]), strides=None, offset=0))
        for t, d in zip(given, dims, strict=True)
    ]
    if not given:
        return flat(apply())
    return flat(
        rl.func.vmap(apply, in_dims=tuple(dims), randomness="different")(
            *[replace(t, grad=False).build() for t in batched]
        )
    )


# ----------------------------------------------------------------------------------------------------------- drawing it
def layout(r: random.Random, t: T, writable: bool = False) -> T:
    """`t` with other strides, as views have them. writable: no two elements share memory."""
    n = len(t.shape)
    order = list(range(n))
    if r.random() < 0.4:
        r.shuffle(order)
    strides = [1] * n
    step = r.choice([1, 1, 1, 1, 2, 3])
    for d in reversed(order):
        strides[d] = step
        step *= max(t.shape[d], 1) * r.choice([1, 1, 1, 1, 2])
        step += r.choice([0, 0, 0, 0, 1])
    if not writable and n and r.random() < 0.25:
        for d in r.sample(range(n), r.randint(1, n)):
            strides[d] = r.choice([0, 0, 1])
    strides = [-s if r.random() < 0.15 else s for s in strides]
    lead = sum((m - 1) * -s for m, s in zip(t.shape, strides, strict=True) if s < 0) if 0 not in t.shape else 0
    return replace(
        t,
        strides=tuple(strides),
        offset=lead + r.choice([0, 0, 0, 1, 3]),
        slack=r.choice([0, 0, 0, 1, 5]),
        kind="foreign" if r.random() < 0.2 else t.kind,
    )


def a_tensor(r: random.Random) -> T:
    """Any tensor."""
    name = r.choice(DTYPES) if r.random() < 0.5 else "float32"
    t = T(name, r.choice(SHAPES), some_values(r, dt.by_name[name]), kind="meta" if r.random() < 0.03 else "own")
    return layout(r, t) if r.random() < 0.5 else t


STEPS = frozenset({"niter", "maxiter", "p"})  # (mvlgamma's sum has p terms)
BEYOND = (1 << 40, (1 << 40) + 1, 1 << 61, (1 << 63) - 1, -(1 << 40), -(1 << 63))
SPECIAL = {
    "f": (math.nan, math.inf, -math.inf, 0.0, -0.0, 1e300, 1e-300, 5e-324, 65504.0, 1.0),
    "i": (0, -1, 1, 2**31, -(2**31), 2**63 - 1, -(2**63), 127, 255, 4),
    "b": (0, 1),
}
SPECIAL |= {
    "c": tuple(complex(a, b) for a, b in ((math.nan, 1), (0, math.inf), (0.0, -0.0), (1e300, 1e300), (0, 1), (-1, 0)))
}
SPECIAL |= {"u": SPECIAL["i"]}


def some_values(r: random.Random, d: Any) -> list[Any]:
    if r.random() < 0.3:
        return [r.choice(SPECIAL[d.kind]) for _ in range(r.randint(1, 5))]
    if d.kind == "c":
        return [complex(r.uniform(-2, 2), r.uniform(-2, 2)) for _ in range(5)]
    return [r.uniform(-2, 2) if d.kind == "f" else r.randint(0, 3) for _ in range(r.randint(1, 7))]


def anything(r: random.Random) -> Any:
    """Something that may stand as an argument."""
    makers: list[Callable[[], Any]] = [
        lambda: a_tensor(r),
        lambda: a_tensor(r),
        lambda: r.randint(-4, 6),
        lambda: r.choice([0, 1, -1, 2]),
        lambda: r.uniform(-3, 3),
        lambda: r.choice([math.nan, math.inf, -0.0, 2**62, -(2**63), 2**64, 1e300]),
        lambda: r.random() < 0.5,
        lambda: None,
        lambda: complex(r.uniform(-1, 1), 1),
        lambda: r.choice(["", "mean", "sum", "none", "reflect", "floor", "trunc", "cpu"]),
        lambda: dt.by_name[r.choice(NAMES_OF_DTYPES)],
        lambda: tuple(r.randint(-2, 4) for _ in range(r.randint(0, 4))),
        lambda: [a_tensor(r) for _ in range(r.randint(0, 3))],
        lambda: [1.5, 2.0],
        lambda: {"a": 1},
        lambda: object(),
        lambda: b"x",
        lambda: slice(0, 2),
        lambda: ...,
        lambda: T("int64", r.choice(SHAPES[:6]), [r.randrange(3) for _ in range(4)]),
    ]
    return r.choice(makers)()


def nearby(r: random.Random, x: Any, steps: bool = False) -> Any:
    """Another value of the same kind as an argument that is no tensor. steps: it counts steps, and is small."""
    if isinstance(x, bool):
        return not x
    if isinstance(x, int) and steps:
        return r.choice([x + 1, max(x - 1, 0), 0, 1, 2, 3, 5, max(x, 0)])  # (below 0 is without a limit)
    if isinstance(x, int):
        # Numbers beyond reason are sizes that no memory has, and whose products no 64 bits hold.
        return r.choice(BEYOND) if r.random() < 0.06 else r.choice([x + 1, x - 1, -x, 0, 1, -1, 2, 3, 5, x])
    if isinstance(x, float):
        return r.choice([0.0, 1.0, -1.0, 0.5, x * 2, -x, math.nan, math.inf, 1e-300, 3, x])
    if isinstance(x, complex):
        return r.choice([0j, 1 + 1j, -x, complex(math.nan, 0), 1.5])
    if isinstance(x, str):
        return r.choice(
            [
                "mean",
                "sum",
                "none",
                "reflect",
                "replicate",
                "circular",
                "constant",
                "floor",
                "trunc",
                "linear",
                "nearest",
                "bilinear",
                "left",
                "higher",
                "amax",
                "prod",
                x,
            ]
        )
    if isinstance(x, dt.dtype):
        return dt.by_name[r.choice(NAMES_OF_DTYPES)]
    if type(x) in (list, tuple) and x and not tensors_of(x):
        k = r.randrange(len(x))
        return r.choice(
            [type(x)([*x[:k], nearby(r, x[k]), *x[k + 1 :]]), type(x)(x[::-1]), type(x)(x[1:]), type(x)([*x, x[0]])]
        )
    return x if x is not None else r.choice([None, 0, 1, 2]) if steps else r.choice([None, 0, 1, -1, 2.0, "mean", True])


@functools.cache
def bases(name: str, dtype: str) -> list[Call]:
    """The samples of an operator as calls, those that must fail among them."""

    def describe(x: Any) -> Any:
        if isinstance(x, rl.Tensor) and not x.is_meta and x.layout == rl.strided:
            return T(
                x.dtype.name,
                tuple(x.shape),
                x.reshape(-1).tolist()[:24] or [1],
                grad=x.dtype.kind in "fc" and getattr(x, "_differentiate", True),
            )
        if type(x) in (list, tuple):
            return type(x)(describe(v) for v in x)
        return x

    from rushlight.testing.samples import Make

    found = [s for s in REGISTRY[name].generate(Make(dt.by_name[dtype], 0)) if isinstance(s, (Sample, ErrorSample))]
    return [
        Call(name, [describe(a) for a in s.args], {k: describe(v) for k, v in s.kwargs.items()})
        for s in found
        if isinstance(s, Sample) or not any(tensors_like(s))
    ]


def tensors_like(s: Any) -> Iterator[Any]:
    """Arguments of an error sample that cannot be described (other devices, transformed tensors)."""
    for x in [*s.args, *s.kwargs.values()]:
        if isinstance(x, rl.Tensor) and x.is_meta:
            yield x


def resized(r: random.Random, call: Call) -> Call:
    """The call with one size put for another, the same in all tensors, often in ints too: what fitted still fits."""
    sizes = sorted({n for t in tensors_of([call.args, call.kwargs]) for n in t.shape})
    if not sizes:
        return call
    old, new = r.choice(sizes), r.choice(SIZES)
    ints = r.random() < 0.6 and new < 40
    most = HUGE if r.random() < 0.05 else LARGEST

    def one(x: Any) -> Any:
        if isinstance(x, T):
            shape = tuple(new if n == old else n for n in x.shape)
            return replace(x, shape=shape) if math.prod(shape) <= most else x
        if type(x) in (list, tuple):
            return type(x)(one(v) for v in x)
        return new if ints and type(x) is int and x == old else x

    return replace(call, args=[one(a) for a in call.args], kwargs={k: one(v) for k, v in call.kwargs.items()})


def draw(r: random.Random) -> Call:
    """One random call: a sample with sizes, strides, dtypes, values and arguments changed, now and then beyond
    reason.
    """
    name = r.choice(NAMES())
    if name not in REGISTRY:
        return from_signature(r, name)
    spec = REGISTRY[name]
    dtype = spec.dtypes[0] if r.random() < 0.5 else r.choice(spec.dtypes)
    call = replace(r.choice(bases(name, dtype.name)), mode=r.choice(MODES), seed=r.randrange(1 << 30))
    if call.mode == "inplace" and (call.name.endswith("_") or name.rpartition(".")[2] + "_" not in METHODS):
        call.mode = "call"
    if call.mode == "out" and not getattr(OPERATORS[name], "takes_out", False):
        call.mode = "call"
    if r.random() < 0.5:
        call = resized(r, call)
    if r.random() < 0.12:
        call = resized(r, call)
    if r.random() < 0.08:
        other = r.choice(DTYPES)
        call = with_tensors(
            call, lambda t: replace(t, dtype=other) if r.random() < 0.7 and dt.by_name[t.dtype].kind != "i" else t
        )
    if r.random() < 0.1:
        call = with_tensors(
            call, lambda t: replace(t, values=some_values(r, dt.by_name[t.dtype])) if r.random() < 0.5 else t
        )
    if r.random() < 0.03:
        call = with_tensors(call, lambda t: replace(t, shape=r.choice(SHAPES)) if r.random() < 0.3 else t)
    if r.random() < 0.18:
        call = changed_argument(r, call, wild=r.random() < 0.3)
    call = with_tensors(
        call, lambda t: layout(r, t, call.mode == "inplace" and r.random() < 0.9) if r.random() < 0.6 else t
    )
    if r.random() < (0.3 if call.mode in ("out", "inplace") else 0.05):
        call = with_tensors(call, lambda t: replace(t, common=True))
    keep = call.mode in ("backward", "double")
    call = with_tensors(
        call, lambda t: replace(t, grad=t.grad and keep, kind="meta" if call.mode == "meta" else t.kind)
    )
    return call


def changed_argument(r: random.Random, call: Call, wild: bool) -> Call:
    """The call with one argument replaced, left out or added."""
    args, kwargs = list(call.args), dict(call.kwargs)
    params = OPERATORS[call.name].params
    at = r.randrange(len(args) + len(kwargs) + 1)
    if at < len(args):
        steps = at < len(params) and params[at].name in STEPS
        args[at] = anything(r) if wild and not steps else nearby(r, args[at], steps)
    elif at < len(args) + len(kwargs):
        key = sorted(kwargs)[at - len(args)]
        kwargs[key] = anything(r) if wild and key not in STEPS else nearby(r, kwargs[key], key in STEPS)
        if r.random() < 0.2:
            del kwargs[key]
    else:
        free = [p for p in params[len(args) :] if p.name not in kwargs]
        if free:
            p = r.choice(free)
            kwargs[p.name] = anything(r) if wild and p.name not in STEPS else nearby(r, p.default, p.name in STEPS)
    return replace(call, args=args, kwargs=kwargs)


def from_signature(r: random.Random, name: str) -> Call:
    """A call of an operator that has no samples: each argument by what its parameter takes."""
    by_kind: dict[int, Callable[[], Any]] = {
        Kind.P_TENSOR: lambda: a_tensor(r),
        Kind.P_TENSORS: lambda: [a_tensor(r) for _ in range(r.randint(0, 3))],
        Kind.P_SCALAR: lambda: r.choice([0, 1, 2.5, -1]),
        Kind.P_INT: lambda: r.randint(-2, 3),
        Kind.P_INTS: lambda: tuple(r.choice([0, 1, 2, 3, 5]) for _ in range(r.randint(0, 3))),
        Kind.P_OPERAND: lambda: r.choice([a_tensor(r), 2, 0.5]),
    }
    op = OPERATORS[name]
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for i, p in enumerate(op.params):
        if not p.required and r.random() < 0.7:
            continue
        v = (
            nearby(r, p.default, True)
            if p.name in STEPS and not p.required
            else anything(r)
            if r.random() < 0.05
            else by_kind[p.kind]()
            if p.kind in by_kind
            else nearby(r, p.default)
            if not p.required
            else r.choice([2, (2, 3), 0.5, anything(r)])
        )
        if p.keyword_only or len(args) < i:
            kwargs[p.name] = v
        else:
            args.append(v)
    return Call(name, args, kwargs, seed=r.randrange(1 << 30))


@functools.cache
def NAMES() -> list[str]:
    """Operators by name, each as often as another; those with samples under the name of the samples."""

    def behind(n: str) -> int:  # other names of an operator are objects of their own
        return id(getattr(OPERATORS[n], "op", OPERATORS[n]))

    known = {behind(n) for n in REGISTRY if n in OPERATORS}
    return sorted(
        [n for n in REGISTRY if n in OPERATORS]
        + [n for n, op in OPERATORS.items() if behind(n) not in known and not (op.inplace and n.endswith("_"))]
    )


# ------------------------------------------------------------------------------------------------------------ shrinking
def smaller(call: Call) -> Iterator[Call]:
    """Calls a little simpler than this one."""
    if call.mode not in ("call", "inplace"):
        yield replace(call, mode="call")
    for k in call.kwargs:
        yield replace(call, kwargs={n: v for n, v in call.kwargs.items() if n != k})
    every = tensors_of([call.args, call.kwargs])
    edits: list[Callable[[T], T]] = [
        lambda t: replace(t, strides=None, offset=0, slack=0),
        lambda t: replace(t, kind="own"),
        lambda t: replace(t, values=[1]),
        lambda t: replace(t, grad=False),
        lambda t: replace(t, common=False),
    ]
    edits += [
        lambda t, d=d: replace(t, shape=(*t.shape[:d], t.shape[d] // 2, *t.shape[d + 1 :])) if d < len(t.shape) else t
        for d in range(4)
    ]
    edits += [
        lambda t, d=d: (
            replace(t, shape=(*t.shape[:d], t.shape[d] - 1, *t.shape[d + 1 :]))
            if d < len(t.shape) and t.shape[d]
            else t
        )
        for d in range(4)
    ]
    for edit in edits:
        yield with_tensors(call, edit)
    for i in range(len(every)):
        for edit in edits:
            left = iter(range(len(every)))
            yield with_tensors(call, lambda t, i=i, edit=edit, left=left: edit(t) if next(left) == i else t)


def shrink(call: Call, fails: Callable[[Call], bool], attempts: int = 150, seconds: float = 60) -> Call:
    """The smallest call found, in at most so many attempts and seconds, that still fails."""
    going, end = True, time.monotonic() + seconds
    while going and attempts > 0:
        going = False
        for other in smaller(call):
            if repr(other) == repr(call):
                continue
            attempts -= 1
            if attempts <= 0 or time.monotonic() > end:
                return call
            if fails(other):
                call, going = other, True
                break
    return call
