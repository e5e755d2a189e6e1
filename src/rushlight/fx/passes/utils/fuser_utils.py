"""Making one submodule of some nodes of a graph."""

from __future__ import annotations

import heapq
import operator
from collections.abc import Iterable, Iterator, Sequence

from rushlight.core.nesting import reached
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.fx.passes.tools_common import NodeList, stable_topological_sort

__all__ = [
    "erase_nodes",
    "fuse_as_graphmodule",
    "fuse_by_partitions",
    "insert_subgm",
    "topo_sort",
    "validate_partition",
]


def topo_sort(nodes: NodeList) -> NodeList:
    """Some nodes in an order in which each stands behind those that it reads, else in the order given.

    Raises:
        AssertionError: they read each other in a circle.
    """
    place = {n: i for i, n in enumerate(nodes)}
    waits = {n: sum(m in place for m in n.all_input_nodes) for n in nodes}
    ready = [place[n] for n in nodes if not waits[n]]
    found: NodeList = []
    while ready:
        found.append(nodes[heapq.heappop(ready)])
        for user in found[-1].users:
            if user in waits:
                waits[user] -= 1
                if not waits[user]:
                    heapq.heappush(ready, place[user])
    if len(found) != len(nodes):
        raise AssertionError("topo_sort(): 'nodes' must not read each other in a circle")
    return found


def validate_partition(partition: NodeList) -> bool:
    """Whether some nodes can be one: no path leads out of them and back."""
    inside = set(partition)
    outside = [user for n in partition for user in n.users if user not in inside]
    ahead: Iterator[Node] = reached(outside, lambda node: node.users)
    return inside.isdisjoint(ahead)


def fuse_as_graphmodule(
    gm: GraphModule,
    nodes: NodeList,
    module_name: str,
    partition_lookup_table: dict[Node, int | None] | None = None,
    *,
    always_return_tuple: bool = False,
) -> tuple[GraphModule, tuple[Node, ...], tuple[Node, ...]]:
    """The module that does what some nodes do, what it must be handed, and which nodes it gives.

    Args:
        gm: their module, which is left as it is.
        nodes: in an order in which they can run.
        module_name: the class name of the new module.
        partition_lookup_table: the same nodes, to look them up.
        always_return_tuple: a single result as a tuple, too.

    Raises:
        AssertionError: for nodes of another module, without an order, or that cannot be one.
    """
    for node in nodes:
        if node.graph.owning_module is not gm or node._erased:
            raise AssertionError(f"fuse_as_graphmodule(): 'nodes' must be of the graph of 'gm'; found {node}")
    if not validate_partition(nodes):
        raise AssertionError("fuse_as_graphmodule(): a path leads out of 'nodes' and back: they cannot be one")
    inside = set(nodes) if partition_lookup_table is None else partition_lookup_table
    graph = Graph()
    values: dict[Node, Node] = {}
    given: dict[Node, Node] = {}

    def value(n: Node) -> Node:
        if n not in values:
            values[n] = given[n] = graph.placeholder(n.name, n.type)
            values[n].meta = dict(n.meta)
        return values[n]

    for node in nodes:
        values[node] = graph.node_copy(node, value)
    results = [n for n in nodes if any(user not in inside for user in n.users)]
    out = tuple(values[n] for n in results)
    graph.output(out[0] if len(out) == 1 and not always_return_tuple else out)
    graph.lint()
    return GraphModule(gm, graph, module_name), tuple(given), tuple(results)


def insert_subgm(
    gm: GraphModule,
    sub_gm: GraphModule,
    orig_inputs: tuple[Node, ...],
    orig_outputs: tuple[Node, ...],
    insertion_point: Node | None = None,
) -> GraphModule:
    """Call a submodule in a graph, and read its results where those nodes were read; returns the module.

    Args:
        gm: the module, which is changed.
        sub_gm: what `fuse_as_graphmodule` gave, with its inputs and outputs.
        insertion_point: the node to call it behind.
    """
    name = type(sub_gm).__name__
    gm.add_submodule(name, sub_gm)
    graph = gm.graph
    place = graph.inserting_after(insertion_point) if insertion_point is not None else None
    if place is None:
        last = max(orig_inputs + orig_outputs, key=graph.position)
        place = graph.inserting_after(last)
    several = isinstance(sub_gm.graph.output_node().args[0], tuple)
    with place:
        call = graph.call_module(name, orig_inputs)
        if several:
            elements = [graph.call_function(operator.getitem, (call, i)) for i in range(len(orig_outputs))]
        else:
            elements = [call]
    inside = {*elements, call}
    for old, new in zip(orig_outputs, elements, strict=True):
        old.replace_all_uses_with(new, delete_user_cb=lambda user: user not in inside, propagate_meta=not several)
    if several:
        call.meta["val"] = tuple(n.meta.get("val") for n in orig_outputs)
        for old, new in zip(orig_outputs, elements, strict=True):
            new.meta = dict(old.meta)
    return gm


def erase_nodes(gm: GraphModule, nodes: NodeList) -> None:
    """Take nodes out of a graph, those that read others first."""
    for node in reversed(nodes):
        gm.graph.erase_node(node)


def fuse_by_partitions(
    gm: GraphModule, partitions: Sequence[Iterable[Node]], prefix: str = "fused_", always_return_tuple: bool = False
) -> GraphModule:
    """Make a submodule, `prefix` and its number, of each of several sets of nodes; changes and returns the module.

    Raises:
        AssertionError: for nodes that cannot be one.
    """
    for i, partition in enumerate(partitions):
        nodes = topo_sort(list(partition))
        made, given, results = fuse_as_graphmodule(
            gm, nodes, f"{prefix}{i}", dict.fromkeys(nodes), always_return_tuple=always_return_tuple
        )
        insert_subgm(gm, made, given, results, nodes[-1])
        erase_nodes(gm, nodes)
    stable_topological_sort(gm)
    gm.recompile()
    return gm
