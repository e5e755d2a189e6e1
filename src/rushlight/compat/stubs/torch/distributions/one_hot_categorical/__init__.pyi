# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions._categories import OverCategories as OverCategories
from rushlight.distributions.categorical import Categorical as Categorical
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.one_hot_categorical import OneHotCategorical as OneHotCategorical
from rushlight.distributions.one_hot_categorical import (
    OneHotCategoricalStraightThrough as OneHotCategoricalStraightThrough,
)
from rushlight.distributions.utils import one_hot as one_hot
from torch.distributions import constraints as constraints
