"""Small helpers of operator bodies: derivatives of one's own, and the dtype to compute in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core import tensor as _core
from rushlight.core.dtypes import float64
from rushlight.core.tensor import Tensor
from rushlight.operators._tracer import P, Tracer, convert, default_dtype, tracer
from rushlight.program.ir import Var

_KEYS = _core.get_keys_flag_mask()


def wide(x: Tensor) -> Tracer:
    """Half precision as float32, to be rounded once at the end; everything else as it is."""
    return convert(x, x.dtype.compute)


def double(x: Tensor) -> Tracer:
    """Real numbers as float64, to be rounded once at the end: for what loses more than a digit's half in float32."""
    return convert(x, float64)


def floating(x: Tensor) -> Tracer:
    """Integers and bools in the default float dtype; everything else as it is."""
    return convert(x, default_dtype() if x.dtype.kind in "biu" else x.dtype)


def has_values(x: Tensor) -> bool:
    """Whether one can look at the numbers of a tensor: it is neither meta, nor a batch inside vmap, nor traced."""
    return not (x.is_meta or x.keys & (_KEYS["TRANSFORM"] | _KEYS["TRACE"]))


def with_rule(body: Callable[..., Tracer], jvp: Callable[..., Any], *inputs: Tensor, name: str) -> Tracer:
    """body(*inputs), one result, with a derivative of its own: jvp(inputs, output, tangents), all in tracers; a tangent
    is None where it is zero, which the only one never is."""

    def run(*xs: Var) -> Var:
        return body(*map(tracer, xs)).var

    def rule(xs: Any, ys: Any, ts: Any) -> tuple[Var | None]:
        t = jvp(tuple(map(tracer, xs)), tracer(ys[0]), tuple(None if v is None else tracer(v) for v in ts))
        return (None if t is None else t.var,)

    (y,) = P.custom_call(*inputs, body=run, jvp=rule, name=name)
    return y
