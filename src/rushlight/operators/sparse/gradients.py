"""Calls on dense tensors whose gradients are sparse: rows of a table that are looked up."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.sparse import parts as p
from rushlight.operators.table.define import TABLE


def embedding(input: Tensor, weight: Tensor, padding_idx: Any, scale_grad_by_freq: bool, lookup: Any) -> Tensor:
    """The rows of `weight` that `input` names, which gets a sparse gradient; lookup: the dense operator."""
    with p.unrecorded():
        result = lookup(input, weight, padding_idx, False)
    shape = tuple(weight.shape)

    def derivative(g: Tensor) -> list[Tensor | None]:
        if scale_grad_by_freq:
            raise RuntimeError(
                "embedding(): scale_grad_by_freq not supported with sparse gradients; found both; use sparse=False"
            )
        with p.unrecorded():
            rows = input.reshape(-1).to(dt.int64)
            skipped = None if padding_idx is None else int(padding_idx) % max(shape[0], 1)
        values = g.reshape(-1, shape[1])
        if skipped is not None:
            with p.unrecorded():
                kept = TABLE["nonzero"](rows != skipped).flatten()
                rows = rows[kept]
            values = values[kept]
        return [p.make(rows.unsqueeze(0), values, shape)]

    return p.record(result, "EmbeddingBackward0", [weight], derivative)


def check_bag(mode: str, scale_grad_by_freq: bool) -> None:
    """What has no sparse gradient."""
    if mode == "max":
        raise ValueError("embedding_bag(): max mode does not support sparse weights; found mode='max' with sparse=True")
    if scale_grad_by_freq:
        raise RuntimeError(
            "embedding_bag(): scale_grad_by_freq not supported with sparse gradients; found both; use sparse=False"
        )


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None,
    mode: str,
    per_sample_weights: Tensor | None,
    include_last_offset: bool,
    padding_idx: int | None,
    lookup: Any,
) -> Tensor:
    """Sums or means of bags of rows of `weight`, which gets a sparse gradient; the arguments are checked."""
    flat = input.reshape(-1)
    with p.unrecorded():
        n = int(flat.shape[0])
        if offsets is None:
            bags = int(input.shape[0])
            position = TABLE["arange"](bags).repeat_interleave(int(input.shape[1]))
        else:
            bags = int(offsets.shape[0]) - bool(include_last_offset)
            starts = offsets.to(dt.int64)
            position = (TABLE["searchsorted"](starts, TABLE["arange"](n), right=True) - 1).clamp(max=bags - 1)
        if padding_idx is not None:
            kept = TABLE["nonzero"](flat != padding_idx % int(weight.shape[0])).flatten()
            flat, position = flat[kept], position[kept]
    rows = embedding(flat, weight, None, False, lookup)
    if per_sample_weights is not None:
        factors = per_sample_weights.reshape(-1)
        rows = rows * (factors if padding_idx is None else factors[kept]).unsqueeze(1)
    result = p.summed(rows, position, bags)
    if mode == "mean":
        with p.unrecorded():
            sizes = TABLE["bincount"](position, minlength=bags)[:bags].clamp(min=1).to(result.dtype)
        result = result / sizes.unsqueeze(1)
    if result.grad_fn_ is not None:
        result.grad_fn_.label = "EmbeddingBagBackward0"
    return result
