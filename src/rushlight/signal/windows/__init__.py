"""Windows in PyTorch's names: the operators of the table whose namespace is signal.windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.operators.table.define import TABLE

globals().update(
    {name.removeprefix("signal.windows."): op for name, op in TABLE.items() if name.startswith("signal.windows.")}
)

if TYPE_CHECKING:
    from rushlight.signal.windows._operators import *  # noqa: F403  # by tools/stubs.py
