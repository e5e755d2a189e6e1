"""The matrix of checks: every cell is a result or a letter with a reason."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "operators")]
from checks import CHECKS  # noqa: E402

import operator_matrix as tool  # noqa: E402
from rushlight.testing.samples import load  # noqa: E402


def test_every_check_has_a_column() -> None:
    assert set(tool.COLUMNS) == set(CHECKS)


def test_no_hole_is_unexplained() -> None:
    names = ["sin", "bitwise_not", "zeros"]
    registry = load()
    for name in names:
        if registry[name].reference is None:
            pytest.importorskip("torch")
    rows = {name: tool.row(name)[1] for name in names}
    wrong = [(name, told) for name, cells in rows.items() for cell, told in cells if cell == "NO"]
    assert not wrong
    text = tool.table(registry, rows)
    table, _, below = text.partition("\n\n")
    lines = table.splitlines()[2:]
    assert [line.split("`")[1] for line in lines] == sorted(names)
    reasons = dict(re.findall(r"^- (\w+): (.+) \(\d+\)$", below, re.MULTILINE))
    for line in lines:
        cells = [c.strip() for c in line.strip("|").split("|")[2:]]
        assert len(cells) == len(tool.COLUMNS)
        for cell in cells:
            assert cell in ("yes", "torch") or cell in reasons, line
    assert "gives integers or bools" in reasons.values() or "takes integers and bools" in reasons.values()
    assert "depends on no tensor's values" in reasons.values()


def test_a_failure_is_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(spec: object) -> None:
        raise AssertionError("wrong")

    monkeypatch.setitem(CHECKS, "vmap", fail)
    monkeypatch.setattr(tool, "COLUMNS", {"vmap": "vmap"})
    _, cells = tool.row("sin")
    assert cells == [("NO", "AssertionError: wrong")]
    assert "| NO |" in tool.table(load(), {"sin": cells})
