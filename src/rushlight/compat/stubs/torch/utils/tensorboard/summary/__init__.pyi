# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.utils.tensorboard.summary import (
    as_hwc as as_hwc, audio as audio, custom_scalars as custom_scalars, default_bins as default_bins,
    figure_to_image as figure_to_image, histogram as histogram, histogram_raw as histogram_raw, hparams as hparams,
    image as image, image_boxes as image_boxes, make_np as make_np, mesh as mesh, pr_curve as pr_curve,
    pr_curve_raw as pr_curve_raw, scalar as scalar, tensor_proto as tensor_proto, text as text,
)
