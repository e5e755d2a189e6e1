"""Random autograd programs against PyTorch: a few hundred; `python tests/parity/autograd_programs.py --count 50000`
runs as many as wanted.
"""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from autograd_programs import failures


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_programs(first: int) -> None:
    reports = list(failures(first, 50))
    assert not reports, "\n".join(reports)
