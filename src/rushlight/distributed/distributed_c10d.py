"""PyTorch's name for the file of `torch.distributed`'s functions."""

from __future__ import annotations

from rushlight.distributed import *  # noqa: F403
from rushlight.distributed import __all__ as __all__
from rushlight.distributed._rooms import _get_default_group, _pg_map

_ = (_get_default_group, _pg_map)
