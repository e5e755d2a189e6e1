"""Losses of elementwise kind and of pairs and triples of vectors. Losses over classes are in `classification`."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.core.warning import noted, warn
from rushlight.operators.elementwise.comparison import clamp_min
from rushlight.operators.elementwise.math import times_logarithm
from rushlight.operators.linalg.matmul import reshape
from rushlight.operators.linalg.norms import vector_norm
from rushlight.operators.nn.activation import softplus_of
from rushlight.operators.table.arguments import int_argument
from rushlight.operators.table.body import floating, has_values, refuse_kinds, tracer_of_size, wide, with_rule
from rushlight.operators.table.checks import (
    check_argument,
    check_choice,
    check_least,
    check_positive,
    check_same_shape,
    same_shape,
)
from rushlight.operators.table.define import METHODS, TABLE, R, eager, form, operator, parameters
from rushlight.operators.table.definition import Shape
from rushlight.operators.table.tracer import P, Tracer, align, convert, expand_to, filled, result_type
from rushlight.program.sym import hints, prod

Reduction = str


def loss(
    *, plain: Shape | None = None, flags: str | None = "reduction", more: tuple[str, ...] = (), checked: bool = False
) -> Callable[[Callable[..., R]], Operator[R]]:
    """An operator of nn.functional that is no method; its body is given a reduction that is one.

    plain: the parameters of its namesake in the package. flags: it takes the two deprecated flags, the first before
    this parameter, the second before `reduction`. more: reductions besides the usual three. checked: it looks at
    values, and so runs at every call.
    """

    def make(f: Callable[..., R]) -> Operator[R]:
        before: dict[str, dict[str, tuple[str, Any]]] = {}
        if flags is not None:
            before[flags] = {"size_average": ("bool | None", None)}
            before["reduction"] = before.get("reduction", {}) | {"reduce": ("bool | None", None)}
        names = [p.name for p in parameters(f, before=before)]

        @functools.wraps(f)
        def body(*args: Any, **kwargs: Any) -> R:
            values = dict(zip(names, args)) | kwargs
            old = values.pop("size_average", None), values.pop("reduce", None)
            reduction = mode_of(*old, values.pop("reduction"), f.__name__, more)
            return f(**values, reduction=reduction)

        row: dict[str, Any] = {"namespace": "nn.functional", "method": False, "before": before}
        row |= {"shape_class": "reduction", "forms": {} if plain is None else {f.__name__: plain}}
        return eager(**row)(body) if checked else operator(out=False, **row)(body)

    return make


def _said_by_number(name: str, reduction: int) -> str:
    reduction = int_argument(reduction, name, "reduction")
    if reduction not in (0, 1, 2):
        raise ValueError(f"{name}(): 'reduction' must be 0 (none), 1 (mean) or 2 (sum); found {reduction}")
    return ("none", "mean", "sum")[reduction]


def numbered(*required: str, **defaults: Any) -> Shape:
    """The form of a loss in the package, whose reduction is a number: 0 by default, as PyTorch's functions have it."""
    return form(*required, convert={"reduction": _said_by_number}, **defaults)


def mode_of(
    size_average: bool | None, reduce: bool | None, reduction: Reduction, name: str, more: tuple[str, ...] = ()
) -> str:
    """The reduction that a loss is asked for, the two deprecated flags included."""
    if size_average is not None or reduce is not None:
        reduction = "none" if reduce is False else "mean" if size_average in (None, True) else "sum"
        warn(f"'size_average' and 'reduce' are PyTorch's old flags; write reduction='{reduction}' for them")
    check_choice(name, "reduction", reduction, ("none", "mean", "sum", *more), ValueError)
    return reduction


def refuse_bools(name: str, *given: Tensor) -> None:
    """RuntimeError for bools, which cannot be subtracted."""
    if any(x.dtype.kind == "b" for x in given):
        raise RuntimeError(f"{name}(): the tensors must hold numbers; found bools, which are not subtracted")


def reduced(x: Any, reduction: str, dtype: dt.dtype) -> Tracer:
    """The mean, the sum or all of the losses, in `dtype`; a sum of integers is int64."""
    if reduction == "none":
        return convert(x, dtype)
    if dtype.kind in "iu":
        if reduction == "mean":
            raise RuntimeError(
                f"a mean is no integer; 'input' and 'target' must be of a float or complex dtype; found {dtype}"
            )
        return P.reduce_sum(convert(x, dt.int64), dims=tuple(range(x.ndim)))
    total = P.reduce_sum(x, dims=tuple(range(x.ndim)))
    if reduction == "mean":
        total = total / convert(tracer_of_size(prod(x.var.shape)), total.dtype)
    return convert(total, dtype)


def paired(
    input: Tensor, target: Tensor, name: str, *, strict: bool = False, kinds: str = "f"
) -> tuple[Tracer, Tracer, dt.dtype]:
    """Input and target broadcast to one shape, in the dtype to compute in, and the dtype of the result."""
    if strict:
        check_same_shape(name, "target", target, input, ValueError)
    elif not same_shape(input, target):
        warn(
            f"{name}(): 'target' and 'input' are of different shapes, {hints(target.shape)} and {hints(input.shape)}: "
            "broadcasting pairs elements that seldom belong together"
        )
    # (They get one shape before one dtype, so that a 0-d tensor counts for the dtype as much as the other.)
    a, b = align(input, target, dtype=dt.promote_types(input.dtype, target.dtype))
    if a.dtype.kind not in kinds:
        refuse_kinds(a, a.dtype.kind, name)
    return wide(a), wide(b), a.dtype


def weighted(x: Any, weight: Tensor | None, reduction: str, d: dt.dtype, name: str) -> Tracer:
    """Losses times a weight for each; their mean is over the weights."""
    if weight is None:
        return reduced(x, reduction, d)
    check_same_shape(name, "weight", weight, x, ValueError, "the losses")
    w = convert(weight, x.dtype)
    return over_weights(x * w, w, reduction, d)


def over_weights(losses: Tracer, weights: Tracer, reduction: str, d: dt.dtype) -> Tracer:
    """Losses, weights applied, reduced; the mean is over the weights."""
    if reduction != "mean":
        return reduced(losses, reduction, d)
    dims = tuple(range(losses.ndim))
    return convert(P.reduce_sum(losses, dims=dims) / P.reduce_sum(weights, dims=dims), d)


# ---------------------------------------------------------------------------------------------------------- regression
@loss()
def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:
    """(input - target)^2, reduced; weight: one for each element, the mean then is over the weights."""
    x, t, d = paired(input, target, "mse_loss")
    diff = x - t
    return weighted(diff * diff, weight, reduction, d, "mse_loss")


@loss()
def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean", weight: Tensor | None = None) -> Tensor:
    """|input - target|, reduced; weight: one for each element, the mean then is over the weights."""
    refuse_bools("l1_loss", input, target)
    x, t, d = paired(input, target, "l1_loss", kinds="fciu")
    y = P.abs(P.kept(x - t))
    return weighted(y, weight, reduction, d.to_real(), "l1_loss")


@loss()
def smooth_l1_loss(input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """d^2 / (2 beta) where d = |input - target| < beta, d - beta / 2 elsewhere, reduced."""
    check_least("smooth_l1_loss", "beta", beta, 0)
    if not beta:  # the loss of moduli, of integers too
        refuse_bools("smooth_l1_loss", input, target)
    x, t, d = paired(input, target, "smooth_l1_loss", kinds="f" if beta else "fciu")
    if not beta:
        return reduced(P.abs(P.kept(x - t)), reduction, d.to_real())
    distance = x - t
    a = P.abs(distance)
    y = P.select(a < beta, _square_near(distance, a < beta) * (0.5 / beta), a - 0.5 * beta)
    return reduced(y, reduction, d)


def _square_near(distance: Tracer, near: Tracer) -> Tracer:
    """The square of a distance that is near, 0 for others: infinity times a slope of 0 would be NaN.

    (The square of the modulus has the same value, and no second derivative at 0.)
    """
    inside = P.select(near, distance, 0)
    return inside * inside


@loss(flags=None)
def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """d^2 / 2 where d = |input - target| < delta, delta (d - delta / 2) elsewhere, reduced."""
    check_positive("huber_loss", "delta", delta)
    refuse_kinds(input, "biu", "huber_loss")
    x, t, _ = paired(input, target, "huber_loss")
    distance = x - t
    a = P.abs(distance)
    y = P.select(a < delta, _square_near(distance, a < delta) * 0.5, delta * (a - 0.5 * delta))
    return weighted(y, weight, reduction, input.dtype, "huber_loss")


@loss(flags="eps", plain=numbered("input", "target", "log_input", "full", "eps", "reduction"))
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:
    """exp(input) - target * input (log_input), or input - target * log(input + eps); full: plus Stirling's term for
    target > 1.
    """
    refuse_bools("poisson_nll_loss", target)
    a, b = map(floating, align(input, target))
    x, t = wide(a), wide(b)
    refuse_kinds(a, "c", "poisson_nll_loss")
    y = P.exp(x) - t * x if log_input else x - t * P.log(x + eps)
    if full:
        big = t > 1
        s = P.select(big, t, 1)
        stirling = s * P.log(s) - s + 0.5 * P.log(2 * math.pi * s)
        y = y + P.select(big, stirling, 0)
    return reduced(y, reduction, a.dtype)


@eager(namespace="nn.functional", method=False, shape_class="reduction")
def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """0.5 * (log(max(var, eps)) + (input - target)^2 / max(var, eps)), reduced; full: plus 0.5 * log(2 pi).

    Raises:
        ValueError: for a negative variance or one of a shape that does not fit.
    """
    known = not isinstance(var, Tensor) or has_values(var)
    if known and (bool(METHODS["any"](METHODS["detach"](var) < 0)) if isinstance(var, Tensor) else var < 0):
        raise ValueError("gaussian_nll_loss(): 'var' must be at least 0 everywhere; found a negative entry")
    if not isinstance(var, Tensor):
        var = TABLE["full"]((), float(var), dtype=input.dtype)
    elif not var.ndim and input.ndim > 1:
        raise ValueError(f"gaussian_nll_loss(): 'var' must have a shape that fits {hints(input.shape)}; found ()")
    mode = mode_of(None, None, reduction, "gaussian_nll_loss")
    return _gaussian_nll_loss(input, target, var, full, eps, mode)


@operator(namespace=None, method=False, out=False, shape_class="reduction")
def _gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor, full: bool, eps: float, reduction: str) -> Tensor:
    """gaussian_nll_loss with a checked variance tensor."""
    v = var
    if not same_shape(v, input):
        if v.ndim == input.ndim - 1 and all(a == b for a, b in zip(v.shape, input.shape[:-1], strict=True)):
            v = reshape(v, *v.var.shape, 1)
        elif v.ndim != 0 and (
            v.ndim != input.ndim or [b for a, b in zip(input.shape, v.shape, strict=True) if a != b] != [1]
        ):
            raise ValueError(
                "gaussian_nll_loss(): 'var' must have the shape of 'input', with size 1 in one dimension or without "
                f"the last one, or be a number; found {hints(v.shape)} for an input of {hints(input.shape)}"
            )
    a, b, c = align(input, target, v)
    refuse_kinds(a, "biuc", "gaussian_nll_loss")
    x, t, w = wide(a), wide(b), wide(c)
    # The variance is bounded from below in its value, not in its derivative.
    low = w < eps
    w = P.kept(w + P.stop_gradient(P.select(low, eps - w, 0)))
    diff = P.kept(x - t)
    y = 0.5 * (P.log(w) + diff * diff / w)
    if full:
        y = y + 0.5 * math.log(2 * math.pi)
    return reduced(y, reduction, a.dtype)


@loss(more=("batchmean",))
def kl_div(input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """target * (log(target) - input), reduced ("batchmean": the sum over the first size); log_target: target is
    log(target).
    """
    if reduction == "mean":
        warn(
            "kl_div(): reduction='mean' divides by all elements; the divergence of the definition is "
            "reduction='batchmean', which divides by the "
            "batch size"
        )
    refuse_kinds(input, "biuc", "kl_div")
    refuse_kinds(target, "biuc", "kl_div")
    a, b = align(input, target)
    x, t = wide(a), wide(b)
    if log_target:
        y = P.exp(t) * (t - x)
    else:
        y = times_logarithm(t, t, 0.0, "kl_div") - t * x
    if reduction != "batchmean":
        return reduced(y, reduction, a.dtype)
    total = reduced(y, "sum", y.dtype)
    return convert(
        total if input.ndim == 0 else total / convert(tracer_of_size(input.var.shape[0]), total.dtype), a.dtype
    )


@eager(name="kl_div", method=False, checked=True)
def _kl_div(input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False) -> Tensor:
    """nn.functional.kl_div with its reduction as a number, and without its warning."""
    said = _said_by_number("kl_div", reduction)
    with noted():
        return kl_div(input, target, reduction=said, log_target=log_target)


# ------------------------------------------------------------------------------------------------------ cross entropies
@operator(namespace=None, method=False, out=False, shape_class="reduction")
def _all_probabilities(input: Tensor) -> Tensor:
    """Whether every element is in [0, 1], which NaN is not."""
    x = wide(input)
    return P.reduce_and((x >= 0) & (x <= 1), dims=tuple(range(x.ndim)))


@loss(checked=True)
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Any = None, reduction: str = "mean") -> Tensor:
    """-(target log(input) + (1 - target) log(1 - input)) * weight, reduced; logarithms are at least -100.

    Raises:
        RuntimeError: for elements of input or target outside [0, 1].
    """
    y: Tensor = _binary_cross_entropy(input, target, weight, reduction)
    for name, x in (("input", input), ("target", target)):
        if has_values(x) and not _all_probabilities(METHODS["detach"](x)).item():
            raise RuntimeError(
                f"binary_cross_entropy(): all elements of {name} should be between 0 and 1; found others"
            )
    return y


@operator(namespace=None, method=False, out=False, shape_class="reduction")
def _binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None, mode: str) -> Tensor:
    """binary_cross_entropy of probabilities."""
    refuse_kinds(input, "biuc", "binary_cross_entropy")
    if input.dtype is not target.dtype:
        raise RuntimeError(
            f"binary_cross_entropy(): 'target' must be of the dtype of 'input', {input.dtype}; found {target.dtype}"
        )
    x, t, d = paired(input, target, "binary_cross_entropy", strict=True)

    def logs(v: Any) -> tuple[Tracer, Tracer]:
        low = filled(-100, v)
        return P.max(P.log(v), low), P.max(P.log1p(-v), low)

    def body(v: Tracer, u: Tracer) -> Tracer:
        a, b = logs(v)
        return (u - 1) * b - u * a

    def jvp(xs: Any, y: Any, ts: Any) -> Tracer:
        v, u = xs
        parts: list[Tracer] = []
        if ts[0] is not None:
            scale = P.max(v * (1 - v), 1e-12)
            parts.append(ts[0] * ((v - u) / scale))
        if ts[1] is not None:
            a, b = logs(v)
            parts.append(ts[1] * (b - a))
        return functools.reduce(Tracer.__add__, parts)

    y = with_rule(body, jvp, x, t, name="binary_cross_entropy")
    if weight is not None:
        y = y * expand_to(convert(weight, y.dtype), y.var.shape)
    return reduced(y, mode, d)


@loss(plain=numbered("input", "target", weight=None, pos_weight=None, reduction=0))
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """binary_cross_entropy(sigmoid(input), target), accurate.

    Args:
        input, target: of one shape; the result has the dtype of the target.
        weight: broadcasts to it.
        pos_weight: factor on the positive term, broadcasts.
    """
    refuse_kinds(input, "biu", "binary_cross_entropy_with_logits")
    if target.dtype.kind in "biu":
        raise RuntimeError(
            "binary_cross_entropy_with_logits(): 'target' must be of a floating point dtype, as probabilities are; "
            "found "
            f"{target.dtype}"
        )
    check_same_shape("binary_cross_entropy_with_logits", "target", target, input, ValueError)
    a, b = align(input, target)
    refuse_kinds(a, "biuc", "binary_cross_entropy_with_logits")
    x, t = wide(a), wide(b)
    s = softplus_of(-x)
    if pos_weight is not None:
        p = expand_to(convert(pos_weight, x.dtype), x.var.shape)
        s = s * ((p - 1) * t + 1)
    y = (1 - t) * x + s
    if weight is not None:
        y = y * expand_to(convert(weight, y.dtype), y.var.shape)
    return reduced(y, reduction, target.dtype)


# -------------------------------------------------------------------------------------------------------------- margins
@loss(plain=numbered("input", "target", margin=1.0, reduction=0))
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: str = "mean") -> Tensor:
    """input where target is 1, max(0, margin - input) where it is -1, reduced."""
    refuse_bools("hinge_embedding_loss", input)
    refuse_kinds(input, "c", "hinge_embedding_loss")
    if input.dtype.kind in "iu":
        most = 1 << (8 * input.dtype.itemsize - (input.dtype.kind == "i"))
        if not -most <= margin < most:
            raise RuntimeError(
                f"hinge_embedding_loss(): 'margin' must be a number of the dtype {input.dtype}; found {margin}"
            )
    t = wide(align(input, target)[1])
    x = expand_to(wide(input), t.var.shape)  # its dtype alone counts: the target only chooses
    zero = filled(0, x)
    far = P.select(t != 1, clamp_min(filled(margin, x) - x, 0), zero)  # of integers: in their dtype
    return reduced(far + P.select(t != -1, x, zero), reduction, input.dtype)


@loss(plain=numbered("input1", "input2", "target", margin=0, reduction=0))
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, reduction: str = "mean"
) -> Tensor:
    """max(0, -target (input1 - input2) + margin), reduced. The product of integers is one of their dtype, which
    wraps.
    """
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(
            f"margin_ranking_loss(): 'input1', 'input2' and 'target' must be of one rank; found {input1.ndim}, "
            f"{input2.ndim} and {target.ndim} "
            "dimensions"
        )
    refuse_bools("margin_ranking_loss", input1, input2)
    for given in (input1, input2, target):
        refuse_kinds(given, "c", "margin_ranking_loss")
    sign = -wide(target)
    a, b = align(input1, input2)
    sign, difference = align(sign, wide(a) - wide(b))
    x = floating(sign * difference)
    d = result_type(input1, input2, target)
    return reduced(clamp_min(x + margin, 0), reduction, d if d.kind in "fc" else x.dtype)


@loss()
def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """log(1 + exp(-target * input)), reduced."""
    refuse_kinds(input, "biuc", "soft_margin_loss")
    a, b = align(input, target)
    refuse_kinds(a, "c", "soft_margin_loss")
    if not same_shape(a, input):
        raise RuntimeError(
            f"soft_margin_loss(): 'target' must broadcast to the shape of 'input', {hints(input.shape)}; "
            "found "
            f"{hints(target.shape)}"
        )
    return reduced(softplus_of(-wide(b) * wide(a)), reduction, input.dtype)


@loss(plain=numbered("input1", "input2", "target", margin=0, reduction=0))
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, reduction: str = "mean"
) -> Tensor:
    """1 - cos(input1, input2) where target is 1, max(0, cos - margin) where it is -1, reduced."""
    if target.ndim > 1:
        raise RuntimeError(f"cosine_embedding_loss(): 'target' must be 0-d or a vector; found a {target.ndim}-d tensor")
    if any(x.ndim != target.ndim + 1 for x in (input1, input2)):
        raise RuntimeError(
            "cosine_embedding_loss(): 'input1' and 'input2' must have one dimension more than 'target', "
            f"{target.ndim + 1}; found "
            f"{hints(input1.shape)} and {hints(input2.shape)}"
        )
    kind = result_type(input1, input2)
    x, y = wide(convert(input1, kind)), wide(convert(input2, kind))
    a = floating(convert(input1, kind))

    def squares(v: Any, w: Any) -> Tracer:
        z = v * w  # of integers: in their dtype, which wraps; their sum is int64
        return floating(P.reduce_sum(convert(z, dt.int64) if z.dtype.kind in "biu" else z, dims=(z.ndim - 1,)))

    # (a vector of one element is repeated in the product, and its square is that one element's, as in PyTorch)
    xy, xx, yy = align(squares(*align(x, y)), squares(x, x), squares(y, y))
    tiny = filled(1e-12, xx)  # keeps the root away from 0; part of the definition that PyTorch documents
    cos = xy / P.sqrt((xx + tiny) * (yy + tiny))
    t = expand_to(convert(target, dt.int64) if target.dtype.kind == "b" else target, cos.var.shape)  # -1 is no bool
    zero = filled(0, cos)
    near = P.select(t == 1, 1 - cos, zero)
    far = P.select(t == -1, clamp_min(cos - margin, 0), zero)
    return reduced(near + far, reduction, a.dtype)


@loss(plain=numbered("anchor", "positive", "negative", margin=1.0, p=2, eps=1e-6, swap=False, reduction=0))
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), reduced; d: the p-norm of the difference plus eps.

    swap: the negative's distance is the lesser of those to anchor and positive.
    """
    check_argument(not margin <= 0, "triplet_margin_loss()", "margin", "be greater than 0", margin, ValueError)
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            f"triplet_margin_loss(): 'anchor', 'positive' and 'negative' must be of one rank; found {anchor.ndim}, "
            f"{positive.ndim} and "
            f"{negative.ndim} dimensions"
        )
    refuse_bools("triplet_margin_loss", anchor, positive, negative)
    a = floating(align(anchor, positive, negative)[0])

    def distance(v: Tensor, w: Tensor) -> Tracer:
        v, w = align(v, w)
        diff = floating(wide(v) - wide(w))  # of integers: in the dtype of these two, which wraps
        return vector_norm(diff + eps, p, (diff.ndim - 1,) if diff.ndim else (), False)

    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = P.min(*align(far, distance(positive, negative)))
    near, far = align(near, far)
    return reduced(clamp_min(near - far + margin, 0), reduction, a.dtype.to_real())
