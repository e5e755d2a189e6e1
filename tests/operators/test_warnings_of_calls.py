"""Warnings of operators: given at every call, whether it is traced or was compiled before, at the program's line."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight.core import warning
from rushlight.nn import functional as F

CALLS: dict[str, Callable[[], Any]] = {
    "traced": lambda: F.mse_loss(rushlight.ones(2, 1), rushlight.ones(2)),
    "traced, with a gradient": lambda: F.kl_div(rushlight.ones(2, requires_grad=True), rushlight.ones(2)),
    "guarded by sizes": lambda: rushlight.ones(3, 1).std(1),
    "eager": lambda: rushlight.ones(3)[rushlight.tensor([1, 0, 1], dtype=rushlight.uint8)],
    "of the core": lambda: (rushlight.ones(2, requires_grad=True) * 2).grad,
    "of a destination": lambda: rushlight.add(rushlight.ones(3), 1, out=rushlight.ones(2)),
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_every_call_warns(name: str) -> None:
    for _ in range(3):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            CALLS[name]()
        assert [w.category for w in found] == [UserWarning]
        assert found[0].filename == __file__


def test_as_an_error() -> None:
    """A filter that makes errors of warnings stops the call, and the next one, too."""
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(UserWarning, match="mse_loss"):
                CALLS["traced"]()


def test_others_do_not() -> None:
    """A size that leaves degrees of freedom has a program of its own, or a guard: it does not warn."""
    for n in (1, 2, 1, 5, 1, 3):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            rushlight.ones(4, n).std(1)
        assert len(found) == (n == 1)


def test_once() -> None:
    def heard() -> int:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            warning.warn("text", once="test_once")
        return len(found)

    assert [heard(), heard()] == [1, 0]
    rushlight.set_warn_always(True)
    try:
        assert [heard(), heard()] == [1, 1]
    finally:
        rushlight.set_warn_always(False)
    assert heard() == 0


def test_operators_warn_by_the_one_function() -> None:
    """`warnings.warn` in a body would warn when it is traced, and never again."""
    folder = Path(rushlight.__file__).parent / "operators"
    found = [
        f"{path.name}:{node.lineno}"
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr == "warn" and getattr(node.value, "id", "") == "warnings"
    ]
    assert found == []
