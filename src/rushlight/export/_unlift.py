"""A module of an exported program: parameters, buffers and constants are its attributes again."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.core.tensor import Tensor
from rushlight.export._symbols import symbol_names
from rushlight.export.graph_signature import ConstantArgument, InputKind, OutputKind
from rushlight.func.tree import Spec, flatten
from rushlight.fx.graph import CodeGen, Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.program.sym import Sym

__all__ = ["unlifted"]


def unlifted(ep: Any, check_guards: bool) -> GraphModule:
    """The module of an exported program, see `ExportedProgram.module`."""
    signature = ep.graph_signature
    call = ep.module_call_graph[0].signature
    root = Module()
    graph = Graph()
    copies: dict[Node, Any] = {}
    placeholders = [n for n in ep.graph.nodes if n.op == "placeholder"]
    users: list[Node] = []
    attributes: dict[str, Any] = {}
    for node, spec in zip(placeholders, signature.input_specs, strict=True):
        if spec.kind is InputKind.USER_INPUT:
            made = graph.placeholder(node.name)
            users.append(node)
            made.meta = dict(node.meta)
            copies[node] = made
    for node, spec in zip(placeholders, signature.input_specs, strict=True):
        if spec.kind is InputKind.USER_INPUT:
            continue
        assert spec.target is not None
        value = ep.constants.get(spec.target, ep.state_dict.get(spec.target))
        assign(root, spec.target, value, spec.persistent)
        made = graph.create_node("get_attr", spec.target, name=spec.target.replace(".", "_"))
        made.meta = dict(node.meta)
        copies[node] = attributes[spec.target] = made
    if check_guards:
        root.add_module("_guards_fn", GuardsFn(_guards(ep, users)))
        graph.call_module("_guards_fn", tuple(copies[n] for n in users))
    for node in ep.graph.nodes:
        if node.op not in ("placeholder", "output"):
            copies[node] = graph.node_copy(node, lambda n: copies[n])
    results = []
    by_name = {n.name: copies[n] for n in users}
    aten = rushlight.ops.aten
    for x, output in zip(ep.graph.output_node().args[0], signature.output_specs, strict=True):
        value = copies[x] if isinstance(x, Node) else x
        if output.kind in (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION):
            graph.create_node("call_function", aten.copy_.default, (attributes[output.target], value), name="copy_")
        elif output.kind is OutputKind.USER_INPUT_MUTATION:
            graph.create_node("call_function", aten.copy_.default, (by_name[output.target], value), name="copy_")
        else:
            results.append(value)
    graph.output(tuple(results))
    names = call.forward_arg_names or []
    graph.set_codegen(_CallCodeGen(names, call.in_spec, call.out_spec))
    module = GraphModule(root, graph, "GraphModule")
    module._in_spec, module._out_spec = call.in_spec, call.out_spec
    module.register_forward_pre_hook(_Check(call.in_spec), with_kwargs=True)
    for spec in signature.input_specs:
        if spec.kind is InputKind.CONSTANT_TENSOR:  # no buffer: state dicts are of the module's own
            owner, _, last = spec.target.rpartition(".")
            at = module.get_submodule(owner)
            vars(at)[last] = at._buffers.pop(last)
    module.train(True)
    module.train = _fixed("train")  # type: ignore[method-assign]
    module.eval = _fixed("eval")  # type: ignore[method-assign]
    return module


def _fixed(name: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{name}(): an exported program has the mode that it was exported in")

    return refuse


def folder(root: Module, path: str) -> tuple[Module, str]:
    """The module in which a path's last part stands, made where it is not there, and that part."""
    *parts, last = path.split(".")
    for part in parts:
        if root._modules.get(part) is None:
            root.add_module(part, Module())
        root = root.get_submodule(part)
    return root, last


def assign(root: Module, path: str, value: Any, persistent: bool | None) -> None:
    """Keep a parameter, a buffer or a constant (`persistent`: None) under its path. RuntimeError: it is no tensor."""
    at, last = folder(root, path)
    if isinstance(value, Parameter):
        at.register_parameter(last, value)
    elif isinstance(value, Tensor):
        if persistent is None:
            setattr(at, last, value)
        else:
            at.register_buffer(last, value, persistent)
    else:
        raise RuntimeError(f"ExportedProgram: the program lacks the tensor {path!r}")


class _CallCodeGen(CodeGen):
    """Writes a function of the module's own arguments: it begins by taking (args, kwargs) apart."""

    def __init__(self, names: list[str], in_spec: Spec, out_spec: Spec) -> None:
        self.names, self.in_spec, self.out_spec = names, in_spec, out_spec
        self.positional = in_spec.child(0).num_children

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """The first line, and the one that takes the containers apart."""
        head = f"def forward(self, {', '.join(self.names)}){maybe_return_annotation}:"
        if not self.names:
            return f"def forward(self){maybe_return_annotation}:"
        taken = ", ".join(v.split(":")[0].split(" = ")[0] for v in free_vars if v != "self")
        args = ", ".join(self.names[: self.positional])
        kwargs = ", ".join(f"{n!r}:{n}" for n in self.names[self.positional :])
        return f"{head}\n    {taken}, = fx_pytree.tree_flatten_spec(([{args}], {{{kwargs}}}), self._in_spec)"

    def generate_output(self, output_args: Any) -> str:
        """The line that returns."""
        return f"return pytree.tree_unflatten({output_args!r}, self._out_spec)"

    def process_inputs(self, *inputs: Any) -> Any:
        """The leaves of the arguments."""
        return flatten(inputs)[0]

    def process_outputs(self, outputs: Any) -> Any:
        """The container of the graph's outputs."""
        return self.out_spec.unflatten(list(outputs))


class _Check:
    """Before a call: its arguments have the containers of the exported one; names come in that one's order."""

    def __init__(self, in_spec: Spec) -> None:
        self.in_spec = in_spec

    def __call__(self, module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        given = self.in_spec.unflatten(self.in_spec.leaves_of_call(args, kwargs))
        return tuple(given[0]), dict(given[1])


Guard = tuple[str, Callable[[list[Any]], bool]]


class GuardsFn(Module):
    """Checks the inputs of a call against those that the program is for."""

    def __init__(self, checks: list[Guard]) -> None:
        super().__init__()
        self.checks = checks

    def forward(self, *args: Any) -> None:
        """AssertionError: an input is none that the program is for."""
        for text, holds in self.checks:
            if not holds(list(args)):
                raise AssertionError(f"Guard failed: {text}")

    def __deepcopy__(self, memo: Any) -> GuardsFn:
        return GuardsFn(copy.copy(self.checks))


def _guards(ep: Any, users: list[Node]) -> list[Guard]:
    """What holds of the inputs that the program is for."""
    specs = [s for s in ep.graph_signature.input_specs if s.kind is InputKind.USER_INPUT]
    found: list[Guard] = []
    first: dict[str, tuple[int, int, str]] = {}  # where each symbol is the size of a dimension
    others: list[tuple[int, int, str, Sym]] = []
    for i, (node, spec) in enumerate(zip(users, specs, strict=True)):
        if isinstance(spec.arg, ConstantArgument):
            found.append(_constant(i, node.name, spec.arg.value))
            continue
        val = node.meta.get("val")
        if not isinstance(val, Tensor):
            continue
        found.append(_rank(i, node.name, len(val.shape)))
        for d, s in enumerate(val.shape):
            text = f"{node.name}.size()[{d}]"
            if not isinstance(s, Sym):
                found.append(_equal(i, d, f"{text} == {s}", s))
                continue
            names = symbol_names(s)
            if len(names) == 1 and repr(s) in names and repr(s) not in first:
                first[repr(s)] = i, d, text
                bounds = next((r for k, r in ep.range_constraints.items() if repr(k) == repr(s)), None)
                if bounds is not None and bounds.lower > 2:
                    found.append(_at_least(i, d, f"{text} >= {int(bounds.lower)}", int(bounds.lower)))
                if bounds is not None and bounds.upper != float("inf"):
                    found.append(_at_most(i, d, f"{text} <= {int(bounds.upper)}", int(bounds.upper)))
            else:
                others.append((i, d, text, s))
    for i, d, text, size in others:
        if all(name in first for name in symbol_names(size)):
            found.append(_as_computed(i, d, f"{text} == {size}", size, first))
    for guard in ep.graph_module.meta.get("guards", ()):
        if all(name in first for name in symbol_names(guard.lhs - guard.rhs)):
            found.append(_compared(guard, first))
    return found


def _compared(guard: Any, first: dict[str, tuple[int, int, str]]) -> Guard:
    compare = {"==": operator.eq, "<": operator.lt, "<=": operator.le}[guard.op]

    def holds(args: list[Any]) -> bool:
        def symbol(name: str) -> int:
            i, d, _ = first[name]
            return int(args[i].shape[d])

        return bool(compare(value_of(guard.lhs, symbol), value_of(guard.rhs, symbol)) == guard.expected)

    return str(guard), holds


def _constant(i: int, name: str, value: Any) -> Guard:
    return (
        f"{name} == {value!r}" if value is not None else f"{name} is None",
        lambda args: args[i] is None if value is None else not isinstance(args[i], Tensor) and bool(args[i] == value),
    )


def _rank(i: int, name: str, n: int) -> Guard:
    return f"len({name}.size()) == {n}", lambda args: isinstance(args[i], Tensor) and args[i].ndim == n


def _equal(i: int, d: int, text: str, n: int) -> Guard:
    return text, lambda args: bool(args[i].shape[d] == n)


def _at_least(i: int, d: int, text: str, n: int) -> Guard:
    return text, lambda args: bool(args[i].shape[d] >= n)


def _at_most(i: int, d: int, text: str, n: int) -> Guard:
    return text, lambda args: bool(args[i].shape[d] <= n)


def _as_computed(i: int, d: int, text: str, s: Sym, first: dict[str, tuple[int, int, str]]) -> Guard:
    def holds(args: list[Any]) -> bool:
        return bool(args[i].shape[d] == value_of(s, lambda name: args[first[name][0]].shape[first[name][1]]))

    return text, holds


_ATOMS: dict[str, Callable[[int, int], int]] = {
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "min": min,
    "max": max,
}


def value_of(s: Any, symbol: Callable[[str], int]) -> int:
    """A size as a number, with numbers for its symbols."""
    if not isinstance(s, Sym):
        return int(s)
    total = 0
    for mono, c in s.terms.items():
        for atom in mono:
            if atom.op == "var":
                c *= symbol(repr(Sym(s.env, {(atom,): 1})))
                continue
            a, b = (value_of(s.env.adopt(x), symbol) for x in atom.args)
            c *= _ATOMS[atom.op](a, b)
        total += c
    return total
