"""Random programs: the fused plan against the interpreter, and, bit for bit, against one primitive at a time; and that
every program has a plan, in whatever order its equations stand.
"""

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
from rushlight.compiler.passes.cluster import cluster
from rushlight.core.dtypes import int64
from rushlight.prims.base import full_like
from rushlight.program.ir import Eqn, Program, Var
from rushlight.program.sym import hint, prod, same

FUSED = tuple("unary binary reduce normalise permute merge reverse flip concatenate pad scan".split())
# What has a buffer of its own, reads others in parts, or is computed once: here values wait for one another.
APART = tuple("binary normalise pad scatter scatter gather sort recurrence expensive row".split())
# Values beside themselves in another order.
MIRRORED = (*FUSED, *APART, *["mirrored"] * 5)


def places(of: Any, d: int, n: Any) -> Any:
    """Indices below n, one for each place along dimension `d`."""
    others = tuple(k for k in range(of.ndim) if k != d)
    row = p.reduce_max(of, dims=others) if others else of
    at = p.convert(p.mul(row, full(4.0, row)), dtype=int64)
    return p.min(p.max(at, full_like(at, 0)), full_like(at, n - 1))


def flipped(x: Any, d: int) -> Any:
    starts = tuple(x.shape[k] - 1 if k == d else 0 for k in range(x.ndim))
    return p.slice(x, starts=starts, sizes=x.shape, steps=tuple(-1 if k == d else 1 for k in range(x.ndim)))


def grow(q: random.Random, values: list[Any], exact: list[Any], kinds: tuple[str, ...]) -> None:
    """Append one or two values made from one of the last. exact: those that may become indices."""
    x = q.choice(values[-4:] if kinds is FUSED or q.random() < 0.6 else values)
    kind, n = q.choice(kinds), x.ndim

    def alike(among: list[Any]) -> Any:
        same_shape = (
            v for v in among if v.ndim == n and all(same(a, b) for a, b in zip(v.shape, x.shape, strict=True))
        )
        return q.choice([*same_shape] or [x])  # (none among those that may become indices)

    def rest(dims: tuple[int, ...]) -> list[int]:
        return [d for d in range(n) if d not in dims]

    if kind == "unary" or not n:
        values.append(q.choice([p.exp, p.neg, p.sqrt, p.tanh])(p.abs(x)))
    elif kind == "binary":
        values.append(q.choice([p.add, p.mul, p.sub, p.max])(x, alike(values)))
    elif kind == "mirrored":  # a value beside itself in another order, as x + x.T
        equal = [(i, j) for j in range(n) for i in range(j) if same(x.shape[i], x.shape[j])]
        perm = list(range(n))
        if equal:
            i, j = q.choice(equal)
            perm[i], perm[j] = j, i
        values.append(p.tanh(x))
        y = p.permute(values[-1], perm=tuple(perm)) if equal else flipped(values[-1], q.randint(0, n - 1))
        values.append(q.choice([p.add, p.mul, p.sub])(values[-1], y))
    elif kind in ("reduce", "normalise"):
        dims = tuple(sorted(q.sample(range(n), q.randint(1, n))))
        values.append(q.choice([p.reduce_sum, p.reduce_max, p.reduce_min])(x, dims=dims))
        if kind == "normalise":
            values.append(p.sub(x if kinds is FUSED else alike(values), expand(values[-1], x.shape, rest(dims))))
    elif kind == "row":
        dims = (q.randint(0, n - 1),)
        values.append(expand(p.reduce_sum(x, dims=dims), x.shape, rest(dims)))
    elif kind == "permute":
        values.append(p.permute(x, perm=tuple(q.sample(range(n), n))))
    elif kind == "merge":
        i = q.randint(0, n - 1)
        values.append(p.reshape(x, shape=(*x.shape[:i], prod(x.shape[i : i + 2]), *x.shape[i + 2 :])))
    elif kind == "reverse":
        values.append(p.reshape(x, shape=tuple(reversed(x.shape))))
    elif kind == "flip":
        values.append(flipped(x, q.randint(0, n - 1)))
    elif kind == "concatenate":
        values.append(p.concatenate(x, p.neg(x), dim=q.randint(0, n - 1)))
    elif kind == "pad":
        d, none = q.randint(0, n - 1), (0,) * n
        numbers = [] if kinds is FUSED else [v for v in values if v.ndim == 0]
        fill = q.choice([*numbers, p.constant(value=0.5, dtype=x.dtype)])
        values.append(p.pad(x, fill, low=tuple(int(k == d) for k in range(n)), high=none, interior=none))
    elif kind in ("gather", "scatter"):
        d = q.randint(0, n - 1)
        of = alike(exact)
        if of not in exact:
            return
        at = places(of, d, x.shape[d])
        if kind == "gather":
            values.append(p.gather(x, at, dims=(d,)))
        else:
            updates = p.permute(alike(values), perm=(d, *rest((d,))))
            values.append(p.scatter(x, at, updates, dims=(d,), mode=q.choice(["add", "max"])))
    elif kind == "sort":
        values.append(p.sort.several(x, dim=q.randint(0, n - 1), descending=q.random() < 0.5, stable=True)[0])
    elif kind == "recurrence":
        values.append(p.linrec(p.tanh(x), alike(values), dim=q.randint(0, n - 1), reverse=q.random() < 0.5))
    elif kind == "expensive":
        values.append(p.lgamma(p.add(p.tanh(x), full(2.5, x))))
    else:
        values.append(p.cumsum(p.mul(x, full(0.1, x)), dim=q.randint(0, n - 1), reverse=q.random() < 0.5))
    if hint(prod(values[-1].shape)) > 20000:
        values.pop()


def make(seed: int, kinds: tuple[str, ...] = FUSED) -> tuple[Program, list[Any]]:
    q = random.Random(seed)
    sizes = [1, 2, 3, 5, 17] if kinds is not MIRRORED or q.random() < 0.5 else [q.choice([2, 3, 5, 17])]
    shape = [q.choice(sizes) for _ in range(q.randint(0, 3 if sizes == [17] else 4))]
    rng = np.random.default_rng(seed)
    args = []
    for _ in range(q.randint(1, 3)):
        a = rng.uniform(0.5, 1.5, shape).astype("f")
        args.append(a if q.random() < 0.5 or not shape else np.asfortranarray(a) if q.random() < 0.5 else a[::-1])

    def f(*xs: Any) -> tuple[Any, ...]:
        values = list(xs)
        for _ in range(q.randint(2, 14) if kinds is FUSED else q.randint(4, 24)):
            grow(q, values, list(xs), kinds)
        return values[-1], *q.sample(values, min(len(values), q.randint(0, 3)))

    return trace(f, *args), args


def reordered(program: Program, q: random.Random) -> Program:
    """The program with its equations in another order, each after those that it reads."""
    left, there, eqns = list(program.eqns), set(program.inputs), []
    while left:
        e = q.choice([e for e in left if there.issuperset(e.inputs)])
        left.remove(e)
        there.update(e.outputs)
        eqns.append(e)
    return Program(program.env, program.inputs, eqns, program.outputs)


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
    compare(*make(seed), random.Random(~seed))


@pytest.mark.parametrize("seed", range(40))
def test_random_program_of_what_is_not_fused(seed: int) -> None:
    program, args = make(seed, (*FUSED, *APART))
    q = random.Random(~seed)
    compare(reordered(program, q), args, q)


@pytest.mark.parametrize("seed", range(40))
def test_random_program_of_values_beside_themselves(seed: int) -> None:
    compare(*make(seed, MIRRORED), random.Random(~seed))


@pytest.mark.parametrize("first", range(0, 1000, 250))
def test_every_program_has_a_plan_in_every_order(first: int) -> None:
    for seed in range(first, first + 250):
        program, _ = make(seed, (*FUSED, *APART, *APART))
        q = random.Random(~seed)
        for order in (program, reordered(program, q), reordered(program, q)):
            cluster(order, False).check()


def compare(program: Program, args: list[Any], q: random.Random) -> None:
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
