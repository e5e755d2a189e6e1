"""Passes that make a model for inference cheaper: `fuse`, `remove_dropout`."""

from __future__ import annotations

import copy
from typing import Any

from rushlight import nn
from rushlight.fx._symbolic_trace import symbolic_trace
from rushlight.fx.graph_module import GraphModule
from rushlight.fx.interpreter import Transformer
from rushlight.fx.node import Node
from rushlight.nn.utils.fusion import fuse_conv_bn_eval

__all__ = ["fuse", "matches_module_pattern", "remove_dropout", "replace_node_module"]

_FUSED = ((nn.Conv1d, nn.BatchNorm1d), (nn.Conv2d, nn.BatchNorm2d), (nn.Conv3d, nn.BatchNorm3d))
_DROPOUTS = (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d)


def matches_module_pattern(pattern: Any, node: Node, modules: dict[str, Any]) -> bool:
    """Whether a node and the one that it takes its value from call modules of these two classes."""
    if not node.args or not isinstance(node.args[0], Node):
        return False
    return all(
        n.op == "call_module" and type(modules.get(str(n.target))) is kind
        for n, kind in zip((node.args[0], node), pattern, strict=True)
    )


def replace_node_module(node: Node, modules: dict[str, Any], new_module: nn.Module) -> None:
    """Put a module in the place of the one that a node calls."""
    parent, _, name = str(node.target).rpartition(".")
    modules[str(node.target)] = new_module
    setattr(modules[parent], name, new_module)


def fuse(model: nn.Module, inplace: bool = False, no_trace: bool = False) -> nn.Module:
    """The model with each batch normalization behind a convolution put into its weights.

    Args:
        model: in eval mode.
        inplace: trace the model itself, not a copy.
        no_trace: it is a GraphModule already.
    """
    model = model if inplace else copy.deepcopy(model)
    traced = model if no_trace and isinstance(model, GraphModule) else symbolic_trace(model)
    modules = dict(traced.named_modules())
    for pattern in _FUSED:
        for node in list(traced.graph.nodes):
            if not matches_module_pattern(pattern, node, modules):
                continue
            conv, bn = modules[str(node.args[0].target)], modules[str(node.target)]
            if len(node.args[0].users) > 1 or not bn.track_running_stats:
                continue
            replace_node_module(node.args[0], modules, fuse_conv_bn_eval(conv, bn))
            node.replace_all_uses_with(node.args[0])
            traced.graph.erase_node(node)
    return GraphModule(traced, traced.graph)


def remove_dropout(model: nn.Module) -> nn.Module:
    """The model without its dropout layers."""

    class Without(Transformer):
        def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            return (
                args[0] if isinstance(self.submodules[target], _DROPOUTS) else super().call_module(target, args, kwargs)
            )

    return Without(symbolic_trace(model)).transform()
