"""`Timer` runs a statement and takes its time."""

from __future__ import annotations

import enum
import time
import timeit
from collections.abc import Callable
from typing import Any, NoReturn

import rushlight
from rushlight.core.checks import check_type
from rushlight.utils.benchmark._measurement import Measurement, TaskSpec

timer = time.perf_counter


class Language(enum.Enum):
    """The languages of PyTorch's timers; here Python alone is timed."""

    PYTHON = 0
    CPP = 1


class Timer:
    """Times a statement.

    Args:
        stmt: Python code.
        setup: run once before.
        globals: the names it sees.
        timer: the clock.
        label, sub_label, description: for tables.
        num_threads: of the library's pool while timing.
        env: for tables.
        language, global_setup: Python alone is timed.

    Raises:
        ValueError: the statement is no text.
        NotImplementedError: for another language.
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Any = "python",
    ) -> None:
        if global_setup or str(getattr(language, "name", language)).lower() not in ("python", "py"):
            raise NotImplementedError("Timer(): only Python statements are timed")
        check_type("Timer()", "stmt", stmt, str, error=ValueError)
        self.stmt, self.num_threads = stmt, num_threads
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)
        names = {"torch": rushlight, "rushlight": rushlight, **(globals or {})}
        self._timer = timeit.Timer(stmt=stmt, setup=setup, timer=timer, globals=names)

    def _time(self, number: int) -> float:
        threads = rushlight.get_num_threads()
        rushlight.set_num_threads(self.num_threads)
        try:
            return self._timer.timeit(number)
        finally:
            rushlight.set_num_threads(threads)

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """The time of `number` runs, after some to warm up."""
        self._time(max(number // 100, 2))
        return Measurement(number, [self._time(number)], self._task_spec)

    def _runs(self, seconds: float) -> int:
        number = 1
        while True:
            took = self._time(number)
            if took >= seconds / 10:
                return max(1, int(number * min(10.0, seconds / max(took, 1e-9)))) if took < seconds else number
            number *= 10

    def blocked_autorange(
        self, callback: Callable[[int, float], None] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Times of blocks of runs, as many as take `min_run_time` seconds."""
        number = self._runs(min_run_time / 10)
        times: list[float] = []
        while sum(times) < min_run_time:
            times.append(self._time(number))
            if callback is not None:
                callback(number, times[-1])
        return Measurement(number, times, self._task_spec)

    def adaptive_autorange(
        self,
        threshold: float = 0.1,
        *,
        min_run_time: float = 0.01,
        max_run_time: float = 10.0,
        callback: Callable[[int, float], None] | None = None,
    ) -> Measurement:
        """Times of blocks of runs, until their quartiles are within `threshold` of the median, or `max_run_time` is
        over.
        """
        number = self._runs(min_run_time)
        times: list[float] = []
        while True:
            times.append(self._time(number))
            if callback is not None:
                callback(number, times[-1])
            found = Measurement(number, times, self._task_spec)
            if sum(times) >= max_run_time or (len(times) >= 4 and found.iqr <= threshold * found.median):
                return found

    def collect_callgrind(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refused: Valgrind counts the instructions of a process of its own, in which PyTorch's bindings start it.

        Raises:
            OSError: at every call.
        """
        raise OSError(
            "collect_callgrind(): rushlight does not start Valgrind; run the program by valgrind --tool=callgrind"
        )
