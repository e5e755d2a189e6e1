"""`torch.compile`: the call form, its checks, and what it returns."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

from rushlight._dynamo.exc import InvalidBackend
from rushlight.compiler.marks import BACKENDS
from rushlight.jit.recording import Recorder, innermost, recording
from rushlight.jit.segments import Segments
from rushlight.nn import Module

__all__ = ["OptimizedModule", "compile", "explain", "export", "optimize", "run"]

MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")


@functools.cache
def _say_once() -> None:
    warnings.warn(
        "torch.compile: rushlight runs the function as it is written, operator by operator; whole functions are not "
        "compiled into one program yet, but for those that rushlight.jit(f) is told are pure",
        stacklevel=4,
    )


class OptimizedModule(Module):
    """What `torch.compile(module)` returns: a module that calls the one it holds, `_orig_mod`, and has its
    attributes.
    """

    def __init__(self, mod: Module, dynamo_ctx: Any = None) -> None:
        super().__init__()
        self._orig_mod = mod
        self.dynamo_ctx = dynamo_ctx
        self.training = mod.training

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module returns."""
        return self._orig_mod(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._orig_mod, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_orig_mod", "dynamo_ctx", "forward") or "_orig_mod" not in self.__dict__.get("_modules", {}):
            return super().__setattr__(name, value)
        if name == "training":
            super().__setattr__(name, value)
        setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._orig_mod, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._orig_mod)})

    def __reduce__(self) -> tuple[Any, ...]:
        return OptimizedModule, (self._orig_mod, self.dynamo_ctx)


def _as_written(fn: Callable[..., Any], fullgraph: bool = False) -> Callable[..., Any]:
    """What compiling a function gives: one that calls it. Also an OptimizedModule's `dynamo_ctx`, by which packages
    compile more of its methods.
    """

    segments = Segments(getattr(fn, "__name__", type(fn).__name__))

    @functools.wraps(fn)
    def run_as_written(*args: Any, **kwargs: Any) -> Any:
        if innermost() is not None:
            return fn(*args, **kwargs)
        with recording(Recorder(segments.run, fullgraph)):
            return fn(*args, **kwargs)

    run_as_written._segments = segments

    run_as_written._torchdynamo_orig_callable = fn  # type: ignore[attr-defined]
    return run_as_written


def _check(model: Any, backend: Any, mode: Any, options: Any) -> None:
    if not callable(model):
        raise AssertionError(f"compile(): 'model' must be a function or a module; found {type(model).__name__}")
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    if options is not None and not isinstance(options, dict):
        raise RuntimeError(f"compile(): 'options' must be a dict; found {type(options).__name__}")
    if isinstance(backend, str) and backend not in BACKENDS:
        raise InvalidBackend(backend)
    if backend is not None and not isinstance(backend, str) and not callable(backend):
        raise TypeError(f"compile(): 'backend' must be a name or a function; found {type(backend).__name__}")


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """A callable that does what `model` does; without `model`, a decorator.

    Args:
        model: a function, or a module, for which a module is returned whose state dict has "_orig_mod." before every
            key. The other arguments are PyTorch's; they are checked, and change nothing yet.

    Raises:
        AssertionError, RuntimeError, TypeError, InvalidBackend: for arguments out of range.
    """
    given = locals()
    if model is None:
        del given["model"]
        return functools.partial(compile, **given)
    _check(model, backend, mode, options)
    if disable:
        return model
    _say_once()
    if isinstance(model, type):
        return model
    if isinstance(model, Module):
        return OptimizedModule(model, _as_written)
    return _as_written(model)


def optimize(backend: Any = None, **kwargs: Any) -> Callable[[Any], Any]:
    """The older form of `compile`: a decorator."""
    return lambda model: compile(model, backend=backend)


def run(fn: Any = None) -> Any:
    """The function itself, which compiles nothing more."""
    return (lambda f: f) if fn is None else fn


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"torch.{name}: rushlight does not turn whole functions into one program yet; rushlight.explain(operator, "
        "*args) shows what an operator compiles to, "
        "torch.fx.symbolic_trace makes a graph of a module"
    )


def explain(f: Any, *extra_args: Any, **extra_kwargs: Any) -> NoReturn:
    """Not there yet. NotImplementedError."""
    _refuse("_dynamo.explain")


def export(f: Any, *extra_args: Any, **extra_kwargs: Any) -> NoReturn:
    """Not there yet. NotImplementedError."""
    _refuse("_dynamo.export")


def is_dynamo_supported() -> bool:
    """Whether `compile` may be called here: yes."""
    return True
