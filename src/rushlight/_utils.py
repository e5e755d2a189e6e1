"""Helpers that programs import from PyTorch's `_utils`: they flatten many tensors into one, and rebuild tensors from
files.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any

import rushlight
from rushlight.compat.rebuild import rebuild_parameter as _rebuild_parameter
from rushlight.compat.rebuild import rebuild_tensor_v2 as _rebuild_tensor_v2
from rushlight.core.tensor import Tensor

__all__: list[str] = []
__all__ += [
    "_flatten_dense_tensors",
    "_element_size",
    "_get_available_device_type",
    "_get_device_index",
    "_get_device_module",
    "_import_dotted_name",
    "_rebuild_parameter",
    "_rebuild_tensor_v2",
    "_take_tensors",
    "_unflatten_dense_tensors",
]


def _flatten_dense_tensors(tensors: Sequence[Tensor]) -> Tensor:
    """All elements of the tensors, which have one dtype, as one 1-d tensor."""
    return rushlight.cat([t.contiguous().view(-1) for t in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Views of `_flatten_dense_tensors`' result in the shapes of the tensors."""
    parts = flat.split([t.numel() for t in tensors])
    return tuple(part.view(t.shape) for part, t in zip(parts, tensors, strict=True))


def _take_tensors(tensors: Iterable[Tensor], size_limit: int) -> Iterator[list[Tensor]]:
    """Group tensors, in order, into lists of one type and of at most `size_limit` bytes; a larger tensor is a list of
    its own.
    """
    kept: dict[str, list[Tensor]] = {}
    sizes: dict[str, int] = {}
    for t in tensors:
        kind, size = str(t.type()), t.numel() * t.element_size()
        if kept.setdefault(kind, []) and sizes[kind] + size > size_limit:
            yield kept[kind]
            kept[kind] = []
        sizes[kind] = sizes[kind] + size if kept[kind] else size
        kept[kind].append(t)
    yield from (last for last in kept.values() if last)


def _import_dotted_name(name: str) -> Any:
    """The object at a path of modules and attributes."""
    first, *rest = name.split(".")
    found = importlib.import_module(first)
    for part in rest:
        found = getattr(found, part)
    return found


def _element_size(dtype: Any) -> int:
    """How many bytes an element has."""
    return int(dtype.itemsize)


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """The index of a device: an int is its own, the CPU has -1.

    Args:
        device: a device, its name, an int, or None where `optional`.
        allow_cpu: the CPU is a device too.

    Raises:
        ValueError: it is no device, or one that is not accepted.
    """
    if isinstance(device, str):
        device = rushlight.device(device)
    if isinstance(device, rushlight.device):
        if device.type == "cpu" and not allow_cpu:
            raise ValueError(f"_get_device_index(): 'device' must not be the CPU; found {device}")
        device = -1 if device.type == "cpu" else device.index
    if device is None and optional:
        return rushlight.accelerator.current_device_index()
    if not isinstance(device, int):
        raise ValueError(f"_get_device_index(): 'device' must be a device or an int; found {device!r}")
    return device


def _get_available_device_type() -> str | None:
    """The type of this machine's accelerator; None without one."""
    found = rushlight.accelerator.current_accelerator(check_available=True)
    return None if found is None else found.type


def _get_device_module(device_type: str) -> ModuleType:
    """The namespace of a device type, such as torch.cpu. RuntimeError: there is none."""
    found = getattr(rushlight, device_type, None)
    if not isinstance(found, ModuleType) or not hasattr(found, "device_count"):
        raise RuntimeError(
            f"Device '{device_type}' does not have a corresponding module registered as 'torch.{device_type}'."
        )
    return found
