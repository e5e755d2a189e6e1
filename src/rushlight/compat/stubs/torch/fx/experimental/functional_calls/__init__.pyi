# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.tree import flatten as flatten
from rushlight.func.tree import tree_map as tree_map
from rushlight.fx.experimental.functional_calls import FunctionalCalls as FunctionalCalls
from rushlight.fx.experimental.functional_calls import Recorder as Recorder
from rushlight.fx.graph import Graph as Graph
from rushlight.fx.node import Node as Node
