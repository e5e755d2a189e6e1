"""Convolutions as modules."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.core.checks import check_that
from rushlight.core.warning import warn
from rushlight.nn import init
from rushlight.nn.parameter import Parameter
from rushlight.operators.table.types import Device, DType

from ._sizes import Sizes, ntuple
from .module import Module, shown

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    __constants__ = [
        "stride",
        "padding",
        "dilation",
        "groups",
        "padding_mode",
        "output_padding",
        "in_channels",
        "out_channels",
        "kernel_size",
    ]

    _n_: int
    _named_: str  # as its functions of nn.functional are, apart from the number of dimensions
    _function_: str
    _transposed_ = False
    padding_mode = "zeros"  # for modules that were pickled before other modes existed

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "_n_" in cls.__dict__:
            cls._function_ = f"{cls._named_}{cls._n_}d"

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Device = None,
        dtype: DType = None,
    ) -> None:
        super().__init__()
        self._check_(in_channels, out_channels, stride, padding, groups, padding_mode)
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation, self.output_padding = (
            ntuple(value, self._n_) for value in (kernel_size, stride, dilation, 0)
        )
        self.padding: Any = padding if isinstance(padding, str) else ntuple(padding, self._n_)
        self.padding_mode = padding_mode
        self.transposed = self._transposed_
        self._reversed_padding_repeated_twice = self._pad_amounts_()
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        self.weight: Any = Parameter(rushlight.empty(self._weight_shape_(), **place))
        self.register_parameter("bias", Parameter(rushlight.empty(out_channels, **place)) if bias else None)
        self.reset_parameters()

    def _check_(
        self, in_channels: int, out_channels: int, stride: Sizes, padding: Sizes | str, groups: int, padding_mode: str
    ) -> None:
        """ValueError, in the terms of the constructor, for arguments that fit no convolution."""
        many = any(step != 1 for step in ntuple(stride, self._n_))
        for argument, found, valid, expected in (
            ("groups", groups, groups > 0, "positive"),
            ("in_channels", in_channels, groups > 0 and in_channels % groups == 0, f"a multiple of groups, {groups}"),
            (
                "out_channels",
                out_channels,
                groups > 0 and out_channels % groups == 0,
                f"a multiple of groups, {groups}",
            ),
            (
                "padding",
                padding,
                padding in ("same", "valid") or not isinstance(padding, str),
                "'same', 'valid' or sizes",
            ),
            ("stride", stride, not (many and padding == "same"), "1 with padding='same'"),
            ("padding_mode", padding_mode, padding_mode in _PADDING_MODES, f"one of {_PADDING_MODES}"),
        ):
            if not valid:
                raise ValueError(f"{type(self).__name__}: {argument} must be {expected}; found {found!r}")

    def _weight_shape_(self) -> tuple[int, ...]:
        ends = (self.out_channels, self.in_channels)
        first, second = reversed(ends) if self.transposed else ends
        return (first, second // self.groups, *self.kernel_size)

    def _pad_amounts_(self) -> list[int]:
        """The amounts for F.pad: last dimension first, left then right."""
        if not isinstance(self.padding, str):
            return [p for p in reversed(self.padding) for _ in range(2)]
        if self.padding == "valid":
            return [0, 0] * self._n_
        amounts: list[int] = []
        for d, k in zip(reversed(self.dilation), reversed(self.kernel_size), strict=True):
            total = d * (k - 1)
            amounts += [total // 2, total - total // 2]
        return amounts

    def reset_parameters(self) -> None:
        """Draw weight and bias from uniform(-1/sqrt(fan_in), 1/sqrt(fan_in))."""
        fan_in = math.prod(self.weight.shape[1:])
        if not fan_in:
            warn(f"{type(self).__name__}: the weight of shape {tuple(self.weight.shape)} has no values to set")
        else:
            init.kaiming_uniform_(self.weight, a=math.sqrt(5))
            if self.bias is not None:
                init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def _weight_and_bias_(self) -> tuple[Any, Any]:
        # As in Linear: the table is quicker than __getattr__.
        params = self._parameters
        try:
            return params["weight"], params["bias"]
        except KeyError:
            return self.weight, self.bias

    def extra_repr(self) -> str:
        n = self._n_
        return shown(
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}",
            ("padding", self.padding, (0,) * n),
            ("dilation", self.dilation, (1,) * n),
            ("output_padding", self.output_padding, (0,) * n),
            ("groups", self.groups, 1),
            ("bias", self.bias is not None, True),
            ("padding_mode", self.padding_mode, "zeros"),
        )


class _Conv(_ConvNd):
    """Convolutions that are not transposed."""

    _named_ = "conv"

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._reversed_padding_repeated_twice, self.padding_mode), 0
        convolution: Callable[..., Tensor] = getattr(F, self._function_)
        return convolution(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, *self._weight_and_bias_())


class Conv1d(_Conv):
    """A 1-d convolution (cross-correlation) of a (N, C, L) or (C, L) input.

    Args:
        in_channels: channels of the input (C above).
        out_channels: channels of the output.
        kernel_size: one size, or one for each spatial dimension; so too the three that follow.
        stride: the step of the kernel.
        padding: zeros (or what ``padding_mode`` says) put on both sides, or ``"same"`` or ``"valid"``.
        dilation: the distance between the kernel's elements.
        groups: into how many parts, convolved separately, the channels are divided.
        bias: whether a bias is learned.
        padding_mode: ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``.

    Raises:
        ValueError: channels are not divisible by groups, or padding is not understood.
    """

    _n_ = 1


class Conv2d(_Conv):
    """A 2-d convolution (cross-correlation) of a (N, C, H, W) or (C, H, W) input; arguments and errors as Conv1d."""

    _n_ = 2


class Conv3d(_Conv):
    """A 3-d convolution (cross-correlation) of a (N, C, D, H, W) or (C, D, H, W) input; arguments and errors as
    Conv1d.
    """

    _n_ = 3


class _ConvTransposeNd(_ConvNd):
    _named_ = "conv_transpose"
    _transposed_ = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: Device = None,
        dtype: DType = None,
    ) -> None:
        name = type(self).__name__
        check_that(padding_mode == "zeros", name, "padding_mode", "be 'zeros'", repr(padding_mode), ValueError)
        check_that(not isinstance(padding, str), name, "padding", "be given as sizes", lambda: repr(padding), TypeError)
        place: dict[str, Any] = {"device": device, "dtype": dtype}
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, **place)
        self.output_padding = ntuple(output_padding, self._n_)

    def _output_padding(self, input: Tensor, output_size: Any) -> tuple[int, ...]:
        """The output padding that gives ``output_size``: with a stride, several sizes have the same input."""
        if output_size is None:
            return self.output_padding
        n = self._n_
        given = tuple(output_size)
        sizes = given[-n:] if len(given) == input.dim() else given
        if len(sizes) != n:
            raise ValueError(
                f"{type(self).__name__}: output_size must have {n} or, for this input, {input.dim()} sizes; "
                f"found {given}"
            )
        extra: list[int] = []
        for i, (size, at, step) in enumerate(zip(sizes, input.shape[-n:], self.stride)):
            reach = self.dilation[i] * (self.kernel_size[i] - 1)
            spare = size - ((at - 1) * step - 2 * self.padding[i] + reach + 1)
            if not 0 <= spare < step:
                raise ValueError(
                    f"{type(self).__name__}: output_size must be from {size - spare} to {size - spare + step - 1} in "
                    f"spatial dimension {i}, for an input of size {at} there; found {size}"
                )
            extra.append(spare)
        return tuple(extra)

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        extra = self._output_padding(input, output_size)
        weight, bias = self._weight_and_bias_()
        transposed: Callable[..., Tensor] = getattr(F, self._function_)
        return transposed(input, weight, bias, self.stride, self.padding, extra, self.groups, self.dilation)


class _ConvTransposeMixin(_ConvTransposeNd):
    """The older name of the base class of transposed convolutions."""


class ConvTranspose1d(_ConvTransposeNd):
    """A transposed 1-d convolution: what the gradient of Conv1d does to its output's."""

    _n_ = 1


class ConvTranspose2d(_ConvTransposeNd):
    """A transposed 2-d convolution: what the gradient of Conv2d does to its output's."""

    _n_ = 2


class ConvTranspose3d(_ConvTransposeNd):
    """A transposed 3-d convolution: what the gradient of Conv3d does to its output's."""

    _n_ = 3
