# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.container import (
    ModuleDict as ModuleDict, ModuleList as ModuleList, ParameterDict as ParameterDict, ParameterList as ParameterList,
    Sequential as Sequential, _Holder as _Holder, _Row as _Row,
)
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter
