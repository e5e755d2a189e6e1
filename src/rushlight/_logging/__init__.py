"""What PyTorch's compiler logs: functions run as they are written here, so there is nothing to log; levels are
accepted.
"""

from __future__ import annotations

from typing import Any

__all__ = ["set_logs"]


def set_logs(**levels: Any) -> None:
    """Accepted: no part of a compiler is here that would log."""
