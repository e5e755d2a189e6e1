"""Graphs in which calls are written in one way: `NormalizeArgs`, `NormalizeOperators`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Transformer
from rushlight.fx.node import Argument, Node, Target, map_aggregate
from rushlight.fx.operator_schemas import create_type_hint, normalize_function, normalize_module
from rushlight.fx.proxy import Proxy

__all__ = ["NormalizeArgs", "NormalizeOperators"]


class NormalizeArgs(Transformer):
    """Writes the calls of functions of torch and modules of torch.nn with all their arguments by name, defaults too.

    A call that fits several ways to call its function stays as it is, unless the meta "type" of its arguments (see
    ShapeProp) tells which is meant.

    normalize_to_only_use_kwargs: by name what was given by place, too.
    """

    def __init__(self, module: GraphModule, normalize_to_only_use_kwargs: bool = True) -> None:
        super().__init__(module)
        self.node_map: dict[Proxy, Node] = {}
        self.normalize_to_only_use_kwargs = normalize_to_only_use_kwargs

    def run_node(self, n: Node) -> Any:
        """The value of a node in the new graph."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)

        def kind(x: Any) -> Any:
            return x.meta.get("type") if isinstance(x, Node) else type(x)

        if n.op == "call_function":
            kinds, named = map_aggregate(n.args, kind), map_aggregate(kwargs, kind)
            assert not isinstance(n.target, str)
            out = self.call_function(
                n.target,
                args,
                kwargs,
                tuple(create_type_hint(k) for k in kinds),
                {k: create_type_hint(v) for k, v in named.items()},
            )
        else:
            out = super().run_node(n)
        if n.op != "output":
            self.node_map[out] = n
            out.node.meta = n.meta
            out.node.type = n.type
        return out

    def call_function(
        self,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Any],
        arg_types: tuple[Any, ...] | None = None,
        kwarg_types: dict[str, Any] | None = None,
    ) -> Any:
        """The call, with its arguments by name where they are known."""
        assert callable(target)
        found = normalize_function(target, args, kwargs, arg_types, kwarg_types, self.normalize_to_only_use_kwargs)
        if found is None:
            return super().call_function(target, args, kwargs)
        return self.tracer.create_proxy("call_function", target, found.args, found.kwargs)

    def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The call of a submodule, with its arguments by name where they are known."""
        assert isinstance(target, str)
        found = normalize_module(
            self.module, target, args, kwargs, normalize_to_only_use_kwargs=self.normalize_to_only_use_kwargs
        )
        if found is None:
            return super().call_module(target, args, kwargs)
        return super().call_module(target, found.args, found.kwargs)


class NormalizeOperators(Transformer):
    """Writes functions of torch that Python has a sign for by that: torch.add(x, y) as x + y."""

    binary_magic_method_remap: dict[Callable[..., Any], Callable[..., Any]] = {
        rushlight.add: operator.add,
        rushlight.mul: operator.mul,
        rushlight.sub: operator.sub,
        rushlight.div: operator.truediv,
        rushlight.floor_divide: operator.floordiv,
        rushlight.remainder: operator.mod,
        rushlight.eq: operator.eq,
        rushlight.ne: operator.ne,
        rushlight.lt: operator.lt,
        rushlight.le: operator.le,
        rushlight.gt: operator.gt,
        rushlight.ge: operator.ge,
    }

    def call_function(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The call, by Python's sign where there is one for these arguments."""
        sign = self.binary_magic_method_remap.get(target)  # type: ignore[arg-type]
        if sign is not None and len(args) == 2:
            return super().call_function(sign, args, {})
        return super().call_function(target, args, kwargs)
