"""Running sums, products and log-sums of float32 are those of float64, rounded: an error does not grow along them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight.core.tensor import Tensor

N = 20_000
CALLS: dict[str, tuple[Callable[[Tensor, int], Tensor], Callable[[], Tensor]]] = {
    "sum of signs": (rl.cumsum, lambda: rl.randn(N)),
    "sum": (rl.cumsum, lambda: rl.rand(N)),
    "product": (rl.cumprod, lambda: 1 - rl.rand(N) / N),
    "log-sum": (rl.logcumsumexp, lambda: rl.randn(N)),
    "integral": (lambda x, d: rl.cumulative_trapezoid(x, dim=d), lambda: rl.rand(N)),
}


@pytest.mark.parametrize("shape", [(N,), (2, N // 2), (N // 2, 2)])
@pytest.mark.parametrize("name", CALLS)
def test_each_is_rounded_once(name: str, shape: tuple[int, ...]) -> None:
    rl.manual_seed(0)
    fn, made = CALLS[name]
    x, dim = made().reshape(shape), max(range(len(shape)), key=shape.__getitem__)
    exact, found = fn(x.double(), dim), fn(x, dim)
    assert found.dtype is rl.float32
    error = (found.double() - exact).abs() / exact.abs()
    assert error.max() < 2.0**-22  # rounding alone, and at most once more (the half of a sum)


@pytest.mark.parametrize("name", ["sum", "product"])
def test_complex_numbers_too(name: str) -> None:
    rl.manual_seed(0)
    fn, made = CALLS[name]
    z = rl.complex(made(), made() * 1e-4)
    exact: Any = fn(z.to(rl.complex128), 0)
    assert ((fn(z, 0) - exact).abs() / exact.abs()).max() < 2.0**-22


@pytest.mark.parametrize("name", ["sum", "product", "log-sum"])
def test_and_their_gradients(name: str) -> None:
    rl.manual_seed(0)
    fn, made = CALLS[name]
    x = made().requires_grad_()
    y = x.detach().double().requires_grad_()
    (found,) = rl.autograd.grad(fn(x, 0).sum(), [x])
    (exact,) = rl.autograd.grad(fn(y, 0).sum(), [y])
    assert ((found.double() - exact).abs() / exact.abs()).max() < 2.0**-20
