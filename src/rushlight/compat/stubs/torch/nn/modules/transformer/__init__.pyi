# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.attention import MultiheadAttention as MultiheadAttention
from rushlight.nn.modules.container import ModuleList as ModuleList
from rushlight.nn.modules.dropout import Dropout as Dropout
from rushlight.nn.modules.linear import Linear as Linear
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.normalization import LayerNorm as LayerNorm
from rushlight.nn.modules.transformer import (
    Activation as Activation, Transformer as Transformer, TransformerDecoder as TransformerDecoder,
    TransformerDecoderLayer as TransformerDecoderLayer, TransformerEncoder as TransformerEncoder,
    TransformerEncoderLayer as TransformerEncoderLayer, _Layer as _Layer, _Stack as _Stack, causal_mask as causal_mask,
)
from torch.nn import functional as _of_F, init as init

F = _of_F
