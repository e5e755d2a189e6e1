# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.devices import device as device
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.levels import Batched as Batched
from rushlight.func.levels import Dual as Dual
from rushlight.func.levels import Level as Level
from rushlight.func.levels import Parts as Parts
from rushlight.func.levels import TRANSFORM as TRANSFORM
from rushlight.func.levels import Wrapper as Wrapper
from rushlight.func.levels import _Local as _Local
from rushlight.func.levels import batched as batched
from rushlight.func.levels import dual as dual
from rushlight.func.levels import in_force as in_force
from rushlight.func.levels import in_storage as in_storage
from rushlight.func.levels import put_together as put_together
from rushlight.func.levels import take_apart as take_apart
