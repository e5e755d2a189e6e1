"""Samples of attention."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.operators.samples._registry import Make, Sample, Samples, samples


@samples("nn.functional.scaled_dot_product_attention", dtypes="float32 float64", tolerance=16.0)
def _attention(make: Make) -> Samples:
    def qkv() -> tuple[Any, Any, Any]:
        return make((2, 3, 4, 5)), make((2, 3, 6, 5)), make((2, 3, 6, 7))

    yield Sample(*qkv())
    yield Sample(*qkv(), is_causal=True)
    yield Sample(*qkv(), attn_mask=make((4, 6), dtype=dt.bool_))
    yield Sample(*qkv(), attn_mask=make((2, 1, 4, 6)), scale=0.3)
    yield Sample(make((2, 4, 3, 5)), make((2, 2, 3, 5)), make((2, 2, 3, 5)), enable_gqa=True)
    yield Sample(*qkv(), attn_mask=make((4, 6)), is_causal=True)
