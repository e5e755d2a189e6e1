"""`torch.ops.aten`: the operators of the table under the names of PyTorch's inner ones, with overloads.

An overload here is the whole operator under one more name; the operator's parameters decide which of PyTorch's
overloads exist.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core.dispatch import Operator
from rushlight.core.dtypes import dtype
from rushlight.core.flatten import Param
from rushlight.core.tensor import Tensor, modes_in_force
from rushlight.library.aten_schemas import schema_of
from rushlight.library.calls import function_of, function_of_overload, inner_call, is_leaf
from rushlight.library.foreign import FOREIGN
from rushlight.library.graph_calls import GRAPH_CALLS
from rushlight.library.operator import KINDS, OpNamespace, OpOverload, OpOverloadPacket, namespace
from rushlight.library.overloads import OVERLOADS
from rushlight.library.schema import Argument, FunctionSchema, Return
from rushlight.operators.table.define import FUNCTIONS, METHODS, TABLE
from rushlight.operators.table.dispatch import ask, leaves_of

_KINDS = {0: "Tensor", 1: "Tensor[]", 2: "Scalar", 3: "SymInt", 4: "SymInt[]"}
_OPERAND, _STATIC = 6, (5, 7, 8)
_PLAIN = {bool: "bool", int: "int", float: "float", str: "str", dtype: "ScalarType"}
# The overloads of aten's names whose arguments are those of no operator of the table.
_BY_FUNCTION = {"slice": "Tensor", "index": "Tensor", "alias": "default"}
_NAMED_AS = {
    "slice": "narrow",
    "alias": "detach",
    "index": "index_select",
    "_to_copy": "to",
    "permute": "permute",
    "_softmax": "softmax",
    "_log_softmax": "log_softmax",
    "_unsafe_view": "view",
    "native_dropout": "dropout",
    "im2col": "nn.functional.unfold",
    "col2im": "nn.functional.fold",
}
_SPACES = ("", "nn.functional.", "linalg.", "special.", "fft.")


def operator_of(name: str) -> Operator | None:
    """The table's operator for a name of aten's: "add_", "linalg_inv", "special_erfcx", "fft_fft", "gelu"."""
    if "." in name:
        return TABLE.get(name)
    for space in _SPACES:
        short = name.removeprefix(space.rstrip(".") + "_") if space in _SPACES[2:] else name
        if space in _SPACES[2:] and short == name:
            continue
        found = TABLE.get(space + short)
        if isinstance(found, Operator):
            return found
    if name.startswith("special_"):  # another name of an operator: special.expit is sigmoid
        from importlib import import_module

        found = getattr(import_module("rushlight.special"), name.removeprefix("special_"), None)
        return found if isinstance(found, Operator) else None
    return METHODS.get(name)


def overload_names(op: Operator) -> list[str]:
    """PyTorch's names for the ways to call an operator, as far as its parameters tell."""
    kinds = [p.kind for p in op.params]
    names = ["default"]
    if op.name.rstrip("_") == "pow":
        names = ["Tensor_Tensor", "Tensor_Scalar", "Scalar"]
    elif _OPERAND in kinds:
        names = ["Tensor", "Scalar"] if op.name != "where" else ["self", "ScalarSelf", "ScalarOther", "Scalar"]
    elif op.name in ("sum", "mean", "nansum"):
        names = ["default", "dim_IntList" if op.name != "mean" else "dim"]
    elif "dim" in op.index and op.name in ("max", "min", "all", "any", "prod", "median", "std", "var", "norm"):
        names = ["default", "dim"]
    elif op.name in ("softmax", "log_softmax", "select", "transpose", "unbind", "squeeze") and "dim" in op.index:
        names = (
            ["int"] if op.name not in ("unbind", "squeeze") else ["default", "dim"] if op.name == "squeeze" else ["int"]
        )
    return names + (["out"] if op.takes_out else [])


def _argument(p: Param, first: bool, overload: str) -> Argument:
    if p.kind == _OPERAND:
        kind = (
            "Tensor"
            if first and not overload == "Scalar" or "Tensor" in overload.split("_")[-1] or overload == "out"
            else "Scalar"
        )
    elif p.kind in _STATIC:
        kind = _PLAIN.get(
            type(p.default),
            "ScalarType"
            if p.name == "dtype"
            else "Device"
            if p.name == "device"
            else "int[]"
            if p.name in ("dim", "dims")
            else "int",
        )
    else:
        kind = _KINDS[p.kind]
    if first and "!" not in kind and overload.startswith("@"):
        kind = "Tensor(a!)"
    return Argument(
        "self" if first and p.name == "input" else p.name,
        kind + ("?" if p.optional and not kind.endswith("?") else ""),
        p.default,
        not p.required,
        p.keyword_only,
    )


def _unnamed(result: Any) -> Any:
    """Results as aten's operators give them: in a plain tuple, where the public function's has names."""
    return tuple(result) if isinstance(result, tuple) and hasattr(result, "_fields") else result


class TableOverload(OpOverload):
    """One overload of an operator of the table."""

    def __init__(self, packet: OpOverloadPacket, op: Operator, overload: str) -> None:
        arguments = tuple(
            _argument(p, i == 0, "@" if op.inplace and i == 0 else overload) for i, p in enumerate(op.params)
        )
        if overload == "out":
            arguments += (Argument("out", "Tensor(a!)", kwarg_only=True),)
        name = "" if overload == "default" else overload
        result = "Tensor(a!)" if op.inplace or overload == "out" else "Tensor"
        super().__init__(packet, FunctionSchema(packet._qualified_op_name, name, arguments, (Return(result),)))
        self.operator = op

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if modes_in_force() or any(not isinstance(x, Tensor) for x in leaves_of(args)):
            found = ask(self, self.name(), [*args, *kwargs.values()], args, kwargs)
            if found is not NotImplemented:
                return found
        return _unnamed(self.perform(*args, **kwargs))

    def perform(self, *args: Any, **kwargs: Any) -> Any:
        """The call, below modes."""
        return self.operator(*args, **kwargs)


class AtenPacket(OpOverloadPacket):
    """An operator of the table as `torch.ops.aten.name`."""

    def __init__(self, name: str, op: Operator) -> None:
        super().__init__("aten", name)
        self.operator = op
        for overload in dict.fromkeys((*overload_names(op), *OVERLOADS.get(name, ()))):
            function = function_of_overload(name, overload)
            if function is None:
                self._overloads[overload] = TableOverload(self, op, overload)
            else:
                self._overloads[overload] = LeafOverload(self, op, overload, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not modes_in_force() and any(not isinstance(x, Tensor) for x in leaves_of(args)):
            found = ask(self, self.__name__, [*args, *kwargs.values()], args, kwargs)
            if found is not NotImplemented:  # a value of a trace, or another object of a foreign class
                return found
        short = "Scalar" if len(args) > 2 and "Scalar" in self._overloads else "default"
        if (function := function_of_overload(self.__name__, short)) is not None:
            return _unnamed(function(*args, **kwargs))
        function = function_of(self.__name__)
        if self.__name__ in _BY_FUNCTION and function is not None:  # of no operator's parameters
            return overload(f"{self.__name__}.{_BY_FUNCTION[self.__name__]}", self.operator, function)(*args, **kwargs)
        return _unnamed(self.operator(*args, **kwargs))

    def __getattr__(self, name: str) -> OpOverload:
        if (
            not name.startswith("_")
            and name not in self.__dict__.get("_overloads", {})
            and is_leaf(self.__name__, name)
        ):
            return overload(f"{self.__name__}.{name}", self.operator, function_of(self.__name__))
        return super().__getattr__(name)


class InnerPacket(OpOverloadPacket):
    """An inner operator of aten's that is none of the table's."""

    def __init__(self, name: str, op: Operator, function: Callable[..., Any]) -> None:
        super().__init__("aten", name)
        self.operator, self._function = op, function
        self._overloads["default"] = LeafOverload(self, op, "default", function)

    def __getattr__(self, name: str) -> OpOverload:
        if not name.startswith("_") and schema_of(self.__name__, name) is not None:
            return self._overloads.setdefault(name, LeafOverload(self, self.operator, name, self._function))
        return super().__getattr__(name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # Its arguments are aten's; the schema, which is that of the table's operator, would refuse them.
        return self._overloads["default"](*args, **kwargs)


class ForeignOverload(OpOverload):
    """An overload that PyTorch alone has: programs compare it and look it up; it has no schema and cannot be called."""

    def __init__(self, packet: OpOverloadPacket, name: str = "default") -> None:
        super().__init__(packet, FunctionSchema(packet._qualified_op_name, "" if name == "default" else name, (), ()))
        del self._schema
        # Names that are functions or methods here, and no operators, can be called.
        self.function = FUNCTIONS.get(packet.__name__) or getattr(Tensor, packet.__name__, None)

    def __getattr__(self, name: str) -> Any:
        if name == "_schema":
            raise AttributeError(f"{self.name()}: rushlight lacks the schema of this operator of PyTorch's")
        raise AttributeError(f"'OpOverload' object has no attribute '{name}'")

    def name(self) -> str:
        return self.overloadpacket._qualified_op_name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if callable(self.function):
            return self.function(*args, **kwargs)
        raise NotImplementedError(
            f"{self.name()}: rushlight has no inner operator of this name; what PyTorch does by it is done here by the "
            "operators that programs call"
        )


class ForeignPacket(OpOverloadPacket):
    """An inner operator that PyTorch alone has, see foreign.py."""

    def __init__(self, name: str) -> None:
        super().__init__("aten", name)
        for overload in dict.fromkeys(("default", *OVERLOADS.get(name, ()))):
            self._overloads[overload] = ForeignOverload(self, overload)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._overloads["default"](*args, **kwargs)


class AtenNamespace(OpNamespace):
    """`torch.ops.aten`: packets are made when they are asked for."""

    def __getattr__(self, name: str) -> OpOverloadPacket:
        packets = self.__dict__.get("_packets", {})
        if name not in packets and (not name.startswith("__") or name in GRAPH_CALLS):
            op = operator_of(_NAMED_AS.get(name, name))
            if op is not None:
                packets[name] = AtenPacket(name, op)
            elif (found := inner_call(name)) is not None:
                packets[name] = InnerPacket(name, TABLE[found[0]], found[1])
            elif name in FOREIGN:
                packets[name] = ForeignPacket(name)
        return super().__getattr__(name)

    def __dir__(self) -> list[str]:
        return sorted({*self._packets, *METHODS, *(key for key in TABLE if "." not in key)})


class LeafOverload(TableOverload):
    """An overload whose arguments are aten's: it knows how the table does such a call."""

    def __init__(self, packet: OpOverloadPacket, op: Operator, overload: str, function: Callable[..., Any]) -> None:
        super().__init__(packet, op, overload)
        self.function = function

    def perform(self, *args: Any, **kwargs: Any) -> Any:
        """The call, below modes."""
        return self.function(*args, **kwargs)


def overload(name: str, op: Operator, function: Callable[..., Any] | None = None) -> OpOverload:
    """`torch.ops.aten.<name>`, "add.Tensor": of the table's operator of that name, whichever operator asks for it
    first, else of `op`.

    function: does a call where the operator takes other arguments.
    """
    packet_name, _, short = name.partition(".")
    space = namespace("aten")
    op = operator_of(packet_name) or op
    packet = space._packets.get(packet_name)
    if packet is None:
        packet = space._packets[packet_name] = AtenPacket(packet_name, op)
    made = packet._overloads.get(short)
    if made is None or function is not None and not isinstance(made, LeafOverload):
        if function is None:
            made = TableOverload(packet, op, short)
        else:
            made = LeafOverload(packet, op, short, function)
        packet._overloads[short] = made
    return made


def find(name: str) -> Any:
    """`torch.ops.aten.<name>`, "add.Tensor"; None where it is not there."""
    packet_name, _, short = name.partition(".")
    packet = getattr(namespace("aten"), packet_name, None)
    if packet is None:
        return None
    found = packet._overloads.get(short)
    if isinstance(found, LeafOverload):
        return found
    inner = inner_call(packet_name)
    owner = operator_of(_NAMED_AS.get(packet_name, packet_name)) or (None if inner is None else TABLE[inner[0]])
    takes = GRAPH_CALLS[packet_name][1] if packet_name in GRAPH_CALLS else None
    if owner is not None and (takes is not None or found is None and schema_of(packet_name, short) is not None):
        how = takes or function_of_overload(packet_name, "default") or function_of(packet_name)
        return overload(name, owner, how)
    return found if found is not None else getattr(packet, short, None)


class _OwnNamespace(OpNamespace):
    """`torch.ops.rushlight`: operators of the table that PyTorch has none of, by their public names with `__` for the
    dots.
    """

    def __getattr__(self, name: str) -> OpOverloadPacket:
        packets = self.__dict__.get("_packets", {})
        if name not in packets and not name.startswith("__"):
            op = TABLE.get(name.replace("__", ".")) or METHODS.get(name)
            if isinstance(op, Operator):
                packet = packets[name] = OpOverloadPacket("rushlight", name)
                packet._overloads["default"] = TableOverload(packet, op, "default")
        return super().__getattr__(name)


def own_overload(op: Operator) -> Any:
    """The operator under our own name; None for one that has no public name."""
    for names in (TABLE, METHODS):
        for name, x in names.items():
            if x is op:
                return getattr(namespace("rushlight"), name.replace(".", "__")).default
    return None


KINDS["aten"] = AtenNamespace
KINDS["rushlight"] = _OwnNamespace
