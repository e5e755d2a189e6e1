"""`torchcodec.encoders`: files of pictures and sound from tensors."""

from __future__ import annotations

import io
import os
from abc import ABC, abstractmethod
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.compat.torchcodec.sources import MOST_CHANNELS, MOST_SAMPLES, library, limited

__all__ = ["AudioEncoder", "AudioStream", "Encoder", "VideoEncoder", "VideoStream"]

_MOST_RATE = 1_000_000  # frames a second
_MOST_BITS = 1 << 30
_SAMPLES_A_FRAME = 1024  # for codecs that take frames of any length


def _pictures(who: str, frames: Tensor) -> Tensor:
    if not isinstance(frames, Tensor):
        raise ValueError(f"{who}: frames of type Tensor expected, found {type(frames).__name__}")
    if frames.ndim != 4 or frames.dtype != rushlight.uint8 or frames.shape[1] != 3 or not frames.numel():
        raise ValueError(
            f"{who}: frames of shape (N, 3, H, W), none of them 0, and dtype uint8 expected, found "
            f"{tuple(frames.shape)} of {frames.dtype}"
        )
    return frames


def _sound(who: str, samples: Tensor) -> Tensor:
    if not isinstance(samples, Tensor):
        raise ValueError(f"{who}: samples of type Tensor expected, found {type(samples).__name__}")
    if samples.ndim not in (1, 2) or samples.dtype != rushlight.float32 or not samples.numel():
        raise ValueError(
            f"{who}: samples of shape (channels, N) or (N,), not 0, and dtype float32 expected, found "
            f"{tuple(samples.shape)} of {samples.dtype}"
        )
    return samples[None] if samples.ndim == 1 else samples


class VideoStream:
    """Where an `Encoder` takes its pictures; made by `Encoder.add_video`."""

    def __init__(self, encoder: Encoder, **wanted: Any) -> None:
        self._encoder, self._wanted = encoder, wanted
        self._stream: Any = None

    def _open(self, container: Any) -> None:
        wanted, av = self._wanted, library()
        codec = wanted["codec"] or container.default_video_codec
        rate = Fraction(wanted["frame_rate"]).limit_denominator(100_000)
        options = {name: str(wanted[name]) for name in ("crf", "preset") if wanted[name] is not None}
        options |= {name: str(value) for name, value in (wanted["extra_options"] or {}).items()}
        try:
            self._stream = container.add_stream(codec, rate=rate, options=options)
        except (av.FFmpegError, ValueError) as e:
            raise RuntimeError(f"Encoder: a codec that FFmpeg can encode expected, found {codec!r}: {e}") from e
        self._stream.width, self._stream.height = wanted["width"], wanted["height"]
        formats = [f.name for f in self._stream.codec_context.codec.video_formats or ()]
        chosen = wanted["pixel_format"] or (formats or ["yuv420p"])[0]
        if formats and chosen not in formats:
            raise RuntimeError(
                f"Encoder: a pixel_format of {', '.join(formats)} for {codec} expected, found {chosen!r}"
            )
        self._stream.pix_fmt = chosen

    def add_frames(self, frames: Tensor) -> None:
        """Encode pictures behind those that are there.

        Args:
            frames: uint8 of shape (N, 3, H, W).

        Raises:
            ValueError: they are of another shape or dtype.
            RuntimeError: no file is open, or FFmpeg can't encode them.
        """
        size = (self._wanted["height"], self._wanted["width"])
        if tuple(_pictures("add_frames", frames).shape[2:]) != size:
            raise ValueError(f"add_frames: frames of height and width {size} expected, found {tuple(frames.shape[2:])}")
        self._encoder._check_open("add_frames")
        with _told("add_frames"):
            for picture in frames.movedim(1, -1).contiguous().numpy():
                frame = library().VideoFrame.from_ndarray(picture, "rgb24")
                frame = frame.reformat(format=self._stream.pix_fmt, threads=1)
                self._encoder._mux(self._stream, frame)


class AudioStream:
    """Where an `Encoder` takes its sound; made by `Encoder.add_audio`."""

    def __init__(self, encoder: Encoder, **wanted: Any) -> None:
        self._encoder, self._wanted = encoder, wanted
        self._stream: Any = None
        self._resampler: Any = None
        self._passed = 0

    def _open(self, container: Any) -> None:
        wanted, av = self._wanted, library()
        codec = container.default_audio_codec
        rate = wanted["out_sample_rate"] or wanted["sample_rate"]
        layout = f"{wanted['out_num_channels'] or wanted['num_channels']}c"
        try:
            self._stream = container.add_stream(codec, rate=rate, layout=layout)
        except (av.FFmpegError, ValueError) as e:
            raise RuntimeError(
                f"Encoder: a format with sound of {rate} samples a second expected, found {codec}: {e}"
            ) from e
        context = self._stream.codec_context
        if (rates := context.codec.audio_rates) and rate not in rates:
            raise RuntimeError(f"Encoder: a sample_rate of {sorted(rates)} for {codec} expected, found {rate}")
        if wanted["bit_rate"] is not None:
            context.bit_rate = wanted["bit_rate"]
        with _told("Encoder"):
            context.open()
        frame_size = context.frame_size or _SAMPLES_A_FRAME
        self._resampler = av.AudioResampler(context.format, context.layout, rate, frame_size)

    def add_samples(self, samples: Tensor) -> None:
        """Encode sound behind what is there.

        Args:
            samples: float32 of shape (channels, N) or (N,), between -1 and 1.

        Raises:
            ValueError: they are of another shape or dtype.
            RuntimeError: no file is open, or FFmpeg can't encode them.
        """
        sound = _sound("add_samples", samples)
        channels = self._wanted["num_channels"]
        if sound.shape[0] != channels:
            raise ValueError(f"add_samples: {channels} channels expected, found {sound.shape[0]}")
        self._encoder._check_open("add_samples")
        with _told("add_samples"):
            for piece in sound.split(_SAMPLES_A_FRAME, dim=1):
                array = piece.contiguous().numpy()
                frame = library().AudioFrame.from_ndarray(array, "fltp", f"{channels}c")
                frame.sample_rate, frame.pts = self._wanted["sample_rate"], self._passed
                frame.time_base = Fraction(1, self._wanted["sample_rate"])
                self._passed += array.shape[1]
                self._send(frame)

    def _send(self, frame: Any) -> None:
        for ready in self._resampler.resample(frame):
            self._encoder._mux(self._stream, ready)


class _told:
    """Errors of FFmpeg inside say which call they ended."""

    def __init__(self, who: str) -> None:
        self.who = who

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, trace: TracebackType | None) -> None:
        if isinstance(e, library().FFmpegError):
            raise RuntimeError(f"{self.who}: FFmpeg can't encode this: {e}") from e


class Encoder:
    """Writes several streams into one file.

    Streams are added first, then a file is opened, then they take frames and samples; `close`, or leaving the `with`,
    ends the file.
    """

    def __init__(self) -> None:
        self._streams: list[VideoStream | AudioStream] = []
        self._container: Any = None

    def _added(self, stream: Any) -> Any:
        if self._container is not None:
            raise RuntimeError("Encoder: streams are added before a file is opened, found one that is open")
        self._streams.append(stream)
        return stream

    def add_video(
        self,
        *,
        height: int,
        width: int,
        frame_rate: float,
        device: Any = None,
        codec: str | None = None,
        pixel_format: str | None = None,
        crf: int | float | None = None,
        preset: str | int | None = None,
        extra_options: dict[str, Any] | None = None,
    ) -> VideoStream:
        """Add a stream of pictures.

        Args:
            height: rows of a frame.
            width: columns of a frame.
            frame_rate: frames a second.
            device: "cpu".
            codec: FFmpeg's name of the codec; None takes the format's usual one.
            pixel_format: FFmpeg's name; None takes the codec's first.
            crf: the codec's constant quality.
            preset: the codec's trade of speed for size.
            extra_options: other options of the codec.

        Returns:
            the stream.

        Raises:
            ValueError: `frame_rate` is not positive.
            RuntimeError: `device` is another one, or a file is open.
        """
        limited("Encoder", "frame_rate", frame_rate, _MOST_RATE)
        if device is not None and rushlight.device(device).type != "cpu":
            raise RuntimeError(f"Encoder: a device of type cpu expected, found {device}")
        names = ("height", "width", "frame_rate", "codec", "pixel_format", "crf", "preset", "extra_options")
        values = (height, width, frame_rate, codec, pixel_format, crf, preset, extra_options)
        return self._added(VideoStream(self, **dict(zip(names, values, strict=True))))  # type: ignore[no-any-return]

    def add_audio(
        self,
        *,
        sample_rate: int,
        num_channels: int,
        bit_rate: int | None = None,
        out_num_channels: int | None = None,
        out_sample_rate: int | None = None,
    ) -> AudioStream:
        """Add a stream of sound.

        Args:
            sample_rate: samples a second of what is added.
            num_channels: channels of what is added.
            bit_rate: bits a second; None leaves it to the codec.
            out_num_channels: channels of the file; None leaves them.
            out_sample_rate: samples a second of the file; None leaves them.

        Returns:
            the stream.

        Raises:
            ValueError: a number is not positive.
            RuntimeError: a file is open.
        """
        names = ("sample_rate", "num_channels", "bit_rate", "out_num_channels", "out_sample_rate")
        values = (sample_rate, num_channels, bit_rate, out_num_channels, out_sample_rate)
        wanted = dict(zip(names, values, strict=True))
        for name, value in wanted.items():
            limited("Encoder", name, value, MOST_CHANNELS if name.endswith("channels") else _MOST_BITS)
        return self._added(AudioStream(self, **wanted))  # type: ignore[no-any-return]

    def _open(self, dest: Any, format: str | None) -> Encoder:
        if not self._streams or self._container is not None:
            raise RuntimeError("Encoder: a file is opened once, after streams were added")
        av = library()
        try:
            container = av.open(dest, "w", format=format)
        except (av.FFmpegError, OSError, ValueError) as e:
            raise RuntimeError(
                f"Encoder: a file and a format that FFmpeg writes expected, found {dest!r}, {format!r}: {e}"
            ) from e
        try:
            for stream in self._streams:
                stream._open(container)
        except BaseException:
            container.close()
            raise
        self._container = container
        return self

    def open_file(self, dest: str | Path) -> Encoder:
        """Begin a file.

        Args:
            dest: its path; the ending chooses the format.

        Returns:
            this encoder.

        Raises:
            RuntimeError: FFmpeg can't write it.
        """
        return self._open(os.fspath(dest), None)

    def open_file_like(self, dest: Any, *, format: str) -> Encoder:
        """Begin a file in an object.

        Args:
            dest: has `write(bytes)` and `seek(offset, whence)`.
            format: FFmpeg's name of the format.

        Returns:
            this encoder.

        Raises:
            RuntimeError: `dest` lacks a method, or FFmpeg can't write the format.
        """
        for method in ("write", "seek"):
            if not hasattr(dest, method):
                raise RuntimeError(f"Encoder: a file-like object with {method}() expected, found {type(dest).__name__}")
        return self._open(dest, format)

    def _check_open(self, who: str) -> None:
        if self._container is None:
            raise RuntimeError(f"{who}: a file that is open expected: call open_file or open_file_like first")

    def _mux(self, stream: Any, frame: Any) -> None:
        for packet in stream.encode(frame):
            self._container.mux(packet)

    def close(self) -> None:
        """Write what is left and end the file.

        Raises:
            RuntimeError: FFmpeg can't.
        """
        if self._container is None:
            return
        with _told("close"):
            try:
                for stream in self._streams:
                    if isinstance(stream, AudioStream):
                        stream._send(None)
                    self._mux(stream._stream, None)
            finally:
                self._container.close()
                self._container = None

    def __enter__(self) -> Encoder:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def _format(format: str) -> str:
    # Some formats are known by the ending of their files.
    return {"mkv": "matroska", "aac": "adts", "m4a": "ipod", "wmv": "asf"}.get(format, format)


class _FileEncoder(ABC):
    """What encoders of one file share."""

    @abstractmethod
    def _write(self, dest: Any, format: str | None, **options: Any) -> None:
        """Write into a path, or in a format into a file-like object."""

    def to_tensor(self, format: str, **options: Any) -> Tensor:
        """Encode into memory.

        Args:
            format: FFmpeg's name of the format, or a file's ending.
            **options: as `to_file` takes them.

        Returns:
            the file's bytes: uint8 of shape (N,).

        Raises:
            RuntimeError: FFmpeg can't.
        """
        buffer = io.BytesIO()
        self._write(buffer, format, **options)
        return rushlight.frombuffer(bytearray(buffer.getvalue()), dtype=rushlight.uint8)

    def to_file_like(self, file_like: Any, format: str, **options: Any) -> None:
        """Write a file into an object.

        Args:
            file_like: has `write(bytes)` and `seek(offset, whence)`.
            format: FFmpeg's name of the format, or a file's ending.
            **options: as `to_file` takes them.

        Raises:
            RuntimeError: FFmpeg can't write it.
        """
        self._write(file_like, format, **options)


class VideoEncoder(_FileEncoder):
    """Writes a video of frames that are all there.

    Args:
        frames: uint8 of shape (N, 3, H, W).
        frame_rate: frames a second.

    Raises:
        ValueError: they are of another shape or dtype, or `frame_rate` is not positive.
    """

    def __init__(self, frames: Tensor, *, frame_rate: float) -> None:
        self._frames, self._frame_rate = _pictures("VideoEncoder", frames), frame_rate
        limited("VideoEncoder", "frame_rate", frame_rate, _MOST_RATE)

    def _write(self, dest: Any, format: str | None, **options: Any) -> None:
        height, width = self._frames.shape[2:]
        encoder = Encoder()
        stream = encoder.add_video(height=height, width=width, frame_rate=self._frame_rate, **options)
        with encoder.open_file(dest) if format is None else encoder.open_file_like(dest, format=_format(format)):
            stream.add_frames(self._frames)

    def to_file(
        self,
        dest: str | Path,
        *,
        codec: str | None = None,
        pixel_format: str | None = None,
        crf: int | float | None = None,
        preset: str | int | None = None,
        extra_options: dict[str, Any] | None = None,
    ) -> None:
        """Write a file.

        Args:
            dest: its path; the ending chooses the format.
            codec: FFmpeg's name of the codec; None takes the format's usual one.
            pixel_format: FFmpeg's name; None takes the codec's first.
            crf: the codec's constant quality.
            preset: the codec's trade of speed for size.
            extra_options: other options of the codec.

        Raises:
            RuntimeError: FFmpeg can't write it.
        """
        options = {"codec": codec, "pixel_format": pixel_format, "crf": crf, "preset": preset}
        self._write(dest, None, **options, extra_options=extra_options)


class AudioEncoder(_FileEncoder):
    """Writes sound whose samples are all there.

    Args:
        samples: float32 of shape (channels, N) or (N,), between -1 and 1.
        sample_rate: samples a second.

    Raises:
        ValueError: they are of another shape or dtype, or `sample_rate` is not positive.
    """

    def __init__(self, samples: Tensor, *, sample_rate: int) -> None:
        self._samples, self._sample_rate = _sound("AudioEncoder", samples), sample_rate
        limited("AudioEncoder", "sample_rate", sample_rate, MOST_SAMPLES)

    def _write(self, dest: Any, format: str | None, **options: Any) -> None:
        out = {f"out_{name}": options.pop(name, None) for name in ("num_channels", "sample_rate")}
        encoder = Encoder()
        stream = encoder.add_audio(sample_rate=self._sample_rate, num_channels=self._samples.shape[0], **out, **options)
        with encoder.open_file(dest) if format is None else encoder.open_file_like(dest, format=_format(format)):
            stream.add_samples(self._samples)

    def to_file(
        self,
        dest: str | Path,
        *,
        bit_rate: int | None = None,
        num_channels: int | None = None,
        sample_rate: int | None = None,
    ) -> None:
        """Write a file.

        Args:
            dest: its path; the ending chooses the format.
            bit_rate: bits a second; None leaves it to the codec.
            num_channels: channels of the file; None leaves them.
            sample_rate: samples a second of the file; None leaves them.

        Raises:
            RuntimeError: FFmpeg can't write it.
        """
        self._write(dest, None, bit_rate=bit_rate, num_channels=num_channels, sample_rate=sample_rate)
