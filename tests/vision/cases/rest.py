"""`torchvision.utils`, `torchvision.io` and `torchvision.tv_tensors`: every public name."""

from __future__ import annotations

import copy
import inspect
import io as streams
import os
import pickle
import tempfile
from collections.abc import Iterator
from typing import Any

import picture_files
import torch
from inputs import EVERY, boxes, picture
from torchvision import io, tv_tensors, utils
from torchvision.transforms.v2 import functional as F

IMPORTED = {"Any", "BinaryIO", "FunctionType", "Optional", "Union", "PILLOW_VERSION_STRING", "repeat"}
FILES = picture_files.files()


def _picture(channels: int = 3) -> Any:
    return torch.from_numpy(picture(channels))


def _masks() -> Any:
    m = torch.from_numpy(picture(2)) > 128
    m[1] &= ~m[0]
    return m


def _points() -> Any:
    return torch.tensor([[[3.0, 4.0], [20.0, 9.0], [11.0, 18.0]], [[5.0, 5.0], [6.0, 20.0], [28.0, 2.0]]])


def _saved(kind: str) -> Any:
    file = streams.BytesIO()
    utils.save_image(_picture().float() / 255, file, format=kind)
    return io.decode_image(torch.frombuffer(bytearray(file.getvalue()), dtype=torch.uint8))


def _in_folder(act: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        return act(os.path.join(folder, "a"))


def _utils() -> Iterator[tuple[str, Any]]:
    batch = torch.from_numpy(picture(3, 5)).float() / 255
    for k, options in enumerate(
        (
            {},
            {"nrow": 2, "padding": 1, "pad_value": 0.5},
            {"normalize": True},
            {"normalize": True, "scale_each": True, "value_range": (0.2, 0.7)},
        )
    ):
        yield f"make_grid | batch {k}", lambda o=options: utils.make_grid(batch, **o)
        yield f"make_grid | list {k}", lambda o=options: utils.make_grid(list(batch), **o)
    yield "make_grid | grey", lambda: utils.make_grid(batch[:, :1])
    yield "make_grid | one", lambda: utils.make_grid(batch[0, 0])
    yield "make_grid | wrong", lambda: utils.make_grid("text")
    for k, options in enumerate(
        (
            {},
            {"labels": ["a", "bb", "c"], "colors": ["red", "#00ff00", (3, 4, 200)], "width": 2},
            {"fill": True, "colors": "blue"},
            {"labels": ["a", "bb", "c"], "fill_labels": True, "label_colors": "white"},
        )
    ):
        for form in ("XYXY", "XYXYXYXY"):
            yield (
                f"draw_bounding_boxes | {form} {k}",
                lambda o=options, form=form: utils.draw_bounding_boxes(_picture(), boxes(form), **o),
            )
    yield "draw_bounding_boxes | grey", lambda: utils.draw_bounding_boxes(_picture(1), boxes("XYXY"), colors="red")
    yield "draw_bounding_boxes | float", lambda: utils.draw_bounding_boxes(_picture().float() / 255, boxes("XYXY"))
    yield "draw_bounding_boxes | wrong", lambda: utils.draw_bounding_boxes(_picture(2), boxes("XYXY"))
    for k, options in enumerate(({}, {"alpha": 0.3, "colors": ["red", (1, 2, 250)]}, {"colors": "green"})):
        yield (
            f"draw_segmentation_masks | uint8 {k}",
            lambda o=options: utils.draw_segmentation_masks(_picture(), _masks(), **o),
        )
        yield (
            f"draw_segmentation_masks | float {k}",
            lambda o=options: utils.draw_segmentation_masks(_picture().float() / 255, _masks()[0], **o),
        )
    yield "draw_segmentation_masks | wrong", lambda: utils.draw_segmentation_masks(_picture(), _masks().int())
    for k, options in enumerate(
        (
            {},
            {"connectivity": [(0, 1), (1, 2)], "colors": "red", "radius": 3, "width": 2},
            {"visibility": torch.tensor([[True, False, True], [True, True, True]])},
        )
    ):
        yield f"draw_keypoints | {k}", lambda o=options: utils.draw_keypoints(_picture(), _points(), **o)
    flow = torch.randn(2, 2, 9, 11, generator=torch.Generator().manual_seed(3))
    yield "flow_to_image | batch", lambda: utils.flow_to_image(flow)
    yield "flow_to_image | one", lambda: utils.flow_to_image(flow[0])
    yield "flow_to_image | wrong", lambda: utils.flow_to_image(flow.int())
    yield "save_image | png", lambda: _saved("png")
    yield "save_image | jpeg", lambda: _saved("jpeg")


def _io() -> Iterator[tuple[str, Any]]:
    for name in ("jpeg quality 75", "jpeg cmyk", "jpeg orientation 6", "png rgba", "png grey", "gif of frames", "webp"):
        data = torch.frombuffer(bytearray(FILES[name]), dtype=torch.uint8)
        kind = name.split()[0]
        for mode in io.ImageReadMode:
            yield f"decode_image | {name} {mode.name}", lambda d=data, m=mode: io.decode_image(d, m)
            if kind != "gif":
                decode = getattr(io, f"decode_{kind}")
                yield f"decode_{kind} | {name} {mode.name}", lambda d=data, m=mode, f=decode: f(d, m)
            yield (
                f"read_image | {name} {mode.name}",
                lambda d=data, m=mode: _in_folder(lambda p: [io.write_file(p, d), io.read_image(p, m, True)]),
            )
        yield f"decode_gif | {name}", lambda d=data: io.decode_gif(d)
        yield f"decode_avif | {name}", lambda d=data: io.decode_avif(d)
        yield f"decode_heic | {name}", lambda d=data: io.decode_heic(d)
    yield (
        "decode_jpeg | list",
        lambda: io.decode_jpeg(
            [torch.frombuffer(bytearray(FILES[n]), dtype=torch.uint8) for n in ("jpeg quality 75", "jpeg grey")],
            mode="RGB",
        ),
    )
    yield "decode_jpeg | none", lambda: io.decode_jpeg([])
    for channels in (1, 2, 3):
        for quality in (0, 30, 95):
            yield (
                f"encode_jpeg | {channels} {quality}",
                lambda c=channels, q=quality: io.decode_jpeg(io.encode_jpeg(_picture(c), q)),
            )
        yield f"encode_png | {channels}", lambda c=channels: io.decode_png(io.encode_png(_picture(c), 3))
    yield "encode_jpeg | list", lambda: [io.decode_jpeg(x) for x in io.encode_jpeg([_picture(3), _picture(1)])]
    yield "write_jpeg | file", lambda: _in_folder(lambda p: [io.write_jpeg(_picture(), p), io.read_image(p)])
    yield "write_png | file", lambda: _in_folder(lambda p: [io.write_png(_picture(), p), io.read_image(p)])
    yield "write_file | file", lambda: _in_folder(lambda p: [io.write_file(p, _picture().flatten()), io.read_file(p)])
    yield "read_file | file", lambda: _in_folder(lambda p: [io.write_png(_picture(), p), len(io.read_file(p)) > 100])
    yield "read_file | missing", lambda: io.read_file("/nowhere/at/all")
    yield "ImageReadMode | members", lambda: [(m.name, m.value) for m in io.ImageReadMode]


def _tv_tensors() -> Iterator[tuple[str, Any]]:
    for name in ("Image", "Video", "Mask", "KeyPoints", "boxes XYXY", "boxes CXCYWHR"):
        kind, make = name.split()[0].replace("boxes", "BoundingBoxes"), EVERY[name]
        acts = {
            "text": lambda m=make: repr(m()),
            "sum": lambda m=make: m() + 1,
            "in place": lambda m=make: m().add_(1),
            "index": lambda m=make: m()[0],
            "detach": lambda m=make: m().detach(),
            "to": lambda m=make: m().to(torch.float64),
            "clone": lambda m=make: m().clone(),
            "requires_grad_": lambda m=make: m().float().requires_grad_(True),
            "deepcopy": lambda m=make: copy.deepcopy(m()),
            "pickle": lambda m=make: pickle.loads(pickle.dumps(m())),
            "stack": lambda m=make: torch.stack([m(), m()]),
            "wrap": lambda m=make: tv_tensors.wrap(m() * 2, like=m()),
            "unpacked": lambda m=make: list(m()),
        }
        for what, act in acts.items():
            yield f"{kind} | {name} {what}", act
    yield (
        "wrap | other format",
        lambda: tv_tensors.wrap(torch.ones(2, 4), like=boxes("XYXY"), format="XYWH", canvas_size=(3, 4)),
    )
    yield "Image | of a picture", lambda: tv_tensors.Image(EVERY["PIL"]())
    yield "Image | of lists", lambda: tv_tensors.Image([[1, 2], [3, 4]], dtype=torch.float32, requires_grad=True)
    yield "Image | wrong", lambda: tv_tensors.Image(torch.tensor(1.0))
    yield "Video | wrong", lambda: tv_tensors.Video(torch.ones(3, 4))
    yield "BoundingBoxes | wrong", lambda: tv_tensors.BoundingBoxes([[1, 2, 3]], format="XYXY", canvas_size=(3, 4))
    yield (
        "BoundingBoxes | format",
        lambda: tv_tensors.BoundingBoxes([[1, 2, 3, 4]], format="nothing", canvas_size=(3, 4)),
    )
    yield "TVTensor | class", lambda: [issubclass(k, tv_tensors.TVTensor) for k in (tv_tensors.Image, tv_tensors.Mask)]
    yield "BoundingBoxFormat | members", lambda: [(m.name, m.value) for m in tv_tensors.BoundingBoxFormat]
    yield (
        "is_rotated_bounding_format | all",
        lambda: [tv_tensors.is_rotated_bounding_format(f) for f in (*tv_tensors.BoundingBoxFormat, "XYXY", "XYWHR")],
    )

    def returned(kind: str) -> Any:
        with tv_tensors.set_return_type(kind):
            return EVERY["Image"]() + 1, F.horizontal_flip(EVERY["Mask"]())

    yield "set_return_type | TVTensor", lambda: returned("TVTensor")
    yield "set_return_type | Tensor", lambda: returned("Tensor")


def cases() -> Iterator[tuple[str, Any]]:
    """Name of the case -> the case; before the bar stands the public name."""
    for prefix, group in (("utils.", _utils), ("io.", _io), ("tv_tensors.", _tv_tensors)):
        yield from ((prefix + name, case) for name, case in group())


def names() -> list[str]:
    """The public names of the three modules."""
    return [
        f"{prefix}{name}"
        for prefix, module in (("utils.", utils), ("io.", io), ("tv_tensors.", tv_tensors))
        for name in dir(module)
        if not name.startswith("_") and name not in IMPORTED and not inspect.ismodule(getattr(module, name))
    ]
