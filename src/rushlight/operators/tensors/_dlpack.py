"""The kinds of memory of the DLPack standard."""

from __future__ import annotations

import enum


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


DLDeviceType.__module__ = "rushlight.utils.dlpack"
