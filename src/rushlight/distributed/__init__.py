"""`torch.distributed`: groups of processes. The backend here, gloo, makes groups of one; others can be registered.

backends.py has the class that a backend derives from, distributed_c10d.py the exchanges by their public names.
"""

from __future__ import annotations

from typing import Any

from rushlight.distributed import distributed_c10d, groups
from rushlight.distributed.backends import Backend, ReduceOp, Work
from rushlight.distributed.distributed_c10d import *  # noqa: F403
from rushlight.distributed.distributed_c10d import __all__ as _calls
from rushlight.distributed.stores import (
    DistBackendError,
    DistError,
    DistStoreError,
    FileStore,
    HashStore,
    PrefixStore,
    Store,
    TCPStore,
)
from rushlight.utils._absent import absent_names

__all__ = [
    *_calls,
    "Backend",
    "DistBackendError",
    "DistError",
    "DistStoreError",
    "FileStore",
    "HashStore",
    "PrefixStore",
    "ReduceOp",
    "Store",
    "TCPStore",
    "Work",
]
_get_default_group = distributed_c10d._get_default_group
_get_default_store = distributed_c10d._get_default_store
_rank_not_in_group = groups._rank_not_in_group
_pg_map, default_pg_timeout = distributed_c10d._pg_map, distributed_c10d.default_pg_timeout
_why = "rushlight lacks it: there are groups of one process here, with collectives and DistributedDataParallel"
_CLASSES = ("DeviceMesh", "ProcessGroupGloo", "ProcessGroupNCCL")
_CALLS = ("breakpoint", "init_device_mesh", "split_group")
globals().update(absent_names(__name__, _why, _CLASSES, _CALLS, NotImplementedError))
__all__ += [*_CLASSES, *_CALLS]


def __getattr__(name: str) -> Any:
    if name in ("nn", "optim", "fsdp", "tensor", "rpc", "device_mesh"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
