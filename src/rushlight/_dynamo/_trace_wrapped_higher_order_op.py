"""A name of PyTorch's tracer that packages take from there."""

from __future__ import annotations

import contextlib

__all__ = ["TransformGetItemToIndex"]


class TransformGetItemToIndex(contextlib.nullcontext[None]):
    """Inside, tensors that `vmap` maps over may be used as an index, as they may outside."""
