"""`backward()` and `autograd.grad()` in compiled functions: what they leave is what they leave without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn, optim
from rushlight.jit import segments
from rushlight.jit.recording import PENDING

F = nn.functional


def compiled(fn: Any) -> Any:
    return rl.compile(fn, options={"always": True})


def runs(fn: Any) -> tuple[int, int]:
    return fn._context_.runner.runs, fn._context_.runner.one_by_one


def same(a: Any, b: Any) -> bool:
    if not isinstance(a, rl.Tensor) or not isinstance(b, rl.Tensor):
        return type(a) is type(b) and bool(a == b)
    return (
        a.dtype is b.dtype
        and a.shape == b.shape
        and a.stride() == b.stride()
        and a.requires_grad == b.requires_grad
        and a._version == b._version
        and bytes(a.detach().contiguous().untyped_storage()) == bytes(b.detach().contiguous().untyped_storage())
    )


def leaves(*sizes: tuple[int, ...]) -> list[Any]:
    return [rl.randn(*size, requires_grad=True) for size in sizes]


def _several_uses(x: Any, w: Any) -> Any:
    y = (x * w).tanh()
    loss = (y * y + y * w + x.sin() * y).sum()
    loss.backward()
    return loss, y


def _one_gradient_of_two(x: Any, w: Any) -> Any:
    (x + w).relu().sum().backward()
    x.grad.add_(1.0)  # w's is a tensor of its own


def _added_to(x: Any, w: Any) -> Any:
    x.grad = rl.ones(3, 4)
    before = x.grad
    (x.exp() * w).sum().backward()
    return before is x.grad, before


def _twice(x: Any, w: Any) -> Any:
    (x * w).exp().sum().backward()
    (x * w.sigmoid()).sum().backward()


def _with_a_cotangent(x: Any, w: Any) -> Any:
    y = x * w.exp()
    y.backward(y.detach() * 2)
    return y


def _unused(x: Any, w: Any) -> Any:
    return rl.autograd.grad((x * x).exp().sum(), (x, w), allow_unused=True)


def _some_inputs(x: Any, w: Any) -> Any:
    ((x * w).cos() * x).sum().backward(inputs=[w])
    return x.grad is None


def _retained(x: Any, w: Any) -> Any:
    loss = (x * w).sigmoid().sum()
    loss.backward(retain_graph=True)
    loss.backward()
    return loss


def _of_second_order(x: Any, w: Any) -> Any:
    (g,) = rl.autograd.grad((x**3 * w).sum(), x, create_graph=True)
    g.square().sum().backward()
    return g.detach()


def _of_what_is_between(x: Any, w: Any) -> Any:
    y = x * w
    return rl.autograd.grad(y.tanh().sum(), y)


def _kept(x: Any, w: Any) -> Any:
    y = x * w
    y.retain_grad()
    y.tanh().sum().backward()
    return y, y.grad


def _used_afterwards(x: Any, w: Any) -> Any:
    y = (x * w).tanh()
    y.sum().backward()
    with rl.no_grad():
        a = y * 2 + w
    return a, y.detach() + 1, y * w, (y > 0).sum()


def _steps_of_zero(x: Any, w: Any) -> Any:
    ((x * 3).floor() * w + (w * 2).round()).sum().backward()


def _by_index(x: Any, w: Any) -> Any:
    index = rl.tensor([2, 0, 2])
    (x[index] * w.index_select(0, index)).gather(1, rl.tensor([[1], [0], [3]])).sum().backward()


def _asked_for(x: Any, w: Any) -> Any:
    (x * w).exp().sum().backward()
    return x.grad.norm().item(), x.grad * 2


def _views(x: Any, w: Any) -> Any:
    y = (x * w).tanh()
    v = y[1:].transpose(0, 1)
    (v * 2).sum().backward()
    return y, v


def _of_leaves_made_inside(x: Any, w: Any) -> Any:
    a = (x * 2).detach().requires_grad_()
    (a * w).exp().sum().backward()
    return a, a.grad


class _Doubled(rl.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 2


def _functions_of_the_program(x: Any, w: Any) -> Any:
    (_Doubled.apply(x * w).tanh() * w).sum().backward()


def _of_two_graphs(x: Any, w: Any) -> Any:
    """The graph of what is not reached is there after the backward."""
    a, b = (x * 2).exp().sum(), (w * 3).tanh().sum()
    a.backward()
    b.backward()
    return a, b


def _of_a_part(x: Any, w: Any) -> Any:
    """So is what no gradient that is asked for needs."""
    a, b = x * x, w * w
    g = rl.autograd.grad((a * b).sum(), w)
    a.sum().backward()
    return g


def _long(x: Any, w: Any) -> Any:
    y = x
    for _ in range(8):
        y = (y * w).sin() + y
    y.sum().backward()
    return y.detach()


FUNCTIONS: list[Callable[..., Any]] = [
    _of_two_graphs,
    _of_a_part,
    _long,
    _several_uses,
    _one_gradient_of_two,
    _added_to,
    _twice,
    _with_a_cotangent,
    _unused,
    _some_inputs,
    _retained,
    _of_second_order,
    _of_what_is_between,
    _kept,
    _used_afterwards,
    _steps_of_zero,
    _by_index,
    _asked_for,
    _views,
    _of_leaves_made_inside,
    _functions_of_the_program,
]


def outcome(fn: Any, times: int, beyond: bool) -> list[Any]:
    """What a function gives and leaves. beyond: what it is given has a graph of its own."""
    rl.manual_seed(0)
    x, w = leaves((3, 4), (3, 4))
    found: list[Any] = []
    for _ in range(times):
        given = fn(x * 1.5 if beyond else x, w)
        found += given if isinstance(given, tuple) else (given,)
        found += [x.grad, w.grad]
    return found


@pytest.mark.parametrize("beyond", (False, True), ids=("leaves", "results"))
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__.strip("_"))
def test_a_backward_is_what_it_is_without(fn: Callable[..., Any], beyond: bool) -> None:
    if beyond and fn in (_added_to, _one_gradient_of_two, _asked_for, _twice):
        pytest.skip("it asks for the gradient of a leaf, or runs the graph of what it is given twice")
    expected, found = outcome(fn, 3, beyond), outcome(compiled(fn), 3, beyond)
    wrong = [i for i, (a, b) in enumerate(zip(found, expected, strict=True)) if not same(a, b)]
    assert not wrong, [(found[i], expected[i]) for i in wrong]


@pytest.mark.parametrize("fn", [_long, _several_uses], ids=("long", "short"))
def test_a_graph_beyond_that_leads_to_the_same_leaf(fn: Callable[..., Any]) -> None:
    """What flows back beyond the function to a tensor that it takes itself is counted once."""

    def both(x: Any, w: Any) -> Any:
        return fn(x * w, w)

    def outside(x: Any, w: Any) -> Any:
        return compiled(fn)(x * w, w)

    expected, found = outcome(both, 3, False), outcome(outside, 3, False)
    assert all(same(a, b) for a, b in zip(found, expected, strict=True))


def test_what_waits_goes_on_waiting() -> None:
    def f(x: Any) -> None:
        loss = (x * 2).exp().sum()
        loss.backward()
        assert loss._keys_ & PENDING and x.grad._keys_ & PENDING and x.grad.shape == x.shape
        y = x.grad * 2
        assert y._keys_ & PENDING and not y.requires_grad

    (x,) = leaves((5,))
    compiled(f)(x)
    assert not x.grad._keys_


def test_the_graph_is_let_go() -> None:
    def f(x: Any) -> Any:
        loss = (x * x).mean()
        loss.backward()
        return loss

    (x,) = leaves((5,))
    loss = compiled(f)(x)
    assert loss.grad_fn.name() == "MeanBackward0" and loss.requires_grad
    with pytest.raises(RuntimeError, match="a second time"):
        loss.backward()

    @compiled
    def again(x: Any) -> None:
        loss = (x * x).mean()
        loss.backward()
        loss.backward()

    with pytest.raises(RuntimeError, match="a second time"):
        again(x)


def test_errors_leave_what_single_calls_leave() -> None:
    def f(x: Any, w: Any, fail: int) -> Any:
        loss = (x * w).exp().sum()
        if fail == 0:
            raise ValueError("before")
        loss.backward()
        if fail == 1:
            raise ValueError("after")
        with rl.no_grad():
            w.mul_(0.5)
        if fail == 2:
            raise ValueError("written")

    for fail in range(3):
        found = []
        for fn in (f, compiled(f)):
            rl.manual_seed(0)
            x, w = leaves((3,), (3,))
            with pytest.raises(ValueError):
                fn(x, w, fail)
            found.append((x, w, x.grad, w.grad))
        assert all(map(same, *found)), fail


def test_an_index_outside_is_the_error_of_its_call() -> None:
    reached = []

    @compiled
    def f(x: Any, y: Any) -> Any:
        out = x * 2
        reached.append("before")
        loss = F.cross_entropy(out, y)
        reached.append("after")
        loss.backward()

    x = rl.randn(4, 3, requires_grad=True)
    f(x, rl.tensor([0, 1, 2, 0]))
    with pytest.raises(IndexError):
        f(x, rl.tensor([0, 1, 3, 0]))
    assert reached == ["before", "after", "before"]


def test_an_interrupt_writes_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    def made() -> tuple[Any, Any]:
        rl.manual_seed(0)
        model = nn.Sequential(*(nn.Linear(4, 4) for _ in range(20)))  # two programs of parameters
        optimizer = optim.SGD(model.parameters(), lr=0.1)

        def step(x: Any) -> None:
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()

        return model, step

    expected, step = made()
    x = rl.randn(3, 4)
    step(x)
    step(x)
    model, step = made()
    run = compiled(step)
    run(x)
    own = segments.Plan.run
    when: list[int] = []

    def interrupted(plan: Any, recorder: Any) -> None:
        last = plan.again[-1]
        if not when:
            when.append(len(plan.again))
            plan.again[-1] = "interrupt"  # a step that is none: an error after the first write
            try:
                own(plan, recorder)
            except TypeError as error:
                raise KeyboardInterrupt from error
            finally:
                plan.again[-1] = last
        own(plan, recorder)

    monkeypatch.setattr(segments.Plan, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(x)
    assert when == [2] and all(rl.equal(p, q) for p, q in zip(model.parameters(), expected.parameters(), strict=True))


def test_a_parameter_that_is_replaced_and_one_that_is_tied() -> None:
    def f(a: Any, b: Any) -> Any:
        loss = ((a * 2).sin() * b).sum()
        loss.backward()
        return loss

    run = compiled(f)
    for shared in (False, True, False):
        found = []
        for fn in (f, run):
            rl.manual_seed(0)
            a, b = leaves((3,), (3,))
            b = a if shared else b
            found.append((fn(a, b), a.grad, b.grad))
        assert all(map(same, *found))
    assert runs(run)[1] == 0


def test_what_is_explained() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
    optimizer = optim.Adam(model.parameters())

    def step(x: Any) -> None:
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    step(rl.randn(3, 4))
    found = rl._dynamo.explain(step)(rl.randn(3, 4))
    assert found.graph_count == 1 and found.graph_break_count == 0 and rl.autograd.grad in found.ops_per_graph[0]
    assert "grad" in found.graphs[0].code and found.ops_per_graph[0][-1].__name__ == "optimizer_step"


def test_hooks_see_what_is_saved_by_the_calls_below_them() -> None:
    """What was called before the hooks saves its tensors without them, though it runs when a call below them asks."""

    def f(x: Any, w: Any) -> Any:
        y = (x * w).tanh().exp()
        with rl.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
            return (y * w).sum()

    counts, grads = [], []
    for run in (f, compiled(f)):
        packed: list[Any] = []
        rl.manual_seed(0)
        x, w = leaves((3, 4), (3, 4))
        run(x, w).backward()
        counts.append(len(packed))
        grads.append((x.grad, w.grad))
    assert counts[0] == counts[1] == 2
    assert all(map(same, *grads))


def test_a_gradient_that_is_read_may_be_added_to() -> None:
    """A program keeps no gradient for its backward where single calls keep the result: a later backward adds to it."""

    def f(x: Any, w: Any) -> Any:
        (x * w).mean().backward()
        v = (x + w.grad).exp().log() * w
        return v, v * 2

    found = []
    for run in (f, compiled(f)):
        rl.manual_seed(0)
        x, w = leaves((4, 4), (4,))
        for v in run(x, w):
            v.square().mean().backward(retain_graph=True)
        found.append((x.grad, w.grad))
    assert all(map(same, *found))
