"""Routines of plans that make attention and its gradients, in blocks (`core/native/attention.c`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rushlight.compiler.products import kernels
from rushlight.compiler.routines import products
from rushlight.core import _native
from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor


def attention(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """The result, and log-sum-exp of the scores."""
    q, k, v, scale, *mask = inputs
    out, lse = outputs
    _run(False, q, k, v, scale, mask[0] if mask else None, (out, lse), params)


def attention_grad(inputs: Sequence[Tensor], outputs: Sequence[Tensor], params: dict[str, Any]) -> None:
    """The gradients of query, key and value."""
    q, k, v, scale, grad, lse, delta, *mask = inputs
    _run(True, q, k, v, scale, mask[0] if mask else None, (grad, lse, delta, *outputs), params)


def _run(
    backward: bool,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    scale: Tensor,
    mask: Tensor | None,
    others: Sequence[Tensor],
    params: dict[str, Any],
) -> None:
    number = products.number_of(q.dtype)
    if not _native.product_ready(number):
        products.open_products(number)
    *sizes, m, e = q.shape
    addresses = kernels.rows_of_attention(q.dtype.name, None if mask is None else mask.dtype.name, backward)
    operands = [None if x is None else _place(x) for x in (q, k, v, mask, *others)]
    item = 0 if mask is None else mask.itemsize
    shape = m, k.shape[-2], e, v.shape[-1]
    _native.attention(
        backward, number, params["causal"], item, tuple(sizes), shape, scale.data_ptr(), tuple(operands), *addresses
    )


def _place(x: Tensor) -> tuple[int, tuple[int, ...]]:
    item = x.itemsize
    return x.data_ptr(), tuple([s * item for s in x.stride()])


def serves(d: dt.dtype) -> bool:
    """Whether there are kernels of our own for a dtype, on this processor."""
    return d in (dt.float32, dt.float64, dt.bfloat16, dt.float16) and kernels.road() != "blas"
