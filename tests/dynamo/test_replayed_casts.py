"""Compiled functions that are called with autocast around them: replayed, with eager mode's bits and kept casts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn
from rushlight.amp.autocast_mode import kept_casts

F = nn.functional


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(8, 16), nn.LayerNorm(16), nn.Linear(16, 8)
        self.factor = 0.5

    def forward(self, x: Any) -> Any:
        y = F.gelu(self.norm(self.first(x)))
        return self.last(y) * self.factor + F.linear(y, self.last.weight)  # (a cast that two calls take)


def bits(x: Any) -> Any:
    return None if x is None else (x.dtype, tuple(x.shape), bytes(x.detach().contiguous().untyped_storage()))


def left(compiles: Callable[[Any], Any], block: Callable[[int], Any], turns: int, loop: Callable[..., Any]) -> Any:
    """What some steps leave, and the compiled call."""
    rl.manual_seed(0)
    net = Net()
    optimizer = rl.optim.SGD(net.parameters(), lr=0.1)
    run = compiles(net.forward)
    found = []
    for turn in range(turns):
        x = rl.randn(4, 8)
        with block(turn):
            found += loop(net, run, x, turn)
            found.append(sorted(bits(made) for _, _, _, _, made in kept_casts().values()))
        found += [bits(p.grad) for p in net.parameters()]
        optimizer.step()
        optimizer.zero_grad()
    return [*found, *map(bits, net.parameters())], run


def once(net: Any, run: Any, x: Any, turn: int) -> list[Any]:
    y = run(x)
    y.square().mean().backward()
    return [bits(y)]


def twice(net: Any, run: Any, x: Any, turn: int) -> list[Any]:
    """The second call takes the casts that the first one has kept, and so does what is around them."""
    y = run(x) + run(x + 1) + F.linear(x, net.first.weight).sum()
    y.square().mean().backward()
    return [bits(y)]


def without_graph(net: Any, run: Any, x: Any, turn: int) -> list[Any]:
    with rl.no_grad():
        y = run(x)
    return [bits(y)]


def changing(net: Any, run: Any, x: Any, turn: int) -> list[Any]:
    net.factor = (0.5, 1.5)[turn // 8]
    return once(net, run, x, turn)


def cast(dtype: Any, **more: Any) -> Callable[[int], Any]:
    return lambda turn: rl.autocast("cpu", dtype=dtype, **more)


BLOCKS = {
    "bfloat16": cast(rl.bfloat16),
    "float16": cast(rl.float16),
    "nothing kept": cast(rl.bfloat16, cache_enabled=False),
    "turns": lambda turn: rl.autocast("cpu", dtype=(rl.bfloat16, rl.float16)[turn % 2], enabled=turn % 3 > 0),
}


@pytest.mark.parametrize("block", list(BLOCKS))
@pytest.mark.parametrize("loop", [once, twice, without_graph, changing])
def test_a_call_with_autocast_around_it_is_eager_modes(block: str, loop: Callable[..., Any]) -> None:
    expected, _ = left(lambda f: f, BLOCKS[block], 14, loop)
    found, run = left(rl.compile, BLOCKS[block], 14, loop)
    assert found == expected
    replays = [r for rows in run._context_.casting.values() for r, _ in rows] + run._context_.replays
    assert replays and sum(r.runs for r in replays) >= 4


def test_a_step_with_autocast_around_it_that_is_not_known_changes_nothing() -> None:
    """Where an inspection ends early, what it has cast is not kept."""
    w = nn.Parameter(rl.randn(4, 4))
    seen = []

    def f(x: Any) -> Any:
        y = x @ w
        seen.append(len(kept_casts()))
        return y

    run = rl.compile(f)
    with rl.autocast("cpu", dtype=rl.bfloat16):
        y = run(rl.ones(2, 4))
        (_, _, _, _, made) = next(iter(kept_casts().values()))
        assert bits(y) == bits(rl.ones(2, 4) @ w) and bits(made) == bits(w.bfloat16())
    assert seen == [1] and not kept_casts()
