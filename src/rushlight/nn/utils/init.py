"""Modules made without drawing their initial values."""

from __future__ import annotations

import inspect
from typing import Any

from rushlight.nn.modules.module import Module

__all__ = ["skip_init"]


def skip_init(module_cls: type[Module], *args: Any, **kwargs: Any) -> Module:
    """Make a module whose parameters and buffers have memory but no values.

    Args:
        module_cls: the class; it takes ``device``.
        args: its arguments.
        kwargs: its arguments, with ``device``: where the module will be.

    Raises:
        RuntimeError: the class is no Module, or takes no ``device``.
    """
    of_modules = isinstance(module_cls, type) and issubclass(module_cls, Module)
    if not of_modules or "device" not in inspect.signature(module_cls).parameters:
        wanted = "take the argument 'device'" if of_modules else "be a subclass of Module"
        raise RuntimeError(f"skip_init(): module_cls must {wanted}, found {module_cls!r}")
    place = kwargs.get("device", "cpu")
    return module_cls(*args, **{**kwargs, "device": "meta"}).to_empty(device=place)
