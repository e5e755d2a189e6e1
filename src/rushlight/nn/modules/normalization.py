"""Normalization as modules: batch, instance, layer, group, RMS, local response."""

from __future__ import annotations

import numbers
from typing import Any

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.core.warning import warn
from rushlight.nn import init
from rushlight.nn.parameter import Parameter

from ._functional import FunctionModule
from .module import Module


class _Scaled(Module):
    """What normalizations share: a scale, ``weight``, and a shift, ``bias``, each of them learned or None."""

    weight: Any
    bias: Any

    def _make_scale_(self, shape: Any, place: dict[str, Any], **learned: bool) -> None:
        """Register weight and bias, or the one of them that is named."""
        for name, wanted in learned.items():
            self.register_parameter(name, Parameter(rushlight.empty(shape, **place)) if wanted else None)

    def reset_parameters(self) -> None:
        """Set the weight to one and the bias to zero, where they are learned."""
        for name, fill in (("weight", init.ones_), ("bias", init.zeros_)):
            if getattr(self, name, None) is not None:
                fill(getattr(self, name))


class _NormBase(_Scaled):
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]

    _version = 2
    _ranks_: tuple[int, ...]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        # Plain values are written at once: __setattr__ would look each of them up among the parts.
        self.__dict__.update(num_features=num_features, eps=eps, momentum=momentum)
        self.__dict__.update(affine=affine, track_running_stats=track_running_stats)
        place = {"device": device, "dtype": dtype}
        self._make_scale_(num_features, place, weight=affine, bias=affine and bias)
        first: dict[str, Any] = {
            "running_mean": lambda: rushlight.zeros(num_features, **place),
            "running_var": lambda: rushlight.ones(num_features, **place),
            "num_batches_tracked": lambda: rushlight.tensor(0, dtype=rushlight.long, device=device),
        }
        for name, make in first.items():
            self.register_buffer(name, make() if track_running_stats else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget the batches seen."""
        if self.track_running_stats:
            for name, start in (("running_mean", 0), ("running_var", 1), ("num_batches_tracked", 0)):
                running = getattr(self, name)
                running.fill_(start) if start else running.zero_()

    def reset_parameters(self) -> None:
        """Forget the batches seen and set weight to one and bias to zero."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in self._ranks_:
            expected = " or ".join(f"{rank}-d" for rank in self._ranks_)
            raise ValueError(f"{type(self).__name__}: the input must be {expected}, got {input.dim()}-d")

    def _channel_dim_(self, input: Tensor) -> int:
        """Which dimension of the input is C."""
        return 1

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], *rest: Any, **named: Any
    ) -> None:
        key = prefix + "num_batches_tracked"
        # The count came with version 2; an older checkpoint keeps the one here.
        if self.track_running_stats and (local_metadata.get("version") or 1) < 2 and key not in state_dict:
            count = self.num_batches_tracked
            state_dict[key] = rushlight.tensor(0, dtype=rushlight.long) if count is None else count
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest, **named)


class _BatchNorm(_NormBase):
    _is_batch_norm_ = True  # for func.replace_all_batch_norm_modules_, which lies below the layers

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        mean, var, momentum = self.running_mean, self.running_var, self.momentum
        if self.training:
            if not self.track_running_stats:
                mean = var = None
            elif self.num_batches_tracked is not None:
                self.num_batches_tracked.add_(1)
                if momentum is None:  # a plain average over all batches
                    momentum = 1.0 / float(self.num_batches_tracked)
        by_batch = self.training or mean is None and var is None
        return F.batch_norm(input, mean, var, self.weight, self.bias, by_batch, momentum or 0.0, self.eps)


class BatchNorm1d(_BatchNorm):
    """Batch normalization of a (N, C) or (N, C, L) input (Ioffe & Szegedy 2015, arXiv:1502.03167).

    Args:
        num_features: C.
        eps: added to the variance.
        momentum: the weight of the newest batch in the running statistics; None averages all batches.
        affine: whether a scale is learned, and a shift too unless ``bias`` is False.
        track_running_stats: whether running statistics are kept and used in evaluation.
    """

    _ranks_ = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalization of a (N, C, H, W) input; arguments as BatchNorm1d."""

    _ranks_ = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalization of a (N, C, D, H, W) input; arguments as BatchNorm1d."""

    _ranks_ = (5,)


class _InstanceNorm(_NormBase):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _channel_dim_(self, input: Tensor) -> int:
        return int(input.dim() == self._ranks_[1])  # without a batch it comes first

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        batched = self._channel_dim_(input) == 1
        channels = input.size(self._channel_dim_(input))
        if channels != self.num_features and self.affine:
            raise ValueError(
                f"{type(self).__name__}: the input must have {self.num_features} channels (num_features), got "
                f"{channels}"
            )
        if channels != self.num_features:
            warn(
                f"{type(self).__name__}: the input has {channels} channels, num_features is {self.num_features}; "
                "nothing "
                "depends on it while affine=False"
            )
        stats = (self.running_mean, self.running_var)
        scale = (self.weight, self.bias)
        by_input = self.training or not self.track_running_stats
        batch = input if batched else input[None]
        output = F.instance_norm(batch, *stats, *scale, by_input, self.momentum or 0.0, self.eps)
        return output if batched else output[0]


class InstanceNorm1d(_InstanceNorm):
    """Normalization over L of a (N, C, L) or (C, L) input (Ulyanov et al. 2016, arXiv:1607.08022)."""

    _ranks_ = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalization over H, W of a (N, C, H, W) or (C, H, W) input."""

    _ranks_ = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalization over D, H, W of a (N, C, D, H, W) or (C, D, H, W) input."""

    _ranks_ = (4, 5)


class _ShapedNorm(_Scaled):
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
        device: Any = None,
        dtype: Any = None,
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
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        self._start_(normalized_shape, eps, elementwise_affine)
        self._make_scale_(self.normalized_shape, {"device": device, "dtype": dtype}, weight=elementwise_affine)
        self.reset_parameters()

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)


class GroupNorm(_Scaled):
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
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(
                f"GroupNorm: num_channels must be a multiple of num_groups, {num_groups}; got {num_channels}"
            )
        self.__dict__.update(num_groups=num_groups, num_channels=num_channels, eps=eps, affine=affine)
        self._make_scale_(num_channels, {"device": device, "dtype": dtype}, weight=affine, bias=affine and bias)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        sizes = f"{self.num_groups}, {self.num_channels}"
        return f"{sizes}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


class LocalResponseNorm(FunctionModule):
    """Division by a power of the energy of ``size`` neighbouring channels (Krizhevsky et al. 2012)."""

    __constants__ = ["size", "alpha", "beta", "k"]

    _function_ = "local_response_norm"
    _options_ = ("size", "alpha", "beta", "k")

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self._set_(size=size, alpha=alpha, beta=beta, k=k)

    def forward(self, input: Tensor) -> Tensor:
        return self._compute_(input)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
