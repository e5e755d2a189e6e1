"""What is measured: each case builds its inputs with module T (rushlight or torch) and returns the call to time."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

Run = Callable[[], Any]
CASES: dict[str, tuple[float, Callable[[Any], Run]]] = {}  # name -> (bar on the ratio to PyTorch, case)


def case(name: str, bar: float) -> Callable[[Callable[[Any], Run]], Callable[[Any], Run]]:
    """Register a case with the ratio that it must not exceed."""

    def register(build: Callable[[Any], Run]) -> Callable[[Any], Run]:
        CASES[name] = bar, build
        return build

    return register


@case("overhead/add", 0.35)
def add(T: Any) -> Run:
    a, b = T.randn(8), T.randn(8)
    return lambda: a + b


@case("overhead/add_grad", 0.35)
def add_grad(T: Any) -> Run:
    a, b = T.randn(8, requires_grad=True), T.randn(8)
    return lambda: a + b


@case("overhead/fwd_bwd_chain10", 0.35)
def chain(T: Any) -> Run:
    a, b = T.randn(8, requires_grad=True), T.randn(8)

    def run() -> None:
        y = a
        for _ in range(5):
            y = (y * b).tanh()
        y.sum().backward()

    return run


def _of_a_square(n: int, method: str, *args: Any) -> Callable[[Any], Run]:
    return lambda T: functools.partial(getattr(T.randn(n, n), method), *args)


case("pointwise/exp_1M", 0.5)(_of_a_square(1000, "exp"))
case("reduction/softmax_1M", 0.6)(_of_a_square(1000, "softmax", -1))
case("reduction/sum_all_16M", 1.0)(_of_a_square(4000, "sum"))


def _of_complex(dtype: str, T: Any) -> Run:
    a, b = (T.randn(512, 512, dtype=getattr(T, dtype)) for _ in range(2))
    return lambda: a @ b


case("dense/mm_c64_512", 1.0)(functools.partial(_of_complex, "complex64"))
case("dense/mm_c128_512", 1.0)(functools.partial(_of_complex, "complex128"))


@case("dense/mm_f32_1024", 1.05)
def mm(T: Any) -> Run:
    a, b = T.randn(1024, 1024), T.randn(1024, 1024)
    return lambda: a @ b


def _attention(grad: bool) -> Callable[[Any], Run]:
    def build(T: Any) -> Run:
        q, k, v = (T.randn(4, 8, 256, 64, requires_grad=grad) for _ in range(3))

        def run() -> None:
            y = T.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            if grad:
                T.autograd.grad(y.sum(), (q, k, v))

        return run

    return build


def _convolution(size: tuple[int, ...], out: int, kernel: int, stride: int, grad: bool) -> Callable[[Any], Run]:
    def build(T: Any) -> Run:
        x, w = T.randn(*size, requires_grad=grad), T.randn(out, size[1], kernel, kernel, requires_grad=grad)

        def run() -> None:
            y = T.nn.functional.conv2d(x, w, None, stride, kernel // 2)
            if grad:
                T.autograd.grad(y.sum(), (x, w))

        return run

    return build


case("dense/attention", 0.8)(_attention(False))
case("dense/attention_grad", 0.8)(_attention(True))
case("dense/conv3x3", 0.9)(_convolution((16, 64, 56, 56), 64, 3, 1, False))
case("dense/conv3x3_grad", 0.9)(_convolution((8, 64, 28, 28), 64, 3, 1, True))
case("dense/conv7x7_stride2", 1.0)(_convolution((8, 3, 112, 112), 64, 7, 2, False))


@case("train_eager/lstm", 0.75)
def lstm(T: Any) -> Run:
    net, x = T.nn.LSTM(64, 128, batch_first=True), T.randn(16, 32, 64)

    def run() -> None:
        net.zero_grad()
        net(x)[0].sum().backward()

    return run


@case("train_eager/mlp", 0.8)
def mlp(T: Any) -> Run:
    nn = T.nn
    model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
    opt = T.optim.AdamW(model.parameters(), lr=1e-3)
    x, y = T.randn(64, 784), T.randint(0, 10, (64,))

    def run() -> None:
        opt.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        opt.step()

    return run


# Random numbers of PyTorch's stream.
DRAWS: dict[str, tuple[float, Callable[[Any], Run]]] = {
    "rand_3": (1.0, lambda T: lambda: T.rand(3)),
    "randn_3": (1.0, lambda T: lambda: T.randn(3)),
    "rand_1M": (0.8, lambda T: lambda: T.rand(1 << 20)),
    "randn_1M": (0.8, lambda T: lambda: T.randn(1 << 20)),
    "randint_1M": (0.8, lambda T: lambda: T.randint(0, 100, (1 << 20,))),
    "randperm_1M": (0.8, lambda T: lambda: T.randperm(1 << 20)),
    "bernoulli_1M": (0.8, lambda T: functools.partial(T.empty(1 << 20).bernoulli_, 0.3)),
}
for draw, found in DRAWS.items():
    case(f"random/{draw}", found[0])(found[1])


@case("random/dropout_1M", 0.8)
def dropout(T: Any) -> Run:
    x = T.ones(1 << 20)
    return lambda: T.nn.functional.dropout(x, 0.1, True)


@case("random/dropout_8x8", 0.8)
def dropout_small(T: Any) -> Run:
    x = T.ones(8, 8)
    return lambda: T.nn.functional.dropout(x, 0.1, True)


@case("random/dropout_backward_1M", 0.8)
def dropout_backward(T: Any) -> Run:
    x = T.ones(1 << 20, requires_grad=True)

    def run() -> None:
        T.nn.functional.dropout(x, 0.1, True).sum().backward()

    return run


@case("sizes/resize_100", 1.0)
def resize(T: Any) -> Run:
    """100 sizes that no call has seen."""
    x, width = T.rand(1, 3, 64, 64), [0]

    def run() -> None:
        for _ in range(100):
            width[0] = width[0] % 90 + 1
            T.nn.functional.interpolate(x, size=(16 + width[0], 20 + (width[0] * 7) % 60), mode="bilinear")

    return run


@case("sizes/resize_uint8_100", 1.0)
def resize_bytes(T: Any) -> Run:
    x, width = T.randint(0, 256, (1, 3, 64, 64), dtype=T.uint8), [0]

    def run() -> None:
        for _ in range(100):
            width[0] = width[0] % 90 + 1
            T.nn.functional.interpolate(
                x, size=(16 + width[0], 20 + (width[0] * 7) % 60), mode="bilinear", antialias=True
            )

    return run


@case("dense/resize_uint8_antialias", 1.0)
def resize_image(T: Any) -> Run:
    """A photograph to the size that networks take."""
    x = T.randint(0, 256, (1, 3, 375, 500), dtype=T.uint8)
    return lambda: T.nn.functional.interpolate(x, size=(224, 224), mode="bilinear", antialias=True)


@case("sizes/nearest_twice", 1.0)
def nearest_twice(T: Any) -> Run:
    """Images twice as large, as decoders make them."""
    x = T.randn(4, 16, 64, 64)
    return lambda: T.nn.functional.interpolate(x, scale_factor=2)


@case("sizes/repeat_interleave_2", 1.0)
def repeat_interleave_twice(T: Any) -> Run:
    """Rows of two elements, in rows that are fewer than they are long."""
    x = T.randn(1024, 256)
    return lambda: x.repeat_interleave(2, 1)


# Windows over the images of an ordinary network.
WINDOWS: dict[str, tuple[float, Callable[[Any, Any], Any]]] = {
    "max_pool2d_2": (0.3, lambda F, x: F.max_pool2d(x, 2)),
    "max_pool2d_3_2_1": (0.5, lambda F, x: F.max_pool2d(x, 3, 2, 1)),
    "avg_pool2d_2": (0.5, lambda F, x: F.avg_pool2d(x, 2)),
    "adaptive_avg_pool2d_8": (0.6, lambda F, x: F.adaptive_avg_pool2d(x, 8)),
    "adaptive_max_pool2d_8": (1.0, lambda F, x: F.adaptive_max_pool2d(x, 8)),
    "unfold_3_1": (0.8, lambda F, x: F.unfold(x, 3, padding=1)),
}


def _over_windows(f: Callable[[Any, Any], Any], grad: bool) -> Callable[[Any], Run]:
    def build(T: Any) -> Run:
        x = T.randn(8, 16, 64, 64, requires_grad=grad)
        if not grad:
            return lambda: f(T.nn.functional, x)
        given = T.ones_like(f(T.nn.functional, x))
        return lambda: T.autograd.grad(f(T.nn.functional, x), x, given)

    return build


for window, (most, over) in WINDOWS.items():
    case(f"windows/{window}", most)(_over_windows(over, False))
    case(f"windows/{window}_grad", 1.0 if window != "unfold_3_1" else 1.5)(_over_windows(over, True))


def _backward_alone(f: Callable[[Any, Any], Any]) -> Callable[[Any], Run]:
    """Of the images after a network's first layers, whose planes a cache holds and whose batch it does not."""

    def build(T: Any) -> Run:
        x = T.randn(16, 64, 56, 56, requires_grad=True)
        y = f(T.nn.functional, x)
        given = T.ones_like(y)
        return lambda: T.autograd.grad(y, x, given, retain_graph=True)

    return build


for window in ("max_pool2d_2", "max_pool2d_3_2_1", "adaptive_max_pool2d_8"):
    case(f"windows/{window}_backward", 1.0)(_backward_alone(WINDOWS[window][1]))
