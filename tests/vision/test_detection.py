"""`torchvision.models.detection` on rushlight and on PyTorch: training losses, gradients of all parameters, detections.

Models of each family on a small backbone; all builders in the smallest size that they have (two minutes, and 3 GiB)
with VISION_MODELS=all.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from comparing import difference, run


def _compare(name: str, folder: Path) -> dict[str, Any]:
    ours, theirs = run(name, folder)
    assert ours.keys() == theirs.keys()
    different = {
        case: d or f"raised {theirs[case][1:]}"
        for case in theirs
        if (d := difference(ours[case], theirs[case])) or theirs[case][0] == "raised"
    }
    assert not different, "\n".join(f"{case}: {d}" for case, d in different.items())
    return ours


def test_losses_gradients_and_detections_are_those_of_pytorch(tmp_path: Path) -> None:
    names = _compare("detection", tmp_path)["names"]
    assert names[1] == names[2], "every builder has a case, and every case a builder"


@pytest.mark.skipif(os.environ.get("VISION_MODELS") != "all", reason="takes two minutes; `make vision` runs it")
def test_every_builder(tmp_path: Path) -> None:
    _compare("detection_builders", tmp_path)
