"""Buffers of plans as NumPy arrays, which most routines compute with."""

from __future__ import annotations

from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor


class _Buffer:
    """What NumPy asks of an object to make an array of its memory: 2 us, where ctypes takes 16."""

    __slots__ = ("__array_interface__",)

    def __init__(self, interface: dict[str, Any]) -> None:
        self.__array_interface__ = interface


_TYPES = {
    d.name: "|b1" if d is dt.bool_ else f"<{d.kind if d.numpy_name is not None else 'u'}{d.itemsize}"
    for d in dt.by_code
}


def array_of(t: Tensor) -> Any:
    """A NumPy view of a buffer; of a dtype that NumPy lacks, as the unsigned integers of its bits."""
    import numpy as np

    if not t.numel():
        return np.empty(tuple(t.shape), _TYPES[t.dtype.name])
    item = t.itemsize
    interface = {
        "version": 3,
        "typestr": _TYPES[t.dtype.name],
        "shape": tuple(t.shape),
        "data": (t.data_ptr(), False),
        "strides": tuple([s * item for s in t.stride()]),
    }
    return np.asarray(_Buffer(interface))


def float_array(t: Tensor) -> Any:
    """The values as an array that NumPy computes with: half types as float32."""
    import numpy as np

    a = array_of(t)
    if t.dtype is dt.bfloat16:
        return (a.astype(np.uint32) << 16).view(np.float32)
    return a.astype(np.float32) if t.dtype is dt.float16 else a


def store(t: Tensor, values: Any) -> None:
    """Write an array's values into a buffer, rounding to a half type."""
    import numpy as np

    if t.dtype is dt.bfloat16:
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
        rounded = np.where(np.isnan(values), (bits >> 16) | 0x40, (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16)
        array_of(t)[...] = rounded.astype(np.uint16)
    else:
        array_of(t)[...] = values
