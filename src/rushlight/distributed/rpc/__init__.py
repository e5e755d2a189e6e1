"""Names of `torch.distributed.rpc` that programs import: there is no distributed training here, and using one says
so.
"""

from __future__ import annotations

from rushlight.utils._absent import absent_names

_CLASSES = ("BackendType", "RRef", "RpcBackendOptions", "TensorPipeRpcBackendOptions", "WorkerInfo")
_CALLS = ("get_worker_info", "init_rpc", "remote", "rpc_async", "rpc_sync", "shutdown")
globals().update(
    absent_names(
        __name__, "there is no distributed training here; ask distributed.is_available() first", _CLASSES, _CALLS
    )
)
__all__ = [*_CLASSES, *_CALLS]
