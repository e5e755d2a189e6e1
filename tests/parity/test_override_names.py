"""Under what names `__torch_function__` sees Python's syntax, attributes, methods and functions: as PyTorch's does, but
for a list that may only shrink.

`PYTHONPATH=tests python tests/parity/test_override_names.py` writes the list anew.
"""

from __future__ import annotations

import pytest
from shrinking import Differences

from processes import RUSHLIGHT

pytest.importorskip("torch", reason="the reference")
LIST = Differences("override_names.py", "override_differences.json")


def differences() -> dict[str, list[list[str]]]:
    """By member, the pairs of what ours and PyTorch's subclass is handed where both do the call."""
    theirs, ours = LIST.seen_by(), LIST.seen_by(*RUSHLIGHT)
    found: dict[str, set[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for name, a in theirs.items():
        b = ours.get(name)
        if a != ["refused"] and b is not None and b != ["refused"] and a != b:
            found.setdefault(".".join(name.split(".")[:2]), set()).add((tuple(b), tuple(a)))
    return {k: sorted([list(x) for x in pair] for pair in v) for k, v in sorted(found.items())}


def test_names_that_a_subclass_is_handed() -> None:
    found, known = differences(), LIST.known()
    assert sum(v != ["refused"] for v in LIST.seen_by().values()) > 2000
    assert {k: v for k, v in found.items() if any(pair not in known.get(k, []) for pair in v)} == {}
    LIST.check_all_are_there(found)


if __name__ == "__main__":
    LIST.write(differences())
