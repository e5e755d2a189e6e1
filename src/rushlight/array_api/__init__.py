"""The Python array API standard, revision 2025.12, on tensors: https://data-apis.org/array-api.

Names, signatures and semantics are the standard's, where `rushlight` itself keeps PyTorch's; the arrays are rushlight's
tensors, so autograd, vmap and devices work as they do elsewhere. `x.__array_namespace__()` returns this module.
docs/array_api.md lists what differs.
"""

# ruff: noqa: F401, F403
from __future__ import annotations

import math as _math

from rushlight.array_api import _creation, _dtypes, _elementwise, _manipulation, _reductions, _searching, fft, linalg
from rushlight.array_api._creation import *
from rushlight.array_api._dtypes import *
from rushlight.array_api._dtypes import VERSION as __array_api_version__
from rushlight.array_api._dtypes import of_version
from rushlight.array_api._elementwise import *
from rushlight.array_api._manipulation import *
from rushlight.array_api._reductions import *
from rushlight.array_api._searching import *
from rushlight.array_api.linalg import matmul, matrix_transpose, tensordot, vecdot
from rushlight.core.dtypes import bool_ as bool
from rushlight.core.dtypes import (
    complex64,
    complex128,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

e, inf, nan, pi, newaxis = _math.e, _math.inf, _math.nan, _math.pi, None

_CONSTANTS = ["e", "inf", "nan", "newaxis", "pi"]
_DTYPES = [
    "bool",
    "complex64",
    "complex128",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
_PARTS = (_creation, _dtypes, _elementwise, _manipulation, _reductions, _searching)

__all__ = [
    "__array_api_version__",
    "fft",
    "linalg",
    "matmul",
    "matrix_transpose",
    "tensordot",
    "vecdot",
    *_CONSTANTS,
    *_DTYPES,
    *[name for part in _PARTS for name in part.__all__],
]
