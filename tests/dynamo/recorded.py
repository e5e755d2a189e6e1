"""A plugin of pytest that records every test as a whole: what a test calls is noted, and runs where a value is asked
for.

`python -m pytest -p recorded ...` with this folder in PYTHONPATH. What a test then finds must be what it finds without.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

# Tests that cannot be recorded, by the beginnings of their names, and why.
EXCEPT = {
    "core/test_clock.py::test_a_clock_that_nobody_else_holds": "it times calls whose results nobody holds",
    "core/test_replay.py": "a replay fits no call under a mode",
    "core/test_engine.py::test_a_backward_of_wanted_inputs_makes_no": "a run graph is known by an object a node",
    "core/test_joining.py": "functions of the core are called, which leave calls under a mode to others",
    "core/test_nodes.py::test_nodes_that_were_looked_at_are_freed": "it counts the nodes of single calls",
    "nn/test_recurrent.py::test_another_length_or_batch": "what a step calls is compiled when the next step begins",
    "utils/test_profiler.py::test_operators_ranges": "it counts modes",
    "nn/test_amp.py::test_nothing_is_left_behind": "it counts modes",
}


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Leave out the exceptions."""
    items[:] = [x for x in items if not any(f"tests/{name}" in x.nodeid for name in EXCEPT)]


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem: Any) -> Iterator[None]:
    """Record the test."""
    from rushlight.jit.recording import Recorder, record_calls
    from rushlight.jit.segments import Segments

    segments = Segments("test")
    test = pyfuncitem.obj

    def recorded(*args: Any, **kwargs: Any) -> Any:
        recorder = Recorder(segments.run, segments.roots, defers=True)
        return record_calls(recorder, lambda: test(*args, **kwargs))

    pyfuncitem.obj = recorded
    try:
        yield
    finally:
        pyfuncitem.obj = test
