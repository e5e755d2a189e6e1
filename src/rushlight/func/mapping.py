"""`vmap`: a function of one example becomes a function of a batch."""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rushlight.core.tensor import Tensor
from rushlight.func import derive as _derive
from rushlight.func.levels import Batched, Level, batched, in_force
from rushlight.func.random_mode import random_mode
from rushlight.func.tree import Spec, broadcast_prefix, flatten
from rushlight.ops._define import METHODS, TABLE


def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: int | None = None) -> Callable[..., Any]:
    """A function that maps `func` over a dimension of its tensor arguments, all examples at once.

    Args:
        func: takes tensors (or nested containers of them) and returns tensors. in_dims: the dimension to map over, or
        None for an argument that all examples share; an int, or a container that mirrors the arguments. out_dims: where
        the batch dimension goes in the results, likewise. randomness: "error" (random operations are refused), "same"
        (all examples draw the same numbers) or "different". chunk_size: do so many examples at a time.
    Returns: a function with the signature of `func`.
    Errors: ValueError for in_dims that do not fit the arguments, sizes that differ, results that are no tensors.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and not (isinstance(chunk_size, int) and chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        leaves, dims, spec, size = _arguments(func, in_dims, args)
        kw_leaves, kw_spec = flatten(kwargs)
        for x in kw_leaves:
            if isinstance(x, Tensor):
                if x.ndim and size is not None and x.shape[0] != size:
                    raise ValueError(f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {[size, x.shape[0]]} for the mapped dimension")
                size = x.shape[0] if size is None else size
        all_leaves = [*leaves, *kw_leaves]
        all_dims = [*dims, *(0 if isinstance(x, Tensor) else None for x in kw_leaves)]
        assert size is not None
        # The batch dimension in front, once: views, of no cost.
        moved = [x if d is None or d == 0 else METHODS["movedim"](x, d, 0) for x, d in zip(all_leaves, all_dims, strict=True)]
        run = functools.partial(_run, func, spec, kw_spec, len(leaves), all_dims, out_dims, randomness)
        if chunk_size is None or chunk_size >= size:
            return run(moved, size)
        return _chunked(run, moved, all_dims, size, chunk_size, out_dims)
    return wrapped


def _name(func: Callable[..., Any]) -> str:
    return getattr(func, "__name__", repr(func))


def _arguments(func: Callable[..., Any], in_dims: Any, args: tuple[Any, ...]) -> tuple[list[Any], list[int | None], Spec, int | None]:
    """The leaves of the arguments, where each has its batch dimension, and the batch size."""
    name = _name(func)
    if not isinstance(in_dims, (int, tuple, list)):
        raise ValueError(f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a (potentially nested) tuple matching the structure of "
                         f"inputs, got: {type(in_dims)}.")
    if not args:
        raise ValueError(f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function with no inputs. "
                         "The latter is unsupported.")
    leaves, spec = flatten(args)
    found = broadcast_prefix(tuple(in_dims) if isinstance(in_dims, list) else in_dims, spec)
    if found is None:
        raise ValueError(f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                         f"{flatten(in_dims)[1]} but inputs has structure {spec}.")
    dims: list[int | None] = []
    sizes: list[int] = []
    for x, d in zip(leaves, found, strict=True):
        if d is not None and not isinstance(x, Tensor):
            raise ValueError(f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for an input but the input is of type {type(x)}. We cannot vmap over "
                             "non-Tensor arguments, please use None as the respective in_dim")
        if d is not None:
            if not -x.ndim <= d < x.ndim:
                raise ValueError(f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): Got in_dim={d} for some input, but that input is a Tensor of dimensionality "
                                 f"{x.ndim} so expected in_dim to satisfy -{x.ndim} <= in_dim < {x.ndim}.")
            d %= x.ndim
            sizes.append(x.shape[d])
        dims.append(d)
    if not sizes:
        if all(d is None for d in found):
            raise ValueError(f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): at least one input must be mapped over (in_dims must not be None for all of them)")
        return leaves, dims, spec, None
    if len(set(sizes)) > 1:
        raise ValueError(f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped dimension")
    return leaves, dims, spec, sizes[0]


def _run(func: Callable[..., Any], spec: Spec, kw_spec: Spec, n: int, dims: Sequence[int | None], out_dims: Any, randomness: str, leaves: Sequence[Any], size: int) -> Any:
    """The mapped call on leaves with their batch dimension in front."""
    with Level("vmap", size, randomness) as level, random_mode(level):
        given = [x if d is None else batched(x, level) for x, d in zip(leaves, dims, strict=True)]
        result = func(*spec.rebuild(given[:n]), **kw_spec.rebuild(given[n:]))
        outs, out_spec = flatten(result)
        where = broadcast_prefix(tuple(out_dims) if isinstance(out_dims, list) else out_dims, out_spec)
        if where is None:
            raise ValueError(f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of `outputs`. out_dims has "
                             f"structure {flatten(out_dims)[1]} but outputs has structure {out_spec}.")
        return out_spec.rebuild([_unwrap(func, x, d, level) for x, d in zip(outs, where, strict=True)])


def _unwrap(func: Callable[..., Any], x: Any, d: Any, level: Level) -> Any:
    if not isinstance(x, Tensor):
        raise ValueError(f"vmap({_name(func)}, ...): `{_name(func)}` must only return Tensors, got type {type(x)}. Did you mean to set out_dims= to None for output?")
    wrapper: Any = x
    mine = isinstance(x, Batched) and x.level is level
    if d is None:
        if mine:
            raise ValueError(f"vmap({_name(func)}, ...): `{_name(func)}` can not return a BatchedTensor when out_dim is None")
        return x
    value = wrapper.value if mine else METHODS["expand"](METHODS["unsqueeze"](x, 0), (level.size, *x.shape))
    if d == 0:
        return value
    if not -value.ndim <= d < value.ndim:
        raise IndexError(f"vmap({_name(func)}, ...): Dimension out of range (expected to be in range of [{-value.ndim}, {value.ndim - 1}], but got {d})")
    return METHODS["movedim"](value, 0, d)


def _chunked(run: Callable[..., Any], leaves: Sequence[Any], dims: Sequence[int | None], size: int, chunk: int, out_dims: Any) -> Any:
    results = []
    spec: Spec | None = None
    for start in range(0, size, chunk):
        n = min(chunk, size - start)
        outs, spec = flatten(run([x if d is None else METHODS["narrow"](x, 0, start, n) for x, d in zip(leaves, dims, strict=True)], n))
        results.append(outs)
    assert spec is not None
    where = broadcast_prefix(tuple(out_dims) if isinstance(out_dims, list) else out_dims, spec)
    assert where is not None
    return spec.rebuild([parts[0] if d is None else TABLE["cat"](list(parts), d) for parts, d in zip(zip(*results, strict=True), where, strict=True)])


@contextmanager
def mapped_level(size: int) -> Iterator[Level]:
    """A vmap level without a function, for callers that wrap and unwrap themselves."""
    with Level("vmap", size, "different") as level:
        yield level


_ = (in_force, _derive)
