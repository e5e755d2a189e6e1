"""`jit`: scripted and traced functions and modules run as they are, show fx's graph, and are saved with it."""

from __future__ import annotations

import copy
import functools
import io
import signal
import zipfile
from pathlib import Path
from typing import Any

import pytest

import rushlight as rl
from rushlight import jit, nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.BatchNorm1d(4))
        self.scale = nn.Parameter(rl.full((4,), 2.0))
        self.factor = 3

    def forward(self, x: Any, flip: bool = False) -> Any:
        y = rl.relu(self.body(x)) * self.scale * self.factor
        return -y if flip else y

    @jit.export
    def more(self, x: Any) -> Any:
        return x + self.factor


def double(x: Any, by: int = 2) -> Any:
    """Twice as much."""
    return x * by + x.shape[0]


def decides(x: Any) -> Any:
    return x if x.sum() > 0 else -x


@pytest.mark.parametrize(
    "make",
    [
        jit.script,
        lambda m: jit.trace(m, rl.randn(5, 3)),
        lambda m: jit.trace_module(m, {"forward": rl.randn(5, 3), "more": rl.ones(2)}),
    ],
)
def test_a_module_is_what_it_was(make: Any) -> None:
    net = Net()
    made = make(net)
    assert isinstance(made, jit.ScriptModule) and not isinstance(made, Net) and made.original_name == "Net"
    assert (
        made.state_dict().keys() == net.state_dict().keys()
        and made.scale is net.scale
        and next(iter(made.parameters())) is net.scale
    )
    made.eval()
    assert not net.training and not net.body[1].training and not made.training
    x = rl.randn(5, 3)
    assert rl.equal(made(x), net(x)) and rl.equal(made(x, flip=True), -net(x)) and rl.equal(made.more(x), x + 3)
    made.factor = 5
    assert net.factor == 5 and rl.equal(made(x), net(x))
    made(x).sum().backward()
    assert net.scale.grad is not None
    with rl.no_grad():
        made.scale.fill_(0.0)
    assert net(x).abs().sum() == 0
    made.load_state_dict(Net().state_dict())
    assert made.scale.tolist() == [2.0] * 4 == net.scale.tolist()
    calls: list[int] = []
    made.register_forward_hook(lambda *a: calls.append(1))
    made(x)
    assert calls == [1]
    twin = copy.deepcopy(made)
    assert twin.scale is not made.scale and twin._inner.scale is twin.scale and rl.equal(twin(x), made(x))


def test_graphs_and_code() -> None:
    made = jit.script(Net())
    assert (
        next(n.op for n in made.graph.nodes) == "placeholder" and "self.body" in made.code and "relu" in str(made.graph)
    )
    function = jit.script(double)
    assert (
        function.__name__ == "double"
        and function.__doc__ == "Twice as much."
        and function(rl.ones(3), by=4).tolist() == [7.0] * 3
    )
    assert "def forward" in function.code and function.name == "double"
    deciding = jit.trace(decides, rl.ones(2))
    assert deciding(-rl.ones(2)).tolist() == [1.0, 1.0]
    for ask in (lambda: deciding.graph, lambda: deciding.code):
        with pytest.raises(RuntimeError, match=r"must be of a function that fx\.symbolic_trace can read"):
            ask()


def test_saved_and_loaded(tmp_path: Path) -> None:
    net = Net().eval()
    x = rl.randn(2, 3)
    made = jit.trace(net, x)
    made.save(tmp_path / "net.pt")
    again = jit.load(tmp_path / "net.pt")
    assert (
        isinstance(again, jit.ScriptModule)
        and rl.equal(again(x), net(x))
        and again.state_dict().keys() == net.state_dict().keys()
        and not again.training
    )
    assert rl.equal(again(x[:1]), net(x[:1])) and "relu" in again.code
    buffer, extra = io.BytesIO(), {"note": ""}
    jit.save(jit.script(double), buffer, {"note": "text"})
    buffer.seek(0)
    function = jit.load(buffer, _extra_files=extra)
    assert (
        function(rl.ones(4)).tolist() == [6.0] * 4
        and extra["note"] == b"text"
        and isinstance(function, jit.ScriptFunction)
    )
    buffer.seek(0)
    with pytest.raises(ValueError, match="'other'"):
        jit.load(buffer, _extra_files={"other": ""})
    jit.save(again, tmp_path / "twice.pt")
    assert rl.equal(jit.load(tmp_path / "twice.pt")(x), net(x))


class Decides(nn.Module):
    """What no graph holds: a branch by the values, a loop by a number, an option, a method beside forward."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x: rl.Tensor, mask: rl.Tensor | None = None, times: int = 2) -> rl.Tensor:
        y = self.linear(x)
        if mask is not None:
            y = y * mask
        for i in range(times):
            y = y + i if y.sum() > 0 else y - i
        return y

    @jit.export
    def weight_of(self, parts: list[rl.Tensor]) -> rl.Tensor:
        return self.linear.weight + parts[0]


class Optional(nn.Module):
    """What a graph would hold for one option alone."""

    def forward(self, x: rl.Tensor, mask: rl.Tensor | None = None, double: bool = False) -> rl.Tensor:
        y = x if mask is None else x * mask
        return y * 2 if double else y


def test_what_no_graph_holds_is_saved_whole(tmp_path: Path) -> None:
    x, mask = rl.randn(2, 3), rl.tensor([1.0, 0.0, 2.0])
    net = Decides().eval()
    jit.script(nn.Sequential(net, nn.ReLU())).save(tmp_path / "outer.pt")
    assert rl.equal(jit.load(tmp_path / "outer.pt")(x), net(x).relu())
    jit.script(net).save(tmp_path / "net.pt")
    again = jit.load(tmp_path / "net.pt")
    assert isinstance(again, jit.ScriptModule) and not again.training
    for args in ((x,), (-x, mask), (x, None, 4), (x, mask, 0)):
        assert rl.equal(again(*args), net(*args))
    assert rl.equal(again.weight_of([x.T @ x]), net.weight_of([x.T @ x]))
    jit.save(again, tmp_path / "twice.pt")
    assert jit.load(tmp_path / "twice.pt").state_dict().keys() == net.state_dict().keys()
    buffer = io.BytesIO()
    jit.save(jit.script(Optional()), buffer)
    buffer.seek(0)
    option = jit.load(buffer)
    assert rl.equal(option(x, mask, double=True), x * mask * 2) and rl.equal(option(x), x)
    buffer = io.BytesIO()
    jit.trace(decides, x).save(buffer)
    buffer.seek(0)
    function = jit.load(buffer)
    assert isinstance(function, jit.ScriptFunction)
    assert function(rl.ones(2)).tolist() == decides(rl.ones(2)).tolist()
    assert function(-rl.ones(2)).tolist() == decides(-rl.ones(2)).tolist()


def test_what_no_name_leads_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Local(Decides):
        pass

    def local(x: rl.Tensor) -> rl.Tensor:
        return x if x.sum() > 0 else -x

    for made in (jit.script(Local()), jit.script(local)):
        with pytest.raises(RuntimeError, match="decide"):
            jit.save(made, tmp_path / "local.pt")
    jit.script(Decides()).save(tmp_path / "net.pt")
    jit.script(decides).save(tmp_path / "function.pt")
    monkeypatch.delattr(f"{__name__}.Decides")
    monkeypatch.delattr(f"{__name__}.decides")
    for name in ("net.pt", "function.pt"):
        with pytest.raises(RuntimeError, match="must be there when"):
            jit.load(tmp_path / name)


def test_other_files(tmp_path: Path) -> None:
    rl.save({"a": rl.ones(2)}, tmp_path / "weights.pt")
    with pytest.raises(RuntimeError, match=r"jit.load\(\): 'f' must be a file of jit.save"):
        jit.load(tmp_path / "weights.pt")
    with zipfile.ZipFile(tmp_path / "script.pt", "w") as archive:
        archive.writestr("script/constants.pkl", b"")
    with pytest.raises(NotImplementedError, match="TorchScript"):
        jit.load(tmp_path / "script.pt")
    with pytest.raises(RuntimeError, match="must come from"):
        jit.save(nn.Linear(1, 1), tmp_path / "x.pt")


def test_names_that_decorate() -> None:
    def f(x: int) -> int:
        return x + 1

    for decorate in (
        jit.ignore,
        jit.unused,
        jit.export,
        jit._overload_method,
        jit._overload,
        jit._script_if_tracing,
        jit.script_if_tracing,
        jit.script_method,
        jit.ignore(drop=True),
    ):
        assert decorate(f) is f
    assert not jit.is_scripting() and not jit.is_tracing() and jit.annotate(int, 3) == 3 and jit.isinstance([1], list)
    assert jit.wait(jit.fork(f, 2)) == 3 and isinstance(jit.fork(f, 2), jit.Future)
    assert jit.script(Net) is Net and jit.script(jit.script(f)).__name__ == "f"
    assert jit.annotations.BroadcastingList2[int] == list[int] or "List[int]" in str(
        jit.annotations.BroadcastingList2[int]
    )
    with pytest.raises(RuntimeError, match="must be a function"):
        jit.script(3)
    with pytest.raises(RuntimeError, match="'example_inputs' must be given"):
        jit.trace(f)
    with pytest.raises(RuntimeError, match="evaluation mode"):
        jit.freeze(Net())


@pytest.mark.parametrize("way", ["jit", "script", "trace", "graph", "backend"])
def test_what_a_handler_of_signals_raises_is_no_error_of_the_call(way: str) -> None:
    """A function is not run a second time for it, and it comes out as it is."""
    calls: list[Any] = []

    class Handler:
        def __call__(self, number: int, frame: Any) -> None:
            raise TimeoutError("the handler's")

    def f(x: Any, by: float = 2.0) -> Any:
        y = x * by
        if armed[0]:
            armed[0] = False
            calls.append(by)
            signal.raise_signal(signal.SIGUSR1)
        calls.append(by)
        return y

    def backend(module: Any, inputs: Any) -> Any:
        f(inputs[0])
        return module

    x = rl.ones(3)
    armed = [False]
    made: Any = {
        "jit": lambda: rl.jit(f),
        "script": lambda: jit.script(f),
        "trace": lambda: jit.trace(f, x),
        "graph": lambda: lambda x, by: jit.script(f).code,
        "backend": lambda: rl.compile(lambda x, by: (x * by).exp(), backend=backend),
    }[way]()
    calls.clear()
    before = signal.signal(signal.SIGUSR1, functools.partial(Handler()))
    armed[0] = True
    try:
        with pytest.raises(TimeoutError, match="the handler's"):
            made(x, 2.5) if way != "trace" else made(x)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert len(calls) == 1 and not armed[0]
