# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.nn.modules.attention import MultiheadAttention as MultiheadAttention
from rushlight.nn.modules.container import ModuleList as ModuleList
from rushlight.nn.modules.dropout import Dropout as Dropout
from rushlight.nn.modules.linear import Linear as Linear
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.normalization import LayerNorm as LayerNorm
from rushlight.nn.modules.transformer import Activation as Activation
from rushlight.nn.modules.transformer import Transformer as Transformer
from rushlight.nn.modules.transformer import TransformerDecoder as TransformerDecoder
from rushlight.nn.modules.transformer import TransformerDecoderLayer as TransformerDecoderLayer
from rushlight.nn.modules.transformer import TransformerEncoder as TransformerEncoder
from rushlight.nn.modules.transformer import TransformerEncoderLayer as TransformerEncoderLayer
from rushlight.nn.modules.transformer import _Layer as _Layer
from rushlight.nn.modules.transformer import _Stack as _Stack
from rushlight.nn.modules.transformer import causal_mask as causal_mask
from torch.nn import functional as _of_F
from torch.nn import init as init

F = _of_F
