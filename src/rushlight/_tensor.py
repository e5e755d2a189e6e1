"""The class of tensors, where PyTorch has it, and the function that rebuilds tensors of a program's own subclass from a
file.
"""

from __future__ import annotations

from rushlight.compat.rebuild import rebuild_from_type_v2 as _rebuild_from_type_v2
from rushlight.core.tensor import Tensor

__all__ = ["Tensor", "_rebuild_from_type_v2"]
