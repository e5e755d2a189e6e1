# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.devices import Size as Size
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions._transform import Transform as Transform
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.independent import Independent as Independent
from rushlight.distributions.transformed_distribution import TransformedDistribution as TransformedDistribution
from rushlight.distributions.transforms import ComposeTransform as ComposeTransform
from torch.distributions import constraints as constraints
