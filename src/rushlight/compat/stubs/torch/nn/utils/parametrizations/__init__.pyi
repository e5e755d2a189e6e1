# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.utils.parametrizations import _Orthogonal as _Orthogonal
from rushlight.nn.utils.parametrizations import _SpectralNorm as _SpectralNorm
from rushlight.nn.utils.parametrizations import _WeightNorm as _WeightNorm
from rushlight.nn.utils.parametrizations import orthogonal as orthogonal
from rushlight.nn.utils.parametrizations import spectral_norm as spectral_norm
from rushlight.nn.utils.parametrizations import weight_norm as weight_norm
from rushlight.nn.utils.parametrize import register_parametrization as register_parametrization
from rushlight.nn.utils.spectral_norm import as_matrix as as_matrix
from rushlight.nn.utils.spectral_norm import check_iterations as check_iterations
from rushlight.nn.utils.spectral_norm import default_dim as default_dim
from rushlight.nn.utils.spectral_norm import power_step as power_step
from rushlight.nn.utils.spectral_norm import random_unit as random_unit
from rushlight.nn.utils.weight_norm import norm_except_dim as norm_except_dim
from rushlight.nn.utils.weight_norm import normed_weight as normed_weight
from torch.nn import functional as _of_F

F = _of_F
