"""Complex numbers: conjugate and angle. (real, imag and the other views are in view.py, factories in creation.py.)"""

from __future__ import annotations

import math as _math

from rushlight.core.tensor import Tensor
from rushlight.operators._define import eager
from rushlight.operators._pointwise import pointwise
from rushlight.operators._tracer import P
from rushlight.operators.arithmetic import convert_like


@pointwise(name="conj_physical")
def _conj_physical(input: Tensor) -> Tensor:
    """The complex conjugate, elementwise; real input copied."""
    return P.conj(input) if input.dtype.kind == "c" else input


@eager(name="conj_physical", out=True, shape_class="pointwise")
def conj_physical(input: Tensor) -> Tensor:
    """The complex conjugate, elementwise; a real tensor is returned itself."""
    return _conj_physical(input) if input.is_complex() else input


@eager
def conj(input: Tensor) -> Tensor:
    """The complex conjugate, computed at once (there is no lazy conjugate bit); a real tensor is returned itself."""
    return input.conj_physical() if input.is_complex() else input


@eager
def resolve_conj(input: Tensor) -> Tensor:
    """input itself: conjugation is never lazy here."""
    return input


@eager
def resolve_neg(input: Tensor) -> Tensor:
    """input itself: negation is never lazy here."""
    return input


@eager
def is_conj(input: Tensor) -> bool:
    """False: conjugation is never lazy here."""
    return False


@eager
def is_neg(input: Tensor) -> bool:
    """False: negation is never lazy here."""
    return False


@pointwise(inplace=False, promote="float", result="real")
def angle(input: Tensor) -> Tensor:
    """The argument of a complex number in radians, in (-pi, pi]; for real input 0, pi for negatives, NaN for NaN."""
    if input.dtype.kind == "c":
        return P.atan2(P.imag(input), P.real(input))
    x = P.select(P.lt(input, convert_like(0, input)), convert_like(_math.pi, input), convert_like(0, input))
    return P.select(P.isnan(input), input, x)
