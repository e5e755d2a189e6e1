# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.levels import Batched as Batched, Level as Level, batched as batched, in_force as in_force
from rushlight.func.mapping import _Mapped as _Mapped, vmap as vmap
from rushlight.func.random_mode import random_mode as random_mode
from rushlight.func.tree import Spec as Spec, broadcast_prefix as broadcast_prefix, flatten as flatten
from rushlight.utils._checks import check_argument as check_argument
