"""torchvision's operators, transforms and networks, the same wheel on rushlight and on PyTorch:
`python -m benchmarks --only ^vision/ --threads 1 --processor`, with both and the wheel installed as `make parity`
does it.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.cases import Run, case
from benchmarks.pages import CASES

__all__ = ["CASES"]


def _torchvision(T: Any, namespace: str) -> Any:
    """A module of the wheel, on the library that is timed."""
    if T.__name__ == "rushlight":
        importlib.import_module("rushlight.compat").install()
    else:
        sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "vision"))
        importlib.import_module("without_cuda").prepare()
    return importlib.import_module(f"torchvision.{namespace}")


def _boxes(T: Any, count: int, size: float) -> Any:
    corner = T.rand(count, 2) * size * 0.7
    return T.cat([corner, corner + T.rand(count, 2) * size * 0.3 + 1], 1)


@case("vision/nms", 0.7)
def _nms(T: Any) -> Run:
    ops = _torchvision(T, "ops")
    boxes, scores = _boxes(T, 10_000, 1000.0), T.rand(10_000)
    return lambda: ops.nms(boxes, scores, 0.5)


def _regions(T: Any, channels: int) -> tuple[Any, Any]:
    places = T.cat([T.randint(0, 2, (512, 1)).float(), _boxes(T, 512, 400.0)], 1)
    return T.randn(2, channels, 50, 50), places


def _of_regions(operator: str, channels: int, *rest: Any, gradient: bool = False) -> Callable[[Any], Run]:
    def build(T: Any) -> Run:
        call, (x, places) = getattr(_torchvision(T, "ops"), operator), _regions(T, channels)
        if not gradient:
            return lambda: call(x, places, 7, 0.125, *rest)
        y = call(x.requires_grad_(), places, 7, 0.125, *rest)
        g = T.ones_like(y)
        return lambda: T.autograd.grad(y, x, g, retain_graph=True)

    return build


case("vision/roi_align", 0.6)(_of_regions("roi_align", 256, 2, True))
case("vision/roi_align_adaptive", 0.6)(_of_regions("roi_align", 256))
case("vision/roi_align_gradient", 0.6)(_of_regions("roi_align", 256, 2, True, gradient=True))
case("vision/roi_pool", 1.0)(_of_regions("roi_pool", 256))
case("vision/ps_roi_align", 0.6)(_of_regions("ps_roi_align", 245, 2))


@case("vision/deform_conv2d", 0.6)
def _deform_conv2d(T: Any) -> Run:
    ops = _torchvision(T, "ops")
    x, w, offset = T.randn(1, 64, 56, 56), T.randn(64, 64, 3, 3), T.randn(1, 18, 56, 56)
    return lambda: ops.deform_conv2d(x, offset, w, padding=1)


@case("vision/deform_conv2d_gradients", 0.6)
def _deform_conv2d_gradients(T: Any) -> Run:
    ops = _torchvision(T, "ops")
    leaves = [t.requires_grad_() for t in (T.randn(1, 64, 56, 56), T.randn(1, 18, 56, 56), T.randn(64, 64, 3, 3))]
    y = ops.deform_conv2d(*leaves, padding=1)
    g = T.ones_like(y)
    return lambda: T.autograd.grad(y, leaves, g, retain_graph=True)


def _bytes(T: Any, *shape: int) -> Any:
    return T.randint(0, 256, shape, dtype=T.uint8)


@case("vision/resize", 1.0)
def _resize(T: Any) -> Run:
    transforms, x = _torchvision(T, "transforms.v2.functional"), _bytes(T, 3, 375, 500)
    return lambda: transforms.resize(x, [224, 224], antialias=True)


@case("vision/resize_large", 1.0)
def _resize_large(T: Any) -> Run:
    transforms, x = _torchvision(T, "transforms.v2.functional"), _bytes(T, 1080, 1920, 3).permute(2, 0, 1)
    return lambda: transforms.resize(x, [224, 224], antialias=True)


def _of_floats(shape: tuple[int, ...], mode: str, gradient: bool) -> Callable[[Any], Run]:
    def build(T: Any) -> Run:
        x = T.rand(*shape).requires_grad_(gradient)
        resized = functools.partial(T.nn.functional.interpolate, size=(224, 224), mode=mode, antialias=True)
        if not gradient:
            return lambda: resized(x)
        y = resized(x)
        g = T.ones_like(y)
        return lambda: T.autograd.grad(y, x, g, retain_graph=True)

    return build


case("vision/resize_floats", 1.0)(_of_floats((1, 3, 375, 500), "bilinear", False))
case("vision/resize_floats_bicubic", 1.0)(_of_floats((1, 3, 375, 500), "bicubic", False))
case("vision/resize_floats_batch", 1.0)(_of_floats((16, 3, 128, 128), "bilinear", False))
case("vision/resize_floats_gradient", 1.0)(_of_floats((1, 3, 375, 500), "bilinear", True))


@case("vision/resize_batch", 1.0)
def _resize_batch(T: Any) -> Run:
    transforms, x = _torchvision(T, "transforms.v2.functional"), _bytes(T, 16, 3, 128, 128)
    return lambda: transforms.resize(x, [224, 224], antialias=True)


def _training(T: Any, *more: str) -> Any:
    v2 = _torchvision(T, "transforms.v2")
    jitter = [v2.ColorJitter(0.4, 0.4, 0.4, 0.1)] if "jitter" in more else []
    normal = v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    dtype = v2.ToDtype(T.float32, scale=True)
    return v2.Compose([v2.RandomResizedCrop(224, antialias=True), v2.RandomHorizontalFlip(), *jitter, dtype, normal])


@case("vision/training_transform", 0.8)
def _training_transform(T: Any) -> Run:
    change, x = _training(T), _bytes(T, 3, 375, 500)
    return lambda: change(x)


@case("vision/training_transform_of_a_batch", 0.6)
def _training_transform_of_a_batch(T: Any) -> Run:
    change, x = _training(T), _bytes(T, 16, 3, 256, 256)
    return lambda: change(x)


@case("vision/training_transform_with_jitter", 0.6)
def _training_transform_with_jitter(T: Any) -> Run:
    change, x = _training(T, "jitter"), _bytes(T, 16, 3, 256, 256)
    return lambda: change(x)


def _file(T: Any) -> Any:
    """A smooth picture as a JPEG file."""
    plain = T.nn.functional.interpolate(_bytes(T, 1, 3, 24, 32).float(), size=(375, 500), mode="bilinear")[0]
    return _torchvision(T, "io").encode_jpeg(plain.to(T.uint8), quality=85)


@case("vision/decode_jpeg", 1.0)
def _decode_jpeg(T: Any) -> Run:
    io, data = _torchvision(T, "io"), _file(T)
    return lambda: io.decode_image(data)


@case("vision/training_transform_of_a_file", 0.8)
def _training_transform_of_a_file(T: Any) -> Run:
    io, data, change = _torchvision(T, "io"), _file(T), _training(T)
    return lambda: change(io.decode_image(data, mode="RGB"))


def _network(name: str, T: Any) -> Run:
    model = getattr(_torchvision(T, "models"), name)().eval()
    x = T.randn(1, 3, 224, 224)

    def run() -> Any:
        with T.no_grad():
            return model(x)

    return run


for _name, _bar in {"resnet50": 0.9, "mobilenet_v3_small": 0.6, "mobilenet_v3_large": 0.6}.items():
    case(f"vision/{_name}", _bar)(functools.partial(_network, _name))
