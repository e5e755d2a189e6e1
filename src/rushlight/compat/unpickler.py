"""The two unpicklers of checkpoints: one that can make nothing but weights, and one for files of a trusted maker."""

from __future__ import annotations

import _codecs
import importlib
import pickle
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, NamedTuple

from rushlight.compat import rebuild
from rushlight.compat.pickles import STORAGE_NAMES
from rushlight.core.dtypes import by_name, dtype
from rushlight.core.tensor import Size, Tensor, device

__all__ = [
    "StorageType", "add_safe_globals", "clear_safe_globals", "get_safe_globals", "load_anything", "load_weights",
    "safe_globals",
]


class StorageType(NamedTuple):
    """A storage class named in a pickle, by the dtype of its elements (None: bytes)."""

    dtype: dtype | None


def _torch_globals() -> dict[str, Any]:
    """What PyTorch's files name in `torch`, with our counterparts."""
    found: dict[str, Any] = {f"torch.{name}": d for name, d in by_name.items()}
    found.update({f"torch.{storage}": StorageType(by_name[name]) for name, storage in STORAGE_NAMES.items()})
    found.update({"torch.storage.UntypedStorage": StorageType(None), "torch.Size": Size, "torch.device": device,
                  "torch.Tensor": Tensor, **rebuild.REBUILD})
    return found


_PLAIN: dict[str, Any] = {
    "collections.OrderedDict": OrderedDict, "collections.Counter": Counter, "builtins.set": set, "__builtin__.set": set,
    "builtins.bytearray": bytearray, "__builtin__.bytearray": bytearray, "builtins.complex": complex,
    "__builtin__.complex": complex, "_codecs.encode": _codecs.encode,
}
_CALLABLE = [Size, device, OrderedDict, Counter, set, bytearray, complex, _codecs.encode, *rebuild.REBUILD.values()]

_safe: dict[str, Any] = {}


def _full_name(obj: Any) -> str:
    if isinstance(obj, tuple):  # (object, "name in the file")
        return obj[1]
    return f"{obj.__module__}.{obj.__qualname__}"


def _torch_name(name: str) -> str:
    return "torch" + name.removeprefix("rushlight") if name == "rushlight" or name.startswith("rushlight.") else name


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Let `load(weights_only=True)` make instances of these classes and call these functions.

    Args:
        safe_globals: classes and functions, or pairs (object, "module.name" that the file has for it).
    """
    for item in safe_globals:
        _safe[_torch_name(_full_name(item))] = item[0] if isinstance(item, tuple) else item


def get_safe_globals() -> list[Any]:
    """The classes and functions given to `add_safe_globals`."""
    return list(_safe.values())


def clear_safe_globals() -> None:
    """Forget what was given to `add_safe_globals`."""
    _safe.clear()


@contextmanager
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """`add_safe_globals` for the duration of a with block."""
    before = dict(_safe)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        _safe.clear()
        _safe.update(before)


class _Dispatch(dict):  # type: ignore[type-arg]
    def __missing__(self, opcode: int) -> Any:
        raise pickle.UnpicklingError(f"a file of weights needs no instruction {opcode} ({chr(opcode)!r}) of pickle; this one has it")


_OPCODES = (
    "PROTO FRAME STOP MARK POP NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 LONG4 BINFLOAT BINUNICODE "
    "SHORT_BINUNICODE BINUNICODE8 SHORT_BINSTRING BINSTRING BINBYTES SHORT_BINBYTES BINBYTES8 EMPTY_DICT EMPTY_LIST "
    "EMPTY_TUPLE EMPTY_SET TUPLE TUPLE1 TUPLE2 TUPLE3 APPEND APPENDS SETITEM SETITEMS ADDITEMS FROZENSET BINGET "
    "LONG_BINGET BINPUT LONG_BINPUT MEMOIZE GLOBAL STACK_GLOBAL REDUCE NEWOBJ BUILD BINPERSID"
).split()


_PythonUnpickler: Any = pickle._Unpickler  # type: ignore[attr-defined]  # carries no types


# Python's own unpickler with the opcodes cut down and the three that can reach code rewritten: a file cannot call,
# instantiate or set attributes on anything but what is listed.
class _WeightsUnpickler(_PythonUnpickler):
    dispatch = _Dispatch({getattr(pickle, name)[0]: _PythonUnpickler.dispatch[getattr(pickle, name)[0]]
                          for name in _OPCODES})

    def __init__(self, file: IO[bytes], storage: Callable[[Any], Any]) -> None:
        super().__init__(file, encoding="bytes")
        self.persistent_load = storage
        self.globals = {**_torch_globals(), **_PLAIN}
        self.callable = [*_CALLABLE, *_safe.values()]

    def find_class(self, module: str, name: str) -> Any:
        full = _torch_name(f"{module}.{name}")
        if full in _safe:
            return _safe[full]
        if full in self.globals:
            return self.globals[full]
        if full == "torch.nn.parameter.Parameter":  # as the type of a tensor; it is not among the callables
            return _counterpart(module, name)
        raise pickle.UnpicklingError(
            f"{module}.{name} is no global that a file of weights may name. If you trust it, allow it by "
            f"torch.serialization.add_safe_globals([{name}])")

    def _check_callable(self, function: Any) -> None:
        if not any(function is known for known in self.callable):
            raise pickle.UnpicklingError(f"a file of weights may not call {function!r}")

    def load_reduce(self) -> None:
        args = self.stack.pop()
        self._check_callable(self.stack[-1])
        if type(args) is not tuple:
            raise pickle.UnpicklingError(f"a call's arguments must be a tuple; found {type(args).__name__}")
        self.stack[-1] = self.stack[-1](*args)

    dispatch[pickle.REDUCE[0]] = load_reduce

    def load_newobj(self) -> None:
        args = self.stack.pop()
        cls = self.stack.pop()
        self._check_callable(cls)
        if not isinstance(cls, type) or type(args) is not tuple:
            raise pickle.UnpicklingError(f"a file of weights may not make instances of {cls!r}")
        self.stack.append(cls.__new__(cls, *args))

    dispatch[pickle.NEWOBJ[0]] = load_newobj

    def load_build(self) -> None:
        state = self.stack.pop()
        instance = self.stack[-1]
        if type(instance) is OrderedDict:  # PyTorch's state dicts carry their version there
            if not isinstance(state, dict):
                raise pickle.UnpicklingError(f"the state of an OrderedDict must be a dict of attributes; found {type(state).__name__}")
            instance.__dict__.update(state)
        elif any(type(instance) is known for known in _safe.values()):
            self.stack.append(state)
            super().load_build()
        else:
            raise pickle.UnpicklingError(f"a file of weights may not set the state of a {type(instance).__name__}")

    dispatch[pickle.BUILD[0]] = load_build


def load_weights(file: IO[bytes], storage: Callable[[Any], Any]) -> Any:
    """Unpickle tensors, numbers, strings and containers of them, and nothing else; `storage` resolves persistent ids."""
    try:
        return _WeightsUnpickler(file, storage).load()
    except (pickle.UnpicklingError, EOFError, IndexError, KeyError, AttributeError, UnicodeDecodeError) as e:
        raise pickle.UnpicklingError(
            f"Weights only load failed: {e}\nIf you trust the maker of the file, "
            "load(..., weights_only=False) reads any object; it runs whatever code the file holds.") from e


class _AnyUnpickler(pickle.Unpickler):
    def __init__(self, file: IO[bytes], storage: Callable[[Any], Any], **options: Any) -> None:
        super().__init__(file, **options)
        self._storage = storage
        self._globals = _torch_globals()

    def persistent_load(self, pid: Any) -> Any:
        return self._storage(pid)

    def find_class(self, module: str, name: str) -> Any:
        found = self._globals.get(f"{module}.{name}")
        if found is not None:
            return found
        if module == "torch" or module.startswith("torch."):
            return _counterpart(module, name)
        return super().find_class(module, name)


def _counterpart(module: str, name: str) -> Any:
    """Rushlight's object for a global of PyTorch: in the module of that name, or in one of the packages above it."""
    path = "rushlight" + module.removeprefix("torch")
    while path:
        try:
            found: Any = importlib.import_module(path)
            for part in name.split("."):
                found = getattr(found, part)
            return found
        except ModuleNotFoundError as e:
            if e.name is None or not path.startswith(e.name):
                raise
        except AttributeError:
            # Files differ between the two; the public package exports the class all the same.
            pass
        path = path.rpartition(".")[0]
    raise pickle.UnpicklingError(f"load(): the file holds a {module}.{name}, which rushlight does not have")


def load_anything(file: IO[bytes], storage: Callable[[Any], Any], **options: Any) -> Any:
    """Unpickle any object; PyTorch's classes become rushlight's. `options` are those of pickle.Unpickler."""
    return _AnyUnpickler(file, storage, **{"encoding": "utf-8", **options}).load()
