# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.devices import Size as Size
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions._transform import Transform as Transform
from rushlight.distributions._transform import _InverseTransform as _InverseTransform
from rushlight.distributions._transform import _OneOfItsKind as _OneOfItsKind
from rushlight.distributions.constraints import Constraint as Constraint
from rushlight.distributions.distribution import Distribution as Distribution
from rushlight.distributions.transforms import AbsTransform as AbsTransform
from rushlight.distributions.transforms import AffineTransform as AffineTransform
from rushlight.distributions.transforms import CatTransform as CatTransform
from rushlight.distributions.transforms import ComposeTransform as ComposeTransform
from rushlight.distributions.transforms import CorrCholeskyTransform as CorrCholeskyTransform
from rushlight.distributions.transforms import CumulativeDistributionTransform as CumulativeDistributionTransform
from rushlight.distributions.transforms import ExpTransform as ExpTransform
from rushlight.distributions.transforms import IndependentTransform as IndependentTransform
from rushlight.distributions.transforms import LowerCholeskyTransform as LowerCholeskyTransform
from rushlight.distributions.transforms import PositiveDefiniteTransform as PositiveDefiniteTransform
from rushlight.distributions.transforms import PowerTransform as PowerTransform
from rushlight.distributions.transforms import ReshapeTransform as ReshapeTransform
from rushlight.distributions.transforms import SigmoidTransform as SigmoidTransform
from rushlight.distributions.transforms import SoftmaxTransform as SoftmaxTransform
from rushlight.distributions.transforms import SoftplusTransform as SoftplusTransform
from rushlight.distributions.transforms import StackTransform as StackTransform
from rushlight.distributions.transforms import StickBreakingTransform as StickBreakingTransform
from rushlight.distributions.transforms import TanhTransform as TanhTransform
from rushlight.distributions.transforms import _Pieces as _Pieces
from rushlight.distributions.transforms import identity_transform as identity_transform
from rushlight.distributions.utils import lazy_property as lazy_property
from rushlight.distributions.utils import tril_matrix_to_vec as tril_matrix_to_vec
from rushlight.distributions.utils import vec_to_tril_matrix as vec_to_tril_matrix
from torch.distributions import constraints as constraints
from torch.nn import functional as _of_F

F = _of_F
