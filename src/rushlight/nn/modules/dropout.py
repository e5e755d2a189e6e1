"""Dropout as modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import rushlight.nn.functional as F
from rushlight import Tensor

from .module import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    __constants__ = ["p", "inplace"]

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"{type(self).__name__}: p must be a probability, from 0 to 1; found {p}")
        self.p, self.inplace = p, inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class _InPlaceDropout(_DropoutNd):
    """Of a function of nn.functional that takes `inplace`."""

    _function_: ClassVar[str]

    def forward(self, input: Tensor) -> Tensor:
        function: Callable[..., Tensor] = getattr(F, self._function_)
        return function(input, self.p, self.training, self.inplace)


class Dropout(_InPlaceDropout):
    """Zeroes each element with probability ``p`` in training and scales the others by 1/(1-p)."""

    _function_ = "dropout"


class Dropout1d(_InPlaceDropout):
    """Zeroes whole channels of a (N, C, L) or (C, L) input."""

    _function_ = "dropout1d"


class Dropout2d(_InPlaceDropout):
    """Zeroes whole channels of a (N, C, H, W) input."""

    _function_ = "dropout2d"


class Dropout3d(_InPlaceDropout):
    """Zeroes whole channels of a (N, C, D, H, W) input."""

    _function_ = "dropout3d"


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance of a SELU network (Klambauer et al. 2017, arXiv:1706.02515)."""

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels."""

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)
