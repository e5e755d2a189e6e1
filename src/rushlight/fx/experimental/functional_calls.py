"""The calls of `functionalize(f)` in a graph that `make_fx` writes: no call writes to a tensor. A write becomes the
call that computes the new value, put into the tensors that the written one is a view of; other views are made anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

import rushlight
from rushlight.core.tensor import Tensor
from rushlight.func.tree import flatten, tree_map
from rushlight.fx.graph import Graph
from rushlight.fx.node import Node

if TYPE_CHECKING:
    from rushlight.library.operator import OpOverload

__all__ = ["FunctionalCalls"]


class Recorder(Protocol):
    """Who writes the graph."""

    graph: Graph
    nodes: dict[int, Node]

    def note(self, t: Tensor, node: Node) -> None:
        """`t` is what the node computes."""

    def node_of(self, t: Tensor) -> Node:
        """The node of a tensor."""

    def argument(self, x: Any) -> Any:
        """An argument of a call as that of a node."""

    def results(self, result: Any, node: Node) -> None:
        """The tensors in `result` are what the node computes."""

    def shaped(self, node: Node, like: Tensor) -> None:
        """The node computes something of a tensor's sizes and dtype."""


class FunctionalCalls:
    """Writes calls for a recorder, and knows which tensors are views of which.

    Args:
        recorder: writes the graph.
        copies: views are written as copies, too (`view_copy`).
        run: does a call of an overload.
        shares: whether a result lies in the memory of the call's first tensor.
        alias: another object of the same value.
    """

    def __init__(
        self,
        recorder: Recorder,
        copies: bool,
        run: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any] | None = None,
        shares: Callable[[Any, Tensor, Tensor], bool] | None = None,
        alias: Callable[[Tensor], Tensor] | None = None,
    ) -> None:
        self.alias = alias or (lambda t: t.detach())
        self.recorder, self.copies = recorder, copies
        self.run = run or (lambda func, args, kwargs: func(*args, **kwargs))
        self.shares = shares or (lambda func, a, b: _shares(a, b))
        self.views: dict[int, tuple[Tensor, Any, tuple[Any, ...], dict[str, Any]]] = {}  # how each is made of its base
        self.writes: dict[int, int] = {}  # by the base of all: how often it was written
        self.parts: dict[int, Any] = {}  # by a view that is one of several: the call that makes them
        self.made: dict[int, int] = {}  # by a view: how often its base had been when its node was made

    def perform(self, func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do the call, and write what it computes."""
        written = [a.name for a in func._schema.arguments if a.is_write]
        if func.overloadpacket.__name__ in _RESHAPING:
            return self._reshape(func, args, kwargs)
        if not written:
            return self._read(func, args, kwargs)
        plain = _functional(func) if len(written) == 1 else None
        if plain is None:
            raise NotImplementedError(f"functionalize: {func} cannot be traced: it has no form that writes to nothing")
        dest = kwargs["out"] if "out" in kwargs else args[0]
        node = self._emit(plain, args, {k: v for k, v in kwargs.items() if k != "out"})
        result = self.run(func, args, kwargs)
        self._wrote(dest, node)
        return result

    def _reshape(self, func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call that makes another view of the tensor itself: it becomes a view of an object that stays as it was."""
        t, plain = args[0], _functional(func)
        if any(base is t for base, *_ in self.views.values()):
            raise NotImplementedError(f"functionalize: {func} of a tensor that has views cannot be traced")
        before = self.alias(t)
        self.recorder.note(before, self.recorder.node_of(t))
        if id(t) in self.views:
            self.views[id(before)], self.made[id(before)] = self.views.pop(id(t)), self.made.pop(id(t))
        if id(t) in self.writes:
            self.writes[id(before)] = self.writes.pop(id(t))
        node = self._emit(_copying(plain) if self.copies else plain, (before, *args[1:]), kwargs)
        result = self.run(func, args, kwargs)
        self.recorder.note(t, node)
        self.views[id(t)] = before, plain, args[1:], kwargs
        self.made[id(t)] = self.writes.get(id(self._root(t)), 0)
        return result

    def _read(self, func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do a call that writes nothing, and write it down; remember what its result is a view of."""
        result = self.run(func, args, kwargs)
        base = args[0] if args and isinstance(args[0], Tensor) else None
        view = (
            isinstance(result, Tensor) and base is not None and result is not base and self.shares(func, result, base)
        )
        node = self._emit(_copying(func) if view and self.copies else func, args, kwargs)
        self.recorder.results(result, node)
        for part in result if isinstance(result, (tuple, list)) else ():
            if isinstance(part, Tensor) and base is not None and self.shares(func, part, base):
                self.parts[id(part)] = func
        if view and base is not None:
            self.views[id(result)] = base, func, args[1:], kwargs
            self.made[id(result)] = self.writes.get(id(self._root(result)), 0)
        return result

    def renew(self, t: Tensor) -> None:
        """Let a view have a node that is made of its base as that is now."""
        if id(t) not in self.views or self.made[id(t)] == self.writes.get(id(self._root(t)), 0):
            return
        base, func, rest, kwargs = self.views[id(t)]
        self.recorder.note(t, self._emit(_copying(func) if self.copies else func, (base, *rest), kwargs))
        self.made[id(t)] = self.writes.get(id(self._root(t)), 0)

    def renew_all(self, result: Any) -> None:
        """Give all tensors that the function returns nodes for their present values."""
        for t in flatten(result)[0]:
            if isinstance(t, Tensor):
                self.renew(t)

    def finish(self, arguments: dict[Node, Tensor]) -> None:
        """Write the new values of those of the function's arguments that it has written to."""
        aten = rushlight.ops.aten
        for node, t in arguments.items():
            now = self.recorder.node_of(t)
            if now is not node and id(self._root(t)) in self.writes:
                self.recorder.graph.create_node("call_function", aten.copy_.default, (node, now), {}, name="copy_")

    def _root(self, t: Tensor) -> Tensor:
        while id(t) in self.views:
            t = self.views[id(t)][0]
        return t

    def _emit(self, func: OpOverload, args: Any, kwargs: Any) -> Node:
        argument = self.recorder.argument
        return self.recorder.graph.create_node(
            "call_function",
            func,
            tree_map(argument, args),
            tree_map(argument, kwargs),
            name=func.overloadpacket.__name__,
        )

    def _wrote(self, dest: Tensor, node: Node) -> None:
        t = dest
        self.recorder.shaped(node, dest)
        if id(self._root(t)) in self.parts:
            func = self.parts[id(self._root(t))]
            raise NotImplementedError(
                f"functionalize: a write to one of the views that {func} makes cannot be traced; write to what they "
                "are views of"
            )
        while id(t) in self.views:
            base, func, rest, kwargs = self.views[id(t)]
            inverse, arguments = _inverse(func, base, rest, kwargs)
            first = (base, node) if inverse.overloadpacket.__name__.endswith("_scatter") else (node,)
            node = self._emit(_copying(inverse) if self.copies else inverse, (*first, *arguments), {})
            self.recorder.shaped(node, base)
            t = base
        self.recorder.note(t, node)
        self.writes[id(t)] = self.writes.get(id(t), 0) + 1
        self.renew(dest)


# These write to no element: the tensor itself gets other sizes and strides.
_RESHAPING = frozenset({"as_strided_", "squeeze_", "swapaxes_", "swapdims_", "t_", "transpose_", "unsqueeze_"})


def _shares(a: Tensor, b: Tensor) -> bool:
    if a._base is not None and (a._base is b or a._base is b._base):
        return True
    return not a.is_meta and not b.is_meta and a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr() != 0


def _functional(func: OpOverload) -> Any:
    """The overload that computes what `func` writes; None where there is none."""
    name, aten = func.overloadpacket.__name__, rushlight.ops.aten
    if name.endswith("_"):
        packet = getattr(aten, name[:-1], None)
        return None if packet is None else getattr(packet, func._overloadname, None)
    own = [a.name for a in func._schema.arguments if not a.is_write]
    for overload in func.overloadpacket.overloads():
        other = getattr(func.overloadpacket, overload)
        if not other._schema.is_mutable and [a.name for a in other._schema.arguments] == own:
            return other
    return None


def _copying(func: OpOverload) -> Any:
    """The overload that copies what `func` gives a view of; itself where there is none."""
    packet = getattr(rushlight.ops.aten, f"{func.overloadpacket.__name__}_copy", None)
    return func if packet is None else getattr(packet, func._overloadname, packet.default)


def _inverse(func: OpOverload, base: Tensor, rest: Any, kwargs: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
    """The call that puts the value of a view into its base: an overload, and its arguments after the tensors."""
    name, aten = func.overloadpacket.__name__, rushlight.ops.aten
    rule = _INVERSES.get(name)
    if kwargs or rule is None:
        raise NotImplementedError(
            f"functionalize: a write to a view that {func} makes cannot be traced; write to what it is a view of"
        )
    found: tuple[Any, tuple[Any, ...]] = rule(aten, base, *rest)
    return found


def _order(aten: Any, base: Tensor, dims: list[int]) -> tuple[Any, tuple[Any, ...]]:
    dims = [d % base.ndim for d in dims]
    return aten.permute.default, ([dims.index(i) for i in range(len(dims))],)


def _sizes(aten: Any, base: Tensor, *rest: Any) -> tuple[Any, tuple[Any, ...]]:
    return aten.view.default, (list(base.shape),)


def _squeezed(aten: Any, base: Tensor, *rest: Any) -> tuple[Any, tuple[Any, ...]]:
    one = len(rest) == 1 and isinstance(rest[0], int) and base.shape[rest[0]] == 1
    return (aten.unsqueeze.default, (rest[0] % base.ndim,)) if one else _sizes(aten, base)


_INVERSES: dict[str, Callable[..., tuple[Any, tuple[Any, ...]]]] = {
    **{
        name: lambda aten, base, *rest, name=name: (getattr(aten, f"{name}_scatter").default, rest)
        for name in ("select", "slice", "diagonal", "as_strided")
    },
    **dict.fromkeys(("view", "reshape", "_unsafe_view", "alias", "detach"), _sizes),
    "t": lambda aten, base: (aten.t.default, ()),
    "transpose": lambda aten, base, *dims: (aten.transpose.int, dims),
    "permute": _order,
    "unsqueeze": lambda aten, base, dim: (aten.squeeze.dim, (dim,)),
    "squeeze": _squeezed,
}
