"""Images resampled to another size."""

from __future__ import annotations

from typing import Any

from rushlight import Tensor

from ._functional import FunctionModule

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


class Upsample(FunctionModule, function="interpolate"):
    """Resamples the spatial dimensions to ``size`` or by ``scale_factor``."""

    __constants__ = ["size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor"]

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
        # Integers become floats, one by one when there is one per dimension; 0 is none.
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
