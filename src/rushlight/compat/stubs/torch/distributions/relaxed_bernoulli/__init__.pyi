# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions._parameters import ProbsOrLogits as ProbsOrLogits
from rushlight.distributions._relaxed import Mapped as Mapped
from rushlight.distributions._relaxed import Relaxed as Relaxed
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.relaxed_bernoulli import LogitRelaxedBernoulli as LogitRelaxedBernoulli
from rushlight.distributions.relaxed_bernoulli import RelaxedBernoulli as RelaxedBernoulli
from rushlight.distributions.transformed_distribution import TransformedDistribution as TransformedDistribution
from rushlight.distributions.transforms import SigmoidTransform as SigmoidTransform
from rushlight.distributions.utils import broadcast_all as broadcast_all
from rushlight.distributions.utils import clamp_probs as clamp_probs
from rushlight.distributions.utils import probs_to_logits as probs_to_logits
from torch.distributions import constraints as constraints
from torch.nn import functional as _of_F

F = _of_F
