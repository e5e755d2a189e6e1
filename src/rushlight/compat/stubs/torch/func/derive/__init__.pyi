# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.derive import handle as handle, install as install, top_level as top_level
from rushlight.func.levels import (
    Batched as Batched, Dual as Dual, Level as Level, TRANSFORM as TRANSFORM, Wrapper as Wrapper, batched as batched, dual as dual,
)
