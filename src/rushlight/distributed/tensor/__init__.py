"""Names of `torch.distributed.tensor`: placements, which are plain values, and what rushlight lacks, which says so when
it is used.
"""

from __future__ import annotations

from rushlight.distributed._lacking import lacking
from rushlight.distributed.tensor.placements import Partial, Placement, Replicate, Shard

_LACKING = lacking(__name__, "DTensor", "distribute_module distribute_tensor empty full ones rand randn zeros")
globals().update(_LACKING)
__all__ = [*_LACKING, "Partial", "Placement", "Replicate", "Shard"]
