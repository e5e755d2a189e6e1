"""Names of `torch.distributed.tensor` that programs import: rushlight lacks them, and using one says
so.
"""

from __future__ import annotations

from rushlight.utils._absent import absent_names

_CLASSES = ("DTensor", "Partial", "Placement", "Replicate", "Shard")
_CALLS = ("distribute_module", "distribute_tensor", "empty", "full", "ones", "rand", "randn", "zeros")
globals().update(
    absent_names(
        __name__,
        "rushlight lacks it: there are groups of one process here, with collectives and DistributedDataParallel",
        _CLASSES,
        _CALLS,
    )
)
__all__ = [*_CLASSES, *_CALLS]
