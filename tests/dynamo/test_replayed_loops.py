"""What training loops have beside forward, backward and step, within a compiled step: zeros for gradients, schedules of
rates, autocast, and a scaler of losses. What such steps leave is what they leave as they are written.
"""

from __future__ import annotations

import math
import signal
from collections.abc import Callable
from typing import Any

import pytest
from test_replayed_steps import World, bits, compare, first, left, of_the_gradients, of_the_groups, usual, world

import rushlight as rl
from rushlight import nn, optim
from rushlight._dynamo import proving
from rushlight._dynamo.effects import Effects

F = nn.functional
L = optim.lr_scheduler
WARM = 4


def looped(make: Callable[[Any], Any] | None = None, kind: Any = optim.AdamW, **more: Any) -> World:
    """A network with an optimizer, a schedule, and a scaler."""
    w = world(kind, **more)
    if make is not None:
        w.scheduler = make(w.optimizers[0])
    w.handle = rl.amp.GradScaler("cpu", growth_interval=3)
    return w


def zeros(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad(set_to_none=False)
        loss = (w.net(x) - y).square().mean()
        loss.backward()
        w.optimizers[0].step()
        return loss

    return step


def zeros_last(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        loss = (w.net(x) - y).square().mean()
        loss.backward()
        w.optimizers[0].step()
        w.net.zero_grad(set_to_none=False)
        return loss

    return step


@pytest.mark.parametrize("step", [zeros, zeros_last])
@pytest.mark.parametrize("changes", [of_the_gradients, of_the_groups], ids=lambda f: f.__name__)
def test_zeros_for_gradients(step: Any, changes: Any) -> None:
    compare(looped, step, changes(), replayed=4, calls=4)


def scheduled(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        loss = (w.net(x) - y).square().mean()
        loss.backward()
        w.optimizers[0].step()
        w.scheduler.step()
        w.optimizers[0].zero_grad()
        return loss

    return step


def warmed(epoch: int, final: float = 0.1) -> float:
    """Up, then down along a cosine."""
    if epoch < WARM:
        return (epoch + 1) / WARM
    part = min(1.0, (epoch - WARM) / 10)
    return final + (1 - final) * 0.5 * (1 + math.cos(math.pi * part))


SCHEDULES: list[Callable[[Any], Any]] = [
    lambda o: L.StepLR(o, 2),
    lambda o: L.CosineAnnealingLR(o, 5),
    lambda o: L.CosineAnnealingWarmRestarts(o, 2),
    lambda o: L.OneCycleLR(o, 0.1, total_steps=40),
    lambda o: L.LambdaLR(o, lambda e: min(1.0, (e + 1) / WARM)),
    lambda o: L.LambdaLR(o, warmed),
    lambda o: L.MultiplicativeLR(o, lambda e: 0.9),
    lambda o: L.SequentialLR(o, [L.LinearLR(o), L.ExponentialLR(o, 0.5)], [3]),
    lambda o: L.ChainedScheduler([L.LinearLR(o), L.ExponentialLR(o, 0.5)]),
    lambda o: optim.swa_utils.SWALR(o, 0.05),
]


@pytest.mark.parametrize("make", SCHEDULES)
@pytest.mark.parametrize("rate", [float, rl.tensor], ids=["number", "tensor"])
def test_schedules(make: Any, rate: Any) -> None:
    compiled = compare(lambda: looped(make, lr=rate(0.02)), scheduled, [], replayed=5, calls=7)
    assert len(compiled._context_.replays) == 1


def test_a_schedule_that_is_told_the_loss() -> None:
    def of(w: World) -> Callable[..., Any]:
        inner = usual(w)

        def step(x: Any, y: Any) -> Any:
            loss = inner(x, y).detach()
            w.scheduler.step(loss)
            return loss

        return step

    compare(lambda: looped(lambda o: L.ReduceLROnPlateau(o, patience=0)), of, [], replayed=6, calls=8)


def test_schedules_that_change() -> None:
    """Another schedule, another formula of it, another global of the formula's."""

    def replace(w: World) -> None:
        w.scheduler = L.ExponentialLR(w.optimizers[0], 0.5)

    def formula(w: World) -> None:
        w.scheduler = L.LambdaLR(w.optimizers[0], warmed)

    def other_formula(w: World) -> None:
        w.scheduler.lr_lambdas[0] = lambda e: 0.3

    def get_lr(w: World) -> None:
        w.scheduler.get_lr = lambda: [0.25]

    def load(w: World) -> None:
        w.scheduler.load_state_dict(w.scheduler.state_dict() | {"last_epoch": 3})

    changes = [replace, formula, other_formula, load, get_lr]
    compare(lambda: looped(lambda o: L.StepLR(o, 1)), scheduled, changes, replayed=6)


def test_a_formula_that_does_more_is_called_as_often_as_it_is_written() -> None:
    seen: list[int] = []

    def noted(epoch: int) -> float:
        seen.append(epoch)
        return 0.5

    class Callable_:
        def __call__(self, epoch: int) -> float:
            seen.append(epoch)
            return 0.5

    def printed(epoch: int) -> float:
        return float(len(seen)) or 1.0

    for formula in (noted, Callable_(), printed):
        seen.clear()
        compare(lambda f=formula: looped(lambda o: L.LambdaLR(o, f)), scheduled, [], replayed=0, calls=8)
        assert len(seen) in (0, 2 * 9)


def test_a_step_that_is_not_known_to_its_end_has_taken_no_step_of_a_schedule() -> None:
    seen: list[int] = []

    def late(w: World) -> Callable[..., Any]:
        inner = scheduled(w)

        def step(x: Any, y: Any) -> Any:
            loss = inner(x, y)
            w.optimizers[0].zero_grad(set_to_none=False)
            seen.append(1)
            return loss

        return step

    for rate in (float, rl.tensor):
        make = lambda r=rate: looped(SCHEDULES[7], lr=r(0.02))
        compare(make, late, of_the_gradients(), replayed=0)
    assert len(seen) == 2 * 2 * 8 * 3


def scaled(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad()
        loss = (w.net(x) - y).square().mean()
        w.handle.scale(loss).backward()
        w.handle.unscale_(w.optimizers[0])
        norm = nn.utils.clip_grad_norm_(w.net.parameters(), 0.1)
        w.handle.step(w.optimizers[0])
        w.handle.update()
        return loss, norm

    return step


def scaled_alone(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        w.handle.scale((w.net(x) - y).square().mean()).backward()
        w.handle.step(w.optimizers[0])
        w.handle.update()
        w.optimizers[0].zero_grad(set_to_none=False)

    return step


@pytest.mark.parametrize("step", [scaled, scaled_alone])
@pytest.mark.parametrize("kind", [optim.AdamW, optim.SGD])
def test_a_scaler_of_losses(step: Any, kind: Any) -> None:
    """Steps that it skips, factors that grow, and one that is set, loaded, or another's."""

    def told(w: World) -> Any:
        w.others = [rl.tensor(w.handle.get_scale()), rl.tensor(w.handle._get_growth_tracker())]

    def other(w: World) -> None:
        w.handle = rl.amp.GradScaler("cpu", init_scale=8.0, enabled=bool(len(w.optimizers)))

    def disabled(w: World) -> None:
        w.handle = rl.amp.GradScaler("cpu", enabled=False)

    changes = [
        told,
        lambda w: first(w).data.fill_(math.inf),
        told,
        lambda w: first(w).data.fill_(0.1),
        lambda w: [nn.init.ones_(p) for p in w.net.parameters()],
        lambda w: w.handle.update(4.0),
        told,
        lambda w: w.handle.load_state_dict(w.handle.state_dict() | {"scale": 2.0}),
        other,
        disabled,
        told,
    ]
    compare(lambda: looped(kind=kind), step, changes, replayed=20)


def cast(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad()
        with rl.autocast("cpu", dtype=rl.bfloat16):
            loss = F.mse_loss(w.net(x), y)
        loss.backward()
        w.optimizers[0].step()
        return loss

    return step


def cast_with_backward(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad()
        with rl.amp.autocast(device_type="cpu"):
            h = w.net(x)
            loss = (w.net(x * 2) - h).square().mean() + F.huber_loss(h, y)
            loss.backward()
        w.optimizers[0].step()
        return loss.detach(), h.detach()

    return step


def cast_in_parts(w: World) -> Callable[..., Any]:
    """Casts that are kept across blocks of no_grad, a block without, attention (whose parts are not cast), a scaler."""

    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad()
        with rl.autocast("cpu"):
            a = F.scaled_dot_product_attention(w.net[0](x), w.net[0](x), x @ rl.ones(4, 6))
            with rl.autocast("cpu", enabled=False):
                b = w.net(x)
            with rl.no_grad():
                c = w.net[0](x)
            loss = (a * c).mean() + b.mean()
        w.handle.scale(loss).backward()
        w.handle.step(w.optimizers[0])
        w.handle.update()
        return loss.detach()

    return step


def cast_and_asked(w: World) -> Callable[..., Any]:
    """A loss that looks at values ends the segment, within the block."""

    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad()
        with rl.autocast("cpu"):
            h = w.net(x)
            scale = 2.0 if h.sum().item() > 0 else 1.0
            loss = (w.net(x) * scale - y).square().mean()
        loss.backward()
        w.optimizers[0].step()
        return loss.detach()

    return step


CASTS = [cast, cast_with_backward, cast_in_parts, cast_and_asked]


@pytest.mark.parametrize("step", CASTS, ids=lambda f: f.__name__)
def test_autocast_within_a_step(step: Any) -> None:
    changes: list[Callable[[Any], Any]] = [
        lambda w: rl.set_autocast_dtype("cpu", rl.float16),
        lambda w: rl.set_autocast_dtype("cpu", rl.bfloat16),
        lambda w: rl.set_autocast_cache_enabled(False),
        lambda w: rl.set_autocast_cache_enabled(True),
    ]
    before = rl.get_autocast_dtype("cpu"), rl.is_autocast_cache_enabled()
    try:
        compare(looped, step, changes, replayed=0 if step is cast_and_asked else 6)
    finally:
        rl.set_autocast_dtype("cpu", before[0])
        rl.set_autocast_cache_enabled(before[1])


@pytest.mark.parametrize("step", CASTS, ids=lambda f: f.__name__)
def test_autocast_is_recorded(step: Any) -> None:
    """Recorded always, within the step and around it, with the bits of eager mode."""
    for around in (False, True):
        found = []
        for always in (False, True):
            rl.manual_seed(0)
            w = looped()
            f = step(w)
            if always:
                f = rl.compile(f, options={"always": True})
            own: list[Any] = []
            for n in range(4):
                rl.manual_seed(n)
                with rl.autocast("cpu", enabled=around):
                    result = f(rl.randn(8, 4), rl.randn(8, 1))
                own.append([bits(r) for r in (result if isinstance(result, tuple) else [result])] + left(w))
            found.append(own)
        assert found[0] == found[1]


def test_a_step_under_autocast_is_one_segment() -> None:
    w = looped()
    found = rl._dynamo.explain(cast(w))(rl.randn(8, 4), rl.randn(8, 1))
    assert found.graph_count == 1 and not found.graph_break_count, str(found)


def averaged(w: World) -> Callable[..., Any]:
    """An average of the parameters, and of the loss, kept beside; and a gradient that is scaled by hand."""

    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad(set_to_none=False)
        loss = usual(w)(x, y)
        with rl.no_grad():
            for p, mean in zip(w.net.parameters(), w.others[1:], strict=True):
                mean.mul_(0.9).add_(p, alpha=0.1)
                p.grad.mul_(0.5)
        w.others[0].mul_(0.5).add_(loss.detach())
        return loss.detach(), w.others[1] * 2

    return step


def test_tensors_that_are_written_to_beside() -> None:
    """Whoever else has their memory, or a graph that leads to them, is seen."""

    def make() -> World:
        w = looped()
        w.others = [rl.zeros(3), *[p.detach().clone() for p in w.net.parameters()]]
        return w

    def share(w: World) -> None:
        w.scheduler = w.others[1].view(-1)

    def one(w: World) -> None:
        w.others[1] = w.others[1].clone()
        w.others[3].data = w.others[1][:, 0]

    changes: list[Callable[[Any], Any]] = [
        lambda w: w.others[1].fill_(2.0),
        share,
        lambda w: setattr(w, "scheduler", None),
        one,
        lambda w: w.others.__setitem__(1, rl.ones(6, 4).requires_grad_()),
        lambda w: w.others.__setitem__(1, rl.ones(6, 4, requires_grad=True) * 2),
        lambda w: w.others.__setitem__(1, rl.ones(6, 8)[:, ::2]),
        lambda w: w.others.__setitem__(1, rl.ones(6, 4)),
    ]
    compare(make, averaged, changes, replayed=6)


def test_a_write_that_would_have_a_graph() -> None:
    state = rl.zeros(4)
    w = rl.ones(4, requires_grad=True)

    def f(x: Any) -> Any:
        state.add_(x * w)
        return state.sum()

    compiled: Any = rl.compile(f)
    for n in range(3):
        assert compiled(rl.ones(4)).item() == 4.0 * (n + 1) and state.requires_grad
    assert not any(r.runs for r in compiled._context_.replays)


def counted(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        inner = usual(w)(x, y)
        return inner.item()

    return step


def counted_midway(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad()
        h = w.net(x)
        loss = (h - y).square().mean()
        seen = [loss.item(), float(h.detach().sum())]
        loss.backward()
        w.optimizers[0].step()
        w.scheduler.step(seen[0])
        found = {"seen": seen, "most": int(h.argmax()), "loss": loss.detach()}
        return found if seen is not None else None

    return step


@pytest.mark.parametrize("step", [counted, counted_midway])
def test_numbers_that_are_given_back(step: Any) -> None:
    """`loss.item()`, where Python does nothing with it."""
    make = lambda: looped(lambda o: L.ReduceLROnPlateau(o, patience=0))
    compare(make, step, [lambda w: w.net.eval(), lambda w: w.net.train()], replayed=4)
    found = rl.compile(step(w := make()))
    results = [found(rl.full((8, 4), float(n)), rl.zeros(8, 1)) for n in range(4)]
    numbers = results if step is counted else [r["seen"][0] for r in results]
    assert all(type(n) is float for n in numbers) and len(set(numbers)) == 4
    assert found._context_.replays[0].runs == 3, found._context_.why_not
    del w


USES: list[Callable[[Any, Any], Any]] = [
    lambda x, n: x * n,
    lambda x, n: x if n > 1 else -x,
    lambda x, n: x + (n + 1),
    lambda x, n: x.view(int(n), -1),
    lambda x, n: x.mul(n),
    lambda x, n: rl.full((2,), n) + x.sum(),
    lambda x, n: x * isinstance(n, float),
    lambda x, n: x * (type(n) is float),
    lambda x, n: [x + 1, f"{n}"],
    lambda x, n: x * len([n]) + max([n, 2.0]),
    lambda x, n: x[: int(n)],
    lambda x, n: x * n.is_integer(),
    lambda x, n: (x + 1, {n: 1}),
    lambda x, n: x.sum() + rl.tensor([n, 1.0]).sum(),
    lambda x, n: F.dropout(x, n / 10),
    lambda x, n: x.clamp(max=n),
    lambda x, n: rl.stack([x, n * x]),
    lambda x, n: x * sum([n, n]),
    lambda x, n: x + 1 if n in (1.0, 2.0) else x,
    lambda x, n: x * bool(n),
]


@pytest.mark.parametrize("use", USES)
def test_numbers_that_python_uses(use: Any) -> None:
    """Whatever else is done with the number of a tensor needs Python."""

    def f(x: Any) -> Any:
        return use(x, (x[0, 0] * 1).item())

    compiled: Any = rl.compile(f)
    for n in (1, 2, 3, 2, 1):
        found = []
        for g in (f, compiled):
            rl.manual_seed(0)
            x = rl.full((6, 2), float(n))
            result = g(x)
            found.append([bits(r) for r in (result if isinstance(result, (list, tuple)) else [result])])
        assert found[0] == found[1]
    assert not any(r.runs for r in compiled._context_.replays)


def test_indices_after_a_change() -> None:
    """Whether indices are inside is asked before anything is changed; where one is outside, the step is made as it is
    written, with what it does before its error.
    """

    def of(w: World) -> Callable[..., Any]:
        def step(i: Any, y: Any) -> Any:
            w.optimizers[0].zero_grad(set_to_none=False)
            loss = F.cross_entropy(w.net(i), y)
            loss.backward()
            w.optimizers[0].step()
            again = F.cross_entropy(w.net(i).detach(), y)
            y[0] = 0
            return loss, again

        return step

    worlds, steps = [], []
    for way in (lambda f: f, rl.compile):
        rl.manual_seed(0)
        net = nn.Sequential(nn.Embedding(6, 4), nn.Linear(4, 3))
        worlds.append(World(net=net, optimizers=[optim.AdamW(net.parameters())]))
        steps.append(way(of(worlds[-1])))  # type: ignore[no-untyped-call]
    for n, (i, y) in enumerate([(1, 2)] * 4 + [(6, 2), (1, 2), (1, 3), (1, 1)]):
        found = []
        for w, step in zip(worlds, steps, strict=True):
            given = rl.tensor([0, i]), rl.tensor([1, y])
            try:
                result = [bits(r) for r in step(*given)]
            except IndexError as error:
                result = [type(error)]
            found.append((result, left(w), bits(given[1])))
        assert found[0] == found[1], f"call {n}"
        assert (result == [IndexError]) is (i == 6 or y == 3)
    assert sum(r.runs for r in steps[1]._context_.replays) == 0  # (y is written to)


def test_indices_are_asked_for_first() -> None:
    net = nn.Sequential(nn.Embedding(6, 4), nn.Linear(4, 3))
    w = World(net=net, optimizers=[optim.AdamW(net.parameters())])

    def step(i: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad(set_to_none=False)
        loss = F.cross_entropy(w.net(i), y)
        loss.backward()
        w.optimizers[0].step()
        return loss

    compiled: Any = rl.compile(step)
    for _ in range(4):
        compiled(rl.tensor([1, 2]), rl.tensor([0, 1]))
    assert sum(r.runs for r in compiled._context_.replays) == 2, compiled._context_.why_not
    gradient = first(w).grad
    assert gradient is not None and bool(gradient.any())
    with pytest.raises(IndexError):
        compiled(rl.tensor([1, 6]), rl.tensor([0, 1]))
    assert not bool(gradient.any())  # zero_grad() was called before


def test_copies_in_the_order_of_channels_last() -> None:
    """They end a segment, and leave what they leave; other copies do not."""

    def make() -> World:
        net = nn.Sequential(nn.Conv2d(1, 3, 2), nn.ReLU(), nn.Conv2d(3, 2, 2))
        return World(net=net, optimizers=[optim.SGD(net.parameters(), lr=0.1)])

    def of(w: World) -> Callable[..., Any]:
        def step(x: Any, y: Any) -> Any:
            w.optimizers[0].zero_grad()
            h = w.net[0](x.view(1, 1, 8, 4).clone(memory_format=rl.contiguous_format))
            h = w.net[2](w.net[1](h).clone(memory_format=rl.channels_last) * y.mean())
            loss = (h.to(memory_format=rl.channels_last) * 2).contiguous().square().mean()
            loss.backward()
            w.optimizers[0].step()
            return loss.detach(), h.detach()

        return step

    compare(make, of, of_the_gradients()[2:5], replayed=0)
    found = rl._dynamo.explain(of(make()))(rl.randn(8, 4), rl.randn(8, 1))
    assert 0 < found.graph_break_count < 4, str(found)


def test_no_copies_are_kept_where_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an inspection would put back is bounded by the memory that is left: then a step runs as it is written."""

    def make() -> World:
        net = nn.Sequential(nn.Linear(4, 64), nn.Linear(64, 1))
        return World(net=net, optimizers=[optim.AdamW(net.parameters())])

    size = 4 * sum(p.numel() for p in make().net.parameters())
    monkeypatch.setattr(proving, "_LITTLE", 0)
    for there, replays in ((1 << 30, 4), (20 * size, 4), (size, 0)):
        monkeypatch.setattr(proving, "available", lambda there=there: there)
        compiled = compare(make, usual, [], replayed=replays, calls=6)
        if not replays:
            assert not compiled._context_.replays
            assert "to put back what it writes takes" in compiled._context_.why_not


@pytest.mark.parametrize("kind", [TimeoutError, KeyboardInterrupt])
@pytest.mark.parametrize("where", ["stepped", "undo"])
def test_what_a_handler_of_signals_raises_comes_out(kind: Any, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no error of the call's: it comes out of an inspection, and of putting back what that has done; nothing has
    happened then, and later steps are right.
    """

    def handler(number: int, frame: Any) -> None:
        raise kind("the handler's")

    def printing(w: World) -> Callable[..., Any]:
        inner = usual(w)

        def step(x: Any, y: Any) -> Any:
            loss = inner(x, y)
            w.seen.append(1)
            return loss

        return step

    whole = getattr(Effects, where)
    armed = [True]

    def interrupted(self: Any, *args: Any) -> Any:
        found = whole(self, *args)
        if armed[0]:
            armed[0] = False
            signal.raise_signal(signal.SIGUSR1)
        return found

    before = signal.signal(signal.SIGUSR1, handler)
    monkeypatch.setattr(Effects, where, interrupted)
    try:
        worlds, steps = [], []
        for way in (lambda f: f, rl.compile):
            rl.manual_seed(0)
            worlds.append(looped())
            worlds[-1].seen = []
            step = (printing if where == "undo" else usual)(worlds[-1])
            steps.append(way(step))  # type: ignore[no-untyped-call]
        x, y = rl.randn(8, 4), rl.randn(8, 1)
        old = left(worlds[1])
        with pytest.raises(kind, match="the handler's"):
            steps[1](x, y)
        assert left(worlds[1]) == old
        for n in range(4):
            for step in steps:
                rl.manual_seed(n)
                step(x, y)
            assert left(worlds[0]) == left(worlds[1]), f"call {n}"
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert not rl.core.tensor.modes_in_force() and rl.is_grad_enabled()
