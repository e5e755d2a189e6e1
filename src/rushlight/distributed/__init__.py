"""`torch.distributed`: groups of processes. The backend here, gloo, makes groups of one; others can be registered.

backends.py has the class that a backend derives from, distributed_c10d.py the exchanges by their public names.
"""

from __future__ import annotations

from typing import Any

from rushlight.distributed import groups
from rushlight.distributed._lacking import lacking
from rushlight.distributed.backends import Backend, ReduceOp, Work
from rushlight.distributed.distributed_c10d import *  # noqa: F403
from rushlight.distributed.distributed_c10d import __all__ as _calls
from rushlight.distributed.stores import *  # noqa: F403
from rushlight.distributed.stores import __all__ as _stores

__all__ = [*_calls, *_stores, "Backend", "ReduceOp", "Work"]
_get_default_group, _get_default_store = groups._get_default_group, groups._get_default_store
_rank_not_in_group, _pg_map, default_pg_timeout = groups._rank_not_in_group, groups._pg_map, groups.default_pg_timeout
_LACKING = lacking(
    __name__,
    "DeviceMesh ProcessGroupGloo ProcessGroupNCCL",
    "breakpoint init_device_mesh split_group",
    NotImplementedError,
)
globals().update(_LACKING)
__all__ += [*_LACKING]


def __getattr__(name: str) -> Any:
    if name in ("nn", "optim", "fsdp", "tensor", "rpc", "device_mesh"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
