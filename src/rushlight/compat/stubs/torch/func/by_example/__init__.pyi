# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.by_example import by_example as by_example, stacked as stacked
from rushlight.func.levels import (
    Batched as Batched, Dual as Dual, Level as Level, Wrapper as Wrapper, batched as batched, dual as dual,
)
from rushlight.func.tree import Spec as Spec, flatten as flatten
