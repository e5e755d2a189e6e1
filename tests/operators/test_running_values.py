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


RUNNING: dict[str, Callable[[Tensor, int], Tensor]] = {
    "cumsum": lambda x, d: x.cumsum(d),
    "cumprod": lambda x, d: x.cumprod(d),
    "sum in bfloat16": lambda x, d: x.cumsum(d, dtype=rl.bfloat16),
    "sum of products": lambda x, d: (x * x).cumsum(d),
    "logcumsumexp": lambda x, d: x.logcumsumexp(d),
    "cummax": lambda x, d: x.cummax(d).values,
    "place of cummin": lambda x, d: x.cummin(d).indices,
    "backwards": lambda x, d: x.flip(d).cumsum(d).flip(d),
}
DTYPES = [rl.float32, rl.float64, rl.float16, rl.bfloat16, rl.complex64, rl.complex128, rl.uint8, rl.int32, rl.bool]
LAYOUTS: dict[str, Callable[[Tensor], Tensor]] = {
    "rows": lambda x: x,
    "columns": lambda x: x.t().contiguous().t(),
    "every second": lambda x: x.repeat_interleave(2, 1)[:, ::2],
    "turned around": lambda x: x.flip(1)[:, ::-1],
    "one column": lambda x: x[:, :1].expand(x.shape),
}


CASES = [
    (name, dtype)
    for name in RUNNING
    for dtype in DTYPES
    if not (dtype.is_complex and name in ("cummax", "place of cummin", "sum in bfloat16"))
    and (dtype.is_complex or dtype.is_floating_point or name != "logcumsumexp")
]


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_rows_side_by_side_are_what_each_is_alone(name: str, dtype: Any) -> None:
    rl.manual_seed(0)
    fn = RUNNING[name]
    for rows, n in [(4, 17), (15, 16), (16, 1), (17, 33), (3, 40), (35, 15), (20, 0)]:
        x = (rl.randn(rows, n) * 3).to(dtype)
        alone = rl.cat([fn(x[i : i + 1], 1) for i in range(rows)])
        for layout, lay in LAYOUTS.items():
            if layout == "one column" and n == 0:
                continue
            given = lay(x)
            wanted = alone if layout != "one column" else rl.cat([fn(given[i : i + 1], 1) for i in range(rows)])
            assert bits(fn(given, 1)) == bits(wanted), (rows, n, layout)


def bits(x: Tensor) -> bytes:
    return bytes(x.contiguous().view(-1).view(rl.uint8).tolist()) if x.numel() else b""


def test_in_place_and_by_the_row_of_a_batch() -> None:
    rl.manual_seed(0)
    x = rl.randn(3, 7, 21)
    wanted = x.cumsum(2)
    y = x.clone()
    assert bits(y.cumsum_(2)) == bits(wanted)
    assert bits(rl.func.vmap(rl.func.vmap(lambda r: r.cumsum(0)))(x)) == bits(wanted)
    out = rl.empty(21, 7, 3).permute(2, 1, 0)
    assert bits(rl.cumsum(x, 2, out=out)) == bits(wanted)
