# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.nn.modules.shape import CircularPad1d as CircularPad1d
from rushlight.nn.modules.shape import CircularPad2d as CircularPad2d
from rushlight.nn.modules.shape import CircularPad3d as CircularPad3d
from rushlight.nn.modules.shape import ConstantPad1d as ConstantPad1d
from rushlight.nn.modules.shape import ConstantPad2d as ConstantPad2d
from rushlight.nn.modules.shape import ConstantPad3d as ConstantPad3d
from rushlight.nn.modules.shape import ReflectionPad1d as ReflectionPad1d
from rushlight.nn.modules.shape import ReflectionPad2d as ReflectionPad2d
from rushlight.nn.modules.shape import ReflectionPad3d as ReflectionPad3d
from rushlight.nn.modules.shape import ReplicationPad1d as ReplicationPad1d
from rushlight.nn.modules.shape import ReplicationPad2d as ReplicationPad2d
from rushlight.nn.modules.shape import ReplicationPad3d as ReplicationPad3d
from rushlight.nn.modules.shape import ZeroPad1d as ZeroPad1d
from rushlight.nn.modules.shape import ZeroPad2d as ZeroPad2d
from rushlight.nn.modules.shape import ZeroPad3d as ZeroPad3d
