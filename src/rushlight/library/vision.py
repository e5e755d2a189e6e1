"""`torch.ops.torchvision`: the operators that torchvision's extension `_C` registers in PyTorch. They are operators of
the table, so what torchvision's Python registers for them besides (shapes on 'meta', gradients) is not needed: it is
kept, and the table's serves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from rushlight.autograd import enable_grad, grad
from rushlight.core.dtypes import int64
from rushlight.core.tensor import Tensor, is_grad_enabled
from rushlight.library.operator import define
from rushlight.library.schema import parse_schema
from rushlight.operators import load_families_of_extensions
from rushlight.operators.table.define import TABLE
from rushlight.operators.vision.regions import SPACE

load_families_of_extensions()
_INPUT, _GRAD = "Tensor input, Tensor rois", "Tensor grad, Tensor rois"
_SCALE = "float spatial_scale, SymInt pooled_height, SymInt pooled_width"
_SIZES = "SymInt batch_size, SymInt channels, SymInt height, SymInt width"
_DEFORMED = "Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias"
_WINDOW = (
    "SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, "
    "SymInt groups, SymInt offset_groups, bool use_mask"
)
_SCHEMAS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "box_iou_rotated(Tensor boxes1, Tensor boxes2) -> Tensor",
    f"roi_align({_INPUT}, {_SCALE}, int sampling_ratio, bool aligned) -> Tensor",
    f"_roi_align_backward({_GRAD}, {_SCALE}, {_SIZES}, int sampling_ratio, bool aligned) -> Tensor",
    f"roi_pool({_INPUT}, {_SCALE}) -> (Tensor, Tensor)",
    f"_roi_pool_backward({_GRAD}, Tensor argmax, {_SCALE}, {_SIZES}) -> Tensor",
    f"ps_roi_align({_INPUT}, {_SCALE}, int sampling_ratio) -> (Tensor, Tensor)",
    f"_ps_roi_align_backward({_GRAD}, Tensor channel_mapping, {_SCALE}, int sampling_ratio, {_SIZES}) -> Tensor",
    f"ps_roi_pool({_INPUT}, {_SCALE}) -> (Tensor, Tensor)",
    f"_ps_roi_pool_backward({_GRAD}, Tensor channel_mapping, {_SCALE}, {_SIZES}) -> Tensor",
    f"deform_conv2d({_DEFORMED}, {_WINDOW}) -> Tensor",
    f"_deform_conv2d_backward(Tensor grad, {_DEFORMED}, {_WINDOW}) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
)
_QUANTIZED = (
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qroi_align(Tensor input, Tensor rois, float input_scale, int input_zero_point, float rois_scale, "
    "int rois_zero_point, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int sampling_ratio, "
    "bool aligned) -> Tensor",
)


def _gradients(name: str, cotangent: Tensor, inputs: list[Any], wanted: int, *rest: Any) -> tuple[Tensor, ...]:
    """The gradients of the first `wanted` inputs of an operator: what its own backward gives."""
    again = is_grad_enabled() and any(x.requires_grad for x in (cotangent, *inputs))
    with enable_grad():
        given = [x if x.requires_grad else x.detach().requires_grad_() for x in inputs[:wanted]]
        result = TABLE[f"{SPACE}.{name}"](*given, *inputs[wanted:], *rest)
        result = result[0] if isinstance(result, tuple) else result
        found = grad(result, given, cotangent, create_graph=again, allow_unused=True)
    return tuple(TABLE["zeros_like"](x) if g is None else g for g, x in zip(found, given, strict=True))


def _of_region(name: str, samples: bool = False, mapped: bool = False) -> Callable[..., Tensor]:
    """The backward of a linear pooling of regions: of (grad, rois, [mapping], scale, rows, columns, [samples],
    sizes, ...).
    """

    def backward(cotangent: Tensor, rois: Tensor, *rest: Any) -> Tensor:
        scale, rows, columns, *more = rest[mapped:]
        before, more = (more[: samples and mapped], more[samples and mapped :])
        sizes, after = more[:4], more[4:]
        images = TABLE["empty"](sizes, dtype=cotangent.dtype, device=cotangent.device)
        return _gradients(name, cotangent, [images, rois], 1, scale, rows, columns, *before, *after)[0]

    return backward


def _of_largest(
    cotangent: Tensor, rois: Tensor, argmax: Tensor, scale: float, rows: int, columns: int, *sizes: int
) -> Tensor:
    """The backward of roi_pool: each bin's cotangent goes to the pixel that it is."""
    n, channels, height, width = sizes
    lead = rois[:, 0].to(int64)[:, None, None, None] * channels + TABLE["arange"](channels)[:, None, None]
    place = (lead * (height * width) + argmax.clamp(min=0)).reshape(-1)
    values = TABLE["where"](argmax >= 0, cotangent, 0.0).reshape(-1)
    flat = TABLE["zeros"](n * channels * height * width, dtype=cotangent.dtype, device=cotangent.device)
    return flat.index_add(0, place, values).reshape(n, channels, height, width)


def _of_deformable(cotangent: Tensor, *inputs: Any) -> tuple[Tensor, ...]:
    return _gradients("deform_conv2d", cotangent, list(inputs[:5]), 5, *inputs[5:])


_BACKWARD: dict[str, Callable[..., Any]] = {
    "_roi_align_backward": _of_region("roi_align", samples=True),
    "_ps_roi_align_backward": _of_region("ps_roi_align", samples=True, mapped=True),
    "_ps_roi_pool_backward": _of_region("ps_roi_pool", mapped=True),
    "_roi_pool_backward": _of_largest,
    "_deform_conv2d_backward": _of_deformable,
}


def _no_cuda() -> int:
    """The version of CUDA that the extension was compiled for: none."""
    return -1


def _refuse(name: str) -> Any:
    def refused(*args: Any) -> NoReturn:
        raise NotImplementedError(f"torchvision::{name}(): it is for quantized tensors, which rushlight lacks")

    return refused


define(parse_schema("torchvision::_cuda_version() -> int")).kernels[""] = _no_cuda
for _schema in _SCHEMAS:
    _made = define(parse_schema(f"torchvision::{_schema}"))
    # The key that comes before all others: autograd, transforms and 'meta' are the table's.
    _made.kernels["compositeimplicitautograd"] = _BACKWARD.get(_made._opname) or TABLE[f"{SPACE}.{_made._opname}"]
for _schema in _QUANTIZED:
    _made = define(parse_schema(f"torchvision::{_schema}"))
    _made.kernels[""] = _refuse(_made._opname)
