# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.names import module_of as module_of
from rushlight.fx.names import qualified_name as qualified_name
from rushlight.fx.node import Node as Node
from rushlight.fx.passes.tools_common import CALLABLE_NODE_OPS as CALLABLE_NODE_OPS
from rushlight.fx.passes.tools_common import Names as Names
from rushlight.fx.passes.tools_common import NodeList as NodeList
from rushlight.fx.passes.tools_common import NodeSet as NodeSet
from rushlight.fx.passes.tools_common import TensorOrTensors as TensorOrTensors
from rushlight.fx.passes.tools_common import Tensors as Tensors
from rushlight.fx.passes.tools_common import defining_name as defining_name
from rushlight.fx.passes.tools_common import get_acc_ops_name as get_acc_ops_name
from rushlight.fx.passes.tools_common import get_node_target as get_node_target
from rushlight.fx.passes.tools_common import is_node_output_tensor as is_node_output_tensor
from rushlight.fx.passes.tools_common import legalize_graph as legalize_graph
from rushlight.fx.passes.tools_common import stable_topological_sort as stable_topological_sort
from rushlight.nn.modules.module import Module as Module
