"""Functions of neural networks: `rushlight.nn.functional`.

Most names are operators of the table (`operators/`); here are those whose call form needs a choice at every call:
`inplace` arguments, random numbers, results that come alone or in pairs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import rushlight
from rushlight.core.named import Named
from rushlight.core.tensor import Tensor
from rushlight.core.tensor import add_modes as _add_modes
from rushlight.core.warning import warn
from rushlight.operators.nn.activation import _gumbel_softmax
from rushlight.operators.nn.dropout import check_p, dropped
from rushlight.operators.nn.loss import _gaussian_nll_loss, mode_of
from rushlight.operators.nn.pooling import ADAPTIVE_MAX, FRACTIONAL_MAX, MAX_POOL
from rushlight.operators.table.body import has_values
from rushlight.operators.table.define import METHODS, TABLE, public, public_names
from rushlight.operators.table.dispatch import handed_whole as _handed_whole
from rushlight.operators.table.dispatch import whole as _whole
from rushlight.operators.table.overrides import handle_torch_function as _handle_torch_function
from rushlight.operators.table.overrides import has_torch_function as _has_torch_function

if TYPE_CHECKING:
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
    """A function that is a composition here, as one that `__torch_function__` sees: the name in this module stands for
    it.
    """

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        if _add_modes(0) or not _PLAIN.issuperset(map(type, args)):
            given = (*args, *kwargs.values())
            if _has_torch_function(given):
                args, kwargs = _whole(call, args, kwargs)
                return _handle_torch_function(call, given, *args, **kwargs)
        return fn(*args, **kwargs)

    return call


# --------------------------------------------------------------------------------------------------------------- random
@_overridable
def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A sample of the Gumbel-softmax distribution; hard: one-hot, differentiated as if it were soft. eps is without
    effect.
    """
    if eps != 1e-10:
        warn("gumbel_softmax(): 'eps' has no effect and is deprecated")
    drawn = METHODS["exponential_"](TABLE["empty_like"](logits.detach()))
    return _gumbel_softmax(logits, drawn, float(tau), hard, dim)


def _feature(input: Tensor, p: float, training: bool, inplace: bool, name: str, ranks: tuple[int, int]) -> Tensor:
    check_p(p, name)
    if input.ndim == ranks[0]:  # without a batch: its own channels come first
        return (
            dropped(input.unsqueeze(0), p, training, False, name=name, feature=True).squeeze(0)
            if not inplace
            else (dropped(input.unsqueeze_(0), p, training, True, name=name, feature=True).squeeze_(0))
        )
    return dropped(input, p, training, inplace, name=name, feature=True)


@_overridable
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels zeroed with probability p: (N, C, L) or (C, L)."""
    if input.ndim not in (2, 3):
        raise RuntimeError(f"dropout1d(): the input must be (N, C, L) or (C, L), got a {input.ndim}-d one")
    return _feature(input, p, training, inplace, "dropout1d", (2, 3))


@_overridable
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels zeroed with probability p: (N, C, H, W); the first two dimensions decide."""
    if input.ndim not in (3, 4):
        warn(f"dropout2d(): the input should be (N, C, H, W); a {input.ndim}-d one is deprecated")
    elif input.ndim == 3:
        warn("dropout2d(): a 3-d input is taken for (N, C, L), not for (C, H, W); for it, write dropout1d()")
    return dropped(input, p, training, inplace, name="dropout2d", feature=True)


@_overridable
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels zeroed with probability p: (N, C, D, H, W) or (C, D, H, W)."""
    if input.ndim not in (4, 5):
        warn(f"dropout3d(): the input should be (N, C, D, H, W) or (C, D, H, W); a {input.ndim}-d one is deprecated")
    return _feature(input, p, training, inplace, "dropout3d", (4, 5))


# -------------------------------------------------------------------------------------------------------------- pooling
def _max_pool(n: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    alone, pair = (Named(op, op.name, "nn.functional") for op in MAX_POOL[n])

    def max_pool(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        return (pair if return_indices else alone)(input, kernel_size, stride, padding, dilation, ceil_mode)

    def with_indices(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> tuple[Tensor, Tensor]:
        return pair(input, kernel_size, stride, padding, dilation, ceil_mode)

    max_pool.__name__ = max_pool.__qualname__ = f"max_pool{n}d"
    max_pool.__doc__ = alone.__doc__
    with_indices.__name__ = with_indices.__qualname__ = f"max_pool{n}d_with_indices"
    with_indices.__doc__ = pair.__doc__
    alone.shown, pair.shown = max_pool, with_indices
    return max_pool, with_indices


max_pool1d, max_pool1d_with_indices = _max_pool(1)
max_pool2d, max_pool2d_with_indices = _max_pool(2)
max_pool3d, max_pool3d_with_indices = _max_pool(3)


def _adaptive_max(n: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    pair = ADAPTIVE_MAX[n]

    def pool(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        both = pair(input, output_size)
        return both if return_indices else both[0]

    def with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> tuple[Tensor, Tensor]:
        return pair(input, output_size)

    pool.__name__ = pool.__qualname__ = f"adaptive_max_pool{n}d"
    with_indices.__name__ = with_indices.__qualname__ = f"adaptive_max_pool{n}d_with_indices"
    pool.__doc__ = with_indices.__doc__ = pair.__doc__
    return _overridable(pool), _overridable(with_indices)


adaptive_max_pool1d, adaptive_max_pool1d_with_indices = _adaptive_max(1)
adaptive_max_pool2d, adaptive_max_pool2d_with_indices = _adaptive_max(2)
adaptive_max_pool3d, adaptive_max_pool3d_with_indices = _adaptive_max(3)


def _fractional_max(n: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    pair, name = FRACTIONAL_MAX[n], f"fractional_max_pool{n}d"

    def with_indices(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        if output_size is None:
            if output_ratio is None:
                raise ValueError(f"{name}(): 'output_size' or 'output_ratio' must be given; found neither")
            ratios = tuple(output_ratio) if isinstance(output_ratio, (tuple, list)) else (output_ratio,) * n
            if len(ratios) != n:
                raise ValueError(f"{name}(): output_ratio must be a number or {n} of them, got {ratios}")
            output_size = tuple(int(s * r) for s, r in zip(input.shape[-n:], ratios, strict=True))
        if _random_samples is None:
            batch = 1 if input.ndim == n + 1 else input.shape[0]
            _random_samples = rushlight.rand(batch, input.shape[-n - 1], n, dtype=input.dtype, device=input.device)
        return pair(input, kernel_size, output_size, _random_samples)

    def pool(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> Any:
        both = with_indices(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
        return both if return_indices else both[0]

    pool.__name__ = pool.__qualname__ = name
    with_indices.__name__ = with_indices.__qualname__ = f"{name}_with_indices"
    pool.__doc__ = (
        with_indices.__doc__
    ) = f"""Maxima of {n}-d windows that begin at random places; return_indices: with their flat indices.

    Args: input: (N, C, *) or (C, *). kernel_size: an int or {n}. output_size: an int or {n}; or output_ratio: of the
    input's size, in (0, 1). _random_samples: (N, C, {n}), in [0, 1), instead of random numbers. Errors: ValueError
    without a size.
    """
    return _overridable(pool), _overridable(with_indices)


fractional_max_pool2d, fractional_max_pool2d_with_indices = _fractional_max(2)
fractional_max_pool3d, fractional_max_pool3d_with_indices = _fractional_max(3)


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """interpolate, under its old name."""
    warn("nn.functional.upsample() is deprecated; write interpolate()")
    return TABLE["nn.functional.interpolate"](input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """interpolate by the nearest element."""
    warn("nn.functional.upsample_nearest() is deprecated; write interpolate()")
    return TABLE["nn.functional.interpolate"](input, size, scale_factor, "nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """interpolate(mode="bilinear", align_corners=True)."""
    warn("nn.functional.upsample_bilinear() is deprecated; write interpolate(mode='bilinear', align_corners=True)")
    return TABLE["nn.functional.interpolate"](input, size, scale_factor, "bilinear", True)


# --------------------------------------------------------------------------------------------------------------- losses
@_overridable
def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """0.5 * (log(max(var, eps)) + (input - target)^2 / max(var, eps)), reduced; full: plus 0.5 * log(2 pi).

    Errors: ValueError for a negative variance or one of a shape that does not fit.
    """
    if (not isinstance(var, Tensor) and var < 0) or (
        isinstance(var, Tensor) and has_values(var) and bool((var < 0).any())
    ):
        raise ValueError("gaussian_nll_loss(): var must be 0 or more everywhere, found a negative entry")
    if not isinstance(var, Tensor):
        var = rushlight.full((), float(var), dtype=input.dtype)
    return _gaussian_nll_loss(input, target, var, full, eps, reduction)


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
        raise ValueError(f"triplet_margin_with_distance_loss(): margin must be positive, got {margin}")
    distance = distance_function or pairwise_distance
    if not anchor.ndim == positive.ndim == negative.ndim:
        ranks = (anchor.ndim, positive.ndim, negative.ndim)
        raise RuntimeError(
            f"triplet_margin_with_distance_loss(): anchor, positive and negative must have one rank, got {ranks}"
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
    if attn_mask is not None:
        if attn_mask.shape[-2:] != sizes[2:] or attn_mask.ndim == 3 and attn_mask.shape[0] not in (1, batch * heads):
            raise RuntimeError(
                f"{name}: attn_mask must have shape {sizes[2:]} or {(batch * heads, *sizes[2:])}, got "
                f"{tuple(attn_mask.shape)}"
            )
        whole = _float_mask(attn_mask, like)
        if whole is not None and whole.ndim == 3 and len(whole) == batch * heads:
            whole = whole.unflatten(0, (batch, heads))
    if key_padding_mask is not None:
        if tuple(key_padding_mask.shape) != (batch, source):
            raise AssertionError(
                f"{name}: key_padding_mask must have shape {(batch, source)}, got {tuple(key_padding_mask.shape)}"
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
    """Multi-head attention with input and output projections.

    Args: query: (L, N, E). key, value: (S, N, ...); all without N likewise. The weights as in nn.MultiheadAttention.
    Masks: bool (True takes no part) or added to the scores; key_padding_mask (N, S), attn_mask (L, S) or (N * heads, L,
    S).
    Returns: the output (L, N, E) and, if need_weights, the weights (N, L, S) (or (N, heads, L, S) when not averaged).
    """
    name = "multi_head_attention_forward()"
    if query.ndim not in (2, 3) or {key.ndim, value.ndim} != {query.ndim}:
        raise AssertionError(
            f"{name}: query, key and value must all be 3-d, or all 2-d, got {query.ndim}-d, {key.ndim}-d and "
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
            f"query must have {embed_dim_to_check} features (embed_dim), got {embed}",
        ),
        (
            embed % num_heads == 0,
            AssertionError,
            f"embed_dim must be a multiple of num_heads, {num_heads}; got {embed}",
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


# These are compiled functions in PyTorch, which hand their arguments on as they were written; all others hand on all
# arguments.
_COMPILED = frozenset(
    """adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d bilinear celu_ channel_shuffle conv1d conv2d conv3d
    conv_tbc conv_transpose1d
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
