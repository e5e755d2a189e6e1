"""`__torch_function__`: how other classes take part in calls, and modes that see every call."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from rushlight.core import locks
from rushlight.core.dispatch import Operator
from rushlight.core.named import Named
from rushlight.core.tensor import Tensor
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.define import FUNCTIONS
from rushlight.operators.table.overrides import handle_torch_function, has_torch_function, redispatch_function
from rushlight.operators.table.types import Args, Classes, Function, Kwargs

__all__ = [
    "BaseTorchFunctionMode",
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "TorchFunctionMode",
    "enable_reentrant_dispatch",
    "get_default_nowrap_functions",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "redispatch_function",
    "resolve_name",
    "wrap_torch_function",
]

for _function in (handle_torch_function, has_torch_function, redispatch_function):
    _function.__module__ = __name__  # they are defined in a lower layer, where they are called


class DisableTorchFunctionSubclass(locks.below):
    """Inside, `__torch_function__` of subclasses is not called; modes still are."""

    def __init__(self) -> None:
        super().__init__(_dispatch.FUNCTIONS_OFF, modes=True)


class DisableTorchFunction(locks.below):
    """Inside, neither `__torch_function__` of subclasses nor modes are called."""

    def __init__(self) -> None:
        super().__init__(_dispatch.FUNCTIONS_OFF)


class TorchFunctionMode(_dispatch.CallMode):
    """Inside, every call of an operator goes to `__torch_function__(func, types, args, kwargs)` of the innermost mode.

    A call of `func` within that method goes to the next outer mode, and from the last one to the operator.
    """

    sees_functions = True  # it is given the function under the name that was called
    sees_attributes = True  # reads and writes of tensors' attributes come to it, too

    def __torch_function__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        """What happens in the place of func(*args, **kwargs); to be written by the subclass."""
        raise NotImplementedError

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> TorchFunctionMode:
        """A new instance, to be entered."""
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that changes nothing."""

    def __torch_function__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        return func(*args, **(kwargs or {}))


def has_torch_function_unary(arg: Any) -> bool:
    """`has_torch_function` for one argument."""
    return has_torch_function((arg,))


def has_torch_function_variadic(*args: Any) -> bool:
    """`has_torch_function` for arguments given one by one."""
    return has_torch_function(args)


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that makes a function overridable; `dispatcher` takes its arguments and returns those whose classes
    are asked.
    """

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def overridable(*args: Any, **kwargs: Any) -> Any:
            asked = tuple(dispatcher(*args, **kwargs))
            if not has_torch_function(asked):
                return func(*args, **kwargs)
            return handle_torch_function(overridable, asked, *args, **kwargs)

        return overridable

    return decorate


def is_tensor_like(inp: Any) -> bool:
    """Whether `inp` is a tensor or of a class with `__torch_function__`."""
    return isinstance(inp, Tensor) or hasattr(inp, "__torch_function__")


def get_default_nowrap_functions() -> set[Any]:
    """The functions whose results a subclass's default `__torch_function__` returns as they are, not as instances of
    the subclass.
    """
    return {Tensor._base.__get__, Tensor.grad.__get__} if hasattr(Tensor, "grad") else set()


def get_ignored_functions() -> set[Any]:
    """The public functions that are not overridable, because they take no tensors."""
    return {*FUNCTIONS.values(), Tensor.as_subclass}


# PyTorch lists these under torch.functional.
_IN_FUNCTIONAL = frozenset(
    """atleast_1d atleast_2d atleast_3d block_diag broadcast_tensors cartesian_prod cdist chain_matmul einsum istft lu
    meshgrid norm pca_lowrank
    split stft svd_lowrank tensordot unique unique_consecutive unravel_index""".split()
)


@functools.cache
def _overridable() -> tuple[dict[Any, list[Any]], dict[Any, str]]:
    """The overridable functions of each namespace, and the name of each function. A function that is in several places
    has the name of the first.
    """
    import rushlight
    from rushlight import fft, linalg, special
    from rushlight.nn import functional, init

    spaces: list[tuple[Any, str]] = [
        (functional, "torch.nn.functional"),
        (rushlight, "torch"),
        (init, "torch.nn.init"),
        (linalg, "torch.linalg"),
        (fft, "torch.fft"),
        (special, "torch.special"),
    ]
    by_space: dict[Any, list[Any]] = {}
    names: dict[Any, str] = {}
    no_tensors = get_ignored_functions()
    for space, shown in spaces:
        for name, value in list(vars(space).items()):
            own = isinstance(value, (Operator, Named, FunctionType)) and (
                space is not rushlight or not isinstance(value, FunctionType) or name in _IN_FUNCTIONAL
            )
            if name.startswith("_") or not own or value in no_tensors or value in names:
                continue
            by_space.setdefault(space, []).append(value)
            names[value] = f"{'torch.functional' if space is rushlight and name in _IN_FUNCTIONAL else shown}.{name}"
    for name, value in vars(Tensor).items():
        if name in ("__new__", "__init__", "__torch_function__", "__class__", "__dict__", "__weakref__"):
            continue
        if callable(value):
            members = {value: f"torch.Tensor.{name}"}
        elif hasattr(value, "__get__") and hasattr(value, "__set__"):
            members = {
                getattr(value, how): f"torch.Tensor.{name}.{how}" for how in ("__get__", "__set__", "__delete__")
            }
        else:
            continue
        by_space.setdefault(Tensor, []).extend(
            member for member, shown in members.items() if not shown.endswith(("__set__", "__delete__"))
        )
        names.update((member, shown) for member, shown in members.items() if member not in names)
    return by_space, names


def get_overridable_functions() -> dict[Any, list[Any]]:
    """Every overridable function, by the namespace that has it."""
    return {space: list(functions) for space, functions in _overridable()[0].items()}


def get_testing_overrides() -> dict[Any, Callable[..., Any]]:
    """For every overridable function, a function that takes the same arguments and returns -1."""
    found: dict[Any, Callable[..., Any]] = {}
    for function in (f for functions in get_overridable_functions().values() for f in functions):
        try:
            written = inspect.signature(function)
        except (TypeError, ValueError):  # the methods of Python's slots have no signature that could be read
            written = None
        found[function] = _dummy(written)
    return found


def _dummy(written: inspect.Signature | None) -> Callable[..., Any]:
    def dummy(*args: Any, **kwargs: Any) -> int:
        if written is not None:
            written.bind(*args, **kwargs)
        return -1

    if written is not None:
        dummy.__signature__ = written  # type: ignore[attr-defined]
    return dummy


def resolve_name(f: Any) -> str | None:
    """The qualified name of an overridable function, as 'torch.add'; None for any other function."""
    try:
        return _overridable()[1].get(f)
    except TypeError:  # not hashable, hence not one of the functions
        return None


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Whether `func` is a method of Tensor."""
    return getattr(func, "__name__", "") == "__get__" or (resolve_name(func) or "").startswith("torch.Tensor.")


class enable_reentrant_dispatch:
    """Accepted without effect: calls within a handler are always dispatched."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        pass
