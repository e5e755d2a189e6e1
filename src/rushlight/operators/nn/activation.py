"""Activation functions and the softmax family."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.linalg.matmul import reshape
from rushlight.operators.table.body import keep, refuse_kinds, spread, wide, with_rule, wrap_dim
from rushlight.operators.table.checks import check_argument, check_least_rank, check_one_dtype
from rushlight.operators.table.define import METHODS, TABLE, Spaces, eager, form, operator
from rushlight.operators.table.ranges import check_range
from rushlight.operators.table.tracer import P, Tracer, convert, default_dtype, filled, is_number
from rushlight.operators.table.types import ByRank, Dim, Number
from rushlight.program.sym import hint


def activation(
    *,
    refuse: str = "biuc",
    promote: bool = False,
    namespace: Spaces = "nn.functional",
    method: bool = False,
    held: str = "",
    **options: Any,
) -> Callable[[Callable[..., Tensor]], Operator[Tensor]]:
    """Make an operator of an elementwise function of one tensor: computed in float32 for half precision, rounded once.

    refuse: dtype kinds that raise. promote: integers become the default float dtype. held: parameters whose numbers the
    dtype of the input must hold; those of the others that in which it is computed. The other options are those of
    `operator`.
    """

    def make(f: Callable[..., Tensor]) -> Operator[Tensor]:
        names, asked = f.__code__.co_varnames[1 : f.__code__.co_argcount], held.split()

        @functools.wraps(f)
        def body(input: Any, *args: Any, **kwargs: Any) -> Tracer:
            refuse_kinds(input, refuse, f.__name__)
            d = default_dtype() if promote and input.dtype.kind in "biu" else input.dtype
            for name, value in (*zip(names, args, strict=False), *kwargs.items()):
                if is_number(value):
                    check_range(f.__name__, value, d if name in asked else d.compute)
            return convert(f(wide(convert(input, d)), *args, **kwargs), d)

        return operator(namespace=namespace, method=method, shape_class="pointwise", **options)(body)

    return make


_BOTH = ("", "nn.functional")


# --------------------------------------------------------------------------------------------------------- rectifiers
def rectified(x: Tensor) -> Tracer:
    """max(x, 0); its derivative is read off the result, so that nothing else needs to be kept."""
    if x.dtype.kind not in "f":
        return P.max(x, 0)

    def jvp(xs: Any, y: Tracer, ts: Sequence[Tracer]) -> Tracer:
        return P.select(y <= 0, 0, ts[0])  # a NaN passes the gradient on, as in PyTorch

    return with_rule(lambda v: P.max(v, 0), jvp, x, name="relu")


@activation(refuse="bc", namespace=_BOTH, method=True, inplace="argument", inplace_namespace=_BOTH)
def relu(input: Tensor) -> Tensor:
    """max(input, 0), elementwise; real dtypes but bool."""
    return rectified(input)


def _clipped(x: Tensor, low: float, high: float) -> Tracer:
    """x within [low, high]; the derivative is that of what lies inside, and so 0 of a NaN."""
    hi = filled(high, x)
    lo = P.min(filled(low, x), hi)

    def body(x: Tracer, lo: Tracer, hi: Tracer) -> Tracer:
        return P.select(x <= lo, lo, P.select(x >= hi, hi, x))

    def jvp(xs: Sequence[Tracer], y: Tracer, ts: Sequence[Tracer]) -> Tracer:
        x, lo, hi = xs
        return P.select((x > lo) & (x < hi), ts[0], 0)

    return with_rule(body, jvp, x, lo, hi, name="clip")


@activation(refuse="bc", inplace="argument")
def relu6(input: Tensor) -> Tensor:
    """min(max(input, 0), 6), elementwise."""
    return _clipped(input, 0, 6)


@activation(held="min_val max_val", refuse="bc", inplace="argument", inplace_namespace="nn.functional")
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """input clipped to [min_val, max_val], with derivative 0 at the bounds."""
    if min_val > max_val:
        raise ValueError(f"hardtanh(): 'min_val' must be at most 'max_val'; found {min_val} and {max_val}")
    return _clipped(input, min_val, max_val)


@activation(inplace="argument", inplace_namespace="nn.functional")
def leaky_relu(input: Tensor, negative_slope: Number = 0.01) -> Tensor:
    """input where positive, negative_slope * input elsewhere."""
    return P.select(input > 0, input, input * negative_slope)


@activation(held="value", refuse="bc", namespace=_BOTH, inplace="argument", inplace_namespace=_BOTH)
def threshold(input: Tensor, threshold: Number, value: Number) -> Tensor:
    """input where it is greater than threshold, value elsewhere."""
    return P.select(input <= convert(threshold, input.dtype), value, input)  # of integers: towards zero


@operator(namespace=("", "nn.functional"), method=True)
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """input where positive, weight * input elsewhere.

    Args:
        input: floating point, channels in dimension 1.
        weight: one element, or one for each channel.
    """
    refuse_kinds(input, "biuc", "prelu")
    if weight.ndim > 1 and weight.numel() != 1 and weight.ndim != input.ndim:
        raise RuntimeError(f"prelu(): 'weight' must be a scalar or a vector; found a {weight.ndim}-d tensor")
    check_one_dtype("prelu()", "'input' and 'weight'", input, weight)
    n = weight.var.shape[0] if weight.ndim else 1
    if isinstance(n, int) and n == 1:
        w = P.broadcast_in_dim(reshape(weight), shape=input.var.shape, dims=())
    else:
        channels = input.var.shape[1] if input.ndim > 1 else 1
        if n != channels:
            raise RuntimeError(
                f"prelu(): 'weight' must hold 1 value or one for each of the {hint(channels)} channels; found {hint(n)}"
            )
        w = P.broadcast_in_dim(weight, shape=input.var.shape, dims=(1,))
    return P.select(input > 0, input, w * input)


# ----------------------------------------------------------------------------------------------- exponential and smooth
def _elu(x: Tensor, alpha: Any, scale: float | None, input_scale: float | None) -> Tracer:
    positive = x > 0
    # expm1 overflows only where it is not chosen: it is given 0 there, so that its derivative stays finite.
    low = P.select(positive, 0, x)
    negative = P.expm1(low if input_scale is None else low / filled(input_scale, x))
    y = P.select(positive, x, negative * filled(alpha, x))
    return y if scale is None else y * filled(scale, x)


@activation(inplace="argument", inplace_namespace="nn.functional")
def elu(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """input where positive, alpha * (exp(input) - 1) elsewhere."""
    return _elu(input, alpha, None, None)


# Klambauer et al., "Self-normalizing neural networks", 2017, appendix.
_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@activation(namespace=_BOTH, inplace="argument", inplace_namespace=_BOTH)
def selu(input: Tensor) -> Tensor:
    """scale * elu(input, alpha) with the self-normalizing constants."""
    return _elu(input, _SELU_ALPHA, _SELU_SCALE, None)


@activation(namespace=_BOTH, inplace="argument", inplace_namespace=_BOTH)
def celu(input: Tensor, alpha: float = 1.0) -> Tensor:
    """max(0, input) + min(0, alpha * (exp(input / alpha) - 1))."""
    if alpha == 0:
        raise RuntimeError("celu(): 'alpha' must not be 0 (ZeroDivisionError: the negative part is divided by it)")
    known = 1 if alpha == 1 else alpha  # which divides nothing
    return _elu(input, known, None, known)


@activation()
def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """input * Phi(input), Phi the normal distribution function.

    Args:
        approximate: "none", or "tanh" for 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) (Hendrycks and Gimpel,
            2016).
    """
    x = input
    if approximate == "none":
        return x * 0.5 * (1 + P.erf(x * math.sqrt(0.5)))
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
        return 0.5 * x * (1 + P.tanh(inner))
    raise RuntimeError(f"gelu(): 'approximate' must be 'none' or 'tanh'; found {approximate!r}")


@activation(refuse="biu", inplace="argument")
def silu(input: Tensor) -> Tensor:
    """input * sigmoid(input), elementwise."""
    return input * P.sigmoid(input)


def softplus_of(x: Tensor) -> Tracer:
    """log(1 + exp(x)) without overflow."""

    def jvp(xs: Sequence[Tracer], y: Tracer, ts: Sequence[Tracer]) -> Tracer:
        return ts[0] * P.sigmoid(xs[0])  # smooth at 0, where the parts have kinks

    return with_rule(lambda v: P.max(v, 0) + P.log1p(P.exp(-P.abs(v))), jvp, x, name="softplus")


@activation(inplace="argument")
def mish(input: Tensor) -> Tensor:
    """input * tanh(softplus(input)), elementwise."""
    return input * P.tanh(softplus_of(input))


@activation(specialize={"beta": (1,)})
def softplus(input: Tensor, beta: Number = 1.0, threshold: Number = 20.0) -> Tensor:
    """log(1 + exp(beta * input)) / beta; input itself where beta * input exceeds the threshold."""
    x = input
    z = x * beta
    linear = z > threshold
    small = P.select(linear, 0, z)
    return P.select(linear, x, P.log1p(P.exp(small)) / beta)


@activation(memory_format="rows")
def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(input)), elementwise, without overflow."""

    def jvp(xs: Sequence[Tracer], y: Tracer, ts: Sequence[Tracer]) -> Tracer:
        return ts[0] * P.sigmoid(-xs[0])  # smooth at 0, where the parts have kinks

    return with_rule(lambda v: P.min(v, 0) - P.log1p(P.exp(-P.abs(v))), jvp, input, name="logsigmoid")


@activation(refuse="b", promote=True)
def softsign(input: Tensor) -> Tensor:
    """input / (1 + |input|), elementwise; integers become the default float dtype."""
    if input.dtype.kind == "c":
        return input / (1 + convert(P.abs(input), input.dtype))
    return P.given(input / (1 + P.abs(input)))


@activation(refuse="b", promote=True)
def tanhshrink(input: Tensor) -> Tensor:
    """input - tanh(input), elementwise; integers become the default float dtype."""
    return input - P.kept(P.tanh(input))


@activation(inplace="argument")
def hardsigmoid(input: Tensor) -> Tensor:
    """min(max(input + 3, 0), 6) / 6, elementwise."""
    return _clipped(input + 3, 0, 6) / 6


@activation(inplace="argument")
def hardswish(input: Tensor) -> Tensor:
    """input * min(max(input + 3, 0), 6) / 6, elementwise."""

    def body(x: Tracer) -> Tracer:
        return x * (_clipped(x + 3, 0, 6) / 6)  # 6 times the largest numbers is beyond the range

    def jvp(xs: Sequence[Tracer], y: Tracer, ts: Sequence[Tracer]) -> Tracer:
        # (of the product, an infinite input times a slope of 0 would be NaN)
        x = xs[0]
        return ts[0] * P.select(x <= -3, 0, P.select(x >= 3, 1, x / 3 + 0.5))

    return with_rule(body, jvp, input, name="hardswish")


@activation(held="lambd", namespace=_BOTH, method=True)
def hardshrink(input: Tensor, lambd: Number = 0.5) -> Tensor:
    """input where |input| > lambd, 0 elsewhere; a NaN stays, with derivative 0."""

    def inside(x: Tracer, lam: Tracer) -> Tensor:
        return (x >= -lam) & (x <= lam)

    def jvp(xs: Sequence[Tracer], y: Tracer, ts: Sequence[Tracer]) -> Tracer:
        return P.select(inside(*xs) | P.isnan(xs[0]), 0, ts[0])

    return with_rule(lambda *xs: P.select(inside(*xs), 0, xs[0]), jvp, input, filled(lambd, input), name="hardshrink")


@activation(held="lambd")
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """input moved towards 0 by lambd, and 0 within."""
    check_argument(0 <= lambd < math.inf, "softshrink()", "lambd", "be at least 0, and finite", lambd)
    x, lam = input, filled(lambd, input)
    return P.select(x > lam, x - lam, P.select(x < -lam, x + lam, x * 0))


@operator(namespace="nn.functional", method=False)
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of a dimension times the sigmoid of its second half."""
    refuse_kinds(input, "biuc", "glu")
    check_least_rank("glu", "input", input, 1)
    d = wrap_dim(dim, input.ndim, "glu")
    n = input.var.shape[d]
    if n % 2 != 0:
        raise RuntimeError(
            f"glu(): the size of 'dim' must be even, to be cut into halves; found {hint(n)} in dimension {d}"
        )
    a, b = (part_of(wide(input), d, start, n // 2) for start in (0, n // 2))
    return convert(a * P.sigmoid(b), input.dtype)


def part_of(x: Tensor, dim: int, start: Any, size: Any, step: int = 1) -> Tracer:
    """`size` elements of one dimension from `start` on."""
    shape = x.var.shape
    return P.slice(
        x,
        starts=tuple(start if i == dim else 0 for i in range(x.ndim)),
        sizes=tuple(size if i == dim else s for i, s in enumerate(shape)),
        steps=tuple(step if i == dim else 1 for i in range(x.ndim)),
    )


# -------------------------------------------------------------------------------------------------------------- softmax
def log_sum_exp(x: Any, dims: tuple[int, ...]) -> Tracer:
    """log(sum(exp(x))) over dims (at least one element each); the derivative needs x and the result alone."""

    def body(v: Any) -> Tracer:
        m = P.reduce_max(v, dims=dims)
        # An infinite maximum would make inf - inf of it.
        finite = P.select(P.abs(m) == math.inf, 0, m)
        return P.log(P.reduce_sum(P.exp(v - spread(finite, v, dims)), dims=dims)) + finite

    def jvp(xs: Any, y: Tracer, ts: Sequence[Tracer]) -> Tracer:
        weight = P.exp(xs[0] - spread(y, xs[0], dims))
        return P.reduce_sum(weight * ts[0], dims=dims)

    return with_rule(body, jvp, x, name="logsumexp")


def softmax_rule(dim: int) -> Callable[..., Tracer]:
    """The derivative of a softmax along dim, from its result y alone: y (t - sum(y t))."""

    def jvp(xs: Any, y: Tracer, ts: Sequence[Tracer]) -> Tracer:
        t = y * ts[0]
        return t - y * spread(P.reduce_sum(t, dims=(dim,)), y, (dim,))

    return jvp


def softmax_of(x: Any, dim: int) -> Tracer:
    """exp(x) / sum(exp(x)) along dim; the derivative needs the result alone."""

    def body(v: Any) -> Tracer:
        e = P.exp(v - spread(P.reduce_max(v, dims=(dim,)), v, (dim,)))
        # One division a row: a vector of them takes as long as the exponentials. It costs half an ulp.
        return e * spread(P.reciprocal(P.reduce_sum(e, dims=(dim,))), v, (dim,))

    return with_rule(body, softmax_rule(dim), x, name="softmax")


def log_softmax_of(x: Any, dim: int) -> Tracer:
    """x - log(sum(exp(x))) along dim; the derivative needs the result alone."""

    def body(v: Tracer) -> Tracer:
        c = v - spread(P.reduce_max(v, dims=(dim,)), v, (dim,))
        return c - spread(P.log(P.reduce_sum(P.exp(c), dims=(dim,))), v, (dim,))

    def jvp(xs: Any, y: Tracer, ts: Sequence[Tracer]) -> Tracer:
        return ts[0] - spread(P.reduce_sum(P.exp(y) * ts[0], dims=(dim,)), y, (dim,))

    return with_rule(body, jvp, x, name="log_softmax")


_F_SOFTMAX = form("input", dim=None, _stacklevel=3, dtype=None, none={"dim": ByRank})


def along(fn: Callable[[Tracer, int], Tracer], input: Tensor, dim: Dim, dtype: dt.dtype | None, name: str) -> Tracer:
    """fn(x, dim) computed in a wide dtype; a 0-d tensor counts as one element."""
    x = convert(input, dtype or input.dtype)
    refuse_kinds(x, "biuc", name)
    if isinstance(dim, type):
        warn(f"{name}(): 'dim' was left to an old rule, which picks it by the rank alone; write dim=...")
        dim = 0 if input.ndim in (0, 1, 3) else 1
    d = wrap_dim(dim, x.ndim, name)
    if any(isinstance(s, int) and s == 0 for s in x.var.shape) or x.numel() == 0:
        return x
    v = wide(x)
    return convert(fn(v, d) if x.ndim else reshape(fn(reshape(v, 1), 0)), x.dtype)


@operator(shape_class="reduction", memory_format="rows", forms={"nn.functional.softmax": _F_SOFTMAX})
def softmax(input: Tensor, dim: Dim, dtype: dt.dtype | None = None) -> Tensor:
    """exp(input) / sum(exp(input)) along a dimension; dtype: cast to it first."""
    return along(softmax_of, input, dim, dtype, "softmax")


@operator(shape_class="reduction", memory_format="rows", forms={"nn.functional.log_softmax": _F_SOFTMAX})
def log_softmax(input: Tensor, dim: Dim, dtype: dt.dtype | None = None) -> Tensor:
    """log(softmax(input, dim)), accurate; dtype: cast to it first."""
    return along(log_softmax_of, input, dim, dtype, "log_softmax")


@operator(
    namespace="nn.functional",
    method=False,
    out=False,
    shape_class="reduction",
    memory_format="rows",
    forms={"nn.functional.softmin": _F_SOFTMAX},
)
def softmin(input: Tensor, dim: Dim, dtype: dt.dtype | None = None) -> Tensor:
    """softmax(-input) along a dimension; dtype: cast to it first."""
    return along(lambda x, d: softmax_of(-x, d), input, dim, dtype, "softmin")


@eager(namespace="nn.functional", method=False, shape_class="random")
def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A sample of the Gumbel-softmax distribution; hard: one-hot, differentiated as if it were soft. eps is without
    effect.
    """
    if eps != 1e-10:
        warn("gumbel_softmax(): 'eps' has no effect and is deprecated")
    drawn = METHODS["exponential_"](TABLE["empty_like"](METHODS["detach"](logits)))
    return _gumbel_softmax(logits, drawn, float(tau), hard, dim)


@operator(namespace=None, method=False, out=False)
def _gumbel_softmax(logits: Tensor, drawn: Tensor, tau: Number, hard: bool, dim: int) -> Tensor:
    """softmax((logits + Gumbel noise) / tau), the noise being -log of exponential numbers; hard: one-hot, with the
    derivative of the soft one.
    """
    refuse_kinds(logits, "biuc", "gumbel_softmax")
    x = wide(logits)
    d = wrap_dim(dim, x.ndim, "gumbel_softmax")
    noise = -P.log(convert(drawn, x.dtype))
    y = softmax_of((x + noise) / tau, d)
    if hard:
        index = keep(P.argmax(y, dim=d), y, (d,), True)
        position = P.iota(shape=y.var.shape, dim=d, dtype=dt.int64)
        chosen = position == P.broadcast_in_dim(
            reshape(index, *[s for i, s in enumerate(index.var.shape) if i != d]),
            shape=y.var.shape,
            dims=tuple(i for i in range(y.ndim) if i != d),
        )
        y = P.stop_gradient(convert(chosen, y.dtype) - y) + y
    return convert(y, logits.dtype)
