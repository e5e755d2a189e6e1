"""The base of all distributions: shapes, validation, and what follows from the parameters' constraints."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import rushlight
from rushlight import Size, Tensor
from rushlight.distributions import constraints
from rushlight.distributions.constraints import Constraint
from rushlight.distributions.utils import LazyOfClass, broadcast_all
from rushlight.operators.table.body import has_values

__all__ = ["Distribution"]


def _shown(value: Any) -> str:
    """The values of an argument, for a message: a single one as a number."""
    return str(value.item() if isinstance(value, Tensor) and value.ndim == 0 else value)


def holds(constraint: Constraint, value: Tensor) -> bool:
    """Whether all of value satisfies a constraint; values that cannot be looked at (inside vmap, on meta) are taken as
    good.
    """
    valid = constraint.check(value)
    return not has_values(valid) or bool(valid.all())


class Distribution:
    """A probability distribution over tensors: a batch of distributions, each over events of one shape.

    Args:
        batch_shape: the shape of the batch.
        event_shape: the shape of one event, `Size([])` for numbers.
        validate_args: whether parameters are checked when it is made and values in log_prob; None takes the default
            (set_default_validate_args).
    """

    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args: bool = __debug__
    arg_constraints: Any
    support: Any

    # Attributes that belong to the parameters without being named in arg_constraints, with the dimensions of their
    # events.
    _more_parameters_: ClassVar[dict[str, int]] = {}
    _shared_: ClassVar[tuple[str, ...]] = ()  # attributes that expand() hands on as they are

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Check arguments from now on, or do not, wherever validate_args is not given.

        Raises:
            ValueError: value is neither True nor False.
        """
        if value not in (True, False):
            raise ValueError(f"set_default_validate_args(): 'value' must be True or False; found {value!r}")
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: Sequence[int] = (), event_shape: Sequence[int] = (), validate_args: bool | None = None
    ) -> None:
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters_()
        super().__init__()

    def _check_parameters_(self) -> None:
        """Refuse parameters outside their constraints; those that are computed when asked for are taken as good."""
        try:
            limits = self.arg_constraints
        except NotImplementedError:
            limits = {}
            warnings.warn(
                f"{type(self)} does not define `arg_constraints`, so that its parameters cannot be checked: set "
                f"arg_constraints = {{}}, or give "
                "validate_args=False",
                stacklevel=4,
            )
        for name, limit in limits.items():
            if constraints.is_dependent(limit):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name, None), LazyOfClass):
                continue
            value = getattr(self, name)
            if not holds(limit, value):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                    f"distribution {self!r} to satisfy the "
                    f"constraint {limit!r}, but found invalid values:\n{_shown(value)}"
                )

    def _hold_(self, validate_args: bool | None, event_dim: int = 0, /, **parameters: Any) -> None:
        """Make the distribution of parameters that broadcast: numbers or tensors, whose last event_dim dimensions are
        the event's.
        """
        values = broadcast_all(*parameters.values())
        self.__dict__.update(zip(parameters, values, strict=True))
        shape = values[0].shape
        cut = len(shape) - event_dim
        Distribution.__init__(self, shape[:cut], shape[cut:], validate_args=validate_args)

    # -- shapes
    # ---------------------------------------------------------------------------------------------------------------
    @property
    def batch_shape(self) -> Size:
        """The shape of the batch of distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one event."""
        return self._event_shape

    def _extended_shape(self, sample_shape: Sequence[int] = ()) -> Size:
        """The shape of a sample: sample_shape + batch_shape + event_shape."""
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def expand(self, batch_shape: Sequence[int], _instance: Distribution | None = None) -> Self:
        """The same distribution with the batch shape expanded, without a copy of its parameters.

        Args:
            batch_shape: what Tensor.expand takes for the batch's dimensions.
            _instance: of subclasses, the object to fill.
        """
        raise NotImplementedError(f"{type(self).__name__}.expand() is not implemented")

    def _expanded_(self, batch_shape: Sequence[int], _instance: Distribution | None = None) -> Any:
        """`expand` of a distribution that is its parameters: every one there is gets the batch shape, and nothing is
        checked again.
        """
        if _instance is None:
            owner = next(
                c for c in type(self).__mro__ if getattr(c.__dict__.get("expand"), "__name__", "") == "_expanded_"
            )
            _instance = self._get_checked_instance(owner)
        new = _instance
        new.__dict__.update({name: self.__dict__[name] for name in self._shared_})
        batch_shape = Size(batch_shape)
        for name, event_dim in self._parameter_dims_().items():
            value = self.__dict__.get(name)
            if isinstance(value, Tensor):
                new.__dict__[name] = value.expand((*batch_shape, *value.shape[value.ndim - event_dim :]))
            elif isinstance(value, Distribution):
                new.__dict__[name] = value.expand(batch_shape)
        Distribution.__init__(new, batch_shape, self._event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _parameter_dims_(self) -> dict[str, int]:
        """How many dimensions of each parameter belong to the event."""
        limits: dict[str, Any] = {}
        for cls in reversed(type(self).__mro__):  # a subclass may name its own parameters alone, and hold these too
            own = cls.__dict__.get("arg_constraints")
            limits |= own if isinstance(own, dict) else {}
        limits |= self.arg_constraints
        return {
            name: limit.event_dim for name, limit in limits.items() if name in self.__dict__
        } | self._more_parameters_

    def _get_checked_instance(self, cls: type, _instance: Distribution | None = None) -> Any:
        """An object for expand() to fill: `_instance`, or a new one if the class has no __init__ of its own that
        would have to run.
        """
        if _instance is None and type(self).__init__ is not cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"{type(self).__name__}, a subclass of {cls.__name__} with its own __init__, must define its own "
                "expand() too"
            )
        return object.__new__(type(self)) if _instance is None else _instance

    # -- what subclasses give
    # -------------------------------------------------------------------------------------------------
    @property
    def mean(self) -> Tensor:
        """The mean, of shape batch_shape + event_shape."""
        raise NotImplementedError(f"{type(self).__name__}.mean is not implemented")

    @property
    def mode(self) -> Tensor:
        """The most probable event, of shape batch_shape + event_shape."""
        raise NotImplementedError(f"{type(self).__name__}.mode is not implemented")

    @property
    def variance(self) -> Tensor:
        """The variance of each element of the event, of shape batch_shape + event_shape."""
        raise NotImplementedError(f"{type(self).__name__}.variance is not implemented")

    @property
    def stddev(self) -> Tensor:
        """The standard deviation, the root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw events, of shape sample_shape + batch_shape + event_shape; no gradient flows to the parameters."""
        with rushlight.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        """Draw events as a differentiable function of the parameters, of shape sample_shape + batch_shape +
        event_shape.
        """
        raise NotImplementedError(f"{type(self).__name__}.rsample() is not implemented")

    def sample_n(self, n: int) -> Tensor:
        """n events: an old name of sample((n,))."""
        warnings.warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning, stacklevel=2)
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density or probability at value, whose shape broadcasts with batch_shape +
        event_shape.
        """
        raise NotImplementedError(f"{type(self).__name__}.log_prob() is not implemented")

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of events of at most value."""
        raise NotImplementedError(f"{type(self).__name__}.cdf() is not implemented")

    def icdf(self, value: Tensor) -> Tensor:
        """The inverse of cdf: the event at a probability in [0, 1]."""
        raise NotImplementedError(f"{type(self).__name__}.icdf() is not implemented")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All events of a discrete distribution, along a new first dimension.

        Args:
            expand: whether the batch's dimensions are filled, or left at size 1.
        """
        raise NotImplementedError(f"{type(self).__name__}.enumerate_support() is not implemented")

    def entropy(self) -> Tensor:
        """The entropy in nats, of shape batch_shape."""
        raise NotImplementedError(f"{type(self).__name__}.entropy() is not implemented")

    def perplexity(self) -> Tensor:
        """exp of the entropy, of shape batch_shape."""
        return self.entropy().exp()

    def _enumerated_(self, values: Tensor, expand: bool) -> Tensor:
        """Values (n, *event) as enumerate_support() gives them: (n, 1, ..., 1, *event), or with the batch's dimensions
        filled.
        """
        event = values.shape[1:]
        values = values.reshape((-1, *(1,) * len(self._batch_shape), *event))
        return values.expand((-1, *self._batch_shape, *event)) if expand else values

    # -- values
    # ---------------------------------------------------------------------------------------------------------------
    def _validate_sample(self, value: Tensor) -> None:
        """Refuse what is no tensor, does not broadcast with the distribution, or lies outside the support.

        Raises:
            ValueError.
        """
        if not isinstance(value, Tensor):
            raise ValueError(
                f"{type(self).__name__}: the value argument must be a Tensor; found {type(value).__name__}"
            )
        expected = self._batch_shape + self._event_shape
        first = len(value.shape) - len(self._event_shape)
        if first < 0 or value.shape[first:] != self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {self._event_shape} expected; found "
                f"{value.shape}"
            )
        for found, wanted in zip(reversed(value.shape), reversed(expected), strict=False):
            if found != 1 and wanted != 1 and found != wanted:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {expected} expected; found {value.shape}"
                )
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{type(self)} does not define `support`, so that values cannot be checked: give validate_args=False",
                stacklevel=3,
            )
            return
        if not holds(support, value):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the "
                f"distribution {self!r}, but found invalid values:\n{_shown(value)}"
            )

    def __repr__(self) -> str:
        own = [(k, self.__dict__[k]) for k in self.arg_constraints if k in self.__dict__]
        return f"{type(self).__name__}({', '.join(f'{k}: {v if v.numel() == 1 else v.size()}' for k, v in own)})"


def _undefined(name: str, doc: str) -> property:
    def get(self: Distribution) -> Any:
        raise NotImplementedError(f"{type(self).__name__}.{name} is not defined")

    get.__doc__ = doc
    return property(get)


Distribution.arg_constraints = _undefined("arg_constraints", "The constraint of each parameter, by its name.")
Distribution.support = _undefined("support", "The constraint that events satisfy.")
