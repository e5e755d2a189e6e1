"""`Proxy` stands for a value while a program is traced; operations on it become nodes."""

from __future__ import annotations

import copy
import dis
import operator
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

from rushlight.core import dtypes
from rushlight.core.named import Method
from rushlight.core.tensor import Size, Tensor, device
from rushlight.fx.graph import Graph
from rushlight.fx.node import INFIX, Argument, Node, Target, map_aggregate

__all__ = ["Attribute", "GraphAppendingTracer", "ParameterProxy", "Proxy", "TraceError", "TracerBase"]


class TraceError(ValueError):
    """What the program does cannot be written as a graph."""


_OURS = (dtypes.dtype, dtypes.layout, dtypes.memory_format, device, Size, Tensor)
_PLAIN = (str, int, float, bool, complex, type(None), type(...), range, bytes)


class TracerBase:
    """Makes nodes and proxies of a graph; see Tracer for tracing modules and functions."""

    graph: Graph
    record_stack_traces = False
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = "forward"

    def create_node(
        self,
        kind: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """A new node of the graph; a subclass may mark it, or change what is made."""
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)

    def proxy(self, node: Node) -> Proxy:
        """The proxy of a node."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Target,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Proxy:
        """The proxy of a new node, whose arguments hold proxies and values of Python."""
        node = self.create_node(kind, target, self.create_arg(args), self.create_arg(kwargs), name, type_expr)
        if self.record_stack_traces and not node.stack_trace:
            node.stack_trace = "".join(traceback.format_list(traceback.extract_stack()[:-1]))
        return proxy_factory_fn(node) if proxy_factory_fn else self.proxy(node)

    def create_arg(self, a: Any) -> Argument:
        """A value as an argument of a node: nodes for proxies, through tuples, lists, dicts, slices and dataclasses.

        Raises:
            NotImplementedError: for what a node cannot hold.
        """
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return type(a)(*[self.create_arg(x) for x in a])
        if isinstance(a, (tuple, list)):
            return (
                type(a)(self.create_arg(x) for x in a)
                if type(a) in (tuple, list)
                else tuple(self.create_arg(x) for x in a)
                if isinstance(a, tuple)
                else [self.create_arg(x) for x in a]
            )
        if isinstance(a, dict):
            for k in a:
                if isinstance(k, Proxy):
                    raise RuntimeError(
                        f"create_arg(): the keys of a dict must be known while tracing; found the value {k.node}"
                    )
            return {k: self.create_arg(v) for k, v in a.items()}
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, _PLAIN) or a is Ellipsis or isinstance(a, type) or callable(a) or isinstance(a, _OURS):
            return a
        import enum

        if isinstance(a, enum.Enum):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def to_bool(self, obj: Proxy) -> bool:
        """What `if proxy` does. TraceError: the value is not known while tracing."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """What iterating over a proxy does. TraceError: its length is not known while tracing."""
        raise TraceError(
            "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args "
            "or **kwargs function argument. "
            "Its length is not known while tracing: trace with concrete_args, make the function a leaf by "
            "torch.fx.wrap, or index it"
        )

    def keys(self, obj: Proxy) -> Any:
        """What `proxy.keys()` does: a proxy; a subclass that knows the keys may return them."""
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """Appends to a graph that is there."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph


class Proxy:
    """A value of the traced program.

    Operators, functions, methods and attributes of it are recorded. What needs the value itself (`if`, `len`, a loop)
    raises.
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Any:
        return Attribute(self, k)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __deepcopy__(self, memo: dict[int, Any]) -> Proxy:
        new = type(self).__new__(type(self))
        new.__dict__.update({k: v if k == "tracer" else copy.deepcopy(v, memo) for k, v in self.__dict__.items()})
        return new

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        n = _unpacked(sys._getframe(1))
        if n is not None:
            return (self.tracer.create_proxy("call_function", operator.getitem, (self, i), {}) for i in range(n))
        return self.tracer.iter(self)

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please "
            "call torch.fx.wrap('len') at module scope"
        )

    def keys(self) -> Any:
        """The tracer's answer: a proxy of the keys, or the keys themselves."""
        return self.tracer.keys(self)

    @classmethod
    def __torch_function__(
        cls,
        orig_method: Any,
        types: Sequence[type],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> Proxy:
        args, kwargs = args or (), kwargs or {}
        tracer: TracerBase | None = None

        def look(x: Any) -> Any:
            nonlocal tracer
            if isinstance(x, Proxy):
                if tracer is not None and x.tracer is not tracer:
                    raise AssertionError("__torch_function__(): values of two tracers meet in one call")
                tracer = x.tracer
            return x

        map_aggregate(args, look)
        map_aggregate(kwargs, look)
        assert tracer is not None
        if isinstance(orig_method, (type(Tensor.__add__), Method)):  # x + proxy, with x a tensor
            return tracer.create_proxy("call_method", orig_method.__name__, args, kwargs)
        return tracer.create_proxy("call_function", orig_method, args, kwargs)


def _unpacked(frame: FrameType) -> int | None:
    """The number of values into which the instruction that iterates unpacks; None where it is a loop, or another
    call."""
    at = next((i for i in dis.get_instructions(frame.f_code) if i.offset == frame.f_lasti), None)
    return at.argval if at is not None and at.opname == "UNPACK_SEQUENCE" else None


class Attribute(Proxy):
    """An attribute of a proxy; called, it is a method."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        """The node of the attribute, made when it is not called."""
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """The proxy of a parameter whose shape is known while tracing (`param_shapes_constant`)."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Tensor) -> None:
        super().__init__(node, tracer)
        self.param, self.name = param, name

    @property
    def shape(self) -> Size:
        """The parameter's sizes."""
        return self.param.shape

    def size(self, dim: int | None = None) -> Any:
        """The parameter's sizes, or one of them."""
        return self.param.size() if dim is None else self.param.size(dim)

    def dim(self) -> int:
        """The parameter's rank."""
        return self.param.dim()

    @property
    def ndim(self) -> int:
        """The parameter's rank."""
        return self.param.dim()

    def numel(self) -> int:
        """The parameter's number of elements."""
        return self.param.numel()

    def nelement(self) -> int:
        """The parameter's number of elements."""
        return self.param.numel()


def _install(method: str, fn: Callable[..., Any], reflected: bool = False) -> None:
    def impl(*args: Any, **kwargs: Any) -> Any:
        given = tuple(reversed(args)) if reflected else args
        return args[0].tracer.create_proxy("call_function", fn, given, kwargs)

    impl.__name__ = method
    setattr(Proxy, method, impl)


for _fn in INFIX:  # `x += y` on a value of a trace is x = x + y, as on any object without __iadd__
    _name = _fn.__name__.rstrip("_")
    _install(f"__{_name}__", _fn)
    if INFIX.get(_fn, "").count("{}") == 2 and _fn not in (
        operator.eq,
        operator.ne,
        operator.lt,
        operator.gt,
        operator.le,
        operator.ge,
        operator.getitem,
    ):
        _install(f"__r{_name}__", _fn, reflected=True)
_more: dict[str, Callable[..., Any]] = {"__abs__": operator.abs}
for _name, _fn in _more.items():
    _install(_name, _fn)
Proxy.__hash__ = object.__hash__  # type: ignore[method-assign]  # `==` is recorded; a proxy is itself as a key
