# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.bernoulli import Bernoulli as Bernoulli
from rushlight.distributions.beta import Beta as Beta
from rushlight.distributions.binomial import Binomial as Binomial
from rushlight.distributions.binomial import Binomial as _of__each
from rushlight.distributions.categorical import Categorical as Categorical
from rushlight.distributions.cauchy import Cauchy as Cauchy
from rushlight.distributions.continuous_bernoulli import ContinuousBernoulli as ContinuousBernoulli
from rushlight.distributions.dirichlet import Dirichlet as Dirichlet
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.exp_family import ExponentialFamily as ExponentialFamily
from rushlight.distributions.exponential import Exponential as Exponential
from rushlight.distributions.gamma import Gamma as Gamma
from rushlight.distributions.geometric import Geometric as Geometric
from rushlight.distributions.gumbel import Gumbel as Gumbel
from rushlight.distributions.half_normal import HalfNormal as HalfNormal
from rushlight.distributions.independent import Independent as Independent
from rushlight.distributions.kl import Formula as Formula
from rushlight.distributions.kl import Gaussian as Gaussian
from rushlight.distributions.kl import _Moments as _Moments
from rushlight.distributions.kl import kl_divergence as kl_divergence
from rushlight.distributions.kl import register_kl as register_kl
from rushlight.distributions.laplace import Laplace as Laplace
from rushlight.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal as LowRankMultivariateNormal
from rushlight.distributions.multivariate_normal import MultivariateNormal as MultivariateNormal
from rushlight.distributions.normal import Normal as Normal
from rushlight.distributions.normal import Normal as _of__q
from rushlight.distributions.one_hot_categorical import OneHotCategorical as OneHotCategorical
from rushlight.distributions.pareto import Pareto as Pareto
from rushlight.distributions.poisson import Poisson as Poisson
from rushlight.distributions.poisson import Poisson as _of__wide
from rushlight.distributions.transformed_distribution import TransformedDistribution as TransformedDistribution
from rushlight.distributions.uniform import Uniform as Uniform
from rushlight.distributions.utils import broadcast_all as broadcast_all
from rushlight.distributions.utils import euler_constant as euler_constant
from torch.nn import functional as _of_F

F = _of_F
_each = _of__each
_q = _of__q
_wide = _of__wide
