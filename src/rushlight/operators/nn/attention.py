"""Scaled dot product attention."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.linalg.matmul import check_dtypes, product, reshape, transposed
from rushlight.operators.nn.dropout import check_p
from rushlight.operators.random.samplers import random_mask
from rushlight.operators.table.body import spread, wide, with_rule
from rushlight.operators.table.define import eager, operator
from rushlight.operators.table.tracer import P, Tracer, convert, expand_to, filled
from rushlight.operators.table.types import Number
from rushlight.program.sym import hint


def _weights(scores: Any) -> Tracer:
    """softmax over the last dimension; a line that is masked altogether gives zeros."""
    d = scores.ndim - 1

    def body(v: Any) -> Tracer:
        m = P.reduce_max(v, dims=(d,))
        m = P.select(m == -math.inf, 0, m)
        e = P.exp(v - spread(m, v, (d,)))
        s = P.reduce_sum(e, dims=(d,))
        s = P.select(s == 0, 1, s)
        return e / spread(s, v, (d,))

    def jvp(xs: Any, y: Tracer, ts: Sequence[Tracer]) -> Tracer:
        t = y * ts[0]
        return t - y * spread(P.reduce_sum(t, dims=(d,)), y, (d,))

    return with_rule(body, jvp, scores, name="softmax")


def _repeated(x: Tensor, heads: Any) -> Tensor:
    """Each head of x (dimension -3) as often as it takes to make `heads`."""
    have = x.var.shape[-3]
    if have == heads:
        return x
    if have == 0 or heads % have != 0:
        raise RuntimeError(
            "scaled_dot_product_attention(): the heads of 'query' must be a multiple of those of 'key' and 'value'; "
            f"found {hint(heads)} and "
            f"{hint(have)}"
        )
    *lead, h, n, e = x.var.shape
    times = heads // have
    k = len(lead)
    y = P.broadcast_in_dim(x, shape=(*lead, h, times, n, e), dims=(*range(k), k, k + 2, k + 3))
    return reshape(y, *lead, heads, n, e)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    is_causal: bool,
    scale: Any,
    enable_gqa: bool,
    drop: tuple[Any, Any] | None,
) -> Tracer:
    """softmax(query @ key^T * scale + mask) @ value, with dropout of the weights by (mask, scale)."""
    name = "scaled_dot_product_attention"
    check_dtypes(name, query, key, value)
    for label, x in (("query", query), ("key", key), ("value", value)):
        if x.ndim < 2:
            raise RuntimeError(f"{name}(): '{label}' must be of 2 dimensions (L, E) or more; found {x.ndim}")
    if mask is not None and mask.dtype is not dt.bool_ and mask.dtype is not query.dtype:
        raise RuntimeError(
            f"{name}(): 'attn_mask' must be of dtype bool or that of 'query', {query.dtype}; found {mask.dtype}"
        )
    if enable_gqa:
        key, value = _repeated(key, query.var.shape[-3]), _repeated(value, query.var.shape[-3])
    d = query.dtype
    # Half precision is rounded once, at the end; its products are computed in float32 anyway.
    q, key, value = wide(query), wide(key), wide(value)
    if scale is None:
        e = query.var.shape[-1]
        s = 1 / P.sqrt(filled(e, q)) if not isinstance(e, int) else filled(1.0 / math.sqrt(e), q)
    else:
        s = filled(scale, q)
    scores = product(q * s, transposed(key), name)
    rows, cols = scores.var.shape[-2:]
    if mask is not None:
        wanted = (*scores.var.shape[:-2], rows, cols)
        if mask.ndim > scores.ndim:
            wanted = (*mask.var.shape[:-2], rows, cols)
            scores = expand_to(scores, wanted)
        m = expand_to(mask, wanted)
        scores = P.select(m, scores, -math.inf) if m.dtype is dt.bool_ else scores + convert(m, scores.dtype)
    if is_causal:
        n = scores.ndim
        i, j = (P.iota(shape=scores.var.shape, dim=k, dtype=dt.int32) for k in (n - 2, n - 1))
        scores = P.select(i >= j, scores, -math.inf)
    w = _weights(scores)
    if drop is not None:
        kept, factor = drop
        w = P.select(kept, w * filled(factor, w), 0)
    return convert(product(w, value, name), d)


@operator(namespace=None, method=False, out=False, shape_class="contraction")
def _attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    is_causal: bool,
    scale: Number | None,
    enable_gqa: bool,
) -> Tensor:
    """Attention without dropout."""
    return attention(query, key, value, attn_mask, is_causal, scale, enable_gqa, None)


@operator(namespace=None, method=False, out=False, shape_class="contraction")
def _attention_dropout(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    is_causal: bool,
    scale: Number | None,
    enable_gqa: bool,
    kept: Tensor,
    factor: Number,
) -> Tensor:
    """Attention with dropout."""
    return attention(query, key, value, attn_mask, is_causal, scale, enable_gqa, (kept, factor))


@eager(namespace="nn.functional", method=False, shape_class="contraction")
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(query @ key^T * scale + mask) @ value.

    Args:
        query: (*, L, E).
        key: (*, S, E).
        value: (*, S, V).
        attn_mask: broadcasts to (*, L, S); bool (True takes part) or added to the scores.
        dropout_p: of the weights.
        is_causal: position i sees positions <= i.
        scale: by default 1 / sqrt(E).
        enable_gqa: fewer heads (dimension -3) in key and value, each for several of query.

    Returns:
        (*, L, V).

    Raises:
        RuntimeError: for sizes, dtypes or masks that do not fit.
    """
    if dropout_p == 0.0:
        return _attention(query, key, value, attn_mask, is_causal, scale, enable_gqa)
    check_p(dropout_p, "scaled_dot_product_attention")
    if dropout_p == 1.0:
        return _attention(query, key, value, attn_mask, is_causal, scale, enable_gqa) * 0.0
    lead = max((tuple(x.shape[:-2]) for x in (query, key)), key=math.prod)
    kept = random_mask(
        "scaled_dot_product_attention", query, 1 - dropout_p, size=(*lead, query.shape[-2], key.shape[-2])
    )
    return _attention_dropout(query, key, value, attn_mask, is_causal, scale, enable_gqa, kept, 1.0 / (1.0 - dropout_p))
