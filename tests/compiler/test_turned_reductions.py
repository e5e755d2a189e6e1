"""Reductions over dims that lie transposed in memory: turned in registers, with the bits of any other layout."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from sample_programs import trace

import rushlight as rl
from rushlight import prims as p
from rushlight.compiler import compile_program
from rushlight.compiler.emit.variant import Mode
from rushlight.compiler.kernels.kernel import Kernel
from rushlight.compiler.llvm import machine
from rushlight.core.execute import Executable

# 16 rows at a time and a rest; rows of 4 KB; more than a chunk; long rows, of which there is room for some
SHAPES = [(17, 16), (33, 70, 19), (2, 40, 7, 9), (40, 1024), (70, 1000), (300, 301), (3, 20, 9000), (18, 2, 3, 2, 50)]

CALLS: dict[str, Callable[..., Any]] = {
    "sum": lambda x, d: x.sum(d),
    "mean": lambda x, d: x.mean(d),
    "norm": lambda x, d: rl.linalg.vector_norm(x, dim=d),
    "var_mean": lambda x, d: rl.cat([v.reshape(-1) for v in rl.var_mean(x, d)]),
    "logsumexp": lambda x, d: x.logsumexp(d),
    "amax": lambda x, d: x.amax(d),
    "product of two": lambda x, d: (x * x.flip(0)).sum(d),
}


def orders(n: int) -> Iterator[tuple[int, ...]]:
    """Orders of n dims in memory."""
    found = [(*range(1, n), 0), tuple(range(n))[::-1], (n - 1, *range(n - 1))]
    yield from dict.fromkeys([*found, (0, *range(2, n), 1)] if n > 2 else found)


def lying(values: np.ndarray, order: tuple[int, ...]) -> rl.Tensor:
    """The values in memory in this order of their dims."""
    back = [int(d) for d in np.argsort(order)]
    return rl.tensor(np.ascontiguousarray(values.transpose(order))).permute(back)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_bits_do_not_depend_on_the_layout(shape: tuple[int, ...], name: str) -> None:
    values = np.random.default_rng(len(shape)).standard_normal(shape).astype("float32")
    n = len(shape)
    dims = [tuple(range(n)), *itertools.combinations(range(n), max(n - 1, 2))]
    before = rl.get_num_threads()
    try:
        for d in dict.fromkeys(dims):
            wanted = CALLS[name](rl.tensor(values), d).numpy()
            for order, threads in itertools.product(orders(n), (1, 2)):
                rl.set_num_threads(threads)
                assert CALLS[name](lying(values, order), d).numpy().tobytes() == wanted.tobytes(), (d, order, threads)
    finally:
        rl.set_num_threads(before)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(33, 70, 19), (40, 1024), (300, 301)], ids=str)
def test_dtypes(shape: tuple[int, ...], dtype: str) -> None:
    rng = np.random.default_rng(1)
    values = rng.standard_normal(shape) + 1j * rng.standard_normal(shape)
    real = values if dtype.startswith("complex") else values.real
    x = rl.tensor(np.ascontiguousarray(real)).to(getattr(rl, dtype))
    for order in orders(len(shape)):
        back = [int(d) for d in np.argsort(order)]
        y = x.permute(order).contiguous().permute(back)
        for call in (lambda t: t.sum(), lambda t: t.mean(), lambda t: rl.linalg.vector_norm(t)):
            assert rl.equal(call(y), call(x))


def test_operands_in_different_orders() -> None:
    """One that lies transposed, with others that do not, or along another dim."""
    rng = np.random.default_rng(2)
    a, b, c = rng.standard_normal((3, 20, 30, 40)).astype("float32")
    wanted = [(rl.tensor(a) * rl.tensor(b)).sum(), (rl.tensor(a) * rl.tensor(b) + rl.tensor(c)).square().sum()]
    for x, y in itertools.product(itertools.permutations(range(3)), repeat=2):
        f = rl.compile(lambda s, t, u: ((s * t).sum(), (s * t + u).square().sum()))
        found = f(lying(a, x), lying(b, y), rl.tensor(c))
        assert [float(v) for v in found] == [float(v) for v in wanted], (x, y)
    row = rl.tensor(a[:1, :, :])
    assert float((lying(b, (2, 1, 0)) * row).sum()) == float((rl.tensor(b) * row).sum())


def kernel_of(factor: float) -> tuple[Kernel, Callable[[np.ndarray], Any]]:
    """A kernel that no other test has compiled, a sum over two dims; its launch."""
    program = trace(lambda a: p.reduce_sum(p.mul(a, factor), dims=(0, 1)), np.zeros((30, 40), "float32"))
    plan = compile_program(program)
    executable = Executable(plan, [("int", k) for k in range(2)], 1, 0)
    return plan.steps[0].kernel, lambda a: executable.launch([rl.from_numpy(a)], list(a.shape), [])


def test_what_is_turned() -> None:
    """An operand that lies transposed; but not one of few rows, nor one whose rows are too long for the buffers."""
    kernel, run = kernel_of(1.25)

    def asked(*shape: int) -> set[str]:
        before = set(kernel._codes)
        run(np.zeros(shape, "float32").T)
        return {classes[0] for K, R, mode, classes in set(kernel._codes) - before if mode != "final"}

    assert asked(20, 15) == {"s"}
    assert asked(20_000, 20) <= {"s"}  # in chunks, where several threads share it
    assert asked(37, 90) == {"t"}
    assert asked(16_000, 16) <= {"t"}


@pytest.mark.parametrize("mode", [Mode.ROW, Mode.PART])
def test_code_for_avx2(mode: Mode) -> None:
    """It is written for processors without masks too."""
    kernel, _ = kernel_of(1.5)
    with machine.made_for(machine.Target("x86-64-v3", "", False)):
        made, _ = kernel.made(1, 2, mode, "t" + "b" * (kernel.n_operands - 1))
    assert made.code
