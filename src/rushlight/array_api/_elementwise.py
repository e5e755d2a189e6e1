"""The elementwise functions: a row each, the operator that computes it and what it says of itself.

Four differ from the operator of that name, which keeps PyTorch's meaning: `sign` of NaN is NaN here, `round` takes
complex arrays, `floor_divide` has the standard's results where an operand is infinite, and `pow` takes 0.5 for any
other exponent.
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


def unary(name: str, op: Any, doc: str) -> Unary:
    """A function of one array."""

    def function(x: Tensor, /) -> Tensor:
        return op(array(name, "x", x))

    return named(function, name, doc, module="rushlight.array_api")


def binary(name: str, op: Any, doc: str) -> Binary:
    """A function of two arrays, one of which may be a Python number."""
    numbers = all(p.kind == Kind.P_OPERAND for p in op.params[:2])

    def function(x1: Tensor | Scalar, x2: Tensor | Scalar, /) -> Tensor:
        return op(*pair(name, x1, x2, numbers))

    return named(function, name, doc, module="rushlight.array_api")


@pointwise(name="_standard_sign", register=False, inplace=False, zero_gradient=True)
def _sign(input: Tensor) -> Tensor:
    """-1, 0 or 1, NaN for NaN; z / |z| for a complex z."""
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
    """floor(x / y), and x / y itself where that is infinite or a zero with a sign."""
    q = P.floordiv(input, other)
    if input.dtype.kind != "f":
        return q
    infinite, zero = filled(math.inf, q), filled(0, q)
    special = P.or_(*(P.or_(P.eq(P.abs(x), infinite), P.eq(x, zero)) for x in (input, other)))
    return P.select(special, input / other, q)


abs = unary("abs", rl.abs, "The absolute value of each element; of a complex array, the modulus, in its real dtype.")
acos = unary("acos", rl.acos, "The inverse cosine of each element.")
acosh = unary("acosh", rl.acosh, "The inverse hyperbolic cosine of each element.")
add = binary("add", rl.add, "x1 + x2, elementwise.")
asin = unary("asin", rl.asin, "The inverse sine of each element.")
asinh = unary("asinh", rl.asinh, "The inverse hyperbolic sine of each element.")
atan = unary("atan", rl.atan, "The inverse tangent of each element.")
atan2 = binary("atan2", rl.atan2, "The angle of the point (x2, x1) from the positive axis, in (-pi, pi], elementwise.")
atanh = unary("atanh", rl.atanh, "The inverse hyperbolic tangent of each element.")
bitwise_and = binary("bitwise_and", rl.bitwise_and, "x1 & x2, elementwise, of integers or bools.")
bitwise_left_shift = binary("bitwise_left_shift", rl.bitwise_left_shift, "x1 << x2, elementwise, of integers.")
bitwise_invert = unary("bitwise_invert", rl.bitwise_not, "Every bit of each element inverted, of integers or bools.")
bitwise_or = binary("bitwise_or", rl.bitwise_or, "x1 | x2, elementwise, of integers or bools.")
bitwise_right_shift = binary(
    "bitwise_right_shift", rl.bitwise_right_shift, "x1 >> x2, elementwise, of integers; the sign moves in."
)
bitwise_xor = binary("bitwise_xor", rl.bitwise_xor, "x1 ^ x2, elementwise, of integers or bools.")
ceil = unary("ceil", rl.ceil, "Each element rounded up to an integer, in the dtype of x.")
conj = unary("conj", rl.conj, "The complex conjugate of each element; a real array as it is.")
copysign = binary("copysign", rl.copysign, "The magnitude of x1 with the sign of x2, elementwise.")
cos = unary("cos", rl.cos, "The cosine of each element, in radians.")
cosh = unary("cosh", rl.cosh, "The hyperbolic cosine of each element.")
divide = binary("divide", rl.true_divide, "x1 / x2, elementwise.")
equal = binary("equal", rl.eq, "x1 == x2, elementwise, as bools.")
exp = unary("exp", rl.exp, "e to the power of each element.")
expm1 = unary("expm1", rl.expm1, "exp(x) - 1 of each element, without cancellation near 0.")
floor = unary("floor", rl.floor, "Each element rounded down to an integer, in the dtype of x.")
floor_divide = binary("floor_divide", _floor_divide, "x1 / x2 rounded down to an integer, elementwise.")
greater = binary("greater", rl.gt, "x1 > x2, elementwise, as bools.")
greater_equal = binary("greater_equal", rl.ge, "x1 >= x2, elementwise, as bools.")
hypot = binary("hypot", rl.hypot, "The square root of x1**2 + x2**2, elementwise, without overflow on the way.")
imag = unary("imag", rl.imag, "The imaginary part of each element of a complex array.")
isfinite = unary("isfinite", rl.isfinite, "Whether each element is neither infinite nor NaN.")
isinf = unary("isinf", rl.isinf, "Whether each element is infinite.")
isnan = unary("isnan", rl.isnan, "Whether each element is NaN.")
less = binary("less", rl.lt, "x1 < x2, elementwise, as bools.")
less_equal = binary("less_equal", rl.le, "x1 <= x2, elementwise, as bools.")
log = unary("log", rl.log, "The natural logarithm of each element.")
log1p = unary("log1p", rl.log1p, "log(1 + x) of each element, without cancellation near 0.")
log2 = unary("log2", rl.log2, "The logarithm of each element to base 2.")
log10 = unary("log10", rl.log10, "The logarithm of each element to base 10.")
logaddexp = binary("logaddexp", rl.logaddexp, "log(exp(x1) + exp(x2)), elementwise, without overflow on the way.")
logical_and = binary("logical_and", rl.logical_and, "Whether x1 and x2 are both true, elementwise.")
logical_not = unary("logical_not", rl.logical_not, "Whether each element is false.")
logical_or = binary("logical_or", rl.logical_or, "Whether x1 or x2 is true, elementwise.")
logical_xor = binary(
    "logical_xor", rl.logical_xor, "Whether one of x1 and x2 is true and the other is not, elementwise."
)
maximum = binary("maximum", rl.maximum, "The larger of x1 and x2, elementwise; NaN if either is.")
minimum = binary("minimum", rl.minimum, "The smaller of x1 and x2, elementwise; NaN if either is.")
multiply = binary("multiply", rl.mul, "x1 * x2, elementwise.")
negative = unary("negative", rl.neg, "-x of each element.")
nextafter = binary("nextafter", rl.nextafter, "The next number after x1 that the dtype has, towards x2, elementwise.")
not_equal = binary("not_equal", rl.ne, "x1 != x2, elementwise, as bools.")
positive = unary("positive", rl.positive, "+x of each element.")
real = unary("real", rl.real, "The real part of each element; a real array as it is.")
reciprocal = unary("reciprocal", rl.reciprocal, "1 / x of each element.")
remainder = binary(
    "remainder", rl.remainder, "The remainder of x1 / x2 rounded down, elementwise; its sign is that of x2."
)
round = unary("round", _round, "Each element rounded to an integer, halves to even, in the dtype of x.")
sign = unary("sign", _sign, "-1, 0 or 1 by the sign of each element, NaN for NaN; z / |z| for a complex z.")
signbit = unary("signbit", rl.signbit, "Whether the sign bit of each element is set, which it is for -0.")
sin = unary("sin", rl.sin, "The sine of each element, in radians.")
sinh = unary("sinh", rl.sinh, "The hyperbolic sine of each element.")
square = unary("square", rl.square, "x * x of each element.")
sqrt = unary("sqrt", rl.sqrt, "The principal square root of each element.")
subtract = binary("subtract", rl.sub, "x1 - x2, elementwise.")
tan = unary("tan", rl.tan, "The tangent of each element, in radians.")
tanh = unary("tanh", rl.tanh, "The hyperbolic tangent of each element.")
trunc = unary("trunc", rl.trunc, "Each element rounded towards 0 to an integer, in the dtype of x.")


def pow(x1: Tensor | Scalar, x2: Tensor | Scalar, /) -> Tensor:
    """x1 to the power of x2, elementwise."""
    # Beside the number 0.5 the operator takes the root, as PyTorch does: NaN for -inf, where the power is inf.
    root = not isinstance(x2, Tensor) and scalar(x2) in (0.5, -0.5)
    return rl.pow(*pair("pow", x1, x2, not root))


def clip(x: Tensor, /, min: Tensor | float | None = None, max: Tensor | float | None = None) -> Tensor:
    """Each element of x, no less than min and no more than max, in the dtype of x; NaN where any of the three is."""
    array("clip", "x", x)
    low, high = (_bound(x, b, name) for b, name in ((min, "min"), (max, "max")))
    if low is None and high is None:
        return rl.clone(x)
    wide = common_dtype(x, *[b for b in (low, high) if b is not None])
    result = rl.clip(cast(x, wide), low, high)
    return cast(result, x.dtype) if KIND_ORDER[x.dtype.kind] == KIND_ORDER[wide.kind] else result


def _bound(x: Tensor, bound: float | Tensor | None, name: str) -> Tensor | None:
    """A bound of clip as an array: the dtype of x for a number that it holds."""
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
