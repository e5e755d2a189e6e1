"""Passes over graphs: shapes, splitting."""

from __future__ import annotations

from rushlight.fx.passes import shape_prop, split_module

__all__ = ["shape_prop", "split_module"]
