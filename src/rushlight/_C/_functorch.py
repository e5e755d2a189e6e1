"""Names of `torch._C._functorch` that packages read: what the transforms in force have wrapped, and a batch dimension
put on and taken off by hand.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack

from rushlight.core.tensor import Tensor
from rushlight.func.levels import Batched, Dual, Level, Wrapper, batched, in_force
from rushlight.func.random_mode import random_mode

__all__ = [
    "_add_batch_dim",
    "_remove_batch_dim",
    "_unwrap_batched",
    "_vmap_decrement_nesting",
    "_vmap_increment_nesting",
    "current_level",
    "get_unwrapped",
    "is_batchedtensor",
    "is_functorch_wrapped_tensor",
    "is_gradtrackingtensor",
    "maybe_current_level",
    "maybe_get_bdim",
    "maybe_get_level",
]


class _Entered(threading.local):
    """The levels that `_vmap_increment_nesting` has entered in this thread."""

    def __init__(self) -> None:
        self.stack: list[ExitStack] = []


_entered = _Entered()


def is_batchedtensor(tensor: Tensor) -> bool:
    """Whether vmap has put it in the place of another: one example of a batch."""
    return isinstance(tensor, Batched)


def is_gradtrackingtensor(tensor: Tensor) -> bool:
    """Whether a derivative has put it in the place of another; reverse mode puts nothing there."""
    return isinstance(tensor, Dual)


def is_functorch_wrapped_tensor(tensor: Tensor) -> bool:
    """Whether a transform has put it in the place of another."""
    return isinstance(tensor, Wrapper)


def get_unwrapped(tensor: Tensor) -> Tensor:
    """The tensor in whose place a transform has put this one. RuntimeError: it stands for itself."""
    if isinstance(tensor, Batched):
        return tensor.value
    if isinstance(tensor, Dual):
        return tensor.primal
    raise RuntimeError("get_unwrapped(): no transform has wrapped this tensor. No wrappers present!")


def maybe_get_level(tensor: Tensor) -> int:
    """The number of the transform that has wrapped it; -1 if there is none."""
    return tensor.level.number if isinstance(tensor, Wrapper) else -1


def maybe_get_bdim(tensor: Tensor) -> int:
    """Where the batch dimension lies in the tensor inside; -1 if there is none."""
    return 0 if isinstance(tensor, Batched) else -1


def maybe_current_level() -> int | None:
    """The number of the innermost transform in force."""
    levels = in_force()
    return levels[-1].number if levels else None


def current_level() -> int:
    """The number of the innermost transform in force. RuntimeError: there is none."""
    number = maybe_current_level()
    if number is None:
        raise RuntimeError("current_level(): no transform is in force")
    return number


def _level(number: int) -> Level:
    """The vmap of a number. RuntimeError: none of that number is in force."""
    for level in in_force():
        if level.number == number and level.kind == "vmap":
            return level
    raise RuntimeError(f"no vmap of level {number} is in force; in force are {[v.number for v in in_force()]}")


def _add_batch_dim(tensor: Tensor, dim: int, level: int) -> Tensor:
    """One example of a tensor: dimension `dim` becomes the batch of the vmap of that level."""
    return batched(tensor if dim == 0 else tensor.movedim(dim, 0), _level(level))


def _remove_batch_dim(tensor: Tensor, level: int, batch_size: int, out_dim: int) -> Tensor:
    """The whole batch, in dimension `out_dim`; what does not differ from example to example is expanded."""
    if isinstance(tensor, Batched) and tensor.level.number == level:
        value = tensor.value
    else:
        value = tensor.unsqueeze(0).expand(batch_size, *tensor.shape)
    return value if out_dim == 0 else value.movedim(0, out_dim)


def _unwrap_batched(tensor: Tensor, level: int) -> tuple[Tensor, int | None]:
    """The tensor inside and where its batch of that level lies; the tensor and None if it has none."""
    return (tensor.value, 0) if isinstance(tensor, Batched) and tensor.level.number == level else (tensor, None)


def _vmap_increment_nesting(batch_size: int, randomness: str) -> int:
    """Enter a vmap, until `_vmap_decrement_nesting`; returns its level."""
    scope = ExitStack()
    level = scope.enter_context(Level("vmap", batch_size, randomness))
    scope.enter_context(random_mode(level))
    _entered.stack.append(scope)
    return level.number


def _vmap_decrement_nesting() -> int:
    """Leave the vmap that was entered last; returns its level. RuntimeError: none was entered."""
    if not _entered.stack:
        raise RuntimeError("_vmap_decrement_nesting(): no vmap was entered by _vmap_increment_nesting()")
    number = current_level()
    _entered.stack.pop().close()
    return number
