"""Automatic differentiation: running the graph, custom functions, and switches for recording."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

from rushlight.autograd import inplace as _inplace
from rushlight.autograd import running as _running
from rushlight.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from rushlight.autograd.running import backward, grad
from rushlight.autograd.variable import Variable
from rushlight.core.tensor import is_grad_enabled, is_inference_mode_enabled

_inplace.install()
_running.attach()

__all__ = [
    "Function",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]

_LAZY = {
    **dict.fromkeys(("gradcheck", "gradgradcheck", "GradcheckError"), "gradcheck"),
    "Function": "function",
    "NestedIOFunction": "function",
    "detect_anomaly": "anomaly_mode",
    "set_detect_anomaly": "anomaly_mode",
    "is_anomaly_enabled": "anomaly_mode",
    "_profiler_enabled": "profiler",
    "_disable_profiler": "profiler",
}
_MODULES = (
    "anomaly_mode",
    "forward_ad",
    "function",
    "functional",
    "grad_mode",
    "graph",
    "profiler",
    "profiler_util",
    "variable",
)


class _Package(ModuleType):
    def __setattr__(self, name: str, value: Any) -> None:
        # An import of the module `gradcheck` binds its name here; PyTorch has the function of that name there.
        super().__setattr__(name, value.gradcheck if name == "gradcheck" and isinstance(value, ModuleType) else value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(f"rushlight.autograd.{_LAZY[name]}"), name)
    elif name in _MODULES:
        return importlib.import_module(f"rushlight.autograd.{name}")
    else:
        raise AttributeError(f"module 'rushlight.autograd' has no attribute '{name}'")
    globals()[name] = value
    return value


_ = (is_grad_enabled, is_inference_mode_enabled)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_LAZY, *_MODULES})
