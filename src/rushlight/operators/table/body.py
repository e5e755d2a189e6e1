"""Small helpers of operator bodies: derivatives of one's own, and the dtype to compute in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import tensor as _core
from rushlight.core.dtypes import float64
from rushlight.core.tensor import Tensor
from rushlight.operators.table.arguments import dim_out_of_range, repeated_dims, undefined_for
from rushlight.operators.table.tracer import P, Tracer, convert, default_dtype, filled, tracer, var_of
from rushlight.operators.table.types import Dims
from rushlight.program.ir import Var
from rushlight.program.sym import Int, prod

_KEYS = _core.get_keys_flag_mask()


def wide(x: Tensor) -> Tracer:
    """Half precision as float32, to be rounded once at the end; everything else as it is."""
    return convert(x, x.dtype.compute)


def double(x: Tensor) -> Tracer:
    """Real numbers as float64, to be rounded once at the end: for computations that lose more than half a digit in
    float32."""
    return convert(x, float64)


def floating(x: Tensor) -> Tracer:
    """Integers and bools in the default float dtype; everything else as it is."""
    return convert(x, default_dtype() if x.dtype.kind in "biu" else x.dtype)


def has_values(x: Tensor) -> bool:
    """Whether one can look at the numbers of a tensor: it is neither meta, nor a batch inside vmap, nor traced."""
    return not (x.is_meta or x._keys_ & (_KEYS["TRANSFORM"] | _KEYS["TRACE"]))


def with_rule(body: Callable[..., Tracer], jvp: Callable[..., Any], *inputs: Tensor, name: str) -> Tracer:
    """body(*inputs), one result, with a derivative of its own: jvp(inputs, output, tangents), all in tracers; a tangent
    is None where it is zero, but at least one is not."""

    def run(*xs: Var) -> Var:
        return body(*map(tracer, xs)).var

    def rule(xs: Any, ys: Any, ts: Any) -> tuple[Var | None]:
        t = jvp(tuple(map(tracer, xs)), tracer(ys[0]), tuple(None if v is None else tracer(v) for v in ts))
        return (None if t is None else t.var,)

    (y,) = P.custom_call(*inputs, body=run, jvp=rule, name=name)
    return y


def wrap_dim(dim: int, ndim: int, name: str) -> int:
    """A dimension in [0, ndim); IndexError outside of [-ndim, ndim)."""
    n = ndim or 1
    if type(dim) is not int:
        if isinstance(dim, (bool, float, str)) or not hasattr(dim, "__index__"):
            raise TypeError(f"{name}(): argument 'dim' must be int, not {type(dim).__name__}")
        dim = dim.__index__()
    if not -n <= dim < n:
        raise dim_out_of_range(name, dim, ndim)
    return dim % n


def wrap_dims(dims: Any, ndim: int, name: str, argument: str = "dim") -> tuple[int, ...]:
    """Distinct dimensions in [0, ndim), of one or several."""
    found = tuple(wrap_dim(d, ndim, name) for d in (dims if isinstance(dims, (tuple, list)) else (dims,)))
    if len(set(found)) != len(found):
        raise repeated_dims(name, dims, argument)
    return found


def dims_of(x: Tensor, dim: Dims, name: str, *, empty_is_all: bool = True) -> tuple[int, ...]:
    """The reduced dimensions, wrapped and sorted; None (and the empty sequence) means all."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim and empty_is_all):
        return tuple(range(x.ndim))
    dims = wrap_dims(dim, x.ndim, name)
    return tuple(sorted(dims)) if x.ndim else ()


def keep(y: Tracer, x: Tensor, dims: tuple[int, ...], keepdim: bool) -> Tracer:
    """Put the reduced dimensions back as size 1 when keepdim is set."""
    if not keepdim or not dims:
        return y
    return P.reshape(y, shape=tuple(1 if d in dims else s for d, s in enumerate(x.var.shape)))


def tracer_of_size(n: Any) -> Tracer | int:
    """A size as a value that can be converted: an int stays one, a symbol becomes a program value."""
    return n if isinstance(n, int) else tracer(var_of(n))


def spread(y: Tracer, x: Tracer, dims: tuple[int, ...]) -> Tracer:
    """A reduction of x over `dims`, repeated along them: the shape of x again."""
    return P.broadcast_in_dim(y, shape=x.var.shape, dims=tuple(d for d in range(x.ndim) if d not in dims))


def quotient(x: Any, n: Int) -> Tracer:
    """x // n for whole numbers 0 <= x < 2^50 and a size, in float64: by the reciprocal of n, which is computed once. (x
    + 0.5) / n differs from any whole number by at least half of 1 / n, and two roundings are less than that.
    """
    f = convert(x, dt.float64)
    return convert((f + 0.5) * P.reciprocal(filled(n, f)), x.dtype)


def refuse_kinds(x: Tensor, kinds: str, kernel: str) -> None:
    """NotImplementedError for a dtype kind that an operator does not take."""
    if x.dtype.kind in kinds:
        raise undefined_for(kernel, x.dtype)


def count_of(x: Tracer, dims: tuple[int, ...]) -> Int:
    """How many elements each result is made of."""
    return prod(x.var.shape[i] for i in dims)
