"""Modules that only move elements: flatten, fold, shuffle, pad, upsample."""

from __future__ import annotations

from typing import Any

import rushlight.nn.functional as F
from rushlight import Tensor

from ._functional import FunctionModule
from ._sizes import ntuple
from .module import Module


class Flatten(FunctionModule):
    """Joins the dimensions from ``start_dim`` to ``end_dim``."""

    __constants__ = ["start_dim", "end_dim"]

    _shown_ = ("start_dim", "end_dim")

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self._set_(start_dim=start_dim, end_dim=end_dim)

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)


class Unflatten(FunctionModule):
    """Splits dimension ``dim`` into ``unflattened_size``.

    Raises:
        TypeError: the size is not a tuple of ints (a tuple of (name, size) pairs where ``dim`` is a name).
    """

    __constants__ = ["dim", "unflattened_size"]

    _shown_ = ("dim", "unflattened_size")

    def __init__(self, dim: int | str, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(dim, (int, str)):
            raise TypeError(f"Unflatten: dim must be an int or a name, got {type(dim).__name__}")
        item = int if isinstance(dim, int) else tuple
        sizes = unflattened_size if isinstance(unflattened_size, (tuple, list)) else (unflattened_size,)
        wrong = next((size for size in sizes if not isinstance(size, item)), None)
        if wrong is not None or sizes is not unflattened_size:
            found = unflattened_size if wrong is None else wrong
            raise TypeError(
                f"Unflatten: unflattened_size must be a tuple of {item.__name__}s for dim={dim!r}, found {found!r} "
                f"({type(found).__name__})"
            )
        self._set_(dim=dim, unflattened_size=unflattened_size)

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)  # type: ignore[arg-type]


class _Rearranged(FunctionModule):
    """A function of one input that moves elements, with all its options shown."""

    def __init_subclass__(cls) -> None:
        cls._shown_ = cls._options_

    def forward(self, input: Tensor) -> Tensor:
        return self._compute_(input)


class Fold(_Rearranged):
    """Sums sliding blocks, given as columns, into an image: the transpose of Unfold."""

    __constants__ = ["output_size", "kernel_size", "dilation", "padding", "stride"]

    _function_ = "fold"
    _options_ = ("output_size", "kernel_size", "dilation", "padding", "stride")

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self._set_(output_size=output_size, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)


class Unfold(_Rearranged):
    """Gives the sliding blocks of a (N, C, H, W) input as columns (N, C * block, L)."""

    __constants__ = ["kernel_size", "dilation", "padding", "stride"]

    _function_ = "unfold"
    _options_ = ("kernel_size", "dilation", "padding", "stride")

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self._set_(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)


class ChannelShuffle(_Rearranged):
    """Interleaves ``groups`` parts of the channels."""

    __constants__ = ["groups"]

    _function_ = "channel_shuffle"
    _options_ = ("groups",)

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups


class PixelShuffle(_Rearranged):
    """(*, C r^2, H, W) to (*, C, H r, W r) with r = ``upscale_factor`` (Shi et al. 2016, arXiv:1609.05158)."""

    __constants__ = ["upscale_factor"]

    _function_ = "pixel_shuffle"
    _options_ = ("upscale_factor",)

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor


class PixelUnshuffle(_Rearranged):
    """(*, C, H r, W r) to (*, C r^2, H, W) with r = ``downscale_factor``."""

    __constants__ = ["downscale_factor"]

    _function_ = "pixel_unshuffle"
    _options_ = ("downscale_factor",)

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor


class Upsample(FunctionModule):
    """Resamples the spatial dimensions to ``size`` or by ``scale_factor``."""

    __constants__ = ["size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor"]

    _function_ = "interpolate"
    _options_ = ("size", "scale_factor", "mode", "align_corners", "recompute_scale_factor")

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self._set_(name=type(self).__name__, size=size, mode=mode, align_corners=align_corners)
        self.recompute_scale_factor = recompute_scale_factor
        # Integers become floats, one by one when there is one a dimension; 0 is none.
        several = isinstance(scale_factor, tuple)
        self.scale_factor: Any = tuple(map(float, scale_factor)) if several else float(scale_factor or 0) or None

    def forward(self, input: Tensor) -> Tensor:
        return self._compute_(input)

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
    _n_: int
    _mode_: str

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = ntuple(padding, 2 * self._n_)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode_)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPadNd(_PadNd):
    __constants__ = ["padding", "value"]

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

    _n_ = 1


class ConstantPad2d(_ConstantPadNd):
    """Pads 2-d data with a constant: amounts before and after, last dimension first."""

    __constants__ = ["padding", "value"]

    _n_ = 2


class ConstantPad3d(_ConstantPadNd):
    """Pads 3-d data with a constant: amounts before and after, last dimension first."""

    _n_ = 3


class ZeroPad1d(_ZeroPadNd):
    """Pads 1-d data with zeros: amounts before and after, last dimension first."""

    _n_ = 1


class ZeroPad2d(_ZeroPadNd):
    """Pads 2-d data with zeros: amounts before and after, last dimension first."""

    _n_ = 2


class ZeroPad3d(_ZeroPadNd):
    """Pads 3-d data with zeros: amounts before and after, last dimension first."""

    _n_ = 3


class ReflectionPad1d(_PadNd):
    """Pads 1-d data with a mirror image without the edge: amounts before and after, last dimension first."""

    __constants__ = ["padding"]

    _n_ = 1
    _mode_ = "reflect"


class ReflectionPad2d(_PadNd):
    """Pads 2-d data with a mirror image without the edge: amounts before and after, last dimension first."""

    __constants__ = ["padding"]

    _n_ = 2
    _mode_ = "reflect"


class ReflectionPad3d(_PadNd):
    """Pads 3-d data with a mirror image without the edge: amounts before and after, last dimension first."""

    __constants__ = ["padding"]

    _n_ = 3
    _mode_ = "reflect"


class ReplicationPad1d(_PadNd):
    """Pads 1-d data with copies of the edge: amounts before and after, last dimension first."""

    __constants__ = ["padding"]

    _n_ = 1
    _mode_ = "replicate"


class ReplicationPad2d(_PadNd):
    """Pads 2-d data with copies of the edge: amounts before and after, last dimension first."""

    __constants__ = ["padding"]

    _n_ = 2
    _mode_ = "replicate"


class ReplicationPad3d(_PadNd):
    """Pads 3-d data with copies of the edge: amounts before and after, last dimension first."""

    __constants__ = ["padding"]

    _n_ = 3
    _mode_ = "replicate"


class CircularPad1d(_PadNd):
    """Pads 1-d data with the other end: amounts before and after, last dimension first."""

    __constants__ = ["padding"]

    _n_ = 1
    _mode_ = "circular"


class CircularPad2d(_PadNd):
    """Pads 2-d data with the other end: amounts before and after, last dimension first."""

    __constants__ = ["padding"]

    _n_ = 2
    _mode_ = "circular"


class CircularPad3d(_PadNd):
    """Pads 3-d data with the other end: amounts before and after, last dimension first."""

    __constants__ = ["padding"]

    _n_ = 3
    _mode_ = "circular"
