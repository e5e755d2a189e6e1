"""`make_fx`: the graph of a function's calls, as overloads of `torch.ops.aten`, found by running it once.

A derivative or a batched form is traced as its program, with each primitive as the operator that it resembles.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import operator
from collections.abc import Callable, Iterator
from typing import Any

from rushlight.core import raw as _raw
from rushlight.core.held import held
from rushlight.core.tensor import Tensor
from rushlight.func.tree import flatten, tree_map
from rushlight.fx.experimental.functional_calls import FunctionalCalls
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.fx.passes.shape_prop import _extract_tensor_metadata
from rushlight.nn import Module
from rushlight.operators.table.types import Args, Classes, Function, Kwargs
from rushlight.utils._python_dispatch import TorchDispatchMode

__all__ = ["make_fx"]


class _Recorder(TorchDispatchMode):
    """Writes each call into a graph, and remembers which node every tensor is of."""

    def __init__(self, graph: Graph, root: Module, decompositions: dict[Any, Callable[..., Any]]) -> None:
        super().__init__()
        self.graph, self.root, self.decompositions = graph, root, decompositions
        self.nodes: dict[int, Node] = {}
        self.held: list[Tensor] = []  # whose ids stand in `nodes`
        self.places: dict[Any, Node] = {}  # by memory: an alias that was made below the calls is the same value
        self.arguments: dict[Node, Tensor] = {}
        self.functional: FunctionalCalls | None = None

    def note(self, t: Tensor, node: Node) -> None:
        """`t` is what the node computes."""
        self.nodes[id(t)] = node
        node.meta["tensor_meta"] = _extract_tensor_metadata(t)
        self.held.append(t)
        place = _place(t)
        if place is not None:
            self.places[place] = node

    def node_of(self, t: Tensor) -> Node:
        """The node of a tensor; one that no call of the function has made becomes an attribute of the module."""
        if self.functional is not None:
            self.functional.renew(t)
        found = self.nodes.get(id(t))
        if found is None:
            place = _place(t)
            found = None if place is None else self.places.get(place)
        if found is None:
            name = f"_tensor_constant{sum(n.op == 'get_attr' for n in self.graph.nodes)}"
            self.root.register_buffer(name, t.detach())
            found = self.graph.get_attr(name)
            self.note(t, found)
        return found

    def __torch_dispatch__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        kwargs = kwargs or {}
        other = self.decompositions.get(func)
        if other is not None:
            with self:
                return other(*args, **kwargs)
        if self.functional is not None:
            return self.functional.perform(func, args, kwargs)
        node = self.graph.create_node(
            "call_function",
            func,
            tree_map(self.argument, args),
            tree_map(self.argument, kwargs),
            name=func.overloadpacket.__name__,
        )
        result = func(*args, **kwargs)
        self.results(result, node)
        return result

    def results(self, result: Any, node: Node) -> None:
        """The tensors in `result` are what the node computes."""
        if isinstance(result, Tensor):
            self.note(result, node)
        elif isinstance(result, (tuple, list)):
            for i, t in enumerate(result):
                if isinstance(t, Tensor):
                    self.note(t, self.graph.call_function(operator.getitem, (node, i)))

    def shaped(self, node: Node, like: Tensor) -> None:
        """The node computes something of a tensor's sizes and dtype."""
        node.meta.setdefault("tensor_meta", _extract_tensor_metadata(like))

    @contextlib.contextmanager
    def functionalized(self, remove: str) -> Iterator[Callable[[Any], None]]:
        """Inside, no recorded call writes to a tensor: calls that write become calls that compute. The function that it
        gives is to be called with the result.
        """
        calls = FunctionalCalls(self, remove == "mutations_and_views")
        with held(self, "functional", calls):
            yield calls.renew_all
            calls.finish(self.arguments)

    def argument(self, x: Any) -> Any:
        """An argument of a call as that of a node."""
        return self.node_of(x) if isinstance(x, Tensor) else x


def _place(t: Tensor) -> Any:
    if t.is_meta or not t.numel() or type(t) is not Tensor:
        return None
    return t.data_ptr(), tuple(t.shape), t.stride(), t.dtype, _raw.version(t)


def _names(f: Callable[..., Any], n: int) -> list[str]:
    """Names for n inputs: the function's parameters where there are as many."""
    try:
        known = [
            p.name
            for p in inspect.signature(f).parameters.values()
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        known = []
    return [f"{known[i]}_1" if len(known) >= n else f"arg{i}_1" for i in range(n)]


def make_fx(
    f: Callable[..., Any],
    decomposition_table: dict[Any, Callable[..., Any]] | None = None,
    tracing_mode: str = "real",
    _allow_non_fake_inputs: bool = False,
    *,
    pre_dispatch: bool = False,
    record_module_stack: bool = False,
    _allow_fake_constant: bool = False,
    _error_on_data_dependent_ops: bool = True,
) -> Callable[..., Any]:
    """A function that runs `f` on example arguments and returns a GraphModule of the calls that it made.

    Args:
        f: of tensors, lists and dictionaries of them, and numbers (which become constants).
        decomposition_table: overload -> the function that is traced in its place.
        tracing_mode: "real", "fake" or "symbolic"; the arguments are run as they are, and their sizes are fixed in each
            case.

    Raises:
        ValueError: for another mode.
    """
    if tracing_mode not in ("real", "fake", "symbolic"):
        raise ValueError(f"make_fx(): 'tracing_mode' must be 'real', 'fake' or 'symbolic'; found {tracing_mode!r}")

    @functools.wraps(f)
    def traced(*args: Any) -> GraphModule:
        graph, root = Graph(), Module()
        recorder = _Recorder(graph, root, decomposition_table or {})
        flat, _ = flatten(args)
        plain = all(isinstance(a, Tensor) or not flatten(a)[0] or a is flatten(a)[0][0] for a in args)
        for x, name in zip(
            flat, _names(f, len(flat)) if plain else [f"arg{i}_1" for i in range(len(flat))], strict=True
        ):
            node = graph.placeholder(name)
            if isinstance(x, Tensor):
                recorder.note(x, node)
                recorder.arguments[node] = x
        with recorder:
            result = f(*args)
            graph.output(tree_map(recorder.argument, result))
        name = type(f).__name__ if isinstance(f, Module) else getattr(f, "__name__", "GraphModule")
        return GraphModule(root, graph, name)

    return traced
