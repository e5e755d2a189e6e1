"""The transforms in force, and the tensors that they wrap: `Batched` (vmap) and `Dual` (forward mode).

Each transform in force is a level; levels are numbered from the outermost. A wrapper belongs to one level and holds
tensors of lower ones. Reverse mode has no wrapper: it is the ordinary graph on the innermost plain tensors, where a
batched tensor is one physical tensor with batch dimensions in front, and a dual one is its primal and tangent.
"""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import Any

from rushlight.core import locks
from rushlight.core import raw as _raw
from rushlight.core import tensor as _core
from rushlight.core.tensor import Tensor, device
from rushlight.operators.creation.placement import strided_extent
from rushlight.operators.shapes.view import strided_gather, strided_scatter
from rushlight.operators.table.arrays import ValuesDiffer
from rushlight.operators.table.define import METHODS, TABLE

TRANSFORM = _core.get_keys_flag_mask()["TRANSFORM"]


class Level(locks.Block["Level"]):
    """One transform in force: kind "vmap" (with its batch size and randomness), "jvp" or "grad"."""

    def __init__(self, kind: str, size: int = 0, randomness: str = "error") -> None:
        self.kind, self.size, self.randomness = kind, size, randomness
        self.number = 0
        self.alive = False
        self.looping = False  # its examples run one by one: each draws numbers of its own already

    def _before_(self) -> None:
        """Nothing: a level stands in the stack by itself."""

    def _begin_(self) -> Level:
        """Put it in force, as the innermost."""
        stack = _local.stack
        self.number = stack[-1].number + 1 if stack else 1
        self.alive = True
        stack.append(self)
        return self

    def _end_(self, before: None) -> None:
        """Put it out of force."""
        self.alive = False
        _local.stack[:] = [level for level in _local.stack if level is not self]


class _Local(threading.local):
    def __init__(self) -> None:
        self.stack: list[Level] = []


_local = _Local()
locks.in_force(_local, "stack")


def in_force() -> list[Level]:
    """The levels of this thread, outermost first."""
    return _local.stack


class Wrapper(Tensor):
    """A tensor that a transform has put in the place of another; `level` is the transform's."""

    _dispatch_keys = TRANSFORM
    __torch_function__ = _core._disabled_torch_function_impl
    level: Level

    def _special_stride(self) -> tuple[int, ...]:
        steps, step = [], 1
        for s in reversed(self._special_shape()):
            steps.append(step)
            step *= max(s, 1)
        return tuple(reversed(steps))

    def _special_shape(self) -> tuple[int, ...]:
        raise NotImplementedError

    @property
    def _device(self) -> device:
        return self.plain().device

    def plain(self) -> Tensor:
        """The plain tensor inside."""
        raise NotImplementedError

    def in_storage(self) -> tuple[list[int], list[int], int]:
        """The sizes, the strides and the offset that the elements have in the storage of the plain tensor inside."""
        raise NotImplementedError

    def restrided(self, size: tuple[int, ...], stride: tuple[int, ...], offset: int | None) -> Tensor:
        """Another view of that storage."""
        raise NotImplementedError


class Batched(Wrapper):
    """One example of `value`, whose dimension 0 is the batch of the level."""

    value: Tensor

    def _special_shape(self) -> tuple[int, ...]:
        return tuple(self.value.shape)[1:]

    def plain(self) -> Tensor:
        return self.value.plain() if isinstance(self.value, Wrapper) else self.value

    def in_storage(self) -> tuple[list[int], list[int], int]:
        sizes, strides, offset = in_storage(self.value)
        return sizes[1:], strides[1:], offset

    def restrided(self, size: tuple[int, ...], stride: tuple[int, ...], offset: int | None) -> Tensor:
        (examples, *sizes), (step, *strides), low = in_storage(self.value)
        at = low if offset is None else offset
        if 0 not in size and not low <= at <= at + strided_extent(size, stride) <= low + strided_extent(sizes, strides):
            raise RuntimeError(
                f"as_strided(): under vmap the result must lie within its example, elements {low} to "
                f"{low + strided_extent(sizes, strides) - 1} of the storage for the "
                f"first one; found {at} to {at + strided_extent(size, stride) - 1}"
            )
        return batched(METHODS["as_strided"](self.value, (examples, *size), (step, *stride), at), self.level)

    def _special_item(self) -> Any:
        raise ValuesDiffer(
            "vmap: item() must be called on a tensor that all examples share; found one with a value for each. Use "
            "where(), or func.cond",
            self.level,
        )

    _special_tolist = _special_item

    def __repr__(self) -> str:
        shown = repr(self.value).replace("\n", "\n    ")
        return f"BatchedTensor(lvl={self.level.number}, bdim=0, value=\n    {shown}\n)"


class Dual(Wrapper):
    """A primal and its tangent (None: zero)."""

    primal: Tensor
    tangent: Tensor | None

    def _special_shape(self) -> tuple[int, ...]:
        return tuple(self.primal.shape)

    def plain(self) -> Tensor:
        return self.primal.plain() if isinstance(self.primal, Wrapper) else self.primal

    def in_storage(self) -> tuple[list[int], list[int], int]:
        return in_storage(self.primal)

    def restrided(self, size: tuple[int, ...], stride: tuple[int, ...], offset: int | None) -> Tensor:
        sizes, strides, low = in_storage(self.primal)
        at = low if offset is None else offset
        places = sorted((s, n) for n, s in zip(sizes, strides, strict=True) if n > 1)
        if 0 not in sizes and any(s * n > t for (s, n), (t, _) in pairwise(places)) or any(s == 0 for s, _ in places):
            raise RuntimeError(
                "as_strided(): in forward mode the elements of 'input' must have places of their own; found the "
                f"sizes {sizes} with the strides {strides}"
            )
        assert self.tangent is not None
        # The tangent laid out as the primal is, with zeros where the storage has what 'input' lacks.
        begin = min(at, low)
        length = max(at + strided_extent(size, stride), low + strided_extent(sizes, strides)) - begin
        memory = strided_scatter(self.tangent, length, tuple(strides), low - begin)
        return dual(
            METHODS["as_strided"](self.primal, size, stride, at),
            strided_gather(memory, size, stride, at - begin),
            self.level,
        )

    def _special_item(self) -> Any:
        return self.primal.item()

    def _special_tolist(self) -> Any:
        return self.primal.tolist()

    @property  # type: ignore[misc]
    def requires_grad(self) -> bool:
        return self.primal.requires_grad

    def __repr__(self) -> str:
        from rushlight.inspection.printing import tensor_repr

        # As PyTorch shows it: by the primal, and a tangent without dimensions by its number.
        return tensor_repr(self.primal, tangent=self.tangent)


def in_storage(x: Tensor) -> tuple[list[int], list[int], int]:
    """The sizes, strides and offset of a tensor, or of what it wraps, in its storage."""
    return x.in_storage() if isinstance(x, Wrapper) else (list(x.shape), list(x.stride()), x.storage_offset())


def batched(value: Tensor, level: Level) -> Batched:
    """`value`, with its batch in dimension 0, as one example."""
    t = Batched.__new__(Batched)
    _raw.set_keys(t, TRANSFORM, value.dtype)
    t.value, t.level = value, level
    return t


def dual(primal: Tensor, tangent: Tensor | None, level: Level) -> Tensor:
    """`primal` with a tangent; `primal` itself when the tangent is zero."""
    if tangent is None:
        return primal
    t = Dual.__new__(Dual)
    _raw.set_keys(t, TRANSFORM, primal.dtype)
    t.primal, t.tangent, t.level = primal, tangent, level
    return t


# ------------------------------------------------------------------------------------- physical parts, for reverse mode
# the jvp levels of which a part is the tangent -> a plain tensor, all vmap levels in front
Parts = dict[frozenset[int], Tensor]


def take_apart(x: Tensor, levels: list[Level]) -> Parts:
    """The plain tensors inside of `x`, each batched at every vmap level of `levels`."""
    if not levels:
        return {frozenset(): x}
    top, rest = levels[-1], levels[:-1]
    if top.kind == "vmap":
        if isinstance(x, Batched) and x.level is top:
            value = x.value
        else:
            value = METHODS["expand"](METHODS["unsqueeze"](x, 0), (top.size, *x.shape))
        return take_apart(value, rest)
    if isinstance(x, Dual) and x.level is top:
        parts = take_apart(x.primal, rest)
        if x.tangent is not None:
            parts |= {k | {top.number}: v for k, v in take_apart(x.tangent, rest).items()}
        return parts
    return take_apart(x, rest)


def put_together(parts: Parts, levels: list[Level]) -> Tensor:
    """The wrapped tensor of physical parts."""
    built: dict[frozenset[int], Tensor] = dict(parts)
    for level in levels:
        if level.kind == "vmap":
            built = {k: batched(v, level) for k, v in built.items()}
        elif level.kind == "jvp":
            rest = {k for k in built if level.number not in k}
            # A part that is a tangent alone has a primal of zeros.
            rest |= {k - {level.number} for k in built}
            new = {}
            for k in rest:
                tangent = built.get(k | {level.number})
                primal = built.get(k)
                if primal is None:
                    assert tangent is not None
                    primal = TABLE["zeros_like"](tangent)
                new[k] = dual(primal, tangent, level)
            built = new
    return built[frozenset()]
