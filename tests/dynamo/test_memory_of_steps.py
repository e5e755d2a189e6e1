"""The memory that a compiled training step takes by default, whether it is replayed or recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from benchmarks.steps import NETWORKS, peak

import rushlight as rl

Step = Callable[..., Any]


pytestmark = pytest.mark.usefixtures("one_thread")


def of_gpt(compiles: Callable[[Any, Step, list[float]], Step], pads: bool) -> int:
    """The peak of a step of the GPT that `benchmarks.steps` times. pads: with a side effect."""
    net, data, loss_of = NETWORKS["gpt"](rl)
    optimizer = rl.optim.AdamW(net.parameters(), lr=1e-4)
    seen: list[float] = []

    def step(*data: Any) -> Any:
        loss = loss_of(*data)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if pads:
            seen.append(0.0)
        return loss

    run = compiles(net, step, seen)
    found = peak(lambda: run(*data))
    assert len(seen) == 4 * pads
    return found


def packed_by_products() -> int:
    """The most that a product of the GPT's layers, or of their gradients, packs: how much depends on the processor's
    caches, and it is the same in a compiled step.
    """
    net, data, _ = NETWORKS["gpt"](rl)
    found, tokens = 0, data[0].numel()
    for layer in net.modules():
        if isinstance(layer, rl.nn.Linear):
            w, x = layer.weight.detach(), rl.randn(tokens, layer.in_features)
            g = rl.randn(tokens, layer.out_features)
            for a, b in ((x, w.mT), (g, w), (g.mT, x), (x.mT, g)):
                out = rl.empty(a.shape[0], b.shape[1])
                found = max(found, peak(lambda a=a, b=b, out=out: rl.matmul(a, b, out=out)))  # type: ignore[misc]
    return found


@pytest.mark.parametrize(("way", "part"), [("replayed", 0.69), ("recorded", 0.69), ("module", 0.7)])
def test_a_step_of_a_gpt_takes_less_memory_by_default(way: str, part: float) -> None:
    def compiles(net: Any, step: Step, seen: list[float]) -> Step:
        if way == "module":
            net.compile()
            return step
        return rl.compile(step)

    eager, packed = of_gpt(lambda net, step, seen: step, False), packed_by_products()
    taken = of_gpt(compiles, way == "recorded") - packed
    assert taken <= part * (eager - packed)  # (0.683, 0.683 and 0.69: the loss is not the module's)


def test_a_value_is_held_no_longer_than_by_python() -> None:
    """What is looked into holds the variables of calls that have ended no longer than Python does."""
    w = rl.nn.Parameter(rl.randn(64, 64) / 8)
    x = rl.randn(4096, 64)

    def block(x: Any) -> Any:
        both = [(x @ w).relu(), (x @ w).tanh()]
        a, b = (z.view(64, 64, 64) for z in both)
        parts = {"a": a, "b": b}
        return (lambda y: y * parts["a"])(b).view(4096, 64)

    def step(x: Any) -> Any:
        loss = block(block(x)).square().mean()
        loss.backward()
        w.grad = None
        return loss

    recorded, replayed = rl.compile(step, options={"always": True}), rl.compile(step)
    assert peak(lambda: replayed(x)) <= 1.02 * peak(lambda: recorded(x))
