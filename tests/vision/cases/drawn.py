"""Calls of `torchvision.transforms.v2.functional` that are drawn at random: an operation with its parameters, on a
picture, a video, a mask, boxes or key points of a drawn size (down to 1 and 0), dtype and layout in memory.

DRAWN_CASES and DRAWN_SEED in the environment say how many, and which. Left out is what has no one result: a perspective
of corners that coincide, half types moved to positions between pixels (PyTorch rounds each step there), one column
that is resampled (docs/differences.md), and the size of a canvas that grows with boxes that are rotated: a corner comes
to lie on a whole number but for the last bit.
"""

from __future__ import annotations

import functools
import os
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
import torchvision.transforms.v2.functional as F
from PIL import Image
from torchvision import tv_tensors
from torchvision.transforms import InterpolationMode as Mode

_SIDES = [1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 24, 31, 33, 48, 65]
_DTYPES = ["uint8"] * 5 + ["float32"] * 3 + ["float64", "float16", "bfloat16", "bool", "int8", "int16", "int32"]
_DTYPES += ["int64", "uint16"]
_LAYOUTS = ["plain"] * 3 + ["channels last", "sliced", "stepped", "turned", "expanded", "columns"]
_PIL = ["RGB", "L", "RGBA", "1", "P", "LA", "I", "F", "CMYK", "YCbCr", "HSV", "I;16", "RGBX"]
_FORMATS = ["XYXY", "XYWH", "CXCYWH", "XYWHR", "CXCYWHR", "XYXYXYXY"]
_MODES = [Mode.NEAREST, Mode.NEAREST_EXACT, Mode.BILINEAR, Mode.BICUBIC]


def _side(r: random.Random) -> int:
    return 0 if r.random() < 0.02 else r.choice(_SIDES)


def _numbers(r: random.Random, shape: tuple[int, ...], dtype: str) -> torch.Tensor:
    """Smooth planes with some noise; floats in [0, 1], now and then with what is not finite."""
    values = np.random.RandomState(r.randrange(1 << 30)).rand(*shape)
    if r.random() < 0.5 and len(shape) >= 2:
        y, x = np.mgrid[: shape[-2], : shape[-1]]
        values = values * 0.2 + 0.4 + 0.4 * np.sin(x / 4 + y / 7)
    to = getattr(torch, dtype)
    if dtype == "bool":
        return torch.from_numpy(values > 0.5)
    if to.is_floating_point:
        if r.random() < 0.03 and values.size:
            values.flat[r.randrange(values.size)] = r.choice([np.nan, np.inf, -np.inf, -3.0, 1e30])
        return torch.from_numpy(values).to(to)
    most = {"uint8": 255, "int8": 127, "int16": 32767, "uint16": 65535, "int32": 2**31 - 1, "int64": 2**40}[dtype]
    return torch.from_numpy((values * (most + 0.999)).astype("i8").clip(0, most)).to(to)


def _laid(r: random.Random, shape: tuple[int, ...], dtype: str, layout: str) -> torch.Tensor:
    """A tensor of a shape whose memory is laid out in a way."""
    *front, c, h, w = shape if len(shape) > 2 else (1, *shape)
    if layout == "channels last":
        made = _numbers(r, (*front, h, w, c), dtype).movedim(-1, -3)
    elif layout == "sliced":
        made = _numbers(r, (*front, c, h + 3, w + 2), dtype)[..., 2 : 2 + h, 1 : 1 + w]
    elif layout == "stepped":
        made = _numbers(r, (*front, c, h * 2, w * 3), dtype)[..., ::2, 1::3]
    elif layout == "turned":
        made = _numbers(r, (*front, c, w, h), dtype).transpose(-1, -2)
    elif layout == "expanded":
        one = r.choice([(*front, 1, h, w), (*front, c, 1, w), (*front, c, h, 1)])
        made = _numbers(r, one, dtype).expand(*front, c, h, w)
    elif layout == "columns":
        made = _numbers(r, (w, h, c, *front), dtype).permute(*range(3, 3 + len(front)), 2, 1, 0)
    else:
        made = _numbers(r, (*front, c, h, w), dtype)
    return made if len(shape) > 2 else made[0]


def _picture(r: random.Random) -> Any:
    kind = r.choice(["Tensor"] * 5 + ["Image", "Video", "Mask", "PIL", "PIL"])
    h, w, c = _side(r), _side(r), r.choice([1, 3, 3, 3, 3, 4, 2])
    if kind == "PIL":
        mode = r.choice(_PIL)
        colours = _numbers(r, (max(h, 1), max(w, 1), 3), "uint8").numpy()
        image = Image.fromarray(colours)
        if mode == "I;16":
            return Image.fromarray(_numbers(r, (max(h, 1), max(w, 1)), "uint16").numpy())
        return image.convert("L").convert("LA") if mode == "LA" else image.convert(mode)
    dtype, layout = r.choice(_DTYPES), r.choice(_LAYOUTS)
    front = r.choice([(), (), (), (1,), (2,), (3, 2), (0,)] if r.random() < 0.3 else [(), (), (2,)])
    if kind == "Video":
        front = (*front[:1], r.choice([1, 2, 4]))
    if kind == "Mask":
        return tv_tensors.Mask(_laid(r, (*front, r.choice([1, 2]), h, w), r.choice(["bool", "uint8", "int64"]), layout))
    made = _laid(r, (*front, c, h, w), dtype, layout)
    return made if kind == "Tensor" else getattr(tv_tensors, kind)(made)


def _boxes(r: random.Random) -> Any:
    form, n = r.choice(_FORMATS), r.choice([0, 1, 2, 5])
    size = (r.choice(_SIDES) + 3, r.choice(_SIDES) + 3)
    dtype = r.choice(["float32", "float32", "float64", "float16", "int64", "int32"])
    if form in _FORMATS[3:] and not getattr(torch, dtype).is_floating_point:
        dtype = "float32"
    g = np.random.RandomState(r.randrange(1 << 30))
    x, y = g.uniform(-3, size[1], n), g.uniform(-3, size[0], n)
    w, h = g.uniform(0, size[1], n), g.uniform(0, size[0], n)
    a = g.uniform(-360, 360, n)
    t = np.deg2rad(a)
    made = {
        "XYXY": [x, y, x + w, y + h],
        "XYWH": [x, y, w, h],
        "CXCYWH": [x, y, w, h],
        "XYWHR": [x, y, w, h, a],
        "CXCYWHR": [x, y, w, h, a],
        "XYXYXYXY": [x, y, x + w * np.cos(t), y - w * np.sin(t), *(x + w * np.cos(t) + h * np.sin(t),)]
        + [y - w * np.sin(t) + h * np.cos(t), x + h * np.sin(t), y + h * np.cos(t)],
    }[form]
    values = torch.from_numpy(np.stack(made, -1)).to(getattr(torch, dtype))
    if r.random() < 0.2:
        values = values.t().contiguous().t()
    mode = r.choice(["soft", "soft", "hard", None])
    return tv_tensors.BoundingBoxes(values, format=form, canvas_size=size, clamping_mode=mode)


def _points(r: random.Random) -> Any:
    size = (r.choice(_SIDES) + 3, r.choice(_SIDES) + 3)
    shape = r.choice([(0, 2), (1, 2), (4, 2), (2, 3, 2)])
    values = np.random.RandomState(r.randrange(1 << 30)).uniform(-3, max(size), shape)
    dtype = r.choice(["float32", "float32", "float64", "int64", "int32"])
    return tv_tensors.KeyPoints(torch.from_numpy(values).to(getattr(torch, dtype)), canvas_size=size)


def _size_of(x: Any) -> tuple[int, int]:
    h, w = F.get_size(x)
    return max(h, 1), max(w, 1)


def _fill(r: random.Random) -> Any:
    return r.choice([None, None, 0, 5, 0.5, [1, 2, 3], [0.25], (7,), {}]) if r.random() < 0.7 else None


def _corners(r: random.Random, h: int, w: int) -> list[list[int]]:
    return [
        [x + r.randint(-w // 4, w // 4), y + r.randint(-h // 4, h // 4)]
        for x, y in ((0, 0), (w - 1, 0), (w - 1, h - 1), (0, h - 1))
    ]


def _geometric(r: random.Random, x: Any) -> tuple[str, Callable[[], Any]]:
    h, w = _size_of(x)
    mode, name = r.choice(_MODES), r.choice(list(_GEOMETRIC))
    half = isinstance(x, torch.Tensor) and x.dtype in (torch.float16, torch.bfloat16)
    if (half and name in ("affine", "rotate", "perspective", "elastic")) or (name == "perspective" and min(h, w) < 7):
        name = "pad"
    options: dict[str, Any] = _GEOMETRIC[name](r, h, w, mode)
    if name == "rotate" and isinstance(x, (tv_tensors.BoundingBoxes, tv_tensors.KeyPoints)):
        options["expand"] = False
    return f"{name} {_said(options)}", functools.partial(getattr(F, name), x, **options)


def _said(options: dict[str, Any]) -> dict[str, Any]:
    return {k: list(v.shape) if isinstance(v, torch.Tensor) else str(v) for k, v in options.items()}


def _resize(r: random.Random, h: int, w: int, mode: Mode) -> dict[str, Any]:
    size = r.choice([[r.choice(_SIDES), r.choice(_SIDES)], [r.choice(_SIDES)], [h, w], [2 * h, w], [h, max(w // 2, 1)]])
    mode = r.choice([mode, mode, Mode.LANCZOS, Mode.BOX, Mode.HAMMING]) if r.random() < 0.2 else mode
    more = {"max_size": r.choice(_SIDES)} if len(size) == 1 and r.random() < 0.4 else {}
    if 1 in (w, size[-1], *more.values()):
        mode = Mode.NEAREST
    return {"size": size, "interpolation": mode, "antialias": r.choice([True, True, False, None]), **more}


def _affine(r: random.Random, h: int, w: int, mode: Mode) -> dict[str, Any]:
    turn, shear = r.uniform(-200, 200), [r.uniform(-60, 60), r.uniform(-60, 60)]
    move = [r.randint(-w, w), r.uniform(-h, h)]
    if r.random() < 0.4:
        turn, shear = r.choice([0, 90, 180, -90, 45, 360]), r.choice([[0, 0], [10.0], [0.0, 30.0]])
    options = {"angle": turn, "translate": move, "scale": r.choice([1.0, r.uniform(0.2, 3)]), "shear": shear}
    return {**options, "interpolation": mode, "fill": _fill(r), "center": r.choice([None, [0, 0], [w / 3, h - 1]])}


def _rotate(r: random.Random, h: int, w: int, mode: Mode) -> dict[str, Any]:
    turn = r.choice([r.uniform(-400, 400), 0, 90, 180, 270, -90, 45, 360, 1e-3])
    expand = r.random() < 0.5
    centre = None if expand else r.choice([None, [0, 0], [w / 3, h - 1]])
    return {"angle": turn, "interpolation": mode, "expand": expand, "fill": _fill(r), "center": centre}


def _pad(r: random.Random, h: int, w: int, mode: Mode) -> dict[str, Any]:
    low = -2 if r.random() < 0.2 else 0
    sides = [r.randint(low, 6) for _ in range(r.choice([1, 2, 4]))]
    return {"padding": sides, "fill": _fill(r), "padding_mode": r.choice(["constant", "edge", "reflect", "symmetric"])}


def _crop(r: random.Random, h: int, w: int, mode: Mode) -> dict[str, Any]:
    top, left = r.randint(-3, h), r.randint(-3, w)
    return {"top": top, "left": left, "height": r.randint(0, h + 3), "width": r.randint(0, w + 3)}


_GEOMETRIC: dict[str, Callable[[random.Random, int, int, Mode], dict[str, Any]]] = {
    "resize": _resize,
    "affine": _affine,
    "rotate": _rotate,
    "pad": _pad,
    "crop": _crop,
    "center_crop": lambda r, h, w, mode: {"output_size": [r.randint(0, 2 * h), r.randint(0, 2 * w)]},
    "resized_crop": lambda r, h, w, mode: (
        _crop(r, h, w, mode) | _resize(r, h, 2, mode) | {"size": [r.choice(_SIDES), 9]}
    ),
    "perspective": lambda r, h, w, mode: {
        "startpoints": [[0, 0], [w - 1, 0], [w - 1, h - 1], [0, h - 1]],
        "endpoints": _corners(r, h, w),
        "interpolation": mode,
        "fill": _fill(r),
    },
    "elastic": lambda r, h, w, mode: {
        "displacement": torch.from_numpy(np.random.RandomState(r.randrange(99)).rand(1, h, w, 2) * 0.4 - 0.2).float(),
        "interpolation": mode,
        "fill": _fill(r),
    },
    "horizontal_flip": lambda r, h, w, mode: {},
    "vertical_flip": lambda r, h, w, mode: {},
    "five_crop": lambda r, h, w, mode: {"size": [r.randint(1, h), r.randint(1, w)]},
    "ten_crop": lambda r, h, w, mode: {"size": [r.randint(1, h), r.randint(1, w)], "vertical_flip": r.random() < 0.5},
}


_COLOURS: dict[str, Callable[[random.Random], dict[str, Any]]] = {
    "adjust_brightness": lambda r: {"brightness_factor": r.choice([0, 1, r.uniform(0, 3)])},
    "adjust_contrast": lambda r: {"contrast_factor": r.choice([0, 1, r.uniform(0, 3)])},
    "adjust_saturation": lambda r: {"saturation_factor": r.choice([0, 1, r.uniform(0, 3)])},
    "adjust_hue": lambda r: {"hue_factor": r.choice([0, 0.5, -0.5, r.uniform(-0.5, 0.5), 0.6])},
    "adjust_gamma": lambda r: {"gamma": r.choice([0, 1, r.uniform(0, 3), -1]), "gain": r.choice([1, 0.5, 2])},
    "adjust_sharpness": lambda r: {"sharpness_factor": r.choice([0, 1, r.uniform(0, 3)])},
    "posterize": lambda r: {"bits": r.randint(0, 8)},
    "solarize": lambda r: {"threshold": r.choice([0, 1, 0.5, 128, 255, 300])},
    "autocontrast": lambda r: {},
    "equalize": lambda r: {},
    "invert": lambda r: {},
    "rgb_to_grayscale": lambda r: {"num_output_channels": r.choice([1, 3])},
    "grayscale_to_rgb": lambda r: {},
    "permute_channels": lambda r: {"permutation": r.choice([[2, 1, 0], [0, 2, 1], [0], [0, 0, 0], [1, 0]])},
    "normalize": lambda r: r.choice(
        [
            {"mean": [0.4, 0.5, 0.6], "std": [0.2, 0.3, 0.1]},
            {"mean": [0.5], "std": [0.2]},
            {"mean": [0.0], "std": [0.0]},
        ]
    ),
    "gaussian_blur": lambda r: {
        "kernel_size": r.choice([[3, 3], [5], [1, 7], [3, 9], [4, 3]]),
        "sigma": r.choice([None, [0.1, 2.0], [1.3], [5.0, 0.5]]),
    },
    "gaussian_noise": lambda r: {"mean": r.choice([0.0, 0.2]), "sigma": r.choice([0.0, 0.1]), "clip": r.random() < 0.5},
    "to_dtype": lambda r: {"dtype": getattr(torch, r.choice(_DTYPES)), "scale": r.random() < 0.7},
    "to_image": lambda r: {},
    "to_pil_image": lambda r: {"mode": r.choice([None, None, None, "RGB", "L", "RGBA", "F"])},
    "pil_to_tensor": lambda r: {},
    "erase": lambda r: {
        "i": r.randint(0, 4),
        "j": r.randint(0, 4),
        "h": r.randint(0, 5),
        "w": r.randint(0, 5),
        "v": torch.tensor(r.choice([[[[3]]], [[[0.5]], [[0.25]], [[0.0]]], [[[1]], [[2]], [[3]]]])),
    },
    "uniform_temporal_subsample": lambda r: {"num_samples": r.choice([1, 2, 3, 7])},
    "jpeg": lambda r: {"quality": r.choice([1, 50, 75, 100])},
    "get_size": lambda r: {},
    "get_dimensions": lambda r: {},
    "get_num_channels": lambda r: {},
}
_OF_BOXES: dict[str, Callable[[random.Random], dict[str, Any]]] = {
    "convert_bounding_box_format": lambda r: {"new_format": r.choice(_FORMATS)},
    "clamp_bounding_boxes": lambda r: r.choice([{}, {"clamping_mode": r.choice(["soft", "hard", None])}]),
    "sanitize_bounding_boxes": lambda r: {"min_size": r.choice([1.0, 4.0]), "min_area": r.choice([1.0, 20.0])},
    "get_size": lambda r: {},
}
_OF_POINTS: dict[str, Callable[[random.Random], dict[str, Any]]] = {
    "clamp_keypoints": lambda r: {},
    "sanitize_keypoints": lambda r: {},
    "get_size": lambda r: {},
}


def _shown(x: Any) -> str:
    if isinstance(x, Image.Image):
        return f"PIL {x.mode} {x.size}"
    kept = f" {x.format.name} {x.canvas_size} {x.clamping_mode}" if isinstance(x, tv_tensors.BoundingBoxes) else ""
    strides = x.stride() if x.numel() else ""
    return f"{type(x).__name__} {str(x.dtype)[6:]} {tuple(x.shape)} {strides}{kept}"


def _one(r: random.Random) -> tuple[str, Callable[[], Any]]:
    kind = r.random()
    if kind < 0.15:
        x, own = _boxes(r), _OF_BOXES
    elif kind < 0.22:
        x, own = _points(r), _OF_POINTS
    else:
        x, own = _picture(r), _COLOURS
    if r.random() < (0.5 if own is _COLOURS else 0.7):
        name, call = _geometric(r, x)
    else:
        name = r.choice(list(own))
        if name == "uniform_temporal_subsample" and isinstance(x, torch.Tensor) and not x.numel():
            name = "get_size"  # for another class of error than PyTorch's
        options = own[name](r)
        name, call = f"{name} {_said(options)}", functools.partial(getattr(F, name), x, **options)
    return f"{name} of {_shown(x)}", call


def cases() -> Iterator[tuple[str, Any]]:
    """Every case, by name."""
    seed = int(os.environ.get("DRAWN_SEED", "18"))
    for k in range(int(os.environ.get("DRAWN_CASES", "600"))):
        name, call = _one(random.Random(f"{seed} {k}"))
        yield f"{k}: {name}", call
