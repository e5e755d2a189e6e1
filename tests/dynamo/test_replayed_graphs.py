"""Graphs that a compiled step keeps, runs twice, or differentiates: kept backwards, penalties of gradients, and
networks that are run twice. What such steps leave is what they leave as they are written, also without Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from test_replayed_steps import World, bits, compare, left, of_the_gradients, of_the_hooks, world

import rushlight as rl
from rushlight import nn, optim

F = nn.functional


def kept(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad()
        h = w.net(x)
        a, b = (h - y).square().mean(), h.abs().mean()
        a.backward(retain_graph=True)
        b.backward()
        w.optimizers[0].step()
        return a.detach(), b.detach()

    return step


def twice(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad()
        a = (w.net(x) - y).square().mean()
        a.backward(retain_graph=True)
        a.backward(rl.full((), 0.5))
        w.optimizers[0].step()
        return a.detach()

    return step


def asked_again(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        ps = list(w.net.parameters())
        loss = (w.net(x) - y).square().mean()
        some = rl.autograd.grad(loss, ps[:2], retain_graph=True)
        norm = sum(g.square().sum() for g in some)
        w.net.zero_grad()
        (loss * 2).backward()
        w.optimizers[0].step()
        return norm, some[1]

    return step


def penalty(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad()
        e = rl.rand(x.shape[0], 1)
        between = (e * x + (1 - e) * x.flip(0)).requires_grad_(True)
        h = w.net(between)
        (g,) = rl.autograd.grad(h, between, rl.ones_like(h), retain_graph=True, create_graph=True)
        loss = (w.net(x) - y).square().mean() + 10 * (g.norm(2, dim=1) - 1).square().mean()
        loss.backward()
        w.optimizers[0].step()
        return loss.detach(), g.detach()

    return step


def penalty_of_parameters(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad()
        loss = (w.net(x) - y).square().mean()
        grads = rl.autograd.grad(loss, list(w.net.parameters()), create_graph=True)
        total = loss + 0.1 * sum(g.square().sum() for g in grads)
        total.backward()
        w.optimizers[0].step()
        return total.detach()

    return step


def run_twice(w: World) -> Callable[..., Any]:
    """A network with batch normalization, on real and on made data."""

    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad()
        real, made = w.net(x), w.net(x * 0.5 + 1)
        loss = F.softplus(-real).mean() + F.softplus(made).mean()
        loss.backward()
        w.optimizers[0].step()
        return loss.detach(), made.detach()

    return step


def in_blocks(w: World) -> Callable[..., Any]:
    """A graph beside one that is let go, across blocks of no_grad."""

    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad()
        h = w.net(x)
        with rl.no_grad():
            target = w.net(x + y)
        loss = (h - target).square().mean()
        loss.backward()
        w.optimizers[0].step()
        return loss.detach()

    return step


def accumulating_kept(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        h = w.net(x)
        (h - y).square().mean().backward(retain_graph=True)
        (h * y).sum().backward(inputs=list(w.net.parameters())[:3])
        return h.detach()

    return step


STEPS = [kept, twice, asked_again, penalty, penalty_of_parameters, run_twice, in_blocks, accumulating_kept]


@pytest.mark.parametrize("step", STEPS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind, more", [(optim.AdamW, {}), (optim.SGD, {"momentum": 0.9})], ids=["adamw", "heavy"])
def test_graphs_that_are_kept(step: Any, kind: Any, more: dict[str, Any]) -> None:
    compare(lambda: world(kind, **more), step, [], replayed=3, calls=5)


@pytest.mark.parametrize("step", STEPS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("changes", [of_the_gradients, of_the_hooks], ids=lambda f: f.__name__)
def test_every_change_is_seen(step: Any, changes: Any) -> None:
    compare(world, step, changes(), replayed=1)


@pytest.mark.parametrize("step", STEPS, ids=lambda f: f.__name__)
def test_recorded_always(step: Any) -> None:
    """Where nothing is replayed, a backward that cannot be noted ends the segment, and leaves what it leaves."""
    found = []
    for way in (lambda f: f, lambda f: rl.compile(f, options={"always": True})):
        rl.manual_seed(0)
        w = world()
        f = way(step(w))  # type: ignore[no-untyped-call]
        own = []
        for n in range(4):
            rl.manual_seed(n)
            result = f(rl.randn(8, 4), rl.randn(8, 1))
            own.append([bits(r) for r in (result if isinstance(result, tuple) else [result])] + left(w))
        found.append(own)
    assert found[0] == found[1]


def test_a_graph_that_was_there_before() -> None:
    """A backward that comes to a graph of the caller's is no replay: that graph is let go, or is kept."""
    w = rl.randn(4, requires_grad=True)

    def f(x: Any) -> Any:
        y = (x * w).sum()
        y.backward(retain_graph=True)
        y.backward()
        return y.detach()

    compiled: Any = rl.compile(f)
    for n in range(3):
        found: list[Any] = []
        for g in (f, compiled):
            w.grad = None
            leaf = rl.ones(4, requires_grad=True)
            x = leaf.exp() if n < 2 else leaf
            found.append([bits(g(x)), bits(leaf.grad), bits(w.grad)])
            if n < 2:
                with pytest.raises(RuntimeError):
                    x.sum().backward()
        assert found[0] == found[1]
        assert n == 2 or "before the call" in compiled._context_.why_not
    assert [r.runs for r in compiled._context_.replays] == [0]  # the last call's, of a leaf


def test_a_graph_that_was_let_go() -> None:
    """The second backward is eager mode's error, at every call, and what was before it has been done."""
    w = rl.randn(4, requires_grad=True)

    def f(x: Any) -> Any:
        y = (x * w).sin().sum()
        y.backward()
        y.backward()

    compiled: Any = rl.compile(f)
    for _ in range(4):
        found: list[Any] = []
        for g in (f, compiled):
            w.grad = None
            with pytest.raises(RuntimeError, match=r"second time|freed|let go"):
                g(rl.ones(4))
            found.append(bits(w.grad))
        assert found[0] == found[1]


@pytest.mark.parametrize("options", [{}, {"always": True}])
@pytest.mark.parametrize("inside", [False, True])
def test_a_graph_that_was_let_go_has_no_gradient_to_ask_for(options: dict[str, Any], inside: bool) -> None:
    """Not none, where `allow_unused` would have that: the node of a result still leads to what it was made of."""
    w, v = rl.randn(4, requires_grad=True), rl.randn(4, requires_grad=True)

    def f(x: Any) -> Any:
        h = (x * w).sin()
        y = h.sum()
        y.backward()
        return rl.autograd.grad(h.sum(), [v, w], allow_unused=True) if inside else (y, h)

    compiled: Any = rl.compile(f, options=options)
    for n in range(5):
        found: list[Any] = []
        for g in (f, compiled):
            w.grad = None
            x = rl.ones(4)
            if inside:
                with pytest.raises(RuntimeError, match="second time"):
                    g(x)
            else:
                for result in g(x):
                    with pytest.raises(RuntimeError, match="second time"):
                        rl.autograd.grad(result.sum(), [v, w], allow_unused=True)
                    assert rl.autograd.grad(result.sum(), [v], allow_unused=True) == (None,)
            found.append(bits(w.grad))
        assert found[0] == found[1], f"call {n}"


def test_a_cotangent_is_nobody_elses() -> None:
    """Who writes to a gradient does not write to the ones that a backward begins with."""

    def f(x: Any) -> Any:
        (g,) = rl.autograd.grad((x + 1).sum(), x, create_graph=True)
        (h,) = rl.autograd.grad((x * 1).view(()), x) if x.dim() == 0 else (g,)
        return h

    compiled: Any = rl.compile(f)
    for n in range(5):
        for shape in ((), (3,)):
            g = compiled(rl.full(shape, float(n), requires_grad=True))
            assert g.tolist() == rl.ones(shape).tolist()
            g.detach().mul_(5)
    assert sum(r.runs for r in compiled._context_.replays) >= 6, compiled._context_.why_not


def test_what_requires_grad_is_the_calls_own() -> None:
    """requires_grad_() of an argument, or of what the function reads, is seen by others: it is made as written."""
    own = rl.ones(3)

    def of_argument(x: Any) -> Any:
        return (x.requires_grad_() * 2).sum()

    def of_global(x: Any) -> Any:
        own.requires_grad_(x.shape[0] > 2)
        return (own * x).sum()

    for f in (of_argument, of_global):
        compiled: Any = rl.compile(f)
        for n in (3, 3, 1, 3):
            x = rl.ones(n)
            assert compiled(x).requires_grad is (f is of_argument or n > 2)
            assert x.requires_grad is (f is of_argument)
        assert not any(r.runs for r in compiled._context_.replays)
