"""The programs of tests/system/programs print under rushlight what they print under PyTorch."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import sys
import warnings
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[1] / "system"))

from test_programs import FOLDER, PROGRAMS, run  # noqa: E402

NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


def under_pytorch(name: str) -> str:
    """What a program prints when `torch` is PyTorch, in this process."""
    out = io.StringIO()
    sys.path.insert(0, str(FOLDER))
    state = torch.get_rng_state()
    try:
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    finally:
        sys.path.remove(str(FOLDER))
        torch.set_rng_state(state)
    return out.getvalue()


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_prints_what_it_prints_under_pytorch(name: str) -> None:
    ours, theirs = run(name).splitlines(), under_pytorch(name).splitlines()
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert NUMBER.sub("#", a) == NUMBER.sub("#", b)
        for x, y in zip(NUMBER.findall(a), NUMBER.findall(b), strict=True):
            # Training steps make differences of the last bit grow: a thousandth is what ten to sixty of them leave.
            assert float(x) == pytest.approx(float(y), rel=2e-3, abs=2e-3), (a, b)
