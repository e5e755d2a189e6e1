"""Random programs: the fused plan against the interpreter, and, bit for bit, against one primitive at a time."""

from __future__ import annotations

import random
from typing import Any

import harness
import numpy as np
import pytest
from sample_programs import expand, full, trace

from reference import evaluate
from rushlight import prims as p
from rushlight.compiler import compile_program
from rushlight.program.ir import Eqn, Program, Var
from rushlight.program.sym import hint, prod, same


def grow(q: random.Random, values: list[Any]) -> None:
    """Append one or two values made from one of the last."""
    x = q.choice(values[-4:])
    kind = q.choice(
        [
            "unary",
            "binary",
            "reduce",
            "normalise",
            "permute",
            "merge",
            "reverse shape",
            "flip",
            "concatenate",
            "pad",
            "scan",
        ]
    )
    n = x.ndim
    if kind == "unary" or not n:
        values.append(q.choice([p.exp, p.neg, p.sqrt, p.tanh])(p.abs(x)))
    elif kind == "binary":
        others = [v for v in values if v.ndim == n and all(same(a, b) for a, b in zip(v.shape, x.shape, strict=True))]
        values.append(q.choice([p.add, p.mul, p.sub, p.max])(x, q.choice(others)))
    elif kind in ("reduce", "normalise"):
        dims = tuple(sorted(q.sample(range(n), q.randint(1, n))))
        values.append(q.choice([p.reduce_sum, p.reduce_max, p.reduce_min])(x, dims=dims))
        if kind == "normalise":
            values.append(p.sub(x, expand(values[-1], x.shape, [d for d in range(n) if d not in dims])))
    elif kind == "permute":
        values.append(p.permute(x, perm=tuple(q.sample(range(n), n))))
    elif kind == "merge":
        i = q.randint(0, n - 1)
        values.append(p.reshape(x, shape=(*x.shape[:i], prod(x.shape[i : i + 2]), *x.shape[i + 2 :])))
    elif kind == "reverse shape":
        values.append(p.reshape(x, shape=tuple(reversed(x.shape))))
    elif kind == "flip":
        d = q.randint(0, n - 1)
        starts = tuple(x.shape[k] - 1 if k == d else 0 for k in range(n))
        values.append(p.slice(x, starts=starts, sizes=x.shape, steps=tuple(-1 if k == d else 1 for k in range(n))))
    elif kind == "concatenate":
        values.append(p.concatenate(x, p.neg(x), dim=q.randint(0, n - 1)))
    elif kind == "pad":
        d, none = q.randint(0, n - 1), (0,) * n
        low = tuple(int(k == d) for k in range(n))
        values.append(p.pad(x, p.constant(value=0.5, dtype=x.dtype), low=low, high=none, interior=none))
    else:
        values.append(p.cumsum(p.mul(x, full(0.1, x)), dim=q.randint(0, n - 1), reverse=q.random() < 0.5))
    if hint(prod(values[-1].shape)) > 20000:
        values.pop()


def make(seed: int) -> tuple[Program, list[Any]]:
    q = random.Random(seed)
    shape = [q.choice([1, 2, 3, 5, 17]) for _ in range(q.randint(0, 4))]
    rng = np.random.default_rng(seed)
    args = []
    for _ in range(q.randint(1, 3)):
        a = rng.uniform(0.5, 1.5, shape).astype("f")
        args.append(a if q.random() < 0.5 or not shape else np.asfortranarray(a) if q.random() < 0.5 else a[::-1])

    def f(*xs: Any) -> tuple[Any, ...]:
        values = list(xs)
        for _ in range(q.randint(2, 14)):
            grow(q, values)
        return values[-1], *q.sample(values, min(len(values), q.randint(0, 3)))

    return trace(f, *args), args


def one_by_one(program: Program, args: list[Any]) -> list[Any]:
    """The outputs when every equation is a plan of its own."""
    values: dict[Var, Any] = dict(zip(program.inputs, args, strict=True))
    for e in program.eqns:
        inputs = {v: Var(v.shape, v.dtype, "tensor") for v in e.inputs}
        alone = Eqn(e.prim, tuple(inputs[v] for v in e.inputs), e.params)
        alone.outputs = tuple(Var(v.shape, v.dtype, "value", alone) for v in e.outputs)
        small = Program(program.env, list(inputs.values()), [alone], alone.outputs)
        got = harness.run(compile_program(small), small, [values[v] for v in inputs], list(program.env.hints))
        values.update(zip(e.outputs, got, strict=True))
    return [values[v] for v in program.outputs]


@pytest.mark.parametrize("seed", range(60))
def test_random_program(seed: int) -> None:
    program, args = make(seed)
    q = random.Random(~seed)
    got = harness.run(
        compile_program(program),
        program,
        args,
        list(program.env.hints),
        modes=q.choice(["row", "col", None]),
        threads=q.choice([1, 3]),
    )
    with np.errstate(all="ignore"):
        want = evaluate(program, args)
    for g, w, u in zip(got, want, one_by_one(program, args), strict=True):
        assert g.shape == w.shape
        finite = np.isfinite(w) & (np.abs(w) < 1e30)
        scale = max(1.0, float(np.max(np.abs(w[finite]), initial=0)))
        assert (np.abs(g.astype("d")[finite] - w[finite]) <= 2e-3 * scale).all()
        equal = np.ascontiguousarray(g).view("i4") == np.ascontiguousarray(u).view("i4")
        assert (equal | (np.isnan(g) & np.isnan(u)).reshape(equal.shape)).all()
