"""Tensors from Python data, NumPy arrays, buffers and DLPack, and back."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import Any

from rushlight.core import dtypes as dt
from rushlight.core import locks
from rushlight.core import raw as _raw
from rushlight.core import storage as _core_storage
from rushlight.core import storage as _storage
from rushlight.core import tensor as _core
from rushlight.core.devices import CPU
from rushlight.core.factory import Nested, from_nested
from rushlight.core.tensor import Size, Tensor
from rushlight.core.upcalls import upcalls
from rushlight.core.warning import warn
from rushlight.operators.creation.creation import cast_number, filled_tensor, full, python_number
from rushlight.operators.creation.placement import NEW, Options, check_options, place, plain_size, raw_empty, row_major
from rushlight.operators.table.arguments import int_argument, type_name
from rushlight.operators.table.arrays import tensor_of
from rushlight.operators.table.define import METHODS, eager, function
from rushlight.operators.table.dispatch import OFF
from rushlight.operators.table.ranges import of_scalar_tensor
from rushlight.operators.table.tracer import default_dtype
from rushlight.operators.table.types import Device, DType, Layout
from rushlight.operators.tensors._dlpack import DLDeviceType


# ---------------------------------------------------------------------------------------------------------------- NumPy
def _is_array(x: Any) -> bool:
    np = sys.modules.get("numpy")
    return np is not None and isinstance(x, np.ndarray)


def _is_array_scalar(x: Any) -> bool:
    np = sys.modules.get("numpy")
    return np is not None and isinstance(x, np.generic)


def np_type() -> Any:
    """numpy.ndarray, for callers that have an instance of it, so that NumPy is loaded."""
    return sys.modules["numpy"].ndarray


# Our dtypes -> numpy.ndarray, which an import statement would be long in finding, and NumPy's dtype
_array_types: dict[dt.dtype, tuple[Any, Any]] = {}


@function
def from_numpy(ndarray: Any) -> Tensor:
    """A tensor on the memory of a NumPy array, without a copy; negative strides are kept.

    Args:
        ndarray: numpy.ndarray of a dtype that tensors have.

    Raises:
        TypeError: for what is not an array or has no such dtype.
        ValueError: for strides that are no multiple of the item size.
    """
    if not _is_array(ndarray):
        raise TypeError(f"from_numpy(): 'ndarray' must be a NumPy array; found {type(ndarray).__name__}")
    return shared_array("from_numpy", ndarray)


def shared_array(name: str, a: Any) -> Tensor:
    """A tensor on the memory of a program's array, for the function `name`; a warning for one that must not be written
    to.
    """
    if not a.flags.writeable:
        warn(
            f"{name}(): the array is read-only, and tensors are not: what is written to this one goes into memory "
            "that others take for constant; "
            "copy the array first",
            once="tensors on read-only arrays",
        )
    return wrap_array(a)


def wrap_array(a: Any) -> Tensor:
    """A tensor on the memory of an array."""
    dtype = dt.from_numpy_dtype(a.dtype)
    if type(a) is not np_type():
        a = np_type().view(a, np_type())  # a subclass may say anything of its shape and memory
    made = _raw.on_array(a, dtype)
    if made is not None:
        return made
    item, shape = dtype.itemsize, a.shape
    address = a.__array_interface__["data"][0]
    if a.flags.c_contiguous:
        storage = _storage.storage_from_external(address, a.nbytes, a)
        return _raw.tensor_from_storage(storage, dtype, 0, shape, row_major(shape))
    if a.size == 0:
        return _raw.empty_strided_raw(dtype, shape, None)
    if any(s % item for s in a.strides):
        raise ValueError(
            f"from_numpy(): strides must be multiples of the element size, {item} bytes; found {a.strides}; copy the "
            "array"
        )
    low = sum(min(0, (n - 1) * s) for n, s in zip(shape, a.strides, strict=True))
    high = sum(max(0, (n - 1) * s) for n, s in zip(shape, a.strides, strict=True)) + item
    storage = _storage.storage_from_external(address + low, high - low, a)
    return _raw.tensor_from_storage(storage, dtype, -low // item, shape, tuple(s // item for s in a.strides))


def from_array(a: Any, dtype: dt.dtype | None, where: Any) -> Tensor:
    """A tensor with memory of its own from an array's values, its dimensions in the order of the array's."""
    flags, item = a.flags, a.dtype.itemsize
    if not flags.c_contiguous and all(s >= 0 and s % item == 0 for s in a.strides) and a.size:
        return moved(METHODS["clone"](wrap_array(a)), dtype, where)
    return moved(tensor_of(a), dtype, where)


def moved(t: Tensor, dtype: dt.dtype | None, where: Any) -> Tensor:
    """`t` with another dtype and on another device, if they are other ones."""
    if dtype is not None and t.dtype is not dtype:
        t = METHODS["to"](t, dtype)
    if where is not None and where != t.device:
        t = METHODS["to"](t, where)
    return t


@eager(namespace=None, shape_class="host")
def numpy(input: Tensor, *, force: bool = False) -> Any:
    """The tensor as a NumPy array on the same memory.

    Args:
        force: detach, move to the CPU and copy where that is needed, instead of raising.

    Raises:
        RuntimeError: for a tensor that requires grad.
        TypeError: for a dtype that NumPy lacks (bfloat16) or another device.
    """
    if input._keys_ or input.requires_grad:
        input = _with_elements(input, force)
    array, d = _array_types.get(input.dtype) or _array_type(input.dtype)
    return array(input.shape, d, *_raw.lies_at(input))


def _with_elements(input: Tensor, force: bool) -> Tensor:
    """The tensor that numpy() of `input` shows: of its elements, on the CPU, and without a gradient."""
    if input.requires_grad:
        if not force and _core.is_grad_enabled():
            raise RuntimeError(
                "numpy(): the tensor requires grad, and an array cannot carry that; use detach().numpy()"
            )
        input = _raw.alias_of(input)
    if input.device.type != "cpu":
        if not force or input.is_meta:
            raise TypeError(
                f"numpy(): an array is in the memory of the CPU; found a tensor on {input.device}; use cpu().numpy()"
            )
        input = METHODS["cpu"](input)
    input.untyped_storage()  # whose error says why a tensor has no memory
    return input


def _array_type(dtype: dt.dtype) -> tuple[Any, Any]:
    """numpy.ndarray, and NumPy's dtype."""
    import numpy as np

    found = _array_types[dtype] = np.ndarray, dt.to_numpy_dtype(dtype)
    return found


@eager(name="__array__", namespace=None, shape_class="host")
def array_protocol(input: Tensor, dtype: DType = None, copy: Any = None) -> Any:
    """The tensor for numpy.asarray, without a copy unless `dtype` or `copy` asks for one; ValueError when copy is False
    and one is needed.
    """
    a: Any = METHODS["numpy"](input)
    if dtype is not None and a.dtype != dtype:
        if copy is False:
            raise ValueError(
                f"__array__(): copy=False needs an array of the tensor's dtype, {input.dtype}; found dtype={dtype}"
            )
        return a.astype(dtype)
    return a.copy() if copy else a


# NumPy's scalars and arrays then leave the arithmetic with a tensor to the tensor.
_core.attach("__array_priority__", 1000)


# --------------------------------------------------------------------------------------------------------------- DLPack
@eager(name="__dlpack__", namespace=None, shape_class="host")
def dlpack(
    input: Tensor, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None
) -> Any:
    """A DLPack capsule of the tensor's memory.

    Args:
        stream: None, or -1, on a CPU.
        max_version: the newest version, (major, minor), that the caller reads; None is a capsule without a version.
        dl_device: None or (1, 0), the CPU.
        copy: True copies first; a tensor on a CPU never needs to.

    Raises:
        BufferError: for a tensor that requires grad, or on another device.
    """
    if input.requires_grad:
        raise BufferError("__dlpack__(): the tensor requires grad, and DLPack cannot carry that; use detach()")
    if input.device.type != "cpu":
        raise BufferError(f"__dlpack__(): the tensor must be on a CPU; found {input.device}")
    if dl_device is not None and tuple(dl_device) != (1, 0):
        raise BufferError(f"__dlpack__(): 'dl_device' must be (1, 0), the CPU; found {dl_device}")
    if stream is not None and stream != -1:
        kind = AssertionError if isinstance(stream, int) and not isinstance(stream, bool) else TypeError
        raise kind(f"__dlpack__(): 'stream' must be None or -1 on a CPU, which has no streams; found {stream!r}")
    label = _DLPACK_TYPES.get(input.dtype)
    a: Any = METHODS["numpy"](input if label is None else METHODS["view"](input, _UNSIGNED[input.itemsize]))
    if copy:
        a = a.copy()
    capsule = a.__dlpack__() if max_version is None else a.__dlpack__(max_version=max_version)
    if label is not None:
        _dlpack_type(capsule, label)
    return capsule


@eager(name="__dlpack_device__", namespace=None, shape_class="host")
def dlpack_device(input: Tensor) -> tuple[int, int]:
    """DLPack's (device type, device index); the CPU is (1, 0)."""
    if input.device.type != "cpu":
        raise ValueError(f"__dlpack_device__(): the tensor must be on a CPU; found {input.device}")
    return DLDeviceType.kDLCPU, 0


# (type code, bits) of the dtypes that DLPack has and NumPy lacks; NumPy is given unsigned integers of their size.
_DLPACK_TYPES = {
    dt.bfloat16: (4, 16),
    dt.complex32: (5, 32),
    dt.float8_e4m3fn: (10, 8),
    dt.float8_e4m3fnuz: (11, 8),
    dt.float8_e5m2: (12, 8),
    dt.float8_e5m2fnuz: (13, 8),
    dt.float8_e8m0fnu: (14, 8),
    dt.float4_e2m1fn_x2: (17, 4),
}
_UNSIGNED = {1: dt.uint8, 2: dt.uint16, 4: dt.uint32}


def _dlpack_type(capsule: Any, new: tuple[int, int] | None = None) -> tuple[int, int]:
    """The (type code, bits) of a DLPack capsule's elements; with `new`, they are called that from now on.

    The structures are those of dlpack.h: a DLTensor is an address, a device and a rank (20 bytes) before its type; one
    with a version has 32 bytes before it.
    """
    import ctypes

    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = (
        ctypes.c_void_p,
        [ctypes.py_object, ctypes.c_char_p],
    )
    name = api.PyCapsule_GetName(capsule)
    if name not in (b"dltensor", b"dltensor_versioned"):
        raise RuntimeError(
            f"from_dlpack(): 'ext_tensor' must be a DLPack capsule that nobody has taken yet; found one named {name!r}"
        )
    at = api.PyCapsule_GetPointer(capsule, name) + (32 if name == b"dltensor_versioned" else 0) + 20
    found = (ctypes.c_uint8 * 2).from_address(at)
    if new is not None:
        found[0], found[1] = new
    return found[0], found[1]


def _from_narrow(ext_tensor: Any) -> Any:
    """from_dlpack of a dtype that NumPy lacks; None for another."""
    capsule = ext_tensor.__dlpack__()
    label = _dlpack_type(capsule)
    found = next((d for d, known in _DLPACK_TYPES.items() if known == label), None)
    if found is None:
        return None
    import numpy as np

    _dlpack_type(capsule, (1, label[1]))
    return METHODS["view"](wrap_array(np.from_dlpack(_Capsule(capsule))), found)


class _Capsule:
    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


@function
def from_dlpack(ext_tensor: Any, *, device: Device = None, copy: bool | None = None) -> Tensor:
    """A tensor on the memory of another library's tensor (anything with `__dlpack__`, or a capsule)."""
    import numpy as np

    if not hasattr(ext_tensor, "__dlpack__"):
        if type(ext_tensor).__name__ != "PyCapsule":
            raise RuntimeError(
                "from_dlpack(): 'ext_tensor' must have __dlpack__ or be a DLPack capsule; found "
                f"{type(ext_tensor).__name__}"
            )
        _dlpack_type(ext_tensor)
        ext_tensor = _Capsule(ext_tensor)
    # A copy is made here, since libraries whose __dlpack__ is older do not know the argument; that there be none, only
    # they can say.
    try:
        t = wrap_array(np.from_dlpack(ext_tensor, copy=False) if copy is False else np.from_dlpack(ext_tensor))
    except (BufferError, RuntimeError):
        t = _from_narrow(ext_tensor)
        if t is None:
            raise
    if copy:
        t = METHODS["clone"](t)
    return moved(t, None, None if device is None else place("from_dlpack", device))


# ----------------------------------------------------------------------------------------------------- nested sequences
_MOST_DIMS = 64


def _is_sequence(x: Any) -> bool:
    return isinstance(x, (list, tuple)) or (
        hasattr(x, "__len__") and hasattr(x, "__getitem__") and not isinstance(x, (str, bytes, dict, Tensor, set))
    )


def _scalar_dtype(v: Any) -> dt.dtype:
    if _is_array_scalar(v) or _is_array(v):
        return dt.from_numpy_dtype(v.dtype)
    if isinstance(v, (int, float, complex)):
        return dt.dtype_of_number(v, default_dtype())
    if isinstance(v, Tensor):
        return v.dtype
    if isinstance(v, str):
        raise TypeError("tensor(): 'data' must be numbers, sequences of numbers or arrays; found a str")
    if hasattr(v, "__index__"):
        return dt.int64
    if hasattr(v, "__float__"):
        return default_dtype()
    raise RuntimeError(
        f"tensor(): 'data' must be numbers, sequences of numbers or arrays; found a {type(v).__name__}, which has no "
        "dtype"
    )


def _of_objects(data: Any, dtype: dt.dtype | None) -> Tensor:
    """A CPU tensor from nested sequences of any kind, of objects that stand for numbers, and of arrays."""
    first, depth = data, 0
    while _is_sequence(first) and not _is_array(first) and len(first) and depth <= _MOST_DIMS:
        first, depth = first[0], depth + 1
    if _is_array(first) or (isinstance(first, Tensor) and first.ndim):
        if _is_array(first):
            warn(
                "tensor(): a list of arrays is copied array by array; numpy.array(data) is a tensor in one step",
                once="tensor of a list of arrays",
            )
        return _from_arrays(data, dtype)
    found: dict[dt.dtype, None] = {}
    numbers = _numbers(data, isinstance(first, str), found)
    if dtype is None and found:
        dtype = functools.reduce(dt.promote_types, found)
    made = from_nested(numbers, dtype, CPU)
    assert made is not None, "numbers and lists are all that is left"
    return made


def _numbers(x: Any, of_strings: bool, found: dict[dt.dtype, None], depth: int = 0) -> Any:
    """`x` with Python's numbers and lists in the place of objects that stand for such; their dtypes are put into
    `found`."""
    if _is_sequence(x) and not _is_array_scalar(x):
        if depth == _MOST_DIMS:
            raise ValueError(
                f"tensor(): 'data' must have at most {depth} dimensions; found more, or a sequence that contains itself"
            )
        return [_numbers(v, of_strings, found, depth + 1) for v in x]
    if isinstance(x, str) and depth:
        # PyTorch takes a string in the first place for one more dimension; elsewhere it is no number.
        raise (ValueError if of_strings else TypeError)("tensor(): 'data' must hold numbers; found a str")
    found[_scalar_dtype(x)] = None
    if isinstance(x, Tensor) and x.requires_grad:
        warn(
            "tensor(): an element requires grad, and its number does not; write torch.stack() of tensors",
            once="number of a tensor that requires grad",
        )
    if hasattr(x, "item"):
        return x.item()
    for plain in (bool, int, float, complex):
        if isinstance(x, plain):
            return plain(x)  # type: ignore[arg-type]  # an int is made of an int
    return x.__index__() if hasattr(x, "__index__") else float(x)


def _from_arrays(data: Any, dtype: dt.dtype | None) -> Tensor:
    """Sequences of arrays, or of tensors with dimensions (which must have one element each)."""
    import numpy as np

    def plain(x: Any, depth: int = 0) -> Any:
        if depth > _MOST_DIMS:
            raise ValueError(
                f"tensor(): 'data' must have at most {_MOST_DIMS} dimensions; found more, or a sequence that contains "
                "itself"
            )
        if isinstance(x, Tensor):
            if x.numel() != 1:
                raise ValueError(
                    "tensor(): the tensors of a sequence must have 1 element each; found one of the shape "
                    f"{list(x.shape)}; use stack()"
                )
            return x.tolist()
        return [plain(v, depth + 1) for v in x] if isinstance(x, (list, tuple)) else x

    return from_array(np.asarray(plain(data)), dtype, None)


@eager(method=False)
def tensor(
    data: Any, *, dtype: DType = None, device: Device = None, requires_grad: bool = False, pin_memory: bool = False
) -> Tensor:
    """A tensor with memory of its own from numbers, nested sequences, NumPy arrays or scalars, or a tensor; or on the
    memory of a storage, as elements of `dtype`.

    Args:
        data: the values.
        dtype: default inferred: bool, int64, the default float dtype, its complex counterpart, or the array's.
        device: default the CPU.

    Raises:
        ValueError: for sequences of unequal lengths.
        RuntimeError: for data that has no dtype.
    """
    if dtype is not None or pin_memory:
        check_options("tensor", dtype, None, pin_memory)
    t = from_nested(data, dtype, device)
    if t is None:
        t = _made_of(data, dtype, device)
    if requires_grad:
        t.requires_grad = True
    return t


tensor.usually(Nested(tensor))


def _made_of(data: Any, dtype: dt.dtype | None, device: Any) -> Tensor:
    """tensor() of all but Python's numbers and lists of them."""
    if isinstance(data, Tensor):
        warn(
            "tensor(): it copies tensors, but does not record that; write source.detach().clone(), and "
            "requires_grad_() on it where it is to be a "
            "leaf",
            UserWarning,
        )
        t = METHODS["clone"](METHODS["detach"](data))
        return moved(t, dtype, None if device is None else place("tensor", device))
    if _is_array(data):
        return from_array(data, dtype, place("tensor", device))
    untyped = getattr(data, "_untyped_storage", data)
    if isinstance(untyped, _core_storage.Storage):
        if untyped is not data and dtype not in (None, data.dtype):
            raise RuntimeError(f"tensor(): a typed storage must be of {dtype}, or untyped; found one of {data.dtype}")
        dtype = dtype or (dt.int64 if untyped is data else data.dtype)
        count = untyped.nbytes() // dtype.itemsize
        return moved(_raw.tensor_from_storage(untyped, dtype, 0, (count,), (1,)), None, place("tensor", device))
    return moved(_of_objects(data, dtype), None, place("tensor", device))


@function
def scalar_tensor(
    s: Any,
    *,
    dtype: DType = None,
    layout: Layout = None,
    device: Device = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A 0-d tensor of a number, of the default dtype unless one is given."""
    d = dtype or default_dtype()
    if type(s) in (float, int, bool) and of_scalar_tensor(d) is d:
        where = device if device is None else place("scalar_tensor", device)
        made: Tensor = full((), s, dtype=d, device=where, requires_grad=requires_grad)
        return made
    value = python_number(s, "scalar_tensor", "s")
    value = cast_number(value, of_scalar_tensor(d))
    made = filled_tensor("scalar_tensor", (), value, d, place("scalar_tensor", device))
    return made.requires_grad_() if requires_grad else made


@eager(method=False, shape_class="factory")
def as_tensor(data: Any, dtype: DType = None, device: Device = None) -> Tensor:
    """`data` as a tensor, sharing memory (and autograd history) with it where dtype and device allow."""
    where = None if device is None else place("as_tensor", device)
    if isinstance(data, Tensor):
        return moved(data, dtype, where)
    if _is_array(data):
        return moved(shared_array("as_tensor", data), dtype, where or place("as_tensor", None))
    return tensor(data, dtype=dtype, device=where)


as_tensor.usually(Nested(as_tensor))


@function
def asarray(
    obj: Any, *, dtype: DType = None, device: Device = None, copy: bool | None = None, requires_grad: bool | None = None
) -> Tensor:
    """`obj` as a tensor: a tensor, array, DLPack object, buffer, number or sequence; shares memory unless copy is True
    or it cannot.

    Args:
        requires_grad: None keeps the place of a tensor in the graph, False takes it out.

    Raises:
        ValueError: copy is False and a copy is needed.
    """
    where = place("asarray", device)
    source: Tensor | None = None
    if isinstance(obj, Tensor):
        source = obj
        where = obj.device if device is None else where
    elif _is_array(obj):
        source = wrap_array(obj) if copy else shared_array("asarray", obj)
    elif _is_array_scalar(obj):
        return _finish_asarray(tensor(obj, dtype=dtype, device=where), requires_grad)
    elif hasattr(obj, "__dlpack__"):
        source = from_dlpack(obj)
    elif not isinstance(obj, (list, tuple, str, int, float, complex)):
        try:
            view = memoryview(obj)
        except TypeError:
            view = None
        if view is not None:
            empty = isinstance(obj, _core_storage.Storage) and view.nbytes == 0
            source = (
                _raw.empty_strided_raw(dtype or default_dtype(), (0,), None)
                if empty
                else frombuffer(obj, dtype=dtype or default_dtype())
            )
    if source is None:
        if copy is False:
            raise ValueError(f"asarray(): copy=False needs memory to share; found a {type(obj).__name__}")
        return _finish_asarray(tensor(obj, dtype=dtype, device=where), requires_grad)
    same = (dtype is None or source.dtype is dtype) and source.device == where
    if copy is False and not same:
        raise ValueError(
            f"asarray(): copy=False cannot turn a tensor of dtype {source.dtype} on {source.device} into dtype "
            f"{dtype or source.dtype} on {where}"
        )
    if requires_grad is False and source.requires_grad:
        source = METHODS["detach"](source)
    result = METHODS["clone"](source) if copy and same else moved(source, dtype, where)
    return _finish_asarray(result, requires_grad)


def _finish_asarray(t: Tensor, requires_grad: bool | None) -> Tensor:
    if requires_grad and not t.requires_grad:
        t.requires_grad = True
    return t


@function
def frombuffer(
    buffer: Any, *, dtype: dt.dtype, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A one-dimensional tensor on the memory of an object that has the buffer protocol.

    Args:
        dtype: of the elements.
        count: how many (-1: all that fit).
        offset: bytes to leave out at the start.

    Raises:
        ValueError: the buffer is too short or empty.
    """
    check_options("frombuffer", dtype, None, False)
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ValueError(
            f"frombuffer(): 'buffer' must support Python's buffer protocol; found {type(buffer).__name__}"
        ) from None
    count, offset = (int_argument(x, "frombuffer", name) for x, name in ((count, "count"), (offset, "offset")))
    item, length = dtype.itemsize, view.nbytes
    if count == 0 or length == 0:
        raise ValueError(
            f"frombuffer(): 'buffer' and 'count' must not be empty; found {length} bytes and count={count}"
        )
    if not 0 <= offset < length:
        raise ValueError(
            f"frombuffer(): 'offset' must be in [0, {length - 1}] for a buffer of {length} bytes; found {offset}"
        )
    if count < 0:
        if (length - offset) % item:
            raise ValueError(
                f"frombuffer(): behind 'offset' there must be whole elements of {item} bytes; found "
                f"{length - offset} bytes"
            )
        count = (length - offset) // item
    if offset + count * item > length:
        raise ValueError(
            f"frombuffer(): {count} elements of {item} bytes from offset {offset} on must lie in the buffer; found "
            f"{length} bytes"
        )
    if view.readonly:
        warn(
            "frombuffer(): the buffer is read-only, and tensors are not: what is written to this one goes into "
            "memory that others take for constant",
            once="tensors on read-only buffers",
        )
    import numpy as np

    a = np.frombuffer(buffer, np.uint8)
    storage = _storage.storage_from_external(a.__array_interface__["data"][0], length, a)
    shifted = _storage.storage_from_external(a.__array_interface__["data"][0] + offset, length - offset, storage)
    t = _raw.tensor_from_storage(shifted, dtype, 0, (count,), (1,))
    if requires_grad:
        t.requires_grad = True
    return t


# --------------------------------------------------------------------------------------------------------- Tensor(...)
def construct(dtype: dt.dtype | None, args: Sequence[Any], kwargs: dict[str, Any]) -> Tensor:
    """What Tensor(2, 3), Tensor([1, 2]) and FloatTensor(...) make: memory of a size, values, or a view of a tensor."""
    d = dtype or default_dtype()
    kwargs = dict(kwargs)
    where = place("new", kwargs.pop("device", None) or CPU)  # (The default device is for functions.)
    if "data" in kwargs:
        args = (kwargs.pop("data"), *args)
    if "size" in kwargs:
        return raw_empty("new", plain_size(tuple(kwargs.pop("size")), "new"), d, where)
    if kwargs:
        raise TypeError(f"new() got an unexpected keyword argument '{next(iter(kwargs))}'")
    if not args:
        return raw_empty("new", (0,), d, where)
    first = args[0]
    if len(args) == 1:
        if isinstance(first, Tensor):
            if dtype is not None and first.dtype is not dtype:
                raise TypeError(f"new(): a tensor must be of dtype {dtype}; found {first.dtype}")
            return upcalls.as_subclass(first, Tensor)
        if isinstance(first, Size):
            return raw_empty("new", tuple(first), d, where)
        if isinstance(first, _core_storage.Storage):
            n = first.nbytes() // d.itemsize
            return _raw.tensor_from_storage(first, d, 0, (n,), (1,))
        if _is_sequence(first) or _is_array(first):
            return tensor(first, dtype=d, device=where)
    if all(hasattr(a, "__index__") and not isinstance(a, bool) for a in args):
        return raw_empty("new", plain_size(tuple(args), "new"), d, where)
    raise TypeError(f"new(): 'data' must be a sequence; found {type(first).__name__}")


def _construct(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    made = construct(None, args, kwargs)
    return made if cls is Tensor else Tensor._make_subclass(cls, made)


class _TensorType(type):
    """The class of FloatTensor & co.: makes tensors of one dtype, and knows them by isinstance."""

    dtype: dt.dtype

    def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
        return construct(cls.dtype, args, kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        with locks.below(OFF):  # no subclass is asked for these attributes
            return isinstance(instance, Tensor) and instance.dtype is cls.dtype and instance.device.type == "cpu"


TYPES: dict[dt.dtype, Any] = {}
for _d in (dt.float32, dt.float64, dt.float16, dt.bfloat16, dt.int64, dt.int32, dt.int16, dt.int8, dt.uint8, dt.bool_):
    _name = f"{type_name(_d)}Tensor"
    TYPES[_d] = function(
        _TensorType(
            _name, (), {"dtype": _d, "__doc__": f"Makes tensors of dtype {_d.name}: {_name}(2, 3), {_name}([1, 2])."}
        )
    )


@eager(name="new", namespace=None, varargs="args", shape_class="factory")
def new(input: Tensor, args: Any = ()) -> Tensor:
    """A tensor with the dtype and device of `input`: x.new(2, 3) is memory of that size, x.new([1, 2]) has those
    values.
    """
    return construct(input.dtype, args if type(args) is tuple else (args,), {"device": input.device})


@eager(namespace=None, options=NEW)
def new_tensor(input: Tensor, data: Any, *options: Any) -> Tensor:
    """A tensor from `data`, with the dtype and device of `input` unless they are given."""
    new = Options(*options).checked("new_tensor")
    where = input.device if new.device is None else new.device
    return new.finish(tensor(data, dtype=new.dtype or input.dtype, device=where))


upcalls.legacy_constructor = _construct
