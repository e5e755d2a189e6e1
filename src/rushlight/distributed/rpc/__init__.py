"""Names of `torch.distributed.rpc` that programs import: rushlight lacks them, and using one says so."""

from __future__ import annotations

from rushlight.utils._absent import absent_names

_CLASSES = ("BackendType", "RRef", "RpcBackendOptions", "TensorPipeRpcBackendOptions", "WorkerInfo")
_CALLS = ("get_worker_info", "init_rpc", "remote", "rpc_async", "rpc_sync", "shutdown")
globals().update(
    absent_names(
        __name__,
        "rushlight lacks it: there are groups of one process here, with collectives and DistributedDataParallel",
        _CLASSES,
        _CALLS,
    )
)
__all__ = [*_CLASSES, *_CALLS, "is_available"]


def is_available() -> bool:
    """Whether processes can call each other: no."""
    return False
