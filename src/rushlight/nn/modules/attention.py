"""Multi-head attention as a module."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.nn import init
from rushlight.nn.parameter import Parameter
from rushlight.operators.table.types import Device, DType

from ._functional import FunctionModule
from .linear import NonDynamicallyQuantizableLinear

__all__ = ["MultiheadAttention"]


class MultiheadAttention(FunctionModule, function="multi_head_attention_forward"):
    """Attention by several heads at once, with projections before and after (Vaswani et al. 2017, arXiv:1706.03762).

    Args:
        embed_dim: E, the size of the queries and of the output; divisible by ``num_heads``.
        num_heads: into how many parts the embedding is divided.
        dropout: of the attention's weights, in training.
        bias: whether the projections have biases.
        add_bias_kv: whether a learned key and value is added to every sequence.
        add_zero_attn: whether a key and value of zeros is added to every sequence.
        kdim: size of the keys; None: E.
        vdim: size of the values; None: E.
        batch_first: whether sequences are (N, L, E) instead of (L, N, E).

    Raises:
        ValueError: a size is not positive.
        AssertionError: ``embed_dim`` is not divisible by ``num_heads``.
    """

    __constants__ = ["batch_first"]

    _options_ = (
        "num_heads",
        "in_proj_weight",
        "in_proj_bias",
        "bias_k",
        "bias_v",
        "add_zero_attn",
        "training",
        "q_proj_weight",
        "k_proj_weight",
        "v_proj_weight",
    )
    _qkv_same_embed_dim = True  # modules pickled when there was one projection for all lack the flag
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Device = None,
        dtype: DType = None,
    ) -> None:
        for name, size in (("embed_dim", embed_dim), ("num_heads", num_heads)):
            if size <= 0:
                raise ValueError(f"MultiheadAttention: {name} must be positive; found {size}")
        if embed_dim % num_heads:
            raise AssertionError(
                f"MultiheadAttention: embed_dim must be a multiple of num_heads, {num_heads}; found {embed_dim}"
            )
        super().__init__()
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self._set_(num_heads=num_heads, embed_dim=embed_dim, head_dim=embed_dim // num_heads)
        self._set_(kdim=embed_dim if kdim is None else kdim, vdim=embed_dim if vdim is None else vdim)
        self._set_(dropout=dropout, batch_first=batch_first)
        self._qkv_same_embed_dim = embed_dim == self.kdim == self.vdim
        shapes = {
            "in_proj_weight": (3 * embed_dim, embed_dim) if self._qkv_same_embed_dim else None,
            "q_proj_weight": None if self._qkv_same_embed_dim else (embed_dim, embed_dim),
            "k_proj_weight": None if self._qkv_same_embed_dim else (embed_dim, self.kdim),
            "v_proj_weight": None if self._qkv_same_embed_dim else (embed_dim, self.vdim),
            "in_proj_bias": (3 * embed_dim,) if bias else None,
        }
        for name, shape in shapes.items():
            self.register_parameter(name, None if shape is None else Parameter(rushlight.empty(shape, **place)))
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **place)
        for name in ("bias_k", "bias_v"):
            learned = Parameter(rushlight.empty((1, 1, embed_dim), **place)) if add_bias_kv else None
            self.register_parameter(name, learned)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            weight = getattr(self, name)
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for learned in (self.bias_k, self.bias_v):
            if learned is not None:
                init.xavier_normal_(learned)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend from queries to keys.

        Args:
            query: (L, N, E), (N, L, E) when ``batch_first``, or (L, E).
            key: (S, N, kdim) likewise.
            value: (S, N, vdim) likewise.
            key_padding_mask: (N, S) or (S,): True, or -inf, for keys that take no part.
            need_weights: whether the weights are returned as well; without them it is quicker.
            attn_mask: (L, S) or (N * num_heads, L, S): True for pairs that take no part, or added to the scores.
            average_attn_weights: whether the weights returned are the mean over the heads.
            is_causal: says that ``attn_mask`` is the causal mask.

        Returns:
            The output, shaped as ``query``, and the weights (N, L, S), (N, num_heads, L, S) when they are not averaged,
            or None.
        """
        swap = self.batch_first and query.dim() == 3
        if swap:
            same_key, same_value = key is query, value is key
            query = query.transpose(0, 1)
            # One tensor for all three goes through one product.
            key = query if same_key else key.transpose(0, 1)
            value = key if same_value else value.transpose(0, 1)
        output, weights = self._compute_(
            query,
            key,
            value,
            attn_mask=attn_mask,
            key_padding_mask=key_padding_mask,
            is_causal=is_causal,
            need_weights=need_weights,
            average_attn_weights=average_attn_weights,
            embed_dim_to_check=self.embed_dim,
            dropout_p=self.dropout,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            out_proj_weight=self.out_proj.weight,
            out_proj_bias=self.out_proj.bias,
        )
        if not swap:
            return output, weights
        output = output.transpose(0, 1)
        # Where nothing is recorded, programs take a view of the result's batches and steps as one dimension.
        return (output if output.requires_grad or self.training else output.contiguous()), weights

    def merge_masks(
        self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, query: Tensor
    ) -> tuple[Tensor | None, int | None]:
        """Return one mask for both, and its kind: 0 for ``attn_mask``, 1 for ``key_padding_mask``, 2 for both merged.

        Args:
            attn_mask: (L, S) or (N * num_heads, L, S), of one kind with ``key_padding_mask``.
            key_padding_mask: (N, S).
            query: (N, L, E).
        """
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        if key_padding_mask is None:
            return attn_mask, 0
        batch = query.size(0)
        each = attn_mask if attn_mask.dim() == 2 else attn_mask.unflatten(0, (batch, self.num_heads))
        return (each + key_padding_mask[:, None, None]).expand(batch, self.num_heads, -1, -1), 2
