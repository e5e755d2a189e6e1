"""What `__torch_dispatch__` is handed for many calls: PyTorch's overloads with PyTorch's arguments, but for a list that
may only shrink.

`PYTHONPATH=tests python tests/parity/test_dispatch_calls.py` writes the list anew.
"""

from __future__ import annotations

import pytest
from shrinking import Differences

from processes import RUSHLIGHT

pytest.importorskip("torch", reason="the reference")
LIST = Differences("dispatch_calls.py", "dispatch_differences.json")


def differences() -> dict[str, list[list[str]]]:
    theirs, ours = LIST.seen_by(), LIST.seen_by(*RUSHLIGHT)
    return {name: [ours[name], theirs[name]] for name in theirs if ours[name] != theirs[name]}


def test_overloads_and_arguments() -> None:
    found, known = differences(), LIST.known()
    assert len(LIST.seen_by()) > 150
    assert {k: v for k, v in found.items() if k not in known} == {}
    LIST.check_all_are_there(found)


if __name__ == "__main__":
    LIST.write(differences())
