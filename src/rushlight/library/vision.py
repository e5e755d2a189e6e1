"""`torch.ops.torchvision`: the operators that torchvision's extension `_C` registers in PyTorch. They are operators of
the table, so what torchvision's Python registers for them besides (shapes on 'meta', gradients) is not needed: it is
kept, and the table's serves.
"""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.library.operator import define
from rushlight.library.schema import parse_schema

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


def _no_cuda() -> int:
    """The version of CUDA that the extension was compiled for: none."""
    return -1


def _refuse(name: str) -> Any:
    def refused(*args: Any) -> NoReturn:
        raise NotImplementedError(f"torchvision::{name}(): it is for quantized tensors, which rushlight lacks")

    return refused


define(parse_schema("torchvision::_cuda_version() -> int")).kernels[""] = _no_cuda
for _schema in _SCHEMAS:
    define(parse_schema(f"torchvision::{_schema}"))
for _schema in _QUANTIZED:
    _made = define(parse_schema(f"torchvision::{_schema}"))
    _made.kernels[""] = _refuse(_made._opname)
