"""Scans along a dimension: running sums, products, extrema and log-sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.table.body import refuse_kinds, wrap_dim
from rushlight.operators.table.define import operator
from rushlight.operators.table.returns import return_type
from rushlight.operators.table.tracer import P, Tracer, convert, tracer
from rushlight.prims.base import take_along
from rushlight.program.ir import Var


def along(fn: Any, x: Tensor, dim: int, name: str) -> Any:
    """fn(x, dim) with the dimension wrapped, and a 0-d tensor seen as one of one element."""
    d = wrap_dim(dim, x.ndim, name)
    if x.ndim:
        return fn(x, d)
    out = fn(P.reshape(x, shape=(1,)), 0)
    if isinstance(out, tuple):
        return tuple(P.reshape(y, shape=()) for y in out)
    return P.reshape(out, shape=())


# An error of float32 in a running value stays in all that follow: 1e-5 of a sum of 10^5 numbers.
_RUNNING = {dt.float32: dt.float64, dt.complex64: dt.complex128, dt.complex32: dt.complex128}


def in_running_dtype(x: Tensor, dtype: dt.dtype) -> Tracer:
    """The elements of x, rounded to `dtype`, in the dtype in which their running sums, products and log-sums are kept;
    these are rounded once each.
    """
    return convert(convert(x, dtype), _RUNNING.get(dtype, dtype.compute))


def rounded(y: Any, dtype: dt.dtype) -> Tracer:
    """Running values in the dtype of the result, by way of the one that it is computed in."""
    return convert(convert(y, dtype.compute), dtype)


@operator(inplace=True, out_decides=True)
def cumsum(input: Tensor, dim: int, *, dtype: dt.dtype | None = None) -> Tensor:
    """The running sum along `dim`; integers and bools are summed in int64 unless `dtype` says otherwise."""
    d = dtype or (input.dtype if input.dtype.kind in "fc" else dt.int64)
    return rounded(along(lambda v, k: P.cumsum(v, dim=k, reverse=False), in_running_dtype(input, d), dim, "cumsum"), d)


@operator(inplace=True, out_decides=True)
def cumprod(input: Tensor, dim: int, *, dtype: dt.dtype | None = None) -> Tensor:
    """The running product along `dim`; integers and bools are multiplied in int64 unless `dtype` says otherwise."""
    d = dtype or (input.dtype if input.dtype.kind in "fc" else dt.int64)
    return rounded(
        along(lambda v, k: P.cumprod(v, dim=k, reverse=False), in_running_dtype(input, d), dim, "cumprod"), d
    )


def running(scan: Any, x: Tracer, dim: int) -> tuple[Tracer, Tracer]:
    """A running extremum and the index of the last element that ties with it."""

    def body(v: Var) -> tuple[Var, Var]:
        x = tracer(v)
        y = scan(x, dim=dim, reverse=False)
        won = x == y
        if x.dtype.kind == "f":
            won = won | P.isnan(x)
        at = P.iota(shape=v.shape, dim=dim, dtype=dt.int64)
        return y.var, P.cummax(P.select(won, at, 0), dim=dim, reverse=False).var

    def rule(inputs: Sequence[Var], outputs: Sequence[Var], tangents: Sequence[Var | None]) -> list[Var | None]:
        (t,) = tangents  # by the indices alone: the operand and the values may be overwritten
        return [None if t is None else take_along(t, outputs[1], dim), None]

    y, index = P.custom_call(x, body=body, jvp=rule, name="running extremum")
    return y, index


_Cummax, _Cummin = return_type("cummax", "values", "indices"), return_type("cummin", "values", "indices")


@operator()
def cummax(input: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """The running maximum along `dim` and the index of its last occurrence so far; a named tuple (values, indices)."""
    refuse_kinds(input, "c", "cummax")
    return _Cummax(*along(lambda v, k: running(P.cummax, v, k), input, dim, "cummax"))


@operator()
def cummin(input: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """The running minimum along `dim` and the index of its last occurrence so far; a named tuple (values, indices)."""
    refuse_kinds(input, "c", "cummin")
    return _Cummin(*along(lambda v, k: running(P.cummin, v, k), input, dim, "cummin"))


@operator()
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """log of the running sum of exp(input) along `dim`; floating point and complex dtypes."""
    refuse_kinds(input, "bui", "logcumsumexp")
    x = in_running_dtype(input, input.dtype)
    return rounded(along(lambda v, k: P.cumlogsumexp(v, dim=k, reverse=False), x, dim, "logcumsumexp"), input.dtype)
