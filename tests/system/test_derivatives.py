"""What a backward does to memory, for every operator."""

from __future__ import annotations

from pathlib import Path

from processes import printed


def test_no_derivative_touches_memory_of_others() -> None:
    printed(Path(__file__).with_name("derivatives.py"))
