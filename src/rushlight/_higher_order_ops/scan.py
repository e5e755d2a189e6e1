"""A loop over the slices of tensors that hands a state from one to the next: `scan`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.core.tensor import Tensor
from rushlight.func.tree import flatten
from rushlight.operators.table.body import wrap_dim

__all__ = ["scan"]


def scan(
    combine_fn: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, *, dim: int = 0, reverse: bool = False
) -> tuple[Any, Any]:
    """carry, y = combine_fn(carry, x) for each slice x of `xs`, from carry = init on; all operations are recorded, and
    are transformed, as in a loop of Python.

    Args:
        combine_fn: takes the state, a container like `init`, and a container like `xs` of slices without dimension
            `dim`; returns the next state, of the same structure, shapes and dtypes, and a container of tensors.
        init: a tensor, or a nested container of tensors, and at least one.
        xs: a tensor, or a nested container of tensors of one size in `dim`; the size is at least 1. Without a tensor
            nothing is called.
        dim: the dimension.
        reverse: from the last slice to the first.

    Returns:
        The last state, and a container like combine_fn's second result, of tensors whose element i along dimension
        `dim` is the result for slice i.

    Raises:
        RuntimeError: what is given or returned is not as described.
        IndexError: the tensors do not have the dimension.
    """
    if not callable(combine_fn):
        raise RuntimeError(f"scan(): 'combine_fn' must be a function; found {type(combine_fn).__name__}")
    carried, state = flatten(init)
    leaves, spec = flatten(xs)
    for argument, values in (("init", carried), ("xs", leaves)):
        if not all(isinstance(x, Tensor) for x in values):
            raise RuntimeError(
                f"scan(): '{argument}' must hold tensors alone; found {[type(x).__name__ for x in values]}"
            )
    if not carried:
        raise RuntimeError("scan(): 'init' must hold at least one tensor; found none")
    if not leaves:
        return init, []
    dims = [wrap_dim(dim, x.ndim, "scan") for x in leaves]
    sizes = {x.size(d) for x, d in zip(leaves, dims, strict=True)}
    if len(sizes) != 1 or 0 in sizes:
        raise RuntimeError(
            f"scan(): all tensors of 'xs' must have one size, at least 1, in dimension {dim}; found {sorted(sizes)}"
        )
    slices = [x.unbind(d) for x, d in zip(leaves, dims, strict=True)]
    found: list[list[Tensor]] = []
    made = None
    for i in reversed(range(*sizes)) if reverse else range(*sizes):
        given = combine_fn(state.rebuild(carried), spec.rebuild([parts[i] for parts in slices]))
        if not isinstance(given, (tuple, list)) or len(given) != 2:
            raise RuntimeError(
                f"scan(): 'combine_fn' must return a pair, the next state and a result; found {type(given).__name__}"
            )
        new, structure = flatten(given[0])
        if structure != state or not all(map(_alike, new, carried)):
            raise RuntimeError(
                "scan(): 'combine_fn' must return a state of the structure, shapes and dtypes of 'init', "
                f"{_described(carried)}; found {_described(new)}"
            )
        carried = new
        ys, structure = flatten(given[1])
        if not all(isinstance(y, Tensor) for y in ys) or (made is not None and structure != made):
            raise RuntimeError(
                "scan(): 'combine_fn' must return tensors for each slice, in containers of one structure; found "
                f"{_described(ys)}"
            )
        made = structure
        found.append(ys)
    assert made is not None
    if reverse:
        found.reverse()
    return state.rebuild(carried), made.rebuild([rushlight.stack(row, dims[0]) for row in zip(*found, strict=True)])


def _alike(new: Any, old: Tensor) -> bool:
    return isinstance(new, Tensor) and new.shape == old.shape and new.dtype is old.dtype


def _described(values: list[Any]) -> list[str]:
    return [f"{x.dtype}{list(x.shape)}" if isinstance(x, Tensor) else type(x).__name__ for x in values]
