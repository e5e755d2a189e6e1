# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.levels import (
    Batched as Batched, Dual as Dual, Level as Level, Wrapper as Wrapper, batched as batched, in_force as in_force,
)
from rushlight.func.random_mode import (
    BY_VALUES as BY_VALUES, ELEMENTWISE as ELEMENTWISE, MEMORY as MEMORY, SIZED as SIZED, _Different as _Different,
    random_mode as random_mode,
)
