"""Names of `torch.distributed.device_mesh` that programs import: there is no distributed training here, and using one
says so.
"""

from __future__ import annotations

from rushlight.utils._absent import absent_names

_CLASSES = ("DeviceMesh",)
_CALLS = ("init_device_mesh",)
globals().update(
    absent_names(
        __name__, "there is no distributed training here; ask distributed.is_available() first", _CLASSES, _CALLS
    )
)
__all__ = [*_CLASSES, *_CALLS]
