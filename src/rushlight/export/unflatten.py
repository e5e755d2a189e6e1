"""`unflatten`: an exported program as a module of modules again, each with the calls that its forward made."""

from __future__ import annotations

import abc
import copy
import operator
import sys
import types
from collections.abc import Sequence
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.export._unlift import assign, folder
from rushlight.export.exported_program import ExportedProgram
from rushlight.export.graph_signature import InputKind, OutputKind
from rushlight.func.tree import Spec
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Interpreter
from rushlight.fx.node import Node, map_arg
from rushlight.nn.modules.module import Module

__all__ = ["FlatArgsAdapter", "InterpreterModule", "UnflattenedModule", "unflatten"]


class FlatArgsAdapter(abc.ABC):
    """Makes the flat arguments that a program takes of those of another shape."""

    @abc.abstractmethod
    def adapt(
        self,
        target_spec: Spec,
        input_spec: Spec,
        input_args: list[Any],
        metadata: dict[str, Any] | None = None,
        obj: Any = None,
    ) -> list[Any]:
        """The leaves for `target_spec`, of those of `input_spec`."""

    def get_flat_arg_paths(self) -> list[str]:
        """The paths of the arguments, where they have names."""
        return []


class InterpreterModule(Module):
    """A module that runs a graph, node by node."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph
        graph.owning_module = self

    def forward(self, *args: Any) -> Any:
        """The graph's outputs: one, or a tuple."""
        return Interpreter(self, graph=self.graph, garbage_collect_values=False).run(*args)

    def print_readable(self, print_output: bool = True) -> str:
        """The graph as source text."""
        return GraphModule(self, copy.deepcopy(self.graph)).print_readable(print_output)


class UnflattenedModule(Module):
    """An exported program as modules: attributes, parameters and buffers stand where the exported module had them.

    A module that is called several times is one for each call: `block`, `block@1`, ...
    """

    def __init__(self, export_module: ExportedProgram, flat_args_adapter: FlatArgsAdapter | None = None) -> None:
        super().__init__()
        if any(s.kind not in (OutputKind.USER_OUTPUT,) for s in export_module.graph_signature.output_specs):
            raise ValueError(
                "unflatten(): the program gives what it writes as results; unflatten it before run_decompositions()"
            )
        call = export_module.module_call_graph[0].signature
        assert call is not None
        self.module_call_graph = copy.copy(export_module.module_call_graph)
        self.flat_args_adapter = flat_args_adapter
        self._in_spec, self._out_spec = call.in_spec, call.out_spec
        built = _Unflattening(export_module, self)
        self.graph = built.graph
        self.graph.owning_module = self

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the exported module returned."""
        leaves = self._in_spec.leaves_of_call(args, kwargs, self.flat_args_adapter)
        return self._out_spec.unflatten(list(Interpreter(self, graph=self.graph).run(*leaves)))


def unflatten(module: ExportedProgram, flat_args_adapter: FlatArgsAdapter | None = None) -> UnflattenedModule:
    """A program as a module of modules, which stand where those of the exported module did.

    Args:
        module: the program.
        flat_args_adapter: makes arguments of another shape fit.

    Raises:
        ValueError: it was decomposed.
    """
    if not isinstance(module, ExportedProgram):
        raise TypeError(f"unflatten(): argument 'module' must be an ExportedProgram, not {type(module).__name__}")
    return UnflattenedModule(module, flat_args_adapter)


class _Unflattening:
    """Makes the graphs of the modules.

    Args:
        ep: the program.
        root: gets the attributes and the modules.
    """

    def __init__(self, ep: ExportedProgram, root: Module) -> None:
        self.root, self.owners = root, dict[Node, str]()
        self.uses: dict[tuple[int, str], int] = {}
        self.graph = Graph()
        copies: dict[Node, Node] = {}
        placeholders = [n for n in ep.graph.nodes if n.op == "placeholder"]
        for node, spec in zip(placeholders, ep.graph_signature.input_specs, strict=True):
            if spec.kind is InputKind.USER_INPUT:
                copies[node] = self.graph.placeholder(node.name)
                continue
            assert spec.target is not None
            self.owners[node] = spec.target
            value = ep.constants.get(spec.target, ep.state_dict.get(spec.target))
            assign(root, spec.target, value, spec.persistent)
        body = [n for n in ep.graph.nodes if n.op == "call_function"]
        results = ep.graph.output_node().args[0]
        self.write(body, self.graph, copies, (root, ""), 1)
        returned = map_arg(results, lambda n: self.value(n, self.graph, copies, ""))
        self.graph.output(tuple(returned) if isinstance(returned, (list, tuple)) else returned)

    def value(self, node: Node, graph: Graph, copies: dict[Node, Node], path: str) -> Node:
        """The node of this graph for one of the program's: an attribute where it is below this module."""
        found = copies.get(node)
        if found is None:
            target = self.owners[node]
            found = copies[node] = graph.create_node("get_attr", _below(target, path) or target, name=node.name)
        return found

    def write(
        self, nodes: Sequence[Node], graph: Graph, copies: dict[Node, Node], where: tuple[Module, str], depth: int
    ) -> None:
        """The calls of a module, which was at a path of the exported one, and whose stack has `depth` entries."""
        path, i = where[1], 0
        while i < len(nodes):
            child = self.child(nodes[i], path, depth)
            if child is None:
                node = nodes[i]
                for n in node.all_input_nodes:
                    self.value(n, graph, copies, path)
                copies[node] = graph.node_copy(node, lambda n: copies[n])
                i += 1
                continue
            end = i + 1
            while end < len(nodes) and self.child(nodes[end], path, depth) == child:
                end += 1
            self.call(nodes[i:end], graph, copies, where, child, depth)
            i = end

    def child(self, node: Node, path: str, depth: int) -> str | None:
        """The path of the module within this one that a call stands in."""
        stack = list((node.meta.get("nn_module_stack") or {}).values())
        if len(stack) <= depth:
            return None
        found: str = stack[depth][0]
        return found if _below(found, path) is not None else None

    def call(
        self,
        part: Sequence[Node],
        graph: Graph,
        copies: dict[Node, Node],
        where: tuple[Module, str],
        child: str,
        depth: int,
    ) -> None:
        """A call of a module: its graph, and the nodes of its results."""
        at, path = where
        inside = set(part)
        inner, own = Graph(), dict[Node, Node]()
        given = []
        for n in dict.fromkeys(n for node in part for n in node.all_input_nodes if n not in inside):
            target = self.owners.get(n)
            if n not in copies and target is not None and _below(target, child) is not None:
                continue  # an attribute of its own
            given.append(n)
            own[n] = inner.placeholder(n.name)
        name = _below(child, path) or child
        count = self.uses[id(at), child] = self.uses.get((id(at), child), -1) + 1
        name += f"@{count}" if count else ""
        self.write(part, inner, own, (_place(at, name, inner, self.root, child), child), depth + 1)
        results = [n for n in part if any(u not in inside for u in n.users)]
        made = [own[n] for n in results]
        inner.output(made[0] if len(made) == 1 else tuple(made))
        for n in given:
            self.value(n, graph, copies, path)
        called = graph.create_node(
            "call_module", name, tuple(copies[n] for n in given), {}, name=name.replace(".", "_")
        )
        if len(results) == 1:
            called.meta = dict(results[0].meta)
            copies[results[0]] = called
            return
        for k, n in enumerate(results):
            item = graph.create_node("call_function", operator.getitem, (called, k), {}, name=n.name)
            item.meta = dict(n.meta)
            copies[n] = item


def _below(target: str, path: str) -> str | None:
    """A path from the module at `path`; None where it does not lead there."""
    if not path:
        return target
    return target.removeprefix(f"{path}.") if target.startswith(f"{path}.") else None


def _place(at: Module, name: str, graph: Graph, root: Module, source: str) -> Module:
    """Let the module at `name` run a graph; it keeps the attributes that stand there."""
    at, last = folder(at, name)
    known = root.get_submodule(source) if _has(root, source) else None
    made = InterpreterModule(graph)
    if known is not None:
        for table in ("_parameters", "_buffers", "_modules"):
            getattr(made, table).update(getattr(known, table))
        made._non_persistent_buffers_set |= known._non_persistent_buffers_set
        vars(made).update({k: v for k, v in vars(known).items() if isinstance(v, Tensor)})
    at.add_module(last, made)
    return made


def _has(root: Module, path: str) -> bool:
    try:
        root.get_submodule(path)
    except AttributeError:
        return False
    return True


class _Callable(types.ModuleType):
    """This module: `torch.export.unflatten` is the function as well."""

    def __call__(self, module: ExportedProgram, flat_args_adapter: FlatArgsAdapter | None = None) -> UnflattenedModule:
        return unflatten(module, flat_args_adapter)


sys.modules[__name__].__class__ = _Callable
