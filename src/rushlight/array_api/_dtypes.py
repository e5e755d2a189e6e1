"""Functions that inspect and convert dtypes, and that describe the namespace."""

from __future__ import annotations

from types import ModuleType
from typing import Any, NamedTuple

import rushlight as rl
from rushlight.array_api._arguments import Device, Dtype, array, common_dtype
from rushlight.core import dtypes as dt
from rushlight.core.tensor import Tensor, attach, device
from rushlight.operators.table.tracer import default_dtype

VERSION = "2025.12"
# Each revision contains those before it, so the newest serves a caller that asks for an older one.
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", VERSION)

_DTYPES = {
    "bool": (dt.bool_,),
    "signed integer": (dt.int8, dt.int16, dt.int32, dt.int64),
    "unsigned integer": (dt.uint8, dt.uint16, dt.uint32, dt.uint64),
    "real floating": (dt.float32, dt.float64),
    "complex floating": (dt.complex64, dt.complex128),
}
# From the kinds of the standard to those of our dtypes. float16 and bfloat16, which the standard lacks, are floating
# point dtypes, too.
_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


class finfo_object(NamedTuple):
    """What `finfo` returns: the limits of a floating point dtype, or of the parts of a complex one."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Dtype


class iinfo_object(NamedTuple):
    """What `iinfo` returns: the limits of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: Dtype


def astype(x: Tensor, dtype: Dtype, /, *, copy: bool = True, device: Device | None = None) -> Tensor:
    """x converted to another dtype; with copy=False, x itself if it has that dtype."""
    if isinstance(dtype, type):  # bool, int, float and complex stand for dtypes, as they do everywhere else
        dtype = dt.OF_PYTHON.get(dtype, dtype)
    if not isinstance(dtype, dt.dtype):
        raise TypeError(f"astype(): expected a dtype for argument 'dtype'; found {type(dtype).__name__}")
    array("astype", "x", x)
    return x.to(x.device if device is None else rl.device(device), dtype, copy=copy)


def can_cast(from_: Dtype | Tensor, to: Dtype, /) -> bool:
    """Whether a dtype (or the dtype of an array) can be promoted to another one."""
    source = from_.dtype if isinstance(from_, Tensor) else from_
    return dt.promote_types(source, to) is to


def finfo(type: Dtype | Tensor, /) -> finfo_object:
    """The limits of a floating point dtype, or of an array's; of a complex one, those of its parts."""
    d = type.dtype if isinstance(type, Tensor) else type
    found = rl.finfo(d)
    return finfo_object(found.bits, found.eps, found.max, found.min, found.smallest_normal, d.to_real())


def iinfo(type: Dtype | Tensor, /) -> iinfo_object:
    """The limits of an integer dtype, or of an array's."""
    d = type.dtype if isinstance(type, Tensor) else type
    found = rl.iinfo(d)
    return iinfo_object(found.bits, found.max, found.min, d)


def isdtype(dtype: Dtype, kind: Dtype | str | tuple[Dtype | str, ...]) -> bool:
    """Whether a dtype is of a kind ("bool", "signed integer", "unsigned integer", "integral", "real floating", "complex
    floating", "numeric"), equals the dtype given as kind, or is of one of the kinds in a tuple.
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str):
        return dtype.kind in _kinds("isdtype", kind)
    if not isinstance(kind, dt.dtype):
        raise TypeError(
            "isdtype(): expected a dtype, the name of a kind, or a tuple of them for argument 'kind'; found "
            f"{type(kind).__name__}"
        )
    return dtype is kind


def _kinds(function: str, kind: str) -> str:
    if kind not in _KINDS:
        raise ValueError(f"{function}(): expected one of {', '.join(map(repr, _KINDS))} as a kind; found {kind!r}")
    return _KINDS[kind]


def result_type(*arrays_and_dtypes: Any) -> Dtype:
    """The dtype of the result of an operation on arrays, dtypes and Python numbers; an array of rank 0 counts like any
    other."""
    return common_dtype(*arrays_and_dtypes)


class Info:
    """What `__array_namespace_info__` returns: the devices, dtypes and abilities of the namespace."""

    def capabilities(self) -> dict[str, Any]:
        """What is supported: boolean masks as indices, shapes that depend on values, and ranks up to the given one."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> device:
        """The device on which arrays are made by default."""
        return rl.get_default_device()

    def default_dtypes(self, *, device: Device | None = None) -> dict[str, Dtype]:
        """The dtypes of arrays that are made of numbers; the floating point one is `get_default_dtype()`."""
        real = default_dtype()
        return {
            "real floating": real,
            "complex floating": dt.complex_of(real),
            "integral": dt.int64,
            "indexing": dt.int64,
        }

    def dtypes(self, *, device: Device | None = None, kind: str | tuple[str, ...] | None = None) -> dict[str, Dtype]:
        """The standard's dtypes by name: all of them, or those of a kind or of several kinds."""
        kinds = tuple(_KINDS) if kind is None else (kind,) if isinstance(kind, str) else kind
        wanted = "".join(_kinds("dtypes", k) for k in kinds)
        return {d.name: d for ds in _DTYPES.values() for d in ds if d.kind in wanted}

    def devices(self) -> list[device]:
        """The available devices."""
        return [rl.device("cpu")]


def of_version(api_version: str | None) -> ModuleType:
    """The namespace for a revision of the standard: this one, for every revision so far; ValueError for any other."""
    if api_version is not None and api_version not in VERSIONS:
        raise ValueError(
            f"__array_namespace__(): api_version must be one of {', '.join(VERSIONS)}; found {api_version!r}"
        )
    return rl.array_api


def _to_device(self: Tensor, device: device | str, /, *, stream: None = None) -> Tensor:
    if stream is not None:
        raise ValueError(f"to_device(): 'stream' must be None, since no device here has streams; found {stream}")
    return self.to(device)


attach("to_device", _to_device)  # PyTorch's class lacks it, so it appears only when a program asks for this namespace


def __array_namespace_info__() -> Info:
    """The inspection API: it tells the devices, dtypes and capabilities."""
    return Info()


__all__ = ["__array_namespace_info__", "astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]
