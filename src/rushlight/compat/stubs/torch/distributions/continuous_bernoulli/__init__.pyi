# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions._parameters import ProbsOrLogits as ProbsOrLogits
from rushlight.distributions.continuous_bernoulli import ContinuousBernoulli as ContinuousBernoulli
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.exp_family import ExponentialFamily as ExponentialFamily
from rushlight.distributions.utils import broadcast_all as broadcast_all
from rushlight.distributions.utils import clamp_probs as clamp_probs
from rushlight.distributions.utils import lazy_property as lazy_property
from rushlight.distributions.utils import logits_to_probs as logits_to_probs
from rushlight.distributions.utils import probs_to_logits as probs_to_logits
from rushlight.nn._functional_operators import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from torch.distributions import constraints as constraints
