"""Differentiable maps with the logarithm of their Jacobian's determinant: what TransformedDistribution is made of."""

from __future__ import annotations

import functools
import math
import operator
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import rushlight
import rushlight.nn.functional as F
from rushlight import Size, Tensor
from rushlight.core.naming import reads
from rushlight.distributions import constraints
from rushlight.distributions._transform import Transform, _OneOfItsKind
from rushlight.distributions._transform import _InverseTransform as _InverseTransform
from rushlight.distributions.constraints import Constraint
from rushlight.distributions.distribution import Distribution
from rushlight.distributions.utils import _sum_rightmost, lazy_property, tril_matrix_to_vec, vec_to_tril_matrix

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "identity_transform",
]


def _independent(constraint: Constraint, dims: int) -> Constraint:
    return constraints.independent(constraint, dims) if dims else constraint


class ComposeTransform(Transform):
    """One transform after another.

    Args:
        parts: the transforms, the first one first.
        cache_size: of each part.
    """

    __hash__ = None

    def __init__(self, parts: list[Transform], cache_size: int = 0) -> None:
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts
        super().__init__(cache_size=cache_size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    def _event_dims_(self) -> list[int]:
        """The number of an event's dimensions before each part and after the last, as the widest part makes it."""
        needed = 0
        for part in reversed(self.parts):  # at the input: each part may need more than those behind it
            needed = max(part.domain.event_dim, needed - (part.codomain.event_dim - part.domain.event_dim))
        dims = [needed]
        for part in self.parts:
            dims.append(dims[-1] + part.codomain.event_dim - part.domain.event_dim)
        return dims

    @property
    def domain(self) -> Any:
        """The first part's domain, with as many more dimensions as the widest part needs."""
        if not self.parts:
            return constraints.real
        first = self.parts[0].domain
        return _independent(first, self._event_dims_()[0] - first.event_dim)

    @property
    def codomain(self) -> Any:
        """The last part's codomain, with as many more dimensions as the widest part needs."""
        if not self.parts:
            return constraints.real
        last = self.parts[-1].codomain
        return _independent(last, self._event_dims_()[-1] - last.event_dim)

    @lazy_property
    def bijective(self) -> bool:
        """Whether all parts are one to one."""
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self) -> int:
        """The product of the parts' signs."""
        return functools.reduce(operator.mul, (part.sign for part in self.parts), 1)

    @property
    def inv(self) -> Transform:
        """The parts' inverses in reverse."""
        inverse = None if self._inv is None else self._inv()
        if inverse is None:
            inverse = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv, inverse._inv = weakref.ref(inverse), weakref.ref(self)
        return inverse

    def _arguments_(self) -> tuple[object, ...]:
        return (self.parts,)

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.parts:
            return rushlight.zeros_like(x)
        total: Any = 0
        last = len(self.parts) - 1
        for k, (part, dim) in enumerate(zip(self.parts, self._event_dims_(), strict=False)):
            x, before = (y if k == last else part(x)), x
            total = total + _sum_rightmost(part.log_abs_det_jacobian(before, x), dim - part.domain.event_dim)
        return total  # type: ignore[no-any-return]

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        inner = ",\n    ".join(map(repr, self.parts))
        return f"{type(self).__name__}(\n    {inner}\n)"


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """A transform whose values are blocks of another's.

    Args:
        base_transform: of the elements.
        reinterpreted_batch_ndims: how many more dimensions belong to a value.
    """

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def _arguments_(self) -> tuple[object, ...]:
        return self.base_transform, self.reinterpreted_batch_ndims

    @property
    def domain(self) -> constraints.Constraint:
        """Blocks of the elements' domain."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @property
    def codomain(self) -> constraints.Constraint:
        """Blocks of the elements' codomain."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    bijective: Any = reads("base_transform.bijective", object, "That of the elements' transform.")
    sign: Any = reads("base_transform.sign", object, "That of the elements' transform.")

    def _dims_(self, value: Tensor, constraint: Constraint) -> Tensor:
        if value.ndim < constraint.event_dim:
            raise ValueError(
                f"{self!r}: the value must have {constraint.event_dim} dimensions or more; found {value.ndim}"
            )
        return value

    def _call(self, x: Tensor) -> Tensor:
        return self.base_transform(self._dims_(x, self.domain))

    def _inverse(self, y: Tensor) -> Tensor:
        return self.base_transform.inv(self._dims_(y, self.codomain))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return self.base_transform.inverse_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class ReshapeTransform(Transform):
    """Values of one shape as values of another.

    Args:
        in_shape, out_shape: the shapes, of as many elements.
    """

    bijective = True

    def __init__(self, in_shape: Sequence[int], out_shape: Sequence[int], cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError(
                f"ReshapeTransform: 'in_shape' and 'out_shape' must have as many elements; found {tuple(in_shape)} "
                f"and {tuple(out_shape)}"
            )
        super().__init__(cache_size=cache_size)

    def _arguments_(self) -> tuple[object, ...]:
        return self.in_shape, self.out_shape

    @property
    def domain(self) -> constraints.Constraint:
        """Blocks of real numbers of in_shape."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @property
    def codomain(self) -> constraints.Constraint:
        """Blocks of real numbers of out_shape."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape(self.forward_shape(x.shape))

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(self.inverse_shape(y.shape))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x.new_zeros(x.shape[: x.ndim - len(self.in_shape)])

    def _swapped_(self, shape: Sequence[int], old: Size, new: Size) -> Size:
        cut = len(shape) - len(old)
        if cut < 0:
            raise ValueError(
                f"ReshapeTransform: the shape must have {len(old)} dimensions or more; found {tuple(shape)}"
            )
        if tuple(shape[cut:]) != tuple(old):
            raise ValueError(f"ReshapeTransform: the last dimensions must be {tuple(old)}; found {tuple(shape[cut:])}")
        return Size((*shape[:cut], *new))

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return self._swapped_(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Sequence[int]) -> Size:
        return self._swapped_(shape, self.out_shape, self.in_shape)


# -- numbers
# ------------------------------------------------------------------------------------------------------------------
class ExpTransform(_OneOfItsKind):
    """y = exp(x)."""

    domain, codomain, bijective, sign = constraints.real, constraints.positive, True, 1

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """y = x ** exponent, for positive x.

    Args:
        exponent: a tensor or number that broadcasts with x.
    """

    domain = codomain = constraints.positive
    bijective = True
    __hash__ = None

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.exponent = exponent if isinstance(exponent, Tensor) else rushlight.tensor(exponent)

    def _arguments_(self) -> tuple[object, ...]:
        return (self.exponent,)

    @lazy_property
    def sign(self) -> Tensor:
        """The exponent's sign."""
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all())

    def _call(self, x: Tensor) -> Tensor:
        return x.pow(self.exponent)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return rushlight.broadcast_shapes(shape, self.exponent.shape)

    inverse_shape = forward_shape


def _clipped_sigmoid(x: Tensor) -> Tensor:
    limits = rushlight.finfo(x.dtype)
    return x.sigmoid().clamp(min=limits.tiny, max=1 - limits.eps)


class SigmoidTransform(_OneOfItsKind):
    """y = 1 / (1 + exp(-x)), kept within the open interval (0, 1) of the dtype's numbers."""

    domain, codomain, bijective, sign = constraints.real, constraints.unit_interval, True, 1

    def _call(self, x: Tensor) -> Tensor:
        return _clipped_sigmoid(x)

    def _inverse(self, y: Tensor) -> Tensor:
        limits = rushlight.finfo(y.dtype)
        y = y.clamp(min=limits.tiny, max=1 - limits.eps)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -F.softplus(-x) - F.softplus(x)


class SoftplusTransform(_OneOfItsKind):
    """y = log(1 + exp(x)), and x itself above 20."""

    domain, codomain, bijective, sign = constraints.real, constraints.positive, True, 1

    def _call(self, x: Tensor) -> Tensor:
        return F.softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -F.softplus(-x)


class TanhTransform(_OneOfItsKind):
    """y = tanh(x)."""

    domain, codomain, bijective, sign = constraints.real, constraints.interval(-1.0, 1.0), True, 1

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        # log(1 - tanh(x)^2) = 2 (log 2 - x - log(1 + exp(-2x))), which loses no digits where tanh(x) is near 1
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


class AbsTransform(_OneOfItsKind):
    """y = |x|; the inverse takes the nonnegative x."""

    domain, codomain = constraints.real, constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


def _sizes(value: Any) -> tuple[int, ...]:
    return tuple(getattr(value, "shape", ()))


class AffineTransform(Transform):
    """y = loc + scale x.

    Args:
        loc, scale: tensors or numbers.
        event_dim: how many last dimensions make one value.
    """

    bijective = True
    __hash__ = None

    def __init__(self, loc: Tensor | float, scale: Tensor | float, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    def _arguments_(self) -> tuple[object, ...]:
        return self.loc, self.scale, self.event_dim

    @property
    def event_dim(self) -> int:
        """How many last dimensions one value has."""
        return self._event_dim

    @property
    def domain(self) -> Any:
        """Blocks of real numbers."""
        return _independent(constraints.real, self.event_dim)

    @property
    def codomain(self) -> Any:
        """Blocks of real numbers."""
        return self.domain

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AffineTransform) and _same(self.loc, other.loc) and _same(self.scale, other.scale)

    @property
    def sign(self) -> Tensor | int:
        """The scale's sign."""
        if isinstance(self.scale, Tensor):
            return self.scale.sign()
        return (self.scale > 0) - (self.scale < 0)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        scale = self.scale.abs().log() if isinstance(self.scale, Tensor) else math.log(abs(self.scale))
        return _sum_rightmost(rushlight.zeros_like(x) + scale, self.event_dim)

    def forward_shape(self, shape: Sequence[int]) -> Size:
        return rushlight.broadcast_shapes(shape, _sizes(self.loc), _sizes(self.scale))

    inverse_shape = forward_shape


def _same(a: Any, b: Any) -> bool:
    equal = a == b
    return bool(equal.all()) if isinstance(equal, Tensor) else bool(equal)


class CumulativeDistributionTransform(Transform):
    """y = the distribution function at x: what makes any continuous distribution of numbers uniform.

    Args:
        distribution: one that has cdf and icdf.
    """

    bijective, codomain, sign = True, constraints.unit_interval, 1

    def __init__(self, distribution: Distribution, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    def _arguments_(self) -> tuple[object, ...]:
        return (self.distribution,)

    @property
    def domain(self) -> Any:
        """The distribution's support."""
        return self.distribution.support

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return self.distribution.log_prob(x)


# -- vectors and matrices
# -----------------------------------------------------------------------------------------------------
def _at_least(self: Transform, shape: Sequence[int], dims: int) -> Sequence[int]:
    if len(shape) < dims:
        raise ValueError(f"{type(self).__name__}: the shape must have {dims} dimensions or more; found {tuple(shape)}")
    return shape


class SoftmaxTransform(_OneOfItsKind):
    """y = softmax(x) along the last dimension; the inverse takes logarithms. Not one to one, and so without a
    Jacobian.
    """

    domain, codomain = constraints.real_vector, constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        return F.softmax(x, -1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return _at_least(self, shape, 1)

    inverse_shape = forward_shape


class StickBreakingTransform(_OneOfItsKind):
    """n real numbers to n + 1 probabilities: each breaks a part off what the former ones left of a stick of length 1.

    The part is sigmoid(x_k - log(n - k)), so that x = 0 gives equal probabilities (Stan Reference Manual, "Unit
    simplex").
    """

    domain, codomain, bijective = constraints.real_vector, constraints.simplex, True

    @staticmethod
    def _shifts_(count: int, like: Tensor) -> Tensor:
        """log(n - k) for k = 0, ..., n - 1."""
        return rushlight.arange(count, 0, -1, dtype=like.dtype, device=like.device).log()

    def _call(self, x: Tensor) -> Tensor:
        z = SigmoidTransform()(x - self._shifts_(x.shape[-1], x))
        left = (1 - z).cumprod(-1)
        return F.pad(z, [0, 1], value=1.0) * F.pad(left, [1, 0], value=1.0)

    def _inverse(self, y: Tensor) -> Tensor:
        head = y[..., :-1]
        left = (1 - head.cumsum(-1)).clamp(min=rushlight.finfo(y.dtype).tiny)
        return head.log() - left.log() + self._shifts_(head.shape[-1], y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        # dy_k/dx_k = (what is left) z (1 - z) = y_k (1 - z), and the matrix is triangular
        x = x - self._shifts_(x.shape[-1], x)
        return (F.logsigmoid(-x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return (*_at_least(self, shape, 1)[:-1], shape[-1] + 1)

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        return (*_at_least(self, shape, 1)[:-1], shape[-1] - 1)


class CorrCholeskyTransform(Transform):
    """n (n - 1) / 2 real numbers to the Cholesky factor of a correlation matrix, by partial correlations r = tanh(x).

    Row i is a vector on the unit sphere: element j is r_ij times the root of what the former elements left of 1
    (Lewandowski, Kurowicka & Joe, J. Multivariate Anal. 100 (2009) 1989; Stan Reference Manual, "Cholesky factors of
    correlation matrices").
    """

    domain, codomain, bijective = constraints.real_vector, constraints.corr_cholesky, True

    def _call(self, x: Tensor) -> Tensor:
        x = x.tanh()
        eps = rushlight.finfo(x.dtype).eps
        r = vec_to_tril_matrix(x.clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - r**2).sqrt().cumprod(-1)
        r = r + rushlight.eye(r.shape[-1], dtype=r.dtype, device=r.device)
        return r * F.pad(left[..., :-1], [1, 0], value=1.0)

    def _inverse(self, y: Tensor) -> Tensor:
        left = F.pad((1 - (y * y).cumsum(-1))[..., :-1], [1, 0], value=1.0)
        r = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (r.log1p() - (-r).log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        # dL_ij/dr_ij is the root of what is left, dr/dx = 1 - tanh(x)^2, and the matrix is triangular
        left = tril_matrix_to_vec(1 - (y * y).cumsum(-1), diag=-2)
        return 0.5 * left.log().sum(-1) - 2 * (x + F.softplus(-2 * x) - math.log(2.0)).sum(-1)

    def forward_shape(self, shape: Sequence[int]) -> Sequence[int]:
        count = _at_least(self, shape, 1)[-1]
        size = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != count:
            raise ValueError(f"CorrCholeskyTransform: the last size must be n (n - 1) / 2 for some n; found {count}")
        return (*shape[:-1], size, size)

    def inverse_shape(self, shape: Sequence[int]) -> Sequence[int]:
        size = _at_least(self, shape, 2)[-1]
        if shape[-2] != size:
            raise ValueError(f"CorrCholeskyTransform: the last two sizes must be equal; found {tuple(shape[-2:])}")
        return (*shape[:-2], size * (size - 1) // 2)


class LowerCholeskyTransform(_OneOfItsKind):
    """Any matrix to a lower triangular one with a positive diagonal: what is above goes, the diagonal is
    exp(diagonal).
    """

    domain, codomain = constraints.independent(constraints.real, 2), constraints.lower_cholesky

    @staticmethod
    def _with_diagonal_(x: Tensor, change: Callable[[Tensor], Tensor]) -> Tensor:
        return x.tril(-1) + change(x.diagonal(dim1=-2, dim2=-1)).diag_embed()

    def _call(self, x: Tensor) -> Tensor:
        return self._with_diagonal_(x, rushlight.exp)

    def _inverse(self, y: Tensor) -> Tensor:
        return self._with_diagonal_(y, rushlight.log)


class PositiveDefiniteTransform(_OneOfItsKind):
    """Any matrix to a positive definite one, L L^T with L of LowerCholeskyTransform."""

    domain, codomain = constraints.independent(constraints.real, 2), constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        x = LowerCholeskyTransform()(x)
        return x @ x.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(rushlight.linalg.cholesky(y))


# -- pieces
# -------------------------------------------------------------------------------------------------------------------
class _Pieces(Transform):
    """A transform of its own for each piece of a tensor along a dimension."""

    transforms: list[Transform]
    dim: int

    def __init__(self, tseq: Sequence[Transform], dim: int, cache_size: int) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError(
                f"{type(self).__name__}: all elements of 'tseq' must be transforms; found {list(tseq)}"
            )
        super().__init__(cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:
        """Whether all of them are one to one."""
        return all(t.bijective for t in self.transforms)

    def _split_(self, x: Tensor) -> list[Tensor]:
        """The pieces of a tensor, one a transform."""
        raise NotImplementedError

    def _join_(self, pieces: list[Tensor], dim: int) -> Tensor:
        raise NotImplementedError

    def _call(self, x: Tensor) -> Tensor:
        return self._join_([t(v) for t, v in zip(self.transforms, self._split_(x), strict=True)], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        return self._join_([t.inv(v) for t, v in zip(self.transforms, self._split_(y), strict=True)], self.dim)


class CatTransform(_Pieces):
    """Transforms of the pieces of a concatenation.

    Args:
        tseq: the transforms.
        dim: the dimension.
        lengths: of the pieces, 1 each if not given.
    """

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(
                f"CatTransform: 'lengths' must have one length for each of {len(self.transforms)} transforms; found "
                f"{len(self.lengths)}"
            )

    def _arguments_(self) -> tuple[object, ...]:
        return self.transforms, self.dim, self.lengths

    @lazy_property
    def event_dim(self) -> int:
        """The largest number of dimensions of the pieces' values."""
        return max(t.event_dim for t in self.transforms)  # type: ignore[no-any-return]

    @lazy_property
    def length(self) -> int:
        """The size of the dimension."""
        return sum(self.lengths)

    @property
    def domain(self) -> constraints.Constraint:
        """The pieces' domains."""
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @property
    def codomain(self) -> constraints.Constraint:
        """The pieces' codomains."""
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)

    def _split_(self, x: Tensor) -> list[Tensor]:
        if not -x.ndim <= self.dim < x.ndim or x.size(self.dim) != self.length:
            raise AssertionError(
                f"CatTransform: the value must have size {self.length} in dimension {self.dim}; found the shape "
                f"{tuple(x.shape)}"
            )
        return list(x.split(self.lengths, self.dim))

    def _join_(self, pieces: list[Tensor], dim: int) -> Tensor:
        return rushlight.cat(pieces, dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        found = []
        for t, a, b in zip(self.transforms, self._split_(x), self._split_(y), strict=True):
            piece = t.log_abs_det_jacobian(a, b)
            found.append(_sum_rightmost(piece, self.event_dim - t.event_dim) if t.event_dim < self.event_dim else piece)
        dim = self.dim if self.dim < 0 else self.dim - x.ndim
        dim += self.event_dim
        return rushlight.cat(found, dim) if dim < 0 else functools.reduce(operator.add, found)


class StackTransform(_Pieces):
    """Transforms of the slices of a stack.

    Args:
        tseq: the transforms.
        dim: the dimension that the slices are stacked along.
    """

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)

    def _arguments_(self) -> tuple[object, ...]:
        return self.transforms, self.dim

    @property
    def domain(self) -> constraints.Constraint:
        """The slices' domains."""
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @property
    def codomain(self) -> constraints.Constraint:
        """The slices' codomains."""
        return constraints.stack([t.codomain for t in self.transforms], self.dim)

    def _split_(self, x: Tensor) -> list[Tensor]:
        if not -x.ndim <= self.dim < x.ndim or x.size(self.dim) != len(self.transforms):
            raise AssertionError(
                f"StackTransform: the value must have size {len(self.transforms)} in dimension {self.dim}; found the "
                f"shape {tuple(x.shape)}"
            )
        return list(x.unbind(self.dim))

    def _join_(self, pieces: list[Tensor], dim: int) -> Tensor:
        return rushlight.stack(pieces, dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return rushlight.stack(
            [
                t.log_abs_det_jacobian(a, b)
                for t, a, b in zip(self.transforms, self._split_(x), self._split_(y), strict=True)
            ],
            self.dim,
        )
