"""What transforms are given: the same picture as every type that they take, boxes, masks and key points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from PIL import Image
from torchvision import tv_tensors

HEIGHT, WIDTH = 24, 31


def picture(channels: int = 3, frames: int = 0) -> np.ndarray:
    """uint8 (C, H, W), of several frames (T, C, H, W)."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    r = np.random.RandomState(channels)
    planes = [np.sin(x / 5 + i) * np.cos(y / 4 - i) * 100 + 128 + r.randn(HEIGHT, WIDTH) * 9 for i in range(channels)]
    one = np.clip(np.stack(planes), 0, 255).astype("u1")
    return np.stack([np.roll(one, 3 * k, -1) for k in range(frames)]) if frames else one


def boxes(form: str) -> Any:
    """Three boxes in a format, float32."""
    corners = np.array([[2, 3, 12, 15], [8, 0, 30, 20], [5, 6, 7, 23]], "f4")
    x, y, w, h = corners[:, 0], corners[:, 1], corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
    turn = np.array([0, 30, -75], "f4")
    a = np.deg2rad(turn)
    made = {
        "XYXY": corners,
        "XYWH": np.stack([x, y, w, h], 1),
        "CXCYWH": np.stack([x + w / 2, y + h / 2, w, h], 1),
        "XYWHR": np.stack([x, y, w, h, turn], 1),
        "CXCYWHR": np.stack([x + w / 2, y + h / 2, w, h, turn], 1),
    }
    if form == "XYXYXYXY":
        dx, dy = np.cos(a), np.sin(a)
        made[form] = np.stack(
            [x, y, x + w * dx, y - w * dy, x + w * dx + h * dy, y - w * dy + h * dx, x + h * dy, y + h * dx], 1
        )
    return tv_tensors.BoundingBoxes(torch.from_numpy(made[form].astype("f4")), format=form, canvas_size=(HEIGHT, WIDTH))


def _float() -> Any:
    return torch.from_numpy(picture()).float() / 255


FORMATS = ("XYXY", "XYWH", "CXCYWH", "XYWHR", "CXCYWHR", "XYXYXYXY")
PICTURES: dict[str, Callable[[], Any]] = {
    "uint8": lambda: torch.from_numpy(picture()),
    "float": _float,
    "batch": lambda: torch.from_numpy(picture(3, 2)),
    "channels last": lambda: torch.from_numpy(picture(3, 2)).contiguous(memory_format=torch.channels_last),
    "grey": lambda: torch.from_numpy(picture(1)),
    "PIL": lambda: Image.fromarray(picture().transpose(1, 2, 0)),
    "PIL grey": lambda: Image.fromarray(picture(1)[0]),
    "Image": lambda: tv_tensors.Image(torch.from_numpy(picture())),
    "Video": lambda: tv_tensors.Video(torch.from_numpy(picture(3, 3))),
    "float video": lambda: tv_tensors.Video(torch.from_numpy(picture(3, 3)).float() / 255),
}
OTHERS: dict[str, Callable[[], Any]] = {
    "Mask": lambda: tv_tensors.Mask(torch.from_numpy(picture(2) // 128)),
    "KeyPoints": lambda: tv_tensors.KeyPoints(
        torch.tensor([[1.0, 2.0], [30.0, 23.0], [11.5, 7.25]]), canvas_size=(HEIGHT, WIDTH)
    ),
    **{f"boxes {form}": lambda form=form: boxes(form) for form in FORMATS},
}
EVERY = {**PICTURES, **OTHERS}


def sample() -> dict[str, Any]:
    """A sample of a dataset: everything in step."""
    return {
        "image": EVERY["Image"](),
        "boxes": EVERY["boxes XYXY"](),
        "mask": EVERY["Mask"](),
        "points": EVERY["KeyPoints"](),
        "labels": torch.tensor([1, 2, 0]),
        "name": "a",
    }
