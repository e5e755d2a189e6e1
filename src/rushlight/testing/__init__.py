"""The names of torch.testing: assert_close, its older form assert_allclose, and make_tensor."""

from __future__ import annotations

from rushlight.testing._comparison import assert_allclose, assert_close
from rushlight.testing._creation import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]
