"""JPEG files that the core decodes itself: its bytes are libjpeg's, on every kind of processor, and what it does not
know it leaves to others.
"""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip("PIL", reason="Pillow is not installed")

import picture_files
from PIL import Image, ImageFile

from rushlight.core import _native

FILES = {name: data for name, data in picture_files.files().items() if name.startswith("jpeg")}
# What Pillow keeps in other words than in brightness and two differences of colour, and in several scans.
LEFT = {"jpeg progressive", "jpeg cmyk", "jpeg of red, green and blue"}


@pytest.fixture(params=[2, 1, 0], ids=["AVX-512", "AVX2", "plain C"])
def level(request: pytest.FixtureRequest) -> Iterator[int]:
    """Each kind of processor up to this one."""
    if _native.limit_byte_level(request.param) != request.param:
        _native.limit_byte_level(2)
        pytest.skip("this processor has no such instructions")
    yield request.param
    _native.limit_byte_level(2)


def decoded(data: bytes, channels: int) -> np.ndarray | None:
    """What the core makes of a file."""
    size = _native.jpeg_size(data)
    if size is None:
        return None
    into = np.full((*size[:2], channels), 77, np.uint8)
    return into if _native.decode_jpeg(data, into) else None


def by_pillow(data: bytes, channels: int) -> np.ndarray:
    image = Image.open(io.BytesIO(data))
    if channels == 1 and image.mode == "RGB":
        image.draft("L", None)  # brightness as it is stored
    found = np.asarray(image)
    return np.repeat(found[..., None], channels, 2) if found.ndim == 2 else found


def drawn(r: random.Random) -> bytes:
    """A picture of any small size, from one colour to noise, as a JPEG file of any kind that is left in one scan."""
    height, width, seed = r.randrange(1, 150), r.randrange(5, 150), r.randrange(1 << 30)
    noise = np.random.RandomState(seed)
    pixels = (
        picture_files.smooth(height, width, 3, seed),
        noise.randint(0, 256, (height, width, 3)).astype("u1"),
        (noise.randint(0, 2, (height, width, 3)) * 255).astype("u1"),
        np.full((height, width, 3), noise.randint(0, 256, 3), "u1"),
    )[r.randrange(4)]
    options: dict[str, Any] = {"quality": r.choice((1, 5, 30, 75, 95, 100)), "subsampling": r.randrange(3)}
    if r.random() < 0.3:
        options["optimize"] = True
    if r.random() < 0.3:
        options["restart_marker_blocks"] = r.randrange(1, 30)
    image = Image.fromarray(pixels)
    return picture_files.encoded(image.convert("L") if r.random() < 0.2 else image, "JPEG", **options)


@pytest.mark.parametrize("channels", [1, 3])
def test_its_bytes_are_libjpegs(level: int, channels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImageFile, "MAXBLOCK", 1 << 20)  # Pillow's room for a file: noise takes more than it thinks
    r = random.Random(level)
    for _ in range(150):
        data = drawn(r)
        found = decoded(data, channels)
        assert found is not None
        assert np.array_equal(found, by_pillow(data, channels))


@pytest.mark.parametrize("name", FILES)
def test_it_decodes_what_is_as_most_files_are(name: str) -> None:
    for channels in (1, 3):
        found = decoded(FILES[name], channels)
        if name in LEFT:
            assert found is None
        else:
            assert np.array_equal(found, by_pillow(FILES[name], channels))


def test_colours_of_few_columns_are_left_to_others() -> None:
    """libjpeg does not interpolate them."""
    for width in range(1, 8):
        data = picture_files.encoded(Image.fromarray(picture_files.smooth(9, width, 3)), "JPEG")
        assert (_native.jpeg_size(data) is None) == (width <= 4)


def test_a_file_that_ends_too_soon_is_left_to_others() -> None:
    data = picture_files.encoded(Image.fromarray(picture_files.smooth(20, 30, 3)), "JPEG", restart_marker_blocks=2)
    for n in range(len(data)):
        assert decoded(data[:n], 3) is None
    assert decoded(data, 3) is not None
    assert decoded(data + b"abc", 3) is not None  # what comes behind the last marker belongs to nobody


def test_numbers_that_are_too_large_are_left_to_others() -> None:
    """Others compute in 16 bits, which are too few for them."""
    data = bytearray(picture_files.encoded(Image.fromarray(picture_files.smooth(20, 30, 3)), "JPEG", quality=100))
    at = data.index(b"\xff\xdb\x00\x43\x00") + 5
    data[at : at + 64] = b"\xff" * 64
    assert _native.jpeg_size(bytes(data)) is not None
    assert decoded(bytes(data), 3) is None


def test_room_of_another_size_is_not_written() -> None:
    data = FILES["jpeg quality 75"]
    for shape in ((36, 53, 3), (37, 52, 3), (53, 37, 3), (0, 53, 3), (37, 0, 1)):
        into = np.full(shape, 77, np.uint8)
        assert not _native.decode_jpeg(data, into)
        assert (into == 77).all()
    with pytest.raises(ValueError, match="expected 1 or 3 bytes a pixel; found 4"):
        _native.decode_jpeg(data, np.empty((37, 53, 4), np.uint8))
    with pytest.raises(ValueError, match="contiguous"):
        _native.decode_jpeg(data, np.empty((37, 106, 3), np.uint8)[:, ::2])
    with pytest.raises(ValueError, match="read-only"):
        _native.decode_jpeg(data, np.frombuffer(bytes(37 * 53 * 3), np.uint8).reshape(37, 53, 3))
    assert _native.jpeg_size(b"") is None
    assert not _native.decode_jpeg(b"", np.empty((37, 53, 3), np.uint8))
