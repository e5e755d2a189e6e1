"""Functions under torch.compile: what they do besides calling operators, and the bits of what they give."""

from __future__ import annotations

import copy
import gc
import io
import random
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn, optim
from rushlight.jit import segments
from rushlight.jit.recording import PENDING, Recorder, record_calls
from rushlight.jit.segments import Segments

F = nn.functional


def compiled(fn: Any, **kwargs: Any) -> Any:
    """The function, recorded however small its tensors are."""
    return rl.compile(fn, options={"always": True}, **kwargs)


def same(a: Any, b: Any) -> bool:
    """Whether tensors have the same bits, and lie alike."""
    return (
        a.dtype is b.dtype
        and a.stride() == b.stride()
        and a.requires_grad == b.requires_grad
        and bytes(a.detach().contiguous().untyped_storage()) == bytes(b.detach().contiguous().untyped_storage())
    )


def runner(fn: Any) -> Segments:
    found: Segments = fn._context_.runner
    return found


# -------------------------------------------------------------------------------------------------------- Python's part
FACTOR = 2.0


def test_python_runs_at_every_call(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[Any] = []
    count = 0

    @compiled
    def f(x: Any) -> Any:
        nonlocal count
        count += 1
        y = x * FACTOR + random.random()
        seen.append(y)
        print("called", count)
        return y.exp() + y

    def plain(x: Any) -> Any:
        y = x * FACTOR + random.random()
        return y, y.exp() + y

    global FACTOR
    x = rl.randn(7)
    for n, factor in enumerate((2.0, 2.0, 5.0)):
        FACTOR = factor
        random.seed(n)
        z = f(x)
        random.seed(n)
        y, expected = plain(x)
        assert same(z, expected) and same(seen[-1], y) and len(seen) == count == n + 1
    assert capsys.readouterr().out == "called 1\ncalled 2\ncalled 3\n"
    assert runner(f).runs == 3 and len(runner(f).plans) == 1  # a new number compiles nothing


def test_a_list_that_changes_and_a_global_that_is_replaced() -> None:
    weights = [rl.ones(3), rl.full((3,), 2.0)]

    @compiled
    def f(x: Any, ws: list[Any]) -> Any:
        for w in ws:
            x = (x * w).relu()
        ws.append(x)
        return x + 1

    x = rl.ones(3)
    assert f(x, weights).tolist() == [3.0] * 3 and len(weights) == 3
    weights[0] = rl.full((3,), 3.0)
    assert f(x, weights).tolist() == [13.0] * 3 and weights[3].tolist() == [12.0] * 3


def test_values_that_python_asks_for() -> None:
    @compiled
    def f(x: Any) -> Any:
        y = x * 2 + 1
        found = [float(y[0]), y.sum().item(), y.tolist(), str(y), y.detach().numpy().sum(), bool((y > 0).all())]
        return y.exp() * 2 if found[-1] else y - 1, found

    for x in (rl.tensor([1.0, 2.0]), rl.tensor([-1.0, 2.0])):
        y, found = f(x)
        expected, wanted = f._torchdynamo_orig_callable(x)
        assert same(y, expected) and found == wanted


def test_sizes_compile_nothing() -> None:
    @compiled
    def f(x: Any) -> Any:
        y = x.reshape(x.shape[0] * x.shape[1], -1) * 2
        return (y - y.mean(1, keepdim=True)).relu().view(x.shape) + 1

    for n in range(2, 12):
        x = rl.randn(n, n + 1, 3)
        assert same(f(x), f._torchdynamo_orig_callable(x))
    ops = [part.op for plan in runner(f).plans for part in plan.parts if part.op is not None]
    assert len(runner(f).plans) == 1 and ops and all(op.compiled_calls() == 1 for op in ops)


def test_names_of_tensors_that_wait() -> None:
    def f(x: Any) -> None:
        y = x * 2 + 1
        assert y._keys_ & PENDING and type(y) is rl.Tensor and isinstance(y, rl.Tensor)
        assert y.shape == (3, 2) and y.dtype is rl.float32 and y.device == x.device and y.stride() == (2, 1)
        assert y.requires_grad and y.is_contiguous() and len(y) == 3 and y.ndim == 2 and not y.is_meta
        assert y._keys_ & PENDING  # nothing of this needs memory
        vars(y)["note"] = "mine"
        assert y.grad_fn is not None and not y.is_leaf and not y._keys_ & PENDING and vars(y) == {"note": "mine"}

    compiled(f)(rl.randn(3, 2, requires_grad=True))


# ------------------------------------------------------------------------------------------------------ shared memory
def test_views_share_memory_and_writes_are_seen() -> None:
    def f(x: Any, a: Any, b: Any) -> Any:
        y = x * 2 + 1
        v = y[1:]
        z = v * 3
        a += 1  # b is the same memory
        c = b * y
        v.mul_(10)
        return y, v, z, c, y.view(2, 2).T

    base = rl.randn(4)
    mine, theirs = base.clone(), base.clone()
    x = rl.randn(4)
    got, expected = compiled(f)(x, mine, mine[:]), f(x, theirs, theirs[:])
    assert all(same(g, e) for g, e in zip(got, expected, strict=True)) and same(mine, theirs)
    assert got[1]._base is got[0] and got[1].untyped_storage().data_ptr() == got[0].untyped_storage().data_ptr()
    got[0].zero_()
    assert got[1].tolist() == [0.0] * 3


@pytest.mark.parametrize("calls", [1, 3])
def test_a_write_to_a_view_reaches_what_it_is_of(calls: int) -> None:
    def f(x: Any) -> Any:
        y = x
        for _ in range(calls):
            y = y * 1.5
        z = y.view(y.shape)
        z.acos_()
        return y * 2, z

    x = rl.rand(3).mul_(0.2).requires_grad_()
    for got, expected in zip(compiled(f)(x), f(x), strict=True):
        assert same(got, expected)
        assert same(*(rl.autograd.grad(y.sum(), x, retain_graph=True)[0] for y in (got, expected)))


def test_what_is_done_to_a_tensor_that_waiting_calls_read() -> None:
    def by_data(x: Any) -> None:
        x.data = rl.full((3,), 7.0)

    def by_class(x: Any) -> None:
        x.__class__ = Mine

    class Mine(rl.Tensor):
        pass

    done: list[Callable[[Any], Any]] = [
        by_data,
        by_class,
        lambda x: x.requires_grad_(),
        lambda x: x.set_(rl.full((3,), 7.0)),
        lambda x: x.untyped_storage().fill_(0),
        lambda x: x.untyped_storage().resize_(0),
        lambda x: x.zero_(),
        lambda x: x.resize_(1),
        lambda x: x[1:].fill_(9),
        lambda x: x.detach().numpy().fill(9),
    ]

    def f(x: Any, act: Any) -> Any:
        y = x * 2 + 1
        z = y.detach()
        act(x)
        return y, z + 1

    for act in done:
        found = [fn(rl.ones(3), act) for fn in (compiled(f), f)]
        assert all(same(a, b) and type(a) is type(b) for a, b in zip(*found, strict=True))


def test_detached_tensors_wait() -> None:
    def f(x: Any, seen: list[bool]) -> Any:
        y = (x * 2).exp()
        z = y.detach()
        w = z * y + y
        seen.append(bool(z._keys_ & PENDING))
        return w, z, y

    x = rl.randn(4, requires_grad=True)
    seen: list[bool] = []
    got, expected = compiled(f)(x, seen), f(x, [])
    assert seen == [True] and all(same(a, b) for a, b in zip(got, expected, strict=True))
    assert got[1].data_ptr() == got[2].data_ptr() and not got[1]._is_view()
    assert same(*(rl.autograd.grad(w.sum() + y.sum() * 2, x)[0] for w, _, y in (got, expected)))


def test_memory_that_others_may_write_to() -> None:
    np = pytest.importorskip("numpy")
    array = np.ones(3, dtype="float32")
    x = rl.from_numpy(array)

    @compiled
    def f() -> Any:
        y = x * 2 + 1
        array[:] = 5
        return y + x

    assert f().tolist() == [8.0] * 3


def test_parameters_that_change_and_forwards_that_are_replaced() -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    f = compiled(net)
    x = rl.randn(2, 3)
    assert same(f(x), net(x))
    with rl.no_grad():
        net[0].weight.add_(1)
    assert same(f(x), net(x))
    net[0].weight = nn.Parameter(rl.zeros(3, 3))
    assert same(f(x), net(x))
    net[1].forward = lambda t: t - 100  # type: ignore[method-assign]
    assert same(f(x), net(x)) and bool((f(x) < -50).all())
    net.register_forward_hook(lambda m, args, y: y * 2)
    assert same(f(x), net(x))


# --------------------------------------------------------------------------------------------------------- exceptions
def test_an_exception_leaves_what_was_made() -> None:
    kept: list[Any] = []

    @compiled
    def f(x: Any) -> Any:
        kept.append(x * 2 + 1)
        kept.append(kept[0].exp())
        x.add_(1)
        raise KeyError("mine")

    x = rl.ones(2)
    with pytest.raises(KeyError, match="mine"):
        f(x)
    assert kept[0].tolist() == [3.0, 3.0] and same(kept[1], kept[0].exp()) and x.tolist() == [2.0, 2.0]


def test_errors_are_raised_by_the_call_that_has_them() -> None:
    reached: list[str] = []

    def bad_shape(x: Any) -> None:
        x = x * 2 + 1
        reached.append("before")
        x @ rl.ones(7, 7)
        reached.append("after")

    def bad_index(x: Any) -> None:
        x = x * 2 + 1
        reached.append("before")
        x[rl.tensor([99])]
        reached.append("after")

    def bad_matrix(x: Any) -> None:
        x = x * 0
        reached.append("before")
        rl.linalg.inv(x)
        reached.append("after")

    for f, error in ((bad_shape, RuntimeError), (bad_index, IndexError), (bad_matrix, RuntimeError)):
        reached.clear()
        with pytest.raises(error) as theirs:
            f(rl.ones(3, 3))
        with pytest.raises(error) as mine:
            compiled(f)(rl.ones(3, 3))
        assert (
            str(mine.value).partition("(): ")[2] == str(theirs.value).partition("(): ")[2] and reached == ["before"] * 2
        )


def test_an_interrupt_while_a_segment_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Any] = []

    @compiled
    def f(x: Any) -> Any:
        kept.append((x * 2 + 1).relu())
        return kept[-1].sum().item()

    run = segments.Plan.run
    interrupts = [KeyboardInterrupt]

    def interrupted(self: Any, *args: Any) -> Any:
        if interrupts:
            raise interrupts.pop()
        return run(self, *args)

    monkeypatch.setattr(segments.Plan, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        f(rl.ones(3))
    assert kept[0].tolist() == [3.0] * 3  # it was run when the function was left
    assert f(rl.ones(3)) == 9.0


def test_threads() -> None:
    f = compiled(lambda x: (x * 2 + 1).relu().sum() - x)
    found: dict[int, Any] = {}

    def work(n: int) -> None:
        for k in range(20):
            found[n] = f(rl.full((3,), float(n + k)))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for n in range(4):
        assert same(found[n], f._torchdynamo_orig_callable(rl.full((3,), float(n + 19))))


def test_another_thread_takes_a_tensor_that_waits() -> None:
    found: list[Any] = []

    @compiled
    def f(x: Any) -> Any:
        y = x * 2 + 1
        t = threading.Thread(target=lambda: found.append((y + 1).tolist()))
        t.start()
        t.join()
        return y * 2

    assert f(rl.ones(2)).tolist() == [6.0, 6.0] and found == [[4.0, 4.0]]


def test_a_compiled_function_takes_another_threads_tensor_that_waits() -> None:
    found: list[Any] = []
    other = compiled(lambda x, y: (x + y) * 2)

    @compiled
    def f(x: Any) -> Any:
        y = x * 2 + 1
        for _ in range(2):
            t = threading.Thread(target=lambda: found.append(other(x, y)))
            t.start()
            t.join()
        return y * 2

    assert f(rl.ones(2)).tolist() == [6.0, 6.0] and [y.tolist() for y in found] == [[8.0, 8.0]] * 2


def test_plans_are_few() -> None:
    @compiled
    def f(x: Any, n: int) -> Any:
        for _ in range(n):
            x = x * 2 + 1
        return x

    for n in [*range(1, 80), 3, 79]:
        assert same(f(rl.ones(2), n), f._torchdynamo_orig_callable(rl.ones(2), n))
    assert len(runner(f).plans) == segments.MOST and runner(f).one_by_one >= 15


# ----------------------------------------------------------------------------------------------------------- gradients
def gradients(outputs: Any, leaves: list[Any]) -> list[Any]:
    total = sum(((y * y.detach().cos()).sum() for y in outputs), rl.zeros(()))
    return list(rl.autograd.grad(total, leaves, allow_unused=True))


OPERATIONS: list[Callable[..., Any]] = [
    lambda x, y: x + y,
    lambda x, y: x * y,
    lambda x, y: x @ y.mT / 4,
    lambda x, y: F.layer_norm(x, (x.shape[-1],)) - y,
    lambda x, y: F.softmax(x, -1) * y,
    lambda x, y: F.gelu(x),
    lambda x, y: x.tanh() + 1,
    lambda x, y: (x - x.mean(0)).relu(),
    lambda x, y: x.T.contiguous() * 0.5,
    lambda x, y: rl.cat([x, y])[1::2],
    lambda x, y: rl.where(x > 0, x, y),
    lambda x, y: x.split(2, 1)[0].repeat(1, 2) if x.shape[1] == 4 else x,
    lambda x, y: x.max(1, keepdim=True)[0] + y,
    lambda x, y: x.detach() + y,
    lambda x, y: x.sum(0, keepdim=True) / 4 + y.expand(4, 4),
    lambda x, y: rl.stack(x.unbind(0)) - y,
]


@pytest.mark.parametrize("seed", range(12))
def test_compositions_have_the_bits_of_single_calls(seed: int) -> None:
    choice = random.Random(seed)
    plan = [(choice.choice(OPERATIONS), choice.random(), choice.random()) for _ in range(20)]
    outputs = sorted(choice.sample(range(22), choice.choice((1, 1, 2, 4))))

    def f(x: Any, w: Any) -> Any:
        values = [x, w]
        for op, a, b in plan:
            near = len(values) - 1 - int(a * min(3, len(values)))
            values.append(op(values[near], values[int(b * len(values))]))
        return [values[k] for k in outputs]

    x, w = (rl.randn(4, 4, requires_grad=True) for _ in range(2))
    got, expected = compiled(f)(x, w), f(x, w)
    assert all(same(g, e) for g, e in zip(got, expected, strict=True))
    if not any(y.requires_grad for y in expected):
        return
    for g, e in zip(gradients(got, [x, w]), gradients(expected, [x, w]), strict=True):
        assert g is e is None or same(g, e)


LAYERS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "mlp": (lambda: nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4)), (8, 6)),
    "convolutions": (
        lambda: nn.Sequential(
            nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 4)
        ),
        (5, 2, 6, 6),
    ),
    "attention": (
        lambda: nn.Sequential(
            nn.TransformerEncoderLayer(8, 2, 16, 0.1, batch_first=True), nn.Flatten(), nn.Linear(40, 4)
        ),
        (3, 5, 8),
    ),
    "recurrent": (lambda: Last(), (3, 5, 6)),
}


class Last(nn.Module):
    """An LSTM whose last output is classified."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn, self.out = nn.LSTM(6, 7, batch_first=True), nn.Linear(7, 4)

    def forward(self, x: Any) -> Any:
        return self.out(self.rnn(x)[0][:, -1])


@pytest.mark.parametrize("name", LAYERS)
def test_training_has_the_bits_of_eager(name: str) -> None:
    make, shape = LAYERS[name]
    ended = []
    for how in (lambda fn: fn, compiled):
        rl.manual_seed(0)
        net = make()
        step = how(lambda x, y, net=net: F.cross_entropy(net(x), y))
        optimizer = optim.AdamW(net.parameters(), lr=1e-2)
        losses = []
        for _ in range(20):
            optimizer.zero_grad()
            loss = step(rl.randn(shape), rl.randint(0, 4, shape[:1]))
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        ended.append([*losses, *(p.detach() for p in net.parameters()), *net.buffers()])
    assert all(same(a, b) for a, b in zip(*ended, strict=True))
    assert runner(step).runs


def test_a_whole_step_inside() -> None:
    ended = []
    for how in (lambda fn: fn, compiled):
        rl.manual_seed(0)
        net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
        optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        seen: list[Any] = []
        net[0].weight.register_hook(seen.append)

        @how
        def step(x: Any, net: Any = net, optimizer: Any = optimizer) -> Any:
            optimizer.zero_grad()
            loss = (net(x) - 1).square().mean()
            loss.backward()
            optimizer.step()
            return loss.detach() * 2

        losses = [step(rl.randn(4, 3)) for _ in range(5)]
        ended.append([*losses, *seen, *(p.detach() for p in net.parameters())])
    assert len(ended[0]) == 14 and all(same(a, b) for a, b in zip(*ended, strict=True))


def test_results_have_gradients_of_their_own() -> None:
    a, b = (nn.Parameter(rl.randn(4, 4)) for _ in range(2))

    @compiled
    def f(x: Any) -> Any:
        h = (x @ a).relu() * 2
        return (h * 3).sum(), ((h @ b).tanh() + 1).sum(), h

    first, second, h = f(rl.randn(3, 4))
    first.backward(retain_graph=True)
    assert b.grad is None and a.grad is not None  # what the first does not depend on gets no zeros
    h.retain_grad()
    second.backward()
    assert b.grad is not None and h.grad is not None


def test_hooks_and_double_backward() -> None:
    @compiled
    def f(x: Any, seen: list[Any]) -> Any:
        y = x.sin() * 2

        def hook(g: Any) -> Any:
            seen.append(g)
            return g * 2

        y.register_hook(hook)
        return (y.exp() + y).sum()

    x = rl.randn(5, requires_grad=True)
    found = []
    for fn in (f, f._torchdynamo_orig_callable):
        seen: list[Any] = []
        (g,) = rl.autograd.grad(fn(x, seen), x, create_graph=True)
        found.append([*seen, g, *rl.autograd.grad(g.sum(), x)])
    assert all(same(a.detach(), b.detach()) for a, b in zip(*found, strict=True))


def test_modes_of_recording_gradients() -> None:
    def f(x: Any) -> Any:
        a = x * 2 + 1
        with rl.no_grad():
            b = a * 3 + 1
        with rl.inference_mode():
            c = b * 3 + 1
        with rl.autocast("cpu"):
            d = (a.unsqueeze(0) @ a.unsqueeze(1)).relu()
        return a, b, d, c

    x = rl.randn(4, requires_grad=True)
    got, expected = compiled(f)(x), f(x)
    assert all(same(g, e) and g.is_inference() == e.is_inference() for g, e in zip(got, expected, strict=True))
    assert [g.requires_grad for g in got] == [True, False, True, False]


def test_transforms_and_subclasses_inside() -> None:
    class Mine(rl.Tensor):
        pass

    def f(x: Any) -> Any:
        y = x * 2 + 1
        slope = rl.func.grad(lambda t: (t * y).sin().sum())(x)
        rows = rl.func.vmap(lambda t: t * y.sum() + 1)(y)
        return slope, rows, y.as_subclass(Mine) + 1

    x = rl.randn(4)
    got, expected = compiled(f)(x), f(x)
    assert all(same(g, e) and type(g) is type(e) for g, e in zip(got, expected, strict=True))


def test_random_numbers_come_in_their_order() -> None:
    def f(x: Any) -> Any:
        a = F.dropout(x * 2, 0.5)
        b = rl.rand(4) + a
        return F.dropout(b.relu(), 0.3) + rl.randn_like(b), rl.bernoulli(b.sigmoid())

    x = rl.randn(4)
    rl.manual_seed(3)
    got = compiled(f)(x)
    rl.manual_seed(3)
    assert all(same(g, e) for g, e in zip(got, f(x), strict=True))


# ------------------------------------------------------------------------------------------------------------ its names
def test_one_graph() -> None:
    @rl.compile(fullgraph=True)
    def f(x: Any) -> Any:
        y = x * 2 + 1
        return y if y.sum() > 0 else -y

    with pytest.raises(rl._dynamo.exc.Unsupported, match=r"test_recording\.py:\d+.*torch\.where"):
        f(rl.ones(3))
    whole = rl.compile(lambda x: F.cross_entropy(F.dropout(x * 2) + 1, rl.tensor([0, 1])), fullgraph=True)
    assert whole(rl.ones(2, 3)).shape == ()


def test_explain() -> None:
    def f(x: Any) -> Any:
        y = x * 2 + 1
        if y.sum() > 0:
            return y.exp() * 2
        return y

    found = rl._dynamo.explain(f)(rl.ones(3))
    assert found.graph_count == 2 and found.graph_break_count == 1 and found.op_count == 6
    assert "test_recording.py" in found.break_reasons[0].user_stack[0] and "Graph Break Count: 1" in str(found)
    assert [node.op for node in found.graphs[1].graph.nodes] == ["placeholder"] + ["call_function"] * 2 + ["output"]


def test_explain_says_why_calls_are_made_one_by_one() -> None:
    x = rl.randn(3, 4, requires_grad=True)

    def f(x: Any) -> Any:
        y = x * 2
        return y.view(-1), y + 1

    found = rl._dynamo.explain(f)(x)
    assert found.graph_count == 1 and "a view is held" in found.refused[0]
    assert f"Graph 1: {found.refused[0]}" in str(found)
    assert rl._dynamo.explain(lambda x: (x * 2 + 1).exp())(x).refused == ("",)
    compiled, out = rl.compile(f, options={"always": True}), io.StringIO()
    rl.explain(compiled, x, file=out)
    assert f"made call by call: {found.refused[0]}" in out.getvalue()


def test_backends() -> None:
    given: list[Any] = []

    def backend(module: Any, inputs: list[Any]) -> Any:
        given.append((module, [tuple(x.shape) for x in inputs]))
        return module.forward

    w = nn.Parameter(rl.randn(3, 3))

    def f(x: Any) -> Any:
        y = (x * 2 + 1) @ w
        return y.relu(), y.T

    x = rl.randn(2, 3, requires_grad=True)
    g = rl.compile(f, backend=backend)
    for _ in range(2):
        got, expected = g(x), f(x)
        assert all(same(a, b) for a, b in zip(got, expected, strict=True)) and got[1]._base is not None
        assert same(*(rl.autograd.grad(y[0].sum(), w)[0] for y in (got, expected)))
    assert len(given) == 1 and isinstance(given[0][0], rl.fx.GraphModule) and given[0][1] == [(2, 3), (3, 3)]
    with pytest.raises(rl._dynamo.exc.BackendCompilerFailed, match="mine"):
        rl.compile(f, backend=lambda module, inputs: 1 / 0 if module is None else _fail())(x)


def _fail() -> Any:
    raise ValueError("mine")


def test_what_keeps_functions_out() -> None:
    waits: list[bool] = []

    @rl.compiler.disable
    def outside(y: Any) -> Any:
        z = y + 1
        waits.append(bool(z._keys_ & PENDING))
        return z

    @compiled
    def f(x: Any) -> Any:
        y = x * 2 + 1
        rl._dynamo.graph_break()
        waits.append(bool(y._keys_ & PENDING))
        y = y * 2
        waits.append(bool(y._keys_ & PENDING))
        return outside(y) * 2

    assert f(rl.ones(2)).tolist() == [14.0, 14.0] and waits == [False, True, False]
    with rl.compiler.set_stance("force_eager"):
        waits.clear()
        assert f(rl.ones(2)).tolist() == [14.0, 14.0] and waits == [False, False, False]


def test_a_module_compiles_itself() -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.LayerNorm(3))
    plain = copy.deepcopy(net)
    net.compile(options={"always": True})
    x = rl.randn(2, 3)
    for module in (net, copy.deepcopy(net)):
        assert same(module(x), plain(x)) and list(module.state_dict()) == list(plain.state_dict())
        assert module._compiled_call_impl.runner.runs == 1


def test_what_costs_more_than_it_saves_runs_as_it_is_written() -> None:
    waits: list[bool] = []

    @rl.compile
    def f(x: Any) -> Any:
        for _ in range(6):
            x = x * 2 + 1
        waits.append(bool(x._keys_ & PENDING))
        return x

    for n in (4, 4, 1 << 20, 1 << 20):
        x = rl.ones(n)
        assert same(f(x), f._torchdynamo_orig_callable(x))
    assert waits[::2] == [True, False, True, True]


def test_nothing_is_left_behind() -> None:
    f = compiled(lambda x: (x * 2 + 1).relu())
    x = rl.randn(3, requires_grad=True)
    seen = weakref.ref(f(x))
    gc.collect()
    assert seen() is None and f(x)._keys_ == 0


def test_a_write_that_nobody_tells_is_an_error() -> None:
    segments = Segments("f")
    recorder = Recorder(segments.run, segments.roots)
    x = rl.ones(2)

    def f() -> None:
        y = x * 2 + 1
        recorder.versions[0] = 99
        y.tolist()

    with pytest.raises(RuntimeError, match="not recorded"):
        record_calls(recorder, f)


@pytest.mark.filterwarnings("error")
def test_what_requires_no_grad_may_come_after_what_does() -> None:
    """A value that one part of a segment gives is taken by another, whose result has a lower number."""
    x, w, v = rl.randn(4), rl.randn(4, requires_grad=True), rl.randn(4, requires_grad=True)

    def f(x: Any) -> Any:
        shared = (x * 2 + 1).abs()
        after = (shared * 3 + 1).abs()
        first = (shared * w).abs()
        return shared, after, first, (shared * v + first).abs()

    compiled = rl.compile(f, options={"always": True})
    for a, b in zip(f(x), compiled(x), strict=True):
        assert rl.equal(a, b) and a.requires_grad == b.requires_grad
    assert not any(plan.refused for plan in compiled._context_.runner.plans)


@pytest.mark.parametrize("options", [{}, {"always": True}])
def test_a_view_that_is_refused_is_refused_where_it_is_used(options: dict[str, Any]) -> None:
    """What comes after the call that raises has not happened: no random number is drawn."""

    def f(x: Any) -> Any:
        with rl.no_grad():
            y = x.view(-1)
            y.mul_(2)
        z = y * 3
        return z + rl.rand(4)

    compiled = rl.compile(f, options=options)
    for way in (f, compiled, compiled):
        rl.manual_seed(0)
        with pytest.raises(RuntimeError, match="the base of a view"):
            way(rl.ones(2, 2, requires_grad=True))
        assert rl.rand(1).item() == rl.rand(1, generator=rl.Generator().manual_seed(0)).item()


def test_a_view_that_is_refused_is_not_replayed() -> None:
    def f(y: Any) -> Any:
        return y * 3 + rl.rand(4)

    compiled = rl.compile(f)
    for write in (False, False, True, False):
        found = []
        for way in (f, compiled):
            x = rl.ones(2, 2, requires_grad=True)
            with rl.no_grad():
                y = x.view(-1)
                if write:
                    y.mul_(2)
            rl.manual_seed(0)
            try:
                found.append(way(y).tolist())
            except RuntimeError as error:
                found.append(str(error))
            found.append(rl.rand(1).item())
        assert found[:2] == found[2:]
    assert sum(r.runs for r in compiled._context_.replays) == 2, compiled._context_.why_not
