"""`torchcodec` on PyAV: which frames come, when they are shown, what damaged files give, and what encoders write."""

from __future__ import annotations

import io
import math
import os
import random
import resource
import textwrap
import threading
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from time import sleep
from typing import Any

import numpy as np
import pytest

import rushlight
from processes import RUSHLIGHT, printed

av = pytest.importorskip("av", reason="torchcodec stands on PyAV")

from rushlight.compat.torchcodec import colours  # noqa: E402
from rushlight.compat.torchcodec.decoders import AudioDecoder, VideoDecoder, WavDecoder  # noqa: E402
from rushlight.compat.torchcodec.encoders import AudioEncoder, Encoder, VideoEncoder  # noqa: E402
from rushlight.compat.torchcodec.frames import Frame, FrameBatch  # noqa: E402
from rushlight.compat.torchcodec.samplers import (  # noqa: E402
    clips_at_random_indices,
    clips_at_random_timestamps,
    clips_at_regular_indices,
    clips_at_regular_timestamps,
)
from rushlight.compat.torchcodec.transforms import CenterCrop, RandomCrop, Resize  # noqa: E402
from rushlight.core import _native  # noqa: E402

RATE = 25
H264: dict[str, Any] = {"codec": "libx264", "extra_options": {"g": 12, "bf": 3}}
LOSSLESS: dict[str, Any] = {"codec": "ffv1", "pixel_format": "bgr0"}


def pictures(count: int, height: int = 34, width: int = 50) -> rushlight.Tensor:
    """Frames that are told apart by one pixel: frame i is grey of 2i + 10, with a slope that shows how it is turned."""
    grey = 2 * rushlight.arange(count).reshape(-1, 1, 1, 1) + 10
    slope = rushlight.arange(width) // 4 + rushlight.arange(height).reshape(-1, 1) // 2
    tint = rushlight.tensor([0, 20, 40]).reshape(1, 3, 1, 1)
    return (grey + slope + tint).to(rushlight.uint8)


def number(frame: rushlight.Tensor) -> int:
    """Which frame a decoded one is, by its first corner's red (codecs that lose are a little off)."""
    return round((float(frame[0, :2, :4].float().mean()) - 10.25) / 2)


def each(decoder: Any) -> Iterator[rushlight.Tensor]:
    """Its frames, as sequences give them."""
    return iter(decoder)


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("clips") / "exact.mkv")
    VideoEncoder(pictures(40), frame_rate=RATE).to_file(path, **LOSSLESS)
    return path


@pytest.fixture(scope="module")
def reordered(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Frames that are decoded in another order than shown, with sound."""
    path = str(tmp_path_factory.mktemp("clips") / "reordered.mp4")
    encoder = Encoder()
    how: dict[str, Any] = {"frame_rate": RATE, "crf": 4, "pixel_format": "yuv444p", **H264}
    video = encoder.add_video(height=34, width=50, **how)
    audio = encoder.add_audio(sample_rate=16000, num_channels=1)
    with encoder.open_file(path):
        video.add_frames(pictures(60))
        audio.add_samples(sine(16000, 2.4))
    return path


@pytest.fixture(scope="module")
def variable(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[int]]:
    """Frames at irregular times, in ms."""
    path = str(tmp_path_factory.mktemp("clips") / "variable.mkv")
    times = [0, 10, 15, 100, 101, 250, 600, 640, 641, 900]
    with av.open(path, "w") as container:
        stream = container.add_stream("ffv1", rate=1000)
        stream.width, stream.height, stream.pix_fmt, stream.time_base = 50, 34, "bgr0", Fraction(1, 1000)
        stream.codec_context.time_base = Fraction(1, 1000)
        for picture, time in zip(pictures(len(times)).movedim(1, -1).contiguous().numpy(), times, strict=True):
            frame = av.VideoFrame.from_ndarray(picture, "rgb24").reformat(format="bgr0")
            frame.pts, frame.time_base = time, Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path, times


def sine(rate: int, seconds: float) -> rushlight.Tensor:
    return 0.5 * rushlight.sin(rushlight.arange(int(rate * seconds)) * (2 * 3.14159265 * 440 / rate))


def test_every_frame_by_index_slice_and_iteration(exact: str) -> None:
    decoder, expected = VideoDecoder(exact), pictures(40)
    assert len(decoder) == 40
    assert rushlight.equal(decoder[:], expected)
    assert rushlight.equal(rushlight.stack(list(each(decoder))), expected)
    for index in (39, 0, 7, 8, -1, -40, 20):
        assert rushlight.equal(decoder[index], expected[index])
    assert rushlight.equal(decoder[5:30:7], expected[5:30:7])
    batch = decoder.get_frames_at([3, -1, 3, 0])
    assert rushlight.equal(batch.data, expected[[3, -1, 3, 0]])
    assert batch.pts_seconds.tolist() == [0.12, 1.56, 0.12, 0.0]
    assert rushlight.equal(decoder.get_frames_in_range(35, 1000).data, expected[35:])
    assert decoder.get_frames_at([]).data.shape == (0, 3, 34, 50)
    assert VideoDecoder(exact, dimension_order="NHWC")[3:5].shape == (2, 34, 50, 3)


@pytest.mark.parametrize("mode", ["exact", "approximate"])
def test_frames_that_are_decoded_out_of_order(reordered: str, mode: Any) -> None:
    decoder = VideoDecoder(reordered, seek_mode=mode)
    order = list(range(60))
    random.Random(0).shuffle(order)
    assert [number(decoder[i]) for i in order] == order
    assert [number(x) for x in decoder.get_frames_at(order).data] == order
    assert [number(x) for x in decoder.get_all_frames().data] == list(range(60))
    assert [number(decoder.get_frame_played_at(i / RATE + 0.01).data) for i in order] == order
    assert decoder.get_frames_played_in_range(0.5, 0.7).pts_seconds.tolist() == pytest.approx(
        [0.48, 0.52, 0.56, 0.6, 0.64, 0.68]
    )


def test_times_of_variable_rates(variable: tuple[str, list[int]]) -> None:
    path, times = variable
    decoder = VideoDecoder(path)
    batch = decoder.get_all_frames()
    assert (batch.pts_seconds * 1000).round().tolist() == times
    assert rushlight.equal(batch.data, pictures(len(times)))
    for time in (0.0, 0.0099, 0.01, 0.0149, 0.099, 0.1, 0.1005, 0.2, 0.599, 0.64, 0.6405, 0.7, 0.9):
        shown = max(i for i, t in enumerate(times) if t / 1000 <= time)
        assert number(decoder.get_frame_played_at(time).data) == shown, time
    assert [number(x) for x in decoder.get_frames_played_in_range(0.012, 0.6).data] == [1, 2, 3, 4, 5]
    assert [number(x) for x in decoder.get_frames_played_in_range(0.0, 0.9, fps=10).data] == [0, 3, 4, 5, 5, 5, 6, 8, 8]


def test_out_of_range(exact: str) -> None:
    decoder = VideoDecoder(exact)
    for call in (lambda: decoder[40], lambda: decoder[-41], lambda: decoder.get_frames_at([0, 40])):
        with pytest.raises(IndexError, match=r"40 frames expected, found -?4"):
            call()
    for time in (-0.1, 1.6):
        with pytest.raises(IndexError, match=r"from 0 to below 1\.6 expected, found"):
            decoder.get_frame_played_at(time)
    with pytest.raises(RuntimeError, match="found 5"):
        decoder.get_frames_played_at([0.0, 5.0])
    with pytest.raises(ValueError, match="stop_seconds up to"):
        decoder.get_frames_played_in_range(0, 9)
    with pytest.raises(ValueError, match="start_seconds up to"):
        decoder.get_frames_played_in_range(1, 0)
    with pytest.raises(TypeError, match="int or slice expected, found str"):
        decoder["a"]
    for fps in (0, -1, math.nan, 1e300):
        with pytest.raises(RuntimeError, match="fps"):
            decoder.get_all_frames(fps=fps)
    with pytest.raises(MemoryError, match="cannot allocate"):
        decoder.get_all_frames(fps=1e9)
    for index in (2**70, -(2**70)):
        with pytest.raises(IndexError, match="40 frames"):
            decoder.get_frame_at(index)
    for call in (lambda: decoder.get_frame_played_at(math.nan), lambda: decoder[2**70]):
        with pytest.raises(IndexError, match="expected, found"):
            call()
    with pytest.raises(ValueError, match="found nan"):
        decoder.get_frames_played_in_range(0, math.nan)


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("/there/is/none", RuntimeError),
        (b"", ValueError),
        (b"no video", RuntimeError),
        (3, TypeError),
        (None, TypeError),
    ],
)
def test_sources_that_are_none(source: Any, error: type[Exception]) -> None:
    for kind in (VideoDecoder, AudioDecoder):
        with pytest.raises(error, match=kind.__name__):
            kind(source)
    with pytest.raises(RuntimeError, match="uint8 expected, found"):
        VideoDecoder(rushlight.zeros(9))


def test_kinds_of_sources(exact: str) -> None:
    contents = Path(exact).read_bytes()
    first = pictures(1)[0]
    tensor = rushlight.frombuffer(bytearray(contents), dtype=rushlight.uint8)
    with open(exact, "rb") as file:
        for source in (exact, Path(exact), contents, io.BytesIO(contents), file, tensor):
            assert rushlight.equal(VideoDecoder(source)[0], first)  # type: ignore[arg-type]


def test_arguments_are_checked(exact: str) -> None:
    refused: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"seek_mode": "x"}, ValueError, "exact or approximate"),
        ({"dimension_order": "HW"}, ValueError, "NCHW or NHWC"),
        ({"stream_index": 7}, ValueError, "below 1"),
        ({"num_ffmpeg_threads": None}, ValueError, "int"),
        ({"device": "meta"}, RuntimeError, "cpu expected, found meta"),
        ({"transforms": [3]}, ValueError, "found 3"),
        ({"transforms": [Resize((10,))]}, ValueError, "height, width"),
        ({"transforms": [CenterCrop((99, 2))]}, RuntimeError, "34 x 50"),
        ({"transforms": [Resize((10**9, 10**9))]}, ValueError, "32768"),
        ({"transforms": [CenterCrop((-1, 5))]}, ValueError, "32768"),
        ({"num_ffmpeg_threads": 10**12}, ValueError, "1024"),
        ({"stream_index": 2**70}, ValueError, "below 1"),
        ({"output_dtype": rushlight.int8}, ValueError, "uint8"),
        ({"custom_frame_mappings": "{"}, ValueError, "ffprobe"),
    ]
    for arguments, error, text in refused:
        with pytest.raises(error, match=text):
            VideoDecoder(exact, **arguments)


def test_transforms_and_dtypes(exact: str) -> None:
    expected = pictures(40)
    assert rushlight.equal(VideoDecoder(exact, transforms=[CenterCrop((10, 20))])[3], expected[3, :, 12:22, 15:35])
    scaled = VideoDecoder(exact, transforms=[Resize((17, 25))])[3]
    assert scaled.shape == (3, 17, 25)
    assert (scaled.int() - expected[3, :, ::2, ::2].int()).abs().max() <= 2
    rushlight.manual_seed(0)
    decoder = VideoDecoder(exact, transforms=[RandomCrop((10, 20))])
    rushlight.manual_seed(0)
    top, left = int(rushlight.randint(0, 25, (1,))), int(rushlight.randint(0, 31, (1,)))
    assert rushlight.equal(decoder[3:6], expected[3:6, :, top : top + 10, left : left + 20])
    floats = VideoDecoder(exact, output_dtype=rushlight.float32)[3]
    assert rushlight.allclose(floats, expected[3] / 255)


def test_frames_that_are_turned(reordered: str, tmp_path: Path) -> None:
    path = str(tmp_path / "turned.mp4")
    with av.open(reordered) as source, av.open(path, "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        stream.set_display_rotation(90)
        for packet in source.demux(source.streams.video[0]):
            if packet.dts is not None:
                packet.stream = stream
                target.mux(packet)
    decoder = VideoDecoder(path)
    assert (decoder.metadata.width, decoder.metadata.height, decoder.metadata.rotation) == (34, 50, 90.0)
    assert rushlight.equal(decoder[4], VideoDecoder(reordered)[4].rot90(1, (1, 2)))


SPACES = [(space, scope) for space in (0, 1, 2, 4, 5, 6, 7, 9) for scope in (0, 1, 2)]


def test_colours_of_every_space_have_the_bytes_of_ffmpeg() -> None:
    """Random pictures at every width of a vector, by every kind of instructions, with rows that are longer than they
    need to be.
    """
    draw, best, by_core = np.random.default_rng(0), _native.limit_byte_level(9), set()
    for k in range(330):
        space, scope = SPACES[k % len(SPACES)]
        height, width = 2 * (1 + k % 3), 2 + k % 150
        format = ("yuv420p", "yuvj420p")[k // len(SPACES) % 2]
        frame = av.VideoFrame(width, height, format)
        for plane in frame.planes:
            plane.update(draw.integers(0, 256, plane.buffer_size, np.uint8).tobytes())
        frame.colorspace, frame.color_range = space, scope
        theirs = frame.reformat(format="rgb24").to_ndarray()
        for level in range(best + 1):
            assert _native.limit_byte_level(level) == level
            try:
                ours = np.full((height, width, 3), 77, np.uint8)
                served = colours.converted(frame, ours)
            finally:
                _native.limit_byte_level(9)
            assert (ours == (theirs if served else 77)).all(), (k, level)
            if served:
                by_core.add((format, space, scope))
    if best:  # FFmpeg's own routines for such a processor round as the core does
        assert {(f, s, r) for f in ("yuv420p", "yuvj420p") for s, r in SPACES if s != 4} <= by_core
    odd = av.VideoFrame(8, 7, "yuv420p")
    assert not colours.converted(odd, np.zeros((7, 8, 3), np.uint8)), "FFmpeg scales the differences of such frames"
    deep = av.VideoFrame(8, 8, "yuv420p10le")
    assert not colours.converted(deep, np.zeros((8, 8, 3), np.uint8))


def test_planes_that_are_too_small_are_refused() -> None:
    weights, rows = (128, 9539, 13075, -3209, -6660, 16525), (8, 4, 4)
    for short in range(3):
        y, u, v = (bytearray(n - (k == short)) for k, n in enumerate((32, 8, 8)))
        with pytest.raises(ValueError, match="bytes expected, found"):
            _native.rgb_of_colours(y, u, v, rows, weights, memoryview(bytearray(96)).cast("B", (4, 8, 3)))
    y, u, v = (bytearray(n) for n in (32, 8, 8))
    for shape in ((3, 8, 3), (4, 6, 4)):
        with pytest.raises(ValueError, match="even height and 3 bytes"):
            _native.rgb_of_colours(y, u, v, rows, weights, memoryview(bytearray(math.prod(shape))).cast("B", shape))
    with pytest.raises(ValueError, match="bytes expected, found"):
        _native.rgb_of_colours(y, u, v, (-8, 4, 4), weights, memoryview(bytearray(96)).cast("B", (4, 8, 3)))
    for far in (9, 1 << 61, (1 << 63) - 1):
        with pytest.raises(ValueError, match="bytes expected, found"):
            _native.rgb_of_colours(y, u, v, (far, 4, 4), weights, memoryview(bytearray(96)).cast("B", (4, 8, 3)))
    for apart in (np.zeros((4, 16, 3), np.uint8)[:, ::2], np.zeros((4, 8, 3), np.uint8)[::-1]):
        with pytest.raises(ValueError, match="not C-contiguous"):
            _native.rgb_of_colours(y, u, v, rows, weights, apart)


@pytest.mark.parametrize("threads", [1, 2])
def test_frames_have_the_bytes_of_ffmpeg_at_any_number_of_threads(tmp_path: Path, threads: int) -> None:
    path = str(tmp_path / "halved.mp4")
    draw = rushlight.Generator().manual_seed(0)
    noise = rushlight.randint(0, 256, (30, 3, 36, 52), dtype=rushlight.uint8, generator=draw)
    VideoEncoder(noise, frame_rate=RATE).to_file(path, pixel_format="yuv420p", crf=10, **H264)
    with av.open(path) as container:
        expected = [frame.reformat(format="rgb24").to_ndarray() for frame in container.decode(video=0)]
    decoder = VideoDecoder(path, num_ffmpeg_threads=threads, dimension_order="NHWC")
    assert (decoder[:].numpy() == np.stack(expected)).all()
    for index in (29, 3, 17, 16, 0):
        assert (decoder[index].numpy() == expected[index]).all()
    floats = VideoDecoder(path, dimension_order="NHWC", output_dtype=rushlight.float32)[7]
    assert (floats.numpy() == expected[7] / np.float32(255)).all()


def test_mappings_take_the_place_of_reading(exact: str) -> None:
    frames = [{"pts": 40 * i, "duration": 40, "key_frame": int(i % 12 == 0)} for i in range(40)]
    decoder = VideoDecoder(exact, custom_frame_mappings=str({"frames": frames}).replace("'", '"'))
    assert rushlight.equal(decoder[:], pictures(40))
    assert decoder._get_key_frame_indices().tolist() == [0, 12, 24, 36]


def test_sound(reordered: str) -> None:
    decoder = AudioDecoder(reordered)
    assert decoder.metadata.sample_rate == 16000
    samples = decoder.get_all_samples()
    assert samples.sample_rate == 16000
    assert samples.pts_seconds == 0.0
    assert (samples.data[0, 2000:30000] - sine(16000, 2.4)[2000:30000]).abs().max() < 0.05
    part = decoder.get_samples_played_in_range(1.0, 1.5)
    assert rushlight.equal(part.data, samples.data[:, 16000:24000])
    assert (part.pts_seconds, part.duration_seconds) == (1.0, 0.5)
    assert decoder.get_samples_played_in_range(1.0, 1.0).data.shape == (1, 0)
    assert rushlight.equal(decoder.get_all_samples().data, samples.data)
    converted = AudioDecoder(reordered, sample_rate=8000, num_channels=2).get_all_samples()
    assert converted.data.shape == (2, samples.data.shape[1] // 2)
    with pytest.raises(RuntimeError, match="found none"):
        decoder.get_samples_played_in_range(10.0, 11.0)
    for span in ((2.0, 1.0), (math.nan, 1.0), (0.0, math.nan)):
        with pytest.raises(ValueError, match="up to stop_seconds"):
            decoder.get_samples_played_in_range(*span)
    for conversion in ({"sample_rate": 2**40}, {"num_channels": 10**6}, {"sample_rate": 0}):
        with pytest.raises(RuntimeError, match="above 0 and up to"):
            AudioDecoder(reordered, **conversion)


@pytest.mark.parametrize("channels", [1, 2])
def test_sound_there_and_back(channels: int) -> None:
    samples = rushlight.stack([sine(16000, 0.3) / (i + 1) for i in range(channels)])
    encoded = AudioEncoder(samples, sample_rate=16000).to_tensor("wav")
    decoded = WavDecoder(encoded).get_all_samples()
    assert (decoded.data - samples).abs().max() < 1e-4
    for format in ("flac", "mp3"):
        there = AudioDecoder(AudioEncoder(samples, sample_rate=16000).to_tensor(format, sample_rate=32000))
        assert there.metadata.sample_rate == 32000
        assert there.metadata.num_channels == channels
        assert there.get_all_samples().data.shape[1] >= 2 * samples.shape[1]
    with pytest.raises(ValueError, match="float32 expected"):
        AudioEncoder(samples.double(), sample_rate=16000)
    with pytest.raises(RuntimeError, match="format wav expected, found flac"):
        WavDecoder(AudioEncoder(samples, sample_rate=16000).to_tensor("flac"))


def test_encoders_say_what_they_expect(tmp_path: Path) -> None:
    frames = pictures(3)
    with pytest.raises(ValueError, match="uint8 expected, found"):
        VideoEncoder(frames.float(), frame_rate=5)
    for rate in (0, -1, math.nan, math.inf, 1e300):
        with pytest.raises(ValueError, match="frame_rate above 0"):
            VideoEncoder(frames, frame_rate=rate)
    for empty in (frames[:0], frames[..., :0]):
        with pytest.raises(ValueError, match="none of them 0"):
            VideoEncoder(empty, frame_rate=5)
    for arguments in ({"sample_rate": 2**40}, {"sample_rate": 0}):
        with pytest.raises(ValueError, match="sample_rate above 0"):
            AudioEncoder(sine(16000, 0.1), **arguments)
    for samples in (rushlight.zeros(0), rushlight.zeros(2, 0)):
        with pytest.raises(ValueError, match="not 0"):
            AudioEncoder(samples, sample_rate=16000)
    with pytest.raises(ValueError, match="num_channels above 0 and up to 64"):
        AudioEncoder(rushlight.zeros(1000, 5), sample_rate=16000).to_tensor("wav")
    with pytest.raises(RuntimeError, match="FFmpeg can't encode"):
        VideoEncoder(frames[..., :9, :9], frame_rate=5).to_tensor("mp4")  # H.264 has even sizes in this format
    for options, text in (({"codec": "none_such"}, "none_such"), ({"pixel_format": "none_such"}, "pixel_format")):
        with pytest.raises(RuntimeError, match=text):
            VideoEncoder(frames, frame_rate=5).to_tensor("mkv", **options)
    with pytest.raises(RuntimeError, match="no_format"):
        VideoEncoder(frames, frame_rate=5).to_tensor("no_format")
    encoder = Encoder()
    stream = encoder.add_video(height=34, width=50, frame_rate=5)
    with pytest.raises(RuntimeError, match="open"):
        stream.add_frames(frames)
    with encoder.open_file(tmp_path / "x.mkv"), pytest.raises(ValueError, match="height and width"):
        stream.add_frames(frames[..., :10])


def test_clips(reordered: str) -> None:
    decoder = VideoDecoder(reordered)

    def numbers(batch: FrameBatch) -> list[list[int]]:
        return [[number(x) for x in clip] for clip in batch.data]

    rushlight.manual_seed(0)
    drawn = rushlight.randint(0, 60 - 15, (3,)).tolist()
    rushlight.manual_seed(0)
    clips = clips_at_random_indices(decoder, num_clips=3, num_frames_per_clip=4, num_indices_between_frames=5)
    assert numbers(clips) == [[start + 5 * i for i in range(4)] for start in drawn]
    assert clips.pts_seconds.shape == (3, 4)
    regular = clips_at_regular_indices(decoder, num_clips=3, num_frames_per_clip=2)
    assert numbers(regular) == [[0, 1], [29, 30], [58, 59]]
    ends: list[tuple[Any, list[int]]] = [("repeat_last", [58, 59, 59, 59]), ("wrap", [58, 59, 58, 59])]
    for policy, expected in ends:
        late = {"sampling_range_start": 58, "sampling_range_end": 59, "policy": policy}
        assert numbers(clips_at_random_indices(decoder, num_frames_per_clip=4, **late)) == [expected]
    with pytest.raises(ValueError, match="policy='error'"):
        clips_at_regular_indices(
            decoder, num_frames_per_clip=4, sampling_range_start=58, sampling_range_end=59, policy="error"
        )
    timed = clips_at_regular_timestamps(decoder, seconds_between_clip_starts=1.0, num_frames_per_clip=2)
    assert numbers(timed) == [[0, 1], [25, 26], [50, 51]]
    spread = clips_at_random_timestamps(decoder, num_clips=5, num_frames_per_clip=3, seconds_between_frames=0.2)
    assert ((spread.pts_seconds[:, 1:] - spread.pts_seconds[:, :-1] - 0.2).abs() < 0.041).all()
    for arguments in ({"num_clips": 0}, {"num_frames_per_clip": 0}, {"sampling_range_start": 60}, {"policy": "x"}):
        with pytest.raises(ValueError, match="expected, found"):
            clips_at_random_indices(decoder, **arguments)


def test_frames_are_what_they_say() -> None:
    batch = FrameBatch(rushlight.zeros(2, 3, 4, 5), rushlight.zeros(2), rushlight.ones(2))
    assert [x.data.shape for x in batch] == [(3, 4, 5)] * 2
    assert len(batch[1:]) == 1
    _, pts, duration = Frame(rushlight.zeros(3, 4, 5), 1, 2)
    assert (pts, duration) == (1.0, 2.0)
    with pytest.raises(ValueError, match="pts_seconds of shape"):
        FrameBatch(rushlight.zeros(2, 3, 4, 5), rushlight.zeros(3), rushlight.ones(2))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("ending", ["mkv", "ts", "mp4"])
def test_a_cut_file_gives_what_is_before_the_cut(ending: str, threads: int) -> None:
    whole = VideoEncoder(pictures(60), frame_rate=RATE).to_tensor(
        {"ts": "mpegts"}.get(ending, ending), crf=4, **H264, pixel_format="yuv444p"
    )
    data = bytes(whole.numpy())
    if ending == "mp4":  # its index comes last
        with pytest.raises(RuntimeError, match="can open expected"):
            VideoDecoder(data[: len(data) // 2])
        return
    decoder = VideoDecoder(data[: len(data) // 2], num_ffmpeg_threads=threads)
    seen = []
    try:
        seen += [number(frame) for frame in each(decoder)]
    except RuntimeError as e:
        assert " s" in str(e), "the message names a time"
    assert len(seen) > 10
    assert seen == list(range(len(seen)))


def test_damaged_files_are_errors_or_frames(reordered: str, exact: str) -> None:
    """RUSHLIGHT_MUTANTS says how many (500 have been run). No crash, no other error, and no more memory than a clip of
    these sizes takes.
    """
    sound = VideoEncoder(pictures(60), frame_rate=RATE)
    files = [Path(p).read_bytes() for p in (reordered, exact)]
    files += [
        bytes(sound.to_tensor(kind, codec=codec).numpy())
        for kind, codec in (("mpegts", "mpeg2video"), ("webm", "libvpx-vp9"))
    ]
    draw = random.Random(1)
    read, count = 0, int(os.environ.get("RUSHLIGHT_MUTANTS", "60"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for k in range(count):
        data = bytearray(files[0 if k % 2 else draw.randrange(len(files))])
        for _ in range(draw.choice((1, 10, 200))):
            data[draw.randrange(len(data))] = draw.randrange(256)
        if draw.random() < 0.3:
            del data[draw.randrange(len(data)) :]
        try:
            decoder = VideoDecoder(bytes(data), num_ffmpeg_threads=1 + k % 3 % 2)
            if len(decoder) <= 1000:
                read += len([frame for frame, _ in zip(each(decoder), range(100), strict=False)])
            AudioDecoder(bytes(data)).get_all_samples()
        except (RuntimeError, ValueError):
            continue
    assert read > 8 * count
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 1000


def test_threads_decode_side_by_side(reordered: str) -> None:
    found: dict[int, list[int]] = {}

    def work(thread: int) -> None:
        decoder = VideoDecoder(reordered, num_ffmpeg_threads=thread % 2)
        found[thread] = [number(x) for x in each(decoder)]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[i] == list(range(60)) for i in range(4))


def test_programs_import_it_by_its_name(exact: str) -> None:
    code = f"""
    import importlib.metadata, importlib.util, torch, torchcodec
    from torchcodec.decoders import VideoDecoder
    from torchcodec.samplers import clips_at_regular_indices
    import torchcodec.encoders
    from torch.utils.data import DataLoader, Dataset

    class Clips(Dataset):
        def __len__(self): return 6
        def __getitem__(self, i): return VideoDecoder({exact!r})[6 * i]

    batch, = DataLoader(Clips(), batch_size=6, num_workers=2)
    print(type(batch) is torch.Tensor, tuple(batch.shape), batch[:, 0, 0, 0].tolist())
    print(torchcodec.ffmpeg_major_version >= 4, importlib.util.find_spec("torchcodec.no_such"))
    print(importlib.metadata.version("torchcodec") == torchcodec.__version__)
    """
    lines = printed(*RUSHLIGHT, "-c", textwrap.dedent(code)).splitlines()
    assert lines == ["True (6, 3, 34, 50) [10, 22, 34, 46, 58, 70]", "True None", "True"]


@pytest.mark.parametrize("killed", ["KILL", "SEGV"])
def test_a_worker_that_is_killed_is_an_error_and_leaves_no_other(reordered: str, killed: str) -> None:
    """A `DataLoader` that decodes clips in workers: one is killed while frames come."""
    code = f"""
    import os, signal, torch
    from torchcodec.decoders import VideoDecoder
    from torch.utils.data import DataLoader, Dataset

    class Clips(Dataset):
        def __len__(self): return 10**6
        def __getitem__(self, i):
            decoder = VideoDecoder({reordered!r})
            return os.getpid(), decoder.get_frames_at([i % 60, (7 * i) % 60]).data

    workers, came = set(), 0
    try:
        for pids, frames in DataLoader(Clips(), batch_size=2, num_workers=3):
            workers |= set(pids.tolist())
            came += 1
            if came == 12:
                os.kill(min(workers), signal.SIG{killed})
    except RuntimeError as e:
        print(came >= 12, type(e).__name__, f"(pid {{min(workers)}}) was killed by signal" in str(e))
    print(*workers)
    """
    first, workers = printed(*RUSHLIGHT, "-c", textwrap.dedent(code), timeout=300).splitlines()
    assert first == "True RuntimeError True"
    assert len(workers.split()) == 3
    for _ in range(100):
        left = [pid for pid in workers.split() if Path(f"/proc/{pid}").exists()]
        if not left:
            break
        sleep(0.05)
    assert not left


def test_without_pyav_the_import_says_what_to_install() -> None:
    code = """
    import importlib.util, sys
    sys.modules["av"] = None
    print(importlib.util.find_spec("torchcodec"))
    try:
        import torchcodec
    except ModuleNotFoundError as e:
        print(e)
    """
    found, message = printed(*RUSHLIGHT, "-c", textwrap.dedent(code)).splitlines()
    assert found == "None"
    assert "pip install av" in message
