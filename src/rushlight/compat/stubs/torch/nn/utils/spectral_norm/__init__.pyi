# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.conv import (
    ConvTranspose1d as ConvTranspose1d, ConvTranspose2d as ConvTranspose2d, ConvTranspose3d as ConvTranspose3d,
)
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.utils._weight_hook import WeightHook as WeightHook
from rushlight.nn.utils.spectral_norm import (
    M as M, SpectralNorm as SpectralNorm, as_matrix as as_matrix, check_iterations as check_iterations,
    default_dim as default_dim, power_step as power_step, random_unit as random_unit,
    remove_spectral_norm as remove_spectral_norm, spectral_norm as spectral_norm,
)
from torch.nn import functional as _of_F

F = _of_F
