"""Profiling by the steps of a program: schedules, traces and tables. autograd.profiler takes the times."""

from __future__ import annotations

import enum
import gzip
import json
import os
import socket
import time
import uuid
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from rushlight.autograd import profiler as _timing
from rushlight.autograd.profiler import record_function
from rushlight.autograd.profiler_util import EventList
from rushlight.core.checks import check_argument

__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]

kineto_available = lambda: False


class ProfilerActivity(enum.Enum):
    """What can be timed: here, the CPU alone."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(enum.Enum):
    """What a profile does in a step of the program."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities() -> set[ProfilerActivity]:
    """The activities that can be timed here: the CPU."""
    return {ProfilerActivity.CPU}


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """A function from step numbers to actions, for cycles of `wait` idle, `warmup` unrecorded and `active` recorded
    steps.

    Args:
        repeat: how many cycles; 0 repeats them without end.
        skip_first: how many idle steps come before the first cycle.
        skip_first_wait: if not zero, the first cycle has no idle steps.

    Raises:
        AssertionError: a number is negative, or active is 0.
    """
    for name, count, least in (
        ("wait", wait, 0),
        ("warmup", warmup, 0),
        ("active", active, 1),
        ("repeat", repeat, 0),
        ("skip_first", skip_first, 0),
    ):
        check_argument(count >= least, "schedule", name, f"be at least {least}", count, AssertionError)
    if warmup == 0:
        warnings.warn(
            "schedule: with warmup=0 the first calls are recorded, which take longer than those that follow",
            stacklevel=2,
        )

    cycle = [ProfilerAction.NONE] * wait + [ProfilerAction.WARMUP] * warmup
    cycle += [ProfilerAction.RECORD] * (active - 1) + [ProfilerAction.RECORD_AND_SAVE]

    def action(step: int) -> ProfilerAction:
        check_argument(step >= 0, "schedule", "step", "be at least 0", step, AssertionError)
        # From here on, the step counts from the beginning of the first cycle.
        place = step - skip_first + (wait if skip_first_wait else 0)
        if step < skip_first or (repeat and place >= repeat * len(cycle)):
            return ProfilerAction.NONE
        return cycle[place % len(cycle)]

    return action


def _default_schedule_fn(step: int) -> ProfilerAction:
    """Record every step."""
    return ProfilerAction.RECORD


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False
) -> Callable[[Any], None]:
    """An `on_trace_ready` that writes each trace to a new file in a folder."""

    def handler(prof: Any) -> None:
        os.makedirs(dir_name, exist_ok=True)
        name = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        prof.export_chrome_trace(
            os.path.join(dir_name, f"{name}.{time.time_ns()}.pt.trace.json{'.gz' if use_gzip else ''}")
        )

    return handler


class profile:
    """Times operators, the nodes of backwards and named ranges, in the steps that a schedule picks.

    Args:
        activities: what is timed; CUDA is left out with a warning, since there is none.
        schedule: a function from step numbers to actions; by default every step is recorded.
        on_trace_ready: called with the profile when a recording is complete.
        record_shapes, profile_memory, with_stack, with_flops: as autograd.profiler.profile.
        custom_trace_id_callback: returns the name of each recording (default: a random one).
        with_modules, experimental_config, execution_trace_observer, acc_events, use_cuda, post_processing_timeout_s:
            accepted without effect.
    """

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:
        self.activities = set(activities) if activities is not None else supported_activities()
        check_argument(self.activities, "profile", "activities", "hold at least one", "none", AssertionError)
        if self.activities - supported_activities() or use_cuda:
            warnings.warn("profile: CUDA is not available; the CPU alone is profiled", stacklevel=2)
        self._options: dict[str, Any] = {
            "record_shapes": record_shapes,
            "profile_memory": profile_memory,
            "with_stack": with_stack,
            "with_flops": with_flops,
        }
        # raises for what cannot be measured now, rather than in the middle of a run
        _timing.profile(enabled=False, **self._options)
        self.record_shapes, self.profile_memory, self.with_stack, self.with_flops = (
            record_shapes,
            profile_memory,
            with_stack,
            with_flops,
        )
        self.schedule = schedule or _default_schedule_fn
        self.record_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = self.schedule(0)
        self.profiler: _timing.profile | None = None
        self.custom_trace_id_callback = custom_trace_id_callback
        self._metadata: dict[str, Any] = {}
        self._trace_id: str | None = None
        self._range: record_function | None = None
        self._running = False

    # ---------------------------------------------------------------------------------------------------------- running
    def _recording(self) -> bool:
        return self.current_action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)

    def _begin(self) -> None:
        if self._recording() and not self._running:
            self.prepare_trace()
            self.start_trace()
        if self.record_steps and self._running:
            self._range = record_function(f"ProfilerStep#{self.step_num}")
            self._range.__enter__()

    def _end_step(self) -> None:
        if self._range is not None:
            self._range.__exit__(None, None, None)
            self._range = None

    def _finish(self) -> None:
        if self._running and self.profiler is not None:
            self.stop_trace()
            if self.on_trace_ready is not None:
                self.on_trace_ready(self)

    def prepare_trace(self) -> None:
        """Prepare a recording, which `start_trace` begins."""
        self.profiler = _timing.profile(**self._options)
        self._trace_id = (self.custom_trace_id_callback or (lambda: uuid.uuid4().hex.upper()))()

    def start_trace(self) -> None:
        """Begin a recording regardless of the schedule."""
        if self.profiler is None or self.profiler.entered:
            self.prepare_trace()
        assert self.profiler is not None
        self.profiler.metadata.update(self._metadata, trace_id=self._trace_id)
        self.profiler.__enter__()
        self._running = True

    def stop_trace(self) -> None:
        """End the recording."""
        self._running = False
        self._finished().__exit__(None, None, None)

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[Any]) -> None:
        """Pause or resume a recording of the CPU.

        Args:
            enable: whether to resume.
            activities: what is paused or resumed; here only the CPU is ever recorded.
        """
        if self.profiler is not None and self._running and ProfilerActivity.CPU in set(activities):
            self.profiler.toggle(enable)

    def start(self) -> None:
        """Begin, as entering a with block does."""
        self._begin()

    def stop(self) -> None:
        """End, as leaving a with block does."""
        self._end_step()
        self._finish()

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def step(self) -> None:
        """Mark the beginning of the program's next step."""
        self._end_step()
        self.step_num += 1
        if self.current_action is ProfilerAction.RECORD_AND_SAVE:
            self._finish()
        before, self.current_action = self.current_action, self.schedule(self.step_num)
        if before is ProfilerAction.RECORD and not self._recording():
            warnings.warn(
                "profile: the schedule left RECORD without RECORD_AND_SAVE; the recording ends here", stacklevel=2
            )
            self._finish()
        self._begin()

    # ---------------------------------------------------------------------------------------------------------- results
    def _finished(self) -> _timing.profile:
        if self.profiler is None:
            raise AssertionError("profile: must have recorded a step before its events are asked for; found none")
        return self.profiler

    def events(self) -> EventList:
        """All events of the last recording."""
        return self._finished()._events()

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The events of the last recording, averaged by name."""
        return self._finished().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def add_metadata_json(self, key: str, value: str) -> None:
        """Add a key to the trace.

        Args:
            key: its name.
            value: its value, as JSON.

        Raises:
            json.JSONDecodeError: the value is no JSON.
        """
        self._metadata[key] = json.loads(value)
        if self.profiler is not None:
            self.profiler.metadata[key] = self._metadata[key]

    def add_metadata(self, key: str, value: str) -> None:
        """Add a key to the trace, whose value is a string."""
        self.add_metadata_json(key, json.dumps(value))

    preset_metadata_json = add_metadata_json  # kept there for later recordings, too

    def get_trace_id(self) -> str | None:
        """The name of the last recording; None before the first."""
        return self._trace_id

    def set_custom_trace_id_callback(self, callback: Callable[[], str]) -> None:
        """Set the function that names recordings."""
        self.custom_trace_id_callback = callback

    def export_memory_timeline(self, path: str, device: str | None = None) -> None:
        """Write how many bytes tensors held over time: as JSON, compressed if the path ends in .gz, or as a page.

        For each time there is a list, as PyTorch writes it: an empty column, then the bytes of parameters, states of
        optimizers, inputs, temporary values, activations, gradients, details of autograd, and unknown uses.

        Args:
            path: a path that ends in .html, .json or .gz.
            device: "cpu" or None.

        Raises:
            ValueError: memory was not recorded, or the device is not the CPU.
        """
        if not self.profile_memory:
            raise ValueError("export_memory_timeline(): record with profile_memory=True; found False")
        if device not in (None, "cpu"):
            raise ValueError(f"export_memory_timeline(): 'device' must be 'cpu'; found {device!r}")
        events = self.events()
        held, uses = events.allocated, events.uses
        if str(path).endswith(".html"):
            from rushlight.inspection.drawings import memory_page

            with open(path, "w", encoding="utf-8") as f:
                f.write(memory_page(held, uses))
            return
        rows = [[0, *row] for row in uses]
        opened = gzip.open(path, "wt") if str(path).endswith(".gz") else open(path, "w")
        with opened as f:
            json.dump([[int(at) for at, _ in held], rows], f)

    def export_chrome_trace(self, path: str) -> None:
        """Write the last recording for chrome://tracing."""
        self._finished().export_chrome_trace(path)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write the stacks of the last recording for a flame graph."""
        self._finished().export_stacks(path, metric)
