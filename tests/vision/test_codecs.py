"""`torch.ops.image`: files are decoded and encoded as torchvision's own codecs do it, and damaged ones are errors."""

from __future__ import annotations

import importlib.util
import os
import random
import re
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import rushlight

pytest.importorskip("PIL", reason="Pillow is not installed")

import picture_files

import rushlight.library.images
from rushlight.library import codecs

image = rushlight.ops.image
FILES = picture_files.files()
MODES = ("UNCHANGED", "GRAY", "GRAY_ALPHA", "RGB", "RGB_ALPHA")

# Files and modes whose result here is another one than torchvision's, with what is wrong there.
WRONG_THERE = {
    ("png palette", "GRAY_ALPHA"): "rows of three channels are written where there are two",
    ("png palette", "RGB_ALPHA"): "rows of three channels are written where there are four",
    ("png palette of 4 bits, a clear colour", "UNCHANGED"): "two pixels lie in a byte, and half of the image is unset",
    ("png palette of 4 bits, alpha", "UNCHANGED"): "two pixels lie in a byte, and half of the image is unset",
    ("png of one bit", "GRAY_ALPHA"): "opaque is 1 of 255",
    ("png of one bit", "RGB_ALPHA"): "opaque is 1 of 255",
    **{("gif with disposal 3", mode): "what was there before a frame is not restored" for mode in MODES},
}


def tensor(data: bytes) -> rushlight.Tensor:
    return rushlight.frombuffer(bytearray(data), dtype=rushlight.uint8)


@pytest.fixture(scope="module")
def reference() -> Any:
    torch = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")
    if importlib.util.find_spec("torchvision") is None:
        pytest.skip("torchvision is not installed")
    import without_cuda

    without_cuda.prepare()
    import torchvision.io

    if not torchvision.io.image._has_image_ops():
        pytest.skip("torchvision's extension does not load beside this PyTorch")
    return torch


def result(decode: Any, *args: Any) -> Any:
    try:
        return decode(*args)
    except RuntimeError:
        return RuntimeError


class _LeavesAll:
    """In place of the core: a decoder that takes no file."""

    @staticmethod
    def jpeg_size(data: Any) -> None:
        return None

    @staticmethod
    def decode_jpeg(data: Any, into: Any) -> bool:
        return False


# Who decodes JPEG files: each of these leaves what it does not take to those behind it.
DECODERS = ("the core", "simplejpeg", "Pillow")


def leave_to(decoder: str, patch: pytest.MonkeyPatch) -> None:
    """Let JPEG files be decoded from that decoder on."""
    if decoder != "the core":
        patch.setattr(codecs, "_native", _LeavesAll)
    if decoder == "simplejpeg" and importlib.util.find_spec("simplejpeg") is None:
        pytest.skip("simplejpeg is not installed")
    if decoder == "Pillow":
        patch.setitem(sys.modules, "simplejpeg", None)


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("name", FILES)
def test_files_are_decoded_as_torchvision_does(
    name: str, decoder: str, reference: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_to(decoder, monkeypatch)
    data = FILES[name]
    theirs = reference.frombuffer(bytearray(data), dtype=reference.uint8)
    for mode, word in enumerate(MODES):
        for orient in (False, True):
            expected = result(reference.ops.image.decode_image, theirs, mode, orient)
            found = result(image.decode_image, tensor(data), mode, orient)
            if expected is RuntimeError or found is RuntimeError:
                assert found is expected, (word, orient)
                continue
            assert found.dtype is getattr(rushlight, str(expected.dtype).removeprefix("torch."))
            assert tuple(found.shape) == tuple(expected.shape), (word, orient)
            if found.shape[-3] > 1:
                assert found.stride() == expected.stride(), (word, orient)
            same = np.array_equal(found.numpy(), expected.numpy())
            assert same != ((name, word) in WRONG_THERE), (word, orient)


@pytest.mark.parametrize("decoder", DECODERS)
def test_what_stands_between_the_first_markers_is_passed_over(decoder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_to(decoder, monkeypatch)
    whole = FILES["jpeg quality 75"]
    for junk in (b"\xff\x00", b"\xff\x00ab\xff\x00", b"\xff\xff", b""):
        data = tensor(whole[:2] + junk + whole[2:])
        for decode in (image.decode_image, image.decode_jpeg):
            for orient in (False, True):
                found = decode(data, 0, orient)
                assert rushlight.equal(found, image.decode_jpeg(tensor(whole), 0)), (junk, orient)


def test_grey_modes_of_webp_files_warn_and_keep_the_colours() -> None:
    rushlight.set_warn_always(True)
    try:
        for mode in (1, 2):
            with pytest.warns(UserWarning, match="does not support grayscale conversions"):
                found = image.decode_webp(tensor(FILES["webp"]), mode)
            assert rushlight.equal(found, image.decode_webp(tensor(FILES["webp"]), 0))
    finally:
        rushlight.set_warn_always(False)


def test_a_palette_is_decoded_whatever_its_bits() -> None:
    """What torchvision does not get right is compared with Pillow."""
    from PIL import Image

    for bits in (1, 2, 4, 8):
        few = Image.fromarray(picture_files.smooth(9, 13, 3)).quantize(2**bits)
        data = tensor(picture_files.encoded(few, "PNG", bits=bits))
        assert np.array_equal(image.decode_png(data, 0).numpy()[0], np.asarray(few))
        for mode, word in ((3, "RGB"), (4, "RGBA")):
            assert np.array_equal(
                image.decode_png(data, mode).numpy(), np.asarray(few.convert(word)).transpose(2, 0, 1)
            )


@pytest.mark.parametrize("channels", [1, 3])
def test_images_are_encoded_as_torchvision_does(channels: int, reference: Any) -> None:
    for k, shape in enumerate(((37, 53), (8, 8), (1, 1), (16, 3))):
        picture = picture_files.smooth(*shape, channels, k).transpose(2, 0, 1).copy()
        ours, theirs = rushlight.tensor(picture), reference.from_numpy(picture)
        for quality in (1, 50, 75, 100):
            found = image.encode_jpeg(ours, quality)
            again = image.decode_jpeg(found, 0)
            expected = reference.ops.image.encode_jpeg(theirs, quality)
            assert np.array_equal(again.numpy(), reference.ops.image.decode_jpeg(expected, 0).numpy())
        for level in (0, 6, 9):
            found = image.encode_png(ours.contiguous(memory_format=rushlight.contiguous_format), level)
            assert np.array_equal(image.decode_png(found, 0).numpy(), picture)
            decoded = reference.ops.image.decode_png(reference.from_numpy(found.numpy()), 0)
            assert np.array_equal(decoded.numpy(), picture)


def test_files_are_read_and_written(tmp_path: Any) -> None:
    path = str(tmp_path / "a.bin")
    image.write_file(path, tensor(b"some bytes")[::2])
    assert image.read_file(path).numpy().tobytes() == b"sm ye"
    open(path, "wb").close()
    with pytest.raises(RuntimeError, match="Expected a non empty file"):
        image.read_file(path)
    with pytest.raises(RuntimeError, match="No such file"):
        image.read_file(path + "x")
    with pytest.raises(RuntimeError, match="Is a directory"):
        image.read_file(str(tmp_path))
    with pytest.raises(RuntimeError, match="No such file"):
        image.write_file(str(tmp_path / "none" / "a"), tensor(b"some bytes"))
    with pytest.raises(RuntimeError, match=r"dtype should be uint8; found torch\.float32 for 'data'"):
        image.write_file(path, rushlight.zeros(3))
    with pytest.raises(RuntimeError, match=r"should be a 1-dimensional tensor; found \[1, 3\] for 'data'"):
        image.write_file(path, rushlight.zeros(1, 3, dtype=rushlight.uint8))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda t: image.decode_image(t.float(), 0), "must have uint8 data type; found torch.float32 for 'data'"),
        (lambda t: image.decode_png(t[None], 0), r"must be 1-dimensional and non-empty; found \[1, "),
        (lambda t: image.decode_gif(t[:0]), r"must be 1-dimensional and non-empty; found \[0\]"),
        (lambda t: image.decode_webp(t[::2], 0), "must be contiguous; found the stride 2 for 'encoded_data'"),
        (lambda t: image.decode_jpeg(t, 0), "Not a JPEG file: starts with 0x89 0x50"),
        (lambda t: image.decode_gif(t), "no GIF file"),
        (lambda t: image.decode_webp(t, 0), "no WebP file"),
        (lambda t: image.decode_image(t[1:], 0), "must be a JPEG, PNG, GIF or WebP file"),
        (lambda t: image.decode_image(t, 7), r"'mode' must be in \[0, 4\]"),
        (lambda t: image.encode_png(t, 6), r"should be a 3-dimensional tensor \(C, H, W\); found \["),
        (lambda t: image.encode_png(t[:8].view(2, 2, 2), 6), "The number of channels should be 1 or 3, got: 2"),
        (lambda t: image.encode_png(t[:0].view(3, 0, 2), 6), "must have pixels"),
        (lambda t: image.encode_png(t[:8].view(1, 2, 4), 10), "Compression level should be between 0 and 9; found 10"),
        (
            lambda t: image.encode_jpeg(t[:8].view(1, 2, 4), 0),
            "quality should be a positive number between 1 and 100; found 0",
        ),
        (lambda t: image.encode_jpeg(t[:8].view(1, 2, 4).float(), 5), "dtype should be uint8; found torch.float32"),
    ],
)
def test_errors_say_what_is_wrong(call: Any, said: str) -> None:
    with pytest.raises(RuntimeError, match=said):
        call(tensor(FILES["png rgb"]))


def _said(call: Any, *args: Any) -> str:
    with pytest.raises(RuntimeError) as raised:
        call(*args)
    return str(raised.value).splitlines()[0]


def damaged_files() -> dict[str, tuple[str, bytes]]:
    """Files that no decoder reads, each with the name of its operator: cut off, junk, and with a byte that is wrong."""
    png, jpeg, webp = FILES["png rgb"], FILES["jpeg quality 75"], FILES[next(k for k in FILES if k.startswith("webp"))]
    within = jpeg.index(b"\xff\xdb")
    wrong = {
        "png, the header": ("decode_png", png[:20] + bytes([png[20] ^ 0x55]) + png[21:]),
        "png, the name of a chunk": ("decode_png", png.replace(b"IDAT", b"\x1cDAT")),
        "png of five bytes": ("decode_png", png[:5]),
        "jpeg, a marker": ("decode_jpeg", jpeg[: within + 1] + b"\xb5" + jpeg[within + 2 :]),
        "jpeg, a marker of the scan": ("decode_jpeg", jpeg[:-60] + b"\xff\xae" + jpeg[-58:]),
        "webp, its end": ("decode_webp", webp[: len(webp) // 2]),
    }
    gif, frames = FILES["gif"], FILES["gif of frames"]
    table = 13 + 3 * 2 ** (gif[10] % 8 + 1)
    for name, data in (("gif", gif), ("gif of frames", frames)):
        for n in (9, 40, len(data) // 2, len(data) - 3, len(data) - 2, len(data) - 1):
            wrong[f"{name} of {n} bytes"] = ("decode_gif", data[:n])
        wrong[f"{name}, its trailer"] = ("decode_gif", data[:-1] + b"abc")
        wrong[f"{name}, a zero before its trailer"] = ("decode_gif", data[:-1] + b"\0;")
        wrong[f"{name}, a comment without its end"] = ("decode_gif", data[:-1] + b"!\xfe\3abc;")
    wrong["gif without an image"] = ("decode_gif", gif[:table] + b";")
    wrong["gif of its header alone"] = ("decode_gif", gif[:table])
    wrong["jpeg of one byte"] = ("decode_jpeg", jpeg[:1])
    wrong["jpeg of one marker"] = ("decode_jpeg", jpeg[:2])
    wrong["jpeg, an unknown marker after junk"] = ("decode_jpeg", jpeg[:2] + b"abc\xff\2" + jpeg[2:])
    for name in ("png", "jpeg", "gif", "webp"):
        wrong[f"{name} that is none"] = (f"decode_{name}", b"nothing of a picture " * 5)
    for kind, data in (("png", png), ("jpeg", jpeg)):
        for n in (8, 20, 30, 40, len(data) // 2, len(data) - 30):
            wrong[f"{kind} of {n} bytes"] = (f"decode_{kind}", data[:n])
    return wrong


@pytest.mark.parametrize("name", damaged_files())
def test_damage_is_said_in_torchvisions_words(name: str, reference: Any) -> None:
    """What it says after the place in its source, up to the first number or sign, is in the message here."""
    operator, data = damaged_files()[name]
    modes = () if operator == "decode_gif" else (0,)
    theirs = _said(
        getattr(reference.ops.image, operator), reference.frombuffer(bytearray(data), dtype=reference.uint8), *modes
    )
    words = re.match(r"(?:.*\.cpp:\d+, )?([^.,:!]+)", theirs)
    assert words is not None, theirs
    assert words[1] in _said(getattr(image, operator), tensor(data), *modes), theirs


def oddities() -> dict[str, tuple[str, bytes]]:
    """Files with something in them that belongs to no picture, and that decoders pass over."""
    jpeg, gif, frames = FILES["jpeg quality 75"], FILES["gif"], FILES["gif of frames"]
    found = {}
    for junk in (b"\0", b"abc", b"a\xff", b"a\xff\0b", b"\xff", bytes(300), b"a" * 70000, b"ab\xff\xfe\0\4ab"):
        found[f"jpeg, {junk[:8]!r} after the first marker"] = ("decode_jpeg", jpeg[:2] + junk + jpeg[2:])
    for junk in (b"\0", b"abc", b"\xff"):
        for marker in (b"\xff\xdb", b"\xff\xda"):
            at = jpeg.index(marker)
            found[f"jpeg, {junk!r} before {marker!r}"] = ("decode_jpeg", jpeg[:at] + junk + jpeg[at:])
    found["jpeg, junk at its end"] = ("decode_jpeg", jpeg + b"abc")
    for name, data in (("gif", gif), ("gif of frames", frames)):
        found[f"{name}, junk at its end"] = ("decode_gif", data + b"abc")
        found[f"{name}, a comment at its end"] = ("decode_gif", data[:-1] + b"!\xfe\3abc\0;")
    return found


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("name", oddities())
def test_what_belongs_to_no_picture_is_passed_over(
    name: str, decoder: str, reference: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_to(decoder, monkeypatch)
    operator, data = oddities()[name]
    modes = () if operator == "decode_gif" else (0,)
    theirs = reference.frombuffer(bytearray(data), dtype=reference.uint8)
    expected = getattr(reference.ops.image, operator)(theirs, *modes)
    assert np.array_equal(getattr(image, operator)(tensor(data), *modes).numpy(), expected.numpy())


def mutated(r: random.Random, data: bytes) -> bytes:
    """The file cut off, with other bytes, with bytes more or bytes less."""
    b, way = bytearray(data), r.randrange(5)
    if way == 0:
        del b[r.randrange(1, len(b)) :]
    elif way in (1, 2):
        for _ in range(r.randrange(1, 8)):
            b[r.randrange(len(b) if way == 1 else 64)] = r.randrange(256)
    else:
        at = r.randrange(len(b))
        b[at : at if way == 3 else at + r.randrange(1, 20)] = r.randbytes(r.randrange(1, 20) if way == 3 else 0)
    return bytes(b)


@pytest.mark.filterwarnings("ignore")
def test_damaged_files_are_errors() -> None:
    """RUSHLIGHT_MUTANTS says how many (5,000 have been run). No other error, no crash, and no more memory than a file
    of a few thousand bytes may ask for.
    """
    r, wrong = random.Random(3), 0
    names = sorted(FILES)
    count = int(os.environ.get("RUSHLIGHT_MUTANTS", "400"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(count):
        data = tensor(mutated(r, FILES[r.choice(names)]))
        wrong += result(image.decode_image, data, r.choice((0, 0, 1, 2, 3, 4)), r.random() < 0.5) is RuntimeError
    assert count // 4 < wrong < count  # some of them are fine still
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 1000


def test_damaged_files_give_the_same_whoever_decodes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    r, names, errors = random.Random(5), sorted(n for n in FILES if n.startswith("jpeg")), 0
    decoders = [d for d in DECODERS if d != "simplejpeg" or importlib.util.find_spec("simplejpeg")]
    count = int(os.environ.get("RUSHLIGHT_MUTANTS", "300"))
    for _ in range(count):
        data, how = tensor(mutated(r, FILES[r.choice(names)])), (r.choice((0, 1, 3)), r.random() < 0.5)
        found = []
        for decoder in decoders:
            with monkeypatch.context() as patch:
                leave_to(decoder, patch)
                found.append(result(image.decode_jpeg, data, *how))
        assert len({one is RuntimeError for one in found}) == 1
        if found[0] is RuntimeError:
            errors += 1
        else:
            assert all(np.array_equal(found[0].numpy(), one.numpy()) for one in found)
    assert count // 4 < errors < count - count // 4


def test_a_file_that_claims_too_many_pixels_takes_no_memory() -> None:
    for name, places in (("png rgb", (16, 20)), ("png of 16 bits, 3 channels", (16, 20)), ("gif", (6, 8))):
        data = bytearray(FILES[name])
        for at in places:
            data[at : at + 2] = b"\x00\x10" if name == "gif" else b"\x00\x01"
        if name != "gif":
            data[29:33] = picture_files.chunk(b"IHDR", bytes(data[16:29]))[-4:]
        else:
            data[6:10] = b"\xff\xff\xff\xff"
        with pytest.raises(RuntimeError, match="incomplete or truncated"):
            image.decode_image(tensor(bytes(data)), 0)


def test_threads_decode_side_by_side() -> None:
    data = [tensor(FILES[n]) for n in FILES if n.startswith("jpeg")] * 8
    alone = [image.decode_jpeg(d, 0) for d in data]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda d: image.decode_jpeg(d, 0), data))
    assert all(rushlight.equal(a, b) for a, b in zip(alone, together, strict=True))


def test_without_pillow_the_error_names_it() -> None:
    program = (
        "import sys; sys.modules['PIL'] = None\n"
        "import rushlight, rushlight.library.images\n"
        "rushlight.ops.image.decode_image(rushlight.tensor(list(b'\\xff\\xd8\\xff'), dtype=rushlight.uint8), 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (
        "RuntimeError: torch.ops.image: images are decoded and encoded by Pillow, which is not installed" in done.stderr
    )
