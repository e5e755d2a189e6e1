"""Operators on sparse tensors: those of the table that have a meaning for them, written in operators on the tensors
that a sparse one is made of. Loaded when the first sparse tensor is made.
"""

from __future__ import annotations

from rushlight.operators.sparse import compressed_calls, elementwise, indexing, making, products, reductions, shapes  # noqa: F401  each registers its operators
