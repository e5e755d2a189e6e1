"""Factories of sequences and of what is made of indices: arange, linspace, eye, triangles."""

from __future__ import annotations

import math
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.dispatch import Operator
from rushlight.core.factory import Counted, Spaced, triangle
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.creation.creation import python_number
from rushlight.operators.creation.placement import NEW, Options, check_options, into_out, place, raw_empty
from rushlight.operators.table.arguments import int_argument
from rushlight.operators.table.checks import check_least
from rushlight.operators.table.define import METHODS, eager, operator
from rushlight.operators.table.ranges import check_range
from rushlight.operators.table.tracer import P, Tracer, convert, default_dtype, expand_to, tracer, var_of
from rushlight.operators.table.types import Device, DType, Layout, Number, Whole
from rushlight.operators.tensors.interop import moved
from rushlight.program.ir import Builder
from rushlight.program.sym import Int, Sym


def _row(n: Int, dtype: dt.dtype) -> Tracer:
    return P.iota(shape=(n,), dim=0, dtype=dtype)


def _affine(n: Int, start: Any, step: Any, dtype: dt.dtype) -> Tracer:
    # Floating point sequences are computed in float64 and rounded once.
    compute = (
        dt.int64
        if dtype.kind in "iub" and not any(isinstance(x, Tracer) and x.dtype.kind == "f" for x in (start, step))
        else dt.float64
    )
    row = _row(n, compute) * expand_to(convert(step, compute), (n,)) + expand_to(convert(start, compute), (n,))
    return convert(row, dtype)


@operator(name="arange", register=False)
def _arange(n: Whole, start: Number, step: Number, *, dtype: dt.dtype) -> Tensor:
    """start + step * (0, 1, ... n - 1)."""
    return _affine(n, start, step, dtype)


@eager(method=False, out=True, options=NEW)
def arange(start: Any = None, end: Any = None, step: Any = 1, *options: Any, out: Tensor | None = None) -> Tensor:
    """The numbers start, start + step, ... below end: arange(end), arange(start, end), arange(start, end, step).

    Args:
        start, end, step: numbers.
        dtype: default int64 when all are ints, else the default dtype.

    Raises:
        RuntimeError: for a step of 0 or of the wrong sign.
    """
    if end is None:
        start, end = 0, start
    if end is None:
        raise TypeError("arange() missing 1 required positional argument: 'end'")
    if start is None:
        start = 0
    dtype, _, device, _, _ = options
    start, end, step = (python_number(x, "arange", n) for x, n in ((start, "start"), (end, "end"), (step, "step")))
    new = Options(*options).checked("arange")
    if Builder.active():
        return _traced_arange(start, end, step, dtype)
    if dtype is None and out is None:
        dtype = dt.int64 if all(isinstance(x, int) for x in (start, end, step)) else default_dtype()
    target = out.dtype if out is not None else dtype
    _check_range("arange", start, end, step)
    if target.kind in "iu":
        # As in PyTorch (and NumPy), fractions of the numbers count for how many elements a narrow dtype gets, but not
        # for int64.
        whole = target is dt.int64 or all(isinstance(x, int) for x in (start, end, step))
        n = 0 if whole else math.ceil((end - start) / step)
        start, end, step = int(start), int(end), int(step)
        if whole:
            if step == 0:
                raise ValueError(f"arange(): 'step' must not be less than 1 in magnitude for dtype {target}")
            n = max(0, -((start - end) // step))
    else:
        n = math.ceil((end - start) / step)
    if out is not None:
        into_out("arange", out, (n,), dtype)
        return out if n == 0 else METHODS["copy_"](out, _arange(n, start, step, dtype=target))
    where = place("arange", device)
    if where.type != "cpu" or n == 0:
        t = raw_empty("arange", (n,), target, where)
        if where.type not in ("cpu", "meta"):
            METHODS["copy_"](t, _arange(n, start, step, dtype=target))
    else:
        t = _arange(n, start, step, dtype=target)
    return new.finish(t)


arange.usually(Counted(arange, _arange))


def _check_range(name: str, start: Any, end: Any, step: Any) -> None:
    if step == 0:
        raise RuntimeError(f"{name}(): 'step' must not be 0")
    if not all(isinstance(x, int) or math.isfinite(x) for x in (start, end)):
        raise RuntimeError(f"{name}(): 'start' and 'end' must be finite; found {start} and {end}")
    if (end < start) if step > 0 else (end > start):
        raise RuntimeError(
            f"{name}(): 'step' must lead from 'start' to 'end'; found start {start}, end {end}, step {step}"
        )


def _traced_arange(start: Any, end: Any, step: Any, dtype: dt.dtype) -> Tracer:
    if any(isinstance(x, (float, Tensor)) for x in (start, end, step)):
        raise RuntimeError("arange(): 'start', 'end' and 'step' must be ints inside a traced operator")
    n = (end - start + step - 1) // step if isinstance(step, Sym) or step > 0 else (start - end - step - 1) // -step
    return _affine(
        n,
        tracer(var_of(start)) if isinstance(start, Sym) else start,
        tracer(var_of(step)) if isinstance(step, Sym) else step,
        dtype or dt.int64,
    )


@eager(name="range", method=False, out=True, options=NEW)
def inclusive_range(start: Any = 0, end: Any = None, step: Any = 1, *options: Any, out: Tensor | None = None) -> Tensor:
    """start, start + step, ... up to and including end; deprecated in favour of arange."""
    warn(
        "range() includes its end, unlike Python's, and is deprecated for that; use arange(), whose end is exclusive",
        UserWarning,
    )
    if end is None:
        start, end = 0, start
    new = Options(*options).checked("range")
    _check_range("range", start, end, step)
    target = new.dtype or (out.dtype if out is not None else default_dtype())
    if target.kind in "iu":
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise RuntimeError(f"range(): 'step' must not be less than 1 in magnitude for dtype {target}")
    n = math.floor((end - start) / step) + 1
    t = _arange(n, start, step, dtype=target)
    return new.finish(t if new.device is None else METHODS["to"](t, new.device), "range", out)


def _steps(first: Tracer, last: Tracer, n: Int) -> Tracer:
    """n numbers from first to last, both halves counted from their own end so that the last is exactly `last`.

    Step and sums are rounded as PyTorch's: the product and the sum at once in float32 and float64, each by itself in
    half precision; complex numbers by their parts.
    """
    if first.dtype.kind == "c":
        return P.complex(*(_steps(part(first), part(last), n) for part in (P.real, P.imag)))
    if isinstance(n, int) and n == 1:
        return first
    i = _row(n, dt.int64)
    count = expand_to(convert(tracer(var_of(n)), dt.int64) - convert(1, dt.int64), (n,))
    back = count - i
    ahead, behind = convert(i, first.dtype), convert(back, first.dtype)
    step = (last - first) / convert(count, first.dtype)
    if first.dtype.itemsize < 4:
        return P.select(i < back, first + step * ahead, last - step * behind)
    return P.select(i < back, P.fma(step, ahead, first), P.fma(-step, behind, last))


@operator(name="linspace", register=False)
def _linspace(n: Int, start: Number, end: Number, base: Number, *, dtype: dt.dtype, log: bool = False) -> Tensor:
    """n numbers from start to end; with `log`, the powers of base by these."""
    if log:
        compute = dt.complex128 if dtype.kind == "c" else dt.float64
    else:
        compute = dtype if dtype.kind in "fc" else dt.float64
    first, last = (expand_to(convert(x, compute), (n,)) for x in (start, end))
    if dtype.kind in "iu" and not log:
        first, last = P.trunc(first), P.trunc(last)
    values = _steps(first, last, n)
    if log:
        values = P.pow(expand_to(convert(base, compute), (n,)), values)
    return convert(values, dtype)


def _spaced(
    name: str, start: Any, end: Any, steps: Any, new: Options, out: Tensor | None, base: float = 10.0, log: bool = False
) -> Tensor:
    dtype = new.dtype
    for x, what in ((start, "start"), (end, "end")):
        if isinstance(x, Tensor) and x.ndim:
            raise RuntimeError(f"{name}(): '{what}' must be a number or a 0-d tensor; found a {x.ndim}-d tensor")
    where = place(name, new.device)
    kinds = {x.dtype.kind if isinstance(x, Tensor) else "c" if isinstance(x, complex) else "" for x in (start, end)}
    if where.type == "cpu":
        start, end = python_number(start, name, "start"), python_number(end, name, "end")
    new.checked(name)
    n = int_argument(steps, name, "steps", 3)
    check_least(name, "steps", n, 0)
    default = default_dtype().to_complex() if "c" in kinds else default_dtype()
    if default.kind == "c" and dtype is not None and dtype.kind != "c":
        raise RuntimeError(f"{name}(): 'dtype' must be complex where 'start' or 'end' is; found {dtype}")
    target = out.dtype if out is not None else dtype or default
    if where.type == "cpu" and n:
        for x in (start, end):
            if not isinstance(x, Tensor):
                check_range(name, x, target)
    if target.kind in "iu" and where.type == "cpu":
        start, end = (x.to(dt.int64) if isinstance(x, Tensor) else int(x) for x in (start, end))
    if n == 0 or where.type != "cpu":
        t = raw_empty(name, (n,), target, where)
    else:
        t = _linspace(n, start, end, base, dtype=target, log=log)
    return new.finish(t, name, out)


@eager(method=False, out=True, options=NEW)
def linspace(start: Any, end: Any, steps: Any, *options: Any, out: Tensor | None = None) -> Tensor:
    """`steps` evenly spaced numbers from start to end, both included.

    Args:
        start, end: numbers or 0-d tensors.
        steps: int >= 0.
        dtype: default the default dtype (complex for complex ends).
    """
    return _spaced("linspace", start, end, steps, Options(*options), out)


linspace.usually(Spaced(linspace, _linspace, log=False))


@eager(method=False, out=True, options=NEW)
def logspace(start: Any, end: Any, steps: Any, base: float = 10.0, *options: Any, out: Tensor | None = None) -> Tensor:
    """base ** linspace(start, end, steps)."""
    return _spaced("logspace", start, end, steps, Options(*options), out, float(base), True)


logspace.usually(Spaced(logspace, _linspace, log=True))


@operator(name="eye", register=False)
def _eye(n: Int, m: Int, *, dtype: dt.dtype) -> Tensor:
    """Ones on the diagonal."""
    return convert(P.iota(shape=(n, m), dim=0, dtype=dt.int64) == P.iota(shape=(n, m), dim=1, dtype=dt.int64), dtype)


@eager(method=False, out=True, options=NEW)
def eye(n: Any, m: Any = None, *options: Any, out: Tensor | None = None) -> Tensor:
    """The identity matrix, cut or widened to n rows and m columns.

    Args:
        n, m: rows and columns (m = n when it is left out).
        dtype: default the default dtype.
    """
    new = Options(*options).checked("eye")
    m = n if m is None else m
    for x, what in ((n, "n"), (m, "m")):
        if type(x) is int and x >= 0:
            continue
        if not isinstance(x, Sym) and (isinstance(x, bool) or not hasattr(x, "__index__")):
            raise TypeError(f"eye(): argument '{what}' must be int, not {type(x).__name__}")
        if not isinstance(x, Sym) and x < 0:
            raise RuntimeError(f"eye(): '{what}' must be at least 0; found {x}")
    target = out.dtype if out is not None else new.dtype or default_dtype()
    if Builder.active() or place("eye", new.device).type == "cpu":
        t = _eye(n, m, dtype=target)
    else:
        t = raw_empty("eye", (int(n), int(m)), target, new.device)
    return new.finish(t, "eye", out)


def _triangle(name: str, lower: bool) -> Operator[Tensor]:
    def make(
        row: int, col: int, offset: int = 0, *, dtype: DType = dt.int64, device: Device = None, layout: Layout = None
    ) -> Tensor:
        check_options(name, dtype, layout, False)
        for label, size in (("row", row), ("col", col)):
            if isinstance(size, (float, complex, str)) or size is None:
                raise TypeError(f"{name}(): argument '{label}' must be int, not {type(size).__name__}")
        if row < 0 or col < 0:
            raise RuntimeError(f"{name}(): 'row' and 'col' must be at least 0; found {row} and {col}")
        return moved(triangle(row, col, offset, lower), dtype, place(name, device))

    return eager(
        name=name,
        method=False,
        doc=(
            f"The row and column indices of the {'lower' if lower else 'upper'} triangle of a (row, col) matrix, shape "
            "(2, n), in row-major order; "
            "offset shifts the diagonal."
        ),
    )(make)


tril_indices, triu_indices = _triangle("tril_indices", True), _triangle("triu_indices", False)
