"""`torchvision.ops` on rushlight and on PyTorch: every public name, values and gradients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from comparing import difference, run


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    return run("operators", Path(tmp_path_factory.mktemp("operators")))


def test_no_public_name_is_left_out(found: tuple[dict[str, Any], dict[str, Any]]) -> None:
    for side in found:
        _, public, covered = side["names"]
        assert set(public[1:]) <= set(covered[1:]), f"without a sample: {sorted(set(public[1:]) - set(covered[1:]))}"


def test_results_and_gradients_are_those_of_pytorch(found: tuple[dict[str, Any], dict[str, Any]]) -> None:
    ours, theirs = found
    assert ours.keys() == theirs.keys()
    different = {name: d for name in theirs if (d := difference(ours[name], theirs[name]))}
    assert not different, "\n".join(f"{name}: {d}" for name, d in different.items())
