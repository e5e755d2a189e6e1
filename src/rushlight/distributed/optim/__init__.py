"""Names of `torch.distributed.optim` that programs import: rushlight lacks them, and using one says
so.
"""

from __future__ import annotations

from rushlight.distributed._lacking import lacking

_LACKING = lacking(__name__, "DistributedOptimizer PostLocalSGDOptimizer ZeroRedundancyOptimizer")
globals().update(_LACKING)
__all__ = [*_LACKING]
