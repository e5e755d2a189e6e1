"""Channels made rows and columns of an image, and back."""

from __future__ import annotations

from ._functional import Rearranged

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Rearranged, function="pixel_shuffle"):
    """(*, C r^2, H, W) to (*, C, H r, W r) with r = ``upscale_factor`` (Shi et al. 2016, arXiv:1609.05158)."""

    __constants__ = ["upscale_factor"]

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor


class PixelUnshuffle(Rearranged, function="pixel_unshuffle"):
    """(*, C, H r, W r) to (*, C r^2, H, W) with r = ``downscale_factor``."""

    __constants__ = ["downscale_factor"]

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor
