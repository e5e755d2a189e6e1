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

def bartlett(
    M: Any, *, sym: _bool = True, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False,
) -> Tensor:
    """The Bartlett window, a triangle from 0 up to 1 and down to 0: w[k] = 1 - |2 k / (M - 1) - 1|."""

def blackman(
    M: Any, *, sym: _bool = True, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False,
) -> Tensor:
    """The Blackman window: w[k] = 0.42 - 0.5 cos(t) + 0.08 cos(2 t), t = 2 pi k / (M - 1). Args, errors: as bartlett.
    """

def cosine(
    M: Any, *, sym: _bool = True, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False,
) -> Tensor:
    """The cosine window, half a period of a sine: w[k] = sin(pi (k + 1 / 2) / M). Args, errors: as bartlett."""

def exponential(
    M: Any, *, center: _float | None = None, tau: _float = 1.0, sym: _bool = True, dtype: _dtype | None = None,
    layout: _layout | None = None, device: _device | _str | _int | None = None, requires_grad: _bool = False,
) -> Tensor:
    """The exponential window: w[k] = exp(-|k - center| / tau). Otherwise, and errors, as bartlett."""

def gaussian(
    M: Any, *, std: _float = 1.0, sym: _bool = True, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False,
) -> Tensor:
    """The Gaussian window: w[k] = exp(-((k - (M - 1) / 2) / std)^2 / 2). Otherwise, and errors, as bartlett."""

def general_cosine(
    M: Any, *, a: Any, sym: _bool = True, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False,
) -> Tensor:
    """A sum of cosines: w[k] = sum over i of (-1)^i a[i] cos(2 pi i k / (M - 1)). Otherwise, and errors, as bartlett;
    TypeError for another kind of `a`.
    """

def general_hamming(
    M: Any, *, alpha: _float = 0.54, sym: _bool = True, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False,
) -> Tensor:
    """The general Hamming window: w[k] = alpha - (1 - alpha) cos(2 pi k / (M - 1)). Args, errors: as bartlett."""

def hamming(
    M: Any, *, sym: _bool = True, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False,
) -> Tensor:
    """The Hamming window: w[k] = 0.54 - 0.46 cos(2 pi k / (M - 1)). Args, errors: as bartlett."""

def hann(
    M: Any, *, sym: _bool = True, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False,
) -> Tensor:
    """The Hann window: w[k] = (1 - cos(2 pi k / (M - 1))) / 2. Args, errors: as bartlett."""

def kaiser(
    M: Any, *, beta: _float = 12.0, sym: _bool = True, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False,
) -> Tensor:
    """The Kaiser window: w[k] = I0(beta sqrt(1 - (2 k / (M - 1) - 1)^2)) / I0(beta), I0 the modified Bessel function.
    Otherwise, and errors, as bartlett.
    """

def nuttall(
    M: Any, *, sym: _bool = True, dtype: _dtype | None = None, layout: _layout | None = None,
    device: _device | _str | _int | None = None, requires_grad: _bool = False,
) -> Tensor:
    """Nuttall's four-term Blackman-Harris window of least side lobes. Args, errors: as bartlett."""
