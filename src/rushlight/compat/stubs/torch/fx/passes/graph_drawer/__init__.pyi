# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.names import module_of as module_of
from rushlight.fx.names import qualified_name as qualified_name
from rushlight.fx.node import Node as Node
from rushlight.fx.node import text_of as text_of
from rushlight.fx.operator_schemas import normalize_function as normalize_function
from rushlight.fx.passes.graph_drawer import FxGraphDrawer as FxGraphDrawer
from rushlight.fx.passes.shape_prop import TensorMetadata as TensorMetadata
