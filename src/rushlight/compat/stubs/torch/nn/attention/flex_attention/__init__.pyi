# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.mapping import vmap as vmap
from rushlight.nn.attention.flex_attention import (
    AuxOutput as AuxOutput, AuxRequest as AuxRequest, BlockMask as BlockMask, Mask as Mask, and_masks as and_masks,
    create_block_mask as create_block_mask, create_mask as create_mask, create_nested_block_mask as create_nested_block_mask,
    flex_attention as flex_attention, noop_mask as noop_mask, or_masks as or_masks,
)
