"""Pointwise primitives: a table of names, dtypes and derivatives, and the rules that all of them share.

Operands have equal shapes and, except for select, convert and bitcast, equal dtypes; a number among them becomes a
constant of the others' shape and dtype. A derivative is written as mathematics of the operands and the result; a
tangent is the derivative times the
tangent. For complex numbers that is the derivative of a holomorphic function; the others (abs, sign, real, imag, conj,
complex) have rules of their own, linear over the real numbers. Transposition is with respect to the inner product
Re(sum(conj(a) * b)), so multiplication by z becomes multiplication by conj(z): the conjugate gradient, PyTorch's
convention.
"""

# mypy: disable-error-code="override"
# (the rules name the parameters of their primitive, where the base class says **params)
from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any, TypedDict, Unpack

from rushlight.core.dtypes import bool_, dtype, float16, float32, float64
from rushlight.prims.base import (
    add_any,
    check,
    constant_value,
    expand,
    full_like,
    instantiate,
    jointly_linear,
    made_by,
    move_dim,
    only,
    p,
    register,
    same_shape,
    zeros_like,
)
from rushlight.prims.base import conj as conjugate
from rushlight.prims.types import Batched, Operands, ShapeRule, Tangents
from rushlight.program.costs import CALLED, CHEAP, DIVISION, FUNCTION, GAMMA, POWER, REMAINDER, SOME, Cost
from rushlight.program.ir import ANY_NUMBERS, Hole, Primitive, Var
from rushlight.program.sym import Int

Derivative = Callable[..., Var | None]
ANY, NUMERIC, INEXACT, REAL, REAL_FLOAT, INTEGRAL = "buifc", "uifc", "fc", "buif", "f", "bui"


class Pointwise(Primitive):
    """A function of the corresponding elements of its operands.

    derivatives: one function of (operands..., result) per operand, giving the partial derivative, or None for zero.
    numbers: how many of them a byte of operands in dtypes for storage may hold (see `stored`).
    """

    kind = "pointwise"

    def stored(self, **params: Any) -> int:
        return self.numbers

    def __init__(
        self,
        name: str,
        arity: int,
        kinds: str,
        derivatives: Sequence[Derivative] | None = (),
        result: str = "same",
        rewrite: Callable[..., Var | None] | None = None,
        linear: tuple[int, ...] = (),
        cost: Cost = CHEAP,
        numbers: int = 0,
    ) -> None:
        self.name, self.arity, self.kinds, self.result, self.numbers = name, arity, kinds, result, numbers
        self.derivatives, self.rewrite, self.linear, self.cost = derivatives, rewrite, linear, cost

    def shape(self, *inputs: Var, **params: Any) -> ShapeRule:
        # (Half of all equations are checked here, so messages are made only when they are raised.)
        if len(inputs) != self.arity:
            check(False, self, f"expected {self.arity} operands; found {len(inputs)}")
        first = inputs[0]
        for v in inputs[1:]:
            if v.shape is not first.shape and (len(v.shape) != len(first.shape) or v.shape != first.shape):
                check(False, self, f"expected operands of one shape; found {first} and {v}")
            if v.dtype is not first.dtype:
                check(False, self, f"expected operands of one dtype; found {first} and {v}", TypeError)
        if first.dtype.kind not in self.kinds:
            check(False, self, f"not defined for {first.dtype.name}", TypeError)
        return [(first.shape, self.result_dtype(first.dtype))]

    def lift(self, inputs: Sequence[Any]) -> Sequence[Var]:
        like = next((v for v in reversed(inputs) if isinstance(v, Var)), None)
        return (
            super().lift(inputs) if like is None else [v if isinstance(v, Var) else full_like(like, v) for v in inputs]
        )

    def result_dtype(self, t: dtype) -> dtype:
        if self.result == "bool":
            return bool_
        return t.to_real() if self.result == "real" else t

    def simplify(self, *inputs: Var, **params: Any) -> Var | None:
        if self.rewrite is None or len(inputs) != self.arity:
            return None
        return self.rewrite(*inputs, **params)

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        if self.derivatives is None:
            raise NotImplementedError(f"{self.name}: the derivative is not implemented")
        total: Var | None = None
        for derivative, t in zip(self.derivatives, tangents, strict=False):
            if t is not None and (d := derivative(*inputs, *outputs, **params)) is not None:
                total = add_any(total, p.mul(t, d))
        return [total]

    def batch(self, inputs: Sequence[Var], dims: Sequence[int | None], size: Int, /, **params: Any) -> Batched:
        at = next(d for d in dims if d is not None)
        shape = next(v.shape for v, d in zip(inputs, dims, strict=True) if d == at)
        moved = [
            expand(v, shape, (at,)) if d is None else move_dim(v, d, at) for v, d in zip(inputs, dims, strict=True)
        ]
        return [self(*moved, **params)], [at]


class Linear(Pointwise):
    """A pointwise function that is linear over the real numbers in all its operands: the tangent of f is f of the
    tangents.
    """

    def __init__(
        self,
        name: str,
        arity: int,
        kinds: str,
        adjoints: Sequence[Callable[..., Var]],
        result: str = "same",
        rewrite: Callable[..., Var | None] | None = None,
    ) -> None:
        super().__init__(name, arity, kinds, (), result, rewrite, tuple(range(arity)))
        self.adjoints = adjoints

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        return jointly_linear(self, inputs, tangents, params)

    def transpose(self, cts: Tangents, inputs: Operands, **params: Any) -> Tangents:
        return [
            adjoint(cts[0]) if isinstance(v, Hole) else None for v, adjoint in zip(inputs, self.adjoints, strict=True)
        ]


class AddSub(Linear):
    """add and sub: a zero tangent on one side costs nothing."""

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        x, y = tangents
        if x is not None and y is not None:
            return [self(x, y)]
        return [x if y is None else y if self.name == "add" else p.neg(y)]


class Mul(Pointwise):
    """mul: linear in either operand."""

    def transpose(self, cts: Tangents, inputs: Operands, **params: Any) -> Tangents:
        x, y = inputs
        if isinstance(x, Hole):
            assert not isinstance(y, Hole), "mul: a product of two tangents is not linear"
            return [p.mul(cts[0], conjugate(y)), None]
        return [None, p.mul(cts[0], conjugate(x))]


class Div(Pointwise):
    """div: linear in the numerator."""

    def transpose(self, cts: Tangents, inputs: Operands, **params: Any) -> Tangents:
        y = inputs[1]
        assert isinstance(y, Var), "div: a quotient by a tangent is not linear"
        return [p.div(cts[0], conjugate(y)), None]

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        (_, y), (q,), (tx, ty) = inputs, outputs, tangents
        total = None if tx is None else p.div(tx, y)
        if ty is not None:  # d(x/y) = (dx - (x/y) dy) / y
            total = add_any(total, p.neg(p.div(p.mul(ty, q), y)))
        return [total]


class Select(Pointwise):
    """select(cond, x, y): x where cond, else y."""

    def __init__(self) -> None:
        super().__init__("select", 3, ANY, linear=(1, 2), numbers=ANY_NUMBERS)

    def shape(self, *inputs: Var, **params: Any) -> ShapeRule:
        check(len(inputs) == 3, self, lambda: f"expected 3 operands; found {len(inputs)}")
        cond, x, y = inputs
        check(cond.dtype is bool_, self, lambda: f"expected a bool condition; found {cond}", TypeError)
        check(x.dtype is y.dtype, self, lambda: f"expected operands of one dtype; found {x} and {y}", TypeError)
        check(
            cond.shape == x.shape and x.shape == y.shape,
            self,
            lambda: f"expected operands of one shape; found {cond}, {x} and {y}",
        )
        return [(x.shape, x.dtype)]

    def lift(self, inputs: Sequence[Any]) -> Sequence[Var]:
        return [*inputs[:1], *super().lift(inputs[1:])]

    def simplify(self, *inputs: Var, **params: Any) -> Var | None:
        cond, x, y = inputs
        if x is y and x.shape == cond.shape:
            return x
        known = constant_value(cond)
        return None if known is None or x.dtype is not y.dtype else x if known else y

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        (cond, x, y), (_, tx, ty) = inputs, tangents
        if tx is None and ty is None:
            return [None]
        return [self(cond, instantiate(tx, x), instantiate(ty, y))]

    def transpose(self, cts: Tangents, inputs: Operands, **params: Any) -> Tangents:
        (ct,), (cond, x, y) = cts, inputs
        assert ct is not None and isinstance(cond, Var), "select: the condition has no tangent"
        return [
            None,
            self(cond, ct, zeros_like(ct)) if isinstance(x, Hole) else None,
            self(cond, zeros_like(ct), ct) if isinstance(y, Hole) else None,
        ]


class Convert(Pointwise):
    """convert(x; dtype): the value in another dtype; complex to real takes the real part, anything to bool is x !=
    0.
    """

    def __init__(self) -> None:
        super().__init__("convert", 1, ANY, linear=(0,), numbers=ANY_NUMBERS)

    def shape(self, *inputs: Var, dtype: dtype) -> ShapeRule:
        check(len(inputs) == 1, self, lambda: f"expected 1 operand; found {len(inputs)}")
        for d in (inputs[0].dtype, dtype):
            check(
                inputs[0].dtype is dtype or d.format is None or d.format.parts == 1,
                self,
                lambda d=d: f"not defined for {d.name}",  # type: ignore[misc]
                NotImplementedError,
            )
        return [(inputs[0].shape, dtype)]

    def simplify(self, *inputs: Var, dtype: dtype) -> Var | None:
        (x,) = inputs
        if x.dtype is dtype:
            return x
        value = constant_value(x) if x.dtype.format is None and dtype.format is None else None
        # Rounding twice can differ from rounding once, so only values that every dtype holds exactly are folded.
        if (
            isinstance(value, (bool, int, float))
            and builtins.abs(value) <= 64
            and float(value).is_integer()
            and not (dtype.kind == "u" and value < 0)
            and not (value == 0 and math.copysign(1.0, value) < 0)
        ):
            kinds: dict[str, Any] = {"b": bool, "u": int, "i": int, "f": float, "c": builtins.complex}
            return full_like(Hole(Var(x.shape, dtype)), kinds[dtype.kind](value))
        return None

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        t = tangents[0]
        return [None if t is None or params["dtype"].kind not in "fc" else self(t, **params)]

    def transpose(self, cts: Tangents, inputs: Operands, **params: Any) -> Tangents:
        ct = only(cts)
        return [self(ct, dtype=inputs[0].dtype)]


class Bitcast(Pointwise):
    """bitcast(x; dtype): the same bits read as another dtype of the same size."""

    def __init__(self) -> None:
        super().__init__("bitcast", 1, ANY, numbers=ANY_NUMBERS)

    def shape(self, *inputs: Var, dtype: dtype) -> ShapeRule:
        (x,) = inputs
        check(
            x.dtype.itemsize == dtype.itemsize,
            self,
            lambda: f"{x.dtype.name} and {dtype.name} differ in size",
            TypeError,
        )
        return [(x.shape, dtype)]

    def simplify(self, *inputs: Var, dtype: dtype) -> Var | None:
        return inputs[0] if inputs[0].dtype is dtype else None


class Complex(Linear):
    """complex(re, im)."""

    def __init__(self) -> None:
        super().__init__("complex", 2, "f", (lambda ct: p.real(ct), lambda ct: p.imag(ct)))

    def result_dtype(self, t: dtype) -> dtype:
        check(t in (float16, float32, float64), self, lambda: f"not defined for {t.name}", TypeError)
        return t.to_complex()

    def simplify(self, *inputs: Var, **params: Any) -> Var | None:
        re, im = made_by(inputs[0], "real"), made_by(inputs[1], "imag")
        return re.inputs[0] if re is not None and im is not None and re.inputs[0] is im.inputs[0] else None


class Abs(Pointwise):
    """abs(x): for complex x the modulus, a real number; the derivative at 0 is 0."""

    def __init__(self) -> None:
        super().__init__("abs", 1, NUMERIC, (lambda x, y: p.sign(x),), "real", numbers=1)

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        (z,), (t,) = inputs, tangents
        if z.dtype.kind != "c" or t is None:
            return super().jvp(inputs, outputs, tangents)
        return [p.real(p.mul(t, p.conj(p.sign(z))))]  # d|z| = Re(conj(z) dz) / |z|


class Sign(Pointwise):
    """sign(x): -1, 0 or 1 (0 for NaN, as PyTorch); for complex z it is z / |z|, and 0 at 0."""

    def __init__(self) -> None:
        super().__init__("sign", 1, ANY)

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        (z,), (s,), (t,) = inputs, outputs, tangents
        if z.dtype.kind != "c" or t is None:
            return [None]
        r = p.abs(z)
        at_zero = p.eq(r, zeros_like(r))
        inverse = p.select(at_zero, zeros_like(r), p.reciprocal(p.select(at_zero, full_like(r, 1.0), r)))
        along = p.convert(p.real(p.mul(t, p.conj(s))), dtype=z.dtype)
        return [p.mul(p.sub(t, p.mul(along, s)), p.convert(inverse, dtype=z.dtype))]


class Extremum(Pointwise):
    """max and min (NaN wins); operands that tie get half of the derivative each, as PyTorch's maximum and minimum."""

    def __init__(self, name: str, loses: str) -> None:
        super().__init__(name, 2, REAL)
        self.loses = loses  # the comparison by which an operand loses against the other

    def jvp(self, inputs: Sequence[Var], outputs: Sequence[Var], tangents: Tangents, **params: Any) -> Tangents:
        total: Var | None = None
        x, y = inputs
        for a, b, t in ((x, y, tangents[0]), (y, x, tangents[1])):
            if t is not None:
                shared = p.select(p.eq(a, b), p.mul(t, full_like(t, 0.5)), t)
                total = add_any(total, p.select(getattr(p, self.loses)(a, b), zeros_like(t), shared))
        return [total]

    def simplify(self, *inputs: Var, **params: Any) -> Var | None:
        return inputs[0] if inputs[0] is inputs[1] else None


class Polygamma(Pointwise):
    """polygamma(x; n): the n-th derivative of digamma, n >= 1."""

    def __init__(self) -> None:
        super().__init__("polygamma", 1, "f", (lambda x, y, n: p.polygamma(x, n=n + 1),), cost=CALLED)

    def shape(self, *inputs: Var, **params: Any) -> ShapeRule:
        check(isinstance(params["n"], int) and params["n"] >= 1, self, f"expected an order n >= 1; found {params['n']}")
        return super().shape(*inputs)


# -- rewrites: only those that keep every bit (x + 0.0 is not x for x = -0.0) ------------------------------------------
def _number(v: Var) -> Any:
    value = constant_value(v)
    return None if isinstance(value, bool) and v.dtype.kind != "b" else value


def _add(x: Var, y: Var) -> Var | None:
    for a, b in ((x, y), (y, x)):
        if a.dtype.kind in "ui" and _number(b) == 0 and same_shape(a.shape, b.shape):
            return a
    return None


def _sub(x: Var, y: Var) -> Var | None:
    if (
        same_shape(x.shape, y.shape)
        and _number(y) == 0
        and x.dtype is y.dtype
        and (x.dtype.kind in "ui" or (x.dtype.kind == "f" and math.copysign(1.0, float(_number(y))) > 0))
    ):
        return x
    return None


def _mul(x: Var, y: Var) -> Var | None:
    for a, b in ((x, y), (y, x)):
        if a.dtype is b.dtype and a.dtype.kind in "uif" and _number(b) == 1 and same_shape(a.shape, b.shape):
            return a
    return None


def _div(x: Var, y: Var) -> Var | None:
    return (
        x if x.dtype is y.dtype and x.dtype.kind == "f" and _number(y) == 1 and same_shape(x.shape, y.shape) else None
    )


def _undone(name: str) -> Callable[[Var], Var | None]:
    return lambda x: None if (e := made_by(x, name)) is None else e.inputs[0]


def _pow(x: Var, y: Var) -> Var | None:
    if x.dtype is not y.dtype or x.dtype.kind == "b" or not same_shape(x.shape, y.shape):
        return None
    n = _number(y)
    if n == 1:
        return x
    if n == 2:
        return p.mul(x, x)
    return None


def _part(index: int) -> Callable[[Var], Var | None]:
    return lambda x: None if (e := made_by(x, "complex")) is None else e.inputs[index]


# -- derivatives -------------------------------------------------------------------------------------------------------
def _one(x: Var, *_: Var) -> Var:
    return full_like(x, 1.0)


def _acosh(x: Var, y: Var) -> Var:
    if x.dtype.kind == "c":  # sqrt(z^2 - 1) is on the wrong branch for Re z < 0
        return p.rsqrt(x - 1.0) * p.rsqrt(x + 1.0)
    return p.rsqrt(x * x - 1.0)


def _pow_base(x: Var, n: Var, y: Var) -> Var:
    # The inner select keeps x ** -1 at x = 0 (inf) out of the product 0 * inf where n is 0.
    flat = p.eq(n, 0.0)
    return p.select(flat, 0.0, n * p.pow(x, p.select(flat, 1.0, n - 1.0)))


def _pow_exponent(x: Var, n: Var, y: Var) -> Var:
    re = p.real(n) if n.dtype.kind == "c" else n
    flat = p.eq(x, 0.0) & (re > 0.0) | p.eq(x, 0.0) & p.eq(re, 0.0)
    return p.select(flat, 0.0, y * p.log(p.select(flat, 1.0, x)))


def _inverse_square(x: Var, y: Var) -> Var:
    square = x * x + y * y
    at_zero = p.eq(square, 0.0)  # PyTorch's atan2 has a gradient of 0 at the origin
    return p.select(at_zero, 0.0, 1.0 / p.select(at_zero, 1.0, square))


def _copysign(x: Var, y: Var, out: Var) -> Var:
    at_zero = p.eq(x, 0.0)
    return p.select(at_zero, 0.0, out / p.select(at_zero, 1.0, x))


class _Rest(TypedDict, total=False):
    """The options of Pointwise other than the derivatives."""

    result: str
    rewrite: Callable[..., Var | None]
    cost: Cost
    numbers: int


def _unary(name: str, kinds: str, derivative: Derivative | None = None, **rest: Unpack[_Rest]) -> Primitive:
    return register(Pointwise(name, 1, kinds, () if derivative is None else (derivative,), **rest))


def _binary(
    name: str, kinds: str, dx: Derivative | None = None, dy: Derivative | None = None, **rest: Unpack[_Rest]
) -> Primitive:
    zero: Derivative = lambda *_: None
    return register(Pointwise(name, 2, kinds, (dx or zero, dy or zero), **rest))


_2_SQRT_PI = 2.0 / math.sqrt(math.pi)

# One operand: x, and the result y.
exp = _unary("exp", INEXACT, lambda x, y: y, cost=FUNCTION)
exp2 = _unary("exp2", INEXACT, lambda x, y: y * math.log(2.0), cost=FUNCTION)
expm1 = _unary("expm1", INEXACT, lambda x, y: y + 1.0, cost=FUNCTION)
log = _unary("log", INEXACT, lambda x, y: 1.0 / x, cost=FUNCTION)
log2 = _unary("log2", INEXACT, lambda x, y: 1.0 / (x * math.log(2.0)), cost=FUNCTION)
log10 = _unary("log10", INEXACT, lambda x, y: 1.0 / (x * math.log(10.0)), cost=FUNCTION)
log1p = _unary("log1p", INEXACT, lambda x, y: 1.0 / (x + 1.0), cost=FUNCTION)
sqrt = _unary("sqrt", INEXACT, lambda x, y: 0.5 / y, cost=DIVISION)
rsqrt = _unary("rsqrt", INEXACT, lambda x, y: -0.5 * (y * y * y), cost=SOME)
reciprocal = _unary("reciprocal", INEXACT, lambda x, y: -(y * y), cost=SOME)
sin = _unary("sin", INEXACT, lambda x, y: p.cos(x), cost=FUNCTION)
cos = _unary("cos", INEXACT, lambda x, y: -p.sin(x), cost=FUNCTION)
tan = _unary("tan", INEXACT, lambda x, y: 1.0 + y * y, cost=FUNCTION)
asin = _unary("asin", INEXACT, lambda x, y: p.rsqrt(1.0 - x * x), cost=FUNCTION)
acos = _unary("acos", INEXACT, lambda x, y: -p.rsqrt(1.0 - x * x), cost=FUNCTION)
atan = _unary("atan", INEXACT, lambda x, y: 1.0 / (1.0 + x * x), cost=FUNCTION)
sinh = _unary("sinh", INEXACT, lambda x, y: p.cosh(x), cost=FUNCTION)
cosh = _unary("cosh", INEXACT, lambda x, y: p.sinh(x), cost=FUNCTION)
tanh = _unary("tanh", INEXACT, lambda x, y: 1.0 - y * y, cost=FUNCTION)
asinh = _unary("asinh", INEXACT, lambda x, y: p.rsqrt(x * x + 1.0), cost=FUNCTION)
acosh = _unary("acosh", INEXACT, _acosh, cost=FUNCTION)
atanh = _unary("atanh", INEXACT, lambda x, y: 1.0 / (1.0 - x * x), cost=FUNCTION)
erf = _unary("erf", REAL_FLOAT, lambda x, y: _2_SQRT_PI * p.exp(-(x * x)), cost=FUNCTION)
erfc = _unary("erfc", REAL_FLOAT, lambda x, y: -_2_SQRT_PI * p.exp(-(x * x)), cost=CALLED)
erfinv = _unary("erfinv", REAL_FLOAT, lambda x, y: (1.0 / _2_SQRT_PI) * p.exp(y * y), cost=CALLED)
lgamma = _unary("lgamma", REAL_FLOAT, lambda x, y: p.digamma(x), cost=GAMMA)
digamma = _unary("digamma", REAL_FLOAT, lambda x, y: p.polygamma(x, n=1), cost=GAMMA)
sigmoid = _unary("sigmoid", INEXACT, lambda x, y: y * (1.0 - y), cost=FUNCTION)
floor, ceil, round, trunc = (_unary(n, REAL) for n in ("floor", "ceil", "round", "trunc"))
not_ = _unary("not_", INTEGRAL, rewrite=_undone("not_"))
isnan = _unary("isnan", ANY, result="bool", numbers=1)
abs = register(Abs())
sign, polygamma = register(Sign()), register(Polygamma())

# Two operands: x, y, and the result z.
mul = register(Mul("mul", 2, ANY, (lambda x, y, z: y, lambda x, y, z: x), rewrite=_mul, linear=(0, 1), numbers=1))
div = register(Div("div", 2, INEXACT, rewrite=_div, linear=(0,), cost=DIVISION))
floordiv = _binary("floordiv", REAL, cost=REMAINDER)
rem = _binary("rem", REAL, _one, lambda x, y, z: -p.floor(x / y), cost=REMAINDER)
fmod = _binary("fmod", REAL, _one, lambda x, y, z: -p.trunc(x / y), cost=REMAINDER)
pow = _binary("pow", ANY, _pow_base, _pow_exponent, rewrite=_pow, cost=POWER)
atan2 = _binary(
    "atan2",
    REAL_FLOAT,
    lambda y, x, z: x * _inverse_square(x, y),
    lambda y, x, z: -y * _inverse_square(x, y),
    cost=FUNCTION,
)
max, min = register(Extremum("max", "lt")), register(Extremum("min", "gt"))
nextafter = _binary("nextafter", REAL_FLOAT, _one, cost=SOME)
copysign = _binary("copysign", REAL_FLOAT, _copysign)
# fma(x, y, z): x * y + z in one rounding.
fma = register(Pointwise("fma", 3, REAL_FLOAT, (lambda x, y, z, w: y, lambda x, y, z, w: x, _one)))
and_, or_, xor = (_binary(n, INTEGRAL) for n in ("and_", "or_", "xor"))
shl, shr = (_binary(n, "ui") for n in ("shl", "shr"))
eq, ne = (_binary(n, ANY, result="bool", numbers=1) for n in ("eq", "ne"))
lt, le, gt, ge = (_binary(n, REAL, result="bool") for n in ("lt", "le", "gt", "ge"))

# Linear over the real numbers; with each, the adjoint in every operand.
neg = register(Linear("neg", 1, NUMERIC, (lambda ct: p.neg(ct),), rewrite=_undone("neg")))
add = register(AddSub("add", 2, ANY, (lambda ct: ct, lambda ct: ct), rewrite=_add))
sub = register(AddSub("sub", 2, NUMERIC, (lambda ct: ct, lambda ct: p.neg(ct)), rewrite=_sub))
real = register(Linear("real", 1, "c", (lambda ct: p.complex(ct, zeros_like(ct)),), "real", _part(0)))
imag = register(Linear("imag", 1, "c", (lambda ct: p.complex(zeros_like(ct), ct),), "real", _part(1)))
conj = register(Linear("conj", 1, "c", (lambda ct: p.conj(ct),), rewrite=_undone("conj")))
complex = register(Complex())
select, convert, bitcast = register(Select()), register(Convert()), register(Bitcast())
