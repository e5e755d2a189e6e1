"""What cannot be meant as out= is an error, for every operator: see out_kinds.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from processes import printed


@pytest.mark.parametrize("part", range(4))
def test_wrong_kinds_of_out(part: int) -> None:
    printed(Path(__file__).with_name("out_kinds.py"), part, "4")
