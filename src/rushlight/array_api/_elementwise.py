"""The elementwise functions: one row each, of the operator that computes it and its docstring.

Four differ from the operator of their name, which follows PyTorch: here `sign` of NaN is NaN, `round` takes complex
arrays, `floor_divide` has the standard's results where an operand is infinite, and `pow` has no special case for the
exponent 0.5.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import rushlight as rl
from rushlight.array_api._arguments import KIND_ORDER, Scalar, array, cast, common_dtype, pair, scalar
from rushlight.core.flatten import Kind
from rushlight.core.naming import named
from rushlight.core.tensor import Tensor
from rushlight.operators.table.pointwise import pointwise
from rushlight.operators.table.tracer import P, filled
from rushlight.operators.table.types import Operand

Unary = Callable[[Tensor], Tensor]
Binary = Callable[["Tensor | Scalar", "Tensor | Scalar"], Tensor]


def unary(op: Any, doc: str, named_as: str = "", module: str = "rushlight.array_api") -> Unary:
    """A function of one array, which has the operator's name unless another is given."""
    name = named_as or op.__name__

    def function(x: Tensor, /) -> Tensor:
        return op(array(name, "x", x))

    return named(function, name, doc, module=module)


def binary(op: Any, doc: str, named_as: str = "") -> Binary:
    """A function of two arrays, one of which may be a Python number; named as in `unary`."""
    name = named_as or op.__name__
    numbers = all(p.kind == Kind.P_OPERAND for p in op.params[:2])

    def function(x1: Tensor | Scalar, x2: Tensor | Scalar, /) -> Tensor:
        return op(*pair(name, x1, x2, numbers))

    return named(function, name, doc, module="rushlight.array_api")


@pointwise(name="_standard_sign", register=False, inplace=False, zero_gradient=True)
def _sign(input: Tensor) -> Tensor:
    """-1, 0 or 1; NaN for NaN; z / |z| for a complex z."""
    s = P.sign(input)
    return P.select(P.isnan(input), input, s) if input.dtype.kind == "f" else s


@pointwise(name="_standard_round", register=False, inplace=False, zero_gradient=True)
def _round(input: Tensor) -> Tensor:
    """To the nearest integer, halves to even; both parts of a complex number."""
    if input.dtype.kind == "c":
        return P.complex(P.round(P.real(input)), P.round(P.imag(input)))
    return P.round(input) if input.dtype.kind == "f" else input


@pointwise(name="_standard_floor_divide", register=False, inplace=False, refuse="c")
def _floor_divide(input: Operand, other: Operand) -> Tensor:
    """floor(x / y), or x / y itself where it is infinite or a signed zero."""
    q = P.floordiv(input, other)
    if input.dtype.kind != "f":
        return q
    infinite, zero = filled(math.inf, q), filled(0, q)
    special = P.or_(*(P.or_(P.eq(P.abs(x), infinite), P.eq(x, zero)) for x in (input, other)))
    return P.select(special, input / other, q)


abs = unary(rl.abs, "The absolute value of each element; of a complex array, the modulus, in its real dtype.")
acos = unary(rl.acos, "The inverse cosine of each element.")
acosh = unary(rl.acosh, "The inverse hyperbolic cosine of each element.")
add = binary(rl.add, "x1 + x2, elementwise.")
asin = unary(rl.asin, "The inverse sine of each element.")
asinh = unary(rl.asinh, "The inverse hyperbolic sine of each element.")
atan = unary(rl.atan, "The inverse tangent of each element.")
atan2 = binary(rl.atan2, "The angle of the point (x2, x1) from the positive axis, in (-pi, pi], elementwise.")
atanh = unary(rl.atanh, "The inverse hyperbolic tangent of each element.")
bitwise_and = binary(rl.bitwise_and, "x1 & x2, elementwise, of integers or bools.")
bitwise_left_shift = binary(rl.bitwise_left_shift, "x1 << x2, elementwise, of integers.")
bitwise_invert = unary(rl.bitwise_not, "Every bit of each element inverted, of integers or bools.", "bitwise_invert")
bitwise_or = binary(rl.bitwise_or, "x1 | x2, elementwise, of integers or bools.")
bitwise_right_shift = binary(rl.bitwise_right_shift, "x1 >> x2, elementwise, of integers; the sign moves in.")
bitwise_xor = binary(rl.bitwise_xor, "x1 ^ x2, elementwise, of integers or bools.")
ceil = unary(rl.ceil, "Each element rounded up to an integer, in the dtype of x.")
conj = unary(rl.conj, "The complex conjugate of each element; a real array as it is.")
copysign = binary(rl.copysign, "The magnitude of x1 with the sign of x2, elementwise.")
cos = unary(rl.cos, "The cosine of each element, in radians.")
cosh = unary(rl.cosh, "The hyperbolic cosine of each element.")
divide = binary(rl.true_divide, "x1 / x2, elementwise.", "divide")
equal = binary(rl.eq, "x1 == x2, elementwise, as bools.", "equal")
exp = unary(rl.exp, "e to the power of each element.")
expm1 = unary(rl.expm1, "exp(x) - 1 of each element, without cancellation near 0.")
floor = unary(rl.floor, "Each element rounded down to an integer, in the dtype of x.")
floor_divide = binary(_floor_divide, "x1 / x2 rounded down to an integer, elementwise.", "floor_divide")
greater = binary(rl.gt, "x1 > x2, elementwise, as bools.", "greater")
greater_equal = binary(rl.ge, "x1 >= x2, elementwise, as bools.", "greater_equal")
hypot = binary(rl.hypot, "The square root of x1**2 + x2**2, elementwise, without overflow on the way.")
imag = unary(rl.imag, "The imaginary part of each element of a complex array.")
isfinite = unary(rl.isfinite, "Whether each element is neither infinite nor NaN.")
isinf = unary(rl.isinf, "Whether each element is infinite.")
isnan = unary(rl.isnan, "Whether each element is NaN.")
less = binary(rl.lt, "x1 < x2, elementwise, as bools.", "less")
less_equal = binary(rl.le, "x1 <= x2, elementwise, as bools.", "less_equal")
log = unary(rl.log, "The natural logarithm of each element.")
log1p = unary(rl.log1p, "log(1 + x) of each element, without cancellation near 0.")
log2 = unary(rl.log2, "The logarithm of each element to base 2.")
log10 = unary(rl.log10, "The logarithm of each element to base 10.")
logaddexp = binary(rl.logaddexp, "log(exp(x1) + exp(x2)), elementwise, without overflow on the way.")
logical_and = binary(rl.logical_and, "Whether x1 and x2 are both true, elementwise.")
logical_not = unary(rl.logical_not, "Whether each element is false.")
logical_or = binary(rl.logical_or, "Whether x1 or x2 is true, elementwise.")
logical_xor = binary(rl.logical_xor, "Whether one of x1 and x2 is true and the other is not, elementwise.")
maximum = binary(rl.maximum, "The larger of x1 and x2, elementwise; NaN if either is.")
minimum = binary(rl.minimum, "The smaller of x1 and x2, elementwise; NaN if either is.")
multiply = binary(rl.mul, "x1 * x2, elementwise.", "multiply")
negative = unary(rl.neg, "-x of each element.", "negative")
nextafter = binary(rl.nextafter, "The next number after x1 that the dtype has, towards x2, elementwise.")
not_equal = binary(rl.ne, "x1 != x2, elementwise, as bools.", "not_equal")
positive = unary(rl.positive, "+x of each element.")
real = unary(rl.real, "The real part of each element; a real array as it is.")
reciprocal = unary(rl.reciprocal, "1 / x of each element.")
remainder = binary(rl.remainder, "The remainder of x1 / x2 rounded down, elementwise; its sign is that of x2.")
round = unary(_round, "Each element rounded to an integer, halves to even, in the dtype of x.", "round")
sign = unary(_sign, "-1, 0 or 1 by the sign of each element, NaN for NaN; z / |z| for a complex z.", "sign")
signbit = unary(rl.signbit, "Whether the sign bit of each element is set, which it is for -0.")
sin = unary(rl.sin, "The sine of each element, in radians.")
sinh = unary(rl.sinh, "The hyperbolic sine of each element.")
square = unary(rl.square, "x * x of each element.")
sqrt = unary(rl.sqrt, "The principal square root of each element.")
subtract = binary(rl.sub, "x1 - x2, elementwise.", "subtract")
tan = unary(rl.tan, "The tangent of each element, in radians.")
tanh = unary(rl.tanh, "The hyperbolic tangent of each element.")
trunc = unary(rl.trunc, "Each element rounded towards 0 to an integer, in the dtype of x.")


def pow(x1: Tensor | Scalar, x2: Tensor | Scalar, /) -> Tensor:
    """x1 to the power of x2, elementwise."""
    # For the Python number 0.5 the operator takes the square root, as PyTorch does: of -inf it is NaN, the power inf.
    root = not isinstance(x2, Tensor) and scalar(x2) in (0.5, -0.5)
    return rl.pow(*pair("pow", x1, x2, not root))


def clip(x: Tensor, /, min: Tensor | float | None = None, max: Tensor | float | None = None) -> Tensor:
    """Each element of x, raised to min and lowered to max where it is beyond them, in the dtype of x; NaN where any of
    the three is NaN."""
    array("clip", "x", x)
    low, high = (_bound(x, b, name) for b, name in ((min, "min"), (max, "max")))
    if low is None and high is None:
        return rl.clone(x)
    wide = common_dtype(x, *[b for b in (low, high) if b is not None])
    result = rl.clip(cast(x, wide), low, high)
    return cast(result, x.dtype) if KIND_ORDER[x.dtype.kind] == KIND_ORDER[wide.kind] else result


def _bound(x: Tensor, bound: float | Tensor | None, name: str) -> Tensor | None:
    """A bound of clip as an array: a number gets the dtype of x if that can hold it."""
    if bound is None or isinstance(bound, Tensor):
        return bound
    value = scalar(bound)
    if value is None or isinstance(value, complex):
        raise TypeError(
            f"clip(): expected an array or a real number for argument '{name}'; found {type(bound).__name__}"
        )
    return rl.full((), value, dtype=common_dtype(x, value), device=x.device)


__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
]
