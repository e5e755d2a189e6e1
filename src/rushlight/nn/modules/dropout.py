"""Dropout as modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import rushlight.nn.functional as F
from rushlight import Tensor

from .module import Module

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    __constants__ = ["p", "inplace"]

    _function_: ClassVar[str]  # of nn.functional

    def __init_subclass__(cls, function: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if function:
            cls._function_ = function

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"{type(self).__name__}: p must be a probability, from 0 to 1; found {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return self._dropped_(input)

    def _dropped_(self, input: Tensor, *inplace: bool) -> Tensor:
        function: Callable[..., Tensor] = getattr(F, self._function_)
        return function(input, self.p, self.training, *inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class _InPlaceDropout(_DropoutNd):
    """Of a function that takes `inplace`."""

    def forward(self, input: Tensor) -> Tensor:
        return self._dropped_(input, self.inplace)


class Dropout(_InPlaceDropout, function="dropout"):
    """Zeroes each element with probability ``p`` in training and scales the others by 1/(1-p)."""


class Dropout1d(_InPlaceDropout, function="dropout1d"):
    """Zeroes whole channels of a (N, C, L) or (C, L) input."""


class Dropout2d(_InPlaceDropout, function="dropout2d"):
    """Zeroes whole channels of a (N, C, H, W) input."""


class Dropout3d(_InPlaceDropout, function="dropout3d"):
    """Zeroes whole channels of a (N, C, D, H, W) input."""


class AlphaDropout(_DropoutNd, function="alpha_dropout"):
    """Dropout that keeps mean and variance of a SELU network (Klambauer et al. 2017, arXiv:1706.02515)."""


class FeatureAlphaDropout(_DropoutNd, function="feature_alpha_dropout"):
    """AlphaDropout of whole channels."""
