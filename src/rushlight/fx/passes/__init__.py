"""Passes over graphs: shapes, splitting, and what something else can run."""

from __future__ import annotations

from rushlight.fx.passes import operator_support, shape_prop, split_module, tools_common

__all__ = ["operator_support", "shape_prop", "split_module", "tools_common"]
