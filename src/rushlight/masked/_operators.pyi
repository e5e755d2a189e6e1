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

def amax(
    input: Tensor, dim: _int | Sequence[_int] | None = None, *, keepdim: _bool = False, dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The greatest of the elements that count; the dtype's least value when there is none. Args, errors: as masked.sum.
    """

def amin(
    input: Tensor, dim: _int | Sequence[_int] | None = None, *, keepdim: _bool = False, dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The least of the elements that count; the dtype's greatest value when there is none. Args, errors: as masked.sum.
    """

def argmax(
    input: Tensor, dim: _int | None = None, *, keepdim: _bool = False, dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The index of the greatest element that counts, in the dtype of the input (as PyTorch has it) unless `dtype` says
    another. Args, errors: as masked.sum.
    """

def argmin(
    input: Tensor, dim: _int | None = None, *, keepdim: _bool = False, dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The index of the least element that counts, in the dtype of the input (as PyTorch has it) unless `dtype` says
    another. Args, errors: as masked.sum.
    """

def cumprod(input: Tensor, dim: _int, *, dtype: _dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The running product along one dimension of the elements that count. Args, errors: as masked.sum."""

def cumsum(input: Tensor, dim: _int, *, dtype: _dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The running sum along one dimension of the elements that count. Args, errors: as masked.sum."""

def log_softmax(input: Tensor, dim: _int, *, dtype: _dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """The logarithm of masked.softmax, without its loss of digits. Args, errors: as masked.softmax."""

def logaddexp(
    input: Tensor, other: Tensor, *, dtype: _dtype | None = None, input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:
    """log(exp(input) + exp(other)) of those of the two that count, elementwise; -inf where none does."""

def logsumexp(
    input: Tensor, dim: _int | Sequence[_int] | None = None, *, keepdim: _bool = False, dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The logarithm of the sum of exp over the elements that count; -inf when there is none. Args, errors: as
    masked.sum.
    """

def mean(
    input: Tensor, dim: _int | Sequence[_int] | None = None, *, keepdim: _bool = False, dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The mean of the elements that count; NaN when there is none."""

def median(
    input: Tensor, dim: _int = -1, *, keepdim: _bool = False, dtype: _dtype | None = None, mask: Tensor | None = None,
) -> _return_types.median:
    """The median along one dimension of the elements that count, of an even number of them the lesser of the middle
    two.
    """

def norm(
    input: Tensor, ord: _float = 2.0, dim: _int | Sequence[_int] | None = None, *, keepdim: _bool = False,
    dtype: _dtype | None = None, mask: Tensor | None = None,
) -> Tensor:
    """The norm of the elements that count: (sum |x|^ord)^(1 / ord), the greatest or least |x| for ord inf or -inf,
    their number for 0.
    """

def normalize(
    input: Tensor, ord: _float, dim: _int, *, eps: _float = 1e-12, dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The elements that count over their norm along `dim`; the others 0."""

def prod(
    input: Tensor, dim: _int | Sequence[_int] | None = None, *, keepdim: _bool = False, dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The product of the elements that count; 1 when there is none. Args, errors: as masked.sum."""

def softmax(input: Tensor, dim: _int, *, dtype: _dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """exp(x) over the sum of exp along `dim`, of the elements that count; the others get 0, and NaN where none counts.
    """

def softmin(input: Tensor, dim: _int, *, dtype: _dtype | None = None, mask: Tensor | None = None) -> Tensor:
    """masked.softmax of the negatives. Args, errors: as masked.softmax."""

def std(
    input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, *,
    correction: _float | None = None, keepdim: _bool = False, dtype: _dtype | None = None, mask: Tensor | None = None,
) -> Tensor:
    """The standard deviation of the elements that count, the square root of masked.var. Args, errors: as masked.var."""

def sum(
    input: Tensor, dim: _int | Sequence[_int] | None = None, *, keepdim: _bool = False, dtype: _dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """The sum of the elements that count."""

def var(
    input: Tensor, dim: _int | Sequence[_int] | None = None, unbiased: _bool | None = None, *,
    correction: _float | None = None, keepdim: _bool = False, dtype: _dtype | None = None, mask: Tensor | None = None,
) -> Tensor:
    """The variance of the elements that count; of complex ones complex, with no imaginary part."""
