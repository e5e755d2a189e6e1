"""`torch.export.export`: the module runs once, and what it called is the graph."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import rushlight
from rushlight._dynamo.exc import UserError
from rushlight.core.checks import check_type
from rushlight.core.tensor import Tensor
from rushlight.export._ranges import INFINITE, Ranges, ValueRanges, linear
from rushlight.export._symbols import symbol_names
from rushlight.export._trace import Recorder, SizedFake, Value, describe_tensors, named_placeholder, stacked, tracing
from rushlight.export.dynamic_shapes import AdditionalInputs, ShapesCollection, Sizes, arguments, each_leaf, specialized
from rushlight.export.exported_program import ExportedProgram, ModuleCallEntry, ModuleCallSignature
from rushlight.export.graph_signature import (
    ArgumentSpec,
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymIntArgument,
    TensorArgument,
)
from rushlight.func.tree import flatten
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.nn.modules.module import Module
from rushlight.program.sym import Guard, Sym, Undecided
from rushlight.utils._pytree import tree_flatten_with_path

__all__ = ["export_module"]


def export_module(
    mod: Module, args: tuple[Any, ...], kwargs: dict[str, Any] | None, dynamic_shapes: Any
) -> ExportedProgram:
    """See `torch.export.export`."""
    check_type("export()", "mod", mod, Module, error=ValueError)
    check_type("export()", "args", args, tuple, "a tuple of the inputs by position", UserError)
    kwargs = dict(kwargs or {})
    return _Export(mod, args, kwargs, dynamic_shapes).run()


class _Export:
    """One export, with the arguments of `export`."""

    def __init__(self, mod: Module, args: tuple[Any, ...], kwargs: dict[str, Any], dynamic_shapes: Any) -> None:
        self.mod, self.args, self.kwargs = mod, args, kwargs
        self.graph = Graph()
        self.ranges = Ranges()
        self.sizes = Sizes(self.ranges)
        self.recorder = Recorder(self.graph, self.ranges)
        self.recorder.place_constant = self.place_constant
        self.inputs: list[InputSpec] = []
        self.last_reference: Node | None = None
        self.constants: dict[str, Any] = {}
        self.state: dict[str, Tensor] = {}
        self.shapes: dict[str, tuple[Any, ...]] = {}  # by the name of an input
        self.rest: list[Guard] = []  # guards that are no ranges of sizes
        if isinstance(dynamic_shapes, (ShapesCollection, AdditionalInputs)):
            dynamic_shapes = dynamic_shapes.dynamic_shapes(mod, args, kwargs)
        self.dynamic_shapes = dynamic_shapes

    def run(self) -> ExportedProgram:
        self.references()
        buffers = {id(m): dict(m._buffers) for m in self.mod.modules()}
        before = {id(m): set(vars(m)) for m in self.mod.modules()}
        given = {id(m): dict(vars(m)) for m in self.mod.modules()}
        with tracing(self.ranges):
            values, kwarg_values = self.user_inputs()
            try:
                with stacked(self.recorder, self.mod), self.recorder:
                    result = self.mod(*values, **kwarg_values)
                    self.written_buffers(buffers)
            finally:
                for m in self.mod.modules():
                    m._buffers.clear()
                    m._buffers.update(buffers[id(m)])
                assigned = self.assigned(before, given)
            if assigned:
                raise ValueError(
                    f"export(): forward puts a tensor into {assigned[0]}, which is no buffer, so that no program can "
                    "keep it; make it one by register_buffer()"
                )
            leaves, out_spec = flatten(result)
            outputs = [self.output(x) for x in leaves]
            made = [node for node, _ in outputs]
            self.graph.output(tuple(made))
            self.settle()
        for node in self.graph.nodes:
            val = node.meta.get("val")
            for v in val if isinstance(val, (list, tuple)) else (val,):
                if isinstance(v, SizedFake):  # by what the program has found of sizes since
                    v.symbols = tuple(map(self.ranges.simplify, v.symbols))
        describe_tensors(self.graph)
        root = GraphModule(Module(), self.graph, "GraphModule")
        root.meta["inline_constraints"] = {}
        root.meta["guards"] = self.rest
        signature = ExportGraphSignature(self.inputs, [spec for _, spec in outputs])
        names = [*_positional_names(self.mod, self.args), *self.kwargs]
        in_spec = flatten((self.args, self.kwargs))[1]
        calls = [ModuleCallEntry("", ModuleCallSignature([], [], in_spec, out_spec, names))]
        calls += [ModuleCallEntry(path, None) for path, _ in self.mod.named_modules(remove_duplicate=False) if path]
        return ExportedProgram(
            root=root,
            graph=self.graph,
            graph_signature=signature,
            state_dict=self.state,
            range_constraints=self.range_constraints(),
            module_call_graph=calls,
            example_inputs=(self.args, self.kwargs),
            constants=self.constants,
        )

    # ---- inputs
    def references(self) -> None:
        """The parameters and buffers, which are the graph's first inputs."""
        persistent = set(self.mod.state_dict(keep_vars=True))
        for path, p in self.mod.named_parameters(remove_duplicate=False):
            node = self.placeholder("p_" + _in_words(path))
            self.recorder_input(node, p)
            self.inputs.append(InputSpec(InputKind.PARAMETER, TensorArgument(node.name), path))
            self.state[path] = p
        for path, b in self.mod.named_buffers(remove_duplicate=False):
            node = self.placeholder("b_" + _in_words(path))
            self.recorder_input(node, b)
            self.inputs.append(InputSpec(InputKind.BUFFER, TensorArgument(node.name), path, path in persistent))
            if path in persistent:
                self.state[path] = b
            else:
                self.constants[path] = b

    def recorder_input(self, node: Node, t: Tensor) -> None:
        with tracing(self.ranges):
            self.recorder.input(node, t, real=True)
        self.last_reference = node

    def placeholder(self, name: str) -> Node:
        return named_placeholder(self.graph, re.sub(r"\W", "_", name))

    def place_constant(self, t: Tensor) -> Node:
        """The input for a tensor that the module refers to: an attribute of a module by its path, else by a number."""
        path = self.attribute(t)
        literal = path is None
        if path is None:
            path = f"lifted_tensor_{sum(p.startswith('lifted_tensor_') for p in self.constants)}"
        behind = self.last_reference
        with self.graph.inserting_after(behind) if behind is not None else self.graph.inserting_before():
            node = self.placeholder("c_" + _in_words(path))
        node.meta["literal"] = literal
        self.last_reference = node
        self.constants[path] = t
        spec = InputSpec(InputKind.CONSTANT_TENSOR, TensorArgument(node.name), path)
        at = sum(s.kind is not InputKind.USER_INPUT for s in self.inputs)
        self.inputs.insert(at, spec)
        return node

    def attribute(self, t: Tensor) -> str | None:
        for path, m in self.mod.named_modules():
            for name, x in vars(m).items():
                if x is t:
                    return f"{path}.{name}" if path else name
        return None

    def user_inputs(self) -> tuple[list[Any], dict[str, Any]]:
        """The arguments with values in the place of tensors."""
        shapes = self.arranged_shapes()
        known = arguments(self.mod, self.args, self.kwargs)
        flat = [x for name, tree in known.items() for x in each_leaf(tree, shapes.get(name), f"L['{name}']")]
        names = _leaf_names(self.mod, self.args, self.kwargs)
        (leaves, in_spec) = flatten((self.args, self.kwargs))
        order = _by_call(known, flat, leaves)
        values = []
        for leaf, name, (_, spec, where) in zip(leaves, names, order, strict=True):
            node = self.placeholder(name)
            if isinstance(leaf, Tensor):
                shape = self.sizes.of(leaf, spec, where)
                value: Any = self.recorder.input(node, leaf, shape)
                self.inputs.append(InputSpec(InputKind.USER_INPUT, TensorArgument(node.name), None))
                self.shapes[node.name] = shape
            elif leaf is None or isinstance(leaf, (int, float, bool, str)):
                value = leaf
                node.meta["val"] = leaf
                self.inputs.append(InputSpec(InputKind.USER_INPUT, ConstantArgument(node.name, leaf), None))
            else:
                raise UserError(
                    f"export(): an input must be a tensor, a number, a text or None, in containers; found a "
                    f"{type(leaf).__name__}. torch.export.register_dataclass and "
                    "torch.utils._pytree.register_pytree_node make containers of classes"
                )
            values.append(value)
        args, kwargs = in_spec.unflatten(values)
        return list(args), kwargs

    def arranged_shapes(self) -> dict[str, Any]:
        """`dynamic_shapes` by the names of forward's parameters."""
        given, known = self.dynamic_shapes, arguments(self.mod, self.args, self.kwargs)
        if given is None:
            return {}
        if isinstance(given, Mapping):
            if set(given) != set(known):
                raise UserError(
                    f"export(): the keys of 'dynamic_shapes' must be the names of the arguments, {list(known)}; found "
                    f"{list(given)}"
                )
            return dict(given)
        if not isinstance(given, (tuple, list)):
            raise UserError(
                "export(): 'dynamic_shapes' must be a dict by the parameters' names, or a tuple or list in their "
                f"order; found a {type(given).__name__}"
            )
        if len(given) != len(known):
            raise UserError(
                f"export(): 'dynamic_shapes' must have an entry for each of the {len(known)} arguments; found "
                f"{len(given)}"
            )
        return dict(zip(known, given, strict=True))

    # ---- outputs
    def output(self, x: Any) -> tuple[Any, OutputSpec]:
        """A leaf of the result, as the graph returns it."""
        arg: ArgumentSpec
        if isinstance(x, Tensor):
            node = self.recorder.argument(x)
            return node, OutputSpec(OutputKind.USER_OUTPUT, TensorArgument(node.name), None)
        if isinstance(x, Sym):
            node = self.recorder.sizes.node(x)
            arg = SymIntArgument(node.name) if isinstance(node, Node) else ConstantArgument("", node)
            return node, OutputSpec(OutputKind.USER_OUTPUT, arg, None)
        if isinstance(x, Undecided):
            x = bool(x)
        if x is None or isinstance(x, (int, float, bool, str)):
            return x, OutputSpec(OutputKind.USER_OUTPUT, ConstantArgument("", x), None)
        raise UserError(
            f"export(): forward must return tensors, numbers, texts and None, in containers; found a {type(x).__name__}"
        )

    def written_buffers(self, before: dict[int, dict[str, Any]]) -> None:
        """A buffer that was replaced gets the value that took its place."""
        aten = rushlight.ops.aten
        for m in self.mod.modules():
            for name, b in m._buffers.items():
                old = before[id(m)].get(name)
                if b is old or not isinstance(b, Tensor) or not isinstance(old, Tensor):
                    continue
                target = self.recorder.lifted(old)
                self.recorder.call(aten.copy_.default, (target, self.recorder.lifted(b)), {}, target)

    def assigned(self, before: dict[int, set[str]], given: dict[int, dict[str, Any]]) -> list[str]:
        """The attributes of modules that hold a value of the trace; they are put back."""
        found = []
        for path, m in self.mod.named_modules():
            for name in list(vars(m)):
                x = vars(m)[name]
                if not any(isinstance(t, Value) for t in flatten(x)[0]) or name.startswith("_") and name in (
                    "_buffers", "_parameters", "_modules"
                ):  # fmt: skip
                    continue
                found.append(f"self.{path}.{name}" if path else f"self.{name}")
                if name in before[id(m)]:
                    vars(m)[name] = given[id(m)][name]
                else:
                    del vars(m)[name]
        return found

    # ---- sizes
    def settle(self) -> None:
        """Compare the guards that the program has recorded for sizes with what was declared for them.

        Raises:
            UserError: the program is not valid for all sizes that it was to take.
        """
        r = self.ranges
        wrong: list[str] = []
        fixes: list[str] = []
        for index, (name, _) in self.sizes.declared.items():
            symbol = r.var(index)
            now = r.simplify(symbol)
            if isinstance(now, Sym) and now.terms == symbol.terms:
                continue
            hint = self.sizes.hints.get(index)
            if not isinstance(now, Sym):
                if hint is None or hint.type.name == "DYNAMIC":
                    raise specialized(name, now)
            elif hint is None:
                other = next(
                    (n for k, (n, d) in self.sizes.declared.items() if d is not None and r.var(k).terms == now.terms),
                    None,
                )
                wrong.append(f"  - {name} and {other or now} are one size to the program")
                fixes.append(f"  {name} = {other or now}")
        for guard in r.guards:
            self.narrow(guard)
        for guard in self.rest:
            sure = {n for k, n in self.must_vary() if n in symbol_names(guard.lhs - guard.rhs)}
            if sure:
                wrong.append(
                    f"  - the program needs {guard}, which not all declared sizes {', '.join(sorted(sure))} do"
                )
        for index, (name, declared) in self.sizes.declared.items():
            found = r.bounds[index]
            if declared is None or not isinstance(r.simplify(r.var(index)), Sym):
                continue
            low, high = max(2, declared.lower), declared.upper
            if found.lower > low or found.upper < high:
                ends = "".join(
                    f", {k}={int(v)}"
                    for k, v in (("min", found.lower if found.lower > 2 else 0), ("max", found.upper))
                    if v and v != INFINITE
                )
                wrong.append(f"  - {name} was declared in [{low}, {high}]; the program is for {found}")
                fixes.append(f"  {name} = Dim('{name}'{ends})")
        if wrong:
            names = ", ".join(sorted({name for name, d in self.sizes.declared.values() if d is not None}))
            advice = "\nSuggested fixes:\n" + "\n".join(fixes) if fixes else ""
            raise UserError(f"export(): constraints violated on {names}:\n" + "\n".join(wrong) + advice)

    def must_vary(self) -> list[tuple[int, str]]:
        """The symbols that were declared to vary, by index and name: those without a choice."""
        found = []
        for index, (_, declared) in self.sizes.declared.items():
            hint = self.sizes.hints.get(index)
            if declared is not None or hint is not None and hint.type.name == "DYNAMIC":
                found.append((index, self.ranges.names[index]))
        return found

    def narrow(self, guard: Guard) -> None:
        """Take a comparison into the bounds of its symbol, where it is of one; else keep it."""
        r = self.ranges
        difference = r.simplify(guard.lhs) - r.simplify(guard.rhs)
        if not isinstance(difference, Sym):
            return
        line = linear(difference)
        if line is None or guard.op == "==" and guard.expected:
            self.rest.append(guard)
            return
        index, a, b = line
        bounds = r.bounds[index]
        if guard.op == "==":  # the guard says that a x + b is not 0
            point, rest = divmod(-b, a)
            if rest:
                return
            if point == bounds.lower:
                r.bounds[index] = ValueRanges(point + 1, bounds.upper)
            elif point == bounds.upper:
                r.bounds[index] = ValueRanges(bounds.lower, point - 1)
            elif point in bounds:
                self.rest.append(guard)
            return
        # a x + b < 0 or <= 0, or not
        strict, holds = guard.op == "<", guard.expected
        if not holds:
            a, b, strict = -a, -b, not strict
        limit = -b - (1 if strict else 0)
        if a > 0:
            r.bounds[index] = bounds & ValueRanges(-INFINITE, limit // a)
        else:
            r.bounds[index] = bounds & ValueRanges(-(limit // -a), INFINITE)

    def range_constraints(self) -> dict[Any, ValueRanges]:
        """The bounds of the symbols that are left."""
        found: dict[Any, ValueRanges] = {}
        for expression, d in self.sizes.derived:
            now = self.ranges.simplify(expression)
            if isinstance(now, Sym):
                found[now] = ValueRanges(d.min, d.max)
        for index, (_, declared) in self.sizes.declared.items():
            symbol = self.ranges.var(index)
            if self.ranges.simplify(symbol) is symbol:
                bounds = self.ranges.bounds[index]
                low = declared.lower if declared is not None and bounds.lower <= 2 else bounds.lower
                found[symbol] = ValueRanges(low, bounds.upper)
        return found


def _in_words(path: str) -> str:
    """A path as a part of a node's name."""
    return path.removeprefix("self_").replace(".", "_").lower()


def _positional_names(mod: Module, args: tuple[Any, ...]) -> list[str]:
    """The names of the parameters that positional arguments are given for: x, args_0, args_1."""
    import inspect

    names: list[str] = []
    for p in inspect.signature(mod.forward).parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            names += [f"{p.name}_{i}" for i in range(len(args) - len(names))]
        elif p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            names.append(p.name)
    return names[: len(args)]


def _leaf_names(mod: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """A name for each leaf of the arguments: x, d_key, items_0."""
    named = [*zip(_positional_names(mod, args), args, strict=True), *kwargs.items()]
    names = []
    for name, tree in named:
        for path, _ in tree_flatten_with_path(tree)[0]:
            steps = [str(getattr(k, "key", getattr(k, "idx", getattr(k, "name", k)))) for k in path]
            names.append("_".join([name, *steps]))
    return names


def _by_call(known: dict[str, Any], flat: list[Any], leaves: list[Any]) -> list[Any]:
    """The leaves with their dynamic sizes in the order of the call, of those in the order of the parameters."""
    rest = list(flat)
    found = []
    for leaf in leaves:
        at = next(i for i, (x, _, _) in enumerate(rest) if x is leaf)
        found.append(rest.pop(at))
    return found
