"""Tensors and NumPy arrays on one memory, for the operators whose result's size depends on data (nonzero, unique)."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import factory as _factory
from rushlight.core import raw as _raw
from rushlight.core import storage as _storage
from rushlight.core.tensor import Tensor


class ValuesDiffer(RuntimeError):
    """The numbers of a mapped tensor were asked for, of which each example of the vmap `level` has its own.

    An eager operator that raises it is called for each example by itself (func/by_example.py).
    """

    def __init__(self, message: str, level: Any) -> None:
        super().__init__(message)
        self.level = level

    def __reduce__(self) -> tuple[Any, ...]:
        return RuntimeError, self.args


# A program that catches it sees a plain RuntimeError.
ValuesDiffer.__module__, ValuesDiffer.__name__, ValuesDiffer.__qualname__ = "builtins", "RuntimeError", "RuntimeError"


def need_data(t: Tensor, name: str) -> None:
    """NotImplementedError for a tensor without data (meta, traced); ValuesDiffer for a mapped one."""
    level = getattr(t, "level", None)
    if level is not None and level.kind == "vmap":
        raise ValuesDiffer(f"{name}(): vmap: the numbers that each example has differ", level)
    if t.is_meta or t.device.type != "cpu" or getattr(type(t), "_dispatch_keys", None):
        raise NotImplementedError(
            f"{name}(): the size of the result depends on data, and this tensor has none here (device {t.device}, "
            f"{type(t).__name__})"
        )


def array_of(t: Tensor, name: str) -> Any:
    """A NumPy array of t's values, on its memory where NumPy has the dtype (narrow dtypes that it lacks are copied to
    the one that they compute in).

    Raises:
        NotImplementedError: for a tensor without data (meta, traced), or of a dtype for storage.
    """
    import numpy as np

    if t._keys_:
        need_data(t, name)
    if t.dtype.format is not None:
        raise NotImplementedError(f"{name}(): not defined for dtype {t.dtype}")
    if t.dtype.numpy_name is None:
        t = t.detach().to(t.dtype.compute)
    storage, at, strides = _raw.lies_at(t)
    # (A window: a storage of which NumPy has a buffer is shared for ever.)
    memory = None if storage is None else _storage.contents(storage)
    return np.ndarray(t.shape, dt.to_numpy_dtype(t.dtype), memory, at, strides)


def tensor_of(a: Any, dtype: dt.dtype | None = None) -> Tensor:
    """A new tensor with the values of a NumPy array (as `dtype` if given)."""
    import numpy as np

    a = np.asarray(a)
    t = _raw.empty_strided_raw(dt.from_numpy_dtype(a.dtype), a.shape, None)
    if a.size:
        _raw.copy_array(t, a if a.flags.c_contiguous else np.ascontiguousarray(a))
    return t if dtype is None or t.dtype is dtype else t.to(dtype)


def int64_tensor(values: Any, shape: tuple[int, ...]) -> Tensor:
    """An int64 tensor of nested lists of ints with the given shape."""
    t = _raw.empty_strided_raw(dt.int64, shape, None)
    _factory.fill_from_nested(t, values)
    return t
