"""How much of a traceback is shown."""

from __future__ import annotations

from rushlight.core.checks import check_argument
from rushlight.core.tracebacks import frames_are_hidden, hide_frames

__all__ = ["full_tracebacks", "set_full_tracebacks"]


def set_full_tracebacks(full: bool) -> None:
    """Whether an error shows the library's own frames too, between the program's line and its message (default:
    RUSHLIGHT_TRACEBACK=full does).
    """
    check_argument(isinstance(full, bool), "set_full_tracebacks", "full", "be a bool", lambda: repr(full), TypeError)
    hide_frames(not full)


def full_tracebacks() -> bool:
    """Whether an error shows the library's own frames too."""
    return not frames_are_hidden()
