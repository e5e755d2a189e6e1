"""Metadata of a stream, from a container's header and its packets."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from rushlight.compat.torchcodec.reading import seconds

__all__ = ["AudioStreamMetadata", "StreamMetadata", "VideoStreamMetadata", "audio_metadata", "video_metadata"]

# Code points of ITU-T H.273 (2 and None are "unspecified"), by FFmpeg's names.
_PRIMARIES = {
    1: "bt709",
    4: "bt470m",
    5: "bt470bg",
    6: "smpte170m",
    7: "smpte240m",
    8: "film",
    9: "bt2020",
    10: "smpte428",
    11: "smpte431",
    12: "smpte432",
    22: "ebu3213",
}
_TRANSFER = {
    1: "bt709",
    4: "bt470m",
    5: "bt470bg",
    6: "smpte170m",
    7: "smpte240m",
    8: "linear",
    9: "log100",
    10: "log316",
    11: "iec61966-2-4",
    12: "bt1361e",
    13: "iec61966-2-1",
    14: "bt2020-10",
    15: "bt2020-12",
    16: "smpte2084",
    17: "smpte428",
    18: "arib-std-b67",
}
_MATRIX = {
    0: "gbr",
    1: "bt709",
    4: "fcc",
    5: "bt470bg",
    6: "smpte170m",
    7: "smpte240m",
    8: "ycgco",
    9: "bt2020nc",
    10: "bt2020c",
    11: "smpte2085",
    12: "chroma-derived-nc",
    13: "chroma-derived-c",
    14: "ictcp",
}


@dataclass
class StreamMetadata:
    """What is known of a stream; what is not is None.

    Args:
        duration_seconds_from_header: as the header says, in seconds.
        begin_stream_seconds_from_header: when it begins, as the header says, in seconds.
        bit_rate: bits a second.
        codec: the codec's name.
        stream_index: the stream's place in the container.
        duration_seconds: the best that is known of it, in seconds.
        begin_stream_seconds: the best that is known of it, in seconds.
    """

    duration_seconds_from_header: float | None
    begin_stream_seconds_from_header: float | None
    bit_rate: float | None
    codec: str | None
    stream_index: int
    duration_seconds: float | None
    begin_stream_seconds: float | None

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__}:", *(f"  {field.name}: {getattr(self, field.name)}" for field in fields(self))]
        return "\n".join(lines) + "\n"


@dataclass(repr=False)
class VideoStreamMetadata(StreamMetadata):
    """What is known of a stream of pictures.

    Args:
        begin_stream_seconds_from_content: the first frame's time by its packet, in seconds; exact mode only.
        end_stream_seconds_from_content: where the last frame ends, in seconds; exact mode only.
        width: columns of a frame as it is shown.
        height: rows of a frame as it is shown.
        num_frames_from_header: frames as the header says.
        num_frames_from_content: frames that packets hold; exact mode only.
        average_fps_from_header: frames a second as the header says.
        pixel_aspect_ratio: a pixel's width by its height.
        rotation: by how many degrees frames are turned to be shown, counter-clockwise.
        color_primaries: the name of ITU-T H.273's code.
        color_space: the name of ITU-T H.273's code.
        color_transfer_characteristic: the name of ITU-T H.273's code.
        pixel_format: FFmpeg's name of the format that is decoded.
        end_stream_seconds: the best that is known of it, in seconds.
        num_frames: the best that is known of it.
        average_fps: the best that is known of it, frames a second.
    """

    begin_stream_seconds_from_content: float | None
    end_stream_seconds_from_content: float | None
    width: int | None
    height: int | None
    num_frames_from_header: int | None
    num_frames_from_content: int | None
    average_fps_from_header: float | None
    pixel_aspect_ratio: Fraction | None
    rotation: float | None
    color_primaries: str | None
    color_space: str | None
    color_transfer_characteristic: str | None
    pixel_format: str | None
    end_stream_seconds: float | None
    num_frames: int | None
    average_fps: float | None


@dataclass(repr=False)
class AudioStreamMetadata(StreamMetadata):
    """What is known of a stream of sound.

    Args:
        sample_rate: samples a second.
        num_channels: channels.
        sample_format: FFmpeg's name of the format that is decoded.
    """

    sample_rate: int | None
    num_channels: int | None
    sample_format: str | None


def _common(stream: Any) -> dict[str, Any]:
    header = None if stream.duration is None else seconds(stream.duration, stream)
    begin = None if stream.start_time is None else seconds(stream.start_time, stream)
    whole = stream.container.duration
    return {
        "duration_seconds_from_header": header,
        "begin_stream_seconds_from_header": begin,
        "bit_rate": float(stream.codec_context.bit_rate or 0),
        "codec": stream.codec_context.codec.canonical_name,
        "stream_index": stream.index,
        "duration_seconds": header if header is not None else None if whole is None else whole / 1e6,
        "begin_stream_seconds": begin or 0.0,
    }


def audio_metadata(stream: Any) -> AudioStreamMetadata:
    """What the header says of a stream of sound.

    Args:
        stream: PyAV's stream.

    Returns:
        its metadata.
    """
    context = stream.codec_context
    return AudioStreamMetadata(
        **_common(stream),
        sample_rate=context.sample_rate,
        num_channels=context.layout.nb_channels,
        sample_format=None if context.format is None else context.format.name,
    )


def video_metadata(
    stream: Any, size: tuple[int, int], rotation: float, content: tuple[float, float, int] | None
) -> VideoStreamMetadata:
    """What the header and, in exact mode, the packets say of a stream of pictures.

    Args:
        stream: PyAV's stream.
        size: rows and columns of a frame as it is shown.
        rotation: in degrees; 0 for none.
        content: the first frame's time, the last one's end, in seconds, and the number of frames; exact mode only.

    Returns:
        its metadata.
    """
    context, common = stream.codec_context, _common(stream)
    rate = None if stream.average_rate is None else float(stream.average_rate)
    begin, end, frames = content if content is not None else (None, None, None)
    if content is not None:
        common |= {"begin_stream_seconds": begin, "duration_seconds": end - begin}  # type: ignore[operator]
    known: float | None = common["duration_seconds"]
    count = frames if frames is not None else stream.frames or (int(known * rate) if known and rate else None)
    fps = frames / known if frames is not None and known else rate
    aspect = stream.sample_aspect_ratio or context.sample_aspect_ratio
    return VideoStreamMetadata(
        **common,
        begin_stream_seconds_from_content=begin,
        end_stream_seconds_from_content=end,
        width=size[1],
        height=size[0],
        num_frames_from_header=stream.frames or None,
        num_frames_from_content=frames,
        average_fps_from_header=rate,
        pixel_aspect_ratio=aspect,
        rotation=rotation or None,
        color_primaries=_PRIMARIES.get(context.color_primaries),
        color_space=_MATRIX.get(context.colorspace),
        color_transfer_characteristic=_TRANSFER.get(context.color_trc),
        pixel_format=context.pix_fmt,
        end_stream_seconds=end
        if end is not None
        else None
        if known is None
        else common["begin_stream_seconds"] + known,
        num_frames=count,
        average_fps=fps,
    )
