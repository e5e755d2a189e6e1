"""`vmap`: a function of one example becomes a function of a batch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rushlight.core import locks
from rushlight.core import tensor as _core
from rushlight.core.tensor import Tensor
from rushlight.func import by_example as _by_example
from rushlight.func import derive as _derive
from rushlight.func.levels import Batched, Level, batched, in_force
from rushlight.func.random_mode import random_mode
from rushlight.func.tree import Spec, broadcast_prefix, flatten
from rushlight.operators.table.define import METHODS, TABLE
from rushlight.utils._checks import check_argument

_LAYOUT = _core.get_keys_flag_mask()["LAYOUT"]
# What _functorch.vmap puts here is asked first: a package may have replaced the steps of a mapped call.
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
        "vmap",
        "randomness",
        randomness,
        "'error', 'different' or 'same'",
        randomness in ("error", "different", "same"),
        RuntimeError,
    )
    fits = chunk_size is None or (isinstance(chunk_size, int) and chunk_size > 0)
    check_argument("vmap", "chunk_size", chunk_size, "None or a positive int", fits)

    @functools.wraps(func)
    def over_examples(*args: Any, **kwargs: Any) -> Any:
        for mapped in replaced:
            found = mapped(func, in_dims, out_dims, randomness, chunk_size, args, kwargs)
            if found is not NotImplemented:
                return found
        leaves, dims, spec, sizes = arguments(func, in_dims, args)
        kw_leaves, kw_spec = flatten(kwargs)
        size = one_size(func, [*sizes, *(x.shape[0] for x in kw_leaves if isinstance(x, Tensor) and x.ndim)])
        all_leaves = [*leaves, *kw_leaves]
        all_dims = [*dims, *(0 if isinstance(x, Tensor) else None for x in kw_leaves)]
        # The batch dimension in front, once: views, of no cost.
        moved = [
            x if d is None or d == 0 else METHODS["movedim"](x, d, 0) for x, d in zip(all_leaves, all_dims, strict=True)
        ]
        if any(d is not None and x.keys & _LAYOUT for x, d in zip(all_leaves, all_dims, strict=True)):
            return _one_by_one(func, spec, kw_spec, len(leaves), all_dims, out_dims, moved, size)
        run = functools.partial(_run, func, spec, kw_spec, len(leaves), all_dims, out_dims, randomness)
        if chunk_size is None or chunk_size >= size:
            return run(moved, size)
        return _chunked(run, moved, all_dims, size, chunk_size, out_dims)

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


def _run(
    func: Callable[..., Any],
    spec: Spec,
    kw_spec: Spec,
    n: int,
    dims: Sequence[int | None],
    out_dims: Any,
    randomness: str,
    leaves: Sequence[Any],
    size: int,
) -> Any:
    """The mapped call on leaves with their batch dimension in front."""
    with locks.restoring(), Level("vmap", size, randomness) as level, random_mode(level):
        given = [x if d is None else batched(x, level) for x, d in zip(leaves, dims, strict=True)]
        result = func(*spec.rebuild(given[:n]), **kw_spec.rebuild(given[n:]))
        outs, out_spec = flatten(result)
        where = broadcast_prefix(tuple(out_dims) if isinstance(out_dims, list) else out_dims, out_spec)
        if where is None:
            raise ValueError(f"{_owner(func)}: 'out_dims' must be like the results, {out_spec}; found {out_dims!r}")
        return out_spec.rebuild([_unwrap(func, x, d, level) for x, d in zip(outs, where, strict=True)])


def _one_by_one(
    func: Callable[..., Any],
    spec: Spec,
    kw_spec: Spec,
    n: int,
    dims: Sequence[int | None],
    out_dims: Any,
    leaves: Sequence[Any],
    size: int,
) -> Any:
    """The call of each example after the other, for tensors of layouts that no program knows; results are stacked."""
    if not size:
        raise RuntimeError(f"{_owner(func)}: sparse tensors must have an example at least; found none")
    results = []
    for i in range(size):
        given = [x if d is None else METHODS["select"](x, 0, i) for x, d in zip(leaves, dims, strict=True)]
        outs, out_spec = flatten(func(*spec.rebuild(given[:n]), **kw_spec.rebuild(given[n:])))
        for x in outs:
            if not isinstance(x, Tensor):
                raise ValueError(f"{_owner(func)}: every result must be a Tensor; found {type(x).__name__}")
        results.append(outs)
    where = broadcast_prefix(tuple(out_dims) if isinstance(out_dims, list) else out_dims, out_spec)
    if where is None:
        raise ValueError(f"{_owner(func)}: 'out_dims' must be like the results, {out_spec}; found {out_dims!r}")
    parts = zip(*results, strict=True)
    return out_spec.rebuild(
        [each[0] if d is None else TABLE["stack"](list(each), d) for each, d in zip(parts, where, strict=True)]
    )


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


def _chunked(
    run: Callable[..., Any], leaves: Sequence[Any], dims: Sequence[int | None], size: int, chunk: int, out_dims: Any
) -> Any:
    results = []
    spec: Spec | None = None
    for start in range(0, size, chunk):
        n = min(chunk, size - start)
        outs, spec = flatten(
            run([x if d is None else METHODS["narrow"](x, 0, start, n) for x, d in zip(leaves, dims, strict=True)], n)
        )
        results.append(outs)
    assert spec is not None
    where = broadcast_prefix(tuple(out_dims) if isinstance(out_dims, list) else out_dims, spec)
    assert where is not None
    return spec.rebuild(
        [
            parts[0] if d is None else TABLE["cat"](list(parts), d)
            for parts, d in zip(zip(*results, strict=True), where, strict=True)
        ]
    )


@contextmanager
def mapped_level(size: int) -> Iterator[Level]:
    """A vmap level without a function, for callers that wrap and unwrap themselves."""
    with locks.restoring(), Level("vmap", size, "different") as level:
        yield level


_ = (in_force, _by_example, _derive)
