"""Calls of a package that takes arrays of any namespace, in a process of its own, on tensors and on NumPy's arrays."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from processes import printed


def each_call(program: str, calls: Mapping[str, Any]) -> Callable[[str], None]:
    """The test of every call: a program is given all of them by name as JSON, and prints by name an empty text, or the
    error.

    SciPy reads SCIPY_ARRAY_API when it is imported, so that the program runs in a process of its own.
    """

    @functools.cache
    def results() -> dict[str, str]:
        shown = printed("-W", "ignore", "-c", program, env={"SCIPY_ARRAY_API": "1"}, text=json.dumps(calls))
        return json.loads(shown)  # type: ignore[no-any-return]

    @pytest.mark.parametrize("name", calls)
    def test(name: str) -> None:
        assert results()[name] == ""

    return test
