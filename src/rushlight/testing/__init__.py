"""torch.testing's names: assert_close and make_tensor."""
from __future__ import annotations

from rushlight.testing._comparison import assert_close
from rushlight.testing._creation import make_tensor

__all__ = ["assert_close", "make_tensor"]
