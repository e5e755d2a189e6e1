# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.names import module_of as module_of, qualified_name as qualified_name
from rushlight.fx.node import Node as Node
from rushlight.fx.passes.tools_common import (
    CALLABLE_NODE_OPS as CALLABLE_NODE_OPS, Names as Names, NodeList as NodeList, NodeSet as NodeSet,
    TensorOrTensors as TensorOrTensors, Tensors as Tensors, defining_name as defining_name, get_acc_ops_name as get_acc_ops_name,
    get_node_target as get_node_target, is_node_output_tensor as is_node_output_tensor, legalize_graph as legalize_graph,
    stable_topological_sort as stable_topological_sort,
)
from rushlight.nn.modules.module import Module as Module
