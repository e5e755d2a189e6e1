"""Convolutions as modules."""

from __future__ import annotations

import math
from typing import Any

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.nn import init
from rushlight.nn.parameter import Parameter

from ._sizes import ntuple
from .module import Module

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    _n: int
    _transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
        *,
        output_padding: Any = 0,
    ) -> None:
        super().__init__()
        n = self._n
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
            if padding == "same" and any(s != 1 for s in ntuple(stride, n)):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in _PADDING_MODES:
            raise ValueError(f"padding_mode must be one of {_PADDING_MODES}, but got padding_mode='{padding_mode}'")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = ntuple(kernel_size, n)
        self.stride = ntuple(stride, n)
        self.padding = padding if isinstance(padding, str) else ntuple(padding, n)
        self.dilation = ntuple(dilation, n)
        self.transposed = self._transposed
        self.output_padding = ntuple(output_padding, n)
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = self._pad_amounts()
        channels = (in_channels, out_channels // groups) if self.transposed else (out_channels, in_channels // groups)
        self.weight = Parameter(rushlight.empty((*channels, *self.kernel_size), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(rushlight.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _pad_amounts(self) -> list[int]:
        """The amounts for F.pad: last dimension first, left then right."""
        if not isinstance(self.padding, str):
            return [p for p in reversed(self.padding) for _ in range(2)]
        if self.padding == "valid":
            return [0, 0] * self._n
        amounts: list[int] = []
        for d, k in zip(reversed(self.dilation), reversed(self.kernel_size), strict=True):
            total = d * (k - 1)
            amounts += [total // 2, total - total // 2]
        return amounts

    def reset_parameters(self) -> None:
        """Draw weight and bias from uniform(-1/sqrt(fan_in), 1/sqrt(fan_in))."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def _weight_and_bias(self) -> tuple[Any, Any]:
        # As in Linear: the table is quicker than __getattr__.
        params = self._parameters
        try:
            return params["weight"], params["bias"]
        except KeyError:
            return self.weight, self.bias

    def extra_repr(self) -> str:
        parts = [
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}",
        ]
        n = self._n
        if self.padding != (0,) * n:
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * n:
            parts.append(f"dilation={self.dilation}")
        if self.output_padding != (0,) * n:
            parts.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)

    def __setstate__(self, values: dict[str, Any]) -> None:
        super().__setstate__(values)
        if not hasattr(self, "padding_mode"):
            self.padding_mode = "zeros"


class Conv1d(_ConvNd):
    """A 1-d convolution (cross-correlation) of a (N, C, L) or (C, L) input.

    Args:
        in_channels: C.
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

    _n = 1

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode == "zeros":
            return F.conv1d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
        input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
        return F.conv1d(input, weight, bias, self.stride, (0,) * 1, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        weight, bias = self._weight_and_bias()
        return self._conv_forward(input, weight, bias)


class Conv2d(_ConvNd):
    """A 2-d convolution (cross-correlation) of a (N, C, H, W) or (C, H, W) input.

    Args:
        in_channels: C.
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

    _n = 2

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode == "zeros":
            return F.conv2d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
        input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
        return F.conv2d(input, weight, bias, self.stride, (0,) * 2, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        weight, bias = self._weight_and_bias()
        return self._conv_forward(input, weight, bias)


class Conv3d(_ConvNd):
    """A 3-d convolution (cross-correlation) of a (N, C, D, H, W) or (C, D, H, W) input.

    Args:
        in_channels: C.
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

    _n = 3

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode == "zeros":
            return F.conv3d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
        input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
        return F.conv3d(input, weight, bias, self.stride, (0,) * 3, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        weight, bias = self._weight_and_bias()
        return self._conv_forward(input, weight, bias)


class _ConvTransposeNd(_ConvNd):
    _transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        name = type(self).__name__
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {name}, got "{padding_mode}"')
        if isinstance(padding, str):
            raise TypeError(f"{name}: padding must be an int or a tuple of ints, got {padding!r}")
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
            output_padding=output_padding,
        )

    def _output_padding(self, input: Tensor, output_size: Any) -> Any:
        """The output padding that gives ``output_size``: with a stride, several sizes have the same input."""
        if output_size is None:
            return self.output_padding
        n = self._n
        sizes = list(output_size)
        if len(sizes) == input.dim():
            sizes = sizes[-n:]
        if len(sizes) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or {input.dim()} elements "
                f"(got {len(output_size)})"
            )
        extra: list[int] = []
        for i, size in enumerate(sizes):
            least = (
                (input.size(i - n) - 1) * self.stride[i]
                - 2 * self.padding[i]
                + self.dilation[i] * (self.kernel_size[i] - 1)
                + 1
            )
            most = least + self.stride[i] - 1
            if not least <= size <= most:
                raise ValueError(
                    f"requested an output size of {sizes[i]} in dimension {i}, but valid sizes range from {least} "
                    f"to {most} (for an input of {tuple(input.size()[-n:])})"
                )
            extra.append(size - least)
        return tuple(extra)


class ConvTranspose1d(_ConvTransposeNd):
    """A transposed 1-d convolution: the gradient of Conv1d with respect to its input."""

    _n = 1

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        extra = self._output_padding(input, output_size)
        weight, bias = self._weight_and_bias()
        return F.conv_transpose1d(input, weight, bias, self.stride, self.padding, extra, self.groups, self.dilation)


class ConvTranspose2d(_ConvTransposeNd):
    """A transposed 2-d convolution: the gradient of Conv2d with respect to its input."""

    _n = 2

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        extra = self._output_padding(input, output_size)
        weight, bias = self._weight_and_bias()
        return F.conv_transpose2d(input, weight, bias, self.stride, self.padding, extra, self.groups, self.dilation)


class ConvTranspose3d(_ConvTransposeNd):
    """A transposed 3-d convolution: the gradient of Conv3d with respect to its input."""

    _n = 3

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        extra = self._output_padding(input, output_size)
        weight, bias = self._weight_and_bias()
        return F.conv_transpose3d(input, weight, bias, self.stride, self.padding, extra, self.groups, self.dilation)
