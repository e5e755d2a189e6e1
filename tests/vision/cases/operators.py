"""`torchvision.ops`: every public name, and the operators of `torch.ops.torchvision`; values, and gradients where there
are some.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torchvision
from torchvision import ops

O = torch.ops.torchvision  # short, as its names stand in front of every call below


def _random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _boxes(count: int, seed: int = 0, size: float = 20.0) -> torch.Tensor:
    g = torch.Generator().manual_seed(seed)
    first = torch.rand(count, 2, generator=g) * size
    return torch.cat([first, first + 1 + torch.rand(count, 2, generator=g) * size / 2], 1)


def _rois(count: int, images: int, seed: int = 0, size: float = 20.0) -> torch.Tensor:
    image = torch.arange(count) % images
    return torch.cat([image[:, None].float(), _boxes(count, seed, size) - size / 10], 1)


def _with_gradients(function: Callable[..., Any], *inputs: torch.Tensor) -> Any:
    """The result, and the gradients of a sum of it with weights by those inputs that it depends on."""
    given = [x.clone().requires_grad_() for x in inputs]
    result = function(*given)
    parts = [t for t in _tensors(result) if t.requires_grad]
    total = sum((t * _random(*t.shape, seed=i).to(t.dtype)).sum() for i, t in enumerate(parts))
    found = torch.autograd.grad(total, given, allow_unused=True)
    # Where nothing flows, a gradient may be absent or zero.
    return result, [torch.zeros_like(x) if g is None else g for g, x in zip(found, given, strict=True)]


def _tensors(x: Any) -> list[torch.Tensor]:
    if isinstance(x, torch.Tensor):
        return [x]
    parts = x.values() if isinstance(x, dict) else x if isinstance(x, (list, tuple)) else []
    return [t for part in parts for t in _tensors(part)]


def _layer(make: Callable[[], torch.nn.Module], *inputs: Any) -> Any:
    """What a module prints, its state, what it gives, and the gradients of its parameters and inputs."""
    torch.manual_seed(3)
    module = make()
    names, parameters = zip(*module.named_parameters(), strict=True) if list(module.parameters()) else ((), ())
    given = [x.clone().requires_grad_() if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in inputs]
    torch.manual_seed(4)
    result = module(*given)
    parts = [t for t in _tensors(result) if t.requires_grad]
    wanted = [x for x in given if isinstance(x, torch.Tensor) and x.requires_grad]
    total = sum((t * _random(*t.shape, seed=i)).sum() for i, t in enumerate(parts))
    found = torch.autograd.grad(total, [*parameters, *wanted], allow_unused=True) if parts else []
    return repr(module), dict(module.state_dict()), result, list(names), [0 if g is None else g for g in found]


def _pooled(function: Callable[..., Any], channels: int, *rest: Any, **more: Any) -> Callable[[], Any]:
    def case() -> Any:
        x, rois = _random(2, channels, 20, 24), _rois(12, 2)
        listed = [rois[rois[:, 0] == i, 1:] for i in range(2)]
        return (
            _with_gradients(lambda x: function(x, rois, *rest, **more), x),
            function(x, listed, *rest, **more),
            function(x.double(), rois.double(), *rest, **more),
            function(x, rois[:0], *rest, **more),
        )

    return case


def _deformed(groups: int, own: int, stride: Any, padding: Any, dilation: Any, masked: bool) -> Callable[[], Any]:
    def case() -> Any:
        x, weight, bias = _random(2, 8, 9, 11), _random(4, 8 // groups, 3, 2, seed=1), _random(4, seed=2)
        one = torch.nn.functional.conv2d(x, weight, None, stride, padding, dilation, groups)
        offset = _random(2, 2 * own * 6, *one.shape[2:], seed=3) * 2
        mask = _random(2, own * 6, *one.shape[2:], seed=4) if masked else None
        inputs = [x, offset, weight, bias] + ([mask] if masked else [])

        def call(x: Any, offset: Any, weight: Any, bias: Any, mask: Any = None) -> Any:
            return ops.deform_conv2d(x, offset, weight, bias, stride, padding, dilation, mask)

        return _with_gradients(call, *inputs), call(*[t.double() for t in inputs])

    return case


def _losses(function: Callable[..., Any]) -> list[Callable[[], Any]]:
    a, b = _boxes(9), _boxes(9, 1)
    return [
        lambda how=how: _with_gradients(lambda a, b: function(a, b, reduction=how), a, b)
        for how in ("none", "mean", "sum")
    ]


def _pairs(function: Callable[..., Any]) -> list[Callable[[], Any]]:
    return [
        lambda: _with_gradients(function, _boxes(7), _boxes(5, 1)),
        lambda: function(_boxes(3).int(), _boxes(4, 1).int()),
        lambda: function(_boxes(3).half(), _boxes(4, 1).half()),
        lambda: function(_boxes(0), _boxes(4)),
    ]


def _turned(count: int, seed: int = 0) -> torch.Tensor:
    return torch.cat([_boxes(count, seed), 90 * _random(count, 1, seed=seed)], 1)


def _suppressed() -> Any:
    found = []
    for count, places in ((1, 1), (40, 3), (800, 50)):
        boxes, scores = _boxes(count), (_random(count).sigmoid() * places).round() / places
        found += [ops.nms(boxes, scores, t) for t in (0.0, 0.2, 0.5, 0.9)]
    return *found, ops.nms(_boxes(0), _random(0), 0.5), ops.nms(_boxes(50).double(), _random(50).double(), 0.3)


def _suppressed_in_groups() -> Any:
    return [
        ops.batched_nms(_boxes(n), _random(n), torch.arange(n) % 7, t) for n in (0, 30, 3000, 5001) for t in (0.1, 0.5)
    ]


def _converted() -> Any:
    boxes, formats = _boxes(5), ("xyxy", "xywh", "cxcywh")
    found = [_with_gradients(lambda x, a=a, b=b: ops.box_convert(x, a, b), boxes) for a in formats for b in formats]
    return found, [ops.box_convert(_turned(4), a, b) for a, b in (("xywhr", "cxcywhr"), ("cxcywhr", "xyxyxyxy"))]


def _levels() -> dict[str, torch.Tensor]:
    return OrderedDict((str(i), _random(2, 6, 32 >> i, 40 >> i, seed=i)) for i in range(3))


def _pooled_by_level() -> Any:
    pool = ops.MultiScaleRoIAlign(["0", "1", "2"], 3, 2, canonical_scale=40)
    boxes = [_boxes(9, 1, 100.0), _boxes(4, 2, 100.0)]
    names = list(_levels())

    def call(*levels: torch.Tensor) -> Any:
        return pool(OrderedDict(zip(names, levels, strict=True)), boxes, [(128, 160), (120, 150)])

    return repr(pool), _with_gradients(call, *_levels().values())


def _pyramid(block: Any) -> Callable[[], Any]:
    return lambda: _layer(lambda: ops.FeaturePyramidNetwork([6, 6, 6], 4, extra_blocks=block and block()), _levels())


def _blocks(name: str, d: int) -> Any:
    x = _random(2, 3, *(8,) * d)
    function, layer = getattr(ops, name), getattr(ops, "DropBlock" + name[-2:])
    torch.manual_seed(0)
    kept = _with_gradients(lambda x: function(x, 0.3, 3), x)
    return (
        kept,
        function(x, 0.3, 2, training=False),
        _layer(lambda: layer(0.4, 3), x),
        _layer(lambda: layer(0.4, 3).eval(), x),
    )


def _depth() -> Any:
    torch.manual_seed(0)
    x = _random(6, 3, 4)
    found = [_with_gradients(lambda x, m=m: ops.stochastic_depth(x, 0.4, m), x) for m in ("batch", "row")]
    return found, ops.stochastic_depth(x, 0.4, "row", training=False), ops.stochastic_depth(x, 1.0, "row")


def _masks() -> torch.Tensor:
    masks = torch.zeros(4, 20, 30, dtype=torch.bool)
    for i in range(4):
        masks[i, 2 + i : 9 + 2 * i, 3 * i : 8 + 4 * i] = True
    return masks


def _focal(how: str) -> Any:
    x, target = _random(4, 5), (_random(4, 5, seed=1) > 0).float()
    plain = _with_gradients(lambda x: ops.sigmoid_focal_loss(x, target, reduction=how), x)
    return plain, ops.sigmoid_focal_loss(x, target, 0.6, 1.5, how)


_NET, _FLAT = lambda: _random(2, 6, 7, 8), lambda: _random(3, 5)

# By public name: the calls of it.
CASES: dict[str, list[Callable[[], Any]]] = {
    "Conv2dNormActivation": [
        lambda: _layer(lambda: ops.Conv2dNormActivation(6, 4, 3), _NET()),
        lambda: _layer(
            lambda: ops.Conv2dNormActivation(
                6, 4, (3, 1), 2, groups=2, norm_layer=None, activation_layer=torch.nn.SiLU, dilation=2
            ),
            _NET(),
        ),
    ],
    "Conv3dNormActivation": [lambda: _layer(lambda: ops.Conv3dNormActivation(2, 4), _random(2, 2, 5, 6, 4))],
    "DeformConv2d": [
        lambda: _layer(lambda: ops.DeformConv2d(6, 4, 3, padding=1), _NET(), _random(2, 18, 7, 8)),
        lambda: _layer(
            lambda: ops.DeformConv2d(6, 4, 3, 2, 1, groups=2, bias=False),
            _NET(),
            _random(2, 18, 4, 4),
            _random(2, 9, 4, 4),
        ),
    ],
    "DropBlock2d": [lambda: _blocks("drop_block2d", 2)],
    "DropBlock3d": [lambda: _blocks("drop_block3d", 3)],
    "FeaturePyramidNetwork": [
        _pyramid(None),
        _pyramid(ops.feature_pyramid_network.LastLevelMaxPool),
        _pyramid(lambda: ops.feature_pyramid_network.LastLevelP6P7(4, 4)),
    ],
    "FrozenBatchNorm2d": [lambda: _layer(lambda: ops.FrozenBatchNorm2d(6), _NET())],
    "MLP": [
        lambda: _layer(lambda: ops.MLP(5, [4, 3]), _FLAT()),
        lambda: _layer(lambda: ops.MLP(5, [4, 3], torch.nn.LayerNorm, torch.nn.GELU, dropout=0.3), _FLAT()),
    ],
    "MultiScaleRoIAlign": [_pooled_by_level],
    "PSRoIAlign": [lambda: _layer(lambda: ops.PSRoIAlign((2, 2), 0.5, 2), _random(2, 8, 9, 9), _rois(5, 2))],
    "PSRoIPool": [lambda: _layer(lambda: ops.PSRoIPool((2, 2), 0.25), _random(2, 8, 9, 9), _rois(5, 2))],
    "Permute": [lambda: _layer(lambda: ops.Permute([0, 2, 1]), _random(2, 3, 4))],
    "RoIAlign": [lambda: _layer(lambda: ops.RoIAlign((3, 2), 0.5, 2, aligned=True), _random(2, 3, 9, 9), _rois(5, 2))],
    "RoIPool": [lambda: _layer(lambda: ops.RoIPool((3, 2), 0.5), _random(2, 3, 9, 9), _rois(5, 2))],
    "SqueezeExcitation": [lambda: _layer(lambda: ops.SqueezeExcitation(6, 3), _NET())],
    "StochasticDepth": [lambda: _layer(lambda: ops.StochasticDepth(0.4, "row"), _NET())],
    "batched_nms": [_suppressed_in_groups],
    "box_area": [
        lambda: _with_gradients(ops.box_area, _boxes(4)),
        lambda: (ops.box_area(_boxes(4).int()), ops.box_area(_boxes(4).half())),
        lambda: [ops.box_area(_boxes(4), fmt) for fmt in ("xywh", "cxcywh")],
    ],
    "box_convert": [_converted, lambda: ops.box_convert(_boxes(2), "xyxy", "none")],
    "box_iou": [
        *_pairs(ops.box_iou),
        lambda: [ops.box_iou(_boxes(4), _boxes(3, 1), fmt) for fmt in ("xywh", "cxcywh")],
        lambda: ops.box_iou(_turned(20), _turned(15, 1), "cxcywhr"),
        lambda: ops.box_iou(_turned(20), _turned(20), "cxcywhr"),
    ],
    "clip_boxes_to_image": [lambda: _with_gradients(lambda b: ops.clip_boxes_to_image(b, (15, 12)), _boxes(6))],
    "complete_box_iou": _pairs(ops.complete_box_iou),
    "complete_box_iou_loss": _losses(ops.complete_box_iou_loss),
    "deform_conv2d": [
        _deformed(*shape, masked)
        for shape in ((1, 1, 1, 1, 1), (2, 1, 2, 0, 1), (1, 2, 1, 2, 2), (4, 4, (2, 1), (1, 0), (1, 2)))
        for masked in (False, True)
    ],
    "distance_box_iou": _pairs(ops.distance_box_iou),
    "distance_box_iou_loss": _losses(ops.distance_box_iou_loss),
    "drop_block2d": [lambda: _blocks("drop_block2d", 2)],
    "drop_block3d": [lambda: _blocks("drop_block3d", 3)],
    "generalized_box_iou": _pairs(ops.generalized_box_iou),
    "generalized_box_iou_loss": _losses(ops.generalized_box_iou_loss),
    "masks_to_boxes": [
        lambda: ops.masks_to_boxes(_masks()),
        lambda: ops.masks_to_boxes(_masks().float()),
        lambda: ops.masks_to_boxes(_masks()[:0]),
    ],
    "nms": [_suppressed, lambda: ops.nms(_boxes(3), _random(4), 0.5), lambda: ops.nms(_rois(3, 1), _random(3), 0.5)],
    "ps_roi_align": [_pooled(ops.ps_roi_align, 8, 2, scale, ratio) for scale, ratio in ((1.0, -1), (0.5, 2), (0.3, 3))],
    # (Regions that reach the last row or column: torchvision's gradient is not that of its values, see the test.)
    "ps_roi_pool": [_pooled(ops.ps_roi_pool, 8, 2, scale) for scale in (0.5, 0.3)],
    "remove_small_boxes": [lambda: ops.remove_small_boxes(_boxes(30), 4.0)],
    "roi_align": [
        _pooled(ops.roi_align, 3, size, scale, ratio, aligned)
        for size in (2, (3, 5), 7)
        for scale, ratio in ((1.0, -1), (0.5, 2), (0.3, 3))
        for aligned in (False, True)
    ],
    "roi_pool": [_pooled(ops.roi_pool, 3, size, scale) for size in (2, (3, 5), 7) for scale in (1.0, 0.5, 0.3)],
    "sigmoid_focal_loss": [lambda how=how: _focal(how) for how in ("none", "mean", "sum", "else")],
    "stochastic_depth": [_depth],
}


def _pooled_backward(name: str, channels: int, *rest: Any) -> Callable[[], Any]:
    """The operator that torchvision registers as the backward of another, called by its name."""

    def case() -> Any:
        rois, sizes = _rois(5, 2), (2, channels, 20, 24)
        forward = getattr(O, name)(_random(*sizes), rois, 0.5, 2, 2, *rest)
        backward = getattr(O, f"_{name}_backward")
        if name == "roi_align":
            return backward(_random(*forward.shape), rois, 0.5, 2, 2, *sizes, *rest)
        pooled, where = forward
        return backward(_random(*pooled.shape), rois, where, 0.5, 2, 2, *rest, *sizes), where

    return case


def _deformed_backward() -> Any:
    x, weight, offset, mask = _random(2, 4, 6, 6), _random(3, 4, 3, 3), _random(2, 18, 6, 6), _random(2, 9, 6, 6)
    rest = (1, 1, 1, 1, 1, 1, 1, 1, True)
    return O._deform_conv2d_backward(_random(2, 3, 6, 6), x, weight, offset, mask, _random(3), *rest)


def _under_autocast() -> Any:
    x, rois, boxes = _random(2, 3, 20, 24), _rois(6, 2), _boxes(20)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return O.roi_align(x.bfloat16(), rois, 0.5, 2, 2, 2, True), O.nms(boxes.bfloat16(), _random(20), 0.5)


def _on_meta() -> Any:
    x, rois = torch.empty(2, 8, 20, 24, device="meta"), torch.empty(5, 5, device="meta")
    found = [
        O.roi_align(x, rois, 1.0, 2, 3, 2, True),
        *O.roi_pool(x, rois, 1.0, 2, 3),
        *O.ps_roi_align(x, rois, 1.0, 2, 2, 2),
        *O.ps_roi_pool(x, rois, 1.0, 2, 2),
    ]
    return [(str(t.dtype), tuple(t.shape), str(t.device)) for t in found]


INNER: dict[str, Callable[[], Any]] = {
    "_roi_align_backward": _pooled_backward("roi_align", 3, 2, True),
    "_roi_pool_backward": _pooled_backward("roi_pool", 3),
    "_ps_roi_align_backward": _pooled_backward("ps_roi_align", 8, 2),
    "_ps_roi_pool_backward": _pooled_backward("ps_roi_pool", 8),
    "_deform_conv2d_backward": _deformed_backward,
    "under autocast": _under_autocast,
    "on meta": _on_meta,
    "extension": lambda: (torchvision.extension._has_ops(), ops.boxes._assert_has_ops()),
}


def cases() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every case by name."""
    public = [n for n in dir(ops) if not n.startswith("_") and not inspect.ismodule(getattr(ops, n))]
    yield "names", lambda: [sorted({*public, *ops.__all__}), sorted(CASES)]
    for name, calls in CASES.items():
        yield from ((f"{name}/{i}", call) for i, call in enumerate(calls))
    yield from ((f"inner/{name}", call) for name, call in INNER.items())
