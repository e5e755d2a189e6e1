"""`torch.Stream` and `torch.Event` on the CPU, whose calls return when they have finished: there is nothing to wait
for.
"""

from __future__ import annotations

from typing import Any, NoReturn

from rushlight.core.tensor import device
from rushlight.operators.table.types import Device

__all__ = ["Event", "Stream"]


def _device(given: Any, name: str) -> device:
    found = device("cpu" if given is None else given)
    if found.type != "cpu":
        raise RuntimeError(f"{name}(): 'device' must be the CPU, the one device that is here; found {found}")
    return found


class Event:
    """A mark in a stream. On the CPU, whose streams take no marks, `record` raises RuntimeError, as in PyTorch.

    Args:
        device: the CPU.
        enable_timing, blocking, interprocess: accepted.
    """

    def __init__(
        self, device: Device = None, *, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        self.device, self.enable_timing, self.event_id = _device(device, "Event"), enable_timing, 0

    def record(self, stream: Any = None) -> NoReturn:
        """Refused: RuntimeError."""
        raise RuntimeError("Event.record(): the cpu backend doesn't support events; time with time.perf_counter()")

    def query(self) -> bool:
        """Whether earlier work has finished: it has."""
        return True

    def synchronize(self) -> None:
        """Wait for earlier work: it has finished."""

    def wait(self, stream: Any = None) -> None:
        """Let a stream wait for earlier work: it has finished."""

    def elapsed_time(self, end_event: Event) -> NoReturn:
        """Refused, for no event can have been recorded: ValueError without `enable_timing`, else RuntimeError."""
        if not (self.enable_timing and end_event.enable_timing):
            raise ValueError("Event.elapsed_time(): both events must be made with enable_timing=True")
        raise RuntimeError(
            "Event.elapsed_time(): both events must have been recorded, and the cpu backend doesn't support events"
        )

    def __repr__(self) -> str:
        return f"torch.Event device_type={self.device.type}, device_index=-1, event_flag=0, event_id={self.event_id}"


class Stream:
    """A queue of work. On the CPU there is one, and its work is done when the call returns.

    Args:
        device: the CPU.
        priority: accepted.
    """

    def __init__(self, device: Device = None, *, priority: int = 0) -> None:
        self.device, self.stream_id, self.device_index, self.device_type = _device(device, "Stream"), 0, -1, 0

    def query(self) -> bool:
        """Whether the work is done: it is."""
        return True

    def synchronize(self) -> None:
        """Wait for the work: it is done."""

    def wait_event(self, event: Event) -> None:
        """Wait for an event: all work before it is done."""

    def wait_stream(self, stream: Stream) -> None:
        """Wait for another stream: its work is done."""

    def record_event(self, event: Event | None = None) -> NoReturn:
        """Refused: RuntimeError."""
        (Event(self.device) if event is None else event).record(self)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *exc: object) -> None:
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self.device == other.device

    def __hash__(self) -> int:
        return hash((self.device, self.stream_id))

    def __repr__(self) -> str:
        return f"torch.Stream device_type={self.device.type}, device_index=-1, stream_id={self.stream_id}"
