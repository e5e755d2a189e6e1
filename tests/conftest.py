"""Makes the helpers of the tests (tests/reference.py and the like) importable from every folder of tests."""
from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

# Kernels of an earlier run are used again: the suite compiles some thousands of them.
os.environ.setdefault("RUSHLIGHT_CACHE_DIR", str(Path(__file__).parents[1] / "build" / "test-kernels"))


def pytest_collection_finish() -> None:
    """The samples and tests of all operators live to the end: no collection of garbage needs to visit them."""
    gc.freeze()
