"""Runs a function of a test file in a fresh process, whose memory holds nothing of the other tests."""

from __future__ import annotations

from pathlib import Path

from processes import printed


def in_its_own_process(module: str, function: str, timeout: float = 600) -> None:
    """Call a function of a file in this folder; raises AssertionError with what the process said if it fails."""
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import {module}; {module}.{function}()"
    printed("-c", code, timeout=timeout)
