# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.tree import flatten as flatten
from rushlight.func.tree import tree_map as tree_map
from rushlight.fx.experimental.functional_calls import FunctionalCalls as FunctionalCalls
from rushlight.fx.experimental.proxy_tensor import _Recorder as _Recorder
from rushlight.fx.experimental.proxy_tensor import make_fx as make_fx
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.graph_module import GraphModule as GraphModule
from rushlight.fx.node import Node as Node
from rushlight.nn.modules.module import Module as Module
from rushlight.utils._python_dispatch import TorchDispatchMode as TorchDispatchMode
