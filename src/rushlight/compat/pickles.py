"""The pickler of checkpoints: tensors as PyTorch writes them, and rushlight's classes under their PyTorch names."""

from __future__ import annotations

import pickle
import sys
from collections import OrderedDict
from types import FunctionType
from typing import IO, Any, NamedTuple

from rushlight.compat import rebuild
from rushlight.compat.places import PLACES
from rushlight.core.dispatch import Operator
from rushlight.core.dtypes import dtype, layout
from rushlight.core.named import Named
from rushlight.core.storage import Storage
from rushlight.core.tensor import Size, Tensor, device, get_keys_flag_mask
from rushlight.operators.tensors.memory import TypedStorage
from rushlight.utils.serialization._options import has_packages, location_tag

__all__ = ["CheckpointPickler", "STORAGE_NAMES"]

# How PyTorch calls the typed storages of each dtype. The others (uint16, uint32, uint64) go untyped, with their dtype.
STORAGE_NAMES = {
    "bool": "BoolStorage",
    "uint8": "ByteStorage",
    "int8": "CharStorage",
    "int16": "ShortStorage",
    "int32": "IntStorage",
    "int64": "LongStorage",
    "float16": "HalfStorage",
    "bfloat16": "BFloat16Storage",
    "float32": "FloatStorage",
    "float64": "DoubleStorage",
    "complex64": "ComplexFloatStorage",
    "complex128": "ComplexDoubleStorage",
}


_META = get_keys_flag_mask()["META"]


class _Name(NamedTuple):
    """Stands for a global of PyTorch that has no object here."""

    module: str
    name: str


class _SavedStorage:
    """A storage in the pickle: written as a persistent id."""

    def __init__(self, storage: Storage, kind: dtype | None) -> None:
        self.storage, self.kind = storage, kind


# These are where PyTorch has them, whatever rushlight's file.
_PUBLIC: dict[Any, _Name] = {
    Tensor: _Name("torch", "Tensor"),
    Size: _Name("torch", "Size"),
    device: _Name("torch", "device"),
    dtype: _Name("torch", "dtype"),
    layout: _Name("torch", "layout"),
}
_PUBLIC.update({function: _Name(*path.rsplit(".", 1)) for path, function in rebuild.REBUILD.items()})


# Python's own pickler rather than the C one: only there can the name of a global be chosen. It carries no types.
_PythonPickler: Any = pickle._Pickler


class CheckpointPickler(_PythonPickler):  # type: ignore[misc]
    """Pickles to `file`; `storages` collects the storages met, in the order of their keys."""

    def __init__(self, file: IO[bytes], protocol: int) -> None:
        super().__init__(file, protocol)
        self.storages: list[Storage] = []
        self.itemsizes: list[int] = []  # of the elements as which each storage is first named
        self._begun: dict[int, Tensor] = {}
        self._keys: dict[int, str] = {}

    def persistent_id(self, obj: Any) -> tuple[str, _Name, str, str, int] | None:
        if isinstance(obj, Storage):
            obj = _SavedStorage(obj, None)
        elif isinstance(obj, TypedStorage):
            if obj.dtype.name not in STORAGE_NAMES:
                raise TypeError(
                    f"save(): a TypedStorage must be of a dtype whose storage has a name; found {obj.dtype}: save "
                    "untyped() of it"
                )
            obj = _SavedStorage(obj.untyped(), obj.dtype)
        if type(obj) is not _SavedStorage:
            return None
        storage: Storage = obj.storage
        key = self._keys.get(id(storage))
        if key is None:
            key = self._keys[id(storage)] = str(len(self.storages))
            self.storages.append(storage)  # which also keeps its id from being given to another
            self.itemsizes.append(1 if obj.kind is None else obj.kind.itemsize)
        location = location_tag(storage) if has_packages() else "cpu"
        if obj.kind is None:
            return "storage", _Name("torch.storage", "UntypedStorage"), key, location, storage.nbytes()
        kind = _Name("torch", STORAGE_NAMES[obj.kind.name])
        return "storage", kind, key, location, storage.nbytes() // obj.kind.itemsize

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, Tensor):
            return self._reduce_tensor(obj)
        if isinstance(obj, (dtype, _Name)):
            return obj.name
        if isinstance(obj, layout):
            return rebuild.get_layout, (f"torch.{obj.name}",)
        if isinstance(obj, Size):
            return Size, (tuple(obj),)
        if isinstance(obj, (type, FunctionType)) and (obj in _PUBLIC or _home(obj) is not None):
            return obj.__qualname__
        if type(obj) in (Operator, Named) and _public_place(obj) is not None:
            return obj.name
        return NotImplemented

    def save_global(self, obj: Any, name: str | None = None) -> None:
        if isinstance(obj, _Name):
            where = obj
        elif isinstance(obj, dtype):
            where = _Name("torch", obj.name)
        elif type(obj) in (Operator, Named):
            where = _Name(_public_place(obj) or "torch", obj.name)
        elif isinstance(obj, (type, FunctionType)) and obj in _PUBLIC:
            where = _PUBLIC[obj]
        elif isinstance(obj, (type, FunctionType)) and _home(obj) is not None and "." not in obj.__qualname__:
            where = _Name(_home(obj) or "torch", obj.__qualname__)
        else:
            super().save_global(obj, name)
            return
        self.write(pickle.GLOBAL + f"{where.module}\n{where.name}\n".encode())
        self.memoize(obj)

    def _reduce_tensor(self, t: Tensor) -> Any:
        # The pickler asks once for each object, but for one that it meets again before it is done with it.
        if id(t) in self._begun:
            raise RecursionError(
                "save(): a tensor is among its own attributes, and the format has the attributes before the tensor"
            )
        self._begun[id(t)] = t
        kind = type(t)
        # While that module is not loaded no tensor can be a parameter, and a file of tensors needs none of nn.
        nn_parameter = sys.modules.get("rushlight.nn.parameter")
        Parameter = nn_parameter.Parameter if nn_parameter is not None else Tensor
        state: Any = dict(t.__dict__)
        if t._keys_ & _META:
            state.pop("_device", None)
        if kind is Tensor or kind is Parameter:
            plain = _reduce_plain(t)
            if kind is not Tensor:
                # The parameter's own flag; what it wraps is saved as plain data.
                data = _Rebuilt(_reduce_plain(t, requires_grad=False))
                args: tuple[Any, ...] = (data, t.requires_grad, OrderedDict())
                return (
                    (rebuild.rebuild_parameter_with_state, (*args, state))
                    if state
                    else (rebuild.rebuild_parameter, args)
                )
            return plain if not state else (rebuild.rebuild_from_type_v2, (plain[0], kind, plain[1], state))
        if kind.__reduce_ex__ not in (Tensor.__reduce_ex__, Parameter.__reduce_ex__):
            return t.__reduce_ex__(self.proto)
        getstate = getattr(kind, "__getstate__", None)
        if getstate is not None and getstate is not getattr(object, "__getstate__", None):
            state = t.__getstate__()
        plain = _reduce_plain(t)
        return rebuild.rebuild_from_type_v2, (plain[0], kind, plain[1], state)


class _Rebuilt:
    """A value in the pickle given by how it is to be made."""

    def __init__(self, how: tuple[Any, ...]) -> None:
        self.how = how

    def __reduce__(self) -> tuple[Any, ...]:
        return self.how


def _reduce_plain(t: Tensor, requires_grad: bool | None = None) -> tuple[Any, tuple[Any, ...]]:
    flag = t.requires_grad if requires_grad is None else requires_grad
    if t._keys_ & _META and t.device.type != "meta":
        kind = rebuild.get_layout, ("torch.strided",)
        size, stride = tuple(t.shape), tuple(t.stride())
        where = device, (t.device.type,) if t.device.index is None else (t.device.type, t.device.index)
        return rebuild.rebuild_wrapper_subclass, (
            (type(t), t.dtype, size, stride, 0, _Rebuilt(kind), _Rebuilt(where), flag)
        )
    if t.device.type == "meta":
        return rebuild.rebuild_meta_tensor_no_storage, (t.dtype, tuple(t.shape), tuple(t.stride()), flag)
    if t.layout is not layout.registry["strided"]:
        if t.layout.name != "sparse_coo":
            own = t._meta_.parts
            return rebuild.rebuild_sparse_tensor, (t.layout, (own.ends, own.others, own.values, Size(t.shape)))
        return rebuild.rebuild_sparse_tensor, (t.layout, (t._indices(), t._values(), Size(t.shape), t.is_coalesced()))
    common: tuple[Any, ...] = (t.storage_offset(), tuple(t.shape), tuple(t.stride()), flag, OrderedDict())
    if t.dtype.name in STORAGE_NAMES:
        return rebuild.rebuild_tensor_v2, (_SavedStorage(t.untyped_storage(), t.dtype), *common)
    return rebuild.rebuild_tensor_v3, (_SavedStorage(t.untyped_storage(), None), *common, t.dtype)


def _public_place(op: Operator | Named) -> str | None:
    """The public module in which an operator is found by its name."""
    for name in ("rushlight", "rushlight.nn.functional", "rushlight.linalg", "rushlight.fft", "rushlight.special"):
        if name in sys.modules and vars(sys.modules[name]).get(op.name) is op:
            return "torch" + name.removeprefix("rushlight")
    return None


def _home(obj: Any) -> str | None:
    """The module in which PyTorch has what is rushlight's; None for an object of others."""
    module = getattr(obj, "__module__", None)
    if not isinstance(module, str) or module.partition(".")[0] != "rushlight":
        return None
    there = PLACES.get(module, {}).get(obj.__qualname__)
    return "torch" + module.removeprefix("rushlight") if there is None else there[1]
