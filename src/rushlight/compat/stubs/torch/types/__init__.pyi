# Made by `python tools/stubs.py`; do not edit.
# ruff: noqa
from rushlight.core.devices import Size as Size
from rushlight.core.devices import device as _of__device
from rushlight.core.devices import device as device
from rushlight.core.dtypes import dtype as _of__dtype
from rushlight.core.dtypes import dtype as dtype
from rushlight.core.dtypes import layout as _of__layout
from rushlight.core.dtypes import layout as layout
from rushlight.core.storage import Storage as Storage
from rushlight.core.storage import Storage as _of__Storage
from rushlight.core.tensor import Tensor as Tensor
from rushlight.names.symbols import SymBool as SymBool
from rushlight.names.symbols import SymFloat as SymFloat
from rushlight.names.symbols import SymInt as SymInt
from rushlight.types import BoolLikeType as BoolLikeType
from rushlight.types import Device as Device
from rushlight.types import FileLike as FileLike
from rushlight.types import FloatLikeType as FloatLikeType
from rushlight.types import IntLikeType as IntLikeType
from rushlight.types import Number as Number
from rushlight.types import PySymType as PySymType
from rushlight.types import _TensorOrTensorsOrGradEdge as _TensorOrTensorsOrGradEdge
from rushlight.types import _bool as _bool
from rushlight.types import _complex as _complex
from rushlight.types import _dispatchkey as _dispatchkey
from rushlight.types import _float as _float
from rushlight.types import _int as _int
from rushlight.types import py_sym_types as py_sym_types

_Storage = _of__Storage
_device = _of__device
_dtype = _of__dtype
_layout = _of__layout
