"""Frames of a stream in the order in which they are shown, from wherever one seeks to."""

from __future__ import annotations

import json
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rushlight.compat.torchcodec.sources import faults, library

_LEAD = 10  # seconds
__all__ = ["FrameIndex", "FrameReader", "decoded", "mapped", "scanned", "seconds"]


def seconds(ticks: int, stream: Any) -> float:
    """A time in seconds of one in ticks of a stream's time base, rounded once."""
    return float(ticks * stream.time_base.numerator / stream.time_base.denominator)


class FrameIndex(NamedTuple):
    """When the frames of a stream are shown, in ticks of its time base."""

    pts: list[int]
    durations: list[int]
    keys: list[int]  # when frames are shown that need no other
    fault: str | None = None  # what ended the reading before the file did

    def at(self, ticks: float) -> int:
        """The index of the frame that is shown at a time."""
        return max(bisect_right(self.pts, ticks) - 1, 0)

    def key_frames(self) -> list[int]:
        """The indices of frames that need no other."""
        return [bisect_left(self.pts, key) for key in self.keys]


def _ordered(frames: list[tuple[int, int, bool]], fault: str | None = None) -> FrameIndex:
    frames.sort()
    return FrameIndex([f[0] for f in frames], [f[1] for f in frames], [f[0] for f in frames if f[2]], fault)


def scanned(container: Any, stream: Any) -> FrameIndex:
    """Read every packet of a stream, decoding none.

    Args:
        container: PyAV's container, at its beginning.
        stream: PyAV's stream.

    Returns:
        the frames; where the file is cut or damaged, those before the fault, and what it was.
    """
    frames: list[tuple[int, int, bool]] = []
    fault = None
    try:
        for packet in container.demux(stream):
            pts = packet.pts if packet.pts is not None else packet.dts
            if pts is not None and packet.size and not packet.is_discard:
                frames.append((pts, packet.duration or 0, packet.is_keyframe))
    except faults() as e:
        fault = str(e)
    return _ordered(frames, fault)


def mapped(who: str, text: Any) -> FrameIndex:
    """Frames as `ffprobe -show_frames -of json` lists them.

    Args:
        who: the class that asks, for messages.
        text: the JSON, as text, bytes or a file.

    Returns:
        the frames.

    Raises:
        ValueError: it is no such JSON.
    """
    try:
        listed = (json.load if hasattr(text, "read") else json.loads)(text)["frames"]
        frames = [
            (
                int(f.get("pts", f.get("pkt_pts"))),
                int(f.get("duration", f.get("pkt_duration", 0))),
                bool(f["key_frame"]),
            )
            for f in listed
        ]
    except (ValueError, KeyError, TypeError) as e:
        raise ValueError(
            f"{who}: custom_frame_mappings in the JSON of `ffprobe -show_frames` expected, with pts, duration and "
            f"key_frame of each frame; found {type(e).__name__}: {e}"
        ) from e
    if not frames:
        raise ValueError(f"{who}: custom_frame_mappings of at least one frame expected, found none")
    return _ordered(frames)


def decoded(who: str, container: Any, stream: Any) -> Iterator[Any]:
    """The frames from where the container is.

    Args:
        who: the class that asks, for messages.
        container: PyAV's container.
        stream: PyAV's stream.

    Yields:
        PyAV's frames, in the order in which they are shown.

    Raises:
        RuntimeError: the file is damaged; the message names the time of the last frame before.
    """
    reached, broken = 0, faults()
    try:
        for packet in container.demux(stream):
            for frame in packet.decode():
                if frame.pts is None:
                    frame.pts = frame.dts
                if frame.pts is not None:
                    reached = frame.pts
                    yield frame
    except broken as e:
        raise RuntimeError(
            f"{who}: the file is damaged after the frame at {seconds(reached, stream):.6g} s: {e}"
        ) from e


def _reaches(frame: Any, ticks: float, shown: bool) -> bool:
    return bool(frame.pts + (frame.duration or 0) > ticks if shown else frame.pts >= ticks)


class FrameReader:
    """Decodes a stream's frames forward, and seeks where that is shorter.

    Args:
        who: the class that asks, for messages.
        container: PyAV's container.
        stream: PyAV's stream.
        keys: when frames are shown that need no other, in ticks; None if that is not known.
    """

    def __init__(self, who: str, container: Any, stream: Any, keys: Sequence[int] | None) -> None:
        self.who, self.container, self.stream, self.keys = who, container, stream, keys
        self.held: Any = None  # the frame that was decoded last
        self._coming: Iterator[Any] | None = None
        # Packets may precede the stream's beginning: those that its first frames are decoded from.
        self.before = (stream.start_time or 0) - int(_LEAD / stream.time_base)

    def seek(self, ticks: int) -> None:
        """Go to the last frame at or before a time that needs no other."""
        try:
            self.container.seek(ticks, stream=self.stream, backward=True)
        except (library().FFmpegError, OverflowError) as e:
            raise RuntimeError(
                f"{self.who}: the file can't be sought at {seconds(ticks, self.stream):.6g} s: {e}"
            ) from e
        self._coming, self.held = decoded(self.who, self.container, self.stream), None

    def _is_near(self, ticks: int) -> bool:
        """Whether a frame is reached from here without passing one that could be sought."""
        if self._coming is None or self.held is None or ticks < self.held.pts:
            return False
        if self.keys is not None:
            return bisect_right(self.keys, ticks) == bisect_right(self.keys, self.held.pts)
        return bool(ticks - self.held.pts <= 1 / self.stream.time_base)  # a second

    def forward(self, ticks: float = -math.inf, shown: bool = False) -> Any:
        """The next frame that begins at a time or later (or, `shown`, is shown until after it); None at the end."""
        while True:
            frame = next(self._coming, None)  # type: ignore[arg-type]
            if frame is None:
                self._coming = self.held = None
                return None
            self.held = frame
            if _reaches(frame, ticks, shown):
                return frame

    def frame(self, ticks: int, shown: bool = False) -> Any:
        """A frame by its time.

        Args:
            ticks: in ticks of the stream's time base.
            shown: take the frame that is still shown then; else the first that begins then or later.

        Returns:
            PyAV's frame.

        Raises:
            RuntimeError: there is none, or the file is damaged before it.
        """
        found = None
        if self._is_near(ticks):
            found = self.held
        else:
            sought, step = ticks, int(1 / self.stream.time_base)
            self.seek(sought)
            # Containers without an index, or one by the time of decoding, may lead to a frame too late.
            while ((found := self.forward()) is None or found.pts > ticks) and sought > self.before:
                sought, step = max(self.before, sought - step), 2 * step
                self.seek(sought)
        if found is not None and not _reaches(found, ticks, shown):
            found = self.forward(ticks, shown)
        if found is None:
            raise RuntimeError(f"{self.who}: the file ends before the frame at {seconds(ticks, self.stream):.6g} s")
        return found
