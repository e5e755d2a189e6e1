"""Switches of the thread: whether operations are recorded (`no_grad`, `enable_grad`, `set_grad_enabled`,
`inference_mode`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator
from typing import Any

from rushlight.core import locks
from rushlight.core import tensor as _core
from rushlight.core.warning import warn

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled", "set_multithreading_enabled"]


class _DecoratorContextManager:
    """A context manager that also decorates functions, generators and classes' callables; entered afresh at every
    call.
    """

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        raise NotImplementedError

    def clone(self) -> _DecoratorContextManager:
        """A fresh instance for one call of a decorated function."""
        return type(self)()

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        import inspect

        if inspect.isclass(func):
            warn(
                f"{type(self).__name__}: it decorates functions; a class of which objects are made under it is "
                "deprecated: "
                "decorate its __init__",
                FutureWarning,
            )
        if inspect.isgeneratorfunction(func):
            return self._generator(func)

        @functools.wraps(func)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return func(*args, **kwargs)

        return wrapper

    def _generator(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def stepwise(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            # The mode holds while the generator's own code runs, never while its caller's does.
            inner = func(*args, **kwargs)
            resume, given = inner.send, None
            while True:
                try:
                    with self.clone():
                        value = resume(given)
                except StopIteration as stop:
                    return stop.value
                try:
                    resume, given = inner.send, (yield value)
                except GeneratorExit:
                    with self.clone():
                        inner.close()
                    raise
                except BaseException as error:
                    resume, given = inner.throw, error

        return stepwise


class no_grad(locks.switched, _DecoratorContextManager):
    """Inside, nothing is recorded for autograd: results do not require grad. A context manager or a decorator."""

    def __new__(cls, orig_func: Callable[..., Any] | None = None) -> Any:
        return super().__new__(cls) if orig_func is None else cls()(orig_func)

    def __init__(self, orig_func: Callable[..., Any] | None = None) -> None:
        self.set_to(grad=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()


class enable_grad(no_grad):
    """Inside, operations are recorded again, within a `no_grad` block too. A context manager or a decorator."""

    def __init__(self, orig_func: Callable[..., Any] | None = None) -> None:
        self.set_to(grad=True)


class set_grad_enabled(locks.Block[None], _DecoratorContextManager):
    """Switch recording on or off: at once when called, until the end of the block when used as a context manager.

    Args:
        mode: whether operations are recorded.
    """

    def __init__(self, mode: bool) -> None:
        self.mode = bool(mode)
        self.prev = _core.set_grad_enabled_raw(self.mode)

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        _core.set_grad_enabled_raw(self.prev)  # as a decorator it holds for the calls alone
        return super().__call__(func)

    def _before_(self) -> None:
        """What the block will put back was noted when this was made."""

    def _begin_(self) -> None:
        """Switch recording on or off again."""
        _core.set_grad_enabled_raw(self.mode)

    def _end_(self, before: None) -> None:
        """Let recording be as it was."""
        _core.set_grad_enabled_raw(self.prev)

    def __repr__(self) -> str:
        return f"{type(self).__module__}.{type(self).__qualname__}(mode={self.mode})"

    def clone(self) -> set_grad_enabled:
        return set_grad_enabled(self.mode)


class inference_mode(locks.switched, _DecoratorContextManager):
    """Inside, nothing is recorded and results can never take part in autograd later. A context manager or a decorator.

    Args:
        mode: whether the mode is on; a function in its place is decorated.
    """

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode
        self.set_to(grad=not mode, inference=mode)

    def clone(self) -> inference_mode:
        return inference_mode(self.mode)

    def __reduce__(self) -> tuple[Any, ...]:
        return inference_mode, (self.mode,)


class set_multithreading_enabled(_DecoratorContextManager):
    """Accepted for programs that set it: the calling thread itself always runs the backward pass.

    Args:
        mode: ignored.
    """

    def __init__(self, mode: bool) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        pass

    def clone(self) -> set_multithreading_enabled:
        return set_multithreading_enabled(self.mode)
