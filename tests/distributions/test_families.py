"""distributions without PyTorch: densities beside SciPy's, samples beside the distribution functions, pathwise
gradients beside quantiles.
"""

from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special
import scipy.stats

import rushlight
import rushlight.distributions as D
from distribution_cases import CASES
from rushlight.distributions import constraints, transforms

SAMPLES = 20_000
# Kolmogorov and Smirnov's bound at a probability of 1e-6 of refusing what is right: sqrt(log(2 / p) / 2), divided by
# the root of the number of samples.
KS = math.sqrt(math.log(2 / 1e-6) / 2) / math.sqrt(SAMPLES)


def t(x: Any, **kwargs: Any) -> Any:
    return rushlight.tensor(x, dtype=rushlight.float64, **kwargs)


# (case, the same distribution of SciPy): all parameters are numbers.
CONTINUOUS: dict[str, tuple[Callable[[], Any], Any]] = {
    "Beta": (lambda: D.Beta(t(0.7), t(2.5)), scipy.stats.beta(0.7, 2.5)),
    "Beta, small": (lambda: D.Beta(t(0.05), t(0.8)), scipy.stats.beta(0.05, 0.8)),
    "Cauchy": (lambda: D.Cauchy(t(0.5), t(2.0)), scipy.stats.cauchy(0.5, 2.0)),
    "Chi2": (lambda: D.Chi2(t(3.5)), scipy.stats.chi2(3.5)),
    "Exponential": (lambda: D.Exponential(t(2.5)), scipy.stats.expon(scale=0.4)),
    "FisherSnedecor": (lambda: D.FisherSnedecor(t(5.0), t(9.5)), scipy.stats.f(5.0, 9.5)),
    "Gamma": (lambda: D.Gamma(t(2.5), t(0.7)), scipy.stats.gamma(2.5, scale=1 / 0.7)),
    "Gamma, small": (lambda: D.Gamma(t(0.03), t(1.0)), scipy.stats.gamma(0.03)),
    "Gamma, large": (lambda: D.Gamma(t(4e3), t(1.0)), scipy.stats.gamma(4e3)),
    "GeneralizedPareto": (lambda: D.GeneralizedPareto(t(0.5), t(2.0), t(0.3)), scipy.stats.genpareto(0.3, 0.5, 2.0)),
    "GeneralizedPareto, bounded": (
        lambda: D.GeneralizedPareto(t(0.5), t(2.0), t(-0.4)),
        scipy.stats.genpareto(-0.4, 0.5, 2.0),
    ),
    "Gumbel": (lambda: D.Gumbel(t(0.5), t(2.0)), scipy.stats.gumbel_r(0.5, 2.0)),
    "HalfCauchy": (lambda: D.HalfCauchy(t(2.0)), scipy.stats.halfcauchy(scale=2.0)),
    "HalfNormal": (lambda: D.HalfNormal(t(2.0)), scipy.stats.halfnorm(scale=2.0)),
    "InverseGamma": (lambda: D.InverseGamma(t(3.5), t(0.7)), scipy.stats.invgamma(3.5, scale=0.7)),
    "Laplace": (lambda: D.Laplace(t(0.5), t(2.0)), scipy.stats.laplace(0.5, 2.0)),
    "LogNormal": (lambda: D.LogNormal(t(0.5), t(0.8)), scipy.stats.lognorm(0.8, scale=math.exp(0.5))),
    "Normal": (lambda: D.Normal(t(0.5), t(2.0)), scipy.stats.norm(0.5, 2.0)),
    "Pareto": (lambda: D.Pareto(t(0.5), t(4.5)), scipy.stats.pareto(4.5, scale=0.5)),
    "StudentT": (lambda: D.StudentT(t(4.5), t(0.5), t(2.0)), scipy.stats.t(4.5, 0.5, 2.0)),
    "Uniform": (lambda: D.Uniform(t(-0.5), t(2.0)), scipy.stats.uniform(-0.5, 2.5)),
    "VonMises": (lambda: D.VonMises(t(0.0), t(2.0)), scipy.stats.vonmises(2.0)),
    "VonMises, narrow": (lambda: D.VonMises(t(0.0), t(400.0)), scipy.stats.vonmises(400.0)),
    "VonMises, wide": (lambda: D.VonMises(t(0.0), t(1e-7)), scipy.stats.uniform(-math.pi, 2 * math.pi)),
    "Weibull": (lambda: D.Weibull(t(2.0), t(1.7)), scipy.stats.weibull_min(1.7, scale=2.0)),
}
DISCRETE: dict[str, tuple[Callable[[], Any], Any]] = {
    "Bernoulli": (lambda: D.Bernoulli(t(0.3)), scipy.stats.bernoulli(0.3)),
    "Binomial": (lambda: D.Binomial(7, t(0.3)), scipy.stats.binom(7, 0.3)),
    "Categorical": (
        lambda: D.Categorical(t([0.2, 0.3, 0.5])),
        scipy.stats.rv_discrete(values=([0, 1, 2], [0.2, 0.3, 0.5])),
    ),
    "Geometric": (lambda: D.Geometric(t(0.3)), scipy.stats.geom(0.3, loc=-1)),
    "NegativeBinomial": (lambda: D.NegativeBinomial(t(3.5), t(0.4)), scipy.stats.nbinom(3.5, 0.6)),
    "Poisson": (lambda: D.Poisson(t(3.5)), scipy.stats.poisson(3.5)),
}


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous(name: str) -> None:
    """Density, distribution function and moments are SciPy's, and samples follow them."""
    make, known = CONTINUOUS[name]
    d = make()
    x = known.ppf(np.linspace(0.02, 0.98, 25))
    x = x[(x > 1e-300) | (known.support()[0] < 0)]
    np.testing.assert_allclose(
        d.log_prob(t(x)).numpy(), known.logpdf(x), rtol=1e-7, atol=1e-6 if "wide" in name else 1e-10
    )
    for ours, theirs, points in ((d.cdf, known.cdf, x), (d.icdf, known.ppf, np.linspace(0.05, 0.95, 9))):
        try:
            found = ours(t(points))
        except NotImplementedError:
            continue
        np.testing.assert_allclose(found.numpy(), theirs(points), rtol=1e-9, atol=1e-12)
    if "VonMises" not in name and "Cauchy" not in name:
        np.testing.assert_allclose([float(d.mean), float(d.variance)], [known.mean(), known.var()], rtol=1e-8)
        np.testing.assert_allclose(float(d.stddev), known.std(), rtol=1e-8)
    if "VonMises" not in name and name != "FisherSnedecor":
        np.testing.assert_allclose(float(d.entropy()), known.entropy(), rtol=1e-6, atol=1e-7)
    rushlight.manual_seed(11)
    drawn = np.sort(d.sample((SAMPLES,)).numpy())
    assert drawn.shape == (SAMPLES,)
    below = known.cdf(drawn)
    steps = np.arange(SAMPLES + 1) / SAMPLES
    assert max(np.abs(below - steps[1:]).max(), np.abs(below - steps[:-1]).max()) < KS
    assert bool(d.support.check(t(drawn)).all())


@pytest.mark.parametrize("name", DISCRETE)
def test_discrete(name: str) -> None:
    make, known = DISCRETE[name]
    d = make()
    k = np.arange(0, 3 if name == "Categorical" else 2 if name == "Bernoulli" else 8)
    np.testing.assert_allclose(
        d.log_prob(rushlight.tensor(k, dtype=rushlight.int64 if name == "Categorical" else rushlight.float64)).numpy(),
        known.logpmf(k),
        rtol=1e-9,
        atol=1e-12,
    )
    if name != "Categorical":
        np.testing.assert_allclose([float(d.mean), float(d.variance)], [known.mean(), known.var()], rtol=1e-9)
    if d.has_enumerate_support:
        assert d.enumerate_support().tolist() == k.tolist()
        np.testing.assert_allclose(float(d.entropy()), known.entropy(), rtol=1e-9)
    rushlight.manual_seed(12)
    drawn = d.sample((SAMPLES,)).numpy()
    for value in k:
        p = known.pmf(value)
        assert abs((drawn == value).mean() - p) < 5.5 * math.sqrt(p * (1 - p) / SAMPLES) + 1e-3, value


def test_vectors() -> None:
    """Multivariate densities are SciPy's, and samples have the moments."""
    cov = np.array([[2.0, 0.5, -0.3], [0.5, 1.5, 0.2], [-0.3, 0.2, 0.8]])
    x = np.array([[0.1, -0.7, 2.0], [1.0, 1.5, -0.3]])
    normal = D.MultivariateNormal(t([0.5, 0.0, -1.0]), t(cov))
    known = scipy.stats.multivariate_normal([0.5, 0.0, -1.0], cov)
    np.testing.assert_allclose(normal.log_prob(t(x)).numpy(), known.logpdf(x))
    np.testing.assert_allclose(float(normal.entropy()), known.entropy())
    w = np.array([[0.3, 0.1], [1.0, -0.5], [0.0, 2.0]])
    low = D.LowRankMultivariateNormal(t([0.5, 0.0, -1.0]), t(w), t([0.7, 0.2, 1.1]))
    whole = w @ w.T + np.diag([0.7, 0.2, 1.1])
    np.testing.assert_allclose(
        low.log_prob(t(x)).numpy(), scipy.stats.multivariate_normal([0.5, 0.0, -1.0], whole).logpdf(x)
    )
    np.testing.assert_allclose(low.precision_matrix.numpy(), np.linalg.inv(whole), rtol=1e-9)
    np.testing.assert_allclose(low.scale_tril.numpy(), np.linalg.cholesky(whole), rtol=1e-9, atol=1e-12)
    p = np.array([0.2, 0.3, 0.5])
    np.testing.assert_allclose(
        D.Dirichlet(t([0.4, 1.0, 5.5])).log_prob(t(p)).item(), scipy.stats.dirichlet([0.4, 1.0, 5.5]).logpdf(p)
    )
    np.testing.assert_allclose(
        D.Multinomial(5, t(p)).log_prob(t([1.0, 1.0, 3.0])).item(), scipy.stats.multinomial(5, p).logpmf([1, 1, 3])
    )
    np.testing.assert_allclose(D.Multinomial(5, t(p)).entropy().item(), scipy.stats.multinomial(5, p).entropy())
    wishart, theirs = D.Wishart(t(5.5), t(cov)), scipy.stats.wishart(5.5, cov)
    s = theirs.rvs(random_state=1)
    np.testing.assert_allclose(
        [wishart.log_prob(t(s)).item(), wishart.entropy().item()], [theirs.logpdf(s), theirs.entropy()], rtol=1e-8
    )
    rushlight.manual_seed(13)
    for d, n in (
        (normal, 3),
        (low, 3),
        (D.Dirichlet(t([0.4, 1.0, 5.5])), 3),
        (D.Multinomial(5, t(p)), 3),
        (wishart, 9),
        (D.OneHotCategorical(t(p)), 3),
        (D.Dirichlet(t([1e-3, 2e-3])), 2),
    ):
        drawn = d.sample((SAMPLES,)).reshape(SAMPLES, n)
        mean, deviation = d.mean.reshape(n), d.stddev.reshape(n)
        assert bool(((drawn.mean(0) - mean).abs() < 5.5 * deviation / math.sqrt(SAMPLES)).all()), d
        assert bool((drawn.var(0) / deviation**2 - 1).abs().max() < 0.25), d


def test_correlation_matrices() -> None:
    """LKJ: uniform for dim 2 and concentration 1; the density integrates to 1 over dim 2; samples are factors of
    correlation matrices.
    """
    rushlight.manual_seed(14)
    d = D.LKJCholesky(2, t(1.0))
    r = np.sort(d.sample((SAMPLES,))[:, 1, 0].numpy())
    assert np.abs((r + 1) / 2 - np.arange(SAMPLES) / SAMPLES).max() < KS
    angles = np.linspace(-1 + 1e-4, 1 - 1e-4, 4001)
    for concentration in (1.0, 2.5):
        factors = np.zeros((4001, 2, 2))
        factors[:, 0, 0], factors[:, 1, 0], factors[:, 1, 1] = 1, angles, np.sqrt(1 - angles**2)
        density = D.LKJCholesky(2, t(concentration)).log_prob(t(factors)).exp().numpy()
        assert abs(np.trapezoid(density, angles) - 1) < 1e-3
    wide = D.LKJCholesky(5, t([0.3, 4.0]))
    drawn = wide.sample((500,))
    assert drawn.shape == (500, 2, 5, 5) and bool(constraints.corr_cholesky.check(drawn).all())
    # each correlation of LKJ(n, c) is 2 Beta(b, b) - 1 with b = c - 1 + n / 2: of variance 1 / (2b + 1)
    correlations = (drawn @ drawn.mT)[..., 4, 1]
    for k, concentration in enumerate((0.3, 4.0)):
        assert abs(float(correlations[:, k].var()) * (2 * (concentration - 1 + 2.5) + 1) - 1) < 0.35


# -- pathwise gradients
# ----------------------------------------------------------------------------------------------------------
def quantile_slope(
    quantile: Callable[[float, float], float], cdf: Callable[[float, float], float], parameter: float, x: float
) -> float:
    """How x moves with the parameter if the probability below it is kept."""
    h = 1e-4 * parameter
    p = cdf(parameter, x)
    return (quantile(parameter + h, p) - quantile(parameter - h, p)) / (2 * h)


STATS = scipy.stats
PATHWISE: dict[str, tuple[Callable[[Any], Any], Callable[[float], Any], tuple[float, ...]]] = {
    "Gamma": (lambda a: D.Gamma(a, 1.0), lambda a: STATS.gamma(a), (0.3, 1.0, 4.0, 60.0)),
    "Gamma rate": (lambda b: D.Gamma(t(2.0), b), lambda b: STATS.gamma(2.0, scale=1 / b), (0.3, 4.0)),
    "Chi2": (lambda a: D.Chi2(a), lambda a: STATS.chi2(a), (0.7, 5.0)),
    "Beta": (lambda a: D.Beta(a, t(2.5)), lambda a: STATS.beta(a, 2.5), (0.4, 1.0, 7.0)),
    "Beta second": (lambda b: D.Beta(t(2.5), b), lambda b: STATS.beta(2.5, b), (0.4, 7.0)),
    "InverseGamma": (lambda a: D.InverseGamma(a, t(1.0)), lambda a: STATS.invgamma(a), (2.5,)),
    "VonMises": (lambda k: D.VonMises(t(0.0), k), lambda k: STATS.vonmises(k), (0.5, 4.0)),
    "Exponential": (lambda a: D.Exponential(a), lambda a: STATS.expon(scale=1 / a), (0.5,)),
    "Weibull": (lambda k: D.Weibull(t(1.0), k), lambda k: STATS.weibull_min(k), (1.7,)),
    "Pareto": (lambda a: D.Pareto(t(1.0), a), lambda a: STATS.pareto(a), (2.5,)),
}


@pytest.mark.parametrize("name", PATHWISE)
def test_pathwise_gradients(name: str) -> None:
    """The gradient of a sample by a parameter is the slope of the quantile it is: the numbers below it stay as
    probable.
    """
    make, known, values = PATHWISE[name]
    for value in values:
        rushlight.manual_seed(15)
        parameter = t(np.full(12, value), requires_grad=True)
        x = make(parameter).rsample()
        (slope,) = rushlight.autograd.grad(x.sum(), parameter)
        expected = [
            quantile_slope(lambda a, p: float(known(a).ppf(p)), lambda a, v: float(known(a).cdf(v)), value, float(v))
            for v in x
        ]
        np.testing.assert_allclose(slope.numpy(), expected, rtol=2e-4, atol=1e-7)


def test_pathwise_gradients_of_means() -> None:
    """The mean gradient of samples is the gradient of the mean, for distributions whose samples depend on more than one
    number.
    """
    rushlight.manual_seed(16)
    weights = t([1.0, -2.0, 3.0])
    a = t([0.4, 1.0, 5.5], requires_grad=True)
    cases: list[tuple[Any, list[Any], Callable[[Any], Any], Callable[[], Any]]] = [
        (D.Dirichlet(a), [a], lambda x: x @ weights, lambda: D.Dirichlet(a).mean @ weights)
    ]
    df = t(7.0, requires_grad=True)
    cases.append((D.StudentT(df), [df], lambda x: x**2, lambda: D.StudentT(df).variance))
    df1, df2 = t(5.0, requires_grad=True), t(14.0, requires_grad=True)
    cases.append((D.FisherSnedecor(df1, df2), [df2], lambda x: x, lambda: D.FisherSnedecor(df1, df2).mean))
    tril = t([[1.3, 0.0], [0.4, 0.9]], requires_grad=True)
    cases.append(
        (
            D.Wishart(t(6.0), scale_tril=tril),
            [tril],
            lambda x: x[..., 0, 1],
            lambda: D.Wishart(t(6.0), scale_tril=tril).mean[0, 1],
        )
    )
    for d, parameters, value, mean in cases:
        found = rushlight.autograd.grad(value(d.rsample((SAMPLES,))).mean(), parameters)
        expected = rushlight.autograd.grad(mean(), parameters)
        for f, e in zip(found, expected, strict=True):
            assert float((f - e).abs().max()) < 0.06 * max(1.0, float(e.abs().max())), d


def test_higher_and_forward_derivatives_of_samples() -> None:
    """Forward mode agrees with reverse mode, and the second derivative with the slope of the first along the path."""
    for make in (lambda a: rushlight._standard_gamma(a), lambda a: rushlight._sample_von_mises(a)):
        a = t([0.6, 2.0, 9.0])

        def first(v: Any, make: Any = make) -> Any:
            rushlight.manual_seed(17)
            return rushlight.func.grad(lambda u: make(u).sum())(v)

        rushlight.manual_seed(17)
        _, tangent = rushlight.func.jvp(make, (a,), (rushlight.ones_like(a),))
        np.testing.assert_allclose(tangent.numpy(), first(a).numpy(), rtol=1e-10)
        b = a.clone().requires_grad_()
        rushlight.manual_seed(17)
        y = make(b)
        (slope,) = rushlight.autograd.grad(y.sum(), b, create_graph=True)
        (second,) = rushlight.autograd.grad(slope.sum(), b)
        # the second derivative along x(a): of -F_a(a, x) / F_x(a, x), by differences over a and over x
        grad_at: Callable[[Any, Any], Any] = _slope_of(make)
        h = 1e-5
        by_a = (grad_at(a + h, y.detach()) - grad_at(a - h, y.detach())) / (2 * h)
        by_x = (grad_at(a, y.detach() + h) - grad_at(a, y.detach() - h)) / (2 * h)
        np.testing.assert_allclose(second.numpy(), (by_a + by_x * slope.detach()).numpy(), rtol=1e-4, atol=1e-7)


def _slope_of(make: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    from rushlight.operators.random import implicit as random_implicit

    tied = random_implicit._gamma_of if "gamma" in make.__code__.co_names[1] else random_implicit._von_mises_of

    def slope(a: Any, x: Any) -> Any:
        a = a.detach().requires_grad_()
        return rushlight.autograd.grad(tied(a, x).sum(), a)[0]

    return slope


def test_extreme_samples() -> None:
    """Tiny and huge parameters: samples and gradients stay finite."""
    rushlight.manual_seed(18)
    for dtype in (rushlight.float32, rushlight.float64):
        for value in (1e-4, 1e-2, 1e4):
            a = rushlight.full((200,), value, dtype=dtype, requires_grad=True)
            x = rushlight._standard_gamma(a)
            (g,) = rushlight.autograd.grad(x.sum(), a)
            assert bool((x > 0).all()) and bool(x.isfinite().all()) and bool(g.isfinite().all())
        for rows in ([1e-4, 1e-4, 1e-4], [1e-3, 50.0, 1e4], [1.0]):
            a = rushlight.tensor([rows] * 50, dtype=dtype, requires_grad=True)
            x = rushlight._sample_dirichlet(a)
            (g,) = rushlight.autograd.grad((x * rushlight.arange(len(rows), dtype=dtype)).sum(), a)
            assert bool(constraints.simplex.check(x).all()) and bool(g.isfinite().all())
    for fails, error in (
        (lambda: rushlight._standard_gamma(rushlight.ones(2, dtype=rushlight.int64)), NotImplementedError),
        (lambda: rushlight._standard_gamma_grad(t(1.0), rushlight.tensor(1.0)), RuntimeError),
        (lambda: rushlight._standard_gamma([1.0]), TypeError),
    ):
        with pytest.raises(error):
            fails()
    assert rushlight._sample_dirichlet(rushlight.ones(0, 3)).shape == (0, 3) and rushlight._standard_gamma(
        rushlight.ones(2, device="meta")
    ).shape == (2,)


# -- divergences
# -----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "pair",
    [
        (
            "Wishart",
            lambda: D.Wishart(t([5.5, 7.0]), t([[2.0, 0.5], [0.5, 1.5]])),
            lambda: D.Wishart(t([4.5, 9.0]), t([[1.0, -0.2], [-0.2, 0.8]])),
        ),
        (
            "Wishart, one for a batch",
            lambda: D.Wishart(t(5.5), t([[2.0, 0.5], [0.5, 1.5]])),
            lambda: D.Wishart(t([4.5, 9.0]), t([[1.0, -0.2], [-0.2, 0.8]])),
        ),
        ("ContinuousBernoulli, Uniform", lambda: D.ContinuousBernoulli(t(0.3)), lambda: D.Uniform(t(0.0), t(1.0))),
        ("Gamma, Gumbel", lambda: D.Gamma(t(2.5), t(1.7)), lambda: D.Gumbel(t(0.4), t(1.5))),
        ("Gumbel, Normal", lambda: D.Gumbel(t(0.5), t(0.7)), lambda: D.Normal(t(1.0), t(1.5))),
        ("Pareto, Gamma", lambda: D.Pareto(t(0.5), t(4.5)), lambda: D.Gamma(t(2.5), t(1.7))),
        (
            "MultivariateNormal",
            lambda: D.MultivariateNormal(t([0.0, 1.0]), t([[2.0, 0.5], [0.5, 1.5]])),
            lambda: D.LowRankMultivariateNormal(t([0.5, 0.0]), t([[1.0], [0.3]]), t([0.5, 1.0])),
        ),
    ],
    ids=lambda pair: pair[0],
)
def test_divergences_are_means(pair: Any) -> None:
    """KL(p, q) is the mean of log p - log q over samples of p."""
    rushlight.manual_seed(19)
    p, q = pair[1](), pair[2]()
    x = p.sample((SAMPLES,))
    x = x.unsqueeze(1) if p.batch_shape != q.batch_shape else x
    p_log = p.log_prob(x)
    gap = p_log - q.log_prob(x)
    kl = D.kl_divergence(p, q)
    assert kl.shape == gap.shape[1:]
    assert bool(((gap.mean(0) - kl).abs() < 5.5 * gap.std(0) / math.sqrt(SAMPLES) + 1e-12).all()), (gap.mean(0), kl)


def test_gradients_of_divergences() -> None:
    """By both parameters of exponential families that have no formula of their own, beside differences."""

    def divergence(a: Any, b: Any) -> Any:
        v = t([[2.0, 0.5], [0.5, 1.5]])
        return D.kl_divergence(D.Wishart(a, v), D.Wishart(b, v * 1.3))

    assert rushlight.autograd.gradcheck(divergence, (t(5.5, requires_grad=True), t(4.5, requires_grad=True)))
    assert rushlight.autograd.gradcheck(
        lambda a: D.ExponentialFamily.entropy(D.Gamma(a, 2.0 * a)), (t([1.5, 4.0], requires_grad=True),)
    )
    for name in ("Beta", "Dirichlet", "Exponential", "Gamma", "Normal", "Bernoulli", "ContinuousBernoulli"):
        d, _ = CASES[name].build(rushlight)
        if name not in ("Beta", "Dirichlet"):  # whose E[log h] is not 0
            np.testing.assert_allclose(
                D.ExponentialFamily.entropy(d).numpy(), d.entropy().numpy(), rtol=1e-8, atol=1e-8
            )


# -- shapes, copies, transforms, vmap
# ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", CASES)
def test_copies(name: str) -> None:
    """Pickled, copied and expanded distributions draw the same numbers and have the same densities."""
    d, _ = CASES[name].build(rushlight)
    values = CASES[name].value_tensor(rushlight)
    expected = d.log_prob(values)
    for other in (pickle.loads(pickle.dumps(d)), copy.deepcopy(d), copy.copy(d), d.expand(d.batch_shape)):
        assert type(other) is type(d) and repr(other).split("(")[0] == repr(d).split("(")[0]
        assert other.batch_shape == d.batch_shape and other.event_shape == d.event_shape
        assert rushlight.equal(other.log_prob(values), expected)
        drawn = []
        for which in (d, other):
            rushlight.manual_seed(20)
            drawn.append(which.sample((3,)))
        assert rushlight.equal(*drawn)
    grown = d.expand((4, *d.batch_shape))
    assert grown.sample((2,)).shape == (2, 4, *d.batch_shape, *d.event_shape)
    assert grown.log_prob(grown.sample()).shape == (4, *d.batch_shape)
    assert not d.sample().requires_grad


@pytest.mark.parametrize("name", CASES)
def test_under_vmap(name: str) -> None:
    """log_prob and samples for a batch of parameters, one distribution an example."""
    case = CASES[name]
    d, params = case.build(rushlight)
    values = case.value_tensor(rushlight)
    expected = d.log_prob(values)
    doubled = [rushlight.stack([p, p]) for p in params]
    if "Wishart" in name:
        pytest.skip("its number of degrees of freedom is compared with the size, which reads it")
    found = rushlight.func.vmap(lambda *ps: case.make(D, *ps).log_prob(values))(*doubled)
    np.testing.assert_allclose(
        found.numpy(), np.stack([expected.numpy()] * 2), rtol=1e-6 if case.dtype == "float32" else 1e-11
    )
    for randomness in ("different", "same"):
        drawn = rushlight.func.vmap(lambda *ps: case.make(D, *ps).sample((50,)), randomness=randomness)(*doubled)
        assert drawn.shape == (2, 50, *d.batch_shape, *d.event_shape)
        assert rushlight.equal(drawn[0], drawn[1]) == (randomness == "same"), randomness
    with pytest.raises(RuntimeError, match="randomness"):
        rushlight.func.vmap(lambda *ps: case.make(D, *ps).sample())(*doubled)


def test_validation() -> None:
    """What is refused, and that validation can be turned off; the messages name the parameter and what was expected."""
    with pytest.raises(
        ValueError, match=r"parameter scale .* Normal\(loc: 0.0, scale: -1.0\) .*GreaterThan\(lower_bound=0.0\)"
    ):
        D.Normal(0.0, -1.0)
    with pytest.raises(ValueError, match="support"):
        D.Exponential(1.0).log_prob(rushlight.tensor(-1.0))
    assert math.isnan(D.Normal(0.0, -1.0, validate_args=False).log_prob(rushlight.tensor(0.0)))
    for fails in (
        lambda: D.Bernoulli(),
        lambda: D.Bernoulli(0.5, 0.5),
        lambda: D.Normal("a", 1.0),
        lambda: D.Distribution.set_default_validate_args("yes"),
        lambda: D.MultivariateNormal(t([0.0])),
        lambda: D.Dirichlet(t(1.0)),
        lambda: D.LKJCholesky(1),
        lambda: D.Independent(D.Normal(0.0, 1.0), 1),
        lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), 3),
        lambda: transforms.ExpTransform(cache_size=2),
        lambda: D.Wishart(t(1.0), t([[1.0, 0.0], [0.0, 1.0]])),
    ):
        with pytest.raises(ValueError):
            fails()
    for missing in (
        lambda: D.Normal(0.0, 1.0).enumerate_support(),
        lambda: D.Gamma(1.0, 1.0).icdf(t(0.5)),
        lambda: D.Poisson(1.0).entropy(),
        lambda: D.Distribution().sample(),
        lambda: D.kl_divergence(D.Cauchy(0.0, 1.0), D.Normal(0.0, 1.0)),
        lambda: D.biject_to(constraints.boolean),
    ):
        with (
            pytest.raises(NotImplementedError, match="is"),
            pytest.warns(UserWarning) if "Distribution" in missing.__code__.co_names else _nothing(),
        ):
            missing()


class _nothing:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        pass


def test_jacobians() -> None:
    """log_abs_det_jacobian is that of the derivative."""
    x = t([0.3, -1.2, 2.0])
    for f in (transforms.StickBreakingTransform(), transforms.CorrCholeskyTransform()):
        matrix = rushlight.func.jacrev(f)(x)
        rows = matrix.reshape(-1, 3)
        rows = rows[:3] if rows.shape[0] == 4 else rows[[3, 6, 7]]  # the free elements
        np.testing.assert_allclose(float(f.log_abs_det_jacobian(x, f(x))), float(rows.det().abs().log()), rtol=1e-10)
    for f in (
        transforms.ExpTransform(),
        transforms.SigmoidTransform(),
        transforms.TanhTransform(),
        transforms.SoftplusTransform(),
        transforms.AffineTransform(1.0, -2.0),
        transforms.ComposeTransform([transforms.AffineTransform(1.0, -2.0), transforms.SigmoidTransform()]),
        transforms.CumulativeDistributionTransform(D.Normal(t(0.0), t(2.0))).inv.inv,
    ):
        slopes = rushlight.func.vmap(rushlight.func.grad(f))(x)
        np.testing.assert_allclose(f.log_abs_det_jacobian(x, f(x)).numpy(), slopes.abs().log().numpy(), rtol=1e-9)
    wide = transforms.AffineTransform(0.0, t(2.5), event_dim=1)
    np.testing.assert_allclose(float(wide.log_abs_det_jacobian(x, wide(x))), 3 * math.log(2.5))


def test_modes() -> None:
    """The density is nowhere larger than at the mode."""
    for make, low, high in (
        (lambda: D.Kumaraswamy(t(2.0), t(3.0)), 0.001, 0.999),
        (lambda: D.Gamma(t(2.5), t(0.7)), 0.01, 20.0),
        (lambda: D.Beta(t(2.5), t(1.7)), 0.001, 0.999),
        (lambda: D.LogNormal(t(0.5), t(0.8)), 0.01, 20.0),
        (lambda: D.Weibull(t(2.0), t(1.7)), 0.01, 20.0),
        (lambda: D.InverseGamma(t(3.5), t(0.7)), 0.01, 20.0),
    ):
        d = make()
        assert float(d.log_prob(d.mode)) >= float(
            d.log_prob(rushlight.linspace(low, high, 2000, dtype=rushlight.float64)).max()
        )


def test_load_when_entered() -> None:
    """`import rushlight` does not load distributions; reading the attribute does; `import torch` gives the same
    modules.
    """
    code = (
        "import sys, rushlight; assert 'rushlight.distributions' not in sys.modules; rushlight.distributions.Normal\n"
        "rushlight.compat.install()\nfrom torch.distributions.normal import Normal\nfrom torch.distributions import "
        "kl, Normal as N, constraints\n"
        "import torch, pickle\nassert Normal is N is rushlight.distributions.Normal\nd = "
        "pickle.loads(pickle.dumps(torch.distributions.Gamma(1.0, 2.0)))\nprint(d)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "Gamma(concentration: 1.0, rate: 2.0)\n", done.stderr
