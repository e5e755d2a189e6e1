"""NumPy's functions on tensors: `np.sin(t)`, `array + t`, `np.add.reduce(t)`.

A universal function that is an operator here runs as that operator, so dtypes are promoted, gradients recorded and
devices used as everywhere. Any other one computes on the tensor's memory, and its result is a tensor on the new array.
"""

from __future__ import annotations

from typing import Any

from rushlight.core import tensor as _core
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.operators.table.arguments import is_plain_number
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.operators.tensors.interop import from_array, wrap_array

# NumPy's names that are not names of operators here.
_NAMES = {
    "conjugate": "conj",
    "degrees": "rad2deg",
    "radians": "deg2rad",
    "invert": "bitwise_not",
    "left_shift": "bitwise_left_shift",
    "right_shift": "bitwise_right_shift",
    "power": "pow",
    "rint": "round",
    "fabs": "abs",
}
_OPERAND = 6  # the kind of a parameter that takes a number as well as a tensor


def operator_of(name: str) -> Operator | None:
    """The operator that does what NumPy's universal function `name` does, or None."""
    op = TABLE.get(_NAMES.get(name, name))
    return op if op is not None and (op.definition.shape_class == "pointwise" or name == "matmul") else None


def array_ufunc(self: Tensor, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
    """NumPy's protocol for universal functions; also what `array + tensor` and `numpy.float64(2) * tensor` come to.

    Returns:
        A tensor, or `out` where that is given (arrays).

    Raises:
        TypeError: for a tensor as out= and for arrays that have no dtype here.
        RuntimeError: NumPy would have to compute on a tensor that requires grad.
    """
    op = operator_of(ufunc.__name__)
    if op is not None and method == "__call__" and out is None and not options and len(op.params) >= len(inputs):
        recorded = _core.is_grad_enabled() and any(isinstance(x, Tensor) and x.requires_grad for x in inputs)
        return op(*[_operand(x, p.kind == _OPERAND, recorded) for x, p in zip(inputs, op.params)])
    if any(isinstance(x, Tensor) for x in out or ()):
        raise TypeError(
            f"numpy.{ufunc.__name__}(): out= must be a NumPy array; found a tensor; use tensor.copy_(result), or "
            "rushlight's operator with out="
        )
    arrays = [METHODS["numpy"](x) if isinstance(x, Tensor) else x for x in inputs]
    if out is not None:
        options["out"] = out
    result = getattr(ufunc, method)(*arrays, **options)
    return result if out is not None else _as_tensors(result)


def _operand(x: Any, number: bool, recorded: bool) -> Any:
    """An argument of a universal function for an operator: arrays as tensors (copied where the graph keeps them)."""
    if isinstance(x, Tensor) or (number and is_plain_number(x)):
        return x
    import numpy as np

    if isinstance(x, np.ndarray):
        return from_array(x, None, None) if recorded else wrap_array(x)
    return TABLE["tensor"](x)


def _as_tensors(result: Any) -> Any:
    import numpy as np

    if isinstance(result, tuple):
        return tuple(map(_as_tensors, result))
    return wrap_array(np.asarray(result)) if isinstance(result, (np.ndarray, np.generic)) else result


def array_wrap(self: Tensor, array: Any, context: Any = None, return_scalar: bool = False) -> Tensor:
    """NumPy's functions that compute on arrays give their result back as a tensor (numpy.cumsum, numpy.reshape,
    ...).
    """
    return wrap_array(array)


_core.attach("__array_ufunc__", array_ufunc)
_core.attach("__array_wrap__", array_wrap)
