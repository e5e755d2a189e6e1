"""Warnings as PyTorch gives them: from the program's line, some at every call and some once in a process.

An operator's body runs when its call is traced; after that, the compiled call runs each time. So the trace notes the
warnings of a body, and they are kept with the compiled call, which gives them each time (`CompiledCall.warned`).
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from rushlight.core.held import held

Note = tuple[str, type[Warning], str | None]
_PACKAGE = os.path.dirname(os.path.dirname(__file__))


class _Trace(threading.local):
    notes: list[Note] | None = None


_trace = _Trace()
_said: set[str] = set()
_state = {"always": False}


def warn(message: str, category: type[Warning] = UserWarning, once: str | None = None) -> None:
    """Warn the program that calls the library.

    Args:
        message: what is to be done instead.
        category: the class of the warning.
        once: a name under which the process is warned a single time, unless set_warn_always(True); None: every time, as
            Python's filters have it.
    """
    if _trace.notes is not None:
        if (message, category, once) not in _trace.notes:
            _trace.notes.append((message, category, once))
        return
    if once is not None:
        if once in _said and not _state["always"]:
            return
        _said.add(once)
    warnings.warn(message, category, stacklevel=_programs_line())


def noting() -> bool:
    """Whether warnings are collected, as while a body is traced; not while it is differentiated."""
    return _trace.notes is not None


def say(notes: list[Note]) -> None:
    """Give the warnings that were noted while a call was traced."""
    for message, category, once in notes:
        warn(message, category, once)


def _programs_line() -> int:
    """The stacklevel for `warn` of the innermost frame that is not the library's."""
    level, frame = 2, sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level


@contextmanager
def noted() -> Iterator[list[Note]]:
    """Collect warnings instead of giving them; within another collection, for the inner one alone."""
    notes: list[Note] = []
    with held(_trace, "notes", notes):
        yield notes


def set_always(always: bool) -> None:
    """Let warnings that are given once in a process be given every time, or no longer."""
    _state["always"] = always


def is_always() -> bool:
    """What set_always() set."""
    return _state["always"]
