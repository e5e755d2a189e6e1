"""What several passes ask of nodes: what a node calls, and whether a graph's order holds."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.names import module_of, qualified_name
from rushlight.fx.node import Node
from rushlight.nn import Module

__all__ = ["get_acc_ops_name", "get_node_target", "is_node_output_tensor", "legalize_graph", "stable_topological_sort"]

Tensors = tuple[Tensor, ...] | list[Tensor]
TensorOrTensors = Tensor | Tensors
NodeList = list[Node]
NodeSet = set[Node]
Names = list[str]
CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}


def get_acc_ops_name(k: Any) -> str:
    """The name of a function as accelerators name operators: acc_ops.name for those of such a module, else the
    qualified one.
    """
    if isinstance(k, str):
        return k
    return f"acc_ops.{k.__name__}" if k.__module__ and "acc_ops" in k.__module__ else defining_name(k)


def get_node_target(submodules: Mapping[str, Module], node: Node) -> str:
    """What a node calls, as a string: the class of its module, the qualified name of its function, its method.

    Args:
        submodules: the modules of the graph by their paths.
        node: a node that calls something.

    Raises:
        AssertionError: for a node that calls nothing.
    """
    if node.op not in CALLABLE_NODE_OPS:
        raise AssertionError(f"get_node_target(): 'node' must call something; found a node of op {node.op!r}")
    if node.op == "call_method":
        return str(node.target)
    if node.op == "call_module":
        kind = type(submodules[str(node.target)])
        return f"{module_of(kind)}.{kind.__qualname__}"
    return defining_name(node.target)


def defining_name(function: Any) -> str:
    """The qualified name of a function by where it is defined: operator.add is '_operator.add'."""
    name = qualified_name(function)
    return f"_{name}" if name.startswith("operator.") else name


def is_node_output_tensor(node: Node) -> bool:
    """Whether the meta of a node (`ShapeProp`) says that its value is a tensor."""
    kind = node.meta.get("type", None)
    return kind is not None and issubclass(kind, Tensor)


def stable_topological_sort(gm: GraphModule) -> GraphModule:
    """Bring a graph's nodes into an order in which each stands behind what it reads, as near to the old one as can
    be; returns the module.

    Raises:
        RuntimeError: for a graph with a cycle.
    """
    return _ordered(gm, stable=True)


def legalize_graph(gm: GraphModule) -> GraphModule:
    """Bring a graph's nodes into an order in which each stands behind what it reads, level by level; returns the
    module.

    Raises:
        RuntimeError: for a graph with a cycle.
    """
    return _ordered(gm, stable=False)


def _ordered(gm: GraphModule, stable: bool) -> GraphModule:
    nodes = list(gm.graph.nodes)
    place = {n: i for i, n in enumerate(nodes)}
    waits = {n: len(n.all_input_nodes) for n in nodes}
    ready = [place[n] for n in nodes if not waits[n]]
    order: list[Node] = []
    while len(order) < len(nodes) and ready:
        # The earliest that can stand here, or the one that has waited longest.
        node = nodes[heapq.heappop(ready) if stable else ready.pop(0)]
        order.append(node)
        for user in node.users:
            waits[user] -= 1
            if not waits[user]:
                if stable:
                    heapq.heappush(ready, place[user])
                else:
                    ready.append(place[user])
    if len(order) < len(nodes):
        left = [n.name for n in nodes if waits[n]]
        raise RuntimeError(f"the graph must have no cycle; found one among {', '.join(left[:10])}")
    if order == nodes:
        return gm
    root = gm.graph._root
    for node in order:
        root.prepend(node)
    return gm
