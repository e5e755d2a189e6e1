# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.container import ModuleDict as ModuleDict, ModuleList as ModuleList
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter
from rushlight.nn.utils.parametrize import (
    ParametrizationList as ParametrizationList, _Cache as _Cache, cached as cached, is_parametrized as is_parametrized,
    register_parametrization as register_parametrization, remove_parametrizations as remove_parametrizations,
    transfer_parametrizations_and_params as transfer_parametrizations_and_params,
    type_before_parametrizations as type_before_parametrizations,
)
