"""Samples of pooling of regions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rushlight.operators.samples._registry import ErrorSample, Make, Sample, Samples, samples

_SPACE = "ops.torchvision"


def _rois(make: Make, count: int = 3, images: int = 2) -> Any:
    """Regions (count, 5) of images of about 7 pixels, over their edges too."""
    import rushlight

    first = make((count, 2), low=-1.0, high=3.0, requires_grad=False)
    size = make((count, 2), low=1.0, high=6.0, requires_grad=False)
    image = make.index((count, 1), images).to(first.dtype)
    return rushlight.cat([image, first, first + size], 1)


def _errors(make: Make, *rest: Any) -> Iterator[ErrorSample]:
    x, rois = make((2, 4, 7, 8)), _rois(make)
    yield ErrorSample(RuntimeError, r"'rois' must be of the shape \[K, 5\]; found \[3, 4\]", x, rois[:, :4], *rest)
    yield ErrorSample(RuntimeError, r"'input' must be of 4 dimensions .N, C, H, W.; found", x[0], rois, *rest)
    yield ErrorSample(RuntimeError, "'input' and 'rois' must be of one dtype; found", x, rois.double(), *rest)
    yield ErrorSample(NotImplementedError, "not (implemented|defined) for", x.long(), rois.long(), *rest)
    yield ErrorSample(IndexError, r"must be the number of an image, in \[0, 2\)", x, rois + 2, *rest)
    yield ErrorSample(RuntimeError, "must be at least 1 in each dimension", x, rois, rest[0], 0, *rest[2:])


def _sample(np: Any, plane: Any, y: float, x: float) -> float:
    """A bilinear sample of a plane, 0 farther outside than a pixel."""
    h, w = plane.shape
    if not plane.size or y < -1 or y > h or x < -1 or x > w:
        return 0.0
    y, x = min(max(y, 0.0), h - 1), min(max(x, 0.0), w - 1)
    i, j = int(y), int(x)
    rows = plane[[i, min(i + 1, h - 1)]]
    return float((1 - (y - i), y - i) @ (rows[:, [j, min(j + 1, w - 1)]] @ np.array([1 - (x - j), x - j])))


def _aligned(
    np: Any,
    input: Any,
    rois: Any,
    scale: float,
    rows: int,
    columns: int,
    ratio: int,
    aligned: bool = True,
    own: bool = False,
) -> Any:
    """Averages of samples, as they are defined."""
    channels = input.shape[1] // (rows * columns) if own else input.shape[1]
    out = np.zeros((len(rois), channels, rows, columns))
    for k, (image, *box) in enumerate(rois):
        left, top, right, low = (v * scale - 0.5 * aligned for v in box)
        width, height = right - left, low - top
        if not aligned:
            width, height = max(width, 1.0), max(height, 1.0)
        ny, nx = (ratio, ratio) if ratio > 0 else (int(np.ceil(height / rows)), int(np.ceil(width / columns)))
        for c, i, j in np.ndindex(channels, rows, columns):
            plane = input[int(image), (c * rows + i) * columns + j if own else c]
            found = [
                _sample(
                    np, plane, top + (i + (a + 0.5) / ny) * height / rows, left + (j + (b + 0.5) / nx) * width / columns
                )
                for a in range(ny)
                for b in range(nx)
            ]
            out[k, c, i, j] = sum(found) / max(len(found), 1)
    return out


def _of_own_channels(np: Any, input: Any, rois: Any, scale: float, rows: int, columns: int, ratio: int) -> Any:
    out = _aligned(np, input, rois, scale, rows, columns, ratio, own=True)
    return out, np.broadcast_to(np.arange(input.shape[1], dtype=np.int32).reshape(out.shape[1:]), out.shape)


@samples(f"{_SPACE}.roi_align", reference=_aligned, tolerance=8.0)
def _(make: Make) -> Samples:
    yield Sample(make((2, 3, 7, 8)), _rois(make), 1.0, 2, 3, 2, False)
    yield Sample(make((2, 3, 7, 8), noncontiguous=True), _rois(make), 0.5, 3, 2, -1, True)
    yield Sample(make((1, 40, 6, 5)), _rois(make, 2, 1), 1.5, 1, 1, 0, False)
    yield Sample(make((2, 3, 3, 40)), _rois(make), 4.0, 2, 2, 1, True)  # samples far apart
    yield Sample(make((2, 3, 4, 4)), _rois(make, 0), 1.0, 2, 2, 2, True)
    yield from _errors(make, 1.0, 2, 2, 2, False)
    yield ErrorSample(
        RuntimeError, "'sampling_ratio' must be at most 65536; found 65537", make((1, 4, 7, 8)), _rois(make, 2, 1),
        1.0, 2, 2, 65537, False,
    )  # fmt: skip


@samples(f"{_SPACE}.ps_roi_align", reference=_of_own_channels, tolerance=8.0)
def _(make: Make) -> Samples:
    yield Sample(make((2, 12, 7, 8)), _rois(make), 1.0, 2, 3, 2)
    yield Sample(make((2, 4, 7, 8), noncontiguous=True), _rois(make), 0.5, 2, 2, 0)
    yield Sample(make((2, 3, 6, 5)), _rois(make), 1.0, 1, 1, 2)
    yield Sample(make((2, 8, 4, 4)), _rois(make, 0), 1.0, 2, 2, 2)
    yield from _errors(make, 1.0, 2, 2, 2)
    yield ErrorSample(
        RuntimeError, r"must be a multiple of pooled_height \* pooled_width, 6; found 8", make((2, 8, 7, 8)),
        _rois(make), 1.0, 2, 3, 2,
    )  # fmt: skip


def _whole(np: Any, box: Any, rows: int, columns: int, more: int, most: Any) -> Any:
    """The bins of whole pixels: [(rows' range, columns' range)] by bin."""
    left, top, right, low = (np.floor(abs(v) + 0.5) * np.sign(v) for v in box)
    bins = []
    for start, end, n, bound in ((top, low, rows, most[0]), (left, right, columns, most[1])):
        size = max(end - start + more, 1) / n
        ends = [(np.floor(b * size) + start, np.ceil((b + 1) * size) + start) for b in range(n)]
        bins.append([[int(min(max(v, 0), bound)) for v in pair] for pair in ends])
    return bins


def _means(np: Any, input: Any, rois: Any, scale: float, rows: int, columns: int) -> Any:
    channels = input.shape[1] // (rows * columns)
    out = np.zeros((len(rois), channels, rows, columns))
    for k, (image, *box) in enumerate(rois):
        most = [n - 1 for n in input.shape[2:]]
        ys, xs = _whole(np, [np.float32(v) * np.float32(scale) for v in box], rows, columns, 0, most)
        for c, i, j in np.ndindex(channels, rows, columns):
            bin = input[int(image), (c * rows + i) * columns + j, slice(*ys[i]), slice(*xs[j])]
            out[k, c, i, j] = bin.mean() if bin.size else 0.0
    return out, np.broadcast_to(np.arange(input.shape[1], dtype=np.int32).reshape(out.shape[1:]), out.shape)


@samples(f"{_SPACE}.ps_roi_pool", reference=_means, tolerance=8.0)
def _(make: Make) -> Samples:
    yield Sample(make((2, 12, 7, 8)), _rois(make), 1.0, 2, 3)
    yield Sample(make((2, 4, 7, 8), noncontiguous=True), _rois(make), 0.5, 2, 2)
    yield Sample(make((2, 3, 6, 5)), _rois(make), 1.0, 1, 1)
    yield Sample(make((2, 8, 4, 4)), _rois(make, 0), 1.0, 2, 2)
    yield from _errors(make, 1.0, 2, 2)
    yield ErrorSample(
        RuntimeError, r"must be a multiple of pooled_height \* pooled_width, 6; found 8", make((2, 8, 7, 8)),
        _rois(make), 1.0, 2, 3,
    )  # fmt: skip


def _largest(np: Any, input: Any, rois: Any, scale: float, rows: int, columns: int) -> Any:
    channels, height, width = input.shape[1:]
    out = np.zeros((len(rois), channels, rows, columns))
    place = np.full(out.shape, -1, np.int32)
    for k, (image, *box) in enumerate(rois):
        ys, xs = _whole(np, [np.float32(v) * np.float32(scale) for v in box], rows, columns, 1, (height, width))
        for c, i, j in np.ndindex(channels, rows, columns):
            bin = input[int(image), c, slice(*ys[i]), slice(*xs[j])]
            if bin.size:
                at = int(bin.argmax())
                row, column = ys[i][0] + at // bin.shape[1], xs[j][0] + at % bin.shape[1]
                out[k, c, i, j], place[k, c, i, j] = bin.max(), row * width + column
    return out, place


@samples(f"{_SPACE}.roi_pool", reference=_largest)
def _(make: Make) -> Samples:
    yield Sample(make((2, 3, 7, 8)), _rois(make), 1.0, 2, 3)
    yield Sample(make((2, 3, 7, 8), noncontiguous=True), _rois(make), 0.5, 3, 2)
    yield Sample(make((1, 40, 6, 5)), _rois(make, 2, 1), 1.5, 7, 7)
    yield Sample(make((2, 3, 4, 4)), _rois(make, 0), 1.0, 2, 2)
    yield from _errors(make, 1.0, 2, 2)
