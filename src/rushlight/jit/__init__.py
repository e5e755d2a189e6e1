"""The names of `torch.jit` that programs put on their functions: there is no TorchScript here, Python runs them.

`script` and `trace` give an object that Python runs, for TorchScript is a part of Python with Python's meaning. What
shows or saves a compiled form (`graph`, `code`, `save`) uses the graph that `fx.symbolic_trace` makes.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn, TypeVar

from rushlight import futures
from rushlight.core.warning import warn
from rushlight.futures import Future
from rushlight.jit.capture import Jitted as _Jitted
from rushlight.jit.capture import jit as _jit
from rushlight.jit.scripted import (
    Error,
    RecursiveScriptModule,
    ScriptFunction,
    ScriptModule,
    TopLevelTracedModule,
    TracedModule,
    load,
    save,
)
from rushlight.nn import Module

__all__ = [
    "Error",
    "Future",
    "RecursiveScriptModule",
    "TopLevelTracedModule",
    "TracedModule",
    "annotations",
    "enable_onednn_fusion",
    "fuser",
    "onednn_fusion_enabled",
    "set_fusion_strategy",
    "strict_fusion",
    "Attribute",
    "Final",
    "ScriptFunction",
    "ScriptModule",
    "TracerWarning",
    "annotate",
    "export",
    "fork",
    "freeze",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "load",
    "optimize_for_inference",
    "optimized_execution",
    "save",
    "script",
    "script_if_tracing",
    "script_method",
    "trace",
    "trace_module",
    "unused",
    "wait",
]

T = TypeVar("T")
# in the place of the future statement's own name
annotations = importlib.import_module("rushlight.jit.annotations")  # type: ignore[assignment]
_isinstance = isinstance


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


def script(obj: Any, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> Any:
    """The function or module as an object that has `graph`, `code` and `save`; Python runs it. Classes are returned as
    they are.

    Raises:
        RuntimeError: for what is neither a function, a module nor a class.
    """
    warn("`torch.jit.script` is deprecated; write torch.compile()", DeprecationWarning)
    if _isinstance(obj, (ScriptModule, ScriptFunction, type)):
        return obj
    if _isinstance(obj, Module):
        return RecursiveScriptModule(obj)
    if not callable(obj):
        raise RuntimeError(f"jit.script(): 'obj' must be a function, a module or a class; found {type(obj).__name__}")
    return ScriptFunction(obj)


def trace(
    func: Any,
    example_inputs: Any = None,
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    _force_outplace: bool = False,
    _module_class: Any = None,
    _compilation_unit: Any = None,
    example_kwarg_inputs: dict[str, Any] | None = None,
    _store_inputs: bool = True,
) -> Any:
    """The function or module as an object that has `graph`, `code` and `save`; Python runs it.

    Args:
        example_inputs: a tensor or a tuple: it is called with them once, so that what is wrong shows here.
        example_kwarg_inputs: the same, by name. It is not specialised to the example: what it decides by values, it
            goes on deciding.
    """
    warn("`torch.jit.trace` is deprecated; write torch.compile()", DeprecationWarning)
    if _isinstance(func, (ScriptModule, ScriptFunction)):
        return func
    if example_inputs is None and example_kwarg_inputs is None:
        raise RuntimeError("jit.trace(): 'example_inputs' must be given, or 'example_kwarg_inputs'; found neither")
    args = (
        ()
        if example_inputs is None
        else tuple(example_inputs)
        if _isinstance(example_inputs, (tuple, list))
        else (example_inputs,)
    )
    func(*args, **(example_kwarg_inputs or {}))
    return TopLevelTracedModule(func) if _isinstance(func, Module) else ScriptFunction(func)


def _get_trace_graph(*args: Any, **kwargs: Any) -> NoReturn:
    """Not there, for there is no graph of PyTorch's kernels: NotImplementedError."""
    raise NotImplementedError(
        "jit._get_trace_graph(): rushlight has no graph of PyTorch's kernels; torch.fx.symbolic_trace makes one of "
        "calls"
    )


def trace_module(mod: Module, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> TopLevelTracedModule:
    """The module as an object that has `graph`, `code` and `save`; its methods are called with their example inputs
    once.

    Raises:
        AttributeError: it lacks a method that is named.
    """
    for name, given in inputs.items():
        getattr(mod, name)(*(given if _isinstance(given, (tuple, list)) else (given,)))
    return TopLevelTracedModule(mod)


def script_if_tracing(fn: T) -> T:
    """The function itself."""
    return fn


def script_method(fn: T) -> T:
    """The method itself."""
    return fn


def export(fn: T) -> T:
    """The method itself, which a file of `save` keeps beside forward."""
    fn.__dict__["_exported_"] = True
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
    """A copy of the module whose parameters require no gradients: they are constants.

    Raises:
        RuntimeError: it is in training mode.
    """
    if getattr(mod, "training", False):
        raise RuntimeError("freeze(): 'mod' must be in evaluation mode, by eval(); found it in training mode")
    if not _isinstance(mod, Module):
        return mod
    frozen: Any = copy.deepcopy(mod)
    frozen.requires_grad_(False)
    return frozen  # type: ignore[no-any-return]


def optimize_for_inference(mod: T, other_methods: Any = None) -> T:
    """The module, frozen."""
    return freeze(mod)


@contextlib.contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """Accepted: nothing here is optimised by TorchScript."""
    yield


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Future[Any]:
    """The result of the call, made now, as something to `wait` for."""
    future: futures.Future[Any] = futures.Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: Any) -> Any:
    """The result of a `fork`."""
    return future.wait()


def _overload(fn: T) -> T:
    """One of several signatures of a function: for TorchScript, which picks one by types."""
    return fn


_overload_method = _overload
_script_if_tracing = script_if_tracing


def set_fusion_strategy(strategy: Any) -> list[Any]:
    """Accepted: kernels are fused by a compiler of our own. Returns what was in force: nothing."""
    return []


def enable_onednn_fusion(enabled: bool) -> None:
    """Accepted: oneDNN is not used."""


def onednn_fusion_enabled() -> bool:
    """Whether oneDNN fuses operators: no."""
    return False


@contextlib.contextmanager
def fuser(name: str) -> Iterator[None]:
    """Accepted: kernels are fused by a compiler of our own."""
    yield


@contextlib.contextmanager
def strict_fusion() -> Iterator[None]:
    """Accepted: nothing here is fused by TorchScript."""
    yield


class _Namespace(types.ModuleType):
    """`rushlight.jit`: PyTorch's namespace, which called with a function makes one program of it."""

    def __call__(self, fn: Callable[..., Any]) -> _Jitted:
        return _jit(fn)


_Namespace.__call__.__doc__ = _jit.__doc__
sys.modules[__name__].__class__ = _Namespace
