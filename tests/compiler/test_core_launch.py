"""The core's launcher against the harness: the same plans, and the same bits, whatever the layout, the sizes and the
threads.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import harness
import numpy as np
import pytest
import test_random_programs
from sample_programs import execute, expand, layer_norm, layer_norm_backward, logsumexp, softmax, trace

import rushlight as rl
from rushlight import prims as p
from rushlight.compiler import compile_program
from rushlight.core.execute import Executable
from rushlight.program.ir import Program
from rushlight.program.loops import CHUNK

rng = np.random.default_rng(7)


@pytest.fixture(params=[1, 3], autouse=True)
def threads(request: Any) -> Iterator[None]:
    before = rl.get_num_threads()
    rl.set_num_threads(request.param)
    yield
    rl.set_num_threads(before)


def launch(program: Program, args: list[Any], plan: Any = None) -> list[np.ndarray]:
    """Run through the core; array arguments come first, numbers after them."""
    arrays = [a for a in args if isinstance(a, np.ndarray)]
    numbers = [a for a in args if not isinstance(a, np.ndarray)]
    hints = program.env.hints
    executable = Executable(
        plan or compile_program(program), [("int", k) for k in range(len(hints))], len(arrays), len(numbers)
    )
    out = executable.launch([rl.from_numpy(a) for a in arrays], list(hints), numbers)
    assert out is not None
    return [t.numpy() for t in out]


def same_bits(f: Any, *args: Any) -> list[np.ndarray]:
    program = trace(f, *args)
    plan = compile_program(program)
    got = launch(program, list(args), plan)
    want = harness.run(plan, program, list(args), list(program.env.hints))
    assert len(got) == len(want)
    for g, w in zip(got, want, strict=True):
        assert g.shape == w.shape
        assert g.dtype == w.dtype
        assert np.ascontiguousarray(g).tobytes() == np.ascontiguousarray(w).tobytes()
    return got


def layouts(shape: tuple[int, ...], make: Any) -> Iterator[np.ndarray]:
    """Arrays of one shape in different layouts: contiguous, each rotation of the dims, every second element,
    broadcast.
    """
    n = len(shape)
    for k in range(n):
        order = [(d + k) % n for d in range(n)]
        back = np.argsort(order)
        yield make([shape[d] for d in order]).transpose(back)
    yield make([2 * s for s in shape])[tuple(slice(None, None, 2) for _ in shape)]
    yield np.broadcast_to(make([1, *shape[1:]]), shape) if n > 1 else make(shape)


def normal(shape: Any) -> np.ndarray:
    return rng.standard_normal(shape).astype("f")


REDUCTIONS = [
    ((5,), (0,)),
    ((2049,), (0,)),
    ((200003,), (0,)),
    ((3, 70000), (1,)),
    ((70000, 3), (0,)),
    ((1, 131073), (0, 1)),
    ((40, 9), (0,)),
    ((9, 40), (1,)),
    ((300, 130), (0,)),
    ((300, 129), (1,)),
    ((4, 7, 5, 6), (0, 2, 3)),
    ((3, 4, 150, 160), (0, 2, 3)),
    ((2, 3, 4, 5), (1, 3)),
    ((2, 300, 400), (0, 2)),
    ((65537, 2), (0,)),
    ((65536, 17), (0,)),
    ((3, 1000), (0,)),
    ((700, 3), (1,)),
    ((3, 600, 15), (2,)),
    ((700, 2, 4), (1, 2)),
    ((0, 5), (0,)),
    ((5, 0), (0,)),
    ((0,), (0,)),
]


@pytest.mark.parametrize(
    ("kept", "n"),
    [(1, 63 * CHUNK), (1, 64 * CHUNK - 1), (1, 64 * CHUNK + 1), (2, 65 * CHUNK), (3, 64 * CHUNK), (1, 67 * CHUNK - 5)],
)
def test_chunks_in_pairs(kept: int, n: int) -> None:
    """So many chunks that two are read side by side: the bits of one after the other."""
    x = rng.integers(-1000, 1000, (kept, n)).astype(np.float16)
    program = trace(lambda a: (p.reduce_sum(a, dims=(1,)), p.argmax(a, dim=1), p.reduce_max(a, dims=(1,))), x)
    plan = compile_program(program)
    assert any(
        step.kernel.variant(1, 1, "part", "c" + "b" * (step.kernel.n_operands - 1)).block == 2 for step in plan.steps
    )
    want = [g.tobytes() for g in execute(program, [x], plan, modes="row", split=False)]
    assert [g.tobytes() for g in launch(program, [x], plan)] == want
    assert [g.tobytes() for g in execute(program, [x], plan, split=True, threads=3)] == want


@pytest.mark.filterwarnings("ignore:from_numpy.*the array is read-only")
@pytest.mark.parametrize("short", [1, 2, 3, 4, 7, 8, 9])
@pytest.mark.parametrize("n", [63, 200, 20000])
def test_rows_of_a_few_elements(short: int, n: int) -> None:
    """The vectors may lie along another dim: what is computed is the same."""
    for x in layouts((n, short), normal):
        for given in (x, x[::-1], x[:, ::-1], x[:, None]):
            (got,) = same_bits(lambda a: p.add(a, a), given)
            np.testing.assert_array_equal(got, given + given)


@pytest.mark.filterwarnings("ignore:from_numpy.*the array is read-only")
@pytest.mark.parametrize(("shape", "dims"), REDUCTIONS)
def test_reductions_in_all_layouts(shape: Any, dims: Any) -> None:
    for x in layouts(shape, normal):
        got, *_ = same_bits(lambda a: (p.reduce_sum(a, dims=dims), p.reduce_sum(p.mul(a, a), dims=dims)), x)
        np.testing.assert_allclose(got, x.sum(dims, dtype="d"), rtol=1e-4, atol=1e-2)
        # The order of summation is that of a contiguous operand, whatever the layout.
        again = same_bits(lambda a: p.reduce_sum(a, dims=dims), np.ascontiguousarray(x))[0]
        assert again.tobytes() == got.tobytes()
    if 0 not in shape:
        for d in dims:
            x = rng.integers(0, 3, shape)
            (got,) = same_bits(lambda a, d=d: p.argmax(a, dim=d), x)
            np.testing.assert_array_equal(got, x.argmax(d))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("shape", "dim"),
    [((7,), 0), ((300, 5), 0), ((300, 5), 1), ((5, 300, 40), 1), ((2, 3, 70000), 2), ((0, 3), 0), ((3, 0), 0)],
)
def test_scans(shape: Any, dim: int, reverse: bool) -> None:
    for x in layouts(shape, normal):
        (got,) = same_bits(lambda a: p.cumsum(a, dim=dim, reverse=reverse), x)
        want = np.flip(np.cumsum(np.flip(x, dim), dim, dtype="d"), dim) if reverse else np.cumsum(x, dim, dtype="d")
        np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-2)
        same_bits(lambda a: p.cummax(a, dim=dim, reverse=reverse), x)


@pytest.mark.parametrize("dtype", ["f", "d", "F", "i", "e"])
def test_scans_of_rows_of_all_lengths(dtype: str) -> None:
    """Rows one by one, and side by side, have the bits of a column of as many elements."""
    for n in (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40):
        x = np.round(4 * normal((37, n))).astype(dtype)
        for name in ("cumsum", "cumprod") if dtype == "F" else ("cumsum", "cumprod", "cummax"):
            (got,) = same_bits(lambda a, f=name: getattr(p, f)(a, dim=1, reverse=False), x)
            (column,) = same_bits(lambda a, f=name: getattr(p, f)(a, dim=0, reverse=False), np.ascontiguousarray(x.T))
            assert got.tobytes() == np.ascontiguousarray(column.T).tobytes()


@pytest.mark.parametrize("mode", ["set", "add", "max"])
@pytest.mark.parametrize(("n", "width"), [(50, 1), (50, 7), (3000, 64), (0, 5), (5, 0)])
def test_scatter_and_gather(n: int, width: int, mode: str) -> None:
    index = rng.integers(0, 20, n)
    table, updates = normal((20, width)), normal((n, width))
    (got,) = same_bits(lambda a, i, u: p.scatter(a, i, u, dims=(0,), mode=mode), table, index, updates)
    want = table.copy()
    for i, u in zip(index, updates, strict=True):
        want[i] = u if mode == "set" else want[i] + u if mode == "add" else np.maximum(want[i], u)
    np.testing.assert_array_equal(got, want)
    (got,) = same_bits(lambda a, i: p.gather(a, i, dims=(0,)), np.asfortranarray(table), index)
    np.testing.assert_array_equal(got, table[index])


@pytest.mark.parametrize("mode", ["set", "add", "mul"])
@pytest.mark.parametrize("places", ["any", "one", "in order"])
@pytest.mark.parametrize(
    ("shape", "dim", "n"),
    [((300, 257), 0, 500), ((2, 90, 64), 1, 700), ((9, 30, 33), 1, 800), ((7, 40), 0, 9000), ((50, 5, 16), 0, 3000)],
)
def test_rows_are_scattered_in_order(shape: tuple[int, ...], dim: int, n: int, places: str, mode: str) -> None:
    """Slices of the places, for several threads: each place takes its rows in the order in which they come."""
    size = shape[dim]
    i = np.full(n, size - 1) if places == "one" else rng.integers(0, size, n)
    i = np.sort(i) if places == "in order" else i
    a, u = normal(shape), normal((*shape[:dim], n, *shape[dim + 1 :]))
    want = a.copy()
    at, to = np.moveaxis(u, dim, 0), np.moveaxis(want, dim, 0)
    for k, row in zip(i, at, strict=True):
        to[k] = row if mode == "set" else to[k] + row if mode == "add" else to[k] * row
    x, y, z = rl.from_numpy(a), rl.from_numpy(u), rl.from_numpy(i)
    if mode == "mul":
        got = x.index_reduce(dim, z, y, "prod")
    else:
        got = (x.index_copy if mode == "set" else x.index_add)(dim, z, y)
    np.testing.assert_array_equal(got.numpy(), want)
    if mode == "add":
        i[n // 2] = size
        for _ in range(4):  # in either direction
            with pytest.raises(RuntimeError, match=f"index {size} "):
                x.index_add(dim, rl.from_numpy(i), y)


def test_rows_that_two_indices_place() -> None:
    a, u = normal((40, 30, 48)), normal((2000, 48))
    i, j = rng.integers(0, 40, 2000), rng.integers(0, 30, 2000)
    want = a.copy()
    for k, row in enumerate(u):
        want[i[k], j[k]] += row
    got = rl.from_numpy(a).index_put((rl.from_numpy(i), rl.from_numpy(j)), rl.from_numpy(u), accumulate=True)
    np.testing.assert_array_equal(got.numpy(), want)
    i = i.reshape(50, 40)
    grad = rl.zeros(40, 30, 48).requires_grad_()
    rl.nn.functional.embedding(rl.from_numpy(i), grad.reshape(40, -1)).sum().backward()
    np.testing.assert_array_equal(grad.grad.numpy()[:, 0, 0], np.bincount(i.ravel(), minlength=40))


def test_rows_added_to_windows_that_overlap() -> None:
    x = rl.zeros(20_007)
    index = rl.arange(20_000)
    for _ in range(4):
        x.unfold(0, 8, 1).index_add_(0, index, rl.ones(20_000, 8))
    assert x[7:20_000].eq(32).all()


def test_an_index_out_of_range_is_found_in_any_thread() -> None:
    index = np.zeros(200000, np.int64)
    index[150001] = 9
    program = trace(lambda a, i: p.gather(a, i, dims=(0,)), normal((5, 3)), index)
    with pytest.raises(IndexError, match="index 9 lies outside dimension 0, which has the size 5"):
        launch(program, [normal((5, 3)), index])
    launch(program, [normal((5, 3)), np.zeros_like(index)])


def test_rows_in_all_layouts() -> None:
    w, b = normal(37), normal(37)
    for x in layouts((50, 37), normal):
        same_bits(softmax, x)
        same_bits(logsumexp, x)
        same_bits(layer_norm, x, w, b)
        mean, r = normal(50), np.abs(normal(50))
        same_bits(layer_norm_backward, normal((50, 37)), x, w, mean, r)
    for shape in ((1000, 64), (3, 5000), (5000, 3), (1, 1), (0, 4)):
        same_bits(softmax, normal(shape))


def test_transposed_operands() -> None:
    for shape in ((100, 300), (64, 64), (1, 50), (17, 33), (3, 40, 50), (2, 3, 40, 50)):
        for x in layouts(shape, normal):
            same_bits(lambda a: p.add(a, a), x)
            same_bits(lambda a, b: p.add(a, p.exp(b)), x, normal(shape))
            (got,) = same_bits(lambda a: p.permute(a, perm=tuple(range(a.ndim))[::-1]), x)
            np.testing.assert_array_equal(got, x.transpose())


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "i4", "i8", "f8", "c8", "c16", "?"])
def test_dtypes(dtype: str) -> None:
    for shape in ((70001,), (33, 65), (5, 6, 7)):
        for x in layouts(shape, lambda s: rng.integers(0, 2 if dtype == "?" else 5, s).astype(dtype)):
            same_bits(lambda a: p.select(p.eq(a, a), a, a), x)
            if dtype != "?":
                same_bits(
                    lambda a: (p.add(p.mul(a, a), a), p.reduce_sum(a, dims=(a.ndim - 1,)), p.reduce_sum(a, dims=(0,))),
                    x,
                )


def test_numbers_are_given_at_launch() -> None:
    x = normal((30, 50))
    program = trace(lambda a, s: p.mul(a, expand(p.convert(s, dtype=a.dtype), a.shape)), x, 2.5)
    np.testing.assert_array_equal(launch(program, [x, -1.5])[0], x * np.float32(-1.5))
    program = trace(lambda a, s: p.mul(a, expand(p.convert(s, dtype=a.dtype), a.shape)), x.astype("c8"), 1j)
    np.testing.assert_array_equal(launch(program, [x.astype("c8"), 1 + 2j])[0], x.astype("c8") * np.complex64(1 + 2j))


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_give_the_bits_of_the_harness(seed: int) -> None:
    program, args = test_random_programs.make(seed)
    args = [a if all(s >= 0 for s in a.strides) else np.ascontiguousarray(a) for a in args]
    plan = compile_program(program)
    q = random.Random(seed)
    got = launch(program, args, plan)
    want = harness.run(
        plan, program, args, list(program.env.hints), modes=q.choice(["row", "col", None]), threads=q.choice([1, 3])
    )
    for g, w in zip(got, want, strict=True):
        assert g.shape == w.shape
        g, w = np.ascontiguousarray(g), np.ascontiguousarray(w)
        assert ((g.view("i4") == w.view("i4")) | (np.isnan(g) & np.isnan(w)).reshape(g.shape)).all()


@pytest.mark.parametrize("shape", [(30, 16), (30, 37), (30, 3), (7, 5, 33)])
def test_gather_of_rows(shape: Any) -> None:
    index = rng.integers(0, shape[0], (11, 13))
    for x in layouts(shape, normal):
        (got,) = same_bits(lambda a, i: p.gather(a, i, dims=(0,)), x, index)
        np.testing.assert_array_equal(got, x[index])
        same_bits(lambda a, i: p.reduce_sum(p.gather(a, i, dims=(0,)), dims=(0, 1)), x, index)
        same_bits(lambda a, i: p.reduce_sum(p.gather(a, i, dims=(0,)), dims=(2,)), x, index)
        same_bits(lambda a, i: p.gather(a, p.iota(shape=(a.shape[0],), dim=0, dtype=i.dtype), dims=(0,)), x, index)


@pytest.mark.parametrize("columns", [16, 33, 128, 200, 520])
def test_columns_are_cut_by_the_number_of_threads(columns: int) -> None:
    """Work items of a few hundred columns are narrower where there are more threads."""
    x, y = (rng.standard_normal((700, columns)).astype(np.float32) for _ in range(2))
    same_bits(lambda a, b: (p.reduce_sum(p.mul(a, b), dims=(0,)), p.reduce_sum(a, dims=(0,))), x, y)
