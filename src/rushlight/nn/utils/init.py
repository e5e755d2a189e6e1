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
    for wanted, there in (
        ("be a subclass of Module", issubclass(module_cls, Module)),
        ("take the argument 'device'", "device" in inspect.signature(module_cls).parameters),
    ):
        if not there:
            raise RuntimeError(f"skip_init(): module_cls must {wanted}, found {module_cls!r}")
    place = kwargs.get("device", "cpu")
    return module_cls(*args, **{**kwargs, "device": "meta"}).to_empty(device=place)
