"""Regions that parameters and events lie in: each says which tensors, or elements of one, are inside.

A constraint has event_dim, the number of last dimensions that together make one value, and is_discrete. `check(value)`
gives a bool tensor without those dimensions. The instances here (`real`, `simplex`, ...) and the classes with bounds
(`interval`, `greater_than`, ...) are what distributions name in arg_constraints and support.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import rushlight
from rushlight import Tensor
from rushlight.core.naming import reads

__all__ = [
    "Constraint",
    "MixtureSameFamilyConstraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]

_TOLERANCE = 1e-6  # of sums and norms that are to be 1, and of symmetry


class Constraint:
    """A region. Subclasses set is_discrete and event_dim, and define check."""

    is_discrete: Any = False
    event_dim: Any = 0

    def check(self, value: Tensor) -> Tensor:
        """Whether values are inside, one bool an event: of shape value.shape without the last event_dim dimensions."""
        raise NotImplementedError(f"{type(self).__name__}.check() is not implemented")

    def __repr__(self) -> str:
        return f"{type(self).__name__.removeprefix('_')}()"


class _Dependent(Constraint):
    """Stands for a region that depends on other values, of which little is known beforehand.

    Args:
        is_discrete, event_dim: what is known all the same; NotImplemented where it is not.
    """

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete, self._event_dim = is_discrete, event_dim
        super().__init__()

    def _known_(self, name: str) -> Any:
        value = getattr(self, f"_{name}")
        if value is NotImplemented:
            raise NotImplementedError(f"the constraint depends on other values: its {name} is not known")
        return value

    @property
    def is_discrete(self) -> Any:
        """Whether the region is discrete.

        Raises:
            NotImplementedError: that is not known.
        """
        return self._known_("is_discrete")

    @property
    def event_dim(self) -> Any:
        """The number of an event's dimensions.

        Raises:
            NotImplementedError: it is not known.
        """
        return self._known_("event_dim")

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> _Dependent:
        """A dependent region of which more is known."""
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, value: Tensor) -> Tensor:
        raise ValueError("a dependent constraint cannot be checked without the values that it depends on")


class _DependentProperty(property, _Dependent):
    """A property whose value is a constraint: on the class it stands for a dependent region, on an object it is the
    region.

    Used as a decorator, with or without what is known: @dependent_property(is_discrete=False, event_dim=0).
    """

    def __init__(
        self,
        fn: Callable[..., Any] | None = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:
        super().__init__(fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn: Callable[..., Any]) -> _DependentProperty:  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def is_dependent(constraint: Constraint) -> bool:
    """Whether a constraint stands for a region that depends on other values."""
    return isinstance(constraint, _Dependent)


# -- elements
# -----------------------------------------------------------------------------------------------------------------
class _Real(Constraint):
    """All numbers but NaN."""

    def check(self, value: Tensor) -> Tensor:
        return value == value


class _Boolean(Constraint):
    """0 and 1."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value == 0) | (value == 1)


class _Bounded(Constraint):
    """Numbers between bounds, which may be tensors; the names of the bounds are those of the constructor's
    arguments.
    """

    def __repr__(self) -> str:
        bounds = [f"{k}={v}" for k, v in self.__dict__.items()]
        return f"{type(self).__name__.removeprefix('_')}({', '.join(bounds)})"


class _Above(_Bounded):
    def __init__(self, lower_bound: float | Tensor) -> None:
        self.lower_bound = lower_bound


class _Below(_Bounded):
    def __init__(self, upper_bound: float | Tensor) -> None:
        self.upper_bound = upper_bound


class _Between(_Bounded):
    def __init__(self, lower_bound: float | Tensor, upper_bound: float | Tensor) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound


class _GreaterThan(_Above):
    """Numbers above lower_bound."""

    def check(self, value: Tensor) -> Tensor:
        return value > self.lower_bound


class _GreaterThanEq(_Above):
    """Numbers of at least lower_bound."""

    def check(self, value: Tensor) -> Tensor:
        return value >= self.lower_bound


class _LessThan(_Below):
    """Numbers below upper_bound."""

    def check(self, value: Tensor) -> Tensor:
        return value < self.upper_bound


class _Interval(_Between):
    """Numbers of [lower_bound, upper_bound]."""

    def check(self, value: Tensor) -> Tensor:
        return (value >= self.lower_bound) & (value <= self.upper_bound)


class _HalfOpenInterval(_Between):
    """Numbers of [lower_bound, upper_bound)."""

    def check(self, value: Tensor) -> Tensor:
        return (value >= self.lower_bound) & (value < self.upper_bound)


def _whole(value: Tensor) -> Tensor:
    return value % 1 == 0


class _IntegerInterval(_Between):
    """Whole numbers of [lower_bound, upper_bound]."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return _whole(value) & (value >= self.lower_bound) & (value <= self.upper_bound)


class _IntegerGreaterThan(_Above):
    """Whole numbers of at least lower_bound."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return _whole(value) & (value >= self.lower_bound)


class _IntegerLessThan(_Below):
    """Whole numbers of at most upper_bound."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return _whole(value) & (value <= self.upper_bound)


# -- vectors
# ------------------------------------------------------------------------------------------------------------------
class _OneHot(Constraint):
    """Vectors with one 1 among zeros."""

    is_discrete = True
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return boolean.check(value).all(-1) & (value.sum(-1) == 1)


class _Simplex(Constraint):
    """Vectors of nonnegative numbers whose sum is 1."""

    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < _TOLERANCE)


class _Multinomial(Constraint):
    """Vectors of counts whose sum is upper_bound at most."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: float | Tensor) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


# -- matrices
# -----------------------------------------------------------------------------------------------------------------
class _LowerTriangular(Constraint):
    """Matrices with zeros above the diagonal."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        return (value.tril() == value).flatten(-2).all(-1)


class _LowerCholesky(_LowerTriangular):
    """Lower triangular matrices with a positive diagonal."""

    def check(self, value: Tensor) -> Tensor:
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(_LowerCholesky):
    """Cholesky factors of correlation matrices: lower triangular, the diagonal positive, each row of norm 1."""

    def check(self, value: Tensor) -> Tensor:
        slack = rushlight.finfo(value.dtype).eps * value.size(-1) * 10
        rows = ((value * value).sum(-1).sqrt() - 1).abs() <= slack
        return rows.all(-1) & super().check(value)


class _Square(Constraint):
    """Square matrices."""

    event_dim = 2

    def check(self, value: Tensor) -> Tensor:
        return rushlight.full(
            value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=rushlight.bool, device=value.device
        )


class _Symmetric(_Square):
    """Symmetric matrices."""

    def check(self, value: Tensor) -> Tensor:
        if value.shape[-2] != value.shape[-1]:
            return super().check(value)
        return rushlight.isclose(value, value.mT, atol=_TOLERANCE).all(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    """Symmetric matrices without negative eigenvalues."""

    def check(self, value: Tensor) -> Tensor:
        symmetric = super().check(value)
        return (
            symmetric & (rushlight.linalg.eigvalsh(value) >= 0).all(-1)
            if value.shape[-2] == value.shape[-1]
            else symmetric
        )


class _PositiveDefinite(_Symmetric):
    """Symmetric matrices whose eigenvalues are positive."""

    def check(self, value: Tensor) -> Tensor:
        symmetric = super().check(value)
        return (
            symmetric & (rushlight.linalg.cholesky_ex(value).info == 0)
            if value.shape[-2] == value.shape[-1]
            else symmetric
        )


# -- combinations
# -------------------------------------------------------------------------------------------------------------
class _IndependentConstraint(Constraint):
    """A constraint whose values are blocks of another's: all elements of the last dimensions must satisfy that.

    Args:
        base_constraint: of the elements.
        reinterpreted_batch_ndims: how many more dimensions belong to an event.
    """

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims

    @property
    def is_discrete(self) -> Any:
        """Whether the elements are discrete."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:
        """The number of an event's dimensions: those of the elements and the further ones."""
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        if value.ndim < self.event_dim:
            raise ValueError(f"{self!r}: the value must have {self.event_dim} dimensions or more; found {value.ndim}")
        return _all_rightmost(self.base_constraint.check(value), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"{type(self).__name__.removeprefix('_')}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


def _all_rightmost(inside: Tensor, dims: int) -> Tensor:
    return inside.flatten(inside.ndim - dims).all(-1) if dims else inside


class MixtureSameFamilyConstraint(Constraint):
    """The support of a mixture: values that every component allows.

    Args:
        base_constraint: the components' support; a dimension of the components comes before its events.
    """

    def __init__(self, base_constraint: Constraint) -> None:
        self.base_constraint = base_constraint

    is_discrete = reads("base_constraint.is_discrete", bool, "Whether the components are discrete.")
    event_dim = reads("base_constraint.event_dim", int, "The number of an event's dimensions.")

    def check(self, value: Tensor) -> Tensor:
        at = -1 - self.event_dim
        inside = self.base_constraint.check(value.unsqueeze(at))
        if value.ndim < self.event_dim:
            raise ValueError(f"{self!r}: the value must have {self.event_dim} dimensions or more; found {value.ndim}")
        return inside.all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_constraint!r})"


class _Pieces(Constraint):
    """Constraints of the pieces that a tensor has along one dimension.

    Args:
        cseq: the constraints.
        dim: the dimension.
    """

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        if not all(isinstance(c, Constraint) for c in cseq):
            raise AssertionError(f"{self!r}: all elements of 'cseq' must be constraints; found {list(cseq)}")
        self.cseq, self.dim = list(cseq), dim

    @property
    def is_discrete(self) -> bool:
        """Whether any piece is discrete."""
        return any(c.is_discrete for c in self.cseq)

    def _check_dim_(self, value: Tensor) -> None:
        if not -value.ndim <= self.dim < value.ndim:
            raise AssertionError(
                f"{self!r}: the value must have the dimension {self.dim}; found {value.ndim} dimensions"
            )


class _Cat(_Pieces):
    """Constraints of the pieces of a concatenation, of the given lengths (1 each if not given)."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(
                f"{self!r}: 'lengths' must have one length for each of {len(self.cseq)} constraints; found "
                f"{len(self.lengths)}"
            )

    @property
    def event_dim(self) -> int:
        """The largest number of dimensions of the pieces' events."""
        return max(c.event_dim for c in self.cseq)  # type: ignore[no-any-return]

    def check(self, value: Tensor) -> Tensor:
        self._check_dim_(value)
        pieces = (
            value.split(self.lengths, self.dim)
            if sum(self.lengths) == value.size(self.dim)
            else [value.narrow(self.dim, sum(self.lengths[:k]), n) for k, n in enumerate(self.lengths)]
        )
        return rushlight.cat([c.check(v) for c, v in zip(self.cseq, pieces, strict=True)], self.dim)


class _Stack(_Pieces):
    """Constraints of the slices of a stack."""

    @property
    def event_dim(self) -> int:
        """The largest number of dimensions of the slices' events, and the stack's own if it is counted from the end."""
        most = max(c.event_dim for c in self.cseq)
        return most + 1 if self.dim + most < 0 else most  # type: ignore[no-any-return]

    def check(self, value: Tensor) -> Tensor:
        self._check_dim_(value)
        slices = [value.select(self.dim, k) for k in range(value.size(self.dim))]
        return rushlight.stack([c.check(v) for c, v in zip(self.cseq, slices, strict=False)], self.dim)


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack
