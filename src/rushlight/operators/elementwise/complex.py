"""Complex numbers: conjugate and angle. (real, imag and the other views are in view.py, factories in creation.py.)"""

from __future__ import annotations

import math as _math

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.table.checks import check_one_dtype
from rushlight.operators.table.define import eager, operator
from rushlight.operators.table.pointwise import pointwise
from rushlight.operators.table.tracer import P, Tracer, filled


@pointwise(name="conj_physical")
def _conj_physical(input: Tensor) -> Tensor:
    """The complex conjugate, elementwise; real input copied."""
    return P.conj(input) if input.dtype.kind == "c" else input


@eager(name="conj_physical", out=True, shape_class="pointwise")
def conj_physical(input: Tensor) -> Tensor:
    """The complex conjugate, elementwise; a real tensor is returned itself."""
    return _conj_physical(input) if input.is_complex() else input


@eager()
def conj(input: Tensor) -> Tensor:
    """The complex conjugate, computed at once (there is no lazy conjugate bit); a real tensor is returned itself."""
    return input.conj_physical() if input.is_complex() else input


def _never_lazy(short: str, what: str) -> None:
    def resolved(input: Tensor) -> Tensor:
        return input

    def waits(input: Tensor) -> bool:
        return False

    eager(name=f"resolve_{short}", doc=f"input itself: {what} is never lazy here.")(resolved)
    eager(name=f"is_{short}", doc=f"False: {what} is never lazy here.")(waits)


_never_lazy("conj", "conjugation")
_never_lazy("neg", "negation")


@pointwise(inplace=False, promote="float", result="real", zero_gradient=True)
def angle(input: Tensor) -> Tensor:
    """The argument of a complex number in radians, in (-pi, pi]; for real input 0, pi for negatives, NaN for NaN."""
    if input.dtype.kind == "c":
        return P.atan2(P.imag(input), P.real(input))
    x = P.select(input < 0, filled(_math.pi, input), 0)
    return P.select(P.isnan(input), P.stop_gradient(input), x)


def _parts(name: str, a: Tensor, b: Tensor) -> tuple[Tracer, Tracer]:
    from rushlight.operators.table.tracer import align

    check_one_dtype(f"{name}()", "the two tensors", a, b)
    if a.dtype not in (dt.float16, dt.float32, dt.float64):
        raise RuntimeError(f"{name}(): the tensors must be of dtype float16, float32 or float64; found {a.dtype}")
    x, y = align(a, b)
    return x, y


@operator(name="complex", method=False, shape_class="pointwise")
def complex_of(real: Tensor, imag: Tensor) -> Tensor:
    """real + imag * i, elementwise.

    Args:
        real, imag: tensors of one floating point dtype and broadcastable shapes.
    """
    return P.complex(*_parts("complex", real, imag))


@operator(method=False, shape_class="pointwise")
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """abs * (cos(angle) + i sin(angle)), elementwise.

    Args:
        abs, angle: tensors of one floating point dtype and broadcastable shapes; angle in radians.
    """
    r, a = _parts("polar", abs, angle)
    return P.complex(r * P.cos(a), r * P.sin(a))
