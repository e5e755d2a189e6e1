"""Functions of the package that return more than their namesakes in nn.functional, and derivatives by their names."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.random.samplers import random_mask
from rushlight.operators.table.checks import check_argument
from rushlight.operators.table.define import METHODS, TABLE, function, operator
from rushlight.operators.table.tracer import convert

_F = "nn.functional."


@function
def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: Any = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """nn.functional.embedding_bag with the table first and its mode as a number (0 sum, 1 mean, 2 max).

    Returns:
        (the bags, the bag of each index, the size of each bag, for maxima the chosen index of each element, else the
        sizes again).
    """
    check_argument(mode in (0, 1, 2), "embedding_bag()", "mode", "be 0 (sum), 1 (mean) or 2 (max)", mode, ValueError)
    result = TABLE[_F + "embedding_bag"](
        indices,
        weight,
        offsets,
        mode=("sum", "mean", "max")[mode],
        scale_grad_by_freq=scale_grad_by_freq,
        per_sample_weights=per_sample_weights,
        include_last_offset=include_last_offset,
        padding_idx=padding_idx,
    )
    starts = offsets[:-1] if include_last_offset else offsets
    bag = (
        TABLE["searchsorted"](
            METHODS["contiguous"](starts), TABLE["arange"](indices.numel(), dtype=starts.dtype), right=True
        )
        - 1
    )
    counted = TABLE["ones_like"](bag) if padding_idx is None else METHODS["to"](indices != padding_idx, bag.dtype)
    sizes = METHODS["index_add"](TABLE["zeros"](starts.numel(), dtype=bag.dtype), 0, bag, counted)
    if mode == 2:
        return result, bag, sizes, _largest_of_bags(METHODS["detach"](weight), indices, bag, counted, starts.numel())
    return result, bag, sizes, sizes


def _largest_of_bags(weight: Tensor, indices: Tensor, bag: Tensor, counted: Tensor, n: int) -> Tensor:
    """For each bag and column the index of the largest row, the first one of equals; -1 for an empty bag."""
    found = TABLE["full"]((n, weight.shape[1]), -1, dtype=indices.dtype)
    best = TABLE["full"]((n, weight.shape[1]), float("-inf"), dtype=weight.dtype)
    for i, (b, there) in enumerate(zip(bag.tolist(), counted.tolist(), strict=True)):
        if there:
            row = weight[indices[i]]
            better = (row > best[b]) | (found[b] < 0)
            found[b], best[b] = TABLE["where"](better, indices[i], found[b]), TABLE["where"](better, row, best[b])
    return found


@function
def native_layer_norm(
    input: Tensor, normalized_shape: Any, weight: Any, bias: Any, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """nn.functional.layer_norm with the mean and the reciprocal deviation of each line: (result, mean, rstd), the
    latter two of size 1 in the last dimensions.
    """
    shape = list(normalized_shape)
    result = TABLE[_F + "layer_norm"](input, shape, weight, bias, eps)
    dims = list(range(input.ndim - len(shape), input.ndim))
    var, mean = TABLE["var_mean"](input, dims, correction=0, keepdim=True)
    return result, mean, TABLE["rsqrt"](var + eps)


@function
def native_group_norm(
    input: Tensor, weight: Any, bias: Any, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """nn.functional.group_norm of (N, C, *) with HxW elements per channel: (result, mean, rstd), the latter two (N,
    group).
    """
    if input.numel() != N * C * HxW:
        raise RuntimeError(
            f"native_group_norm(): 'input' must have N * C * HxW = {N * C * HxW} elements; found {input.numel()}"
        )
    result = TABLE[_F + "group_norm"](input, group, weight, bias, eps)
    var, mean = TABLE["var_mean"](METHODS["reshape"](input, (N, group, -1)), [-1], correction=0)
    return result, mean, TABLE["rsqrt"](var + eps)


@function
def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """nn.functional.batch_norm with the parameters first: (result, mean, rstd) of the batch; the latter two empty where
    the running ones served.
    """
    result = TABLE["batch_norm"](input, weight, bias, running_mean, running_var, training, momentum, eps, False)
    if not training:
        empty = TABLE["zeros"](0, dtype=input.dtype)
        return result, empty, empty
    var, mean = TABLE["var_mean"](input, [0, *range(2, input.ndim)], correction=0)
    return result, mean, TABLE["rsqrt"](var + eps)


@function
def native_dropout(input: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """(The input with elements dropped with probability p and the rest scaled, which were kept); without `train` all
    are kept.
    """
    if train is False:
        return input, TABLE["ones_like"](input, dtype=dt.bool_)
    check_argument(0 <= p <= 1, "native_dropout()", "p", "be in [0, 1]", p)
    if p == 1:
        return input * 0, TABLE["zeros_like"](input, dtype=dt.bool_)
    kept = random_mask("native_dropout", input, 1 - p)
    return input * kept / (1 - p), kept


@operator(method=False, memory_format="rows")
def _softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: dt.dtype) -> Tensor:
    """The gradient of softmax from its result: output * (grad_output - sum(output * grad_output, dim)), in
    input_dtype.
    """
    product = output * grad_output
    return convert(product - output * product.sum(dim, keepdim=True), input_dtype)


@operator(method=False, memory_format="rows")
def _log_softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: dt.dtype) -> Tensor:
    """The gradient of log_softmax from its result: grad_output - exp(output) * sum(grad_output, dim), in
    input_dtype.
    """
    return convert(grad_output - output.exp() * grad_output.sum(dim, keepdim=True), input_dtype)
