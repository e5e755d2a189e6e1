"""`torch.compile`: the call form, its checks, and what it returns; docs/design/compile.md tells how functions run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sized
from typing import Any, NoReturn

from rushlight._dynamo.compiled import ExplainOutput, compiled, explained
from rushlight._dynamo.exc import InvalidBackend
from rushlight.compiler.marks import BACKENDS, REGISTERED, get_default_backend
from rushlight.nn import Module

__all__ = ["OptimizedModule", "compile", "explain", "export", "optimize", "run"]

MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")


class OptimizedModule(Module):
    """What `torch.compile(module)` returns: a module that calls the one it holds, `_orig_mod`, recording, and has its
    attributes.
    """

    def __init__(self, mod: Module, dynamo_ctx: Any = None) -> None:
        super().__init__()
        self._orig_mod = mod
        self.dynamo_ctx = dynamo_ctx
        del self.__dict__["training"]
        self.__dict__["_run_"] = (dynamo_ctx or compiled)(mod.__call__)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module returns."""
        return self._run_(*args, **kwargs)

    def __len__(self) -> int:
        if not isinstance(self._orig_mod, Sized):
            raise TypeError(f"object of type '{type(self._orig_mod).__name__}' has no len()")
        return len(self._orig_mod)

    @property
    def training(self) -> bool:  # type: ignore[override]
        """Whether the module that it holds behaves as in training."""
        return self._orig_mod.training

    @training.setter
    def training(self, mode: bool) -> None:
        self._orig_mod.training = mode

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._orig_mod, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_orig_mod", "dynamo_ctx", "forward") or "_orig_mod" not in self.__dict__.get("_modules", {}):
            return super().__setattr__(name, value)
        setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._orig_mod, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._orig_mod)})

    def __reduce__(self) -> tuple[Any, ...]:
        return OptimizedModule, (self._orig_mod, self.dynamo_ctx)


# Ours, and the one that PyTorch does not hand on to its compiler.
_OWN_OPTIONS = frozenset(("always", "guard_filter_fn"))


def _check(model: Any, backend: Any, mode: Any, options: Any) -> None:
    if not callable(model):
        raise AssertionError(f"compile(): 'model' must be a function or a module; found {type(model).__name__}")
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    if options is not None and not isinstance(options, dict):
        raise RuntimeError(f"compile(): 'options' must be a dict; found {type(options).__name__}")
    if options and backend in (None, "inductor"):
        from rushlight._inductor import config

        config.check({name: value for name, value in options.items() if name not in _OWN_OPTIONS})
    if isinstance(backend, str) and backend not in BACKENDS and backend not in REGISTERED:
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
    """A callable that does what `model` does: its operators are recorded, and run together where Python needs a value,
    and at the end. Without `model`, a decorator.

    Args:
        model: a function, or a module, for which a module is returned whose state dict has "_orig_mod." before every
            key.
        fullgraph: an error where Python needs a value inside the function.
        backend: a name, of which none makes a difference but those that programs register; or a function, which gets
            each kind of segment as an `fx.GraphModule` with example inputs, and returns what is called in its place.
        disable: return `model` itself.
        options: given to `backend`, where that is a function. Else {"always": True} records also where that is found
            to cost more time than it saves; others make no difference. The other arguments are checked, and change
            nothing: sizes are symbols always.

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
    if isinstance(model, type):
        return model
    if backend is None:
        backend = get_default_backend()
    if isinstance(backend, str) and backend in REGISTERED:
        backend = REGISTERED[backend][0]
    own = backend if callable(backend) else None
    context = compiled
    if own is not None or fullgraph or options:
        context = functools.partial(compiled, backend=own, fullgraph=fullgraph, options=options)
    return OptimizedModule(model, context) if isinstance(model, Module) else context(model)


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


def explain(f: Any, *extra_args: Any, **extra_kwargs: Any) -> Any:
    """What becomes of a function under `compile`: `explain(f)(*args)` runs it once, and gives the segments with their
    operators, and why and in which line each ended.
    """

    def run(*args: Any, **kwargs: Any) -> ExplainOutput:
        return explained(f, args, kwargs)

    return run(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else run


def export(f: Any, *extra_args: Any, **extra_kwargs: Any) -> NoReturn:
    """Not there yet. NotImplementedError."""
    _refuse("_dynamo.export")


def is_dynamo_supported() -> bool:
    """Whether `compile` may be called here: yes."""
    return True
