# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.grad_mode import enable_grad as enable_grad
from rushlight.autograd.running import grad as grad
from rushlight.core.dtypes import int64 as int64
from rushlight.core.tensor import Tensor as Tensor
from rushlight.core.tensor import is_grad_enabled as is_grad_enabled
from rushlight.library.operator import define as define
from rushlight.library.schema import parse_schema as parse_schema
