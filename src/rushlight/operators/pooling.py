"""Pooling: maxima, means and norms of windows; adaptive windows; the inverse of max pooling."""
from __future__ import annotations

import math
from itertools import product
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators._define import TABLE, operator
from rushlight.operators._rules import wide
from rushlight.operators._tracer import P, Tracer, convert, tracer
from rushlight.operators.activation import refuse_kinds, with_rule
from rushlight.operators.convolution import per_dim
from rushlight.operators.matmul import fixed, hint, reshape
from rushlight.operators.reduction import filled
from rushlight.program.ir import Var
from rushlight.program.sym import Int, prod

_FEW = 32                    # elements of a window up to which they are combined one by one


def _shape(x: Tensor) -> list[int]:
    return [hint(s) for s in x.shape]


class Windows:
    """The windows of a pooling call: sizes per spatial dimension, checked, and how much to pad."""

    def __init__(self, input: Tensor, n: int, name: str, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> None:
        self.n, self.name = n, name
        self.k = per_dim(kernel_size, n, name, "kernel_size")
        self.s = self.k if stride is None or (isinstance(stride, (tuple, list)) and not stride) else per_dim(stride, n, name, "stride")
        self.p, self.d = per_dim(padding, n, name, "padding"), per_dim(dilation, n, name, "dilation")
        if input.ndim not in (n + 1, n + 2):
            raise RuntimeError(f"{name}(): 'input' must be of {n + 2} dimensions (N, C, ...), or {n + 1} without a batch; found the shape {_shape(input)}")
        for label, v in (("kernel_size", self.k), ("stride", self.s), ("dilation", self.d)):
            if min(v) <= 0:
                raise RuntimeError(f"{name}(): '{label}' must be at least 1 in each dimension; found {list(v)}")
        for p, k, d in zip(self.p, self.k, self.d, strict=True):
            if p < 0:
                raise RuntimeError(f"{name}(): 'padding' must be at least 0; found {p}")
            if p > ((k - 1) * d + 1) // 2:
                raise RuntimeError(f"{name}(): 'padding' must be at most half a window; found {p} for kernel_size={k} with dilation={d}")
        self.first = input.ndim - n                              # the first spatial dimension
        self.sizes = input.var.shape[self.first:]
        self.out: list[Int] = []
        self.high: list[Int] = []
        self.uneven = False                                      # whether ceil_mode made windows that reach beyond the padding
        for size, k, s, p, d in zip(self.sizes, self.k, self.s, self.p, self.d, strict=True):
            span = d * (k - 1) + 1
            room = size + 2 * p - span
            count = room // s + 1
            if ceil_mode:
                more = (room + s - 1) // s + 1
                if more != count and (more - 1) * s < size + p:
                    count, self.uneven = more, True
            if count < 1:
                raise RuntimeError(f"{name}(): 'input' must have room for a window; found the shape {_shape(input)} for kernel_size={list(self.k)}")
            self.out.append(count)
            self.high.append((count - 1) * s + span - size - p if ceil_mode else p)

    def of(self, x: Tensor, fill: float) -> Tracer:
        """The windows of x, padded with `fill`; their elements are the last n dimensions."""
        x = self.padded(x, fill)
        y = P.windows(x, dims=tuple(range(self.first, self.first + self.n)), sizes=self.k, steps=self.s, dilations=self.d)
        have = y.var.shape[self.first:self.first + self.n]
        if any(a != b for a, b in zip(have, self.out, strict=True)):
            raise RuntimeError(f"{self.name}() has {have} windows where {self.out} were expected")
        return y

    @property
    def few(self) -> bool:
        """Whether a window has so few elements that they are better combined one by one, each a strided slice."""
        return math.prod(self.k) <= _FEW

    def padded(self, x: Tensor, fill: Any) -> Tensor:
        """x with the padding that the windows need."""
        if not any(self.p) and all(isinstance(h, int) and h == 0 for h in self.high):
            return x
        lead = (0,) * self.first
        high = tuple((h if h > 0 else 0) for h in self.high)
        return P.pad(x, convert(fill, x.dtype), low=(*lead, *self.p), high=(*lead, *high), interior=(0,) * x.ndim)

    def slices(self, x: Tensor, fill: Any) -> list[Tracer]:
        """For each position in a window (row-major) that element of all windows."""
        x = self.padded(x, fill)
        lead = x.var.shape[:self.first]
        none, one = (0,) * self.first, (1,) * self.first
        return [P.slice(x, starts=(*none, *(i * d for i, d in zip(at, self.d, strict=True))), sizes=(*lead, *self.out), steps=(*one, *self.s))
                for at in product(*[range(k) for k in self.k])]

    @property
    def dims(self) -> tuple[int, ...]:
        """The dimensions of a window's elements."""
        return tuple(range(self.first + self.n, self.first + 2 * self.n))

    def numbered(self, shape: tuple[Int, ...]) -> Tracer:
        """The number of each element within its window, row-major, int32."""
        position = None
        for i, d in enumerate(self.dims):
            part = P.iota(shape=shape, dim=d, dtype=dt.int32)
            step = math.prod(self.k[i + 1:])
            part = part if step == 1 else P.mul(part, filled(step, part))
            position = part if position is None else P.add(position, part)
        assert position is not None
        return position

    def winner(self, w: Any, best: Any) -> Tracer:
        """The number within its window (row-major, int32) of the first element that is `best`, or the first NaN."""
        shape, kept = w.var.shape, tuple(range(w.ndim - self.n))
        position = self.numbered(shape)
        hit = P.eq(w, P.broadcast_in_dim(best, shape=shape, dims=kept))
        if w.dtype.kind == "f":
            hit = P.or_(hit, P.isnan(w))
        return P.reduce_min(P.select(hit, position, filled(math.prod(self.k), position)), dims=self.dims)


def _best(x: Tensor, win: Windows) -> tuple[Tracer, Tracer]:
    """The maximum of each window and its number within the window."""
    lowest: Any = -math.inf if x.dtype.kind == "f" else _least(x.dtype)
    if not win.few:
        w = win.of(x, lowest)
        best = P.reduce_max(w, dims=win.dims)
        return best, win.winner(w, best)
    parts = win.slices(x, lowest)
    best = parts[0]
    for v in parts[1:]:
        best = P.max(best, v)
    place = None
    for i, v in reversed(list(enumerate(parts))):
        number = P.broadcast_in_dim(convert(i, dt.int32), shape=best.var.shape, dims=())
        if place is None:
            place = number
        else:
            hit = P.eq(v, best)
            place = P.select(P.or_(hit, P.isnan(v)) if x.dtype.kind == "f" else hit, number, place)
    assert place is not None
    return best, place


def _max_pool(input: Tensor, win: Windows) -> tuple[Tracer, Tracer]:
    """The maximum of each window and its number within the window; the first winner has the derivative."""
    refuse_kinds(input, "bc", win.name)
    if input.dtype.kind != "f":
        return _best(input, win)

    def body(x: Var) -> tuple[Var, Var]:
        best, place = _best(tracer(x), win)
        return best.var, place.var

    def jvp(xs: Any, ys: Any, ts: Any) -> tuple[Var | None, None]:
        # The place of the winner is all that is kept: the gradient is scattered there. (As a sum of padded slices, one for each
        # element of a window, a 3 x 3 window took 3 times as long, and one of 27 elements 20 s to compile.)
        t = tracer(ts[0])
        at = _winners(tracer(ys[1]), win)
        lead = [P.iota(shape=at.var.shape, dim=d, dtype=dt.int64) for d in range(win.first)]
        t = reshape(t, *t.var.shape[:win.first], prod(win.sizes))
        return P.gather(t, *lead, at, dims=tuple(range(win.first + 1))).var, None
    best, place = P.custom_call(input, body=body, jvp=jvp, name=win.name)
    return best, place


def _least(d: dt.dtype) -> int:
    return 0 if d.kind == "u" else -(1 << (8 * d.itemsize - 1))


def _winners(place: Any, win: Windows) -> Tracer:
    """The index in the flattened spatial dimensions of each window's winner, given its number within the window."""
    place = convert(place, dt.int64)
    total = None
    for i in range(win.n):
        step = math.prod(win.k[i + 1:])
        here = place if step == 1 else P.floordiv(place, filled(step, place))
        # After a step of 1 come windows of one element, whose number is 0.
        place = filled(0, place) if step == 1 else P.sub(place, P.mul(here, filled(step, here)))
        start = P.iota(shape=here.var.shape, dim=win.first + i, dtype=dt.int64)
        at = P.add(P.sub(P.mul(start, filled(win.s[i], start)), filled(win.p[i], start)), P.mul(here, filled(win.d[i], here)))
        # A window of nothing but -inf may name a padded place; PyTorch names the first that is inside.
        at = P.max(at, filled(0, at))
        total = at if total is None else P.add(P.mul(total, filled(win.sizes[i], total)), at)
    assert total is not None
    return total


def _make_max_pool(n: int) -> Any:
    def body(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Tensor:
        return _max_pool(input, Windows(input, n, f"max_pool{n}d", kernel_size, stride, padding, dilation, ceil_mode))[0]
    body.__doc__ = f"""The maximum of each window in {n} dimension(s).

    Args: input: (N, C, *) or (C, *). kernel_size, stride (default: kernel_size), padding (with -inf), dilation: an int or
    one for each dimension. ceil_mode: keep a last window that is cut off.
    """
    body.__name__ = f"max_pool{n}d"
    op = operator(body, namespace=None, method=False, out=False, shape_class="reduction", memory_format="first")

    def both(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> tuple[Tensor, Tensor]:
        win = Windows(input, n, f"max_pool{n}d", kernel_size, stride, padding, dilation, ceil_mode)
        best, place = _max_pool(input, win)
        return best, _winners(place, win)
    both.__name__ = f"max_pool{n}d_with_indices"
    both.__doc__ = f"max_pool{n}d, and the index of each maximum in the flattened spatial dimensions."
    pair = operator(both, namespace=None, method=False, out=False, shape_class="reduction", memory_format="first")
    TABLE[f"max_pool{n}d"] = op
    return op, pair


MAX_POOL = {n: _make_max_pool(n) for n in (1, 2, 3)}
TABLE["max_pool1d_with_indices"] = MAX_POOL[1][1]


# ----------------------------------------------------------------------------------------------------------------- means
def _window_sums(x: Any, win: Windows) -> Tracer:
    """The sum of each window of x, padded with zeros."""
    def by_windows(v: Tensor) -> Tracer:
        return P.reduce_sum(win.of(v, 0), dims=win.dims)

    def by_slices(v: Any) -> Tracer:
        parts = win.slices(v, 0)
        total = parts[0]
        for part in parts[1:]:
            total = P.add(total, part)
        return total
    if not win.few:
        return by_windows(x)
    # The transpose of windows is cheaper than that of slices.
    return with_rule(by_slices, lambda xs, y, ts: by_windows(ts[0]), x, name="window_sums") if x.dtype.kind == "f" else by_slices(x)


def _avg_pool(input: Tensor, n: int, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool, divisor_override: int | None) -> Tracer:
    name = f"avg_pool{n}d"
    refuse_kinds(input, "bc", name)
    if divisor_override == 0:
        raise RuntimeError(f"{name}(): 'divisor_override' must not be 0")
    win = Windows(input, n, name, kernel_size, stride, padding, 1, ceil_mode)
    x = wide(input)
    total = _window_sums(x, win)
    count: Any = None
    if divisor_override is not None:
        count = filled(divisor_override, total)
    elif not win.uneven and (count_include_pad or not any(win.p)):
        count = filled(math.prod(win.k), total)
    else:
        for i in range(n):
            start = P.iota(shape=total.var.shape, dim=win.first + i, dtype=dt.int64)
            start = P.sub(P.mul(start, filled(win.s[i], start)), filled(win.p[i], start))
            end = P.min(P.add(start, filled(win.k[i], start)), filled(win.sizes[i] + win.p[i], start))
            if not count_include_pad:
                start, end = P.max(start, filled(0, start)), P.min(end, filled(win.sizes[i], end))
            width = P.sub(end, start)
            count = width if count is None else P.mul(count, width)
        count = convert(count, total.dtype)
    if total.dtype.kind in "iu":          # truncated: towards zero
        whole = P.floordiv(P.abs(total), P.abs(count))
        return convert(P.select(P.eq(P.lt(total, filled(0, total)), P.lt(count, filled(0, count))), whole, P.neg(whole)), input.dtype)
    return convert(P.div(total, count), input.dtype)


@operator(namespace="nn.functional", method=False, out=False, shape_class="reduction")
def avg_pool1d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True) -> Tensor:
    """The mean of each window.

    Args: input: (N, C, L) or (C, L). kernel_size, stride (default: kernel_size), padding (with 0): ints. ceil_mode: keep a
    last window that is cut off. count_include_pad: padding counts in the mean.
    """
    return _avg_pool(input, 1, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


@operator(namespace="nn.functional", method=False, shape_class="reduction", memory_format="first")
def avg_pool2d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True,
               divisor_override: int | None = None) -> Tensor:
    """The mean of each window of an image; see avg_pool1d. divisor_override: divide the sum by this instead."""
    return _avg_pool(input, 2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@operator(namespace="nn.functional", method=False, shape_class="reduction")
def avg_pool3d(input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True,
               divisor_override: int | None = None) -> Tensor:
    """The mean of each window of a volume; see avg_pool2d."""
    return _avg_pool(input, 3, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


TABLE["avg_pool1d"] = avg_pool1d


# -------------------------------------------------------------------------------------------------------------- adaptive
def output_sizes(input: Tensor, output_size: Any, n: int, name: str) -> tuple[int, ...]:
    """The wanted sizes; None means the input's."""
    if input.ndim not in (n + 1, n + 2):
        raise RuntimeError(f"{name}(): 'input' must be of {n + 2} dimensions (N, C, ...), or {n + 1} without a batch; found the shape {_shape(input)}")
    given = tuple(output_size) if isinstance(output_size, (tuple, list)) else (output_size,) * n
    if len(given) != n:
        raise RuntimeError(f"{name}(): 'output_size' must be an int or {n} of them; found {list(given)}")
    sizes = tuple(fixed(s) if v is None else v.__index__() for v, s in zip(given, input.var.shape[-n:], strict=True))
    if min(sizes) < 0:
        raise RuntimeError(f"{name}(): 'output_size' must be at least 0 in each dimension; found {list(sizes)}")
    if any(s == 0 for s in input.shape[-n:]):
        raise RuntimeError(f"{name}(): the spatial dimensions of 'input' must have elements; found the shape {_shape(input)}")
    return sizes


def _adaptive_dim(x: Any, dim: int, out: int) -> tuple[Tracer, Tracer, Tracer]:
    """The windows of one dimension, as many as `out`: dimension `dim` becomes (out, widest), then start and end of each.

    Window i is [floor(i n / out), ceil((i + 1) n / out)).
    """
    n, parts = x.var.shape[dim], out or 1       # without windows there is nothing to divide
    widest = fixed(-(-n // parts) + (1 if hint(n) % parts else 0)) if not isinstance(n, int) else -(-n // parts) + (1 if n % parts else 0)
    widest = min(widest, hint(n))
    i = P.iota(shape=(out, widest), dim=0, dtype=dt.int64)
    j = P.iota(shape=(out, widest), dim=1, dtype=dt.int64)
    size, count = filled(n, i), filled(parts, i)
    start = P.floordiv(P.mul(i, size), count)
    end = P.floordiv(P.add(P.mul(P.add(i, filled(1, i)), size), P.sub(count, filled(1, i))), count)
    at = P.min(P.add(start, j), P.sub(size, filled(1, i)))
    y = P.gather(x, at, dims=(dim,))
    rest = list(range(2, x.ndim + 1))
    perm = (*rest[:dim], 0, 1, *rest[dim:])
    inside = P.lt(P.add(start, j), end)
    return P.permute(y, perm=perm), inside, convert(P.sub(end, start), dt.float64)


def _even(input: Tensor, sizes: tuple[int, ...], n: int) -> tuple[int, ...] | None:
    """The window sizes when all windows are equal (and side by side): then this is plain pooling."""
    spatial = input.var.shape[-n:]
    if 0 in sizes:
        return None
    if all(v == 1 for v in sizes):
        return ()
    return tuple(fixed(s) // v for s, v in zip(spatial, sizes, strict=True)) if all(hint(s) % v == 0 for s, v in zip(spatial, sizes, strict=True)) else None


def _adaptive_avg(input: Tensor, output_size: Any, n: int) -> Tracer:
    name = f"adaptive_avg_pool{n}d"
    refuse_kinds(input, "biuc", name)
    sizes = output_sizes(input, output_size, n, name)
    even = _even(input, sizes, n)
    x = wide(input)
    if even == ():
        dims = tuple(range(input.ndim - n, input.ndim))
        total = P.reduce_sum(x, dims=dims)
        y = P.div(total, filled(prod(x.var.shape[d] for d in dims), total))
        return convert(reshape(y, *y.var.shape, *(1,) * n), input.dtype)
    if even is not None:
        return _avg_pool(input, n, even, even, 0, False, True, None)
    for i in range(n):
        dim = input.ndim - n + i
        w, inside, width = _adaptive_dim(x, dim, sizes[i])
        w = P.select(P.broadcast_in_dim(inside, shape=w.var.shape, dims=(dim, dim + 1)), w, filled(0, w))
        total = P.reduce_sum(w, dims=(dim + 1,))
        count = P.reduce_max(width, dims=(1,))
        x = P.div(total, P.broadcast_in_dim(convert(count, x.dtype), shape=total.var.shape, dims=(dim,)))
    return convert(x, input.dtype)


def _flat_windows(input: Any, sizes: tuple[int, ...], n: int) -> tuple[Tracer, Tracer]:
    """All adaptive windows with their elements in one last dimension (-inf outside), and the flat index of each element."""
    first = input.ndim - n
    spatial = input.var.shape[first:]
    total = None
    inside_all = None
    widths: list[int] = []
    starts: list[tuple[Tracer, Tracer]] = []
    for i in range(n):
        flat = P.iota(shape=(spatial[i],), dim=0, dtype=dt.int64)
        at, inside, _ = _adaptive_dim(flat, 0, sizes[i])
        starts.append((at, inside))
        widths.append(fixed(at.var.shape[1]))
    full = (*sizes, *widths)
    for i, (at, inside) in enumerate(starts):
        a, b = (P.broadcast_in_dim(v, shape=full, dims=(i, n + i)) for v in (at, inside))
        total = a if total is None else P.add(P.mul(total, filled(spatial[i], total)), a)
        inside_all = b if inside_all is None else P.and_(inside_all, b)
    assert total is not None and inside_all is not None
    index = reshape(total, *sizes, math.prod(widths))
    inside = reshape(inside_all, *sizes, math.prod(widths))
    lead = input.var.shape[:first]
    y = P.gather(reshape(input, *lead, prod(spatial)), index, dims=(first,))
    k = n + 1
    y = P.permute(y, perm=(*range(k, k + first), *range(k)))
    y = P.select(P.broadcast_in_dim(inside, shape=y.var.shape, dims=tuple(range(first, first + k))), y, filled(-math.inf, y))
    return y, index


def _adaptive_max(input: Tensor, output_size: Any, n: int) -> tuple[Tracer, Tracer]:
    name = f"adaptive_max_pool{n}d"
    refuse_kinds(input, "biuc", name)
    sizes = output_sizes(input, output_size, n, name)
    first = input.ndim - n
    even = _even(input, sizes, n)
    if even:
        win = Windows(input, n, name, even, even, 0, 1, False)
        best, number = _max_pool(input, win)
        return best, _winners(number, win)
    w, index = _flat_windows(P.stop_gradient(input), sizes, n)
    best = P.argmax(w, dim=first + n)
    place = [P.iota(shape=best.var.shape, dim=first + i, dtype=dt.int64) for i in range(n)]
    flat = P.gather(index, *place, best, dims=tuple(range(n + 1)))
    lead = [P.iota(shape=best.var.shape, dim=d, dtype=dt.int64) for d in range(first)]
    x = reshape(input, *input.var.shape[:first], prod(input.var.shape[first:]))
    return P.gather(x, *lead, flat, dims=tuple(range(first + 1))), flat


def _make_adaptive(n: int) -> Any:
    def avg(input: Tensor, output_size: Any) -> Tensor:
        return _adaptive_avg(input, output_size, n)
    avg.__name__ = f"adaptive_avg_pool{n}d"
    avg.__doc__ = f"""Means of windows that divide the last {n} dimension(s) into `output_size` (an int or one each; None: as the input)."""
    op = operator(avg, namespace="nn.functional", method=False, out=False, shape_class="reduction", memory_format="first" if n == 2 else "")
    if n == 1:
        TABLE["adaptive_avg_pool1d"] = op

    def best(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
        return _adaptive_max(input, output_size, n)
    best.__name__ = f"adaptive_max_pool{n}d_with_indices"
    best.__doc__ = f"""Maxima (and their flat indices) of windows that divide the last {n} dimension(s) into `output_size`."""
    return operator(best, namespace=None, method=False, out=False, shape_class="reduction", memory_format="first" if n == 2 else "")


ADAPTIVE_MAX = {n: _make_adaptive(n) for n in (1, 2, 3)}


# ------------------------------------------------------------------------------------------------------------ fractional
def _fractional_starts(u: Any, size: Int, k: int, out: int) -> Tracer:
    """Where the `out` windows of k among `size` elements begin, (N, C, out), for random numbers u (N, C) in [0, 1)."""
    shape = (*u.var.shape, out)
    room = size - k
    if out == 1:
        return P.broadcast_in_dim(convert(room, dt.int64), shape=shape, dims=())
    u = P.broadcast_in_dim(u, shape=shape, dims=(0, 1))
    step = P.div(filled(room, u), filled(out - 1, u))
    i = P.iota(shape=shape, dim=2, dtype=dt.int64)

    def whole(v: Any) -> Tracer:
        return convert(P.floor(P.mul(v, step)), dt.int64)
    start = P.sub(whole(P.add(convert(i, u.dtype), u)), whole(u))
    return P.select(P.eq(i, filled(out - 1, i)), filled(room, i), start)


def _fractional_max(input: Tensor, samples: Tensor, kernel_size: Any, output_size: Any, n: int) -> tuple[Tracer, Tracer]:
    name = f"fractional_max_pool{n}d"
    refuse_kinds(input, "biuc", name)
    k, sizes = per_dim(kernel_size, n, name, "kernel_size"), output_sizes(input, output_size, n, name)
    if min(k) < 1:
        raise RuntimeError(f"{name}(): 'kernel_size' must be at least 1; found {list(k)}")
    if input.ndim == n + 1:
        best, flat = _fractional_max(reshape(input, 1, *input.var.shape), samples, k, sizes, n)
        return reshape(best, *best.var.shape[1:]), reshape(flat, *flat.var.shape[1:])
    lead, spatial = input.var.shape[:2], input.var.shape[2:]
    if samples.ndim != 3 or any(a != b for a, b in zip(samples.shape, (*lead, n), strict=True)):
        raise RuntimeError(f"{name}(): '_random_samples' must have the shape {[hint(s) for s in lead] + [n]}; found {_shape(samples)}")
    full = (*lead, *sizes, *k)
    index = None
    for i in range(n):
        if sizes[i] + k[i] - 1 > spatial[i]:
            raise RuntimeError(f"{name}(): {sizes[i]} windows of kernel_size={k[i]} must fit into dimension {i - n} of 'input'; found the size "
                               f"{hint(spatial[i])}")
        # In two dimensions the first random number is for the width, in three for the depth: PyTorch's order.
        at = n - 1 - i if n == 2 else i
        u = reshape(P.slice(wide(samples), starts=(0, 0, at), sizes=(*lead, 1), steps=(1, 1, 1)), *lead)
        start = P.broadcast_in_dim(_fractional_starts(u, spatial[i], k[i], sizes[i]), shape=full, dims=(0, 1, 2 + i))
        place = P.add(start, P.iota(shape=full, dim=2 + n + i, dtype=dt.int64))
        index = place if index is None else P.add(P.mul(index, filled(spatial[i], index)), place)
    assert index is not None
    index = reshape(index, *lead, *sizes, math.prod(k))
    x = reshape(input, *lead, prod(spatial))

    def of(v: Any, at: Tracer) -> Tracer:
        return P.gather(v, *(P.iota(shape=at.var.shape, dim=d, dtype=dt.int64) for d in (0, 1)), at, dims=(0, 1, 2))
    winner = P.argmax(of(P.stop_gradient(x), index), dim=2 + n)
    where = [P.iota(shape=winner.var.shape, dim=d, dtype=dt.int64) for d in range(2 + n)]
    flat = P.gather(index, *where, winner, dims=tuple(range(3 + n)))
    return of(x, flat), flat


def _make_fractional(n: int) -> Any:
    def both(input: Tensor, kernel_size: Any, output_size: Any, samples: Tensor) -> tuple[Tensor, Tensor]:
        return _fractional_max(input, samples, kernel_size, output_size, n)
    both.__name__ = f"fractional_max_pool{n}d_with_indices"
    both.__doc__ = f"""Maxima (and their flat indices) of windows that begin at random places.

    Args: input: (N, C, *) or (C, *), {n} spatial dimension(s). kernel_size, output_size: ints or one each. samples: (N, C, {n}),
    in [0, 1). Source: Graham, "Fractional max-pooling", 2015, section 2: pseudo-random pooling regions, overlapping.
    """
    return operator(both, namespace=None, method=False, out=False, shape_class="reduction")


FRACTIONAL_MAX = {n: _make_fractional(n) for n in (2, 3)}


# ---------------------------------------------------------------------------------------------------- norms and unpooling
def _lp_pool(input: Tensor, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool, n: int) -> Tracer:
    refuse_kinds(input, "biuc", f"lp_pool{n}d")
    win = Windows(input, n, f"lp_pool{n}d", kernel_size, stride, 0, 1, ceil_mode)
    x = wide(input)
    p: Any = norm_type
    if p == 0:
        raise ZeroDivisionError(f"lp_pool{n}d(): 'norm_type' must not be 0, for the result is a power of 1 / norm_type")
    powers = P.mul(x, x) if p == 2 else P.pow(x, filled(p, x))
    total = P.reduce_sum(win.of(powers, 0.0), dims=win.dims)
    if win.uneven:
        # A window that is cut off has its mean times the full size, as PyTorch defines this by average pooling.
        count = None
        for i in range(n):
            start = P.iota(shape=total.var.shape, dim=win.first + i, dtype=dt.int64)
            start = P.mul(start, filled(win.s[i], start))
            width = P.sub(P.min(P.add(start, filled(win.k[i], start)), filled(win.sizes[i], start)), start)
            count = width if count is None else P.mul(count, width)
        assert count is not None
        total = P.mul(P.div(total, convert(count, total.dtype)), filled(math.prod(win.k), total))
    positive = P.gt(total, filled(0, total))
    root = P.pow(P.select(positive, total, filled(1, total)), filled(1.0 / p, total))
    return convert(P.select(positive, root, filled(0, root)), input.dtype)


@operator(namespace="nn.functional", method=False, out=False, shape_class="reduction")
def lp_pool1d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """(sum of x^p)^(1/p) of each window; negative sums give 0."""
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, 1)


@operator(namespace="nn.functional", method=False, out=False, shape_class="reduction", memory_format="first")
def lp_pool2d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """(sum of x^p)^(1/p) of each window of an image; see lp_pool1d."""
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, 2)


@operator(namespace="nn.functional", method=False, out=False, shape_class="reduction")
def lp_pool3d(input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """(sum of x^p)^(1/p) of each window of a volume; see lp_pool1d."""
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, 3)


def _max_unpool(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any, padding: Any, output_size: Any, n: int) -> Tracer:
    name = f"max_unpool{n}d"
    k = per_dim(kernel_size, n, name, "kernel_size")
    s = k if stride is None else per_dim(stride, n, name, "stride")
    p = per_dim(padding, n, name, "padding")
    if input.ndim not in (n + 1, n + 2):
        raise RuntimeError(f"{name}(): 'input' must be of {n + 2} dimensions (N, C, ...), or {n + 1} without a batch; found the shape {_shape(input)}")
    if indices.dtype is not dt.int64:
        raise RuntimeError(f"{name}(): 'indices' must be of dtype int64; found {indices.dtype}")
    if indices.ndim != input.ndim or any(a != b for a, b in zip(indices.shape, input.shape, strict=True)):
        raise RuntimeError(f"{name}(): 'indices' must have the shape of 'input', {_shape(input)}; found {_shape(indices)}")
    first = input.ndim - n
    default = [(m - 1) * b + a - 2 * c for m, a, b, c in zip(input.var.shape[first:], k, s, p, strict=True)]
    if output_size is None:
        sizes: list[Int] = default
    else:
        given = list(output_size)
        if len(given) == n + 2 or (len(given) == input.ndim and len(given) != n):
            given = given[-n:]
        if len(given) != n:
            raise ValueError(f"{name}(): 'output_size' must hold {n} sizes, or {n + 2} with batch and channels; found {len(given)}")
        for v, m, b in zip(given, default, s, strict=True):
            if not hint(m) - b < v < hint(m) + b:
                raise ValueError(f"{name}(): 'output_size' must be less than a stride away from {[hint(m) for m in default]}; found {list(given)}")
        sizes = given
    if any(hint(v) < 0 for v in sizes):
        raise ValueError(f"{name}(): the output's sizes, (size - 1) * stride + kernel_size - 2 * padding, must be at least 0; found {[hint(v) for v in sizes]}")
    lead = input.var.shape[:first]
    flat = P.broadcast_in_dim(convert(0, input.dtype), shape=(*lead, prod(sizes)), dims=())
    at = [P.iota(shape=input.var.shape, dim=d, dtype=dt.int64) for d in range(first)]
    y = P.scatter(flat, *at, indices, input, dims=tuple(range(first + 1)), mode="set")
    return reshape(y, *lead, *sizes)


@operator(namespace="nn.functional", method=False, out=False)
def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """The maxima put back at their indices, zeros elsewhere."""
    return _max_unpool(input, indices, kernel_size, stride, padding, output_size, 1)


@operator(namespace="nn.functional", method=False, out=False)
def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """The maxima put back at their indices, zeros elsewhere."""
    return _max_unpool(input, indices, kernel_size, stride, padding, output_size, 2)


@operator(namespace="nn.functional", method=False, out=False)
def max_unpool3d(input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None) -> Tensor:
    """The maxima put back at their indices, zeros elsewhere."""
    return _max_unpool(input, indices, kernel_size, stride, padding, output_size, 3)
