"""Names for annotations of numbers, devices, sizes and the like."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import IO, Any, TypeAlias

from rushlight.core.dtypes import dtype, layout
from rushlight.core.storage import Storage as _Storage
from rushlight.core.tensor import Size, Tensor, device
from rushlight.names.symbols import SymBool, SymFloat, SymInt

__all__ = [
    "Device",
    "FileLike",
    "IntLikeType",
    "FloatLikeType",
    "BoolLikeType",
    "Number",
    "PySymType",
    "Storage",
    "Tensor",
]

_int, _float, _bool, _complex = int, float, bool, complex
_dtype, _device, _layout = dtype, device, layout
_size: TypeAlias = Size | list[int] | tuple[int, ...]
_symsize: TypeAlias = Size | Sequence[Any]
_dispatchkey: TypeAlias = str
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_TensorOrTensorsOrGradEdge: TypeAlias = Any
_TensorOrOptionalTensors: TypeAlias = Tensor | Sequence[Tensor | None]
Number: TypeAlias = int | float | bool
Device: TypeAlias = device | str | int | None
FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]
Storage = _Storage
PySymType: TypeAlias = SymInt | SymFloat | SymBool
IntLikeType: TypeAlias = int | SymInt
FloatLikeType: TypeAlias = float | SymFloat
BoolLikeType: TypeAlias = bool | SymBool
py_sym_types = (SymInt, SymFloat, SymBool)
