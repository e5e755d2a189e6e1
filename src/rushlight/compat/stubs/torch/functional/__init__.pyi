# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._operators import atleast_1d as atleast_1d
from rushlight._operators import atleast_2d as atleast_2d
from rushlight._operators import atleast_3d as atleast_3d
from rushlight._operators import block_diag as block_diag
from rushlight._operators import broadcast_tensors as broadcast_tensors
from rushlight._operators import cartesian_prod as cartesian_prod
from rushlight._operators import cdist as cdist
from rushlight._operators import istft as istft
from rushlight._operators import lu as lu
from rushlight._operators import meshgrid as meshgrid
from rushlight._operators import norm as norm
from rushlight._operators import pca_lowrank as pca_lowrank
from rushlight._operators import split as split
from rushlight._operators import stft as stft
from rushlight._operators import svd_lowrank as svd_lowrank
from rushlight._operators import tensordot as tensordot
from rushlight._operators import unique as unique
from rushlight._operators import unique_consecutive as unique_consecutive
from rushlight._operators import unravel_index as unravel_index
from rushlight.operators.linalg.contraction import chain_matmul as chain_matmul
from rushlight.operators.linalg.contraction import einsum as einsum
from rushlight.operators.shapes.join import broadcast_shapes as broadcast_shapes
