"""Timing of operators, of the nodes of backwards, and of ranges that a program names.

While a profile is in force, every operator that this thread calls is timed from outside, as a `__torch_function__` mode
sees it; the engine times the nodes of a backward. An operator that another one calls counts as part of that one. Work
that other threads of the pool do counts for the call that waits for it. The first call of an operator includes its
compilation: warm up first.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

from rushlight.autograd import running
from rushlight.autograd.grad_mode import _DecoratorContextManager
from rushlight.autograd.profiler_memory import Memory
from rushlight.autograd.profiler_util import EventList, FunctionEvent, FunctionEventAvg
from rushlight.core import _native, engine, locks, raw
from rushlight.core.dispatch import Clock, Nodes, set_clock
from rushlight.core.engine import Node
from rushlight.core.nesting import found_in
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.table import dispatch as _dispatch
from rushlight.operators.table.types import Args, Classes, Function, Kwargs

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "emit_itt", "emit_nvtx", "profile", "record_function"]

_P = ParamSpec("_P")
_R = TypeVar("_R")
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class _Local(threading.local):
    def __init__(self) -> None:
        self.recorders: list[_Recorder] = []


_local = _Local()


def _shapes(args: Sequence[Any]) -> list[Any]:
    return [list(a.shape) if isinstance(a, Tensor) else [list(t.shape) for t in found_in(a, Tensor)] for a in args]


class _Note:
    """The parts of an event other than its times."""

    __slots__ = ("dtypes", "flops", "memory", "shapes", "stack")

    def __init__(self) -> None:
        self.shapes: list[Any] | None = None
        self.dtypes: list[str] | None = None
        self.stack: list[str] | None = None
        self.memory = self.flops = 0


class _Recorder:
    """Collects the events of one profile in one thread.

    A clock of the core keeps the times (core/clock.pxi). While only times are wanted, and this is the only profile of
    the thread, it records calls and nodes without coming here.
    """

    times_calls = True  # `dispatch.special` passes operators on directly, without binding arguments as for other modes
    sees_functions = True

    def __init__(self, shapes: bool, memory: bool, stack: bool, flops: bool = False) -> None:
        self.shapes, self.memory, self.stack, self.flops = shapes, memory, stack, flops
        self.plain = not (shapes or memory or stack or flops)
        self.clock = Clock()
        self.notes: dict[int, _Note] = {}
        self.annotations: set[int] = set()
        self.allocated: list[tuple[float, int]] = []  # (time, bytes)
        self.uses = Memory() if memory else None  # what the bytes are used for
        self.zero = time.perf_counter_ns()
        self.thread, self.ident = threading.get_native_id(), threading.get_ident()
        self.running = False

    def begin(self, name: str, args: Sequence[Any] = (), annotation: bool = False) -> int:
        note = None if self.plain else self.noted(args)
        found = self.clock.begin(name)
        if note is not None:
            self.notes[found] = note
        if annotation:
            self.annotations.add(found)
        return found

    def noted(self, args: Sequence[Any]) -> _Note:
        """The parts of an event other than its times that are wanted."""
        found = _Note()
        if self.stack:
            frames = traceback.extract_stack(sys._getframe(2))
            found.stack = [
                f"{f.filename}({f.lineno}): {f.name}" for f in reversed(frames) if not f.filename.startswith(_PACKAGE)
            ]
        if self.shapes:
            found.shapes = _shapes(args)
            found.dtypes = [str(a.dtype).partition(".")[2] if isinstance(a, Tensor) else "" for a in args]
        if self.memory:
            self.note_memory()
        return found

    def note_memory(self) -> None:
        """Record how many bytes tensors hold now, if that has changed."""
        held = _native.allocated()[0]
        if not self.allocated or self.allocated[-1][1] != held:
            self.allocated.append((self.now(), held))

    def now(self) -> float:
        """Microseconds since the beginning of the profile."""
        return (time.perf_counter_ns() - self.zero) / 1000

    def end(self, found: int, args: Sequence[Any] = (), result: Any = None) -> None:
        self.clock.end(found)
        if self.uses is None:
            return
        self.uses.call(found_in(args, Tensor), found_in(result, Tensor), self.now())
        self.note_memory()
        if result is not None:
            known = {t.untyped_storage().data_ptr() for t in found_in(args, Tensor) if not t.is_meta}
            fresh = {
                t.untyped_storage().data_ptr(): t.untyped_storage().nbytes()
                for t in found_in(result, Tensor)
                if not t.is_meta
            }
            self.notes[found].memory += sum(n for at, n in fresh.items() if at not in known)

    def events(self) -> list[FunctionEvent]:
        """The recorded events, in order."""
        made: list[FunctionEvent] = []
        nothing = _Note()
        for i, (kind, start, stop, around) in enumerate(self.clock.events()):
            note = self.notes.get(i, nothing)
            event = FunctionEvent(
                i,
                kind if isinstance(kind, str) else _event_name(_dispatch.public_function(kind), kind.name),
                self.thread,
                (start - self.zero) / 1000,
                (max(stop, start) - self.zero) / 1000,
                note.shapes,
                note.stack,
                note.memory,
                i in self.annotations,
                note.flops,
            )
            event.input_dtypes = note.dtypes or []
            if around >= 0:
                event.cpu_parent = made[around]
                made[around].cpu_children.append(event)
            made.append(event)
        for event in reversed(made):  # the memory of an event includes that of the events inside
            if event.cpu_parent is not None:
                event.cpu_parent.cpu_memory_usage += event.cpu_memory_usage
        return made

    # ------------------------------------------------------------------------------------------- as a mode of operators
    def timed(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Do a call of an operator, and time it."""
        found = self.begin(_event_name(func, name), args)
        result, clock = None, set_clock(None)  # calls within count as part of this one
        try:
            result = func(*args, **kwargs)
        finally:
            set_clock(clock)
            self.end(found, args, result)
        if self.flops:
            from rushlight.utils._flop_formulas import flops_of

            self.notes[found].flops = flops_of(getattr(func, "__name__", name), args, kwargs, result)
        return result

    def __torch_function__(self, func: Function, types: Classes, args: Args = (), kwargs: Kwargs | None = None) -> Any:
        return self.timed(func, str(func), args, kwargs or {})

    def start(self) -> None:
        self.running = True
        locks.enter_mode(self)
        _local.recorders.append(self)
        running.watchers.append(self)
        _nodes.recorders.append(self)
        if self.uses is not None:
            self.uses.start()
        _tell_core()

    def stop(self) -> None:
        for own in (running.watchers, _local.recorders, _nodes.recorders):
            own[:] = [r for r in own if r is not self]
        if self in _dispatch.modes.stack:
            locks.leave_mode(self)
        if self.uses is not None:
            self.uses.stop()
        _tell_core()
        self.running = False

    def one_like(self, out: Tensor) -> Tensor | None:
        """A tensor of ones to begin a backward with, made without being timed; None if other modes are in force, or
        more than times is recorded.
        """
        if not self.plain or threading.get_ident() != self.ident or _dispatch.modes.stack != [self]:
            return None
        found = self.begin("aten::ones_like")
        try:
            with locks.left(self):
                return raw.one_like(out)
        finally:
            self.end(found)

    def begin_backward(self) -> int | None:
        """Note that a backward begins in some thread; the engine times its nodes."""
        if threading.get_ident() != self.ident:
            return None
        if self.uses is not None:
            self.uses.begin_backward()
        return self.begin("autograd::engine::run_backward")

    def end_backward(self, begun: int | None) -> None:
        """Note that the backward ends."""
        if begun is not None:
            if self.uses is not None:
                self.uses.end_backward()
            self.end(begun)

    def begin_range(self, name: str) -> int | None:
        """Note that a part of the program begins that the library names, in some thread."""
        return self.begin(name, annotation=True) if threading.get_ident() == self.ident else None

    def end_range(self, begun: int | None) -> None:
        """Note that it ends."""
        if begun is not None:
            self.end(begun)


def _event_name(func: Any, otherwise: str) -> str:
    return f"aten::{getattr(func, '__name__', otherwise)}"


class _Nodes:
    """Receives each node that the engine runs, and passes it to the recorders of that thread."""

    def __init__(self) -> None:
        self.recorders: list[_Recorder] = []

    def begin(self, node: Node, grads: list[Any]) -> None:
        here = threading.get_ident()
        for r in self.recorders:
            if r.ident == here:
                r.begin(node.name(), grads)

    def end(self, grads: list[Any], out: list[Any]) -> None:
        here = threading.get_ident()
        for r in self.recorders:
            if r.ident == here and (found := r.clock.innermost_open()) >= 0:
                r.end(found, grads, out)


_nodes = _Nodes()
_watch = Nodes(_nodes)


def _tell_core() -> None:
    """Let the core record the calls and nodes of this thread where it can, and report nodes where a profile is in
    force.
    """
    only = _local.recorders[0] if len(_local.recorders) == 1 else None
    set_clock(only.clock if only is not None and only.plain else None)
    engine.set_node_watch(_watch if _nodes.recorders else None)


class record_function(_DecoratorContextManager):
    """Names a range of a program, as a context manager or a decorator.

    Args:
        name: its name.
        args: accepted without effect.
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args
        self._open: list[list[tuple[_Recorder, int]]] = []

    def clone(self) -> record_function:
        """A new instance, for one call of a decorated function."""
        return record_function(self.name, self.args)

    def __enter__(self) -> record_function:
        self._open.append([(r, r.begin(self.name, annotation=True)) for r in _local.recorders])
        return self

    def __exit__(self, *exc: object) -> None:
        for recorder, event in self._open.pop():
            recorder.end(event)


def _profiler_enabled() -> bool:
    """Whether this thread is being profiled."""
    return bool(_local.recorders)


def _disable_profiler() -> None:
    """Accepted without effect: here `profile` itself ends what it begins."""


def _of_events(method: Callable[Concatenate[EventList, _P], _R]) -> Callable[Concatenate[profile, _P], _R]:
    """A method of `profile` that calls the method of the recorded events."""

    @functools.wraps(method)
    def read(self: profile, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return method(self._events(), *args, **kwargs)

    return read


class profile(locks.Block["profile"]):
    """Times operators and the nodes of backwards in a block.

    Args:
        enabled: whether anything is timed.
        record_shapes: whether the shapes of inputs are kept.
        profile_memory: whether the bytes of results with memory of their own are counted.
        with_stack: whether the program's lines are kept, innermost first.
        with_flops: whether the floating point operations of products, convolutions, attention, additions and
            multiplications are counted.
        use_cuda, use_device, with_modules, use_kineto, use_cpu, experimental_config, acc_events,
            custom_trace_id_callback: accepted without effect.

    Raises:
        RuntimeError: the profile is entered twice, or read before it has ended.
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:
        if use_cuda:
            warn("profile(): 'use_cuda' is deprecated; write use_device='cuda'", FutureWarning)
        if use_cuda or use_device not in (None, "cpu"):
            warnings.warn("profile(): CUDA is not available; the CPU alone is profiled", stacklevel=2)
        self.enabled = enabled
        self.record_shapes, self.profile_memory, self.with_stack = record_shapes, profile_memory, with_stack
        self.with_flops = with_flops
        self.metadata: dict[str, Any] = {}  # further keys of the trace
        self.entered = False
        self.function_events: EventList | None = None
        self._recorder: _Recorder | None = None

    def _before_(self) -> None:
        """Nothing: it is entered once."""
        if self.enabled and self.entered:
            raise RuntimeError("profile(): a profile may be entered once; make another one")

    def _begin_(self) -> profile:
        """Begin to note calls."""
        if not self.enabled:
            return self
        self.entered = True
        self._recorder = _Recorder(self.record_shapes, self.profile_memory, self.with_stack, self.with_flops)
        self._recorder.start()
        return self

    def _end_(self, before: None) -> None:
        """End it, and read what was noted."""
        if self.enabled and self._recorder is not None:
            self.toggle(False)
            self.function_events = EventList(
                self._recorder.events(),
                profile_memory=self.profile_memory,
                with_shapes=self.record_shapes,
                allocated=self._recorder.allocated,
                uses=self._recorder.uses.timeline(self._recorder.allocated) if self._recorder.uses is not None else (),
                metadata=self.metadata,
            )

    def toggle(self, enable: bool) -> None:
        """Pause or resume."""
        if self._recorder is not None and self._recorder.running != enable:
            (self._recorder.start if enable else self._recorder.stop)()

    def _events(self) -> EventList:
        if self.function_events is None:
            raise RuntimeError("profile(): the block must have ended before its events are asked for")
        return self.function_events

    key_averages = _of_events(EventList.key_averages)
    total_average = _of_events(EventList.total_average)
    table = _of_events(EventList.table)
    export_chrome_trace = _of_events(EventList.export_chrome_trace)
    export_stacks = _of_events(EventList.export_stacks)

    @property
    def self_cpu_time_total(self) -> float:
        """The microseconds of all events, each without the events inside it."""
        return self._events().self_cpu_time_total

    def __str__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self.function_events is None else str(self.function_events)

    __repr__ = __str__


def _marks(name: str, missing: str, enabled: bool) -> profile:
    if enabled:
        raise RuntimeError(f"{name}(): {missing}; use autograd.profiler.profile")
    return profile(enabled=False)


def emit_nvtx(enabled: bool = True, record_shapes: bool = False) -> profile:
    """Marks for NVIDIA's profiler; refused, since there is no CUDA device.

    Raises:
        RuntimeError: it is enabled.
    """
    return _marks("emit_nvtx", "NVTX needs a CUDA device", enabled)


def emit_itt(enabled: bool = True, record_shapes: bool = False) -> profile:
    """Marks for Intel's profiler; refused, since its library is not part of rushlight.

    Raises:
        RuntimeError: it is enabled.
    """
    return _marks("emit_itt", "there is no ITT library here", enabled)
