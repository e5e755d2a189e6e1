"""Vector mathematics emitted as LLVM IR: `emit(name, builder, args)` for each function in SUPPORTED.

The code emitted holds only IEEE arithmetic, fused multiply-adds, compares, selects and integer operations; it calls
nothing outside once compiled for a processor with FMA, is errno-free, keeps subnormals, and gives the same bits for
one lane as for sixteen. docs/accuracy.md states the error of each function. `fmod`, and the trigonometric functions of
huge arguments, add basic blocks: after `emit` the builder may stand in another block than before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.compiler.llvm import ir
from rushlight.compiler.vecmath import (
    bessel,
    bessel_orders,
    beta,
    complex_functions,
    elliptic,
    erf_lgamma,
    exponential,
    gamma,
    hypergeometric,
    rounding,
    trigonometric,
)
from rushlight.compiler.vecmath.base import F, Kit

FUNCTIONS: dict[str, Callable[..., F]] = {
    **exponential.FUNCTIONS,
    **trigonometric.FUNCTIONS,
    **erf_lgamma.FUNCTIONS,
    **bessel.FUNCTIONS,
    **elliptic.FUNCTIONS,
    **rounding.FUNCTIONS,
}
SUPPORTED: frozenset[str] = frozenset(FUNCTIONS)
SUPPORTED_COMPLEX: frozenset[str] = frozenset(complex_functions.FUNCTIONS) | frozenset(complex_functions.REAL_RESULT)
BINARY: frozenset[str] = frozenset({"pow", "atan2", "hypot", "fmod", "copysign", "nextafter"})


PARAMETRIC: dict[str, Callable[..., F]] = {
    **gamma.PARAMETRIC,
    **beta.PARAMETRIC,
    **elliptic.PARAMETRIC,
    **bessel_orders.PARAMETRIC,
    **hypergeometric.PARAMETRIC,
}


def arity(name: str) -> int:
    """How many arguments the function takes."""
    return 2 if name in BINARY else 1


def emit(name: str, b: ir.IRBuilder, args: Sequence[ir.Value]) -> ir.Value:
    """Emit the function `name` of `args` at the builder's position.

    Args:
        name: a member of SUPPORTED.
        b: the builder; it may be left at the end of a new block.
        args: `arity(name)` values of one type: float, double, or a vector of either.

    Returns:
        A value of the arguments' type.

    Raises:
        NotImplementedError: the name is not supported.
        TypeError: the number or the types of the arguments are wrong.
    """
    function = FUNCTIONS.get(name)
    if function is None:
        raise NotImplementedError(f"vecmath: no function named {name!r}")
    if len(args) != arity(name):
        raise TypeError(f"vecmath: {name} takes {arity(name)} arguments; found {len(args)}")
    if any(a.type != args[0].type for a in args):
        raise TypeError(f"vecmath: {name} takes arguments of one type; found {', '.join(str(a.type) for a in args)}")
    kit = Kit(b, args[0].type)
    return function(*(kit.f(a) for a in args)).v


def emit_parametric(name: str, b: ir.IRBuilder, args: Sequence[ir.Value], param: Any) -> ir.Value:
    """Emit the function `name`, a member of PARAMETRIC, of `args` as `emit` does, with its static parameter."""
    kit = Kit(b, args[0].type)
    return PARAMETRIC[name](*(kit.f(a) for a in args), param).v


def emit_complex(
    name: str, b: ir.IRBuilder, args: Sequence[tuple[ir.Value, ir.Value]]
) -> tuple[ir.Value, ir.Value] | ir.Value:
    """Emit the complex function `name` of `args`, pairs of real and imaginary part, at the builder's position.

    Args:
        name: a member of SUPPORTED_COMPLEX.
        b: the builder; it may be left at the end of a new block.
        args: two pairs for mul, div and pow, else one; all parts of one type: float, double, or a vector of either.

    Returns:
        The pair of the result's parts; for abs and angle the one value.

    Raises:
        NotImplementedError: the name is not supported.
        TypeError: the number or the types of the arguments are wrong.
    """
    if name not in SUPPORTED_COMPLEX:
        raise NotImplementedError(f"vecmath: no complex function named {name!r}")
    expected = 2 if name in complex_functions.BINARY else 1
    if len(args) != expected:
        raise TypeError(f"vecmath: complex {name} takes {expected} arguments; found {len(args)}")
    types = [part.type for z in args for part in z]
    if any(t != types[0] for t in types):
        raise TypeError(f"vecmath: complex {name} takes parts of one type; found {', '.join(map(str, types))}")
    kit = Kit(b, types[0])
    pairs = [(kit.f(re), kit.f(im)) for re, im in args]
    real = complex_functions.REAL_RESULT.get(name)
    if real is not None:
        return real(pairs[0]).v
    re, im = complex_functions.FUNCTIONS[name](*pairs)
    return re.v, im.v
