"""What decoders return: a frame, a batch of frames, samples of sound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import rushlight
from rushlight import Tensor

__all__ = ["AudioSamples", "Frame", "FrameBatch"]


def _described(self: Any) -> str:
    lines = [f"{type(self).__name__}:"]
    for field in fields(self):
        value = getattr(self, field.name)
        lines.append(f"  data (shape): {value.shape}" if field.name == "data" else f"  {field.name}: {value}")
    return "\n".join(lines) + "\n"


@dataclass(repr=False)
class Frame:
    """A decoded picture.

    Args:
        data: uint8 (or float32) of shape (C, H, W), or (H, W, C).
        pts_seconds: when it is first shown, in seconds.
        duration_seconds: for how long, in seconds.

    Raises:
        ValueError: `data` is not of three dimensions.
    """

    data: Tensor
    pts_seconds: float
    duration_seconds: float

    def __post_init__(self) -> None:
        if self.data.ndim != 3:
            raise ValueError(f"Frame: data of 3 dimensions expected, found {self.data.ndim}")
        self.pts_seconds, self.duration_seconds = float(self.pts_seconds), float(self.duration_seconds)

    def __iter__(self) -> Iterator[Tensor | float]:
        yield from (self.data, self.pts_seconds, self.duration_seconds)

    __repr__ = _described


@dataclass(repr=False)
class FrameBatch:
    """Decoded pictures of one size.

    Args:
        data: uint8 (or float32) of shape (..., C, H, W), or (..., H, W, C).
        pts_seconds: float64 of shape (...), seconds.
        duration_seconds: float64 of shape (...), seconds.

    Raises:
        ValueError: the leading dimensions of the three differ, or `data` has fewer than three.
    """

    data: Tensor
    pts_seconds: Tensor
    duration_seconds: Tensor

    def __post_init__(self) -> None:
        if self.data.ndim < 3:
            raise ValueError(f"FrameBatch: data of at least 3 dimensions expected, found {self.data.ndim}")
        self.pts_seconds = rushlight.as_tensor(self.pts_seconds, dtype=rushlight.float64)
        self.duration_seconds = rushlight.as_tensor(self.duration_seconds, dtype=rushlight.float64)
        leading = self.data.shape[:-3]
        for name in ("pts_seconds", "duration_seconds"):
            if (found := getattr(self, name).shape) != leading:
                raise ValueError(f"FrameBatch: {name} of shape {tuple(leading)} expected, found {tuple(found)}")

    def __iter__(self) -> Iterator[FrameBatch]:
        for data, pts, duration in zip(self.data, self.pts_seconds, self.duration_seconds, strict=True):
            yield FrameBatch(data, pts, duration)

    def __getitem__(self, key: Any) -> FrameBatch:
        return FrameBatch(self.data[key], self.pts_seconds[key], self.duration_seconds[key])

    def __len__(self) -> int:
        return len(self.data)

    __repr__ = _described


@dataclass(repr=False)
class AudioSamples:
    """Decoded sound.

    Args:
        data: float32 of shape (channels, samples), between -1 and 1.
        pts_seconds: when the first sample is heard, in seconds.
        duration_seconds: samples / sample_rate, in seconds.
        sample_rate: samples a second.
    """

    data: Tensor
    pts_seconds: float
    duration_seconds: float
    sample_rate: int

    def __post_init__(self) -> None:
        self.pts_seconds, self.duration_seconds = float(self.pts_seconds), float(self.duration_seconds)
        self.sample_rate = int(self.sample_rate)

    def __iter__(self) -> Iterator[Tensor | float]:
        yield from (self.data, self.pts_seconds, self.duration_seconds, self.sample_rate)

    __repr__ = _described
