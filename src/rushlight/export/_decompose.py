"""`ExportedProgram.run_decompositions`: the program in core operators, which write to nothing."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import rushlight
from rushlight.core import locks
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.export._ranges import Ranges
from rushlight.export._trace import (
    KNOWN_SIZES,
    RESHAPING,
    Recorder,
    SizesAlone,
    Value,
    describe_tensors,
    named_placeholder,
    tracing,
)
from rushlight.export.graph_signature import (
    ArgumentSpec,
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    OutputKind,
    OutputSpec,
    SymIntArgument,
    TensorArgument,
)
from rushlight.fx.experimental.functional_calls import FunctionalCalls
from rushlight.fx.graph import Graph
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.node import Node, map_arg
from rushlight.library import dispatching
from rushlight.library.aten import find
from rushlight.library.aten_schemas import schema_of
from rushlight.library.operator import OpOverload
from rushlight.nn.modules.module import Module
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.types import Device, DType
from rushlight.program.ir import aside
from rushlight.program.sym import Sym, hint

__all__ = ["decomposed"]

_ATEN: Any = rushlight.ops.aten


def decomposed(ep: Any, table: Mapping[Any, Callable[..., Any]] | None) -> dict[str, Any]:
    """The parts of the exported program that `ExportedProgram.run_decompositions` makes from another one."""
    from rushlight.export.decomp_utils import CustomDecompTable

    return _Decomposition(ep, CustomDecompTable() if table is None else table).run()


class _Undivided(Exception):
    """Raised where a call consists of primitives without a name in aten: it stays whole."""


def _undivided(t: Tensor) -> Node:
    raise _Undivided


class _Core(Recorder):
    """Writes calls as the core operators that they consist of.

    Args:
        graph, ranges: see Recorder.
        table: the functions that are run in the place of overloads.
    """

    def __init__(self, graph: Graph, ranges: Ranges, table: Mapping[Any, Callable[..., Any]]) -> None:
        super().__init__(graph, ranges)
        self.table = table
        self.stack: dict[str, Any] = {}  # the meta of the call that is taken apart
        self.loose: set[int] = set()  # the ids of values that may not lie row by row
        self.place_constant = _undivided
        self.call_of: Any = None  # the overload that the program is calling
        self.functional = FunctionalCalls(_Names(self), False, self.performed, _is_view, lambda t: self.value(t.var))

    def of_operator(self, op: Operator, values: list[Any], out: Any) -> Any:
        """A call of the table, as overloads of aten's."""
        with self:
            values = [self.lifted(v) for v in values]
        if op.name == "__setitem__":
            return self.assigned(values)
        return dispatching.dispatch(op, values, out, self.hand, self.inside)

    def inside(self, function: Callable[[], Any]) -> Any:
        """Run a function with the recorder in force again."""
        with self:
            return function()

    def of_overload(self, func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of an overload, of the program or of a decomposition."""
        if func.namespace == "prims":
            raise _Undivided
        if func.namespace != "aten" or not _dispatch.tensors_in([*args, *kwargs.values()]):
            return self.hand(func, args, kwargs)
        other = self.table.get(func)
        if other is not None and other is not func:
            with self:
                return other(*args, **kwargs)
        simple = _SIMPLER.get(f"{func.overloadpacket.__name__}.{func._overloadname}")
        if func not in self.table or not hasattr(func, "perform") or func.overloadpacket.__name__ in _WHOLE:
            return self.hand(func, args, kwargs)
        if simple is not None:
            return self.hand(func, args, kwargs)
        if func.overloadpacket.__name__ == "contiguous":
            if not kwargs and id(args[0]) not in self.loose:
                return args[0]
            return self.hand(_ATEN.clone.default, args, {"memory_format": rushlight.contiguous_format, **kwargs})
        if func.overloadpacket.__name__ == "batch_norm" and args[3] is not None:
            x, w, b, mean, var, training, momentum, eps, _ = args
            if training:
                return self.normalized((x, w, b, mean, var, True, momentum, eps))[0]
            return self.hand(
                find("_native_batch_norm_legit_no_training.default"), (x, w, b, mean, var, momentum, eps), {}
            )[0]
        with self:
            return func.perform(*args, **kwargs)

    def hand(self, func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Write a call of a core operator."""
        simple = _SIMPLER.get(f"{func.overloadpacket.__name__}.{func._overloadname}") if func in self.table else None
        if simple is not None:
            found = simple(*args, **kwargs)
            if found is not None:
                name, args, kwargs = found
                func = find(name)
        if func.overloadpacket.__name__ == "native_batch_norm" and args[3] is not None and args[5]:
            return self.normalized(args)
        if func.overloadpacket.__name__ == "view" and func is not self.call_of and id(args[0]) in self.loose:
            rows = self.functional.perform(
                _ATEN.clone.default, (args[0],), {"memory_format": rushlight.contiguous_format}
            )
            args = (rows, *args[1:])
        if func.overloadpacket.__name__ in _SAME and type(args[0]) is Value:
            return args[0]
        return self.functional.perform(func, args, kwargs)

    def normalized(self, args: tuple[Any, ...]) -> Any:
        """Batch normalization that keeps statistics: their new values are results."""
        functional = find("_native_batch_norm_legit_functional.default")
        found = self.functional.perform(functional, args, {})
        for buffer, new in zip(args[3:5], found[3:], strict=True):
            self.note(buffer, self.nodes[id(new)])
            self.functional.writes[id(buffer)] = self.functional.writes.get(id(buffer), 0) + 1
        return found[:3]

    def performed(self, func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a call gives, as values."""
        names, given = list(kwargs), [*args, *kwargs.values()]
        n = len(args)
        if func.overloadpacket.__name__ == "_linalg_check_errors":
            return None  # of values, at each call
        if func.overloadpacket.__name__ in RESHAPING:
            plain = find(f"{func.overloadpacket.__name__.rstrip('_')}.{func._overloadname}")
            args[0]._become(self.performed(plain, args, kwargs).var)
            return args[0]

        def function(plain: list[Any]) -> Any:
            named = dict(zip(names, plain[n:], strict=True))
            op = getattr(func, "operator", None)
            if op is not None and op.definition.name in KNOWN_SIZES:
                return self.inlined(op, plain)
            if hasattr(func, "perform"):
                with SizesAlone():
                    return func.perform(*plain[:n], **named)
            values = func.bind(tuple(plain[:n]), named)
            return func.run(func.fake or func.kernel(values), values)

        with rushlight.no_grad():
            result = self.run(function, given)
        schema = schema_of(func.overloadpacket.__name__, func._overloadname)
        written = schema is not None and schema.arguments and schema.arguments[0].written
        if isinstance(result, Value) and any(result is x for x in args) and not written:
            result = self.value(result.var)
        if not written and self.spreads(func, given):
            self.loose.update(id(y) for y in _dispatch.leaves_of([result]))
        return result

    def spreads(self, func: OpOverload, given: list[Any]) -> bool:
        """Whether a call's results may lie in another order than row by row."""
        name = func.overloadpacket.__name__
        if name in _DENSE or name == "clone" and rushlight.contiguous_format in given:
            return False
        return name in _SPREADING or any(id(x) in self.loose for x in _dispatch.leaves_of(given))


class _Names:
    """What FunctionalCalls writes for: a recorder's nodes."""

    def __init__(self, recorder: _Core) -> None:
        self.recorder, self.graph, self.nodes = recorder, recorder.graph, recorder.nodes

    def note(self, t: Tensor, node: Node) -> None:
        """`t` is what the node computes."""
        assert isinstance(t, Value)
        self.recorder.note(t, node)
        node.meta.setdefault("val", self.recorder.fake(t))
        node.meta.update({k: v for k, v in self.recorder.stack.items() if k not in node.meta})

    def node_of(self, t: Tensor) -> Node:
        """The node of a tensor, as that is now."""
        self.recorder.functional.renew(t)
        try:
            node: Node = Recorder.argument(self.recorder, t)
        except NotImplementedError:
            raise _Undivided from None
        return node

    def argument(self, x: Any) -> Any:
        """An argument of a call as that of a node."""
        if isinstance(x, Tensor):
            return self.node_of(x)
        return self.recorder.sizes.node(x) if isinstance(x, Sym) else x

    def shaped(self, node: Node, like: Tensor) -> None:
        """The node computes something of a tensor's sizes and dtype."""
        assert isinstance(like, Value)
        node.meta.setdefault("val", self.recorder.fake(like))
        node.meta.update({k: v for k, v in self.recorder.stack.items() if k not in node.meta})

    def results(self, result: Any, node: Node) -> None:
        """The values in `result` are what the node computes."""
        if isinstance(result, Value):
            self.note(result, node)
        elif isinstance(result, (tuple, list)):
            vals = [self.recorder.fake(t) if isinstance(t, Value) else t for t in result]
            target: Any = node.target
            schema = schema_of(target.overloadpacket.__name__, target._overloadname)
            node.meta["val"] = vals if schema is not None and schema.returns == ("T[]",) else tuple(vals)
            node.meta.update({k: v for k, v in self.recorder.stack.items() if k not in node.meta})
            for i, t in enumerate(result):
                if isinstance(t, Value):
                    item = self.graph.create_node("call_function", operator.getitem, (node, i), {}, name="getitem")
                    self.note(t, item)
        else:
            node.meta["val"] = result


_VIEWS = frozenset(
    """alias as_strided chunk detach diagonal expand movedim narrow permute select slice split split_with_sizes
    squeeze swapaxes swapdims t tensor_split transpose unbind unflatten unfold unsqueeze view view_as_complex
    view_as_real""".split()
)


def _is_view(func: OpOverload, a: Tensor, b: Tensor) -> bool:
    return func.overloadpacket.__name__ in _VIEWS


# Calls whose results may lie in another order than row by row, and those whose results never do.
_SPREADING = frozenset(
    """as_strided chunk diagonal expand movedim narrow permute select slice split split_with_sizes swapaxes swapdims t
    tensor_split transpose unbind unfold view_as_complex view_as_real""".split()
)
_DENSE = frozenset("mm bmm addmm baddbmm addmv mv dot cat stack view full zeros ones embedding".split())


# Calls whose result is their operand's value in a program that writes to nothing.
_SAME = frozenset(("detach", "alias", "lift_fresh", "detach_"))
# Calls that stay as they are, though they are done by operators of the table.
_WHOLE = frozenset(
    """_assert_tensor_metadata _native_batch_norm_legit _native_batch_norm_legit_functional
    _native_batch_norm_legit_no_training _safe_softmax adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d
    sym_size sym_numel sym_stride upsample_nearest2d lstm gru rnn_tanh rnn_relu scaled_dot_product_attention
    grid_sampler one_hot""".split()
)


def _permuted(x: Any, a: int, b: int) -> Any:
    order = list(range(x.ndim))
    if not order:
        return None
    order[a], order[b] = order[b], order[a]
    return "permute.default", (x, order), {}


def _chosen(condition: Any, x: Any, y: Any) -> Any:
    numbers = (not isinstance(x, Tensor), not isinstance(y, Tensor))
    name = {(True, True): "Scalar", (True, False): "ScalarSelf", (False, True): "ScalarOther"}.get(numbers)
    return None if name is None else (f"where.{name}", (condition, x, y), {})


def _filled(value: float) -> Callable[..., Any]:
    def simple(
        size: Any, *, dtype: DType = None, layout: Any = None, device: Device = None, pin_memory: Any = None
    ) -> Any:
        return (
            "full.default",
            (list(size), value),
            {
                "dtype": dtype or rushlight.get_default_dtype(),
                "layout": layout or rushlight.strided,
                "device": device or rushlight.device("cpu"),
                "pin_memory": False,
            },
        )

    return simple


# By the overload: another one with the same meaning, and its arguments.
_SIMPLER: dict[str, Callable[..., Any]] = {
    "native_batch_norm.default": lambda x, w, b, mean, var, training, momentum, eps: (
        None if training else ("_native_batch_norm_legit_no_training.default", (x, w, b, mean, var, momentum, eps), {})
    ),
    "where.self": _chosen,
    "t.default": lambda x: _permuted(x, -2, -1) if x.ndim == 2 else None,
    "transpose.int": _permuted,
    "_unsafe_view.default": lambda x, size: ("view.default", (x, size), {}),
    "squeeze.dim": lambda x, dim: ("squeeze.dims", (x, [dim]), {}),
    "lift_fresh_copy.default": lambda x: ("clone.default", (x,), {}),
    "zeros.default": _filled(0),
    "ones.default": _filled(1),
}


class _Decomposition:
    def __init__(self, ep: Any, table: Mapping[Any, Callable[..., Any]]) -> None:
        self.ep, self.graph = ep, Graph()
        found = next((k.env for k in ep.range_constraints if isinstance(k, Sym)), None)
        self.ranges = found if isinstance(found, Ranges) else Ranges()
        self.core = _Core(self.graph, self.ranges, table)
        self.values: dict[Node, Any] = {}

    def run(self) -> dict[str, Any]:
        ep, signature = self.ep, self.ep.graph_signature
        inputs: dict[str, Value] = {}
        with tracing(self.ranges):
            for node, spec in zip(
                [n for n in ep.graph.nodes if n.op == "placeholder"], signature.input_specs, strict=True
            ):
                made = named_placeholder(self.graph, node.name)
                made.meta = dict(node.meta)
                val = node.meta.get("val")
                if isinstance(spec.arg, ConstantArgument) or not isinstance(val, Tensor):
                    self.values[node] = val
                    continue
                shape = tuple(self.ranges.adopt(s) for s in val.shape)
                value = self.core.input(made, val, shape)
                made.meta["val"] = val
                with aside():
                    like = rushlight.empty_strided(tuple(map(hint, val.shape)), val.stride(), device="meta")
                if not like.is_contiguous():
                    self.core.loose.add(id(value))
                self.values[node] = inputs[node.name] = value
            for node in ep.graph.nodes:
                if node.op == "call_function":
                    self.node(node)
            specs, results = self.outputs(inputs)
            self.graph.output(tuple(results))
        self.graph.eliminate_dead_code()
        describe_tensors(self.graph)
        return {
            "root": GraphModule(Module(), self.graph, "GraphModule"),
            "graph": self.graph,
            "graph_signature": ExportGraphSignature(list(signature.input_specs), specs),
            "state_dict": ep.state_dict,
            "range_constraints": ep.range_constraints,
            "module_call_graph": ep.module_call_graph,
            "example_inputs": ep.example_inputs,
            "constants": ep.constants,
            "dialect": "ATEN",
        }

    def node(self, node: Node) -> None:
        """Run a call of the program."""
        args = map_arg(node.args, lambda n: self.values[n])
        kwargs = map_arg(node.kwargs, lambda n: self.values[n])
        target: Any = node.target
        self.core.stack = {k: v for k, v in node.meta.items() if k in ("nn_module_stack", "stack_trace")}
        if target is operator.getitem:
            self.values[node] = args[0][args[1]]
        elif isinstance(target, OpOverload):
            if target.overloadpacket.__name__ == "sym_size":
                self.values[node] = node.meta["val"]
                return
            with self.core:
                self.values[node] = self.core_call(target, args, kwargs)
        else:
            self.values[node] = target(*args, **kwargs)

    def core_call(self, target: Any, args: Any, kwargs: Any) -> Any:
        self.core.call_of = target
        last = self.graph._root.prev
        with locks.left():
            try:
                return self.core.of_overload(target, tuple(args), dict(kwargs))
            except _Undivided:
                for node in reversed(self.graph.nodes):
                    if node is last:
                        break
                    self.graph.erase_node(node)
                known = self.core.sizes.known
                self.core.sizes.known = {k: n for k, n in known.items() if not n._erased}
                return self.core.hand(target, tuple(args), dict(kwargs))

    def outputs(self, inputs: dict[str, Value]) -> tuple[list[OutputSpec], list[Any]]:
        """What was written, then what is returned."""
        specs: list[OutputSpec] = []
        results: list[Any] = []
        functional = self.core.functional
        named = functional.recorder
        for spec in self.ep.graph_signature.input_specs:
            given = inputs.get(spec.arg.name)
            if given is None or id(given) not in functional.writes:
                continue
            kinds = {
                InputKind.BUFFER: (OutputKind.BUFFER_MUTATION, spec.target),
                InputKind.PARAMETER: (OutputKind.PARAMETER_MUTATION, spec.target),
                InputKind.USER_INPUT: (OutputKind.USER_INPUT_MUTATION, spec.arg.name),
            }
            kind, target = kinds[spec.kind]
            node = named.node_of(given)
            specs.append(OutputSpec(kind, TensorArgument(node.name), target))
            results.append(node)
        for x, old in zip(self.ep.graph.output_node().args[0], self.ep.graph_signature.output_specs, strict=True):
            value = self.values[x] if isinstance(x, Node) else x
            arg: ArgumentSpec = old.arg
            if isinstance(value, Tensor):
                value = named.node_of(value)
                arg = TensorArgument(value.name)
            elif isinstance(value, Sym):
                value = self.core.sizes.node(value)
                arg = SymIntArgument(value.name) if isinstance(value, Node) else ConstantArgument("", value)
            if old.kind is OutputKind.USER_OUTPUT:
                specs.append(OutputSpec(old.kind, arg, None))
            else:
                specs.append(OutputSpec(old.kind, arg, old.target))
            results.append(value)
        return specs, results
