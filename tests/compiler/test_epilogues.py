"""Kernels that go on with pieces of a product: the bits of the product and the kernel one after the other, the pieces'
memory, and which kernels do so.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_product_kernels import HAS, NUMBERS, OWN, UNIT, bits, choose, laid, random

import rushlight as rl
from rushlight import prims as p
from rushlight.compiler import compile_program, counters
from rushlight.compiler.kernels import cache
from rushlight.compiler.plan import Library, Plan
from rushlight.compiler.products import kernels
from rushlight.core.execute import Executable
from rushlight.inspection import explaining
from rushlight.nn import functional as F
from rushlight.program.ir import Builder, Program, Var
from rushlight.program.sym import SymEnv

pytestmark = pytest.mark.usefixtures("code_path", "threads")

Function = Callable[..., Any]


def program_of(f: Function, *tensors: rl.Tensor) -> Program:
    """The program of a function of primitives."""
    builder = Builder(SymEnv())
    with builder:
        shapes = [[builder.env.new(n) if n != 1 else 1 for n in t.shape] for t in tensors]
        out = f(*(builder.input(s, t.dtype) for s, t in zip(shapes, tensors, strict=True)))
        return builder.build(out if isinstance(out, tuple) else (out,))


def apart(plan: Plan) -> Plan:
    """The same with products and kernels as steps of their own."""
    steps: list[Any] = []
    for s in plan.steps:
        steps += [dataclasses.replace(s, then=None), s.then] if isinstance(s, Library) and s.then is not None else [s]
    # (Which steps buffers live for is said in numbers of the joined ones.)
    allocs = tuple(dataclasses.replace(a, pieces=False, lives=None, over=None) for a in plan.allocs)
    return dataclasses.replace(plan, steps=tuple(steps), allocs=allocs, lasts=())


def joined(plan: Plan) -> list[Any]:
    """The kernels that go on with products."""
    return [s.then.kernel for s in plan.steps if isinstance(s, Library) and s.then is not None]


def launch(plan: Plan, program: Program, tensors: list[rl.Tensor]) -> list[rl.Tensor]:
    hints = program.env.hints
    out = Executable(plan, [("int", k) for k in range(len(hints))], len(tensors), 0).launch(tensors, list(hints))
    assert out is not None
    return out


def check(f: Function, *tensors: rl.Tensor) -> None:
    """A function's product and kernel are one step, with the bits of two."""
    program = program_of(f, *tensors)
    plan = compile_program(program)
    assert len(joined(plan)) == 1, plan
    wanted = launch(apart(plan), program, list(tensors))
    found = launch(plan, program, list(tensors))
    for x, y in zip(found, wanted, strict=True):
        assert (x.shape, x.dtype, x.stride()) == (y.shape, y.dtype, y.stride())
        assert bits(x) == bits(y), (x.float() - y.float()).abs().max()


def spread(x: Var, y: Var, *dims: int) -> Var:
    """x as y's shape, its dims being these."""
    return p.broadcast_in_dim(x, shape=y.shape, dims=dims)


def number(value: float, y: Var) -> Var:
    return spread(p.constant(value=value, dtype=y.dtype), y)


def in_float32(f: Function) -> Function:
    """As operators of half types do: computed in float32, and rounded once."""

    def run(*args: Var) -> Var:
        d = args[0].dtype
        return p.convert(f(*(p.convert(x, dtype=d.compute) for x in args)), dtype=d)

    return run


def gelu(y: Var) -> Var:
    return p.mul(p.mul(y, number(0.5, y)), p.add(p.erf(p.mul(y, number(0.7071, y))), number(1.0, y)))


def rows(a: Var, b: Var, c: Var, r: Var, v: Var) -> Var:
    y = p.dot(a, b)
    return in_float32(lambda y, v: p.add(y, spread(v, y, 1)))(y, v)


def activation(a: Var, b: Var, c: Var, r: Var, v: Var) -> Var:
    y = p.dot(a, b)
    f = p.tanh if y.dtype.kind == "c" else gelu
    return in_float32(lambda y, v: f(p.add(y, spread(v, y, 1))))(y, v)


def residual(a: Var, b: Var, c: Var, r: Var, v: Var) -> Var:
    y = p.dot(a, b)

    def of(y: Var, c: Var, r: Var) -> Var:
        return p.add(p.mul(y, spread(r, y, 0)), c if c.dtype.kind == "c" else p.max(c, number(0.0, c)))

    return in_float32(of)(y, c, r)


def mask(a: Var, b: Var, c: Var, r: Var, v: Var) -> Var:
    """A number that depends on the row, and one that depends on the column."""
    y = p.dot(a, b)
    i, j = (p.iota(shape=y.shape, dim=d, dtype=rl.int64) for d in (0, 1))
    return p.select(p.le(j, i), y, number(-1.0, y))


def two(a: Var, b: Var, c: Var, r: Var, v: Var) -> tuple[Var, Var]:
    y = p.dot(a, b)
    return in_float32(p.tanh)(y), in_float32(lambda y, c: p.mul(y, c))(y, c)


def wanted_too(a: Var, b: Var, c: Var, r: Var, v: Var) -> tuple[Var, Var]:
    y = p.dot(a, b)
    return y, in_float32(p.tanh)(y)


def summed_too(a: Var, b: Var, c: Var, r: Var, v: Var) -> tuple[Var, Var]:
    y = p.dot(a, b)
    z = in_float32(p.tanh)(y)
    return z, p.dot(p.permute(y, perm=(1, 0)), z)


def wider(a: Var, b: Var, c: Var, r: Var, v: Var) -> Var:
    y = p.dot(a, b)
    return p.convert(p.mul(y, y), dtype=rl.float64 if y.dtype is not rl.float64 else rl.float32)


def turned(a: Var, b: Var, c: Var, r: Var, v: Var) -> Var:
    y = p.permute(p.dot(a, b), perm=(1, 0))
    return in_float32(lambda y, v: p.mul(y, spread(v, y, 0)))(y, v)


def widened(a: Var, b: Var, c: Var, r: Var, v: Var) -> Var:
    """A layer of half types: their product in float32, which is rounded once."""
    return in_float32(lambda a, b, v: p.add((y := p.dot(a, b)), spread(v, y, 1)))(a, b, v)


def widened_too(a: Var, b: Var, c: Var, r: Var, v: Var) -> tuple[Var, Var]:
    y = p.dot(*(p.convert(x, dtype=a.dtype.compute) for x in (a, b)))
    return y, p.tanh(y)


EPILOGUES = [widened, widened_too, rows, activation, residual, mask, two, wanted_too, summed_too, wider, turned]
SIZES = [(2, 3, 1), (14, 32, 128), (15, 33, 129), (31, 600, 64), (113, 290, 130), (300, 70, 257), (230, 1100, 520)]


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("f", EPILOGUES)
@pytest.mark.parametrize("name", HAS)
def test_bits(name: str, f: Function, dtype: str) -> None:
    choose(name)
    rng = np.random.default_rng(1)
    for count, (m, n, k) in enumerate(SIZES):
        rl.set_num_threads(1 + count % 2)
        shapes = [(m, k), (k, n), (m, n), (m,), (n,)]
        a, b, c, r, v = (laid(random(rng, *s), dtype, "rows") for s in shapes)
        check(
            f,
            a,
            laid((b.real if b.is_complex() else b).double().numpy(), dtype, "columns") if count % 3 else b,
            c,
            r,
            v,
        )


def convolution(x: Var, w: Var, stride: int, padding: int, groups: int) -> Var:
    n = x.ndim - 2
    return p.conv(x, w, stride=(stride,) * n, padding=((padding, padding),) * n, dilation=(1,) * n, groups=groups)


def with_bias(y: Var, b: Var, r: Var) -> Var:
    return p.add(y, spread(b, y, 1))


def much(y: Var, b: Var, r: Var) -> Var:
    return p.add(gelu(p.mul(y, spread(b, y, 1))), p.max(r, number(0.0, y)))


def both(y: Var, b: Var, r: Var) -> tuple[Var, Var]:
    return y, p.add(p.tanh(y), spread(b, y, 1))


def of_places(y: Var, b: Var, r: Var) -> Var:
    """What depends on the sample, and on the place along the last axis."""
    of = [p.iota(shape=y.shape, dim=d, dtype=rl.int64) for d in (0, y.ndim - 1)]
    return p.select(p.le(*of), p.convert(y, dtype=rl.float64), p.convert(r, dtype=rl.float64))


# batch, channels of a group, groups, size, kernel, stride, padding: tiles that read planes, the image itself and whole
# lines; packed panels; products of the image; depthwise; one position.
CONVOLUTIONS = [
    (3, 5, 20, 1, (20, 26), 3, 1, 0), (2, 8, 33, 2, (17, 32), 3, 1, 1), (3, 9, 15, 1, (9, 7), 3, 2, 1),
    (2, 40, 30, 1, (23, 19), 1, 1, 0), (3, 1, 1, 12, (15, 18), 3, 1, 1), (2, 6, 5, 1, (3, 3), 3, 1, 0),
    (2, 7, 16, 1, (700,), 5, 2, 2), (2, 4, 14, 1, (6, 9, 18), 3, 1, 1), (1, 16, 16, 1, (16, 16), 3, 1, 1),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", [with_bias, much, both, of_places])
@pytest.mark.parametrize("name", HAS)
def test_bits_of_convolutions(name: str, f: Function, dtype: str) -> None:
    choose(name)
    rng = np.random.default_rng(8)
    for count, (batch, inputs, outputs, groups, size, kernel, stride, padding) in enumerate(CONVOLUTIONS):
        rl.set_num_threads(1 + count % 2)
        made = [(n + 2 * padding - kernel) // stride + 1 for n in size]
        shapes = [
            (batch, inputs * groups, *size),
            (outputs * groups, inputs, *[kernel] * len(size)),
            (outputs * groups,),
        ]
        x, w, b, r = (laid(random(rng, *s), dtype, "rows") for s in (*shapes, (batch, outputs * groups, *made)))
        check(lambda x, w, b, r, a=(stride, padding, groups): f(convolution(x, w, *a), b, r), x, w, b, r)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("f", [with_bias, much, both])
@pytest.mark.parametrize("name", HAS)
def test_bits_of_gradients_of_convolutions(name: str, f: Function, dtype: str) -> None:
    """By the input: what a transposed convolution is."""
    choose(name)
    rng = np.random.default_rng(9)
    for batch, inputs, outputs, size, stride in [
        (2, 15, 8, (9, 20), 1), (5, 14, 6, (3, 4), 1), (2, 220, 200, (3, 4), 1), (2, 15, 9, (9, 20), 2)
    ]:  # fmt: skip
        window: dict[str, Any] = {"stride": (stride,) * 2, "padding": ((1, 1),) * 2, "dilation": (1, 1), "groups": 1}

        def transposed(g: Var, w: Var, b: Var, r: Var, window: dict[str, Any] = window) -> Any:
            return f(p.conv_dx(g, w, in_spatial=r.shape[2:], **window), b, r)

        made = [(n - 1) // stride + 1 for n in size]
        shapes = [(batch, inputs, *made), (inputs, outputs, 3, 3), (outputs,), (batch, outputs, *size)]
        check(transposed, *(laid(random(rng, *s), dtype, "rows") for s in shapes))


@pytest.mark.parametrize("name", HAS)
def test_kernels_run_on_pieces_of_convolutions(name: str) -> None:
    choose(name)
    x, w = rl.ones(2, 3, 9, 20), rl.ones(4, 3, 3, 3)
    for turned in (False, True):
        cache.forget()

        def f(x: Var, w: Var, turned: bool = turned) -> Var:
            if not turned:
                return p.neg(convolution(x, w, 1, 1, 1))
            gradient = {"stride": (1, 1), "padding": ((1, 1), (1, 1)), "dilation": (1, 1), "groups": 1}
            return p.neg(p.conv_dx(x, w, in_spatial=x.shape[2:], **gradient))

        y = rl.ones(2, 4, 9, 20) if turned else x
        assert in_pieces(f, y, w) == (name in OWN)


@pytest.mark.parametrize("dtype", NUMBERS)
def test_bits_do_not_depend_on_threads(dtype: str) -> None:
    rng = np.random.default_rng(2)
    for m, n, k in [(300, 200, 700), (1000, 64, 64), (64, 1500, 300)]:
        a, b, c, r, v = (laid(random(rng, *s), dtype, "rows") for s in ((m, k), (k, n), (m, n), (m,), (n,)))
        program = program_of(residual, a, b, c, r, v)
        plan, found = compile_program(program), set()
        for count in (1, 2, 3):
            rl.set_num_threads(count)
            found.add(bits(launch(plan, program, [a, b, c, r, v])[0]))
        assert len(found) == 1


def batched(a: Var, b: Var, c: Var) -> Var:
    y = p.dot(a, b)
    return p.add(p.tanh(y), spread(c, y, *range(y.ndim - c.ndim, y.ndim)))


@pytest.mark.parametrize("name", HAS)
def test_batches(name: str) -> None:
    choose(name)
    rng = np.random.default_rng(3)
    for batch, m, n, k in [((5,), 20, 40, 30), ((3, 4), 17, 33, 9), ((2, 3, 2), 33, 65, 140), ((40,), 64, 64, 16)]:
        a, b = (rl.tensor(random(rng, *batch, *s)).float() for s in ((m, k), (k, n)))
        for last in [(n,), (m, n), (batch[-1], m, n)]:
            check(batched, a, b, rl.tensor(random(rng, *last)).float())
        # one operand for all of a dimension of the batch: products of several batches
        check(batched, a, b[:1].expand(*batch, k, n), rl.tensor(random(rng, n)).float())
        check(batched, a.transpose(0, -2).contiguous().transpose(0, -2), b, rl.tensor(random(rng, n)).float())


def of_three_dims(a: Var, b: Var, c: Var) -> Var:
    """As a layer on sequences: rows of the product are a dimension, or two."""
    s, t, k = a.shape
    y = p.dot(p.reshape(a, shape=(s * t, k)), b)
    y = p.reshape(y, shape=(s, t, b.shape[1]))
    return p.tanh(p.add(y, spread(c, y, *range(3 - c.ndim, 3))))


def test_rows_of_several_dims() -> None:
    rng = np.random.default_rng(4)
    for s, t, n, k in [(4, 30, 50, 20), (2, 200, 64, 130)]:
        a, b = rl.tensor(random(rng, s, t, k)).float(), rl.tensor(random(rng, k, n)).float()
        for last in [(n,), (s, t, n)]:
            check(of_three_dims, a, b, rl.tensor(random(rng, *last)).float())
        # what is the same for all s is no matrix of so many rows: the kernel runs behind the product
        check(of_three_dims, a, b, rl.tensor(random(rng, t, n)).float())
        check(of_three_dims, a, b, rl.tensor(random(rng, t, s, n)).float().transpose(0, 1))


def in_pieces(f: Function, *tensors: rl.Tensor) -> bool:
    """Whether a kernel has run on rows and columns: on all of a contiguous tensor it has one dimension."""
    program = program_of(f, *tensors)
    plan = compile_program(program)
    (kernel,) = joined(plan)
    launch(plan, program, list(tensors))
    return 2 in {dims for dims, *_ in kernel._codes}


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("name", HAS)
def test_kernels_run_on_pieces(name: str, dtype: str) -> None:
    choose(name)
    cache.forget()
    of = {k: rl.ones(*s).to(getattr(rl, dtype)) for k, s in {"a": (40, 50), "b": (50, 70), "row": (1, 50)}.items()}
    assert in_pieces(lambda a, b: p.neg(p.dot(a, b)), of["a"], of["b"]) == (name in OWN)
    cache.forget()
    assert not in_pieces(lambda a, b: p.abs(p.dot(a, b)), of["a"][:0], of["b"])


HALVES = [d for d in NUMBERS if d.endswith("float16")]


@pytest.mark.parametrize("dtype", HALVES)
@pytest.mark.parametrize("name", HAS)
def test_products_of_half_types_in_float32(name: str, dtype: str) -> None:
    """They read the half types, have float32's errors, and bits that no other step changes."""
    choose(name)
    rng = np.random.default_rng(7)
    for (m, n, k), lies in itertools.product(
        [(1, 9, 5), (33, 65, 31), (70, 40, 600), (5, 3, 2100)], ("rows", "columns")
    ):
        a, b = laid(random(rng, m, k), dtype, lies), laid(random(rng, n, k), dtype, lies)
        program = program_of(lambda a, b: p.dot(wide(a), p.permute(wide(b), perm=(1, 0))), a, b)
        assert [e.prim.name for e in program.eqns] == ["permute", "dot"]
        (found,) = launch(compile_program(program), program, [a, b])
        assert found.dtype is rl.float32
        x, y = a.double().numpy(), b.double().numpy().T
        gamma = 2 * (k + 2) * UNIT["float32"]
        assert (np.abs(found.double().numpy() - x @ y) <= gamma * (np.abs(x) @ np.abs(y))).all()


def wide(x: Var) -> Var:
    return p.convert(x, dtype=rl.float32)


@pytest.mark.parametrize("dtype", HALVES)
def test_layers_of_half_types_convert_nothing_as_a_whole(dtype: str) -> None:
    """Forward, and both gradients: products alone, with what follows them."""
    d = getattr(rl, dtype)
    x, w, b = (rl.rand(*s).to(d).requires_grad_() for s in ((40, 30), (50, 30), (50,)))
    call = explaining.compiled(explaining.find("linear"), [x, w, b], True).call
    assert len(call.executable.plan.steps) == 1
    assert call.derivative is not None
    backward = compile_program(call.derivative.backward)
    products = [s for plan in (call.executable.plan, backward) for s in plan.steps if isinstance(s, Library)]
    assert len(products) == 3
    assert {view.dtype for s in products for view in s.args[: s.n_in]} == {d}


def test_memory_is_for_what_is_wanted_as_a_whole() -> None:
    a, b, c, r, v = rl.ones(4, 5), rl.ones(5, 6), rl.ones(4, 6), rl.ones(4), rl.ones(6)
    for f, n in [(rows, 1), (activation, 1), (wanted_too, 0), (summed_too, 0), (two, 1)]:
        plan = compile_program(program_of(f, a, b, c, r, v))
        assert sum(x.pieces for x in plan.allocs) == n, plan


def not_joined(f: Function, *tensors: rl.Tensor) -> None:
    program = program_of(f, *tensors)
    plan = compile_program(program)
    assert joined(plan) == [], plan


def test_kernels_that_need_more_than_pieces() -> None:
    a, b, i = rl.ones(4, 5), rl.ones(5, 6), rl.zeros(4, dtype=rl.int64)
    not_joined(lambda a, b: p.reduce_sum(p.tanh(p.dot(a, b)), dims=(1,)), a, b)
    not_joined(lambda a, b, i: p.gather(p.dot(a, b), i, dims=(0,)), a, b, i)

    def halves(a: Var, b: Var) -> Var:
        y = p.dot(a, b)
        left, right = (
            p.slice(y, starts=(0, s), sizes=(y.shape[0], b.shape[1] // 2), steps=(1, 1)) for s in (0, b.shape[1] // 2)
        )
        return p.mul(left, right)

    not_joined(halves, a, b)


def test_operators() -> None:
    """Layers and sums of products, eager, in place, with gradients, and as one program."""
    jit: Any = rl.jit  # a module that is called
    rng = np.random.default_rng(5)
    x, w, b, c = (rl.tensor(random(rng, *s)).float() for s in ((70, 90), (50, 90), (50,), (70, 50)))
    y = rl.mm(x, w.t())
    assert bits(F.linear(x, w, b)) == bits(y + b)
    assert bits(rl.addmm(c, x, w.t(), beta=0.5)) == bits(c * 0.5 + y)
    assert bits(c.clone().addmm_(x, w.t())) == bits(c + y)
    assert bits(jit(lambda x: F.relu(F.linear(x, w, b)))(x)) == bits(F.relu(y + b))
    assert bits(jit(lambda x: F.gelu(F.linear(x, w, b)) + c)(x)) == bits(F.gelu(y + b) + c)
    square = rl.tensor(random(rng, 90, 90)).float()
    twice = square @ square
    assert bits(square.clone().addmm_(square, square)) == bits(square + twice)
    over = square.clone()
    assert bits(rl.addmm(over, over, over, out=over)) == bits(square + twice)  # all operands are the result


def test_a_recurrence_goes_on_with_its_products() -> None:
    """A step's product reads packed weights, the first step's does not."""
    rng = np.random.default_rng(6)
    x, h = (rl.tensor(random(rng, *s)).float() for s in ((6, 20, 30), (1, 20, 64)))
    net = rl.nn.RNN(30, 64)
    with rl.no_grad():
        got, last = net(x, h)
        state, rows = h[0], []
        for t in range(6):
            given = F.linear(x[t], net.weight_ih_l0, net.bias_ih_l0)
            state = rl.tanh(given + F.linear(state, net.weight_hh_l0, net.bias_hh_l0))
            rows.append(state)
    assert rl.allclose(got, rl.stack(rows), atol=1e-5)
    assert rl.equal(got[-1], last[0])


GUARDED = """
import rushlight, itertools
from rushlight.nn import functional as F
for m, n, k in itertools.product((2, 15, 33, 129), (2, 33, 70, 300), (1, 33, 130)):
    for dtype in (rushlight.float32, rushlight.float64, rushlight.bfloat16, rushlight.float16):
        x, w, b = (rushlight.ones(*s, dtype=dtype) for s in ((m, k), (n, k), (n,)))
        y = F.linear(x, w, b)
        assert bool((y == rushlight.tensor(k + 1, dtype=dtype)).all()), (dtype, m, n, k)
        y = rushlight.baddbmm(b, x.expand(3, m, k), w.t().expand(3, k, n), alpha=2)
        assert bool((y == rushlight.tensor(2 * k + 1, dtype=dtype)).all()), (dtype, m, n, k)
print("whole")
"""


@pytest.mark.parametrize("name", HAS)
@pytest.mark.parametrize("where", ["end", "start"])
def test_nothing_beside_the_operands_is_touched(where: str, name: str) -> None:
    env = {**os.environ, "RUSHLIGHT_GUARD": where, kernels.SETTING: name}
    done = subprocess.run([sys.executable, "-c", GUARDED], env=env, capture_output=True, text=True, timeout=300)
    assert done.stdout == "whole\n", done.stderr[-2000:]


def test_sizes_compile_nothing(folder: Any) -> None:
    kernels.use_code_path(0, "float32", kernels.code_path())
    w, b = rl.ones(50, 8), rl.ones(50)
    for m in (2, 700):
        F.linear(rl.ones(m, 8), w, b)
    before = counters.stats()["kernels_compiled"]
    for m in range(2, 700, 9):
        F.linear(rl.ones(m, 8), w, b)
    assert counters.stats()["kernels_compiled"] == before
