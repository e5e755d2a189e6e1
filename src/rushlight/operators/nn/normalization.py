"""Normalizations: over layers, groups, batches, instances and neighbouring channels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.operators.linalg.matmul import reshape
from rushlight.operators.table.body import floating, refuse_kinds, spread, wide
from rushlight.operators.table.checks import check_argument, check_bools, check_least, check_least_rank
from rushlight.operators.table.define import IN_PLACE, eager, form, operator
from rushlight.operators.table.definition import Shape
from rushlight.operators.table.tracer import P, Tracer, convert, filled
from rushlight.operators.table.types import Ints, Number, Sizes
from rushlight.program.sym import Int, hint, hints, prod


def mean_of(x: Any, dims: tuple[int, ...]) -> Tracer:
    """The mean over dims."""
    total = P.reduce_sum(x, dims=dims)
    return total / filled(prod(x.var.shape[d] for d in dims), total)


def standardized(x: Any, dims: tuple[int, ...], eps: Any) -> tuple[Tracer, Tracer, Tracer]:
    """(x - mean) / sqrt(var + eps) over dims, the mean and the (biased) variance."""
    mean = mean_of(x, dims)
    c = x - spread(mean, x, dims)
    var = mean_of(c * c, dims)
    return c * spread(P.rsqrt(var + filled(eps, var)), x, dims), mean, var


def affine(y: Tracer, weight: Tensor | None, bias: Tensor | None, dims: tuple[int, ...]) -> Tracer:
    """y * weight + bias, whose dimensions are `dims` of y."""
    if weight is not None:
        y = y * P.broadcast_in_dim(convert(weight, y.dtype), shape=y.var.shape, dims=dims)
    if bias is not None:
        y = y + P.broadcast_in_dim(convert(bias, y.dtype), shape=y.var.shape, dims=dims)
    return y


def _trailing(
    input: Tensor, normalized_shape: Any, weight: Tensor | None, bias: Tensor | None, name: str
) -> tuple[int, ...]:
    """The normalized dimensions, after the checks."""
    shape = tuple(normalized_shape) if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)
    n = len(shape)
    check_argument(not n < 1, f"{name}()", "normalized_shape", "name at least 1 dimension", "none")
    for label, p in (("weight", weight), ("bias", bias)):
        if p is not None and (p.ndim != n or any(a != b for a, b in zip(p.shape, shape, strict=True))):
            raise RuntimeError(
                f"{name}(): '{label}' must have the shape {hints(shape)}, 'normalized_shape'; found {hints(p.shape)}"
            )
    if input.ndim < n or any(a != b for a, b in zip(input.shape[input.ndim - n :], shape, strict=True)):
        raise RuntimeError(
            f"{name}(): the shape of 'input' must end in {hints(shape)}, 'normalized_shape'; found {hints(input.shape)}"
        )
    return tuple(range(input.ndim - n, input.ndim))


def refuse_mixed(name: str, input: Tensor, **given: Tensor | None) -> None:
    """RuntimeError for parameters or statistics of another dtype than the input's; for a half precision one they may be
    float32.
    """
    for label, p in given.items():
        if p is not None and p.dtype is not input.dtype:
            if not (input.dtype in (dt.float16, dt.bfloat16) and p.dtype is dt.float32):
                raise RuntimeError(
                    f"{name}(): '{label}' must be of the dtype of 'input', {input.dtype}; found {p.dtype}: mixed dtypes"
                )


def _norm(*, order: str, plain: Shape) -> Callable[[Callable[..., Tensor]], Operator[Tensor]]:
    """A normalization; order: the memory format of its result, plain: the parameters of its namesake in the package."""

    def make(body: Callable[..., Tensor]) -> Operator[Tensor]:
        return operator(
            namespace="nn.functional",
            method=False,
            out=False,
            shape_class="reduction",
            memory_format=order,
            forms={body.__name__: plain},
        )(body)

    return make


@_norm(order="rows", plain=form("input", "normalized_shape", weight=None, bias=None, eps=1e-5, cudnn_enable=True))
def layer_norm(
    input: Tensor, normalized_shape: Ints, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """(input - mean) / sqrt(var + eps) * weight + bias, over the last dimensions.

    Args:
        input: floating point, (*, *normalized_shape).
        weight, bias: of shape normalized_shape.

    Raises:
        RuntimeError: the shapes do not fit.
    """
    refuse_kinds(input, "biuc", "layer_norm")
    dims = _trailing(input, normalized_shape, weight, bias, "layer_norm")
    refuse_mixed("layer_norm", input, weight=weight, bias=bias)
    y, _, _ = standardized(wide(input), dims, eps)
    return convert(affine(y, weight, bias, dims), input.dtype)


@operator(namespace=("nn.functional", ""), method=False, out=False, shape_class="reduction", memory_format="rows")
def rms_norm(input: Tensor, normalized_shape: Ints, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """input / sqrt(mean(input^2) + eps) * weight, over the last dimensions; eps: by default the dtype's epsilon."""
    refuse_kinds(input, "biu", "rms_norm")
    dims = _trailing(input, normalized_shape, weight, None, "rms_norm")
    x = wide(input)
    if eps is None:
        eps = 2.0**-52 if x.dtype in (dt.float64, dt.complex128) else 2.0**-23
    square = mean_of(x * x, dims)
    y = x * spread(P.rsqrt(square + filled(eps, square)), x, dims)
    return convert(affine(y, weight, None, dims), input.dtype)


@_norm(order="first", plain=form("input", "num_groups", weight=None, bias=None, eps=1e-5, cudnn_enabled=True))
def group_norm(
    input: Tensor, num_groups: Sizes, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Each group of channels normalized to mean 0 and variance 1; then weight and bias for each channel.

    Args:
        input: (N, C, *).
        num_groups: a divisor of C.
        weight, bias: (C).
    """
    refuse_kinds(input, "biuc", "group_norm")
    check_least_rank("group_norm", "input", input, 2, "(N, C, ...)")
    check_least("group_norm", "num_groups", num_groups, 1)
    n, c, *rest = input.var.shape
    if num_groups > 1 << 31:  # any number divides 0 channels; each group has a mean, in memory or not
        raise RuntimeError(f"group_norm(): 'num_groups' must be at most 2**31; found {hint(num_groups)}: overflow")
    if c % num_groups != 0:
        raise RuntimeError(
            f"group_norm(): 'num_groups' must divide the number of channels; found {hint(num_groups)} for an input "
            "of the shape "
            f"{hints(input.shape)}"
        )
    for label, p in (("weight", weight), ("bias", bias)):
        if p is not None and (p.ndim != 1 or p.shape[0] != c):
            raise RuntimeError(
                f"group_norm(): '{label}' must be a vector of one element per channel; found the shape "
                f"{hints(p.shape)} for an input "
                f"of {hints(input.shape)}"
            )
    refuse_mixed("group_norm", input, weight=weight, bias=bias)
    if prod((n, c // num_groups, *rest)) == 1:
        raise ValueError(
            "group_norm(): a group must have more than 1 value; found 1 in an input of the shape "
            f"{hints(input.shape)} (Expected more than 1 value per channel when training)"
        )
    x = reshape(wide(input), n, num_groups, c // num_groups, prod(rest))
    y, _, _ = standardized(x, (2, 3), eps)
    weight, bias = (None if p is None else reshape(p, num_groups, c // num_groups) for p in (weight, bias))
    return convert(reshape(affine(y, weight, bias, (1, 2)), *input.var.shape), input.dtype)


# ----------------------------------------------------------------------------------------------------------- batch norm
def _check_channels(input: Tensor, name: str, **given: Tensor | None) -> None:
    check_least_rank(name, "input", input, 2, "(N, C, ...)")
    refuse_mixed(name, input, **given)
    for label, p in given.items():
        if p is not None and (p.ndim != 1 or p.shape[0] != input.shape[1]):
            raise RuntimeError(
                f"{name}(): '{label}' must have one element for each of the {hint(input.shape[1])} channels; found "
                f"{hint(prod(p.shape))}"
            )


@operator(namespace=None, method=False, out=False, shape_class="reduction", memory_format="first")
def _batch_norm_eval(
    input: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor | None, bias: Tensor | None, eps: Number
) -> Tensor:
    """(input - running_mean) / sqrt(running_var + eps) * weight + bias by channels."""
    refuse_kinds(input, "biuc", "batch_norm")
    _check_channels(input, "batch_norm", running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    x = wide(input)
    mean, var = convert(running_mean, x.dtype), convert(running_var, x.dtype)
    scale = P.buffered(P.rsqrt(var + eps))  # not a root for each element, where channels lie innermost
    y = (x - P.broadcast_in_dim(mean, shape=x.var.shape, dims=(1,))) * P.broadcast_in_dim(
        scale, shape=x.var.shape, dims=(1,)
    )
    return convert(affine(y, weight, bias, (1,)), input.dtype)


def _over(
    name: str, dims: tuple[int, ...], input: Tensor, weight: Tensor | None, bias: Tensor | None, eps: Number
) -> tuple[Tensor, Tracer, Tracer, Int]:
    """The input normalized over some dimensions, the mean and the variance, and the number of elements of each mean."""
    refuse_kinds(input, "biuc", name)
    _check_channels(input, name, weight=weight, bias=bias)
    n = prod(input.var.shape[d] for d in dims)
    if n == 1:
        of, what = ("a channel", "value per channel") if 0 in dims else ("a channel of an example", "spatial element")
        raise ValueError(
            f"{name}(): {of} must have more than 1 value while training; found 1 in an input of the shape "
            f"{hints(input.shape)} (Expected more than 1 {what} when training)"
        )
    y, mean, var = standardized(wide(input), dims, eps)
    return convert(affine(y, weight, bias, (1,)), input.dtype), mean, var, n


def _unbiased(var: Tracer, n: Int) -> Tracer:
    count = filled(n, var)
    return var * (count / (count - 1))


@operator(namespace=None, method=False, out=False, shape_class="reduction", memory_format="first")
def _batch_norm_train(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, eps: Number
) -> tuple[Tensor, Tensor, Tensor]:
    """The input normalized over all dimensions but 1, then the mean and the unbiased variance, for the running
    statistics.
    """
    y, mean, var, n = _over("batch_norm", tuple(d for d in range(input.ndim) if d != 1), input, weight, bias, eps)
    return y, P.stop_gradient(mean), P.stop_gradient(_unbiased(var, n))


@operator(namespace=None, method=False, inplace="argument", out=False, shape_class="pointwise")
def _running(running: Tensor, value: Tensor, momentum: Number) -> Tensor:
    """running * (1 - momentum) + value * momentum."""
    x, v = wide(running), convert(value, running.dtype.compute)
    m = filled(momentum, x)
    return convert(x * (1 - m) + v * m, running.dtype)


def _move(running: tuple[Tensor | None, ...], found: tuple[Tensor, ...], momentum: float) -> None:
    """Move the running statistics, where there are some, towards those of the batch."""
    for statistic, value in zip(running, found, strict=True):
        if statistic is not None:
            IN_PLACE[_running](statistic, value, momentum)


def _by_running(name: str, flag: str, input: Tensor, mean: Tensor | None, var: Tensor | None, *rest: Any) -> Tensor:
    """Normalized by the running statistics, which must be there where `flag` is False."""
    if mean is None or var is None:
        raise RuntimeError(f"{name}(): 'running_mean' and 'running_var' must be given where {flag}=False; found None")
    return _batch_norm_eval(input, mean, var, *rest)


def _batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """nn.functional.batch_norm with its arguments in another order, for any eps; cudnn_enabled is without effect."""
    if type(training) is not bool or type(momentum) is not float or cudnn_enabled is not False:
        check_bools("batch_norm", training=training, cudnn_enabled=cudnn_enabled)
        if not isinstance(momentum, (int, float)):
            raise TypeError(f"batch_norm(): argument 'momentum' must be float, not {type(momentum).__name__}")
    if input.numel() == 0:  # nothing to normalize: the running statistics stay, the parameters' gradients are zero
        empty = input.clone()
        for p in (weight, bias):
            empty = empty if p is None else empty * p.sum().to(input.dtype)
        return empty
    if not training:
        return _by_running("batch_norm", "training", input, running_mean, running_var, weight, bias, eps)
    _check_channels(input, "batch_norm", running_mean=running_mean, running_var=running_var)
    y, mean, var = _batch_norm_train(input, weight, bias, eps)
    _move((running_mean, running_var), (mean, var), momentum)
    return y


eager(name="batch_norm", method=False)(_batch_norm)


@eager(namespace="nn.functional", method=False)
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Channels normalized by their mean and variance over the batch (training) or by the running ones; then weight and
    bias.

    Args:
        input: (N, C, *).
        running_mean, running_var: (C) or None; in training they are moved towards the batch's mean and unbiased
            variance by `momentum`, in place.
        weight, bias: (C).

    Raises:
        ValueError: for one value per channel in training, for an eps below 0, and for an eps of 0 in training.
    """
    if eps <= 0 and (training or eps < 0):
        least = "greater than 0 in training" if training else "at least 0"
        raise ValueError(f"batch_norm(): 'eps' must be {least}; found {eps}")
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, False)


@operator(namespace=None, method=False, out=False, shape_class="reduction", memory_format="rows")
def _instance_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, eps: Number
) -> tuple[Tensor, Tensor, Tensor]:
    """Every channel of every example normalized; then the means over the batch of mean and unbiased variance."""
    y, mean, var, n = _over("instance_norm", tuple(range(2, input.ndim)), input, weight, bias, eps)
    return y, P.stop_gradient(mean_of(mean, (0,))), P.stop_gradient(mean_of(_unbiased(var, n), (0,)))


@eager(
    namespace="nn.functional",
    method=False,
    forms={
        "instance_norm": form(
            *"input weight bias running_mean running_var use_input_stats momentum eps cudnn_enabled".split()
        )
    },
)
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Every channel of every example normalized by its own mean and variance (or by the running ones); then weight and
    bias.

    Arguments as batch_norm; use_input_stats=False normalizes by the running statistics.

    """
    if not use_input_stats:
        return _by_running("instance_norm", "use_input_stats", input, running_mean, running_var, weight, bias, eps)
    y, mean, var = _instance_norm(input, weight, bias, eps)
    _move((running_mean, running_var), (mean, var), momentum)
    return y


@operator(namespace="nn.functional", method=False, out=False, keep_results=False, memory_format="kept")
def local_response_norm(input: Tensor, size: Sizes, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """input / (k + alpha * (the mean of squares of `size` neighbouring channels))^beta.

    Args:
        input: (N, C, *), real; of integers the mean is an integer too, rounded down, and the result the default float
            dtype.

    Source:
        Krizhevsky et al., "ImageNet classification with deep convolutional neural networks", 2012, section 3.3.
    """
    if input.ndim < 3:
        raise ValueError(
            f"local_response_norm(): 'input' must be of 3 dimensions (N, C, ...) or more; found {input.ndim}"
        )
    refuse_kinds(input, "bc", "local_response_norm")
    if prod(input.var.shape) == 0:
        return input
    x = wide(input)
    none = (0,) * x.ndim
    squares = P.pad(
        x * x,
        convert(0, x.dtype),
        low=tuple(size // 2 if d == 1 else 0 for d in range(x.ndim)),
        high=tuple((size - 1) // 2 if d == 1 else 0 for d in range(x.ndim)),
        interior=none,
    )
    near = P.window_sum(P.windows(squares, dims=(1,), sizes=(size,), steps=(1,), dilations=(1,)), dims=(x.ndim,))
    if x.dtype.kind in "iu":
        x, near = floating(x), floating(P.floordiv(near, filled(size, near)) * filled(size, near))
    base = near * filled(convert(alpha, dt.float64) / convert(size, dt.float64), near) + k
    return convert(x / P.pow(base, filled(beta, base)), floating(input).dtype)
