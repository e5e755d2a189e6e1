"""Losses over classes: cross entropy and its family."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor
from rushlight.operators.linalg.matmul import as_product, product, reshape, transposed
from rushlight.operators.nn.activation import log_sum_exp, softplus_of
from rushlight.operators.nn.loss import loss, over_weights, reduced, refuse_bools
from rushlight.operators.reductions.reduction import take_slice
from rushlight.operators.table.body import refuse_kinds, spread, tracer_of_size, wide, with_rule
from rushlight.operators.table.checks import check_argument, check_choice, check_dtype, check_same_dtype, same_shape
from rushlight.operators.table.tracer import P, Tracer, align, convert, dtype_of, filled, result_type
from rushlight.operators.table.types import Number
from rushlight.program.sym import hint, hints, prod


def pick(x: Any, index: Any, dim: int) -> Tracer:
    """x[..., index[...], ...]: the chosen element of each line along dim; IndexError at launch for an index outside.

    The value is gathered (which checks the index), the derivative is a selection by comparison, which fuses with what
    surrounds it where a scatter would not.
    """

    def body(v: Any, i: Any) -> Tracer:
        return take_slice(v, i, dim)

    def jvp(xs: Any, y: Any, ts: Any) -> Tracer:
        v, i = xs
        chosen = P.iota(shape=v.var.shape, dim=dim, dtype=dt.int64) == spread(i, v, (dim,))
        return P.reduce_sum(P.select(chosen, ts[0], 0), dims=(dim,))

    return with_rule(body, jvp, x, index, name="pick")


def _check_target(input: Tensor, target: Tensor, name: str) -> int:
    """The class dimension, after the checks on the target's dtype and sizes."""
    if target.dtype not in (dt.int64, dt.uint8):
        raise RuntimeError(f"{name}(): 'target' must hold class indices of dtype torch.int64; found {target.dtype}")
    check_argument(input.ndim != 0, f"{name}()", "input", "have at least 1 dimension", "a 0-d tensor", ValueError)
    dim = 0 if input.ndim == 1 else 1
    if target.ndim != input.ndim - 1:
        raise RuntimeError(
            f"{name}(): 'target' must be {input.ndim - 1}-d for a {input.ndim}-d input; found a {target.ndim}-d tensor"
        )
    rest = [s for d, s in enumerate(input.shape) if d != dim]
    if any(a != b for a, b in zip(rest, target.shape, strict=True)):
        if input.ndim > 1 and input.shape[0] != target.shape[0]:
            raise ValueError(
                f"{name}(): 'input' and 'target' must be of one batch size; found {hint(input.shape[0])} and "
                f"{hint(target.shape[0])}"
            )
        raise RuntimeError(
            f"{name}(): 'target' must have the shape {hints(rest)}, that of 'input' without the classes; "
            "found "
            f"{hints(target.shape)}"
        )
    return dim


def _class_weights(
    weight: Tensor | None, input: Tensor, dim: int, x: Tracer, name: str, *, mixed: bool = False
) -> Tracer | None:
    """The weights in the dtype of x; mixed: whatever their own is."""
    if weight is None:
        return None
    if weight.ndim != 1 or weight.shape[0] != input.shape[dim]:
        raise RuntimeError(
            f"{name}(): 'weight' must be a vector with an element for each of the {hint(input.shape[dim])} classes; "
            "found the shape "
            f"{hints(weight.shape)}"
        )
    if not mixed:
        check_same_dtype(name, "weight", weight, input)
    return convert(weight, x.dtype)


def _by_index(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    ignore_index: Any,
    reduction: str,
    smoothing: float,
    name: str,
    *,
    logits: bool,
) -> Tracer:
    if input.ndim == target.ndim == 1 and target.var.shape[0] == 1:
        target = P.reshape(target, shape=())  # one example may have a target of one element
    if dtype_of(ignore_index).kind in "fc":
        found = "float" if dtype_of(ignore_index).kind == "f" else "complex"
        raise TypeError(f"{name}(): argument 'ignore_index' must be int, not {found}")
    dim = _check_target(input, target, name)
    x = wide(input)
    w = _class_weights(weight, input, dim, x, name)
    t = convert(target, dt.int64)
    valid = t != filled(ignore_index, t)
    index = P.select(valid, t, 0)
    nll = -pick(x, index, dim)
    lse = log_sum_exp(x, (dim,)) if logits else None
    if lse is not None:
        nll = lse + nll
    zero = filled(0, nll)
    wt = P.select(valid, filled(1, nll) if w is None else P.gather(w, index, dims=(0,)), zero)
    # Selected rather than multiplied by 0: an ignored line may hold infinities.
    y = P.select(valid, nll if w is None else nll * wt, zero)
    if smoothing:
        assert lse is not None
        gaps = spread(lse, x, (dim,)) - x
        if w is not None:
            gaps = gaps * P.broadcast_in_dim(w, shape=x.var.shape, dims=(dim,))
        smooth = P.select(valid, P.reduce_sum(gaps, dims=(dim,)), zero)
        per_class = smoothing / filled(x.var.shape[dim], smooth)
        y = y * (1 - smoothing) + smooth * per_class
    return over_weights(y, wt, reduction, input.dtype)


def _by_probability(input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, smoothing: float) -> Tracer:
    name = "cross_entropy"
    if target.dtype.kind != "f":
        raise RuntimeError(
            f"{name}(): 'target' must be of a floating point dtype where it holds probabilities; found {target.dtype}"
        )
    check_argument(input.ndim != 0, f"{name}()", "input", "have at least 1 dimension", "a 0-d tensor", ValueError)
    dim = 0 if input.ndim == 1 else 1
    d = result_type(input, target) if weight is None else result_type(input, target, weight)
    x = convert(input, d.compute)
    t = convert(target, x.dtype)
    w = _class_weights(weight, input, dim, x, name, mixed=True)
    n = x.var.shape[dim]
    if smoothing:
        t = t * (1 - smoothing) + smoothing / filled(n, t)
    gaps = (spread(log_sum_exp(x, (dim,)), x, (dim,)) - x) * t
    if w is not None:
        gaps = gaps * P.broadcast_in_dim(w, shape=x.var.shape, dims=(dim,))
    return reduced(P.reduce_sum(gaps, dims=(dim,)), reduction, d)


@loss(flags="ignore_index")
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: Number = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """-log softmax(input)[target].

    Args:
        input: logits, (C), (N, C) or (N, C, d1, ...).
        target: class indices (int64) of the input's shape without C, or class probabilities of the input's shape.
        weight: a factor for each class.
        ignore_index: a class index, an integer, that counts nothing.
        label_smoothing: in [0, 1], how much of the target is spread evenly over the classes.

    Raises:
        IndexError: for a class index outside of [0, C).
        ValueError, RuntimeError: for sizes that do not fit.
    """
    return _cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)


def _cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: Any, mode: str, label_smoothing: float
) -> Tracer:
    refuse_kinds(input, "biuc", "cross_entropy")
    check_argument(0.0 <= label_smoothing <= 1.0, "cross_entropy()", "label_smoothing", "be in [0, 1]", label_smoothing)
    if target.dtype.kind == "f" and same_shape(input, target):
        return _by_probability(input, target, weight, mode, label_smoothing)
    return _by_index(input, target, weight, ignore_index, mode, label_smoothing, "cross_entropy", logits=True)


@loss(flags=None)
def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: Number | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """cross_entropy of the logits input @ linear_weight^T + linear_bias.

    Args:
        input: (*, in_features).
        linear_weight: (C, *, in_features).
        linear_bias: (C, *), of the input's dtype.
        weight: (C), of the input's dtype: what each class counts; None: each 1.
        options: a way to save memory, without effect here. The others are those of cross_entropy.
    """
    if ignore_index is not None and target.dtype.kind == "f":
        raise RuntimeError("linear_cross_entropy(): 'ignore_index' is for classes; found a target of probabilities")
    if linear_weight.ndim > 2 and input.ndim < 2:
        raise RuntimeError(
            "linear_cross_entropy(): 'input' must have a batch, (N, in_features), for a weight of the shape "
            f"{hints(linear_weight.shape)}; found the shape {hints(input.shape)}"
        )
    *out, k = linear_weight.var.shape
    logits: Tensor = product(input, transposed(reshape(linear_weight, prod(out), k)), "linear_cross_entropy")
    logits = reshape(logits, *input.var.shape[:-1], *out)
    if linear_bias is not None:
        bias = as_product("linear_cross_entropy", "linear_bias", linear_bias, logits)
        logits = convert(wide(logits) + bias, logits.dtype)
    return _cross_entropy(
        logits, target, weight, -100 if ignore_index is None else ignore_index, reduction, label_smoothing
    )


@loss(flags="ignore_index")
def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, ignore_index: Number = -100, reduction: str = "mean"
) -> Tensor:
    """-input[target]: the negative log likelihood, given log probabilities.

    Arguments as cross_entropy, but input holds log probabilities and target class indices.

    """
    refuse_kinds(input, "biuc", "nll_loss")
    return _by_index(input, target, weight, ignore_index, reduction, 0.0, "nll_loss", logits=False)


@loss()
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The sum over the classes i != target of max(0, margin - input[target] + input[i])^p / C, reduced; p: 1 or 2."""
    check_choice("multi_margin_loss", "p", p, (1, 2), ValueError)
    if weight is not None and weight.ndim != 1:
        raise ValueError(f"multi_margin_loss(): 'weight' must be a vector; found a {weight.ndim}-d tensor")
    refuse_kinds(input, "biuc", "multi_margin_loss")
    check_dtype("multi_margin_loss", "target", target, dt.int64)
    if input.ndim == 0:
        input = reshape(input, 1)
    if input.ndim not in (1, 2):
        raise RuntimeError(
            f"multi_margin_loss(): 'input' must be (C) or (N, C) with classes; found the shape {hints(input.shape)}"
        )
    x, single = wide(input), input.ndim == 1
    t = target
    if single:
        x, t = reshape(x, 1, x.var.shape[0]), reshape(t, 1)
    n, c = x.var.shape
    if t.ndim != 1 or t.shape[0] != n:
        raise RuntimeError(
            f"multi_margin_loss(): 'target' must hold one class per row, {hint(n)}; found the shape "
            f"{hints(target.shape)}"
        )
    w = _class_weights(weight, input, 0 if single else 1, x, "multi_margin_loss")
    t = convert(t, dt.int64)
    z = x - spread(pick(x, t, 1), x, (1,)) + margin
    # At the target itself the margin would be counted.
    own = P.iota(shape=x.var.shape, dim=1, dtype=dt.int64) == spread(t, x, (1,))
    positive = z > 0
    z = P.select(own | P.not_(positive), 0, z)
    if p == 2:
        z = z * z
    y = P.reduce_sum(z, dims=(1,))
    y = y / (convert(tracer_of_size(c), y.dtype) if y.ndim == 0 else filled(c, y))
    if w is not None:
        y = y * P.gather(w, t, dims=(0,))
    # One row has its target's shape: () or (1).
    return reduced(reshape(y, *target.shape) if single else y, reduction, input.dtype)


@loss()
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The sum over targets j and other classes i of max(0, 1 - (input[j] - input[i])) / C, reduced.

    Args:
        input: (C) or (N, C).
        target: class indices of the same shape; those before the first -1 count.
    """
    refuse_kinds(input, "biuc", "multilabel_margin_loss")
    check_dtype("multilabel_margin_loss", "target", target, dt.int64)
    if input.ndim == 0:
        input, target = reshape(input, 1), reshape(target, *(target.var.shape or (1,)))
    if input.ndim not in (1, 2) or not same_shape(input, target):
        raise RuntimeError(
            f"multilabel_margin_loss(): 'target' must have the shape of 'input', {hints(input.shape)}; "
            "found "
            f"{hints(target.shape)}"
        )
    x, t, single = wide(input), convert(target, dt.int64), input.ndim == 1
    if single:
        x, t = reshape(x, 1, x.var.shape[0]), reshape(t, 1, t.var.shape[0])
    n, c = x.var.shape
    # another negative number is no index
    ended = P.cumsum(convert(t == -1, dt.int64), dim=1, reverse=False)
    valid = ended == 0
    index = P.select(valid, t, 0)
    cube = (n, c, c)  # line, target position, class
    at = P.iota(shape=(n, c), dim=0, dtype=dt.int64)
    chosen = P.gather(x, at, index, dims=(0, 1))
    classes = P.iota(shape=cube, dim=2, dtype=dt.int64)
    hit = (classes == P.broadcast_in_dim(index, shape=cube, dims=(0, 1))) & P.broadcast_in_dim(
        valid, shape=cube, dims=(0, 1)
    )
    is_target = P.reduce_or(hit, dims=(1,))
    z = P.broadcast_in_dim(x, shape=cube, dims=(0, 2)) - P.broadcast_in_dim(chosen, shape=cube, dims=(0, 1))
    z = z + 1
    counts = P.broadcast_in_dim(valid, shape=cube, dims=(0, 1)) & P.not_(
        P.broadcast_in_dim(is_target, shape=cube, dims=(0, 2))
    )
    z = P.select(counts & (z > 0), z, 0)
    y = P.reduce_sum(z, dims=(1, 2))
    y = y / filled(c, y)
    return reduced(reshape(y) if single else y, reduction, input.dtype)


@loss()
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """The sum over the classes of -(target log(sigmoid(input)) + (1 - target) log(sigmoid(-input))) * weight, divided
    by their number, reduced; the classes are the input's last dimension.
    """
    refuse_kinds(input, "biuc", "multilabel_soft_margin_loss")
    refuse_bools("multilabel_soft_margin_loss", target)
    if not input.ndim:
        raise IndexError("multilabel_soft_margin_loss(): 'input' must have a dimension of classes; found none")
    a, b = align(input, target)
    x, t = wide(a), wide(b)
    y = t * softplus_of(-x) + (1 - t) * softplus_of(x)
    d = a.dtype
    if weight is not None:
        d = result_type(a, weight)
        y, w = align(y, weight, dtype=d.compute)
        y = y * w
    y = P.reduce_sum(y, dims=(input.ndim - 1,))
    return reduced(y / filled(input.var.shape[-1], y), reduction, d)
