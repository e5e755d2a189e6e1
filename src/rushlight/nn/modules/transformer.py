"""The transformer of Vaswani et al. 2017 (arXiv:1706.03762): encoder, decoder, and both."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, cast

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.core.warning import warn
from rushlight.nn import init
from rushlight.operators.table.types import Device, DType

from .attention import MultiheadAttention
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

Activation = str | Callable[[Tensor], Tensor]


def _get_activation_fn(given: Activation) -> Callable[[Tensor], Tensor]:
    if callable(given):
        return given
    known: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu}
    if given not in known:
        raise RuntimeError(f"transformer layer: activation must be 'relu', 'gelu' or a function; found {given!r}")
    return known[given]


def causal_mask(size: int, device: Device = None, dtype: DType = None) -> Tensor:
    """A (size, size) mask to add: -inf above the diagonal, 0 elsewhere."""
    full = rushlight.full((size, size), float("-inf"), device=device, dtype=dtype)
    return rushlight.triu(full, diagonal=1)


def _is_causal(mask: Tensor | None, hint: bool | None, size: int) -> bool:
    """Whether a mask is the causal one: as the hint says, and by looking when there is none."""
    if mask is None or hint is not None:
        return bool(hint)
    if mask.shape != (size, size):
        return False
    mine = causal_mask(size, mask.device, rushlight.float32)
    return bool((mask == (mine != 0 if mask.dtype is rushlight.bool else mine)).all())


def _no_fast_path(layer: Any) -> str:
    """Why PyTorch's encoder would compute padded positions, too; empty where it would leave them out."""
    if not isinstance(layer, TransformerEncoderLayer):
        return f"the layer must be a TransformerEncoderLayer; found {type(layer).__name__}"
    heads = layer.self_attn
    reasons = {
        "norm_first is True": layer.norm_first,
        "batch_first is not True": not heads.batch_first,
        "attention has no biases": heads.in_proj_bias is None,
        "query, key and value are of different sizes": not heads._qkv_same_embed_dim,
        "the activation is neither relu nor gelu": not layer.activation_relu_or_gelu,
        "the norms have different eps": layer.norm1.eps != layer.norm2.eps,
        "the number of heads is odd": heads.num_heads % 2 == 1,
    }
    return next((f"the layer's {reason}" for reason, holds in reasons.items() if holds), "")


class _Layer(Module):
    """What encoder and decoder layers share: self-attention and the network of two linear maps."""

    _norms_: int
    activation: Any = staticmethod(F.relu)  # modules pickled before it could be chosen have none of their own

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device = None,
        dtype: DType = None,
    ) -> None:
        super().__init__()
        options: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        numbers = range(1, self._norms_ + 1)
        parts: dict[str, Module] = {
            name: MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, **options)
            for name in ("self_attn", "multihead_attn")[: self._norms_ - 1]
        }
        parts["linear1"] = Linear(d_model, dim_feedforward, **options)
        parts["dropout"] = Dropout(dropout)
        parts["linear2"] = Linear(dim_feedforward, d_model, **options)
        parts |= {f"norm{i}": LayerNorm(d_model, layer_norm_eps, **options) for i in numbers}
        parts |= {f"dropout{i}": Dropout(dropout) for i in numbers}
        for name, part in parts.items():
            setattr(self, name, part)
        self.norm_first = norm_first
        self.activation = _get_activation_fn(activation)
        if "multihead_attn" not in parts:
            # What PyTorch's file of an encoder's layer has.
            self.activation_relu_or_gelu = 1 if self.activation is F.relu else 2 if self.activation is F.gelu else 0

    def _attend_(
        self, x: Tensor, to: Tensor | None, mask: Tensor | None, padding: Tensor | None, is_causal: bool
    ) -> Tensor:
        """Attention to oneself (to: None), or to the encoder's output; with its dropout."""
        heads = self.self_attn if to is None else self.multihead_attn
        memory = x if to is None else to
        output = heads(
            x, memory, memory, attn_mask=mask, key_padding_mask=padding, is_causal=is_causal, need_weights=False
        )[0]
        return cast("Tensor", (self.dropout1 if to is None else self.dropout2)(output))

    def _feed_forward_(self, x: Tensor) -> Tensor:
        hidden = self.dropout(self.activation(self.linear1(x)))
        return cast("Tensor", getattr(self, f"dropout{self._norms_}")(self.linear2(hidden)))

    def _residual_(self, x: Tensor, number: int, block: Callable[[Tensor], Tensor]) -> Tensor:
        norm = getattr(self, f"norm{number}")
        return x + block(norm(x)) if self.norm_first else norm(x + block(x))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a network of two linear maps, each with a residual connection and a layer norm.

    Args:
        d_model: the size of the embedding.
        nhead: the number of heads.
        dim_feedforward: the size between the two linear maps.
        dropout: its probability, everywhere.
        activation: ``"relu"``, ``"gelu"`` or a function.
        layer_norm_eps: added to variances.
        batch_first: whether sequences are (N, L, E) instead of (L, N, E).
        norm_first: whether a norm stands before its block instead of after the sum.
        bias: whether linear maps and norms have biases.
    """

    __constants__ = ["norm_first"]

    _norms_ = 2

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Encode; the masks are those of MultiheadAttention."""
        x = self._residual_(src, 1, lambda y: self._attend_(y, None, src_mask, src_key_padding_mask, is_causal))
        return self._residual_(x, 2, self._feed_forward_)


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's output, and a network of two linear maps; arguments as the
    encoder's.
    """

    __constants__ = ["norm_first"]

    _norms_ = 3

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Decode with the encoder's output ``memory``; the masks are those of MultiheadAttention."""
        x = self._residual_(tgt, 1, lambda y: self._attend_(y, None, tgt_mask, tgt_key_padding_mask, tgt_is_causal))
        x = self._residual_(
            x, 2, lambda y: self._attend_(y, memory, memory_mask, memory_key_padding_mask, memory_is_causal)
        )
        return self._residual_(x, 3, self._feed_forward_)


class _Stack(Module):
    """Copies of a layer, one after the other, and a norm at the end."""

    def __init__(self, layer: Module, num_layers: int, norm: Module | None) -> None:
        super().__init__()
        self.layers = ModuleList(copy.deepcopy(layer) for _ in range(num_layers))
        self.num_layers, self.norm = num_layers, norm

    def _is_causal_(self, x: Tensor, mask: Tensor | None, hint: bool | None) -> bool:
        """Whether the mask of sequences x on themselves is the causal one."""
        heads = getattr(self.layers[0], "self_attn", None) if len(self.layers) else None
        return _is_causal(mask, hint, x.size(1 if x.dim() == 3 and getattr(heads, "batch_first", False) else 0))

    def _through_(self, x: Tensor, *more: Tensor, **masks: Any) -> Tensor:
        for layer in self.layers:
            x = layer(x, *more, **masks)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """A stack of encoder layers.

    Args:
        encoder_layer: copied for every layer.
        num_layers: how many.
        norm: applied at the end.
        enable_nested_tensor: accepted; padded positions are computed like the others.
        mask_check: accepted.
    """

    __constants__ = ["norm"]

    def __init__(
        self,
        encoder_layer: TransformerEncoderLayer,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__(encoder_layer, num_layers, norm)
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check
        if enable_nested_tensor and (reason := _no_fast_path(encoder_layer)):
            warn(f"enable_nested_tensor is True, but TransformerEncoder pads all the same: {reason}")
        self.use_nested_tensor = False  # what PyTorch's file has: padded positions are computed like the others

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """Encode through all layers.

        Args:
            src: (L, N, E), (N, L, E) when the layers are ``batch_first``, or (L, E).
            mask: as MultiheadAttention's ``attn_mask``.
            src_key_padding_mask: (N, L).
            is_causal: whether the mask is the causal one; None: found out.
        """
        causal = self._is_causal_(src, mask, is_causal)
        return self._through_(src, src_mask=mask, is_causal=causal, src_key_padding_mask=src_key_padding_mask)


class TransformerDecoder(_Stack):
    """A stack of decoder layers.

    Args:
        decoder_layer: copied for every layer.
        num_layers: how many.
        norm: applied at the end.
    """

    __constants__ = ["norm"]

    def __init__(self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Module | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Decode through all layers with the encoder's output ``memory``."""
        masks = {"tgt_mask": tgt_mask, "memory_mask": memory_mask}
        masks |= {"tgt_key_padding_mask": tgt_key_padding_mask, "memory_key_padding_mask": memory_key_padding_mask}
        causal = self._is_causal_(tgt, tgt_mask, tgt_is_causal)
        return self._through_(tgt, memory, **masks, tgt_is_causal=causal, memory_is_causal=memory_is_causal)


class Transformer(Module):
    """Encoder and decoder.

    Args:
        d_model: the size of the embedding.
        nhead: the number of heads.
        num_encoder_layers: layers of the encoder.
        num_decoder_layers: layers of the decoder.
        dim_feedforward: the size between a layer's two linear maps.
        dropout: its probability, everywhere.
        activation: ``"relu"``, ``"gelu"`` or a function.
        custom_encoder: used in the place of the encoder.
        custom_decoder: used in the place of the decoder.
        layer_norm_eps: added to variances.
        batch_first: whether sequences are (N, L, E) instead of (L, N, E).
        norm_first: whether a norm stands before its block instead of after the sum.
        bias: whether linear maps and norms have biases.
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device = None,
        dtype: DType = None,
    ) -> None:
        super().__init__()
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        args = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)

        def norm() -> LayerNorm:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **place)

        self.encoder = custom_encoder
        if custom_encoder is None:
            self.encoder = TransformerEncoder(TransformerEncoderLayer(*args, **place), num_encoder_layers, norm())
        self.decoder = custom_decoder
        if custom_decoder is None:
            self.decoder = TransformerDecoder(TransformerDecoderLayer(*args, **place), num_decoder_layers, norm())
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def _reset_parameters(self) -> None:
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Device = None, dtype: DType = None) -> Tensor:
        """A (sz, sz) mask to add: -inf above the diagonal, 0 elsewhere."""
        return causal_mask(sz, device, dtype)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Encode ``src`` (S, N, E), decode ``tgt`` (T, N, E) with it; returns (T, N, E).

        Raises:
            RuntimeError: batches or embeddings differ in size.
        """
        batch = 0 if self.batch_first else 1
        if src.dim() != tgt.dim() or (src.dim() == 3 and src.size(batch) != tgt.size(batch)):
            raise RuntimeError(
                f"Transformer: src and tgt must have the same batch; found {tuple(src.shape)} and {tuple(tgt.shape)}"
            )
        for name, t in (("src", src), ("tgt", tgt)):
            if t.size(-1) != self.d_model:
                raise RuntimeError(
                    f"Transformer: {name} must have {self.d_model} features (d_model); found {t.size(-1)}"
                )
        memory = self.encoder(src, mask=src_mask, is_causal=src_is_causal, src_key_padding_mask=src_key_padding_mask)
        masks = {"tgt_mask": tgt_mask, "memory_mask": memory_mask}
        masks |= {"tgt_key_padding_mask": tgt_key_padding_mask, "memory_key_padding_mask": memory_key_padding_mask}
        return cast(
            "Tensor", self.decoder(tgt, memory, **masks, tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal)
        )
