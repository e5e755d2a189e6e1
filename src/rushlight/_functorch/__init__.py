"""`torch._functorch`: the inside of `torch.func`, of which packages replace parts."""

from __future__ import annotations

from . import vmap

__all__ = ["vmap"]
