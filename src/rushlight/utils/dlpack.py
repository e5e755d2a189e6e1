"""DLPack: tensors to and from other libraries without a copy."""

from __future__ import annotations

import enum
from typing import Any

import rushlight

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


class DLDeviceType(enum.IntEnum):
    """Where memory is, in the numbers of the DLPack standard (dlpack.h, version 1.1)."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> rushlight.Tensor:
    """A tensor on the memory of another library's array, or of a DLPack capsule; see `rushlight.from_dlpack`."""
    return rushlight.from_dlpack(ext_tensor, device=device, copy=copy)


def to_dlpack(tensor: rushlight.Tensor) -> Any:
    """A DLPack capsule of the tensor's memory, to be taken once. Subclasses are not asked."""
    with rushlight._C.DisableTorchFunctionSubclass():
        return tensor.__dlpack__()
