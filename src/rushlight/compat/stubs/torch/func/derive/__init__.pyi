# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.derive import handle as handle
from rushlight.func.derive import install as install
from rushlight.func.derive import top_level as top_level
from rushlight.func.levels import Batched as Batched
from rushlight.func.levels import Dual as Dual
from rushlight.func.levels import Level as Level
from rushlight.func.levels import TRANSFORM as TRANSFORM
from rushlight.func.levels import Wrapper as Wrapper
from rushlight.func.levels import batched as batched
from rushlight.func.levels import dual as dual
