"""What portable programs ask of `torch.distributed` before they use it: there is no distributed training here."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["get_rank", "get_world_size", "init_process_group", "is_available", "is_gloo_available", "is_initialized", "is_mpi_available",
           "is_nccl_available", "is_torchelastic_launched"]


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
    raise ValueError(f"distributed.{name}(): there must be a process group, and there is no distributed training here; "
                     "ask distributed.is_available() first")


def get_rank(group: Any = None) -> int:
    """This process's number in its group. ValueError: there is no group."""
    _refuse("get_rank")


def get_world_size(group: Any = None) -> int:
    """The number of processes in the group. ValueError: there is no group."""
    _refuse("get_world_size")


def init_process_group(*args: Any, **kwargs: Any) -> None:
    """Join a group of processes. RuntimeError: that does not exist here."""
    raise RuntimeError("distributed.init_process_group(): there is no distributed training here; run in one process")
