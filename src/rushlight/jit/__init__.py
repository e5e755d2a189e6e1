"""The names of `torch.jit` that programs put on their functions: there is no TorchScript here, Python runs them.

`script` and `trace` return what they are given, for TorchScript is a part of Python with Python's meaning. What needs a compiled
form, saving and loading it, raises NotImplementedError.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn, TypeVar

from rushlight.nn import Module

__all__ = ["Attribute", "Final", "ScriptFunction", "ScriptModule", "TracerWarning", "annotate", "export", "fork", "freeze", "ignore", "interface",
           "is_scripting", "is_tracing", "isinstance", "load", "optimize_for_inference", "optimized_execution", "save", "script", "script_if_tracing",
           "script_method", "trace", "trace_module", "unused", "wait"]

T = TypeVar("T")
_isinstance = isinstance


class ScriptModule(Module):
    """A Module; kept for programs that derive from it or ask for it."""


class ScriptFunction:
    """The type of compiled functions in PyTorch: nothing here is one."""


class TracerWarning(Warning):
    """What PyTorch's tracer warns of: there is no tracer."""


class Attribute:
    """A module's attribute with its type; `value` is what counts in Python."""

    def __init__(self, value: Any, type: Any) -> None:
        self.value, self.type = value, type


def is_scripting() -> bool:
    """Whether TorchScript's compiler reads this: never."""
    return False


def is_tracing() -> bool:
    """Whether a trace is being made: never."""
    return False


def script(obj: T, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> T:
    """The function, class or module itself, which Python runs."""
    return obj


def trace(func: Any, example_inputs: Any = None, *args: Any, **kwargs: Any) -> Any:
    """The function or module itself. It is not specialised to the example: what it decides by values, it goes on deciding."""
    return func


def trace_module(mod: T, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> T:
    """The module itself.

    Errors: AttributeError when it lacks a method that is named.
    """
    for name in inputs:
        getattr(mod, name)
    return mod


def script_if_tracing(fn: T) -> T:
    """The function itself."""
    return fn


def script_method(fn: T) -> T:
    """The method itself."""
    return fn


def export(fn: T) -> T:
    """The method itself."""
    return fn


def unused(fn: T) -> T:
    """The method itself."""
    return fn


def interface(obj: T) -> T:
    """The class itself."""
    return obj


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """A decorator that returns the function itself, with or without arguments."""
    return drop if callable(drop) else lambda fn: fn


def annotate(the_type: Any, the_value: T) -> T:
    """The value; its type is for TorchScript."""
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Whether an object is of a type, or of one of several; of a generic type its origin is asked."""
    kinds = target_type if _isinstance(target_type, tuple) else (target_type,)
    return any(_isinstance(obj, getattr(kind, "__origin__", kind)) for kind in kinds)


def freeze(mod: T, preserved_attrs: Any = None, optimize_numerics: bool = True) -> T:
    """The module itself.

    Errors: RuntimeError when it is in training mode.
    """
    if getattr(mod, "training", False):
        raise RuntimeError("freeze(): 'mod' must be in evaluation mode, by eval(); found it in training mode")
    return mod


def optimize_for_inference(mod: T, other_methods: Any = None) -> T:
    """The module itself."""
    return mod


@contextlib.contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """Accepted: nothing here is optimised by TorchScript."""
    yield


class _Done:
    def __init__(self, value: Any) -> None:
        self._value = value

    def value(self) -> Any:
        """The result."""
        return self._value

    wait = value


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The result of the call, made now, as something to `wait` for."""
    return _Done(func(*args, **kwargs))


def wait(future: Any) -> Any:
    """The result of a `fork`."""
    return future.wait()


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(f"jit.{name}(): there is no TorchScript here; save a module's state_dict() with save(), and load it with load()")


def save(m: Any, f: Any, _extra_files: Any = None) -> None:
    """Write a compiled module: NotImplementedError, for there are none."""
    _refuse("save")


def load(f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False) -> Any:
    """Read a compiled module: NotImplementedError."""
    _refuse("load")
