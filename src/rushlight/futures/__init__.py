"""Values that are not there yet: `Future` has a value, or an error, once; callbacks run then."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from rushlight.core.checks import check_that, check_type

__all__ = ["Future", "collect_all", "wait_all"]

T = TypeVar("T")


class Future(Generic[T]):
    """A value that some thread will set.

    Args:
        devices: accepted; the CPU's values need no synchronization.
    """

    def __init__(self, *, devices: Any = None) -> None:
        self._ready = threading.Condition()
        self._done = False
        self._value: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Future[T]], Any]] = []

    def done(self) -> bool:
        """Whether there is a value or an error."""
        return self._done

    def wait(self) -> T:
        """The value, once it is there; an error that was set is raised."""
        with self._ready:
            while not self._done:
                self._ready.wait()
        return self.value()

    def value(self) -> T:
        """The value, which must be there.

        Raises:
            RuntimeError: there is none yet. The error that was set is raised.
        """
        if not self._done:
            raise RuntimeError("Future.value(): the future must be done; wait() waits for it")
        if self._error is not None:
            raise self._error
        return self._value

    def _finish(self, value: Any, error: BaseException | None) -> None:
        with self._ready:
            check_that(
                not self._done, "Future", "set_result() and set_exception()", "be called once", "it done already"
            )
            self._done, self._value, self._error = True, value, error
            due, self._callbacks = self._callbacks, []
            self._ready.notify_all()
        for callback in due:
            callback(self)

    def set_result(self, result: T) -> None:
        """Set the value, and run the callbacks.

        Raises:
            RuntimeError: the future is done.
        """
        self._finish(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Set an error, which `wait` and `value` raise.

        Raises:
            RuntimeError: the future is done.
            TypeError: the argument is no exception.
        """
        check_type("set_exception()", "result", result, BaseException, "an exception")
        self._finish(None, result)

    def add_done_callback(self, callback: Callable[[Future[T]], None]) -> None:
        """Call a function with this future when it is done (at once, if it is)."""
        with self._ready:
            if not self._done:
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback: Callable[[Future[T]], Any]) -> Future[Any]:
        """A future of what the function returns for this one; an error that it raises is that future's."""
        after: Future[Any] = Future()

        def run(future: Future[T]) -> None:
            try:
                value = callback(future)
            except Exception as error:
                after.set_exception(error)
            else:
                after.set_result(value)

        self.add_done_callback(run)
        return after


def collect_all(futures: Iterable[Future[Any]]) -> Future[list[Future[Any]]]:
    """A future of the list of these, done when all are."""
    futures = list(futures)
    result: Future[list[Future[Any]]] = Future()
    left, lock = len(futures), threading.Lock()
    if not left:
        result.set_result(futures)

    def one_less(_: Future[Any]) -> None:
        nonlocal left
        with lock:
            left -= 1
            last = left == 0
        if last:
            result.set_result(futures)

    for future in futures:
        future.add_done_callback(one_less)
    return result


def wait_all(futures: Iterable[Future[Any]]) -> list[Any]:
    """The values of all; the first error is raised."""
    return [future.wait() for future in collect_all(futures).wait()]
