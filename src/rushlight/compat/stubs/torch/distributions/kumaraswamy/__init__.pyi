# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions._location_scale import OnUnitInterval as OnUnitInterval
from rushlight.distributions._transform import Transform as Transform
from rushlight.distributions.kumaraswamy import Kumaraswamy as Kumaraswamy
from rushlight.distributions.transformed_distribution import TransformedDistribution as TransformedDistribution
from rushlight.distributions.transforms import AffineTransform as AffineTransform
from rushlight.distributions.transforms import PowerTransform as PowerTransform
from rushlight.distributions.uniform import Uniform as Uniform
from rushlight.distributions.utils import broadcast_all as broadcast_all
from rushlight.distributions.utils import euler_constant as euler_constant
