"""Primitives of regions of images, and of boxes: a routine computes them (`core/native/regions.c`)."""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core.dtypes import float32, float64, int32, int64
from rushlight.prims.base import check, full_like, move_dim, only, p, register, to_front
from rushlight.prims.types import Batched, Operands, ShapeRule, Tangents
from rushlight.program.ir import Primitive, Shape, Var
from rushlight.program.sym import Int

# How bins are made of samples or pixels, by their numbers in native/regions.h; the last two take each bin from a group
# of channels of its own.
MODES = ("align", "half", "ps", "ps_whole")


def _joined(x: Var, dim: int) -> Var:
    """Dimensions dim and dim + 1 as one."""
    return p.reshape(x, shape=(*x.shape[:dim], x.shape[dim] * x.shape[dim + 1], *x.shape[dim + 2 :]))


def _apart(x: Var, dim: int, size: Int) -> Var:
    """Dimension `dim` as two, the first of `size`."""
    return p.reshape(x, shape=(*x.shape[:dim], size, x.shape[dim] // size, *x.shape[dim + 1 :]))


class _Regions(Primitive):
    """What they share: images (N, C, H, W) or bins (K, C, rows, columns), the number of the image of each region (K,),
    int64, and its box (K, 4): x1, y1, x2, y2 in pixels.
    """

    apart = "what is read depends on the boxes"
    kind, shape_class = "library", "index"

    def check_regions(self, x: Var, at: Var, boxes: Var) -> None:
        """ValueError or TypeError where they do not fit."""
        check(x.ndim == 4, self, lambda: f"expected a rank of 4; found {x}")
        check(
            at.ndim == 1 and at.dtype is int64 and boxes.shape == (at.shape[0], 4) and boxes.dtype is x.dtype,
            self,
            lambda: f"expected the numbers of images, and boxes of the dtype of {x}; found {at} and {boxes}",
            TypeError,
        )

    def batch_regions(
        self, images: Int, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, x_is_bins: bool
    ) -> tuple[Var, Var, Var, bool]:
        """The operands of all examples as those of one call: as further channels where only x has a batch, else as
        further images and regions (True).
        """
        x, at, boxes = inputs
        if dims[1] is None and dims[2] is None:
            return _joined(move_dim(to_front(x, dims[0], size), 0, 1), 1), at, boxes, False
        at, boxes = to_front(at, dims[1], size), to_front(boxes, dims[2], size)
        if x_is_bins or dims[0] is not None:
            x = _joined(to_front(x, dims[0], size), 0)
            first = p.mul(p.iota(shape=at.shape, dim=0, dtype=int64), full_like(at, images))
            at = p.add(at, first)
        return x, _joined(at, 0), _joined(boxes, 0), True


class RegionAverage(_Regions):
    """region_average(images, at, boxes; rows, columns, sampling, mode, name) -> bins: averages of a region's bins;
    name: the operator's, for errors."""

    name, linear = "region_average", (0,)

    def shape(self, *inputs: Var, rows: Int, columns: Int, sampling: Int, mode: str, name: str) -> ShapeRule:
        x, at, boxes = inputs
        self.check_regions(x, at, boxes)
        channels = x.shape[1] if mode in MODES[:2] else x.shape[1] // (rows * columns)
        return [((at.shape[0], channels, rows, columns), x.dtype)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        if tangents[0] is None:
            return [full_like(outputs[0], 0)]
        return [self(tangents[0], *inputs[1:], **params)]

    def transpose(self, cts: Tangents, inputs: Operands, **params: Any) -> Tangents:
        return [p.region_spread(only(cts), *inputs[1:], images=tuple(inputs[0].shape), **params), None, None]

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        images = inputs[0].shape[0 if dims[0] is None or dims[0] > 0 else 1]
        *moved, regions = self.batch_regions(images, inputs, dims, size, False)
        out = self(*moved, **params)
        return ([_apart(out, 0, size)], [0]) if regions else ([_apart(out, 1, size)], [1])


class RegionSpread(_Regions):
    """region_spread(bins, at, boxes; images, ...) -> images of these sizes: the transpose of region_average."""

    name, linear = "region_spread", (0,)

    def shape(self, *inputs: Var, images: Shape, **params: Any) -> ShapeRule:
        self.check_regions(*inputs)
        return [(tuple(images), inputs[0].dtype)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return [None if tangents[0] is None else self(tangents[0], *inputs[1:], **params)]

    def transpose(self, cts: Tangents, inputs: Operands, *, images: Shape, **params: Any) -> Tangents:
        return [p.region_average(only(cts), *inputs[1:], **params), None, None]

    def batch(
        self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, *, images: Shape, **params: Any
    ) -> Batched:
        n, channels, *plane = images
        *moved, regions = self.batch_regions(n, inputs, dims, size, True)
        if regions:
            return [_apart(self(*moved, images=(size * n, channels, *plane), **params), 0, size)], [0]
        return [_apart(self(*moved, images=(n, size * channels, *plane), **params), 1, size)], [1]


class RegionLargest(_Regions):
    """region_largest(images, at, boxes; rows, columns, name) -> (the largest element of each bin of pixels, NaN above
    all; where it is in its plane, int32, the first of equals): 0 and -1 in a bin of none.
    """

    name, multiple = "region_largest", True

    def shape(self, *inputs: Var, rows: Int, columns: Int, name: str) -> ShapeRule:
        x, at, boxes = inputs
        self.check_regions(x, at, boxes)
        shape = (at.shape[0], x.shape[1], rows, columns)
        return [(shape, x.dtype), (shape, int32)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        (t, *_), (_, at, _), (_, place) = tangents, inputs, outputs
        if t is None:
            return [full_like(outputs[0], 0), None]
        n, channels, height, width = t.shape
        if 0 in (height, width):  # no bin has a pixel: 0, as the sum of no pixels is
            none = p.reduce_sum(t, dims=(0, 1, 2, 3))
            return [p.broadcast_in_dim(none, shape=place.shape, dims=()), None]
        some = p.ge(place, full_like(place, 0))
        index = (
            p.broadcast_in_dim(at, shape=place.shape, dims=(0,)),
            p.iota(shape=place.shape, dim=1, dtype=int64),
            p.convert(p.select(some, place, full_like(place, 0)), dtype=int64),
        )
        found = p.gather(p.reshape(t, shape=(n, channels, height * width)), *index, dims=(0, 1, 2))
        return [p.select(some, found, full_like(found, 0)), None]

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        images = inputs[0].shape[0 if dims[0] is None or dims[0] > 0 else 1]
        *moved, regions = self.batch_regions(images, inputs, dims, size, False)
        d = 0 if regions else 1
        return [_apart(out, d, size) for out in self.several(*moved, **params)], [d, d]


class BoxesKeep(Primitive):
    """boxes_keep(boxes, threshold) -> (the numbers of the boxes that overlap no kept box before them by more than the
    threshold, how many these are): boxes (n, 4), and n numbers, of which those past the count are 0.
    """

    apart = "whether a box stays depends on those before it"
    name, kind, shape_class, multiple = "boxes_keep", "library", "data-dependent", True

    def shape(self, *inputs: Var) -> ShapeRule:
        boxes, threshold = inputs
        check(
            boxes.ndim == 2 and boxes.dtype in (float32, float64) and boxes.shape[1] == 4,
            self,
            lambda: f"expected boxes; found {boxes}",
        )
        check(not threshold.shape and threshold.dtype is float64, self, lambda: f"no threshold: {threshold}")
        return [((boxes.shape[0],), int64), ((), int64)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return [None, None]


class BoxesTurned(Primitive):
    """boxes_turned(a, b) -> (n, m), float32: intersection over union of rectangles (n, 5) and (m, 5): centre, width,
    height, angle in degrees.
    """

    apart = "a routine cuts pairs of boxes"
    name, kind, shape_class = "boxes_turned", "library", "contraction"

    def shape(self, *inputs: Var) -> ShapeRule:
        a, b = inputs
        check(
            a.ndim == b.ndim == 2 and a.dtype is b.dtype,
            self,
            lambda: f"expected rectangles of one dtype; found {a} and {b}",
        )
        return [((a.shape[0], b.shape[0]), float32)]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return [None]

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        a, b = inputs
        if dims[1] is None:
            return [_apart(self(_joined(to_front(a, dims[0], size), 0), b), 0, size)], [0]
        b = _joined(to_front(b, dims[1], size), 0)
        if dims[0] is None:
            return [_apart(self(a, b), 1, size)], [1]
        out = _apart(_apart(self(_joined(to_front(a, dims[0], size), 0), b), 1, size), 0, size)  # size, n, size, m
        return [move_dim(p.diagonal(out, offset=0, dim1=0, dim2=2), 2, 0)], [0]


region_average, region_spread = register(RegionAverage()), register(RegionSpread())
region_largest, boxes_keep, boxes_turned = register(RegionLargest()), register(BoxesKeep()), register(BoxesTurned())
