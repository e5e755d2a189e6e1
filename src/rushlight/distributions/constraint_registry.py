"""From a constraint to a transform of unconstrained numbers onto it: `biject_to` one to one, `transform_to` as simple
as can be.

An optimizer that works on unconstrained parameters takes transform_to(constraint); a change of variables, which needs
the Jacobian, takes biject_to(constraint).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from rushlight.distributions import constraints, transforms
from rushlight.distributions.transforms import Transform

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


Factory = Callable[[Any], Transform]
Kind = constraints.Constraint | type[constraints.Constraint]


class ConstraintRegistry:
    """Factories of transforms, by the class of a constraint."""

    def __init__(self) -> None:
        self._registry: dict[type, Factory] = {}
        super().__init__()

    @overload
    def register(self, constraint: Kind, factory: None = None) -> Callable[[Factory], Factory]: ...

    @overload
    def register(self, constraint: Kind, factory: Factory) -> Factory: ...

    def register(self, constraint: Kind, factory: Factory | None = None) -> Any:
        """Add a factory for a class of constraints (or that of an instance); without one, a decorator that adds it.

        Raises:
            TypeError: for what is no constraint.
        """
        if factory is None:
            return lambda made: self.register(constraint, made)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not (isinstance(kind, type) and issubclass(kind, constraints.Constraint)):
            raise TypeError(
                f"register(): 'constraint' must be a constraint or a class of constraints; found {constraint!r}"
            )
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: constraints.Constraint) -> Transform:
        """The transform of unconstrained tensors onto a constraint.

        Raises:
            NotImplementedError: none is registered.
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(
                f"no transform onto constraints of class {type(constraint).__name__} is registered"
            )
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _both(*kinds: Kind) -> Callable[[Factory], Factory]:
    """Register a factory in both registries for several constraints."""

    def add(factory: Factory) -> Factory:
        for kind in kinds:
            biject_to.register(kind, factory)
            transform_to.register(kind, factory)
        return factory

    return add


@_both(constraints.real)
def _to_real(constraint: constraints.Constraint) -> Transform:
    return transforms.identity_transform


@_both(constraints.greater_than, constraints.greater_than_eq)
def _to_above(constraint: constraints.greater_than | constraints.greater_than_eq) -> Transform:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)]
    )


@_both(constraints.less_than)
def _to_below(constraint: constraints.less_than) -> Transform:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)]
    )


@_both(constraints.interval, constraints.half_open_interval)
def _to_interval(constraint: constraints.interval | constraints.half_open_interval) -> Transform:
    low, high = constraint.lower_bound, constraint.upper_bound
    unit = transforms.SigmoidTransform()
    if isinstance(low, (int, float)) and isinstance(high, (int, float)) and low == 0 and high == 1:
        return unit
    return transforms.ComposeTransform([unit, transforms.AffineTransform(low, high - low)])


@_both(constraints.corr_cholesky)
def _to_corr_cholesky(constraint: constraints.Constraint) -> Transform:
    return transforms.CorrCholeskyTransform()


def _always(registry: ConstraintRegistry, constraint: Kind, transform: type[Transform]) -> None:
    """Register a transform that needs to know nothing of the constraint."""
    registry.register(constraint, lambda _: transform())


_always(biject_to, constraints.simplex, transforms.StickBreakingTransform)
_always(transform_to, constraints.simplex, transforms.SoftmaxTransform)
_always(transform_to, constraints.lower_cholesky, transforms.LowerCholeskyTransform)
_always(transform_to, constraints.positive_definite, transforms.PositiveDefiniteTransform)
_always(transform_to, constraints.positive_semidefinite, transforms.PositiveDefiniteTransform)


def _of_parts(to: ConstraintRegistry) -> None:
    """Combinations are made of the transforms of their parts."""

    @to.register(constraints.independent)
    def _to_independent(constraint: constraints.independent) -> Transform:
        return transforms.IndependentTransform(to(constraint.base_constraint), constraint.reinterpreted_batch_ndims)

    @to.register(constraints.cat)
    def _to_cat(constraint: constraints.cat) -> Transform:
        return transforms.CatTransform([to(part) for part in constraint.cseq], constraint.dim, constraint.lengths)

    @to.register(constraints.stack)
    def _to_stack(constraint: constraints.stack) -> Transform:
        return transforms.StackTransform([to(part) for part in constraint.cseq], constraint.dim)


_of_parts(biject_to)
_of_parts(transform_to)
