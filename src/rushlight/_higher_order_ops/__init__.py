"""Operators that take functions, under the name that packages import them by."""

from __future__ import annotations

from rushlight._higher_order_ops.associative_scan import associative_scan
from rushlight._higher_order_ops.scan import scan
from rushlight.func.control import cond, while_loop

__all__ = ["associative_scan", "cond", "scan", "while_loop"]
