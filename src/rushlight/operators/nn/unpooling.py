"""The inverse of max pooling."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.linalg.matmul import reshape
from rushlight.operators.nn.convolution import per_dim
from rushlight.operators.table.body import refuse_kinds
from rushlight.operators.table.checks import check_dtype, check_same_shape, check_spatial
from rushlight.operators.table.define import operator
from rushlight.operators.table.tracer import P, Tracer, convert
from rushlight.operators.table.types import Sizes
from rushlight.program.sym import Int, hints, prod

_STEP = {"stride": "kernel_size"}


def _max_unpool(
    input: Tensor, indices: Tensor, kernel_size: Any, stride: Any, padding: Any, output_size: Any, n: int
) -> Tracer:
    name = f"max_unpool{n}d"
    k = per_dim(kernel_size, n, name, "kernel_size")
    s = k if stride is None else per_dim(stride, n, name, "stride")
    p = per_dim(padding, n, name, "padding")
    check_spatial(name, input, n)
    refuse_kinds(input, "biuc", name)
    check_dtype(name, "indices", indices, dt.int64)
    check_same_shape(name, "indices", indices, input)
    first = input.ndim - n
    default = [(m - 1) * b + a - 2 * c for m, a, b, c in zip(input.var.shape[first:], k, s, p, strict=True)]
    if output_size is None:
        sizes: list[Int] = default
    else:
        given = list(output_size)
        if len(given) == n + 2 or (len(given) == input.ndim and len(given) != n):
            given = given[-n:]
        if len(given) != n:
            raise ValueError(
                f"{name}(): 'output_size' must hold {n} sizes, or {n + 2} with batch and channels; found {len(given)}"
            )
        for v, m, b in zip(given, default, s, strict=True):
            if not m - b < v < m + b:
                raise ValueError(
                    f"{name}(): 'output_size' must be less than a stride away from {hints(default)}; found "
                    f"{hints(given)}"
                )
        sizes = given
    if any(v < 0 for v in sizes):
        raise ValueError(
            f"{name}(): the output's sizes, (size - 1) * stride + kernel_size - 2 * padding, must be at least 0; "
            f"found {hints(sizes)}"
        )
    lead = input.var.shape[:first]
    flat = P.broadcast_in_dim(convert(0, input.dtype), shape=(*lead, prod(sizes)), dims=())
    at = [P.iota(shape=input.var.shape, dim=d, dtype=dt.int64) for d in range(first)]
    y = P.scatter(flat, *at, indices, input, dims=tuple(range(first + 1)), mode="set")
    return reshape(y, *lead, *sizes)


def _make(n: int) -> None:
    def max_unpool(
        input: Tensor,
        indices: Tensor,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        output_size: Sizes = None,
    ) -> Tensor:
        """The maxima put back at their indices, zeros elsewhere."""
        return _max_unpool(input, indices, kernel_size, stride, padding, output_size, n)

    operator(
        name=f"max_unpool{n}d",
        namespace="nn.functional",
        method=False,
        out=False,
        like=_STEP,
        memory_format="first" if n == 2 else "",
    )(max_unpool)


for _n in (1, 2, 3):
    _make(_n)
