"""An older name of `vmap`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.func import vmap

__all__ = ["_vmap", "vmap"]


def _vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, allow_none_pass_through: bool = False
) -> Callable[..., Any]:
    """`vmap` with randomness="same": all examples get the same random numbers, as in that older version.

    Args:
        allow_none_pass_through: results that are None stay None.
    """
    if not allow_none_pass_through:
        return vmap(func, in_dims, out_dims, randomness="same")

    def called(*args: Any) -> Any:
        absent: list[bool] = []

        def present(*inner: Any) -> tuple[tuple[Any, ...], bool]:
            found = func(*inner)
            parts = found if isinstance(found, tuple) else (found,)
            absent[:] = [x is None for x in parts]
            return tuple(x for x in parts if x is not None), isinstance(found, tuple)

        tuples: list[bool] = []

        def run(*inner: Any) -> Any:
            parts, is_tuple = present(*inner)
            tuples.append(is_tuple)
            return parts

        values = iter(vmap(run, in_dims, out_dims, randomness="same")(*args))
        whole = tuple(None if gone else next(values) for gone in absent)
        return whole if tuples[0] else whole[0]

    return called
