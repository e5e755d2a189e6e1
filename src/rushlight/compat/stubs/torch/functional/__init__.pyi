# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight._operators import (
    atleast_1d as atleast_1d, atleast_2d as atleast_2d, atleast_3d as atleast_3d, block_diag as block_diag,
    broadcast_tensors as broadcast_tensors, cartesian_prod as cartesian_prod, cdist as cdist, istft as istft, lu as lu,
    meshgrid as meshgrid, norm as norm, pca_lowrank as pca_lowrank, split as split, stft as stft, svd_lowrank as svd_lowrank,
    tensordot as tensordot, unique as unique, unique_consecutive as unique_consecutive, unravel_index as unravel_index,
)
from rushlight.operators.linalg.contraction import chain_matmul as chain_matmul, einsum as einsum
from rushlight.operators.shapes.join import broadcast_shapes as broadcast_shapes
