"""`torchvision.transforms.functional` and `torchvision.transforms.v2.functional`: every function, on every type that it
takes.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import torch
from inputs import EVERY, HEIGHT, PICTURES, WIDTH, sample
from torchvision import tv_tensors
from torchvision.transforms import InterpolationMode, functional, v2
from torchvision.transforms.v2 import functional as F

_B, _N, _C, _E = (
    InterpolationMode.BILINEAR,
    InterpolationMode.NEAREST,
    InterpolationMode.BICUBIC,
    InterpolationMode.NEAREST_EXACT,
)
_FILLS: list[dict[str, Any]] = [{}, {"fill": 7}, {"fill": [1, 20, 255]}]
_SIZES = [[12, 40], [9], [30, 31]]
_TURNS = [{"angle": 30.0, "translate": [2, -3], "scale": 1.2, "shear": [5.0, -7.0]}]


def _shift(like: Any) -> Any:
    g = torch.Generator().manual_seed(5)
    return (torch.rand(1, HEIGHT, WIDTH, 2, generator=g) - 0.5) * 0.3


# The arguments after the input, by the name of the function.
ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "adjust_brightness": [{"brightness_factor": 0.4}, {"brightness_factor": 1.7}],
    "adjust_contrast": [{"contrast_factor": 0.4}, {"contrast_factor": 1.7}],
    "adjust_gamma": [{"gamma": 0.6}, {"gamma": 1.8, "gain": 0.7}],
    "adjust_hue": [{"hue_factor": -0.3}, {"hue_factor": 0.2}, {"hue_factor": 0.0}],
    "adjust_saturation": [{"saturation_factor": 0.4}, {"saturation_factor": 1.7}],
    "adjust_sharpness": [{"sharpness_factor": 0.3}, {"sharpness_factor": 2.5}],
    "affine": [
        *({**_TURNS[0], "interpolation": m, **f} for m in (_N, _B) for f in _FILLS),
        {"angle": 0.0, "translate": [3, 0], "scale": 0.7, "shear": [0.0, 0.0], "center": [3, 5]},
    ],
    "autocontrast": [{}],
    "center_crop": [{"output_size": [10, 17]}, {"output_size": [40, 20]}, {"output_size": [8]}],
    "clamp_bounding_boxes": [{}, {"clamping_mode": "hard"}],
    "clamp_keypoints": [{}],
    "convert_bounding_box_format": [
        {"new_format": tv_tensors.BoundingBoxFormat[f]} for f in ("XYXY", "XYWH", "CXCYWH", "XYWHR", "XYXYXYXY")
    ],
    "convert_image_dtype": [{"dtype": d} for d in (torch.float32, torch.uint8, torch.int32, torch.float64)],
    "crop": [{"top": 3, "left": 4, "height": 10, "width": 12}, {"top": -5, "left": 20, "height": 20, "width": 30}],
    "elastic": [{"displacement": _shift(None), "interpolation": m, "fill": f} for m, f in ((_B, None), (_N, 9))],
    "equalize": [{}],
    "erase": [{"i": 3, "j": 5, "h": 7, "w": 9, "v": torch.tensor([1, 2, 3]).view(3, 1, 1)}],
    "five_crop": [{"size": [10, 12]}, {"size": 9}],
    "gaussian_blur": [{"kernel_size": [3, 5]}, {"kernel_size": [5, 3], "sigma": [0.7, 1.6]}],
    "gaussian_noise": [{}, {"mean": 0.1, "sigma": 0.3, "clip": False}],
    "get_dimensions": [{}],
    "get_image_num_channels": [{}],
    "get_image_size": [{}],
    "get_num_channels": [{}],
    "get_num_frames": [{}],
    "get_size": [{}],
    "grayscale_to_rgb": [{}],
    "horizontal_flip": [{}],
    "invert": [{}],
    "is_pure_tensor": [{}],
    "jpeg": [{"quality": 20}, {"quality": 90}],
    "normalize": [{"mean": [0.4, 0.5, 0.6], "std": [0.2, 0.3, 0.25]}],
    "pad": [
        {"padding": [2, 3, 4, 1]},
        {"padding": 3, "fill": 9},
        *({"padding": [2, 3], "padding_mode": m} for m in ("edge", "reflect", "symmetric")),
        {"padding": [-2, 1, 3, -1]},
    ],
    "permute_channels": [{"permutation": [2, 0, 1]}],
    "perspective": [
        {
            "startpoints": [[0, 0], [30, 0], [30, 23], [0, 23]],
            "endpoints": [[2, 1], [27, 3], [29, 20], [1, 22]],
            "interpolation": m,
            **f,
        }
        for m in (_N, _B)
        for f in _FILLS
    ],
    "pil_to_tensor": [{}],
    "posterize": [{"bits": 3}],
    "resize": [
        *({"size": s, "interpolation": m, "antialias": a} for s in _SIZES for m in (_B, _C) for a in (True, False)),
        *({"size": s, "interpolation": m} for s in _SIZES for m in (_N, _E)),
        *({"size": s, "interpolation": InterpolationMode.LANCZOS} for s in _SIZES),
        {"size": [20], "max_size": 22},
    ],
    "resized_crop": [
        {"top": 3, "left": 4, "height": 15, "width": 12, "size": [20, 9], "interpolation": m} for m in (_N, _B, _C)
    ],
    "rgb_to_grayscale": [{}, {"num_output_channels": 3}],
    "rotate": [
        *(
            {"angle": 33.0, "interpolation": m, "expand": e, **f}
            for m in (_N, _B)
            for e in (False, True)
            for f in _FILLS
        ),
        {"angle": 90.0, "center": [3, 5]},
        {"angle": 180.0},
        {"angle": 90.0, "expand": True},
    ],
    "solarize": [{"threshold": 100}, {"threshold": 0.4}],
    "ten_crop": [{"size": [10, 12]}, {"size": [10, 12], "vertical_flip": True}],
    "to_dtype": [{"dtype": d, "scale": s} for d in (torch.float32, torch.uint8, torch.int16) for s in (False, True)],
    "to_grayscale": [{}, {"num_output_channels": 3}],
    "to_image": [{}],
    "to_pil_image": [{}],
    "to_tensor": [{}],
    "uniform_temporal_subsample": [{"num_samples": 2}],
    "vertical_flip": [{}],
}
ARGUMENTS.update(hflip=ARGUMENTS["horizontal_flip"], vflip=ARGUMENTS["vertical_flip"])
ARGUMENTS["elastic_transform"] = ARGUMENTS["elastic"]
# What the module has besides functions of pictures.
IMPORTED = {
    "Any",
    "Enum",
    "Optional",
    "Tensor",
    "Union",
    "PILImage",
    "accimage",
    "pil_modes_mapping",
    "InterpolationMode",
}
_KERNELS = {"image": PICTURES, "video": ("Video", "float video"), "mask": ("Mask",), "keypoints": ("KeyPoints",)}


def split(name: str) -> tuple[str, str]:
    """The function that a kernel belongs to, and what it is for: ("resize", "mask") of "resize_mask"."""
    for kind in ("image", "video", "mask", "keypoints", "bounding_boxes"):
        base = name.removesuffix(f"_{kind}")
        if base != name and name not in ARGUMENTS:
            return base, kind
    return name, ""


def _given(function: Any, base: str, value: Any, options: dict[str, Any]) -> Any:
    """A call of a function or kernel; a kernel of boxes takes their format and canvas."""
    parameters = inspect.signature(function).parameters
    more = {}
    if "canvas_size" in parameters and hasattr(value, "canvas_size"):
        more["canvas_size"] = value.canvas_size
    if "format" in parameters and hasattr(value, "format"):
        more["format"] = value.format
    if "old_format" in parameters and not isinstance(value, tv_tensors.BoundingBoxes):
        more["old_format"] = value.format
    if "kwargs" not in parameters:  # kernels lack what does not concern their kind
        options = {k: v for k, v in options.items() if k in parameters}
    if more and "old_format" not in parameters and not isinstance(value, tuple):
        value = value.as_subclass(torch.Tensor)
    return function(value, **more, **options)


def _of(prefix: str, module: Any, name: str) -> Iterator[tuple[str, Any]]:
    base, kind = split(name)
    if base not in ARGUMENTS:
        return
    inputs = [k for k in EVERY if k.startswith("boxes")] if kind == "bounding_boxes" else _KERNELS.get(kind, EVERY)
    function = getattr(module, name)
    for key in inputs:
        for k, options in enumerate(ARGUMENTS[base]):
            yield (
                f"{prefix}{name} | {key} {k}",
                lambda key=key, options=options: _given(function, base, EVERY[key](), options),
            )


def _special() -> Iterator[tuple[str, Any]]:
    many = sample()
    yield "v2.sanitize_bounding_boxes | boxes", lambda: F.sanitize_bounding_boxes(many["boxes"], min_size=4)
    yield (
        "v2.sanitize_bounding_boxes | plain",
        lambda: F.sanitize_bounding_boxes(
            many["boxes"].as_subclass(torch.Tensor), format="XYXY", canvas_size=(20, 20), min_area=30
        ),
    )
    yield "v2.sanitize_keypoints | points", lambda: F.sanitize_keypoints(many["points"])

    def registered() -> Any:
        class Own(tv_tensors.TVTensor):
            pass

        @F.register_kernel(F.invert, Own)
        def _(x: Any) -> Any:
            return x + 1

        return F.invert(Own(torch.tensor([1, 2])))

    yield "v2.register_kernel | a type of one's own", registered
    for name, form in (("XYXY", "CXCYWH"), ("XYWHR", "XYXYXYXY")):
        yield (
            f"v2.convert_bounding_box_format | class {name}",
            lambda name=name, form=form: v2.ConvertBoundingBoxFormat(form)(EVERY[f"boxes {name}"]()),
        )


def cases() -> Iterator[tuple[str, Any]]:
    """Name of the case -> the case; before the bar stands the public name."""
    for prefix, module in (("v1.", functional), ("v2.", F)):
        for name in dir(module):
            if not name.startswith("_") and callable(getattr(module, name)):
                yield from _of(prefix, module, name)
    yield from _special()


def names() -> list[str]:
    """The public names of both modules."""
    return [
        f"{prefix}{name}"
        for prefix, module in (("v1.", functional), ("v2.", F))
        for name in dir(module)
        if not name.startswith("_") and name not in IMPORTED and not inspect.ismodule(getattr(module, name))
    ]
