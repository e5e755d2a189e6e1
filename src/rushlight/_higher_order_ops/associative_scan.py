"""The running results of an associative function along a dimension, in as many rounds as the logarithm of its size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.core.tensor import Tensor
from rushlight.func.tree import flatten

__all__ = ["associative_scan"]


def associative_scan(
    combine_fn: Callable[[Any, Any], Any], xs: Any, dim: int, reverse: bool = False, combine_mode: str = "pointwise"
) -> Any:
    """Element i of the result is the combination of elements 0 to i of `xs`, in order.

    Args:
        combine_fn: an associative function of two containers like `xs`, of slices of it; it works on all of a slice's
            elements alike.
        xs: a tensor, or a nested container of tensors of one size in `dim`.
        dim: the dimension.
        reverse: from the end instead.
        combine_mode: "pointwise" or "generic", which make no difference here.

    Raises:
        ValueError: for a mode that does not exist, no tensors, or sizes that differ.
    """
    leaves, spec = flatten(xs)
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(f"associative_scan(): 'combine_mode' must be 'pointwise' or 'generic'; found {combine_mode!r}")
    if not leaves or not all(isinstance(x, Tensor) for x in leaves):
        raise ValueError(
            f"associative_scan(): 'xs' must hold tensors, and at least one; found {[type(x).__name__ for x in leaves]}"
        )
    if len({x.size(dim) for x in leaves}) != 1:
        raise ValueError(
            f"associative_scan(): all tensors of 'xs' must have one size in dimension {dim}; found "
            f"{[x.size(dim) for x in leaves]}"
        )

    def combine(a: list[Tensor], b: list[Tensor]) -> list[Tensor]:
        result, shape = flatten(combine_fn(spec.rebuild(a), spec.rebuild(b)))
        if shape != spec:
            raise ValueError(
                f"associative_scan(): 'combine_fn' must return what is like its arguments, {spec}; found {shape}"
            )
        return result

    moved = [x.movedim(dim, 0) for x in leaves]
    if reverse:
        moved = [x.flip(0) for x in moved]
    found = _scan(combine, moved)
    if reverse:
        found = [x.flip(0) for x in found]
    return spec.rebuild([x.movedim(0, dim) for x in found])


def _scan(combine: Callable[[list[Tensor], list[Tensor]], list[Tensor]], xs: list[Tensor]) -> list[Tensor]:
    """Pairs are combined, scanned among themselves, and give the odd elements; each even one is its predecessor's
    result and itself.
    """
    n = xs[0].size(0)
    if n < 2:
        return xs
    odd = _scan(combine, combine([x[: n - n % 2 : 2] for x in xs], [x[1::2] for x in xs]))
    rest = [x[2::2] for x in xs]
    even = [x[:1] for x in xs]
    if n > 2:
        even = [
            rushlight.cat(parts) for parts in zip(even, combine([x[: rest[0].size(0)] for x in odd], rest), strict=True)
        ]
    return [_interleaved(e, o) for e, o in zip(even, odd, strict=True)]


def _interleaved(even: Tensor, odd: Tensor) -> Tensor:
    """The elements of two tensors along dimension 0 by turns; the first may have one more."""
    n = odd.size(0)
    both = rushlight.stack((even[:n], odd), 1).flatten(0, 1)
    return both if even.size(0) == n else rushlight.cat((both, even[n:]))
