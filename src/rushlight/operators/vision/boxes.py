"""Boxes that overlap: torchvision's operators."""

from __future__ import annotations

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.reductions.sorting import argsort
from rushlight.operators.table.arguments import undefined_for
from rushlight.operators.table.arrays import need_data
from rushlight.operators.table.checks import check_one_dtype
from rushlight.operators.table.define import TABLE, eager, operator
from rushlight.operators.table.tracer import P, convert, filled
from rushlight.operators.vision.regions import SPACE
from rushlight.program.sym import hints


@operator(register=False, method=False, out=False)
def _kept(dets: Tensor, scores: Tensor, iou_threshold: float) -> tuple[Tensor, Tensor]:
    """(numbers of the boxes that are kept, by falling score, and then anything; how many there are)."""
    order = argsort(scores, 0, True, True)
    boxes = P.buffered(P.gather(dets, order, dims=(0,)))
    numbers, count = P.boxes_keep(boxes, filled(iou_threshold, convert(0.0, dt.float64)))
    return P.gather(order, numbers, dims=(0,)), count


@eager(namespace=SPACE, method=False, shape_class="data-dependent", checked=True)
def nms(dets: Tensor, scores: Tensor, iou_threshold: float) -> Tensor:
    """The numbers of the boxes, int64 and by falling score, that overlap none of a higher score that is kept by more
    than the threshold, as intersection over union; of equal scores the first comes first.

    Args:
        dets: (N, 4): x1, y1, x2, y2.
        scores: (N,), of the same dtype.
        iou_threshold: the number that the overlap must exceed.
    """
    if dets.ndim != 2 or dets.shape[1] != 4:
        raise RuntimeError(f"nms(): 'dets' must be of the shape [N, 4]; found {hints(dets.shape)}")
    if scores.ndim != 1 or scores.shape[0] != dets.shape[0]:
        raise RuntimeError(
            f"nms(): 'scores' must be of the shape [{dets.shape[0]}], one for each box; found {hints(scores.shape)}"
        )
    if dets.dtype not in (dt.float32, dt.float64):
        raise undefined_for("nms", dets.dtype)
    check_one_dtype("nms()", "'dets' and 'scores'", dets, scores)
    for x in (dets, scores):
        need_data(x, "nms")
    numbers, count = _kept(dets.detach(), scores.detach(), iou_threshold)
    return TABLE["narrow"](numbers, 0, 0, count.item()).clone()


@operator(namespace=SPACE, method=False, out=False)
def box_iou_rotated(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    """Intersection over union of each of some rectangles with each of others, float32 (N, M); it has no derivative.

    Args:
        boxes1: (N, 5): x and y of the centre, width, height, angle in degrees.
        boxes2: (M, 5), of the same dtype.
    """
    for argument, boxes in (("boxes1", boxes1), ("boxes2", boxes2)):
        if boxes.ndim != 2 or boxes.shape[1] != 5:
            raise RuntimeError(
                f"box_iou_rotated(): '{argument}' must be of the shape [N, 5]; found {hints(boxes.shape)}"
            )
    if boxes1.dtype not in (dt.float32, dt.float64):
        raise undefined_for("box_iou_rotated", boxes1.dtype)
    check_one_dtype("box_iou_rotated()", "'boxes1' and 'boxes2'", boxes1, boxes2)
    return P.boxes_turned(boxes1, boxes2)
