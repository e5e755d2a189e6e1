"""Calls of compiled functions that are made without Python: which are, that they give eager's bits, and that whatever
they rely on is looked at.
"""

from __future__ import annotations

import copy
import random
import types
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn
from rushlight.nn.modules import _hooks

F = nn.functional
scale = 2.0
seen: list[int] = []


def replays(f: Any) -> int:
    """How many calls of a compiled function were replays."""
    return sum(r.runs for r in f._context_.replays)


def bits(x: Any) -> Any:
    """What tells a tensor from others."""
    x = x.detach()
    return x.dtype, tuple(x.shape), x.stride(), bytes(x.contiguous().untyped_storage())


def check(fn: Any, *calls: tuple[Any, ...], replayed: int) -> Any:
    """Calls give what `fn` does, with gradients; so many are replays."""
    whole = rl.compile(fn)
    for args in calls:
        results = []
        for f in (fn, whole):
            own = [x.detach().clone().requires_grad_(x.requires_grad) if isinstance(x, rl.Tensor) else x for x in args]
            y = f(*own)
            wants = [x for x in own if isinstance(x, rl.Tensor) and x.requires_grad]
            grads = rl.autograd.grad(y.square().sum(), wants) if wants else ()
            results.append(([bits(y)], [bits(g) for g in grads], y.requires_grad))
        assert results[0] == results[1]
    assert replays(whole) == replayed, whole._context_.why_not
    return whole


def x_of(*size: int, requires_grad: bool = False) -> Any:
    return rl.randn(*size, requires_grad=requires_grad)


def chain(x: Any) -> Any:
    y = (x * scale + 1.5).relu()
    for k in range(3):
        y = y.sin() if k % 2 else y.cos()
    return y.view(-1, y.shape[-1])


@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize("hooks_seen", [False, True])
def test_a_function_of_operators_is_replayed(
    requires_grad: bool, hooks_seen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_hooks.state, "hooks_seen", hooks_seen)
    rl.manual_seed(0)
    x = x_of(2, 3, 4, requires_grad=requires_grad)
    check(chain, (x,), (x_of(2, 3, 4, requires_grad=requires_grad),), (x,), replayed=2)


def test_other_sizes_dtypes_and_strides_are_other_calls() -> None:
    x = x_of(4, 4)
    whole = check(lambda x: (x * 2).exp() + 1, (x,), (x,), (x.t(),), (x.double(),), (x_of(2, 4),), replayed=1)
    before = replays(whole)
    assert bits(whole(x_of(4, 4).t())) is not None
    assert replays(whole) == before + (len(whole._context_.replays) >= 2)


def add(x: Any, y: Any) -> Any:
    return (x + y) * x


def test_an_argument_given_twice_is_another_call() -> None:
    x, y = x_of(3), x_of(3)
    whole = rl.compile(add)
    for args in ((x, y), (x, y), (x, x), (x, x), (x, y)):
        assert bits(whole(*args)) == bits(add(*args))
    assert replays(whole) == 3


def test_a_tensor_that_is_given_and_read_is_not_confused() -> None:
    w, other = x_of(8), x_of(8)

    def f(x: Any) -> Any:
        return (x * w + 1).relu()

    whole = rl.compile(f)
    for x in (w, w, w, other, w, other, other, other, w):
        assert bits(whole(x)) == bits(f(x))
    assert replays(whole) == 3  # of `other`, but for the first time; never of `w`


def test_sizes_of_a_tensor_that_is_only_asked_are_seen() -> None:
    asked, x = rl.zeros(3, 4), x_of(8)

    def f(x: Any) -> Any:
        return (x * asked.shape[0] + 1).relu()

    whole = rl.compile(f)
    for size in ((3, 4), (3, 4), (6, 2), (6, 2), (3, 4)):
        asked.resize_(*size)
        assert bits(whole(x)) == bits(f(x))
    assert replays(whole) == 3


@pytest.mark.parametrize("given", [False, True])
def test_attributes_of_a_tensor_of_its_own_are_seen(given: bool) -> None:
    w, x = x_of(8), x_of(8)

    def f(x: Any) -> Any:
        return x.mul(w).add(1) + w.mul(x)

    whole = rl.compile(f)
    for _ in range(3):
        assert bits(whole(x)) == bits(f(x))
    assert replays(whole) == 2
    changed = x if given else w
    changed.mul = lambda y: y * 0
    assert bits(whole(x)) == bits(f(x))
    assert replays(whole) == 2
    del changed.mul
    assert bits(whole(x)) == bits(f(x))
    assert replays(whole) == 3


def test_numbers_are_compared_by_their_bits() -> None:
    def f(x: Any, a: Any) -> Any:
        return (x * a).abs() / a

    whole = rl.compile(f)
    x = x_of(3)
    for a in (1.0, 1.0, 1, True, -0.0, 0.0, 2.0):
        assert bits(whole(x, a)) == bits(f(x, a))
    assert replays(whole) == 1


def test_a_changed_global_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    x = x_of(2, 3, 4)
    whole = rl.compile(chain)
    for value in (2.0, 2.0, 3.0, 2.5):
        monkeypatch.setitem(globals(), "scale", value)
        assert bits(whole(x)) == bits(chain(x))


def test_a_changed_variable_of_the_closure_is_seen() -> None:
    factor = 2.0

    def f(x: Any) -> Any:
        return (x * factor + 1).exp()

    whole = rl.compile(f)
    x = x_of(3)
    for value in (2.0, 2.0, 5.0):
        factor = value
        assert bits(whole(x)) == bits(f(x))
    assert replays(whole) == 1


def test_a_list_that_has_changed_is_seen() -> None:
    weights = [x_of(3), x_of(3)]

    def f(x: Any) -> Any:
        for w in weights:
            x = (x * w).tanh()
        return x

    whole = rl.compile(f)
    x = x_of(3)
    for _ in range(2):
        assert bits(whole(x)) == bits(f(x))
    assert replays(whole) == 1
    weights.append(x_of(3))
    assert bits(whole(x)) == bits(f(x))
    weights[0] = x_of(3)
    assert bits(whole(x)) == bits(f(x))


def test_a_list_among_the_arguments_is_read_at_each_call() -> None:
    def f(xs: Any) -> Any:
        return (xs[0] + xs[-1]).exp() * len(xs)

    whole = rl.compile(f)
    given = [x_of(3), x_of(3)]
    for _ in range(3):
        given.append(x_of(3))
        assert bits(whole(given)) == bits(f(given))
    assert replays(whole) == 0


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 4)
        self.norm = nn.BatchNorm1d(8)
        self.blocks = nn.ModuleList([nn.Linear(8, 8) for _ in range(2)])
        self.factor = 0.5

    def forward(self, x: Any) -> Any:
        x = F.relu(self.norm(self.first(x))) * self.factor
        for block in self.blocks:
            x = x + F.gelu(block(x))
        return self.second(x)


def trained(change: Callable[[Any, int], None]) -> tuple[Any, Any]:
    """Parameters, buffers and outputs of a network that is trained as it is written and compiled, and how many calls
    were replays. change: what is done to the network before a step.
    """
    found = []
    count = 0
    for compile in (False, True):
        rl.manual_seed(0)
        net = Net()
        f: Any = rl.compile(lambda x, net=net: net(x).square().mean()) if compile else None
        optimizer = rl.optim.SGD(net.parameters(), lr=0.1)
        log = []
        for k in range(6):
            change(net, k)
            x = x_of(5, 8)
            optimizer.zero_grad()
            loss = f(x) if compile else net(x).square().mean()
            loss.backward()
            optimizer.step()
            log.append(bits(loss))
        found.append((log, {k: bits(v) for k, v in net.state_dict().items()}))
        count = replays(f) if compile else 0
    assert found[0] == found[1]
    return found[1], count


def test_a_network_is_trained_to_the_same_bits() -> None:
    assert trained(lambda net, k: None)[1] == 5


CHANGES: dict[str, Callable[[Any, int], None]] = {
    "a mode": lambda net, k: net.train(k % 2 == 0),
    "a mode of a part": lambda net, k: net.norm.train(k < 3),
    "an attribute": lambda net, k: setattr(net, "factor", 0.5 + (k > 2)),
    "a part": lambda net, k: setattr(net, "second", nn.Linear(8, 3)) if k == 3 else None,
    "a part of a list": lambda net, k: net.blocks.append(nn.Linear(8, 8)) if k == 3 else None,
    "a forward": lambda net, k: setattr(net.first, "forward", lambda x: x * 2) if k == 3 else None,
    "its own forward": lambda net, k: (
        setattr(net, "forward", types.MethodType(lambda self, x: self.first(x), net)) if k == 3 else None
    ),
    "a parameter": lambda net, k: setattr(net.first, "weight", nn.Parameter(rl.ones(8, 8))) if k == 3 else None,
    "what requires grad": lambda net, k: (net.first.weight.requires_grad_(k < 3), None)[1],
    "memory": lambda net, k: setattr(net.first.weight, "data", rl.ones(8, 8).t()) if k == 3 else None,
    "momentum": lambda net, k: setattr(net.norm, "momentum", None if k > 2 else 0.1),
    "a class": lambda net, k: setattr(net, "__class__", Other) if k == 3 else None,
}


class Other(Net):
    def forward(self, x: Any) -> Any:
        return self.second(self.first(x))


@pytest.mark.parametrize("what", CHANGES)
def test_what_changes_between_steps_is_seen(what: str) -> None:
    trained(CHANGES[what])


def test_a_forward_that_the_class_gets_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    net = Net().eval()
    whole = rl.compile(lambda x: net(x) * 2)
    x = x_of(5, 8)
    for _ in range(2):
        assert bits(whole(x)) == bits(net(x) * 2)
    assert replays(whole) == 1
    monkeypatch.setattr(nn.Linear, "forward", lambda self, x: x[:, : self.out_features] + 1)
    assert bits(whole(x)) == bits(net(x) * 2)
    monkeypatch.undo()
    monkeypatch.setattr(Net, "forward", lambda self, x: x + 1)
    assert bits(whole(x)) == bits(net(x) * 2)


@pytest.mark.parametrize("seen", [False, True])
def test_a_hook_is_called(seen: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_hooks.state, "hooks_seen", seen)  # whether the program has had hooks before
    net = nn.Linear(3, 3)
    whole = rl.compile(lambda x: net(x).relu() + 1)
    x = x_of(2, 3)
    calls: list[int] = []
    whole(x), whole(x)
    assert replays(whole) == 1
    for register in (net.register_forward_hook, nn.modules.module.register_module_forward_hook):
        before = len(calls)
        handle = register(lambda *_: calls.append(1))
        whole(x), whole(x)
        handle.remove()
        assert len(calls) == before + 2


def test_modes_are_seen() -> None:
    def f(x: Any) -> Any:
        return (x @ x).relu() + 1

    whole = rl.compile(f)
    x = x_of(4, 4, requires_grad=True)
    assert whole(x).requires_grad and whole(x).requires_grad
    with rl.no_grad():
        assert not whole(x).requires_grad
    with rl.inference_mode():
        assert whole(x).is_inference()
    with rl.autocast("cpu", dtype=rl.bfloat16):
        assert whole(x.detach()).dtype is f(x.detach()).dtype
    assert rl.func.vmap(whole)(x_of(2, 4, 4)).shape == (2, 4, 4)
    assert whole(x).requires_grad
    assert replays(whole) == 2, whole._context_.why_not


def counted(x: Any) -> Any:
    seen.append(1)
    return x.exp() * 2 + 1


def drawn(x: Any) -> Any:
    return x.exp() * random.random() + 1


def printed(x: Any) -> Any:
    print("a line")
    return x.exp() * 2 + 1


def test_effects_of_python_are_those_of_every_call(capsys: pytest.CaptureFixture[str]) -> None:
    x = x_of(3)
    seen.clear()
    whole = rl.compile(counted)
    for _ in range(4):
        whole(x)
    assert len(seen) == 4
    assert replays(whole) == 0
    whole = rl.compile(drawn)
    random.seed(0)
    found = [bits(whole(x)) for _ in range(4)]
    random.seed(0)
    assert found == [bits(drawn(x)) for _ in range(4)]
    whole = rl.compile(printed)
    for _ in range(3):
        whole(x)
    assert capsys.readouterr().out == "a line\n" * 3


def test_an_attribute_that_is_written_counts_every_call() -> None:
    class Counting(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.calls = 0
            self.linear = nn.Linear(3, 3)

        def forward(self, x: Any) -> Any:
            self.calls += 1
            return self.linear(x).relu()

    net = Counting()
    whole = rl.compile(lambda x: net(x) + 1)
    for _ in range(4):
        whole(x_of(2, 3))
    assert net.calls == 4


def test_values_of_tensors_decide_at_every_call() -> None:
    def f(x: Any) -> Any:
        return (x * 2).exp() if x.sum() > 0 else (x - 1).abs()

    def g(x: Any) -> Any:
        return x[x > 0].exp() * 2

    for fn in (f, g):
        whole = rl.compile(fn)
        for x in (rl.ones(3), rl.ones(3), -rl.ones(3), rl.tensor([1.0, -1.0, 2.0])):
            assert bits(whole(x)) == bits(fn(x))


def test_indices_outside_are_errors_of_every_call() -> None:
    table = nn.Embedding(5, 3)

    def f(i: Any, x: Any) -> Any:
        return (table(i) * 2 + x).relu()

    whole = rl.compile(f)
    x = x_of(2, 3)
    good = rl.tensor([1, 4])
    whole(good, x), whole(good, x)
    assert replays(whole) == 1
    for bad in (rl.tensor([1, 5]), rl.tensor([-1, 0])):
        with pytest.raises(IndexError):
            f(bad, x)
        with pytest.raises(IndexError):
            whole(bad, x)
    assert bits(whole(good, x)) == bits(f(good, x))


def test_random_numbers_are_those_of_eager() -> None:
    net = nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.5), nn.ReLU())

    def f(x: Any) -> Any:
        return net(x) * 2 + rl.rand(6)

    whole = rl.compile(f)
    x = x_of(4, 6)
    found = []
    for fn in (f, whole):
        rl.manual_seed(3)
        found.append([bits(fn(x)) for _ in range(4)] + [bits(rl.rand(3))])
    assert found[0] == found[1]


def test_a_call_that_raises_leaves_nothing() -> None:
    net = nn.BatchNorm1d(3)
    twin = copy.deepcopy(net)

    def f(x: Any, m: Any) -> Any:
        y = m(x)
        rl.rand(3)
        return y @ rl.ones(4, 4)

    whole = rl.compile(lambda x: f(x, net))
    rl.manual_seed(0)
    with pytest.raises(RuntimeError):
        whole(x_of(5, 3))
    after = bits(rl.rand(2))
    rl.manual_seed(0)
    with pytest.raises(RuntimeError):
        f(x_of(5, 3), twin)
    assert after == bits(rl.rand(2))
    assert {k: bits(v) for k, v in net.state_dict().items()} == {k: bits(v) for k, v in twin.state_dict().items()}


def test_constants_are_made_at_every_call() -> None:
    def f(x: Any) -> Any:
        mask = rl.arange(x.shape[0])
        return mask, (x * mask).relu() + 1

    whole = rl.compile(f)
    a, b = whole(rl.ones(3)), whole(rl.ones(3))
    a[0].fill_(7)
    assert b[0].tolist() == [0, 1, 2]
    assert whole(rl.ones(3))[0].tolist() == [0, 1, 2]


def test_an_argument_that_is_given_back_is_itself() -> None:
    def f(x: Any, y: Any) -> Any:
        return {"x": x, "sum": (x + y).exp() * 2, "n": x.shape[0], "pair": (y, None)}

    whole = rl.compile(f)
    x, y = x_of(3), x_of(3)
    for _ in range(3):
        found = whole(x, y)
        assert found["x"] is x and found["pair"][0] is y and found["n"] == 3
    assert replays(whole) == 2


def test_memory_of_others_is_read_when_it_is_there() -> None:
    import numpy as np

    array = np.ones(3, dtype=np.float32)
    x = rl.from_numpy(array)
    whole = rl.compile(lambda x: (x * 2).exp() + 1)
    first = whole(x).tolist()
    array[:] = 2
    assert whole(x).tolist() != first


def test_a_stance_is_seen() -> None:
    whole = rl.compile(chain)
    x = x_of(2, 3, 4)
    whole(x), whole(x)
    assert replays(whole) == 1
    with rl.compiler.set_stance("force_eager"):
        whole(x)
    assert replays(whole) == 1


def test_it_can_be_told_why_a_call_needs_python() -> None:
    whole = rl.compile(counted)
    whole(x_of(3))
    assert "append" in whole._context_.why_not


def test_a_recurrent_network_is_replayed() -> None:
    net = nn.LSTM(4, 5, batch_first=True)
    check(lambda x: net(x)[0] * 2, *[(x_of(2, 3, 4, requires_grad=True),) for _ in range(3)], replayed=2)


def test_the_default_device_is_seen() -> None:
    whole = rl.compile(lambda x: (x * 2 + rl.ones(3)).relu())
    x = x_of(3)
    whole(x), whole(x)
    assert replays(whole) == 1
    rl.set_default_device("meta")
    try:
        with pytest.raises(RuntimeError):
            whole(x)
    finally:
        rl.set_default_device(None)
    assert replays(whole) == 1


def test_a_compiled_module_is_replayed() -> None:
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.LayerNorm(4))
    whole: Any = rl.compile(net)
    x = x_of(3, 4)
    for _ in range(3):
        assert bits(whole(x)) == bits(net(x))
    net[1] = nn.GELU()
    assert bits(whole(x)) == bits(net(x))
