"""Counting: how many elements have each value, or lie between edges."""

from __future__ import annotations

import functools
from builtins import range as _count
from math import inf
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.reductions.sorting import flat as vector
from rushlight.operators.reductions.sorting import search
from rushlight.operators.table.arrays import array_of, tensor_of
from rushlight.operators.table.body import refuse_kinds
from rushlight.operators.table.checks import check_argument, check_least, check_least_rank, check_rank
from rushlight.operators.table.define import METHODS, TABLE, eager, operator
from rushlight.operators.table.returns import return_type
from rushlight.operators.table.tracer import P, constant, convert, filled, tracer
from rushlight.operators.table.types import Int, Sizes
from rushlight.program.sym import prod


@operator()
def histc(input: Tensor, bins: Sizes = 100, min: float = 0.0, max: float = 0.0) -> Tensor:
    """How many elements fall into each of `bins` equal intervals between min and max (those of the data when both are
    equal).

    Args:
        input: floating point.

    Returns:
        A 1-d tensor of input's dtype. Elements outside (and NaN) are not counted.
    """
    refuse_kinds(input, "buic", "histc")
    check_least("histc", "bins", bins, 1)
    if not (-inf < min < inf and -inf < max < inf and min <= max):
        raise RuntimeError(f"histc(): 'min' and 'max' must be finite, 'min' at most 'max'; found {min} and {max}")
    x = vector(input)
    n = x.var.shape[0]
    low, high = convert(min, x.dtype), convert(max, x.dtype)
    if n == 0:
        return constant(0, (bins,), input.dtype)
    same = low == high
    low, high = P.select(same, P.reduce_min(x, dims=(0,)), low), P.select(same, P.reduce_max(x, dims=(0,)), high)
    flat = low == high
    low, high = P.select(flat, low - 1, low), P.select(flat, high + 1, high)
    low, high = (P.broadcast_in_dim(v, shape=(n,), dims=()) for v in (low, high))
    place = P.floor((x - low) * filled(bins, x) / (high - low))
    inside = (x >= low) & (x <= high)
    index = P.min(convert(P.select(inside, place, 0), dt.int64), constant(bins - 1, (n,), dt.int64))
    index = P.select(inside, index, constant(bins, (n,), dt.int64))
    counts = P.scatter(constant(0, (bins + 1,), dt.int64), index, constant(1, (n,), dt.int64), dims=(0,), mode="add")
    return convert(P.slice(counts, starts=(0,), sizes=(bins,), steps=(1,)), input.dtype)


@operator(name="_bincount", namespace=None, method=False)
def _bincount(input: Tensor, weights: Tensor | None, size: Int) -> Tensor:
    """Counts (or sums of weights) of each value in [0, size)."""
    index = convert(input, dt.int64)
    if weights is None:
        w: Tensor = constant(1, index.var.shape, dt.int64)
    else:
        w = weights if weights.dtype is dt.float32 else convert(weights, dt.float64)
    return P.scatter(constant(0, (size,), w.dtype), index, w, dims=(0,), mode="add")


@eager()
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each value occurs in a 1-d tensor of integers that are not negative.

    Args:
        weights: summed instead of counting.
        minlength: the least size of the result (else the largest value + 1).
    """
    refuse_kinds(input, "bfc", "bincount")
    check_least("bincount", "minlength", minlength, 0)
    check_rank("bincount", "input", input, 1)
    if weights is not None and tuple(weights.shape) != tuple(input.shape):
        raise RuntimeError(
            f"bincount(): 'weights' must have the shape of 'input', {list(input.shape)}; found {list(weights.shape)}"
        )
    a = array_of(input, "bincount")
    if a.size and int(a.min()) < 0:
        raise RuntimeError(f"bincount(): the elements of 'input' must be at least 0; found {a.min()}")
    size = (int(a.max()) + 1) if a.size else 0
    return _bincount(input, weights, size if size > minlength else minlength)


_Histogram, _Histogramdd = (
    return_type("histogram", "hist", "bin_edges"),
    return_type("histogramdd", "hist", "bin_edges"),
)


def _edges(points: Any, bins: Any, between: Any, dtype: dt.dtype, name: str, dim: int) -> Any:
    """The edges of one dimension's bins as a NumPy array: given, or equal intervals over the range (default that of the
    data).
    """
    import numpy as np

    if isinstance(bins, Tensor):
        if bins.ndim != 1 or bins.numel() < 2:
            raise RuntimeError(
                f"{name}(): 'bins' must be a vector of 2 edges or more for dimension {dim}; found {list(bins.shape)}"
            )
        return array_of(bins, name)
    check_argument(not bins <= 0, f"{name}()", "bins", lambda: f"be at least 1 for dimension {dim}", bins)
    low, high = (
        between if between is not None else (float(points.min()), float(points.max())) if points.size else (0.0, 1.0)
    )
    if not np.isfinite(high - low):
        raise RuntimeError(f"{name}(): the range of dimension {dim} must be finite; found {low} and {high}")
    if low > high:
        raise RuntimeError(f"{name}(): 'range' must begin below its end in dimension {dim}; found {low} and {high}")
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = TABLE["linspace"](low, high, bins + 1, dtype=dt.float32 if points.dtype == np.float32 else dt.float64)
    return array_of(edges, name)


@operator(name="_bin_numbers", namespace=None, method=False)
def _bin_numbers(input: Tensor, edges: Tensor, even: bool) -> Tensor:
    """The bin of each element between edges in order; the number of bins for those outside.

    even: the bins are of one width but for the edges' rounding, of which that is a multiple: so the place within the
    range tells the bin, or its neighbour.
    """
    shape, bins = input.var.shape, edges.var.shape[0] - 1
    low, high = (
        P.broadcast_in_dim(P.slice(edges, starts=(k,), sizes=(1,), steps=(1,)), shape=shape, dims=(0,))
        for k in (0, bins)
    )
    inside = (input >= low) & (input <= high)
    if even:
        x, first, last = (convert(v, dt.float64) for v in (input, low, high))
        at = convert(P.select(inside, P.floor((x - first) / (last - first) * filled(bins, x)), 0), dt.int64)
        at = P.min(at, filled(bins - 1, at))
        below, above = (P.gather(edges, at + k, dims=(0,)) for k in (0, 1))
        at = P.max(at - convert(input < below, dt.int64) + convert(input >= above, dt.int64), 0)
    else:
        at = search(tracer(edges.var), tracer(input.var), right=True) - 1
    return P.select(inside, P.min(at, filled(bins - 1, at)), filled(bins, at))


def _bin_of(x: Tensor, edges: Any, even: bool) -> Tensor:
    """The bin of each element, the number of bins for those outside; edges in disorder are searched by halving, as in
    PyTorch.

    even: the bins are equal intervals.
    """
    import numpy as np

    bins = len(edges) - 1
    if (edges[1:] >= edges[:-1]).all():
        low, high = float(edges[0]), float(edges[-1])
        even = even and high - low > 8 * bins * np.finfo(edges.dtype).eps * max(-low, high)
        return _bin_numbers(x, tensor_of(edges), even)
    a = array_of(x, "histogram")
    first, count = np.zeros(a.shape, np.int64), np.full(a.shape, len(edges))
    while count.any():  # the first edge above each element
        half = count >> 1
        below = (count > 0) & ~(a < edges[np.minimum(first + half, bins)])
        first, count = np.where(below, first + half + 1, first), np.where(below, count - half - 1, half)
    return tensor_of(np.where((a >= edges[0]) & (a <= edges[-1]), np.clip(first - 1, 0, bins - 1), bins))


def _binned(points: list[Tensor], edges: list[Any], even: list[bool], weight: Tensor | None, density: bool) -> Any:
    """How many points (or what weight) fall into each box of a grid; with density, over its volume and the sum.

    Args:
        points: the coordinates in each dimension, vectors.
        even: for each dimension whether its bins are equal intervals.
    """
    import numpy as np

    shape = [len(e) - 1 for e in edges]
    places = [_bin_of(*each) for each in zip(points, edges, even, strict=True)]
    box, boxes = places[0], shape[0]
    for place, bins in zip(places[1:], shape[1:], strict=True):
        outside = METHODS["logical_or"](box == boxes, place == bins)
        box, boxes = box * bins + place, boxes * bins
        box = METHODS["masked_fill"](box, outside, boxes)
    weight = None if weight is None else METHODS["to"](weight, dt.float64)
    hist = array_of(_bincount(box, weight, boxes + 1), "histogram")[:-1].reshape(shape).astype(np.float64)
    if density:
        volume = functools.reduce(np.multiply.outer, [np.diff(e.astype(np.float64)) for e in edges])
        with np.errstate(divide="ignore", invalid="ignore"):
            hist = hist / volume / hist.sum()
    return hist


@eager(out=True)
def histogram(
    input: Tensor, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """How many elements (or what weight) fall into each bin; the last bin holds its right edge too.

    Args:
        input: float32 or float64.
        bins: a number of bins, or their edges (1-d, increasing).
        range: (low, high) for a number of bins.

    Returns:
        A named tuple (hist, bin_edges) of input's dtype; with density, the integral of hist is 1.
    """
    refuse_kinds(input, "buic", "histogram")
    edges = _edges(array_of(input, "histogram"), bins, range, input.dtype, "histogram", 0)
    if weight is not None and tuple(weight.shape) != tuple(input.shape):
        raise RuntimeError(
            f"histogram(): 'weight' must have the shape of 'input', {list(input.shape)}; found {list(weight.shape)}"
        )
    w = None if weight is None else METHODS["detach"](weight).reshape(-1)
    even = [not isinstance(bins, Tensor)]
    hist = _binned([METHODS["detach"](input).reshape(-1)], [edges], even, w, density)
    return _Histogram(tensor_of(hist, input.dtype), tensor_of(edges, input.dtype))


@eager(method=False)
def histogramdd(
    input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """How many points (or what weight) fall into each box of a grid.

    Args:
        input: (..., d), points in d dimensions.
        bins: a number, d numbers, or d tensors of edges.
        range: (low, high) d times, flat.
        weight: of each point, of the input's dtype.

    Returns:
        A named tuple (hist, bin_edges): a d-dimensional tensor, and a tuple of d tensors.
    """
    refuse_kinds(input, "buic", "histogramdd")
    check_least_rank("histogramdd", "input", input, 2, "(..., D)")
    d = input.shape[-1]
    each = list(bins) if isinstance(bins, (tuple, list)) else [bins] * d
    if len(each) != d or (range is not None and len(range) != 2 * d):
        raise RuntimeError(
            f"histogramdd(): 'bins' and 'range' must be for {d} dimensions; found {len(each)} bins"
            + (f" and a range of {len(range)} numbers" if range else "")
        )
    a = array_of(input, "histogramdd").reshape(prod(input.shape[:-1]), d)
    edges = [
        _edges(
            a[:, k], each[k], None if range is None else (range[2 * k], range[2 * k + 1]), input.dtype, "histogramdd", k
        )
        for k in _count(d)
    ]
    points = list(METHODS["unbind"](METHODS["detach"](input).reshape(a.shape), 1))
    even = [not isinstance(one, Tensor) for one in each]
    w = None if weight is None else METHODS["detach"](weight).reshape(-1)
    hist = _binned(points, edges, even, w, density)
    return _Histogramdd(tensor_of(hist, input.dtype), tuple(tensor_of(e, input.dtype) for e in edges))
