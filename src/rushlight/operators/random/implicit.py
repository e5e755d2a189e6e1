"""Random numbers that are differentiable by their parameters although rejection draws them: gamma, Dirichlet, von
Mises.

A sample x of a distribution function F(x; a) keeps the probability below it as the parameter moves, F(x(a); a) = const,
so that dx/da = -(dF/da) / (dF/dx): M. Figurnov, S. Mohamed & A. Mnih, "Implicit reparameterization gradients", NeurIPS
2018. The slopes are programs of special functions, whose own derivatives give the higher ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.dispatch import Operator
from rushlight.core.draw import draw_gamma
from rushlight.core.tensor import Tensor
from rushlight.operators.creation.placement import raw_empty
from rushlight.operators.random.generators import generator_of
from rushlight.operators.random.random import UNIT, _float_only, draw
from rushlight.operators.random.samplers import doubles, draw_for
from rushlight.operators.table.arrays import array_of, tensor_of
from rushlight.operators.table.body import double, with_rule
from rushlight.operators.table.define import METHODS, eager, operator
from rushlight.operators.table.tracer import P, Tracer, align, convert
from rushlight.operators.table.types import Random


def _operands(name: str, *operands: Tensor) -> list[Tracer]:
    """Floating point tensors of one dtype, broadcast, in float64."""
    first = operands[0].dtype
    for t in operands:
        if t.dtype.kind != "f":
            raise NotImplementedError(f"{name}(): defined for floating point dtypes; found {t.dtype}")
        if t.dtype is not first:
            raise RuntimeError(f"{name}(): the arguments must be of one dtype; found {first} and {t.dtype}")
    try:
        return align(*map(double, operands))
    except RuntimeError as e:
        raise RuntimeError(f"{name}(): {e}") from None


# -- slopes
# -------------------------------------------------------------------------------------------------------------------
def _gamma_slope(a: Tracer, x: Tracer) -> Tracer:
    """dx/da of a standard gamma number (traced, float64): each tail by its own function, which keeps its digits."""
    by_shape = P.select(x > a, P.igammac(a, x, n=1), -P.igamma(a, x, n=1))
    return by_shape * P.exp(x + P.lgamma(a) - (a - 1.0) * P.log(x))


def _beta_slope(a: Tracer, b: Tracer, x: Tracer) -> Tracer:
    """dx/da of a beta number (traced, float64): above 1/2 by the distribution of 1 - x, which keeps its digits."""
    log_density = (a - 1.0) * P.log(x) + (b - 1.0) * P.log1p(-x) - P.betaln(a, b, n=0)
    by_shape = P.select(x > 0.5, P.betainc(b, a, 1.0 - x, n=("b", 1)), -P.betainc(a, b, x, n=("a", 1)))
    return by_shape * P.exp(-log_density)


def _dirichlet_slope(a: Tracer, total: Tracer, x: Tracer) -> Tracer:
    """The derivative of components of Dirichlet vectors by their own parameters, before the projection (traced,
    float64).
    """
    x = P.min(x, 1 - 2.0 ** (-53))  # a component that is 1 to rounding
    return _beta_slope(a, total - a, x) / (1.0 - x)


# Gauss and Legendre's 24 points of [0, 1]; the integrand below is entire and of one sign's exponent, and they leave an
# error of 1e-12.
def _legendre() -> list[tuple[float, float]]:
    from numpy.polynomial.legendre import leggauss

    points, weights = leggauss(24)
    return [(float(p + 1) / 2, float(w) / 2) for p, w in zip(points, weights, strict=True)]


def _von_mises_slope(k: Tracer, x: Tracer) -> Tracer:
    """dx/dk of a von Mises number about 0 (traced, float64): -integral over t in [0, x] of (cos t - A) exp(k (cos t -
    cos x)), A = I1(k) / I0(k).

    The distribution function is 1/2 + the integral from 0 of exp(k cos t) / (2 pi I0(k)), by symmetry. cos t is written
    1 - 2 sin^2(t / 2), for large k has all samples near 0.
    """
    rest = (P.i0e(k) - P.i1e(k)) / P.i0e(k)  # 1 - A
    total: Tracer | float = 0.0
    for point, weight in _legendre():
        t = x * point
        half = P.sin(t * 0.5)
        lift = P.sin((x + t) * 0.5) * P.sin((x - t) * 0.5) * 2.0
        total = total + (rest - half * half * 2.0) * P.exp(k * lift) * weight
    return P.neg(x) * total


@operator(method=False, memory_format="rows")
def _standard_gamma_grad(input: Tensor, output: Tensor) -> Tensor:
    """The derivative of standard gamma numbers by their shape parameter, elementwise.

    Args:
        input: the shape parameters.
        output: the numbers, as _standard_gamma drew them; of the same dtype.
    """
    a, x = _operands("_standard_gamma_grad", input, output)
    return convert(_gamma_slope(a, x), input.dtype)


@operator(method=False, memory_format="rows")
def _dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
    """The derivative of each component of Dirichlet vectors by its own parameter, before the vector is projected onto
    the simplex.

    The derivative of component j by parameter i is that of x_i, times 1 for j = i, less x_j (M. Jankowiak & F.
    Obermeyer, "Pathwise derivatives beyond the reparametrization trick", ICML 2018, with the marginals Beta(alpha_i,
    total - alpha_i)).

    Args:
        x: the vectors.
        alpha: the parameters.
        total: their sums, repeated along the last dimension.
    """
    v, a, s = _operands("_dirichlet_grad", x, alpha, total)
    return convert(_dirichlet_slope(a, s, v), x.dtype)


# -- numbers already drawn, tied to their parameters
# -------------------------------------------------------------------------
_Tangent = Callable[[Any, Any, Any], "Tracer | None"]  # (inputs, result, tangents of the inputs) -> of the result


def _by_slope(slope: Callable[[Tracer, Tracer], Tracer]) -> _Tangent:
    """The tangent of numbers that depend on their own parameter alone, by their derivative."""
    return lambda xs, y, ts: None if ts[0] is None else ts[0] * convert(slope(double(xs[0]), double(y)), y.dtype)


def _dirichlet_tangent(xs: Any, y: Any, ts: Any) -> Tracer | None:
    if ts[0] is None:
        return None
    a, x = double(xs[0]), double(y)
    if not x.var.shape:
        return convert(x * 0.0, y.dtype)
    shape, last = x.var.shape, len(x.var.shape) - 1

    def total(v: Tracer) -> Tracer:
        return P.broadcast_in_dim(P.reduce_sum(v, dims=(last,)), shape=shape, dims=tuple(range(last)))

    # A single component is 1 whatever its parameter: there is no other one to share with.
    slope = P.select(total(a) == a, 0.0, _dirichlet_slope(a, total(a), x))
    moved = double(ts[0]) * slope
    return convert(moved - x * total(moved), y.dtype)


def _tied(name: str, rule: _Tangent, parameters: str) -> Operator[Tensor]:
    def tied(input: Tensor, drawn: Tensor) -> Tensor:
        return with_rule(lambda a, x: x, rule, input, drawn, name=name)

    return operator(name=name, register=False, doc=f"`drawn`, differentiable by input, {parameters}.")(tied)


_gamma_of = _tied("standard_gamma", _by_slope(_gamma_slope), "the shape parameters")
_dirichlet_of = _tied("sample_dirichlet", _dirichlet_tangent, "the concentrations")
_von_mises_of = _tied("sample_von_mises", _by_slope(_von_mises_slope), "the concentrations")


# -- drawing
# ------------------------------------------------------------------------------------------------------------------
@eager(method=False)
def _standard_gamma(input: Tensor, generator: Random = None) -> Tensor:
    """Gamma numbers of rate 1 whose shape parameters are the elements of `input`, differentiable by them; at least the
    dtype's smallest normal number.
    """
    _float_only("_standard_gamma", input.dtype, "f")
    if input.is_meta:
        return raw_empty("_standard_gamma", tuple(input.shape), input.dtype, input.device)

    def body(a: Tensor) -> Tensor:
        drawn = draw_gamma(generator_of(generator, "_standard_gamma"), doubles(a), False)
        return METHODS["clamp"](METHODS["to"](drawn, a.dtype), min=_tiny(a.dtype))

    return _gamma_of(input, draw_for("_standard_gamma", generator, body, input))


@eager(method=False)
def _sample_dirichlet(input: Tensor, generator: Random = None) -> Tensor:
    """Dirichlet vectors whose concentrations are the last dimension of `input`, differentiable by them.

    Of logarithms of gamma numbers, for those of small concentrations underflow.
    """
    _float_only("_sample_dirichlet", input.dtype, "f")
    if input.is_meta:
        return raw_empty("_sample_dirichlet", tuple(input.shape), input.dtype, input.device)
    scalar = input.ndim == 0

    def body(a: Tensor) -> Tensor:
        logs = draw_gamma(generator_of(generator, "_sample_dirichlet"), doubles(a), True)
        if scalar or not logs.numel():
            return METHODS["to"](METHODS["new_ones"](logs, logs.shape), a.dtype)
        drawn = METHODS["softmax"](logs, -1)
        return METHODS["clamp"](METHODS["to"](drawn, a.dtype), min=_tiny(a.dtype))

    return _dirichlet_of(input, draw_for("_sample_dirichlet", generator, body, input))


def _tiny(dtype: dt.dtype) -> float:
    from rushlight.operators.tensors.info import finfo

    return float(finfo(dtype).tiny)


@eager(method=False)
def _sample_von_mises(input: Tensor, generator: Random = None) -> Tensor:
    """Angles in [-pi, pi] of von Mises distributions about 0 whose concentrations are the elements of `input`,
    differentiable by them.

    By rejection from a wrapped Cauchy distribution: D. J. Best & N. I. Fisher, Applied Statistics 28 (1979) 152.
    """
    _float_only("_sample_von_mises", input.dtype, "f")
    if input.is_meta:
        return raw_empty("_sample_von_mises", tuple(input.shape), input.dtype, input.device)

    def body(concentration: Tensor) -> Tensor:
        k = array_of(concentration, "_sample_von_mises").astype("float64")
        return tensor_of(_best_fisher(k, generator), concentration.dtype)

    return _von_mises_of(input, draw_for("_sample_von_mises", generator, body, input))


# Beyond this concentration k an angle is normal of variance 1 / k to within rounding, and 1 - f of the rejection is
# lost in it.
NARROW = 1e10


def _best_fisher(k: Any, generator: Random) -> Any:
    """Angles of von Mises distributions about 0, for an array of concentrations in float64; NaN where one is not
    positive.
    """
    import numpy as np

    # r = (1 + rho^2) / (2 rho); for small k its series 1 / k + k, since rho is the difference of equal numbers there
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        tau = 1 + np.sqrt(1 + 4 * k * k)
        rho = (tau - np.sqrt(2 * tau)) / (2 * k)
        r = np.where(k < 1e-5, 1 / k + k, (1 + rho * rho) / (2 * rho))

    def uniform() -> Any:
        return draw(UNIT, "_sample_von_mises", (3, *k.shape), dt.float64, None, generator).numpy()

    angle, narrow = np.zeros_like(k), k > NARROW
    if narrow.any():
        u1, u2, _ = uniform()
        angle = np.where(
            narrow, np.sqrt(-2 * np.log1p(-u1)) * np.cos(2 * np.pi * u2) / np.sqrt(np.where(narrow, k, 1)), angle
        )
    inside = (k > 0) & ~narrow
    waiting = inside.copy()
    while waiting.any():
        u1, u2, u3 = uniform()
        z = np.cos(np.pi * u1)
        with np.errstate(divide="ignore", invalid="ignore"):
            f = (1 + r * z) / (r + z)
            c = k * (r - f)
            # Also where one was accepted before, as PyTorch takes them: the last one counts.
            accepted = inside & ((c * (2 - c) > u2) | (np.log(c / u2) + 1 - c >= 0))
        angle = np.where(accepted, np.sign(u3 - 0.5) * np.arccos(np.clip(f, -1, 1)), angle)
        waiting &= ~accepted
    return np.where(k > 0, angle, np.nan)
