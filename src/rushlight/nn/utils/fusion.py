"""A convolution or linear map and the batch norm after it as one module, for evaluation."""

from __future__ import annotations

import copy
from typing import Any, TypeVar, cast

import rushlight
from rushlight import Tensor
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]

M = TypeVar("M", bound=Module)


def _fused(
    w: Tensor,
    b: Tensor | None,
    mean: Tensor,
    var: Tensor,
    eps: float,
    scale: Tensor | None,
    shift: Tensor | None,
    out_dim: int,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of gamma (w x + b - mean) / sqrt(var + eps) + beta."""
    factor = rushlight.rsqrt(var + eps)
    if scale is not None:
        factor = factor * scale
    shape = [1] * w.dim()
    shape[out_dim] = -1
    offset = -mean if b is None else b - mean
    bias = offset * factor
    if shift is not None:
        bias = bias + shift
    grad = w.requires_grad
    weight = (w * factor.reshape(shape)).to(w.dtype)
    bias = bias.to(w.dtype if b is None else b.dtype)
    return Parameter(weight.detach(), grad), Parameter(bias.detach(), grad if b is None else b.requires_grad)


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Weight and bias of a convolution that does a batch norm as well.

    Args:
        conv_w: the convolution's weight.
        conv_b: its bias.
        bn_rm: the running mean of the batch norm.
        bn_rv: its running variance.
        bn_eps: what it adds to the variance.
        bn_w: its scale.
        bn_b: its shift.
        transpose: whether the convolution is a transposed one.
    """
    return _fused(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, int(transpose))


def fuse_linear_bn_weights(
    linear_w: Tensor, linear_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor, bn_b: Tensor
) -> tuple[Parameter, Parameter]:
    """Weight and bias of a linear map that does a batch norm as well; arguments as fuse_conv_bn_weights."""
    return _fused(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, 0)


def _copy_with(what: str, first: M, bn: Any, out_dim: int) -> M:
    """A copy of the first module that does the batch norm as well; AssertionError unless both only evaluate."""
    for m in (first, bn):
        if m.training:
            raise AssertionError(
                f"{what}(): both modules must be in evaluation mode, {type(m).__name__} is in training"
            )
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError(f"{what}(): the batch norm must have running statistics, this one has none")
    new = copy.deepcopy(first)
    statistics = (bn.running_mean, bn.running_var, bn.eps)
    new.weight, new.bias = _fused(new.weight, new.bias, *statistics, bn.weight, bn.bias, out_dim)
    return cast("M", new)


def fuse_conv_bn_eval(conv: M, bn: Any, transpose: bool = False) -> M:
    """A copy of a convolution that does the batch norm after it as well; both are in evaluation mode."""
    return _copy_with("fuse_conv_bn_eval", conv, bn, int(transpose))


def fuse_linear_bn_eval(linear: M, bn: Any) -> M:
    """A copy of a linear map that does the batch norm after it as well; both are in evaluation mode.

    Raises:
        AssertionError: a module is in training mode, or the batch norm normalizes another number of features.
    """
    features = linear.out_features
    if bn.num_features not in (1, features):
        raise AssertionError(
            f"fuse_linear_bn_eval(): bn.num_features must be 1 or linear.out_features, {features}; found "
            f"{bn.num_features}"
        )
    return _copy_with("fuse_linear_bn_eval", linear, bn, 0)
