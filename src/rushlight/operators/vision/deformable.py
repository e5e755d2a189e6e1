"""Convolution at places that other tensors say: torchvision's operator."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.linalg.matmul import reshape
from rushlight.operators.table.arguments import undefined_for
from rushlight.operators.table.body import wide
from rushlight.operators.table.checks import check_each
from rushlight.operators.table.define import operator
from rushlight.operators.table.tracer import P, Tracer, convert, filled
from rushlight.operators.table.types import Int, Whole
from rushlight.operators.vision.regions import SPACE
from rushlight.program.sym import hint, hints

_NAME = "deform_conv2d"


def _check(
    input: Tensor, weight: Tensor, offset: Tensor, mask: Tensor | None, bias: Tensor, out: Any, groups: Int, own: Int
) -> None:
    """RuntimeError where the operands do not fit one another; out: the size of the result, own: groups of offsets."""
    for argument, x in (("input", input), ("weight", weight), ("offset", offset)):
        if x.ndim != 4:
            raise RuntimeError(f"{_NAME}(): '{argument}' must be of 4 dimensions; found the shape {hints(x.shape)}")
    n, channels = input.shape[0], input.shape[1]
    outs, inner, *kernel = weight.shape
    if inner * groups != channels or outs % groups != 0 or channels % own != 0:
        raise RuntimeError(
            f"{_NAME}(): the channels of 'input' must be those of 'weight' times {hint(groups)} groups, and a multiple "
            f"of {hint(own)} groups of offsets, and the output channels a multiple of the groups; found the shapes "
            f"{hints(input.shape)} and {hints(weight.shape)}"
        )
    taps = own * kernel[0] * kernel[1]
    wanted = [("offset", offset, 2 * taps)] + ([] if mask is None else [("mask", mask, taps)])
    for argument, x, count in wanted:
        shape = (n, count, *out)
        if x.ndim != 4 or any(a != b for a, b in zip(x.shape, shape, strict=True)):
            which = f"{argument}.shape[1] is not valid: " if x.ndim == 4 and x.shape[1] != count else ""
            raise RuntimeError(
                f"{_NAME}(): {which}'{argument}' must be of the shape {hints(shape)}; found {hints(x.shape)}"
            )
    if bias.ndim != 1 or bias.shape[0] != outs:
        raise RuntimeError(f"{_NAME}(): 'bias' must be of the shape [{hint(outs)}]; found {hints(bias.shape)}")
    if any(s <= 0 for s in out):
        raise RuntimeError(f"{_NAME}(): the kernel must fit into the padded input; found an output of {hints(out)}")


def _samples(x: Tracer, at: list[Tracer], mask: Tracer | None) -> Tracer:
    """Bilinear samples (*lead, C) of images (N, G, H, W, C) at rows and columns (N, ..., G), 0 outside."""
    lead, last = at[0].var.shape, at[0].ndim - 1
    image, group = (P.iota(shape=lead, dim=d, dtype=dt.int64) for d in (0, last))
    low = [P.stop_gradient(P.floor(p)) for p in at]
    rest = [p - f for p, f in zip(at, low, strict=True)]
    total = None
    for down, right in ((0, 0), (0, 1), (1, 0), (1, 1)):
        weight, inside, place = mask, None, []
        for p, t, step, size in zip(low, rest, (down, right), x.var.shape[2:4], strict=True):
            part = t if step else 1 - t
            weight = part if weight is None else weight * part
            p = p + step
            ok = (p >= 0) & (p <= filled(size - 1, p))
            inside = ok if inside is None else inside & ok
            place.append(p)
        assert weight is not None and inside is not None
        # Places outside are read at 0, and multiplied by 0.
        weight = P.buffered(P.select(inside, weight, 0))
        rows = [P.buffered(convert(P.select(inside, p, 0), dt.int64)) for p in place]
        found = P.gather(x, image, group, *rows, dims=(0, 1, 2, 3))
        part = found * P.broadcast_in_dim(weight, shape=found.var.shape, dims=tuple(range(last + 1)))
        total = part if total is None else total + part
    assert total is not None
    return total


def _columns(
    x: Tracer, kernel: tuple[Int, ...], offset: Tracer, mask: Tracer | None, steps: Any, pads: Any, gaps: Any, own: Int
) -> Tracer:
    """What each element of the result is a product of: (N, OH, OW, KH * KW, C)."""
    n, channels, height, width = x.var.shape
    out, taps = offset.var.shape[2:], kernel[0] * kernel[1]
    lead = (n, *out, taps, own)
    # Channels come last, so that the sample at a place is a row.
    images = P.buffered(P.permute(reshape(x, n, own, channels // own, height, width), perm=(0, 1, 3, 4, 2)))
    moved = P.permute(reshape(offset, n, own, taps, 2, *out), perm=(3, 0, 4, 5, 2, 1))
    tap = P.iota(shape=lead, dim=3, dtype=dt.int64)
    row = P.floordiv(tap, filled(kernel[1], tap))
    at = []
    for d, k in enumerate((row, tap - row * filled(kernel[1], row))):
        step, pad, gap = (filled(amounts[d], tap) for amounts in (steps, pads, gaps))
        start = P.iota(shape=lead, dim=d + 1, dtype=dt.int64) * step - pad + k * gap
        by = P.slice(moved, starts=(d, 0, 0, 0, 0, 0), sizes=(1, *lead), steps=(1,) * 6)
        at.append(convert(start, x.dtype) + reshape(by, *lead))
    if mask is not None:
        mask = P.permute(reshape(mask, n, own, taps, *out), perm=(0, 3, 4, 2, 1))
    return reshape(_samples(images, at, mask), n, *out, taps, channels)


def _multiplied(columns: Tracer, weight: Tracer, bias: Tracer, groups: Int) -> Tracer:
    """The result, of columns (N, OH, OW, taps, C) and the weight (O, C / groups, KH, KW)."""
    n, height, width, taps, _ = columns.var.shape
    outs, inner = weight.var.shape[:2]
    matrix = P.permute(reshape(weight, groups, outs // groups, inner, taps), perm=(0, 1, 3, 2))
    matrix = reshape(matrix, groups, outs // groups, taps * inner)
    rows = P.permute(reshape(columns, n, height * width, taps, groups, inner), perm=(0, 3, 2, 4, 1))
    rows = reshape(rows, n, groups, taps * inner, height * width)
    left = P.broadcast_in_dim(matrix, shape=(n, *matrix.var.shape), dims=(1, 2, 3))
    y = reshape(P.dot(left, rows), n, outs, height, width)
    return y + P.broadcast_in_dim(bias, shape=y.var.shape, dims=(1,))


@operator(namespace=SPACE, method=False, out=False)
def deform_conv2d(
    input: Tensor,
    weight: Tensor,
    offset: Tensor,
    mask: Tensor,
    bias: Tensor,
    stride_h: Whole,
    stride_w: Whole,
    pad_h: Whole,
    pad_w: Whole,
    dilation_h: Whole,
    dilation_w: Whole,
    groups: Whole,
    offset_groups: Whole,
    use_mask: bool,
) -> Tensor:
    """Convolution whose kernel takes bilinear samples of the input at places of its own for each element of the result.

    Args:
        input: (N, C, H, W), 0 outside.
        weight: (O, C / groups, KH, KW).
        offset: (N, 2 * offset_groups * KH * KW, OH, OW): what is added to the row and the column of each element of the
            kernel.
        mask: (N, offset_groups * KH * KW, OH, OW): what each sample is multiplied by.
        bias: (O,).
        stride_h: the step of rows, as conv2d's; the others accordingly.
        offset_groups: groups of channels that have offsets of their own.
        use_mask: whether the mask counts.

    Returns:
        (N, O, OH, OW).
    """
    steps, pads, gaps = (stride_h, stride_w), (pad_h, pad_w), (dilation_h, dilation_w)
    for argument, values, least in (("stride", steps, 1), ("padding", pads, 0), ("dilation", gaps, 1)):
        check_each(_NAME, argument, values, least)
    check_each(_NAME, "groups and offset_groups", (groups, offset_groups), 1)
    if input.ndim == 4 and weight.ndim == 4:
        out = tuple(
            (s + 2 * q - d * (k - 1) - 1) // t + 1
            for s, k, q, d, t in zip(input.shape[2:], weight.shape[2:], pads, gaps, steps, strict=True)
        )
    else:
        out = ()
    _check(input, weight, offset, mask if use_mask else None, bias, out, groups, offset_groups)
    tensors = [input, weight, offset, bias] + [mask] * use_mask
    if any(x.dtype is not input.dtype for x in tensors):
        raise RuntimeError(
            f"{_NAME}(): all tensors must be of one dtype; found {', '.join(str(x.dtype) for x in tensors)}"
        )
    if input.dtype.kind != "f":
        raise undefined_for(_NAME, input.dtype)
    kernel = weight.var.shape[2:]
    columns = _columns(
        wide(input), kernel, wide(offset), wide(mask) if use_mask else None, steps, pads, gaps, offset_groups
    )
    return convert(_multiplied(columns, wide(weight), wide(bias), groups), input.dtype)
