"""Normalization as modules: layer, group, RMS, local response."""

from __future__ import annotations

import numbers
from typing import Any

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.operators.table.types import Device, DType

from ._functional import FunctionModule
from ._scaled import Scaled
from .module import Module

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class _ShapedNorm(Scaled):
    """Normalization over the last dimensions, whose sizes are ``normalized_shape``."""

    def _start_(self, normalized_shape: Any, eps: float | None, elementwise_affine: bool) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, numbers.Integral) else tuple(normalized_shape)
        self.__dict__.update(normalized_shape=shape, eps=eps, elementwise_affine=elementwise_affine)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LayerNorm(_ShapedNorm):
    """Normalization over the last dimensions (Ba et al. 2016, arXiv:1607.06450).

    Args:
        normalized_shape: their sizes.
        eps: added to the variance.
        elementwise_affine: whether a scale is learned, and a shift too unless ``bias`` is False.
        bias: whether a shift is learned.
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Device = None,
        dtype: DType = None,
    ) -> None:
        self._start_(normalized_shape, eps, elementwise_affine)
        place = {"device": device, "dtype": dtype}
        self._make_scale_(self.normalized_shape, place, weight=elementwise_affine, bias=elementwise_affine and bias)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        params = self._parameters
        try:
            weight, bias = params["weight"], params["bias"]
        except KeyError:
            weight, bias = self.weight, self.bias
        return F.layer_norm(input, self.normalized_shape, weight, bias, self.eps)

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, bias={self.bias is not None}"


class RMSNorm(_ShapedNorm):
    """Division by the root mean square of the last dimensions (Zhang & Sennrich 2019, arXiv:1910.07467).

    Args:
        normalized_shape: their sizes.
        eps: added to the mean square; None means the dtype's epsilon.
        elementwise_affine: whether a scale is learned.
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Device = None,
        dtype: DType = None,
    ) -> None:
        self._start_(normalized_shape, eps, elementwise_affine)
        self._make_scale_(self.normalized_shape, {"device": device, "dtype": dtype}, weight=elementwise_affine)
        self.reset_parameters()

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)


class GroupNorm(Scaled):
    """Normalization over groups of channels (Wu & He 2018, arXiv:1803.08494).

    Args:
        num_groups: how many groups.
        num_channels: dimension 1 of the input.
        eps: added to the variance.
        affine: whether a scale for each channel is learned, and a shift too unless ``bias`` is False.

    Raises:
        ValueError: the channels do not divide evenly.
    """

    __constants__ = ["num_groups", "num_channels", "eps", "affine"]

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Device = None,
        dtype: DType = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(
                f"GroupNorm: num_channels must be a multiple of num_groups, {num_groups}; found {num_channels}"
            )
        self.__dict__.update(num_groups=num_groups, num_channels=num_channels, eps=eps, affine=affine)
        self._make_scale_(num_channels, {"device": device, "dtype": dtype}, weight=affine, bias=affine and bias)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        sizes = f"{self.num_groups}, {self.num_channels}"
        return f"{sizes}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


class LocalResponseNorm(FunctionModule, function="local_response_norm"):
    """Division by a power of the energy of ``size`` neighbouring channels (Krizhevsky et al. 2012)."""

    __constants__ = ["size", "alpha", "beta", "k"]

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self._set_(size=size, alpha=alpha, beta=beta, k=k)

    def forward(self, input: Tensor) -> Tensor:
        return self._compute_(input)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(Module):
    """Local response normalization across channels (Krizhevsky et al. 2012): x / (k + alpha / size * sum of squares of
    near channels and of the first) ** beta.

    Args:
        size: how many channels count.
        alpha: the weight of their squares.
        beta: the exponent.
        k: added to them.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        """The input, (N, C, H, W), normalized."""
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: the input must be 4-d; found {input.dim()}-d")
        reach = int((self.size + 1) / 2) - 1  # so many channels on either side
        square = input * input
        padded = F.pad(square, (0, 0, 0, 0, reach, reach))
        total = padded.unfold(1, 2 * reach + 1, 1).sum(-1)
        # PyTorch's running sum never drops the first channel: it counts for every later one, and models are trained
        # with that.
        later = rushlight.arange(input.size(1), device=input.device) > reach
        total = total + square[:, :1] * later.to(input.dtype).view(1, -1, 1, 1)
        return input * (self.k + self.alpha / self.size * total) ** -self.beta

    def extra_repr(self) -> str:
        return "{size}, alpha={alpha}, beta={beta}, k={k}".format(**self.__dict__)
