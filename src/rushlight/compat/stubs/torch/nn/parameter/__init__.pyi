# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.parameter import (
    Buffer as Buffer, Parameter as Parameter, UninitializedBuffer as UninitializedBuffer,
    UninitializedParameter as UninitializedParameter, UninitializedTensorMixin as UninitializedTensorMixin,
    _BufferMeta as _BufferMeta, _ParameterMeta as _ParameterMeta, is_lazy as is_lazy,
)
