"""Graphs of functionalized functions: no call in them writes but to the arguments, and they compute what PyTorch's
do.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

PROGRAMS = {
    "view": "b = a + 1; c = b.view(-1); c.add_(1); return b",
    "argument": "a.mul_(2); return a.sum()",
    "two views": "b = a.clone(); b[0].add_(1); b[:, 1].zero_(); return b",
    "assignment": "b = a.clone(); t = b.t(); t[0] = 5; return b, t",
    "copy": "b = M.zeros(2, 2); b.copy_(a); b.relu_(); return b",
    "a view read later": "b = a * 1; d = b.unsqueeze(0); b.sin_(); return d + 1",
    "diagonal": "b = a.clone(); b.diagonal().fill_(2.0); return b",
    "part of an argument": "a[0].sub_(1); return a * 2",
    "out": "b = M.empty_like(a); M.add(a, 1, out=b); return b",
    "permute": "b = a.clone(); M.relu_(b); x = b.permute(1, 0); x.mul_(2); return x, b",
    "another view of itself": "b = a * 1; b.t_(); b.add_(1); c = b.transpose(0, 1); b[0, 0] = 7.0; return b, c",
    "squeezed": "b = (a * 1).unsqueeze(0); b.squeeze_(0); b.add_(1); c = b.t(); b[0, 0] = 7.0; return b, c",
    "chain": "b = a.clone(); b.view(-1)[1:3].mul_(3); b += a; return b.masked_fill_(a > 0, 3.0)",
}


def program(module: Any, body: str) -> Callable[..., Any]:
    space = {"M": module}
    exec(f"def f(a):\n    {body}", space)
    return space["f"]  # type: ignore[return-value]


def flat(x: Any) -> list[Any]:
    return [v.tolist() for v in (x if isinstance(x, (tuple, list)) else (x,))]


@pytest.mark.parametrize("remove", ["mutations", "mutations_and_views"])
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("module", [rushlight, torch], ids=["rushlight", "torch"])
def test_graphs_write_to_arguments_alone(module: Any, name: str, remove: str) -> None:
    space = importlib.import_module(f"{module.__name__}.fx.experimental.proxy_tensor")
    f = program(module, PROGRAMS[name])
    values = module.arange(4.0).view(2, 2) - 1.5
    graph = space.make_fx(module.func.functionalize(f, remove=remove))(values.clone())
    writes = [n for n in graph.graph.nodes if n.op == "call_function" and n.target._schema.is_mutable]
    assert all(str(n.target) == "aten.copy_.default" and n.args[0].op == "placeholder" for n in writes)
    if remove == "mutations_and_views":
        assert not {"view", "t", "select", "slice"} & {
            n.target.overloadpacket.__name__ for n in graph.graph.nodes if n.op == "call_function"
        }
    other = values * 3 + 1
    by_graph, plain = other.clone(), other.clone()
    assert flat(graph(by_graph)) == flat(f(plain))
    assert by_graph.tolist() == plain.tolist()


def test_what_cannot_be_traced_says_so() -> None:
    space = importlib.import_module("rushlight.fx.experimental.proxy_tensor")
    f = program(rushlight, "b = a * 1; b.split(1)[0].add_(1); return b")
    assert flat(rushlight.func.functionalize(f)(rushlight.zeros(2))) == [[1.0, 0.0]]
    with pytest.raises(NotImplementedError, match="split"):
        space.make_fx(rushlight.func.functionalize(f))(rushlight.zeros(2))
