# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.fx.passes.shape_prop import ShapeProp as ShapeProp
from rushlight.utils.tensorboard.graph import _Leaves as _Leaves, graph as graph
from torch import fx as fx
