"""Hooks, gradients and saved values of wrong kinds: an error or a right result, never memory read as what it is not."""

from __future__ import annotations

from pathlib import Path

from processes import in_its_own_process


def test_wrong_kinds_are_refused() -> None:
    in_its_own_process(Path(__file__).with_name("wrong_kinds.py"), "all_ways")
