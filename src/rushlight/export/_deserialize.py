"""An exported program of the JSON document of a `.pt2` file."""

from __future__ import annotations

import math
import operator
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from rushlight.core.tensor import Tensor
from rushlight.export import graph_signature
from rushlight.export._ranges import Ranges, ValueRanges
from rushlight.export._serialize import DTYPES, LAYOUTS, MEMORY_FORMATS
from rushlight.export._symbols import size_of_text
from rushlight.export._trace import SizedFake, describe_tensors, named_placeholder
from rushlight.export.exported_program import ExportedProgram, ModuleCallEntry, ModuleCallSignature
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node
from rushlight.library.aten import ForeignOverload, find
from rushlight.library.operator import namespace
from rushlight.nn.modules.module import Module
from rushlight.program.sym import Int, Sym, hint
from rushlight.utils._pytree import treespec_loads

__all__ = ["program_of"]

_DTYPES = {n: name for name, n in DTYPES.items()}
_LAYOUTS = {n: name for name, n in LAYOUTS.items()}
_FORMATS = {n: name for name, n in MEMORY_FORMATS.items()}
_MAJOR = 8


def dtype_of(n: int) -> Any:
    """The dtype of a file's number."""
    return _named(_DTYPES, n, "dtype")


def _named(names: dict[int, str], n: int, what: str) -> Any:
    if n not in names:
        raise NotImplementedError(f"export.load(): the file has a {what} of number {n}, which rushlight lacks")
    return getattr(rushlight, names[n])


def program_of(
    document: dict[str, Any], state: dict[str, Tensor], constants: dict[str, Any], example: Any
) -> ExportedProgram:
    """The exported program.

    Raises:
        NotImplementedError: it has calls of operators that rushlight lacks, or of higher order.
        RuntimeError: the document is of another version.
    """
    major = document.get("schema_version", {}).get("major")
    if major != _MAJOR:
        raise RuntimeError(f"export.load(): the file's schema must be of version {_MAJOR}; found {major}")
    return _Reader(document, state, constants, example).read()


class _Reader:
    def __init__(
        self, document: dict[str, Any], state: dict[str, Tensor], constants: dict[str, Any], example: Any
    ) -> None:
        self.document, self.state, self.constants, self.example = document, state, constants, example
        self.ranges = Ranges()
        self.symbols: dict[str, Sym] = {}
        self.graph = Graph()
        self.nodes: dict[str, Node] = {}
        self.fakes = FakeTensorMode()
        self.values = document["graph_module"]["graph"]["tensor_values"]
        self.sizes = document["graph_module"]["graph"]["sym_int_values"]
        self.hints: dict[str, int] = {}

    def read(self) -> ExportedProgram:
        written = self.document["graph_module"]
        graph, signature = written["graph"], written["signature"]
        self.collect_hints()
        inputs = [self.input_spec(s) for s in signature["input_specs"]]
        for spec, arg in zip(inputs, graph["inputs"], strict=True):
            node = self.placeholder(spec.arg.name)
            node.meta["val"] = (
                spec.arg.value
                if isinstance(spec.arg, graph_signature.ConstantArgument)
                else self.fake(self.values[spec.arg.name])
            )
            del arg
        for entry in graph["nodes"]:
            self.node(entry)
        outputs = [self.output_spec(s) for s in signature["output_specs"]]
        self.graph.output(tuple(self.argument(a) for a in graph["outputs"]))
        describe_tensors(self.graph)
        return ExportedProgram(
            root=GraphModule(Module(), self.graph, "GraphModule"),
            graph=self.graph,
            graph_signature=graph_signature.ExportGraphSignature(inputs, outputs),
            state_dict=self.state,
            range_constraints={
                self.symbol(name): ValueRanges(
                    -math.inf if r.get("min_val") is None else r["min_val"],
                    math.inf if r.get("max_val") is None else r["max_val"],
                )
                for name, r in self.document["range_constraints"].items()
            },
            module_call_graph=[self.module_call(entry) for entry in written["module_call_graph"]],
            example_inputs=self.example,
            constants=self.constants,
            dialect=(self.document.get("verifiers") or ["TRAINING"])[0],
        )

    # ---- sizes
    def collect_hints(self) -> None:
        """The example values of symbols, of the sizes that are one."""
        for meta in self.values.values():
            for s in meta["sizes"]:
                self._hint_of(s)
        for s in self.sizes.values():
            self._hint_of(s)

    def _hint_of(self, s: dict[str, Any]) -> None:
        expression = s.get("as_expr")
        if expression is None or not expression["expr_str"].startswith("Symbol("):
            return
        name = expression["expr_str"].split("'")[1]
        found = (expression.get("hint") or {}).get("as_int")
        if found is not None:
            self.hints.setdefault(name, found)

    def symbol(self, name: str) -> Sym:
        """The symbol of a name."""
        found = self.symbols.get(name)
        if found is None:
            found = self.symbols[name] = self.ranges.new(self.hints.get(name, 2), name)
        return found

    def size(self, s: dict[str, Any]) -> Int:
        """A size of a tensor."""
        if "as_int" in s:
            return int(s["as_int"])
        return size_of_text(s["as_expr"]["expr_str"], self.symbol)

    def fake(self, meta: dict[str, Any]) -> FakeTensor:
        """A fake tensor of what a file says of one."""
        shape = tuple(self.size(s) for s in meta["sizes"])
        strides = tuple(hint(self.size(s)) for s in meta["strides"])
        elem = rushlight.empty_strided(tuple(map(hint, shape)), strides, dtype=dtype_of(meta["dtype"]), device="meta")
        symbolic = any(isinstance(s, Sym) for s in shape)
        made = (SizedFake if symbolic else FakeTensor)(self.fakes, elem, rushlight.device(meta["device"]["type"]))
        if isinstance(made, SizedFake):
            made.symbols = shape
        if meta["requires_grad"]:
            made.requires_grad_(True)
        return made

    # ---- the graph
    def placeholder(self, name: str) -> Node:
        node = named_placeholder(self.graph, name)
        self.nodes[name] = node
        return node

    def node(self, entry: dict[str, Any]) -> None:
        """A call, and the results that it has several of."""
        target = self.target(entry["target"])
        args = tuple(self.argument(a["arg"]) for a in entry["inputs"] if a.get("kind", 1) == 1)
        kwargs = {a["name"]: self.argument(a["arg"]) for a in entry["inputs"] if a.get("kind", 1) == 2}
        outputs = entry["outputs"]
        one = len(outputs) == 1 and ("as_tensor" in outputs[0] or "as_sym_int" in outputs[0])
        if one:
            (output,) = outputs[0].values()
            name = output["name"] if "name" in output else output["as_name"]
        else:
            name = entry.get("name") or getattr(target, "__name__", "call").partition(".")[0]
        node = self.graph.create_node("call_function", target, args, kwargs, name=name)
        self.metadata(node, entry.get("metadata") or {})
        if one:
            self.nodes[name] = node
            node.meta["val"] = self.value(name, "as_tensor" in outputs[0])
            return
        if not outputs:
            node.meta["val"] = None
            return
        as_list = "as_tensors" in outputs[0]
        names = [o["name"] for o in outputs[0]["as_tensors"]] if as_list else [
            o["as_tensor"]["name"] if "as_tensor" in o else None for o in outputs
        ]  # fmt: skip
        vals = [None if n is None else self.value(n, True) for n in names]
        node.meta["val"] = vals if as_list else tuple(vals)
        for i, (n, val) in enumerate(zip(names, vals, strict=True)):
            if n is None:
                continue
            item = self.graph.create_node("call_function", operator.getitem, (node, i), {}, name=n)
            self.metadata(item, entry.get("metadata") or {})
            item.meta["val"] = val
            self.nodes[n] = item

    def value(self, name: str, tensor: bool) -> FakeTensor | Sym | int:
        """What the meta of a value says."""
        return self.fake(self.values[name]) if tensor else self.size(self.sizes[name])

    def metadata(self, node: Node, written: dict[str, str]) -> None:
        if written.get("stack_trace"):
            node.meta["stack_trace"] = written["stack_trace"]
        stack = written.get("nn_module_stack")
        if stack:
            parts = (entry.split(",") for entry in stack.split(";"))
            node.meta["nn_module_stack"] = OrderedDict((p[0], (p[1], p[2])) for p in parts if len(p) >= 3)

    def target(self, name: str) -> Any:
        """What a file's name of a function stands for."""
        if name.startswith("torch.ops.higher_order."):
            raise NotImplementedError(
                f"export.load(): the program has a call of {name}, which takes graphs; rushlight lacks such operators. "
                "Export without torch.no_grad(), autocast and control flow inside of forward, or run_decompositions() "
                "first"
            )
        if name.startswith("torch.ops."):
            space, packet, overload = name.removeprefix("torch.ops.").split(".")
            if space == "aten":
                found = find(f"{packet}.{overload}")
            else:
                found = getattr(getattr(namespace(space), packet, None), overload, None)
            if found is None or isinstance(found, ForeignOverload) and not callable(found.function):
                raise NotImplementedError(f"export.load(): the program calls {name}, which rushlight lacks")
            return found
        if name.startswith("_operator."):
            return getattr(operator, name.removeprefix("_operator."))
        if name in _FUNCTIONS:
            return _FUNCTIONS[name]()
        raise NotImplementedError(f"export.load(): the program calls {name}, which rushlight lacks")

    def argument(self, written: dict[str, Any]) -> Any:
        """An argument of a call."""
        ((kind, x),) = ((k, v) for k, v in written.items())
        read = _READ.get(kind)
        if read is None:
            raise NotImplementedError(f"export.load(): the program has an argument {kind}, which rushlight lacks")
        return read(self, x)

    # ---- the signature
    def input_spec(self, s: dict[str, Any]) -> graph_signature.InputSpec:
        ((kind, x),) = s.items()
        if kind == "user_input":
            (arg,) = x["arg"].values()
            return graph_signature.InputSpec(
                graph_signature.InputKind.USER_INPUT, graph_signature.TensorArgument(arg["name"]), None
            )
        for name, of, keys in (
            ("parameter", graph_signature.InputKind.PARAMETER, ("parameter_name",)),
            ("buffer", graph_signature.InputKind.BUFFER, ("buffer_name", "persistent")),
            ("tensor_constant", graph_signature.InputKind.CONSTANT_TENSOR, ("tensor_constant_name",)),
        ):
            if kind == name:
                held = graph_signature.TensorArgument(x["arg"]["name"])
                return graph_signature.InputSpec(of, held, *(x[key] for key in keys))
        if kind == "constant_input":
            return graph_signature.InputSpec(
                graph_signature.InputKind.USER_INPUT,
                graph_signature.ConstantArgument(x["name"], self.argument(x["value"])),
                None,
            )
        raise NotImplementedError(f"export.load(): the program has an input {kind}, which rushlight lacks")

    def output_spec(self, s: dict[str, Any]) -> graph_signature.OutputSpec:
        ((kind, x),) = s.items()
        if kind == "user_output":
            ((form, value),) = x["arg"].items()
            arg: graph_signature.ArgumentSpec
            if form == "as_tensor":
                arg = graph_signature.TensorArgument(value["name"])
            elif form == "as_sym_int":
                arg = graph_signature.SymIntArgument(value["as_name"])
            else:
                arg = graph_signature.ConstantArgument("", self.argument(x["arg"]))
            return graph_signature.OutputSpec(graph_signature.OutputKind.USER_OUTPUT, arg, None)
        for name, of, key in (
            ("buffer_mutation", graph_signature.OutputKind.BUFFER_MUTATION, "buffer_name"),
            ("parameter_mutation", graph_signature.OutputKind.PARAMETER_MUTATION, "parameter_name"),
            ("user_input_mutation", graph_signature.OutputKind.USER_INPUT_MUTATION, "user_input_name"),
        ):
            if kind == name:
                return graph_signature.OutputSpec(of, graph_signature.TensorArgument(x["arg"]["name"]), x[key])
        raise NotImplementedError(f"export.load(): the program has an output {kind}, which rushlight lacks")

    def module_call(self, entry: dict[str, Any]) -> ModuleCallEntry:
        s = entry["signature"]
        if s is None or s["inputs"] or s["outputs"]:
            return ModuleCallEntry(entry["fqn"], None)
        signature = ModuleCallSignature(
            [], [], treespec_loads(s["in_spec"]), treespec_loads(s["out_spec"]), s.get("forward_arg_names")
        )
        return ModuleCallEntry(entry["fqn"], signature)


def _real(x: Any) -> float:
    return float(x)


_READ: dict[str, Callable[[_Reader, Any], Any]] = {
    "as_none": lambda r, x: None,
    "as_tensor": lambda r, x: r.nodes[x["name"]],
    "as_tensors": lambda r, x: [r.nodes[v["name"]] for v in x],
    "as_optional_tensor": lambda r, x: r.nodes[x["as_tensor"]["name"]] if "as_tensor" in x else None,
    "as_optional_tensors": lambda r, x: [r.nodes[v["as_tensor"]["name"]] if "as_tensor" in v else None for v in x],
    "as_int": lambda r, x: int(x),
    "as_ints": lambda r, x: [int(v) for v in x],
    "as_int_lists": lambda r, x: [[int(n) for n in v] for v in x],
    "as_float": lambda r, x: _real(x),
    "as_floats": lambda r, x: [_real(v) for v in x],
    "as_string": lambda r, x: str(x),
    "as_strings": lambda r, x: [str(v) for v in x],
    "as_bool": lambda r, x: bool(x),
    "as_bools": lambda r, x: [bool(v) for v in x],
    "as_complex": lambda r, x: complex(x["real"], x["imag"]),
    "as_sym_int": lambda r, x: r.nodes[x["as_name"]] if "as_name" in x else int(x["as_int"]),
    "as_sym_ints": lambda r, x: [r.nodes[v["as_name"]] if "as_name" in v else int(v["as_int"]) for v in x],
    "as_scalar_type": lambda r, x: dtype_of(x),
    "as_layout": lambda r, x: _named(_LAYOUTS, x, "layout"),
    "as_memory_format": lambda r, x: _named(_FORMATS, x, "memory format"),
    "as_device": lambda r, x: rushlight.device(x["type"] if x.get("index") is None else f"{x['type']}:{x['index']}"),
}
_FUNCTIONS: dict[str, Callable[[], Any]] = {
    "torch.sym_min": lambda: rushlight.sym_min,
    "torch.sym_max": lambda: rushlight.sym_max,
    "torch.sym_not": lambda: rushlight.sym_not,
    "torch.sym_float": lambda: rushlight.sym_float,
    "math.trunc": lambda: math.trunc,
}
