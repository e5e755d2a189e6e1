"""What is measured: each case builds its inputs with module T (rushlight or torch) and returns the call to time."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

Run = Callable[[], Any]
CASES: dict[str, tuple[float, Callable[[Any], Run]]] = {}      # name -> (bar on the ratio to PyTorch, case)


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


@case("pointwise/exp_1M", 0.5)
def exp(T: Any) -> Run:
    x = T.randn(1000, 1000)
    return lambda: x.exp()


@case("reduction/softmax_1M", 0.6)
def softmax(T: Any) -> Run:
    x = T.randn(1000, 1000)
    return lambda: x.softmax(-1)


@case("reduction/sum_all_16M", 1.0)
def sum_all(T: Any) -> Run:
    x = T.randn(4000, 4000)
    return lambda: x.sum()


@case("dense/mm_f32_1024", 1.05)
def mm(T: Any) -> Run:
    a, b = T.randn(1024, 1024), T.randn(1024, 1024)
    return lambda: a @ b


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
