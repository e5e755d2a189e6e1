# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.distributions._transform import Transform as Transform
from rushlight.distributions.constraint_registry import ConstraintRegistry as ConstraintRegistry
from rushlight.distributions.constraint_registry import Factory as Factory
from rushlight.distributions.constraint_registry import Kind as Kind
from rushlight.distributions.constraint_registry import biject_to as biject_to
from rushlight.distributions.constraint_registry import transform_to as transform_to
from torch.distributions import constraints as constraints
from torch.distributions import transforms as transforms
