"""How many calls of a module, from several threads at once, end in a second."""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from rushlight.core.checks import check_argument

__all__ = ["ExecutionStats", "ThroughputBenchmark", "format_time"]

_T = TypeVar("_T")


def format_time(time_us: float | None = None, time_ms: float | None = None, time_s: float | None = None) -> str:
    """A duration in the unit that suits it; one of the three is given."""
    given = [t for t in (time_us, time_ms, time_s) if t is not None]
    if len(given) != 1:
        raise AssertionError(
            f"format_time(): one of 'time_us', 'time_ms' and 'time_s' must be given; found {len(given)}"
        )
    us = time_us if time_us is not None else time_ms * 1e3 if time_ms is not None else (time_s or 0.0) * 1e6
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if us >= size:
            return f"{us / size:.3f}{unit}"
    return f"{us:.3f}us"


def seconds_together(work: Callable[[_T, threading.Barrier], None], each: Iterable[_T]) -> float:
    """How long threads take from a barrier to the end of the last: `work(one, barrier)`, which waits there first."""
    given = list(each)
    ready = threading.Barrier(len(given) + 1)
    workers = [threading.Thread(target=work, args=(one, ready)) for one in given]
    for worker in workers:
        worker.start()
    ready.wait()
    start = time.perf_counter()
    for worker in workers:
        worker.join()
    return time.perf_counter() - start


@dataclass(frozen=True)
class ExecutionStats:
    """What a benchmark measured.

    Args:
        latency_avg_ms: milliseconds that a call took, in the mean.
        num_iters: how many calls were made, by all threads together.
        total_time_seconds: how long that took.
        num_calling_threads: how many threads called.
    """

    latency_avg_ms: float
    num_iters: int
    total_time_seconds: float
    num_calling_threads: int

    @property
    def iters_per_second(self) -> float:
        """Calls a second, of all threads together."""
        return self.num_iters / self.total_time_seconds

    def __str__(self) -> str:
        return (
            f"Average latency per example: {format_time(time_ms=self.latency_avg_ms)}\n"
            f"Total number of iterations: {self.num_iters}\n"
            f"Total number of iterations per second (across all threads): {self.iters_per_second:.2f}\n"
            f"Total time: {format_time(time_s=self.total_time_seconds)}"
        )


class ThroughputBenchmark:
    """Calls a module again and again, with inputs drawn from those that were added.

    Args:
        module: what is called; a function will do.
    """

    def __init__(self, module: Any) -> None:
        self._module = module
        self._inputs: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def run_once(self, *args: Any, **kwargs: Any) -> Any:
        """One call, with these arguments."""
        return self._module(*args, **kwargs)

    def add_input(self, *args: Any, **kwargs: Any) -> None:
        """Keep arguments for the calls that are measured."""
        self._inputs.append((args, kwargs))

    def benchmark(
        self,
        num_calling_threads: int = 1,
        num_warmup_iters: int = 10,
        num_iters: int = 100,
        profiler_output_path: str = "",
    ) -> ExecutionStats:
        """Make the calls.

        Args:
            num_calling_threads: how many threads call at once.
            num_warmup_iters: calls of each thread before the clock starts.
            num_iters: calls that are measured, of all threads together.
            profiler_output_path: a file for a profile of the calls, in Chrome's format; none if empty.

        Raises:
            RuntimeError: no input was added, or an error of a call.
            ValueError: fewer than one thread or call.
        """
        for name, value, least in (
            ("num_calling_threads", num_calling_threads, 1),
            ("num_warmup_iters", num_warmup_iters, 0),
            ("num_iters", num_iters, 1),
        ):
            check_argument(value >= least, "benchmark()", name, f"be an int of at least {least}", value, ValueError)
        if not self._inputs:
            raise RuntimeError("benchmark(): Please provide benchmark inputs: add_input() was not called")
        if profiler_output_path:
            from rushlight.profiler import profile

            with profile() as recorded:
                stats = self._measured(num_calling_threads, num_warmup_iters, num_iters)
            recorded.export_chrome_trace(profiler_output_path)
            return stats
        return self._measured(num_calling_threads, num_warmup_iters, num_iters)

    def _measured(self, threads: int, warmup: int, calls: int) -> ExecutionStats:
        draw = random.Random(0)
        orders = [[draw.randrange(len(self._inputs)) for _ in range(warmup + calls)] for _ in range(threads)]
        left = itertools.count()
        errors: list[BaseException] = []

        def work(order: list[int], ready: threading.Barrier) -> None:
            chosen = iter(order)
            try:
                for _ in range(warmup):
                    self._call(next(chosen))
            except BaseException as error:
                errors.append(error)
            ready.wait()
            try:
                while not errors and next(left) < calls:
                    self._call(next(chosen))
            except BaseException as error:
                errors.append(error)

        total = seconds_together(work, orders)
        if errors:
            raise errors[0]
        return ExecutionStats(total * threads / calls * 1e3, calls, total, threads)

    def _call(self, which: int) -> None:
        args, kwargs = self._inputs[which]
        self._module(*args, **kwargs)
