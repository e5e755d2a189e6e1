"""`torch.distributed.nn`: exchanges between processes that gradients go back through."""

from __future__ import annotations

from rushlight.distributed.nn import functional
from rushlight.distributed.nn.functional import (
    all_gather,
    all_reduce,
    all_to_all,
    all_to_all_single,
    broadcast,
    gather,
    reduce,
    reduce_scatter,
    scatter,
)
from rushlight.utils._absent import absent_names

_CLASSES = ("RemoteModule",)
globals().update(absent_names(__name__, "rushlight lacks it: there is no torch.distributed.rpc", _CLASSES))
__all__ = [
    "all_gather",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "broadcast",
    "functional",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
    *_CLASSES,
]
