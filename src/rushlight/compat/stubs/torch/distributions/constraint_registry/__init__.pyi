# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.distributions._transform import Transform as Transform
from rushlight.distributions.constraint_registry import (
    ConstraintRegistry as ConstraintRegistry, biject_to as biject_to, transform_to as transform_to,
)
from torch.distributions import constraints as constraints, transforms as transforms
