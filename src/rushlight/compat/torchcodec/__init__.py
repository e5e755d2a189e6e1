"""`torchcodec`: video and audio as tensors, decoded and encoded by FFmpeg through PyAV.

Programs that `import torchcodec` get this package while rushlight stands in for torch, whether torchcodec's own wheel
is installed or not (its libraries are linked against libtorch). It needs `av`.
"""

from __future__ import annotations

from rushlight.compat.torchcodec import decoders, encoders, samplers, transforms
from rushlight.compat.torchcodec.frames import AudioSamples, Frame, FrameBatch
from rushlight.compat.torchcodec.sources import library
from rushlight.compat.version import TORCHCODEC

__all__ = ["AudioSamples", "Frame", "FrameBatch", "decoders", "encoders", "samplers", "transforms"]
__version__ = TORCHCODEC

_AVCODEC_TO_FFMPEG = 54  # FFmpeg N has shipped libavcodec N + 54 since version 4


def __getattr__(name: str) -> object:
    if name == "ffmpeg_major_version":
        return library().library_versions["libavcodec"][0] - _AVCODEC_TO_FFMPEG
    raise AttributeError(f"module 'torchcodec' has no attribute {name!r}")
