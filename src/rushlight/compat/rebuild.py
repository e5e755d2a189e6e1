"""The functions that a checkpoint's pickle calls to make tensors; PyTorch's files name them in `torch._utils`.

A file decides their arguments, and cannot be trusted: each checks the exact type of every argument (an int is an
int, not a bool and not a tensor that is one), and computes in Python's integers, which do not wrap.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

from rushlight.core.dtypes import dtype, int64, layout, sparse_coo, strided
from rushlight.core.held import held
from rushlight.core.raw import empty_meta, tensor_from_storage
from rushlight.core.storage import Storage, meta_storage
from rushlight.core.tensor import Size, Tensor
from rushlight.core.tensor import device as device_type
from rushlight.operators.tensors.memory import TypedStorage

__all__ = ["REBUILD", "Resolved", "brief", "loaded_storage"]

MAX_DIMS = 64
_MAX_BYTES = 1 << 62  # the furthest that a tensor may reach, so that sums of two such numbers fit 64 bits


# Of one memory: its copies with conjugates and negatives written out, by dtype and flags.
Resolved = dict[tuple[str, bool, bool], Storage]


def loaded_storage(raw: Storage | None, nbytes: int, kind: dtype | None, resolved: Resolved) -> TypedStorage | Storage:
    """What a storage that a pickle names is to the program.

    Args:
        raw: its memory; None: it goes to the meta device.
        nbytes: how large it is, as the pickle says.
        kind: the dtype of its elements; None: bytes.
        resolved: of the memory, for tensors that are made of it.
    """
    memory = meta_storage(nbytes) if raw is None else raw
    if kind is None:
        return memory
    typed = TypedStorage(wrap_storage=memory, dtype=kind)
    typed._resolved = resolved
    return typed


def brief(value: object) -> str:
    """A short text for a value from a file: its repr may be longer than memory, or never end."""
    if isinstance(value, int) and not -(1 << 64) < value < 1 << 64:
        return f"an int of {value.bit_length()} bits"
    if isinstance(value, (int, float, bool, type(None))):
        return repr(value)
    if isinstance(value, str):
        return repr(value if len(value) <= 100 else value[:100] + "...")
    if isinstance(value, type):
        return value.__qualname__
    return f"a {type(value).__name__}"


_T = TypeVar("_T")


def _refuse(function: str, name: str, expected: str, found: object) -> NoReturn:
    raise pickle.UnpicklingError(
        f"load(): data.pkl calls {function}() with '{name}' that must be {expected}; found {brief(found)}"
    )


def _exactly(kind: type[_T], expected: str) -> Callable[[str, str, Any], _T]:
    """A check that an argument of a function is of a type, and of no subclass."""

    def checked(function: str, name: str, value: Any) -> _T:
        if type(value) is not kind:
            _refuse(function, name, expected, value)
        return value

    return checked


_int, _flag, _dtype = _exactly(int, "an int"), _exactly(bool, "a bool"), _exactly(dtype, "a dtype")


def _ints(function: str, name: str, values: Any) -> tuple[int, ...]:
    if type(values) not in (tuple, list, Size) or len(values) > MAX_DIMS:
        _refuse(
            function,
            name,
            f"a tuple of at most {MAX_DIMS} ints",
            values if type(values) not in (tuple, list, Size) else len(values),
        )
    for value in values:
        if type(value) is not int:
            _refuse(function, name, "a tuple of ints", value)
    return tuple(values)


def _storage(function: str, value: Any) -> tuple[Storage | None, dtype, Resolved]:
    if type(value) is not TypedStorage:
        _refuse(function, "storage", "a typed storage", value)
    return _memory(value.untyped()), value.dtype, value._resolved


def _memory(storage: Storage) -> Storage | None:
    return None if storage.device.type == "meta" else storage


def _tensor(function: str, raw: Storage | None, kind: dtype, offset: Any, size: Any, stride: Any) -> Tensor:
    offset = _int(function, "storage_offset", offset)
    size, stride = _ints(function, "size", size), _ints(function, "stride", stride)
    # In Python's integers: the sums and products of what a file says may not fit 64 bits.
    reach = offset + sum((n - 1) * s for n, s in zip(size, stride)) + 1 if all(size) else 0
    wrong = None
    if len(size) != len(stride) or offset < 0 or min(size, default=0) < 0 or min(stride, default=0) < 0:
        wrong = "does not exist"
    elif raw is not None and reach * kind.itemsize > raw.nbytes():
        wrong = f"does not fit its storage of {raw.nbytes()} bytes"
    elif any(n * kind.itemsize >= _MAX_BYTES for n in (reach, offset, _count(size), *size, *stride)):
        wrong = "has more bytes than 64 bits count"
    if wrong is not None:
        raise RuntimeError(
            f"load(): a tensor with offset {brief(offset)}, sizes ({', '.join(map(brief, size))}) and strides "
            f"({', '.join(map(brief, stride))}), of {kind}, {wrong} (in data.pkl)"
        )
    if raw is None:
        return empty_meta(kind, size, stride)
    if not reach:
        offset = min(offset, raw.nbytes() // kind.itemsize)  # no element is there to be anywhere
    return tensor_from_storage(raw, kind, offset, size, stride)


def _count(size: tuple[int, ...]) -> int:
    count = 1
    for n in size:
        count *= n
    return count


def _finish(function: str, tensor: Tensor, requires_grad: Any) -> Tensor:
    if _flag(function, "requires_grad", requires_grad):
        if tensor.dtype.kind not in "fc":
            raise RuntimeError(
                f"load(): data.pkl has a tensor of {tensor.dtype} that requires grad; only float and complex tensors "
                "can"
            )
        tensor.requires_grad_(True)
    return tensor


def _resolved(
    function: str, raw: Storage | None, resolved: Resolved, kind: dtype | None, metadata: Any
) -> Storage | None:
    """The memory with PyTorch's lazy conjugates and negatives of elements of dtype `kind` written out: the file has the
    values before the flag.
    """
    if metadata is None:
        return raw
    if type(metadata) is not dict:
        _refuse(function, "metadata", "a dict", metadata)
    conj, neg = (_flag(function, f"metadata[{name!r}]", metadata.get(name, False)) for name in ("conj", "neg"))
    if kind is None or conj and not kind.is_complex or neg and (kind.kind not in "ifc" or kind.format is not None):
        _refuse(function, "metadata", "without flags that the dtype cannot have", True)
    if raw is None or not (conj or neg):
        return raw
    # The whole memory once, however many tensors view it, and never a tensor's elements: an expanded one may have any
    # number. Views with the same flags go on sharing memory.
    key = (kind.name, conj, neg)
    if key not in resolved:
        flat = tensor_from_storage(raw, kind, 0, (raw.nbytes() // kind.itemsize,), (1,))
        flat = flat.conj() if conj else flat
        resolved[key] = (-flat if neg else flat).untyped_storage()
    return resolved[key]


def rebuild_tensor(storage: Any, storage_offset: Any, size: Any, stride: Any) -> Tensor:
    raw, kind, _ = _storage("_rebuild_tensor", storage)
    return _tensor("_rebuild_tensor", raw, kind, storage_offset, size, stride)


def _marked(
    function: str,
    source: tuple[Storage | None, dtype, Resolved],
    place: tuple[Any, Any, Any],
    requires_grad: Any,
    metadata: Any,
) -> Tensor:
    """A tensor of a storage by its offset, size and stride, with what its metadata says of conjugates and negatives."""
    raw, kind, resolved = source
    tensor = _tensor(function, raw, kind, *place)  # before anything is computed
    plain = _resolved(function, raw, resolved, kind, metadata)
    if plain is not raw:
        tensor = _tensor(function, plain, kind, *place)
    return _finish(function, tensor, requires_grad)


def rebuild_tensor_v2(
    storage: Any,
    storage_offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any,
    backward_hooks: Any,
    metadata: Any = None,
) -> Tensor:
    source = _storage("_rebuild_tensor_v2", storage)
    return _marked("_rebuild_tensor_v2", source, (storage_offset, size, stride), requires_grad, metadata)


def rebuild_tensor_v3(
    storage: Any,
    storage_offset: Any,
    size: Any,
    stride: Any,
    requires_grad: Any,
    backward_hooks: Any,
    dtype: Any,
    metadata: Any = None,
) -> Tensor:
    kind = _dtype("_rebuild_tensor_v3", "dtype", dtype)
    # PyTorch writes so the dtypes that have no typed storage.
    if type(storage) is not Storage:
        _refuse("_rebuild_tensor_v3", "storage", "an untyped storage", storage)
    source = _memory(storage), kind, Resolved()
    return _marked("_rebuild_tensor_v3", source, (storage_offset, size, stride), requires_grad, metadata)


def rebuild_meta_tensor_no_storage(dtype: Any, size: Any, stride: Any, requires_grad: Any) -> Tensor:
    name = "_rebuild_meta_tensor_no_storage"
    return _finish(name, _tensor(name, None, _dtype(name, "dtype", dtype), 0, size, stride), requires_grad)


def rebuild_wrapper_subclass(
    cls: Any, dtype: Any, size: Any, stride: Any, storage_offset: Any, layout: Any, device: Any, requires_grad: Any
) -> Tensor:
    """An instance of a wrapper subclass: sizes and strides, without memory; what it holds is among its attributes."""
    name = "_rebuild_wrapper_subclass"
    if not isinstance(cls, type) or not issubclass(cls, Tensor):
        _refuse(name, "cls", "a class of tensors", cls)
    if layout is not strided:
        _refuse(name, "layout", "torch.strided", layout)
    if type(device) is not device_type:
        _refuse(name, "device", "a device", device)
    kind = _dtype(name, "dtype", dtype)
    checked = _tensor(name, None, kind, storage_offset, size, stride)
    made = Tensor
    wrapper: Tensor = made._make_wrapper_subclass(
        cls, tuple(checked.shape), strides=checked.stride(), dtype=kind, device=device
    )
    return _finish(name, wrapper, requires_grad)


class _Awaited(threading.local):
    """Sparse tensors whose indices have no values yet; None where they have."""

    checks: list[Callable[[], None]] | None = None


_awaited = _Awaited()


@contextmanager
def storages_filled_later() -> Iterator[None]:
    """A section in which the bytes of storages come after the tensors on them: indices are checked at its end."""
    checks: list[Callable[[], None]] = []
    with held(_awaited, "checks", checks):
        yield
    for check in checks:
        check()


def _rebuild_compressed(name: str, kind: layout, parts: Any) -> Tensor:
    """A tensor in a compressed sparse layout of (ends, others, values, size); all of it is checked."""
    from rushlight.operators.shapes.layouts import sparse_module

    if type(parts) is not tuple or len(parts) != 4 or not all(type(t) is Tensor for t in parts[:3]):
        _refuse(name, "data", "two tensors of indices, values and a size", parts)
    ends, others, values, size = parts
    sizes = _ints(name, "size", size)
    for t in (ends, others):
        if t.dtype is not int64 or t.is_meta or not t.is_contiguous():
            _refuse(name, "indices", "a contiguous tensor of int64", t.dtype)
    compressed, checks = sparse_module("compressed"), _awaited.checks
    made: Tensor = compressed.from_parts(name, kind, ends, others, values.detach(), sizes, None, look=checks is None)
    if checks is not None:
        checks.append(lambda: compressed.check(name, made._meta_.parts, sizes))
    return made


def rebuild_sparse_tensor(kind: Any, parts: Any) -> Tensor:
    """A sparse tensor of (indices, values, size), and whether it is coalesced; all of it is checked."""
    from rushlight.operators.shapes.layouts import sparse_coo_tensor, sparse_module

    name = "_rebuild_sparse_tensor"
    if isinstance(kind, layout) and kind.name in ("sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"):
        return _rebuild_compressed(name, kind, parts)
    if kind is not sparse_coo:
        _refuse(name, "layout", "that of a sparse tensor", kind)
    if type(parts) is not tuple or len(parts) not in (3, 4) or not all(type(t) is Tensor for t in parts[:2]):
        _refuse(name, "data", "indices, values, a size and a flag", parts)
    indices, values, size = parts[:3]
    coalesced = _flag(name, "is_coalesced", parts[3]) if len(parts) == 4 else False
    if indices.dtype.kind != "i" or indices.is_meta or values.is_meta:
        _refuse(name, "indices", "a tensor of integers", indices.dtype)
    sizes = _ints(name, "size", size)
    if _awaited.checks is None:
        return sparse_coo_tensor(indices, values.detach(), sizes, is_coalesced=coalesced or None)
    if indices.dtype is not int64:
        _refuse(name, "indices", "a tensor of int64", indices.dtype)
    making = sparse_module("making")
    _awaited.checks.append(lambda: making.check_parts(indices, values, sizes, coalesced))
    return making.from_parts(indices, values.detach(), sizes, coalesced)  # type: ignore[no-any-return]


def rebuild_parameter(data: Any, requires_grad: Any, backward_hooks: Any) -> Tensor:
    from rushlight.nn.parameter import Parameter

    if not isinstance(data, Tensor):
        _refuse("_rebuild_parameter", "data", "a tensor", data)
    if _flag("_rebuild_parameter", "requires_grad", requires_grad) and data.dtype.kind not in "fc":
        raise RuntimeError(
            f"load(): data.pkl has a parameter of {data.dtype} that requires grad; only float and complex ones can"
        )
    return Parameter(data, requires_grad)


def rebuild_parameter_with_state(data: Any, requires_grad: Any, backward_hooks: Any, state: Any) -> Tensor:
    return _set_state(rebuild_parameter(data, requires_grad, backward_hooks), state)


def rebuild_from_type_v2(func: Any, new_type: Any, args: Any, state: Any) -> Any:
    """A tensor made by one of the functions here, as an instance of a class of tensors, with its attributes.

    The unpickler sees to it that the class is Tensor, Parameter or one that the user named.
    """
    if not any(func is maker for maker in _MAKERS):
        _refuse("_rebuild_from_type_v2", "func", "a function that makes a tensor", func)
    if not isinstance(new_type, type) or not issubclass(new_type, Tensor):
        _refuse("_rebuild_from_type_v2", "type", "a class of tensors", new_type)
    if type(args) is not tuple:
        _refuse("_rebuild_from_type_v2", "args", "a tuple", args)
    made = func(*args)
    tensor = made if type(made) is new_type else made.as_subclass(new_type)
    setter = getattr(new_type, "__setstate__", None)
    if setter in (None, getattr(Tensor, "__setstate__", None)):
        return _set_state(tensor, state)
    setter(tensor, state)
    return tensor


def _set_state(tensor: Tensor, state: Any) -> Tensor:
    # A dict, or, for classes with __slots__, (dict or None, dict of slots).
    parts = state if type(state) is tuple and len(state) == 2 else (state,)
    for attributes in parts:
        if attributes is None:
            continue
        if not isinstance(attributes, dict):
            _refuse("_set_state", "state", "a dict of attributes, None or a pair of them", attributes)
        for name, value in attributes.items():
            set_attribute(tensor, name, value)
    return tensor


def set_attribute(obj: Any, name: Any, value: Any) -> None:
    """Set an attribute that a file names; UnpicklingError for one that the library's classes define.

    What an instance of them needs is made by their constructors. A file may add to that, not replace it: not a method
    of the library's own objects, and not what the core keeps in a tensor.
    """
    if type(name) is not str:
        _refuse("_set_state", "state", "a dict with names of attributes", name)
    own = [vars(c)[name] for c in type(obj).__mro__ if not _is_users(c) and name in vars(c)]
    if _is_users(type(obj)):  # which may keep what it holds under a method's name (`inner`): the instance's dict has it
        own = [value for value in own if hasattr(type(value), "__set__")]
    if name.startswith("__") or name in _CORES or own:
        raise pickle.UnpicklingError(
            f"load(): data.pkl sets attribute {brief(name)} of a {type(obj).__name__}, which is not for a file to set"
        )
    if any(name in vars(c) for c in type(obj).__mro__ if _is_users(c)):
        setattr(obj, name, value)  # a slot or a property of the user's class
    else:
        vars(obj)[name] = value


# Attributes that the core and the hooks look up on instances of internal classes.
_CORES = frozenset(
    {
        "_backward_hooks",
        "_device",
        "_dispatch_keys",
        "_layout",
        "_post_accumulate_grad_hooks",
        "_special_shape",
        "_special_stride",
    }
)


def _is_users(cls: type) -> bool:
    return cls not in (object, dict) and cls.__module__.partition(".")[0] not in (
        "rushlight",
        "collections",
        "builtins",
        "torch",
    )


def get_layout(name: Any) -> layout:
    if type(name) is not str:
        _refuse("_get_layout", "name", "a str", name)
    found = layout.registry.get(name.removeprefix("torch."))
    if found is None:
        raise RuntimeError(f"load(): data.pkl names the layout {brief(name)}, and there is none of this name")
    return found


# The names that the files use -> what is called here.
REBUILD: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": rebuild_tensor,
    "torch._utils._rebuild_tensor_v2": rebuild_tensor_v2,
    "torch._utils._rebuild_tensor_v3": rebuild_tensor_v3,
    "torch._utils._rebuild_meta_tensor_no_storage": rebuild_meta_tensor_no_storage,
    "torch._utils._rebuild_wrapper_subclass": rebuild_wrapper_subclass,
    "torch._utils._rebuild_sparse_tensor": rebuild_sparse_tensor,
    "torch._utils._rebuild_parameter": rebuild_parameter,
    "torch._utils._rebuild_parameter_with_state": rebuild_parameter_with_state,
    "torch._tensor._rebuild_from_type_v2": rebuild_from_type_v2,
    "torch.serialization._get_layout": get_layout,
}
_MAKERS = (
    rebuild_tensor,
    rebuild_tensor_v2,
    rebuild_tensor_v3,
    rebuild_meta_tensor_no_storage,
    rebuild_wrapper_subclass,
    rebuild_sparse_tensor,
    rebuild_parameter,
    rebuild_parameter_with_state,
)
