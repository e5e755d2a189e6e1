"""`torchcodec.decoders`: pictures and sound of a file as tensors."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import rushlight
from rushlight import Tensor
from rushlight.compat.torchcodec import reading
from rushlight.compat.torchcodec.colours import converted
from rushlight.compat.torchcodec.frames import AudioSamples, Frame, FrameBatch
from rushlight.compat.torchcodec.metadata import (
    AudioStreamMetadata,
    VideoStreamMetadata,
    audio_metadata,
    video_metadata,
)
from rushlight.compat.torchcodec.sources import (
    MOST_CHANNELS,
    MOST_SAMPLES,
    Source,
    library,
    limited,
    open_source,
    pick_stream,
)
from rushlight.compat.torchcodec.transforms import planned

__all__ = [
    "AudioDecoder",
    "AudioStreamMetadata",
    "CpuFallbackStatus",
    "VideoDecoder",
    "VideoStreamMetadata",
    "WavDecoder",
]


_MOST_FRAMES = 2.0**31
_MOST_THREADS = 1024


@dataclass
class CpuFallbackStatus:
    """Whether a decoder that was asked for another device decodes on the processor.

    Args:
        status_known: whether that has been decided.
    """

    status_known: bool = False

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return "[CPU] Fallback status: " + ("No fallback required" if self.status_known else "Unknown")


def _one_of(who: str, name: str, found: str, allowed: Sequence[str]) -> None:
    if found not in allowed:
        raise ValueError(f"{who}: {name} of {' or '.join(allowed)} expected, found {found!r}")


class _Pictures:
    """Makes arrays (H, W, 3) of decoded frames: converted to RGB, turned upright, transformed."""

    def __init__(self, first: Any, transforms: Sequence[Any] | None, dtype: Any) -> None:
        from av.video.reformatter import VideoReformatter

        deep = first.format.components[0].bits > 8
        self.format = "rgb48le" if deep and dtype != rushlight.uint8 else "rgb24"
        self.dtype = (
            rushlight.uint8 if dtype == rushlight.uint8 or (dtype == "auto" and not deep) else rushlight.float32
        )
        self.turns = int(first.rotation) // 90 % 4
        self.upright = (first.width, first.height) if self.turns % 2 else (first.height, first.width)
        self.height, self.width, self.steps = planned(transforms, *self.upright)
        self.coded = first.height, first.width
        self._reformatter = VideoReformatter()

    def _array(self, frame: Any) -> Any:
        import numpy as np

        plane = frame.planes[0]
        kind = np.dtype(np.uint16 if self.format == "rgb48le" else np.uint8)
        lines = np.frombuffer(plane, kind).reshape(frame.height, plane.line_size // kind.itemsize)
        return lines[:, : 3 * frame.width].reshape(frame.height, frame.width, 3)

    def _scaled(self, picture: Any, height: int, width: int) -> Any:
        frame = library().VideoFrame.from_ndarray(picture.copy(), self.format)
        return self._array(self._reformatter.reformat(frame, width=width, height=height, threads=1))

    def _rgb(self, frame: Any, into: Any) -> Any:
        """The picture as it is coded; written into an array, where that is given and FFmpeg isn't asked."""
        import numpy as np

        if self.format == "rgb24":
            made = np.empty((*self.coded, 3), np.uint8) if into is None else into
            if converted(frame, made):
                return made
        try:
            return self._array(self._reformatter.reformat(frame, format=self.format, threads=1))
        except library().FFmpegError as e:
            raise RuntimeError(
                f"VideoDecoder: colours that FFmpeg can convert expected, found {frame.format.name} of the colour "
                f"space {frame.colorspace} at {frame.time:.6g} s: {e}"
            ) from e

    def array(self, frame: Any, into: Any = None) -> Any:
        """The picture, in memory that nobody else has or that is only read, or in `into`, for pictures that are wanted
        as they are coded.
        """
        import numpy as np

        if (frame.height, frame.width) != self.coded:
            raise RuntimeError(
                f"VideoDecoder: frames of {self.coded[0]} x {self.coded[1]} expected, as the first one, found one of "
                f"{frame.height} x {frame.width} at {frame.time:.6g} s"
            )
        picture = self._rgb(frame, into)
        if self.turns:
            picture = np.rot90(picture, self.turns)
        for step in self.steps:
            picture = step(picture, self._scaled)
        return picture

    def empty(self, count: int) -> Tensor:
        """Memory for pictures, (count, H, W, 3)."""
        return rushlight.empty((count, self.height, self.width, 3), dtype=self.dtype)

    def put(self, frame: Any, into: Any) -> None:
        """Write a picture into an array (H, W, 3) of the output's dtype."""
        import numpy as np

        if self.dtype == rushlight.uint8:
            picture = self.array(frame, None if self.turns or self.steps else into)
            if picture is not into:
                into[...] = picture
        else:
            picture = self.array(frame)
            np.divide(picture, np.float32(np.iinfo(picture.dtype).max), out=into)


class VideoDecoder:
    """The pictures of a file's stream, as a sequence of tensors.

    Frames are decoded when they are asked for, without the interpreter's lock, so that threads decode side by side.

    Args:
        source: a path or URL, the file's bytes (also as a uint8 tensor of one dimension), or a file-like object.
        stream_index: the stream's place in the container; None takes the best.
        dimension_order: "NCHW" or "NHWC".
        num_ffmpeg_threads: threads that decode; 0 lets FFmpeg choose.
        device: "cpu".
        seek_mode: "exact" reads all packets first, so that times and indices are right for variable frame rates;
            "approximate" trusts the header.
        transforms: transforms of `torchcodec.transforms`, or torchvision's of those names.
        output_dtype: uint8, float32 (between 0 and 1), or "auto": uint8 but for more than 8 bits a channel.
        custom_frame_mappings: `ffprobe -show_frames -of json`'s output, in place of reading all packets.

    Raises:
        RuntimeError: FFmpeg can't open the source, or it holds no frame.
        ValueError: an argument is none of those that are allowed.
        TypeError: `source` is of another type.
    """

    def __init__(
        self,
        source: Source,
        *,
        stream_index: int | None = None,
        dimension_order: Literal["NCHW", "NHWC"] = "NCHW",
        num_ffmpeg_threads: int = 1,
        device: Any = None,
        seek_mode: Literal["exact", "approximate"] = "exact",
        transforms: Sequence[Any] | None = None,
        output_dtype: Any = rushlight.uint8,
        custom_frame_mappings: Any = None,
    ) -> None:
        who = "VideoDecoder"
        _one_of(who, "seek_mode", seek_mode, ("exact", "approximate"))
        _one_of(who, "dimension_order", dimension_order, ("NCHW", "NHWC"))
        if not isinstance(num_ffmpeg_threads, int):
            raise ValueError(f"{who}: num_ffmpeg_threads of type int expected, found {num_ffmpeg_threads!r}")
        if num_ffmpeg_threads > _MOST_THREADS:
            raise ValueError(f"{who}: num_ffmpeg_threads up to {_MOST_THREADS} expected, found {num_ffmpeg_threads}")
        if output_dtype != "auto" and output_dtype not in (rushlight.uint8, rushlight.float32):
            raise ValueError(
                f"{who}: output_dtype of torch.uint8, torch.float32 or 'auto' expected, found {output_dtype}"
            )
        if custom_frame_mappings is not None and seek_mode == "approximate":
            raise ValueError(f"{who}: custom_frame_mappings go with seek_mode='exact', found 'approximate'")
        where = rushlight.device(device) if device is not None else rushlight.get_default_device()
        if where.type != "cpu":
            raise RuntimeError(f"{who}: a device of type cpu expected, found {where}")
        self._container = open_source(who, source)
        self._stream = pick_stream(who, self._container, "video", stream_index)
        self.stream_index: int = self._stream.index
        self._order = dimension_order
        self._stream.codec_context.thread_count = max(num_ffmpeg_threads, 0)
        self._stream.codec_context.thread_type = "AUTO"  # frames side by side as well, not slices alone
        self._index: reading.FrameIndex | None = None
        if custom_frame_mappings is not None:
            self._index = reading.mapped(who, custom_frame_mappings)
        elif seek_mode == "exact":
            self._index = reading.scanned(self._container, self._stream)
        keys = None if self._index is None else self._index.keys
        self._reader = reading.FrameReader(who, self._container, self._stream, keys)
        if self._index is not None and not self._index.pts:
            raise RuntimeError(
                f"{who}: a stream with frames expected, found none ({self._index.fault or 'it is empty'})"
            )
        first = self._reader.frame(self._index.pts[0] if self._index is not None else self._stream.start_time or 0)
        self._pictures = _Pictures(first, transforms, output_dtype)
        content = None
        if (index := self._index) is not None:
            end = max(pts + duration for pts, duration in zip(index.pts, index.durations, strict=True))
            content = self._seconds(index.pts[0]), self._seconds(end), len(index.pts)
        self.metadata: VideoStreamMetadata = video_metadata(
            self._stream, self._pictures.upright, float(first.rotation), content
        )
        if self.metadata.num_frames is None or self.metadata.end_stream_seconds is None:
            raise ValueError(f"{who}: the header does not say how long the stream is: seek_mode='exact' expected")

    @property
    def cpu_fallback(self) -> CpuFallbackStatus:
        """Whether another device was asked for and can't decode this: never, for there is none."""
        return CpuFallbackStatus(status_known=True)

    def __len__(self) -> int:
        return self.metadata.num_frames or 0

    def _position(self, index: int) -> int:
        count = len(self)
        found = index + count if index < 0 else index
        if found >= count and self._index is not None and self._index.fault is not None:
            end = self.metadata.end_stream_seconds
            raise RuntimeError(
                f"VideoDecoder: the file is damaged after {end:.6g} s, frame {count}: {self._index.fault}"
            )
        if not 0 <= found < count:
            raise IndexError(f"VideoDecoder: an index of {count} frames expected, found {index}")
        return found

    def _seconds(self, ticks: int) -> float:
        return reading.seconds(ticks, self._stream)

    def _nearest(self, seconds: float) -> int:
        return round(seconds / float(self._stream.time_base))

    def _ticks(self, position: int) -> int:
        if self._index is not None:
            return self._index.pts[position]
        begin = self.metadata.begin_stream_seconds or 0.0
        return self._nearest(begin + position / (self.metadata.average_fps or 1.0))

    def _bounds(self) -> tuple[float, float]:
        return self.metadata.begin_stream_seconds or 0.0, self.metadata.end_stream_seconds or 0.0

    def _shown(self, seconds: float) -> tuple[int, bool]:
        """The time of the frame that is shown at a time, in ticks, and whether it is only known to cover it."""
        if self._index is None:
            return self._nearest(seconds), True
        position = self._index.at(seconds / self._stream.time_base)
        # The quotient may round across a frame's border, which is a product.
        while position + 1 < len(self._index.pts) and self._seconds(self._index.pts[position + 1]) <= seconds:
            position += 1
        while position and self._seconds(self._index.pts[position]) > seconds:
            position -= 1
        return self._index.pts[position], False

    def _turned(self, data: Tensor) -> Tensor:
        return data if self._order == "NHWC" else data.movedim(-1, -3)

    def _single(self, ticks: int, shown: bool = False) -> Frame:
        frame = self._reader.frame(ticks, shown)
        data = self._pictures.empty(1)[0]
        self._pictures.put(frame, data.numpy())
        return Frame(self._turned(data), self._seconds(frame.pts), self._seconds(frame.duration or 0))

    def _batch(self, wanted: Sequence[tuple[int, bool]]) -> FrameBatch:
        """Frames by their times: each decoded once, forward."""
        data = self._pictures.empty(len(wanted))
        array = data.numpy()
        times, lengths = [0.0] * len(wanted), [0.0] * len(wanted)
        before: int | None = None
        for place in sorted(range(len(wanted)), key=wanted.__getitem__):
            frame = self._reader.frame(*wanted[place])
            if before is not None and times[before] == self._seconds(frame.pts):
                array[place] = array[before]
            else:
                self._pictures.put(frame, array[place])
            times[place], lengths[place] = self._seconds(frame.pts), self._seconds(frame.duration or 0)
            before = place
        seconds = (rushlight.tensor(x, dtype=rushlight.float64) for x in (times, lengths))
        return FrameBatch(self._turned(data), *seconds)

    def __getitem__(self, key: Any) -> Tensor:
        if isinstance(key, numbers.Integral):
            return self._single(self._ticks(self._position(int(key)))).data
        if isinstance(key, slice):
            return self.get_frames_in_range(*key.indices(len(self))).data
        raise TypeError(f"VideoDecoder: a key of type int or slice expected, found {type(key).__name__}")

    def _get_key_frame_indices(self) -> Tensor:
        if self._index is None:
            raise RuntimeError("VideoDecoder: key frames are known with seek_mode='exact' only, found 'approximate'")
        return rushlight.tensor(self._index.key_frames())

    def get_frame_at(self, index: int) -> Frame:
        """A frame by its index.

        Args:
            index: from 0, or negative from the end.

        Returns:
            the frame.

        Raises:
            IndexError: there is none.
        """
        if not isinstance(index, numbers.Integral):
            raise RuntimeError(f"get_frame_at: an index of type int expected, found {type(index).__name__}")
        return self._single(self._ticks(self._position(int(index))))

    def get_frames_at(self, indices: Tensor | Sequence[int]) -> FrameBatch:
        """Frames by their indices, in the order given.

        Args:
            indices: integers, each as `get_frame_at` takes it.

        Returns:
            the frames.

        Raises:
            IndexError: one is out of range.
        """
        listed = indices.tolist() if isinstance(indices, Tensor) else list(indices)
        if not all(isinstance(index, numbers.Integral) for index in listed):
            raise RuntimeError(f"get_frames_at: indices in one dimension of integers expected, found {indices}")
        return self._batch([(self._ticks(self._position(int(index))), False) for index in listed])

    def get_frames_in_range(self, start: int, stop: int, step: int = 1) -> FrameBatch:
        """Frames of a range of indices.

        Args:
            start: the first.
            stop: where it ends; what lies behind the stream's end is left out.
            step: from one to the next, at least 1.

        Returns:
            the frames.

        Raises:
            IndexError: `start` is out of range.
            ValueError: `step` is 0.
            RuntimeError: `step` is negative.
        """
        if step == 0:
            raise ValueError("get_frames_in_range: a step of at least 1 expected, found 0")
        if step < 0:
            raise RuntimeError(f"get_frames_in_range: a step of at least 1 expected, found {step}")
        chosen = range(*slice(start, stop).indices(len(self)))[::step]
        return self._batch([(self._ticks(self._position(index)), False) for index in chosen])

    def _checked(self, who: str, seconds: float, error: type[Exception]) -> tuple[int, bool]:
        begin, end = self._bounds()
        if not begin <= seconds < end:
            raise error(f"{who}: seconds from {begin:.6g} to below {end:.6g} expected, found {seconds}")
        return self._shown(seconds)

    def get_frame_played_at(self, seconds: float) -> Frame:
        """The frame that is shown at a time.

        Args:
            seconds: the time.

        Returns:
            the frame.

        Raises:
            IndexError: the stream does not reach there.
        """
        return self._single(*self._checked("get_frame_played_at", seconds, IndexError))

    def get_frames_played_at(self, seconds: Tensor | Sequence[float]) -> FrameBatch:
        """The frames that are shown at some times, in the order given.

        Args:
            seconds: the times.

        Returns:
            the frames.

        Raises:
            RuntimeError: the stream does not reach one of them.
        """
        listed: Iterable[float] = seconds.tolist() if isinstance(seconds, Tensor) else seconds
        return self._batch([self._checked("get_frames_played_at", s, RuntimeError) for s in listed])

    def get_frames_played_in_range(
        self, start_seconds: float, stop_seconds: float, fps: float | None = None
    ) -> FrameBatch:
        """The frames that are shown in a span of time.

        Args:
            start_seconds: its beginning: the frame that is shown then is the first.
            stop_seconds: its end; a frame that begins then is left out.
            fps: frames a second that come out, repeated or left out as needed; None gives the stream's own.

        Returns:
            the frames.

        Raises:
            ValueError: the span is not in the stream, or ends before it begins.
            RuntimeError: `fps` is not positive.
        """
        who = "get_frames_played_in_range"
        begin, end = self._bounds()
        if start_seconds > stop_seconds:
            raise ValueError(f"{who}: start_seconds up to stop_seconds={stop_seconds} expected, found {start_seconds}")
        if not begin <= start_seconds < end:
            raise ValueError(
                f"{who}: start_seconds from {begin:.6g} to below {end:.6g} expected, found {start_seconds}"
            )
        if not stop_seconds <= end:
            raise ValueError(f"{who}: stop_seconds up to {end:.6g} expected, found {stop_seconds}")
        if fps is not None:
            return self._resampled(start_seconds, stop_seconds, fps)
        if start_seconds == stop_seconds:
            return self._batch([])
        if (index := self._index) is not None:
            first = index.pts.index(self._shown(start_seconds)[0])
            chosen = [pts for pts in index.pts[first:] if pts == index.pts[first] or self._seconds(pts) < stop_seconds]
            return self._batch([(pts, False) for pts in chosen])
        rate = self.metadata.average_fps or 1.0
        positions = range(math.floor((start_seconds - begin) * rate), math.ceil((stop_seconds - begin) * rate))
        return self._batch([(self._ticks(position), False) for position in positions])

    def _resampled(self, start: float, stop: float, fps: float) -> FrameBatch:
        if not fps > 0:
            raise RuntimeError(f"get_frames_played_in_range: a positive fps expected, found {fps}")
        span = (stop - start) * fps
        if not span < _MOST_FRAMES:
            raise RuntimeError(
                f"get_frames_played_in_range: an fps that gives fewer than 2^31 frames expected, found {fps}"
            )
        count = round(span)
        self._pictures.empty(count)  # where there is no memory for them, that is said before their times are listed
        times = [start + i / fps for i in range(count)]
        batch = self._batch([self._shown(seconds) for seconds in times])
        pts = rushlight.tensor(times, dtype=rushlight.float64)
        return FrameBatch(batch.data, pts, rushlight.full_like(pts, 1 / fps))

    def get_all_frames(self, fps: float | None = None) -> FrameBatch:
        """All frames.

        Args:
            fps: as `get_frames_played_in_range` takes it.

        Returns:
            the frames.

        Raises:
            RuntimeError: the file is cut or damaged; the message names the time up to which frames can be had.
        """
        if self._index is not None and self._index.fault is not None:
            self._position(len(self))
        if fps is not None:
            return self.get_frames_played_in_range(*self._bounds(), fps=fps)
        return self.get_frames_in_range(0, len(self))


class AudioDecoder:
    """The sound of a file's stream, as a tensor of samples.

    Args:
        source: as `VideoDecoder` takes it.
        stream_index: the stream's place in the container; None takes the best.
        sample_rate: samples a second that come out; None leaves the stream's.
        num_channels: channels that come out; None leaves the stream's.

    Raises:
        RuntimeError: FFmpeg can't open the source.
        ValueError: there is no such stream.
        TypeError: `source` is of another type.
    """

    def __init__(
        self,
        source: Source,
        *,
        stream_index: int | None = None,
        sample_rate: int | None = None,
        num_channels: int | None = None,
    ) -> None:
        who = type(self).__name__
        limited(who, "sample_rate", sample_rate, MOST_SAMPLES, RuntimeError)
        limited(who, "num_channels", num_channels, MOST_CHANNELS, RuntimeError)
        self._source = source
        with open_source(who, source) as container:
            stream = pick_stream(who, container, "audio", stream_index)
            self.stream_index: int = stream.index
            self.metadata: AudioStreamMetadata = audio_metadata(stream)
            self._format: str = container.format.name
        self._rate = sample_rate or self.metadata.sample_rate or 1
        self._channels = num_channels or self.metadata.num_channels or 1

    def get_all_samples(self) -> AudioSamples:
        """All samples.

        Returns:
            the samples.

        Raises:
            RuntimeError: the file is damaged.
        """
        return self._samples(-math.inf, math.inf)

    def get_samples_played_in_range(
        self, start_seconds: float = 0.0, stop_seconds: float | None = None
    ) -> AudioSamples:
        """The samples of a span of time.

        Args:
            start_seconds: its beginning.
            stop_seconds: its end; None for the stream's.

        Returns:
            the samples.

        Raises:
            ValueError: it ends before it begins.
            RuntimeError: there is no sample in it, or the file is damaged.
        """
        if math.isnan(start_seconds) or (stop_seconds is not None and not start_seconds <= stop_seconds):
            raise ValueError(
                f"get_samples_played_in_range: start_seconds up to stop_seconds={stop_seconds} expected, "
                f"found {start_seconds}"
            )
        return self._samples(start_seconds, math.inf if stop_seconds is None else stop_seconds)

    def _samples(self, start: float, stop: float) -> AudioSamples:
        import numpy as np

        who = type(self).__name__
        first, last, passed, pieces = math.inf, False, 0, []  # the first frame's time; whether the span has ended
        # Opened anew and read from the beginning: a decoder's output for a frame depends on all frames before it.
        with open_source(who, self._source) as container:
            stream = container.streams[self.stream_index]
            layout = stream.codec_context.layout
            if layout.nb_channels != self._channels:
                layout = f"{self._channels}c"
            resampler = library().AudioResampler("fltp", layout, self._rate)
            frames = reading.decoded(who, container, stream)
            while not last:
                frame: Any = next(frames, None)
                last = frame is None or reading.seconds(frame.pts, stream) >= stop
                if first == math.inf:
                    if last:
                        raise RuntimeError(f"{who}: samples from {max(start, 0.0)} to {stop} s expected, found none")
                    first = reading.seconds(frame.pts, stream)
                for piece in resampler.resample(None if last else frame):
                    array = piece.to_ndarray()
                    if first + (passed + array.shape[1]) / self._rate >= start:
                        pieces.append(array)
                    else:
                        passed += array.shape[1]
        samples = np.concatenate(pieces, axis=1) if pieces else np.zeros((self._channels, 0), np.float32)
        begin = max(start, first)
        skipped = round((begin - first) * self._rate) - passed
        kept = None if math.isinf(stop) else max(round((stop - first) * self._rate) - passed, skipped)
        if stop > start and skipped >= samples.shape[1]:
            raise RuntimeError(f"{who}: samples from {max(start, 0.0)} to {stop} s expected, found none")
        data = rushlight.from_numpy(samples[:, skipped:kept].copy())
        return AudioSamples(data, begin, data.shape[1] / self._rate, self._rate)


class WavDecoder(AudioDecoder):
    """The sound of a WAV file.

    Args:
        source: as `VideoDecoder` takes it.

    Raises:
        RuntimeError: it is no WAV file.
        TypeError: `source` is of another type.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        if (found := self._format) != "wav":
            raise RuntimeError(f"WavDecoder: a file of format wav expected, found {found}")
