"""Reductions, cumulative operations and differences along axes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import rushlight as rl
from rushlight.array_api._arguments import Axes, Dtype, array, axes_of, cast, one_axis, promoted
from rushlight.core.naming import named
from rushlight.core.tensor import Tensor
from rushlight.core.warning import noted


def _reduce(
    function: str,
    x: Tensor,
    axis: Axes,
    keepdims: bool,
    over: Callable[[Tensor, Any, bool], Tensor],
    *,
    at_once: bool = True,
) -> Tensor:
    """Reduce x over axes.

    An empty tuple of axes reduces nothing here (each element by itself); in PyTorch it reduces everything. at_once:
    whether `over` takes several axes; otherwise the axes are merged into the last one, which it is given.
    """
    array(function, "x", x)
    axes = axes_of(function, axis, x.ndim)
    if not axes:
        return over(rl.unsqueeze(x, -1), -1, False)
    if at_once or len(axes) == 1:
        return over(x, axes if at_once else axes[0], keepdims)
    kept = [a for a in range(x.ndim) if a not in axes]
    gathered = rl.flatten(rl.permute(x, [*kept, *axes]), len(kept))
    result = over(gathered, len(kept), False)
    return rl.reshape(result, [1 if a in axes else n for a, n in enumerate(x.shape)]) if keepdims else result


def _sum_dtype(x: Tensor, dtype: Dtype | None) -> Dtype:
    """The dtype of a sum or product: integers become 64 bits wide, with or without a sign as before; others keep their
    dtype.
    """
    return (
        dtype
        if dtype is not None
        else x.dtype
        if x.dtype.kind in "fc"
        else rl.uint64
        if x.dtype.kind == "u"
        else rl.int64
    )


def _over_axes(name: str, doc: str, over: Callable[[Tensor, Any, bool], Tensor]) -> Callable[..., Tensor]:
    """A reduction without further options."""

    def function(x: Tensor, /, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
        return _reduce(name, x, axis, keepdims, over)

    return named(function, name, doc, module="rushlight.array_api")


all = _over_axes(
    "all",
    "Whether all elements along the axes are true, that is, not zero.",
    lambda v, a, k: cast(rl.all(cast(v, rl.bool), a, k), rl.bool),
)


any = _over_axes(
    "any",
    "Whether any element along the axes is true, that is, not zero.",
    lambda v, a, k: cast(rl.any(cast(v, rl.bool), a, k), rl.bool),
)


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index of the largest element along an axis, the first if there are several; axis=None gives the index in x
    flattened."""
    return _place("argmax", rl.argmax, x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index of the smallest element along an axis, the first if there are several; axis=None gives the index in x
    flattened."""
    return _place("argmin", rl.argmin, x, axis, keepdims)


def _place(function: str, op: Any, x: Tensor, axis: int | None, keepdims: bool) -> Tensor:
    array(function, "x", x)
    return op(x, None if axis is None else one_axis(function, axis, x.ndim), keepdims)


count_nonzero = _over_axes(
    "count_nonzero",
    "The number of elements along the axes that are not zero, as int64.",
    lambda v, a, k: rl.sum(v != 0, a, k, dtype=rl.int64),
)


max = _over_axes("max", "The largest element along the axes; NaN if one is.", rl.amax)


mean = _over_axes("mean", "The arithmetic mean along the axes, of floating point or complex numbers.", rl.mean)


min = _over_axes("min", "The smallest element along the axes; NaN if one is.", rl.amin)


def prod(x: Tensor, /, *, axis: Axes = None, dtype: Dtype | None = None, keepdims: bool = False) -> Tensor:
    """The product along the axes; integers are multiplied in 64 bits, unless dtype says otherwise."""
    d = _sum_dtype(array("prod", "x", x), dtype)
    return _reduce("prod", x, axis, keepdims, lambda v, a, k: rl.prod(v, a, k, dtype=d), at_once=False)


def _silent(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Make a call without warnings: the standard defines the deviation for no degrees of freedom."""
    with noted():
        return function(*args, **kwargs)


def std(x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The standard deviation along the axes: the root of the sum of squared distances from the mean over n -
    correction.
    """
    return _reduce("std", x, axis, keepdims, lambda v, a, k: _silent(rl.std, v, a, correction=correction, keepdim=k))


def sum(x: Tensor, /, *, axis: Axes = None, dtype: Dtype | None = None, keepdims: bool = False) -> Tensor:
    """The sum along the axes; integers are added in 64 bits, unless dtype says otherwise."""
    d = _sum_dtype(array("sum", "x", x), dtype)
    return _reduce("sum", x, axis, keepdims, lambda v, a, k: rl.sum(v, a, k, dtype=d))


def var(x: Tensor, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """The variance along the axes: the sum of squared distances from the mean over n - correction."""
    return _reduce("var", x, axis, keepdims, lambda v, a, k: _silent(rl.var, v, a, correction=correction, keepdim=k))


def _cumulative(name: str, op: Any, initial: int, what: str) -> Callable[..., Tensor]:
    """The cumulative sums or products along an axis."""

    def function(
        x: Tensor, /, *, axis: int | None = None, dtype: Dtype | None = None, include_initial: bool = False
    ) -> Tensor:
        if array(name, "x", x).ndim == 0:
            raise ValueError(f"{name}(): expected an array of 1 dimension at least; found one of 0")
        if axis is None:
            if x.ndim > 1:
                raise ValueError(f"{name}(): axis is needed for an array of {x.ndim} dimensions")
            axis = 0
        a = one_axis(name, axis, x.ndim)
        result = op(x, a, dtype=_sum_dtype(x, dtype))
        if not include_initial:
            return result
        sizes = [1 if i == a else n for i, n in enumerate(x.shape)]
        return rl.concat([rl.full(sizes, initial, dtype=result.dtype, device=x.device), result], a)

    doc = f"""The {what}s of the first elements along an axis, which may be None for a 1-d x.

    Args:
        dtype: None as for {op.__name__.removeprefix("cum")}.
        include_initial: begin with the {what} of none, so the axis is longer by one.
    """
    return named(function, name, doc, module="rushlight.array_api")


cumulative_sum = _cumulative("cumulative_sum", rl.cumsum, 0, "sum")
cumulative_prod = _cumulative("cumulative_prod", rl.cumprod, 1, "product")


def diff(
    x: Tensor, /, n: int = 1, *, axis: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """The differences of neighbours along an axis, taken n times.

    In the standard n is a keyword only; scikit-learn's roc_curve passes it by position, as NumPy and PyTorch take it.

    Args:
        prepend, append: values that are first put before and after x along the axis.
    """
    a = one_axis("diff", axis, array("diff", "x", x).ndim)
    parts = promoted(*[p for p in (prepend, x, append) if p is not None])
    whole = rl.concat(parts, a) if len(parts) > 1 else x
    return rl.diff(whole, n, a) if n else whole


def _as_the_standard_has_it(shown: inspect.Signature) -> inspect.Signature:
    """The signature of diff with n as a keyword only, after axis."""
    x, n, axis, *others = shown.parameters.values()
    return shown.replace(parameters=[x, axis, n.replace(kind=n.KEYWORD_ONLY), *others])


diff.__signature__ = _as_the_standard_has_it(inspect.signature(diff))  # type: ignore[attr-defined]

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]
