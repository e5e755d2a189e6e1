# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.func.mapping import vmap as vmap
from rushlight.nn.attention.flex_attention import AuxOutput as AuxOutput
from rushlight.nn.attention.flex_attention import AuxRequest as AuxRequest
from rushlight.nn.attention.flex_attention import BlockMask as BlockMask
from rushlight.nn.attention.flex_attention import Mask as Mask
from rushlight.nn.attention.flex_attention import and_masks as and_masks
from rushlight.nn.attention.flex_attention import create_block_mask as create_block_mask
from rushlight.nn.attention.flex_attention import create_mask as create_mask
from rushlight.nn.attention.flex_attention import create_nested_block_mask as create_nested_block_mask
from rushlight.nn.attention.flex_attention import flex_attention as flex_attention
from rushlight.nn.attention.flex_attention import noop_mask as noop_mask
from rushlight.nn.attention.flex_attention import or_masks as or_masks
