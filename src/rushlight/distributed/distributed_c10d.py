"""PyTorch's name for the file of `torch.distributed`'s functions."""

from __future__ import annotations

from typing import Any

from rushlight.distributed import *  # noqa: F403
from rushlight.distributed import __all__ as __all__
from rushlight.distributed import _rooms

_pg_map = _rooms._pg_map
_get_default_group: Any = vars(_rooms)["_get_default_group"]
