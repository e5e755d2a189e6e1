"""Helpers of distributions: broadcasting of parameters, probabilities and logits, lazily computed properties."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from numbers import Number
from typing import Any, Generic, TypeVar, overload

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.operators.table.types import Device, DType

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

euler_constant = 0.57721566490153286060  # Euler and Mascheroni's


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Tensors of one shape: numbers become tensors of the first tensor's dtype, or of the default dtype.

    Raises:
        ValueError: for what is neither a number nor a tensor.
    """
    if not all(isinstance(v, (Number, Tensor)) or hasattr(v, "__torch_function__") for v in values):
        raise ValueError(
            f"Input arguments must all be numbers or tensors; found {', '.join(type(v).__name__ for v in values)}"
        )
    first = next((v for v in values if isinstance(v, Tensor)), None)
    place = (
        {"dtype": rushlight.get_default_dtype()} if first is None else {"dtype": first.dtype, "device": first.device}
    )
    tensors = [rushlight.tensor(v, **place) if isinstance(v, Number) else v for v in values]
    shape = rushlight.broadcast_shapes(*(t.shape for t in tensors))
    return tuple(t if t.shape == shape else t.expand(shape) for t in tensors)


def _of_valid_values(method: Callable[[Any, Tensor], Tensor]) -> Callable[[Any, Tensor], Tensor]:
    """A method of a distribution that takes a value, checked first where the distribution checks its arguments."""

    @functools.wraps(method)
    def checked(self: Any, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return method(self, value)

    return checked


def _standard_normal(shape: Sequence[int], dtype: DType, device: Device) -> Tensor:
    """Standard normal numbers of a shape."""
    return rushlight.randn(shape, dtype=dtype, device=device)


def _empty(shape: Sequence[int], like: Tensor) -> Tensor:
    """Memory for numbers of a shape, of a tensor's dtype and device."""
    return rushlight.empty(shape, dtype=like.dtype, device=like.device)


def one_hot(categories: Tensor, count: int, like: Tensor) -> Tensor:
    """One-hot vectors of categories known to be in range, in a tensor's dtype."""
    return (categories.unsqueeze(-1) == rushlight.arange(count, device=categories.device)).to(like.dtype)


def _uniform(shape: Sequence[int], like: Tensor) -> Tensor:
    """Uniform numbers in [0, 1) of a shape, of a tensor's dtype and device."""
    return rushlight.rand(shape, dtype=like.dtype, device=like.device)


def _open_uniform(shape: Sequence[int], like: Tensor) -> Tensor:
    """Uniform numbers strictly between 0 and 1, by the distance that clamp_probs keeps."""
    return clamp_probs(_uniform(shape, like))


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """The sum over the last `dim` dimensions, none for dim 0."""
    return value if dim == 0 else value.sum(tuple(range(-dim, 0)))


def where_valid(
    valid: Tensor, value: Tensor, safe: float, formula: Callable[[Tensor], Tensor], otherwise: float
) -> Tensor:
    """formula(value) where valid, else a number; the formula never sees other values, whose gradients would be NaN.

    Args:
        safe: a value that the formula can take.
    """
    return rushlight.where(valid, formula(rushlight.where(valid, value, safe)), otherwise)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities of logits: sigmoid of log odds for is_binary, else softmax along the last dimension."""
    return rushlight.sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities kept away from 0 and 1 by the dtype's eps."""
    eps = rushlight.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Log odds of probabilities for is_binary, else logarithms; the probabilities are clamped, so that all are
    finite.
    """
    kept = clamp_probs(probs)
    return kept.log() - (-kept).log1p() if is_binary else kept.log()


R = TypeVar("R", covariant=True)


class lazy_property(Generic[R]):
    """A property that is computed when first read, and then is an attribute: `@lazy_property` over a method."""

    def __init__(self, wrapped: Callable[[Any], R]) -> None:
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__
        self.__name__ = wrapped.__name__

    @overload
    def __get__(self, instance: None, obj_type: Any = None) -> property: ...
    @overload
    def __get__(self, instance: object, obj_type: Any = None) -> R: ...

    def __get__(self, instance: Any, obj_type: Any = None) -> Any:
        if instance is None:
            return LazyOfClass(self.wrapped)
        # Whoever reads it later may want gradients, whatever the first reader wanted.
        with rushlight.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.__name__, value)
        return value


class LazyOfClass(property):
    """A lazy property as the class shows it: documentation tools take it for a property, code for the descriptor it
    is.
    """

    @property
    def wrapped(self) -> Any:
        """The method behind the property."""
        return self.fget


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The lower triangles of square matrices (*, D, D), row by row, as vectors.

    Args:
        mat: the matrices.
        diag: the highest diagonal that is taken, 0 for the main one.

    Raises:
        ValueError: for a diagonal that a matrix of this size lacks.
        IndexError: for matrices that are not square.
    """
    n = mat.shape[-1]
    if mat.shape[-2] != n:
        raise IndexError(f"tril_matrix_to_vec(): 'mat' must be square matrices; found the shape {tuple(mat.shape)}")
    if not -n <= diag < n:
        raise ValueError(
            f"tril_matrix_to_vec(): 'diag' must be in [{-n}, {n - 1}] for matrices of size {n}; found {diag}"
        )
    rows, columns = rushlight.tril_indices(n, n, diag, device=mat.device)
    return mat[..., rows, columns]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """The inverse of tril_matrix_to_vec: lower triangular matrices (*, D, D) of vectors (*, n).

    Raises:
        ValueError: n elements fill no such triangle.
    """
    # n = (D + diag)(D + diag + 1) / 2 - (what lies outside the matrix, for diag > 0: diag (diag + 1) / 2)
    count = vec.shape[-1]
    size = next((d for d in range(abs(diag), count + abs(diag) + 2) if _triangle(d, diag) >= count), 0)
    if _triangle(size, diag) != count:
        raise ValueError(
            "vec_to_tril_matrix(): the last dimension of 'vec' must have the size of a triangle of a D x D matrix "
            f"up to diagonal {diag}; found {count}"
        )
    inside = rushlight.ones(size, size, dtype=rushlight.bool, device=vec.device).tril(diag)
    order = (inside.reshape(-1).cumsum(0) - 1).clamp(min=0).reshape(size, size)
    return rushlight.where(inside, vec[..., order], rushlight.zeros((), dtype=vec.dtype, device=vec.device))


def _triangle(size: int, diag: int) -> int:
    """How many elements of a square matrix lie on or below a diagonal."""
    return sum(min(max(row + 1 + diag, 0), size) for row in range(size))
