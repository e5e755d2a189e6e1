"""Assertions in programs: `_assert` and `_check` with its kinds, each of which raises an error type of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.naming import named
from rushlight.core.tensor import Tensor
from rushlight.operators.table.define import TABLE, function
from rushlight.program.sym import Undecided

Message = Callable[[], Any] | None

_KINDS: dict[str, type[Exception]] = {
    "_check": RuntimeError,
    "_check_index": IndexError,
    "_check_value": ValueError,
    "_check_type": TypeError,
    "_check_not_implemented": NotImplementedError,
}


@function
def _assert(condition: Any, message: Any) -> None:
    """AssertionError with `message` unless the condition, a bool or a one-element tensor, is true; an object of a
    foreign class decides by its `__torch_function__`.
    """
    if type(condition) is not bool and type(condition) is not Tensor and hasattr(type(condition), "__torch_function__"):
        type(condition).__torch_function__(_assert, (type(condition),), (condition, message), {})
        return
    if not condition:
        raise AssertionError(message)


def _raise(error: type[Exception], cond: bool, message: Message, name: str) -> None:
    """The check behind all kinds: `cond` is a bool, `message` is called for the text only when it is needed."""
    if isinstance(cond, Undecided):
        cond = bool(cond)
    if not isinstance(cond, bool):
        more = (
            "a Tensor; _check_tensor_all() takes conditions on tensors"
            if isinstance(cond, Tensor)
            else type(cond).__name__
        )
        raise TypeError(f"{name}(): 'cond' must be a bool; found {more}")
    if message is not None and not callable(message):
        raise TypeError(
            f"{name}(): 'message' must be a function without arguments; found {type(message).__name__}; write "
            "lambda: ..."
        )
    if not cond:
        raise error(f"{name}(): 'cond' must be True; found False" if message is None else str(message()))


def _make(name: str, error: type[Exception]) -> None:
    def check(cond: bool, message: Message = None) -> None:
        _raise(error, cond, message, name)

    function(named(check, name, f"{error.__name__} unless cond is True; message: a function that makes the text."))


for _name, _error in _KINDS.items():
    _make(_name, _error)


@function
def _check_with(error_type: type[Exception], cond: bool, message: Callable[[], str]) -> None:
    """An error of the given type unless cond is True; message: a function that makes the text."""
    _raise(error_type, cond, message, "_check_with")


@function
def _check_is_size(i: int, message: Message = None, *, max: int | None = None) -> None:
    """RuntimeError unless 0 <= i (<= max); message: a function that makes the text."""
    _raise(RuntimeError, bool(i >= 0 and (max is None or i <= max)), message, "_check_is_size")


@function
def _check_tensor_all_with(error_type: type[Exception], cond: Tensor, message: Message = None) -> None:
    """An error of the given type unless all elements of a bool tensor are true; message: a function that makes the
    text.
    """
    _all(error_type, cond, message, "_check_tensor_all_with")


@function
def _check_tensor_all(cond: Tensor, message: Message = None) -> None:
    """RuntimeError unless all elements of a bool tensor are true; message: a function that makes the text."""
    _all(RuntimeError, cond, message, "_check_tensor_all")


def _all(error: type[Exception], cond: Tensor, message: Message, name: str) -> None:
    if not isinstance(cond, Tensor):
        raise TypeError(f"{name}(): 'cond' must be a tensor; found {type(cond).__name__}")
    if cond.dtype.kind != "b":
        raise TypeError(f"{name}(): 'cond' must be of dtype torch.bool; found {cond.dtype}")
    _raise(error, bool(cond.all()), message, name)


@function
def _is_all_true(input: Tensor) -> Tensor:
    """Whether all elements of a bool tensor are True, as a tensor."""
    return TABLE["all"](_bools("_is_all_true", input))


@function
def _is_any_true(input: Tensor) -> Tensor:
    """Whether an element of a bool tensor is True, as a tensor."""
    return TABLE["any"](_bools("_is_any_true", input))


def _bools(name: str, input: Tensor) -> Tensor:
    if input.dtype is not dt.bool_:
        raise RuntimeError(f"{name}(): 'input' must be of dtype torch.bool; found {input.dtype}")
    return input


@function
def _assert_async(input: Tensor, assert_msg: str = "") -> None:
    """Raise RuntimeError unless the tensor's one element is true; at once, on the CPU."""
    if input.numel() != 1:
        raise RuntimeError(f"_assert_async(): 'input' must have one element; found {input.numel()}")
    if not input.item():
        raise RuntimeError(assert_msg or "_assert_async(): 'input' must be true; found " + str(input.item()))
