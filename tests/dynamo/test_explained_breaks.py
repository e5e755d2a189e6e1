"""What `explain` says of steps whose backward is not recorded: why the segment ended, and in which line."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as rl
from rushlight import nn


class World:
    def __init__(self) -> None:
        rl.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
        self.optimizer = rl.optim.SGD(self.net.parameters(), lr=0.1)
        self.scaler = rl.amp.GradScaler("cpu", init_scale=8.0)


def recorded(w: World, x: Any) -> Any:
    w.optimizer.zero_grad()
    loss = w.net(x).square().mean()
    loss.backward()
    w.optimizer.step()
    return loss


def retained(w: World, x: Any) -> Any:
    loss = w.net(x).square().mean()
    loss.backward(retain_graph=True)
    return loss


def differentiated(w: World, x: Any) -> Any:
    loss = w.net(x).square().mean()
    found = rl.autograd.grad(loss, [w.net[0].weight], create_graph=True)[0]
    return found.square().sum()


def of_another_loss(w: World, x: Any) -> Any:
    first, second = w.net(x).square().mean(), w.net(x).mean()
    first.backward()
    return second


def of_a_part(w: World, x: Any) -> Any:
    h = w.net[0](x)
    return rl.autograd.grad((w.net[2](h) * h).sum(), [w.net[2].weight])


def of_a_result(w: World, x: Any) -> Any:
    h = w.net[0](x)
    return rl.autograd.grad(w.net[2](h).sum(), [h])


def scaled(w: World, x: Any) -> Any:
    w.optimizer.zero_grad()
    loss = w.net(x).square().mean()
    w.scaler.scale(loss).backward()
    w.scaler.step(w.optimizer)
    w.scaler.update()
    return loss


def below_hooks(w: World, x: Any) -> Any:
    loss = w.net(x).square().mean()
    with rl.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        loss.backward()
    return loss


SAID = {
    recorded: [],
    retained: ["backward(): it keeps its graph"],
    differentiated: ["grad(): what it does is differentiated again"],
    of_another_loss: ["backward(): it leaves a part of the graph"],
    of_a_part: ["grad(): it leaves a part of the graph"],
    of_a_result: ["grad(): the gradient of what waits is asked for"],
    scaled: ["step() asks for values of a tensor"],
    below_hooks: ["hooks for saved tensors are put in force"],
}


@pytest.mark.parametrize("step", SAID, ids=lambda f: f.__name__)
def test_a_segment_that_ends_says_why(step: Any) -> None:
    w = World()
    for _ in range(2):  # the scaler's factor is made by the first call
        found: Any = rl._dynamo.explain(step)(w, rl.ones(3, 4))
        assert len(found.break_reasons) == len(SAID[step]), found
        for reason, said in zip(found.break_reasons, SAID[step], strict=True):
            assert reason.reason.startswith(said)
            assert "test_explained_breaks.py" in reason.user_stack[0]


@pytest.mark.parametrize("step", SAID, ids=lambda f: f.__name__)
def test_it_leaves_what_it_leaves_without(step: Any) -> None:
    left = []
    for options in (None, {"always": True}, {}):
        w = World()
        f = step if options is None else rl.compile(step, options=options or None)
        given = [f(w, rl.full((3, 4), float(k))) for k in range(3)]
        values = [x for y in given for x in (y if isinstance(y, tuple) else (y,))]
        values += [t for p in w.net.parameters() for t in (p, p.grad)]
        left.append([None if t is None else bytes(t.detach().contiguous().clone().untyped_storage()) for t in values])
    assert left[0] == left[1] == left[2]
