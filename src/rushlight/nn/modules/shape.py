"""Modules that only move elements: flatten, fold, shuffle, pad, upsample."""

from __future__ import annotations

from typing import Any

import rushlight.nn.functional as F
from rushlight import Tensor

from ._sizes import ntuple
from .module import Module


class Flatten(Module):
    """Joins the dimensions from ``start_dim`` to ``end_dim``."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits dimension ``dim`` into ``unflattened_size``.

    Raises:
        TypeError: the size is not a tuple of ints (a tuple of (name, size) pairs where ``dim`` is a name).
    """

    def __init__(self, dim: int | str, unflattened_size: Any) -> None:
        super().__init__()
        if isinstance(dim, int):
            self._require(unflattened_size, int, "ints")
        elif isinstance(dim, str):
            self._require(unflattened_size, tuple, "tuples")
        else:
            raise TypeError("invalid argument type for dim parameter")
        self.dim = dim
        self.unflattened_size = unflattened_size

    @staticmethod
    def _require(value: Any, kind: type, words: str) -> None:
        if not isinstance(value, (tuple, list)):
            raise TypeError(f"unflattened_size must be a tuple of {words}, but found type {type(value).__name__}")
        for i, item in enumerate(value):
            if not isinstance(item, kind):
                raise TypeError(
                    f"unflattened_size must be tuple of {words}, but found element of type "
                    f"{type(item).__name__} at pos {i}"
                )

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)  # type: ignore[arg-type]

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class Fold(Module):
    """Sums sliding blocks, given as columns, into an image: the transpose of Unfold."""

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, "
            f"padding={self.padding}, stride={self.stride}"
        )


class Unfold(Module):
    """Gives the sliding blocks of a (N, C, H, W) input as columns (N, C * block, L)."""

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class ChannelShuffle(Module):
    """Interleaves ``groups`` parts of the channels."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"


class PixelShuffle(Module):
    """(*, C r^2, H, W) to (*, C, H r, W r) with r = ``upscale_factor`` (Shi et al. 2016, arXiv:1609.05158)."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """(*, C, H r, W r) to (*, C r^2, H, W) with r = ``downscale_factor``."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class Upsample(Module):
    """Resamples the spatial dimensions to ``size`` or by ``scale_factor``."""

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor: Any = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        amount = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{amount}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Upsample with ``mode="nearest"``."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Upsample with ``mode="bilinear"`` and aligned corners."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class _PadNd(Module):
    _n: int
    _mode: str

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = ntuple(padding, 2 * self._n)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPadNd(_PadNd):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ZeroPadNd(_ConstantPadNd):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ConstantPad1d(_ConstantPadNd):
    """Pads 1-d data with a constant: amounts before and after, last dimension first."""

    _n = 1


class ConstantPad2d(_ConstantPadNd):
    """Pads 2-d data with a constant: amounts before and after, last dimension first."""

    _n = 2


class ConstantPad3d(_ConstantPadNd):
    """Pads 3-d data with a constant: amounts before and after, last dimension first."""

    _n = 3


class ZeroPad1d(_ZeroPadNd):
    """Pads 1-d data with zeros: amounts before and after, last dimension first."""

    _n = 1


class ZeroPad2d(_ZeroPadNd):
    """Pads 2-d data with zeros: amounts before and after, last dimension first."""

    _n = 2


class ZeroPad3d(_ZeroPadNd):
    """Pads 3-d data with zeros: amounts before and after, last dimension first."""

    _n = 3


class ReflectionPad1d(_PadNd):
    """Pads 1-d data with a mirror image without the edge: amounts before and after, last dimension first."""

    _n = 1
    _mode = "reflect"


class ReflectionPad2d(_PadNd):
    """Pads 2-d data with a mirror image without the edge: amounts before and after, last dimension first."""

    _n = 2
    _mode = "reflect"


class ReflectionPad3d(_PadNd):
    """Pads 3-d data with a mirror image without the edge: amounts before and after, last dimension first."""

    _n = 3
    _mode = "reflect"


class ReplicationPad1d(_PadNd):
    """Pads 1-d data with copies of the edge: amounts before and after, last dimension first."""

    _n = 1
    _mode = "replicate"


class ReplicationPad2d(_PadNd):
    """Pads 2-d data with copies of the edge: amounts before and after, last dimension first."""

    _n = 2
    _mode = "replicate"


class ReplicationPad3d(_PadNd):
    """Pads 3-d data with copies of the edge: amounts before and after, last dimension first."""

    _n = 3
    _mode = "replicate"


class CircularPad1d(_PadNd):
    """Pads 1-d data with the other end: amounts before and after, last dimension first."""

    _n = 1
    _mode = "circular"


class CircularPad2d(_PadNd):
    """Pads 2-d data with the other end: amounts before and after, last dimension first."""

    _n = 2
    _mode = "circular"


class CircularPad3d(_PadNd):
    """Pads 3-d data with the other end: amounts before and after, last dimension first."""

    _n = 3
    _mode = "circular"
