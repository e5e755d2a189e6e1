"""Parameters that are functions of others: a module's tensor is computed from its originals when it is read."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.nn.modules.container import ModuleDict, ModuleList
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]


class _Cache:
    """How many `cached` blocks are in force, and what was computed inside."""

    depth = 0
    values: dict[tuple[int, str], Any] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Inside, each parametrized tensor is computed once and kept until the outermost block ends."""
    _Cache.depth += 1
    try:
        yield
    finally:
        _Cache.depth -= 1
        if not _Cache.depth:
            _Cache.values.clear()


def _register(module: Module, name: str, tensor: Tensor) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _set_values(tensor: Tensor, values: Tensor) -> None:
    """Give a tensor other values, whatever their shape; the object, which optimizers may hold, stays."""
    tensor.data = values.detach()


class ParametrizationList(ModuleList):
    """The originals of one parametrized tensor and the functions that it is computed by, in order.

    Args:
        modules: the functions; with ``right_inverse`` the first may have several originals.
        original: the tensor as it was: a parameter or buffer.
        unsafe: whether the checks of shape and dtype are left out.

    Raises:
        ValueError: there is no function; a function or an inverse changes shape or dtype.
        TypeError: ``right_inverse`` returns something else than tensors.
    """

    original: Tensor

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        before_shape, before_dtype = original.shape, original.dtype
        with rushlight.no_grad():
            new: Any = original
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:
                        pass  # a parametrization that cannot be initialized from a value: the original serves
        if not isinstance(new, Tensor) and not isinstance(new, Sequence):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if isinstance(new, Tensor):
            if original.dtype != new.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}"
                )
            if original.device != new.device:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the device.\n"
                    f"original.device: {original.device}\nright_inverse(original).device: {new.device}"
                )
            if new is not original:
                _set_values(original, new)
            _register(self, "original", original)
        else:
            for i, part in enumerate(new):
                if not isinstance(part, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                        f"Got element {i} of the sequence with type {type(part).__name__}."
                    )
                if isinstance(original, Parameter):
                    part = Parameter(part.detach(), original.requires_grad)
                part.requires_grad_(original.requires_grad)
                _register(self, f"original{i}", part)
        if not self.unsafe:
            made = self()
            if not isinstance(made, Tensor):
                raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
            if made.dtype != before_dtype:
                raise ValueError(
                    "Registering a parametrization may not change the dtype of the tensor, unless `unsafe` flag is "
                    f"enabled.\nunparametrized dtype: {before_dtype}\nparametrized dtype: {made.dtype}"
                )
            if made.shape != before_shape:
                raise ValueError(
                    "Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag is "
                    f"enabled.\nunparametrized shape: {before_shape}\nparametrized shape: {made.shape}"
                )

    def right_inverse(self, value: Tensor) -> None:
        """Set the originals so that the functions give ``value``, as far as their inverses do.

        Raises:
            RuntimeError: a function has no ``right_inverse``.
            ValueError: the inverse gives other shapes, dtypes or another number of tensors than the originals.
        """
        new: Any = value
        with rushlight.no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse: its tensor cannot "
                        "be assigned to."
                    )
                new = module.right_inverse(new)
            if self.is_tensor:
                if not isinstance(new, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(new).__name__}")
                if new.dtype != self.original.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {new.dtype} while `original` has dtype "
                        f"{self.original.dtype}"
                    )
                _set_values(self.original, new)
                return
            if not isinstance(new, Sequence) or len(new) != self.ntensors:
                found = f"{len(new)} tensors" if isinstance(new, Sequence) else type(new).__name__
                raise ValueError(f"'right_inverse' must return a sequence of {self.ntensors} tensors. Got {found}.")
            for i, part in enumerate(new):
                own = getattr(self, f"original{i}")
                if not isinstance(part, Tensor) or part.dtype != own.dtype:
                    raise ValueError(
                        f"Tensor {i} returned by `right_inverse` must be a tensor of dtype {own.dtype}, got "
                        f"{part.dtype if isinstance(part, Tensor) else type(part).__name__}"
                    )
                _set_values(own, part)

    def forward(self) -> Tensor:  # type: ignore[override]
        """The tensor, computed from its originals."""
        originals = [self.original] if self.is_tensor else [getattr(self, f"original{i}") for i in range(self.ntensors)]
        first, *rest = list(self)
        value = first(*originals)
        for module in rest:
            value = module(value)
        return value

    # ModuleList cannot be called; this list can.
    __call__ = Module.__call__


def _deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    # The properties live in the class, so a copy gets a class of its own.
    if id(self) in memo:
        return memo[id(self)]
    base: Any = type_before_parametrizations(self)
    new: Any = base.__new__(base)
    memo[id(self)] = new
    new.__dict__ = copy.deepcopy(self.__dict__, memo)
    _inject_class(new)
    for name in new.parametrizations:
        _inject_property(new, name)
    return new


def _getstate(self: Any) -> Any:
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). See: "
        "torch.save(model.state_dict(), path)"
    )


def _inject_class(module: Module) -> None:
    """Give the module a class of its own, where properties can be put."""
    cls = type(module)
    body: dict[str, Any] = {"__getstate__": _getstate, "__module__": __name__}
    if not hasattr(cls, "__deepcopy__"):
        body["__deepcopy__"] = _deepcopy
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), body)


def _inject_property(module: Module, name: str) -> None:
    """Let a name of the module read what its parametrization computes, and write through the inverse."""

    def get(self: Any) -> Tensor:
        if not _Cache.depth:
            return self.parametrizations[name]()
        key = (id(self), name)
        if key not in _Cache.values:
            _Cache.values[key] = self.parametrizations[name]()
        return _Cache.values[key]

    def put(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, put))


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrized tensors, or whether the one of that name is."""
    found = getattr(module, "parametrizations", None)
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def _check_added(module: Module, name: str, parametrization: Module) -> None:
    """ValueError when one more function would change shape or dtype of the tensor, or its inverse those of its input."""
    now = getattr(module, name)
    after = parametrization(now)
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    steps = [("a parametrization", after)]
    if hasattr(parametrization, "right_inverse"):
        back = parametrization.right_inverse(after)
        if isinstance(back, Tensor):
            steps.append(("the right_inverse of a parametrization", back))
        else:
            raise ValueError(
                "parametrization.right_inverse must return a tensor when it is not the first. "
                f"Got: {type(back).__name__}"
            )
    for what, t in steps:
        if t.dtype != now.dtype or t.shape != now.shape:
            raise ValueError(
                f"Registering {what} may not change shape or dtype of the tensor, unless the `unsafe` flag is enabled.\n"
                f"module.{name}: {now.dtype} {tuple(now.shape)}\nafter: {t.dtype} {tuple(t.shape)}"
            )


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Let a parameter or buffer be computed by a function from what was the parameter.

    Args:
        module: whose tensor.
        tensor_name: the tensor's name.
        parametrization: the function, a module; with a method ``right_inverse`` the tensor can be assigned to.
        unsafe: whether the checks that shape and dtype stay are left out.

    Returns:
        The module, which now has a ``parametrizations``.

    Raises:
        ValueError: there is no such tensor, or a check failed.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_added(module, tensor_name, parametrization)
        parts: Any = module.parametrizations[tensor_name]
        parts.append(parametrization)
        parts.unsafe |= unsafe
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    parts = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _inject_class(module)
        module.parametrizations = ModuleDict()
    _inject_property(module, tensor_name)
    module.parametrizations[tensor_name] = parts
    return module


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Make a parametrized tensor an ordinary one again.

    Args:
        module: whose tensor.
        tensor_name: the tensor's name.
        leave_parametrized: whether it keeps its present values, instead of those of its original.

    Raises:
        ValueError: the tensor is not parametrized, or has several originals and is to have their values.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parts: Any = module.parametrizations[tensor_name]
    if parts.is_tensor:
        original = parts.original
        if leave_parametrized:
            with rushlight.no_grad():
                _set_values(original, getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value.detach()) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type_before_parametrizations(module)
    _register(module, tensor_name, original)
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class that the module had before anything of it was parametrized."""
    cls = type(module)
    return cls.__bases__[0] if cls.__dict__.get("__getstate__") is _getstate else cls


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Give one module the parametrizations of another, with their originals and the parameters they stand on.

    Args:
        from_module: it has parametrizations, and keeps them.
        to_module: it gets them; missing parameters are created.
        tensor_name: the one tensor; None: all.
    """
    if not is_parametrized(from_module):
        return to_module
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        source: Any = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            value = getattr(from_module, name)
            setattr(to_module, name, Parameter(value.detach().clone()))
        for function in source:
            register_parametrization(to_module, name, function, unsafe=True)
        target: Any = to_module.parametrizations[name]
        names = ["original"] if source.is_tensor else [f"original{i}" for i in range(source.ntensors)]
        for original in names:
            if hasattr(target, original):
                _set_values(getattr(target, original), getattr(source, original).detach().clone())
            else:
                _register(target, original, copy.deepcopy(getattr(source, original)))
    return to_module
