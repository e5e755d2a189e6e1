# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.parameter import Buffer as Buffer
from rushlight.nn.parameter import Parameter as Parameter
from rushlight.nn.parameter import UninitializedBuffer as UninitializedBuffer
from rushlight.nn.parameter import UninitializedParameter as UninitializedParameter
from rushlight.nn.parameter import UninitializedTensorMixin as UninitializedTensorMixin
from rushlight.nn.parameter import _BufferMeta as _BufferMeta
from rushlight.nn.parameter import _ParameterMeta as _ParameterMeta
from rushlight.nn.parameter import is_lazy as is_lazy
from rushlight.overrides import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
