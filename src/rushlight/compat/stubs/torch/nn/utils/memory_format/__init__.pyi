# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules.conv import Conv2d as Conv2d
from rushlight.nn.modules.conv import Conv3d as Conv3d
from rushlight.nn.modules.conv import ConvTranspose2d as ConvTranspose2d
from rushlight.nn.modules.conv import ConvTranspose3d as ConvTranspose3d
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.utils.memory_format import M as M
from rushlight.nn.utils.memory_format import convert_conv2d_weight_memory_format as convert_conv2d_weight_memory_format
from rushlight.nn.utils.memory_format import convert_conv3d_weight_memory_format as convert_conv3d_weight_memory_format
