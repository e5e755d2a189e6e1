"""While one waits: a line on the terminal when compiling takes more than a second, gone when it is done."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType

PATIENCE = 1.0  # seconds without a word
_PAUSE = 0.25  # between kernels of one call: what compiles again sooner goes on with the same waiting


class _Patience(threading.Timer):
    """Does something when the patience has run out; the process does not wait for it."""

    def __init__(self, seconds: float, then: Callable[[], None]) -> None:
        super().__init__(seconds, then)
        self.daemon = True


class _Waiting:
    """Compilations that follow one another; entered by each."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.inside = 0
        self.since = self.until = 0.0
        self.shown = False
        self.timer: threading.Timer | None = None

    def __enter__(self) -> None:
        if not wanted():
            return
        with self.lock:
            now = time.monotonic()
            if self.inside == 0 and now - self.until > _PAUSE:
                self.since = now
            self.inside += 1
            if self.timer is None and not self.shown:
                self.timer = _Patience(max(0.0, self.since + PATIENCE - now), self.say)
                self.timer.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        with self.lock:
            if self.inside == 0:  # it was not wanted when it began
                return
            self.inside -= 1
            self.until = time.monotonic()
            if self.inside:
                return
            if self.timer is not None:
                self.timer.cancel()
                self.timer = None
            if self.shown:
                self.shown = False
                _write("\r\x1b[K")

    def say(self) -> None:
        with self.lock:
            self.timer = None
            if self.inside:
                self.shown = True
                _write("\rrushlight compiles kernels; a later call, and a later run, finds them made")


def wanted() -> bool:
    """Whether there is a terminal to write to, and RUSHLIGHT_PROGRESS is not 0."""
    if os.environ.get("RUSHLIGHT_PROGRESS") == "0":
        return False
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:  # it is closed
        return False


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        return  # the terminal has gone: there is nobody to tell


waiting = _Waiting()
