"""`vmap`: a function of one example becomes a function of a batch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rushlight.core import locks
from rushlight.core import tensor as _core
from rushlight.core.checks import check_argument
from rushlight.core.tensor import Tensor
from rushlight.func import by_example as _by_example
from rushlight.func import derive as _derive
from rushlight.func.levels import Batched, Level, batched, in_force
from rushlight.func.random_mode import random_mode
from rushlight.func.tree import Spec, broadcast_prefix, flatten
from rushlight.operators.table.define import METHODS, TABLE

_LAYOUT = _core.get_keys_flag_mask()["LAYOUT"]
# The function that _functorch.vmap puts here is asked first: a package may have replaced the steps of a mapped call.
replaced: list[Callable[..., Any]] = []


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that maps `func` over a dimension of its tensor arguments, all examples at once.

    Args:
        func: takes tensors (or nested containers of them) and returns tensors.
        in_dims: the dimension to map over, or None for an argument that all examples share; an int, or a container that
            mirrors the arguments.
        out_dims: where the batch dimension goes in the results, likewise.
        randomness: "error" (random operations are refused), "same" (all examples draw the same numbers) or "different".
        chunk_size: do so many examples at a time.

    Returns:
        A function with the signature of `func`.

    Raises:
        ValueError: for in_dims that do not fit the arguments, sizes that differ, results that are no tensors.
    """
    check_argument(
        randomness in ("error", "different", "same"),
        "vmap",
        "randomness",
        "be 'error', 'different' or 'same'",
        lambda: repr(randomness),
    )
    fits = chunk_size is None or (isinstance(chunk_size, int) and chunk_size > 0)
    check_argument(fits, "vmap", "chunk_size", "be None or a positive int", chunk_size, ValueError)

    @functools.wraps(func)
    def over_examples(*args: Any, **kwargs: Any) -> Any:
        for other in replaced:
            found = other(func, in_dims, out_dims, randomness, chunk_size, args, kwargs)
            if found is not NotImplemented:
                return found
        leaves, dims, spec, sizes = arguments(func, in_dims, args)
        kw_leaves, kw_spec = flatten(kwargs)
        size = one_size(func, [*sizes, *(x.shape[0] for x in kw_leaves if isinstance(x, Tensor) and x.ndim)])
        all_leaves = [*leaves, *kw_leaves]
        all_dims = [*dims, *(0 if isinstance(x, Tensor) else None for x in kw_leaves)]
        mapped = _Mapped(func, spec, kw_spec, len(leaves), all_dims, out_dims, randomness)
        # The batch dimension in front, once: views, of no cost.
        moved = [
            x if d is None or d == 0 else METHODS["movedim"](x, d, 0) for x, d in zip(all_leaves, all_dims, strict=True)
        ]
        if any(d is not None and x._keys_ & _LAYOUT for x, d in zip(all_leaves, all_dims, strict=True)):
            return mapped.one_by_one(moved, size)
        return (
            mapped.run(moved, size)
            if chunk_size is None or chunk_size >= size
            else mapped.chunked(moved, size, chunk_size)
        )

    return over_examples


def _owner(func: Callable[..., Any]) -> str:
    """What errors name."""
    return f"vmap({getattr(func, '__name__', repr(func))})"


def one_size(func: Callable[..., Any], sizes: Sequence[int]) -> int:
    if len(set(sizes)) != 1:
        raise ValueError(
            f"{_owner(func)}: the dimensions that are mapped over must be of one size; found {list(sizes)}"
        )
    return sizes[0]


def arguments(
    func: Callable[..., Any], in_dims: Any, args: tuple[Any, ...]
) -> tuple[list[Any], list[int | None], Spec, list[int]]:
    """The leaves of the arguments, where each has its batch dimension, and the sizes of those."""
    if not isinstance(in_dims, (int, tuple, list)):
        raise ValueError(f"{_owner(func)}: 'in_dims' must be an int, or a tuple like the arguments; found {in_dims!r}")
    if not args:
        raise ValueError(f"{_owner(func)}: must be called with an argument to map over; found none")
    leaves, spec = flatten(args)
    found = broadcast_prefix(tuple(in_dims) if isinstance(in_dims, list) else in_dims, spec)
    if found is None:
        raise ValueError(f"{_owner(func)}: 'in_dims' must be like the arguments, {spec}; found {in_dims!r}")
    dims: list[int | None] = []
    sizes: list[int] = []
    for x, d in zip(leaves, found, strict=True):
        if d is not None:
            if not isinstance(x, Tensor):
                raise ValueError(
                    f"{_owner(func)}: 'in_dims' must be None for what is no Tensor; found {d} for an argument of "
                    f"type {type(x).__name__}"
                )
            if not -x.ndim <= d < x.ndim:
                raise ValueError(
                    f"{_owner(func)}: 'in_dims' must be in [{-x.ndim}, {x.ndim}) for an argument of {x.ndim} "
                    f"dimensions; found {d}"
                )
            d %= x.ndim
            sizes.append(x.shape[d])
        dims.append(d)
    if not sizes:
        raise ValueError(f"{_owner(func)}: 'in_dims' must not be None for every argument; found {in_dims!r}")
    return leaves, dims, spec, sizes


class _Mapped(NamedTuple):
    """One mapped call. n: how many of the leaves are of positional arguments; dims: where each has its examples."""

    func: Callable[..., Any]
    spec: Spec
    kw_spec: Spec
    n: int
    dims: Sequence[int | None]
    out_dims: Any
    randomness: str

    def call(self, given: Sequence[Any]) -> tuple[list[Any], Spec]:
        """The function on leaves: the leaves of its result."""
        return flatten(self.func(*self.spec.rebuild(given[: self.n]), **self.kw_spec.rebuild(given[self.n :])))

    def places(self, spec: Spec) -> list[Any]:
        """The dimension of the examples in each leaf of the result."""
        out_dims = self.out_dims
        where = broadcast_prefix(tuple(out_dims) if isinstance(out_dims, list) else out_dims, spec)
        if where is None:
            raise ValueError(f"{_owner(self.func)}: 'out_dims' must be like the results, {spec}; found {out_dims!r}")
        return where

    def joined(self, join: str, results: Sequence[Sequence[Any]], spec: Spec) -> Any:
        """The result of several calls' leaves."""
        parts = zip(zip(*results, strict=True), self.places(spec), strict=True)
        return spec.rebuild([each[0] if d is None else TABLE[join](list(each), d) for each, d in parts])

    def run(self, leaves: Sequence[Any], size: int) -> Any:
        """The call on leaves with their batch dimension in front."""
        with locks.restoring(), Level("vmap", size, self.randomness) as level, random_mode(level):
            outs, spec = self.call(
                [x if d is None else batched(x, level) for x, d in zip(leaves, self.dims, strict=True)]
            )
            where = self.places(spec)
            return spec.rebuild([_unwrap(self.func, x, d, level) for x, d in zip(outs, where, strict=True)])

    def one_by_one(self, leaves: Sequence[Any], size: int) -> Any:
        """The call of each example after the other, for tensors of layouts that no program knows; results are
        stacked.
        """
        if not size:
            raise RuntimeError(f"{_owner(self.func)}: sparse tensors must have an example at least; found none")
        results = []
        for i in range(size):
            given = [x if d is None else METHODS["select"](x, 0, i) for x, d in zip(leaves, self.dims, strict=True)]
            outs, spec = self.call(given)
            for x in outs:
                if not isinstance(x, Tensor):
                    raise ValueError(f"{_owner(self.func)}: every result must be a Tensor; found {type(x).__name__}")
            results.append(outs)
        return self.joined("stack", results, spec)

    def chunked(self, leaves: Sequence[Any], size: int, chunk: int) -> Any:
        """So many examples at a time."""
        results = []
        for start in range(0, size, chunk):
            n = min(chunk, size - start)
            part = [
                x if d is None else METHODS["narrow"](x, 0, start, n) for x, d in zip(leaves, self.dims, strict=True)
            ]
            outs, spec = flatten(self.run(part, n))
            results.append(outs)
        return self.joined("cat", results, spec)


def _unwrap(func: Callable[..., Any], x: Any, d: Any, level: Level) -> Any:
    if not isinstance(x, Tensor):
        raise ValueError(f"{_owner(func)}: every result must be a Tensor; found {type(x).__name__}")
    wrapper: Any = x
    mine = isinstance(x, Batched) and x.level is level
    if d is None:
        if mine:
            raise ValueError(
                f"{_owner(func)}: 'out_dims' must not be None for a result that differs from example to example; "
                "found None"
            )
        return x
    value = wrapper.value if mine else METHODS["expand"](METHODS["unsqueeze"](x, 0), (level.size, *x.shape))
    if d == 0:
        return value
    if not -value.ndim <= d < value.ndim:
        raise IndexError(
            f"{_owner(func)}: 'out_dims' must be in [{-value.ndim}, {value.ndim}) for a result of {value.ndim} "
            f"dimensions; found {d}"
        )
    return METHODS["movedim"](value, 0, d)


_ = (in_force, _by_example, _derive)
