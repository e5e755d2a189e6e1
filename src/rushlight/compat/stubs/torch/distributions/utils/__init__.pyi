# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.utils import (
    LazyOfClass as LazyOfClass, R as R, broadcast_all as broadcast_all, clamp_probs as clamp_probs,
    euler_constant as euler_constant, lazy_property as lazy_property, logits_to_probs as logits_to_probs, one_hot as one_hot,
    probs_to_logits as probs_to_logits, tril_matrix_to_vec as tril_matrix_to_vec, vec_to_tril_matrix as vec_to_tril_matrix,
    where_valid as where_valid,
)
from torch.nn import functional as _of_F

F = _of_F
