# Made by `python tools/stubs.py` from the operator table; do not edit.
# ruff: noqa
from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from builtins import type as _type
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Self, TypeAlias, overload

from rushlight import return_types as _return_types
from rushlight.core.dtypes import dtype as _dtype
from rushlight.core.dtypes import layout as _layout
from rushlight.core.dtypes import memory_format as _memory_format
from rushlight.core.tensor import Size, Tensor
from rushlight.core.tensor import device as _device
from rushlight.operators.random.generators import Generator as _Generator

_Number: TypeAlias = _complex  # int, float and bool are taken for a complex

def dct(
    x: Tensor, type: _int = 2, n: _int | None = None, axis: _int = -1, norm: _str | None = None,
    overwrite_x: _bool = False, workers: Any = None, orthogonalize: _bool | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The discrete cosine transform along one dimension."""

def dctn(
    x: Tensor, type: _int = 2, s: _int | Sequence[_int] | None = None, axes: _int | Sequence[_int] | None = None,
    norm: _str | None = None, overwrite_x: _bool = False, workers: Any = None, *, orthogonalize: _bool | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The discrete cosine transform along several dimensions. Otherwise as dct, N being the product over the
    dimensions.
    """

def dst(
    x: Tensor, type: _int = 2, n: _int | None = None, axis: _int = -1, norm: _str | None = None,
    overwrite_x: _bool = False, workers: Any = None, orthogonalize: _bool | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The discrete sine transform along one dimension. Args, errors: as dct; N = 2 n, for type 1 2 (n + 1), which may
    be of one element.
    """

def dstn(
    x: Tensor, type: _int = 2, s: _int | Sequence[_int] | None = None, axes: _int | Sequence[_int] | None = None,
    norm: _str | None = None, overwrite_x: _bool = False, workers: Any = None, *, orthogonalize: _bool | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The discrete sine transform along several dimensions. Args, errors: as dctn; N as for dst."""

def fft(
    input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The discrete Fourier transform along one dimension: y[k] = sum over j of x[j] exp(-2 pi i j k / n)."""

def fft2(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = ...,
    norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """fftn along the last two dimensions."""

def fftfreq(
    n: Any, d: _float = 1.0, *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The frequencies that the elements of fft stand for: 0, 1, ..., (n - 1) // 2, -(n // 2), ..., -1, each over n d.
    """

def fftn(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None,
    norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The discrete Fourier transform along several dimensions."""

def fftshift(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """A transform's elements rotated by half, so that frequency zero comes to the middle."""

def hfft(
    input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The Fourier transform, which is real, of a signal that is its own mirror image's conjugate and given by its first
    half. n as irfft has it, otherwise as fft.
    """

def hfft2(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = ...,
    norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """hfftn along the last two dimensions."""

def hfftn(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None,
    norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """hfft along several dimensions: the real transform of a signal given by half of it along the last."""

def idct(
    x: Tensor, type: _int = 2, n: _int | None = None, axis: _int = -1, norm: _str | None = None,
    overwrite_x: _bool = False, workers: Any = None, orthogonalize: _bool | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The inverse of dct of the same type, norm and orthogonalize. Args, errors: as dct; norm 'backward' divides by N.
    """

def idctn(
    x: Tensor, type: _int = 2, s: _int | Sequence[_int] | None = None, axes: _int | Sequence[_int] | None = None,
    norm: _str | None = None, overwrite_x: _bool = False, workers: Any = None, *, orthogonalize: _bool | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of dctn of the same type, norm and orthogonalize. Args, errors: as dctn; norm 'backward' divides by
    N.
    """

def idst(
    x: Tensor, type: _int = 2, n: _int | None = None, axis: _int = -1, norm: _str | None = None,
    overwrite_x: _bool = False, workers: Any = None, orthogonalize: _bool | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The inverse of dst of the same type, norm and orthogonalize. Args, errors: as dst; norm 'backward' divides by N.
    """

def idstn(
    x: Tensor, type: _int = 2, s: _int | Sequence[_int] | None = None, axes: _int | Sequence[_int] | None = None,
    norm: _str | None = None, overwrite_x: _bool = False, workers: Any = None, *, orthogonalize: _bool | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """The inverse of dstn of the same type, norm and orthogonalize. Args, errors: as dstn; norm 'backward' divides by
    N.
    """

def ifft(
    input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The inverse discrete Fourier transform along one dimension: x[j] = sum over k of y[k] exp(2 pi i j k / n) / n."""

def ifft2(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = ...,
    norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """ifftn along the last two dimensions."""

def ifftn(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None,
    norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The inverse discrete Fourier transform along several dimensions. Args, errors: as fftn; norm: as ifft. Returns:
    complex.
    """

def ifftshift(input: Tensor, dim: _int | Sequence[_int] | None = None) -> Tensor:
    """The inverse of fftshift: frequency zero goes back to the front."""

def ihfft(
    input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The inverse of hfft: the first half of the inverse transform of a real tensor; it takes what ifft takes, and
    refuses and returns what rfft does.
    """

def ihfft2(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = ...,
    norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """ihfftn along the last two dimensions."""

def ihfftn(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None,
    norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The inverse of hfftn, half of it along the last dimension. Args, errors: as rfftn; norm: as ifft. Returns:
    complex.
    """

def irfft(
    input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The inverse of rfft: a real tensor from half its spectrum along one dimension. Otherwise as ifft."""

def irfft2(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = ...,
    norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """irfftn along the last two dimensions."""

def irfftn(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None,
    norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The inverse of rfftn. Args, errors: as fftn; s: the lengths of the result, the last by default 2 (m - 1)."""

def rfft(
    input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The Fourier transform of a real tensor along one dimension; the half that is not the mirror image of the other.
    """

def rfft2(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = ...,
    norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """rfftn along the last two dimensions."""

def rfftfreq(
    n: Any, d: _float = 1.0, *, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False, pin_memory: _bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """The frequencies that the elements of rfft stand for: 0, 1, ..., n // 2, each over n d."""

def rfftn(
    input: Tensor, s: _int | Sequence[_int] | None = None, dim: _int | Sequence[_int] | None = None,
    norm: _str | None = None, *, out: Tensor | None = None,
) -> Tensor:
    """The Fourier transform of a real tensor along several dimensions, half of it along the last."""
