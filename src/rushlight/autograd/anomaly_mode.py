"""Finding the forward call whose backward fails or gives nan."""

from __future__ import annotations

import warnings

from rushlight.core import engine, locks

_state = {"enabled": False, "check_nan": True}


def _apply() -> None:
    engine.set_anomaly((2 if _state["check_nan"] else 1) if _state["enabled"] else 0)


def is_anomaly_enabled() -> bool:
    """Whether anomaly detection is on."""
    return _state["enabled"]


def is_anomaly_check_nan_enabled() -> bool:
    """Whether gradients are checked for nan while anomaly detection is on."""
    return _state["check_nan"]


def set_anomaly_enabled(mode: bool, check_nan: bool = True) -> None:
    """Switch anomaly detection on or off.

    Args:
        check_nan: raise RuntimeError when a gradient holds a nan.
    """
    _state.update(enabled=bool(mode), check_nan=bool(check_nan))
    _apply()


class set_detect_anomaly(locks.Block[None]):
    """Switch anomaly detection on or off, at once; as a context manager until the end of the block.

    Args:
        mode: on or off.
        check_nan: raise RuntimeError when a gradient holds a nan.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.prev = dict(_state)
        _state.update(enabled=bool(mode), check_nan=bool(check_nan))
        _apply()

    def _before_(self) -> dict[str, bool]:
        """What was in force."""
        return self.prev

    def _begin_(self) -> None:
        """It is in force already."""

    def _end_(self, before: dict[str, bool]) -> None:
        """Put back what was in force."""
        _state.update(before)
        _apply()


class detect_anomaly(set_detect_anomaly):
    """Inside, every recorded call keeps its stack; a backward that fails or gives nan shows the stack of its forward
    call.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        warnings.warn(
            "detect_anomaly: every recorded call keeps its stack and every gradient is searched for nan, which is slow",
            UserWarning,
            stacklevel=2,
        )

    def _before_(self) -> dict[str, bool]:
        """What is in force."""
        return dict(_state)

    def _begin_(self) -> None:
        """Put this in force."""
        _state.update(enabled=True, check_nan=self.check_nan)
        _apply()
