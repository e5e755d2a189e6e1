"""Operators that a program defines: `torch.ops.myspace.name`, and what is registered for them."""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rushlight.autograd import enable_grad, grad, no_grad
from rushlight.autograd.function import Function
from rushlight.core import tensor as _core
from rushlight.core.dtypes import dtype, float64
from rushlight.core.tensor import Tensor
from rushlight.library.schema import UNFIT, Argument, FunctionSchema, fitting, taken_as_they_are, type_shown
from rushlight.operators.table import dispatch as _dispatch


class _Passed(threading.local):
    autograd = 0  # in how many blocks autograd is bypassed


_passed = _Passed()


@contextlib.contextmanager
def below_autograd() -> Iterator[None]:
    """A block in which nothing is recorded, and operators' functions for the key "Autograd" are passed by."""
    _passed.autograd += 1
    try:
        with no_grad():
            yield
    finally:
        _passed.autograd -= 1


TRANSFORM = _core.get_keys_flag_mask()["TRANSFORM"]


def autocast_is_on(tensors: Sequence[Tensor]) -> bool:
    """Whether autocast is on for the device of the first tensor."""
    from rushlight.amp.autocast_mode import is_autocast_enabled

    return (not tensors or tensors[0].device.type == "cpu") and is_autocast_enabled("cpu")


_PLAIN = {Tensor, int, float, bool, str, type(None)}  # classes that override nothing


def _left_out(value: Any, a: Argument) -> bool:
    """Whether a value is the default of its argument."""
    default = a.default_value
    return a.has_default and type(value) is type(default) and not isinstance(value, Tensor) and value == default


class OpOverload:
    """One operator that a program defines, as `torch.ops.myspace.name.default`: its schema, and the functions that do
    it.
    """

    def __init__(self, packet: OpOverloadPacket, schema: FunctionSchema) -> None:
        self._schema, self.overloadpacket = schema, packet
        self._overloadname = schema.overload_name or "default"
        self.namespace, _, short = schema.name.partition("::")
        self.__name__, self.__module__ = f"{short}.{self._overloadname}", f"torch._ops.{self.namespace}"
        self.__qualname__ = self._name = self.name()
        self.tags: list[Any] = []
        self.made_by_custom_op = False
        self._opname = short
        self._places = [a for a in schema.arguments if not a.kwarg_only]
        self._argument_names = {a.name for a in schema.arguments}
        self._as_they_are = [taken_as_they_are(a.type) for a in schema.arguments]
        self.kernels: dict[str, Callable[..., Any]] = {}  # dispatch key, lower case -> function; "": every device
        self.fake: Callable[..., Any] | None = None
        self.vmap: Callable[..., Any] | None = None
        self.rule: tuple[Callable[..., Any], Callable[..., Any] | None] | None = None  # backward, setup_context
        self.for_classes: dict[Any, Callable[..., Any]] = {}
        self.autocasts: dict[str, dtype] = {}  # by device type: the dtype of floating point arguments under autocast

    def name(self) -> str:
        """The name with its namespace and, unless it is the default one, the overload: "aten::add.Tensor"."""
        return self._schema.name + (f".{self._schema.overload_name}" if self._schema.overload_name else "")

    def overloads(self) -> list[str]:
        """The names of the packet's overloads."""
        return self.overloadpacket.overloads()

    @property
    def _overloadpacket(self) -> OpOverloadPacket:
        return self.overloadpacket

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.namespace}.{self.overloadpacket.__name__}', overload='{self._overloadname}')>"

    def __hash__(self) -> int:
        return id(self)

    def __deepcopy__(self, memo: Any) -> OpOverload:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _found, (self.namespace, self.overloadpacket.__name__, self._overloadname)

    # ---- the call
    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The arguments in the schema's order; RuntimeError where they do not fit it."""
        arguments, places = self._schema.arguments, self._places
        count = len(args)
        if count > len(places):
            raise RuntimeError(
                f"{self.name()}() expected at most {len(places)} argument(s) but received {count} argument(s). "
                f"Declaration: {self._schema}"
            )
        for key in kwargs:
            twice = any(a.name == key for a in places[:count])
            if twice or key not in self._argument_names:
                raise RuntimeError(
                    f"{self.name()}(): {'argument given twice' if twice else 'unknown argument'} '{key}'. "
                    f"Declaration: {self._schema}"
                )
        values = []
        for i, a in enumerate(arguments):
            if i < count:
                value = args[i]
            elif a.name in kwargs:
                value = kwargs[a.name]
            elif a.has_default:
                values.append(a.default_value)
                continue
            else:
                raise RuntimeError(
                    f"{self.name()}() is missing value for argument '{a.name}'. Declaration: {self._schema}"
                )
            fitted = value if type(value) in self._as_they_are[i] else fitting(a.type, value)
            if fitted is UNFIT:
                raise RuntimeError(
                    f"{self.name()}() Expected a value of type '{type_shown(a.type)}' for argument '{a.name}' "
                    f"but instead found type '{type(value).__name__}'. Position: {i}. "
                    f"Declaration: {self._schema}"
                )
            values.append(fitted)
        return values

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.called(self.bind(args, kwargs), args, kwargs)

    def called(self, values: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The call with its arguments, bound already: `values`."""
        leaves = _dispatch.leaves_of(values)
        kinds = set(map(type, leaves))
        if _core.modes_in_force() or (not kinds <= _PLAIN and any(map(_dispatch.overrides, kinds - _PLAIN))):
            found = _dispatch.ask(self, self.name(), values, args, kwargs)
            if found is not NotImplemented:
                return found
        tensors = [x for x in leaves if isinstance(x, Tensor)]
        for t in tensors if self.for_classes else ():
            handler = self.for_classes.get(type(t))
            if handler is not None:
                return handler(self, tuple({type(x) for x in tensors}), args, kwargs)
        if (self.autocasts or "autocastcpu" in self.kernels) and _core.modes_in_force() and autocast_is_on(tensors):
            if "autocastcpu" in self.kernels:
                return self.run(self.kernels["autocastcpu"], values)
            if "cpu" in self.autocasts:
                return self.under_autocast(values, self.autocasts["cpu"])
        for t in tensors:
            if t._keys_ & TRANSFORM:
                return self.transformed(values)
        if "compositeimplicitautograd" in self.kernels:
            return self.run(self.kernels["compositeimplicitautograd"], values)
        if "autograd" in self.kernels and not _passed.autograd:
            return self.run(self.kernels["autograd"], values)
        if _core.is_grad_enabled() and any(t.requires_grad for t in tensors) and not self._schema.is_mutable:
            return self.recorded(values)
        return self.below(values)

    def under_autocast(self, values: list[Any], to: dtype) -> Any:
        """The call with floating point arguments of less than 64 bits cast, and autocast off inside of it."""
        from rushlight.amp.autocast_mode import autocast

        def cast(x: Any) -> Any:
            if isinstance(x, Tensor):
                return x.to(to) if x.dtype.is_floating_point and x.dtype is not float64 else x
            return type(x)(map(cast, x)) if isinstance(x, (list, tuple)) else x

        with autocast("cpu", enabled=False):
            return self.run(self, [cast(v) for v in values])

    def run(self, function: Callable[..., Any], values: list[Any]) -> Any:
        """Call a function of the program's with the bound values, leaving out those that equal its defaults."""
        places, named = self.handed(values)
        return function(*places, **named)

    def handed(self, values: list[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The values that are passed by position and by name, without defaults by name and without the last defaults
        by position."""
        count = len(self._places)
        places = values[:count]
        while places and _left_out(places[-1], self._places[len(places) - 1]):
            places.pop()
        if count == len(values):
            return places, {}
        rest = zip(values[count:], self._schema.arguments[count:], strict=True)
        return places, {a.name: v for v, a in rest if not _left_out(v, a)}

    def kernel(self, values: list[Any]) -> Callable[..., Any]:
        """The function for the device of the tensors; NotImplementedError where none is registered."""
        tensors = list(_dispatch.tensors_in(values))
        where = "meta" if any(t.is_meta for t in tensors) else tensors[0].device.type if tensors else "cpu"
        if where == "meta" and self.fake is not None:
            return self.fake
        for key in (where, "compositeexplicitautograd", ""):
            if key in self.kernels:
                return self.kernels[key]
        raise NotImplementedError(
            f"{self.name()}(): no function is registered for tensors on '{where}'; found "
            f"{sorted(self.kernels) or 'none'}; "
            f"use torch.library.{'register_fake' if where == 'meta' else 'impl'}"
        )

    def below(self, values: list[Any]) -> Any:
        """The call without a graph, as the registered function does it."""
        with no_grad():
            return self.run(self.kernel(values), values)

    def transformed(self, values: list[Any]) -> Any:
        """Under vmap or forward mode: by the registered rule, else by the operators that the function is written in."""
        from rushlight.func.levels import Batched, batched

        mapped = [t for t in _dispatch.tensors_in(values) if isinstance(t, Batched)]
        if self.vmap is None or not mapped:
            try:
                return self.run(self.kernels.get("compositeimplicitautograd") or self.kernel(values), values)
            except Exception as error:
                if not mapped:
                    raise
                why = error
            return self.each(values, max((t.level for t in mapped), key=lambda level: level.number), why)
        level = max((t.level for t in mapped), key=lambda level: level.number)
        size = next(t.value.shape[0] for t in mapped if t.level is level)

        def taken(x: Any) -> tuple[Any, Any]:
            if isinstance(x, (list, tuple)):
                pairs = [taken(v) for v in x]
                return type(x)(p[0] for p in pairs), type(x)(p[1] for p in pairs)
            return (x.value, 0) if isinstance(x, Batched) and x.level is level else (x, None)

        places, named = self.handed(values)
        inner, dims = zip(*map(taken, places), strict=True)
        info = VmapInfo(size, getattr(level, "randomness", "error"))
        result, out_dims = self.vmap(info, tuple(dims), *inner, **named)

        def put(x: Any, d: Any) -> Any:
            if isinstance(x, (list, tuple)):
                return type(x)(
                    put(v, w) for v, w in zip(x, d if isinstance(d, (list, tuple)) else [d] * len(x), strict=True)
                )
            return x if d is None or not isinstance(x, Tensor) else batched(x.movedim(d, 0), level)

        return put(result, out_dims)

    def each(self, values: list[Any], level: Any, why: Exception) -> Any:
        """Under vmap, where the function is not written in operators: one call an example, the results stacked."""
        from rushlight.func.by_example import stacked

        warnings.warn(
            f"{self.name()}(): vmap calls it once for each of {level.size} examples, since its function cannot be "
            f"mapped ({type(why).__name__}: {why}); "
            "torch.library.register_vmap registers a batched form",
            stacklevel=2,
        )
        return stacked(
            lambda one: self(
                *(v for v, a in zip(one, self._schema.arguments, strict=True) if not a.kwarg_only),
                **{a.name: v for v, a in zip(one, self._schema.arguments, strict=True) if a.kwarg_only},
            ),
            values,
            level,
        )

    def recorded(self, values: list[Any]) -> Any:
        """The call as one node of the graph: its backward is the registered one, else it is derived from the operators
        that the function calls.
        """
        op, rule = self, self.rule
        # A Function sees gradients of its arguments alone: lists among them are taken apart.
        shape = [
            len(v) if isinstance(v, (list, tuple)) and any(isinstance(t, Tensor) for t in v) else None for v in values
        ]

        def joined(flat: Sequence[Any]) -> tuple[Any, ...]:
            rest = iter(flat)
            return tuple(next(rest) if n is None else [next(rest) for _ in range(n)] for n in shape)

        def apart(grads: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(
                g
                for n, v in zip(shape, grads, strict=True)
                for g in ((v,) if n is None else (None,) * n if v is None else v)
            )

        def forward(ctx: Any, *flat: Any) -> Any:
            inputs = joined(flat)
            result = op.below(list(inputs))
            if rule is None:
                ctx.inputs = inputs
            elif rule[1] is not None:
                places = tuple(v for v, a in zip(inputs, op._schema.arguments, strict=True) if not a.kwarg_only)
                named = {a.name: v for v, a in zip(inputs, op._schema.arguments, strict=True) if a.kwarg_only}
                more = {"keyword_only_inputs": named} if named else {}
                rule[1](ctx, inputs=places, output=result, **more)
            return result

        def backward(ctx: Any, *grads: Any) -> tuple[Any, ...]:
            if rule is None:
                return apart(op.derived(ctx.inputs, grads))
            found = rule[0](ctx, *grads)
            found = found if isinstance(found, tuple) else (found,)
            return apart(found + (None,) * (len(op._schema.arguments) - len(found)))

        name = f"GeneratedBackwardFor_{self.namespace}_{self.overloadpacket.__name__}_{self._overloadname}"
        kind: Any = type(Function)
        node = kind(name, (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})
        return node.apply(*(t for n, v in zip(shape, values, strict=True) for t in ((v,) if n is None else v)))

    def derived(self, inputs: tuple[Any, ...], grads: tuple[Any, ...]) -> tuple[Any, ...]:
        """The gradients by running the function again with autograd recording; RuntimeError for one that is no
        composition of operators.
        """
        with enable_grad():
            fresh: Callable[[Any], Any] = lambda x: (
                x.detach().requires_grad_(x.requires_grad)
                if isinstance(x, Tensor)
                else [fresh(v) for v in x]
                if isinstance(x, (list, tuple))
                else x
            )
            again = [fresh(x) for x in inputs]
            try:
                results = self.run(self.kernel(again), again)
            except Exception as error:
                raise RuntimeError(
                    f"{self.name()}(): no derivative: the function cannot be recorded, and none is registered; use "
                    "torch.library.register_autograd"
                ) from error
            results = list(results) if isinstance(results, (tuple, list)) else [results]
        pairs = [
            (y, g)
            for y, g in zip(results, grads, strict=True)
            if isinstance(y, Tensor) and y.requires_grad and g is not None
        ]
        if not pairs:
            raise RuntimeError(
                f"{self.name()}(): no derivative: the function is not written in operators that autograd records, "
                "and none is registered; "
                "use torch.library.register_autograd"
            )
        wanted = [x for x in _dispatch.tensors_in(again) if x.requires_grad]
        found = iter(grad([y for y, _ in pairs], wanted, [g for _, g in pairs], allow_unused=True))
        of: Callable[[Any], Any] = lambda x: (
            (next(found) if x.requires_grad else None)
            if isinstance(x, Tensor)
            else [of(v) for v in x]
            if isinstance(x, (list, tuple))
            else None
        )
        return tuple(map(of, again))


class VmapInfo:
    """What a vmap rule is given: the number of examples, and what random numbers are to be."""

    def __init__(self, batch_size: int, randomness: str) -> None:
        self.batch_size, self.randomness = batch_size, randomness


class OpOverloadPacket:
    """The overloads of one name: `torch.ops.myspace.name`. A call goes to the first overload that takes the
    arguments.
    """

    def __init__(self, namespace: str, name: str) -> None:
        self._qualified_op_name, self.__name__, self.__module__ = (
            f"{namespace}::{name}",
            name,
            f"torch._ops.{namespace}",
        )
        self._namespace = namespace
        self._overloads: dict[str, OpOverload] = {}

    def overloads(self) -> list[str]:
        """The names of the overloads; the one without a name is "default"."""
        return list(self._overloads)

    def __getattr__(self, name: str) -> OpOverload:
        try:
            return self.__dict__["_overloads"][name]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(
                f"the operator '{self.__dict__.get('_qualified_op_name')}' has no overload name '{name}'; found "
                f"{list(self.__dict__.get('_overloads', ()))}"
            ) from None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        refusal: RuntimeError | None = None
        for overload in self._overloads.values():
            try:
                values = overload.bind(args, kwargs)
            except RuntimeError as error:
                refusal = refusal or error
                continue
            return overload.called(values, args, kwargs)
        raise refusal or RuntimeError(f"{self._qualified_op_name}(): no overload is defined")

    def __iter__(self) -> Iterator[str]:
        return iter(self._overloads)

    def __str__(self) -> str:
        return f"{self._namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


class OpNamespace:
    """`torch.ops.myspace`: the operators that were defined in it."""

    def __init__(self, name: str) -> None:
        self.name, self.__name__, self._packets = name, f"torch.ops.{name}", dict[str, OpOverloadPacket]()

    def __getattr__(self, name: str) -> OpOverloadPacket:
        if name not in self.__dict__.get("_packets", {}):
            raise AttributeError(f"'_OpNamespace' '{self.__dict__.get('name')}' object has no attribute '{name}'")
        found = self.__dict__[name] = self._packets[name]  # until `remove`: Python finds it without asking
        return found

    def __dir__(self) -> list[str]:
        return list(self._packets)

    def __repr__(self) -> str:
        return f"<module '{self.__name__}' from 'torch.ops'>"


NAMESPACES: dict[str, OpNamespace] = {}
KINDS: dict[str, type[OpNamespace]] = {}  # of namespaces that are made otherwise: "aten" (aten.py)


def namespace(name: str) -> OpNamespace:
    """The namespace of that name; it is made when it is first asked for."""
    found = NAMESPACES.get(name)
    if found is None:
        found = NAMESPACES[name] = KINDS.get(name, OpNamespace)(name)
    return found


KERNELS: dict[str, dict[str, Any]] = {}  # registered for operators that are not defined yet, by qualified name
FAKES: dict[str, Any] = {}  # registered for operators that are not defined yet, by qualified name


def define(schema: FunctionSchema) -> OpOverload:
    """A new operator; RuntimeError where that overload is there already."""
    space, _, name = schema.name.partition("::")
    packet = namespace(space)._packets.setdefault(name, OpOverloadPacket(space, name))
    if (schema.overload_name or "default") in packet._overloads:
        raise RuntimeError(f"{schema.name}: the overload '{schema.overload_name or 'default'}' is defined already")
    made = packet._overloads[schema.overload_name or "default"] = OpOverload(packet, schema)
    made.kernels.update(KERNELS.pop(made.name(), {}))
    made.fake = FAKES.pop(f"{schema.name}.{schema.overload_name}".removesuffix(".").removesuffix(".default"), made.fake)
    return made


def remove(op: OpOverload) -> None:
    """Take an operator out of its namespace."""
    op.overloadpacket._overloads.pop(op._overloadname, None)
    if not op.overloadpacket._overloads:
        space = namespace(op.namespace)
        space._packets.pop(op.overloadpacket.__name__, None)
        vars(space).pop(op.overloadpacket.__name__, None)


def _found(space: str, name: str, overload: str) -> OpOverload:
    return getattr(getattr(namespace(space), name), overload)  # type: ignore[no-any-return]


def defined(qualified: str) -> bool:
    """Whether there is an operator of "space::name" or "space::name.overload"."""
    space, _, rest = qualified.partition("::")
    name, _, overload = rest.partition(".")
    packet = NAMESPACES[space]._packets.get(name) if space in NAMESPACES else None
    return packet is not None and (overload or "default") in packet._overloads


def find(qualified: str) -> OpOverload:
    """The operator of "space::name" or "space::name.overload"; RuntimeError where there is none."""
    space, sep, rest = qualified.partition("::")
    name, _, overload = rest.partition(".")
    if not sep or not defined(qualified):
        raise RuntimeError(
            f"there is no operator '{qualified}'; define it with torch.library.define or custom_op first"
        )
    return _found(space, name, overload or "default")
