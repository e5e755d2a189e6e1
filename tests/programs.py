"""Programs made for tests: traced from a function, and a derivative put together as one program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight import prims as p
from rushlight.core import dtypes as dt
from rushlight.program.ir import Builder, Program
from rushlight.transforms import vjp

_SCALARS = {float: dt.float64, int: dt.int64, bool: dt.bool_, complex: dt.complex128}


def program_of(fn: Callable[..., Any], args: Sequence[Any]) -> Program:
    """Trace fn over inputs like args: an array has a symbol for every size that is not 1, a Python number is a scalar
    input.
    """
    with Builder() as b:
        ins = [
            b.input((), _SCALARS[type(a)], "scalar")
            if type(a) in _SCALARS
            else b.input(tuple(1 if n == 1 else b.env.new(n) for n in a.shape), dt.from_numpy_dtype(a.dtype))
            for a in args
        ]
        out = fn(*ins)
        return b.build(out if isinstance(out, (tuple, list)) else (out,))


def composed(program: Program, active: Sequence[int]) -> Program:
    """(inputs, then a cotangent per differentiable output) -> gradients of the active inputs, as one program."""
    d = vjp(program, active)
    with Builder(d.backward.env) as b:
        args = [b.input(v.shape, v.dtype, v.kind) for v in d.forward.inputs]
        n = len(program.outputs)
        outs = b.inline(d.forward, args)
        where = {"input": args, "output": list(outs[:n]), "extra": list(outs[n:])}
        cts = [b.input(outs[j].shape, outs[j].dtype) for j in d.cotangent_outputs]
        grads = b.inline(
            d.backward, [*(where[kind][i] for kind, i in d.residuals), *cts, *(args[i] for i in d.scalars)]
        )
        return b.build([p.zeros_like(args[i]) if g is None else grads[g] for i, g in zip(active, d.grads, strict=True)])
