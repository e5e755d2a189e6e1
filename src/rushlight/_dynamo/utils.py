"""Names of `torch._dynamo.utils` that packages ask."""

from __future__ import annotations

from typing import Any

__all__ = ["is_compile_supported"]


def is_compile_supported(device_type: Any) -> bool:
    """Whether `torch.compile` makes code for a type of device: not yet, functions run as they are written."""
    return False
