# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.autograd.running import grad as grad
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.tree import flatten as flatten
from rushlight.library.checking import CHECKS as CHECKS
from rushlight.library.checking import OpCheckError as OpCheckError
from rushlight.library.checking import check as check
from rushlight.library.checking import check_fake as check_fake
from rushlight.library.checking import check_gradient as check_gradient
from rushlight.library.checking import check_schema as check_schema
from rushlight.library.checking import check_traced as check_traced
from rushlight.library.operator import OpOverload as OpOverload
from rushlight.testing._comparison import assert_close as assert_close
