"""`Node`: one value of a graph, and the arguments that lead to it."""

from __future__ import annotations

import enum
import math
import operator
import types
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from rushlight.core import dtypes
from rushlight.core.dispatch import Operator
from rushlight.core.named import Named
from rushlight.fx.immutable_collections import immutable_dict, immutable_list
from rushlight.fx.names import qualified_name, type_name
from rushlight.nn.modules.module import Module

if TYPE_CHECKING:
    from rushlight.fx.operator_schemas import ArgsKwargsPair

__all__ = ["Argument", "Node", "Target", "has_side_effect", "map_aggregate", "map_arg"]

Target: TypeAlias = Callable[..., Any] | str
Argument: TypeAlias = Any

OPCODES = ("placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root")
_side_effects: set[Any] = set()


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: calls of the function are kept even if their results are not used."""
    _side_effects.add(fn)
    return fn


def map_aggregate(a: Argument, fn: Callable[[Any], Any]) -> Argument:
    """`a` with `fn` applied to what is no tuple, list, dict or slice within it; lists and dicts become immutable
    ones.
    """
    if isinstance(a, tuple):
        found = [map_aggregate(x, fn) for x in a]
        return type(a)(*found) if hasattr(a, "_fields") else tuple(found)
    if isinstance(a, list):
        return immutable_list(map_aggregate(x, fn) for x in a)
    if isinstance(a, dict):
        return immutable_dict((k, map_aggregate(v, fn)) for k, v in a.items())
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


def map_arg(a: Argument, fn: Callable[[Node], Argument]) -> Argument:
    """`a` with `fn` applied to the nodes within it.

    Raises:
        AssertionError: `fn` cannot be called.
    """
    if not callable(fn):
        raise AssertionError(f"map_arg(): 'fn' must be a function of a Node; found {fn!r}")
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


class Node:
    """One line of a graph.

    op: "placeholder" (an argument; target its name), "get_attr" (an attribute of the module; target its path),
    "call_function" (target the function), "call_module" (target the module's path), "call_method" (target the method's
    name, args[0] the object) or "output" (args[0] what is returned). args, kwargs: values of Python and nodes, nested
    in tuples, lists, dicts and slices. users: the nodes that take this one, in the order of the graph. meta: a dict for
    passes.
    """

    def __init__(
        self,
        graph: Any,  # a Graph, whose file imports this one
        name: str,
        op: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        return_type: Any = None,
    ) -> None:
        if op not in OPCODES:
            raise AssertionError(f"op '{op}' is not in _legal_ops: {', '.join(OPCODES)}")
        if op == "call_function":
            if not callable(target):
                raise ValueError(
                    f"Node(): the target of a call_function must be callable; found {target!r} of type "
                    f"{type(target).__name__}"
                )
        elif not isinstance(target, str):
            raise ValueError(
                f"Node(): the target of a {op} must be a str; found {target!r} of type {type(target).__name__}"
            )
        self.graph, self.name, self.op, self.target, self.type = graph, name, op, target, return_type
        self.users: dict[Node, None] = {}
        self._input_nodes: dict[Node, None] = {}
        self._args: tuple[Argument, ...] = ()
        self._kwargs: dict[str, Argument] = {}
        self._prev = self._next = self
        self._erased = False
        self._repr_fn: Callable[[Node], str] | None = None
        self.meta: dict[str, Any] = {}
        self._update(map_aggregate(tuple(args), lambda x: x), map_aggregate(dict(kwargs), lambda x: x))

    # ---- arguments
    def _update(self, args: tuple[Argument, ...], kwargs: dict[str, Argument]) -> None:
        for n in self._input_nodes:
            n.users.pop(self, None)
        self._input_nodes = {}
        self._args, self._kwargs = args, kwargs

        def use(n: Node) -> Node:
            self._input_nodes[n] = None
            n.users[self] = None
            return n

        map_arg(args, use)
        map_arg(kwargs, use)

    @property
    def args(self) -> tuple[Argument, ...]:
        """The positional arguments; assign a tuple to change them."""
        return self._args

    @args.setter
    def args(self, a: tuple[Argument, ...]) -> None:
        self._update(map_aggregate(tuple(a), lambda x: x), self._kwargs)

    @property
    def kwargs(self) -> dict[str, Argument]:
        """The keyword arguments; assign a dict to change them."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, k: dict[str, Argument]) -> None:
        self._update(self._args, map_aggregate(dict(k), lambda x: x))

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes among the arguments, each once."""
        return list(self._input_nodes)

    def update_arg(self, idx: int, arg: Argument) -> None:
        """Replace positional argument `idx`."""
        args = list(self._args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Argument) -> None:
        """Put a positional argument before position `idx`, which must be in [0, len(args)]."""
        if not 0 <= idx <= len(self._args):
            raise AssertionError(f"insert_arg(): 'idx' must be in [0, {len(self._args)}]; found {idx}")
        self.args = (*self._args[:idx], arg, *self._args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        """Set keyword argument `key`."""
        self.kwargs = {**self._kwargs, key: arg}

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Take `new_input` wherever `old_input` is an argument."""
        swap = lambda n: new_input if n is old_input else n
        self._update(map_arg(self._args, swap), map_arg(self._kwargs, swap))

    def replace_all_uses_with(
        self,
        replace_with: Node,
        delete_user_cb: Callable[[Node], bool] = lambda user: True,
        *,
        propagate_meta: bool = False,
    ) -> list[Node]:
        """Let every user for which `delete_user_cb` is true take `replace_with` instead; returns the former users.

        propagate_meta: copy this node's meta, which that of `replace_with` must then be empty for.
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "replace_all_uses_with(): 'replace_with' must have an empty meta with propagate_meta=True"
                )
            replace_with.meta.update(self.meta)
        users = list(self.users)
        for user in users:
            if delete_user_cb(user):
                user.replace_input_with(self, replace_with)
        return users

    # ---- place in the graph
    @property
    def next(self) -> Node:
        """The node behind this one; behind the last one comes the root."""
        return self._next

    @property
    def prev(self) -> Node:
        """The node before this one; before the first one comes the root."""
        return self._prev

    def _remove_from_list(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev
        self._prev = self._next = self

    def prepend(self, x: Node) -> None:
        """Move `x`, a node of the same graph, before this one."""
        if x.graph is not self.graph:
            raise AssertionError("prepend(): 'x' must be a node of the same graph")
        if x is self:
            return
        x._remove_from_list()
        x._prev, x._next = self._prev, self
        self._prev._next = x
        self._prev = x

    def append(self, x: Node) -> None:
        """Move `x`, a node of the same graph, behind this one."""
        self._next.prepend(x)

    def __lt__(self, other: Node) -> bool:
        return bool(self.graph.position(self) < self.graph.position(other))

    def __gt__(self, other: Node) -> bool:
        return other < self

    def __le__(self, other: Node) -> bool:
        return self is other or self < other

    def __ge__(self, other: Node) -> bool:
        return self is other or other < self

    # ---- what it is
    @property
    def stack_trace(self) -> str | None:
        """Where the traced program made this value, if the tracer recorded that."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether the call has other effects than its result, so that dead code elimination keeps it."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            name = getattr(self.target, "__name__", "")
            if (
                self.target in _side_effects
                or (name.endswith("_") and not name.endswith("__"))
                or name in ("_assert", "_assert_is_none", "setitem", "setattr", "delitem")
            ):
                return True
            if "out" in self._kwargs:
                return True
            return impure_random and name in (
                "rand",
                "randn",
                "randint",
                "randperm",
                "normal",
                "bernoulli",
                "multinomial",
                "dropout",
                "rand_like",
                "randn_like",
                "randint_like",
            )
        if self.op == "call_method":
            assert isinstance(self.target, str)
            return self.target.endswith("_") and not self.target.endswith("__") or self.target == "__setitem__"
        if self.op == "call_module":
            owner = self.graph.owning_module
            if owner is None:
                raise AssertionError(
                    "is_impure(): the graph must belong to a module for the purity of its call_module nodes to be known"
                )
            module = owner.get_submodule(self.target)
            return bool(getattr(module, "_is_impure", False))
        return False

    def normalized_arguments(
        self, root: Module, arg_types: Any = None, kwarg_types: Any = None, normalize_to_only_use_kwargs: bool = False
    ) -> ArgsKwargsPair | None:
        """(args, kwargs) bound by the parameters of the target, with defaults; None where those are not known.

        root: the module that the paths of call_module nodes start from. arg_types, kwarg_types: the types of the
        arguments. normalize_to_only_use_kwargs: everything by name.

        Raises:
            RuntimeError: the target may be called in several ways that fit, and no types are given.
        """
        from rushlight.fx.operator_schemas import normalize_function, normalize_module

        if self.op == "call_function":
            return normalize_function(
                self.target,  # type: ignore[arg-type]
                self._args,
                self._kwargs,
                arg_types,
                kwarg_types,
                normalize_to_only_use_kwargs,
            )
        if self.op == "call_module":
            return normalize_module(root, str(self.target), self._args, self._kwargs, normalize_to_only_use_kwargs)
        return None

    # ---- text
    def _pretty_print_target(self, target: Target) -> str:
        if isinstance(target, str):
            return target
        return qualified_name(target)

    def format_node(
        self,
        placeholder_names: list[str] | None = None,
        maybe_return_typename: list[str] | None = None,
        *,
        include_tensor_metadata: bool = False,
    ) -> str | None:
        """The node as a line of `print(graph)`; a placeholder goes to `placeholder_names`, where that is given, and is
        no line then.
        """
        write = lambda x: text_of(x, lambda n: f"%{n.name}", lambda name, obj: name)
        plain: Callable[[Any], Any] = lambda x: (
            text_of(x, repr, lambda name, obj: name) if not isinstance(x, str) else x
        )
        kind = f"{type_name(self.type)} " if self.type is not None else ""
        if self.op == "placeholder":
            assert isinstance(self.target, str)
            default = f"(default={self._args[0]!r})" if self._args else ""
            text = self.target + (f" : {type_name(self.type)}" if self.type is not None else "")
            if placeholder_names is not None:
                placeholder_names.append(text + (f" = {self._args[0]!r}" if self._args else ""))
                return None
            return f"%{self.name} : {kind}[num_users={len(self.users)}] = {self.op}[target={self.target}]{default}"
        if self.op == "get_attr":
            return (
                f"%{self.name} : {kind}[num_users={len(self.users)}] = "
                f"{self.op}[target={self._pretty_print_target(self.target)}]"
            )
        if self.op == "output":
            if self.type is not None and maybe_return_typename is not None:
                maybe_return_typename[0] = f" -> {type_name(self.type)}"
            return f"return {plain(self._args[0])}"
        kwargs = "{" + ", ".join(f"{k}: {_bare(v, write)}" for k, v in self._kwargs.items()) + "}"
        args = f"({', '.join(_bare(a, write) for a in self._args)}{',' if len(self._args) == 1 else ''})"
        return (
            f"%{self.name} : {kind}[num_users={len(self.users)}] = "
            f"{self.op}[target={self._pretty_print_target(self.target)}](args = {args}, kwargs = {kwargs})"
        )

    def __repr__(self) -> str:
        return self._repr_fn(self) if self._repr_fn else self.name

    def __deepcopy__(self, memo: dict[int, Any]) -> Node:
        found = memo.get(id(self))
        return self if found is None else found


def _bare(x: Any, write: Callable[[Any], str]) -> str:
    return x if isinstance(x, str) else write(x)


def nodes_in(values: Iterable[Any]) -> list[Node]:
    """The nodes within values, each once, in order."""
    found: dict[Node, None] = {}

    def see(n: Node) -> Node:
        found[n] = None
        return n

    for v in values:
        map_arg(v, see)
    return list(found)


# Functions that Python writes between or before their operands.
INFIX: dict[Any, str] = {
    operator.add: "{} + {}",
    operator.sub: "{} - {}",
    operator.mul: "{} * {}",
    operator.floordiv: "{} // {}",
    operator.truediv: "{} / {}",
    operator.mod: "{} % {}",
    operator.pow: "{} ** {}",
    operator.lshift: "{} << {}",
    operator.rshift: "{} >> {}",
    operator.and_: "{} & {}",
    operator.or_: "{} | {}",
    operator.xor: "{} ^ {}",
    operator.matmul: "{} @ {}",
    operator.eq: "{} == {}",
    operator.ne: "{} != {}",
    operator.lt: "{} < {}",
    operator.gt: "{} > {}",
    operator.le: "{} <= {}",
    operator.ge: "{} >= {}",
    operator.neg: "-{}",
    operator.pos: "+{}",
    operator.invert: "~{}",
    operator.getitem: "{}[{}]",
}
AUGMENTED: dict[Any, str] = {
    operator.iadd: "{} += {}",
    operator.isub: "{} -= {}",
    operator.imul: "{} *= {}",
    operator.ifloordiv: "{} //= {}",
    operator.itruediv: "{} /= {}",
    operator.imod: "{} %= {}",
    operator.ipow: "{} **= {}",
    operator.ilshift: "{} <<= {}",
    operator.irshift: "{} >>= {}",
    operator.iand: "{} &= {}",
    operator.ior: "{} |= {}",
    operator.ixor: "{} ^= {}",
    operator.imatmul: "{} @= {}",
}


def text_of(x: Any, node_text: Callable[[Any], str], global_name: Callable[[str, Any], str]) -> str:
    """An argument as source text; `node_text` writes a node, `global_name` an object that the code finds among its
    globals.
    """

    def write(x: Any) -> str:
        if isinstance(x, Node):
            return node_text(x)
        if isinstance(x, tuple) and hasattr(x, "_fields"):
            return f"{global_name(type_name(type(x)), type(x))}({', '.join(map(write, x))})"
        if isinstance(x, tuple):
            return f"({', '.join(map(write, x))}{',' if len(x) == 1 else ''})"
        if isinstance(x, list):
            return f"[{', '.join(map(write, x))}]"
        if isinstance(x, dict):
            return "{" + ", ".join(f"{k!r}: {write(v)}" for k, v in x.items()) + "}"
        if isinstance(x, slice):
            ends = (y.name if isinstance(y, Node) else write(y) for y in (x.start, x.stop, x.step))
            return f"slice({', '.join(ends)})"
        if isinstance(x, float) and not math.isfinite(x):
            return "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"
        if isinstance(x, enum.Enum):
            return f"{global_name(type_name(type(x)), type(x))}.{x.name}"
        if isinstance(x, types.EllipsisType):
            return "Ellipsis"
        if isinstance(x, (Operator, Named)):
            return global_name(qualified_name(x), x)
        if isinstance(x, (type, types.FunctionType, types.BuiltinFunctionType)):
            return global_name(qualified_name(x), x)
        if isinstance(x, (dtypes.dtype, dtypes.layout, dtypes.memory_format)):
            return repr(x).replace("rushlight.", "torch.")
        return repr(x)

    return write(x)
