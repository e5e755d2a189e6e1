# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.utils.parametrizations import (
    _Orthogonal as _Orthogonal, _SpectralNorm as _SpectralNorm, _WeightNorm as _WeightNorm, orthogonal as orthogonal,
    spectral_norm as spectral_norm, weight_norm as weight_norm,
)
from rushlight.nn.utils.parametrize import register_parametrization as register_parametrization
from rushlight.nn.utils.spectral_norm import (
    as_matrix as as_matrix, check_iterations as check_iterations, default_dim as default_dim, power_step as power_step,
    random_unit as random_unit,
)
from rushlight.nn.utils.weight_norm import norm_except_dim as norm_except_dim, normed_weight as normed_weight
from torch.nn import functional as _of_F

F = _of_F
