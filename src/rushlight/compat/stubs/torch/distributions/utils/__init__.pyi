# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.utils import LazyOfClass as LazyOfClass
from rushlight.distributions.utils import R as R
from rushlight.distributions.utils import broadcast_all as broadcast_all
from rushlight.distributions.utils import clamp_probs as clamp_probs
from rushlight.distributions.utils import euler_constant as euler_constant
from rushlight.distributions.utils import lazy_property as lazy_property
from rushlight.distributions.utils import logits_to_probs as logits_to_probs
from rushlight.distributions.utils import one_hot as one_hot
from rushlight.distributions.utils import probs_to_logits as probs_to_logits
from rushlight.distributions.utils import tril_matrix_to_vec as tril_matrix_to_vec
from rushlight.distributions.utils import vec_to_tril_matrix as vec_to_tril_matrix
from rushlight.distributions.utils import where_valid as where_valid
from torch.nn import functional as _of_F

F = _of_F
