# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.fx.graph import Graph as Graph, PythonCode as PythonCode, _PyTreeCodeGen as _PyTreeCodeGen
from rushlight.fx.graph_module import (
    GraphModule as GraphModule, _CodeOnlyModule as _CodeOnlyModule, reduce_graph_module as reduce_graph_module,
)
from rushlight.fx.tracing import Tracer as Tracer
from rushlight.nn.modules.module import Module as Module
