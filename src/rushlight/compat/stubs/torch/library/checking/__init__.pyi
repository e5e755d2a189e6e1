# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.running import grad as grad
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.tree import flatten as flatten
from rushlight.library.checking import (
    CHECKS as CHECKS, OpCheckError as OpCheckError, check as check, check_fake as check_fake, check_gradient as check_gradient,
    check_schema as check_schema, check_traced as check_traced,
)
from rushlight.library.operator import OpOverload as OpOverload
from rushlight.testing._comparison import assert_close as assert_close
