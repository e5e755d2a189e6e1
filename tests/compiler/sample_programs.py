"""Programs for the compiler's tests, made from primitives, and the check of one against the NumPy interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import harness
import numpy as np

from reference import evaluate
from rushlight import prims as p
from rushlight.compiler import compile_program
from rushlight.compiler.plan import Plan
from rushlight.core import dtypes as D
from rushlight.program.ir import Builder, Program
from rushlight.program.sym import SymEnv

_SCALARS = {float: D.float64, int: D.int64, bool: D.bool_, complex: D.complex128}


def trace(f: Callable[..., Any], *args: Any) -> Program:
    """The program of `f` for arguments like these: arrays become tensors with symbolic sizes, Python numbers
    scalars.
    """
    env = SymEnv()
    builder = Builder(env)
    with builder:
        ins = [
            builder.input([env.new(n) if n != 1 else 1 for n in a.shape], D.by_name[a.dtype.name])
            if isinstance(a, np.ndarray)
            else builder.input((), _SCALARS[type(a)], "scalar")
            for a in args
        ]
        out = f(*ins)
        return builder.build(out if isinstance(out, tuple) else (out,))


def execute(
    program: Program, args: Sequence[Any], plan: Plan | None = None, views: bool = False, **how: Any
) -> list[Any]:
    """Compile (unless a plan is given) and run in the harness, at the sizes of the trace."""
    return harness.run(plan or compile_program(program, views), program, list(args), list(program.env.hints), **how)


def check(
    f: Callable[..., Any], *args: Any, tol: float = 1e-5, views: bool = False, steps: int | None = None, **how: Any
) -> Plan:
    """Compare with the interpreter; `steps` is how many launches and library calls the plan may have."""
    program = trace(f, *args)
    plan = compile_program(program, views)
    got, want = execute(program, args, plan, **how), evaluate(program, list(args))
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        assert g.shape == w.shape
        assert g.dtype == w.dtype
        if w.dtype.kind in "fc":
            np.testing.assert_allclose(g, w, rtol=tol, atol=tol, equal_nan=True)
        else:
            np.testing.assert_array_equal(g, w)
    if steps is not None:
        assert len(plan.steps) == steps, plan.steps
    return plan


def expand(x: Any, shape: Sequence[Any], dims: Sequence[int] = ()) -> Any:
    return p.broadcast_in_dim(x, shape=tuple(shape), dims=tuple(dims))


def full(value: Any, like: Any) -> Any:
    return expand(p.constant(value=value, dtype=like.dtype), like.shape)


def softmax(x: Any) -> Any:
    kept = tuple(range(x.ndim - 1))
    e = p.exp(p.sub(x, expand(p.reduce_max(x, dims=(x.ndim - 1,)), x.shape, kept)))
    return p.div(e, expand(p.reduce_sum(e, dims=(x.ndim - 1,)), x.shape, kept))


def logsumexp(x: Any) -> Any:
    m = p.reduce_max(x, dims=(1,))
    return p.add(p.log(p.reduce_sum(p.exp(p.sub(x, expand(m, x.shape, (0,)))), dims=(1,))), m)


def layer_norm(x: Any, w: Any, b: Any) -> Any:
    """(result, mean, 1 / standard deviation) over the last of two dims."""
    mean = p.mul(p.reduce_sum(x, dims=(1,)), full(1 / 37, p.reduce_sum(x, dims=(1,))))
    d = p.sub(x, expand(mean, x.shape, (0,)))
    var = p.mul(p.reduce_sum(p.mul(d, d), dims=(1,)), full(1 / 37, mean))
    r = p.rsqrt(p.add(var, full(1e-5, var)))
    return p.add(p.mul(p.mul(d, expand(r, x.shape, (0,))), expand(w, x.shape, (1,))), expand(b, x.shape, (1,))), mean, r


def layer_norm_backward(g: Any, x: Any, w: Any, mean: Any, r: Any) -> Any:
    n = full(1 / 37, mean)
    h = p.mul(p.sub(x, expand(mean, x.shape, (0,))), expand(r, x.shape, (0,)))
    gw = p.mul(g, expand(w, x.shape, (1,)))
    a = p.mul(p.reduce_sum(gw, dims=(1,)), n)
    c = p.mul(p.reduce_sum(p.mul(gw, h), dims=(1,)), n)
    gx = p.mul(p.sub(p.sub(gw, expand(a, x.shape, (0,))), p.mul(h, expand(c, x.shape, (0,)))), expand(r, x.shape, (0,)))
    return gx, p.reduce_sum(p.mul(g, h), dims=(0,)), p.reduce_sum(g, dims=(0,))
