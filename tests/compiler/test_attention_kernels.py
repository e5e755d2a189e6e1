"""Attention in blocks: values and gradients, bits, memory, and what masks and NaN do."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache, cached_property
from typing import Any

import numpy as np
import pytest
from test_product_kernels import OWN, REAL, ROUNDING, UNIT, bits, laid

import rushlight
from processes import printed
from rushlight.compiler.products import kernels
from rushlight.compiler.routines import attention
from rushlight.compiler.routines.products import open_products
from rushlight.core import _native

F = rushlight.nn.functional
MASKS = ("none", "bool", "numbers")
# queries, keys, width of query and key, width of value: less than a block, a block, one more, several; tiles' edges
SIZES = [(4, 4, 4, 4), (5, 31, 7, 33), (56, 128, 16, 64), (57, 129, 33, 17), (130, 300, 65, 40), (231, 70, 130, 15)]


@pytest.fixture
def code_path() -> Iterator[None]:
    """Kernels of one's choice until the test's end."""
    yield
    choose(kernels.code_path())


def choose(name: str) -> None:
    for dtype, number in REAL.items():
        if not _native.product_ready(number):
            open_products(number)
        kernels.use_code_path(number, dtype, name)
        for backward, mask in itertools.product((False, True), range(4)):
            attention.use_code_path(number, backward, mask, name)


@cache
def case_of(*given: Any) -> Case:
    """A case whose values several tests compare with."""
    return Case(*given)


class Case:
    """Operands, and what comes of them in float64 with bounds for the errors.

    A score's error is that of a sum of E products (Higham, Accuracy and Stability, 3.5), and of the additions of mask
    and shift; a weight's relative error that of its score and a few roundings.
    """

    def __init__(self, sizes: tuple[int, ...], dtype: str, mask: str, causal: bool, batch: tuple[int, ...] = (2, 1)):
        rng = np.random.default_rng(sum(sizes))
        m, n, e, v = sizes
        self.dtype, self.causal = dtype, causal

        def given(*shape: int, size: float = 1.0) -> Any:
            return laid(size * rng.standard_normal(shape), dtype, "rows").double().numpy()

        self.q, self.k, self.v = given(*batch, m, e), given(*batch, n, e), given(*batch, n, v)
        self.grad = given(*batch, m, v)
        self.mask = {"none": None, "bool": rng.random((m, n)) < 0.7, "numbers": given(m, n, size=3.0)}[mask]
        self.scale = 1 / np.sqrt(e)

    @cached_property
    def values(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The result and the gradients, and their errors at most."""
        q, k, v, g, u, store = self.q, self.k, self.v, self.grad, UNIT[self.dtype], ROUNDING[self.dtype]
        (m, e), (n, width) = q.shape[-2:], v.shape[-2:]
        s, size = q @ k.swapaxes(-1, -2) * self.scale, np.abs(q) @ np.abs(k).swapaxes(-1, -2) * self.scale
        seen = np.tri(m, n, dtype=bool) if self.causal else np.ones((m, n), bool)
        if self.mask is not None and self.mask.dtype == bool:
            seen = seen & self.mask
        elif self.mask is not None:
            s, size = s + self.mask, size + np.abs(self.mask)
        s, size = np.where(seen, s, -np.inf), np.where(seen, size, 0)
        most = np.where(seen.any(-1), s.max(-1, initial=-np.inf), 0)[..., None]
        w = np.exp(s - most)
        w = w / np.where(w.sum(-1, keepdims=True) == 0, 1, w.sum(-1, keepdims=True))
        out = w @ v
        # relative error of a row's weights, by their own scores and by the largest, which all are compared with
        rho = 2 * u * ((e + 8) * size.max(-1, keepdims=True) + np.abs(most) + n + 16)
        out_error = (rho + (n + 8) * u) * (w @ np.abs(v))
        back = g @ v.swapaxes(-1, -2)
        back_size = np.abs(g) @ np.abs(v).swapaxes(-1, -2)
        delta, delta_size = (g * out).sum(-1, keepdims=True), (np.abs(g) * (w @ np.abs(v))).sum(-1, keepdims=True)
        d, d_size = w * (back - delta) * self.scale, w * (back_size + delta_size) * self.scale
        d_error = (2 * rho + 2 * (width + 12) * u + store) * d_size
        t = d_error.swapaxes(-1, -2)
        values = out, d @ k, d.swapaxes(-1, -2) @ q, w.swapaxes(-1, -2) @ g
        by_rows = (rho * w).swapaxes(-1, -2) @ np.abs(g)
        errors = (
            out_error,
            d_error @ np.abs(k) + (n + 8) * u * (d_size @ np.abs(k)),
            t @ np.abs(q) + (m + 8) * u * (d_size.swapaxes(-1, -2) @ np.abs(q)),
            by_rows + (m + 8) * u * (w.swapaxes(-1, -2) @ np.abs(g)),
        )
        return list(values), [x + store * np.abs(y) for x, y in zip(errors, values, strict=True)]

    def operands(self, lies: str = "rows") -> list[rushlight.Tensor]:
        return [laid(x, self.dtype, lies).requires_grad_() for x in (self.q, self.k, self.v)]

    def mask_tensor(self, lies: str = "rows") -> rushlight.Tensor | None:
        return None if self.mask is None else laid(self.mask, "bool" if self.mask.dtype == bool else self.dtype, lies)

    def run(self, lies: str = "rows", mask_lies: str = "rows") -> list[rushlight.Tensor]:
        """The result and the gradients."""
        given = self.operands(lies)
        mask = self.mask_tensor(mask_lies)
        y = F.scaled_dot_product_attention(*given, attn_mask=mask, is_causal=self.causal)
        grads = rushlight.autograd.grad(y, given, laid(self.grad, self.dtype, lies))
        return [y.detach(), *grads]

    def check(self, found: list[rushlight.Tensor]) -> None:
        tiny = {"float16": 2.0**-23, "bfloat16": 2.0**-110}.get(self.dtype, 0.0)  # where numbers are subnormal
        for name, x, y, error in zip(("result", "query", "key", "value"), found, *self.values, strict=True):
            off = np.abs(x.double().numpy() - y) - error - tiny
            assert x.shape == y.shape and (off <= 0).all(), (name, off.max(), np.abs(error).max())


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", OWN)
def test_values_and_gradients(code_path: None, name: str, dtype: str) -> None:
    choose(name)
    for sizes, mask, causal in itertools.product(SIZES, MASKS, (False, True)):
        case = case_of(sizes, dtype, mask, causal)
        case.check(case.run())


@pytest.mark.parametrize("dtype", REAL)
def test_how_operands_lie(dtype: str) -> None:
    """Rows, columns, with other elements between, backwards, and heads beside one another (batch, length, head)."""
    for lies, mask_lies in itertools.product(("columns", "apart", "backwards"), ("rows", "columns", "apart")):
        for mask, causal in itertools.product(MASKS, (False, True)):
            case = case_of((61, 133, 9, 20), dtype, mask, causal)
            case.check(case.run(lies, mask_lies))
    case = Case((61, 133, 9, 20), dtype, "none", True)
    heads = [x.detach().transpose(1, 2).contiguous().transpose(1, 2).requires_grad_() for x in case.operands()]
    y = F.scaled_dot_product_attention(*heads, is_causal=True)
    case.check([y.detach(), *rushlight.autograd.grad(y, heads, laid(case.grad, dtype, "rows"))])


def test_the_result_lies_as_the_query_does() -> None:
    x = rushlight.ones(2, 5, 3, 8).transpose(1, 2)
    assert F.scaled_dot_product_attention(x, x, x).stride() == x.stride() == (120, 8, 24, 1)
    y = rushlight.ones(2, 3, 5, 8)
    assert F.scaled_dot_product_attention(y, x, x).stride() == y.stride()


@pytest.mark.parametrize("dtype", REAL)
def test_few_heads_of_key_and_value(dtype: str) -> None:
    """Each serves several of the query's, as if it were repeated."""
    rng = np.random.default_rng(5)
    for kind in MASKS:
        q, k, v = (
            laid(rng.standard_normal(s), dtype, "rows").requires_grad_()
            for s in ((2, 6, 40, 8), (2, 2, 50, 8), (2, 2, 50, 12))
        )
        mask = {"none": None, "bool": rushlight.rand(6, 40, 50) < 0.8, "numbers": rushlight.randn(40, 50).to(q.dtype)}[
            kind
        ]
        y = F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)
        z = F.scaled_dot_product_attention(q, *(x.repeat_interleave(3, 1) for x in (k, v)), mask)
        assert bits(y.detach()) == bits(z.detach())
        g = rushlight.randn(y.shape).to(q.dtype)
        tolerance = {"float32": 1e-5, "float64": 1e-13, "bfloat16": 5e-2, "float16": 5e-3}[dtype]
        for a, b in zip(*(rushlight.autograd.grad(x, (q, k, v), g) for x in (y, z)), strict=True):
            np.testing.assert_allclose(a.double().numpy(), b.double().numpy(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("batch", [(), (1,), (1, 3), (5, 2)])
def test_bits_do_not_depend_on_threads(threads: None, batch: tuple[int, ...], dtype: str) -> None:
    """Nor do those of rows of the query depend on what other rows there are."""
    for mask, causal in itertools.product(MASKS, (False, True)):
        case = Case((300, 400, 24, 40), dtype, mask, causal, batch)
        _native.set_num_threads(1)
        expected = [bits(x) for x in case.run()]
        for count in (2, 3):
            _native.set_num_threads(count)
            assert [bits(x) for x in case.run()] == expected, (mask, causal, count)
    q, k, v = (x.detach() for x in Case((300, 400, 24, 40), dtype, "none", False, batch).operands())
    whole = F.scaled_dot_product_attention(q, k, v)
    assert bits(F.scaled_dot_product_attention(q[..., 100:177, :], k, v)) == bits(whole[..., 100:177, :])


@pytest.mark.skipif(len([r for r in OWN if r in ("avx512", "avx2")]) < 2, reason="the processor has one code path")
@pytest.mark.parametrize("dtype", REAL)
def test_bits_of_avx2_and_avx512(code_path: None, dtype: str) -> None:
    for sizes, mask, causal in itertools.product(SIZES[1:4], MASKS, (False, True)):
        case, made = Case(sizes, dtype, mask, causal), []
        for name in ("avx512", "avx2"):
            choose(name)
            made.append([bits(x) for x in case.run()])
        assert made[0] == made[1], (sizes, mask, causal)


@pytest.mark.parametrize("kind", ["bool", "numbers"])
def test_rows_that_see_nothing_are_zeros(kind: str) -> None:
    mask = rushlight.ones(60, 140, dtype=rushlight.bool)
    mask[7], mask[20:50, :130], mask[55, 3:] = False, False, False
    given = [rushlight.randn(2, n, 8, requires_grad=True) for n in (60, 140, 140)]
    if kind == "numbers":
        mask = rushlight.where(mask, 0.0, -float("inf"))
    y = F.scaled_dot_product_attention(*given, attn_mask=mask)
    dq, dk, dv = rushlight.autograd.grad(y.square().sum(), given)
    assert (y[:, 7] == 0).all() and (dq[:, 7] == 0).all()
    assert (y[:, [6, 8, 20, 49, 55]] != 0).all()
    assert all(x.isfinite().all() for x in (y, dq, dk, dv))
    np.testing.assert_allclose(y[:, 20:50].detach(), F.scaled_dot_product_attention(
        given[0][:, 20:50], given[1][:, 130:], given[2][:, 130:]).detach(), rtol=1e-5, atol=1e-6)  # fmt: skip


def test_nan_and_infinity() -> None:
    """They reach the rows that see them: of queries and keys through the scores, of values through the sums."""
    q, k, v = (rushlight.ones(n, 8) for n in (70, 150, 150))
    expected = rushlight.zeros(70, dtype=rushlight.bool)
    q[3], q[9, 2], expected[[3, 9]] = float("nan"), float("inf"), True
    assert (F.scaled_dot_product_attention(q, k, v).isnan().any(-1) == expected).all()
    q, mask = rushlight.ones(70, 8), rushlight.zeros(70, 150)
    k[140] = float("nan")
    assert F.scaled_dot_product_attention(q, k, v).isnan().all()
    assert not F.scaled_dot_product_attention(q, k, v, is_causal=True).isnan().any()
    k, mask[5, 149], mask[6, 3] = rushlight.ones(150, 8), float("nan"), float("inf")
    assert F.scaled_dot_product_attention(q, k, v, mask).isnan().any(-1).nonzero().flatten().tolist() == [5, 6]
    v[149] = float("inf")
    assert (F.scaled_dot_product_attention(q, k, v) == float("inf")).all()
    assert not F.scaled_dot_product_attention(q, k, v, is_causal=True).isnan().any()


@pytest.mark.parametrize("dtype", REAL)
def test_masks_of_float32(dtype: str) -> None:
    """They are added as they are, whatever the dtype of the query."""
    for sizes in SIZES[:4]:
        case = Case(sizes, dtype, "none", False)
        case.mask = np.random.default_rng(1).standard_normal(sizes[:2]).astype("float32")
        given = case.operands()
        y = F.scaled_dot_product_attention(*given, attn_mask=rushlight.tensor(case.mask))
        grads = rushlight.autograd.grad(y, given, laid(case.grad, dtype, "rows"))
        case.check([y.detach(), *grads])


def test_operands_that_do_not_fit() -> None:
    q, k, v = (rushlight.ones(2, n, 8) for n in (60, 70, 70))
    mask = rushlight.ones(60, 70)
    for given in ((q, k[..., :7], v), (q, k, v[:, :69]), (q, k.expand(3, 2, 70, 8)[:, :1].expand(3, 5, 70, 8), v)):
        with pytest.raises(RuntimeError):
            F.scaled_dot_product_attention(*given)
    for wrong in (mask[:59], mask[:, :69], mask.int(), mask.double(), mask.expand(3, 60, 70)):
        with pytest.raises(RuntimeError):
            F.scaled_dot_product_attention(q, k, v, wrong)


def test_scores_far_apart() -> None:
    """A running maximum that grows from block to block, weights that are nothing beside others, and negative scales."""
    for scale in (1.0, -1.0, 0.0):
        q = rushlight.full((60, 4), 8.0, dtype=rushlight.float64)
        k = rushlight.linspace(-50, 50, 400, dtype=rushlight.float64)[:, None].expand(400, 4)
        v = rushlight.randn(400, 6, dtype=rushlight.float64)
        wanted = rushlight.softmax(q @ k.mT * scale, -1) @ v
        for dtype, tolerance in ((rushlight.float64, 1e-12), (rushlight.float32, 1e-5)):
            found = F.scaled_dot_product_attention(*(x.to(dtype) for x in (q, k, v)), scale=scale)
            np.testing.assert_allclose(found.double(), wanted, rtol=tolerance, atol=tolerance)


def test_a_mask_that_is_learnt() -> None:
    """By the mask the gradient is the composition's; those of the others are what they are without."""
    q, k, v = (rushlight.randn(2, 3, n, 6, dtype=rushlight.float64, requires_grad=True) for n in (9, 11, 11))
    mask = rushlight.randn(3, 9, 11, dtype=rushlight.float64, requires_grad=True)
    assert rushlight.autograd.gradcheck(F.scaled_dot_product_attention, (q, k, v, mask))
    assert rushlight.autograd.gradgradcheck(lambda *xs: F.scaled_dot_product_attention(*xs, mask.detach()), (q, k, v))


def test_no_matrix_of_weights_is_kept() -> None:
    """One of 6000 x 6000 would take 140 MB."""
    code = """
import resource, rushlight
def run(n):
    given = [rushlight.ones(1, n, 8, requires_grad=True) for _ in range(3)]
    rushlight.nn.functional.scaled_dot_product_attention(*given, is_causal=True).sum().backward()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(-run(10) + run(6000) < 60000)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.stdout == "True\n", done.stdout + done.stderr[-2000:]


GUARDED = """
import rushlight, itertools
F = rushlight.nn.functional
for dtype in (rushlight.float32, rushlight.float64, rushlight.bfloat16, rushlight.float16):
    for m, n, e, v in [(4, 4, 4, 4), (5, 31, 7, 33), (57, 129, 33, 17), (130, 140, 65, 40)]:
        for kind, causal, turned in itertools.product((None, "bool", "numbers"), (False, True), (False, True)):
            sizes = ((3, m, e), (3, n, e), (3, n, v))
            q, k, w = (rushlight.ones(*s, dtype=dtype) for s in sizes)
            if turned:
                q, k, w = (x.mT.contiguous().mT for x in (q, k, w))
            q, k, w = (x.requires_grad_() for x in (q, k, w))
            mask = None if kind is None else rushlight.zeros(m, n, dtype=dtype)
            mask = mask == 0 if kind == "bool" else mask
            y = F.scaled_dot_product_attention(q, k, w, attn_mask=mask, is_causal=causal)
            assert bool(((y - 1).abs() < 0.01).all()), (dtype, m, n, e, v, kind, causal)
            y.sum().backward()
            assert bool((q.grad.abs() < 0.3).all()), (dtype, m, n, e, v, kind, causal, q.grad.abs().max())
print("whole")
"""


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("where", ["end", "start"])
def test_nothing_beside_the_operands_is_touched(where: str, name: str) -> None:
    assert printed("-c", GUARDED, env={"RUSHLIGHT_GUARD": where, kernels.SETTING: name}) == "whole\n"


def test_without_kernels_of_products_it_is_composed() -> None:
    code = """
import rushlight
x = rushlight.randn(2, 40, 8, requires_grad=True)
y = rushlight.nn.functional.scaled_dot_product_attention(x, x, x)
y.sum().backward()
print(float((y - rushlight.softmax(x @ x.mT / 8 ** 0.5, -1) @ x).abs().max()) < 1e-5)
"""
    env = {**os.environ, kernels.SETTING: "blas"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=100)
    assert done.stdout == "True\n", done.stderr[-2000:]
