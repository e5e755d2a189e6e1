# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.container import ModuleDict as ModuleDict
from rushlight.nn.modules.container import ModuleList as ModuleList
from rushlight.nn.modules.container import ParameterDict as ParameterDict
from rushlight.nn.modules.container import ParameterList as ParameterList
from rushlight.nn.modules.container import Sequential as Sequential
from rushlight.nn.modules.container import _Holder as _Holder
from rushlight.nn.modules.container import _Row as _Row
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter
