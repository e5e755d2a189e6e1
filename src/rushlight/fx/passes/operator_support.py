"""Which nodes of a graph something else can run: by what they call and by the dtypes of what they are handed."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rushlight.core.dtypes import dtype
from rushlight.fx.node import Node
from rushlight.fx.passes.shape_prop import TensorMetadata
from rushlight.fx.passes.tools_common import CALLABLE_NODE_OPS, get_node_target
from rushlight.nn import Module

__all__ = ["OpSupports", "OperatorSupport", "OperatorSupportBase", "any_chain", "chain", "create_op_support"]

TargetTypeName = str
SupportedArgumentDTypes = tuple[Sequence[Sequence[dtype]], dict[str, Sequence[dtype]]] | None
SupportDict = Mapping[TargetTypeName, SupportedArgumentDTypes]
IsNodeSupported = Callable[[Mapping[str, Module], Node], bool]


class OperatorSupportBase(abc.ABC):
    """Says of nodes whether they are supported: write `is_node_supported`."""

    @abc.abstractmethod
    def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
        """Whether a node is supported; `submodules` are the modules of the graph by their paths."""


class OperatorSupport(OperatorSupportBase):
    """Support by a table.

    Args:
        support_dict: by what is called (`get_node_target`): None where any arguments will do, else the dtypes that are
            allowed for each positional argument (None: any) and for arguments by keyword.
    """

    _support_dict: SupportDict

    def __init__(self, support_dict: SupportDict | None = None) -> None:
        self._support_dict = support_dict or {}

    def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
        """Whether the table has what the node calls, with the dtypes of its arguments; true of nodes that call
        nothing.
        """
        if node.op not in CALLABLE_NODE_OPS:
            return True
        target = get_node_target(submodules, node)
        if target not in self._support_dict:
            return False
        dtypes = self._support_dict[target]
        if dtypes is None:
            return True
        pairs = [*zip(node.args, dtypes[0], strict=False), *((node.kwargs.get(k), v) for k, v in dtypes[1].items())]
        return all(allowed is None or not isinstance(a, Node) or _get_arg_dtype(a) in allowed for a, allowed in pairs)


class _Functional(OperatorSupportBase):
    def __init__(self, function: IsNodeSupported) -> None:
        self._function = function

    def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
        return self._function(submodules, node)


def create_op_support(is_node_supported: IsNodeSupported) -> OperatorSupportBase:
    """Support by a function of the graph's modules and a node."""
    return _Functional(is_node_supported)


def chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """What all of them support."""
    return create_op_support(lambda submodules, node: all(o.is_node_supported(submodules, node) for o in op_support))


def any_chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """What one of them supports."""
    return create_op_support(lambda submodules, node: any(o.is_node_supported(submodules, node) for o in op_support))


class OpSupports:
    """Supports to chain with others."""

    @classmethod
    def decline_if_input_dtype(cls, dtype: dtype) -> OperatorSupportBase:
        """All nodes but those that read a value of this dtype."""
        return create_op_support(lambda submodules, node: all(_get_arg_dtype(n) != dtype for n in node.all_input_nodes))

    @classmethod
    def decline_if_node_in_names(cls, disallow_set: set[str]) -> OperatorSupportBase:
        """All nodes but those of these names."""
        return create_op_support(lambda submodules, node: node.name not in disallow_set)


def _get_arg_dtype(arg: Node) -> Any:
    if not isinstance(arg, Node):
        raise AssertionError(f"_get_arg_dtype(): 'arg' must be a Node; found {type(arg).__name__}")
    meta = arg.meta.get("tensor_meta")
    return meta.dtype if isinstance(meta, TensorMetadata) else arg.meta["type"]
