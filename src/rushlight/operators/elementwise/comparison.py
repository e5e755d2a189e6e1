"""Comparison, logic, bits, selection and bounds.

Bodies of the operators that Python's syntax calls name their primitives: infix would call the operators themselves.
"""

from __future__ import annotations

import functools
import math as _math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.dispatch import GoesTo
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.table.arguments import undefined_for
from rushlight.operators.table.body import with_rule
from rushlight.operators.table.checks import check_one_dtype, check_that
from rushlight.operators.table.define import METHODS, eager, operator
from rushlight.operators.table.pointwise import pointwise
from rushlight.operators.table.ranges import check_range, of_scalar_tensor
from rushlight.operators.table.tracer import (
    P,
    Tracer,
    align,
    align_beside,
    constant,
    convert,
    default_dtype,
    filled,
    is_number,
    result_type,
)
from rushlight.operators.table.types import Operand

_Primitive = Callable[..., Tensor]


def _binary(name: str, primitive: _Primitive, doc: str, **options: Any) -> None:
    """The operator that is a primitive of two operands, of which either may be a number."""

    def body(input: Operand, other: Operand) -> Tensor:
        return primitive(input, other)

    pointwise(name=name, **options, doc=doc)(body)


def _comparison(name: str, primitive: _Primitive, doc: str, **options: Any) -> None:
    """The operator that is a comparison of a tensor with an operand."""

    def body(input: Tensor, other: Operand) -> Tensor:
        return primitive(input, other)

    pointwise(name=name, result="bool", **options, doc=doc)(body)


for _name, _sign, _row in (
    ("eq", "==", {}),
    ("ne", "!=", {"aliases": ("not_equal",)}),
    ("lt", "<", {"aliases": ("less",), "refuse": "c"}),
    ("le", "<=", {"aliases": ("less_equal",), "refuse": "c"}),
    ("gt", ">", {"aliases": ("greater",), "refuse": "c"}),
    ("ge", ">=", {"aliases": ("greater_equal",), "refuse": "c"}),
):
    _dtypes = "; real dtypes" if "refuse" in _row else ""
    _comparison(_name, getattr(P, _name), f"input {_sign} other, elementwise, as bool{_dtypes}.", **_row)


@pointwise(inplace=False, result="bool")
def isnan(input: Tensor) -> Tensor:
    """Whether elements are NaN."""
    if input.dtype.kind == "c":
        return P.isnan(P.real(input)) | P.isnan(P.imag(input))
    return P.isnan(input) if input.dtype.kind == "f" else input != input


def _is_infinite(x: Tensor) -> Tensor:
    if x.dtype.kind == "c":
        return _is_infinite(P.real(x)) | _is_infinite(P.imag(x))
    return P.abs(x) == _math.inf if x.dtype.kind == "f" else x != x


@pointwise(inplace=False, result="bool")
def isinf(input: Tensor) -> Tensor:
    """Whether elements are infinite."""
    return _is_infinite(input)


@pointwise(inplace=False, result="bool", refuse="c")
def isposinf(input: Tensor) -> Tensor:
    """Whether elements are positive infinity."""
    return input == filled(_math.inf, input) if input.dtype.kind == "f" else input != input


@pointwise(inplace=False, result="bool", refuse="c")
def isneginf(input: Tensor) -> Tensor:
    """Whether elements are negative infinity."""
    return input == filled(-_math.inf, input) if input.dtype.kind == "f" else input != input


@pointwise(inplace=False, result="bool")
def isfinite(input: Tensor) -> Tensor:
    """Whether elements are neither infinite nor NaN."""
    bad = input != input if input.dtype.kind != "c" else P.isnan(P.real(input)) | P.isnan(P.imag(input))
    return P.not_(bad | _is_infinite(input))


@pointwise(inplace=False, result="bool")
def isreal(input: Tensor) -> Tensor:
    """Whether elements have no imaginary part."""
    return P.imag(input) == 0 if input.dtype.kind == "c" else convert(input, dt.uint8) == convert(input, dt.uint8)


@pointwise(inplace=False, result="bool", refuse="c")
def signbit(input: Tensor) -> Tensor:
    """Whether the sign bit is set (true for -0.0)."""
    if input.dtype.kind == "f":
        return P.copysign(filled(1, input), input) < 0
    return input < 0 if input.dtype.kind == "i" else input != input


@operator(shape_class="pointwise")
def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether |input - other| <= atol + rtol * |other|, elementwise.

    Args:
        input, other: tensors of one dtype.
        rtol, atol: not negative.
        equal_nan: NaNs are close to one another.
    """
    check_one_dtype("isclose()", "'input' and 'other'", input, other)
    check_that(rtol >= 0 and atol >= 0, "isclose()", "'rtol' and 'atol'", "be at least 0", lambda: f"{rtol} and {atol}")
    a, b = align(input, other)
    close = a == b  # infinities are close to themselves alone, and integers beyond 2^53 exactly
    x, y = (a, b) if a.dtype.kind in "fc" else (convert(a, dt.float64), convert(b, dt.float64))
    if rtol or atol:
        gap, size = P.abs(x - y), P.abs(y * rtol)  # (the modulus of y itself may overflow)
        bound = atol + size
        close = close | (gap < filled(_math.inf, gap)) & (gap <= bound)
    return close | (x != x) & (y != y) if equal_nan else close


def _truth(x: Tracer) -> Tracer:
    return convert(x, dt.bool_)  # not x != 0: float8_e8m0fnu has no zero to compare with


def _logical(name: str, prim: Callable[..., Tracer], what: str) -> None:
    def body(input: Tensor, other: Tensor) -> Tensor:
        a, b = align(input, other)
        return prim(_truth(a), _truth(b))

    operator(name=name, inplace=True, shape_class="pointwise", doc=f"{what} as truth values, elementwise.")(body)


_logical("logical_and", P.and_, "input and other")
_logical("logical_or", P.or_, "input or other")
_logical("logical_xor", P.xor, "input != other")


@operator(inplace=True, shape_class="pointwise")
def logical_not(input: Tensor) -> Tensor:
    """Whether elements are zero."""
    return P.not_(_truth(align(input)[0]))


@pointwise(promote="int")
def bitwise_not(input: Tensor) -> Tensor:
    """~input, elementwise; integers and bools."""
    return P.not_(input)


_INTEGERS: dict[str, Any] = {"promote": "int"}
_SHIFTED: dict[str, Any] = {"promote": "int", "refuse": "b"}
_binary("bitwise_and", P.and_, "input & other, elementwise; integers and bools.", **_INTEGERS)
_binary("bitwise_or", P.or_, "input | other, elementwise; integers and bools.", **_INTEGERS)
_binary("bitwise_xor", P.xor, "input ^ other, elementwise; integers and bools.", **_INTEGERS)
_binary(
    "bitwise_left_shift",
    P.shl,
    "input << other, elementwise; integers. Shifts outside of the width give 0.",
    **_SHIFTED,
)
_binary(
    "bitwise_right_shift",
    P.shr,
    "input >> other, elementwise; integers. Shifts outside of the width give 0 or -1.",
    **_SHIFTED,
)
_binary(
    "floor_divide",
    P.floordiv,
    "floor(input / other), elementwise; integer division by zero is an error.",
    refuse="c",
    zero_gradient=True,
    wide=True,
    of_numbers=True,
)


@operator(
    method=False,
    register=True,
    namespace=None,
    out=False,
    name="_rfloordiv",
    shape_class="pointwise",
    zero_gradient=True,
)
def _rfloordiv(input: Operand, other: Operand) -> Tensor:
    """floor(other / input): the reflected // operator."""
    a, b = align(other, input)
    return P.floordiv(a, b)


@operator(method=False, namespace=None, out=False, name="_rdiv", shape_class="pointwise")
def _rdiv(input: Operand, other: Operand) -> Tensor:
    """other * (1 / input): the reflected / operator."""
    d = result_type(input, other)
    d = d if d.kind in "fc" else default_dtype()
    x, y = align_beside(d, P.kept(P.reciprocal(convert(input, d))), other, wide=(1,))
    return convert(x * y, d)


_binary("remainder", P.rem, "The remainder of floored division, with the sign of other, elementwise.", refuse="c")


@pointwise(refuse="c")
def fmod(input: Tensor, other: Operand) -> Tensor:
    """The remainder of truncated division, with the sign of input, elementwise."""
    return P.fmod(input, other)


def _extremes(imum: str, short: str, larger: str, best: _Primitive, of_bools: _Primitive, ahead: _Primitive) -> None:
    """The operators of two operands that give one of them: with NaN where either is, and without."""

    def either(input: Tensor, other: Tensor) -> Tensor:
        return of_bools(input, other) if input.dtype.kind == "b" else best(input, other)

    def number(input: Tensor, other: Tensor) -> Tensor:
        if input.dtype.kind != "f":
            return either(input, other)
        return P.select(ahead(input, other) | P.isnan(other), input, other)

    for name, body, nan in (
        (imum, either, "NaN if either is NaN"),
        (short, number, "the number where one is NaN, and input where both are equal"),
    ):
        pointwise(name=name, refuse="c", inplace=False, doc=f"The {larger}, elementwise; {nan}.")(body)


_extremes("maximum", "fmax", "larger", P.max, P.or_, P.ge)
_extremes("minimum", "fmin", "smaller", P.min, P.and_, P.le)


@operator(inplace=True, aliases=("clip",), shape_class="pointwise")
def clamp(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """input bounded below by min and above by max (max wins), elementwise.

    Args:
        input: real tensor.
        min, max: number, tensor or None; at least one.
    """
    check_that(min is not None or max is not None, "clamp()", "'min' or 'max'", "be given", "None for both")
    d = result_type(*[x for x in (input, min, max) if x is not None])
    if d.kind == "c":
        raise NotImplementedError("clamp(): complex numbers have no order; 'input', 'min' and 'max' must be real")
    for bound in (min, max):
        if is_number(bound):
            if d.kind == "b":
                raise undefined_for("clamp", d)
            check_range("clamp", bound, d)
    used = [x for x in (input, min, max) if x is not None]
    above, below = min is not None, max is not None

    def body(x: Tracer, *bounds: Tracer) -> Tracer:
        x = P.max(bounds[0], x) if above else x
        return P.min(bounds[-1], x) if below else x

    def jvp(xs: Sequence[Tracer], y: Tracer, ts: Sequence[Tracer | None]) -> Tracer:
        """As PyTorch's: nothing comes from a NaN, and of bounds that are out of order everything from the upper one."""
        x, *bounds = xs
        parts = []
        inside, low, high = [], bounds[0], bounds[-1]
        if below:
            parts.append((P.gt(x, high) | P.lt(high, low) if above else P.gt(x, high), ts[-1]))
            inside.append(P.le(x, high))
        if above:
            parts.append((P.lt(low, high) & P.lt(x, low) if below else P.lt(x, low), ts[1]))
            inside.append(P.ge(x, low))
        parts.append((functools.reduce(P.and_, inside), ts[0]))
        t = filled(0, y)
        for chosen, tangent in parts:
            t = t if tangent is None else P.select(chosen, tangent, t)
        return t

    operands = align(*used, dtype=d)
    return with_rule(body, jvp, *operands, name="clamp") if d.kind == "f" else body(*operands)


@operator(inplace=True, shape_class="pointwise")
def clamp_min(input: Tensor, min: Operand) -> Tensor:
    """input bounded below by min, elementwise."""
    return clamp(input, min)


@operator(inplace=True, shape_class="pointwise")
def clamp_max(input: Tensor, max: Operand) -> Tensor:
    """input bounded above by max, elementwise."""
    return clamp(input, None, max)


@operator(name="_where", namespace=None, method=False, shape_class="pointwise")
def _where(condition: Tensor, input: Operand, other: Operand) -> Tensor:
    """input where condition holds, other elsewhere."""
    if condition.dtype.kind != "b" and condition.dtype is not dt.uint8:
        raise RuntimeError(f"where(): 'condition' must be of dtype torch.bool; found {condition.dtype}")
    if condition.dtype is dt.uint8:
        warn("where(): a condition of dtype uint8 is deprecated; make it bool", once="where with uint8")
    d = result_type(input, other)
    from rushlight.operators.table.tracer import broadcast_shapes, expand_to

    for x in (input, other):
        if is_number(x):
            check_range("where", x, of_scalar_tensor(d))
    shape = broadcast_shapes(*[x.shape for x in (condition, input, other) if isinstance(x, Tensor)])
    return P.select(
        expand_to(convert(condition, dt.bool_), shape),
        expand_to(convert(input, d), shape),
        expand_to(convert(other, d), shape),
    )


@eager(method=False, out=True, shape_class="pointwise")
def where(
    condition: Tensor, input: Operand | None = None, other: Operand | None = None, out: Tensor | None = None
) -> Any:
    """input where condition holds, other elsewhere; with condition alone, the indices of its nonzero elements.

    Args:
        condition: bool tensor.
        input, other: tensors or numbers of shapes that broadcast with it.

    Returns:
        A tensor of the promoted dtype, or a tuple of index tensors.
    """
    if input is None and other is None:
        if out is not None:
            raise TypeError("where(): 'out' needs 'input' and 'other'; found neither")
        return condition.nonzero(as_tuple=True)
    if input is None or other is None:
        raise TypeError("where(): 'input' and 'other' go together; found one of them")
    return _where(condition, input, other, out=out) if out is not None else _where(condition, input, other)


@eager(name="where", namespace=None, shape_class="pointwise")
def _where_method(input: Tensor, condition: Tensor, other: Operand) -> Tensor:
    """self where condition holds, other elsewhere."""
    return _where(condition, input, other)


@operator(inplace=True, shape_class="pointwise")
def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 where input < 0, values where it is 0, 1 where input > 0; both of one dtype."""
    check_one_dtype("heaviside()", "'input' and 'values'", input, values)
    x, v = align(input, values)
    zero = filled(0, x)
    return P.select(
        x == zero, v, P.select(P.isnan(x) if x.dtype.kind == "f" else x != x, zero, convert(x > zero, x.dtype))
    )


# Euclid's algorithm, some steps per program: by Lamé's theorem 93 steps serve 64-bit integers, and a program of all of
# them would take seconds to compile.
_STEPS = {1: 13, 2: 24, 4: 47, 8: 93}
_STEPS_A_PROGRAM = 8


@operator(name="_euclid_start", namespace=None, method=False, out=False, shape_class="pointwise")
def _euclid_start(input: Tensor, other: Tensor, name: str) -> tuple[Tensor, Tensor]:
    """|input| and |other| in one shape and dtype: the common one, or int32, which holds 2**7 and 2**15, too."""
    d = result_type(input, other)
    if d.kind not in "iu":
        raise NotImplementedError(
            f"{name}(): 'input' and 'other' must be of an integer dtype; found {input.dtype} and {other.dtype}"
        )
    a, b = align(input, other, dtype=dt.int32 if d in (dt.int8, dt.int16) else d)
    return (P.abs(a), P.abs(b)) if d.kind == "i" else (a, b)


@operator(name="_euclid", namespace=None, method=False, out=False, shape_class="pointwise")
def _euclid(input: Tensor, other: Tensor, steps: int) -> tuple[Tensor, Tensor]:
    """`steps` steps of Euclid's algorithm on pairs of one shape, none negative but the least integer, which has no
    opposite and makes remainders negative.
    """
    a, b = input, other
    zero, one = filled(0, a), filled(1, a)
    for _ in range(steps):
        done = b == zero
        r = P.rem(a, P.select(done, one, b))
        a, b = P.select(done, a, b), P.select(done, zero, r)
    return (P.abs(a), b) if a.dtype.kind == "i" else (a, b)


@operator(name="_lcm_of", namespace=None, method=False, out=False, shape_class="pointwise")
def _lcm_of(input: Tensor, other: Tensor, divisor: Tensor) -> Tensor:
    """|input / divisor * other|, 0 where divisor is 0, of whose dtype no bit is lost before the result's."""
    d = result_type(input, other)
    a, b, g = align(input, other, divisor)
    zero, one = filled(0, a), filled(1, a)
    product = P.floordiv(a, P.select(g == zero, one, g)) * b
    return convert(P.abs(product) if a.dtype.kind == "i" else product, d)


@eager(out=True, shape_class="pointwise")
def gcd(input: Tensor, other: Tensor) -> Tensor:
    """The greatest common divisor, elementwise, not negative; integers.

    Args:
        input, other: integer tensors of broadcastable shapes.
    """
    d = result_type(input, other)
    found = _gcd(input, other, "gcd")
    return found if found.dtype is d else METHODS["to"](found, d)


def _gcd(input: Tensor, other: Tensor, name: str) -> Tensor:
    """The divisor in the dtype that it is computed in."""
    a, b = _euclid_start(input, other, name)
    left = _STEPS[result_type(input, other).itemsize]
    while left > 0:
        a, b = _euclid(a, b, min(left, _STEPS_A_PROGRAM))
        left -= _STEPS_A_PROGRAM
        if not b._keys_ and left > 0 and not METHODS["any"](b).item():
            break  # few numbers need more steps; one whose value is not known may
    return a


@eager(out=True, shape_class="pointwise")
def lcm(input: Tensor, other: Tensor) -> Tensor:
    """The least common multiple, elementwise, not negative; integers.

    Args:
        input, other: integer tensors of broadcastable shapes.
    """
    return _lcm_of(input, other, _gcd(input, other, "lcm"))


def _write(name: str, input: Tensor, other: Tensor, of: Any) -> Tensor:
    d = result_type(input, other)
    if not dt.can_cast(d, input.dtype):
        raise RuntimeError(f"{name}(): the result, of dtype {d}, cannot be written to a tensor of {input.dtype}")
    return input.copy_(of(input, other))


@eager(namespace=(None, ""))
def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """gcd, written to input."""
    return _write("gcd_", input, other, gcd)


@eager(namespace=(None, ""))
def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """lcm, written to input."""
    return _write("lcm_", input, other, lcm)


@operator(name="equal", register=False)
def _equal(input: Tensor, other: Tensor) -> Tensor:
    """Whether shapes and all elements are equal, as a tensor."""
    a, b = input.var.shape, other.var.shape
    if len(a) != len(b) or any(m != n for m, n in zip(a, b, strict=True)):
        return constant(False, (), dt.bool_)
    return (input == other).all()


@eager()
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same shape and equal elements (NaN is not equal to NaN).

    Args:
        input, other: tensors; of two dtypes they are compared in the one that they promote to.

    Returns:
        A Python bool.
    """
    return bool(_equal(input, other).item())


equal.usually(GoesTo(equal, _equal, value=True))


@eager()
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether isclose(input, other) holds for every element; a Python bool."""
    return bool(isclose(input, other, rtol, atol, equal_nan).all().item())
