"""Regions of images at the limits: factors at which places are not told apart, and images without pixels."""

from __future__ import annotations

import math
from typing import Any

import pytest

import rushlight as rl
from rushlight.operators import load_families_of_extensions
from rushlight.operators.table.define import TABLE

load_families_of_extensions()
REST: dict[str, tuple[Any, ...]] = {"roi_align": (0, False), "ps_roi_align": (0,), "ps_roi_pool": (), "roi_pool": ()}


def _pooled(name: str, x: rl.Tensor, rois: rl.Tensor, scale: float) -> tuple[rl.Tensor, rl.Tensor]:
    """The result, and the gradient of its sum."""
    y = TABLE[f"ops.torchvision.{name}"](x, rois, scale, 2, 2, *REST[name])
    y = y[0] if isinstance(y, tuple) else y
    y.sum().backward()
    assert x.grad is not None
    return y, x.grad


@pytest.mark.parametrize("dtype", [rl.float32, rl.float64])
@pytest.mark.parametrize("name", REST)
def test_a_factor_beyond_all_images_comes_to_an_end(name: str, dtype: rl.dtype) -> None:
    for scale in (1e18, 1e30, 1e300, -1e18, 1e-320, math.inf, math.nan):
        x = rl.ones(1, 4, 5, 5, dtype=dtype, requires_grad=True)
        y, g = _pooled(name, x, rl.tensor([[0.0, -1, -1, 3, 3]], dtype=dtype), scale)
        none = y.isnan() & (name == "ps_roi_align")  # the mean of no samples, as in torchvision
        assert ((y == 0) | (y == 1) | none).all() and g.shape == x.shape, scale


@pytest.mark.parametrize("plane", [(0, 5), (5, 0), (0, 0)])
@pytest.mark.parametrize("name", REST)
def test_an_image_without_pixels_has_bins_of_none(name: str, plane: tuple[int, int]) -> None:
    x = rl.ones(1, 4, *plane, requires_grad=True)
    y, g = _pooled(name, x, rl.tensor([[0.0, 0, 0, 3, 3]]), 1.0)
    assert y.shape[2:] == (2, 2) and (y == 0).all() and g.shape == x.shape


@pytest.mark.parametrize("name", REST)
def test_regions_that_require_a_gradient_get_none(name: str) -> None:
    """As in torchvision: the result requires a gradient where only the regions do, and none reaches them."""
    for of_images in (False, True):
        rois = rl.tensor([[0, 0, 0, 9, 9], [1, 2, 3, 4, 9.0]], requires_grad=True)
        images = rl.rand(2, 8, 10, 10, requires_grad=of_images)
        found = TABLE[f"ops.torchvision.{name}"](images, rois, 1.0, 2, 2, *REST[name])
        y = found[0] if isinstance(found, tuple) else found
        assert y.requires_grad
        y.sum().backward()
        assert rois.grad is None and (images.grad is not None) == of_images
