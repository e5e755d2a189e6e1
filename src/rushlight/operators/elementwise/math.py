"""Elementwise mathematics: exponentials, logarithms, powers, trigonometry, rounding, special functions."""

from __future__ import annotations

import functools
import math as _math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.table.arguments import undefined_for
from rushlight.operators.table.body import refuse_kinds, wide, with_rule
from rushlight.operators.table.checks import check_argument, check_least
from rushlight.operators.table.define import SIGN, eager, operator
from rushlight.operators.table.pointwise import check_kind, pointwise
from rushlight.operators.table.ranges import check_range
from rushlight.operators.table.returns import return_type
from rushlight.operators.table.tracer import (
    P,
    Tracer,
    align,
    convert,
    default_dtype,
    expand_to,
    filled,
    is_number,
    result_type,
    tracer,
)
from rushlight.operators.table.types import Number, Operand
from rushlight.operators.tensors.info import finfo
from rushlight.program.ir import Var


def _elementary(name: str, what: str, **options: Any) -> None:
    """The operator that is the primitive of its name; integers become floats."""
    primitive: Callable[[Tensor], Tensor] = getattr(P, name)

    def body(input: Tensor) -> Tensor:
        return primitive(input)

    pointwise(
        name=name, promote="float", **options, doc=f"{what}, elementwise; integers become the default float dtype."
    )(body)


for _name, _what in {
    "exp": "e to the power input",
    "exp2": "2 to the power input",
    "expm1": "exp(input) - 1, accurate near 0",
    "log": "The natural logarithm",
    "log2": "The logarithm to base 2",
    "log10": "The logarithm to base 10",
    "log1p": "log(1 + input), accurate near 0",
    "sqrt": "The square root",
    "rsqrt": "1 / sqrt(input)",
    "reciprocal": "1 / input",
    "sigmoid": "1 / (1 + exp(-input))",
}.items():
    _elementary(_name, _what)
for _name, _what in {"sin": "sine", "cos": "cosine", "tan": "tangent"}.items():
    _elementary(_name, f"The {_what} (radians)")
    _elementary(f"{_name}h", f"The hyperbolic {_what}")
    _elementary(f"a{_name}", f"The inverse {_what}", aliases=(f"arc{_name}",))
    _elementary(f"a{_name}h", f"The inverse hyperbolic {_what}", aliases=(f"arc{_name}h",))
_elementary("erf", "The error function 2/sqrt(pi) * integral of exp(-t^2) from 0 to input", refuse="c")
_elementary("erfc", "1 - erf(input), accurate for large input", refuse="c")
_elementary("erfinv", "The inverse of erf on (-1, 1)", refuse="c", keep_results=False)
_elementary("lgamma", "log |Gamma(input)|", refuse="c")
_elementary("digamma", "The derivative of lgamma", refuse="c")


def _integral(x: Tensor) -> bool:
    return x.dtype.kind in "iu"


@pointwise(refuse="bc", zero_gradient=True)
def floor(input: Tensor) -> Tensor:
    """The largest integer not above input, elementwise, in input's dtype."""
    return input if _integral(input) else P.floor(input)


@pointwise(refuse="bc", zero_gradient=True)
def ceil(input: Tensor) -> Tensor:
    """The smallest integer not below input, elementwise, in input's dtype."""
    return input if _integral(input) else P.ceil(input)


@pointwise(refuse="bc", aliases=("fix",), zero_gradient=True)
def trunc(input: Tensor) -> Tensor:
    """The integer part of input, elementwise, in input's dtype."""
    return input if _integral(input) else P.trunc(input)


@pointwise(refuse="bc", zero_gradient=True)
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """input to the nearest multiple of 10**-decimals, halves to even, elementwise, in input's dtype."""
    if _integral(input):
        check_argument(not decimals, "round()", "decimals", "be 0 for integers", decimals)
        return input
    if decimals == 0:
        return P.round(input)
    x = wide(input)
    ten = filled(10.0 ** abs_int(decimals) if abs_int(decimals) <= 308 else _math.inf, x)
    return convert(P.round(x * ten) / ten if decimals > 0 else P.round(x / ten) * ten, input.dtype)


def abs_int(n: int) -> int:
    """|n| of a Python int (the name abs is an operator here)."""
    return n if n >= 0 else -n


@pointwise(refuse="bc")
def frac(input: Tensor) -> Tensor:
    """input - trunc(input), elementwise; floating point dtypes."""
    if _integral(input):
        raise NotImplementedError(f"frac(): not defined for dtype {input.dtype}: the fraction of an integer is 0")
    return input - P.trunc(input)


@pointwise(aliases=("absolute",), result="real", refuse="b")
def abs(input: Tensor) -> Tensor:
    """The absolute value, elementwise; real for complex input."""
    return P.abs(input)


@pointwise(refuse="c", zero_gradient=True)
def sign(input: Tensor) -> Tensor:
    """-1, 0 or 1 by the sign of input, elementwise, in input's dtype."""
    return input if input.dtype.kind == "b" else P.sign(input)


@pointwise(zero_gradient=True)
def sgn(input: Tensor) -> Tensor:
    """input / |input| (0 at 0), elementwise."""
    return input if input.dtype.kind == "b" else P.sign(input)


@operator(inplace=True, shape_class="pointwise")
def square(input: Tensor) -> Tensor:
    """input * input, elementwise; bools become int64."""
    (x,) = align(input, dtype=dt.int64 if input.dtype.kind == "b" else input.dtype)
    return x * x


@eager(shape_class="pointwise")
def positive(input: Tensor) -> Tensor:
    """input itself; any dtype but bool."""
    if input.dtype is dt.bool_:
        raise RuntimeError("positive(): 'input' must be numbers; found dtype torch.bool")
    return input


_SIMPLE = (0, 1, 2, 3, 0.5, -0.5, -1, -2)  # exponents of powers that are other functions


@operator(
    inplace=True,
    specialize={"exponent": (*_SIMPLE, SIGN)},
    shape_class="pointwise",
    zero_gradient=True,
    memory_format="base",
    of_numbers=False,
)
def pow(input: Operand, exponent: Operand) -> Tensor:
    """input to the power exponent, elementwise.

    Args:
        input, exponent: tensors or numbers of broadcastable shapes.

    Returns:
        A tensor of the promoted dtype. A negative power of an integer is an error.
    """
    d = result_type(input, exponent)
    given = isinstance(exponent, Tracer)  # at launch, if it is a number
    if is_number(exponent) and d.kind in "iu" and (exponent.below_zero if given else exponent < 0):
        raise RuntimeError(
            f"pow(): 'exponent' must be at least 0 for integers; found {'a negative one' if given else exponent}"
        )
    if is_number(exponent) and d not in (dt.float32, dt.complex64):  # there it is passed on in float64
        check_range("pow", exponent, d)
    if is_number(exponent) and not given:
        (x,) = align(input, dtype=d)
        if d.kind != "b" and (simple := _simple_power(x, exponent)) is not None:
            return simple
    if d.kind == "b" and is_number(exponent):  # as in PyTorch, where two tensors of bools have no power
        x, e = align(input, exponent, dtype=d)
        return x | P.not_(e)
    check_kind("pow", d, "same", "b")
    a, b = align(input, exponent, dtype=d)
    return P.pow(a, b)


def _simple_power(x: Tracer, n: Any) -> Tracer | None:
    if n == 0:
        return filled(1, x)
    if n == 1:
        return x
    if n == 2:
        return x * x
    if n == 3:
        return x * x * x
    if x.dtype.kind not in "fc":
        return None
    if n == 0.5:
        return P.given(P.sqrt(x))
    if n == -0.5:
        return P.given(P.rsqrt(x))
    if n == -1:
        return P.given(P.reciprocal(x))
    if n == -2:
        return P.given(P.reciprocal(x * x))
    return None


@operator(
    inplace=True,
    specialize={"exponent": _SIMPLE},
    shape_class="pointwise",
    zero_gradient=True,
    memory_format="base",
    of_numbers=False,
)
def float_power(input: Operand, exponent: Operand) -> Tensor:
    """input to the power exponent in float64 (complex128 for complex operands), elementwise."""
    d = dt.complex128 if result_type(input, exponent).kind == "c" else dt.float64
    if is_number(exponent) and not isinstance(exponent, Tracer):
        (x,) = align(input, dtype=d)
        if (simple := _simple_power(x, exponent)) is not None:
            return simple
    a, b = align(input, exponent, dtype=d)
    return P.pow(a, b)


@pointwise(promote="float", refuse="c", aliases=("arctan2",))
def atan2(input: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (other, input), in (-pi, pi], elementwise."""
    return P.atan2(input, other)


@pointwise(promote="float", refuse="c")
def hypot(input: Tensor, other: Tensor) -> Tensor:
    """sqrt(input^2 + other^2) without undue overflow, elementwise; infinite for an infinity and a NaN, as in C."""

    def jvp(xs: Sequence[Tracer], y: Tracer, ts: Sequence[Tracer | None]) -> Tracer:
        # Beside an infinite operand that of a finite one is 0, which the phase of a complex number does not say.
        parts = [t * P.select(y == 0, 0, x / y) for x, t in zip(xs, ts, strict=True) if t is not None]
        return functools.reduce(Tracer.__add__, parts)

    wide = input.dtype.compute
    operands = convert(input, wide), convert(other, wide)
    return convert(with_rule(lambda a, b: P.abs(P.complex(a, b)), jvp, *operands, name="hypot"), input.dtype)


@pointwise(promote="float", inplace=False)
def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """log(exp(input) + exp(other)) without overflow, elementwise."""
    if input.dtype.kind == "c":
        first = P.real(input) >= P.real(other)
        high, low = P.select(first, input, other), P.select(first, other, input)
        top, bottom = P.real(high), P.real(low)
        nothing, everything = (top == -_math.inf) & (bottom == -_math.inf), (top == _math.inf) & (bottom == _math.inf)
        # (elsewhere of zeros: an exponential that overflows must not reach the gradient)
        limit = P.log(P.exp(P.select(everything, low, 0)) + P.exp(P.select(everything, high, 0)))
        found = P.select(everything, limit, high + P.log1p(P.exp(low - high)))
        none = (input != input) | (other != other)  # NaN in either part
        return P.select(none, filled(complex(_math.nan, _math.nan), found), P.select(nothing, low, found))
    # (half precision: one rounding)
    return _log_of_sum(input, other, 1.0, lambda x, y: P.log1p(P.exp(-P.abs(x - y))))


@pointwise(promote="float", refuse="c", inplace=False)
def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """log2(2^input + 2^other) without overflow, elementwise."""
    unit = _math.log(2.0)
    return _log_of_sum(input, other, unit, lambda x, y: P.log1p(P.exp2(-P.abs(x - y))) * filled(1 / unit, x))


def _log_of_sum(input: Tensor, other: Tensor, unit: float, more: Callable[[Tracer, Tracer], Tracer]) -> Tracer:
    """The larger and what the smaller adds to it; log(base) is `unit`."""

    def body(x: Tracer, y: Tracer) -> Tracer:
        big = P.max(x, y)
        return P.select(x == y, big + filled(_math.log(2.0) / unit, x), big + more(x, y))

    def jvp(xs: Sequence[Tracer], y: Tracer, ts: Sequence[Tracer | None]) -> Tracer:
        # Smooth at equal numbers too, where the larger of the two has a kink.
        distance = (xs[0] - xs[1]) * unit
        parts = [t * P.sigmoid(d) for t, d in zip(ts, (distance, -distance), strict=True) if t is not None]
        return functools.reduce(Tracer.__add__, parts)

    operands = [convert(x, input.dtype.compute) for x in (input, other)]
    return with_rule(body, jvp, *operands, name="logaddexp")


@pointwise(promote="float", refuse="c")
def deg2rad(input: Tensor) -> Tensor:
    """Degrees to radians, elementwise."""
    return input * filled(_math.pi / 180, input)


@pointwise(promote="float", refuse="c")
def rad2deg(input: Tensor) -> Tensor:
    """Radians to degrees, elementwise."""
    return input * filled(180 / _math.pi, input)


@operator(inplace=True, shape_class="pointwise")
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """log(x / (1 - x)), elementwise; eps: x is first brought into [eps, 1 - eps]."""
    refuse_kinds(input, "c", "logit")
    (x,) = align(input, dtype=input.dtype if input.dtype.kind in "fc" else default_dtype())
    if eps is not None:
        check_range("logit", eps, x.dtype)
        low, high = filled(eps, x), filled(1 - eps, x)
        x = P.select(x < low, low, P.select(x > high, high, x))  # (both bounds hold where eps is beyond 0.5: the first)

    def jvp(xs: Sequence[Tracer], y: Tracer, ts: Sequence[Tracer]) -> Tracer:
        # (That of the composition is 0 times infinity at the ends, where this one is infinite.)
        (v,) = xs
        return ts[0] * P.select((v < 0) | (v > 1), _math.nan, 1 / (v * (1 - v)))

    return with_rule(lambda v: P.log(v / (1 - v)), jvp, x, name="logit")


def _alternating(n: Tensor) -> Tensor:
    """(-1)^n of whole numbers, as floats."""
    half = n * 0.5
    return 1 - (half - P.floor(half)) * 4


@pointwise(promote="float")
def sinc(input: Tensor) -> Tensor:
    """sin(pi x) / (pi x), 1 at 0, elementwise."""
    v = convert(input, input.dtype.compute)  # half precision: one rounding, not four
    if v.dtype.kind != "c":
        # sin(pi v) is that of the distance to the next integer, which is exact, where the product with pi is not.
        # The spherical Bessel function: its derivatives are accurate near 0, where those of the quotient are not.
        near = P.abs(v) < 0.5
        finite = P.select(P.abs(v) == _math.inf, 0, v)
        whole = P.round(finite)
        rest = finite - whole
        lobe = P.spherical_j(rest * filled(_math.pi, v), n=0)
        return P.select(near, lobe, lobe * rest * _alternating(whole) / P.select(near, 1, v))
    zero = v == 0
    whole = P.round(P.real(v))
    rest = v - P.complex(whole, whole * 0)
    turned = P.complex(_alternating(whole), whole * 0)
    return P.select(zero, 1, P.sin(rest * filled(_math.pi, v)) * turned / filled(_math.pi, v) / P.select(zero, 1, v))


@operator(inplace=True, specialize={"value": (1,)}, shape_class="pointwise")
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """input + value * tensor1 * tensor2, elementwise."""
    x, a, b = align(input, tensor1, tensor2)
    refuse_kinds(x, "b", "addcmul")
    return convert(wide(x) + _times("addcmul", value, wide(a) * wide(b)), x.dtype)


@operator(inplace=True, specialize={"value": (1,)}, shape_class="pointwise")
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """input + value * tensor1 / tensor2, elementwise; floating point and complex dtypes."""
    x, a, b = align(input, tensor1, tensor2)
    if tensor1.dtype.kind not in "fc" and tensor2.dtype.kind not in "fc":
        raise RuntimeError(
            "addcdiv(): a quotient is no integer; convert 'tensor1' and 'tensor2' to a floating point dtype first, "
            "or use div(rounding_mode=...)"
        )
    return convert(wide(x) + _times("addcdiv", value, wide(a)) / wide(b), x.dtype)


def _times(name: str, value: Any, x: Tracer) -> Tracer:
    check_range(name, value, x.dtype)
    if isinstance(value, int) and value == 1:
        return x
    (v,) = align(value, dtype=x.dtype)
    return P.broadcast_in_dim(v, shape=x.var.shape, dims=()) * x


@operator(inplace=True, shape_class="pointwise")
def lerp(input: Tensor, end: Tensor, weight: Operand) -> Tensor:
    """input + weight * (end - input), computed from the nearer end, elementwise.

    Args:
        input, end: tensors of one floating point or complex dtype.
        weight: a number or a tensor of it; a 0-d tensor of any dtype, which takes part in type promotion.
    """
    check_argument(input.dtype is end.dtype, "lerp()", "end", f"be of the dtype of 'input', {input.dtype}", end.dtype)
    d = input.dtype
    if is_number(weight):
        check_range("lerp", weight, d.compute)
    elif isinstance(weight, Tensor) and weight.dtype is not d:
        check_argument(not weight.ndim, "lerp()", "weight", lambda: f"be of the dtype of 'input', {d}", weight.dtype)
        d = result_type(input, weight)
    if d.kind in "biu":
        raise undefined_for("lerp", d)
    x, y, w = align(input, end, weight, dtype=d.compute)
    way = y - x
    size = P.abs(w) if w.dtype.kind == "c" else w
    near = size < 0.5
    return convert(P.select(near, x + w * way, y - way * (1 - w)), d)


@operator(inplace=True, shape_class="pointwise")
def ldexp(input: Tensor, other: Tensor) -> Tensor:
    """input * 2**other, elementwise; an `other` of integers counts as input's float dtype (or the default one)."""
    if other.dtype.kind == "b" and input.dtype.kind == "f":
        raise undefined_for("ldexp", other.dtype)
    d = input.dtype if input.dtype.kind == "f" else default_dtype()
    d = result_type(input, other) if other.dtype.kind in "fc" else result_type(input, convert(other, d))
    x, e = align(input, other, dtype=d.compute)
    if d.kind == "c":
        return convert(x * P.exp2(e), d)
    # 2^e may overflow where the product does not, and 0 times it is 0: three factors, which are finite and not 0. They
    # are one where 2^e is normal, so that no product is rounded twice.
    least, most = -300.0, 300.0
    if d.compute is dt.float64:
        least, most = -2200.0, 2200.0
    normal = filled(126.0 if d.compute is dt.float32 else 1022.0, e)
    given, e = e, P.min(P.max(e, filled(least, e)), filled(most, e))
    third = P.select(P.abs(e) < normal, 0, P.trunc(e / 3))
    power = P.exp2(third)
    # An infinite exponent is a factor of infinity or 0, which times 0 or infinity is no number.
    last = P.select(P.abs(given) == _math.inf, P.max(given, 0), P.exp2(e - (third + third)))
    return convert(x * power * power * last, d)


@pointwise(promote="float", refuse="c", zero_gradient=True)
def copysign(input: Tensor, other: Operand) -> Tensor:
    """|input| with the sign of other, elementwise."""
    return P.copysign(input, other)


@pointwise(refuse="biuc", zero_gradient=True)
def nextafter(input: Tensor, other: Tensor) -> Tensor:
    """The next representable value after input towards other, elementwise."""
    if input.dtype is input.dtype.compute:
        return P.nextafter(input, other)
    # Half precision: the bits of values of one sign are ordered as integers are; next to 0 is the least value of
    # other's sign.
    bits, zero = P.bitcast(input, dtype=dt.int16), filled(0, input)
    one = filled(1, bits)
    away = (input < other) == (zero < input)
    moved = P.bitcast(P.select(away, bits + one, bits - one), dtype=input.dtype)
    moved = P.select(input == zero, P.copysign(P.bitcast(one, dtype=input.dtype), other), moved)
    moved = P.select(
        P.isnan(input) | (P.isnan(other) | (input == other)), P.select(P.isnan(input), input, other), moved
    )
    # The derivative is that of input: input plus a constant step, which float32 holds exactly.
    x, y = convert(input, input.dtype.compute), P.stop_gradient(convert(moved, input.dtype.compute))
    step = y - P.stop_gradient(x)
    plain = (P.abs(step) < filled(_math.inf, step)) & (y != 0)
    return P.select(plain, x + step, y)


@pointwise()
def nan_to_num(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """input with NaN, inf and -inf replaced (by default: 0, the largest and the smallest finite value), elementwise."""
    if input.dtype.kind not in "fc":
        return input
    if input.dtype.kind == "c":
        parts = [
            nan_to_num.definition.body.__wrapped__(P.real(input), nan, posinf, neginf),
            nan_to_num.definition.body.__wrapped__(P.imag(input), nan, posinf, neginf),
        ]
        return P.complex(*parts)
    big = finfo(input.dtype).max
    x = P.select(P.isnan(input), filled(0.0 if nan is None else nan, input), input)
    x = P.select(input == filled(_math.inf, input), filled(big if posinf is None else posinf, input), x)
    return P.select(input == filled(-_math.inf, input), filled(-big if neginf is None else neginf, input), x)


def times_logarithm(x: Tracer, y: Tracer, pole: float, name: str) -> Tracer:
    """x * log(y - pole), and 0 where x is 0 (NaN where y is NaN); pole: 0, or -1.

    What flows to x, and back from it, is a product of this kind with it in the place of x: where nothing flows it is
    nothing, whatever the logarithm.
    """
    logarithm = P.log1p if pole else P.log

    def body(x: Tracer, y: Tracer) -> Tracer:
        unsafe = (y <= filled(pole, y)) | (y == filled(_math.inf, y))
        return x * logarithm(P.select((x == 0) & unsafe, filled(pole + 1, y), y))

    def product(x: Tracer, y: Tracer) -> Tracer:
        def jvp(xs: Sequence[Var], ys: Sequence[Var], ts: Sequence[Var | None]) -> tuple[Var]:
            (x, y), (tx, ty) = map(tracer, xs), ts
            inside = (x == 0) & (y <= filled(pole, y))
            parts = [] if tx is None else [P.select(inside, 0, product(tracer(tx), y))]
            if ty is not None:
                at = y - filled(pole, y)
                parts.append(tracer(ty) * (x / P.select((x == 0) & (at == 0), 1, at)))
            return (functools.reduce(Tracer.__add__, parts).var,)

        def transpose(inputs: Sequence[Var | None], cotangents: Sequence[Var]) -> tuple[Var]:
            _, y = inputs  # (x is the tangent)
            assert y is not None
            return (product(tracer(cotangents[0]), tracer(y)).var,)

        def run(x: Var, y: Var) -> Var:
            return body(tracer(x), tracer(y)).var

        (made,) = P.custom_call(x, y, body=run, jvp=jvp, name=name, transpose=transpose)
        return made  # type: ignore[no-any-return]

    return product(x, y)


@pointwise(promote="float", refuse="c")
def xlogy(input: Operand, other: Operand) -> Tensor:
    """input * log(other), and 0 where input is 0 (NaN where other is NaN), elementwise; integers become the default
    float dtype.
    """
    return times_logarithm(input, other, 0.0, "xlogy")


_Frexp = return_type("frexp", "mantissa", "exponent")


@operator(shape_class="pointwise")
def frexp(input: Tensor) -> tuple[Tensor, Tensor]:
    """input = mantissa * 2**exponent with |mantissa| in [0.5, 1), elementwise; 0, infinities and NaN have exponent 0.

    Returns:
        A named tuple (mantissa, exponent): input's dtype, and int32.
    """
    check_kind("frexp", input.dtype, "same", "buic")
    x = convert(input, dt.float64)
    tiny = P.abs(x) < 2.0 ** (-1022)
    scaled = P.select(tiny, x * 2.0**54, x)  # subnormals have no exponent of their own
    bits = P.bitcast(P.stop_gradient(scaled), dtype=dt.int64)
    field = P.shr(bits, filled(52, bits)) & 2047
    exponent = field - P.select(tiny, filled(1022 + 54, bits), filled(1022, bits))
    odd = (x == 0) | (field == 2047)
    exponent = P.select(odd, 0, exponent)
    # 2**-exponent in two factors, since it may exceed the largest number.
    half = P.shr(exponent, filled(1, bits))
    mantissa = x
    for k in (half, exponent - half):
        factor = P.bitcast(P.shl(1023 - k, filled(52, bits)), dtype=dt.float64)
        mantissa = mantissa * factor
    return _Frexp(convert(mantissa, input.dtype), convert(exponent, dt.int32))


_WRITTEN_OUT = 16  # terms of a sum that a program holds one by one
_LAST_ORDER = 163  # of polygamma: beyond it the coefficients of the reflection to negative arguments are no float64


@operator(inplace=True, shape_class="pointwise", memory_format="rows")
def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension p, elementwise; integers become the default float
    dtype.

    log Gamma_p(a) = p (p - 1) / 4 log pi + sum of lgamma(a - j / 2) for j < p (Muirhead, "Aspects of Multivariate
    Statistical Theory", 1982).
    """
    check_least("mvlgamma", "p", p, 1)
    if p >= 1 << 31:  # so many terms an element, where PyTorch asks for a tensor of them
        raise RuntimeError(f"mvlgamma(): 'p' must be less than 2**31; found {p}")
    check_kind("mvlgamma", input.dtype, "same", "bc")
    (x,) = align(input, dtype=input.dtype if input.dtype.kind == "f" else default_dtype())
    x = convert(x, x.dtype.compute)
    total = filled(p * (p - 1) / 4 * _math.log(_math.pi), x)
    if p <= _WRITTEN_OUT:
        for j in range(p):
            total = total + P.lgamma(x - filled(j / 2, x))
    else:
        shape, n = (*x.var.shape, p), x.ndim
        halves = P.iota(shape=shape, dim=n, dtype=x.dtype) * expand_to(convert(0.5, x.dtype), shape)
        terms = P.lgamma(P.broadcast_in_dim(x, shape=shape, dims=tuple(range(n))) - halves)
        total = total + P.reduce_sum(terms, dims=(n,))
    return convert(total, input.dtype if input.dtype.kind == "f" else default_dtype())


def _polygamma(input: Tensor, n: int) -> Tensor:
    check_argument(0 <= n <= _LAST_ORDER, "polygamma()", "n", lambda: f"be at least 0 and at most {_LAST_ORDER}", n)
    check_kind("polygamma", input.dtype, "same", "c")
    (x,) = align(input, dtype=input.dtype if input.dtype.kind == "f" else default_dtype())
    return P.digamma(x) if n == 0 else P.polygamma(x, n=n)


@operator(method=False, shape_class="pointwise")
def polygamma(n: int, input: Tensor) -> Tensor:
    """The n-th derivative of digamma, elementwise; integers become the default float dtype."""
    return _polygamma(input, n)


@operator(name="polygamma", namespace=None, inplace=True, shape_class="pointwise")
def _polygamma_method(input: Tensor, n: int) -> Tensor:
    """The n-th derivative of digamma, elementwise: the method, whose tensor comes first."""
    return _polygamma(input, n)
