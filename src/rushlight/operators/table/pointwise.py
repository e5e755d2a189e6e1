"""`@pointwise`: an operator that is a scalar expression. Promotion, broadcasting, variants and dtypes are derived."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.dispatch import Operator
from rushlight.core.flatten import Kind
from rushlight.core.tensor import Tensor
from rushlight.operators.table.arguments import undefined_for
from rushlight.operators.table.define import operator, parameters
from rushlight.operators.table.tracer import align_beside, convert, default_dtype, is_number, result_type


def pointwise(
    *,
    promote: str = "same",
    result: str = "same",
    refuse: str = "",
    refuse_any: str = "",
    wide: bool = False,
    **options: Any,
) -> Callable[[Callable[..., Tensor]], Operator[Tensor]]:
    """Make an operator of a scalar expression over aligned operands.

    promote: "same" (the common dtype), "float" (integers and bools become the default float), "int" (only integers and
    bools are accepted).
    result: "same", "bool", or "real" (a complex input gives its real dtype). refuse: dtype kinds that the operator does
    not take ("b", "c", ...).
    refuse_any: kinds that no operand may have, whatever the others are.
    wide: whether numbers are not first rounded to a half type of the tensors.
    The other options are those of `operator`; in-place variants exist unless inplace=False, and a call must have a
    tensor among its operands unless of_numbers=True.
    """

    def make(f: Callable[..., Tensor]) -> Operator[Tensor]:
        params = parameters(f, specialize=options.get("specialize", {}))
        places = [i for i, p in enumerate(params) if p.kind in (Kind.P_TENSOR, Kind.P_OPERAND)]
        names = [p.name for p in params]
        op_name = options.get("name") or f.__name__

        @functools.wraps(f)
        def body(*args: Any, **kwargs: Any) -> Tensor:
            values = list(args) + [kwargs[n] for n in names[len(args) :]]
            used = [i for i in places if values[i] is not None]
            d = result_type(*[values[i] for i in used])
            check_kind(op_name, d, promote, refuse)
            for i in used if refuse_any else ():
                check_kind(op_name, result_type(values[i]), promote, refuse_any)
            if d.format is not None and result == "same" and any(is_number(values[i]) for i in used):
                raise undefined_for(op_name, d)  # the number would silently lose its digits
            if promote == "float" and d.kind not in "fc":
                d = default_dtype()
            for i, x in zip(used, align_beside(d, *[values[i] for i in used], wide=range(len(used)) if wide else ())):
                values[i] = x
            n = len(args)
            out = f(*values[:n], **dict(zip(names[n:], values[n:]))) if kwargs else f(*values)
            return out if result == "bool" or (result == "real" and d.kind == "c") else convert(out, d)

        opts = {"inplace": True, "shape_class": "pointwise", "of_numbers": False, **options}
        return operator(**opts)(body)

    return make


# What programs want that take a mask for a number, by the operator that they call.
_MASKS = {
    **dict.fromkeys(("sub", "rsub"), "write ~mask for 1 - mask, and a ^ b for where two masks differ"),
    "neg": "write ~mask for where a mask is False",
}


def check_kind(name: str, d: dt.dtype, promote: str, refuse: str) -> None:
    """Raise PyTorch's error for a dtype that the operator does not take."""
    if d.kind == "b" and "b" in refuse and name in _MASKS:
        raise RuntimeError(f"{name}(): not defined for dtype {d}; {_MASKS[name]}")
    if d.kind in refuse or (promote == "int" and d.kind in "fc"):
        raise undefined_for(name, d)
