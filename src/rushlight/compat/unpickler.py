"""The two unpicklers of checkpoints: one that can make nothing but weights, and one for files of a trusted maker."""

from __future__ import annotations

import _codecs
import importlib
import io
import operator
import pickle
import pickletools
import re
import struct
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from rushlight.compat import rebuild
from rushlight.compat.archive import DamagedFileError
from rushlight.compat.pickles import STORAGE_NAMES
from rushlight.compat.rebuild import brief
from rushlight.core.dtypes import by_name, dtype
from rushlight.core.tensor import Size, Tensor, device

__all__ = [
    "StorageType",
    "add_safe_globals",
    "clear_safe_globals",
    "get_safe_globals",
    "load_anything",
    "load_weights",
    "safe_globals",
    "unsafe_globals",
]


class StorageType(NamedTuple):
    """A storage class named in a pickle, by the dtype of its elements (None: bytes)."""

    dtype: dtype | None


def _torch_globals() -> dict[str, Any]:
    """What PyTorch's files name in `torch`, with our counterparts."""
    found: dict[str, Any] = {f"torch.{name}": d for name, d in by_name.items()}
    found.update(
        {
            f"torch.{place}{storage}": StorageType(by_name[name])
            for name, storage in STORAGE_NAMES.items()
            for place in ("", "cuda.")
        }
    )
    found.update(
        {
            "torch.storage.UntypedStorage": StorageType(None),
            "torch.storage.TypedStorage": StorageType(None),
            "torch.Size": Size,
            "torch.device": device,
            "torch.Tensor": Tensor,
            **rebuild.REBUILD,
        }
    )
    return found


# ---------------------------------------------------------------------------------------------- what a file may call
# The calls of a file other than those in `rebuild`. Each checks its arguments; and as one argument may be used again
# and again, each first spends, of what the file's size allows, the number of elements or characters that it is going to
# make.
Spend: TypeAlias = Callable[[int], None]


def _size(spend: Spend, sizes: Any) -> Size:
    if type(sizes) not in (tuple, list, Size):
        raise _wrong("Size", "a tuple of ints", sizes)
    spend(len(sizes))
    if any(type(n) is not int for n in sizes):
        raise _wrong("Size", "a tuple of ints", sizes)
    return Size(sizes)


def _device(spend: Spend, *args: Any) -> device:
    if [type(a) for a in args] not in ([str], [str, int], [str, type(None)], [int]) or any(
        type(a) is str and len(a) > 100 for a in args
    ):
        raise _wrong("device", "a device's name", args)
    return device(*args)


def _complex(spend: Spend, *args: Any) -> complex:
    if len(args) > 2 or any(type(a) not in (int, float) for a in args):
        raise _wrong("complex", "two numbers", args)
    return complex(*args)


def _set(spend: Spend, items: Any = ()) -> set[Any]:
    if type(items) not in (list, tuple):
        raise _wrong("set", "a list", items)
    for item in items:
        spend(_cost_of_key(item))
    return set(items)


def _bytearray(spend: Spend, *args: Any) -> bytearray:
    # Not a number of bytes: that many zeros.
    if len(args) == 2 and type(args[0]) is str and type(args[1]) is str and args[1] in ("latin-1", "latin1"):
        spend(len(args[0]))
        return bytearray(args[0], "latin-1")
    if len(args) > 1 or args and type(args[0]) is not bytes:
        raise _wrong("bytearray", "bytes, or a str and 'latin-1'", args)
    spend(len(args[0]) if args else 0)
    return bytearray(*args)


def _encode(spend: Spend, *args: Any) -> bytes:
    # How protocol 2 writes bytes. Other codecs make more of a string, or less, or run code.
    if len(args) != 2 or type(args[0]) is not str or type(args[1]) is not str or args[1] not in ("latin1", "latin-1"):
        raise _wrong("encode", "a str and 'latin1'", args)
    spend(len(args[0]))
    return args[0].encode("latin-1")


def _ordered(spend: Spend, items: Any = ()) -> OrderedDict[Any, Any]:
    if type(items) not in (list, tuple):
        raise _wrong("OrderedDict", "a list of pairs", items)
    for pair in items:
        if type(pair) not in (list, tuple) or len(pair) != 2:
            raise _wrong("OrderedDict", "a list of pairs", items)
        spend(_cost_of_key(pair[0]))
    return OrderedDict(items)


def _counter(spend: Spend, counts: Any = None) -> Counter[Any]:
    if type(counts) not in (dict, type(None)):
        raise _wrong("Counter", "a dict of ints", counts)
    for key, n in (counts or {}).items():
        spend(_cost_of_key(key))
        if type(n) is not int:
            raise _wrong("Counter", "a dict of ints", n)
    return Counter(counts or {})


def _rebuilt(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(spend: Spend, *args: Any) -> Any:
        # The attributes are copied, one dict or a pair of them, the last argument.
        state = args[-1] if args else None
        spend(
            1 + sum(len(part) for part in (state[:2] if type(state) is tuple else (state,)) if isinstance(part, dict))
        )
        return function(*args)

    return call


def _sparse(spend: Spend, layout: Any, parts: Any) -> Tensor:
    if type(parts) is tuple and parts and isinstance(parts[0], Tensor):
        spend(parts[0].numel())
    return rebuild.rebuild_sparse_tensor(layout, parts)


def _users(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda spend, *args: function(*args)


def _wrong(name: str, expected: str, found: Any) -> pickle.UnpicklingError:
    shown = ", ".join(map(brief, found[:3])) if type(found) is tuple else brief(found)
    return pickle.UnpicklingError(f"it calls {name}() with something else than {expected}: {shown}")


_PLAIN: dict[str, Any] = {
    "collections.OrderedDict": OrderedDict,
    "collections.Counter": Counter,
    "builtins.set": set,
    "__builtin__.set": set,
    "builtins.bytearray": bytearray,
    "__builtin__.bytearray": bytearray,
    "builtins.complex": complex,
    "__builtin__.complex": complex,
    "_codecs.encode": _codecs.encode,
}
_CALLS: list[tuple[Any, Callable[..., Any]]] = [
    (Size, _size),
    (device, _device),
    (OrderedDict, _ordered),
    (Counter, _counter),
    (set, _set),
    (bytearray, _bytearray),
    (complex, _complex),
    (_codecs.encode, _encode),
    *((f, _rebuilt(f)) for f in rebuild.REBUILD.values() if f is not rebuild.rebuild_sparse_tensor),
    (rebuild.rebuild_sparse_tensor, _sparse),
]
# Names that PyTorch loads, of tensors that rushlight lacks.
_ABSENT = {
    "torch._utils._rebuild_qtensor": "quantized",
    "torch._utils._rebuild_nested_tensor": "nested",
    "torch._utils._rebuild_device_tensor_from_numpy": "on another device",
    "torch._utils._rebuild_device_tensor_from_cpu_tensor": "on another device",
    "torch.nested._internal.nested_tensor._rebuild_njt": "nested",
}

_ABSENT |= {
    f"torch.cuda.sparse.{name}Tensor": "sparse"
    for name in "BFloat16 Byte Char Double Float Half Int Long Short".split()
}
_ABSENT |= {
    f"torch.{name}": "quantized"
    for name in (
        "QInt32Storage",
        "QInt8Storage",
        "QUInt2x4Storage",
        "QUInt4x2Storage",
        "QUInt8Storage",
        "per_channel_affine",
        "per_channel_affine_float_qparams",
        "per_channel_symmetric",
        "per_tensor_affine",
        "per_tensor_symmetric",
    )
}
# The classes of tensors of a dtype and a device, as older files name them.
_TENSOR_TYPE = re.compile(r"torch\.(cuda\.|sparse\.)?(BFloat16|Bool|Byte|Char|Double|Float|Half|Int|Long|Short)Tensor")

_ALLOWANCE = 16  # elements that calls may copy, and steps that keys may take, for each byte of the pickle
_MAX_DEPTH = 100  # of tuples in tuples that are keys: Python hashes them by recursion on the C stack
_MAX_KEY = 1 << 16  # parts of a key


def _cost_of_key(key: Any) -> int:
    """How many steps hashing takes. A tuple of twice the same tuple of twice the same ... takes for ever, and has a
    short pickle.
    """
    if type(key) in (str, bytes):  # these keep their hash
        return 1
    cost, left = 0, [(key, 0)]
    while left:
        x, depth = left.pop()
        cost += 1 if type(x) is not int else 1 + x.bit_length() // 64
        if type(x) in (tuple, Size):
            left.extend((y, depth + 1) for y in x)
        if depth > _MAX_DEPTH or cost + len(left) > _MAX_KEY:
            raise pickle.UnpicklingError(
                f"a key of a dict or a set is nested too deeply or has more than {_MAX_KEY} parts"
            )
    return cost


_safe: dict[str, Any] = {}


def _full_name(obj: Any) -> str:
    # (object, "name in the file")
    if isinstance(obj, tuple) and len(obj) == 2 and callable(obj[0]) and isinstance(obj[1], str):
        return obj[1]
    if not callable(obj) or not hasattr(obj, "__qualname__"):
        raise TypeError(
            "add_safe_globals(): must be a list of classes and functions, or of pairs of one with its name; found "
            f"{brief(obj)} in it"
        )
    return f"{obj.__module__}.{obj.__qualname__}"


def _torch_name(name: str) -> str:
    return "torch" + name.removeprefix("rushlight") if name == "rushlight" or name.startswith("rushlight.") else name


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Let `load(weights_only=True)` make instances of these classes and call these functions.

    Args:
        safe_globals: classes and functions, or pairs (object, "module.name" that the file has for it).
    """
    _safe.update({_torch_name(_full_name(item)): item[0] if isinstance(item, tuple) else item for item in safe_globals})


def get_safe_globals() -> list[Any]:
    """The classes and functions given to `add_safe_globals`."""
    return list(_safe.values())


def clear_safe_globals() -> None:
    """Forget what was given to `add_safe_globals`."""
    _safe.clear()


class safe_globals:
    """`add_safe_globals` for the duration of a with block."""

    def __init__(self, safe_globals: list[Any]) -> None:
        self.safe_globals = safe_globals
        self.before: dict[Any, Any] = {}

    def __enter__(self) -> None:
        self.before = dict(_safe)
        add_safe_globals(self.safe_globals)

    def __exit__(self, *exc: object) -> None:
        _safe.clear()
        _safe.update(self.before)


class _Dispatch(dict):  # type: ignore[type-arg]
    def __missing__(self, opcode: int) -> Any:
        raise pickle.UnpicklingError(
            f"a file of weights needs no instruction {opcode} ({chr(opcode)!r}) of pickle; this one has it"
        )


_OPCODES = (
    "PROTO FRAME STOP MARK POP NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 LONG4 BINFLOAT BINUNICODE "
    "SHORT_BINUNICODE BINUNICODE8 SHORT_BINSTRING BINSTRING BINBYTES SHORT_BINBYTES BINBYTES8 EMPTY_DICT EMPTY_LIST "
    "EMPTY_TUPLE EMPTY_SET TUPLE TUPLE1 TUPLE2 TUPLE3 BINGET LONG_BINGET BINPUT LONG_BINPUT MEMOIZE GLOBAL "
    "STACK_GLOBAL BINPERSID"
).split()


_PythonUnpickler: Any = pickle._Unpickler  # carries no types


# Python's own unpickler with the opcodes cut down, and all those rewritten that touch an object: a file cannot call,
# instantiate, fill or set attributes on anything but what is listed, and cannot do it more often than its size allows.
class _WeightsUnpickler(_PythonUnpickler):  # type: ignore[misc]
    dispatch = _Dispatch(
        {getattr(pickle, name)[0]: _PythonUnpickler.dispatch[getattr(pickle, name)[0]] for name in _OPCODES}
    )

    def __init__(self, content: bytes, storage: Callable[[Any], Any]) -> None:
        self.content = io.BytesIO(content)
        super().__init__(self.content, encoding="bytes")
        self.storages: dict[int, Any] = {}  # those met, by id
        self.persistent_load = lambda pid: self.counted(storage(pid))
        self.globals = {**_torch_globals(), **_PLAIN}
        # By identity: the file chooses what is looked up, and hashing that may take for ever.
        self.calls = {id(known): (known, do) for known, do in [*_CALLS, *((f, _users(f)) for f in _safe.values())]}
        self.trusted = list(_safe.values())
        # Elements that calls may copy and steps that keys may take, beyond what the file spells out.
        self.allowance = _ALLOWANCE * len(content) + (1 << 16)

    def spend(self, cost: int) -> None:
        self.allowance -= cost
        if self.allowance < 0:
            raise pickle.UnpicklingError("it asks for far more memory or time than a file of its size needs")

    def counted(self, storage: Any) -> Any:
        """A storage that is loaded, whose bytes may be looked at as often as its size says: indices are."""
        raw = getattr(storage, "raw", storage)
        if raw is not None and id(raw) not in self.storages:
            self.storages[id(raw)] = raw
            self.allowance += raw.nbytes()
        return storage

    def find_class(self, module: str, name: str) -> Any:
        full = _torch_name(f"{module}.{name}")
        if full in _safe:
            return _safe[full]
        if full in self.globals:
            return self.globals[full]
        # as types; they are not among the callables
        if full == "torch.nn.parameter.Parameter" or _TENSOR_TYPE.fullmatch(full):
            return _counterpart(module, name)
        if full in _ABSENT:
            raise pickle.UnpicklingError(
                f"the file holds tensors that are {_ABSENT[full]} ({name}), which rushlight does not have"
            )
        shown = brief(f"{module}.{name}")[1:-1]
        raise pickle.UnpicklingError(
            f"WeightsUnpickler error: Unsupported global: GLOBAL {shown} is none that a file of weights may name. If "
            "you trust it, allow it by "
            f"torch.serialization.add_safe_globals([{brief(name)[1:-1]}])"
        )

    def call(self, function: Any, args: Any) -> Any:
        known, do = self.calls.get(id(function), (None, None))
        if do is None or known is not function:
            raise pickle.UnpicklingError(f"a file of weights may not call {brief(function)}")
        if type(args) is not tuple:
            raise pickle.UnpicklingError(f"a call's arguments must be a tuple; found {brief(args)}")
        if function is rebuild.rebuild_from_type_v2 and len(args) > 1:
            self.check_type(args[1])
        return do(self.spend, *args)

    def check_type(self, kind: Any) -> None:
        if kind is not Tensor and not any(kind is known for known in self.trusted):
            from rushlight.nn.parameter import Parameter

            if kind is not Parameter:
                raise pickle.UnpicklingError(f"a file of weights may not make instances of {brief(kind)}")

    def top(self, kinds: tuple[type, ...], does: str) -> Any:
        """The object that an instruction is about to change, which must be of one of these types, or of a class that
        the user named.
        """
        found = self.stack[-1]
        if type(found) not in kinds and not (
            isinstance(found, kinds) and any(type(found) is known for known in self.trusted)
        ):
            raise pickle.UnpicklingError(f"a file of weights may not {does} a {type(found).__name__}")
        return found

    def load_reduce(self) -> None:
        args = self.stack.pop()
        self.stack[-1] = self.call(self.stack[-1], args)

    dispatch[pickle.REDUCE[0]] = load_reduce

    def load_newobj(self) -> None:
        args = self.stack.pop()
        cls = self.stack.pop()
        if any(cls is known for known in self.trusted):
            if not isinstance(cls, type) or issubclass(cls, Tensor) or type(args) is not tuple:
                raise pickle.UnpicklingError(f"a file of weights may not make instances of {brief(cls)}")
            self.stack.append(cls.__new__(cls, *args))
        else:
            self.stack.append(self.call(cls, args))

    dispatch[pickle.NEWOBJ[0]] = load_newobj

    def load_append(self) -> None:
        value = self.stack.pop()
        self.top((list,), "append to").append(value)

    dispatch[pickle.APPEND[0]] = load_append

    def load_appends(self) -> None:
        values = self.pop_mark()
        self.top((list,), "append to").extend(values)

    dispatch[pickle.APPENDS[0]] = load_appends

    def set_items(self, items: list[Any]) -> None:
        target = self.top((dict, OrderedDict, Counter), "set items of")
        if len(items) % 2:
            raise pickle.UnpicklingError("a key of a dict has no value")
        for i in range(0, len(items), 2):
            self.spend(_cost_of_key(items[i]))
            target[items[i]] = items[i + 1]

    def load_setitem(self) -> None:
        value = self.stack.pop()
        key = self.stack.pop()
        self.set_items([key, value])

    dispatch[pickle.SETITEM[0]] = load_setitem

    def load_setitems(self) -> None:
        self.set_items(self.pop_mark())

    dispatch[pickle.SETITEMS[0]] = load_setitems

    def load_additems(self) -> None:
        items = self.pop_mark()
        for item in items:
            self.spend(_cost_of_key(item))
        self.top((set,), "add items to").update(items)

    dispatch[pickle.ADDITEMS[0]] = load_additems

    def load_frozenset(self) -> None:
        items = self.pop_mark()
        for item in items:
            self.spend(_cost_of_key(item))
        self.append(frozenset(items))

    dispatch[pickle.FROZENSET[0]] = load_frozenset

    def load_build(self) -> None:
        state = self.stack.pop()
        instance = self.stack[-1]
        if type(instance) is OrderedDict:  # PyTorch's state dicts carry their version there
            if type(state) is not dict:
                raise pickle.UnpicklingError(
                    f"the state of an OrderedDict must be a dict of attributes; found {brief(state)}"
                )
            self.spend(len(state))
            for name, value in state.items():
                rebuild.set_attribute(instance, name, value)
        elif isinstance(instance, Tensor) and not hasattr(instance, "__setstate__"):
            raise pickle.UnpicklingError(
                f"a file of weights may not set the state of a {type(instance).__name__}; _rebuild_from_type_v2() does"
            )
        elif any(type(instance) is known for known in self.trusted):
            self.stack.append(state)
            super().load_build()
        else:
            raise pickle.UnpicklingError(f"a file of weights may not set the state of a {type(instance).__name__}")

    dispatch[pickle.BUILD[0]] = load_build


# Errors that a pickle's content can cause in the code above: no mark on the stack, a list as a key, text that is not
# UTF-8. Other errors, such as those of a signal's handler, are not the file's doing and pass as they are.
_OF_THE_FILE = (
    pickle.PickleError,
    EOFError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    ImportError,
    struct.error,
)


def load_weights(content: bytes, storage: Callable[[Any], Any], member: str = "data.pkl") -> Any:
    """Unpickle tensors, numbers, strings and containers of them, and nothing else.

    Args:
        content: the pickle.
        storage: resolves persistent ids.
        member: what the pickle is called in messages.

    Raises:
        UnpicklingError and RuntimeError, which name the member; and what `storage` marks as its caller's, as it is.
    """
    unpickler = _WeightsUnpickler(content, storage)
    try:
        return unpickler.load()
    except CallersError as e:
        raise e.error from None
    except (MemoryError, DamagedFileError):
        raise
    except RuntimeError as e:
        raise RuntimeError(_naming(str(e)[:1000], member)) from e
    except _OF_THE_FILE as e:
        what = (
            str(e)
            if isinstance(e, pickle.UnpicklingError)
            else "the pickle is cut short"
            if isinstance(e, EOFError)
            else f"{type(e).__name__}: {e}"
        )
        raise pickle.UnpicklingError(
            f"Weights only load failed: {_naming(what[:1000], member)} (near byte {unpickler.content.tell()})\nIf "
            "you trust the maker of the file, "
            "load(..., weights_only=False) reads any object; it runs whatever code the file holds."
        ) from e


class CallersError(Exception):
    """An exception of the caller's own function, on its way out."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def _naming(message: str, member: str) -> str:
    return message if "data.pkl" in message or "data/" in message else f"{member}: {message}"


def unsafe_globals(content: bytes) -> list[str]:
    """The globals that a pickle names and `load_weights` would refuse, sorted.

    Raises:
        UnpicklingError: for a damaged pickle.
    """
    known = {**_torch_globals(), **_PLAIN, **_safe, "torch.nn.parameter.Parameter": None}
    found: set[str] = set()
    pushed: list[str | None] = []  # the strings among what was pushed, in order: STACK_GLOBAL takes the last two
    memo: dict[int, str | None] = {}
    try:
        for opcode, argument, _ in pickletools.genops(content):
            if opcode.name == "STACK_GLOBAL" and len(pushed) > 1:
                found.add(f"{pushed[-2]}.{pushed[-1]}")
            if opcode.name == "GLOBAL":
                found.add(str(argument).replace(" ", ".", 1))
            if opcode.name in ("BINPUT", "LONG_BINPUT", "MEMOIZE"):
                memo[len(memo) if argument is None else int(str(argument))] = pushed[-1]
            elif opcode.name in ("BINGET", "LONG_BINGET"):
                pushed.append(memo[int(str(argument))])
            elif opcode.name not in ("PROTO", "FRAME"):
                pushed.append(str(argument) if "UNICODE" in opcode.name else None)
    except Exception as e:
        raise pickle.UnpicklingError(f"load(): data.pkl is damaged: {brief(str(e))}") from e
    return sorted(name for name in found if _torch_name(name) not in known)


class _AnyUnpickler(pickle.Unpickler):
    def __init__(self, content: bytes, storage: Callable[[Any], Any], **options: Any) -> None:
        super().__init__(io.BytesIO(content), **options)
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
    # Where PyTorch's own functions say they are from, when a module holds one; torch.exp is the attribute exp of a
    # class.
    if module == "torch._C" and name in ("_VariableFunctionsClass", "_VariableFunctions"):
        return importlib.import_module("rushlight")
    path = "rushlight" + {"torch._C._nn": "torch.nn.functional"}.get(module, module).removeprefix("torch")
    while path:
        try:
            return operator.attrgetter(name)(importlib.import_module(path))
        except ModuleNotFoundError as e:
            if e.name is None or not path.startswith(e.name):
                raise
        except AttributeError:
            # Files differ between the two; the public package exports the class all the same.
            pass
        path = path.rpartition(".")[0]
    raise pickle.UnpicklingError(f"load(): the file holds a {module}.{name}, which rushlight does not have")


def load_anything(content: bytes, storage: Callable[[Any], Any], **options: Any) -> Any:
    """Unpickle any object; PyTorch's classes become rushlight's. `options` are those of pickle.Unpickler."""
    try:
        return _AnyUnpickler(content, storage, **{"encoding": "utf-8", **options}).load()
    except CallersError as e:
        raise e.error from None
