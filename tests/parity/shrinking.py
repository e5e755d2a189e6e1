"""Differences from PyTorch that a file lists, which may only shrink."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from processes import reported

HERE = Path(__file__).parent


class Differences:
    """What a program reports, by the library that it runs on, and the list of what is known to differ.

    Args:
        program: its file.
        known: the list's file.
    """

    def __init__(self, program: str, known: str) -> None:
        self.program, self.file = HERE / program, HERE / known

    def seen_by(self, *launcher: str) -> dict[str, list[str]]:
        """The report of the program."""
        return reported(self.program, *launcher)

    def known(self) -> dict[str, Any]:
        """The list."""
        found: dict[str, Any] = json.loads(self.file.read_text())
        return found

    def check_all_are_there(self, found: dict[str, Any]) -> None:
        """AssertionError for what the list has that does not differ any more."""
        gone = sorted(set(self.known()) - set(found))
        assert gone == [], f"these are equal now: take them out of {self.file.name}"

    def write(self, found: dict[str, Any]) -> None:
        """Write the list anew."""
        self.file.write_text(json.dumps(found, indent=1) + "\n")
