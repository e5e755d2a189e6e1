"""Calls that may refuse values: a check at once finds out whether they would, and if not the call may wait.

An index outside of its dimension is an error of the call that has it. Where the indices of a call follow from tensors
of integers that are in memory, a part of the program of the call's body finds whether all of them are in range.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.compiler.costs import DIVISIONS
from rushlight.core import dtypes as dt
from rushlight.core.dispatch import Operator
from rushlight.core.nesting import reached
from rushlight.core.tensor import Tensor
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.arguments import call_body
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.operators.table.definition import Definition
from rushlight.operators.table.tracer import Tracer, constant, tracer
from rushlight.prims.emit import trace
from rushlight.program.ir import Builder, Eqn, Program, Var
from rushlight.program.sym import Int

__all__ = ["asking", "fits"]

_checks: dict[Operator, Operator] = {}
_sizes: dict[tuple[dt.dtype, tuple[int, ...]], Tensor] = {}  # tensors of these sizes, all of whose elements are one
_MOST_SIZES = 256


def fits(op: Operator, values: Sequence[Any]) -> bool:
    """Whether it is certain that a call refuses none of its integers, which are in memory. Nothing may be recorded
    meanwhile.
    """
    check, given = asking(op, values)
    args, kwargs = _dispatch.arguments(check, given)
    return bool(check(*args, **kwargs))


def asking(op: Operator, values: Sequence[Any]) -> tuple[Operator, list[Any]]:
    """The call whose result tells that."""
    check = _checks.get(op)
    if check is None:
        check = _checks[op] = _check_of(op)
    return check, [_sized(v) for v in values]


def _sized(v: Any) -> Any:
    """An argument as the check takes it: a tensor that holds no integers is there by its sizes only."""
    if isinstance(v, (list, tuple)):
        return tuple(map(_sized, v))
    if not isinstance(v, Tensor) or v.dtype.kind in "iu":
        return v
    key = v.dtype, tuple(v.shape)
    found = _sizes.get(key)
    if found is None:
        if len(_sizes) >= _MOST_SIZES:
            _sizes.clear()
        found = _sizes[key] = METHODS["expand"](TABLE["zeros"]((), dtype=v.dtype), key[1])
    return found


def _check_of(op: Operator) -> Operator:
    """The operator that tells, from a call's arguments, whether all of its indices are in range; none where they depend
    on numbers that are no integers.
    """

    def body(*args: Any, **keywords: Any) -> Tracer:
        b = Builder.current()
        call_body(op, [*args, *keywords.values()])
        limits: list[tuple[Var, Int]] | None = []
        at = 0
        while at < len(b.eqns) and limits is not None:
            e = b.eqns[at]
            at += 1
            if e.prim.kind == "call" and not e.prim.identity:
                b.inline(trace(e.params["body"], e.inputs), e.inputs)
            found = _limits(e)
            limits = None if found is None else limits + found
        inside = constant(limits is not None, (), dt.bool_)
        for index, n in limits or ():
            x = tracer(index)
            inside = inside & TABLE["all"]((x >= 0) & (x < constant(n, index.shape, index.dtype)))
        return inside

    return Operator(f"{op.name}_fits", list(op.params), Definition(op.name, body, None, "internal"))


def _limits(e: Eqn) -> list[tuple[Var, Int]] | None:
    """The indices of an equation, each with the size that it must be below; None where the equation may fail in another
    way, or because of numbers that are no integers.
    """
    if any(isinstance(v, Program) for v in e.params.values()):
        return None
    if e.prim.name in DIVISIONS:
        return None if e.outputs[0].dtype.kind in "iu" else []
    if e.prim.name not in ("gather", "scatter"):
        return []
    x, *index = e.inputs
    if e.prim.name == "scatter":
        index = index[:-1]
    if not all(map(_of_integers, index)):
        return None
    return list(zip(index, [x.shape[d] for d in e.params["dims"]], strict=True))


def _of_integers(v: Var) -> bool:
    """Whether a value follows from integers alone."""
    values = reached([v], lambda x: () if x.eqn is None else x.eqn.inputs)
    return all(x.kind != "tensor" or x.dtype.kind in "iu" for x in values)
