"""The names of `torch.cuda` that portable programs ask: there is no CUDA device here, and they say so.

Questions have answers (`is_available()` is False, `device_count()` is 0). What PyTorch without CUDA takes silently is
taken silently (seeds, emptying the cache). Whatever needs a device raises AssertionError, as in a PyTorch built without
CUDA.
"""

from __future__ import annotations

import importlib
from typing import Any, NoReturn

from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.cuda import amp, nvtx, profiler
from rushlight.operators.table.types import Device
from rushlight.utils import _no_device
from rushlight.utils._absent import refused_by
from rushlight.utils._no_device import *  # noqa: F403
from rushlight.utils._no_device import max_memory_reserved, memory_reserved, reset_peak_memory_stats

__all__ = [
    "StreamContext",
    "get_gencode_flags",
    "graph",
    "graph_pool_handle",
    "is_tf32_supported",
    "make_graphed_callables",
    "max_memory_cached",
    "memory_cached",
    "memory_snapshot",
    "memory_summary",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "set_per_process_memory_fraction",
    "set_stream",
    "utilization",
    "CudaError",
    "Event",
    "OutOfMemoryError",
    "Stream",
    "amp",
    "can_device_access_peer",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_of",
    "get_arch_list",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "get_sync_debug_mode",
    "init",
    "initial_seed",
    "ipc_collect",
    "mem_get_info",
    "nvtx",
    "profiler",
    "set_device",
    "set_rng_state",
    "set_rng_state_all",
    "set_sync_debug_mode",
    "stream",
    "synchronize",
]
__all__ += _no_device.__all__


def _refuse(name: str) -> NoReturn:
    raise AssertionError(
        f"cuda.{name}(): Torch not compiled with CUDA enabled: there is no CUDA device; ask cuda.is_available() first"
    )


_needs_device = refused_by(_refuse)
default_generators: tuple[Any, ...] = ()  # one for each device


class CudaError(RuntimeError):
    """A failure of the CUDA runtime. Never raised here."""


class OutOfMemoryError(RuntimeError):
    """A device's memory is exhausted. Never raised here: the host's raises MemoryError."""


# ---------------------------------------------------------------------------- questions, and what is done for no device
def get_arch_list() -> list[str]:
    """The CUDA architectures that the library was built for: none."""
    return []


def set_rng_state_all(new_states: list[Tensor]) -> None:
    """Put the states that get_rng_state_all() returned back; a state for a device that is not there raises
    AssertionError.
    """
    if len(new_states):
        _refuse("set_rng_state_all")


reset_max_memory_allocated = reset_max_memory_cached = reset_accumulated_memory_stats = reset_peak_memory_stats


def memory_cached(device: Device = None) -> int:
    """The old name of memory_reserved."""
    warn("cuda.memory_cached() is deprecated; write memory_reserved()", FutureWarning)
    return memory_reserved(device)


def max_memory_cached(device: Device = None) -> int:
    """The old name of max_memory_reserved."""
    warn("cuda.max_memory_cached() is deprecated; write max_memory_reserved()", FutureWarning)
    return max_memory_reserved(device)


def is_tf32_supported() -> bool:
    """Whether the CUDA device computes in TF32: there is none."""
    return False


def get_gencode_flags() -> str:
    """The compiler's flags for the CUDA architectures that the library was built for: none."""
    return ""


# -------------------------------------------------------------------------------------------------- what needs a device
@_needs_device
def can_device_access_peer(device: Device, peer_device: Device) -> bool:
    """Whether one device reads the memory of another."""


@_needs_device
def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Set whether calls that wait for a device are reported."""


@_needs_device
def get_sync_debug_mode() -> int:
    """Whether calls that wait for a device are reported."""


@_needs_device
def init() -> None:
    """Initialize CUDA."""


@_needs_device
def current_device() -> int:
    """The index of the current device."""


def set_device(device: Device) -> None:
    """Make a device the current one; a negative index means none, and is taken."""
    if not (isinstance(device, int) and device < 0):
        _refuse("set_device")


@_needs_device
def synchronize(device: Device = None) -> None:
    """Wait for the device."""


@_needs_device
def get_device_name(device: Device = None) -> str:
    """The device's name."""


@_needs_device
def get_device_capability(device: Device = None) -> tuple[int, int]:
    """The device's compute capability."""


@_needs_device
def get_device_properties(device: Device = None) -> Any:
    """The device's properties."""


@_needs_device
def mem_get_info(device: Device = None) -> tuple[int, int]:
    """Free and total bytes of device memory."""


@_needs_device
def ipc_collect() -> None:
    """Release memory shared with other processes."""


@_needs_device
def initial_seed() -> int:
    """The seed of the current device's generator."""


@_needs_device
def get_rng_state(device: Device = "cuda") -> Tensor:
    """The state of a device's generator."""


@_needs_device
def set_rng_state(new_state: Tensor, device: Device = "cuda") -> None:
    """Put a device's generator back in a state."""


@_needs_device
def current_stream(device: Device = None) -> Any:
    """The device's current stream."""


@_needs_device
def default_stream(device: Device = None) -> Any:
    """The device's default stream."""


@_needs_device
def memory_summary(device: Device = None, abbreviated: bool = False) -> str:
    """What the allocator of device memory has counted, as text."""


@_needs_device
def memory_snapshot(mempool_id: Any = None) -> Any:
    """The blocks of device memory."""


@_needs_device
def set_per_process_memory_fraction(fraction: float, device: Device = None) -> None:
    """Bound the memory of a device that this process takes."""


@_needs_device
def utilization(device: Device = None) -> int:
    """How busy the device is."""


@_needs_device
def graph_pool_handle() -> Any:
    """A name for memory that CUDA graphs share."""


@_needs_device
def make_graphed_callables(callables: Any, sample_args: Any, *args: Any, **kwargs: Any) -> Any:
    """Functions that replay CUDA graphs."""


def set_stream(stream: Any) -> None:
    """Make a stream the current one; None changes nothing."""
    if stream is not None:
        _refuse("set_stream")


class graph:
    """Captures work as a CUDA graph. Making one raises RuntimeError: there is no device."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("cuda.graph(): there is no CUDA device")


class Stream:
    """A queue of work on a device. Making one raises RuntimeError: there is no device."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("cuda.Stream(): there is no CUDA device")


class Event:
    """A mark in a stream. Making one raises RuntimeError: there is no device."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("cuda.Event(): there is no CUDA device; time with time.perf_counter()")


class device:
    """Inside, the current device is another one. A negative index or None means none; else entering raises
    AssertionError.
    """

    def __init__(self, device: Device) -> None:
        self.wanted = device

    def __enter__(self) -> None:
        if self.wanted is not None and not (isinstance(self.wanted, int) and self.wanted < 0):
            _refuse("device")

    def __exit__(self, *exc: object) -> None:
        return None


class device_of(device):
    """Inside, the current device is that of a tensor, if that is a CUDA device."""

    def __init__(self, obj: Tensor) -> None:
        super().__init__(obj.device.index if obj.is_cuda else None)


class stream:
    """Inside, work goes to a stream. None means the current one, and changes nothing."""

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc: object) -> None:
        return None


StreamContext = stream


def __getattr__(name: str) -> Any:
    from rushlight.cuda._types import NAMES  # types of tensors and the like: read when asked for

    if name in NAMES:
        return NAMES[name]
    if name == "memory":
        return importlib.import_module("rushlight.cuda.memory")
    raise AttributeError(f"module 'torch.cuda' has no attribute '{name}'")
