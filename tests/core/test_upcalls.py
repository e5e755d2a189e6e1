"""What the core asks of the upper layers is declared in one place, and all of it is there when the package is
loaded.
"""

from __future__ import annotations

import re
from pathlib import Path

import rushlight.autograd  # fills in what autograd supplies
import rushlight.compiler.routines  # noqa: F401  and what a program's first plan loads
from rushlight.core import upcalls as declared

CORE = Path(declared.__file__).parent


def test_all_that_is_declared_is_there_and_nothing_else() -> None:
    assert set(vars(declared.upcalls)) == set(declared.Upcalls.__annotations__)


def test_the_core_asks_for_nothing_else() -> None:
    asked = {
        name
        for path in CORE.glob("*.p[yx]*")
        if path.suffix in (".pyx", ".pxi", ".pxd")
        for name in re.findall(r"\bUPCALLS\.(\w+)", path.read_text())
    }
    assert asked == set(declared.Upcalls.__annotations__)
