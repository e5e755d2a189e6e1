"""Operations that take no notice of masked-out elements, in PyTorch's names: the operators of the table whose namespace
is masked, and MaskedTensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.masked.tensor import MaskedTensor, as_masked_tensor, is_masked_tensor, masked_tensor
from rushlight.operators.table.define import TABLE, public_names

globals().update(public_names("masked"))

if TYPE_CHECKING:
    from rushlight.masked._operators import *  # noqa: F403  # by tools/stubs.py

_FUNCTIONS = sorted(name.removeprefix("masked.") for name in TABLE if name.startswith("masked."))
__all__ = ["MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor", *_FUNCTIONS]
