"""Modules that extend data at its borders."""

from __future__ import annotations

from typing import Any

import rushlight.nn.functional as F
from rushlight import Tensor

from ._sizes import Sizes, ntuple
from .module import Module

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _PadNd(Module):
    __constants__ = ["padding"]

    _n_: int
    _mode_: str

    def __init_subclass__(cls, n: int | None = None, mode: str | None = None, fill: str = "", **others: Any) -> None:
        """n: of how many dimensions; mode: that of `F.pad`; fill: what the docstring says that is padded with."""
        super().__init_subclass__(**others)
        if mode is not None:
            cls._mode_, cls.__doc__ = (
                mode,
                f"Pads {{n}}-d data with {fill}: amounts before and after, last dimension first.",
            )
        if n is not None:
            cls._n_, cls.__doc__ = n, (cls.__base__.__doc__ or "").format(n=n)

    def __init__(self, padding: Sizes) -> None:
        super().__init__()
        self.padding = ntuple(padding, 2 * self._n_)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode_)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPadNd(_PadNd, mode="constant", fill="a constant"):
    __constants__ = ["padding", "value"]

    def __init__(self, padding: Sizes, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ZeroPadNd(_ConstantPadNd, mode="constant", fill="zeros"):
    def __init__(self, padding: Sizes) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ConstantPad1d(_ConstantPadNd, n=1): ...


class ConstantPad2d(_ConstantPadNd, n=2): ...


class ConstantPad3d(_ConstantPadNd, n=3): ...


class ZeroPad1d(_ZeroPadNd, n=1): ...


class ZeroPad2d(_ZeroPadNd, n=2): ...


class ZeroPad3d(_ZeroPadNd, n=3): ...


class _ReflectionPadNd(_PadNd, mode="reflect", fill="a mirror image without the edge"): ...


class ReflectionPad1d(_ReflectionPadNd, n=1): ...


class ReflectionPad2d(_ReflectionPadNd, n=2): ...


class ReflectionPad3d(_ReflectionPadNd, n=3): ...


class _ReplicationPadNd(_PadNd, mode="replicate", fill="copies of the edge"): ...


class ReplicationPad1d(_ReplicationPadNd, n=1): ...


class ReplicationPad2d(_ReplicationPadNd, n=2): ...


class ReplicationPad3d(_ReplicationPadNd, n=3): ...


class _CircularPadNd(_PadNd, mode="circular", fill="the other end"): ...


class CircularPad1d(_CircularPadNd, n=1): ...


class CircularPad2d(_CircularPadNd, n=2): ...


class CircularPad3d(_CircularPadNd, n=3): ...
