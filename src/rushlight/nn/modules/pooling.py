"""Pooling as modules."""

from __future__ import annotations

from typing import Any, ClassVar

from rushlight import Tensor

from ._functional import FunctionModule
from ._sizes import Sizes, ntuple

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class _Pool(FunctionModule):
    """Pooling of one input; ``_n`` is the number of spatial dimensions, where the arguments depend on it."""

    _n_: ClassVar[int]

    def forward(self, input: Tensor) -> Any:
        return self._compute_(input)


class _MaxPoolNd(_Pool):
    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]

    _shown_ = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        step = kernel_size if stride is None else stride
        self._set_(kernel_size=kernel_size, stride=step, padding=padding, dilation=dilation)
        self._set_(return_indices=return_indices, ceil_mode=ceil_mode)


class _MaxUnpoolNd(_Pool):
    _shown_ = ("kernel_size", "stride", "padding")

    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> None:
        super().__init__()
        given = {"kernel_size": kernel_size, "stride": kernel_size if stride is None else stride, "padding": padding}
        self._set_(**{name: ntuple(value, self._n_) for name, value in given.items()})

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:  # type: ignore[override]
        return self._compute_(input, indices, output_size=output_size)


class _AvgPoolNd(_Pool):
    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]

    _shown_ = ("kernel_size", "stride", "padding")

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self._set_(kernel_size=kernel_size, stride=kernel_size if stride is None else stride, padding=padding)
        self._set_(ceil_mode=ceil_mode, count_include_pad=count_include_pad, divisor_override=divisor_override)


class _LPPoolNd(_Pool):
    __constants__ = ["norm_type", "kernel_size", "stride", "ceil_mode"]

    _shown_ = ("norm_type", "kernel_size", "stride", "ceil_mode")

    def __init__(
        self, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self._set_(norm_type=norm_type, kernel_size=kernel_size, stride=stride, ceil_mode=ceil_mode)


class _AdaptivePoolNd(_Pool):
    _shown_ = ("output_size",)

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size


class _AdaptiveAvgPoolNd(_AdaptivePoolNd):
    __constants__ = ["output_size"]


class _AdaptiveMaxPoolNd(_AdaptivePoolNd):
    __constants__ = ["output_size", "return_indices"]

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices


class _FractionalMaxPoolNd(_Pool):
    def __init__(
        self,
        kernel_size: Sizes,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        given = {"output_size": output_size, "output_ratio": output_ratio}
        sizes = {name: None if value is None else ntuple(value, self._n_) for name, value in given.items()}
        if list(sizes.values()).count(None) != 1:
            raise ValueError(
                f"{type(self).__name__}: either output_size or output_ratio must be given; found "
                f"output_size={output_size} "
                f"and output_ratio={output_ratio}"
            )
        if not all(0 < ratio < 1 for ratio in sizes["output_ratio"] or ()):
            raise ValueError(f"{type(self).__name__}: output_ratio must lie between 0 and 1; found {output_ratio}")
        self._set_(kernel_size=ntuple(kernel_size, self._n_), return_indices=return_indices, **sizes)
        self.register_buffer("_random_samples", _random_samples)


class MaxPool1d(_MaxPoolNd, function="max_pool1d"):
    """The maximum of each window of a (N, C, L) or (C, L) input; with its place if ``return_indices``."""


class MaxPool2d(_MaxPoolNd, function="max_pool2d"):
    """The maximum of each window of a (N, C, H, W) or (C, H, W) input; with its place if ``return_indices``."""


class MaxPool3d(_MaxPoolNd, function="max_pool3d"):
    """The maximum of each window of a (N, C, D, H, W) or (C, D, H, W) input; with its place if ``return_indices``."""


class MaxUnpool1d(_MaxUnpoolNd, function="max_unpool1d"):
    """Puts the maxima of MaxPool1d back in their places, zeros elsewhere."""

    _n_ = 1


class MaxUnpool2d(_MaxUnpoolNd, function="max_unpool2d"):
    """Puts the maxima of MaxPool2d back in their places, zeros elsewhere."""

    _n_ = 2


class MaxUnpool3d(_MaxUnpoolNd, function="max_unpool3d"):
    """Puts the maxima of MaxPool3d back in their places, zeros elsewhere."""

    _n_ = 3


class AvgPool1d(_AvgPoolNd, function="avg_pool1d"):
    """The mean of each window of a (N, C, L) or (C, L) input."""

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        size, step, edge = (ntuple(x, 1) for x in (kernel_size, kernel_size if stride is None else stride, padding))
        super().__init__(size, step, edge, ceil_mode, count_include_pad)


class AvgPool2d(_AvgPoolNd, function="avg_pool2d"):
    """The mean of each window of a (N, C, H, W) or (C, H, W) input."""

    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"]


class AvgPool3d(_AvgPoolNd, function="avg_pool3d"):
    """The mean of each window of a (N, C, D, H, W) or (C, D, H, W) input."""

    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override"]


class LPPool1d(_LPPoolNd, function="lp_pool1d"):
    """The p-norm of each window, p = ``norm_type``."""


class LPPool2d(_LPPoolNd, function="lp_pool2d"):
    """The p-norm of each window, p = ``norm_type``."""


class LPPool3d(_LPPoolNd, function="lp_pool3d"):
    """The p-norm of each window, p = ``norm_type``."""


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd, function="adaptive_max_pool1d"):
    """The maximum of windows chosen to give ``output_size``."""


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd, function="adaptive_max_pool2d"):
    """The maximum of windows chosen to give ``output_size``."""


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd, function="adaptive_max_pool3d"):
    """The maximum of windows chosen to give ``output_size``."""


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd, function="adaptive_avg_pool1d"):
    """The mean of windows chosen to give ``output_size``."""


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd, function="adaptive_avg_pool2d"):
    """The mean of windows chosen to give ``output_size``."""


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd, function="adaptive_avg_pool3d"):
    """The mean of windows chosen to give ``output_size``."""


class FractionalMaxPool2d(_FractionalMaxPoolNd, function="fractional_max_pool2d"):
    """The maximum of windows of random size (Graham 2014, arXiv:1412.6071)."""

    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]

    _n_ = 2


class FractionalMaxPool3d(_FractionalMaxPoolNd, function="fractional_max_pool3d"):
    """The maximum of windows of random size (Graham 2014, arXiv:1412.6071)."""

    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]

    _n_ = 3
