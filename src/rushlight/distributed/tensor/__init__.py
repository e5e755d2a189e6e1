"""Names of `torch.distributed.tensor`: placements, which are plain values, and what rushlight lacks, which says so when
it is used.
"""

from __future__ import annotations

from rushlight.distributed.tensor.placements import Partial, Placement, Replicate, Shard
from rushlight.utils._absent import absent_names

_CLASSES = ("DTensor",)
_CALLS = ("distribute_module", "distribute_tensor", "empty", "full", "ones", "rand", "randn", "zeros")
globals().update(
    absent_names(
        __name__,
        "rushlight lacks it: there are groups of one process here, with collectives and DistributedDataParallel",
        _CLASSES,
        _CALLS,
    )
)
__all__ = [*_CLASSES, *_CALLS, "Partial", "Placement", "Replicate", "Shard"]
