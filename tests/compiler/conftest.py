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


@pytest.fixture
def code_path() -> Iterator[None]:
    """Products by kernels of one's choice until the test's end."""
    from rushlight.compiler.products import kernels
    from rushlight.compiler.routines import products
    from rushlight.core import _native

    numbers = [n for n in range(7) if not products.name_of(n).startswith("complex")]
    for n in numbers:
        if not _native.product_ready(n):
            products.open_products(n)
    yield
    for n in numbers:
        kernels.use_code_path(n, products.name_of(n), kernels.code_path())


@pytest.fixture
def threads() -> Iterator[None]:
    """As many threads as there were, after the test."""
    from rushlight.core import _native

    before = _native.num_threads()
    yield
    _native.set_num_threads(before)


@pytest.fixture(autouse=True)
def _forms_are_checked() -> Iterator[None]:
    """What the compiler's passes make in any of these tests is what the next pass takes."""
    from rushlight.compiler.passes import pipeline

    with pipeline.watched() as forms:
        yield
    for name, form in forms:
        if name in ("cluster", "index", "loops", "epilogues", "assemble"):
            form.check()
