"""Training steps that are made without Python: what they leave is what they leave as they are written, whatever changes
between two of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn, optim

F = nn.functional
Make = Callable[[], Any]


def bits(t: Any) -> Any:
    """What tells a tensor from others. (A copy's memory: who shows memory shares it.)"""
    if not isinstance(t, rl.Tensor):
        return repr(t)
    own = t.detach()
    memory = bytes(own.clone().contiguous().untyped_storage())
    return type(t), own.dtype, tuple(own.shape), own.stride(), t.requires_grad, memory


def left(world: Any) -> list[Any]:
    """What a step leaves: parameters, buffers, gradients, and how often each was written to; options and states."""
    found: list[Any] = []
    tensors = [*world.net.parameters(), *world.net.buffers(), *vars(world).get("others", ())]
    for t in tensors:
        g = t.grad if t.is_leaf else None
        found.append((bits(t), t._version, bits(g), None if g is None else g._version))
    for optimizer in world.optimizers:
        own = optimizer.state_dict()
        for group in own["param_groups"]:
            found.append([(k, bits(v)) for k, v in group.items()])
        for k, state in own["state"].items():
            found.append([k, [(name, bits(v)) for name, v in state.items()]])
        found.append("_opt_called" in vars(optimizer))
    return found


class World:
    """A net, its optimizers, and what a test adds."""

    others: list[Any]
    seen: list[int]
    handle: Any
    node: Any
    scheduler: Any

    def __init__(self, net: Any, optimizers: list[Any]) -> None:
        self.net, self.optimizers = net, optimizers


def network() -> Any:
    return nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Dropout(0.2), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 1))


def world(kind: Any = optim.AdamW, **more: Any) -> World:
    net = network()
    return World(net=net, optimizers=[kind(net.parameters(), **{"lr": 0.01, **more})])


def first(w: World) -> Any:
    return next(w.net.parameters())


def usual(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad()
        loss = (w.net(x) - y).square().mean()
        loss.backward()
        w.optimizers[0].step()
        return loss

    return step


def zeroed_last(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        loss = (w.net(x) - y).square().mean()
        loss.backward()
        w.optimizers[0].step()
        w.net.zero_grad()
        return loss.detach()

    return step


def accumulating(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        loss = (w.net(x) - y).square().mean()
        loss.backward()
        return loss

    return step


def clipped(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad()
        loss = F.mse_loss(w.net(x), y)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(w.net.parameters(), 0.1)
        nn.utils.clip_grad_value_(parameters=list(w.net.parameters()), clip_value=0.05)
        w.optimizers[0].step()
        return loss, norm

    return step


def by_hand(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        loss = (w.net(x) - y).square().mean()
        loss.backward()
        with rl.no_grad():
            for p in w.net.parameters():
                if p.grad is not None:
                    p -= 0.01 * p.grad
                    p.grad = None
        return loss

    return step


def asked_for(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        ps = list(w.net.parameters())
        grads = rl.autograd.grad((w.net(x) - y).square().mean(), ps, allow_unused=True)
        for p, g in zip(ps, grads, strict=True):
            p.grad = g
        w.optimizers[0].step()
        return [g * 2 for g in grads if g is not None]

    return step


def two_losses(w: World) -> Callable[..., Any]:
    def step(x: Any, y: Any) -> Any:
        w.optimizers[0].zero_grad(set_to_none=True)
        a = (w.net(x) - y).square().mean()
        a.backward()
        b = (w.net(x * 2) - y).abs().mean()
        rl.autograd.backward([b])
        w.optimizers[0].step()
        return a + b.detach(), b

    return step


STEPS = [usual, zeroed_last, accumulating, clipped, by_hand, asked_for, two_losses]


def compare(
    make: Make, step_of: Callable[[Any], Any], changes: list[Callable[[Any], Any]], replayed: int, calls: int = 3
) -> Any:
    """Steps as they are written and compiled, with a change before every few of them, leave the same. replayed: at
    least so many are replays.
    """
    worlds, steps = [], []
    for way in (lambda f: f, rl.compile):
        rl.manual_seed(0)
        worlds.append(make())
        steps.append(way(step_of(worlds[-1])))  # type: ignore[no-untyped-call]
    for at, change in enumerate([lambda w: None, *changes]):
        for w in worlds:
            rl.manual_seed(at)
            change(w)
        for n in range(calls):
            found = []
            for w, step in zip(worlds, steps, strict=True):
                rl.manual_seed(100 * at + n)
                x, y = rl.randn(8, 4), rl.randn(8, 1)
                try:
                    result = step(x, y)
                except (RuntimeError, ValueError, TypeError) as error:
                    found.append((type(error), str(error)))
                    result = None
                results = result if isinstance(result, (tuple, list)) else [result]
                names = [getattr(r.grad_fn, "name", str)() for r in results if isinstance(r, rl.Tensor)]
                found.append(([bits(r) for r in results], names, left(w), bits(rl.rand(2))))
                del result, results
            half = len(found) // 2
            assert found[:half] == found[half:], f"change {at}, call {n}"
    context = steps[1]._context_
    runs = sum(r.runs for r in context.replays)
    assert runs >= replayed, f"{runs} replays: {context.why_not}"
    return steps[1]


@pytest.mark.parametrize("step", STEPS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "kind, more",
    [
        (optim.SGD, {}),
        (optim.SGD, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
        (optim.Adam, {"amsgrad": True}),
        (optim.AdamW, {}),
        (optim.AdamW, {"lr": rl.tensor(0.02)}),
    ],
    ids=["sgd", "heavy", "adam", "adamw", "lr_tensor"],
)
def test_steps_leave_the_same(step: Any, kind: Any, more: dict[str, Any]) -> None:
    compare(lambda: world(kind, **more), step, [], replayed=3 if step is accumulating else 4, calls=5)


@pytest.mark.parametrize("kind", [optim.RMSprop, optim.Adagrad, optim.NAdam, optim.RAdam, optim.Rprop, optim.Adadelta])
def test_other_optimizers(kind: Any) -> None:
    compare(lambda: world(kind), usual, [], replayed=4, calls=5)


def load(w: World) -> None:
    w.optimizers[0].load_state_dict(w.optimizers[0].state_dict())


def of_the_rates() -> list[Callable[[Any], Any]]:
    def schedule(w: World) -> None:
        w.scheduler = optim.lr_scheduler.StepLR(w.optimizers[0], 1, 0.5)

    return [
        lambda w: w.optimizers[0].param_groups[0].update(lr=0.5),
        schedule,
        lambda w: w.scheduler.step(),
        lambda w: w.scheduler.step(),
        lambda w: w.optimizers[0].param_groups[0].update(weight_decay=0.3),
        lambda w: w.optimizers[0].param_groups[0].update(maximize=True),
        lambda w: w.optimizers[0].param_groups[0].update(lr=rl.tensor(0.25)),
    ]


def of_the_groups() -> list[Callable[[Any], Any]]:
    def add(w: World) -> None:
        w.others = [rl.nn.Parameter(rl.ones(3))]
        w.others[0].grad = rl.full((3,), 2.0)
        w.optimizers[0].add_param_group({"params": w.others, "lr": 1.0})

    return [
        lambda w: w.optimizers[0].state.pop(w.optimizers[0].param_groups[0]["params"].pop(), None),
        add,
        load,
        lambda w: w.optimizers[0].state.clear(),
        lambda w: [w.optimizers[0].state.pop(p, None) for p in w.optimizers[0].param_groups.pop()["params"]],
    ]


def of_the_optimizer() -> list[Callable[[Any], Any]]:
    def replace(w: World) -> None:
        w.optimizers[0] = optim.SGD(w.net.parameters(), lr=0.1, momentum=0.5)

    def own(w: World) -> None:
        w.optimizers[0].step = lambda: None

    return [replace, own, lambda w: vars(w.optimizers[0]).pop("step")]


def of_the_parameters() -> list[Callable[[Any], Any]]:
    def swap(w: World) -> None:
        w.net[0].weight = nn.Parameter(rl.ones(6, 4))

    return [
        lambda w: first(w).requires_grad_(False),
        lambda w: first(w).requires_grad_(True),
        lambda w: first(w).data.mul_(2),
        lambda w: setattr(first(w), "data", rl.ones(6, 4)),
        swap,
        lambda w: w.net.eval(),
        lambda w: w.net.train(),
    ]


def of_the_gradients() -> list[Callable[[Any], Any]]:
    def hold(w: World) -> None:
        w.others = [p.grad for p in w.net.parameters() if p.grad is not None]

    def share(w: World) -> None:
        w.others = [rl.ones(6, 4)]
        first(w).grad = w.others[0].view(6, 4)

    return [
        lambda w: setattr(first(w), "grad", rl.full((6, 4), 3.0)),
        lambda w: setattr(first(w), "grad", rl.full((4, 6), 3.0).t()),
        lambda w: [setattr(p, "grad", None) for p in w.net.parameters()],
        hold,
        lambda w: [p.grad.mul_(2) for p in w.net.parameters() if p.grad is not None],
        share,
        lambda w: w.net.zero_grad(),
    ]


def of_the_hooks() -> list[Callable[[Any], Any]]:
    def add(register: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
        def change(w: World) -> None:
            w.handle = register(w, lambda *args: w.seen.append(len(args)))

        return change

    def begin(w: World) -> None:
        w.seen = []

    def remove(w: World) -> None:
        w.handle.remove()
        w.others = [rl.tensor(float(sum(w.seen)))]

    def node(w: World, hook: Any) -> Any:
        w.node = rl.autograd.graph.get_gradient_edge(first(w)).node
        return w.node.register_prehook(hook)

    def doubled(w: World) -> None:
        w.handle = first(w).register_hook(lambda g: g * 2)

    ways: list[Callable[[Any, Any], Any]] = [
        lambda w, hook: first(w).register_hook(hook),
        lambda w, hook: first(w).register_post_accumulate_grad_hook(hook),
        lambda w, hook: w.optimizers[0].register_step_pre_hook(hook),
        lambda w, hook: w.optimizers[0].register_step_post_hook(hook),
        lambda w, hook: optim.optimizer.register_optimizer_step_post_hook(hook),
        lambda w, hook: w.net.register_full_backward_hook(hook),
        node,
    ]
    found: list[Callable[[Any], Any]] = [begin]
    for way in ways:
        found += [add(way), remove]
    return [*found, doubled, remove]


CHANGES = [of_the_rates, of_the_groups, of_the_optimizer, of_the_parameters, of_the_gradients, of_the_hooks]


@pytest.mark.parametrize("step", STEPS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("changes", CHANGES, ids=lambda f: f.__name__)
def test_every_change_is_seen(step: Any, changes: Any) -> None:
    compare(world, step, changes(), replayed=1)


def test_a_new_rate_needs_no_look() -> None:
    """What an optimizer reads is its own: a rate, a state and options may be others without Python."""
    compare(world, usual, of_the_rates(), replayed=8 * 3 - 1)


def test_a_net_and_an_optimizer_that_are_arguments() -> None:
    def train(net: Any, optimizer: Any, x: Any) -> Any:
        loss = net(x).square().sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    compiled = rl.compile(train)
    runs = 0
    for n in range(5):
        found: list[Any] = []
        for f in (train, compiled):
            rl.manual_seed(n)
            net = nn.Linear(4, 3)
            optimizer = optim.SGD(net.parameters(), lr=0.1)
            x = rl.randn(2, 4)
            found.append([bits(f(net, optimizer, x)) for _ in range(3)] + [bits(p) for p in net.parameters()])
        assert found[0] == found[1]
        runs += sum(r.runs for r in compiled._context_.replays if r.fits((net, optimizer, x)))
    assert runs == 2 * 5, compiled._context_.why_not


def test_a_leaf_that_is_an_argument() -> None:
    w = rl.randn(4, requires_grad=True)

    def f(x: Any) -> Any:
        y = (x * w).tanh().sum()
        y.backward()
        return x.grad

    compiled = rl.compile(f)
    cases: list[Callable[[], Any]] = [
        lambda: rl.ones(4, requires_grad=True),
        lambda: rl.full((4,), 2.0, requires_grad=True),
        lambda: rl.ones(4),
        lambda: rl.ones(4, requires_grad=True).exp(),
        lambda: w,
        lambda: rl.ones(4, requires_grad=True),
    ]
    for make in cases:
        for before in (None, rl.ones(4)):
            found = []
            for g in (f, compiled):
                w.grad = None
                x = make()
                if x.is_leaf and x.requires_grad and before is not None:
                    x.grad = before.clone()
                got = g(x)
                same = x.is_leaf and got is x.grad
                found.append((bits(got), same, bits(w.grad), w.grad._version))
            assert found[0] == found[1]
    assert sum(r.runs for r in compiled._context_.replays) >= 2, compiled._context_.why_not


def test_an_error_leaves_what_it_leaves_as_it_is_written() -> None:
    table = nn.Embedding(5, 3)
    optimizer = optim.SGD(table.parameters(), lr=0.1)

    def step(i: Any) -> Any:
        optimizer.zero_grad()
        loss = table(i).square().sum()
        loss.backward()
        optimizer.step()
        return loss

    compiled = rl.compile(step)
    for _ in range(3):
        compiled(rl.tensor([1, 2]))
    assert sum(r.runs for r in compiled._context_.replays) == 2, compiled._context_.why_not
    before = bits(table.weight), table.weight._version
    with pytest.raises(IndexError):
        compiled(rl.tensor([1, 7]))
    assert (bits(table.weight), table.weight._version) == before and table.weight.grad is None


def test_a_step_that_is_not_known_to_its_end_has_not_happened() -> None:
    """The inspection of a step that prints puts back parameters, states, gradients and counts of writes."""
    seen: list[int] = []

    def late(w: World) -> Callable[..., Any]:
        inner = usual(w)

        def step(x: Any, y: Any) -> Any:
            loss = inner(x, y)
            seen.append(1)
            return loss

        return step

    for kind, more in ((optim.AdamW, {}), (optim.SGD, {"momentum": 0.9})):
        make = functools.partial(world, kind, **more)  # type: ignore[arg-type]
        compare(make, late, of_the_gradients(), replayed=0)
    assert len(seen) == 2 * 2 * 8 * 3


def test_two_optimizers_of_one_step() -> None:
    """Each of two networks sees what the other's step has left."""

    def make() -> World:
        a, b = nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
        net = nn.ModuleList([a, b])
        return World(net=net, optimizers=[optim.Adam(a.parameters()), optim.SGD(b.parameters(), lr=0.1)])

    def of(w: World) -> Callable[..., Any]:
        def step(x: Any, y: Any) -> Any:
            for o in w.optimizers:
                o.zero_grad()
            fake = w.net[0](x).detach()
            judged = F.softplus(w.net[1](fake)).mean() + F.softplus(-w.net[1](x + y)).mean()
            judged.backward()
            w.optimizers[1].step()
            w.optimizers[1].zero_grad()
            fooled = F.softplus(-w.net[1](w.net[0](x))).mean()
            fooled.backward()
            w.optimizers[0].step()
            return judged, fooled

        return step

    compare(make, of, [load], replayed=4)


def test_a_step_in_a_module_that_is_compiled() -> None:
    """Gradients of a backward that is the caller's, between steps that are replayed, add up as usual."""

    def of(w: World) -> Callable[..., Any]:
        step = usual(w)

        def both(x: Any, y: Any) -> Any:
            return step(x, y)

        return both

    def outside(w: World) -> None:
        w.net(rl.randn(8, 4)).sum().backward()

    compare(world, of, [outside, outside], replayed=6)


def test_gradients_are_let_go_when_they_are_as_it_is_written() -> None:
    """No replay holds gradients, or what the call was given, after it."""
    import gc
    import weakref

    w = world(optim.SGD)
    step = rl.compile(usual(w))
    x, y = rl.randn(8, 4), rl.randn(8, 1)
    for _ in range(3):
        step(x, y)
    assert sum(r.runs for r in step._context_.replays) == 2, step._context_.why_not
    kept = [weakref.ref(p.grad) for p in w.net.parameters()]
    for p in w.net.parameters():
        p.grad = None
    gc.collect()
    assert all(r() is None for r in kept)
