"""Matrix products by kernels of our own: values, bits, memory, and what is compiled."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest

import rushlight
from processes import printed
from rushlight.compiler import counters
from rushlight.compiler.kernels import cache
from rushlight.compiler.products import kernels
from rushlight.core import _native

NUMBERS = {"float32": 0, "float64": 1, "complex64": 2, "complex128": 3, "bfloat16": 4, "float16": 5}
WIDE = {"float64", "complex128"}
UNIT = {name: 2.0**-53 if name in WIDE else 2.0**-24 for name in NUMBERS}  # of the sums
ROUNDING = {"bfloat16": 2.0**-8, "float16": 2.0**-11}  # of what is stored
HAS = [r for r in kernels.PATHS if r == "blas" or r in _native.processor()]
OWN = [r for r in HAS if r != "blas"]
SIZES = [0, 1, 2, 5, 13, 14, 15, 31, 32, 33, 67]
DEPTHS = [0, 1, 2, 7, 31, 33, 64, 255, 256, 257, 521]


def choose(name: str) -> None:
    for dtype, number in NUMBERS.items():
        kernels.use_code_path(number, dtype, name)


KINDS = ("rows", "columns", "apart", "backwards", "same row", "same column")


def laid(values: np.ndarray, dtype: str, kind: str) -> rushlight.Tensor:
    """The values (of a matrix, or a batch) as a tensor that lies in memory as `kind` says; "same ..." repeats one."""
    if dtype.startswith("complex"):
        values = values + 1j * np.sin(97 * values)
    x = rushlight.tensor(values).to(getattr(rushlight, dtype))
    if kind == "columns":
        return x.mT.contiguous().mT
    if kind == "apart":
        room = rushlight.zeros((*x.shape[:-2], 2 * x.shape[-2] + 1, 3 * x.shape[-1] + 2), dtype=x.dtype)
        view = room[..., 1::2, 2::3]
        return view.copy_(x)
    if kind == "backwards":
        room = x.flip(-1, -2).contiguous()
        out: rushlight.Tensor = rushlight.from_numpy(room.numpy()[..., ::-1, ::-1]) if _numpy(x) else x
        return out
    if kind == "same row" and x.shape[-2]:
        return x[..., :1, :].contiguous().expand(x.shape)
    if kind == "same column" and x.shape[-1]:
        return x[..., :1].contiguous().expand(x.shape)
    return x


def _numpy(x: rushlight.Tensor) -> bool:
    return x.dtype is not rushlight.bfloat16


def random(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape)


def check(a: rushlight.Tensor, b: rushlight.Tensor, c: rushlight.Tensor, dtype: str) -> None:
    """|error| <= gamma(K) |A| |B| for sums in any order (Higham, Accuracy and Stability, 3.5), and one rounding."""
    x, y, z = (t.to(rushlight.complex128 if t.is_complex() else rushlight.float64).numpy() for t in (a, b, c))
    exact, size, k = x @ y, np.abs(x) @ np.abs(y), x.shape[-1] * (2 if a.is_complex() else 1)
    gamma = (k + 2) * UNIT[dtype] / (1 - (k + 2) * UNIT[dtype])
    tiny = {"float16": 2.0**-24, "bfloat16": 2.0**-120}.get(dtype, 0.0)
    # the doubles' own sums are no exacter than float64's
    bound = 2 * gamma * size + ROUNDING.get(dtype, 0.0) * (np.abs(exact) + gamma * size) + tiny
    assert c.shape == exact.shape
    assert (np.abs(z - exact) <= bound).all(), np.abs(z - exact).max()


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("name", HAS)
def test_sizes(code_path: None, name: str, dtype: str) -> None:
    choose(name)
    rng = np.random.default_rng(1)
    for m, n in itertools.product(SIZES, SIZES):
        k = DEPTHS[(3 * m + 5 * n) % len(DEPTHS)]
        a, b = laid(random(rng, m, k), dtype, "rows"), laid(random(rng, k, n), dtype, "rows")
        check(a, b, a @ b, dtype)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("name", HAS)
def test_how_operands_lie(code_path: None, name: str, dtype: str) -> None:
    choose(name)
    rng = np.random.default_rng(2)
    sizes = [(3, 5, 7), (17, 33, 40), (40, 19, 300), (130, 70, 61)]
    for (m, n, k), lies, other in itertools.product(sizes, KINDS, KINDS):
        a, b = laid(random(rng, m, k), dtype, lies), laid(random(rng, k, n), dtype, other)
        check(a, b, a @ b, dtype)
        out = laid(random(rng, m, n), dtype, lies if not lies.startswith("same") else "columns")
        check(a, b, rushlight.matmul(a, b, out=out), dtype)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("name", HAS)
def test_batches(code_path: None, name: str, dtype: str) -> None:
    choose(name)
    rng = np.random.default_rng(3)
    for shape, other in [
        ((0, 3, 4), (0, 4, 5)),
        ((7, 9, 17), (7, 17, 33)),
        ((2, 3, 20, 8), (3, 8, 40)),
        ((50, 2, 3), (3, 2)),
        ((9, 30, 64), (9, 64, 40)),  # while one is made, the next is asked for
        ((6, 2, 15, 20), (2, 20, 33)),
    ]:
        a, b = laid(random(rng, *shape), dtype, "rows"), laid(random(rng, *other), dtype, "columns")
        check(a, b, a @ b, dtype)


@pytest.mark.parametrize("name", HAS)
def test_bytes(code_path: None, threads: None, name: str) -> None:
    """Products of int8 and uint8 are exact, in int32 and in the bytes that are left of it, however operands lie."""
    kernels.use_code_path(6, "int8", name)
    rng = np.random.default_rng(4)
    sizes = [(m, n, DEPTHS[(3 * m + 5 * n) % len(DEPTHS)]) for m, n in itertools.product(SIZES, SIZES)]
    for (m, n, k), (lies, other) in zip(
        [*sizes, (130, 70, 1100), (300, 600, 70)] * 2, itertools.cycle(itertools.product(KINDS, KINDS))
    ):
        rushlight.set_num_threads(1 + (m + k) % 2)
        values = (rng.integers(-128, 128, shape) for shape in ((m, k), (k, n)))
        a, b = (laid(v, "int8", kind) for v, kind in zip(values, (lies, other), strict=True))
        exact = a.numpy().astype(np.int64) @ b.numpy().astype(np.int64)
        assert (rushlight._int_mm(a, b).numpy() == exact).all()
        assert ((a @ b).numpy() == exact.astype(np.int8)).all()
        of_bytes = a.view(rushlight.uint8) @ b.view(rushlight.uint8)
        assert (of_bytes.numpy() == exact.astype(np.uint8)).all()
        follows = rushlight.compile(lambda a, b: rushlight._int_mm(a, b).float() * 0.5)(a, b)
        assert (follows.numpy() == exact * 0.5).all()


def bits(t: rushlight.Tensor) -> bytes:
    return t.contiguous().view(rushlight.uint8).numpy().tobytes() if t.ndim else b""


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "bfloat16"])
@pytest.mark.parametrize("batch", [(8, 8), (2, 3, 4), (16, 3), (3, 1, 5)])
def test_batches_of_several_dimensions(threads: None, batch: tuple[int, ...], dtype: str) -> None:
    """Dimensions that no one stride reaches: each product is that of its two matrices, on any number of threads."""
    rng, d = np.random.default_rng(0), len(batch)
    order = (*range(d - 1), d, d - 1, d + 1)  # the last dimension of the batch lies within the rows
    shape = tuple((*batch, 70, 33)[i] for i in order)
    a, b = (rushlight.tensor(random(rng, *shape)).to(getattr(rushlight, dtype)).permute(order) for _ in range(2))
    found = []
    _native.set_hand_over(1)
    try:
        for count in (1, 2, 3):
            _native.set_num_threads(count)
            c = a @ b.mT
            found.append(bits(c))
            for at in np.ndindex(*batch):
                assert (c[at] == a[at] @ b[at].mT).all(), at
    finally:
        _native.set_hand_over(_native.measure_hand_over())
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("name", OWN)
def test_bits_depend_on_k_alone(code_path: None, threads: None, name: str, dtype: str) -> None:
    """Not on threads, nor on how operands lie, nor on what else is computed: rows of a product are its rows'
    products.
    """
    rng = np.random.default_rng(4)
    choose(name)
    wide_and_tall = [
        (310, 1024, 300),
        (910, 80, 300),
        (620, 100, 900),
    ]  # the last: several blocks of rows, for all of K
    for m, n, k in [(300, 200, 700), (64, 64, 64), (20, 600, 5000), (30, 40, 20000), (310, 70, 2049), *wide_and_tall]:
        x, y = random(rng, m, k), random(rng, k, n)
        _native.set_num_threads(1)
        expected = laid(x, dtype, "rows") @ laid(y, dtype, "rows")
        for count, lies, other in itertools.product((1, 2, 3), ("rows", "columns", "apart"), ("rows", "columns")):
            _native.set_num_threads(count)
            assert bits(laid(x, dtype, lies) @ laid(y, dtype, other)) == bits(expected), (m, n, k, count, lies, other)
        part = laid(x[3:9], dtype, "rows") @ laid(y[:, 5:11], dtype, "columns")
        assert bits(part) == bits(expected[3:9, 5:11])


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("name", OWN)
def test_what_all_threads_pack(code_path: None, threads: None, name: str, dtype: str) -> None:
    """Where a product is cut into strips, its rows are packed before by all threads, in tiles of any number of rows."""
    rng = np.random.default_rng(8)
    choose(name)
    _native.set_hand_over(1)
    try:
        for m in (*range(600, 600 + 16), 1000, 1037):
            a, b = laid(random(rng, m, 300), dtype, "columns"), laid(random(rng, 300, 400), dtype, "rows")
            c = laid(random(rng, m, 400), dtype, "rows")
            made = []
            for count in (1, 2, 3):
                _native.set_num_threads(count)
                made.append([a @ b, rushlight.addmm(c, a, b).square(), (a.expand(2, m, 300) @ b)[1]])
            for x, y, z in zip(*made, strict=True):
                assert bits(x) == bits(y) == bits(z), m
    finally:
        _native.set_hand_over(_native.measure_hand_over())


@pytest.mark.skipif(len([r for r in HAS if r in ("avx512", "avx2")]) < 2, reason="the processor has one code path")
@pytest.mark.parametrize("dtype", NUMBERS)
def test_bits_of_avx2_and_avx512(code_path: None, dtype: str) -> None:
    rng = np.random.default_rng(5)
    for m, n, k in [(1, 1, 9), (2, 2, 2), (37, 53, 300), (200, 8, 1000), (8, 200, 1000), (129, 257, 100)]:
        a, b = laid(random(rng, m, k), dtype, "rows"), laid(random(rng, k, n), dtype, "rows")
        made = []
        for name in ("avx512", "avx2"):
            choose(name)
            made.append(bits(a @ b))
        assert made[0] == made[1], (m, n, k)


@pytest.mark.parametrize("dtype", [name for name in NUMBERS if not name.startswith("complex")])
@pytest.mark.parametrize("name", HAS)
def test_nan_and_infinity(code_path: None, name: str, dtype: str) -> None:
    """They reach the elements that they belong to, and no others."""
    choose(name)
    for m, n, k in [(5, 6, 7), (40, 50, 60), (33, 35, 256)]:
        a, b = np.ones((m, k)), np.ones((k, n))
        a[2, k - 1], b[k - 1, 3], a[4, 0] = np.nan, np.inf, -np.inf
        c = (laid(a, dtype, "rows") @ laid(b, dtype, "columns")).double().numpy()
        expected = np.full((m, n), float(k))
        expected[:, 3], expected[4], expected[2], expected[4, 3] = np.inf, -np.inf, np.nan, np.nan
        np.testing.assert_array_equal(c, expected)


def test_alpha_and_beta() -> None:
    """A factor beta of 0 leaves out what is added, NaN in it too; alpha scales the product alone."""
    rng = np.random.default_rng(6)
    a, b, c = (laid(random(rng, *s), "float32", "rows") for s in ((20, 30), (30, 40), (20, 40)))
    full = rushlight.full((20, 40), float("nan"))
    np.testing.assert_allclose(rushlight.addmm(full, a, b, beta=0, alpha=2).numpy(), 2 * (a @ b).numpy(), rtol=1e-5)
    np.testing.assert_allclose(
        rushlight.addmm(c, a, b, beta=3, alpha=2).numpy(), (2 * (a @ b) + 3 * c).numpy(), rtol=1e-4, atol=1e-4
    )


GUARDED = """
import rushlight, itertools
for dtype in (
    rushlight.float32, rushlight.float64, rushlight.complex64, rushlight.complex128, rushlight.bfloat16,
    rushlight.float16,
):
    batch = rushlight.ones(3, 20, 40, dtype=dtype), rushlight.ones(3, 40, 36, dtype=dtype)
    assert bool((batch[0] @ batch[1] == 40).all())
    for m, n, k in [(1, 1, 1), (3, 5, 7), (13, 31, 33), (15, 33, 65), (40, 70, 257), (64, 8, 300)]:
        for left, right in itertools.product((False, True), repeat=2):
            a = rushlight.ones(k, m, dtype=dtype).t() if left else rushlight.ones(m, k, dtype=dtype)
            b = rushlight.ones(n, k, dtype=dtype).t() if right else rushlight.ones(k, n, dtype=dtype)
            assert bool((a @ b == rushlight.tensor(k, dtype=dtype)).all()), (dtype, m, n, k)
for dtype in (rushlight.float32, rushlight.float64):
    for size, stride, groups, outputs in itertools.product((5, 12, 26, 30, 33), (1, 2), (1, 3), (9, 96)):
        shapes = (2, 6, size, size), (outputs, 6 // groups, 3, 3)
        x, w = (rushlight.ones(*s, dtype=dtype, requires_grad=True) for s in shapes)
        y = rushlight.nn.functional.conv2d(x, w, stride=stride, groups=groups)
        y.sum().backward()
        assert bool((y == 54 // groups).all()) and bool((w.grad == y[0, 0].numel() * 2).all()), (dtype, size, stride)
print("whole")
"""


@pytest.mark.parametrize("name", HAS)
@pytest.mark.parametrize("where", ["end", "start"])
def test_nothing_beside_the_operands_is_touched(where: str, name: str) -> None:
    assert printed("-c", GUARDED, env={"RUSHLIGHT_GUARD": where, kernels.SETTING: name}) == "whole\n"


def test_the_setting_is_checked() -> None:
    code = "import rushlight; x = rushlight.ones(3, 3); x @ x"
    env = {**os.environ, kernels.SETTING: "sse9"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=100)
    assert "RUSHLIGHT_PRODUCTS must be one of amx, avx512bf16, avx512, avx2, blas; found 'sse9'" in done.stderr


def test_200_sizes_compile_at_most_3_kernels(
    code_path: None, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path))
    cache.forget()
    before = counters.stats()["kernels_compiled"]
    kernels.use_code_path(0, "float32", kernels.code_path())
    for i in range(200):
        x = rushlight.ones(1 + i % 23, 1 + i, dtype=rushlight.float32)
        assert float((x @ x.mT)[0, 0]) == 1 + i
    made = counters.stats()["kernels_compiled"] - before
    assert made <= 3 + 1  # and the kernel that writes ones


def test_the_text_of_a_kernel() -> None:
    import golden_programs as golden

    expected = golden.PRODUCT.read_text()
    assert golden.product_text() == expected, "if that is meant: python tests/compiler/golden_programs.py"
