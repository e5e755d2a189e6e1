"""`__torch_dispatch__`: classes and modes that do operators' calls themselves.

A class with `__torch_dispatch__(cls, func, types, args, kwargs)` gets every call of an operator on its instances, with
the operator as it was called as `func`; so does a mode for every call in its block. What autograd records is what the
handler does with ordinary tensors: nothing is recorded above it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core import locks
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.library.operator import OpOverload
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.types import Args, Classes, Function, Kwargs

__all__ = ["TorchDispatchMode", "is_traceable_wrapper_subclass", "return_and_correct_aliasing", "transform_subclass"]


class _Adapter(_dispatch.CallMode):
    """Lets a dispatch mode stand among the function modes, which is where calls look for one."""

    sees_functions = False

    def __init__(self, mode: TorchDispatchMode) -> None:
        self.mode = mode

    def __torch_function__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        if isinstance(func, OpOverload) and not (self.mode.sees_whole_calls and hasattr(func, "operator")):
            return self.mode.__torch_dispatch__(func, types, args, kwargs or {})
        if isinstance(func, OpOverload):
            # one of the table's
            return self.inside(lambda: func.perform(*args, **(kwargs or {})))  # type: ignore[attr-defined]
        return _dispatch.below(func, args, kwargs or {})  # an attribute: no operator

    def take(self, op: Operator, values: list[Any], out: Any, types: tuple[type, ...]) -> Any:
        """A call of the table, as overloads of aten's."""
        from rushlight.library import dispatching

        if self.mode.sees_whole_calls:
            args, kwargs = _dispatch.arguments(op, values)
            return self.mode.__torch_dispatch__(op, types, args, kwargs if out is None else {**kwargs, "out": out})

        def hand(overload: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            return self.mode.__torch_dispatch__(overload, types, args, kwargs)

        return dispatching.dispatch_wrapped(op, values, out, hand, self.inside)

    def inside(self, function: Callable[[], Any]) -> Any:
        """Run a function with the mode in force again."""
        with self:
            return function()


class TorchDispatchMode(locks.Block["TorchDispatchMode"]):
    """Inside, every call of an operator goes to `__torch_dispatch__(func, types, args, kwargs)`; calling `func` there
    goes on as usual.
    """

    # True: the operators of the table as they were called, not the overloads that PyTorch makes of them
    sees_whole_calls = False

    def __init__(self, _dispatch_key: Any = None) -> None:
        self._adapters: list[_Adapter] = []

    def __torch_dispatch__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        """What happens in the place of func(*args, **kwargs); to be written by the subclass."""
        raise NotImplementedError

    def _before_(self) -> int:
        """How often it is in force."""
        if not hasattr(self, "_adapters"):  # a subclass may leave out super().__init__()
            self._adapters = []
        return len(self._adapters)

    def _begin_(self) -> TorchDispatchMode:
        """Put this in force."""
        self._adapters.append(_Adapter(self))
        locks.enter_mode(self._adapters[-1])
        return self

    def _end_(self, before: int) -> None:
        """Put it out of force."""
        while len(self._adapters) > before:
            if self._adapters[-1] in _dispatch.modes.stack:
                locks.leave_mode(self._adapters[-1])
            self._adapters.pop()

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> TorchDispatchMode:
        """A new instance, to be entered."""
        return cls(*args, **kwargs)


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """Whether `t` is a wrapper that can be taken apart and put together: it has `__tensor_flatten__` and
    `__tensor_unflatten__`.
    """
    return (
        isinstance(t, Tensor)
        and type(t) is not Tensor
        and hasattr(t, "__tensor_flatten__")
        and hasattr(t, "__tensor_unflatten__")
    )


def transform_subclass(
    t: Any, callback: Callable[[str, Tensor], Tensor], outer_size: Any = None, outer_stride: Any = None
) -> Any:
    """A wrapper like `t` around callback(name, inner tensor) of each of its inner tensors."""
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    return type(t).__tensor_unflatten__(
        inner,
        context,
        t.size() if outer_size is None else outer_size,
        t.stride() if outer_stride is None else outer_stride,
    )


def return_and_correct_aliasing(
    func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], out: Any
) -> Any:
    """What a `__torch_dispatch__` returns so that an in-place call gives its own first argument and out= its
    destination.
    """
    if "out" in kwargs:
        return kwargs["out"]
    return args[0] if getattr(func, "inplace", False) or getattr(func, "name", "").endswith("_") else out
