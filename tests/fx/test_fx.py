"""torch.fx: graphs of programs are right, can be edited, checked, copied, pickled, and refuse what they cannot hold."""

from __future__ import annotations

import copy
import math
import operator
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as rl
from rushlight import fx, nn
from rushlight.fx.passes.shape_prop import ShapeProp
from rushlight.fx.passes.split_module import split_module
from rushlight.fx.proxy import GraphAppendingTracer, TraceError
from rushlight.fx.subgraph_rewriter import replace_pattern_with_filters


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.scale = nn.Parameter(rl.ones(4) * 2)
        self.register_buffer("shift", rl.ones(4))
        self.layers = nn.Sequential(nn.ReLU(), nn.Linear(4, 4), nn.Tanh())

    def forward(self, x: rl.Tensor, flip: bool = False, *, power: int = 2) -> Any:
        first, second = x.chunk(2, dim=-1)
        y = self.linear(rl.cat([second, first], dim=1)) * self.scale + self.shift
        y = self.layers(y)
        y += rl.ones(4)
        y = y.clamp(max=0.5)
        return {
            "y": -(y**2),
            "parts": (first, [x.shape[0], y.dtype]),
            "z": nn.functional.dropout(nn.functional.relu(y), 0.5, training=False),
        }


def equal(a: Any, b: Any) -> bool:
    if isinstance(a, rl.Tensor):
        return rl.equal(a, b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(equal, a, b))
    return bool(a == b)


@pytest.fixture
def block() -> Block:
    rl.manual_seed(0)
    return Block()


X = rl.arange(12.0).reshape(3, 4) / 6


@pytest.mark.parametrize(
    "same",
    [
        lambda m: m,
        copy.deepcopy,
        copy.copy,
        lambda m: pickle.loads(pickle.dumps(m)),
        lambda m: fx.Transformer(m).transform(),
        lambda m: fx.symbolic_trace(m),
        lambda m: fx.GraphModule(m, m.graph),
        lambda m: split_module(m, m, lambda n: list(m.graph.nodes).index(n) // 5),
        lambda m: split_module(m, m, lambda n: 0, tuple_return=True),
    ],
    ids=["trace", "deepcopy", "copy", "pickle", "transform", "again", "module", "split", "one part"],
)
def test_computes_what_the_module_computes(block: Block, same: Callable[[Any], Any]) -> None:
    traced = same(fx.symbolic_trace(block))
    traced.graph.lint()
    expected = block(X)
    assert equal(traced(X), expected)
    assert equal(fx.Interpreter(traced).run(X), expected)
    assert set(dict(traced.named_parameters()).keys()) and len(list(traced.parameters())) == len(
        list(block.parameters())
    )


def test_pickled_class_is_one_that_pytorch_has(block: Block) -> None:
    assert b"GraphModuleImpl" not in pickle.dumps(fx.symbolic_trace(block))


def test_variable_and_keyword_arguments() -> None:
    def f(x: Any, *rest: Any, k: Any = 3, **more: Any) -> Any:
        return x * k + rest[0] - more["z"]

    traced = fx.symbolic_trace(f)
    assert traced(X, X, k=2, z=1).equal(X * 2 + X - 1)
    assert "*rest" in traced.code and "**more" in traced.code


def test_concrete_arguments_are_checked() -> None:
    def f(x: Any, flag: Any = None, n: Any = 1) -> Any:
        return x if flag is None else x * n

    traced = fx.symbolic_trace(f, {"flag": 1, "n": 3})
    assert traced(X, 1, 3).equal(X * 3)
    with pytest.raises(AssertionError, match="specialized"):
        traced(X, 2, 3)
    none = fx.symbolic_trace(f, {"flag": None})
    assert none(X, None).equal(X)
    with pytest.raises(AssertionError, match="specialized"):
        none(X, 1)
    nested = fx.symbolic_trace(lambda d: d["a"] + d["b"][1], {"d": {"a": fx.PH, "b": [0, fx.PH]}})
    assert nested({"a": X, "b": [0, X]}).equal(X + X)


@pytest.mark.parametrize(
    ("f", "error", "match"),
    [
        (lambda x: 1 if x > 0 else 2, TraceError, "control flow"),
        (lambda x: [i + 1 for i in x], TraceError, "iterated"),
        (lambda x: x.__len__(), RuntimeError, "len"),
        (lambda x: 1 in x, TraceError, "cannot be iterated"),
        (lambda x: operator.setitem(x, 0, 1), TypeError, "item assignment"),
        (lambda x: x + {x: 1}, RuntimeError, "keys"),
        (lambda x: x + object(), NotImplementedError, "object"),
        (lambda x: rl.add(x, object()), TypeError, "other"),
        (lambda x: int(x), TypeError, "int"),
    ],
)
def test_refused(f: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        fx.symbolic_trace(f)
    assert rl.ones(2).shape == (2,) and nn.Linear(2, 2)(rl.ones(2)).shape == (2,)  # nothing stays patched
    assert nn.functional.relu.__module__ == "rushlight.nn.functional" and not hasattr(nn.functional.relu, "__wrapped__")


def test_graph_by_hand_and_its_errors() -> None:
    g = fx.Graph()
    x = g.placeholder("x")
    y = g.call_function(rl.add, (x, 1), {"alpha": 2})
    z = g.call_method("relu", (y,))
    g.output(z)
    assert fx.GraphModule(nn.Module(), g)(rl.ones(2)).tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="users"):
        g.erase_node(y)
    with pytest.raises(TypeError, match="args"):
        if not isinstance(y.args, list):
            g.create_node("call_function", rl.add, [x])  # type: ignore[arg-type]
        y.args.append(3)  # type: ignore[attr-defined]
    with pytest.raises(AssertionError, match="op"):
        g.create_node("call", "x")
    with pytest.raises(ValueError, match="callable"):
        g.create_node("call_function", "add", (x,))
    with pytest.raises(RuntimeError, match="lacks"):
        fx.GraphModule({}, fx.symbolic_trace(nn.Sequential(nn.ReLU())).graph)
    z.prepend(g.call_function(rl.neg, (z,)))
    with pytest.raises(RuntimeError, match="before it has been defined"):
        g.lint()
    other = fx.Graph()
    other.call_function(rl.neg, (x,))
    with pytest.raises(RuntimeError, match="does not belong"):
        other.lint()


def test_editing(block: Block) -> None:
    traced = fx.symbolic_trace(block)
    for node in traced.graph.nodes:
        if node.op == "call_function" and node.target is operator.add:
            with traced.graph.inserting_after(node):
                new = traced.graph.call_function(rl.sub, node.args)
            node.replace_all_uses_with(new)
            traced.graph.erase_node(node)
    traced.recompile()
    assert "torch.sub" in traced.code
    assert not equal(traced(X), block(X))
    dead = fx.symbolic_trace(lambda x: (x + 1, x)[1])
    assert len(dead.graph.nodes) == 3 and dead.graph.eliminate_dead_code() and len(dead.graph.nodes) == 2
    kept = fx.symbolic_trace(lambda x: (x.add_(1), x)[1])
    assert not kept.graph.eliminate_dead_code()


def test_insertion_keeps_order() -> None:
    g = fx.Graph()
    a = g.placeholder("a")
    out = g.output(a)
    with g.inserting_before(out):
        b = g.call_function(rl.neg, (a,))
    with g.inserting_after(a):
        c, d = g.call_function(rl.exp, (a,)), g.call_function(rl.sin, (a,))
    assert list(g.nodes) == [a, c, d, b, out] and list(reversed(g.nodes)) == [out, b, d, c, a]
    assert a < c < d < b and [n.name for n in g.find_nodes(op="call_function", target=rl.exp)] == ["exp"]


def test_replace_pattern() -> None:
    def f(x: Any, w1: Any, w2: Any) -> Any:
        return rl.cat([w1, w2]).sum() + rl.cat([w1, w2]).sum() * x

    traced = fx.symbolic_trace(f)
    found = fx.replace_pattern(traced, lambda a, b: rl.cat([a, b]).sum(), lambda a, b: rl.stack([a, b]).max())
    assert len(found) == 2 and "cat" not in traced.code
    assert traced(X, X, -X).equal(X.max() + X.max() * X)
    literals = fx.symbolic_trace(lambda x: x * 3 + x * 4)
    assert not fx.replace_pattern(literals, lambda x: x * 5, lambda x: x)
    assert len(replace_pattern_with_filters(literals, lambda x: x * 5, lambda x: x, ignore_literals=True)) == 2
    assert literals(X).equal(X + X)
    chain = fx.symbolic_trace(lambda x: rl.relu(rl.relu(rl.relu(x))))
    fx.replace_pattern(chain, lambda x: rl.relu(x), lambda x: rl.neg(x))
    assert chain(X).equal(-X)
    used = fx.symbolic_trace(lambda x: (rl.exp(rl.sin(x)), rl.sin(x))[0] + rl.sin(x))
    inner = fx.symbolic_trace(lambda x: [s := rl.sin(x), rl.exp(s) + s][1])
    assert not fx.replace_pattern(inner, lambda x: rl.exp(rl.sin(x)), lambda x: x), "somebody else takes the sine"
    assert len(fx.replace_pattern(used, lambda x: rl.exp(rl.sin(x)), lambda x: x)) == 1


def test_shapes(block: Block) -> None:
    traced = fx.symbolic_trace(block)
    ShapeProp(traced).propagate(X)
    meta = {n.name: n.meta.get("tensor_meta") for n in traced.graph.nodes}
    assert meta["linear"].shape == (3, 4) and meta["linear"].dtype is rl.float32
    assert [m.shape for m in meta["chunk"]] == [(3, 2), (3, 2)] and meta["getattr_1"] is None


def leaf(x: Any, n: int) -> Any:
    return x * len(range(n))


fx.wrap("leaf")
fx.wrap("len")


def test_wrapped_functions_are_leaves() -> None:
    traced = fx.symbolic_trace(lambda x: leaf(x, 3) + math.sqrt(len(x.shape)))
    targets = [n.target for n in traced.graph.nodes if n.op == "call_function"]
    assert leaf in targets and len in targets and math.sqrt in targets
    assert traced(X).equal(X * 3 + math.sqrt(2))
    assert pickle.loads(pickle.dumps(traced))(X).equal(X * 3 + math.sqrt(2))
    with pytest.raises(NotImplementedError, match="top level"):
        fx.wrap("leaf")
    with pytest.raises(RuntimeError, match="fn_or_name"):
        fx.wrap(3)  # type: ignore[arg-type]


def test_tracers_and_proxies(block: Block) -> None:
    class Everything(fx.Tracer):
        proxy_buffer_attributes = True

        def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
            return False

    graph = Everything().trace(block)
    assert not graph.find_nodes(op="call_module") and graph.find_nodes(op="get_attr", target="shift")
    assert equal(fx.GraphModule(block, graph)(X), block(X))
    g = fx.Graph()
    p = fx.Proxy(g.placeholder("x"), GraphAppendingTracer(g))
    g.output((1 + p * 2).node)
    assert fx.GraphModule(nn.Module(), g)(rl.ones(2)).tolist() == [3.0, 3.0]


def test_sizes_of_parameters_may_be_numbers() -> None:
    class Sized(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = nn.Parameter(rl.ones(2, 3))

        def forward(self, x: Any) -> Any:
            return x * self.w.shape[1] if self.w.dim() == 2 else x

    with pytest.raises(TraceError):
        fx.Tracer().trace(Sized())
    graph = fx.Tracer(param_shapes_constant=True).trace(Sized())
    assert graph.find_nodes(op="call_function", target=operator.mul)[0].args[1] == 3


def test_create_proxy_of_a_program_gets_what_it_knows() -> None:
    """A tracer whose `create_proxy` has the first arguments alone, as those have that note where a node came from."""

    class Noting(fx.Tracer):
        def create_proxy(
            self, kind: str, target: Any, args: Any, kwargs: Any, name: str | None = None, type_expr: Any = None
        ) -> Any:
            made = super().create_proxy(kind, target, args, kwargs, name, type_expr)
            noted.append((kind, str(made.node)))
            return made

    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear, self.w = nn.Linear(3, 3), nn.Parameter(rl.ones(3))

        def forward(self, x: Any) -> Any:
            return rl.relu(self.w * self.linear(x)) + self.w.abs()

    noted: list[tuple[str, str]] = []
    module, x = Scaled(), rl.randn(2, 3)
    graph = Noting().trace(module)
    assert equal(fx.GraphModule(module, graph)(x), module(x))
    assert {kind for kind, _ in noted} == {"placeholder", "get_attr", "call_module", "call_function", "call_method"}
    assert {name for _, name in noted} == {str(node) for node in graph.nodes if node.op != "output"}


def test_error_in_a_node_names_it(block: Block) -> None:
    with pytest.raises(RuntimeError) as error:
        fx.Interpreter(fx.symbolic_trace(block)).run(rl.ones(3, 6))
    assert "call_module[target=linear]" in str(error.value)


def test_to_folder(tmp_path: Any) -> None:
    small = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
    small.to_folder(tmp_path / "written", "Written")
    program = "import torch, written; print(written.Written()(torch.ones(2)).tolist())"
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stdout.strip() == str(small(rl.ones(2)).tolist()), done.stderr


def test_a_trace_is_its_thread_s_own() -> None:
    """While one thread traces, others call modules and functions as usual, and trace others: none sees the other's."""
    net, started, go_on = nn.Sequential(nn.Linear(2, 3), nn.ReLU()), threading.Event(), threading.Event()
    x = rl.ones(4, 2)
    expected = net(x)

    class Slow(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(2, 2)

        def forward(self, x: Any) -> Any:
            started.set()
            assert go_on.wait(60) and fx._symbolic_trace.is_fx_tracing()
            return nn.functional.relu(self.inner(x))

    found: dict[str, Any] = {}

    def trace(name: str, module: Any) -> None:
        found[name] = fx.symbolic_trace(module)

    threads = [threading.Thread(target=trace, args=("slow", Slow()))]
    threads[0].start()
    assert started.wait(60)
    assert (
        rl.equal(net(x), expected)
        and rl.equal(nn.functional.relu(net[0](x)), expected)
        and not fx._symbolic_trace.is_fx_tracing()
    )
    threads.append(threading.Thread(target=trace, args=("net", net)))
    threads[1].start()
    go_on.set()
    for t in threads:
        t.join(60)
    assert [n.op for n in found["slow"].graph.nodes] == ["placeholder", "call_module", "call_function", "output"]
    assert [n.op for n in found["net"].graph.nodes] == ["placeholder", "call_module", "call_module", "output"]
    assert rl.equal(found["net"](x), expected) and rl.equal(net(x), expected)


def test_the_class_s_forward_is_traced() -> None:
    """A forward that an instance has of its own is passed over, as in PyTorch."""

    class Net(nn.Module):
        def forward(self, x: Any) -> Any:
            return x + 1

    net = Net()
    net.forward = lambda x: x * 2  # type: ignore[method-assign]
    assert "x + 1" in fx.symbolic_trace(net).code
