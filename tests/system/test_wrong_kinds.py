"""Hooks, gradients and saved values of wrong kinds: an error or a right result, never memory read as what it is not."""

from __future__ import annotations

from own_process import in_its_own_process


def test_wrong_kinds_are_refused() -> None:
    in_its_own_process("wrong_kinds", "all_ways")
