"""Parts of neural networks: modules, parameters, initial values, and the functions behind them."""

from __future__ import annotations

import rushlight.nn.functional as functional

from . import init, modules, parameter, utils
from .modules import *  # noqa: F403
from .modules import __all__ as _module_names
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "functional", "init", "modules", "parameter", "utils", *_module_names]
