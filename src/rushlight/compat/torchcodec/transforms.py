"""Transforms that a decoder makes of its frames, before they become tensors."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import rushlight

__all__ = ["CenterCrop", "DecoderTransform", "RandomCrop", "Resize"]

# A step of a transform on an array (H, W, 3); it is given the function that scales pictures.
Scale = Callable[[Any, int, int], Any]
Step = Callable[[Any, Scale], Any]


_LONGEST = 1 << 15  # the side of a picture


class DecoderTransform(ABC):
    """A transform of a decoder's frames."""

    @abstractmethod
    def _planned(self, height: int, width: int) -> tuple[int, int, Step]:
        """The size that comes out of pictures of this size, and how."""


def _pair(who: str, size: Sequence[int]) -> tuple[int, int]:
    if not isinstance(size, Sequence) or len(size) != 2 or not all(0 < n <= _LONGEST for n in size):
        raise ValueError(f"{who}: size of (height, width), each from 1 to {_LONGEST}, expected, found {size}")
    return int(size[0]), int(size[1])


class Resize(DecoderTransform):
    """Scale frames to a size, bilinearly.

    Args:
        size: (height, width) of what comes out.
    """

    def __init__(self, size: Sequence[int]) -> None:
        self.size = size

    def _planned(self, height: int, width: int) -> tuple[int, int, Step]:
        rows, columns = _pair("Resize", self.size)
        return rows, columns, lambda picture, scale: scale(picture, rows, columns)


class CenterCrop(DecoderTransform):
    """Cut the middle out of frames.

    Args:
        size: (height, width) of what comes out.
    """

    def __init__(self, size: Sequence[int]) -> None:
        self.size = size

    def _place(self, rows: int, columns: int) -> tuple[int, int]:
        # As torchvision rounds: halves to even.
        return round(rows / 2), round(columns / 2)

    def _planned(self, height: int, width: int) -> tuple[int, int, Step]:
        who = type(self).__name__
        rows, columns = _pair(who, self.size)
        if rows > height or columns > width:
            raise RuntimeError(
                f"{who}: a size within the frames' {height} x {width} expected, found {rows} x {columns}"
            )
        top, left = self._place(height - rows, width - columns)
        return rows, columns, lambda picture, scale: picture[top : top + rows, left : left + columns]


class RandomCrop(CenterCrop):
    """Cut a part out of frames; its place is drawn once for a decoder.

    Args:
        size: (height, width) of what comes out.
    """

    def _place(self, rows: int, columns: int) -> tuple[int, int]:
        top, left = (int(rushlight.randint(0, most + 1, (1,)).item()) for most in (rows, columns))
        return top, left


def planned(transforms: Sequence[Any] | None, height: int, width: int) -> tuple[int, int, list[Step]]:
    """What transforms make of frames of a size.

    Args:
        transforms: transforms of this module, or torchvision's v2 `Resize`, `CenterCrop` and `RandomCrop`.
        height: rows of a frame.
        width: columns of a frame.

    Returns:
        rows and columns of what comes out, and the steps.

    Raises:
        ValueError: a transform of another kind.
    """
    steps = []
    for transform in transforms or ():
        height, width, step = _own(transform)._planned(height, width)
        steps.append(step)
    return height, width, steps


def _own(transform: Any) -> DecoderTransform:
    if isinstance(transform, DecoderTransform):
        return transform
    v2 = sys.modules.get("torchvision.transforms.v2")
    for kind in (Resize, CenterCrop, RandomCrop):
        if v2 is not None and type(transform) is getattr(v2, kind.__name__):
            beyond = {"interpolation": "bilinear", "max_size": None, "padding": None, "pad_if_needed": False}
            for name, usual in beyond.items():
                found = getattr(transform, name, usual)
                if getattr(found, "value", found) != usual:
                    raise ValueError(f"VideoDecoder: {kind.__name__} with {name}={usual!r} expected, found {found!r}")
            return kind(transform.size)
    raise ValueError(
        "VideoDecoder: transforms of torchcodec.transforms, or Resize, CenterCrop and RandomCrop of "
        f"torchvision.transforms.v2 expected, found {transform!r}"
    )
