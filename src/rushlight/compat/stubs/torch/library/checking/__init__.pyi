# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.running import grad as grad
from rushlight.core.tensor import Tensor as Tensor
from rushlight.library.checking import (
    CHECKS as CHECKS, OpCheckError as OpCheckError, check as check, check_fake as check_fake, check_gradient as check_gradient,
    check_schema as check_schema,
)
from rushlight.library.operator import OpOverload as OpOverload
