# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions._location_scale import Half as Half
from rushlight.distributions.half_normal import HalfNormal as HalfNormal
from rushlight.distributions.normal import Normal as Normal
