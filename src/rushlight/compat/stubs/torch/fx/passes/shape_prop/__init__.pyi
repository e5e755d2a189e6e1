# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.fx.interpreter import Interpreter as Interpreter
from rushlight.fx.node import Node as Node
from rushlight.fx.node import map_aggregate as map_aggregate
from rushlight.fx.passes.shape_prop import ShapeProp as ShapeProp
from rushlight.fx.passes.shape_prop import TensorMetadata as TensorMetadata
