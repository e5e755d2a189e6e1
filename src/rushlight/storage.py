"""The types of storages, in the module where PyTorch has them."""

from __future__ import annotations

from rushlight.core.storage import Storage as UntypedStorage
from rushlight.operators.tensors.memory import TypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]
