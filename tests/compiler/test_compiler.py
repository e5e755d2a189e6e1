"""Compiled programs against the NumPy interpreter, and the promises about bits, fusion and machine code."""

from __future__ import annotations

import functools
import platform
from typing import Any

import numpy as np
import pytest
from sample_programs import check, execute, expand, full, layer_norm, layer_norm_backward, logsumexp, softmax, trace

from rushlight import prims as p
from rushlight.compiler import compile_program
from rushlight.core import dtypes as D

rng = np.random.default_rng(0)
X = rng.standard_normal((5, 37)).astype("f")
Y = rng.standard_normal((5, 37)).astype("f")
Z = rng.standard_normal(37).astype("f")
T3 = rng.standard_normal((4, 3, 50)).astype("f")
T4 = rng.standard_normal((3, 4, 5, 7)).astype("f")
INDEX = rng.integers(0, 5, 9)
ROWS = rng.standard_normal((9, 37)).astype("f")


def reshape(x: Any, *shape: Any) -> Any:
    return p.reshape(x, shape=shape)


def permute(x: Any, *perm: int) -> Any:
    return p.permute(x, perm=perm)


def cut(x: Any, starts: Any, sizes: Any, steps: Any) -> Any:
    return p.slice(x, starts=starts, sizes=sizes, steps=steps)


# name: (function, arguments, number of steps the plan may have)
PROGRAMS: dict[str, tuple[Any, tuple[Any, ...], int]] = {
    "add": (p.add, (X, Y), 1),
    "rank 0": (p.exp, (np.asarray(1.5, "f"),), 1),
    "rank 1": (p.exp, (Z,), 1),
    "one element": (p.exp, (np.ones((1, 1, 1), "f"),), 1),
    "transposed": (p.add, (X.T, np.ascontiguousarray(Y.T)), 1),
    "negative strides": (p.add, (X[::-1, ::-2], Y[:, ::2]), 1),
    "broadcast input": (p.add, (np.broadcast_to(Z, (5, 37)), Y), 1),
    "broadcast": (lambda a, b: p.mul(a, expand(b, a.shape, (1,))), (X, Z), 1),
    "scalar": (lambda a, b: p.mul(a, expand(p.convert(b, dtype=D.float32), a.shape)), (X, 2.5), 1),
    "fill": (lambda s: expand(p.convert(s, dtype=D.float32), (4, 5)), (2.0,), 1),
    "siblings": (lambda a: (p.sin(a), p.cos(a)), (X,), 1),
    "chain": (lambda a: (p.exp(a), p.neg(p.exp(a))), (X,), 1),
    "permute and add": (lambda a, b: p.add(permute(a, 1, 0), b), (X, np.ascontiguousarray(Y.T)), 1),
    "merge": (lambda a: p.exp(reshape(a, a.shape[0] * a.shape[1], a.shape[2])), (T3,), 1),
    "merge of permuted": (lambda a: p.exp(reshape(permute(a, 1, 0, 2), a.shape[0] * a.shape[1], a.shape[2])), (T3,), 1),
    "merge and split": (
        lambda a: p.exp(
            reshape(p.neg(reshape(a, a.shape[0] * a.shape[1] * a.shape[2])), a.shape[0], a.shape[1] * a.shape[2])
        ),
        (T3,),
        1,
    ),
    "reshape that strides cannot express": (lambda a: p.exp(reshape(p.neg(a), a.shape[1], a.shape[0])), (X,), 2),
    "the same of an input": (lambda a: p.exp(reshape(permute(a, 1, 0), *a.shape)), (X,), 2),
    "slice": (lambda a: p.neg(cut(a, (1, 30), (3, 8), (1, -3))), (X,), 1),
    "diagonal": (lambda a: p.neg(p.diagonal(a, offset=1, dim1=0, dim2=1)), (X,), 1),
    "windows": (
        lambda a: p.reduce_max(p.windows(a, dims=(1,), sizes=(5,), steps=(2,), dilations=(1,)), dims=(2,)),
        (X,),
        1,
    ),
    "pad": (
        lambda a: p.neg(
            p.pad(p.exp(a), p.constant(value=2.0, dtype=D.float32), low=(1, 0), high=(0, 3), interior=(0, 2))
        ),
        (X,),
        3,
    ),
    "concatenate": (lambda a, b: p.concatenate(p.exp(a), b, p.neg(b), dim=1), (X, Y), 2),
    "diag_embed": (lambda a: p.diag_embed(a, offset=-2, dim1=0, dim2=1), (X,), 2),
    "iota": (lambda a: p.add(a, p.iota(shape=a.shape, dim=1, dtype=D.float32)), (X,), 1),
    "random uint32": (lambda s: p.random_bits(s, s, shape=(5, 37), dtype=D.uint32), (12345,), 1),
    "random uint64": (lambda s: p.random_bits(s, s, shape=(5, 37), dtype=D.uint64), (-12345,), 1),
    "gather rows": (lambda a, i: p.gather(a, i, dims=(0,)), (X, INDEX), 1),
    "gather columns": (lambda a, i: p.exp(p.gather(a, i, dims=(1,))), (X, INDEX), 1),
    "gather elements": (lambda a, i, j: p.gather(a, i, j, dims=(0, 1)), (X, INDEX, INDEX + 3), 1),
    "gather and sum": (
        lambda a, i: p.reduce_sum(p.gather(a, i, dims=(1,)), dims=(0,)),
        (T4, rng.integers(0, 4, (6, 2))),
        1,
    ),
    "scatter all": (
        lambda a, i, j, u: p.scatter(a, i, j, u, dims=(0, 1), mode="add"),
        (X, INDEX, INDEX + 2, Z[:9].copy()),
        2,
    ),
    "scatter columns": (
        lambda a, i, u: p.scatter(a, i, u, dims=(1,), mode="add"),
        (X, INDEX, np.ascontiguousarray(ROWS[:, :5])),
        2,
    ),
    "linrec": (lambda a, b: p.linrec(a, b, dim=1, reverse=False), (X, Y), 1),
    "bandrec": (lambda a, b, c: p.bandrec(a, p.neg(b), c, dims=(0, 1), reverse=False), (X, Y, Y), 1),
    "bandrec reversed, of three dims": (lambda a: p.bandrec(a, a, a, dims=(0, 2), reverse=True), (T3,), 1),
    "bandrec along columns": (lambda a: p.bandrec(a, p.exp(a), a, dims=(0, 1), reverse=True), (T3,), 1),
    "logbandrec": (lambda a, b: p.logbandrec(a, b, p.neg(b), b, dims=(0, 1), reverse=False), (X, Y), 1),
    "logbandrec along columns": (lambda a: p.logbandrec(a, a, p.neg(a), dims=(0, 1), reverse=False), (T3,), 1),
    "linrec reversed": (lambda a, b: p.linrec(a, b, dim=0, reverse=True), (X, Y), 1),
    "softmax": (softmax, (X,), 1),
    "softmax of permuted": (lambda a: softmax(permute(a, 0, 2, 1)), (T3,), 1),
    "softmax, rank 4": (softmax, (T4,), 1),
    "layer_norm": (layer_norm, (X, Z, Z), 1),
    "layer_norm backward": (layer_norm_backward, (X, Y, Z, X[:, 0].copy(), np.abs(X[:, 1])), 2),
    "logsumexp": (logsumexp, (X,), 1),
    "logsumexp and softmax": (lambda a: (logsumexp(a), softmax(a)), (X,), 1),
    "sums over different dims": (lambda a: (p.reduce_sum(a, dims=(0,)), p.reduce_sum(a, dims=(1,))), (X,), 2),
    "variance of all": (
        lambda a: p.reduce_sum(p.mul(p.sub(a, expand(p.reduce_sum(a, dims=(0, 1)), a.shape)), a), dims=(0, 1)),
        (X,),
        2,
    ),
    "select": (lambda a, b: p.select(p.gt(a, b), a, p.neg(b)), (X, Y), 1),
    "dot": (lambda a, b: p.exp(p.dot(a, p.neg(b))), (X, np.ascontiguousarray(Y.T)), 2),
    "dot of transposed": (lambda a, b: p.dot(a, permute(b, 1, 0)), (X, Y), 1),
    "sort": (lambda a: p.sort(p.neg(a), dim=1, descending=False, stable=True), (X,), 2),
    "inputs as outputs": (lambda a: (a, a, p.neg(a)), (X,), 3),
    "empty": (
        lambda a: (p.reduce_sum(a, dims=(1,)), p.reduce_prod(a, dims=(1,)), p.neg(a)),
        (np.zeros((3, 0), "f"),),
        1,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name: str) -> None:
    f, args, steps = PROGRAMS[name]
    check(f, *args, tol=1e-4, steps=steps)


@pytest.mark.parametrize("mode", ["set", "add", "mul", "max", "min"])
def test_scatter_rows(mode: str) -> None:
    check(lambda a, i, u: p.scatter(a, i, p.neg(u), dims=(0,), mode=mode), X, INDEX, ROWS)


@pytest.mark.parametrize("mode", ["set", "add", "max"])
@pytest.mark.parametrize("own", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)])
def test_scatter_by_the_place_itself(own: tuple[int, ...], mode: str) -> None:
    """Along `own` an element's place is its number, as in the gradient of a gather: in all orders of the dims."""
    rng = np.random.default_rng(sum(own))
    x = rng.standard_normal((5, 6, 40)).astype("f")
    u = rng.standard_normal((4, 6, 37)).astype("f")
    index = [rng.integers(0, n, u.shape) for n in x.shape]
    if mode == "set":  # no two updates for one place: which of them wins is not said
        index = list(np.indices(u.shape))

    def f(a: Any, i: Any, j: Any, k: Any, v: Any) -> Any:
        at = [p.iota(shape=v.shape, dim=d, dtype=D.int64) if d in own else z for d, z in enumerate((i, j, k))]
        return p.scatter(a, *at, p.neg(v), dims=(0, 1, 2), mode=mode)

    check(f, x, *index, u, tol=1e-5, steps=2)
    for d in range(3):
        if d in own:  # more updates than places
            short, message = np.delete(x, range(3, x.shape[d]), d), f"index 3 lies outside dimension {d}"
            bad = [short, *(i % n for i, n in zip(index, short.shape, strict=True))]
        else:
            bad, message = [x, *index], f"index -1 lies outside dimension {d}"
            bad[1 + d] = np.where(index[d] == index[d][0, 0, 0], -1, index[d])
        with pytest.raises(IndexError, match=message):
            execute(trace(f, *bad, u), [*bad, u])


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"])
@pytest.mark.parametrize("dim", [0, 1])
def test_scan(name: str, dim: int) -> None:
    for reverse in (False, True):
        check(lambda a, r=reverse: getattr(p, name)(p.mul(a, a), dim=dim, reverse=r), X)


@pytest.mark.parametrize("name", ["reduce_sum", "reduce_prod", "reduce_max", "reduce_min"])
def test_reduce(name: str) -> None:
    for x, dims in ((X, (0,)), (X, (1,)), (X, (0, 1)), (T4, (0, 2, 3)), (T4, (1, 3)), (T4, (0, 2))):
        check(lambda a, d=dims: getattr(p, name)(a, dims=d), x)
    check(lambda a: getattr(p, name)(permute(a, 3, 1, 0, 2), dims=(0, 2)), T4)
    nan = X.copy()
    nan[2, 5] = np.nan
    check(lambda a: getattr(p, name)(a, dims=(1,)), nan)
    check(lambda a: getattr(p, name)(a, dims=(0,)), nan)


def test_reduce_bool_and_arg() -> None:
    ties = np.round(X)
    ties[3, 4] = np.nan
    for dim in (0, 1):
        check(lambda a, d=dim: (p.argmax(a, dim=d), p.argmin(a, dim=d)), ties)
        check(
            lambda a, d=dim: (
                p.reduce_and(p.gt(a, full(-1.5, a)), dims=(d,)),
                p.reduce_or(p.gt(a, full(1.5, a)), dims=(d,)),
            ),
            X,
        )


@pytest.mark.parametrize("t", ["int8", "int32", "int64", "uint8"])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "floordiv", "rem", "max", "min", "and_", "or_", "xor", "pow"])
def test_integers(name: str, t: str) -> None:
    a, b = rng.integers(-100, 100, (5, 37)).astype(t), rng.integers(-3, 4, (5, 37))
    b = np.where(b == 0, 1, b) if name in ("floordiv", "rem") else np.abs(b) if name == "pow" else b
    check(getattr(p, name), a, b.astype(t))


@pytest.mark.parametrize("name", ["rem", "floordiv", "fmod", "pow", "atan2", "copysign", "max", "min", "div"])
def test_floats(name: str) -> None:
    check(getattr(p, name), np.abs(X), Y)


def test_convert() -> None:
    kinds = (D.int32, D.uint8, D.bool_, D.float16, D.float64, D.complex64)
    check(lambda a: tuple(p.convert(a, dtype=t) for t in kinds), np.abs(X * 50))


def test_half_and_complex() -> None:
    check(softmax, X.astype(np.float16), tol=2e-3)
    check(lambda a: p.reduce_sum(a, dims=(0,)), X.astype(np.float16), tol=2e-3)
    z = (X + 1j * Y).astype(np.complex64)
    check(lambda a, b: p.mul(a, p.conj(b)), z, z[::-1])
    check(lambda a: p.reduce_sum(a, dims=(0,)), z)
    check(lambda a: p.reduce_sum(a, dims=(1,)), z)
    check(lambda a, b: (p.abs(a), p.exp(a), p.div(a, b), p.sign(a)), z, z[::-1])


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_polygamma(n: int) -> None:
    from mpmath import mp

    x = np.array([1e-3, 0.1, 0.5, 1, 2.5, 10, 1e3, 1e8, -0.25, -0.5, -3.75, -100.125])
    for t, tol in ((np.float64, 1e-12), (np.float32, 2e-7)):
        (got,) = execute(trace(lambda a: p.polygamma(a, n=n), x.astype(t)), [x.astype(t)])
        want = np.array(
            [float(mp.diff(mp.digamma, v, n) if v < 0 else mp.polygamma(n, v)) for v in x.astype(t).tolist()]
        )
        np.testing.assert_allclose(got, want.astype(t), rtol=tol if n < 6 else 1e-8, atol=np.finfo(t).tiny)
    poles = np.array([0.0, -1.0, -7.0])
    (got,) = execute(trace(lambda a: p.polygamma(a, n=n), poles), [poles])
    assert (got == (np.inf if n % 2 else -np.inf)).all()


def test_views_are_views() -> None:
    program = trace(lambda a: (a, permute(a, 1, 0), p.neg(a), cut(a, (1, 0), (2, 3), (2, 1))), X)
    plan = compile_program(program, views=True)
    assert [o.kind for o in plan.outputs] == ["view", "view", "buffer", "view"]
    for got, want in zip(execute(program, [X], plan), (X, X.T, -X, X[1:5:2, :3]), strict=True):
        np.testing.assert_array_equal(got, want)


def test_a_program_has_one_plan() -> None:
    """Values are compared by identity, and a set of them has another order each time: no plan may follow it."""

    def merged(*xs: Any) -> Any:
        every = [reshape(permute(x, 1, 0), x.shape[0] * x.shape[1]) for x in xs]
        every += [reshape(x, x.shape[0] * x.shape[1]) for x in xs]
        return functools.reduce(p.add, every)

    args = (X, Y, X[::-1], Y[:, ::-1])
    assert len({str(compile_program(trace(merged, *args))) for _ in range(8)}) == 1


def test_layout_is_preserved() -> None:
    (got,) = execute(trace(p.exp, T4), [np.asfortranarray(T4)])
    assert got.strides == np.asfortranarray(T4).strides


@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 17, 2047, 2048, 2049, 65535, 65536, 65537, 140000])
def test_one_order_of_reduction(n: int) -> None:
    """Along rows or columns, split or not, in one range of items or three: the same bits."""
    for shape, dim in (((n, 3), 0), ((3, n), 1)):
        x = rng.standard_normal(shape).astype("f")

        def f(a: Any, d: int = dim) -> Any:
            rest = (p.reduce_max(a, dims=(d,)), p.argmax(a, dim=d)) if n else ()
            return (p.reduce_sum(p.exp(a), dims=(d,)), p.reduce_prod(a, dims=(d,)), *rest)

        program = trace(f, x)
        plan = compile_program(program)
        first = [g.tobytes() for g in execute(program, [x], plan, modes="row", split=False)]
        for how in (
            {"modes": "row", "threads": 3, "split": False},
            {"modes": "col", "split": False},
            {"modes": "col", "threads": 2},
            {"split": True},
            {"split": True, "threads": 3},
        ):
            assert [g.tobytes() for g in execute(program, [x], plan, **how)] == first, how
        assert np.allclose(np.frombuffer(first[0], "f"), np.exp(x.astype("d")).sum(dim), rtol=1e-5)


@pytest.mark.parametrize(
    ("shape", "dims"),
    [
        ((50, 7, 90), (0, 2)),
        ((70, 20, 11), (0, 1)),
        ((300, 3, 301), (0, 2)),
        ((2, 3, 5, 7, 11), (0, 2, 4)),
        ((9, 5, 32), (0, 2)),
    ],
)
def test_layout_and_fusion_do_not_change_bits(shape: Any, dims: Any) -> None:
    x = rng.standard_normal(shape).astype("f")
    fused = trace(lambda a: p.reduce_sum(p.exp(a), dims=dims), x)
    want = execute(fused, [x])[0].tobytes()
    assert execute(fused, [np.asfortranarray(x)])[0].tobytes() == want
    (e,) = execute(trace(p.exp, x), [x])
    assert execute(trace(lambda a: p.reduce_sum(a, dims=dims), e), [e])[0].tobytes() == want


def test_softmax_bits_unfused() -> None:
    """One primitive at a time gives the bits of the fused kernel."""
    for t in ("f", "d", np.float16):
        x = rng.standard_normal((7, 100)).astype(t)
        (fused,) = execute(trace(softmax, x), [x])
        (m,) = execute(trace(lambda a: p.reduce_max(a, dims=(1,)), x), [x])
        (e,) = execute(trace(p.sub, x, x), [x, np.ascontiguousarray(np.broadcast_to(m[:, None], x.shape))])
        (e,) = execute(trace(p.exp, e), [e])
        (s,) = execute(trace(lambda a: p.reduce_sum(a, dims=(1,)), e), [e])
        (y,) = execute(trace(p.div, e, e), [e, np.ascontiguousarray(np.broadcast_to(s[:, None], x.shape))])
        assert y.tobytes() == fused.tobytes()
        # Columns along the vector axis: the same again.
        (col,) = execute(trace(softmax, x), [np.asfortranarray(x)], modes="col")
        assert np.ascontiguousarray(col).tobytes() == fused.tobytes()


def test_a_long_chain_is_cut() -> None:
    def f(x: Any) -> Any:
        for i in range(600):
            x = p.add(p.mul(x, x), p.neg(x)) if i % 2 else p.tanh(x)
        return x

    plan = check(f, X[:2, :3].copy(), tol=1e-4)
    assert 2 <= len(plan.steps) <= 12


def test_index_out_of_range() -> None:
    program = trace(lambda a, i: p.gather(a, i, dims=(0,)), X, INDEX)
    for bad in (5, -1):
        index = INDEX.copy()
        index[7] = bad
        with pytest.raises(IndexError, match=f"index {bad} lies outside dimension 0, which has the size 5"):
            execute(program, [X, index])
    program = trace(lambda a, i, u: p.scatter(a, i, u, dims=(0,), mode="add"), X, INDEX, ROWS)
    with pytest.raises(IndexError, match="index 5"):
        execute(program, [X, np.where(INDEX == INDEX[0], 5, INDEX), ROWS])


def test_integer_division_by_zero() -> None:
    a, b = np.arange(37), np.ones(37, np.int64)
    b[36] = 0
    for f in (p.floordiv, p.rem):
        with pytest.raises(ZeroDivisionError):
            execute(trace(f, a, b), [a, b])


def test_new_sizes_need_no_new_plan() -> None:
    from harness import run

    program = trace(softmax, X)
    plan = compile_program(program)
    for shape in ((2, 3), (100, 16), (3, 500)):
        x = rng.standard_normal(shape).astype("f")
        (got,) = run(plan, program, [x], list(shape))
        e = np.exp(x - x.max(1, keepdims=True))
        np.testing.assert_allclose(got, e / e.sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads x86-64 assembly")
def test_vector_registers_and_no_calls() -> None:
    plan = compile_program(trace(lambda a, b: p.add(p.exp(a), b), X, Y))
    text = plan.steps[0].kernel.assembly(1, 0, "col", "ccc")
    assert "zmm" in text or "ymm" in text
    assert "call" not in text.replace("callee", "")
    assert "vfmadd" in text  # exp's polynomial; never across primitives
    plain = (
        compile_program(trace(lambda a, b: p.add(p.mul(a, b), b), X, Y)).steps[0].kernel.assembly(1, 0, "col", "ccc")
    )
    assert "vfmadd" not in plain
