# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.gamma import Gamma as Gamma
from rushlight.distributions.inverse_gamma import InverseGamma as InverseGamma
from rushlight.distributions.transformed_distribution import TransformedDistribution as TransformedDistribution
from rushlight.distributions.transforms import PowerTransform as PowerTransform
from rushlight.distributions.utils import where_valid as where_valid
from torch.distributions import constraints as constraints
