"""Distances and similarities of vectors."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators._define import operator
from rushlight.operators._rules import floating, wide, with_rule
from rushlight.operators._tracer import P, Tracer, align, broadcast_shapes, convert, expand_to
from rushlight.operators.matmul import check_dtypes, hint, reshape, transposed
from rushlight.operators.reduction import filled, vector_norm, wrap_dim

_NN: dict[str, Any] = {"namespace": "nn.functional", "method": False, "out": False}


@operator(namespace="", method=False, out=False, keep_results=False)
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """<x1, x2> / (max(|x1|, eps) * max(|x2|, eps)) along a dimension; x1 and x2 broadcast.

    Args: x1, x2: floating point. dim: the dimension of the vectors. eps: the least norm to divide by.
    """
    a, b = align(x1, x2)
    if a.dtype.kind != "f":
        raise RuntimeError(f"cosine_similarity(): 'x1' and 'x2' must be floating point; found {a.dtype}")
    if not eps >= 0:
        raise RuntimeError(f"cosine_similarity(): 'eps' must be at least 0; found {eps}")
    d = wrap_dim(dim, a.ndim, "cosine_similarity")
    if a.ndim == 0:
        a, b = reshape(a, 1), reshape(b, 1)
    x, y = wide(a), wide(b)

    def squares(v: Any, w: Any) -> Tracer:
        return P.reduce_sum(P.mul(v, w), dims=(d,))

    def length(v: Any) -> Tracer:
        s = squares(v, v)
        # The norm is bounded from below by a constant, without derivative there.
        low = P.lt(s, filled(eps * eps, s))
        return P.select(low, filled(eps, s), P.sqrt(P.select(low, filled(1, s), s)))

    return convert(P.div(squares(x, y), P.mul(length(x), length(y))), a.dtype)


@operator(namespace="", method=False, out=False)
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dimension; x1 and x2 broadcast. The difference of integers is one of
    their dtype, which wraps.
    """
    if "b" in (x1.dtype.kind, x2.dtype.kind):
        raise RuntimeError(
            "pairwise_distance(): 'x1' and 'x2' must hold numbers; found bools, which are not subtracted"
        )
    a, b = align(x1, x2)
    x = floating(P.sub(wide(a), wide(b)))
    a = floating(a)
    x = P.add(x, filled(eps, x))
    dims = (x.ndim - 1,) if x.ndim else ()
    return convert(vector_norm(x, p, dims, keepdim), a.dtype.to_real())


def distances(x: Any, y: Any, p: float) -> Tracer:
    """The p-norms of all differences of the rows of x (*B, P, M) and y (*B, R, M), equal B: (*B, P, R)."""
    *batch, n, m = x.var.shape
    r = y.var.shape[-2]
    full = (*batch, n, r, m)
    lead = tuple(range(len(batch)))
    k = len(batch)
    a = P.broadcast_in_dim(x, shape=full, dims=(*lead, k, k + 2))
    b = P.broadcast_in_dim(y, shape=full, dims=(*lead, k + 1, k + 2))
    diff = P.sub(a, b)
    return _line_norms(diff, p, k + 2, "cdist")


def _line_norms(diff: Any, p: float, dim: int, name: str) -> Tracer:
    """The p-norms of differences along a dimension, p = 0 included."""
    if p != 0:
        return vector_norm(diff, p, (dim,), False)

    def flat(xs: Any, y: Any, ts: Any) -> Tracer:
        # Counting has derivative 0; it is written so that the result still belongs to the graph.
        return P.reduce_sum(P.mul(ts[0], filled(0, ts[0])), dims=(dim,))

    return with_rule(lambda d: vector_norm(d, 0.0, (dim,), False), flat, diff, name=name)


def _product_form(x: Any, y: Any) -> Tracer:
    """2-norm distances by one matrix product: |x|^2 - 2 <x, y> + |y|^2, with derivative 0 at distance 0."""
    xx = P.reduce_sum(P.mul(x, x), dims=(x.ndim - 1,))
    yy = P.reduce_sum(P.mul(y, y), dims=(y.ndim - 1,))
    xy = P.dot(x, transposed(y))
    lead = tuple(range(x.ndim - 2))
    rows = P.broadcast_in_dim(xx, shape=xy.var.shape, dims=(*lead, x.ndim - 2))
    cols = P.broadcast_in_dim(yy, shape=xy.var.shape, dims=(*lead, x.ndim - 1))
    s = P.add(P.sub(rows, P.add(xy, xy)), cols)
    none = P.le(s, filled(0, s))
    return P.select(none, filled(0, s), P.sqrt(P.select(none, filled(1, s), s)))


@operator(namespace="", method=False, out=False)
def cdist(
    x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str | None = "use_mm_for_euclid_dist_if_necessary"
) -> Tensor:
    """The p-norm distances of all pairs of rows.

    Args: x1: (*B, P, M). x2: (*B, R, M); batch dimensions broadcast. p: >= 0. compute_mode: whether the 2-norm goes by
    a
    matrix product: "use_mm_for_euclid_dist_if_necessary" (from 25 rows on), "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist".
    Returns: (*B, P, R).
    """
    modes = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
    if compute_mode is not None and compute_mode not in modes:
        raise ValueError(f"cdist(): 'compute_mode' must be one of {', '.join(modes)}; found {compute_mode!r}")
    check_dtypes("cdist", x1, x2)
    for x, label in ((x1, "x1"), (x2, "x2")):
        if x.ndim < 2:
            raise RuntimeError(f"cdist(): '{label}' must be of 2 dimensions (P, M) or more; found {x.ndim}")
        if x.dtype.kind != "f":
            raise RuntimeError(f"cdist(): '{label}' must be floating point; found {x.dtype}")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(
            f"cdist(): 'x1' and 'x2' must hold vectors of one length; found {hint(x1.shape[-1])} and "
            f"{hint(x2.shape[-1])}"
        )
    if not p >= 0:
        raise RuntimeError(f"cdist(): 'p' must be at least 0; found {p}")
    batch = broadcast_shapes(x1.var.shape[:-2], x2.var.shape[:-2])
    a = expand_to(wide(x1), (*batch, *x1.var.shape[-2:]))
    b = expand_to(wide(x2), (*batch, *x2.var.shape[-2:]))
    mode = modes[0] if compute_mode is None else compute_mode
    by_product = p == 2 and (mode == modes[1] or (mode == modes[0] and (x1.shape[-2] > 25 or x2.shape[-2] > 25)))
    return convert(_product_form(a, b) if by_product else distances(a, b, p), x1.dtype)


@operator(namespace="", method=False, out=False)
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The p-norm distances of all pairs i < j of the rows of a matrix, in row-major order."""
    if input.ndim != 2:
        raise RuntimeError(f"pdist(): 'input' must be a matrix; found a {input.ndim}-d tensor")
    if input.dtype.kind != "f":
        raise RuntimeError(f"pdist(): 'input' must be floating point; found {input.dtype}")
    if not p >= 0:
        raise RuntimeError(f"pdist(): 'p' must be at least 0; found {p}")
    n = input.var.shape[0]
    m = n * (n - 1) // 2
    k = P.iota(shape=(m,), dim=0, dtype=dt.int64)
    # Row i starts at i (2n - i - 1) / 2; the root is corrected by one step either way.
    f = convert(k, dt.float64)
    top = P.sub(filled(n, f), filled(0.5, f))
    i = convert(P.floor(top - P.sqrt(P.mul(top, top) - f * 2.0)), dt.int64)

    def start(r: Any) -> Tracer:
        return P.floordiv(r * (filled(2 * n - 1, r) - r), filled(2, r))

    i = P.select(P.gt(start(i), k), i - 1, i)
    i = P.select(P.le(start(i + 1), k), i + 1, i)
    j = k - start(i) + i + 1
    x = wide(input)
    d = P.sub(P.gather(x, i, dims=(0,)), P.gather(x, j, dims=(0,)))
    return convert(_line_norms(d, p, 1, "pdist"), input.dtype)


def normalized(x: Any, p: float, dim: int, eps: float) -> Tracer:
    """x over its p-norm along dim, the norm at least eps."""
    d = wrap_dim(dim, x.ndim, "normalize")
    if x.ndim == 0:
        return reshape(normalized(reshape(x, 1), p, 0, eps))
    n = vector_norm(x, p, (d,), True)
    low = P.lt(n, filled(eps, n))
    n = P.select(low, filled(eps, n), n)
    return P.div(x, expand_to(convert(n, x.dtype), x.var.shape))


@operator(**{**_NN, "out": True}, keep_results=False)
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """input / max(|input|_p, eps) along a dimension."""
    x = wide(input)
    return convert(normalized(x, p, dim, eps), input.dtype)
