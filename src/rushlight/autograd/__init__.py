"""Automatic differentiation: running the graph, custom functions, and switches for recording."""

from __future__ import annotations

import importlib
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


def __getattr__(name: str) -> Any:
    if name in ("gradcheck", "gradgradcheck", "GradcheckError"):
        module = importlib.import_module("rushlight.autograd.gradcheck")
        # The import binds the name to the module; the function of that name is what PyTorch has there.
        globals().update(
            gradcheck=module.gradcheck, gradgradcheck=module.gradgradcheck, GradcheckError=module.GradcheckError
        )
        return globals()[name]
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
