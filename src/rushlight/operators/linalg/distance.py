"""Distances and similarities of vectors."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.linalg.matmul import check_dtypes, reshape, transposed
from rushlight.operators.linalg.norms import vector_norm
from rushlight.operators.table.body import floating, wide, with_rule, wrap_dim, wrap_dims
from rushlight.operators.table.checks import (
    check_choice,
    check_kind,
    check_least,
    check_least_rank,
    check_rank,
    check_that,
)
from rushlight.operators.table.define import operator
from rushlight.operators.table.precompile import orders
from rushlight.operators.table.tracer import P, Tracer, align, broadcast_shapes, convert, expand_to, filled
from rushlight.operators.table.types import Dims
from rushlight.program.sym import hint

_NN: dict[str, Any] = {"namespace": "nn.functional", "method": False, "out": False}


@operator(namespace="", method=False, out=False, keep_results=False)
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """<x1, x2> / (max(|x1|, eps) * max(|x2|, eps)) along a dimension; x1 and x2 broadcast.

    Args:
        x1, x2: floating point.
        dim: the dimension of the vectors.
        eps: the least norm to divide by.
    """
    a, b = align(x1, x2)
    check_that(a.dtype.kind == "f", "cosine_similarity()", "'x1' and 'x2'", "be floating point", a.dtype)
    check_least("cosine_similarity", "eps", eps, 0)
    d = wrap_dim(dim, a.ndim, "cosine_similarity")
    if a.ndim == 0:
        a, b = reshape(a, 1), reshape(b, 1)
    x, y = wide(a), wide(b)

    def squares(v: Any, w: Any) -> Tracer:
        return P.reduce_sum(v * w, dims=(d,))

    def length(v: Any) -> Tracer:
        s = squares(v, v)
        # Where the norm is below the constant bound, its derivative is zero.
        low = s < eps * eps
        return P.select(low, eps, P.sqrt(P.select(low, 1, s)))

    return convert(squares(x, y) / (length(x) * length(y)), a.dtype)


@operator(namespace="", method=False, out=False, zero_gradient=True, precompile=orders("p"))
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dimension; x1 and x2 broadcast. The difference of integers is one of
    their dtype, which wraps.
    """
    if "b" in (x1.dtype.kind, x2.dtype.kind):
        raise RuntimeError(
            "pairwise_distance(): 'x1' and 'x2' must hold numbers; found bools, which are not subtracted"
        )
    a, b = align(x1, x2)
    x = floating(wide(a) - wide(b))
    a = floating(a)
    x = x + eps
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
    diff = a - b
    return _line_norms(diff, p, k + 2, "cdist")


def _line_norms(diff: Tracer, p: float, dim: int, name: str) -> Tracer:
    """The p-norms of differences along a dimension, p = 0 included."""
    if p != 0:
        return vector_norm(diff, p, (dim,), False)

    def flat(xs: Any, y: Any, ts: Any) -> Tracer:
        # Counting has derivative 0; it is written so that the result still belongs to the graph.
        return P.reduce_sum(ts[0] * 0, dims=(dim,))

    return with_rule(lambda d: vector_norm(d, 0.0, (dim,), False), flat, diff, name=name)


def _product_form(x: Tracer, y: Tracer) -> Tracer:
    """2-norm distances by one matrix product: |x|^2 - 2 <x, y> + |y|^2, with derivative 0 at distance 0."""
    xx = P.reduce_sum(x * x, dims=(x.ndim - 1,))
    yy = P.reduce_sum(y * y, dims=(y.ndim - 1,))
    xy = P.dot(x, transposed(y))
    lead = tuple(range(x.ndim - 2))
    rows = P.broadcast_in_dim(xx, shape=xy.var.shape, dims=(*lead, x.ndim - 2))
    cols = P.broadcast_in_dim(yy, shape=xy.var.shape, dims=(*lead, x.ndim - 1))
    s = rows - (xy + xy) + cols
    none = s <= 0
    return P.select(none, 0, P.sqrt(P.select(none, 1, s)))


@operator(namespace="", method=False, out=False, precompile=orders("p"))
def cdist(
    x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str | None = "use_mm_for_euclid_dist_if_necessary"
) -> Tensor:
    """The p-norm distances of all pairs of rows.

    Args:
        x1: (*B, P, M).
        x2: (*B, R, M); batch dimensions broadcast.
        p: >= 0.
        compute_mode: whether the 2-norm goes by a matrix product: "use_mm_for_euclid_dist_if_necessary" (from 25 rows
            on), "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist".

    Returns:
        (*B, P, R).
    """
    modes = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
    check_choice("cdist", "compute_mode", compute_mode, (None, *modes), ValueError)
    check_dtypes("cdist", x1, x2)
    for x, label in ((x1, "x1"), (x2, "x2")):
        check_least_rank("cdist", label, x, 2, "(P, M)")
        check_kind("cdist", label, x, "f")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(
            f"cdist(): 'x1' and 'x2' must hold vectors of one length; found {hint(x1.shape[-1])} and "
            f"{hint(x2.shape[-1])}"
        )
    check_least("cdist", "p", p, 0)
    batch = broadcast_shapes(x1.var.shape[:-2], x2.var.shape[:-2])
    a = expand_to(wide(x1), (*batch, *x1.var.shape[-2:]))
    b = expand_to(wide(x2), (*batch, *x2.var.shape[-2:]))
    mode = modes[0] if compute_mode is None else compute_mode
    by_product = p == 2 and (mode == modes[1] or (mode == modes[0] and (x1.shape[-2] > 25 or x2.shape[-2] > 25)))
    return convert(_product_form(a, b) if by_product else distances(a, b, p), x1.dtype)


@operator(namespace="", method=False, out=False, precompile=orders("p"))
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The p-norm distances of all pairs i < j of the rows of a matrix, in row-major order."""
    check_rank("pdist", "input", input, 2)
    check_kind("pdist", "input", input, "f")
    check_least("pdist", "p", p, 0)
    n = input.var.shape[0]
    m = n * (n - 1) // 2
    k = P.iota(shape=(m,), dim=0, dtype=dt.int64)
    # Row i starts at i (2n - i - 1) / 2; the root is corrected by one step either way.
    f = convert(k, dt.float64)
    top = filled(n, f) - 0.5
    i = convert(P.floor(top - P.sqrt((top * top) - f * 2.0)), dt.int64)

    def start(r: Any) -> Tracer:
        return P.floordiv(r * (filled(2 * n - 1, r) - r), filled(2, r))

    i = P.select(start(i) > k, i - 1, i)
    i = P.select(start(i + 1) <= k, i + 1, i)
    j = k - start(i) + i + 1
    x = wide(input)
    d = P.gather(x, i, dims=(0,)) - P.gather(x, j, dims=(0,))
    return convert(_line_norms(d, p, 1, "pdist"), input.dtype)


def normalized(x: Tracer, p: float, dim: int | tuple[int, ...], eps: float) -> Tracer:
    """x over its p-norm along dim, one or several dimensions, the norm at least eps."""
    dims = (dim,) if isinstance(dim, int) else tuple(dim) or tuple(range(x.ndim))
    dims = wrap_dims(dims, x.ndim, "normalize")
    if x.ndim == 0:
        return reshape(normalized(reshape(x, 1), p, 0, eps))
    n = vector_norm(x, p, dims, True)
    low = n < eps
    n = P.select(low, eps, n)
    return x / expand_to(convert(n, x.dtype), x.var.shape)


@operator(**{**_NN, "out": True}, keep_results=False, precompile=orders("p"), memory_format="kept")
def normalize(input: Tensor, p: float = 2.0, dim: Dims = 1, eps: float = 1e-12) -> Tensor:
    """input / max(|input|_p, eps) along a dimension, or several."""
    x = wide(input)
    return convert(normalized(x, p, dim, eps), input.dtype)
