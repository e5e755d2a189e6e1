"""Frames of 8 bits in 4:2:0, as most videos have them, become RGB where they are wanted, by a routine of the core.

FFmpeg's own conversion writes to memory of its own, from which each picture would be copied. The bytes are those of
FFmpeg: where its build for this processor gives others, or a frame is of another kind, it converts.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from rushlight.compat.torchcodec.sources import library
from rushlight.core import _native

__all__ = ["converted"]

# What red and blue have of brightness, by the number that ITU-T H.273 gives the matrix; all others are BT.601's.
_BRIGHTNESS = {1: (0.2126, 0.0722), 4: (0.30, 0.11), 7: (0.212, 0.087), 9: (0.2627, 0.0593)}
_BT601 = (0.299, 0.114)
_FULL = 2  # PyAV's number of the range 0 to 255
_FORMATS = ("yuv420p", "yuvj420p")

Weights = tuple[int, int, int, int, int, int]


def _weights(space: int, full: bool) -> Weights:
    """The numbers of the core's `rl_colours`, from `black` on."""
    red, blue = _BRIGHTNESS.get(space, _BT601)
    green = 1 - red - blue
    bright, colour = (1.0, 1.0) if full else (255 / 219, 255 / 224)
    of_red, of_blue = 2 * (1 - red) * colour, 2 * (1 - blue) * colour
    parts = (bright, of_red, -of_blue * blue / green, -of_red * red / green, of_blue)
    y_all, v_red, u_green, v_green, u_blue = (round(part * 2**13) for part in parts)
    return 0 if full else 8 * 16, y_all, v_red, u_green, v_green, u_blue


def _convert(frame: Any, weights: Weights, into: Any) -> None:
    y, u, v = frame.planes
    _native.rgb_of_colours(y, u, v, (y.line_size, u.line_size, v.line_size), weights, into)


@cache
def _agreed(format: str, space: int, scope: int) -> Weights | None:
    """The weights with which the core's bytes are FFmpeg's for frames of a kind, on a picture of all sorts of colours;
    None where they are not.
    """
    import numpy as np
    from av.video.reformatter import VideoReformatter

    weights = _weights(space, format == "yuvj420p" or scope == _FULL)
    frame = library().VideoFrame(202, 128, format)
    draw = np.random.default_rng(0)
    for plane in frame.planes:
        plane.update(draw.integers(0, 256, plane.buffer_size, np.uint8).tobytes())
    frame.colorspace, frame.color_range = space, scope
    try:
        rgb: Any = VideoReformatter().reformat(frame, format="rgb24", threads=1).planes[0]
    except library().FFmpegError:
        return None
    theirs = np.frombuffer(rgb, np.uint8).reshape(frame.height, rgb.line_size)[:, : 3 * frame.width]
    ours = np.empty((frame.height, frame.width, 3), np.uint8)
    _convert(frame, weights, ours)
    return weights if np.array_equal(ours.reshape(theirs.shape), theirs) else None


def converted(frame: Any, into: Any) -> bool:
    """Write a frame as RGB, with FFmpeg's bytes, unless it is of another kind than the core converts.

    Args:
        frame: PyAV's frame.
        into: an array (H, W, 3) of uint8, row by row.

    Returns:
        whether it was written.
    """
    if frame.format.name not in _FORMATS or frame.height % 2 or min(p.line_size for p in frame.planes) < 0:
        return False
    weights = _agreed(frame.format.name, int(frame.colorspace), int(frame.color_range))
    if weights is None:
        return False
    _convert(frame, weights, into)
    return True
