"""`torchvision.models.detection`: every builder in a small size, its training losses with their gradients, and what it
detects.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torchvision import models, ops
from torchvision.models import detection
from torchvision.models.detection import backbone_utils
from torchvision.models.detection.anchor_utils import AnchorGenerator

_CLASSES, _POINTS = 4, 5


def _images() -> list[torch.Tensor]:
    g = torch.Generator().manual_seed(1)
    return [torch.rand(3, *size, generator=g) for size in ((64, 80), (72, 60))]


def _targets(masks: bool, points: bool) -> list[dict[str, torch.Tensor]]:
    found = []
    for i, (height, width) in enumerate(((64, 80), (72, 60))):
        boxes = torch.tensor([[4.0, 6.0, 40.0, 50.0], [20.0, 10.0, 56.0, 60.0], [30.0, 4.0, 50.0, 30.0]])[: 3 - i]
        target = {"boxes": boxes, "labels": torch.tensor([1, 3, 2])[: 3 - i]}
        if masks:
            rows, columns = torch.arange(height)[:, None], torch.arange(width)
            inside = [(rows >= b[1]) & (rows < b[3]) & (columns >= b[0]) & (columns < b[2]) for b in boxes]
            target["masks"] = torch.stack(inside).to(torch.uint8)
        if points:
            part = torch.linspace(0.1, 0.9, _POINTS)
            x, y = (boxes[:, None, d] + part * (boxes[:, None, d + 2] - boxes[:, None, d]) for d in (0, 1))
            target["keypoints"] = torch.stack([x, y, torch.ones_like(x)], -1)
        found.append(target)
    return found


def _fill(model: torch.nn.Module) -> None:
    """Parameters of the spread of a usual initialization; smaller in heads, so that no two scores are 1."""
    g = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim > 1:
                spread = (1.5 if name.startswith("backbone") else 0.1) / parameter[0].numel()
                parameter.copy_(torch.randn(parameter.shape, generator=g) * math.sqrt(spread))
            else:
                parameter.copy_(0.1 * torch.randn(parameter.shape, generator=g) + (parameter.mean() > 0.5))


def _tiny(**more: Any) -> dict[str, Any]:
    return {"weights": None, "weights_backbone": None, "min_size": 64, "max_size": 96, **more}


_TWO_STAGES: dict[str, Any] = {
    "rpn_pre_nms_top_n_train": 60,
    "rpn_post_nms_top_n_train": 30,
    "rpn_pre_nms_top_n_test": 60,
    "rpn_post_nms_top_n_test": 20,
    "rpn_batch_size_per_image": 16,
    "box_batch_size_per_image": 16,
    "box_detections_per_img": 5,
    "box_score_thresh": 0.01,
}
_ONE_STAGE: dict[str, Any] = {"topk_candidates": 40, "detections_per_img": 5, "score_thresh": 0.01}


def _small_backbone() -> torch.nn.Module:
    """A backbone with a pyramid, of a few channels: what users build their own detectors on."""
    features = models.mobilenet_v3_small(weights=None, width_mult=0.5).features
    return backbone_utils.BackboneWithFPN(
        features, {"3": "0", "8": "1", "11": "2"}, [16, 24, 48], 32, ops.feature_pyramid_network.LastLevelMaxPool()
    )


def _anchors() -> AnchorGenerator:
    return AnchorGenerator(((8,), (16,), (32,), (64,)), ((0.5, 1.0, 2.0),) * 4)


def _own(kind: Any, anchors: bool = True, **more: Any) -> Callable[[], torch.nn.Module]:
    def make() -> torch.nn.Module:
        given = {"rpn_anchor_generator": _anchors()} if anchors else {}
        return kind(_small_backbone(), min_size=64, max_size=96, **given, **more)  # type: ignore[no-any-return]

    return make


_ANCHORS_OF_ONE = {"anchor_generator": AnchorGenerator(((8,), (16,), (32,), (64,)), ((1.0,),) * 4)}
# Of small backbones: the class of each family, trained and used.
SMALL: dict[str, tuple[Callable[[], torch.nn.Module], bool, bool]] = {
    "FasterRCNN": (_own(detection.FasterRCNN, num_classes=_CLASSES, **_TWO_STAGES), False, False),
    "MaskRCNN": (_own(detection.MaskRCNN, num_classes=_CLASSES, **_TWO_STAGES), True, False),
    "KeypointRCNN": (
        _own(detection.KeypointRCNN, num_classes=_CLASSES, num_keypoints=_POINTS, **_TWO_STAGES),
        False,
        True,
    ),
    "RetinaNet": (
        lambda: detection.RetinaNet(
            _small_backbone(), _CLASSES, min_size=64, max_size=96, anchor_generator=_anchors(), **_ONE_STAGE
        ),
        False,
        False,
    ),
    "FCOS": (
        lambda: detection.FCOS(_small_backbone(), _CLASSES, min_size=64, max_size=96, **_ANCHORS_OF_ONE, **_ONE_STAGE),
        False,
        False,
    ),
}
# The builders, in the smallest sizes that they have.
BUILDERS: dict[str, Callable[[], torch.nn.Module]] = {
    **{
        name: lambda name=name: getattr(detection, name)(**_tiny(num_classes=_CLASSES, **_TWO_STAGES))
        for name in (
            "fasterrcnn_mobilenet_v3_large_320_fpn",
            "fasterrcnn_mobilenet_v3_large_fpn",
            "fasterrcnn_resnet50_fpn",
            "fasterrcnn_resnet50_fpn_v2",
            "maskrcnn_resnet50_fpn",
            "maskrcnn_resnet50_fpn_v2",
        )
    },
    "keypointrcnn_resnet50_fpn": lambda: detection.keypointrcnn_resnet50_fpn(
        **_tiny(num_classes=_CLASSES, num_keypoints=_POINTS, **_TWO_STAGES)
    ),
    **{
        name: lambda name=name: getattr(detection, name)(**_tiny(num_classes=_CLASSES, **_ONE_STAGE))
        for name in ("fcos_resnet50_fpn", "retinanet_resnet50_fpn", "retinanet_resnet50_fpn_v2")
    },
    **{
        name: lambda name=name: getattr(detection, name)(
            weights=None, weights_backbone=None, num_classes=_CLASSES, **_ONE_STAGE
        )
        for name in ("ssd300_vgg16", "ssdlite320_mobilenet_v3_large")
    },
}


def _trained(make: Callable[[], torch.nn.Module], masks: bool, points: bool) -> Any:
    """The losses of a step, and the gradients of all parameters: their norms, and the first few numbers of each.

    Layers that normalize batches keep their statistics, as fine-tuning has it: a batch of a few pixels would make much
    of every rounding.
    """
    model = make()
    _fill(model)
    model.double().train()
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.eval()
    torch.manual_seed(5)
    targets = _targets(masks, points)
    for target in targets:
        target["boxes"] = target["boxes"].double()
    losses = model([x.double() for x in _images()], targets)
    sum(losses.values()).backward()
    given = [(name, p.grad) for name, p in model.named_parameters() if p.grad is not None]
    # One number for the layers whose gradient is 0 but for roundings: a bias before a normalization.
    return losses, {name: (g.norm() + 1e-3, g.flatten()[:8] + 1e-3 * g.abs().max()) for name, g in given}


def _used(make: Callable[[], torch.nn.Module]) -> Any:
    model = make()
    _fill(model)
    model.double().eval()
    with torch.no_grad():
        return model([x.double() for x in _images()])


def cases() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every case by name."""
    builders = list(models.list_models(models.detection))
    yield "names", lambda: [sorted(builders), sorted(BUILDERS)]
    for name, (make, masks, points) in SMALL.items():
        yield f"{name}/trained", lambda make=make, masks=masks, points=points: _trained(make, masks, points)
        yield f"{name}/used", lambda make=make: _used(make)


def builders() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every builder, trained and used."""
    for name, make in BUILDERS.items():
        masks, points = name.startswith("mask"), name.startswith("keypoint")
        yield f"{name}/trained", lambda make=make, masks=masks, points=points: _trained(make, masks, points)
        yield f"{name}/used", lambda make=make: _used(make)
