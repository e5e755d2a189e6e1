"""A module's graph, from `fx`, as TensorBoard's GraphDef."""

from __future__ import annotations

import operator
from typing import Any

from tensorboard.compat.proto.attr_value_pb2 import AttrValue
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.node_def_pb2 import NodeDef
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.compat.proto.versions_pb2 import VersionDef

import rushlight
from rushlight import fx
from rushlight.core.tensor import Tensor
from rushlight.fx.node import Node
from rushlight.fx.passes.shape_prop import ShapeProp
from rushlight.nn.modules.module import Module

__all__ = ["graph"]


def graph(model: Module, args: Any) -> Any:
    """The graph of a module: a node for each input, parameter, call and output, in groups named as the submodules are.

    Args:
        model: a module that `fx.symbolic_trace` can read.
        args: example inputs, a tensor or a tuple: the nodes have the shapes that these lead to. None for none.

    Raises:
        RuntimeError: the module decides by values, so it has no one graph.
    """
    try:
        traced = fx.GraphModule(model, _Leaves().trace(model))
    except Exception as error:
        raise RuntimeError(
            "add_graph(): 'model' must be a module that fx.symbolic_trace can read, which does not decide by "
            f"values; found {type(error).__name__}: {error}"
        ) from error
    if args is not None:
        with rushlight.no_grad():
            ShapeProp(traced).propagate(*(args if isinstance(args, (tuple, list)) else (args,)))
    names: dict[fx.Node, str] = {}
    nodes = []
    for node in traced.graph.nodes:
        names[node] = _name(node)
        nodes.append(
            NodeDef(
                name=names[node],
                op=_kind(node, traced),
                input=[names[n] for n in node.all_input_nodes],
                attr=_attributes(node, traced),
            )
        )
    return GraphDef(node=nodes, versions=VersionDef(producer=22))


class _Leaves(fx.Tracer):
    """Goes into the modules of the library too that are made of others, so that their groups open."""

    def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
        return super().is_leaf_module(m, module_qualified_name) and not any(m.children())


def _name(node: Node) -> str:
    """Slashes divide groups."""
    if node.op == "call_module":
        return f"{str(node.target).replace('.', '/')}/{node.name}"
    scope = str(node.target).rpartition(".")[0] if node.op == "get_attr" else ""
    return f"{scope.replace('.', '/')}/{node.name}" if scope else str(node.name)


def _kind(node: Node, traced: Any) -> str:
    if node.op == "call_module":
        return type(traced.get_submodule(node.target)).__name__
    if node.op in ("call_function", "call_method"):
        return str(getattr(node.target, "__name__", node.target))
    return {"placeholder": "IO Node", "output": "IO Node", "get_attr": "Parameter"}[node.op]


def _attributes(node: Node, traced: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    meta = node.meta.get("tensor_meta")
    shape = getattr(meta, "shape", None)
    if node.op == "get_attr":
        value = operator.attrgetter(str(node.target))(traced)
        shape = value.shape if isinstance(value, Tensor) else None
    if shape is not None:
        found["_output_shapes"] = AttrValue(
            list=AttrValue.ListValue(shape=[TensorShapeProto(dim=[TensorShapeProto.Dim(size=n) for n in shape])])
        )
    if node.op == "call_module":
        found["attr"] = AttrValue(s=repr(traced.get_submodule(node.target)).encode())
    elif node.op in ("call_function", "call_method"):
        numbers = [a for a in node.args if not isinstance(a, fx.Node)]
        text = ", ".join([*map(repr, numbers), *(f"{k}={v!r}" for k, v in node.kwargs.items())])
        found["attr"] = AttrValue(s=text.encode())
    return found
