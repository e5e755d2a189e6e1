# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions._location_scale import LocationScale as LocationScale
from rushlight.distributions.cauchy import Cauchy as Cauchy
