"""Making one batch of a list of samples."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import rushlight
from rushlight import Tensor

__all__ = [
    "collate",
    "collate_float_fn",
    "collate_int_fn",
    "collate_str_fn",
    "collate_tensor_fn",
    "default_collate",
    "default_collate_fn_map",
    "default_convert",
]

_TYPES = "default_collate: samples must be made of tensors, arrays, numbers, strings, mappings and sequences; found {}"


def _numpy_kind(value: Any) -> str | None:
    """``"array"`` or ``"scalar"`` for a NumPy value; the type's name decides, so that NumPy need not be loaded."""
    cls = type(value)
    if cls.__module__ != "numpy" or cls.__name__ in ("str_", "bytes_", "string_"):
        return None
    return "array" if cls.__name__ in ("ndarray", "memmap") else "scalar"


def _check_numpy(value: Any) -> None:
    if value.dtype.kind in "SUOa":
        raise TypeError(_TYPES.format(value.dtype))


def default_convert(data: Any) -> Any:
    """Turn the NumPy arrays in a sample, at any depth, into tensors."""
    if _numpy_kind(data) is not None:
        return data if data.dtype.kind in "SUO" else rushlight.as_tensor(data)
    if isinstance(data, Tensor | str | bytes):
        return data
    if isinstance(data, Mapping):
        return _like(data, {name: default_convert(item) for name, item in data.items()})
    if not isinstance(data, Sequence):
        return data
    items = [default_convert(item) for item in data]
    if isinstance(data, tuple):
        return type(data)(*items) if hasattr(data, "_fields") else items
    return _like(data, items)


def _like(original: Any, items: dict[Any, Any] | list[Any]) -> Any:
    """A container of the type of another with other items; a plain one where none of that type can be made."""
    if type(original) in (dict, list):
        return items
    try:
        if not isinstance(original, MutableMapping | MutableSequence):
            return type(original)(items)
        # A copy keeps the state of the type other than its items, such as defaultdict's factory.
        made = copy.copy(original)
        for key, item in items.items() if isinstance(items, dict) else enumerate(items):
            made[key] = item
        return made
    except TypeError:
        return items


def collate(batch: Any, *, collate_fn_map: dict[type | tuple[type, ...], Callable[..., Any]] | None = None) -> Any:
    """Make one batch of a list of samples, going into mappings and sequences.

    Args:
        batch: the samples.
        collate_fn_map: for a type, the function that makes a batch of a list of such values.

    Raises:
        TypeError: a type is not known.
        RuntimeError: samples are sequences of different lengths.
    """
    first = batch[0]
    kind = type(first)
    if collate_fn_map:
        if kind in collate_fn_map:
            return collate_fn_map[kind](batch, collate_fn_map=collate_fn_map)
        for known, fn in collate_fn_map.items():
            if isinstance(first, known):
                return fn(batch, collate_fn_map=collate_fn_map)
        if Tensor in collate_fn_map:  # the default one, or one that adds to it
            numpy_kind = _numpy_kind(first)
            if numpy_kind is not None:
                _check_numpy(first)
                if numpy_kind == "array":
                    return collate([rushlight.as_tensor(item) for item in batch], collate_fn_map=collate_fn_map)
                return rushlight.as_tensor(batch)

    def again(values: Any) -> Any:
        return collate(values, collate_fn_map=collate_fn_map)

    if isinstance(first, Mapping):
        return _like(first, {key: again([sample[key] for sample in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return kind(*(again(values) for values in zip(*batch, strict=True)))
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            lengths = sorted({len(sample) for sample in batch})
            raise RuntimeError(f"collate: the sequences of a batch must have one length; found {lengths}")
        columns = [again(values) for values in zip(*batch, strict=True)]
        return columns if isinstance(first, tuple) else _like(first, columns)
    raise TypeError(_TYPES.format(kind))


def collate_tensor_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Tensors of one shape, stacked."""
    return rushlight.stack(list(batch), 0)


def collate_float_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Python's floats, as one float64 tensor."""
    return rushlight.tensor(batch, dtype=rushlight.float64)


def collate_int_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Python's ints, as one tensor."""
    return rushlight.tensor(batch)


def collate_str_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Strings, as they are."""
    return batch


default_collate_fn_map: dict[Any, Callable[..., Any]] = {
    Tensor: collate_tensor_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch: Any) -> Any:
    """Make one batch of a list of samples: tensors are stacked, numbers become tensors, strings stay in their list."""
    return collate(batch, collate_fn_map=default_collate_fn_map)
