"""`torchcodec.samplers`: clips of a video, at random places or regular ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

import rushlight
from rushlight import Tensor
from rushlight.compat.torchcodec.decoders import VideoDecoder
from rushlight.compat.torchcodec.frames import FrameBatch
from rushlight.core.naming import named

__all__ = [
    "clips_at_random_indices",
    "clips_at_random_timestamps",
    "clips_at_regular_indices",
    "clips_at_regular_timestamps",
]

Policy = Literal["repeat_last", "wrap", "error"]
_Number = TypeVar("_Number", int, float)


def _positive(who: str, **values: float | None) -> None:
    for name, value in values.items():
        if value is not None and value <= 0:
            raise ValueError(f"{who}: a positive {name} expected, found {value}")


def _fill(who: str, places: list[_Number], count: int, policy: str) -> list[_Number]:
    """A clip's frames, where those behind the video's end are left out, made up to their number."""
    missing = count - len(places)
    if missing == 0:
        return places
    if policy == "error":
        raise ValueError(
            f"{who}: clips within the video expected with policy='error', found one that ends behind it; "
            "sampling_range_end's default avoids that"
        )
    if policy == "wrap":
        return [places[i % len(places)] for i in range(count)]
    return places + places[-1:] * missing


def _clips(
    who: str,
    take: Callable[[list[_Number]], FrameBatch],
    starts: Sequence[_Number],
    count: int,
    between: _Number,
    end: float,
    policy: str,
) -> FrameBatch:
    wanted: list[_Number] = []
    for start in starts:
        places = [start + i * between for i in range(count)]
        wanted += _fill(who, [place for place in places if place < end], count, policy)
    frames = take(wanted)
    shape = (len(starts), count)
    parts = (frames.data, frames.pts_seconds, frames.duration_seconds)
    return FrameBatch(*(part.reshape(*shape, *part.shape[1:]) for part in parts))


def _check(who: str, decoder: VideoDecoder, count: int, policy: str) -> None:
    if len(decoder) < 1:
        raise ValueError(f"{who}: a video of at least one frame expected, found {len(decoder)}")
    _positive(who, num_frames_per_clip=count)
    if policy not in ("repeat_last", "wrap", "error"):
        raise ValueError(f"{who}: policy of repeat_last, wrap or error expected, found {policy!r}")


def _below(who: str, start: float, end: float, what: str) -> None:
    if start >= end:
        raise ValueError(f"{who}: sampling_range_start below {what} ({end}) expected, found {start}")


def _index_range(who: str, decoder: VideoDecoder, span: int, start: int, end: int | None) -> tuple[int, int]:
    frames = len(decoder)
    start += frames if start < 0 else 0
    _below(who, start, frames, "the number of frames")
    if end is None:
        end = max(frames - span + 1, start + 1)
    else:
        end = min(end + frames if end < 0 else end, frames)
        _below(who, start, end, "sampling_range_end")
    return start, end


_BY_INDEX = """Clips that begin at frames {begin}.

Args:
    decoder: the video.
    num_clips: clips.
    num_frames_per_clip: frames of a clip.
    num_indices_between_frames: from a clip's frame to its next, in frames of the video.
    sampling_range_start: the first frame at which a clip may begin, or negative from the end.
    sampling_range_end: where such frames end; None lets clips end with the video.
    policy: for clips that reach behind the end: "repeat_last" frame, "wrap" to the clip's first, or "error".

Returns:
    frames of shape (num_clips, num_frames_per_clip, ...).

Raises:
    ValueError: an argument is out of its range, or a clip ends behind the video with policy="error".
"""


def _by_index(kind: str, begin: str, draw: Callable[[int, int, int], Tensor]) -> Callable[..., FrameBatch]:
    who = f"clips_at_{kind}_indices"

    def clips(
        decoder: VideoDecoder,
        *,
        num_clips: int = 1,
        num_frames_per_clip: int = 1,
        num_indices_between_frames: int = 1,
        sampling_range_start: int = 0,
        sampling_range_end: int | None = None,
        policy: Policy = "repeat_last",
    ) -> FrameBatch:
        _check(who, decoder, num_frames_per_clip, policy)
        _positive(who, num_clips=num_clips, num_indices_between_frames=num_indices_between_frames)
        span = num_indices_between_frames * (num_frames_per_clip - 1) + 1
        start, end = _index_range(who, decoder, span, sampling_range_start, sampling_range_end)
        starts, between = draw(start, end, num_clips).tolist(), num_indices_between_frames
        return _clips(who, decoder.get_frames_at, starts, num_frames_per_clip, between, len(decoder), policy)

    return named(clips, who, _BY_INDEX.format(begin=begin))


clips_at_random_indices = _by_index(
    "random", "drawn uniformly", lambda start, end, n: rushlight.randint(start, end, (n,))
)
clips_at_regular_indices = _by_index(
    "regular",
    "equally far from one another",
    lambda start, end, n: rushlight.linspace(start, end - 1, n, dtype=rushlight.int32),
)


_BY_TIME = """Clips that begin at times {begin}.

Args:
    decoder: the video.
    {each}: {what}.
    num_frames_per_clip: frames of a clip.
    seconds_between_frames: from a clip's frame to its next, in seconds; None takes the video's average.
    sampling_range_start: the first time at which a clip may begin, in seconds; None is the video's beginning.
    sampling_range_end: where such times end, in seconds; None lets clips end with the video.
    policy: for clips that reach behind the end: "repeat_last" frame, "wrap" to the clip's first, or "error".

Returns:
    frames of shape (clips, num_frames_per_clip, ...).

Raises:
    ValueError: an argument is out of its range, or a clip ends behind the video with policy="error".
"""


def _by_time(
    kind: str, begin: str, each: str, what: str, draw: Callable[[float, float, Any], Tensor], **default: int
) -> Callable[..., FrameBatch]:
    """each, what: the name and meaning of the argument that says how many clips there are; default: its own, if any."""
    who = f"clips_at_{kind}_timestamps"

    def clips(
        decoder: VideoDecoder,
        *,
        many: float,
        num_frames_per_clip: int = 1,
        seconds_between_frames: float | None = None,
        sampling_range_start: float | None = None,
        sampling_range_end: float | None = None,
        policy: Policy = "repeat_last",
    ) -> FrameBatch:
        _positive(who, **{each: many})
        _check(who, decoder, num_frames_per_clip, policy)
        _positive(who, seconds_between_frames=seconds_between_frames)
        stream = decoder.metadata
        first, last = stream.begin_stream_seconds or 0.0, stream.end_stream_seconds or 0.0
        between = 1 / (stream.average_fps or 1.0) if seconds_between_frames is None else seconds_between_frames
        start = first if sampling_range_start is None else sampling_range_start
        if start < first:
            raise ValueError(f"{who}: sampling_range_start of at least {first} expected, found {start}")
        _below(who, start, last, "the stream's end")
        latest = last - between * (num_frames_per_clip - 1)
        end = latest if sampling_range_end is None else min(sampling_range_end, last)
        _below(who, start, end, "sampling_range_end")
        starts = draw(start, end, many).tolist()
        return _clips(who, decoder.get_frames_played_at, starts, num_frames_per_clip, between, last, policy)

    clips.__kwdefaults__ = {**(clips.__kwdefaults__ or {}), **default}
    doc = _BY_TIME.format(begin=begin, each=each, what=what)
    return named(clips, who, doc, parameters=("decoder", each))


def _regular_times(start: float, end: float, step: float) -> Tensor:
    starts = rushlight.arange(start, end, step, dtype=rushlight.float64)
    return starts[starts < end]  # the last one may be rounded to the end


clips_at_random_timestamps = _by_time(
    "random",
    "drawn uniformly",
    "num_clips",
    "clips",
    lambda start, end, n: rushlight.rand(n, dtype=rushlight.float64) * (end - start) + start,
    num_clips=1,
)
clips_at_regular_timestamps = _by_time(
    "regular",
    "equally far from one another",
    "seconds_between_clip_starts",
    "from a clip's beginning to the next one's, in seconds",
    _regular_times,
)
