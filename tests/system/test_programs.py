"""Whole programs written for PyTorch, run as their authors would: `python -m rushlight program.py`.

They import only torch and NumPy, set their weights from NumPy's generator, print what they compute and assert what must
come out. tests/parity/test_whole_programs.py compares what they print with PyTorch's.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import rushlight
from processes import RUSHLIGHT, printed

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = sorted(p.stem for p in FOLDER.glob("*.py") if p.stem != "common")


def run(name: str) -> str:
    """What a program prints; it must end well and say nothing on stderr but warnings."""
    source = str(Path(rushlight.__file__).parents[1])
    paths = [source, *filter(None, [os.environ.get("PYTHONPATH")])]
    return printed(*RUSHLIGHT, FOLDER / f"{name}.py", env={"PYTHONPATH": os.pathsep.join(paths)})


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_runs(name: str) -> None:
    assert len(run(name).splitlines()) >= 2


def test_a_view_that_changes_nothing_is_another_tensor() -> None:
    for view in (
        lambda t: t.view(3),
        lambda t: t.view_as(t),
        lambda t: t.t(),
        lambda t: t.expand(3),
        lambda t: t[:],
        lambda t: t.squeeze(),
    ):
        x = rushlight.ones(3, requires_grad=True)
        y = view(x)
        assert y is not x and y.data_ptr() == x.data_ptr() and x.is_leaf and y.grad_fn is not None
        (y * 2).sum().backward()
        (view(x) * 2).sum().backward()
        assert x.grad is not None and x.grad.tolist() == [4.0, 4.0, 4.0]
