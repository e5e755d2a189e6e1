"""Pooling of regions of images, as detectors do it: torchvision's operators."""

from __future__ import annotations

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.linalg.matmul import reshape
from rushlight.operators.table.arguments import undefined_for
from rushlight.operators.table.body import wide
from rushlight.operators.table.checks import check_each, check_one_dtype
from rushlight.operators.table.define import operator
from rushlight.operators.table.tracer import P, Tracer, convert, filled
from rushlight.operators.table.types import Int, Whole
from rushlight.program.sym import hint, hints

SPACE = "ops.torchvision"
_MOST = 1 << 16  # samples along a side of a bin: far more than a picture has pixels, and an end in sight


def _regions(name: str, input: Tensor, rois: Tensor, spatial_scale: float, *sizes: Int) -> tuple[Tracer, ...]:
    """(images, numbers of images, boxes in their pixels), checked."""
    if input.ndim != 4:
        raise RuntimeError(
            f"{name}(): 'input' must be of 4 dimensions (N, C, H, W); found the shape {hints(input.shape)}"
        )
    if rois.ndim != 2 or rois.shape[1] != 5:
        raise RuntimeError(f"{name}(): 'rois' must be of the shape [K, 5]; found {hints(rois.shape)}")
    if input.dtype.kind != "f":
        raise undefined_for(name, input.dtype)
    check_one_dtype(f"{name}()", "'input' and 'rois'", input, rois)
    check_each(name, "pooled_height and pooled_width", sizes, 1)
    rows = wide(rois)
    k = rois.var.shape[0]
    at = P.slice(rows, starts=(0, 0), sizes=(k, 1), steps=(1, 1))
    boxes = P.slice(rows, starts=(0, 1), sizes=(k, 4), steps=(1, 1))
    return wide(input), reshape(convert(at, dt.int64), k), boxes * filled(spatial_scale, boxes)


def _averages(
    name: str, input: Tensor, rois: Tensor, scale: float, rows: Int, columns: Int, sampling: Int, mode: str
) -> Tracer:
    x, at, boxes = _regions(name, input, rois, scale, rows, columns)
    if sampling > _MOST:
        raise RuntimeError(f"{name}(): 'sampling_ratio' must be at most {_MOST}; found {hint(sampling)}")
    y = P.region_average(x, at, boxes, rows=rows, columns=columns, sampling=sampling, mode=mode, name=name)
    return convert(y, input.dtype)


def _grouped(name: str, input: Tensor, rows: Int, columns: Int, rois: Tensor) -> Tracer:
    """The channel that each bin is made of, int32 (K, C / bins, rows, columns)."""
    if input.shape[1] % (rows * columns) != 0:
        raise RuntimeError(
            f"{name}(): the channels of 'input' must be a multiple of pooled_height * pooled_width, "
            f"{hint(rows * columns)}; found {hint(input.shape[1])}"
        )
    channels = input.var.shape[1]
    one = P.iota(shape=(channels,), dim=0, dtype=dt.int32)
    shape = (channels // (rows * columns), rows, columns)
    return P.broadcast_in_dim(reshape(one, *shape), shape=(rois.var.shape[0], *shape), dims=(1, 2, 3))


@operator(namespace=SPACE, method=False, out=False)
def roi_align(
    input: Tensor,
    rois: Tensor,
    spatial_scale: float,
    pooled_height: Whole,
    pooled_width: Whole,
    sampling_ratio: Whole,
    aligned: bool,
) -> Tensor:
    """The averages of bins of regions, each of bilinear samples.

    Args:
        input: images (N, C, H, W).
        rois: regions (K, 5): the number of the image, x1, y1, x2, y2; no gradient reaches them.
        spatial_scale: what the coordinates are multiplied by.
        pooled_height: how many bins there are along a side.
        pooled_width: as many along the other.
        sampling_ratio: samples along each side of a bin; one per pixel where it is not above 0.
        aligned: pixels have their centres at whole numbers and a half.

    Returns:
        (K, C, pooled_height, pooled_width).
    """
    mode = "half" if aligned else "align"
    return _averages("roi_align", input, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, mode)


@operator(namespace=SPACE, method=False, out=False)
def ps_roi_align(
    input: Tensor, rois: Tensor, spatial_scale: float, pooled_height: Whole, pooled_width: Whole, sampling_ratio: Whole
) -> tuple[Tensor, Tensor]:
    """As roi_align, each bin of a group of channels of its own; and the channel that each bin is made of.

    Args:
        input: images (N, C * pooled_height * pooled_width, H, W).
        rois, spatial_scale, pooled_height, pooled_width, sampling_ratio: as roi_align's.

    Returns:
        Two of (K, C, pooled_height, pooled_width).
    """
    y = _averages("ps_roi_align", input, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, "ps")
    return y, _grouped("ps_roi_align", input, pooled_height, pooled_width, rois)


@operator(namespace=SPACE, method=False, out=False)
def ps_roi_pool(
    input: Tensor, rois: Tensor, spatial_scale: float, pooled_height: Whole, pooled_width: Whole
) -> tuple[Tensor, Tensor]:
    """The means of the pixels of bins, each of a group of channels of its own; and the channel that each is made of.

    Args:
        input, rois, pooled_height, pooled_width: as ps_roi_align's.
        spatial_scale: what the coordinates are multiplied by, before they are rounded.

    Returns:
        As ps_roi_align's.
    """
    y = _averages("ps_roi_pool", input, rois, spatial_scale, pooled_height, pooled_width, 0, "ps_whole")
    return y, _grouped("ps_roi_pool", input, pooled_height, pooled_width, rois)


@operator(namespace=SPACE, method=False, out=False)
def roi_pool(
    input: Tensor, rois: Tensor, spatial_scale: float, pooled_height: Whole, pooled_width: Whole
) -> tuple[Tensor, Tensor]:
    """The largest pixels of bins, 0 where one has none; and where they are in their planes, -1 for those.

    Args:
        input, rois, pooled_height, pooled_width: as roi_align's.
        spatial_scale: what the coordinates are multiplied by, before they are rounded.

    Returns:
        Two of (K, C, pooled_height, pooled_width).
    """
    x, at, boxes = _regions("roi_pool", input, rois, spatial_scale, pooled_height, pooled_width)
    y, place = P.region_largest(x, at, boxes, rows=pooled_height, columns=pooled_width, name="roi_pool")
    return convert(y, input.dtype), place
