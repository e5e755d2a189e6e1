"""DLPack: tensors to and from other libraries without a copy."""

from __future__ import annotations

from typing import Any

import rushlight
from rushlight.operators.tensors._dlpack import DLDeviceType

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> rushlight.Tensor:
    """A tensor on the memory of another library's array, or of a DLPack capsule; see `rushlight.from_dlpack`."""
    return rushlight.from_dlpack(ext_tensor, device=device, copy=copy)


def to_dlpack(tensor: rushlight.Tensor) -> Any:
    """A DLPack capsule of the tensor's memory, to be taken once, without its graph. Subclasses are not asked."""
    with rushlight._C.DisableTorchFunctionSubclass():
        return tensor.detach().__dlpack__()
