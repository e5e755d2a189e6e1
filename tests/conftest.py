"""Makes the helpers of the tests (tests/reference.py and the like) importable from every folder of tests."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

# Kernels of an earlier run are used again: the suite compiles some thousands of them.
os.environ.setdefault("RUSHLIGHT_CACHE_DIR", str(Path(__file__).parents[1] / "build" / "test-kernels"))


_ENTRIES = pytest.StashKey[set[str]]()


def pytest_configure() -> None:
    """A test that fails shows every frame."""
    from rushlight.inspection import set_full_tracebacks

    set_full_tracebacks(True)


@pytest.fixture
def every_warning() -> Iterator[None]:
    """What a process is warned of once, it is warned of at every call."""
    from rushlight.core import warning

    warning.set_always(True)
    yield
    warning.set_always(False)


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty kernel cache, and nobody who watches: where somebody does, every call is traced and planned."""
    from rushlight.compiler import watching
    from rushlight.compiler.kernels import cache

    monkeypatch.setattr(watching, "_watches", [])
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path / "kernels"))
    cache.forget()
    yield tmp_path / "kernels"
    cache.forget()


@pytest.fixture
def threads_kept() -> Iterator[None]:
    """As many threads behind the test as before it."""
    from rushlight import get_num_threads, set_num_threads

    before = get_num_threads()
    yield
    set_num_threads(before)


@pytest.fixture
def one_thread(threads_kept: None) -> None:
    """One thread: each of several packs products into memory of its own."""
    from rushlight import set_num_threads

    set_num_threads(1)


@pytest.fixture(autouse=True)
def _warned_anew() -> None:
    """What a process is warned of once, every test is."""
    from rushlight.core import warning

    warning._said.clear()


def _entries() -> set[str]:
    return {name for name in os.listdir() if not name.startswith(".")}


def pytest_sessionstart(session: pytest.Session) -> None:
    session.config.stash[_ENTRIES] = _entries()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tests write to folders of their own (`tmp_path`): the one that they are run from stays as it was."""
    if hasattr(session.config, "workerinput"):
        return  # one of many processes; the first looks
    before = session.config.stash[_ENTRIES]
    if left := sorted(_entries() - before - {"build", "dist", "demo-output"}):
        print(f"\nleft by the tests in {os.getcwd()}: {', '.join(left)}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


# Files whose tests take seconds each: they come first, so that at the end no process waits for another's last one.
LONG = (
    "system/test_fuzz.py",
    "test_operator_pages.py",
    "test_operator_matrix.py",
    "system/test_threads.py",
    "system/test_kernel_cache.py",
    "system/test_programs.py",
    "core/test_native.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: not item.nodeid.partition("::")[0].endswith(LONG))


def pytest_collection_finish() -> None:
    """The samples and tests of all operators live to the end: no collection of garbage needs to visit them.

    And a call that compiles makes thousands of objects, which a collection for every few hundred of them would visit in
    vain.
    """
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


_tests_done = 0


def pytest_runtest_teardown() -> None:
    """Nor what the calls of tests leave in the caches, of which a full collection would visit more and more."""
    global _tests_done
    _tests_done += 1
    if _tests_done % 100 == 0:
        gc.collect(1)
        gc.freeze()
