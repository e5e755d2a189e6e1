"""PyTorch's name for the file of `torch.distributed`'s functions."""

from __future__ import annotations

from rushlight.distributed import *  # noqa: F403
from rushlight.distributed import __all__ as __all__
