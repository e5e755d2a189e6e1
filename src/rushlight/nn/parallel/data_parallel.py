"""Modules on several devices; there is one here, so a wrapper calls its module."""

from __future__ import annotations

from typing import Any

from rushlight.nn.modules.module import Module

__all__ = ["DataParallel", "data_parallel"]


class DataParallel(Module):
    """Calls the module inside; with several devices it would divide the batch over them.

    Args:
        module: the module; its parameters are named with the prefix ``module.``.
        device_ids: must be empty: there are no devices to divide over.
        output_device: accepted.
        dim: accepted.

    Raises:
        RuntimeError: devices are named.
    """

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        if device_ids:
            raise RuntimeError(
                f"DataParallel(): device_ids={list(device_ids)}: there are no devices to divide a batch over; leave "
                "it out"
            )
        self.dim = dim
        self.module = module
        self.device_ids: list[Any] = []
        self.output_device = output_device

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """The module's forward."""
        return self.module(*inputs, **kwargs)


def data_parallel(
    module: Module,
    inputs: Any,
    device_ids: Any = None,
    output_device: Any = None,
    dim: int = 0,
    module_kwargs: dict[str, Any] | None = None,
) -> Any:
    """The module's result for these inputs; with several devices the batch would be divided over them.

    Raises:
        RuntimeError: devices are named.
    """
    inputs = inputs if isinstance(inputs, tuple) else (inputs,)
    return DataParallel(module, device_ids, output_device, dim)(*inputs, **(module_kwargs or {}))
