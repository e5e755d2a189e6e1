# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.constraints import Constraint as Constraint
from rushlight.distributions.constraints import MixtureSameFamilyConstraint as MixtureSameFamilyConstraint
from rushlight.distributions.constraints import _Above as _Above
from rushlight.distributions.constraints import _Below as _Below
from rushlight.distributions.constraints import _Between as _Between
from rushlight.distributions.constraints import _Boolean as _Boolean
from rushlight.distributions.constraints import _Bounded as _Bounded
from rushlight.distributions.constraints import _Cat as _Cat
from rushlight.distributions.constraints import _Cat as _of_cat
from rushlight.distributions.constraints import _CorrCholesky as _CorrCholesky
from rushlight.distributions.constraints import _Dependent as _Dependent
from rushlight.distributions.constraints import _DependentProperty as _DependentProperty
from rushlight.distributions.constraints import _DependentProperty as _of_dependent_property
from rushlight.distributions.constraints import _GreaterThan as _GreaterThan
from rushlight.distributions.constraints import _GreaterThan as _of_greater_than
from rushlight.distributions.constraints import _GreaterThanEq as _GreaterThanEq
from rushlight.distributions.constraints import _GreaterThanEq as _of_greater_than_eq
from rushlight.distributions.constraints import _HalfOpenInterval as _HalfOpenInterval
from rushlight.distributions.constraints import _HalfOpenInterval as _of_half_open_interval
from rushlight.distributions.constraints import _IndependentConstraint as _IndependentConstraint
from rushlight.distributions.constraints import _IndependentConstraint as _of_independent
from rushlight.distributions.constraints import _IntegerGreaterThan as _IntegerGreaterThan
from rushlight.distributions.constraints import _IntegerInterval as _IntegerInterval
from rushlight.distributions.constraints import _IntegerInterval as _of_integer_interval
from rushlight.distributions.constraints import _IntegerLessThan as _IntegerLessThan
from rushlight.distributions.constraints import _Interval as _Interval
from rushlight.distributions.constraints import _Interval as _of_interval
from rushlight.distributions.constraints import _LessThan as _LessThan
from rushlight.distributions.constraints import _LessThan as _of_less_than
from rushlight.distributions.constraints import _LowerCholesky as _LowerCholesky
from rushlight.distributions.constraints import _LowerTriangular as _LowerTriangular
from rushlight.distributions.constraints import _Multinomial as _Multinomial
from rushlight.distributions.constraints import _Multinomial as _of_multinomial
from rushlight.distributions.constraints import _OneHot as _OneHot
from rushlight.distributions.constraints import _Pieces as _Pieces
from rushlight.distributions.constraints import _PositiveDefinite as _PositiveDefinite
from rushlight.distributions.constraints import _PositiveSemidefinite as _PositiveSemidefinite
from rushlight.distributions.constraints import _Real as _Real
from rushlight.distributions.constraints import _Simplex as _Simplex
from rushlight.distributions.constraints import _Square as _Square
from rushlight.distributions.constraints import _Stack as _Stack
from rushlight.distributions.constraints import _Stack as _of_stack
from rushlight.distributions.constraints import _Symmetric as _Symmetric
from rushlight.distributions.constraints import boolean as boolean
from rushlight.distributions.constraints import corr_cholesky as corr_cholesky
from rushlight.distributions.constraints import dependent as dependent
from rushlight.distributions.constraints import is_dependent as is_dependent
from rushlight.distributions.constraints import lower_cholesky as lower_cholesky
from rushlight.distributions.constraints import lower_triangular as lower_triangular
from rushlight.distributions.constraints import nonnegative as nonnegative
from rushlight.distributions.constraints import nonnegative_integer as nonnegative_integer
from rushlight.distributions.constraints import one_hot as one_hot
from rushlight.distributions.constraints import positive as positive
from rushlight.distributions.constraints import positive_definite as positive_definite
from rushlight.distributions.constraints import positive_integer as positive_integer
from rushlight.distributions.constraints import positive_semidefinite as positive_semidefinite
from rushlight.distributions.constraints import real as real
from rushlight.distributions.constraints import real_vector as real_vector
from rushlight.distributions.constraints import simplex as simplex
from rushlight.distributions.constraints import square as square
from rushlight.distributions.constraints import symmetric as symmetric
from rushlight.distributions.constraints import unit_interval as unit_interval

cat = _of_cat
dependent_property = _of_dependent_property
greater_than = _of_greater_than
greater_than_eq = _of_greater_than_eq
half_open_interval = _of_half_open_interval
independent = _of_independent
integer_interval = _of_integer_interval
interval = _of_interval
less_than = _of_less_than
multinomial = _of_multinomial
stack = _of_stack
