"""`torchvision.transforms` and `torchvision.transforms.v2`: every class, on pictures of all types and on samples in
which boxes, masks and key points go with them.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import torch
from inputs import EVERY, HEIGHT, PICTURES, WIDTH, sample
from torchvision import transforms, tv_tensors
from torchvision.transforms import InterpolationMode, v2

_B, _N, _C = InterpolationMode.BILINEAR, InterpolationMode.NEAREST, InterpolationMode.BICUBIC
_PIXELS = 3 * HEIGHT * WIDTH


def _matrix() -> Any:
    return torch.rand(_PIXELS, _PIXELS, generator=torch.Generator().manual_seed(1)) / _PIXELS


# How each class is made, (arguments by name), for both versions but for what one of them lacks.
MADE: dict[str, list[dict[str, Any]]] = {
    "AugMix": [{}, {"severity": 5, "mixture_width": 2, "all_ops": False}],
    "AutoAugment": [{}, *({"policy": transforms.AutoAugmentPolicy(p)} for p in ("cifar10", "svhn"))],
    "CenterCrop": [{"size": 10}, {"size": (40, 12)}],
    "ClampBoundingBoxes": [{}, {"clamping_mode": "hard"}],
    "ClampKeyPoints": [{}],
    "ColorJitter": [{"brightness": 0.4, "contrast": 0.4, "saturation": 0.4, "hue": 0.2}, {"hue": (-0.1, 0.3)}],
    "ConvertBoundingBoxFormat": [{"format": "XYWH"}, {"format": "CXCYWH"}],
    "ConvertImageDtype": [{"dtype": torch.float32}, {"dtype": torch.uint8}],
    "ElasticTransform": [{"alpha": 20.0, "sigma": 3.0}, {"alpha": [20.0, 10.0], "sigma": [3.0, 2.0], "fill": 4}],
    "FiveCrop": [{"size": (10, 12)}],
    "GaussianBlur": [{"kernel_size": 3}, {"kernel_size": (5, 3), "sigma": (0.5, 1.5)}],
    "GaussianNoise": [{}, {"mean": 0.1, "sigma": 0.2, "clip": False}],
    "Grayscale": [{}, {"num_output_channels": 3}],
    "Identity": [{}],
    "JPEG": [{"quality": (20, 60)}, {"quality": 75}],
    "LinearTransformation": [
        {"transformation_matrix": _matrix(), "mean_vector": torch.arange(_PIXELS, dtype=torch.float32)}
    ],
    "Normalize": [{"mean": [0.4, 0.5, 0.6], "std": [0.2, 0.3, 0.25]}],
    "PILToTensor": [{}],
    "Pad": [{"padding": 3}, {"padding": [1, 2, 3, 4], "fill": 9}, {"padding": 4, "padding_mode": "reflect"}],
    "RGB": [{}],
    "RandAugment": [{}, {"num_ops": 4, "magnitude": 15}],
    "RandomAdjustSharpness": [{"sharpness_factor": 2.0, "p": 1.0}],
    "RandomAffine": [
        {"degrees": 30, "translate": (0.1, 0.2), "scale": (0.7, 1.3), "shear": 10},
        {"degrees": (10, 20), "interpolation": _B, "fill": 3},
    ],
    "RandomAutocontrast": [{"p": 1.0}],
    "RandomChannelPermutation": [{}],
    "RandomCrop": [{"size": (12, 20)}, {"size": 40, "pad_if_needed": True}, {"size": 20, "padding": 3, "fill": 7}],
    "RandomEqualize": [{"p": 1.0}],
    "RandomErasing": [{"p": 1.0}, {"p": 1.0, "value": "random"}, {"p": 1.0, "value": (1, 2, 3), "scale": (0.1, 0.2)}],
    "RandomGrayscale": [{"p": 1.0}],
    "RandomHorizontalFlip": [{"p": 1.0}, {}],
    "RandomInvert": [{"p": 1.0}],
    "RandomIoUCrop": [{}, {"min_scale": 0.5, "trials": 10}],
    "RandomPerspective": [{"p": 1.0}, {"p": 1.0, "distortion_scale": 0.3, "interpolation": _N, "fill": 3}],
    "RandomPhotometricDistort": [{"p": 1.0}],
    "RandomPosterize": [{"bits": 2, "p": 1.0}],
    "RandomResize": [{"min_size": 10, "max_size": 30}],
    "RandomResizedCrop": [{"size": 16}, {"size": (20, 12), "interpolation": _C}, {"size": 16, "antialias": False}],
    "RandomRotation": [{"degrees": 30}, {"degrees": (80, 100), "expand": True, "interpolation": _B, "fill": 5}],
    "RandomShortestSize": [{"min_size": [10, 20, 30], "max_size": 33}],
    "RandomSolarize": [{"threshold": 100, "p": 1.0}],
    "RandomVerticalFlip": [{"p": 1.0}, {}],
    "RandomZoomOut": [{"p": 1.0}, {"fill": 4, "side_range": (1.5, 2.0), "p": 1.0}],
    "Resize": [{"size": 12}, {"size": (30, 20), "interpolation": _C}, {"size": (9, 9), "interpolation": _N}],
    "SanitizeBoundingBoxes": [{}, {"min_size": 4}],
    "SanitizeKeyPoints": [{}],
    "ScaleJitter": [{"target_size": (20, 30), "scale_range": (0.5, 1.5)}],
    "SetClampingMode": [{"clamping_mode": "hard"}],
    "TenCrop": [{"size": (10, 12)}, {"size": (10, 12), "vertical_flip": True}],
    "ToDtype": [{"dtype": torch.float32, "scale": True}, {"dtype": {tv_tensors.Image: torch.float64, "others": None}}],
    "ToImage": [{}],
    "ToPILImage": [{}],
    "ToPureTensor": [{}],
    "ToTensor": [{}],
    "Transform": [{}],
    "TrivialAugmentWide": [{}, {"num_magnitude_bins": 11}],
    "UniformTemporalSubsample": [{"num_samples": 2}],
}
# Classes that are no transform of one input by themselves: see _special.
SPECIAL = {"Compose", "CutMix", "Lambda", "MixUp", "RandomApply", "RandomChoice", "RandomOrder"}
SPECIAL |= {"check_type", "get_bounding_boxes", "get_keypoints", "has_all", "has_any", "query_chw", "query_size"}
ENUMERATIONS = {"AutoAugmentPolicy", "InterpolationMode"}
# These take samples, and a whole one only.
_SAMPLES_ONLY = {"SanitizeBoundingBoxes", "SanitizeKeyPoints", "RandomIoUCrop"}


def _applied(version: Any, name: str, options: dict[str, Any], given: Any) -> Any:
    transform = getattr(version, name)(**options)
    return [transform(given()) for _ in range(3)]


def _special(prefix: str, version: Any) -> Iterator[tuple[str, Any]]:
    flip, grey = version.RandomHorizontalFlip(p=1.0), version.Grayscale(3)
    made = {
        "Compose": version.Compose([flip, grey, version.Pad(2)]),
        "RandomApply": version.RandomApply([flip, version.CenterCrop(9)], p=0.5),
        "RandomChoice": version.RandomChoice([flip, grey], p=[0.3, 0.7]),
        "RandomOrder": version.RandomOrder([grey, version.CenterCrop(9), flip]),
        "Lambda": version.Lambda(lambda x: x),
    }
    for name, transform in made.items():
        for kind in PICTURES:
            yield (
                f"{prefix}{name} | {kind}",
                lambda t=transform, kind=kind: [str(t), *(t(PICTURES[kind]()) for _ in range(4))],
            )
    if version is not v2:
        return
    yield "v2.Compose | sample", lambda: made["Compose"](sample())
    yield "v2.Lambda | kind", lambda: v2.Lambda(lambda x: x + 1, tv_tensors.Mask)(sample())
    batch, labels = torch.rand(4, 3, 6, 5, generator=torch.Generator().manual_seed(2)), torch.tensor([0, 2, 1, 2])
    for name in ("CutMix", "MixUp"):
        yield (
            f"v2.{name} | batch",
            lambda name=name: [getattr(v2, name)(num_classes=3)(batch, labels) for _ in range(3)],
        )
        yield (
            f"v2.{name} | dictionary",
            lambda name=name: getattr(v2, name)(num_classes=3, alpha=0.5)({"imgs": batch, "labels": labels}),
        )
    flat = list(sample().values())
    yield "v2.check_type | all", lambda: [v2.check_type(x, (tv_tensors.Mask, v2._utils.is_pure_tensor)) for x in flat]
    yield "v2.get_bounding_boxes | all", lambda: v2.get_bounding_boxes(flat)
    yield "v2.get_keypoints | all", lambda: list(v2.get_keypoints(flat))
    yield (
        "v2.has_all | all",
        lambda: [v2.has_all(flat, tv_tensors.Mask, k) for k in (tv_tensors.Image, tv_tensors.Video)],
    )
    yield "v2.has_any | all", lambda: [v2.has_any(flat, k) for k in (tv_tensors.Image, tv_tensors.Video)]
    yield "v2.query_chw | all", lambda: v2.query_chw(flat[:1])
    yield "v2.query_size | all", lambda: v2.query_size(flat[:3])


class _Doubled(v2.Transform):
    """A transform of a program's own."""

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        return {"by": float(torch.rand(()))}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return inpt * params["by"]


def cases() -> Iterator[tuple[str, Any]]:
    """Name of the case -> the case; before the bar stands the public name."""
    for prefix, version in (("v1.", transforms), ("v2.", v2)):
        for name, ways in MADE.items():
            if not hasattr(version, name):
                continue
            for k, options in enumerate(ways):
                yield f"{prefix}{name} | text {k}", lambda v=version, n=name, o=options: str(getattr(v, n)(**o))
                for kind in () if name in _SAMPLES_ONLY else EVERY:
                    yield (
                        f"{prefix}{name} | {kind} {k}",
                        lambda v=version, n=name, o=options, kind=kind: _applied(v, n, o, EVERY[kind]),
                    )
                if version is v2:
                    yield (f"v2.{name} | sample {k}", lambda n=name, o=options: _applied(v2, n, o, sample))
        yield from _special(prefix, version)
        for name in ENUMERATIONS:
            if hasattr(version, name):
                kind = getattr(version, name)
                yield f"{prefix}{name} | members", lambda kind=kind: [(m.name, str(m.value)) for m in kind]
    yield "v2.Transform | of one's own", lambda: _Doubled()(sample())


def names() -> list[str]:
    """The public names of both modules."""
    return [
        f"{prefix}{name}"
        for prefix, version in (("v1.", transforms), ("v2.", v2))
        for name in dir(version)
        if not name.startswith("_") and not inspect.ismodule(getattr(version, name))
    ]
