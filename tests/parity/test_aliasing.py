"""Programs of views, writes and shared memory beside PyTorch; see aliasing.py, which runs many of them by hand."""

from __future__ import annotations

import os
import warnings

import pytest

pytest.importorskip("torch")

import aliasing

PROGRAMS = int(os.environ.get("RUSHLIGHT_ALIASING_PROGRAMS", "300"))


@pytest.mark.parametrize("seed", range(4))
def test_programs(seed: int) -> None:
    statements = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(PROGRAMS // 4):
            statements += aliasing.run(number, seed)
    assert statements > 4 * (PROGRAMS // 4), f"only {statements} statements: too few to tell anything"


def test_a_wrong_value_is_seen() -> None:
    import torch

    import rushlight

    ours, theirs = [rushlight.arange(4)], [torch.arange(4)]
    aliasing.compare(theirs, ours, True, True)
    ours[0][2] = 7
    with pytest.raises(aliasing.Difference, match="values"):
        aliasing.compare(theirs, ours, False, True)
    with pytest.raises(aliasing.Difference, match="shared"):
        aliasing.compare([theirs[0], theirs[0][:2]], [rushlight.arange(4), rushlight.arange(2)], True, False)
