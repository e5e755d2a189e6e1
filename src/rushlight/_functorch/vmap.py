"""The steps of `vmap` as functions that a package may replace, for arguments that hold tensors and are none (tensordict
does). As long as none is replaced, `vmap` does not come here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight._C._functorch import (
    _add_batch_dim,
    _remove_batch_dim,
    _vmap_decrement_nesting,
    _vmap_increment_nesting,
    is_batchedtensor,
)
from rushlight.core.tensor import Tensor
from rushlight.func import mapping, vmap
from rushlight.utils._pytree import (
    TreeSpec,
    _broadcast_to_and_flatten,
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_map_,
    tree_unflatten,
)

__all__ = [
    "Tensor",
    "_add_batch_dim",
    "_broadcast_to_and_flatten",
    "_create_batched_inputs",
    "_get_name",
    "_maybe_remove_batch_dim",
    "_process_batched_inputs",
    "_remove_batch_dim",
    "_unwrap_batched",
    "_vmap_decrement_nesting",
    "_vmap_increment_nesting",
    "is_batchedtensor",
    "tree_flatten",
    "tree_map",
    "tree_map_",
    "tree_unflatten",
    "vmap",
]


def _get_name(func: Callable[..., Any]) -> str:
    """What errors call a function."""
    return getattr(func, "__name__", repr(func))


def _process_batched_inputs(
    in_dims: Any, args: tuple[Any, ...], func: Callable[..., Any]
) -> tuple[int, list[int | None], list[Any], TreeSpec]:
    """The size of the batch, where each leaf of the arguments has it, the leaves and their shape."""
    leaves, dims, spec, sizes = mapping.arguments(func, in_dims, args)
    return mapping.one_size(func, sizes), dims, leaves, spec


def _create_batched_inputs(
    flat_in_dims: Sequence[int | None], flat_args: Sequence[Any], vmap_level: int, args_spec: TreeSpec
) -> Any:
    """The arguments with one example in the place of each batch."""
    return tree_unflatten(
        [x if d is None else _add_batch_dim(x, d, vmap_level) for x, d in zip(flat_args, flat_in_dims, strict=True)],
        args_spec,
    )


def _maybe_remove_batch_dim(name: str, batched_output: Any, vmap_level: int, batch_size: int, out_dim: Any) -> Any:
    """A result as a whole batch; as it is with `out_dim` None, where it must not differ from example to example.

    Raises:
        ValueError: for what is no tensor, and for a result that does differ.
    """
    if out_dim is None:
        if isinstance(batched_output, Tensor) and is_batchedtensor(batched_output):
            raise ValueError(
                f"vmap({name}): 'out_dims' must not be None for a result that differs from example to example"
            )
        return batched_output
    if not isinstance(batched_output, Tensor):
        raise ValueError(f"vmap({name}): every result must be a Tensor; found {type(batched_output).__name__}")
    return _remove_batch_dim(batched_output, vmap_level, batch_size, out_dim)


def _unwrap_batched(
    batched_outputs: Any, out_dims: Any, vmap_level: int, batch_size: int, func: Callable[..., Any]
) -> Any:
    """The results as whole batches."""
    leaves, spec = tree_flatten(batched_outputs)
    where = _broadcast_to_and_flatten(out_dims, spec)
    if where is None:
        raise ValueError(f"vmap({_get_name(func)}): 'out_dims' must be like the results, {spec}; found {out_dims!r}")
    parts = [
        _maybe_remove_batch_dim(_get_name(func), x, vmap_level, batch_size, d)
        for x, d in zip(leaves, where, strict=True)
    ]
    return tree_unflatten(parts, spec)


_STEPS = ("_process_batched_inputs", "_create_batched_inputs", "_unwrap_batched")
_own = tuple(globals()[name] for name in _STEPS)


def _mapped(
    func: Callable[..., Any],
    in_dims: Any,
    out_dims: Any,
    randomness: str,
    chunk_size: int | None,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """The call of a mapped function by the steps, or NotImplemented if none of them is replaced."""
    if tuple(globals()[name] for name in _STEPS) == _own:
        return NotImplemented
    size, dims, leaves, spec = _process_batched_inputs(in_dims, args, func)

    def of_part(part: Sequence[Any], size: int, kwargs: dict[str, Any]) -> Any:
        level = _vmap_increment_nesting(size, randomness)
        try:
            given = _create_batched_inputs(dims, part, level, spec)
            named = tree_map(lambda x: _add_batch_dim(x, 0, level) if isinstance(x, Tensor) else x, kwargs)
            return _unwrap_batched(func(*given, **named), out_dims, level, size, func)
        finally:
            _vmap_decrement_nesting()

    if chunk_size is None or chunk_size >= size:
        return of_part(leaves, size, kwargs)
    results = []
    for start in range(0, size, chunk_size):
        rows = slice(start, min(start + chunk_size, size))
        part = [x if d is None else x[(slice(None),) * d + (rows,)] for x, d in zip(leaves, dims, strict=True)]
        named = tree_map(lambda x, rows=rows: x[rows] if isinstance(x, Tensor) else x, kwargs)
        results.append(of_part(part, rows.stop - rows.start, named))
    return _joined(results, out_dims)


def _joined(results: Sequence[Any], out_dims: Any) -> Any:
    """The results of all parts of a batch, one after the other."""
    from rushlight import cat

    _, spec = tree_flatten(results[0])
    where = _broadcast_to_and_flatten(out_dims, spec)
    assert where is not None
    columns = zip(*(tree_leaves(r) for r in results), strict=True)
    return tree_unflatten(
        [parts[0] if d is None else cat(list(parts), d) for parts, d in zip(columns, where, strict=True)], spec
    )


mapping.replaced.append(_mapped)
