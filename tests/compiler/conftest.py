"""What several files of these tests need."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kernel cache of the test's own: nothing in memory, and a folder that is not there yet."""
    from rushlight.compiler.kernels import cache

    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path / "kernels"))
    cache.forget()
    return tmp_path / "kernels"


@pytest.fixture(autouse=True)
def _forms_are_checked() -> Iterator[None]:
    """What the compiler's passes make in any of these tests is what the next pass takes."""
    from rushlight.compiler.passes import pipeline

    with pipeline.watched() as forms:
        yield
    for name, form in forms:
        if name in ("cluster", "index", "loops", "assemble"):
            form.check()
