"""Every primitive: its shape rule, derivative, transpose and batching against NumPy, finite differences and loops."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from programs import composed, program_of
from reference import evaluate
from reference_matrices import MATRICES
from rushlight import prims as p
from rushlight.core import dtypes as dt
from rushlight.program.ir import Program
from rushlight.transforms import jvp, vjp, vmap

from samples import COMPARE, HOLOMORPHIC, NUMPY_HAS_NO_COMPLEX, SAMPLES, Sample  # isort: skip

Array = Any


def like(rng: np.random.Generator, a: Array) -> Array:
    x = rng.standard_normal(a.shape)
    return x + 1j * rng.standard_normal(a.shape) if np.iscomplexobj(a) else x


def inner(xs: list[Array], ys: list[Array]) -> float:
    return float(sum(np.sum(np.conj(x) * y).real for x, y in zip(xs, ys, strict=True)))


def active_of(args: list[Array]) -> list[int]:
    return [i for i, a in enumerate(args) if a.dtype.kind in "fc"]


def inexact(xs: list[Array]) -> list[Array]:
    return [x for x in xs if x.dtype.kind in "fc"]


def usable(s: Sample) -> bool:
    return not (s.tags.get("complex") and s.name in NUMPY_HAS_NO_COMPLEX)


def directional(program: Program, args: list[Array], active: list[int], ts: list[Array], h: float) -> list[Array]:
    """Central differences along ts."""

    def at(step: float) -> list[Array]:
        moved = list(args)
        for i, t in zip(active, ts, strict=True):
            moved[i] = moved[i] + step * t
        return inexact(evaluate(program, moved))

    return [(a - b) / (2 * h) for a, b in zip(at(h), at(-h), strict=True)]


RUNNABLE = [s for s in SAMPLES if usable(s)]
DIFFERENTIABLE = [
    s
    for s in RUNNABLE
    if s.smooth and active_of(s.args) and s.name not in {*COMPARE, "argmax", "argmin", "bitcast", "random_bits"}
]
WITH_GRADIENT = [s for s in DIFFERENTIABLE if vjp(program_of(s.fn, s.args), active_of(s.args)).cotangent_outputs]


def test_every_primitive_has_a_sample() -> None:
    assert {s.name for s in SAMPLES} >= set(p.PRIMS)


@pytest.mark.parametrize("s", RUNNABLE, ids=repr)
def test_shape(s: Sample) -> None:
    # The oracle asserts that every NumPy result has the shape and dtype that the rule says.
    program = program_of(s.fn, s.args)
    program.check()
    evaluate(program, s.args)


# These name float64 or int64 in their own parameters.
_OWN_DTYPE = {"lstsq", "iota", "convert", "bitcast", "complex", "random_bits"}
_NO_HALF = {"fft", "rfft", "irfft", "trig", *MATRICES}


_SMALLER = [
    (s, t)
    for s in DIFFERENTIABLE
    if s.name not in _OWN_DTYPE
    for t in (
        ["complex64"]
        if any(a.dtype.kind == "c" for a in s.args)
        else ["float32", *([] if s.name in _NO_HALF else ["float16"])]
    )
]


@pytest.mark.parametrize(("s", "name"), _SMALLER, ids=repr)
def test_other_dtypes(s: Sample, name: str) -> None:
    args = [a.astype(name) if a.dtype.kind in "fc" else a for a in s.args]
    program = program_of(s.fn, args)
    outs = evaluate(program, args)
    for low, high in zip(outs, evaluate(program_of(s.fn, s.args), s.args), strict=True):
        np.testing.assert_allclose(
            low, high, rtol=2e-2 if name == "float16" else 1e-4, atol=2e-2 if name == "float16" else 1e-4
        )
    together = composed(program, active_of(args))
    together.check()
    cts = [np.ones_like(outs[j]) for j in vjp(program, active_of(args)).cotangent_outputs]
    for i, g in zip(active_of(args), evaluate(together, [*args, *cts]), strict=True):
        assert g.dtype == args[i].dtype and g.shape == args[i].shape


@pytest.mark.parametrize("s", DIFFERENTIABLE, ids=repr)
def test_first_order(s: Sample) -> None:
    program, active, rng = program_of(s.fn, s.args), active_of(s.args), np.random.default_rng(0)
    ts = [like(rng, s.args[i]) for i in active]
    n = len(program.outputs)
    forward = jvp(program, active)
    forward.check()
    found = evaluate(forward, [*s.args, *ts])[n:]
    for a, b in zip(found, directional(program, s.args, active, ts, 1e-6), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)
    d = vjp(program, active)
    outs = evaluate(program, s.args)
    us = [like(rng, outs[j]) for j in d.cotangent_outputs]
    together = composed(program, active)
    together.check()
    grads = evaluate(together, [*s.args, *us])
    kept = [j for j, v in enumerate(outs) if v.dtype.kind in "fc"]
    tangents = [found[kept.index(j)] for j in d.cotangent_outputs]
    np.testing.assert_allclose(inner(us, tangents), inner(grads, ts), rtol=1e-9, atol=1e-9)
    zero = [t for j, t in zip(kept, found, strict=True) if j not in d.cotangent_outputs]
    assert all(not t.any() for t in zero)


@pytest.mark.parametrize("s", WITH_GRADIENT, ids=repr)
def test_second_order(s: Sample) -> None:
    program, active, rng = program_of(s.fn, s.args), active_of(s.args), np.random.default_rng(1)
    outs = evaluate(program, s.args)
    us = [like(rng, outs[j]) for j in vjp(program, active).cotangent_outputs]
    first = composed(program, active)
    args = [*s.args, *us]
    active2 = active_of(args)
    ts = [like(rng, args[i]) for i in active2]
    numeric = directional(first, args, active2, ts, 1e-6)
    second = composed(first, active2)
    ws = [like(rng, g) for g in evaluate(first, args)]
    kept = vjp(first, active2).cotangent_outputs
    found = inner(evaluate(second, [*args, *(ws[j] for j in kept)]), ts)
    np.testing.assert_allclose(found, inner([ws[j] for j in kept], [numeric[j] for j in kept]), rtol=2e-6, atol=1e-6)
    for j in set(range(len(ws))) - set(kept):
        np.testing.assert_allclose(numeric[j], 0, atol=1e-6)


@pytest.mark.parametrize("s", [s for s in RUNNABLE if s.args], ids=repr)
def test_batch(s: Sample) -> None:
    program, size, rng = program_of(s.fn, s.args), 3, np.random.default_rng(2)
    can = s.batched or (True,) * len(s.args)
    patterns = [
        t
        for t in itertools.product((True, False), repeat=len(s.args))
        if any(t) and all(c or not b for c, b in zip(can, t, strict=True))
    ]
    for pattern in patterns[:6]:
        for at_end in (False, True):
            dims = [None if not b else a.ndim if at_end else 0 for b, a in zip(pattern, s.args, strict=True)]
            examples = [
                [variation(rng, a) if b else a for a, b in zip(s.args, pattern, strict=True)] for _ in range(size)
            ]
            batched, out_dims = vmap(program, dims, size)
            batched.check()
            args = [
                a if d is None else np.stack([e[i] for e in examples], axis=d)
                for i, (a, d) in enumerate(zip(s.args, dims, strict=True))
            ]
            found = evaluate(batched, args)
            for k, example in enumerate(examples):
                for got, d, want in zip(found, out_dims, evaluate(program, example), strict=True):
                    one = got if d is None else np.take(got, k, axis=d)
                    np.testing.assert_allclose(one, want, rtol=1e-12, atol=1e-12)


def variation(rng: np.random.Generator, a: Array) -> Array:
    """Another example: the same elements in another order, so that indices stay in range and numbers in the domain."""
    return rng.permutation(a.ravel()).reshape(a.shape)


def test_symbolic_batch_size() -> None:
    program = program_of(lambda x: p.reduce_sum(p.exp(x), dims=(0,)), [np.ones((4, 2))])
    size = program.env.new(3)
    batched, dims = vmap(program, [0], size)
    assert dims == (0,)
    x = np.random.default_rng(0).standard_normal((7, 4, 2))
    np.testing.assert_allclose(evaluate(batched, [x])[0], np.exp(x).sum(1))


# -- the conventions at kinks, ties and zeros
# ---------------------------------------------------------------------------
def gradient(fn: Any, *args: Any) -> list[Array]:
    arrays = [np.asarray(a, float) for a in args]
    program = program_of(fn, arrays)
    outs, active = evaluate(program, arrays), list(range(len(args)))
    cts = [np.ones_like(outs[j]) for j in vjp(program, active).cotangent_outputs]
    return evaluate(composed(program, active), [*arrays, *cts])


@pytest.mark.parametrize(
    ("fn", "args", "expected"),
    [
        (p.abs, ([0.0, -2.0, np.nan],), ([0.0, -1.0, 0.0],)),
        (p.atan2, ([0.0, 1.0], [0.0, 0.0]), ([0.0, 0.0], [0.0, -1.0])),
        (p.max, ([1.0, 2.0, 3.0], [1.0, 5.0, 0.0]), ([0.5, 0.0, 1.0], [0.5, 1.0, 0.0])),
        (p.min, ([1.0, 2.0, 3.0], [1.0, 5.0, 0.0]), ([0.5, 1.0, 0.0], [0.5, 0.0, 1.0])),
        (p.pow, ([0.0, 0.0, 2.0], [0.0, 2.0, 3.0]), ([0.0, 0.0, 12.0], [0.0, 0.0, 8 * np.log(2.0)])),
        (p.pow, ([-2.0], [3.0]), ([12.0], [np.nan])),
        (p.sqrt, ([0.0],), ([np.inf],)),
        (p.copysign, ([0.0, 2.0], [-1.0, -1.0]), ([0.0, -1.0], [0.0, 0.0])),
        (lambda x: p.reduce_max(x, dims=(0,)), ([3.0, 1.0, 3.0],), ([0.5, 0.0, 0.5],)),
        (lambda x: p.reduce_prod(x, dims=(0,)), ([0.0, 2.0, 3.0],), ([6.0, 0.0, 0.0],)),
        (lambda x: p.reduce_prod(x, dims=(0,)), ([0.0, 0.0, 3.0],), ([0.0, 0.0, 0.0],)),
        (lambda x: p.cumprod(x, dim=0, reverse=False), ([2.0, 0.0, 3.0],), ([1.0, 8.0, 0.0],)),
        (lambda x: p.cummax(x, dim=0, reverse=False), ([1.0, 1.0, 0.0],), ([1.0, 2.0, 0.0],)),
        (lambda x: p.cummax(x, dim=0, reverse=True), ([0.0, 1.0, 1.0],), ([0.0, 2.0, 1.0],)),
        (lambda x: p.cumlogsumexp(x, dim=0, reverse=False), ([-np.inf, 0.0],), ([0.0, 1.0],)),
        (p.stop_gradient, ([1.0],), ([0.0],)),
    ],
)
def test_conventions(fn: Any, args: Any, expected: Any) -> None:
    for found, want in zip(gradient(fn, *args), expected, strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-12)


def test_scatter_product_and_ties() -> None:
    def fn(mode: str) -> Any:
        return lambda x, u: p.scatter(
            x, p.convert(p.iota(shape=(2,), dim=0, dtype=dt.float64), dtype=dt.int64), u, dims=(0,), mode=mode
        )

    (gx, gu) = gradient(fn("mul"), [0.0, 2.0], [3.0, 0.0])
    np.testing.assert_allclose(gx, [3.0, 0.0])
    np.testing.assert_allclose(gu, [0.0, 2.0])
    (gx, gu) = gradient(fn("max"), [1.0, 2.0], [1.0, 3.0])
    np.testing.assert_allclose(gx, [0.5, 0.0])
    np.testing.assert_allclose(gu, [0.5, 1.0])


@pytest.mark.parametrize("name", [n for n in HOLOMORPHIC if n not in NUMPY_HAS_NO_COMPLEX])
def test_holomorphic_gradient_is_conjugate(name: str) -> None:
    z = np.array([0.4 + 0.7j, -0.3 + 0.2j])
    program = program_of(getattr(p, name), [z])
    (grad,) = evaluate(composed(program, [0]), [z, np.ones_like(z)])
    h = 1e-6
    f = lambda w: evaluate(program, [w])[0]
    np.testing.assert_allclose(grad, np.conj((f(z + h) - f(z - h)) / (2 * h)), rtol=1e-6)


def test_complex_modulus_at_zero() -> None:
    z = np.array([0j, 3 + 4j])
    for name in ("abs", "sign"):
        program = program_of(getattr(p, name), [z])
        (grad,) = evaluate(composed(program, [0]), [z, np.ones_like(evaluate(program, [z])[0])])
        assert grad[0] == 0 and np.all(np.isfinite(grad))


@pytest.mark.parametrize(
    ("fn", "args", "error", "words"),
    [
        (p.add, [np.ones(2), np.ones(3)], ValueError, "add: expected operands of one shape"),
        (p.add, [np.ones(2), np.ones(2, int)], TypeError, "add: expected operands of one dtype"),
        (p.exp, [np.ones(2, int)], TypeError, "exp: not defined for int64"),
        (p.dot, [np.ones((2, 3)), np.ones((2, 3))], ValueError, "dot: expected equal inner sizes"),
        (lambda x: p.reshape(x, shape=(5,)), [np.ones((2, 3))], ValueError, "reshape: a value of shape"),
        (lambda x: p.reduce_sum(x, dims=(2,)), [np.ones((2, 3))], ValueError, "reduce_sum: expected a dimension in"),
        (lambda x: p.permute(x, perm=(0, 0)), [np.ones((2, 3))], ValueError, "permute: expected a permutation"),
        (lambda x, i: p.gather(x, i, dims=(0,)), [np.ones(3), np.ones(2)], TypeError, "gather: expected int64 indices"),
        (
            lambda x, y: p.concatenate(x, y, dim=0),
            [np.ones((2, 3)), np.ones((2, 2))],
            ValueError,
            "concatenate: the operands may differ in size along dimension 0 alone",
        ),
    ],
)
def test_errors(fn: Any, args: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        program_of(fn, args)


def test_underivable() -> None:
    seed = [np.array(0), np.array(0)]
    program = program_of(lambda s, o: p.random_bits(s, o, shape=(2,), dtype=dt.uint32), seed)
    with pytest.raises(NotImplementedError, match="random_bits"):
        vmap(program, [0, None], 3)


def test_philox_known_answer() -> None:
    # Random123's kat_vectors: counter and key zero.
    zero = [np.array(0), np.array(0)]
    program = program_of(lambda s, o: p.random_bits(s, o, shape=(2,), dtype=dt.uint32), zero)
    assert evaluate(program, zero)[0][0] == 0x6627E8D5
