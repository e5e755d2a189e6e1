"""The package `functorch`, which PyTorch installs together with torch: older names of `torch.func`."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight import func
from rushlight.core.warning import warn
from rushlight.func import functional_call, stack_module_state
from rushlight.fx.experimental.proxy_tensor import make_fx
from rushlight.nn.modules.module import Module

__name__ = "functorch"  # the alias alone imports this file, and by that name
_OLD = ("functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp", "vmap")
__all__ = [*_OLD, "combine_state_for_ensemble", "make_functional", "make_functional_with_buffers", "make_fx"]
__version__ = rushlight.__version__


def _deprecated(old: str, new: str) -> None:
    """Say what to write instead of a name of functorch."""
    warn(f"torch has integrated functorch: functorch.{old} is deprecated; write torch.func.{new}", FutureWarning)


def _old_name(new: Callable[..., Any]) -> Callable[..., Any]:
    """A function of torch.func under functorch's name, which is deprecated."""

    @functools.wraps(new)
    def old(*args: Any, **kwargs: Any) -> Any:
        _deprecated(new.__name__, new.__name__)
        return new(*args, **kwargs)

    return old


functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap = (
    _old_name(getattr(func, name)) for name in _OLD
)


def _without_values(model: Module) -> Module:
    """A copy of a module to call with other parameters than its own."""
    return copy.deepcopy(model).to("meta")


class FunctionalModule(Module):
    """A module as a function of its parameters: `functional(params, *args)`."""

    def __init__(self, model: Module, names: list[str]) -> None:
        super().__init__()
        self.stateless_model, self.param_names = _without_values(model), names

    def forward(self, params: Any, *args: Any, **kwargs: Any) -> Any:
        return functional_call(self.stateless_model, dict(zip(self.param_names, params, strict=True)), args, kwargs)


class FunctionalModuleWithBuffers(Module):
    """A module as a function of its parameters and buffers: `functional(params, buffers, *args)`."""

    def __init__(self, model: Module, names: list[str], buffers: list[str]) -> None:
        super().__init__()
        self.stateless_model, self.param_names, self.buffer_names = _without_values(model), names, buffers

    def forward(self, params: Any, buffers: Any, *args: Any, **kwargs: Any) -> Any:
        state = dict(zip(self.param_names, params, strict=True)) | dict(zip(self.buffer_names, buffers, strict=True))
        return functional_call(self.stateless_model, state, args, kwargs)


def _parameters(model: Module, without_history: bool) -> tuple[list[str], tuple[Any, ...]]:
    named = dict(model.named_parameters())
    return list(named), tuple(
        p.detach().requires_grad_(p.requires_grad and not without_history) for p in named.values()
    )


def make_functional(model: Module, disable_autograd_tracking: bool = False) -> tuple[FunctionalModule, tuple[Any, ...]]:
    """A module as a function of its parameters, and the parameters.

    Raises:
        RuntimeError: for a module with buffers, which `make_functional_with_buffers` takes.
    """
    _deprecated("make_functional", "functional_call")
    if any(True for _ in model.buffers()):
        raise RuntimeError("make_functional(): 'model' must have no buffers; use make_functional_with_buffers()")
    names, values = _parameters(model, disable_autograd_tracking)
    return FunctionalModule(model, names), values


def make_functional_with_buffers(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
    """A module as a function of its parameters and buffers, the parameters, and the buffers."""
    _deprecated("make_functional_with_buffers", "functional_call")
    names, values = _parameters(model, disable_autograd_tracking)
    buffers = dict(model.named_buffers())
    return (
        FunctionalModuleWithBuffers(model, names, list(buffers)),
        values,
        tuple(b.detach().clone() for b in buffers.values()),
    )


def combine_state_for_ensemble(models: Any) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
    """Modules of one class as one function of stacked parameters and buffers, to be called under vmap.

    Raises:
        RuntimeError: there is no module, or they differ in class or in training mode.
    """
    _deprecated("combine_state_for_ensemble", "stack_module_state")
    models = list(models)
    params, buffers = stack_module_state(models)
    return (
        FunctionalModuleWithBuffers(models[0], list(params), list(buffers)),
        tuple(params.values()),
        tuple(buffers.values()),
    )
