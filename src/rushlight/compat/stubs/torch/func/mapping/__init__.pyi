# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.levels import Batched as Batched
from rushlight.func.levels import Level as Level
from rushlight.func.levels import batched as batched
from rushlight.func.levels import in_force as in_force
from rushlight.func.mapping import _Mapped as _Mapped
from rushlight.func.mapping import arguments as arguments
from rushlight.func.mapping import one_size as one_size
from rushlight.func.mapping import replaced as replaced
from rushlight.func.mapping import vmap as vmap
from rushlight.func.random_mode import random_mode as random_mode
from rushlight.func.tree import Spec as Spec
from rushlight.func.tree import broadcast_prefix as broadcast_prefix
from rushlight.func.tree import flatten as flatten
