# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.places import Size as Size
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions._transform import (
    Transform as Transform, _InverseTransform as _InverseTransform, _OneOfItsKind as _OneOfItsKind,
)
from rushlight.distributions.transforms import (
    AbsTransform as AbsTransform, AffineTransform as AffineTransform, CatTransform as CatTransform,
    ComposeTransform as ComposeTransform, CorrCholeskyTransform as CorrCholeskyTransform,
    CumulativeDistributionTransform as CumulativeDistributionTransform, ExpTransform as ExpTransform,
    IndependentTransform as IndependentTransform, LowerCholeskyTransform as LowerCholeskyTransform,
    PositiveDefiniteTransform as PositiveDefiniteTransform, PowerTransform as PowerTransform,
    ReshapeTransform as ReshapeTransform, SigmoidTransform as SigmoidTransform, SoftmaxTransform as SoftmaxTransform,
    SoftplusTransform as SoftplusTransform, StackTransform as StackTransform, StickBreakingTransform as StickBreakingTransform,
    TanhTransform as TanhTransform, _Pieces as _Pieces, identity_transform as identity_transform,
)
from rushlight.distributions.utils import (
    lazy_property as lazy_property, tril_matrix_to_vec as tril_matrix_to_vec, vec_to_tril_matrix as vec_to_tril_matrix,
)
from torch.distributions import constraints as constraints
from torch.nn import functional as _of_F

F = _of_F
