"""Arithmetic: + - * / // % ** and the like.

Bodies of the operators that Python's syntax calls name their primitives: infix would call the operators themselves.
"""

from __future__ import annotations

from typing import Any

from rushlight.core.dtypes import dtype
from rushlight.core.tensor import Tensor
from rushlight.operators.table.body import wide
from rushlight.operators.table.define import operator
from rushlight.operators.table.pointwise import pointwise
from rushlight.operators.table.ranges import check_range
from rushlight.operators.table.tracer import (
    P,
    Tracer,
    align,
    align_beside,
    convert,
    default_dtype,
    is_number,
    result_type,
)
from rushlight.operators.table.types import Number, Operand


def is_one(alpha: Any) -> bool:
    """Whether a factor is known to be 1, and left out."""
    return isinstance(alpha, int) and alpha == 1


def _scaled(other: Tracer, alpha: Any, name: str, held_in: dtype) -> Tracer:
    """alpha * other; a factor that `held_in`, the dtype of the operands, does not hold is refused, and one beside a
    half type is rounded to it first, as PyTorch has it where operands lie side by side.
    """
    if is_one(alpha):
        return other
    d = other.dtype
    kind = result_type(alpha).kind
    if (d.kind in "biu" and kind in "fc") or (d.kind != "c" and kind == "c"):
        wanted = "a real number" if d.kind == "f" else "an integer"
        raise RuntimeError(
            f"{name}(): 'alpha' must be {wanted} where the tensors hold such; found a {result_type(alpha)}"
        )
    if is_number(alpha):
        check_range(name, alpha, held_in)
    (a,) = align(alpha, dtype=held_in)
    return other * P.broadcast_in_dim(convert(a, d), shape=other.var.shape, dims=())


_ONE = {"alpha": (1,)}  # multiplies nothing


@pointwise(specialize=_ONE, of_numbers=True)
def add(input: Operand, other: Operand, *, alpha: Number = 1) -> Tensor:
    """input + alpha * other, elementwise.

    Args:
        input, other: tensors or numbers of broadcastable shapes, any dtype.
        alpha: a number.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.
    """
    if not is_one(alpha):
        return convert(_plus(wide(input), _scaled(wide(other), alpha, "add", other.dtype)), input.dtype)
    return _plus(input, other)


def _plus(x: Tracer, y: Tracer) -> Tracer:
    return P.or_(x, y) if x.dtype.kind == "b" else P.add(x, y)


@pointwise(aliases=("subtract",), refuse="b", refuse_any="b", specialize=_ONE, of_numbers=True)
def sub(input: Operand, other: Operand, *, alpha: Number = 1) -> Tensor:
    """input - alpha * other, elementwise.

    Args:
        input, other: tensors or numbers of broadcastable shapes, any dtype but bool.
        alpha: a number.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.
    """
    return _less(input, other, alpha, "sub")


def _less(x: Tensor, y: Tensor, alpha: Any, name: str) -> Tracer:
    if is_one(alpha):
        return P.sub(x, y)
    return convert(P.sub(wide(x), _scaled(wide(y), alpha, name, y.dtype)), x.dtype)


@pointwise(method=False, inplace=False, refuse="b", refuse_any="b", specialize=_ONE, memory_format="reversed")
def rsub(input: Tensor, other: Operand, *, alpha: Number = 1) -> Tensor:
    """other - alpha * input, elementwise."""
    return _less(other, input, alpha, "rsub")


@pointwise(aliases=("multiply",), wide=True, of_numbers=True)
def mul(input: Operand, other: Operand) -> Tensor:
    """input * other, elementwise.

    Args:
        input, other: tensors or numbers of broadcastable shapes, any dtype.

    Returns:
        A tensor of the promoted dtype and the broadcast shape.
    """
    return P.and_(input, other) if input.dtype.kind == "b" else P.mul(input, other)


@pointwise(aliases=("negative",), refuse="b")
def neg(input: Tensor) -> Tensor:
    """-input, elementwise; any dtype but bool."""
    return P.neg(input)


@operator(
    inplace=True, aliases=("divide", "true_divide"), shape_class="pointwise", zero_gradient=True, keep_results=False
)
def div(input: Operand, other: Operand, *, rounding_mode: str | None = None) -> Tensor:
    """input / other, elementwise.

    Args:
        input, other: tensors or numbers of broadcastable shapes.
        rounding_mode: None (true division), "trunc" or "floor".

    Returns:
        A tensor of the promoted dtype (the default float dtype for integers without rounding).
    """
    d = result_type(input, other)
    if rounding_mode is None:
        d = d if d.kind in "fc" else default_dtype()
        a, b = align_beside(d, input, other, wide=(1,))
        return convert(P.div(a, b), d)
    a, b = align_beside(d, input, other, wide=(1,))
    if rounding_mode == "floor":
        return convert(P.floordiv(a, b), d)
    if rounding_mode == "trunc":
        if d.kind == "f":
            return convert(P.trunc(P.div(a, b)), d)
        q, r = P.floordiv(a, b), P.rem(a, b)
        fix = (r != 0) & ((a < 0) != (b < 0))
        return q + convert(fix, d)
    raise RuntimeError(f"div(): 'rounding_mode' must be None, 'trunc' or 'floor'; found {rounding_mode!r}")
