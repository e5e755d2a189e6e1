# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.distributions._transform import Transform as Transform
from rushlight.distributions.bernoulli import Bernoulli as Bernoulli
from rushlight.distributions.beta import Beta as Beta
from rushlight.distributions.binomial import Binomial as Binomial
from rushlight.distributions.categorical import Categorical as Categorical
from rushlight.distributions.cauchy import Cauchy as Cauchy
from rushlight.distributions.chi2 import Chi2 as Chi2
from rushlight.distributions.constraint_registry import biject_to as biject_to, transform_to as transform_to
from rushlight.distributions.continuous_bernoulli import ContinuousBernoulli as ContinuousBernoulli
from rushlight.distributions.dirichlet import Dirichlet as Dirichlet
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.exp_family import ExponentialFamily as ExponentialFamily
from rushlight.distributions.exponential import Exponential as Exponential
from rushlight.distributions.fishersnedecor import FisherSnedecor as FisherSnedecor
from rushlight.distributions.gamma import Gamma as Gamma
from rushlight.distributions.generalized_pareto import GeneralizedPareto as GeneralizedPareto
from rushlight.distributions.geometric import Geometric as Geometric
from rushlight.distributions.gumbel import Gumbel as Gumbel
from rushlight.distributions.half_cauchy import HalfCauchy as HalfCauchy
from rushlight.distributions.half_normal import HalfNormal as HalfNormal
from rushlight.distributions.independent import Independent as Independent
from rushlight.distributions.inverse_gamma import InverseGamma as InverseGamma
from rushlight.distributions.kl import kl_divergence as kl_divergence, register_kl as register_kl
from rushlight.distributions.kumaraswamy import Kumaraswamy as Kumaraswamy
from rushlight.distributions.laplace import Laplace as Laplace
from rushlight.distributions.lkj_cholesky import LKJCholesky as LKJCholesky
from rushlight.distributions.log_normal import LogNormal as LogNormal
from rushlight.distributions.logistic_normal import LogisticNormal as LogisticNormal
from rushlight.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal as LowRankMultivariateNormal
from rushlight.distributions.mixture_same_family import MixtureSameFamily as MixtureSameFamily
from rushlight.distributions.multinomial import Multinomial as Multinomial
from rushlight.distributions.multivariate_normal import MultivariateNormal as MultivariateNormal
from rushlight.distributions.negative_binomial import NegativeBinomial as NegativeBinomial
from rushlight.distributions.normal import Normal as Normal
from rushlight.distributions.one_hot_categorical import (
    OneHotCategorical as OneHotCategorical, OneHotCategoricalStraightThrough as OneHotCategoricalStraightThrough,
)
from rushlight.distributions.pareto import Pareto as Pareto
from rushlight.distributions.poisson import Poisson as Poisson
from rushlight.distributions.relaxed_bernoulli import RelaxedBernoulli as RelaxedBernoulli
from rushlight.distributions.relaxed_categorical import RelaxedOneHotCategorical as RelaxedOneHotCategorical
from rushlight.distributions.studentT import StudentT as StudentT
from rushlight.distributions.transformed_distribution import TransformedDistribution as TransformedDistribution
from rushlight.distributions.transforms import (
    AbsTransform as AbsTransform, AffineTransform as AffineTransform, CatTransform as CatTransform,
    ComposeTransform as ComposeTransform, CorrCholeskyTransform as CorrCholeskyTransform,
    CumulativeDistributionTransform as CumulativeDistributionTransform, ExpTransform as ExpTransform,
    IndependentTransform as IndependentTransform, LowerCholeskyTransform as LowerCholeskyTransform,
    PositiveDefiniteTransform as PositiveDefiniteTransform, PowerTransform as PowerTransform,
    ReshapeTransform as ReshapeTransform, SigmoidTransform as SigmoidTransform, SoftmaxTransform as SoftmaxTransform,
    SoftplusTransform as SoftplusTransform, StackTransform as StackTransform, StickBreakingTransform as StickBreakingTransform,
    TanhTransform as TanhTransform, identity_transform as identity_transform,
)
from rushlight.distributions.uniform import Uniform as Uniform
from rushlight.distributions.von_mises import VonMises as VonMises
from rushlight.distributions.weibull import Weibull as Weibull
from rushlight.distributions.wishart import Wishart as Wishart
from torch.distributions import (
    bernoulli as bernoulli, beta as beta, binomial as binomial, categorical as categorical, cauchy as cauchy, chi2 as chi2,
    constraint_registry as constraint_registry, constraints as constraints, continuous_bernoulli as continuous_bernoulli,
    dirichlet as dirichlet, distribution as distribution, exp_family as exp_family, exponential as exponential,
    fishersnedecor as fishersnedecor, gamma as gamma, generalized_pareto as generalized_pareto, geometric as geometric,
    gumbel as gumbel, half_cauchy as half_cauchy, half_normal as half_normal, independent as independent,
    inverse_gamma as inverse_gamma, kl as kl, kumaraswamy as kumaraswamy, laplace as laplace, lkj_cholesky as lkj_cholesky,
    log_normal as log_normal, logistic_normal as logistic_normal, lowrank_multivariate_normal as lowrank_multivariate_normal,
    mixture_same_family as mixture_same_family, multinomial as multinomial, multivariate_normal as multivariate_normal,
    negative_binomial as negative_binomial, normal as normal, one_hot_categorical as one_hot_categorical, pareto as pareto,
    poisson as poisson, relaxed_bernoulli as relaxed_bernoulli, relaxed_categorical as relaxed_categorical, studentT as studentT,
    transformed_distribution as transformed_distribution, transforms as transforms, uniform as uniform, utils as utils,
    von_mises as von_mises, weibull as weibull, wishart as wishart,
)
