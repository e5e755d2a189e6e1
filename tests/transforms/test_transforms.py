"""Transforms on programs of several equations: correctness, and that few residuals are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from programs import composed
from programs import program_of as trace
from reference import evaluate
from rushlight import prims as p
from rushlight.core import dtypes as dt
from rushlight.program.ir import Program, Var
from rushlight.transforms import inline_calls, jvp, linearize, simplify, transpose, vjp, vmap

Array = Any
RNG = np.random.default_rng(0)


def program_of(fn: Callable[..., Any], *args: Any) -> Program:
    return trace(fn, args)


def row(x: Var, like: Var) -> Var:
    """Put back the last dimension."""
    return p.broadcast_in_dim(x, shape=like.shape, dims=tuple(range(like.ndim - 1)))


def col(x: Var, like: Var) -> Var:
    """A vector along the last dimension."""
    return p.broadcast_in_dim(x, shape=like.shape, dims=(like.ndim - 1,))


def softmax(x: Var) -> Var:
    e = p.exp(p.sub(x, row(p.reduce_max(x, dims=(x.ndim - 1,)), x)))
    return p.div(e, row(p.reduce_sum(e, dims=(x.ndim - 1,)), x))


def mean(x: Var) -> Var:
    total = p.reduce_sum(x, dims=(x.ndim - 1,))
    return p.div(total, p.full(total.shape, x.shape[-1], x.dtype))


def layer_norm(x: Var, w: Var, b: Var) -> Var:
    d = p.sub(x, row(mean(x), x))
    scale = p.rsqrt(p.add(mean(p.mul(d, d)), p.full(x.shape[:-1], 1e-5, x.dtype)))
    return p.add(p.mul(p.mul(d, row(scale, x)), col(w, x)), col(b, x))


def gelu(x: Var) -> Var:
    half = p.mul(x, p.full_like(x, 0.5))
    return p.mul(half, p.add(p.erf(p.mul(x, p.full_like(x, 0.5**0.5))), p.full_like(x, 1.0)))


def chain(x: Var, a: Var, b: Var) -> Var:
    return p.dot(p.tanh(p.dot(x, a)), b)


def attention(q: Var, k: Var, v: Var) -> Var:
    return p.dot(softmax(p.dot(q, p.permute(k, perm=(0, 2, 1)))), v)


def scaled(x: Var, s: Var) -> Var:
    return p.exp(p.mul(x, p.broadcast_in_dim(s, shape=x.shape, dims=())))


def dropout(x: Var, seed: Var, offset: Var) -> Var:
    bits = p.random_bits(seed, offset, shape=x.shape, dtype=dt.uint32)
    keep = p.lt(bits, p.full(x.shape, 2**31, dt.uint32))
    return p.select(keep, p.mul(x, p.full_like(x, 2.0)), p.zeros_like(x))


def arr(*shape: int) -> Array:
    return RNG.standard_normal(shape)


CASES: dict[str, tuple[Callable[..., Any], list[Any]]] = {
    "softmax": (softmax, [arr(3, 5)]),
    "layer_norm": (layer_norm, [arr(2, 3, 5), arr(5), arr(5)]),
    "gelu": (gelu, [arr(4, 3)]),
    "chain": (chain, [arr(3, 4), arr(4, 5), arr(5, 2)]),
    "attention": (attention, [arr(2, 3, 4), arr(2, 5, 4), arr(2, 5, 3)]),
    "scaled": (scaled, [arr(4), 1.5]),
    "dropout": (dropout, [arr(5, 6), 17, 3]),
    "two_outputs": (
        lambda x, y: (p.mul(x, y), p.reduce_sum(p.exp(x), dims=(0,)), p.argmax(x, dim=0)),
        [arr(4, 2), arr(4, 2)],
    ),
}


def active_of(args: list[Any]) -> list[int]:
    return [i for i, a in enumerate(args) if isinstance(a, np.ndarray) and a.dtype.kind in "fc"]


def run_backward(d: Any, args: list[Any], cts: list[Array], n_out: int) -> list[Array]:
    results = evaluate(d.forward, args)
    where = {"input": args, "output": results[:n_out], "extra": results[n_out:]}
    return evaluate(d.backward, [*(where[k][i] for k, i in d.residuals), *cts, *(args[i] for i in d.scalars)])


@pytest.mark.parametrize("name", CASES)
def test_vjp_against_differences(name: str) -> None:
    fn, args = CASES[name]
    program, active = program_of(fn, *args), active_of(args)
    d = vjp(program, active)
    d.forward.check()
    d.backward.check()
    n = len(program.outputs)
    outs = evaluate(program, args)
    for a, b in zip(outs, evaluate(d.forward, args)[:n], strict=True):
        np.testing.assert_array_equal(a, b)
    cts = [RNG.standard_normal(outs[j].shape) for j in d.cotangent_outputs]
    grads = run_backward(d, args, cts, n)
    for i, g in zip(active, d.grads, strict=True):
        t, h = RNG.standard_normal(args[i].shape), 1e-6
        plus, minus = (evaluate(program, [a + s * t if k == i else a for k, a in enumerate(args)]) for s in (h, -h))
        slope = sum(np.sum(c * (plus[j] - minus[j])) / (2 * h) for c, j in zip(cts, d.cotangent_outputs, strict=True))
        found = 0.0 if g is None else np.sum(grads[g] * t)
        np.testing.assert_allclose(found, slope, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", CASES)
def test_linearize_agrees_with_jvp(name: str) -> None:
    fn, args = CASES[name]
    program, active = program_of(fn, *args), active_of(args)
    n = len(program.outputs)
    ts = [RNG.standard_normal(args[i].shape) for i in active]
    want = evaluate(jvp(program, active), [*args, *ts])[n:]
    lin = linearize(program, active)
    results = evaluate(lin.forward, args)
    where = {"input": args, "output": results[:n], "extra": results[n:]}
    found = evaluate(lin.linear, [*(where[k][i] for k, i in lin.residuals), *ts, *(args[i] for i in lin.scalars)])
    inexact = [j for j, v in enumerate(program.outputs) if v.dtype.kind == "f"]
    for j, t in zip(lin.tangent_outputs, found, strict=True):
        np.testing.assert_allclose(t, want[inexact.index(j)], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_vmap_of_composites(name: str) -> None:
    fn, args = CASES[name]
    program = program_of(fn, *args)
    dims = [1 if isinstance(a, np.ndarray) else None for a in args]
    batched, out_dims = vmap(program, dims, 3)
    batched.check()
    many = [[np.roll(a, k) if isinstance(a, np.ndarray) else a for a in args] for k in range(3)]
    found = evaluate(
        batched,
        [
            np.stack([m[i] for m in many], 1) if d is not None else a
            for i, (a, d) in enumerate(zip(args, dims, strict=True))
        ],
    )
    for k, example in enumerate(many):
        for got, d, want in zip(found, out_dims, evaluate(program, example), strict=True):
            np.testing.assert_allclose(got if d is None else np.take(got, k, axis=d), want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_vmap_of_the_gradient(name: str) -> None:
    # Per-example gradients; and the other order, the gradient of the batched program, must agree with them.
    fn, args = CASES[name]
    program, active = program_of(fn, *args), active_of(args)
    outs = evaluate(program, args)
    cts = [RNG.standard_normal((3, *outs[j].shape)) for j in vjp(program, active).cotangent_outputs]
    many = [np.stack([np.roll(a, k) for k in range(3)]) if isinstance(a, np.ndarray) else a for a in args]
    dims = [0 if isinstance(a, np.ndarray) else None for a in args]
    per_example, out_dims = vmap(composed(program, active), [*dims, *[0] * len(cts)], 3)
    per_example.check()
    found = [
        np.broadcast_to(g, (3, *g.shape)) if d is None else np.moveaxis(g, d, 0)
        for g, d in zip(evaluate(per_example, [*many, *cts]), out_dims, strict=True)
    ]
    for k in range(3):
        one = [m[k] if d == 0 else m for m, d in zip(many, dims, strict=True)]
        for got, want in zip(found, evaluate(composed(program, active), [*one, *(c[k] for c in cts)]), strict=True):
            np.testing.assert_allclose(got[k], want, rtol=1e-10, atol=1e-12)
    batched, batched_dims = vmap(program, dims, 3)
    d = vjp(batched, active)
    moved = [np.moveaxis(c, 0, batched_dims[j]) for c, j in zip(cts, d.cotangent_outputs, strict=True)]
    for got, want in zip(evaluate(composed(batched, active), [*many, *moved]), found, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_other_sizes(name: str) -> None:
    # One trace serves other sizes: gradients of a program with symbols, evaluated at sizes that were not traced.
    fn, args = CASES[name]
    other = [
        np.concatenate([a, a[..., ::-1]], 0)
        if isinstance(a, np.ndarray) and name in ("softmax", "gelu", "scaled", "dropout")
        else a
        for a in args
    ]
    d, n = vjp(program_of(fn, *args), active_of(args)), len(program_of(fn, *args).outputs)
    fresh = vjp(program_of(fn, *other), active_of(other))
    outs = evaluate(fresh.forward, other)
    cts = [np.ones_like(outs[j]) for j in d.cotangent_outputs]
    sizes = [m for a in other if isinstance(a, np.ndarray) for m in a.shape]
    results = evaluate(d.forward, other)
    where = {"input": other, "output": results[:n], "extra": results[n:]}
    got = evaluate(d.backward, [*(where[k][i] for k, i in d.residuals), *cts, *(other[i] for i in d.scalars)], sizes)
    for a, b in zip(got, run_backward(fresh, other, cts, n), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "most_full", "extras"),
    [("softmax", 2, 2), ("layer_norm", 1, 2), ("gelu", 1, 0), ("chain", 3, 1), ("scaled", 1, 0), ("dropout", 0, 0)],
)
def test_few_residuals(name: str, most_full: int, extras: int) -> None:
    fn, args = CASES[name]
    d = vjp(program_of(fn, *args), active_of(args))
    kinds = [k for k, _ in d.residuals]
    assert kinds.count("extra") <= extras, d.residuals
    rank = args[0].ndim
    full = [v for v in d.backward.inputs[: d.n_residuals] if v.ndim == rank]
    assert len(full) <= most_full + (extras if name == "chain" else 0), d.residuals
    assert len(d.forward.outputs) == len(program_of(fn, *args).outputs) + kinds.count("extra")


def test_scalars_are_passed_again() -> None:
    d = vjp(program_of(scaled, arr(3), 2.0), [0])
    assert d.scalars == (1,) and d.residuals == (("output", 0),)
    assert d.backward.inputs[-1].kind == "scalar"
    d = vjp(program_of(dropout, arr(3, 4), 1, 2), [0])
    assert d.scalars == (1, 2) and d.residuals == ()


def test_zero_gradients_and_inactive_outputs() -> None:
    program = program_of(lambda x, y: (p.floor(x), p.convert(y, dtype=dt.int64), p.neg(y)), arr(3), arr(3))
    d = vjp(program, [0, 1])
    assert d.cotangent_outputs == (2,) and d.grads == (None, 0)
    d = vjp(program, [0, 1], out_active=[0])
    assert d.cotangent_outputs == () and d.grads == (None, None)


def test_an_output_that_is_an_input() -> None:
    program = program_of(lambda x: (x, x, p.mul(x, x)), arr(3))
    d = vjp(program, [0])
    x, cts = arr(3), [arr(3) for _ in range(3)]
    (grad,) = run_backward(d, [x], cts, 3)
    np.testing.assert_allclose(grad, cts[0] + cts[1] + 2 * x * cts[2])


def test_wrong_active_input() -> None:
    program = program_of(lambda i: p.neg(i), np.arange(3))
    with pytest.raises(TypeError, match="vjp: input 0 of dtype int64"):
        vjp(program, [0])
    with pytest.raises(ValueError, match=r"jvp: expected an input in \[0, 1\)"):
        jvp(program, [1])


def test_transpose_of_a_linear_program() -> None:
    program = program_of(lambda a, x, y: p.add(p.dot(a, x), p.neg(y)), arr(3, 4), arr(4, 2), arr(3, 2))
    back = transpose(program, [1, 2])
    a, ct = arr(3, 4), arr(3, 2)
    gx, gy = evaluate(back, [a, ct])
    np.testing.assert_allclose(gx, a.T @ ct)
    np.testing.assert_allclose(gy, -ct)


def test_custom_rule_is_used_under_every_transform() -> None:
    def rule(inputs: Any, outputs: Any, tangents: Any) -> Any:
        return [None if tangents[0] is None else p.mul(tangents[0], p.full_like(tangents[0], 10.0))]

    def fn(x: Var) -> Var:
        return p.custom_call(x, body=lambda v: p.sin(v), jvp=rule, name="odd")[0]

    program, x = program_of(fn, arr(3)), arr(3)
    d = vjp(program, [0])
    np.testing.assert_allclose(run_backward(d, [x], [np.ones(3)], 1)[0], 10.0)
    batched, _ = vmap(program, [0], 2)
    np.testing.assert_allclose(evaluate(batched, [arr(2, 3)])[0].shape, (2, 3))
    xs, ts = arr(2, 3), arr(2, 3)
    np.testing.assert_allclose(evaluate(jvp(batched, [0]), [xs, ts])[1], 10 * ts)
    flat = inline_calls(batched)
    assert {e.prim.name for e in flat.eqns} == {"sin"}


def test_a_rule_that_calls_is_transposed_through_the_call() -> None:
    def rule(inputs: Any, outputs: Any, tangents: Any) -> Any:
        def body(t: Var, x: Var) -> tuple[Var, Var]:
            return p.mul(t, p.cos(x)), p.neg(t)

        a, b = p.custom_call(tangents[0], inputs[0], body=body, jvp=None, name="inner")
        return [p.add(p.add(a, b), tangents[0])]

    program = program_of(lambda x: p.custom_call(x, body=lambda v: p.sin(v), jvp=rule, name="outer")[0], arr(3))
    x, ct = arr(3), arr(3)
    (grad,) = run_backward(vjp(program, [0]), [x], [ct], 1)
    np.testing.assert_allclose(grad, ct * np.cos(x))


def test_a_rule_with_a_wrong_tangent_is_an_error() -> None:
    program = program_of(
        lambda x: p.custom_call(x, body=lambda v: p.reduce_sum(v, dims=(0,)), jvp=lambda i, o, t: t, name="bad")[0],
        arr(3),
    )
    with pytest.raises(ValueError, match="custom_call: bad: the jvp rule gave the tangent"):
        vjp(program, [0])


def test_stop_gradient_is_inlined() -> None:
    program = program_of(lambda x: p.mul(p.stop_gradient(x), x), arr(3))
    assert [e.prim.name for e in inline_calls(program).eqns] == ["mul"]
    x = arr(3)
    np.testing.assert_allclose(run_backward(vjp(program, [0]), [x], [np.ones(3)], 1)[0], x)


def test_simplify() -> None:
    def fn(x: Var) -> tuple[Var, ...]:
        one, zero = p.full_like(x, 1.0), p.full_like(x, 0.0)
        views = p.permute(p.permute(p.mul(x, one), perm=(1, 0)), perm=(1, 0))
        again = p.reshape(p.reshape(views, shape=(x.shape[0] * x.shape[1],)), shape=x.shape)
        return p.sub(p.neg(p.neg(again)), zero), p.add(p.exp(x), p.exp(x)), p.add(x, zero)

    program = simplify(program_of(fn, arr(2, 3)))
    assert program.outputs[0] is program.inputs[0]
    names = [e.prim.name for e in program.eqns]
    assert names.count("exp") == 1 and "permute" not in names and "reshape" not in names
    # x + 0.0 is not x for x = -0.0, so it stays.
    assert program.outputs[2] is not program.inputs[0]


def test_derived_programs_do_not_touch_the_guards_of_the_original() -> None:
    program = program_of(lambda x: p.slice(x, starts=(0,), sizes=(3,), steps=(2,)), arr(9))
    before = len(program.env.guards)
    d = vjp(program, [0])
    assert len(program.env.guards) == before
    assert d.forward.env is d.backward.env is not program.env
    for derived in (d.forward, d.backward):
        symbols = [n for v in derived.inputs for n in v.shape if not isinstance(n, int)]
        assert all(n.env is derived.env for n in symbols)
