# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.dtypes import dtype as _of__dtype, layout as _of__layout, dtype as dtype, layout as layout
from rushlight.core.places import Size as Size, device as _of__device, device as device
from rushlight.core.storage import Storage as Storage, Storage as _of__Storage
from rushlight.core.tensor import Tensor as Tensor
from rushlight.names.symbols import SymBool as SymBool, SymFloat as SymFloat, SymInt as SymInt
from rushlight.types import (
    BoolLikeType as BoolLikeType, Device as Device, FileLike as FileLike, FloatLikeType as FloatLikeType,
    IntLikeType as IntLikeType, Number as Number, PySymType as PySymType,
    _TensorOrTensorsOrGradEdge as _TensorOrTensorsOrGradEdge, _bool as _bool, _complex as _complex, _dispatchkey as _dispatchkey,
    _float as _float, _int as _int, py_sym_types as py_sym_types,
)

_Storage = _of__Storage
_device = _of__device
_dtype = _of__dtype
_layout = _of__layout
