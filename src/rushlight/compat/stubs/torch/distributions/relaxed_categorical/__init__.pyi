# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions._categories import OverCategories as OverCategories
from rushlight.distributions._relaxed import Mapped as Mapped
from rushlight.distributions._relaxed import Relaxed as Relaxed
from rushlight.distributions.categorical import Categorical as Categorical
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.relaxed_categorical import ExpRelaxedCategorical as ExpRelaxedCategorical
from rushlight.distributions.relaxed_categorical import RelaxedOneHotCategorical as RelaxedOneHotCategorical
from rushlight.distributions.transformed_distribution import TransformedDistribution as TransformedDistribution
from rushlight.distributions.transforms import ExpTransform as ExpTransform
from rushlight.distributions.utils import broadcast_all as broadcast_all
from torch.distributions import constraints as constraints
