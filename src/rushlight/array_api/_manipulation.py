"""Functions that change shapes: they join, split, move and repeat arrays, and read along an axis."""

from __future__ import annotations

from collections.abc import Sequence

import rushlight as rl
from rushlight.array_api._arguments import Axes, array, arrays_of, axes_of, cast, one_axis
from rushlight.core.tensor import Tensor


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """Views of the arrays in the shape that they broadcast to."""
    found = [array("broadcast_arrays", f"arrays[{i}]", x) for i, x in enumerate(arrays)]
    return tuple(rl.broadcast_tensors(*found)) if found else ()


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that arrays of the given shapes broadcast to; ValueError if there is none."""
    try:
        return tuple(rl.broadcast_shapes(*shapes))
    except RuntimeError as error:
        raise ValueError(str(error)) from None


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    """A view of x in another shape, to which its axes of size 1 and missing leading axes are stretched; ValueError if x
    does not broadcast to that shape.
    """
    array("broadcast_to", "x", x)
    if len(shape) < x.ndim or any(n not in (1, m) for n, m in zip(reversed(x.shape), reversed(shape))):
        raise ValueError(f"broadcast_to(): an array of shape {tuple(x.shape)} cannot be broadcast to {tuple(shape)}")
    return rl.broadcast_to(x, tuple(shape))


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """The arrays one after the other along an axis, in their common dtype; axis=None flattens them first."""
    found = arrays_of("concat", arrays)
    if axis is None:
        found, axis = [rl.flatten(x) for x in found], 0
    ranks = {x.ndim for x in found}
    if ranks == {0} or len(ranks) > 1:  # PyTorch ignores empty 1-d tensors
        raise ValueError(
            "concat(): expected arrays of one rank, 1 at least; found shapes "
            f"{', '.join(str(tuple(x.shape)) for x in found)}"
        )
    return rl.concat(found, one_axis("concat", axis, found[0].ndim))


def expand_dims(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """x with new axes of size 1, at the given positions of the result."""
    array("expand_dims", "x", x)
    axes = axis if isinstance(axis, tuple) else (axis,)
    for a in sorted(axes_of("expand_dims", axes, x.ndim + len(axes))):
        x = rl.unsqueeze(x, a)
    return x


def flip(x: Tensor, /, *, axis: Axes = None) -> Tensor:
    """x with the order of its elements reversed along the given axes, or all."""
    return rl.flip(array("flip", "x", x), axes_of("flip", axis, x.ndim))


def moveaxis(x: Tensor, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Tensor:
    """A view of x with the axes `source` moved to the positions `destination`; the others keep their order."""
    return rl.moveaxis(array("moveaxis", "x", x), source, destination)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """A view of x with its axes in another order: axis i of the result is axis axes[i] of x."""
    array("permute_dims", "x", x)
    if len(axes) != x.ndim:
        raise ValueError(f"permute_dims(): expected {x.ndim} axes, one for each of x; found {axes}")
    return rl.permute(x, axes_of("permute_dims", tuple(axes), x.ndim))


def repeat(x: Tensor, repeats: int | Tensor, /, *, axis: int | None = None) -> Tensor:
    """Each element of x repeated, along an axis or, with axis=None, of x flattened.

    Args:
        repeats: how often, as one int for all elements, or a 1-d array with an int for each position along the axis.
    """
    array("repeat", "x", x)
    if isinstance(repeats, Tensor):
        repeats = cast(repeats, rl.int64).to(x.device)
    return rl.repeat_interleave(x, repeats, None if axis is None else one_axis("repeat", axis, x.ndim))


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """The elements of x in another shape, in row-major order; one size may be -1, and follows from the others.

    Args:
        copy: True always copies, False never does, None gives a view where that is possible.

    Raises:
        ValueError: copy is False and no view is possible.
    """
    array("reshape", "x", x)
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if copy:
        return rl.clone(x, memory_format=rl.contiguous_format).reshape(sizes)
    result = rl.reshape(x, sizes)
    if copy is False and x.numel() and result.untyped_storage().data_ptr() != x.untyped_storage().data_ptr():
        raise ValueError(
            f"reshape(): copy=False, but an array of shape {tuple(x.shape)} and strides {x.stride()} has no view of "
            f"shape {sizes}"
        )
    return result


def roll(x: Tensor, /, shift: int | tuple[int, ...], *, axis: Axes = None) -> Tensor:
    """x with its elements moved along axes, and those that leave at one end coming back at the other; axis=None moves
    those of x flattened.
    """
    array("roll", "x", x)
    if axis is None:
        return rl.roll(x, shift)
    axes = axis if isinstance(axis, tuple) else (axis,)
    shifts = shift if isinstance(shift, tuple) else (shift,) * len(axes)
    return rl.roll(x, shifts, tuple(one_axis("roll", a, x.ndim) for a in axes))


def squeeze(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """x without the given axes, which must be of size 1 (ValueError)."""
    array("squeeze", "x", x)
    axes = axes_of("squeeze", axis, x.ndim)
    for a in axes:
        if x.shape[a] != 1:
            raise ValueError(
                f"squeeze(): expected axes of size 1; found axis {a} of an array of shape {tuple(x.shape)}"
            )
    return rl.reshape(x, [n for a, n in enumerate(x.shape) if a not in axes]) if axes else x


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """Arrays of one shape along a new axis, in their common dtype."""
    found = arrays_of("stack", arrays)
    return rl.stack(found, one_axis("stack", axis, found[0].ndim + 1))


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """The elements of x at the given indices along an axis, which may be None for a 1-d x; negative indices count from
    the end.
    """
    array("take", "x", x)
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take(): axis is needed for an array of {x.ndim} dimensions")
        axis = 0
    a = one_axis("take", axis, x.ndim)
    return x[(slice(None),) * a + (cast(array("take", "indices", indices), rl.int64),)]


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """For each 1-d slice of x along an axis, its elements at the indices in the same slice of `indices`; the other axes
    broadcast.
    """
    a = one_axis("take_along_axis", axis, array("take_along_axis", "x", x).ndim)
    places = cast(array("take_along_axis", "indices", indices), rl.int64)
    size = x.shape[a]
    return rl.take_along_dim(x, rl.where(places < 0, places + size, places), a)


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """x repeated as a whole along each axis; ones are put in front of the shorter of the shape and the repetitions."""
    return rl.tile(array("tile", "x", x), tuple(repetitions))


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """Views of x at each index along an axis."""
    return tuple(rl.unbind(array("unstack", "x", x), one_axis("unstack", axis, x.ndim)))


__all__ = [
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "concat",
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "squeeze",
    "stack",
    "take",
    "take_along_axis",
    "tile",
    "unstack",
]
