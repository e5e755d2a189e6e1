"""Padding, sliding blocks (unfold, fold) and rearrangements of channels and pixels."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.indexing.gather import first_to
from rushlight.operators.linalg.matmul import reshape
from rushlight.operators.nn.activation import part_of
from rushlight.operators.nn.pooling import with_padding
from rushlight.operators.shapes.join import flipped
from rushlight.operators.table.body import refuse_kinds
from rushlight.operators.table.checks import check_each, check_examples, check_least, check_least_rank
from rushlight.operators.table.define import TABLE, form, operator
from rushlight.operators.table.ranges import check_range
from rushlight.operators.table.tracer import P, RealNumber, Tracer, convert, filled, pinned, result_type, tracer
from rushlight.operators.table.types import Number, Real, Sizes
from rushlight.program.ir import Hole, Var
from rushlight.program.sym import Int, Sym, hint, hints, prod, sym_max, sym_min


def _reflected(k: Tracer, n: Int) -> Tracer:
    """Positions reflected at 0 and n - 1, once each: for widths below n."""
    k = P.abs(k)
    last = filled(n - 1, k)
    return last - P.abs(last - k)


def take_positions(x: Tensor, index: Any, dim: int) -> Tracer:
    """x[..., index, ...] for a 1-d index."""
    return first_to(P.gather(x, index, dims=(dim,)), 1, dim)


def _extended(x: Tensor, pairs: list[Any], mode: str) -> Tensor:
    """x with elements of its own added around dimensions, or taken off where a width is negative."""
    for d, low, high in pairs:
        _check_widths(x, d, low, high, mode)
    if mode == "circular":
        for d, low, high in pairs:
            x = _cropped(x, d, low, high)
            n, low, high = x.var.shape[d], sym_max(low, 0), sym_max(high, 0)
            if low <= n and high <= n:
                x = P.concatenate(part_of(x, d, n - low, low), x, part_of(x, d, 0, high), dim=d)
                continue
            if n == 0:  # a negative width took all of it
                raise too_much(x, d, low, high)
            k = P.iota(shape=(n + low + high,), dim=0, dtype=dt.int64)
            whole = filled(n * ((low + n - 1) // n), k)  # so that what is divided is not negative
            x = take_positions(x, P.rem(k - filled(low, k) + whole, filled(n, k)), d)
        return x
    (last, low, high), *outer = pairs
    pieces = _beside(x, low, high, mode)
    for d, low, high in outer:
        n = x.var.shape[d]
        k = P.iota(shape=(n + low + high,), dim=0, dtype=dt.int64)
        k = k - filled(low, k)
        k = _reflected(k, n) if mode == "reflect" else P.min(P.max(k, 0), filled(n - 1, k))
        pieces = [take_positions(piece, k, d) for piece in pieces]
    return P.concatenate(*pieces, dim=last)


def _check_widths(x: Tensor, dim: int, low: Int, high: Int, mode: str) -> None:
    n = x.var.shape[dim]
    if mode == "circular" and (low > n or high > n):
        raise RuntimeError(
            f"pad(): mode 'circular' goes round at most once: each width must be at most {hint(n)} in dimension {dim}; "
            f"found ({hint(low)}, {hint(high)})"
        )
    if n + low + high < 0:
        raise too_much(x, dim, low, high)
    if mode == "reflect" and (low >= n or high >= n):
        raise RuntimeError(
            f"pad(): mode 'reflect' needs widths less than the size, {hint(n)} in dimension {dim}; found "
            f"({hint(low)}, {hint(high)})"
        )


def _beside(x: Tensor, low: Int, high: Int, mode: str) -> list[Tracer]:
    """What lies before the last dimension's elements, those that stay, and what lies behind them. Most of a row is
    copied as it lies so: looked up one by one, elements took four to six times as long.
    """
    dim, n = x.ndim - 1, x.var.shape[-1]
    first, end = sym_min(sym_max(-low, 0), n), sym_max(sym_min(n + high, n), 0)
    before, after = sym_max(low + sym_min(n + high, 0), 0), sym_max(high - sym_max(-low - n, 0), 0)
    middle = part_of(x, dim, first, end - first)
    if mode == "reflect":
        back = flipped(x, (dim,))
        left = part_of(back, dim, n - 1 - sym_max(low, 0), before)
        return [left, middle, part_of(back, dim, 1 + sym_max(-low - n, 0), after)]
    left, right = (
        P.broadcast_in_dim(
            P.reshape(part_of(x, dim, at, 1), shape=x.var.shape[:-1]),
            shape=(*x.var.shape[:-1], count),
            dims=tuple(range(dim)),
        )
        for at, count in ((0, before), (n - 1, after))
    )
    return [left, middle, right]


def _cropped(x: Tensor, dim: int, low: Int, high: Int) -> Tensor:
    """x without what negative widths take off."""
    a, b = sym_max(-low, 0), sym_max(-high, 0)
    size = x.var.shape[dim] - a - b
    if size < 0:
        raise too_much(x, dim, low, high)
    return part_of(x, dim, a, size)


def too_much(x: Tensor, dim: int, low: Int, high: Int) -> RuntimeError:
    """The error for negative widths that take off more than there is."""
    return RuntimeError(
        f"pad(): negative widths may take away at most the size, {hint(x.var.shape[dim])} in dimension {dim}; found "
        f"({hint(low)}, {hint(high)})"
    )


def _pairs(input: Tensor, pad: Sizes) -> tuple[list[Any], list[Any]]:
    """The widths, and (dimension, low, high) of each pair."""
    if any(w is None for w in pad):
        raise TypeError("pad(): argument 'pad' (position 2) must be int or tuple of ints; found None among them")
    widths = [w if isinstance(w, Sym) else w.__index__() for w in pad]
    if len(widths) % 2 or len(widths) // 2 > input.ndim:
        raise RuntimeError(
            f"pad(): 'pad' must be pairs of widths, for at most {input.ndim} dimensions; found {hints(widths)}"
        )
    return widths, [(input.ndim - 1 - i, widths[2 * i], widths[2 * i + 1]) for i in range(len(widths) // 2)]


def _filled_around(x: Tensor, pairs: list[Any], fill: Any) -> Tensor:
    check_range("constant_pad_nd", fill, x.dtype)
    for d, low, high in pairs:
        x = _cropped(x, d, low, high)
    at = {d: (sym_max(low, 0), sym_max(high, 0)) for d, low, high in pairs}
    both = [at.get(d, (0, 0)) for d in range(x.ndim)]
    return P.pad(
        x, convert(fill, x.dtype), low=tuple(a for a, _ in both), high=tuple(b for _, b in both), interior=(0,) * x.ndim
    )


@operator(namespace="nn.functional", method=False, out=False, memory_format="first")
def pad(input: Tensor, pad: Sizes, mode: str = "constant", value: Real | None = None) -> Tensor:
    """The input extended (or, for negative widths, cropped) at both ends of its last dimensions.

    Args:
        pad: widths (low, high) of the last dimension, then of the one before, and so on.
        mode: "constant", "reflect", "replicate" or "circular"; all but the first take 1 to 3 dimensions behind those of
            batch and channels.
        value: for "constant".

    Raises:
        RuntimeError, NotImplementedError: for widths that do not fit.
    """
    widths, pairs = _pairs(input, pad)
    if mode == "constant":
        fill = 0 if value is None else value
        check_range("pad", fill, input.dtype)
        if input.dtype.kind in "iu" and isinstance(fill, (float, RealNumber)):
            # infinity is Python's OverflowError
            fill = convert(fill if -math.inf < fill < math.inf else int(pinned(fill)), dt.int64)
        return _filled_around(input, pairs, fill)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(
            f"pad(): 'mode' must be 'constant', 'reflect', 'replicate' or 'circular'; found {mode!r}"
        )
    if value is not None and value != 0:
        raise ValueError(f"pad(): 'value' is for mode='constant'; found {value} with mode={mode!r}")
    n = len(pairs)
    if not 1 <= n <= 3 or input.ndim not in (n + 1, n + 2):
        raise NotImplementedError(
            f"pad(): mode={mode!r} pads the last 1, 2 or 3 dimensions of an input with one or two more; found {n} "
            "pairs of widths for "
            f"{input.ndim} dimensions"
        )
    if mode != "circular":
        check_examples("pad", input, n + 1)
    y = _extended(input, pairs, mode)
    if mode != "circular" and all(y.shape[d] == 0 for d, _, _ in pairs):
        raise RuntimeError(
            f"pad(): the padded dimensions must have elements; found the shape {hints(y.shape)} for an input of "
            f"{hints(input.shape)} and widths {hints(widths)}"
        )
    return y


@operator(method=False, out=False, memory_format="first")
def constant_pad_nd(input: Tensor, pad: Sizes, value: Number = 0) -> Tensor:
    """The input extended by a constant, which may be complex for complex numbers; see nn.functional.pad."""
    if input.dtype.kind == "c":
        return _filled_around(input, _pairs(input, pad)[1], value)
    if result_type(value).kind == "c":
        raise RuntimeError(f"constant_pad_nd(): 'value' must be a real number for dtype {input.dtype}")
    return _pad_op(input, pad, "constant", value)


_pad_op = TABLE["nn.functional.pad"]


# ------------------------------------------------------------------------------------------------------- sliding blocks
def _pair(v: Any, name: str, argument: str) -> tuple[Int, Int]:
    from rushlight.operators.nn.convolution import per_dim

    a, b = per_dim(v, 2, name, argument)
    return a, b


def _blocks(name: str, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> tuple[tuple[Int, Int], ...]:
    k, d, p, s = (
        _pair(kernel_size, name, "kernel_size"),
        _pair(dilation, name, "dilation"),
        _pair(padding, name, "padding"),
        _pair(stride, name, "stride"),
    )
    for label, v, least in (("kernel_size", k, 1), ("dilation", d, 1), ("padding", p, 0), ("stride", s, 1)):
        check_each(name, label, v, least)
    return k, d, p, s


def _batch(name: str, input: Tensor, dims: str) -> Tensor:
    """The input with its batch, of 1 where it has none."""
    rank = dims.count(",") + 1
    if input.ndim not in (rank - 1, rank):
        raise RuntimeError(
            f"{name}(): 'input' must be of {rank} dimensions ({dims}), or {rank - 1} without a batch; found the shape "
            f"{hints(input.shape)}"
        )
    check_examples(name, input, rank - 1)
    return reshape(input, 1, *input.var.shape) if input.ndim == rank - 1 else input


@operator(namespace="nn.functional", method=False, out=False, precompile=with_padding)
def unfold(input: Tensor, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> Tensor:
    """The sliding blocks of an image as columns: (N, C, H, W) to (N, C * kH * kW, L); without N likewise."""
    refuse_kinds(input, "iu", "unfold")
    k, d, p, s = _blocks("unfold", kernel_size, dilation, padding, stride)
    x = _batch("unfold", input, "N, C, H, W")
    if sum(p) != 0:  # one condition: with_padding
        x = P.pad(x, convert(0, x.dtype), low=(0, 0, *p), high=(0, 0, *p), interior=(0,) * 4)
    if any(n < q * (w - 1) + 1 for n, q, w in zip(x.shape[2:], d, k, strict=True)):
        raise RuntimeError(
            f"unfold(): the image must have room for a block; found {hints(input.shape)[-2:]} for "
            f"kernel_size={hints(k)}, dilation={hints(d)} and "
            f"padding={hints(p)}"
        )
    y = P.permute(P.windows(x, dims=(2, 3), sizes=k, steps=s, dilations=d), perm=(0, 1, 4, 5, 2, 3))
    n, c, _, _, h, w = y.var.shape
    y = reshape(y, n, c * (k[0] * k[1]), h * w)
    return reshape(y, *y.var.shape[1:]) if input.ndim == 3 else y


def _folded_with_padding(op: Any, values: Any) -> list[list[Any]]:
    """As with_padding, for an image that has as many blocks."""
    at, size = op.index["padding"], op.index["output_size"]
    given = values[at] if isinstance(values[at], (tuple, list)) else (values[at],) * 2
    image = values[size] if isinstance(values[size], (tuple, list)) else (values[size],) * 2
    if len(given) != 2 or len(image) != 2 or not all(isinstance(v, int) for v in (*given, *image)):
        return []
    amount = 0 if any(given) else 1
    other = list(values)
    other[at] = type(values[at])([amount] * 2) if isinstance(values[at], (tuple, list)) else amount
    other[size] = (
        type(values[size])(m + 2 * (p - amount) for m, p in zip(image, given, strict=True))
        if isinstance(values[size], (tuple, list))
        else image[0] + 2 * (given[0] - amount)
    )
    return [other]


@operator(namespace="nn.functional", method=False, out=False, precompile=_folded_with_padding)
def fold(
    input: Tensor, output_size: Sizes, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
) -> Tensor:
    """The columns of `unfold` added up at the places that they were taken from: (N, C * kH * kW, L) to (N, C, H, W);
    without N likewise.
    """
    refuse_kinds(input, "iu", "fold")
    from rushlight import prims

    k, d, p, s = _blocks("fold", kernel_size, dilation, padding, stride)
    out = _pair(output_size, "fold", "output_size")
    x = _batch("fold", input, "N, C * kH * kW, L")
    n, ck, blocks = x.var.shape
    area = k[0] * k[1]
    if ck % area != 0:
        raise RuntimeError(
            f"fold(): the rows of 'input' must be a multiple of the elements of a block, {hint(area)}; found "
            f"{hint(ck)} for kernel_size={hints(k)}"
        )
    counts = tuple((m + 2 * a - q * (w - 1) - 1) // t + 1 for m, a, q, w, t in zip(out, p, d, k, s, strict=True))
    if any(v < 1 for v in counts) or blocks != prod(counts):
        raise RuntimeError(
            f"fold(): 'input' must have {' * '.join(map(str, hints(counts)))} blocks for output_size={hints(out)}, "
            f"stride={hints(s)}, "
            f"padding={hints(p)}, dilation={hints(d)} and kernel_size={hints(k)}; found {hint(blocks)}"
        )
    c = ck // area
    g = P.permute(reshape(x, n, c, *k, *counts), perm=(0, 1, 4, 5, 2, 3))
    padded = (n, c, out[0] + 2 * p[0], out[1] + 2 * p[1])
    # Adding windows up is the transpose of taking them.
    (whole,) = prims.windows.transpose(
        [g.var], [Hole(Var(padded, x.dtype))], dims=(2, 3), sizes=k, steps=s, dilations=d
    )
    assert whole is not None  # the cotangent of the one operand
    y = tracer(whole)
    if sum(p) != 0:  # one condition: with_padding
        y = P.slice(y, starts=(0, 0, *p), sizes=(n, c, *out), steps=(1,) * 4)
    return reshape(y, *y.var.shape[1:]) if input.ndim == 2 else y


# ------------------------------------------------------------------------------------------------------- rearrangements
def _image(input: Tensor, name: str, label: str, factor: Int) -> tuple[list[Int], Int, Int, Int]:
    """The sizes of images, (*, C, H, W), whose channels and pixels change places by a factor."""
    check_least_rank(name, "input", input, 3, "(C, H, W)")
    check_least(name, label, factor, 1)
    *lead, c, h, w = input.var.shape
    return lead, c, h, w


@operator(namespace=("nn.functional", ""), method=False, out=False, memory_format="first")
def pixel_shuffle(input: Tensor, upscale_factor: Sizes) -> Tensor:
    """(*, C r^2, H, W) to (*, C, H r, W r): channels become pixels."""
    r = upscale_factor
    lead, c, h, w = _image(input, "pixel_shuffle", "upscale_factor", r)
    if c % (r * r) != 0:
        raise RuntimeError(
            f"pixel_shuffle(): the channels must be a multiple of upscale_factor ** 2, {hint(r * r)}; found {hint(c)}"
        )
    x = reshape(input, *lead, c // (r * r), r, r, h, w)
    n = len(lead)
    x = P.permute(x, perm=(*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return reshape(x, *lead, c // (r * r), h * r, w * r)


@operator(namespace=("nn.functional", ""), method=False, out=False, memory_format="first")
def pixel_unshuffle(input: Tensor, downscale_factor: Sizes) -> Tensor:
    """(*, C, H r, W r) to (*, C r^2, H, W): pixels become channels."""
    r = downscale_factor
    lead, c, h, w = _image(input, "pixel_unshuffle", "downscale_factor", r)
    for label, v in (("height", h), ("width", w)):
        if v % r != 0:
            raise RuntimeError(
                f"pixel_unshuffle(): the {label} must be a multiple of downscale_factor={hint(r)}; found {hint(v)}"
            )
    x = reshape(input, *lead, c, h // r, r, w // r, r)
    n = len(lead)
    x = P.permute(x, perm=(*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return reshape(x, *lead, c * (r * r), h // r, w // r)


@operator(
    namespace=("nn.functional", ""),
    method=False,
    out=False,
    forms={"native_channel_shuffle": form("input", "groups")},
    memory_format="first",
)
def channel_shuffle(input: Tensor, groups: Sizes) -> Tensor:
    """(N, g C, *) with the channels of the g groups taken in turn."""
    check_least_rank("channel_shuffle", "input", input, 3, "(N, C, ...)")
    check_least("channel_shuffle", "groups", groups, 1)
    n, c, *rest = input.var.shape
    if c % groups != 0:
        raise RuntimeError(
            f"channel_shuffle(): 'groups' must divide the number of channels, {hint(c)}; found {hint(groups)}"
        )
    x = P.permute(reshape(input, n, groups, c // groups, *rest), perm=(0, 2, 1, *range(3, input.ndim + 1)))
    return reshape(x, n, c // groups * groups, *rest)
