"""Makes a graph of `torch.ops.aten` from a module's forward, which runs once on values that have only sizes and
dtypes."""

from __future__ import annotations

import functools
import operator
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import rushlight
from rushlight._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from rushlight.core import locks
from rushlight.core import raw as _raw
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Size, Tensor
from rushlight.export._calls import COMPOSED, SPACES, returns_of, written
from rushlight.export._ranges import Ranges
from rushlight.export._symbols import SizeNodes
from rushlight.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode
from rushlight.fx.graph import Graph
from rushlight.fx.names import type_name
from rushlight.fx.node import Node
from rushlight.fx.passes.shape_prop import _extract_tensor_metadata
from rushlight.library.aten import find, own_overload
from rushlight.library.compositions import STEPS
from rushlight.library.operator import OpOverload
from rushlight.nn.modules.module import Module, register_module_forward_hook, register_module_forward_pre_hook
from rushlight.operators.random.generators import default_generator
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.define import METHODS
from rushlight.operators.table.node_names import Values
from rushlight.operators.table.tracer import RealNumber, Tracer, tracer
from rushlight.operators.table.types import Args, Classes, Function, Kwargs
from rushlight.overrides import DisableTorchFunction
from rushlight.program import ir
from rushlight.program.ir import Builder, Var
from rushlight.program.sym import Sym, hint, prod

if TYPE_CHECKING:
    pass

_TRANSFORM = _dispatch.TRANSFORM


class Value(Tracer):
    """A tensor while a module is exported: arithmetic on it is a call, and nothing has a number."""

    def _special_item(self) -> Any:
        raise GuardOnDataDependentSymNode(
            "export: the value of a tensor decides here (item(), bool(), a comparison in `if`), and an exported "
            "program goes one way for all values; use torch.where, or decide outside"
        )

    _special_tolist = _special_item

    def _become(self, var: Var) -> None:
        """Let it have the sizes and dtype of a program's value."""
        own = self.var = _OwnVar(var.shape, var.dtype, "tensor")
        own.owner = self

    def __repr__(self) -> str:
        return f"Value({self.var})"


class _OwnVar(Var):
    """The sizes and dtype of a value. It stands under the attribute `var`, where tracers have their variable; a program
    that calls it means the tensor's method of that name, the variance.
    """

    __slots__ = ("owner",)
    owner: Value

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        return METHODS["var"](self.owner, *args, **kwargs)


def _arithmetic(name: str, operator: str) -> Callable[[Any, Any], Any]:
    """A method of Python's arithmetic: the tensor's, which knows no sizes, or the operator's, beside one."""
    plain = getattr(Tensor, f"__{name}__")

    def method(self: Value, other: Any) -> Any:
        if isinstance(other, Sym):
            op = METHODS[operator]
            values = [self, other, *(p.default for p in op.params[2:])]
            if _dispatch.modes.stack and isinstance(_dispatch.modes.stack[-1], Recorder):
                with locks.left() as recorder:
                    return recorder.of_operator(op, values, None)
            return _dispatch.inline(op, values, None)
        return plain(self, other)

    return method


for _name, _operator in {
    **{n: n for n in ("add", "sub", "mul", "lt", "le", "gt", "ge", "eq", "ne")},
    "radd": "add",
    "rmul": "mul",
    "rsub": "rsub",
    "truediv": "div",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "pow": "pow",
}.items():
    setattr(Value, f"__{_name}__", _arithmetic(_name, _operator))
for _name in ("rtruediv", "and", "or", "xor", "neg"):
    setattr(Value, f"__{_name}__", getattr(Tensor, f"__{_name}__"))
Value.__hash__ = Tensor.__hash__  # type: ignore[method-assign, assignment]


class SizedFake(FakeTensor):
    """A fake tensor some of whose sizes are symbols; `stride()` is that of the example."""

    symbols: tuple[Any, ...]

    @property
    def shape(self) -> Size:
        """The sizes."""
        return rushlight.Size(self.symbols)

    def size(self, dim: int | None = None) -> Any:
        """The sizes, or that of a dimension."""
        return self.shape if dim is None else self.shape[dim]


class Recorder(_dispatch.CallMode):
    """Writes the calls of a module into a graph, as a mode of its thread."""

    sees_functions = False  # it sees the operators that they call,
    sees_traces = True  # on values too

    def __init__(self, graph: Graph, ranges: Ranges) -> None:
        self.graph, self.ranges = graph, ranges
        self.fakes = FakeTensorMode()
        self.nodes: dict[int, Node] = {}  # by a value's id
        self.values: dict[int, Value] = {}  # by the id of a real tensor, which it stands for
        self.held: list[Any] = []  # whose ids stand there
        self.sources: dict[int, tuple[Node, int]] = {}
        self.sizes = SizeNodes(graph, self.sources)
        self.known: dict[int, Tensor] = {}  # parameters and buffers
        self.place_constant: Callable[[Tensor], Node] | None = None
        self.modules: list[tuple[str, str, str]] = []

    # ------------------------------------------------------------------------------------------------- values and nodes
    def input(self, node: Node, t: Tensor, shape: tuple[Any, ...] | None = None, real: bool = False) -> Value:
        """The value of an input of the graph, of a tensor's dtype and these sizes.

        real: the tensor stands for it wherever it is met.
        """
        value = self.value(Var(tuple(map(int, t.shape)) if shape is None else shape, t.dtype, "tensor"))
        self.note(value, node)
        node.meta["val"] = self.fake(value, t)
        if real:
            self.placed(t, value)
            self.known[id(t)] = t
        for d, s in enumerate(shape or ()):
            if isinstance(s, Sym) and len(s.terms) == 1:
                ((mono, c),) = s.terms.items()
                if c == 1 and len(mono) == 1 and mono[0].op == "var":
                    self.sources.setdefault(mono[0].args[0], (node, d))
        return value

    def value(self, var: Var) -> Value:
        """A new value."""
        made = Value.__new__(Value)
        made.number = False
        made._become(var)
        _raw.set_keys(made, _dispatch.TRACE, var.dtype)
        return made

    def note(self, value: Value, node: Node) -> None:
        """The value is what the node computes, from now on."""
        self.nodes[id(value)] = node
        self.held.append(value)

    def fake(self, value: Value, like: Tensor | None = None) -> FakeTensor:
        """The fake tensor that a node's meta holds for a value; `like`: the real tensor, which has strides."""
        shape = tuple(self.ranges.simplify(s) for s in value.var.shape)
        sizes = tuple(map(hint, shape))
        if like is not None:
            strides: Any = like.stride()
        else:
            strides, step = [], 1
            for n in reversed(sizes):
                strides.insert(0, step)
                step *= max(n, 1)
        symbolic = any(isinstance(s, Sym) for s in shape)
        kind = SizedFake if symbolic else FakeTensor
        with DisableTorchFunction(), ir.aside():  # below the recorder
            elem = rushlight.empty_strided(sizes, tuple(strides), dtype=value.dtype, device="meta")
            made = kind(self.fakes, elem, like.device if like is not None else rushlight.device("cpu"))
            if like is not None and like.requires_grad:
                made.requires_grad_(True)
        if isinstance(made, SizedFake):
            made.symbols = shape
        return made

    def lifted(self, x: Any) -> Any:
        """A value for a tensor that the module refers to, in lists too; anything else as it is."""
        if isinstance(x, (list, tuple)) and not hasattr(x, "_fields"):
            return type(x)(map(self.lifted, x))
        if not isinstance(x, Tensor) or isinstance(x, Tracer):
            return x
        found = self.values.get(id(x))
        if found is not None:
            return found
        for t in self.known.values():
            if t is not x and t.numel() and _raw.same_memory(t, x) and t.shape == x.shape and t.stride() == x.stride():
                return self.detached(t, x)
        return self.constant(x)

    def detached(self, t: Tensor, x: Tensor) -> Value:
        """The value of `data` of a parameter, which is that of its detach()."""
        aten = rushlight.ops.aten
        base = self.values[id(t)]
        made = self.value(base.var)
        self.call(aten.detach.default, (base,), {}, made)
        return self.placed(x, made)

    def constant(self, x: Tensor) -> Value:
        """The value of a tensor that the module makes, or refers to without being its parameter or buffer."""
        if not _raw.initialised(x) or x._keys_ & _TRANSFORM:
            raise NotImplementedError("export: a derivative or a batch of a function inside of forward has no graph")
        assert self.place_constant is not None
        node = self.place_constant(x)
        value = self.input(node, x)
        if node.meta.pop("literal", False):
            aten = rushlight.ops.aten
            fresh = self.value(value.var)
            self.call(aten.lift_fresh_copy.default, (value,), {}, fresh)
            value = self.value(value.var)
            self.call(aten.detach_.default, (fresh,), {}, value)
        return self.placed(x, value)

    def placed(self, x: Tensor, value: Value) -> Value:
        """The value of a tensor, from now on."""
        self.values[id(x)] = value
        self.held.append(x)
        return value

    def argument(self, x: Any) -> Any:
        """An argument of a node: nodes in the place of values and sizes."""
        if isinstance(x, (list, tuple)):
            return type(x)(map(self.argument, x))
        if isinstance(x, Tensor) and not isinstance(x, RealNumber):
            x = self.lifted(x)
            node = self.nodes.get(id(x))
            if node is None:
                raise NotImplementedError(
                    "export: a tensor was computed by a call that has no name in torch.ops.aten, so no node is it"
                )
            return node
        return self.sizes.node(x) if isinstance(x, Sym) else x

    # -------------------------------------------------------------------------------------------------------- the calls
    def call(self, overload: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Node:
        """Write a call, and note its results."""
        node = self.graph.create_node(
            "call_function",
            overload,
            tuple(map(self.argument, args)),
            {k: self.argument(x) for k, x in kwargs.items()},
            name=overload.overloadpacket.__name__,
        )
        self.meta(node)
        several = isinstance(result, (tuple, list))
        vals = [self.fake(y) if isinstance(y, Value) else y for y in (result if several else (result,))]
        if not several:
            node.meta["val"] = vals[0]
            if isinstance(result, Value):
                self.note(result, node)
            return node
        as_list = returns_of(f"{overload.overloadpacket.__name__}.{overload._overloadname}") == ("T[]",)
        node.meta["val"] = vals if as_list else tuple(vals)
        for i, y in enumerate(result):
            if isinstance(y, Value):
                item = self.graph.create_node("call_function", operator.getitem, (node, i), {}, name="getitem")
                self.meta(item)
                item.meta["val"] = vals[i]
                self.note(y, item)
        return node

    def meta(self, node: Node) -> None:
        """Where the call stands in the modules."""
        if self.modules:
            node.meta["nn_module_stack"] = OrderedDict((key, (path, kind)) for key, path, kind in self.modules)

    def of_operator(self, op: Operator, values: list[Any], out: Any) -> Any:
        """A call of the table."""
        if out is not None:
            raise NotImplementedError(f"export: {op.name}(out=...): an exported program writes in place, or returns")
        if any(t._keys_ & _TRANSFORM for t in _dispatch.tensors_in(values)):
            raise NotImplementedError(f"export: {op.name}() under a transform of torch.func has no graph")
        before = list(values)
        with self:
            values = [self.lifted(v) for v in values]
            for cast in _dispatch.casts:
                values = cast(op, values)
        if op.name == "__setitem__":
            return self.assigned(values)
        calls = written(op, values)
        if calls is None:
            found = self.composed(op, values)
            if found is not NotImplemented:
                return found
            if not _dispatch.tensors_in(values) and not any(isinstance(x, Sym) for x in _dispatch.leaves_of(values)):
                with rushlight.no_grad(), ir.aside():
                    return _dispatch.below_special(op, values)  # a constant
            return self.own(op, values)
        if op.definition.name.strip("_") == "slice_view":
            return self.views(calls, values)
        name, args, kwargs = calls[0]
        overload = find(name)
        if overload is None:
            raise NotImplementedError(f"export: torch.ops.aten.{name} is not there, which stands for {op.name}()")
        if overload.overloadpacket.__name__ == "to":
            self.kept(values[0])
        if op.definition.name in RESHAPING:
            result = self.reshaped(op, values)
        else:
            result = self.run(lambda plain: self.inlined(op, plain), values)
            if op.definition.name in _OF_ALL and isinstance(result, Value):
                self.held_to(op, values[0], result)
        if not _dispatch.tensors_in([result]):
            return result  # an answer about the tensors themselves, which is the same in every call
        node = self.call(overload, args, kwargs, result)
        for given, value in zip(before, values, strict=True):
            if result is value and given is not value:  # a write to a buffer, which the module goes on using
                self.note(value, node)
                return given
        return result

    def own(self, op: Operator, values: list[Any]) -> Any:
        """A call of an operator that PyTorch has none of, under our own name: `torch.ops.rushlight.special__jv`."""
        overload = own_overload(op)
        if overload is None and op.definition.shape_class == "internal":
            raise NotImplementedError(f"export: {op.name}() under a transform of torch.func has no graph")
        if overload is None:
            raise NotImplementedError(
                f"export: {op.name}() has no name in torch.ops for these arguments, so that no graph can hold it"
            )
        args, kwargs = _dispatch.arguments(op, values)
        result = self.run(lambda plain: self.inlined(op, plain), values)
        self.call(overload, args, kwargs, result)
        return result

    def composed(self, op: Operator, values: list[Any]) -> Any:
        """The result of a call that is no operator of aten's, by the calls that it consists of; NotImplemented where
        these are not known."""
        name = op.definition.name
        if name in _WHOLE or op.definition.namespace == "masked":
            return NotImplemented
        v = Values((p.name, x) for p, x in zip(op.params, values, strict=True))
        compose = (COMPOSED.get(name) or STEPS.get(name)) if op.definition.namespace in SPACES else None
        with self:
            if compose is not None and not op.inplace:
                found = compose(v)
                if found is not None:
                    return found
            return NotImplemented if op.eager is None else op.eager(*values)

    def kept(self, x: Value) -> None:
        """The assertion that PyTorch writes before a conversion."""
        aten = rushlight.ops.aten
        node = self.graph.create_node(
            "call_function",
            aten._assert_tensor_metadata.default,
            (self.argument(x),),
            {"dtype": x.dtype, "device": rushlight.device("cpu"), "layout": rushlight.strided},
            name="_assert_tensor_metadata_default",
        )
        self.meta(node)
        node.meta["val"] = None

    def run(self, function: Callable[[list[Any]], Any], values: Sequence[Any]) -> Any:
        """The result of a function on plain tracers in the place of values, turned into values again; arguments that it
        returns are the same values.
        """
        plain: dict[int, tuple[Value, Tracer]] = {}

        def take(x: Any) -> Any:
            if isinstance(x, (list, tuple)) and not hasattr(x, "_fields"):
                return type(x)(map(take, x))
            if not isinstance(x, Value):
                return x
            if id(x) not in plain:
                plain[id(x)] = x, tracer(x.var)
            return plain[id(x)][1]

        given = [take(v) for v in values]
        state = default_generator.snapshot()
        try:
            result = function(given)
        finally:
            if default_generator.snapshot() != state:
                default_generator.restore(state)
        back = {id(t): x for x, t in plain.values()}
        for x, t in plain.values():
            if t.var is not x.var:
                x._become(t.var)  # written to

        def give(y: Any) -> Any:
            if isinstance(y, (list, tuple)):
                return type(y)(*map(give, y)) if hasattr(y, "_fields") else type(y)(map(give, y))
            if not isinstance(y, Tensor):
                return y
            if id(y) in back:
                return back[id(y)]
            return self.value(y.var if isinstance(y, Tracer) else Var(tuple(map(int, y.shape)), y.dtype, "tensor"))

        return give(result)

    def held_to(self, op: Operator, x: Value, y: Value) -> None:
        """The elements of one are those of the other."""
        if self.ranges.decide("==", prod(x.var.shape), prod(y.var.shape)):
            return
        raise RuntimeError(
            f"export: {op.name}(): the shape {list(y.var.shape)} must have as many elements as {list(x.var.shape)}"
        )

    def reshaped(self, op: Operator, values: list[Any]) -> Any:
        """A call that gives the tensor itself other sizes."""
        name = op.definition.name
        if name != "detach_":
            plain = METHODS[name.rstrip("_")]
            found = self.run(lambda given: _dispatch.inline(plain, given, None), values)
            values[0]._become(found.var)
        return values[0]

    def inlined(self, op: Operator, values: list[Any]) -> Any:
        """The call's result for its sizes."""
        values = [
            x if (quiet := _QUIET.get(p.name)) is None or op.name.rpartition(".")[2] not in quiet[0] else quiet[1]
            for p, x in zip(op.params, values, strict=True)
        ]
        sizes = KNOWN_SIZES.get(op.definition.name)
        if sizes is not None:
            return tracer(sizes(Values((p.name, x) for p, x in zip(op.params, values, strict=True))))
        leaves = _dispatch.leaves_of(values)
        if op.name.rpartition(".")[2].rstrip("_") in _DRAWS or not any(isinstance(v, (Sym, Tracer)) for v in leaves):
            return self.drawn(op, values)
        if op.eager is None:
            return _dispatch.inline(op, values, None)
        with SizesAlone():
            result = op.eager(*values)
        if op.name.rpartition(".")[2] in _DROPOUTS and any(result is x for x in values):
            return tracer(result.var)  # a tensor that is unchanged here has other values in training
        return result

    def drawn(self, op: Operator, values: list[Any]) -> Any:
        """A call that makes a tensor of no other, or draws random numbers, on tensors of the example's sizes. A result
        with the sizes of the first operand, or with sizes that the call spells out, has these as symbols.
        """
        symbols: dict[tuple[int, ...], tuple[Any, ...]] = {}

        def plain(x: Any) -> Any:
            if isinstance(x, (list, tuple)):
                if any(isinstance(n, Sym) for n in x):
                    symbols[tuple(map(hint, x))] = tuple(x)
                return type(x)(map(plain, x))
            if isinstance(x, Tracer):
                sizes = tuple(map(hint, x.var.shape))
                symbols.setdefault(sizes, x.var.shape)
                with ir.aside():
                    return rushlight.zeros(sizes, dtype=x.var.dtype)
            return hint(x) if isinstance(x, Sym) else x

        args, kwargs = _dispatch.arguments(op, [plain(v) for v in values])
        with rushlight.no_grad(), ir.aside():
            result = op(*args, **kwargs)

        def sized(y: Any) -> Any:
            if isinstance(y, (list, tuple)):
                return type(y)(*map(sized, y)) if hasattr(y, "_fields") else type(y)(map(sized, y))
            if not isinstance(y, Tensor):
                return y
            sizes = tuple(map(int, y.shape))
            if sizes not in symbols and any(isinstance(s, Sym) for known in symbols.values() for s in known):
                raise NotImplementedError(f"export: the result of {op.name}() has sizes that are not known as symbols")
            return tracer(Var(symbols.get(sizes, sizes), y.dtype, "tensor"))

        if op.inplace or values and isinstance(values[0], Tensor) and result is args[0]:
            return values[0]
        return sized(result)

    def views(self, calls: list[Any], values: list[Any]) -> Any:
        """x[...] by ints, slices and None."""
        x = values[0]
        if not calls:
            calls = [("alias.default", (None,), {})]
        for name, args, kwargs in calls:
            overload, rest = find(name), args[1:]
            y = self.run(functools.partial(_view, name, rest), [x])
            y = self.value(y.var) if y is x else y
            self.call(overload, (x, *rest), kwargs, y)
            x = y
        return x

    def assigned(self, values: list[Any]) -> None:
        """x[...] = y: a copy to the view, or a write at indices."""
        from rushlight.operators.indexing.getitem import assign

        with self:
            return assign(*values)

    def __torch_function__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        """A call of no operator of the table: handled as in every mode, or an overload that the module calls itself."""
        if isinstance(func, OpOverload):
            return self.of_overload(func, args, kwargs or {})
        return super().__torch_function__(func, types, args, kwargs)

    def of_overload(self, func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call of an operator of torch.ops."""
        names, given = list(kwargs), [*args, *kwargs.values()]
        with self:
            given = [self.lifted(v) for v in given]
        n = len(args)

        def function(plain: list[Any]) -> Any:
            named = dict(zip(names, plain[n:], strict=True))
            if hasattr(func, "perform"):
                return func.perform(*plain[:n], **named)
            values = func.bind(tuple(plain[:n]), named)
            return func.run(func.fake or func.kernel(values), values)

        result = self.run(function, given)
        self.call(func, tuple(given[:n]), dict(zip(names, given[n:], strict=True)), result)
        return result


class SizesAlone(_dispatch.CallMode):
    """Runs the calls of a body in Python for their sizes, as a mode: tensors that it makes are values of these too."""

    sees_functions = False
    sees_traces = True

    def of_operator(self, op: Operator, values: list[Any], out: Any) -> Any:
        """A call of the body's."""

        def traced(x: Any) -> Any:
            if isinstance(x, (list, tuple)) and not hasattr(x, "_fields"):
                return type(x)(map(traced, x))
            if isinstance(x, Tensor) and not isinstance(x, Tracer):
                return tracer(Var(tuple(map(int, x.shape)), x.dtype, "tensor"))
            return x

        leaves = _dispatch.leaves_of(values)
        if not any(isinstance(x, (Sym, Tracer)) for x in leaves):
            return _dispatch.below_special(op, values)
        with self:
            if op.name == "__setitem__":
                from rushlight.operators.indexing.getitem import assign

                return assign(*map(traced, values))
            return _dispatch.inline(op, [traced(x) for x in values], out)


def _one_hot(v: Values) -> Var:
    if v["num_classes"] == -1:
        raise GuardOnDataDependentSymNode("export: one_hot() without num_classes counts the classes in the values")
    return Var((*v["tensor"].shape, v["num_classes"]), rushlight.int64, "tensor")


# Bodies that read values, whose results nevertheless have known sizes.
KNOWN_SIZES: dict[str, Callable[[Values], Var]] = {"one_hot": _one_hot}
# Bodies in Python of operators that have no name: their calls stay whole, under our own.
_WHOLE = frozenset(
    """embedding_bag gaussian_nll_loss ctc_loss fractional_max_pool2d fractional_max_pool2d_with_indices
    fractional_max_pool3d fractional_max_pool3d_with_indices lstsq""".split()
)
_OF_ALL = frozenset(("view", "reshape", "unflatten", "view_as", "reshape_as"))  # as many elements as before
RESHAPING = frozenset(("detach_", "squeeze_", "swapaxes_", "swapdims_", "t_", "transpose_", "unsqueeze_"))
_DROPOUTS = frozenset(
    """dropout alpha_dropout feature_dropout feature_alpha_dropout scaled_dot_product_attention rrelu
    native_dropout""".split()
)
# Arguments that decide whether random numbers are drawn, and what they are for a call's sizes.
_QUIET: dict[str, tuple[frozenset[str], Any]] = {
    "dropout_p": (_DROPOUTS, 0.0),
    "train": (_DROPOUTS, False),
    "training": (_DROPOUTS, False),
}
_DRAWS = frozenset(
    """bernoulli cauchy exponential geometric log_normal multinomial normal poisson rand_like randint_like randn_like
    random uniform gumbel_softmax""".split()
)


def _view(name: str, rest: tuple[Any, ...], plain: list[Any]) -> Any:
    (x,) = plain
    if name.startswith("unsqueeze"):
        return rushlight.unsqueeze(x, rest[0])
    if name.startswith("select"):
        return rushlight.select(x, rest[0], rest[1])
    if name.startswith("alias"):
        return tracer(x.var)
    d, start, end, *step = rest
    return x[(slice(None),) * d + (slice(start, None if end == 2**63 - 1 else end, *step),)]


@contextmanager
def tracing(ranges: Ranges) -> Iterator[None]:
    """Inside, values of this environment may be made."""
    with locks.tracing, Builder(ranges):
        yield


@contextmanager
def stacked(recorder: Recorder, mod: Module) -> Iterator[None]:
    """Inside, the recorder knows in which modules a call stands."""
    paths = {id(m): path for path, m in mod.named_modules()}

    def enter(m: Module, args: Any) -> None:
        path = paths.get(id(m))
        if path is not None:
            key = "L__self__" + path.replace(".", "_") if path else "L__self__"
            recorder.modules.append((key, path, type_name(type(m))))

    def leave(m: Module, args: Any, result: Any) -> None:
        if id(m) in paths:
            recorder.modules.pop()

    handles = register_module_forward_pre_hook(enter), register_module_forward_hook(leave)
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def named_placeholder(graph: Graph, name: str) -> Node:
    """An input of this name, even one of a builtin (`input`), unless another node has it."""
    taken = any(n.name == name for n in graph.nodes)
    node = graph.placeholder(name)
    if not taken:
        node.name = name
    node.target = node.name
    return node


def describe_tensors(graph: Graph) -> None:
    """Note at each node that gives a tensor what that is."""
    for node in graph.nodes:
        val = node.meta.get("val")
        if isinstance(val, Tensor):
            node.meta["tensor_meta"] = _extract_tensor_metadata(val)
