"""Every public name of torchvision, called on samples by rushlight and by PyTorch, in two processes with the same
seeds. The cases are in `cases/`, a file a subject; a public name without one is an error.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import comparing
import pytest
from differing import BY_ONE

Results = tuple[dict[str, Any], dict[str, Any]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("torchvision")


def compare(results: Results) -> None:
    """Raise an error where results differ, a public name has no case, or none of its cases gives a result."""
    ours, theirs = results
    listed = ours.pop(comparing.NAMES)
    assert listed == theirs.pop(comparing.NAMES)
    assert ours.keys() == theirs.keys()
    by_name: dict[str, list[str]] = {}
    for key in theirs:
        by_name.setdefault(key.split(" | ")[0], []).append(key)
    assert not (missing := [name for name in listed if name not in by_name]), f"public names without a case: {missing}"
    wrong, near = [], dict.fromkeys(BY_ONE, 0)
    for name, keys in by_name.items():
        differing = {k: d for k in keys if (d := comparing.difference(ours[k], theirs[k]))}
        if name in BY_ONE and all(re.search(r"of the numbers, by up to 1$", d) for d in differing.values()):
            near[name] = len(differing)
            assert len(differing) <= BY_ONE[name][0], differing
            continue
        wrong += [f"{k}: {d}" for k, d in differing.items()]
        # What there is only without a package that is not installed, or on no picture, raises in each case.
        if all(comparing.raised(theirs[k]) for k in keys) and name not in comparing.ERRORS_ONLY:
            wrong.append(f"{name}: all cases raise {theirs[keys[0]][1:]}")
    assert not wrong, "\n".join(wrong)
    assert sum(near.values()) <= 0.02 * len(theirs)
    fine = [name for name in BY_ONE if name in by_name and not near[name]]
    assert not fine, f"nothing differs any more: {fine}"


@pytest.mark.parametrize("subject", ["functions", "classes", "rest", "files"])
def test_transforms_datasets_and_the_rest(subject: str, folder: Path) -> None:
    compare(comparing.run(subject, folder))


def test_networks(folder: Path) -> None:
    """One of each family of `torchvision.models`; `make vision` compares them all."""
    compare(comparing.run("networks", folder))
