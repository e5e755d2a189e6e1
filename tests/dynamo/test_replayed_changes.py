"""What a replayed function has read may change between two calls: each change is seen, and what fits is replayed."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight import nn

F = nn.functional
Case = tuple[Callable[[Any], Any], list[Callable[[], Any]]]


def doubled(y: Any) -> Any:
    return y * 2


def of_dicts() -> Case:
    d: dict[str, Any] = {"a": 2.0, "which": "relu"}

    def f(y: Any) -> Any:
        return {"relu": F.relu, "tanh": rl.tanh}[d["which"]](y * d["a"])

    return f, [lambda: d.update(a=3.0), lambda: d.update(which="tanh")]


def of_nested_lists() -> Case:
    kept = (1.0, [3.0, [4.0]])

    def f(y: Any) -> Any:
        return (y * kept[1][1][0]).relu() * len(kept[1])  # type: ignore[index, arg-type]

    inner: Any = kept[1]
    return f, [lambda: inner[1].__setitem__(0, 5.0), lambda: inner.append(1.0), lambda: inner.__setitem__(1, [7.0])]


class Holder:
    k = 2.0

    def __init__(self) -> None:
        self._p = 1.0

    def method(self, y: Any) -> Any:
        return (y * self.k).relu()

    @property
    def p(self) -> float:
        return self._p


def of_objects() -> Case:
    cls: Any = type("Own", (Holder,), {})
    o = cls()

    def f(y: Any) -> Any:
        return o.method(y) + y * o.p

    return f, [
        lambda: setattr(cls, "k", 3.0),
        lambda: setattr(o, "k", 4.0),
        lambda: setattr(o, "_p", 5.0),
        lambda: setattr(cls, "p", property(lambda self: 6.0)),
        lambda: setattr(cls, "method", lambda self, y: y - self.k),
        lambda: setattr(o, "method", lambda y: y * 9),
        lambda: setattr(
            cls,
            "__getattribute__",
            lambda self, name: doubled if name == "method" else object.__getattribute__(self, name),
        ),
    ]


def of_functions() -> Case:
    def inner(y: Any, k: float = 2.0, *, more: float = 1.0) -> Any:
        return (y * k).relu() + more

    def f(y: Any) -> Any:
        return inner(y) + 1

    def other(y: Any, k: float = 2.0, *, more: float = 1.0) -> Any:
        return y * 5

    return f, [
        lambda: setattr(inner, "__defaults__", (5.0,)),
        lambda: setattr(inner, "__kwdefaults__", {"more": 3.0}),
        lambda: setattr(inner, "__code__", other.__code__),
    ]


def of_python_modules() -> Case:
    m = types.ModuleType("m")
    vars(m).update(c=3.0)
    lazy: Any = type("Lazy", (types.ModuleType,), {"__getattribute__": lambda self, name: 2.0})

    def f(y: Any) -> Any:
        return (y * m.c).relu()

    return f, [lambda: setattr(m, "c", 5.0), lambda: setattr(m, "__class__", lazy)]


def of_layers() -> Case:
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Dropout(0.5), nn.BatchNorm1d(4))
    return (lambda y: net(y)), [
        net.eval,
        net.train,
        lambda: setattr(net[2], "p", 0.9),
        lambda: net.__setitem__(1, nn.Tanh()),
        lambda: net.append(nn.Linear(4, 2)),
    ]


def of_parameters() -> Case:
    m = nn.Linear(4, 4)
    return (lambda y: m(y).relu()), [
        lambda: m.weight.requires_grad_(False),
        lambda: setattr(m, "weight", nn.Parameter(rl.ones(4, 4))),
        lambda: setattr(m.weight, "data", rl.zeros(4, 4)),
        lambda: setattr(m, "bias", None),
        lambda: m.double().float(),
    ]


def of_lists_of_tensors() -> Case:
    ts = [rl.ones(4), rl.full((4,), 2.0)]

    def f(y: Any) -> Any:
        return (y * ts[0] + ts[1]).relu()

    return f, [lambda: ts.__setitem__(0, rl.zeros(4)), ts.reverse, lambda: ts[0].fill_(3)]


def of_lists_of_layers() -> Case:
    layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])

    def f(y: Any) -> Any:
        for layer in layers:
            y = layer(y).relu()
        return y

    return f, [
        lambda: layers.append(nn.Linear(4, 4)),
        lambda: layers.__delitem__(0),
        lambda: layers[0].register_forward_hook(lambda m, i, o: o * 0),
    ]


def of_metadata() -> Case:
    t = rl.ones(4, 4)

    def f(y: Any) -> Any:
        return (y * t.ndim * t.stride()[0]).relu() if t.requires_grad else (y * t.size(0)).relu()

    return f, [
        lambda: t.resize_(2, 8),
        lambda: t.unsqueeze_(0),
        lambda: setattr(t, "data", rl.ones(3)),
        t.requires_grad_,
        lambda: setattr(t, "data", rl.ones(3, 2)),
    ]


def of_default_dtype() -> Case:
    return (lambda y: (y + rl.ones(4)).relu()), [
        lambda: rl.set_default_dtype(rl.float64),
        lambda: rl.set_default_dtype(rl.float32),
    ]


CASES = [
    of_dicts, of_nested_lists, of_objects, of_functions, of_python_modules, of_layers, of_parameters,
    of_lists_of_tensors, of_lists_of_layers, of_metadata, of_default_dtype,
]  # fmt: skip


@pytest.mark.parametrize("make", CASES, ids=lambda m: m.__name__)
def test_every_change_is_seen(make: Callable[[], Case]) -> None:
    rl.manual_seed(0)
    f, changes = make()
    x = rl.randn(4, 4)
    compiled = rl.compile(f)
    for change in (lambda: None, *changes):
        change()
        for _ in range(3):
            results = []
            for g in (f, compiled):
                rl.manual_seed(1)
                results.append(g(x))
            assert rl.equal(*results)
            assert results[0].dtype == results[1].dtype and results[0].requires_grad == results[1].requires_grad
    runs = sum(r.runs for r in compiled._context_.replays)
    assert runs >= 2, compiled._context_.why_not
