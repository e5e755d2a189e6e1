"""The base of transforms, and inverses; public in rushlight.distributions.transforms, which is the module that pickles
name.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from rushlight import Tensor
from rushlight.core.naming import reads


class Transform:
    """A map y = t(x). Subclasses set domain and codomain, and define _call, _inverse and log_abs_det_jacobian.

    Args:
        cache_size: 1 to remember the latest x and y, so that t.inv(t(x)) is x itself; 0 not to.
    """

    __module__ = "rushlight.distributions.transforms"

    bijective: Any = False
    domain: Any
    codomain: Any

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError(f"{type(self).__name__}: 'cache_size' must be 0 or 1; found {cache_size}")
        self._cache_size = cache_size
        self._inv: Any = None
        self._cached_x_y: tuple[Tensor | None, Tensor | None] = (None, None)
        super().__init__()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self) -> Any:
        """How many last dimensions one value has.

        Raises:
            ValueError: x and y differ in that.
        """
        if self.domain.event_dim != self.codomain.event_dim:
            raise ValueError(
                f"{type(self).__name__}: values have {self.domain.event_dim} dimensions before and "
                f"{self.codomain.event_dim} after it: "
                "use .domain.event_dim or .codomain.event_dim"
            )
        return self.domain.event_dim

    @property
    def inv(self) -> Transform:
        """The inverse transform, whose inverse is this object."""
        inverse = None if self._inv is None else self._inv()
        if inverse is None:
            inverse = _InverseTransform(self)
            self._inv = weakref.ref(inverse)
        return inverse

    @property
    def sign(self) -> Tensor | int:
        """1 where it increases, -1 where it decreases, for maps of numbers."""
        raise NotImplementedError(f"{type(self).__name__}.sign is not defined")

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The same transform with another cache_size."""
        if self._cache_size == cache_size:
            return self
        arguments = self._arguments_()
        if arguments is None:
            raise NotImplementedError(f"{type(self).__name__}.with_cache() is not implemented")
        return type(self)(*arguments, cache_size=cache_size)  # type: ignore[misc]

    def _arguments_(self) -> tuple[Any, ...] | None:
        """What the constructor takes to make it again; None where a subclass has not said so."""
        return () if type(self).__init__ is Transform.__init__ else None

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def _remembered_(self, given: Tensor, at: int, compute: Callable[[Tensor], Tensor]) -> Tensor:
        """compute(given); with a cache, the other one of the last pair where `given` is the one at `at` in it."""
        pair = self._cached_x_y
        other = pair[1 - at]
        if self._cache_size and given is pair[at] and other is not None:
            return other
        found = compute(given)
        if self._cache_size:
            self._cached_x_y = (found, given) if at else (given, found)
        return found

    def __call__(self, x: Tensor) -> Tensor:
        """t(x)."""
        return self._remembered_(x, 0, self._call)

    def _inv_call(self, y: Tensor) -> Tensor:
        """The x with t(x) = y."""
        return self._remembered_(y, 1, self._inverse)

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__}._call() is not implemented")

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__}._inverse() is not implemented")

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """log |det dy/dx| at x, with y = t(x), one number a value."""
        raise NotImplementedError(f"{type(self).__name__}.log_abs_det_jacobian() is not implemented")

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        """The shape of t(x) for x of a shape."""
        return shape

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        """The shape of x for t(x) of a shape."""
        return shape

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class _OneOfItsKind(Transform):
    """A transform without parameters: all of one class are equal."""

    __module__ = "rushlight.distributions.transforms"

    __hash__ = None

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)


class _InverseTransform(Transform):
    """The inverse of a transform, with its cache."""

    __module__ = "rushlight.distributions.transforms"

    __hash__ = None

    def __init__(self, transform: Transform) -> None:
        super().__init__(cache_size=transform._cache_size)
        self._inv: Transform = transform

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    domain: Any = reads("_inv.codomain", object, "The codomain of the transform.")
    codomain: Any = reads("_inv.domain", object, "The domain of the transform.")
    bijective: Any = reads("_inv.bijective", object, "Whether the transform is one to one.")
    sign: Any = reads("_inv.sign", object, "That of the transform.")
    inv: Any = reads("_inv", object, "The transform itself.")

    def with_cache(self, cache_size: int = 1) -> Any:
        return self.inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and bool(self._inv == other._inv)

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Sequence[int]) -> Any:
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Any:
        return self._inv.forward_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv!r})"
