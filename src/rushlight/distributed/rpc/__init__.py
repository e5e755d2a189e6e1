"""Names of `torch.distributed.rpc` that programs import: rushlight lacks them, and using one says so."""

from __future__ import annotations

from rushlight.distributed._lacking import lacking

_LACKING = lacking(
    __name__,
    "BackendType RRef RpcBackendOptions TensorPipeRpcBackendOptions WorkerInfo",
    "get_worker_info init_rpc remote rpc_async rpc_sync shutdown",
)
globals().update(_LACKING)
__all__ = [*_LACKING, "is_available"]


def is_available() -> bool:
    """Whether processes can call each other: no."""
    return False
