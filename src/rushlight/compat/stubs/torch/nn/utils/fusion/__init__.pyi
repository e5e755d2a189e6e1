# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter
from rushlight.nn.utils.fusion import M as M
from rushlight.nn.utils.fusion import fuse_conv_bn_eval as fuse_conv_bn_eval
from rushlight.nn.utils.fusion import fuse_conv_bn_weights as fuse_conv_bn_weights
from rushlight.nn.utils.fusion import fuse_linear_bn_eval as fuse_linear_bn_eval
from rushlight.nn.utils.fusion import fuse_linear_bn_weights as fuse_linear_bn_weights
