"""`Variable`, the old name of Tensor."""
from __future__ import annotations

from rushlight.core.tensor import Tensor as Variable

__all__ = ["Variable"]
