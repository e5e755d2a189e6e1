# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.by_example import by_example as by_example
from rushlight.func.by_example import stacked as stacked
from rushlight.func.levels import Batched as Batched
from rushlight.func.levels import Dual as Dual
from rushlight.func.levels import Level as Level
from rushlight.func.levels import Wrapper as Wrapper
from rushlight.func.levels import batched as batched
from rushlight.func.levels import dual as dual
from rushlight.func.tree import Spec as Spec
from rushlight.func.tree import flatten as flatten
