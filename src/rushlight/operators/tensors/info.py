"""Questions about dtypes and tensors: limits, promotion, kinds."""

from __future__ import annotations

import math
from numbers import Number
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core.naming import named
from rushlight.core.tensor import Tensor
from rushlight.core.warning import warn
from rushlight.operators.table import tracer as _tracer
from rushlight.operators.table.arguments import tensor_argument, type_name
from rushlight.operators.table.define import function
from rushlight.program.sym import Sym

# bits stored, exponent of the smallest normal
_MANTISSA = {"float64": (52, -1022), "float32": (23, -126), "float16": (10, -14), "bfloat16": (7, -126)}


def _as_dtype(d: Any) -> Any:
    """The dtype that a type of Python's stands for; anything else as it is."""
    return dt.OF_PYTHON.get(d, d) if isinstance(d, type) else d


class _Limits:
    """What both kinds of limits are: values, equal where their dtypes are."""

    __slots__ = ("dtype",)
    dtype: str

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)


@function
class finfo(_Limits):
    """The limits of a floating point dtype (of the parts, for a complex one).

    Attributes: bits, eps, max, min, tiny (= smallest_normal), smallest_subnormal, resolution, dtype (its name).
    """

    __slots__ = ("bits", "eps", "max", "min", "resolution", "smallest_normal", "smallest_subnormal", "tiny")

    def __init__(self, type: dt.dtype | None = None) -> None:
        d = _tracer.default_dtype() if type is None else _as_dtype(type)
        if not isinstance(d, dt.dtype):
            raise TypeError(f"finfo(): argument 'type' (position 1) must be torch.dtype, not {d.__class__.__name__}")
        if d.kind not in "fc":
            raise TypeError(f"finfo(): 'type' must be a float or complex dtype; found {d} (iinfo is for integers)")
        d = d.to_real()
        self.dtype, self.bits = d.name, 8 * d.itemsize
        if d.format is not None and d.format.parts > 1:
            raise TypeError(f"finfo(): 'type' must be a dtype of one number an element; found {d}")
        if (form := d.format) is not None:  # (an eps of 1 / 8 of e5m2fnuz is PyTorch's: above 1 it has steps of 1 / 4)
            self.eps, self.max, self.min, self.resolution = (
                form.eps if d is not dt.float8_e5m2fnuz else 0.125,
                form.max,
                form.min,
                1.0,
            )
            self.tiny, self.smallest_normal, self.smallest_subnormal = (
                form.smallest_normal,
                form.smallest_normal,
                form.smallest_subnormal,
            )
            return
        if d.name not in _MANTISSA:
            raise NotImplementedError(f"finfo(): 'type' must be a dtype of one number an element; found {d}")
        digits, low = _MANTISSA[d.name]
        self.eps = 2.0**-digits
        self.max = (2.0 - self.eps) * 2.0 ** (1 - low)
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0**low
        self.smallest_subnormal = 2.0 ** (low - digits)
        self.resolution = 10.0 ** -math.floor(digits * math.log10(2))

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.tiny:g}, "
            f"tiny={self.tiny:g}, dtype={self.dtype})"
        )


@function
class iinfo(_Limits):
    """The limits of an integer dtype. Attributes: bits, max, min, dtype (its name)."""

    __slots__ = ("bits", "max", "min")

    def __init__(self, type: dt.dtype) -> None:
        type = _as_dtype(type)
        if not isinstance(type, dt.dtype):
            raise TypeError(f"iinfo(): argument 'type' (position 1) must be torch.dtype, not {type.__class__.__name__}")
        if type.kind not in "iuq" or (type in dt.NAMED and type.kind != "q"):
            raise TypeError(f"iinfo(): 'type' must be an integer dtype; found {type} (finfo is for floating point)")
        self.dtype, self.bits = type.name, 8 * type.itemsize
        signed = type.kind == "i" or type.name.startswith("qint")
        self.min = -(1 << (self.bits - 1)) if signed else 0
        self.max = (1 << (self.bits - signed)) - 1

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


@function
def typename(obj: Any, /) -> str:
    """The name of an object's type as PyTorch's messages give it: "torch.FloatTensor" for a float32 tensor."""
    if type(obj) is Tensor:
        return str(obj.type())
    kind = obj if isinstance(obj, type) else type(obj)
    name = kind.__qualname__
    return name if kind.__module__ in ("builtins", "__builtin__", None) else f"{kind.__module__}.{name}"


@function
def get_default_dtype() -> dt.dtype:
    """The dtype of floating point results that no tensor decides; float32 unless it was set."""
    return _tracer.default_dtype()


@function
def set_default_dtype(d: dt.dtype) -> None:
    """Set the default dtype; it must be a floating point one."""
    if not isinstance(d, dt.dtype) or d.kind != "f" or d in dt.NAMED or d.format is not None:
        raise TypeError(f"set_default_dtype(): 'd' must be a floating point dtype; found {d}")
    _tracer.set_default(d)


@function
def set_default_tensor_type(t: Any) -> None:
    """Set the default dtype by a type of tensors ("torch.DoubleTensor", torch.FloatTensor); deprecated in favour of
    set_default_dtype.
    """
    from rushlight.operators.tensors.interop import TYPES

    warn(
        "set_default_tensor_type() is deprecated; use set_default_dtype() for the dtype and set_default_device() for "
        "the device",
        once="set_default_tensor_type",
    )
    name = t.rpartition(".")[2] if isinstance(t, str) else getattr(t, "__name__", None)
    if isinstance(t, str) and t.count(".") > 1:
        raise TypeError(f"set_default_tensor_type(): 't' must be a type of CPU tensors; found {t}")
    found = next((d for d, kind in TYPES.items() if kind.__name__ == name and (isinstance(t, str) or kind is t)), None)
    if found is None or found.kind != "f":
        raise TypeError(f"set_default_tensor_type(): 't' must be a type of floating point tensors; found {t!r}")
    _tracer.set_default(found)


@function
def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


@function
def numel(input: Tensor) -> int:
    """The number of elements."""
    return tensor_argument("numel", input).numel()


@function
def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is a floating point one."""
    return tensor_argument("is_floating_point", input).is_floating_point()


@function
def is_complex(input: Tensor) -> bool:
    """Whether the dtype is complex."""
    return tensor_argument("is_complex", input).is_complex()


@function
def is_nonzero(input: Tensor) -> bool:
    """Whether a one-element tensor is not zero."""
    return bool(tensor_argument("is_nonzero", input))


@function
def is_inference(input: Tensor) -> bool:
    """Whether the tensor was made under inference_mode."""
    return tensor_argument("is_inference", input).is_inference()


def _dtype_argument(name: str, argument: str, value: Any) -> dt.dtype:
    d = _as_dtype(value)
    if not isinstance(d, dt.dtype):
        raise TypeError(f"{name}(): argument '{argument}' must be torch.dtype, not {type(d).__name__}")
    return d


@function
def can_cast(from_: dt.dtype, to: dt.dtype) -> bool:
    """Whether type promotion lets a result of one dtype be written into another."""
    return dt.can_cast(_dtype_argument("can_cast", "from_", from_), _dtype_argument("can_cast", "to", to))


@function
def promote_types(type1: dt.dtype, type2: dt.dtype) -> dt.dtype:
    """The smallest dtype that holds both."""
    return dt.promote_types(
        _dtype_argument("promote_types", "type1", type1), _dtype_argument("promote_types", "type2", type2)
    )


@function
def result_type(tensor1: Any, tensor2: Any) -> dt.dtype:
    """The dtype of an operation on two operands (tensors or numbers)."""
    for argument, value in (("tensor1", tensor1), ("tensor2", tensor2)):
        if not isinstance(value, (Tensor, Number, Sym)):
            raise TypeError(
                f"result_type(): argument '{argument}' must be Tensor or Number, not {type(value).__name__}"
            )
    return _tracer.result_type(tensor1, tensor2)


def _make_cast(name: str, dtype: dt.dtype) -> None:
    def cast(input: Tensor, non_blocking: bool = False) -> Tensor:
        return tensor_argument(name, input).to(dtype, non_blocking=non_blocking)

    function(named(cast, name, f"The tensor as {dtype}: an old name for `to`."))


for _dtype in (dt.uint8, dt.int8, dt.int16, dt.int32, dt.int64, dt.float16, dt.float32, dt.float64):
    _make_cast(f"_cast_{type_name(_dtype)}", _dtype)


@function
def _shape_as_tensor(self: Tensor) -> Tensor:
    """The sizes as a tensor of int64."""
    from rushlight.operators.tensors.interop import tensor

    return tensor(list(self.shape), dtype=dt.int64)
