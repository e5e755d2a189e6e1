# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules.conv import (
    Conv2d as Conv2d, Conv3d as Conv3d, ConvTranspose2d as ConvTranspose2d, ConvTranspose3d as ConvTranspose3d,
)
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.utils.memory_format import (
    M as M, convert_conv2d_weight_memory_format as convert_conv2d_weight_memory_format,
    convert_conv3d_weight_memory_format as convert_conv3d_weight_memory_format,
)
