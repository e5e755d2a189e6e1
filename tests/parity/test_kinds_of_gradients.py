"""Hooks, gradients and saved values of wrong kinds give what PyTorch gives, or raise an error of its type."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[1] / "system"))

from wrong_kinds import WAYS, kinds, outcome  # noqa: E402

# (way, kind) -> why it differs; "*" stands for every way.
_BROADCAST = "a saved tensor must keep its shape; PyTorch broadcasts what fits"
LISTED = {
    (way, kind): _BROADCAST
    for way in ("unpacked", "unpacked_twice", "data_of_saved", "data_of_saved_twice", "memory_of_saved", "node_call")
    for kind in ("row", "one", "scalar")
}

LISTED["memory_of_saved", "none"] = "set_(None) is set_()"
LISTED["module_prehook", "none"] = "no gradient where a module's hook takes it away; PyTorch makes zeros of it"


def same(theirs: Any, ours: Any) -> bool:
    """Whether two outcomes are one, numbers up to rounding."""
    if isinstance(theirs, (tuple, list)):
        return isinstance(ours, (tuple, list)) and len(theirs) == len(ours) and all(map(same, theirs, ours))
    return (
        theirs == pytest.approx(ours, rel=1e-6, nan_ok=True)
        if isinstance(theirs, float) and isinstance(ours, float)
        else bool(theirs == ours)
    )


@pytest.mark.parametrize("way", WAYS)
def test_as_in_pytorch(way: str) -> None:
    found = []
    for kind in kinds(rushlight):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs, ours = outcome(torch, way, kind), outcome(rushlight, way, kind)
        if not same(theirs, ours) and (way, kind) not in LISTED:
            found.append(f"{kind}: {theirs} in PyTorch, {ours} here")
    assert not found, found
