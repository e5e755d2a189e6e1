# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.tensor import Tensor as Tensor
from rushlight.distributions.constraints import (
    Constraint as Constraint, MixtureSameFamilyConstraint as MixtureSameFamilyConstraint, _Above as _Above, _Below as _Below,
    _Between as _Between, _Boolean as _Boolean, _Bounded as _Bounded, _Cat as _Cat, _CorrCholesky as _CorrCholesky,
    _Dependent as _Dependent, _DependentProperty as _DependentProperty, _GreaterThan as _GreaterThan,
    _GreaterThanEq as _GreaterThanEq, _HalfOpenInterval as _HalfOpenInterval, _IndependentConstraint as _IndependentConstraint,
    _IntegerGreaterThan as _IntegerGreaterThan, _IntegerInterval as _IntegerInterval, _IntegerLessThan as _IntegerLessThan,
    _Interval as _Interval, _LessThan as _LessThan, _LowerCholesky as _LowerCholesky, _LowerTriangular as _LowerTriangular,
    _Multinomial as _Multinomial, _OneHot as _OneHot, _Pieces as _Pieces, _PositiveDefinite as _PositiveDefinite,
    _PositiveSemidefinite as _PositiveSemidefinite, _Real as _Real, _Simplex as _Simplex, _Square as _Square, _Stack as _Stack,
    _Symmetric as _Symmetric, boolean as boolean, _Cat as _of_cat, corr_cholesky as corr_cholesky, dependent as dependent,
    _DependentProperty as _of_dependent_property, _GreaterThan as _of_greater_than, _GreaterThanEq as _of_greater_than_eq,
    _HalfOpenInterval as _of_half_open_interval, _IndependentConstraint as _of_independent,
    _IntegerInterval as _of_integer_interval, _Interval as _of_interval, is_dependent as is_dependent, _LessThan as _of_less_than,
    lower_cholesky as lower_cholesky, lower_triangular as lower_triangular, _Multinomial as _of_multinomial,
    nonnegative as nonnegative, nonnegative_integer as nonnegative_integer, one_hot as one_hot, positive as positive,
    positive_definite as positive_definite, positive_integer as positive_integer, positive_semidefinite as positive_semidefinite,
    real as real, real_vector as real_vector, simplex as simplex, square as square, _Stack as _of_stack, symmetric as symmetric,
    unit_interval as unit_interval,
)

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
