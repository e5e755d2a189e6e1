"""`spawn`: a function in several processes, and what is raised when one of them fails."""

from __future__ import annotations

import functools
import inspect
import multiprocessing as _python
import signal
import warnings
from collections.abc import Callable
from typing import Any

__all__ = [
    "ProcessContext",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "spawn",
    "start_processes",
]


class ProcessException(Exception):
    """A process of `spawn` has failed."""

    def __init__(self, msg: str, error_index: int, pid: int) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, pid

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """A process has let an exception out."""


class ProcessExitedException(ProcessException):
    """A process has ended by a signal or with an exit code."""

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)


def _call(fn: Callable[..., Any], index: int, args: tuple[Any, ...], errors: Any) -> None:
    try:
        fn(index, *args)
    except KeyboardInterrupt:
        pass  # the parent's interrupt reaches all of the group
    except Exception:
        import sys
        import traceback

        errors.put(traceback.format_exc())
        sys.exit(1)


class ProcessContext:
    """The processes of a `spawn` that does not wait."""

    def __init__(self, processes: list[Any], errors: list[Any]) -> None:
        self.processes, self.error_queues = processes, errors
        self._left = dict(enumerate(processes))

    def pids(self) -> list[int]:
        """The processes' ids."""
        return [p.pid for p in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait for the processes; returns whether all have ended well.

        Raises:
            ProcessRaisedException, ProcessExitedException: for the first that has not; the others are ended.
        """
        from multiprocessing.connection import wait

        if not self._left:
            return True
        ready = wait([p.sentinel for p in self._left.values()], timeout)
        failed = None
        for index, p in list(self._left.items()):
            if p.sentinel in ready:
                p.join()
                del self._left[index]
                if p.exitcode != 0 and failed is None:
                    failed = index
        if failed is None:
            return not self._left
        for p in self._left.values():
            p.terminate()
        for p in self._left.values():
            p.join(grace_period)
        process = self.processes[failed]
        if self.error_queues[failed].empty():
            code = process.exitcode
            name = signal.Signals(-code).name if code < 0 else None
            how = f"terminated with signal {name}" if name else f"terminated with exit code {code}"
            raise ProcessExitedException(f"process {failed} {how}", failed, process.pid, code, name)
        text = self.error_queues[failed].get()
        raise ProcessRaisedException(f"process {failed} raised:\n{text}", failed, process.pid)


SpawnContext = ProcessContext


def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Run fn(i, *args) in `nprocs` processes, i = 0, 1, ...

    Args:
        fn: a function of a module.
        args: sent to each process.
        join: whether to wait for all.
        daemon: whether they end with this process.
        start_method: "spawn", "fork" or "forkserver".

    Returns:
        None after waiting, else the processes.

    Raises:
        As ProcessContext.join.
    """
    context: Any = _python.get_context(start_method)
    processes, errors = [], []
    for i in range(nprocs):
        queue = context.SimpleQueue()
        process = context.Process(target=_call, args=(fn, i, args, queue), daemon=daemon)
        process.start()
        processes.append(process)
        errors.append(queue)
    running = ProcessContext(processes, errors)
    if not join:
        return running
    while not running.join():
        pass
    return None


@functools.wraps(start_processes, assigned=())
def spawn(*args: Any, **kwargs: Any) -> ProcessContext | None:
    """Run fn(i, *args) in fresh processes; see start_processes."""
    given = inspect.signature(start_processes).bind(*args, **kwargs)
    method = given.arguments.pop("start_method", "spawn")
    if method != "spawn":
        warnings.warn(f"spawn(): start_method={method!r} is ignored; use start_processes", FutureWarning, stacklevel=2)
    return start_processes(*given.args, **given.kwargs)
