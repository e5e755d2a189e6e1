"""`rushlight.jit(f)`: one program of a function has the results, gradients and effects of the function, bit by bit."""

from __future__ import annotations

import copy
import threading
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn
from rushlight.compiler import counters
from rushlight.func.tree import flatten

F = nn.functional


def _same(got: Any, expected: Any) -> None:
    (a, shape), (b, expected_shape) = flatten(got), flatten(expected)
    assert shape == expected_shape
    for x, y in zip(a, b, strict=True):
        if isinstance(y, rl.Tensor):
            assert x.dtype == y.dtype and rl.equal(x, y), (x, y)
        else:
            assert type(x) is type(y) and x == y


def _both(f: Any, *args: Any) -> None:
    """Two calls of f and two of jit(f), each on copies of the arguments, which are compared as well."""
    traced = rl.jit(f)
    for _ in range(2):
        given, mine = copy.deepcopy(args), copy.deepcopy(args)
        _same(traced(*mine), f(*given))
        _same(mine, given)


def _views(x: Any) -> Any:
    y = x * 1
    v, t = y.view(-1), y.t()
    v.mul_(3)
    y[1] = 7
    y[:, 2] += 1
    t[0].neg_()
    return y, v, t


def _variances(x: Any) -> Any:
    y = x.var(0) + x.var() * x.t().var(1, keepdim=True)[:2, 0].sum()
    z = x * 2
    z.view(-1)[0] = 9.0
    return y, z.var(1), rl.var(x.clone().mul_(3), 0), (x + 1).var(unbiased=False)


def _chunks(x: Any) -> Any:
    a, b = x.clone().chunk(2)
    a.add_(1)
    return a, b


def _items(x: Any) -> Any:
    y = x.clone()
    v = y[1]
    y[y > 0] = 0.5
    y[0] = v
    y[:, 1:3] *= 2
    y[rl.tensor([0, 2]), 3] = -1.0
    return y, v


def _writes(x: Any) -> Any:
    x[x < 0] = 0
    x.view(-1)[3] = 9.0
    return x.sum()


def _made(x: Any) -> Any:
    return x + rl.arange(x.shape[1]) + rl.ones(x.shape[0], 1) + rl.eye(4, 6) + rl.tensor([1.0, 2, 3, 4, 5, 6])


def _silent(x: Any) -> Any:
    with rl.no_grad():
        y = x.exp() * x + 2 * x
    return y * x + x.detach()


def _counts(x: Any) -> Any:
    total, steps = rl.zeros(()), rl.tensor([1.0, 2.0])
    for row in x:
        total += row.sum()
        steps.mul_(2)
    return total, steps, rl.tensor([3.0]), x[rl.tensor([0, 1])]


FUNCTIONS = {
    "pointwise": lambda x: (x * 2).softmax(-1),
    "sizes": lambda x: x.view(x.shape[0] * x.shape[1]).cumsum(0) / x.shape[0],
    "separate sizes": lambda x: x.view(2, 2, *x.shape[1:]).sum(1),
    "rows": lambda x: rl.stack([row * i for i, row in enumerate(x)]),
    "structure": lambda x: {"a": (x, x + 1), "n": None, "size": x.shape[0], "s": "text"},
    "sort": lambda x: rl.cat([x, x], 1).sort(-1).values.topk(2).indices,
    "mapped": lambda x: rl.func.vmap(lambda v: v.sum() * v)(x),
    "in place": lambda x: x.clone().mul_(2).add_(1),
    "views": _views,
    "variances": _variances,
    "chunks": _chunks,
    "items": _items,
    "writes": _writes,
    "made": _made,
    "silent": _silent,
    "counts": _counts,
    "combinations": lambda x: rl.combinations(x[0], 3),
    "itself": lambda x: x,
    "nothing": lambda x: None,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    rl.manual_seed(0)
    _both(FUNCTIONS[name], rl.randn(4, 6))


def test_containers_and_static_arguments() -> None:
    f = rl.jit(lambda d, scale, power=1: d["a"] * scale + d["b"] ** power)
    d = {"a": rl.ones(3), "b": rl.full((3,), 2.0)}
    assert f(d, 2).tolist() == [4, 4, 4]
    assert f(d, 2.5).tolist() == [4.5, 4.5, 4.5]
    assert f(d, True).tolist() == [3, 3, 3]
    assert f(d, 1, power=3).tolist() == [9, 9, 9]
    with pytest.raises(TypeError, match=r"an argument that is no tensor must be hashable"):
        f(d, {1, 2})
    with pytest.raises(TypeError, match=r"jit\(\): argument 'fn' must be a function or a module, not int"):
        rl.jit(3)


def _mlp() -> Any:
    return nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 3))


class _Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([nn.Sequential(nn.LayerNorm(6), nn.Linear(6, 6), nn.Tanh()) for _ in range(4)])

    def forward(self, x: Any) -> Any:
        for block in self.blocks:
            x = x + block(x)
        return x


def _encoder() -> Any:
    return nn.TransformerEncoderLayer(6, 2, 8, dropout=0.0, batch_first=True)


def _convolutions() -> Any:
    return nn.Sequential(nn.Unflatten(1, (1, 2, 3)), nn.Conv2d(1, 4, 2, padding=1), nn.BatchNorm2d(4), nn.ReLU())


@pytest.mark.parametrize("make", [_mlp, _Residual, _encoder, _convolutions])
def test_training(make: Any) -> None:
    """Losses, gradients, parameters and buffers over five steps, while the size of the batch changes."""
    rl.manual_seed(0)
    model = make()
    other = copy.deepcopy(model)
    data = [rl.randn(n, 6) for n in (4, 5, 4, 7, 5)]
    if make is _encoder:
        data = [x[:, None].expand(-1, 3, -1) for x in data]

    def loss_of(net: Any) -> Any:
        return lambda x: net(x).square().mean()

    plain, traced = loss_of(model), rl.jit(loss_of(other))
    optimizers = [rl.optim.AdamW(net.parameters(), lr=0.01) for net in (model, other)]
    for x in data:
        losses = []
        for f, optimizer in zip((plain, traced), optimizers, strict=True):
            optimizer.zero_grad()
            loss = f(x)
            loss.backward()
            losses.append(loss.detach())
        for p, q in zip(model.parameters(), other.parameters(), strict=True):
            _same(q.grad, p.grad)
        for optimizer in optimizers:
            optimizer.step()
        _same(losses[1], losses[0])
    _same(other.state_dict(), model.state_dict())


def test_writes_that_are_not_recorded() -> None:
    """A decayed parameter, as in eager: the write is none of the graph's, and what follows differentiates by the
    leaf.
    """

    def f(w: Any, x: Any) -> Any:
        with rl.no_grad():
            w.mul_(0.5)
            w[0] = 3.0
        return (w * x).sum()

    w, x = rl.tensor([1.0, 2.0, 3.0]), rl.tensor([1.0, 10.0, 100.0])
    plain, traced = w.clone().requires_grad_(), w.clone().requires_grad_()
    g = rl.jit(f)
    for _ in range(2):
        for leaf, call in ((plain, f), (traced, g)):
            leaf.grad = None
            call(leaf, x).backward()
        _same(traced.detach(), plain.detach())
        _same(traced.grad, plain.grad)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        rl.jit(lambda w: w.mul_(2))(traced)


def test_new_sizes_compile_nothing() -> None:
    model = _mlp()
    f = rl.jit(lambda x: model(x).sum())
    for n in (4, 5):
        f(rl.randn(n, 6)).backward()
    before = counters.stats()
    for n in range(6, 60):
        f(rl.randn(n, 6)).backward()
    after = counters.stats()
    assert all(after[name] == before[name] for name in ("programs", "kernels_compiled"))


def test_transforms_of_what_is_traced() -> None:
    f = rl.jit(lambda v: (v**3).sum())
    x = rl.arange(1.0, 4.0)
    assert rl.func.grad(f)(x).tolist() == [3, 12, 27]
    assert rl.func.hessian(f)(x).diagonal().tolist() == [6, 12, 18]
    assert rl.func.vmap(f)(rl.stack([x, x])).tolist() == [36, 36]
    _, tangent = rl.func.jvp(f, (x,), (rl.ones(3),))
    assert tangent.item() == 42
    assert rl.jit(lambda v: f(v) * 2)(x).item() == 72


def test_gradients_of_parts_without() -> None:
    x, y = rl.arange(3.0), rl.arange(3.0)
    for f, leaf in ((_silent, x), (rl.jit(_silent), y)):
        leaf.requires_grad_()
        f(leaf).sum().backward()
    _same(y.grad, x.grad)


class _Scaled:
    def __init__(self) -> None:
        self.scale = rl.ones(2)

    @rl.jit
    def __call__(self, x: Any) -> Any:
        return x * self.scale


def test_tensors_that_are_referred_to() -> None:
    model = nn.Linear(2, 2, bias=False)
    f, x = rl.jit(lambda x: model(x)), rl.ones(1, 2)
    f(x)
    with rl.no_grad():
        model.weight.fill_(2.0)
    assert f(x).tolist() == [[4, 4]]
    model.weight = nn.Parameter(rl.full((2, 2), 3.0))
    assert f(x).tolist() == [[6, 6]]
    f(x).sum().backward()
    assert model.weight.grad is not None

    scaled = _Scaled()
    assert scaled(x).tolist() == [[1, 1]]
    scaled.scale = rl.full((2,), 5.0)
    assert scaled(x).tolist() == [[5, 5]]
    other = copy.deepcopy(scaled)
    other.scale = rl.full((2,), 7.0)
    assert other(x).tolist() == [[7, 7]] and scaled(x).tolist() == [[5, 5]]

    held = rl.ones(2)

    def g(x: Any) -> Any:
        return x + held, held

    traced = rl.jit(g)
    traced(x)
    held = rl.zeros(2)
    assert [y.tolist() for y in traced(x)] == [[[1, 1]], [0, 0]]


def test_parts_that_are_replaced() -> None:
    """Modules, parts of them, parameters that go or are no longer shared: the function is traced anew."""
    x, first, second = rl.ones(1, 2), nn.Linear(2, 2), nn.Linear(2, 2)
    second.weight = first.weight
    model = nn.Sequential(first, second)
    f = rl.jit(lambda x: model(x))
    _same(f(x), model(x))
    second.weight = nn.Parameter(rl.ones(2, 2))
    _same(f(x), model(x))
    second.bias = None
    _same(f(x), model(x))
    model[0] = nn.Linear(2, 2)
    _same(f(x), model(x))
    model = nn.Linear(2, 2)
    _same(f(x), model(x))


def test_arithmetic_sees_what_was_written_through_views() -> None:
    def f(x: Any) -> Any:
        y = x.clone()
        y.view(-1).add_(1)
        a = y * y + y
        y[0] = 0
        return a, -y, 1 - y, y == 2

    _both(f, rl.arange(6.0).view(2, 3))


def test_modes_of_modules_and_of_the_thread() -> None:
    norm = nn.BatchNorm1d(3)
    other = copy.deepcopy(norm)
    f, x = rl.jit(other), rl.randn(5, 3)
    for training in (True, False, True):
        norm.train(training)
        other.train(training)
        _same(f(x), norm(x))
        _same(other.state_dict(), norm.state_dict())
    linear = nn.Linear(3, 3)
    g = rl.jit(lambda x: linear(x).softmax(-1))
    with rl.autocast("cpu", rl.bfloat16):
        _same(g(x), linear(x).softmax(-1))
    _same(g(x), linear(x).softmax(-1))
    with rl.no_grad():
        assert not g(x).requires_grad

    def part(x: Any) -> Any:
        with rl.inference_mode():
            y = x * 2
        return (x + y).sum()

    x.requires_grad_()
    rl.jit(part)(x).backward()
    assert x.grad is not None and x.grad.eq(1).all()
    assert g(x).requires_grad


_PARAMETER = nn.Parameter(rl.ones(3))


class _Twice(rl.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return 2 * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return 2 * g


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: x.sum().item(), r"has no number yet"),
        (lambda x: x if x.sum() > 0 else -x, r"has no number yet"),
        (lambda x: x[x > 0], r"the size of the result depends on data"),
        (lambda x: x + rl.rand(3, generator=rl.Generator()), r"of the default generator alone"),
        (lambda x: rl.poisson(x), r"has no number yet"),
        (lambda x: _Twice.apply(x), r"a Function has a backward in Python"),
        (lambda x: x.sum().backward(), r"being traced, and has no graph"),
        (lambda x: rl.func.grad(lambda v: v.sum())(x), r"takes no derivatives inside"),
        (lambda x: rl.add(x, 1, out=rl.empty(3)), r"not to out="),
        (lambda x: x.as_strided((2,), (1,)), r"depends on strides"),
        (lambda x: (x.view(1, 3).contiguous().add_(1), x)[1], r"may share memory"),
        (lambda x: (x.view(rl.int32).add_(1), x)[1], r"may share memory"),
        (lambda x: x.expand(2, 3).add_(1), r"may share a place"),
        (lambda x: x + _PARAMETER.data, r"refers to new tensors each time"),
        (lambda x: x.unsqueeze_(0), r"a value that is being traced keeps its sizes"),
    ],
)
def test_what_cannot_be_traced(f: Any, message: str) -> None:
    state = rl.get_rng_state()
    traced = rl.jit(f)
    for _ in range(2):
        with pytest.raises((RuntimeError, NotImplementedError), match=message):
            traced(rl.ones(3))
    assert rl.equal(rl.get_rng_state(), state)
    assert (rl.ones(3) + 1).tolist() == [2, 2, 2]  # no mode is left in force


def test_memory_that_operands_share_is_not_written_to() -> None:
    x = rl.ones(4)

    def f(a: Any, b: Any) -> Any:
        a.add_(1)
        return a + b

    with pytest.raises(RuntimeError, match="shares memory with another of its operands"):
        rl.jit(f)(x, x.view(2, 2).view(4))


def test_threads() -> None:
    f, found = rl.jit(lambda x: (x * 2).sum()), []
    threads = [threading.Thread(target=lambda n=n: found.append((n, f(rl.ones(n)).item()))) for n in range(2, 12)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(found) == [(n, 2.0 * n) for n in range(2, 12)]
