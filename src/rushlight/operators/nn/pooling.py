"""Pooling: maxima, means and norms of windows; adaptive windows."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.indexing.gather import first_to
from rushlight.operators.linalg.matmul import reshape
from rushlight.operators.nn.convolution import per_dim
from rushlight.operators.reductions.reduction import take_slice
from rushlight.operators.table.arguments import undefined_for
from rushlight.operators.table.body import quotient, refuse_kinds, wide
from rushlight.operators.table.checks import check_argument, check_each, check_examples, check_least, check_spatial
from rushlight.operators.table.define import TABLE, eager, form, operator
from rushlight.operators.table.precompile import orders
from rushlight.operators.table.tracer import P, Tracer, convert, filled, tracer
from rushlight.operators.table.types import Sizes
from rushlight.program.ir import Var
from rushlight.program.sym import Int, Sym, hint, hints, prod, sym_max, sym_min

_STEP = {"stride": "kernel_size"}


class Windows:
    """The windows of a pooling call: sizes per spatial dimension, checked, and how much to pad. All of them may be
    symbols.
    """

    def __init__(
        self,
        input: Tensor,
        n: int,
        name: str,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        ceil_mode: bool,
    ) -> None:
        self.n, self.name = n, name
        self.k = per_dim(kernel_size, n, name, "kernel_size")
        self.s = (
            self.k
            if stride is None or (isinstance(stride, (tuple, list)) and not stride)
            else per_dim(stride, n, name, "stride")
        )
        self.p, self.d = per_dim(padding, n, name, "padding"), per_dim(dilation, n, name, "dilation")
        check_spatial(name, input, n)
        for label, v in (("kernel_size", self.k), ("stride", self.s), ("dilation", self.d)):
            check_each(name, label, v, 1)
        for p, k, d in zip(self.p, self.k, self.d, strict=True):
            check_least(name, "padding", p, 0)
            if p > ((k - 1) * d + 1) // 2:
                raise RuntimeError(
                    f"{name}(): 'padding' must be at most half a window; found {hint(p)} for kernel_size={hint(k)} "
                    f"with dilation={hint(d)}"
                )
        self.first = input.ndim - n  # the first spatial dimension
        self.sizes = input.var.shape[self.first :]
        self.pads = sum(self.p) != 0  # one condition, so that there are two classes (with_padding)
        self.out: list[Int] = []
        self.high: list[Int] = []
        self.uneven = ceil_mode  # whether windows may reach beyond the padding
        for size, k, s, p, d in zip(self.sizes, self.k, self.s, self.p, self.d, strict=True):
            span = d * (k - 1) + 1
            room = size + 2 * p - span
            count = room // s + 1
            if ceil_mode:  # a last window that is cut off counts if it begins inside
                count = sym_min((room + s - 1) // s + 1, (size + p - 1) // s + 1)
            if count < 1:
                raise RuntimeError(
                    f"{name}(): 'input' must have room for a window; found the shape {hints(input.shape)} for "
                    f"kernel_size={hints(self.k)}"
                )
            self.out.append(count)
            self.high.append(sym_max((count - 1) * s + span - size - p, 0) if ceil_mode else p)

    def of(self, x: Tensor, fill: float) -> Tracer:
        """The windows of x, padded with `fill`; their elements are the last n dimensions."""
        x = self.padded(x, fill)
        y = P.windows(
            x, dims=tuple(range(self.first, self.first + self.n)), sizes=self.k, steps=self.s, dilations=self.d
        )
        have = y.var.shape[self.first : self.first + self.n]
        if any(a != b for a, b in zip(have, self.out, strict=True)):
            raise RuntimeError(f"{self.name}() has {have} windows where {self.out} were expected")
        return y

    def along(self, x: Any, i: int) -> Tracer:
        """The windows of x in one of the spatial dimensions, without padding; their elements are the last dimension."""
        return P.windows(x, dims=(self.first + i,), sizes=(self.k[i],), steps=(self.s[i],), dilations=(self.d[i],))

    def padded(self, x: Tensor, fill: Any) -> Tensor:
        """x with the padding that the windows need; where they need none it is not copied."""
        if not self.pads and not self.uneven:
            return x
        lead = (0,) * self.first
        return P.pad(x, convert(fill, x.dtype), low=(*lead, *self.p), high=(*lead, *self.high), interior=(0,) * x.ndim)

    @property
    def dims(self) -> tuple[int, ...]:
        """The dimensions of a window's elements."""
        return tuple(range(self.first + self.n, self.first + 2 * self.n))

    def numbered(self, shape: tuple[Int, ...]) -> Tracer:
        """The number of each element within its window, row-major, int32."""
        position = None
        for i, d in enumerate(self.dims):
            part = P.iota(shape=shape, dim=d, dtype=dt.int32)
            if i < self.n - 1:
                part = part * filled(prod(self.k[i + 1 :]), part)
            position = part if position is None else position + part
        assert position is not None
        return position

    def counts(self, shape: tuple[Int, ...], padding: bool = True) -> Tracer:
        """How many elements each window has that is not beyond the padding, or not in it; int64."""
        widths: list[Tracer] = []
        for i in range(self.n):
            start = P.iota(shape=shape, dim=self.first + i, dtype=dt.int64)
            start = start * filled(self.s[i], start) - filled(self.p[i], start)
            end = P.min(start + filled(self.k[i], start), filled(self.sizes[i] + self.p[i], start))
            if not padding:
                start, end = P.max(start, 0), P.min(end, filled(self.sizes[i], end))
            widths.append(end - start)
        return functools.reduce(Tracer.__mul__, widths)

    def winner(self, w: Any, best: Any) -> Tracer:
        """The number within its window (row-major, int32) of the first element that is `best`, or the first NaN."""
        shape, kept = w.var.shape, tuple(range(w.ndim - self.n))
        position = self.numbered(shape)
        hit = w == P.broadcast_in_dim(best, shape=shape, dims=kept)
        if w.dtype.kind == "f":
            hit = hit | P.isnan(w)
        return P.window_min(P.select(hit, position, filled(prod(self.k), position)), dims=self.dims)


def _best(x: Tensor, win: Windows) -> tuple[Tracer, Tracer]:
    """The maximum of each window, and the index of it in the flattened spatial dimensions."""
    lowest = -math.inf if x.dtype.kind == "f" else _least(x.dtype)
    w = win.of(x, lowest)
    best = P.window_max(w, dims=win.dims)
    return best, _flat(_winners(win.winner(w, best), win), win)


def _max_pool(input: Tensor, win: Windows) -> tuple[Tracer, Tracer]:
    """`_best`; the first winner has the derivative."""
    refuse_kinds(input, "bc", win.name)
    if input.dtype.kind != "f":
        return _best(input, win)

    def body(x: Var) -> tuple[Var, Var]:
        best, flat = _best(tracer(x), win)
        return best.var, flat.var

    def jvp(xs: Any, ys: Any, ts: Any) -> tuple[Var | None, None]:
        # The place of the winner is all that is kept: the gradient is scattered there, plane by plane. (As a sum of
        # padded slices, one for each element of a window, a 3 x 3 window took 3 times as long, and one of 27 elements
        # 20 s to compile; with an index for each dimension, rows were short and could not be joined.)
        flat, shape = tracer(ys[1]), ys[1].shape
        lead = [P.iota(shape=shape, dim=d, dtype=dt.int64) for d in range(win.first)]
        plane = P.reshape(tracer(ts[0]), shape=(*shape[: win.first], prod(win.sizes)))
        return P.gather(plane, *lead, flat, dims=tuple(range(win.first + 1))).var, None

    best, flat = P.custom_call(input, body=body, jvp=jvp, name=win.name)
    return best, flat


def _least(d: dt.dtype) -> int:
    return 0 if d.kind == "u" else -(1 << (8 * d.itemsize - 1))


def _winners(place: Any, win: Windows) -> list[Tracer]:
    """The index in each spatial dimension of each window's winner, given its number within the window."""
    found = []
    for i in range(win.n):
        here = place
        if i < win.n - 1:
            step = prod(win.k[i + 1 :])
            here = quotient(place, step)
            place = place - here * filled(step, here)
        here = convert(here, dt.int64)
        start = P.iota(shape=here.var.shape, dim=win.first + i, dtype=dt.int64)
        at = start * filled(win.s[i], start) - filled(win.p[i], start) + here * filled(win.d[i], here)
        # A window of nothing but -inf may name a padded place; PyTorch names the first that is inside.
        found.append(P.max(at, 0))
    return found


def _flat(at: list[Tracer], win: Windows) -> Tracer:
    """An index in each spatial dimension as one in all of them, flattened."""
    total = at[0]
    for size, one in zip(win.sizes[1:], at[1:], strict=True):
        total = total * filled(size, total) + one
    return total


def with_padding(op: Any, values: Any) -> list[list[Any]]:
    """Windows without any padding have a program of their own."""
    at, size = op.index["padding"], op.index["kernel_size"]
    given = values[at]
    if not isinstance(given, (int, tuple, list)):
        return []
    amount = 0 if any((given,) if isinstance(given, int) else given) else 1
    other = list(values)
    other[at] = amount if isinstance(given, int) else type(given)([amount] * len(given))
    if amount:  # for which a window must have two elements
        k = values[size]
        other[size] = type(k)([2] * len(k)) if isinstance(k, (tuple, list)) else 2
    return [other]


def _make_max_pool(n: int) -> None:
    name = f"max_pool{n}d"

    def pool(with_indices: bool) -> Callable[..., Any]:
        def body(
            input: Tensor,
            kernel_size: Sizes,
            stride: Sizes | None = None,
            padding: Sizes = 0,
            dilation: Sizes = 1,
            ceil_mode: bool = False,
        ) -> Any:
            if n == 1 and input.dtype.kind in "iu" and not with_indices:
                raise undefined_for(name, input.dtype)
            win = Windows(input, n, name, kernel_size, stride, padding, dilation, ceil_mode)
            check_examples(name, input, n + 1)
            best, flat = _max_pool(input, win)
            return (best, flat) if with_indices else best

        body.__annotations__["return"] = "tuple[Tensor, Tensor]" if with_indices else "Tensor"
        return body

    doc = f"""The maximum of each window in {n} dimension(s).

    Args:
        input: (N, C, *) or (C, *).
        kernel_size, stride (default: kernel_size), padding (with -inf), dilation: an int or one for each dimension.
        ceil_mode: keep a last window that is cut off.
    """
    options: dict[str, Any] = {"method": False, "out": False, "shape_class": "reduction", "memory_format": "first"}
    options |= {"precompile": with_padding, "like": _STEP}
    args: dict[str, Any] = {"stride": None, "padding": 0, "dilation": 1, "ceil_mode": False}
    pair = operator(
        name=f"{name}_with_indices",
        namespace=(None, "") if n == 1 else None,
        forms={f"nn.functional.{name}_with_indices": form("input", "kernel_size", **args, return_indices=False)},
        **options,
        doc=f"{name}, and the index of each maximum in the flattened spatial dimensions.",
    )(pool(True))
    either = form("input", "kernel_size", **args, return_indices=False, twin=("return_indices", pair))
    operator(name=name, namespace=(None, ""), forms={f"nn.functional.{name}": either}, **options, doc=doc)(pool(False))


for _n in (1, 2, 3):
    _make_max_pool(_n)


# ---------------------------------------------------------------------------------------------------------------- means
def _avg_pool(
    input: Tensor,
    n: int,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Tracer:
    name = f"avg_pool{n}d"
    refuse_kinds(input, "bc", name)
    if divisor_override is not None and divisor_override == 0:
        raise RuntimeError(f"{name}(): 'divisor_override' must not be 0")
    win = Windows(input, n, name, kernel_size, stride, padding, 1, ceil_mode)
    check_examples(name, input, n + 1)
    total = P.window_sum(wide(win.of(input, 0)), dims=win.dims)
    count: Tracer
    if divisor_override is not None:
        count = filled(divisor_override, total)
    elif not win.uneven and (count_include_pad or not win.pads):
        count = filled(prod(win.k), total)
    else:
        count = convert(win.counts(total.var.shape, count_include_pad), total.dtype)
    if total.dtype.kind in "iu":  # truncated: towards zero
        whole = P.floordiv(P.abs(total), P.abs(count))
        return convert(P.select((total < 0) == (count < 0), whole, -whole), input.dtype)
    return convert(total / count, input.dtype)


@operator(
    namespace=("nn.functional", ""),
    method=False,
    out=False,
    shape_class="reduction",
    precompile=with_padding,
    like=_STEP,
)
def avg_pool1d(
    input: Tensor,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    padding: Sizes = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window.

    Args:
        input: (N, C, L) or (C, L). kernel_size, stride (default: kernel_size), padding (with 0): ints.
        ceil_mode: keep a last window that is cut off.
        count_include_pad: padding counts in the mean.
    """
    return _avg_pool(input, 1, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def _make_avg_pool(n: int, what: str) -> None:
    def avg_pool(
        input: Tensor,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Sizes | None = None,
    ) -> Tensor:
        return _avg_pool(input, n, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)

    operator(
        name=f"avg_pool{n}d",
        namespace="nn.functional",
        method=False,
        shape_class="reduction",
        memory_format="first" if n == 2 else "",
        precompile=with_padding,
        like=_STEP,
        doc=f"The mean of each window of {what}; see avg_pool1d. divisor_override: divide the sum by this.",
    )(avg_pool)


_make_avg_pool(2, "an image")
_make_avg_pool(3, "a volume")


# ------------------------------------------------------------------------------------------------------------- adaptive
def output_sizes(input: Tensor, output_size: Any, n: int, name: str, mean: bool = False) -> tuple[Int, ...]:
    """The wanted sizes; None means the input's."""
    if n > 1 and isinstance(output_size, (tuple, list)) and input.ndim <= len(output_size):
        raise ValueError(
            f"{name}(): 'input' must be of more than {len(output_size)} dimensions, as many as 'output_size' has; "
            f"found the shape {hints(input.shape)}"
        )
    check_spatial(name, input, n)
    given = tuple(output_size) if isinstance(output_size, (tuple, list)) else (output_size,) * n
    if len(given) != n:
        raise RuntimeError(
            f"{name}(): 'output_size' must be an int or {n} of them; found "
            f"{[None if v is None else hint(v) for v in given]}"
        )
    sizes = tuple(
        s if v is None else v if isinstance(v, Sym) else v.__index__()
        for v, s in zip(given, input.var.shape[-n:], strict=True)
    )
    check_each(name, "output_size", sizes, 0)
    if not mean or prod(sizes) != 1:  # (the mean of nothing is NaN)
        # (without a batch PyTorch takes the channels for one)
        check_examples(name, input, n if mean and n < 3 or input.ndim == n + 1 else n + 1)
    return sizes


class _Parts:
    """One dimension of n elements divided into `out` windows: window i is [floor(i n / out), ceil((i + 1) n / out)).

    at: the index of each element of each window, (out, widest); inside: whether the window has it; width: (out,),
    float64.
    """

    def __init__(self, n: Int, out: Int) -> None:
        parts = sym_max(out, 1)  # without windows there is nothing to divide
        ceiling = (n + parts - 1) // parts
        widest = sym_min(ceiling + sym_min(n % parts, 1), n)

        def bounds(i: Any) -> tuple[Tracer, Tracer]:
            size, count = filled(n, i), filled(parts, i)
            return quotient(i * size, parts), quotient((i + 1) * size + (count - 1), parts)

        # of which there are vectors that become floats and back
        kind = dt.int32 if (parts + 1) * n < 1 << 31 else dt.int64
        i, j = (P.iota(shape=(out, widest), dim=d, dtype=kind) for d in (0, 1))
        start, end = bounds(i)
        place = start + j
        self.at, self.inside = convert(P.min(place, filled(n - 1, i)), dt.int64), place < end
        start, end = bounds(P.iota(shape=(out,), dim=0, dtype=kind))
        self.width = convert(end - start, dt.float64)

    def of(self, x: Any, dim: int, outside: Any) -> Tracer:
        """The windows of x: (out, widest) in front, then the other dimensions; `outside` where a window has fewer
        elements.
        """
        y = P.gather(x, self.at, dims=(dim,))
        return P.select(P.broadcast_in_dim(self.inside, shape=y.var.shape, dims=(0, 1)), y, filled(outside, y))


def _dividing(input: Tensor, sizes: tuple[Int, ...], name: str) -> Windows | None:
    """The windows where each of the output's sizes divides the input's: all are of one size, side by side."""
    n = len(sizes)
    spatial = input.var.shape[input.ndim - n :]
    # one condition, so that there are two classes: sizes that divide, and all others (also where there is no window)
    left: Int = sum(size % sym_max(s, 1) + 1 - sym_min(s, 1) for size, s in zip(spatial, sizes, strict=True))
    if left != 0:
        return None
    steps = tuple(size // s for size, s in zip(spatial, sizes, strict=True))
    return Windows(input, n, name, steps, steps, 0, 1, False)


def _adaptive_avg(input: Tensor, output_size: Any, n: int) -> Tracer:
    name = f"adaptive_avg_pool{n}d"
    refuse_kinds(input, "biuc", name)
    sizes = output_sizes(input, output_size, n, name, mean=True)
    x = wide(input)
    if prod(sizes) == 1:  # one window over everything: an ordinary reduction
        dims = tuple(range(input.ndim - n, input.ndim))
        total = P.reduce_sum(x, dims=dims)
        y = total / filled(prod(x.var.shape[d] for d in dims), total)
        return convert(reshape(y, *y.var.shape, *(1,) * n), input.dtype)
    win = _dividing(input, sizes, name)
    if win is not None:
        # Dimension by dimension, for neither reads an element twice: the first sums whole rows, which are vectors.
        for i in range(n):
            x = P.window_sum(win.along(x, i), dims=(x.ndim,))
            if i < n - 1:
                x = P.buffered(x, free=True)
        return convert(x / filled(prod(win.k), x), input.dtype)
    for i in range(n):
        dim = input.ndim - n + i
        parts = _Parts(x.var.shape[dim], sizes[i])
        x = first_to(P.window_sum(parts.of(x, dim, 0), dims=(1,)), 1, dim)
        x = x / P.broadcast_in_dim(convert(parts.width, x.dtype), shape=x.var.shape, dims=(dim,))
        if i < n - 1:
            x = P.buffered(x, free=True)
    return convert(x, input.dtype)


def _adaptive_max(input: Tensor, output_size: Any, n: int) -> tuple[Tracer, Tracer]:
    name = f"adaptive_max_pool{n}d"
    refuse_kinds(input, "biuc", name)
    sizes = output_sizes(input, output_size, n, name)
    win = _dividing(input, sizes, name)
    first = input.ndim - n
    spatial = input.var.shape[first:]
    # Dimension by dimension: each element is read a few times, and the first to be reduced leaves rows to be read. Of
    # equal maxima the one with the least flat index counts, in whatever order that is.
    best = P.stop_gradient(input)
    none = prod(spatial)
    kind = dt.int32 if none < 1 << 31 else dt.int64
    flat = P.reshape(P.iota(shape=(none,), dim=0, dtype=kind), shape=spatial)
    flat = P.broadcast_in_dim(flat, shape=input.var.shape, dims=tuple(range(first, input.ndim)))
    for i in range(n):
        dim = first + i
        element = 1 if win is None else input.ndim  # the dimension of a window's elements
        if win is None:
            parts = _Parts(spatial[i], sizes[i])
            w, at = parts.of(best, dim, -math.inf), parts.of(flat, dim, none)
        else:
            w, at = win.along(best, i), win.along(flat, i)
        top = P.window_max(w, dims=(element,))
        hit = w == P.broadcast_in_dim(top, shape=w.var.shape, dims=tuple(d for d in range(w.ndim) if d != element))
        flat = P.window_min(P.select(hit | P.isnan(w), at, filled(none, at)), dims=(element,))
        if win is None:
            top, flat = first_to(top, 1, dim), first_to(flat, 1, dim)
        if i < n - 1:
            best, flat = P.buffered(top, free=True), P.buffered(flat, free=True)
    flat = convert(flat, dt.int64)
    lead = [P.iota(shape=flat.var.shape, dim=d, dtype=dt.int64) for d in range(first)]
    x = reshape(input, *input.var.shape[:first], prod(spatial))
    return P.gather(x, *lead, flat, dims=tuple(range(first + 1))), flat


def _kinds_of_sizes(n: int, mean: bool) -> Callable[[Any, Any], list[list[Any]]]:
    """Windows of one size and others have a program each; so has the mean of everything (output sizes of 1)."""

    def calls(op: Any, values: Any) -> list[list[Any]]:
        x, given = values
        several = isinstance(given, (tuple, list))
        sizes = tuple(given) if several else (given,) * n
        spatial = tuple(x.shape[x.ndim - n :])
        if not all(isinstance(s, int) for s in sizes) or len(sizes) != n or not all(spatial):
            return []
        divisor = math.gcd(*spatial)
        kinds: dict[str, Any] = {"one": (1,) * n if several else 1} if mean else {}
        if several or divisor > 1 or not mean:
            kinds["dividing"] = spatial if several else divisor
        kinds["other"] = tuple(s + 1 for s in spatial) if several else max(spatial) + 1
        even = all(s > 0 and size % s == 0 for s, size in zip(sizes, spatial, strict=True))
        own = "one" if mean and math.prod(sizes) == 1 else "dividing" if even else "other"
        return [[x, type(given)(v) if several else v] for kind, v in kinds.items() if kind != own]

    return calls


def _make_adaptive(n: int) -> None:
    def avg(input: Tensor, output_size: Sizes) -> Tensor:
        return _adaptive_avg(input, output_size, n)

    operator(
        name=f"adaptive_avg_pool{n}d",
        namespace=("nn.functional", "") if n == 1 else "nn.functional",
        method=False,
        out=False,
        shape_class="reduction",
        precompile=_kinds_of_sizes(n, True),
        memory_format="first" if n == 2 else "",
        doc=(
            f"Means of windows that divide the last {n} dimension(s) into `output_size` (an int or one each; None: as "
            "the input)."
        ),
    )(avg)

    def best(input: Tensor, output_size: Sizes) -> tuple[Tensor, Tensor]:
        return _adaptive_max(input, output_size, n)

    name = f"adaptive_max_pool{n}d"
    forms = {f"nn.functional.{name}_with_indices": form("input", "output_size", return_indices=False)}
    if n == 1:
        forms[name] = form("input", "output_size")
    pair = operator(
        name=f"{name}_with_indices",
        namespace=None,
        method=False,
        out=False,
        shape_class="reduction",
        precompile=_kinds_of_sizes(n, False),
        memory_format="first" if n == 2 else "",
        forms=forms,
        doc=(
            f"""Maxima (and their flat indices) of windows that divide the last {n} dimension(s) into `output_size`."""
        ),
    )(best)

    def pool(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        both = pair(input, output_size)
        return both if return_indices else both[0]

    eager(name=name, namespace="nn.functional", method=False, shape_class="reduction", doc=best.__doc__)(pool)


for _n in (1, 2, 3):
    _make_adaptive(_n)


# ----------------------------------------------------------------------------------------------------------- fractional
def _fractional_starts(u: Any, size: Int, k: Int, out: Int) -> Tracer:
    """Where the `out` windows of k among `size` elements begin, (N, C, out), for random numbers u (N, C) in [0, 1)."""
    shape = (*u.var.shape, out)
    room = size - k
    u = P.broadcast_in_dim(u, shape=shape, dims=(0, 1))
    step = filled(room, u) / filled(sym_max(out - 1, 1), u)  # the only window is the last, which lies at the end
    i = P.iota(shape=shape, dim=2, dtype=dt.int64)

    def whole(v: Any) -> Tracer:
        return convert(P.floor(v * step), dt.int64)

    start = whole(convert(i, u.dtype) + u) - whole(u)
    return P.select(i == filled(out - 1, i), filled(room, i), start)


def _fractional_max(
    input: Tensor, samples: Tensor, kernel_size: Any, output_size: Any, n: int
) -> tuple[Tracer, Tracer]:
    name = f"fractional_max_pool{n}d"
    refuse_kinds(input, "biuc", name)
    k, sizes = per_dim(kernel_size, n, name, "kernel_size"), output_sizes(input, output_size, n, name)
    check_argument(not any(v < 1 for v in k), f"{name}()", "kernel_size", "be at least 1", lambda: hints(k))
    if input.ndim == n + 1:
        best, flat = _fractional_max(reshape(input, 1, *input.var.shape), samples, k, sizes, n)
        return reshape(best, *best.var.shape[1:]), reshape(flat, *flat.var.shape[1:])
    lead, spatial = input.var.shape[:2], input.var.shape[2:]
    expected = hints(lead) + [n]
    if samples.ndim != 3 or any(a != b for a, b in zip(samples.shape, (*lead, n), strict=True)):
        raise RuntimeError(f"{name}(): '_random_samples' must have the shape {expected}; found {hints(samples.shape)}")
    full = (*lead, *sizes, *k)
    index = None
    for i in range(n):
        if sizes[i] + k[i] - 1 > spatial[i]:
            raise RuntimeError(
                f"{name}(): {hint(sizes[i])} windows of kernel_size={hint(k[i])} must fit into dimension {i - n} of "
                "'input'; found the size "
                f"{hint(spatial[i])}"
            )
        # In two dimensions the first random number is for the width, in three for the depth: PyTorch's order.
        at = n - 1 - i if n == 2 else i
        u = reshape(P.slice(wide(samples), starts=(0, 0, at), sizes=(*lead, 1), steps=(1, 1, 1)), *lead)
        start = P.broadcast_in_dim(_fractional_starts(u, spatial[i], k[i], sizes[i]), shape=full, dims=(0, 1, 2 + i))
        place = start + P.iota(shape=full, dim=2 + n + i, dtype=dt.int64)
        index = place if index is None else index * filled(spatial[i], index) + place
    assert index is not None
    index = reshape(index, *lead, *sizes, prod(k))
    x = reshape(input, *lead, prod(spatial))

    def of(v: Any, at: Tracer) -> Tracer:
        return P.gather(v, *(P.iota(shape=at.var.shape, dim=d, dtype=dt.int64) for d in (0, 1)), at, dims=(0, 1, 2))

    winner = P.argmax(of(P.stop_gradient(x), index), dim=2 + n)
    flat = take_slice(index, winner, 2 + n)
    return of(x, flat), flat


def _make_fractional(n: int) -> None:
    def both(input: Tensor, kernel_size: Sizes, output_size: Sizes, samples: Tensor) -> tuple[Tensor, Tensor]:
        return _fractional_max(input, samples, kernel_size, output_size, n)

    name = f"fractional_max_pool{n}d"
    pair = operator(
        name=f"{name}_with_indices",
        namespace=None,
        method=False,
        out=False,
        shape_class="reduction",
        doc=f"""Maxima (and their flat indices) of windows that begin at random places.

    Args:
        input: (N, C, *) or (C, *), {n} spatial dimension(s).
        kernel_size, output_size: ints or one each.
        samples: (N, C, {n}), in [0, 1).

    Source:
        Graham, "Fractional max-pooling", 2015, section 2: pseudo-random pooling regions, overlapping.
    """,
    )(both)

    def drawn(input: Tensor, kernel_size: Any, size: Any, ratio: Any, samples: Tensor | None) -> tuple[Tensor, Tensor]:
        if size is None:
            if ratio is None:
                raise ValueError(f"{name}(): 'output_size' or 'output_ratio' must be given; found neither")
            ratios = tuple(ratio) if isinstance(ratio, (tuple, list)) else (ratio,) * n
            if len(ratios) != n:
                raise ValueError(f"{name}(): 'output_ratio' must be a number or {n} of them; found {ratios}")
            size = tuple(int(s * r) for s, r in zip(input.shape[-n:], ratios, strict=True))
        if samples is None:
            batch = 1 if input.ndim == n + 1 else input.shape[0]
            samples = TABLE["rand"]((batch, input.shape[-n - 1], n), dtype=input.dtype, device=input.device)
        return pair(input, kernel_size, size, samples)

    def pool(with_indices: bool) -> Callable[..., Any]:
        def body(
            input: Tensor,
            kernel_size: Any,
            output_size: Any = None,
            output_ratio: Any = None,
            return_indices: bool = False,
            _random_samples: Tensor | None = None,
        ) -> Any:
            found = drawn(input, kernel_size, output_size, output_ratio, _random_samples)
            return found if with_indices or return_indices else found[0]

        body.__annotations__["return"] = "tuple[Tensor, Tensor]" if with_indices else "Any"
        return body

    for op_name, body in ((name, pool(False)), (f"{name}_with_indices", pool(True))):
        eager(
            name=op_name,
            namespace="nn.functional",
            method=False,
            shape_class="reduction",
            doc=f"""Maxima of {n}-d windows that begin at random places; return_indices: with their flat indices.

        Args:
            input: (N, C, *) or (C, *).
            kernel_size: an int or {n}.
            output_size: an int or {n}; or output_ratio: of the input's size, in (0, 1).
            _random_samples: (N, C, {n}), in [0, 1), instead of random numbers.

        Raises:
            ValueError: without a size.
        """,
        )(body)


for _n in (2, 3):
    _make_fractional(_n)


# -------------------------------------------------------------------------------------------------- norms
def _lp_pool(input: Tensor, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool, n: int) -> Tracer:
    refuse_kinds(input, "biuc", f"lp_pool{n}d")
    win = Windows(input, n, f"lp_pool{n}d", kernel_size, stride, 0, 1, ceil_mode)
    check_examples(f"lp_pool{n}d", input, n + 1)
    x = wide(input)
    p = norm_type
    if p == 0:
        raise ZeroDivisionError(f"lp_pool{n}d(): 'norm_type' must not be 0, for the result is a power of 1 / norm_type")
    if p == math.inf:
        return convert(_max_pool(P.abs(x), win)[0], input.dtype)
    if p == -math.inf:
        return convert(-_max_pool(-P.abs(x), win)[0], input.dtype)
    powers = x * x if p == 2 else P.pow(x, filled(p, x))
    total = P.window_sum(win.of(powers, 0.0), dims=win.dims)
    if win.uneven:
        # A window that is cut off has its mean times the full size, as PyTorch defines this by average pooling.
        total = total / convert(win.counts(total.var.shape), total.dtype) * filled(prod(win.k), total)
    # The root of a sum of zero has no derivative: none is given on.
    some = total != 0
    root = P.pow(P.select(some, total, 1), filled(1.0 / p, total))
    return convert(P.select(some, root, filled(0.0 if p > 0 else math.inf, total)), input.dtype)


def _make_lp_pool(n: int) -> None:
    def lp_pool(
        input: Tensor, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
    ) -> Tensor:
        """(sum of x^p)^(1/p) of each window, for p of infinity the greatest absolute value, for -infinity the least;
        NaN where that is no real number.
        """
        return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, n)

    operator(
        name=f"lp_pool{n}d",
        namespace="nn.functional",
        method=False,
        out=False,
        shape_class="reduction",
        memory_format="first" if n == 2 else "",
        precompile=orders("norm_type"),
        like=_STEP,
    )(lp_pool)


for _n in (1, 2, 3):
    _make_lp_pool(_n)
