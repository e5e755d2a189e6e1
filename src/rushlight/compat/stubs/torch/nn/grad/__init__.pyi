# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.grad import Each as Each
from rushlight.nn.grad import Ints as Ints
from rushlight.nn.grad import conv1d_input as conv1d_input
from rushlight.nn.grad import conv1d_weight as conv1d_weight
from rushlight.nn.grad import conv2d_input as conv2d_input
from rushlight.nn.grad import conv2d_weight as conv2d_weight
from rushlight.nn.grad import conv3d_input as conv3d_input
from rushlight.nn.grad import conv3d_weight as conv3d_weight
from torch.nn import functional as _of_F

F = _of_F
