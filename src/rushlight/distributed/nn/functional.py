"""Names of `torch.distributed.nn.functional` that programs import: using one says that there is no distributed training
here.
"""

from __future__ import annotations

from rushlight.utils._absent import absent_names

_CALLS = [
    "all_gather",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "broadcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
]
globals().update(
    absent_names(__name__, "there is no distributed training here; ask distributed.is_available() first", (), _CALLS)
)
__all__ = [*_CALLS]
