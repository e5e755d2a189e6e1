"""Distributions to test with: how each is made of its parameters, and values to ask it about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

P, Q = [0.2, 0.5, 0.9], [[0.3, 0.7, 0.11], [0.05, 0.95, 0.6]]
SIMPLEX = [[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]
LOGITS = [-1.3, 0.0, 2.4]
LOC, SCALE = [-1.5, 0.0, 2.25], [[0.5, 1.0, 2.5], [3.0, 0.1, 0.7]]
REALS = [[-3.0, 0.25, 1.5], [0.0, -0.4, 7.0]]
POSITIVE = [[0.05, 0.9, 1.5], [2.0, 6.5, 30.0]]
UNIT = [[0.01, 0.3, 0.5], [0.77, 0.9, 0.999]]
COUNTS = [[0.0, 1.0, 3.0], [2.0, 4.0, 0.0]]
BITS = [[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]]
A, B = [0.4, 1.0, 5.5], [[0.7, 1.0, 3.0], [12.0, 2.5, 0.3]]
COV = [[2.0, 0.5, -0.3], [0.5, 1.5, 0.2], [-0.3, 0.2, 0.8]]
TRIL = [[1.3, 0.0, 0.0], [0.4, 0.9, 0.0], [-0.2, 0.3, 1.7]]
VECTORS = [[0.1, -0.7, 2.0], [1.0, 1.5, -0.3]]
WISHART_VALUES = [
    [[4.0, 1.0, 0.2], [1.0, 5.0, -0.5], [0.2, -0.5, 3.0]],
    [[1.0, 0.1, 0.0], [0.1, 2.0, 0.3], [0.0, 0.3, 0.7]],
]
CORR_TRIL = [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.48, 0.6, 0.64]]


@dataclass(frozen=True)
class Case:
    """make(distributions, *tensors) of the parameters; values inside the support, and one outside (None: there is
    none).
    """

    make: Callable[..., Any]
    params: tuple[Any, ...]
    values: Any
    outside: Any = None
    dtype: str = "float64"

    def build(self, m: Any, requires_grad: bool = False) -> tuple[Any, list[Any]]:
        """The distribution of module m (rushlight or torch), and its parameters as tensors."""
        tensors = [m.tensor(p, dtype=getattr(m, self.dtype), requires_grad=requires_grad) for p in self.params]
        return self.make(m.distributions, *tensors), tensors

    def value_tensor(self, m: Any) -> Any:
        """The values inside the support: whole numbers of categories as integers."""
        found = m.tensor(self.values)
        return found if found.dtype is m.int64 else m.tensor(self.values, dtype=getattr(m, self.dtype))


CASES: dict[str, Case] = {
    "Bernoulli": Case(lambda d, p: d.Bernoulli(p), (P,), BITS, 0.5),
    "Bernoulli logits": Case(lambda d, x: d.Bernoulli(logits=x), (LOGITS,), BITS, 2.0),
    "Beta": Case(lambda d, a, b: d.Beta(a, b), (A, B), UNIT, 1.5),
    "Binomial": Case(lambda d, p: d.Binomial(4, p), (P,), COUNTS, 5.0),
    "Binomial logits": Case(lambda d, x: d.Binomial(4, logits=x), (LOGITS,), COUNTS, 0.5),
    "Categorical": Case(lambda d, p: d.Categorical(p), (SIMPLEX,), [0, 2], 3),
    "Categorical logits": Case(lambda d, x: d.Categorical(logits=x), (Q,), [[1, 0], [2, 2]], -1),
    "Cauchy": Case(lambda d, a, b: d.Cauchy(a, b), (LOC, SCALE), REALS, float("nan")),
    "Chi2": Case(lambda d, a: d.Chi2(a), (B,), POSITIVE, -1.0),
    "ContinuousBernoulli": Case(lambda d, p: d.ContinuousBernoulli(p), ([0.1, 0.5, 0.49999],), UNIT, 1.5),
    "ContinuousBernoulli logits": Case(lambda d, x: d.ContinuousBernoulli(logits=x), (LOGITS,), UNIT, -0.5),
    "Dirichlet": Case(lambda d, a: d.Dirichlet(a), ([[0.4, 1.0, 5.5], [2.0, 3.0, 0.7]],), SIMPLEX, [0.5, 0.6, 0.0]),
    "Exponential": Case(lambda d, a: d.Exponential(a), (B,), POSITIVE, -0.1),
    "FisherSnedecor": Case(
        lambda d, a, b: d.FisherSnedecor(a, b), ([1.0, 3.0, 7.5], [[1.5, 3.0, 9.0], [4.5, 30.0, 2.0]]), POSITIVE, 0.0
    ),
    "Gamma": Case(lambda d, a, b: d.Gamma(a, b), (A, B), POSITIVE, -1.0),
    "GeneralizedPareto": Case(
        lambda d, a, b, k: d.GeneralizedPareto(a, b, k),
        (LOC, [0.5, 1.0, 2.5], [[0.4, 0.0, -0.3], [1.2, 0.7, 0.2]]),
        [[-1.0, 0.2, 3.0], [5.0, 4.0, 2.5]],
        -9.0,
        "float32",
    ),
    "Geometric": Case(lambda d, p: d.Geometric(p), ([0.2, 0.5, 1.0],), [[0.0, 3.0, 0.0], [7.0, 1.0, 0.0]], 0.5),
    "Geometric logits": Case(lambda d, x: d.Geometric(logits=x), (LOGITS,), COUNTS, -1.0),
    "Gumbel": Case(lambda d, a, b: d.Gumbel(a, b), (LOC, [[0.5, 1.0, 2.5], [3.0, 0.6, 0.7]]), REALS, float("nan")),
    "HalfCauchy": Case(lambda d, a: d.HalfCauchy(a), (SCALE,), POSITIVE, -0.5),
    "HalfNormal": Case(lambda d, a: d.HalfNormal(a), (SCALE,), POSITIVE, -0.5),
    "Independent": Case(
        lambda d, a, b: d.Independent(d.Normal(a, b), 1), (LOC, SCALE), REALS, [0.0, 1.0, float("nan")]
    ),
    "InverseGamma": Case(lambda d, a, b: d.InverseGamma(a, b), ([0.4, 1.5, 5.5], B), POSITIVE, 0.0),
    "Kumaraswamy": Case(lambda d, a, b: d.Kumaraswamy(a, b), (A, [[0.7, 1.5, 3.0], [12.0, 2.5, 0.3]]), UNIT, 1.5),
    "LKJCholesky": Case(
        lambda d, a: d.LKJCholesky(3, a), ([0.5, 3.0],), CORR_TRIL, [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    ),
    "Laplace": Case(lambda d, a, b: d.Laplace(a, b), (LOC, SCALE), REALS, float("nan")),
    "LogNormal": Case(lambda d, a, b: d.LogNormal(a, b), (LOC, SCALE), POSITIVE, -1.0),
    "LogisticNormal": Case(
        lambda d, a, b: d.LogisticNormal(a, b), ([0.3, -0.5], [[0.5, 1.0], [2.5, 0.7]]), SIMPLEX, [0.5, 0.6, 0.0]
    ),
    "LowRankMultivariateNormal": Case(
        lambda d, a, w, v: d.LowRankMultivariateNormal(a, w, v),
        (LOC, [[0.3, 0.1], [1.0, -0.5], [0.0, 2.0]], [0.7, 0.2, 1.1]),
        VECTORS,
        [0.0, 1.0, float("nan")],
    ),
    "MixtureSameFamily": Case(
        lambda d, p, a, b: d.MixtureSameFamily(d.Categorical(p), d.Normal(a, b)),
        (SIMPLEX[0], LOC, SCALE[0]),
        [-1.0, 0.5, 3.0],
        float("nan"),
    ),
    "MixtureSameFamily vectors": Case(
        lambda d, p, a: d.MixtureSameFamily(d.Categorical(p), d.Independent(d.Normal(a, 1.0), 1)),
        ([0.3, 0.7], [[0.1, 0.2, 0.3], [1.0, 2.0, -3.0]]),
        VECTORS,
    ),
    "Multinomial": Case(
        lambda d, p: d.Multinomial(4, p), (SIMPLEX,), [[1.0, 3.0, 0.0], [2.0, 1.0, 1.0]], [1.0, 1.0, 1.0]
    ),
    "MultivariateNormal": Case(
        lambda d, a, c: d.MultivariateNormal(a, c), (LOC, COV), VECTORS, [0.0, 1.0, float("nan")]
    ),
    "MultivariateNormal precision": Case(
        lambda d, a, c: d.MultivariateNormal(a, precision_matrix=c), (LOC, COV), VECTORS
    ),
    "MultivariateNormal tril": Case(lambda d, a, c: d.MultivariateNormal(a, scale_tril=c), (VECTORS, TRIL), VECTORS),
    "NegativeBinomial": Case(lambda d, n, p: d.NegativeBinomial(n, p), ([3.0, 0.5, 10.0], P), COUNTS, 0.5),
    "NegativeBinomial logits": Case(
        lambda d, n, x: d.NegativeBinomial(n, logits=x), ([3.0, 0.5, 10.0], LOGITS), COUNTS, -1.0
    ),
    "Normal": Case(lambda d, a, b: d.Normal(a, b), (LOC, SCALE), REALS, float("nan")),
    "OneHotCategorical": Case(
        lambda d, p: d.OneHotCategorical(p), (SIMPLEX,), [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], [1.0, 1.0, 0.0]
    ),
    "OneHotCategoricalStraightThrough": Case(
        lambda d, x: d.OneHotCategoricalStraightThrough(logits=x), (Q,), [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    ),
    "Pareto": Case(
        lambda d, a, b: d.Pareto(a, b),
        ([0.5, 1.0, 0.7], [[0.7, 1.0, 3.0], [12.0, 2.5, 0.3]]),
        [[0.6, 1.9, 1.5], [2.0, 6.5, 30.0]],
        0.1,
    ),
    "Poisson": Case(lambda d, a: d.Poisson(a), ([0.3, 2.0, 11.5],), COUNTS, 0.5),
    "RelaxedBernoulli": Case(lambda d, t, p: d.RelaxedBernoulli(t, p), (0.7, P), UNIT, 1.5),
    "LogitRelaxedBernoulli": Case(
        lambda d, t, x: d.relaxed_bernoulli.LogitRelaxedBernoulli(t, logits=x), (0.7, LOGITS), REALS, float("nan")
    ),
    "RelaxedOneHotCategorical": Case(
        lambda d, t, p: d.RelaxedOneHotCategorical(t, p), (0.7, SIMPLEX), SIMPLEX, [0.5, 0.6, 0.0]
    ),
    "ExpRelaxedCategorical": Case(
        lambda d, t, x: d.relaxed_categorical.ExpRelaxedCategorical(t, logits=x),
        (0.7, Q),
        [[-1.0, -2.0, -0.7], [-3.0, -0.1, -4.0]],
    ),
    "StudentT": Case(lambda d, n, a, b: d.StudentT(n, a, b), ([0.8, 1.7, 9.0], LOC, SCALE), REALS, float("nan")),
    "TransformedDistribution": Case(
        lambda d, a, b: d.TransformedDistribution(d.Normal(a, b), [d.AffineTransform(1.0, -2.0), d.SigmoidTransform()]),
        (LOC, [[0.5, 1.0, 2.5], [3.0, 0.6, 0.7]]),
        UNIT,
        1.5,
    ),
    "Uniform": Case(
        lambda d, a, b: d.Uniform(a, b),
        ([-4.0, -1.0, 0.5], [[2.0, 1.25, 7.5], [0.5, 3.0, 9.0]]),
        [[-3.0, 0.25, 1.5], [0.0, -0.4, 7.0]],
        11.0,
    ),
    "VonMises": Case(
        lambda d, a, b: d.VonMises(a, b),
        (LOC, [[0.5, 1.0, 20.0], [300.0, 0.01, 5.0]]),
        [[-3.0, 0.25, 1.5], [-1.4, -0.4, 3.0]],
        float("nan"),
    ),
    "Weibull": Case(
        lambda d, a, b: d.Weibull(a, b), ([0.5, 1.0, 2.5], [[1.7, 1.0, 3.0], [5.0, 2.5, 0.9]]), POSITIVE, -1.0
    ),
    "Wishart": Case(
        lambda d, n, c: d.Wishart(n, c),
        ([4.5, 3.2], COV),
        WISHART_VALUES,
        [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ),
    "Wishart precision": Case(lambda d, n, c: d.Wishart(n, precision_matrix=c), (5.0, COV), WISHART_VALUES),
    "Wishart tril": Case(lambda d, n, c: d.Wishart(n, scale_tril=c), (3.5, TRIL), WISHART_VALUES),
}
