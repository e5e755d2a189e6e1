"""The types of storages, where PyTorch has them."""

from __future__ import annotations

from rushlight import TypedStorage, UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]
