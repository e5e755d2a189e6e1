# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.conv import ConvTranspose1d as ConvTranspose1d
from rushlight.nn.modules.conv import ConvTranspose2d as ConvTranspose2d
from rushlight.nn.modules.conv import ConvTranspose3d as ConvTranspose3d
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.utils._weight_hook import M as M
from rushlight.nn.utils._weight_hook import WeightHook as WeightHook
from rushlight.nn.utils.spectral_norm import SpectralNorm as SpectralNorm
from rushlight.nn.utils.spectral_norm import as_matrix as as_matrix
from rushlight.nn.utils.spectral_norm import check_iterations as check_iterations
from rushlight.nn.utils.spectral_norm import default_dim as default_dim
from rushlight.nn.utils.spectral_norm import power_step as power_step
from rushlight.nn.utils.spectral_norm import random_unit as random_unit
from rushlight.nn.utils.spectral_norm import remove_spectral_norm as remove_spectral_norm
from rushlight.nn.utils.spectral_norm import spectral_norm as spectral_norm
from torch.nn import functional as _of_F

F = _of_F
