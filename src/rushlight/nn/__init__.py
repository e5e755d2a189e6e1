"""Parts of neural networks: modules, parameters, initial values, and the functions behind them."""

from __future__ import annotations

import importlib
from typing import Any

import rushlight.nn.functional as functional

from . import attention, init, modules, parallel, parameter, utils
from .modules import *  # noqa: F403
from .modules import __all__ as _module_names
from .parallel import DataParallel
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    "Buffer",
    "DataParallel",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "attention",
    "functional",
    "init",
    "modules",
    "parallel",
    "parameter",
    "utils",
    *_module_names,
]


def __getattr__(name: str) -> Any:
    if name in ("_reduction", "common_types", "grad", "quantized"):  # read when asked for
        return importlib.import_module(f"rushlight.nn.{name}")
    raise AttributeError(f"module 'torch.nn' has no attribute '{name}'")
