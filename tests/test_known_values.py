"""known_values.py: kept values are those of mpmath, a wrong one is noticed, and other arguments are found on the
spot.
"""

from __future__ import annotations

import json
from pathlib import Path

import mpmath as mp
import pytest

import known_values

POINTS = [(1.0, 2), (0.1, 3), (1e300, 1)]


def power(x: float, n: int) -> mp.mpf | None:
    with mp.workdps(40):
        return None if x > 1e200 else mp.mpf(x) ** n / 3


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(known_values, "KEEP", True)
    path = tmp_path / "values.json"
    known_values.KnownValues(path).values("power", power, POINTS)
    monkeypatch.setattr(known_values, "KEEP", False)
    return path


def test_kept_values_are_exact_to_25_digits(file: Path) -> None:
    calls = []
    found = known_values.KnownValues(file).values("power", lambda *p: calls.append(p) or power(*p), POINTS)
    assert len(calls) == 1, "one value, drawn at random, is found again"
    assert found[2] is None
    with mp.workdps(40):
        for kept, point in zip(found[:2], POINTS, strict=False):
            exact = power(*point)
            assert exact is not None and 0 < abs(kept - exact) < 1e-24 * exact


def test_a_wrong_value_is_noticed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_values, "FOUND_AGAIN", 1.0)
    tables = json.loads(file.read_text())
    for key, text in tables["power"].items():
        for wrong in ("0.3333333333333333334", "1.0", None) if text is not None else ("1.0",):
            changed = {"power": {**tables["power"], key: wrong}}
            file.write_text(json.dumps(changed))
            with pytest.raises(AssertionError, match=r"values\.json: power\(.* is kept as"):
                known_values.KnownValues(file).values("power", power, POINTS)


def test_other_arguments_are_found(file: Path) -> None:
    before = file.read_text()
    with pytest.warns(UserWarning, match="1 of 2 values are not kept"):
        found = known_values.KnownValues(file).values("power", power, [(1.0, 2), (1.0000000000000002, 2)])
    assert found[1] == power(1.0000000000000002, 2)
    assert file.read_text() == before
