"""Tensors that a module recognises as its own: parameters and buffers."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, cast

import rushlight
from rushlight import Tensor
from rushlight.core.sharing import register_class
from rushlight.core.tensor import _disabled_torch_function_impl
from rushlight.operators.table.types import Device, DType
from rushlight.overrides import DisableTorchFunctionSubclass

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]


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
                f"Parameter(): detach() of a {type(data).__name__} must return one too, so that it can be marked as a "
                f"parameter; it returned a {type(detached).__name__}"
            )
        detached.requires_grad_(requires_grad)
        detached._is_param = True
        return cast("Parameter", detached)

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        # copy.deepcopy looks into the memo and fills it.
        values = self.data.clone(memory_format=rushlight.preserve_format)
        return type(self)(values, self.requires_grad)

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, proto: Any) -> Any:
        # ``data`` drops the subclass, so Tensor's own pickling takes it from there.
        state = {k: v for k, v in getattr(self, "__dict__", {}).items() if k != "_is_param"}
        if state:
            return (_rebuild_parameter_with_state, (self.data, self.requires_grad, OrderedDict(), state))
        return (_rebuild_parameter, (self.data, self.requires_grad, OrderedDict()))


register_class(Parameter)


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Parameter:
    param = Parameter(data, requires_grad)
    # Hooks are not carried over: the argument is there for PyTorch's file format.
    return param


def _rebuild_parameter_with_state(
    data: Tensor, requires_grad: bool, backward_hooks: Any, state: dict[str, Any]
) -> Parameter:
    # A class derived from Parameter may be made of other arguments: what was one is a Parameter then, as in PyTorch.
    param = _rebuild_parameter(data, requires_grad, backward_hooks)
    param.__dict__.update(state)
    return param


def _marked_as_buffer(t: Tensor, persistent: bool) -> Tensor:
    t.persistent, t._is_buffer = persistent, True
    return t


class _BufferMeta(type(Tensor)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or (
            isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)
        )


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that becomes a buffer of the module it is assigned to.

    Args:
        data: the values. None makes an empty tensor.
        persistent: whether ``state_dict`` has it.
    """

    __torch_function__ = _disabled_torch_function_impl

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        given = rushlight.empty(0) if data is None else data
        return _marked_as_buffer(given.detach().requires_grad_(given.requires_grad), persistent)


# What modules ask of their parameters when they are moved, converted or frozen needs no shape.
_CONVERSIONS = frozenset("bfloat16 cdouble cfloat chalf cpu cuda double float half to".split())
_WITHOUT_SHAPE = frozenset(
    "__delete__ __get__ __hash__ __set__ _make_subclass get_device is_complex is_floating_point requires_grad_".split()
)


class UninitializedTensorMixin:
    """What parameters and buffers without a shape have in common: no values, until ``materialize`` makes them.
    Calls on them raise ValueError, except conversions, whose results have no values either.
    """

    cls_to_become: type = Tensor

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", repr(func))
        if name in _CONVERSIONS:
            given = args[0]
            with DisableTorchFunctionSubclass():
                value = func(given.data, *args[1:], **(kwargs or {}))
            same = value.device == given.device and value.dtype is given.dtype
            return given if same else type(given)(given.requires_grad, value.device, value.dtype)
        if name not in _WITHOUT_SHAPE:
            raise ValueError(
                f"{name}(): a parameter of a lazy module has no shape before the module has seen an input; call the "
                f"module with a batch first, found an {cls.__name__}"
            )
        with DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))

    def materialize(self, shape: Any, device: Device = None, dtype: DType = None) -> None:
        """Become an ordinary parameter or buffer, with values that are not set.

        Args:
            shape: its sizes.
            device: None: as it is.
            dtype: None: as it is.
        """
        t = cast("Tensor", self)
        t.data = rushlight.empty(shape, device=t.device if device is None else device, dtype=dtype or t.dtype)
        t.__class__ = self.cls_to_become

    @property
    def shape(self) -> Any:
        """No shape yet: RuntimeError."""
        raise RuntimeError(
            f"{type(self).__name__}: it is uninitialized and has no shape until its module has seen an input; one in a "
            "checkpoint cannot be loaded into a parameter that has a shape"
        )

    def share_memory_(self) -> Any:
        """No memory yet: RuntimeError."""
        raise RuntimeError(
            f"{type(self).__name__}: it is uninitialized and has no memory to share until its module has seen an input"
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, proto: Any) -> Any:
        t = cast("Tensor", self)
        return type(self), (t.requires_grad, t.device, t.dtype)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        make, arguments = self.__reduce_ex__(2)
        return make(*arguments)


def is_lazy(param: Any) -> bool:
    """Whether a parameter or buffer has no shape yet."""
    return isinstance(param, UninitializedTensorMixin)


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A parameter whose shape is not known yet: lazy modules make it one when they see their first input.

    Args:
        requires_grad: whether gradients will be recorded.
        device: where it will be.
        dtype: of what it will be.
    """

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Device = None, dtype: DType = None) -> UninitializedParameter:
        return Tensor._make_subclass(cls, rushlight.empty(0, device=device, dtype=dtype), requires_grad)


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose shape is not known yet.

    Args:
        requires_grad: whether gradients will be recorded.
        device: where it will be.
        dtype: of what it will be.
        persistent: whether ``state_dict`` has it.
    """

    cls_to_become = Buffer  # Tensor itself is no class that an object can become

    def __new__(
        cls, requires_grad: bool = False, device: Device = None, dtype: DType = None, persistent: bool = True
    ) -> Any:
        t = Tensor._make_subclass(cls, rushlight.empty(0, device=device, dtype=dtype), requires_grad)
        return _marked_as_buffer(t, persistent)
