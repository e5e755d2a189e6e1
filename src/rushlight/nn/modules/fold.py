"""Sliding blocks of an image as columns, and back."""

from __future__ import annotations

from ._functional import Rearranged
from ._sizes import Sizes

__all__ = ["Fold", "Unfold"]


class Fold(Rearranged, function="fold"):
    """Sums sliding blocks, given as columns, into an image: the transpose of Unfold."""

    __constants__ = ["output_size", "kernel_size", "dilation", "padding", "stride"]

    def __init__(
        self, output_size: Sizes, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
    ) -> None:
        super().__init__()
        self._set_(output_size=output_size, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)


class Unfold(Rearranged, function="unfold"):
    """Gives the sliding blocks of a (N, C, H, W) input as columns (N, C * block, L)."""

    __constants__ = ["kernel_size", "dilation", "padding", "stride"]

    def __init__(self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1) -> None:
        super().__init__()
        self._set_(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
