"""Containers that FFmpeg opens: from files, URLs, bytes, tensors of bytes and file-like objects."""

from __future__ import annotations

import io
import os
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import rushlight
from rushlight import Tensor

__all__ = ["MOST_CHANNELS", "MOST_SAMPLES", "Source", "faults", "library", "limited", "open_source", "pick_stream"]

MOST_SAMPLES, MOST_CHANNELS = 1 << 24, 64  # a second, and of one stream

Source = str | Path | io.RawIOBase | io.BufferedReader | bytes | Tensor


def library() -> ModuleType:
    """PyAV, which binds FFmpeg."""
    try:
        import av
    except ImportError as e:
        raise ModuleNotFoundError(
            "torchcodec: PyAV is expected, which binds FFmpeg: `pip install av`", name="av"
        ) from e
    return av


def faults() -> tuple[type[Exception], ...]:
    """The errors that PyAV raises while it reads a file that is cut or damaged."""
    # A packet of a stream that only appears in the middle of the file is one of no stream that PyAV knows.
    return library().FFmpegError, IndexError


def limited(who: str, name: str, value: float | None, most: float, error: type[Exception] = ValueError) -> None:
    """An error unless a number is left out, or positive and at most what FFmpeg takes."""
    if value is not None and not 0 < value <= most:
        raise error(f"{who}: {name} above 0 and up to {most} expected, found {value}")


def _refuse_source(who: str, source: Any) -> NoReturn:
    raise TypeError(
        f"{who}: a source of type str, Path, bytes or Tensor, or a file-like object with read(size) and "
        f"seek(offset, whence), expected, found {type(source).__name__}"
    )


def _readable(who: str, source: Any) -> Any:
    """What FFmpeg reads from: a name, or an object with `read` and `seek`."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    if isinstance(source, Tensor):
        if source.dtype != rushlight.uint8 or source.ndim != 1:
            raise RuntimeError(
                f"{who}: a source of one dimension of dtype uint8 expected, found {source.ndim} of {source.dtype}"
            )
        source = source.numpy().tobytes()
    if isinstance(source, (bytes, bytearray, memoryview)):
        if not len(source):
            raise ValueError(f"{who}: the contents of a file expected as source, found no bytes")
        return io.BytesIO(source)
    if not hasattr(source, "read") or not hasattr(source, "seek"):
        _refuse_source(who, source)
    source.seek(0)
    return source


def open_source(who: str, source: Source) -> Any:
    """Open a container to read from.

    Args:
        who: the class that asks, for messages.
        source: a path or URL, the file's bytes (also as a uint8 tensor of one dimension), or a file-like object.

    Returns:
        PyAV's container.

    Raises:
        TypeError: it is nothing of these.
        ValueError: it has no bytes.
        RuntimeError: FFmpeg can't open it.
    """
    av = library()
    readable = _readable(who, source)
    try:
        # Names of streams and the like need not be UTF-8.
        return av.open(readable, metadata_errors="replace")
    except (av.FFmpegError, OSError, ValueError) as e:
        shown = repr(readable) if isinstance(readable, str) else type(source).__name__
        raise RuntimeError(f"{who}: a file that FFmpeg can open expected, found {shown}: {e}") from e


def pick_stream(who: str, container: Any, kind: str, index: int | None) -> Any:
    """The stream to decode.

    Args:
        who: the class that asks, for messages.
        container: PyAV's container.
        kind: "video" or "audio".
        index: the stream's place in the container; None takes FFmpeg's best.

    Returns:
        PyAV's stream.

    Raises:
        ValueError: there is no such stream, or it is of another kind.
        RuntimeError: FFmpeg can't decode it.
    """
    if index is not None and not 0 <= index < len(container.streams):
        raise ValueError(f"{who}: stream_index below {len(container.streams)} expected, found {index}")
    stream = container.streams.best(kind) if index is None else container.streams[index]
    if stream is None:
        raise ValueError(f"{who}: the container has no {kind} stream")
    if stream.type != kind:
        raise ValueError(f"{who}: a {kind} stream expected at stream_index={index}, found {stream.type}")
    if stream.codec_context is None or not stream.time_base:
        raise RuntimeError(f"{who}: a codec that FFmpeg can decode expected in stream {stream.index}, found none")
    return stream
