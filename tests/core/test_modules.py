"""The compiled modules lie in one file, and an import leaves the garbage collector as it found it."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rushlight
from rushlight.core import COMPILED

PACKAGE = Path(rushlight.__file__).parent
SOURCES = Path(__file__).resolve().parents[2] / "src" / "rushlight"


def test_every_source_is_compiled_and_found() -> None:
    listed = re.findall(r"'core/(\w+)\.pyx'", (SOURCES / "meson.build").read_text())
    assert len(listed) == len(set(listed))
    assert set(listed) == COMPILED == {p.stem for p in (SOURCES / "core").glob("*.pyx")}


@pytest.mark.parametrize("name", sorted(COMPILED))
def test_module_is_loaded_from_the_one_file(name: str) -> None:
    module = importlib.import_module(f"rushlight.core.{name}")
    assert module.__name__ == f"rushlight.core.{name}"
    assert module.__spec__ is not None and module.__file__ == rushlight.core.FILE
    assert Path(rushlight.core.FILE).parent == PACKAGE / "core"
    assert importlib.import_module(module.__name__) is module


@pytest.mark.parametrize("name", ["rushlight.core.compiled_", "rushlight.core.Tensor", "rushlight.tensor"])
def test_other_names_are_no_modules(name: str) -> None:
    assert importlib.util.find_spec(name) is None
    with pytest.raises(ModuleNotFoundError, match=name):
        importlib.import_module(name)


@pytest.mark.parametrize("frozen", [False, True])
def test_import_leaves_the_collector_as_it_was(frozen: bool) -> None:
    """Garbage of before is collected after, what was frozen stays so, and nothing else is."""
    program = """
import gc, sys, weakref
class Node: pass
node = Node(); node.itself = node
seen = weakref.ref(node)
if sys.argv[1] == "True":
    gc.freeze()
del node
import rushlight
assert gc.isenabled()
gc.collect()
print(gc.get_freeze_count() > 0, seen() is not None)
"""
    done = subprocess.run([sys.executable, "-c", program, str(frozen)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(frozen)] * 2
    assert gc.isenabled()
