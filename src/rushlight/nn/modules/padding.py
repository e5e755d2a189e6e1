"""Modules that extend data at its borders."""

from __future__ import annotations

from typing import Any

import rushlight.nn.functional as F
from rushlight import Tensor

from ._sizes import ntuple
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


class _ReflectionPadNd(_PadNd):
    _mode_ = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Pads 1-d data with a mirror image without the edge: amounts before and after, last dimension first."""

    _n_ = 1


class ReflectionPad2d(_ReflectionPadNd):
    """Pads 2-d data with a mirror image without the edge: amounts before and after, last dimension first."""

    _n_ = 2


class ReflectionPad3d(_ReflectionPadNd):
    """Pads 3-d data with a mirror image without the edge: amounts before and after, last dimension first."""

    _n_ = 3


class _ReplicationPadNd(_PadNd):
    _mode_ = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Pads 1-d data with copies of the edge: amounts before and after, last dimension first."""

    _n_ = 1


class ReplicationPad2d(_ReplicationPadNd):
    """Pads 2-d data with copies of the edge: amounts before and after, last dimension first."""

    _n_ = 2


class ReplicationPad3d(_ReplicationPadNd):
    """Pads 3-d data with copies of the edge: amounts before and after, last dimension first."""

    _n_ = 3


class _CircularPadNd(_PadNd):
    _mode_ = "circular"


class CircularPad1d(_CircularPadNd):
    """Pads 1-d data with the other end: amounts before and after, last dimension first."""

    _n_ = 1


class CircularPad2d(_CircularPadNd):
    """Pads 2-d data with the other end: amounts before and after, last dimension first."""

    _n_ = 2


class CircularPad3d(_CircularPadNd):
    """Pads 3-d data with the other end: amounts before and after, last dimension first."""

    _n_ = 3
