"""Control flow as functions: `cond` and `while_loop`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.func.tree import flatten
from rushlight.operators.table.body import has_values
from rushlight.operators.table.define import TABLE

Function = Callable[..., Any]


def _check_given(name: str, functions: dict[str, Any], argument: str, operands: Any) -> None:
    """RuntimeError for functions that are not callable, and operands that do not come as a tuple or a list."""
    if not all(map(callable, functions.values())):
        wanted, found = " and ".join(map(repr, functions)), [type(f).__name__ for f in functions.values()]
        raise RuntimeError(f"{name}(): {wanted} must be functions; found {' and '.join(found)}")
    if not isinstance(operands, (tuple, list)):
        raise RuntimeError(f"{name}(): '{argument}' must be a tuple or a list; found {type(operands).__name__}")


def cond(pred: Any, true_fn: Function, false_fn: Function, operands: Sequence[Any] = ()) -> Any:
    """true_fn(*operands) if pred else false_fn(*operands).

    Args:
        pred: a bool, a number or a one-element tensor.
        operands: a tuple or list. Inside vmap, for a pred that differs from example to example, both functions run, and
            each example takes its own result: their results must then be alike.

    Raises:
        RuntimeError: for another pred, or for results that are not alike.
    """
    _check_given("cond", {"true_fn": true_fn, "false_fn": false_fn}, "operands", operands)
    if isinstance(pred, Tensor):
        if pred.numel() != 1:
            raise RuntimeError(
                f"cond(): 'pred' must be a number or a tensor of one element; found the shape {tuple(pred.shape)}"
            )
        if not has_values(pred):
            return _chosen(pred.reshape(()).bool(), true_fn(*operands), false_fn(*operands))
    elif not isinstance(pred, (bool, int, float)):
        raise RuntimeError(f"cond(): 'pred' must be a number or a tensor of one element; found {type(pred).__name__}")
    return (true_fn if pred else false_fn)(*operands)


def _chosen(pred: Tensor, yes: Any, no: Any) -> Any:
    (left, spec), (right, other) = flatten(yes), flatten(no)
    if spec != other or any(
        not isinstance(a, Tensor) or not isinstance(b, Tensor) or a.shape != b.shape or a.dtype is not b.dtype
        for a, b in zip(left, right, strict=True)
    ):
        raise RuntimeError(
            "cond(): both functions must return tensors of the same structure, shapes and dtypes; found "
            f"{_described(left)} and {_described(right)}"
        )
    return spec.rebuild([TABLE["where"](pred, a, b) for a, b in zip(left, right, strict=True)])


def while_loop(cond_fn: Function, body_fn: Function, carried_inputs: Sequence[Any]) -> tuple[Any, ...]:
    """Run carried = body_fn(*carried) as long as cond_fn(*carried), a bool or one-element tensor, is true; returns
    carried.

    Args:
        carried_inputs: a tuple or list of tensors and numbers; body_fn returns as many, of the same shapes and dtypes.

    Raises:
        RuntimeError: for what does not fit.
    """
    _check_given("while_loop", {"cond_fn": cond_fn, "body_fn": body_fn}, "carried_inputs", carried_inputs)
    carried = tuple(carried_inputs)
    while cond_fn(*carried):
        new = body_fn(*carried)
        if not isinstance(new, (tuple, list)) or not _alike(new, carried):
            got = _described(new) if isinstance(new, (tuple, list)) else type(new).__name__
            raise RuntimeError(
                f"while_loop(): 'body_fn' must return the like of what it takes, {_described(carried)}; found {got}"
            )
        carried = tuple(new)
    return carried


def _alike(new: Sequence[Any], old: Sequence[Any]) -> bool:
    return len(new) == len(old) and all(
        a.shape == b.shape and a.dtype is b.dtype
        if isinstance(a, Tensor) and isinstance(b, Tensor)
        else type(a) is type(b)
        for a, b in zip(new, old, strict=True)
    )


def _described(values: Sequence[Any]) -> str:
    return f"({', '.join(f'{v.dtype}{list(v.shape)}' if isinstance(v, Tensor) else type(v).__name__ for v in values)})"
