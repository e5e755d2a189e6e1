"""Tensors that a module recognises as its own: parameters and buffers."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, cast

import rushlight
from rushlight import Tensor
from rushlight.core.tensor import _disabled_torch_function_impl

__all__ = ["Buffer", "Parameter"]


class _ParameterMeta(type(Tensor)):  # type: ignore[misc]
    # A tensor of another subclass marked with ``_is_param`` passes for a Parameter too.
    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or (
            cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)
        )


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that becomes a parameter of the module it is assigned to.

    Args:
        data: the values; the parameter shares their storage. None makes an empty tensor.
        requires_grad: whether gradients are recorded.
    """

    # Results computed from parameters are plain tensors, and the core calls operators on them without a detour.
    __torch_function__ = _disabled_torch_function_impl

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        if data is None:
            data = rushlight.empty(0)
        if type(data) is Tensor:
            return Tensor._make_subclass(cls, data, requires_grad)
        if type(data) is Parameter:
            return Tensor._make_subclass(cls, data.data, requires_grad)
        # Another subclass keeps its class; it is marked as a parameter instead.
        detached = data.detach()
        if type(detached) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() "
                f"returns an instance of the same type, but return type {type(detached).__name__} was found instead."
            )
        detached.requires_grad_(requires_grad)
        detached._is_param = True
        return cast("Parameter", detached)

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) in memo:
            return memo[id(self)]
        result = type(self)(self.data.clone(memory_format=rushlight.preserve_format), self.requires_grad)
        memo[id(self)] = result
        return result

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, proto: Any) -> Any:
        # ``data`` drops the subclass, so Tensor's own pickling takes it from there.
        state = {k: v for k, v in getattr(self, "__dict__", {}).items() if k != "_is_param"}
        if state:
            return (_rebuild_parameter_with_state, (type(self), self.data, self.requires_grad, state))
        return (_rebuild_parameter, (self.data, self.requires_grad, OrderedDict()))


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Parameter:
    param = Parameter(data, requires_grad)
    # Hooks are not carried over: the argument is there for PyTorch's file format.
    return param


def _rebuild_parameter_with_state(cls: type, data: Tensor, requires_grad: bool, state: dict[str, Any]) -> Parameter:
    param = cls(data, requires_grad)
    param.__dict__.update(state)
    return param


class _BufferMeta(type(Tensor)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or (
            isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)
        )


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that becomes a buffer of the module it is assigned to.

    Args:
        data: the values. None makes an empty tensor.
        persistent: whether the buffer is part of the module's ``state_dict``.
    """

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = rushlight.empty(0)
        t = data.detach().requires_grad_(data.requires_grad)
        t.persistent = persistent
        t._is_buffer = True
        return t
