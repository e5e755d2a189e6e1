# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.levels import (
    Batched as Batched, Dual as Dual, Level as Level, Parts as Parts, TRANSFORM as TRANSFORM, Wrapper as Wrapper,
    _Local as _Local, batched as batched, dual as dual, in_force as in_force, in_storage as in_storage,
    put_together as put_together, take_apart as take_apart,
)
