"""`split_module`: cut a graph into submodules by a function that says where each node goes."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node, map_arg
from rushlight.nn import Module

__all__ = ["split_module"]


class _Part:
    def __init__(self, name: str) -> None:
        self.name, self.nodes = name, list[Node]()
        self.inputs: dict[Node, None] = {}
        self.outputs: dict[Node, None] = {}
        self.after: dict[str, None] = {}  # the parts that this one takes values of


def split_module(
    m: GraphModule,
    root_m: Module,
    split_callback: Callable[[Node], int | str],
    qualname_map: dict[str, str] | None = None,
    keep_original_order: bool | None = False,
    keep_original_node_name: bool | None = False,
    keep_original_input_name: bool = True,
    *,
    partition_affix: str | None = None,
    tuple_return: bool = False,
) -> GraphModule:
    """A module that calls one submodule (submod_0, ...) for each value of `split_callback`.

    Args:
        m: the module to cut.
        root_m: not used; attributes are those of `m`.
        split_callback: the part of a node.
        qualname_map: is filled with the old path of each attribute, by the new one.
        tuple_return: parts with one result return a tuple, too.

    Raises:
        RuntimeError: two parts take values of each other.
    """
    parts: dict[str, _Part] = {}
    part_of: dict[Node, _Part] = {}
    for node in m.graph.nodes:
        if node.op in ("placeholder", "output", "get_attr"):
            continue  # which the parts are handed
        name = str(split_callback(node))
        part = parts.setdefault(name, _Part(name))
        part.nodes.append(node)
        part_of[node] = part
        for n in node.all_input_nodes:
            source = part_of.get(n)
            if source is part:
                continue
            part.inputs[n] = None
            if source is not None:
                source.outputs[n] = None
                part.after[source.name] = None
    output = m.graph.output_node()
    for n in output.all_input_nodes:
        if n in part_of:
            part_of[n].outputs[n] = None
    order = _sorted(parts, bool(keep_original_order))
    affix = f"_{partition_affix}" if partition_affix else ""
    top, values = Graph(), dict[Node, Any]()
    modules: dict[str, Any] = {}
    for node in m.graph.nodes:
        if node.op == "placeholder":
            values[node] = top.node_copy(node)
        elif node.op == "get_attr":
            values[node] = top.node_copy(node)
            modules[str(node.target)] = operator.attrgetter(str(node.target))(m)
    for part in order:
        name = f"submod{affix}_{part.name}"
        modules[name] = _submodule(part, m, name, qualname_map, tuple_return, keep_original_input_name)
        call = top.call_module(name, tuple(values[n] for n in part.inputs))
        if len(part.outputs) == 1 and not tuple_return:
            values[next(iter(part.outputs))] = call
        else:
            for i, n in enumerate(part.outputs):
                values[n] = top.call_function(operator.getitem, (call, i))
    top.output(map_arg(output.args[0], lambda n: values[n]), output.type)
    return GraphModule(modules, top)


def _sorted(parts: dict[str, _Part], as_they_came: bool) -> list[_Part]:
    """The parts, each behind those that it takes values of."""
    done: dict[str, _Part] = {}
    left = dict(parts)
    while left:
        ready = next((p for p in left.values() if all(a in done for a in p.after)), None)
        if ready is None:
            raise RuntimeError(
                "split_module(): the parts must not take values of each other in a circle; found one among "
                f"{', '.join(left)}"
            )
        done[ready.name] = left.pop(ready.name)
    if as_they_came and list(done) != list(parts):
        raise RuntimeError(
            "split_module(): the parts cannot run in the order in which they appear in the graph "
            "(keep_original_order=True)"
        )
    return list(done.values())


def _submodule(
    part: _Part, root: Module, name: str, qualnames: dict[str, str] | None, tuple_return: bool, keep_input_name: bool
) -> GraphModule:
    graph, copied, held = Graph(), dict[Node, Node](), dict[str, Any]()

    def hold(path: str) -> str:
        flat = path.replace(".", "_")
        held[flat] = operator.attrgetter(path)(root)
        if qualnames is not None:
            qualnames[f"{name}.{flat}"] = path
        return flat

    for i, n in enumerate(part.inputs):
        copied[n] = graph.placeholder(n.name if keep_input_name else f"arg_{i}", n.type)
        copied[n].meta = dict(n.meta)
    for node in part.nodes:
        made = graph.create_node(
            node.op,
            node.target,
            map_arg(node.args, lambda n: copied[n]),
            map_arg(node.kwargs, lambda n: copied[n]),
            type_expr=node.type,
        )
        made.meta = dict(node.meta)
        if node.op == "call_module":
            made.target = hold(str(node.target))
        copied[node] = made
    results = tuple(copied[n] for n in part.outputs)
    graph.output(results[0] if len(results) == 1 and not tuple_return else results)
    return GraphModule(held, graph)
