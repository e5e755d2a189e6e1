"""Operators on sparse tensors: those of the table that have a meaning for them, written in operators on the tensors
that a sparse one is made of. Loaded when the first sparse tensor is made.
"""

from __future__ import annotations

# Each registers its operators.
from rushlight.operators.sparse import compressed_calls, elementwise, indexing, making, products, reductions, shapes

__all__ = ["compressed_calls", "elementwise", "indexing", "making", "products", "reductions", "shapes"]
