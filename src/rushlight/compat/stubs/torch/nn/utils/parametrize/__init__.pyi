# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.container import ModuleDict as ModuleDict
from rushlight.nn.modules.container import ModuleList as ModuleList
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter
from rushlight.nn.utils.parametrize import ParametrizationList as ParametrizationList
from rushlight.nn.utils.parametrize import _Cache as _Cache
from rushlight.nn.utils.parametrize import cached as cached
from rushlight.nn.utils.parametrize import is_parametrized as is_parametrized
from rushlight.nn.utils.parametrize import register_parametrization as register_parametrization
from rushlight.nn.utils.parametrize import remove_parametrizations as remove_parametrizations
from rushlight.nn.utils.parametrize import transfer_parametrizations_and_params as transfer_parametrizations_and_params
from rushlight.nn.utils.parametrize import type_before_parametrizations as type_before_parametrizations
