"""The Kullback-Leibler divergence of pairs of distributions: a registry by their classes, and the formulas.

KL(p, q) = E[log p(X)] - E[log q(X)] for X drawn from p. Most pairs are written as that: the entropy of p, and the mean
of log q, which takes a few moments of p (`_Moments`).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import rushlight
import rushlight.nn.functional as F
from rushlight import Tensor
from rushlight.distributions.bernoulli import Bernoulli
from rushlight.distributions.beta import Beta
from rushlight.distributions.binomial import Binomial
from rushlight.distributions.categorical import Categorical
from rushlight.distributions.cauchy import Cauchy
from rushlight.distributions.continuous_bernoulli import ContinuousBernoulli
from rushlight.distributions.dirichlet import Dirichlet
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.exp_family import ExponentialFamily
from rushlight.distributions.exponential import Exponential
from rushlight.distributions.gamma import Gamma
from rushlight.distributions.geometric import Geometric
from rushlight.distributions.gumbel import Gumbel
from rushlight.distributions.half_normal import HalfNormal
from rushlight.distributions.independent import Independent
from rushlight.distributions.laplace import Laplace
from rushlight.distributions.lowrank_multivariate_normal import (
    LowRankMultivariateNormal,
    _batch_lowrank_logdet,
    _batch_lowrank_mahalanobis,
)
from rushlight.distributions.multivariate_normal import MultivariateNormal, _batch_mahalanobis
from rushlight.distributions.normal import Normal
from rushlight.distributions.one_hot_categorical import OneHotCategorical
from rushlight.distributions.pareto import Pareto
from rushlight.distributions.poisson import Poisson
from rushlight.distributions.transformed_distribution import TransformedDistribution
from rushlight.distributions.uniform import Uniform
from rushlight.distributions.utils import _sum_rightmost, broadcast_all, euler_constant

__all__ = ["kl_divergence", "register_kl"]

Formula = Callable[[Any, Any], Tensor]
Gaussian = MultivariateNormal | LowRankMultivariateNormal
_KL_REGISTRY: dict[tuple[type, type], Formula] = {}
_KL_MEMOIZE: dict[tuple[type, type], Formula | None] = {}  # what a pair of classes was found to take


def register_kl(type_p: type, type_q: type) -> Callable[[Formula], Formula]:
    """A decorator that registers kl(p, q) for two classes of distributions; of subclasses the nearest registered pair
    is taken. A class need not derive from Distribution: packages have bases of their own.

    Raises:
        TypeError: for what is no class.
    """
    for kind in (type_p, type_q):
        if not isinstance(kind, type):
            raise TypeError(f"register_kl(): expected classes of distributions; found {kind!r}")

    def add(formula: Formula) -> Formula:
        _KL_REGISTRY[type_p, type_q] = formula
        _KL_MEMOIZE.clear()
        return formula

    return add


def _nearest(type_p: type, type_q: type) -> Formula | None:
    """The formula of the registered pair that is nearest to two classes, by their orders of bases."""
    found = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not found:
        return None

    def rank(kind: type, base: type) -> int:
        # A class that is a base by ABCMeta.register alone is behind all others.
        return kind.__mro__.index(base) if base in kind.__mro__ else len(kind.__mro__)

    def rank_p(base: type) -> int:
        return rank(type_p, base)

    def rank_q(base: type) -> int:
        return rank(type_q, base)

    by_p = min(found, key=lambda pair: (rank_p(pair[0]), rank_q(pair[1])))
    by_q = min(found, key=lambda pair: (rank_q(pair[1]), rank_p(pair[0])))
    if by_p != by_q:
        warnings.warn(
            f"kl_divergence({type_p.__name__}, {type_q.__name__}) is ambiguous: {by_p[0].__name__}, "
            f"{by_p[1].__name__} is taken; "
            f"{by_q[0].__name__}, {by_q[1].__name__} is as near. Register the pair itself",
            RuntimeWarning,
            stacklevel=3,
        )
    return _KL_REGISTRY[by_p]


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The Kullback-Leibler divergence of q from p, E[log p(X) - log q(X)] for X drawn from p, of the batch's shape.

    Raises:
        NotImplementedError: no formula is registered for their classes.
    """
    pair = type(p), type(q)
    if pair not in _KL_MEMOIZE:
        _KL_MEMOIZE[pair] = _nearest(*pair)
    formula = _KL_MEMOIZE[pair]
    if formula is None:
        raise NotImplementedError(
            f"kl_divergence(): no formula is registered for p of class {pair[0].__name__} and q of class "
            f"{pair[1].__name__}"
        )
    return formula(p, q)


def _infinite_where(outside: Tensor, result: Tensor) -> Tensor:
    return rushlight.where(outside, math.inf, result)


# -- one family
# ---------------------------------------------------------------------------------------------------------------
@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_exponential_families(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    """A(eta_q) - A(eta_p) - <eta_q - eta_p, grad A(eta_p)>: a Bregman divergence, of which the product is one
    derivative of A.
    """
    if type(p) is not type(q):
        raise NotImplementedError(
            f"kl_divergence(): of exponential families of two kinds, {type(p).__name__} and {type(q).__name__}, none "
            "is registered"
        )
    pairs = [broadcast_all(a, b) for a, b in zip(p._natural_params, q._natural_params, strict=True)]
    at, to = (tuple(pair[k] for pair in pairs) for k in (0, 1))
    value, along = rushlight.func.jvp(p._log_normalizer, at, tuple(b - a for a, b in pairs))
    return q._log_normalizer(*to) - value - along  # type: ignore[no-any-return]


@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    def part(chance: Tensor, of_q: Tensor, logit_p: Tensor, logit_q: Tensor) -> Tensor:
        found = rushlight.where(of_q == 0, math.inf, chance * (F.softplus(-logit_q) - F.softplus(-logit_p)))
        return rushlight.where(chance == 0, 0.0, found)

    return part(p.probs, q.probs, p.logits, q.logits) + part(1 - p.probs, 1 - q.probs, -p.logits, -q.logits)


@register_kl(Binomial, Binomial)
def _kl_binomial(p: Binomial, q: Binomial) -> Tensor:
    if bool((p.total_count < q.total_count).any()):
        raise NotImplementedError(
            "kl_divergence(): of binomial distributions where q has more trials than p, none is known"
        )
    found = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    return _infinite_where(p.total_count > q.total_count, found)


@register_kl(Categorical, Categorical)
def _kl_categorical(p: Categorical, q: Categorical) -> Tensor:
    found = rushlight.where(q.probs == 0, math.inf, p.probs * (p.logits - q.logits))
    return rushlight.where(p.probs == 0, 0.0, found).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _kl_one_hot(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return _kl_categorical(p._categorical, q._categorical)


@register_kl(Beta, Beta)
def _kl_beta(p: Beta, q: Beta) -> Tensor:
    return _kl_dirichlet(p._dirichlet, q._dirichlet)


@register_kl(Dirichlet, Dirichlet)
def _kl_dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    return (
        total.lgamma()
        - b.sum(-1).lgamma()
        + (b.lgamma() - a.lgamma()).sum(-1)
        + ((a - b) * (a.digamma() - total.digamma().unsqueeze(-1))).sum(-1)
    )


@register_kl(Cauchy, Cauchy)
def _kl_cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    """F. Chyzak & F. Nielsen, arXiv:1905.10965."""
    apart = (p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)
    return apart.log() - (4 * p.scale * q.scale).log()


@register_kl(Exponential, Exponential)
def _kl_exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return ratio - ratio.log() - 1


@register_kl(Gamma, Gamma)
def _kl_gamma(p: Gamma, q: Gamma) -> Tensor:
    a, b = p.concentration, q.concentration
    return (
        b * (p.rate / q.rate).log() + b.lgamma() - a.lgamma() + (a - b) * a.digamma() + (q.rate - p.rate) * (a / p.rate)
    )


@register_kl(Geometric, Geometric)
def _kl_geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def _kl_half_normal(p: HalfNormal, q: HalfNormal) -> Tensor:
    return _kl_normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _kl_laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * (-distance / p.scale).exp() - 1


@register_kl(Normal, Normal)
def _kl_normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Pareto, Pareto)
def _kl_pareto(p: Pareto, q: Pareto) -> Tensor:
    ratio = q.alpha / p.alpha
    found = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return _infinite_where(p.scale < q.scale, found)


@register_kl(Poisson, Poisson)
def _kl_poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Independent, Independent)
def _kl_independent(p: Independent[Any], q: Independent[Any]) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError(
            "kl_divergence(): of Independent distributions with other numbers of reinterpreted dimensions, "
            f"{p.reinterpreted_batch_ndims} and {q.reinterpreted_batch_ndims}, none is known"
        )
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(TransformedDistribution, TransformedDistribution)
def _kl_transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError(
            "kl_divergence(): of transformed distributions with other transforms or event shapes, none is known"
        )
    return kl_divergence(p.base_dist, q.base_dist)


# -- multivariate normal
# ------------------------------------------------------------------------------------------------------
def _log_det(d: Gaussian) -> Tensor:
    """log det of the covariance."""
    if isinstance(d, LowRankMultivariateNormal):
        return _batch_lowrank_logdet(d._unbroadcasted_cov_diag, d._capacitance_tril)
    return 2 * d._half_log_det_()


def _root(d: Gaussian) -> Tensor:
    """A matrix A with A A^T the covariance."""
    if isinstance(d, LowRankMultivariateNormal):
        w, roots = d._unbroadcasted_cov_factor, d._unbroadcasted_cov_diag.sqrt().diag_embed()
        batch = rushlight.broadcast_shapes(w.shape[:-2], roots.shape[:-2])
        return rushlight.cat([w.expand((*batch, -1, -1)), roots.expand((*batch, -1, -1))], -1)
    return d._unbroadcasted_scale_tril


def _distance(d: Gaussian, x: Tensor) -> Tensor:
    """x^T C^-1 x for the covariance C and vectors x (*, n)."""
    if isinstance(d, LowRankMultivariateNormal):
        return _batch_lowrank_mahalanobis(
            d._unbroadcasted_cov_factor, d._unbroadcasted_cov_diag, x, d._capacitance_tril
        )
    return _batch_mahalanobis(d._unbroadcasted_scale_tril, x)


@register_kl(MultivariateNormal, MultivariateNormal)
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _kl_multivariate_normal(p: Gaussian, q: Gaussian) -> Tensor:
    """(log det C_q / C_p + tr(C_q^-1 C_p) + (m_q - m_p)^T C_q^-1 (m_q - m_p) - n) / 2; the trace is the sum over the
    columns of a root of C_p.
    """
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"kl_divergence(): the event shapes must be equal; found {tuple(p.event_shape)} and {tuple(q.event_shape)}"
        )
    columns = _root(p).mT  # (*, columns, n)
    batch = rushlight.broadcast_shapes(q.batch_shape, p.batch_shape)
    columns = columns.expand((*batch, *columns.shape[-2:])).movedim(-2, 0)
    trace = _distance(q, columns).sum(0)
    ratio = _log_det(q) - _log_det(p)
    return 0.5 * (ratio + trace + _distance(q, q.loc - p.loc) - p.event_shape[0])


# -- pairs of families: moments of p, and the mean of log q
# ----------------------------------------------------------------------
class _Moments:
    """What the mean of log q takes of p: E[log X], E[log(1 - X)], E[exp(-X / s)]; mean and variance p has itself."""

    LOG: dict[type, Callable[[Any], Tensor]] = {
        Beta: lambda p: p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma(),
        Exponential: lambda p: -p.rate.log() - euler_constant,
        Gamma: lambda p: p.concentration.digamma() - p.rate.log(),
        Pareto: lambda p: p.scale.log() + p.alpha.reciprocal(),
        Uniform: lambda p: (rushlight.xlogy(p.high, p.high) - rushlight.xlogy(p.low, p.low)) / (p.high - p.low) - 1,
    }
    LOG_REST: dict[type, Callable[[Any], Tensor]] = {
        Uniform: lambda p: (
            (rushlight.xlogy(1 - p.low, 1 - p.low) - rushlight.xlogy(1 - p.high, 1 - p.high)) / (p.high - p.low) - 1
        )
    }
    EXP: dict[type, Callable[[Any, Tensor], Tensor]] = {
        Exponential: lambda p, s: p.rate / (p.rate + 1 / s),
        Gamma: lambda p, s: (-p.concentration * (1 / (p.rate * s)).log1p()).exp(),
        Gumbel: lambda p, s: (-p.loc / s + (1 + p.scale / s).lgamma()).exp(),
        Normal: lambda p, s: (-p.loc / s + (p.scale / s).pow(2) / 2).exp(),
        Uniform: lambda p, s: s * ((-p.low / s).exp() - (-p.high / s).exp()) / (p.high - p.low),
    }


def _by_entropy(*pairs: tuple[type, type]) -> Callable[[Formula], Formula]:
    """Register -H(p) - mean_log(p, q) for pairs of classes."""

    def add(mean_log: Formula) -> Formula:
        for pair in pairs:
            register_kl(*pair)(lambda p, q: -p.entropy() - mean_log(p, q))
        return mean_log

    return add


def _log(p: Distribution) -> Tensor:
    return next(_Moments.LOG[kind] for kind in type(p).__mro__ if kind in _Moments.LOG)(p)


@_by_entropy(*((p, Normal) for p in (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Uniform)))
def _mean_log_normal(p: Distribution, q: Normal) -> Tensor:
    square = p.variance + (p.mean - q.loc).pow(2)
    return -0.5 * square / q.variance - (q.scale * math.sqrt(2 * math.pi)).log()


@_by_entropy((Beta, Exponential), (ContinuousBernoulli, Exponential), (Gamma, Exponential))
def _mean_log_exponential(p: Distribution, q: Exponential) -> Tensor:
    return q.rate.log() - q.rate * p.mean


@_by_entropy((Beta, Gamma), (Exponential, Gamma))
def _mean_log_gamma(p: Distribution, q: Gamma) -> Tensor:
    a = q.concentration
    return a * q.rate.log() - a.lgamma() + (a - 1) * _log(p) - q.rate * p.mean


@_by_entropy((Beta, ContinuousBernoulli))
def _mean_log_continuous_bernoulli(p: Distribution, q: ContinuousBernoulli) -> Tensor:
    return p.mean * q.logits + (-q.probs).log1p() + q._cont_bern_log_norm()


@_by_entropy((Exponential, Gumbel), (Gamma, Gumbel), (Gumbel, Gumbel), (Normal, Gumbel), (Uniform, Gumbel))
def _mean_log_gumbel(p: Distribution, q: Gumbel) -> Tensor:
    # exp(q.loc / s) is taken into the moment, about q.loc, lest it overflow
    moment = next(_Moments.EXP[kind] for kind in type(p).__mro__ if kind in _Moments.EXP)(p, q.scale)
    mean = (q.loc - p.mean) / q.scale
    return mean - (q.loc / q.scale + moment.log()).exp() - q.scale.log()


@_by_entropy((Normal, Laplace))
def _mean_log_laplace(p: Normal, q: Laplace) -> Tensor:
    d = p.loc - q.loc
    deviation = (
        math.sqrt(2 / math.pi) * p.scale * (-0.5 * (d / p.scale).pow(2)).exp()
        + d * (d / (p.scale * math.sqrt(2))).erf()
    )
    return -(2 * q.scale).log() - deviation / q.scale


@_by_entropy((Bernoulli, Poisson))
def _mean_log_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return p.probs * q.rate.log() - q.rate


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _kl_continuous_bernoulli(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Tensor:
    def rest(d: ContinuousBernoulli) -> Tensor:
        return d._cont_bern_log_norm() + (-d.probs).log1p()

    return p.mean * (p.logits - q.logits) + rest(p) - rest(q)


def _of_pareto(mean_log: Formula, order: int) -> Formula:
    """The formula for a Pareto p: infinite where the moment of this order is."""

    def formula(p: Pareto, q: Any) -> Tensor:
        endless = p.alpha <= order
        tame = Pareto(p.scale, rushlight.where(endless, order + 1.0, p.alpha), validate_args=False)
        return _infinite_where(endless, -tame.entropy() - mean_log(tame, q))

    return formula


for _q, _mean_log, _order in (
    (Exponential, _mean_log_exponential, 1),
    (Gamma, _mean_log_gamma, 1),
    (Normal, _mean_log_normal, 2),
):
    register_kl(Pareto, _q)(_of_pareto(_mean_log, _order))


# -- supports that do not hold one another
# -----------------------------------------------------------------------------------------


@register_kl(Uniform, Uniform)
def _kl_uniform(p: Uniform, q: Uniform) -> Tensor:
    found = ((q.high - q.low) / (p.high - p.low)).log()
    return _infinite_where((q.low > p.low) | (q.high < p.high), found)


@register_kl(Beta, Uniform)
@register_kl(ContinuousBernoulli, Uniform)
def _kl_unit_interval_uniform(p: Beta | ContinuousBernoulli, q: Uniform) -> Tensor:
    found = -p.entropy() + (q.high - q.low).log()
    return _infinite_where((q.low > 0) | (q.high < 1), found)


@register_kl(Uniform, Exponential)
def _kl_uniform_exponential(p: Uniform, q: Exponential) -> Tensor:
    return _infinite_where(p.low < 0, -p.entropy() - _mean_log_exponential(p, q))


@register_kl(Uniform, Gamma)
def _kl_uniform_gamma(p: Uniform, q: Gamma) -> Tensor:
    return _infinite_where(p.low < 0, -p.entropy() - _mean_log_gamma(p, q))


@register_kl(Uniform, ContinuousBernoulli)
def _kl_uniform_continuous_bernoulli(p: Uniform, q: ContinuousBernoulli) -> Tensor:
    return _infinite_where((p.high > 1) | (p.low < 0), -p.entropy() - _mean_log_continuous_bernoulli(p, q))


@register_kl(Uniform, Beta)
def _kl_uniform_beta(p: Uniform, q: Beta) -> Tensor:
    a, b = q.concentration1, q.concentration0
    mean_log = (
        (a - 1) * _log(p) + (b - 1) * _Moments.LOG_REST[Uniform](p) - (a.lgamma() + b.lgamma() - (a + b).lgamma())
    )
    return _infinite_where((p.high > 1) | (p.low < 0), -p.entropy() - mean_log)


@register_kl(Uniform, Pareto)
def _kl_uniform_pareto(p: Uniform, q: Pareto) -> Tensor:
    mean_log = q.alpha.log() + q.alpha * q.scale.log() - (q.alpha + 1) * _log(p)
    return _infinite_where(p.low < q.scale, -p.entropy() - mean_log)


def _infinite(p: Distribution, q: Distribution) -> Tensor:
    """q has no density where p has some."""
    like = next(v for v in vars(p).values() if isinstance(v, Tensor)) if not isinstance(p, Beta) else p.concentration1
    return rushlight.full_like(like, math.inf)


_WHOLE_LINE: tuple[type, ...] = (Gumbel, Laplace, Normal)
_HALF_LINE: tuple[type, ...] = (Exponential, Gamma)
_OUTSIDE: dict[type, tuple[type, ...]] = {
    **dict.fromkeys(_WHOLE_LINE, (Beta, ContinuousBernoulli, Pareto, Uniform, *_HALF_LINE)),
    **dict.fromkeys(_HALF_LINE, (Beta, ContinuousBernoulli, Pareto, Uniform)),
    Beta: (Pareto,),
    ContinuousBernoulli: (Pareto,),
    Pareto: (Beta, ContinuousBernoulli, Uniform),
    Poisson: (Bernoulli, Binomial),
}
for _wide, _narrow in _OUTSIDE.items():
    for _each in _narrow:
        register_kl(_wide, _each)(_infinite)
