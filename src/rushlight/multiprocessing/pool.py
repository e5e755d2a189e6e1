"""The pool of multiprocessing, whose arguments and results share the memory of their tensors."""

from __future__ import annotations

from multiprocessing.pool import Pool

from rushlight.core.sharing import register_reductions

__all__ = ["Pool"]

register_reductions()
