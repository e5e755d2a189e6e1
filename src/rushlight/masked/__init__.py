"""Operations that take no notice of masked-out elements, in PyTorch's names: the operators of the table whose namespace is masked."""
from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.ops._define import TABLE

globals().update({name.removeprefix("masked."): op for name, op in TABLE.items() if name.startswith("masked.")})

if TYPE_CHECKING:
    from rushlight.masked._operators import *  # noqa: F403  # by tools/stubs.py
