# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.levels import Batched as Batched
from rushlight.func.levels import Dual as Dual
from rushlight.func.levels import Level as Level
from rushlight.func.levels import Wrapper as Wrapper
from rushlight.func.levels import batched as batched
from rushlight.func.levels import in_force as in_force
from rushlight.func.random_mode import BY_VALUES as BY_VALUES
from rushlight.func.random_mode import ELEMENTWISE as ELEMENTWISE
from rushlight.func.random_mode import MEMORY as MEMORY
from rushlight.func.random_mode import SIZED as SIZED
from rushlight.func.random_mode import _Different as _Different
from rushlight.func.random_mode import random_mode as random_mode
