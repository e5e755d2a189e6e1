# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.graph import PythonCode as PythonCode
from rushlight.fx.graph import _PyTreeCodeGen as _PyTreeCodeGen
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.graph_module import _CodeOnlyModule as _CodeOnlyModule
from rushlight.fx.graph_module import reduce_graph_module as reduce_graph_module
from rushlight.fx.tracing import Tracer as Tracer
from rushlight.nn.modules.module import Module as Module
