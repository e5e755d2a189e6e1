"""Convolutions as products whose column matrix is packed from the image: values and bits on each code path."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest

import rushlight
from rushlight.compiler.products import kernels
from rushlight.compiler.routines.products import open_products
from rushlight.core import _native

NUMBERS = {"float32": 0, "float64": 1}
HAS = [r for r in kernels.PATHS if r == "blas" or r in _native.processor()]


class Case(NamedTuple):
    """A convolution: batch, channels a group of input and output, groups, and of each spatial axis the rest."""

    batch: int
    inputs: int
    outputs: int
    groups: int
    size: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]


CASES = [
    Case(2, 5, 7, 1, (19,), (3,), (1,), (1,), (1,)),
    Case(1, 3, 20, 1, (2100,), (5,), (3,), (0,), (2,)),  # several blocks of the one axis
    Case(2, 13, 15, 1, (9, 7), (3, 3), (1, 1), (1, 1), (1, 1)),
    Case(1, 40, 33, 1, (57, 31), (3, 2), (1, 1), (1, 0), (1, 1)),  # several blocks of rows, the last one shorter
    Case(3, 4, 6, 3, (12, 17), (5, 4), (2, 3), (4, 2), (1, 2)),
    Case(1, 2, 1, 1, (6, 6), (1, 3), (1, 1), (5, 5), (1, 1)),  # padding past the kernel's reach: whole rows of zeros
    Case(2, 150, 3, 1, (8, 8), (3, 3), (2, 2), (1, 1), (1, 1)),
    Case(1, 3, 5, 2, (5, 6, 7), (2, 3, 3), (1, 2, 1), (1, 0, 2), (2, 1, 1)),
    Case(2, 3, 64, 1, (40, 40), (7, 7), (2, 2), (3, 3), (1, 1)),
    # Tiles that read the planes, what lies between rows included, or row by row: of the image itself, with strides, in
    # blocks, in three dimensions.
    Case(2, 9, 33, 1, (20, 26), (3, 3), (1, 1), (0, 0), (1, 1)),
    Case(3, 8, 17, 2, (18, 32), (3, 3), (1, 1), (1, 1), (1, 1)),
    Case(2, 5, 20, 1, (40, 63), (3, 3), (2, 2), (1, 1), (1, 1)),
    Case(1, 40, 20, 1, (131, 64), (5, 3), (1, 1), (2, 1), (1, 1)),
    Case(2, 3, 16, 1, (6, 9, 18), (2, 3, 3), (1, 1, 1), (0, 0, 0), (1, 1, 1)),
    Case(1, 3, 20, 2, (7, 9, 31), (3, 2, 3), (2, 1, 1), (1, 0, 1), (1, 2, 1)),
    Case(2, 4, 15, 1, (700,), (5,), (2,), (2,), (1,)),
    Case(5, 70, 66, 1, (9, 10), (4, 3), (3, 2), (2, 1), (2, 1)),  # several parts, blocks of channels and panels
    # Gradients by the input in phases: that read past the end of their input, that are small, without taps, of one tap.
    Case(5, 8, 8, 1, (17, 32), (3, 5), (3, 3), (0, 0), (1, 1)),
    Case(2, 9, 12, 2, (9, 8, 7), (2, 2, 3), (2, 2, 2), (0, 1, 1), (1, 1, 1)),
    Case(3, 10, 20, 1, (32, 33), (4, 3), (2, 1), (1, 2), (1, 2)),
    Case(2, 16, 8, 1, (9, 20), (2, 2), (3, 3), (1, 0), (1, 1)),
    Case(2, 16, 40, 1, (31, 32), (1, 1), (2, 2), (0, 0), (1, 1)),
    Case(3, 8, 30, 2, (400,), (4,), (2,), (1,), (1,)),
    # Small images that share products, and gradients of many weights for few positions.
    Case(7, 12, 30, 2, (5, 6), (3, 3), (1, 1), (1, 1), (1, 1)),
    Case(20, 9, 16, 1, (7, 7), (3, 3), (2, 2), (1, 1), (1, 1)),
    Case(2, 200, 220, 1, (3, 4), (3, 3), (1, 1), (1, 1), (1, 1)),
    Case(3, 150, 130, 2, (4, 4), (3, 3), (2, 2), (1, 1), (1, 1)),
    # So few positions that tiles' rows are positions, of one image or of several; products for all threads; one tap.
    Case(1, 50, 90, 1, (14, 14), (3, 3), (1, 1), (1, 1), (1, 1)),
    Case(3, 20, 62, 2, (7, 7), (3, 3), (1, 1), (1, 1), (1, 1)),
    Case(1, 30, 120, 1, (27, 29), (3, 3), (2, 2), (1, 1), (1, 1)),
    Case(1, 40, 300, 1, (13, 15), (1, 1), (1, 1), (0, 0), (1, 1)),
    Case(1, 40, 33, 1, (29, 28), (1, 1), (2, 2), (0, 0), (1, 1)),
    Case(1, 12, 20, 2, (9, 30, 7), (1, 1, 1), (3, 1, 2), (1, 0, 2), (1, 1, 1)),
    # Tiles' rows are positions of a row, read from the planes: of several images, groups, blocks of a large
    # one, of the image itself, with strides and dilations, in one and in three dimensions, of a panel that is not full.
    Case(2, 15, 64, 1, (28, 28), (3, 3), (1, 1), (1, 1), (1, 1)),
    Case(3, 7, 32, 2, (14, 14), (3, 3), (1, 1), (1, 1), (1, 1)),
    Case(2, 20, 63, 1, (22, 30), (3, 3), (1, 1), (0, 0), (1, 1)),
    Case(1, 9, 64, 1, (120, 70), (5, 3), (1, 1), (2, 1), (1, 1)),
    Case(2, 6, 62, 1, (41, 60), (4, 5), (3, 2), (2, 1), (1, 2)),
    Case(2, 10, 32, 1, (5, 9, 20), (2, 3, 3), (1, 1, 1), (1, 1, 1), (2, 1, 1)),
    Case(3, 20, 31, 1, (406,), (5,), (1,), (2,), (1,)),
]


def some_case(rng: np.random.Generator) -> Case:
    """Any geometry: few axes have a border on both sides."""
    n = int(rng.choice([1, 2, 2, 3]))

    def each(*values: int) -> tuple[int, ...]:
        return tuple(int(x) for x in rng.choice(values, n))

    kernel, dilation, padding = each(1, 2, 3, 3, 4, 5), each(1, 1, 2), each(0, 0, 1, 2)
    most = 40 if n < 3 else 10
    reach = [d * (k - 1) + 1 - 2 * p for d, k, p in zip(dilation, kernel, padding, strict=True)]
    size = tuple(int(rng.integers(max(r, 1), most)) for r in reach)
    few = [int(rng.choice(v)) for v in ([1, 2, 5], [1, 3, 8, 17], [1, 2, 14, 33], [1, 1, 2])]
    return Case(few[0], few[1], few[2], few[3], size, kernel, each(1, 1, 2, 3), padding, dilation)


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """Kernels and threads of one's choice until the test's end."""
    threads = _native.num_threads()
    for number in NUMBERS.values():
        if not _native.product_ready(number):
            open_products(number)
    yield
    _native.set_num_threads(threads)
    choose(kernels.code_path())


def choose(code_path: str) -> None:
    for dtype, number in NUMBERS.items():
        kernels.use_code_path(number, dtype, code_path)


def operands(case: Case, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (case.batch, case.inputs * case.groups, *case.size))
    return x, rng.uniform(-1, 1, (case.outputs * case.groups, case.inputs, *case.kernel))


def reference(case: Case, x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The convolution by its definition, a tap at a time, in float64."""
    x = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in case.padding)])
    x = x.reshape(case.batch, case.groups, case.inputs, *x.shape[2:])
    w = w.reshape(case.groups, case.outputs, *w.shape[1:])
    reach = [d * (k - 1) for k, d in zip(case.kernel, case.dilation, strict=True)]
    sums: np.ndarray | float = 0.0
    for tap in itertools.product(*map(range, case.kernel)):
        steps = zip(tap, case.dilation, x.shape[3:], reach, case.stride, strict=True)
        at = tuple(slice(t * d, n - r + t * d, s) for t, d, n, r, s in steps)
        some = x[(slice(None),) * 3 + at]
        sums = sums + np.einsum("goc,ngc...->ngo...", w[(slice(None),) * 3 + tap], some)
    made = np.asarray(sums)
    return made.reshape(case.batch, case.outputs * case.groups, *made.shape[3:])


def run(case: Case, dtype: str, x: np.ndarray, w: np.ndarray, seed: int = 9) -> list[np.ndarray]:
    """The convolution; a gradient by it; the gradients by x and by w."""
    a, b = (rushlight.tensor(v).to(getattr(rushlight, dtype)).requires_grad_() for v in (x, w))
    fn = getattr(rushlight.nn.functional, f"conv{len(case.size)}d")
    y = fn(a, b, None, case.stride, case.padding, case.dilation, case.groups)
    g = rushlight.tensor(np.random.default_rng(seed).uniform(-1, 1, tuple(y.shape))).to(y.dtype)
    y.backward(g)
    assert a.grad is not None and b.grad is not None
    return [t.detach().numpy() for t in (y, g, a.grad, b.grad)]


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("code_path", HAS)
@pytest.mark.parametrize("case", CASES)
def test_values(case: Case, code_path: str, dtype: str) -> None:
    choose(code_path)
    check_values(case, dtype)


@pytest.mark.parametrize("code_path", HAS)
def test_values_of_any_geometry(code_path: str) -> None:
    choose(code_path)
    rng = np.random.default_rng(7)
    for _ in range(60):
        check_values(some_case(rng), str(rng.choice(list(NUMBERS))))


@pytest.mark.parametrize("kernel", list(itertools.product((1, 2, 4, 5), repeat=2)))
@pytest.mark.parametrize("size", [(33, 32), (40, 16), (9, 7)])
def test_more_padding_on_one_side(kernel: tuple[int, ...], size: tuple[int, ...]) -> None:
    """padding="same" pads the high side of an axis alone where its kernel has two places."""
    case = Case(3, 8, 15, 1, size, kernel, (1, 1), (0, 0), (1, 1))
    x, w = operands(case, 6)
    sides = [(0, 0), (0, 0), *(((k - 1) // 2, k - 1 - (k - 1) // 2) for k in kernel)]
    a, b = (rushlight.tensor(v).requires_grad_() for v in (x, w))
    y = rushlight.nn.functional.conv2d(a, b, padding="same")
    np.testing.assert_allclose(y.detach().numpy(), reference(case, np.pad(x, sides), w), rtol=0, atol=1e-12)
    g = np.random.default_rng(8).uniform(-1, 1, y.shape)
    y.backward(rushlight.tensor(g))
    assert a.grad is not None and b.grad is not None
    other_x, other_w = operands(case, 9)
    by_x, by_w = reference(case, np.pad(other_x, sides), w), reference(case, np.pad(x, sides), other_w)
    assert abs(np.sum(g * by_x) - np.sum(a.grad.numpy() * other_x)) < 1e-10
    assert abs(np.sum(g * by_w) - np.sum(b.grad.numpy() * other_w)) < 1e-10


def check_values(case: Case, dtype: str) -> None:
    """The convolution against its definition, and the gradients as its transposes: <g, conv(x, w)> = <dx, x> = <dw, w>,
    of other x and w than the gradients' own, on which dx and dw do not depend.
    """
    x, w = (v.astype(dtype).astype(float) for v in operands(case, 1))
    unit = float(np.finfo(dtype).eps)
    y, g, dx, dw = run(case, dtype, x, w)
    terms = case.inputs * int(np.prod(case.kernel))
    np.testing.assert_allclose(y, reference(case, x, w), rtol=0, atol=unit * terms)
    for seed in (2, 3, 4):
        other_x, other_w = operands(case, seed)
        for grad, other, made in (
            (dx, other_x, reference(case, other_x, w)),
            (dw, other_w, reference(case, x, other_w)),
        ):
            expected, scale = np.sum(g * made), float(np.sqrt(np.sum(made**2) * g.size))
            assert abs(np.sum(grad * other) - expected) <= 4 * unit * terms * scale


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("case", CASES)
def test_bits(case: Case, dtype: str) -> None:
    """Neither threads nor the width of the vectors change them."""
    x, w = operands(case, 5)
    made = []
    for code_path in (r for r in HAS if r in ("avx512", "avx2")):
        choose(code_path)
        for threads in (1, 2, 3):
            _native.set_num_threads(threads)
            made.append([v.tobytes() for v in run(case, dtype, x, w)])
    assert all(m == made[0] for m in made)


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("shape", [(3, 12, 28, 28), (2, 9, 30, 22)])
def test_what_follows_tiles_of_rows(shape: tuple[int, ...], dtype: str) -> None:
    """A bias and an activation, and a residual, with the bits of a convolution and of each after it."""
    rng = np.random.default_rng(11)
    t = getattr(rushlight, dtype)
    x, w, bias = (rushlight.tensor(rng.uniform(-1, 1, s)).to(t) for s in (shape, (64, shape[1], 3, 3), (64,)))

    def fused(x: rushlight.Tensor, other: rushlight.Tensor) -> rushlight.Tensor:
        return rushlight.relu(rushlight.nn.functional.conv2d(x, w, bias, padding=1) + other)

    for code_path in (r for r in HAS if r != "blas"):
        choose(code_path)
        made = rushlight.nn.functional.conv2d(x, w, padding=1)
        other = rushlight.flip(made, (1,)).contiguous()
        expected = rushlight.relu((made + bias.reshape(64, 1, 1)) + other)
        assert rushlight.compile(fused)(x, other).numpy().tobytes() == expected.numpy().tobytes()


def test_infinities_reach_their_own_elements_only() -> None:
    """What is packed beside the columns that are wanted never counts."""
    x, w = np.ones((1, 3, 9, 9)), np.ones((4, 3, 3, 3))
    x[0, 1, 4, 8] = np.inf
    case = Case(1, 3, 4, 1, (9, 9), (3, 3), (1, 1), (1, 1), (1, 1))
    y, _, dx, dw = run(case, "float32", x, w)
    assert np.isfinite(dx).all()
    expected = np.zeros((9, 9), bool)
    expected[3:6, 7:] = True
    assert (np.isinf(y[0]) == expected).all()
    # The last column meets the taps of the middle and the right column, not of the left one.
    assert (np.isfinite(dw) == (np.arange(3)[:, None, None] != 1) | (np.arange(3) == 0)).all()
