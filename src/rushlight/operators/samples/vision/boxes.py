"""Samples of boxes that overlap."""

from __future__ import annotations

from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples

_SPACE = "ops.torchvision"
_BY_DATA = "the number of results depends on the data"


def _boxes(make: Make, count: int) -> Any:
    import rushlight

    first = make((count, 2), low=0.0, high=6.0)
    return rushlight.cat([first, first + make((count, 2), low=1.0, high=4.0)], 1)


def _over_union(np: Any, a: Any, b: Any) -> Any:
    sides = np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0)
    common = sides[0] * sides[1]
    return common / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - common)


def _kept(np: Any, dets: Any, scores: Any, iou_threshold: float) -> Any:
    kept: list[int] = []
    for i in np.argsort(-scores, kind="stable"):
        if not any(_over_union(np, dets[j], dets[i]) > iou_threshold for j in kept):
            kept.append(i)
    return np.array(kept, np.int64)


@samples(f"{_SPACE}.nms", dtypes="float32 float64", reference=_kept, grad=False, skip={"data": _BY_DATA})
def _(make: Make) -> Samples:
    for count in (0, 1, 7, 150):
        yield Sample(_boxes(make, count), make((count,), low=0.0, high=1.0), 0.3)
    many = _boxes(make, 20)
    yield Sample(many, make((20,), low=0.0, high=2.0).round(), 0.5)  # equal scores
    yield Sample(many, make((20,)), 0.0)
    yield ErrorSample(
        RuntimeError, r"'dets' must be of the shape \[N, 4\]; found \[3, 5\]", make((3, 5)), make((3,)), 0.5
    )
    yield ErrorSample(RuntimeError, r"'scores' must be of the shape \[3\]", make((3, 4)), make((2,)), 0.5)
    yield ErrorSample(RuntimeError, "'dets' and 'scores' must be of one dtype", make((3, 4)), make((3,)).half(), 0.5)
    yield ErrorSample(NotImplementedError, "not (implemented|defined) for", make((3, 4)).long(), make((3,)).long(), 0.5)
    yield ErrorSample(TypeError, "'iou_threshold'", make((3, 4)), make((3,)), "much")


def _turned(np: Any, a: Any, b: Any) -> Any:
    """By the places of a fine grid that lie in the rectangles: within a part in a hundred."""

    def inside(box: Any, points: Any) -> Any:
        angle = -np.deg2rad(box[4])
        x, y = (points - box[:2]).T
        across, along = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
        return (abs(across) <= box[2] / 2) & (abs(along) <= box[3] / 2)

    axis = np.linspace(-8, 8, 1601)
    points = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2)
    first, second = ([inside(box, points) for box in boxes] for boxes in (a, b))
    found = [[(p & q).sum() / (p | q).sum() for q in second] for p in first]
    return np.array(found, np.float32).reshape(len(a), len(b))


def _rectangles(make: Make, count: int) -> Any:
    import rushlight

    sides = make((count, 2), low=2.0, high=5.0)
    return rushlight.cat([make((count, 2)), sides, make((count, 1), low=-90.0, high=360.0)], 1)


@samples(
    f"{_SPACE}.box_iou_rotated",
    dtypes="float32 float64",
    reference=_turned,
    grad=False,
    tolerance=1000.0,
    skip={"grad": "it has no derivative, as in torchvision"},
)
def _(make: Make) -> Samples:
    yield Sample(_rectangles(make, 2), _rectangles(make, 3))
    same = _rectangles(make, 2)
    yield Sample(same, same)
    yield Sample(_rectangles(make, 0), _rectangles(make, 2))
    yield ErrorSample(
        RuntimeError, r"'boxes2' must be of the shape \[N, 5\]; found \[2, 4\]", make((2, 5)), make((2, 4))
    )
    yield ErrorSample(RuntimeError, "must be of one dtype", make((2, 5)), make((2, 5)).half())
    yield ErrorSample(NotImplementedError, "not (implemented|defined) for", make((2, 5)).half(), make((2, 5)).half())
