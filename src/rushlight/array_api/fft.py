"""The standard's extension of Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import rushlight as rl
from rushlight.array_api._arguments import Device, Dtype, array
from rushlight.core.naming import named
from rushlight.core.tensor import Tensor

Norm = Literal["backward", "ortho", "forward"]
OneAxis = Callable[..., Tensor]

_NORMS = ("backward", "ortho", "forward")


def _check(name: str, x: Tensor, norm: str) -> Tensor:
    if norm not in _NORMS:
        raise ValueError(f"{name}(): norm must be 'backward', 'ortho' or 'forward'; found {norm!r}")
    return array(name, "x", x)


def _along_one(name: str, op: Any, doc: str) -> OneAxis:
    """A transform along one axis: n is its length, norm says which direction is scaled."""

    def function(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Tensor:
        return op(_check(name, x, norm), n, axis, norm)

    return named(function, name, doc, module="rushlight.array_api.fft")


def _along_many(name: str, op: Any, doc: str) -> OneAxis:
    """A transform along several axes (None: all of them), whose lengths are s."""

    def function(
        x: Tensor, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
    ) -> Tensor:
        return op(_check(name, x, norm), None if s is None else tuple(s), None if axes is None else tuple(axes), norm)

    return named(function, name, doc, module="rushlight.array_api.fft")


fft = _along_one("fft", rl.fft.fft, "The discrete Fourier transform along an axis.")
ifft = _along_one("ifft", rl.fft.ifft, "The inverse discrete Fourier transform along an axis.")
fftn = _along_many("fftn", rl.fft.fftn, "The discrete Fourier transform along several axes.")
ifftn = _along_many("ifftn", rl.fft.ifftn, "The inverse discrete Fourier transform along several axes.")
rfft = _along_one("rfft", rl.fft.rfft, "The half of a real array's Fourier transform that says all, along an axis.")
irfft = _along_one(
    "irfft", rl.fft.irfft, "The inverse of rfft; n is the length of the real result, 2 (size - 1) for None."
)
rfftn = _along_many(
    "rfftn", rl.fft.rfftn, "The Fourier transform of a real array along several axes, its half along the last."
)
irfftn = _along_many("irfftn", rl.fft.irfftn, "The inverse of rfftn; s are the sizes of the real result.")
hfft = _along_one(
    "hfft",
    rl.fft.hfft,
    "The real Fourier transform of an array with Hermitian symmetry, given its half, along an axis.",
)
ihfft = _along_one(
    "ihfft", rl.fft.ihfft, "The inverse of hfft: the half of a real array's inverse transform that says all."
)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Dtype | None = None, device: Device | None = None) -> Tensor:
    """The frequencies of the elements of a transform of length n, in cycles per unit of the spacing d."""
    return rl.fft.fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Dtype | None = None, device: Device | None = None) -> Tensor:
    """The frequencies of the elements of rfft's result for a real array of length n, in cycles per unit of the spacing
    d.
    """
    return rl.fft.rfftfreq(n, d, dtype=dtype, device=device)


def fftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """x with the frequency 0 moved to the middle of the axes (None: of all axes)."""
    return rl.fft.fftshift(array("fftshift", "x", x), _axes(axes))


def ifftshift(x: Tensor, /, *, axes: int | Sequence[int] | None = None) -> Tensor:
    """The inverse of fftshift."""
    return rl.fft.ifftshift(array("ifftshift", "x", x), _axes(axes))


def _axes(axes: int | Sequence[int] | None) -> int | tuple[int, ...] | None:
    return axes if axes is None or isinstance(axes, int) else tuple(axes)


__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]
