"""Names of `torch.distributed.nn` that programs import: there is no distributed training here, and using one says
so.
"""

from __future__ import annotations

from rushlight.distributed.nn import functional
from rushlight.utils._absent import absent_names

_CLASSES = ("RemoteModule",)
_CALLS = (
    "all_gather",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
)
globals().update(
    absent_names(
        __name__, "there is no distributed training here; ask distributed.is_available() first", _CLASSES, _CALLS
    )
)
__all__ = ["functional", *_CLASSES, *_CALLS]
