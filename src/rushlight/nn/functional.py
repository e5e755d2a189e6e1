"""Functions of neural networks: `rushlight.nn.functional`.

Most names are operators of the table (`operators/`); here are compositions that take functions, or more arguments than
an operator does.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import rushlight
from rushlight.core.tensor import Tensor
from rushlight.core.tensor import modes_in_force as _in_modes
from rushlight.core.warning import warn
from rushlight.operators.nn.loss import mode_of
from rushlight.operators.table.define import TABLE, public, public_names
from rushlight.operators.table.dispatch import handed_whole as _handed_whole
from rushlight.operators.table.dispatch import whole as _whole
from rushlight.operators.table.overrides import handle_torch_function as _handle_torch_function
from rushlight.operators.table.overrides import has_torch_function as _has_torch_function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rushlight.nn._functional_operators import *  # noqa: F403  # the operators of the table, by tools/stubs.py

globals().update(public_names("nn.functional"))

bilinear, cosine_similarity, pairwise_distance, pdist, prelu = (
    TABLE[name] for name in ("bilinear", "cosine_similarity", "pairwise_distance", "pdist", "prelu")
)
sigmoid, tanh = TABLE["sigmoid"], TABLE["tanh"]
native_channel_shuffle = public("native_channel_shuffle")


# A call on these alone asks no `__torch_function__`.
_PLAIN = frozenset({Tensor, float, int, bool, str, tuple, type(None)})


def _overridable(fn: Callable[..., Any]) -> Any:
    """Make `__torch_function__` see the calls of a function that is a composition here, by its name in this module."""

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        if _in_modes() or not _PLAIN.issuperset(map(type, args)):
            given = (*args, *kwargs.values())
            if _has_torch_function(given):
                args, kwargs = _whole(call, args, kwargs)
                return _handle_torch_function(call, given, *args, **kwargs)
        return fn(*args, **kwargs)

    return call


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """interpolate, under its old name."""
    warn("nn.functional.upsample() is deprecated; write interpolate()")
    return TABLE["nn.functional.interpolate"](input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """interpolate by the nearest element."""
    warn("nn.functional.upsample_nearest() is deprecated; write interpolate()")
    return TABLE["nn.functional.interpolate"](input, size, scale_factor, "nearest")


def upsample_bilinear(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """interpolate(mode="bilinear", align_corners=True)."""
    warn("nn.functional.upsample_bilinear() is deprecated; write interpolate(mode='bilinear', align_corners=True)")
    return TABLE["nn.functional.interpolate"](input, size, scale_factor, "bilinear", True)


# --------------------------------------------------------------------------------------------------------------- losses
@_overridable
def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), reduced, for a distance function of one's own."""
    mode = mode_of(None, None, reduction, "triplet_margin_with_distance_loss")
    if margin <= 0:
        raise ValueError(f"triplet_margin_with_distance_loss(): margin must be positive; found {margin}")
    distance = distance_function or pairwise_distance
    if not anchor.ndim == positive.ndim == negative.ndim:
        ranks = (anchor.ndim, positive.ndim, negative.ndim)
        raise RuntimeError(
            f"triplet_margin_with_distance_loss(): anchor, positive and negative must have one rank; found {ranks}"
        )
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = rushlight.minimum(far, distance(positive, negative))
    y = (near - far + margin).clamp(min=0)
    return y.mean() if mode == "mean" else y.sum() if mode == "sum" else y


# ------------------------------------------------------------------------------------------------------------ attention
def _projected(inputs: tuple[Tensor, ...], weights: Any, bias: Tensor | None) -> list[Tensor]:
    """Query, key and value times their weights: three matrices, or one with all of them below one another."""
    linear = TABLE["nn.functional.linear"]
    if isinstance(weights, Tensor):
        query, key, value = inputs
        if query is key and key is value:  # one product instead of three
            return list(linear(query, weights, bias).chunk(3, -1))
        weights = weights.chunk(3)
    biases = (None, None, None) if bias is None else bias.chunk(3)
    return [linear(x, w, b) for x, w, b in zip(inputs, weights, biases)]


def _as_heads(x: Tensor, heads: int) -> Tensor:
    """(S, N, E) as (N, heads, S, E / heads)."""
    return x.unflatten(-1, (heads, -1)).permute(1, 2, 0, 3)


def _added_mask(
    attn_mask: Tensor | None,
    key_padding_mask: Tensor | None,
    sizes: tuple[int, int, int, int],
    extra: int,
    like: Tensor,
) -> Tensor | None:
    """What both masks add to scores of these sizes, (N, heads, L, S), with `extra` keys, not masked, after the S."""
    batch, heads, _, source = sizes
    name, whole = "multi_head_attention_forward()", None
    for label, given in (("attn_mask", attn_mask), ("key_padding_mask", key_padding_mask)):
        if given is not None and not (given.dtype is rushlight.bool or given.is_floating_point()):
            raise AssertionError(f"{name}: {label} must be of dtype bool or a floating point one; found {given.dtype}")
    if attn_mask is not None:
        if attn_mask.shape[-2:] != sizes[2:] or attn_mask.ndim == 3 and attn_mask.shape[0] not in (1, batch * heads):
            raise RuntimeError(
                f"{name}: attn_mask must have shape {sizes[2:]} or {(batch * heads, *sizes[2:])}; found "
                f"{tuple(attn_mask.shape)}"
            )
        whole = _float_mask(attn_mask, like)
        if whole is not None and whole.ndim == 3 and len(whole) == batch * heads:
            whole = whole.unflatten(0, (batch, heads))
    if key_padding_mask is not None:
        if tuple(key_padding_mask.shape) != (batch, source):
            raise AssertionError(
                f"{name}: key_padding_mask must have shape {(batch, source)}; found {tuple(key_padding_mask.shape)}"
            )
        if attn_mask is not None and attn_mask.dtype is not key_padding_mask.dtype:
            warn(
                f"{name}: masks of two dtypes are deprecated; found attn_mask {attn_mask.dtype} and key_padding_mask "
                f"{key_padding_mask.dtype}"
            )
        each = _float_mask(key_padding_mask, like)
        each = None if each is None else each[:, None, None]
        whole = each if whole is None or each is None else whole + each
    return whole if whole is None or not extra else TABLE["nn.functional.pad"](whole, (0, extra))


def _float_mask(mask: Tensor | None, like: Tensor) -> Tensor | None:
    """A mask to add: -inf where a bool mask is True."""
    if mask is None or mask.dtype is not rushlight.bool:
        return mask
    return rushlight.zeros(mask.shape, dtype=like.dtype).masked_fill(mask, -math.inf)


@_overridable
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Multi-head attention with input and output projections; the weights as in nn.MultiheadAttention.

    Args:
        query: (L, N, E), or without N, as the others then.
        key, value: (S, N, ...).
        key_padding_mask: (N, S), bool (True takes no part) or added to the scores.
        attn_mask: (L, S) or (N * heads, L, S), likewise.

    Returns:
        The output (L, N, E) and, if need_weights, the weights (N, L, S), or (N, heads, L, S) without an average.
    """
    name = "multi_head_attention_forward()"
    if query.ndim not in (2, 3) or {key.ndim, value.ndim} != {query.ndim}:
        raise AssertionError(
            f"{name}: query, key and value must all be 3-d, or all 2-d; found {query.ndim}-d, {key.ndim}-d and "
            f"{value.ndim}-d"
        )
    single = query.ndim == 2
    if single:
        # One tensor given three times stays one.
        batched = {id(t): t.unsqueeze(1) for t in (query, key, value)}
        query, key, value = (batched[id(t)] for t in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    target, batch, embed = query.shape
    for valid, error, problem in (
        (
            embed == embed_dim_to_check,
            AssertionError,
            f"query must have {embed_dim_to_check} features (embed_dim); found {embed}",
        ),
        (
            embed % num_heads == 0,
            AssertionError,
            f"embed_dim must be a multiple of num_heads, {num_heads}; found {embed}",
        ),
        (
            use_separate_proj_weight or key.shape == value.shape,
            AssertionError,
            f"key and value must have one shape; found {tuple(key.shape)} and {tuple(value.shape)}",
        ),
        (
            key.shape[:2] == value.shape[:2],
            AssertionError,
            "key and value must be of one length, in as many sequences; found the shapes "
            f"{tuple(key.shape)} and {tuple(value.shape)}",
        ),
        (
            not is_causal or attn_mask is not None,
            RuntimeError,
            "is_causal says of what kind attn_mask is, which must be given; found None",
        ),
        (
            use_separate_proj_weight or in_proj_weight is not None,
            AssertionError,
            "in_proj_weight must be given with use_separate_proj_weight=False",
        ),
    ):
        if not valid:
            raise error(f"{name}: {problem}")
    separate = (q_proj_weight, k_proj_weight, v_proj_weight)
    q, k, v = _projected((query, key, value), separate if use_separate_proj_weight else in_proj_weight, in_proj_bias)
    source = k.shape[0] if static_k is None else static_k.shape[1]
    q, k, v = (_as_heads(x, num_heads) for x in (q, k, v))
    k, v = (
        x if fixed is None else fixed.unflatten(0, (batch, num_heads)) for x, fixed in ((k, static_k), (v, static_v))
    )
    # Keys and values after the given ones: a learned pair, and one of zeros.
    more = (
        []
        if bias_k is None or bias_v is None
        else [[_as_heads(b.expand(1, batch, embed), num_heads) for b in (bias_k, bias_v)]]
    )
    if add_zero_attn:
        more.append([rushlight.zeros_like(x[:, :, :1]) for x in (k, v)])
    if more:
        k, v = (rushlight.cat([given, *added], 2) for given, *added in zip((k, v), *more))
    mask = _added_mask(attn_mask, key_padding_mask, (batch, num_heads, target, source), len(more), query)
    p = dropout_p if training else 0.0
    weights: Tensor | None = None
    if need_weights:
        scores = (q * (embed // num_heads) ** -0.5) @ k.transpose(-2, -1)
        weights = TABLE["softmax"](scores if mask is None else scores + mask, -1)
        heads_out = (public("nn.functional.dropout")(weights, p) if p > 0.0 else weights) @ v
    else:
        heads_out = TABLE["nn.functional.scaled_dot_product_attention"](q, k, v, mask, p)
    out = TABLE["nn.functional.linear"](heads_out.permute(2, 0, 1, 3).flatten(2), out_proj_weight, out_proj_bias)
    if weights is not None and average_attn_weights:
        weights = weights.mean(1)
    if single:
        out, weights = out.squeeze(1), None if weights is None else weights.squeeze(0)
    return out, weights


# These are compiled functions in PyTorch, which pass their arguments on as they were written; all others pass on all
# arguments.
_COMPILED = frozenset(
    """adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d bilinear celu_ channel_shuffle conv1d conv2d conv3d
    conv_tbc conv_transpose1d native_channel_shuffle
    conv_transpose2d conv_transpose3d cosine_similarity elu_ gelu hardshrink hardtanh_ leaky_relu_ linear logsigmoid
    one_hot pairwise_distance pdist pixel_shuffle
    pixel_unshuffle prelu relu_ rrelu_ scaled_dot_product_attention selu_ softplus softshrink threshold_""".split()
)
_handed_whole.update(
    _fn
    for _name, _fn in list(globals().items())
    if callable(_fn)
    and not _name.startswith("_")
    and not isinstance(_fn, type)
    and _name not in _COMPILED | {"sigmoid", "tanh"}
    and getattr(_fn, "__name__", "") == _name
)
