"""Under the alias every public name says of itself what PyTorch's does: module, name, qualified name; dir(torch) shows
nothing of ours.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from processes import printed

pytest.importorskip("torch", reason="the reference")
HERE = Path(__file__).parent

# Modules of PyTorch that are its compiled parts, or files that hold one thing: what stands there, rushlight has in the
# module where it is public.
BUILT_IN = {
    "torch._C._special": "torch.special",
    "torch._C._fft": "torch.fft",
    "torch._C._linalg": "torch.linalg",
    "torch._C._nn": "torch.nn.functional",
    "torch.masked._ops": "torch.masked",
    "torch.signal.windows.windows": "torch.signal.windows",
}
# Names whose kind differs: an operator here, a Python function of torch.functional or a method of torch._tensor there;
# and what has not been renamed yet. The list may only become shorter.
KNOWN = json.loads((HERE / "identity_differences.json").read_text())


@functools.cache
def said_by(*command: str) -> dict[str, Any]:
    return json.loads(printed(*command, HERE / "public_names.py"))


def differences() -> dict[str, list[Any]]:
    theirs, ours = said_by()["names"], said_by("-m", "rushlight")["names"]
    found = {}
    for path in sorted(theirs.keys() & ours.keys()):
        a, b = theirs[path], ours[path]
        # __qualname__ of a built-in names the class that PyTorch's are made in; ours is the name.
        if "VariableFunctionsClass" in (a[3] or ""):
            a = [*a[:3], a[2]]
        same_module = BUILT_IN.get(a[1], a[1]) == b[1]
        if not (same_module and a[0] == b[0] and a[2:] == b[2:]):
            found[path] = [a, b]
    return found


def test_names_modules_and_qualified_names() -> None:
    found = differences()
    assert len(said_by("-m", "rushlight")["names"]) > 2000
    assert {path: pair for path, pair in found.items() if path not in KNOWN} == {}
    assert sorted(set(KNOWN) - set(found)) == [], "these are equal now: take them out of identity_differences.json"


def test_dir_shows_nothing_of_ours() -> None:
    """But namespaces, which PyTorch's names when they are entered."""
    namespaces = {"onnx", "_dynamo", "_inductor"}
    assert sorted(set(said_by("-m", "rushlight")["dir"]) - set(said_by()["dir"]) - namespaces) == []
