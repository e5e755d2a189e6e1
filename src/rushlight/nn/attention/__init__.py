"""Which implementation scaled_dot_product_attention uses: rushlight chooses by the sizes alone."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["SDPBackend", "sdpa_kernel"]


class SDPBackend(enum.IntEnum):
    """PyTorch's implementations."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[None]:
    """Inside, attention may use these implementations. They give the same result, so all are taken, and nothing
    changes.

    Raises:
        TypeError: the argument is neither an SDPBackend nor a list of them.
    """
    listed = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(listed, (list, tuple, set)) or not all(isinstance(b, SDPBackend) for b in listed):
        raise TypeError(f"sdpa_kernel(): backends must be an SDPBackend or a list of them; found {backends!r}")
    yield
