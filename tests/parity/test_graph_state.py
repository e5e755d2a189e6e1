"""What calls leave behind beside their values (strides, views, versions, leaves) is what they leave in PyTorch, for
every operator and layout of its arguments; what differs stands in graph_state.json, which may only become shorter.

`python tests/parity/test_graph_state.py` writes it anew.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "operators"))

import graph_state  # noqa: E402

LIST = HERE / "graph_state.json"


def found() -> dict[str, list[str]]:
    differing, compared = graph_state.differences(sorted(graph_state.REGISTRY), 2)
    assert compared > 15000
    return {what: sorted(names) for what, names in sorted(differing.items())}


def test_all_operators() -> None:
    known, now = json.loads(LIST.read_text()), found()
    new = {what: sorted(set(names) - set(known.get(what, []))) for what, names in now.items()}
    assert {what: names for what, names in new.items() if names} == {}
    gone = {what: sorted(set(names) - set(now.get(what, []))) for what, names in known.items()}
    assert {what: names for what, names in gone.items() if names} == {}, "these are equal now: take them out"


if __name__ == "__main__":
    LIST.write_text(json.dumps(found(), indent=1) + "\n")
