"""Names of `torch.distributed.device_mesh` that programs import: rushlight lacks them, and using one
says so.
"""

from __future__ import annotations

from rushlight.utils._absent import absent_names

_CLASSES = ("DeviceMesh",)
_CALLS = ("init_device_mesh",)
globals().update(
    absent_names(
        __name__,
        "rushlight lacks it: there are groups of one process here, with collectives and DistributedDataParallel",
        _CLASSES,
        _CALLS,
    )
)
__all__ = [*_CLASSES, *_CALLS]
