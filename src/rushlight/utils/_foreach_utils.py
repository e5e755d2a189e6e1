"""Groups of tensors that packages' optimizers update together."""

from __future__ import annotations

from typing import Any

from rushlight import Tensor

__all__: list[str] = []

_Group = tuple[list[list[Tensor | None]], list[int]]


def _group_tensors_by_device_and_dtype(
    tensorlistlist: list[list[Tensor | None]], with_indices: bool = False
) -> dict[tuple[Any, Any], _Group]:
    """The columns of lists of equal length, by the device and dtype of the first list's tensors; lists after the first
    may also be empty.

    Returns:
        for each device and dtype the lists' parts, and where they stood (empty unless `with_indices`).
    """
    lists = [list(tensors) for tensors in tensorlistlist]
    lengths = [len(tensors) for tensors in lists]
    if not lists or not lists[0] or any(length not in (0, lengths[0]) for length in lengths):
        raise RuntimeError(
            "_group_tensors_by_device_and_dtype(): the first list must hold tensors, and the others as many or none; "
            f"found lists of {lengths}"
        )
    groups: dict[tuple[Any, Any], _Group] = {}
    for i, first in enumerate(lists[0]):
        if first is None:
            raise RuntimeError(
                f"_group_tensors_by_device_and_dtype(): the first list must hold tensors; found None at {i}"
            )
        parts, indices = groups.setdefault((first.device, first.dtype), ([[] for _ in lists], []))
        for part, tensors in zip(parts, lists, strict=True):
            part.extend(tensors[i : i + 1])
        if with_indices:
            indices.append(i)
    return groups
