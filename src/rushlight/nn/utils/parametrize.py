"""Parameters that are functions of others: a module's tensor is computed from its originals when it is read."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, cast

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
    values: dict[tuple[int, str], Tensor] = {}


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


def _require(what: str, made: Any, hint: str = "", **expected: Any) -> None:
    """ValueError unless `made`, which `what` returned, is a tensor with the attributes expected (dtype, shape,
    device).
    """
    if not isinstance(made, Tensor):
        raise ValueError(f"{what} must return a tensor; found {type(made).__name__}")
    for name, value in expected.items():
        if getattr(made, name) != value:
            raise ValueError(f"{what} must return a tensor of {name} {value}; found {getattr(made, name)}{hint}")


_UNSAFE = "; unsafe=True leaves this check out"


class ParametrizationList(ModuleList):
    """The originals of one parametrized tensor and the functions that it is computed by, in order.

    Args:
        modules: the functions; with ``right_inverse`` the first may have several originals.
        original: the tensor as it was: a parameter or buffer.
        unsafe: whether the checks of shape and dtype are left out.

    Raises:
        ValueError: there is no function; a function or an inverse returns no tensors, or changes shape or dtype.
    """

    original: Tensor

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList(): modules must hold at least one parametrization; found none")
        super().__init__(modules)
        self.unsafe = unsafe
        unchanged = {"dtype": original.dtype, "shape": original.shape}
        start = original
        with rushlight.no_grad():
            for module in reversed(self):
                # One without an inverse, or whose inverse is not implemented, begins at the original itself.
                with suppress(NotImplementedError):
                    start = getattr(module, "right_inverse", lambda value: value)(start)
        self.is_tensor = isinstance(start, Tensor)
        what = "register_parametrization(): right_inverse"
        if self.is_tensor:
            _require(what, start, dtype=original.dtype, device=original.device)
            # The parameter's identity stays, for the optimizers that know it.
            if start is not original:
                _set_values(original, start)
            parts = [original]
        elif isinstance(start, Sequence):
            parts = []
            for i, part in enumerate(start):
                _require(f"{what}, at index {i},", part)
                made = Parameter(part.detach()) if isinstance(original, Parameter) else part
                parts.append(made.requires_grad_(original.requires_grad))
        else:
            raise ValueError(f"{what} must return one tensor or several in a sequence; found {type(start).__name__}")
        self.ntensors = len(parts)
        for name, part in zip(self._names_(), parts):
            _register(self, name, part)
        if not unsafe:
            _require("register_parametrization(): the parametrization", self(), _UNSAFE, **unchanged)

    def _names_(self) -> list[str]:
        """What the originals are called."""
        return ["original"] if self.is_tensor else [f"original{i}" for i in range(self.ntensors)]

    def right_inverse(self, value: Tensor) -> None:
        """Set the originals so that the functions give ``value``, as far as their inverses do.

        Raises:
            RuntimeError: a function has no ``right_inverse``.
            ValueError: the inverse gives other dtypes or another number of tensors than the originals.
        """
        back = value
        with rushlight.no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"a tensor parametrized by {type(module).__name__} cannot be assigned to: that class does not "
                        "implement right_inverse"
                    )
                back = module.right_inverse(back)
            parts = [back] if self.is_tensor else back
            if not isinstance(parts, Sequence) or len(parts) != self.ntensors:
                found = f"{len(parts)}" if isinstance(parts, Sequence) else type(parts).__name__
                raise ValueError(
                    f"assignment: right_inverse must return a sequence of {self.ntensors} tensors; found {found}"
                )
            for name, part in zip(self._names_(), parts):
                own = getattr(self, name)
                _require(f"assignment: right_inverse, for {name!r},", part, dtype=own.dtype)
                _set_values(own, part)

    def forward(self) -> Tensor:
        """The tensor, computed from its originals."""
        first, *rest = self
        value: Tensor = first(*(getattr(self, name) for name in self._names_()))
        for module in rest:
            value = module(value)
        return value

    # ModuleList cannot be called; this list can.
    __call__ = Module.__call__


def _deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    # The properties live in the class, so a copy gets a class of its own.
    base: Any = type_before_parametrizations(self)
    twin = memo[id(self)] = base.__new__(base)
    vars(twin).update(copy.deepcopy(vars(self), memo))
    _inject_class(twin)
    for name in twin.parametrizations:
        _inject_property(twin, name)
    return twin


def _getstate(self: Any) -> Any:
    raise RuntimeError(
        f"{type(self).__name__} cannot be pickled, for its class was made at run time; save its state_dict() instead"
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
            return cast("Tensor", self.parametrizations[name]())
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
    """ValueError when one more function would change shape or dtype of the tensor, or its inverse those of its
    input.
    """
    now = getattr(module, name)
    same = {"dtype": now.dtype, "shape": now.shape}
    after = parametrization(now)
    _require("register_parametrization(): the parametrization", after, _UNSAFE, **same)
    if hasattr(parametrization, "right_inverse"):
        back = parametrization.right_inverse(after)
        _require("register_parametrization(): right_inverse of one that is not the first", back, _UNSAFE, **same)


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
    again = is_parametrized(module, tensor_name)
    if not (again or tensor_name in module._parameters or tensor_name in module._buffers):
        raise ValueError(
            f"register_parametrization(): tensor_name must name a parameter or buffer of {type(module).__name__}, "
            f"found {tensor_name!r}"
        )
    parametrization.train(module.training)
    if again:
        if not unsafe:
            _check_added(module, tensor_name, parametrization)
        earlier = module.parametrizations[tensor_name]
        earlier.unsafe |= unsafe
        earlier.append(parametrization)
        return module
    parts = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _inject_class(module)
        module.parametrizations = ModuleDict()
    module.parametrizations[tensor_name] = parts
    _inject_property(module, tensor_name)
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
        raise ValueError(
            f"remove_parametrizations(): {tensor_name!r} of {type(module).__name__} has no parametrization"
        )
    parts = module.parametrizations[tensor_name]
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
            f"remove_parametrizations(): leave_parametrized must be True for {tensor_name!r}, whose values come from "
            f"{parts.ntensors} originals; found {leave_parametrized!r}"
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
        source = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            value = getattr(from_module, name)
            setattr(to_module, name, Parameter(value.detach().clone()))
        for function in source:
            register_parametrization(to_module, name, function, unsafe=True)
        target = to_module.parametrizations[name]
        for original in source._names_():
            if hasattr(target, original):
                _set_values(getattr(target, original), getattr(source, original).detach().clone())
            else:
                _register(target, original, copy.deepcopy(getattr(source, original)))
    return to_module
