"""What `__torch_dispatch__` is handed for many calls: PyTorch's overloads with PyTorch's arguments, but for a list that
may only shrink.

`PYTHONPATH=tests python tests/parity/test_dispatch_calls.py` writes the list anew.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from processes import RUSHLIGHT, reported

pytest.importorskip("torch", reason="the reference")
HERE = Path(__file__).parent
LIST = HERE / "dispatch_differences.json"


def seen_by(*launcher: str) -> dict[str, list[str]]:
    return reported(HERE / "dispatch_calls.py", *launcher)


def differences() -> dict[str, list[list[str]]]:
    theirs, ours = seen_by(), seen_by(*RUSHLIGHT)
    return {name: [ours[name], theirs[name]] for name in theirs if ours[name] != theirs[name]}


def test_overloads_and_arguments() -> None:
    found, known = differences(), json.loads(LIST.read_text())
    assert len(seen_by()) > 150
    assert {k: v for k, v in found.items() if k not in known} == {}
    assert sorted(set(known) - set(found)) == [], "these are equal now: take them out of dispatch_differences.json"


if __name__ == "__main__":
    LIST.write_text(json.dumps(differences(), indent=1) + "\n")
