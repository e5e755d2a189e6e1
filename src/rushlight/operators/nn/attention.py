"""Scaled dot product attention."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rushlight import prims
from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.linalg.matmul import check_dtypes, product, reshape, transposed
from rushlight.operators.nn.activation import softmax_rule
from rushlight.operators.nn.dropout import check_p
from rushlight.operators.random.samplers import random_mask
from rushlight.operators.table.body import spread, wide, with_rule
from rushlight.operators.table.checks import check_least_rank
from rushlight.operators.table.define import eager, operator
from rushlight.operators.table.tracer import P, Tracer, broadcast_shapes, constant, convert, expand_to, filled, tracer
from rushlight.operators.table.types import Number
from rushlight.prims.base import instantiate
from rushlight.prims.emit import emit_jvp, trace
from rushlight.program.ir import Builder, Var
from rushlight.program.sym import hint

_NAME = "scaled_dot_product_attention"


def _weights(scores: Tracer) -> Tracer:
    """softmax over the last dimension; a line that is masked altogether gives zeros."""
    d = scores.ndim - 1

    def body(v: Any) -> Tracer:
        m = P.reduce_max(v, dims=(d,))
        m = P.select(m == -math.inf, 0, m)
        e = P.exp(v - spread(m, v, (d,)))
        s = P.reduce_sum(e, dims=(d,))
        s = P.select(s == 0, 1, s)
        return e / spread(s, v, (d,))

    return with_rule(body, softmax_rule(d), scores, name="softmax")


def _grouped(x: Tensor, heads: Any) -> Tensor:
    """Heads (dimension -3) that each serve several of `heads`, with a dimension for these: (..., h, times, n, e)."""
    *lead, h, n, e = x.var.shape
    if h == 0 or heads % h != 0:
        raise RuntimeError(
            f"{_NAME}(): the heads of 'query' must be a multiple of those of 'key' and 'value'; "
            f"found {hint(heads)} and {hint(h)}"
        )
    k = len(lead)
    return P.broadcast_in_dim(x, shape=(*lead, h, heads // h, n, e), dims=(*range(k), k, k + 2, k + 3))


def _repeated(x: Tensor, heads: Any) -> Tensor:
    """Each head of x (dimension -3) as often as it takes to make `heads`."""
    *lead, h, n, e = x.var.shape
    return x if h == heads else reshape(_grouped(x, heads), *lead, heads, n, e)


def _check(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    check_dtypes(_NAME, query, key, value)
    for label, x in (("query", query), ("key", key), ("value", value)):
        check_least_rank(_NAME, label, x, 2, "(L, E)")
    if mask is not None and mask.dtype not in (dt.bool_, dt.float32, query.dtype):
        raise RuntimeError(
            f"{_NAME}(): 'attn_mask' must be of dtype bool, float32 or that of 'query', {query.dtype}; "
            f"found {mask.dtype}"
        )


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
    _check(query, key, value, mask)
    if mask is not None and mask.dtype.kind == "f" and query.dtype is dt.float64:
        mask = convert(mask, dt.float64)
    d, e, heads = query.dtype.compute, query.var.shape[-1], query.var.shape[-3] if query.ndim > 2 else 1
    if scale is not None:
        factor = constant(scale, (), d)
    elif isinstance(e, int):
        factor = constant(1.0 / math.sqrt(e) if e else math.inf, (), d)
    else:
        factor = 1 / P.sqrt(constant(e, (), d))
    groups = enable_gqa and not key.var.shape[-3] == value.var.shape[-3] == heads
    if drop is None and in_blocks(query, key, value, mask):
        if not groups:
            return _in_blocks(query, key, value, factor, mask, is_causal)
        # A dimension for the heads that share one of key and value, along which these are read repeatedly.
        k, v, (*lead, _, m, _) = _grouped(key, heads), _grouped(value, heads), query.var.shape
        split = k.var.shape[-4:-2]
        if mask is not None:
            mask = expand_to(mask, (*lead, heads, m, key.var.shape[-2]))
            mask = reshape(mask, *lead, *split, m, key.var.shape[-2])
        y = _in_blocks(reshape(query, *lead, *split, m, e), k, v, factor, mask, is_causal)
        return reshape(y, *lead, heads, m, value.var.shape[-1])
    if groups:
        key, value = _repeated(key, heads), _repeated(value, heads)
    return _composed(query, key, value, factor, mask, is_causal, drop)


def _composed(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    scale: Tracer,
    mask: Tensor | None,
    is_causal: bool,
    drop: tuple[Any, Any] | None = None,
) -> Tracer:
    # Half precision is rounded once, at the end; its products are computed in float32 anyway.
    q, k, v = wide(query), wide(key), wide(value)
    scores = product(q * filled(scale, q), transposed(k), _NAME)
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
    return convert(product(w, v, _NAME), query.dtype)


# -- in blocks --------------------------------------------------------------------------------------------------------
def in_blocks(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> bool:
    """Whether the routine that makes attention in blocks takes less time than the composition: with a few queries its
    operands are not worth being packed.
    """
    from rushlight.compiler.routines.attention import serves

    (m, e), (n, v) = query.var.shape[-2:], value.var.shape[-2:]
    if mask is not None and mask.ndim > max(query.ndim, key.ndim):
        return False
    fit = key.var.shape[-2] == n and key.var.shape[-1] == e
    return bool(serves(query.dtype) and fit and m >= 4 and n >= 4 and e >= 4 and v >= 4)


def _in_blocks(
    query: Tensor, key: Tensor, value: Tensor, scale: Tracer, mask: Tensor | None, is_causal: bool
) -> Tracer:
    lead = broadcast_shapes(*(x.var.shape[:-2] for x in (query, key, value)))
    operands = [expand_to(x, (*lead, *x.var.shape[-2:])) for x in (query, key, value)]
    if mask is not None:
        mask = expand_to(mask, (*lead, query.var.shape[-2], key.var.shape[-2]))
    y, _ = P.custom_call(
        *operands,
        P.buffered(scale),  # the routine reads it in memory
        *([] if mask is None else [mask]),
        body=lambda *xs: prims.attention.several(*xs, causal=is_causal),
        jvp=_Derivative(is_causal).jvp,
        name="attention",
    )
    return y


class _Derivative:
    """The derivatives of attention in blocks: in forward mode, and where gradients are differentiated again, those of
    the composition; gradients in blocks too. By a mask they are the composition's.
    """

    def __init__(self, is_causal: bool) -> None:
        self.is_causal = is_causal

    def composed(self, *xs: Var) -> Var:
        query, key, value, scale, *mask = map(tracer, xs)
        return _composed(query, key, value, scale, mask[0] if mask else None, self.is_causal).var

    def tangent(self, xs: Sequence[Var], ts: Sequence[Var | None]) -> Var | None:
        return emit_jvp(trace(self.composed, xs), xs, ts)[1][0]

    def jvp(self, xs: Sequence[Var], ys: Sequence[Var], ts: Sequence[Var | None]) -> tuple[Var | None, None]:
        """The tangent of the result; log-sum-exp is for the gradients alone."""
        if any(t is not None for t in ts[3:]):
            return self.tangent(xs, ts), None
        n, moved = len(xs), [i for i in range(3) if ts[i] is not None]

        def body(*args: Var) -> Var | None:
            given = dict(zip(moved, args[n + 2 :], strict=True))
            return self.tangent(args[:n], [given.get(i) for i in range(n)])

        def transpose(inputs: Sequence[Any], cotangents: Sequence[Any]) -> list[Var]:
            grads = self.gradients(inputs[:n], inputs[n], inputs[n + 1], cotangents[0])
            return [grads[i] for i in moved]

        tangents = [t for t in ts if t is not None]
        calls = prims.custom_call.several(
            *xs, *ys, *tangents, body=body, jvp=None, name="attention's tangent", transpose=transpose
        )
        return calls[0], None

    def gradients(self, xs: Sequence[Var], out: Var, lse: Var, grad: Var) -> Sequence[Var]:
        """The gradients of query, key and value from that of the result."""
        products = wide(tracer(grad)) * wide(tracer(out))
        delta = P.reduce_sum(products, dims=(products.ndim - 1,)).var
        return prims.custom_call.several(
            *xs[:4],
            grad,
            lse,
            delta,
            *xs[4:],
            body=lambda *args: prims.attention_grad.several(*args, causal=self.is_causal),
            jvp=lambda args, ys, ts: emit_jvp(trace(self.composed_gradients, args), args, ts)[1],
            name="attention's gradients",
        )

    def composed_gradients(self, *args: Var) -> list[Var]:
        from rushlight.transforms.transpose import backward_pass

        xs, grad = (*args[:4], *args[7:]), args[4]
        holes = [Var(x.shape, x.dtype, "tangent") for x in xs[:3]]
        t = self.tangent(xs, [*holes, *[None] * (len(xs) - 3)])
        assert t is not None
        found = backward_pass(list(Builder.current().eqns), {t: grad}, holes)
        return [instantiate(g, h) for g, h in zip(found, holes, strict=True)]


@operator(namespace=None, method=False, out=False, shape_class="contraction")
def _attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    is_causal: bool,
    scale: Number | None,
    enable_gqa: bool,
    kept: Tensor | None = None,
    factor: Number | None = None,
) -> Tensor:
    """Attention; with dropout, where the weights that are kept, and the factor on them, are given."""
    drop = None if kept is None else (kept, factor)
    return attention(query, key, value, attn_mask, is_causal, scale, enable_gqa, drop)


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
    return _attention(query, key, value, attn_mask, is_causal, scale, enable_gqa, kept, 1.0 / (1.0 - dropout_p))
