"""What portable programs ask of `torch.distributed` before they use it: there is no distributed training here."""

from __future__ import annotations

import enum
from typing import Any, NoReturn

from rushlight.utils._absent import absent_names

__all__ = [
    "Backend",
    "GroupMember",
    "ReduceOp",
    "group",
    "get_rank",
    "get_world_size",
    "init_process_group",
    "is_available",
    "is_gloo_available",
    "is_initialized",
    "is_mpi_available",
    "is_nccl_available",
    "is_torchelastic_launched",
]


def is_available() -> bool:
    """Whether processes can train together: not yet."""
    return False


def is_initialized() -> bool:
    """Whether a process group has been made: there is none."""
    return False


def is_mpi_available() -> bool:
    """Whether MPI can be used: no."""
    return False


def is_nccl_available() -> bool:
    """Whether NCCL can be used: no."""
    return False


def is_gloo_available() -> bool:
    """Whether Gloo can be used: no."""
    return False


def is_torchelastic_launched() -> bool:
    """Whether PyTorch's launcher has started this process: no."""
    return False


def _refuse(name: str) -> NoReturn:
    raise ValueError(
        f"distributed.{name}(): there must be a process group, and there is no distributed training here; "
        "ask distributed.is_available() first"
    )


def get_rank(group: Any = None) -> int:
    """This process's number in its group. ValueError: there is no group."""
    _refuse("get_rank")


def get_world_size(group: Any = None) -> int:
    """The number of processes in the group. ValueError: there is no group."""
    _refuse("get_world_size")


def init_process_group(*args: Any, **kwargs: Any) -> None:
    """Join a group of processes. RuntimeError: that does not exist here."""
    raise RuntimeError("distributed.init_process_group(): there is no distributed training here; run in one process")


class ReduceOp(enum.Enum):
    """How the values of the processes of a group are combined."""

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM, UNUSED = range(10)


class Backend(str):
    """The name of a way to talk to other processes."""

    UNDEFINED, GLOO, NCCL, MPI, UCC, XCCL = "undefined", "gloo", "nccl", "mpi", "ucc", "xccl"


class group:
    """Groups by name: there is none."""

    WORLD = None


class GroupMember:
    """What stands for a group in a process: there is none."""

    WORLD = None
    NON_GROUP_MEMBER = -100


_CALLS = (
    "all_gather",
    "all_gather_coalesced",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "broadcast_object_list",
    "destroy_process_group",
    "gather",
    "gather_object",
    "get_backend",
    "get_backend_config",
    "get_global_rank",
    "get_group_rank",
    "get_node_local_rank",
    "get_process_group_ranks",
    "init_device_mesh",
    "irecv",
    "isend",
    "monitored_barrier",
    "new_group",
    "new_subgroups",
    "new_subgroups_by_enumeration",
    "recv",
    "recv_object_list",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
    "send",
    "send_object_list",
    "split_group",
    "supports_complex",
    "breakpoint",
)
_CLASSES = (
    "DeviceMesh",
    "DistBackendError",
    "DistError",
    "FileStore",
    "HashStore",
    "P2POp",
    "PrefixStore",
    "ProcessGroup",
    "ProcessGroupGloo",
    "ProcessGroupNCCL",
    "Store",
    "TCPStore",
    "Work",
)
globals().update(
    absent_names(
        __name__,
        "there must be a process group, and there is no distributed training here; ask distributed.is_available() "
        "first",
        _CLASSES,
        _CALLS,
        ValueError,
    )
)
__all__ += [*_CALLS, *_CLASSES]
