"""Devices (where tensors live) and Size (how large they are)."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, overload


def _index(given: Any, argument: str) -> int:
    """The number of a device; TypeError for what is no int, RuntimeError for one below 0."""
    try:
        if isinstance(given, bool):
            raise TypeError
        number = operator.index(given)
    except TypeError:
        wanted = "int" if argument == "index" else "a device, str or int"
        raise TypeError(f"device(): argument '{argument}' must be {wanted}, not {given.__class__.__name__}") from None
    if number < 0:
        raise RuntimeError(f"device(): a device's index must not be negative; found {number}")
    return number


class device:
    """A place where tensors live: `device("cpu")`, `device("cuda", 1)`, `device("meta")`; any registered type."""

    __slots__ = ("type", "index")
    # names that may be written; see register_device for those that work
    types = ["cpu", "meta", "cuda", "mps", "xpu", "privateuseone"]
    registered = {"cpu", "meta"}
    type: str
    index: int | None

    _without_index: dict[str, device] = {}

    def __new__(cls, type: str | int | device = "cpu", index: int | None = None) -> device:
        # One object for all who name a device without an index, so that the core knows the CPU by `is`.
        if index is None and type.__class__ is str and type in cls._without_index:
            return cls._without_index[type]
        if index is not None:
            if not isinstance(type, str):
                raise TypeError(
                    f"device(): argument 'type' must be str where an index is given, not {type.__class__.__name__}"
                )
            index = _index(index, "index")
        elif isinstance(type, device):
            index, type = type.index, type.type
        elif not isinstance(type, str):
            index, type = _index(type, "type"), "cuda"
        if isinstance(type, str) and ":" in type:
            name, _, number = type.partition(":")
            # (The digits of one number are those that Python writes: "cpu:01" and the digits of other scripts are not.)
            if index is not None or not number.isdecimal() or number != str(int(number)):
                raise RuntimeError(
                    f"device(): a device is a type with or without an index, as in 'cpu' and 'cuda:1'; found {type!r}"
                )
            type, index = name, int(number)
        if type not in device.types:
            # The words around the types are PyTorch's: programs read the types there are from this message.
            raise RuntimeError(
                f"device(): Expected one of {', '.join(device.types)} device type at start of device string: {type}"
            )
        self = object.__new__(cls)
        object.__setattr__(self, "type", type)
        object.__setattr__(self, "index", index)
        return self if index is not None else cls._without_index.setdefault(type, self)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("device objects are immutable")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and self.type == other.type and self.index == other.index

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __repr__(self) -> str:
        return f"device(type='{self.type}'" + (f", index={self.index})" if self.index is not None else ")")

    def __str__(self) -> str:
        return self.type + (f":{self.index}" if self.index is not None else "")

    def __reduce__(self) -> tuple[Any, ...]:
        return device, (self.type, self.index)

    if TYPE_CHECKING:  # by core/locks, as no interrupt cuts these in half

        def __enter__(self) -> Self: ...
        def __exit__(self, *exc: object) -> None: ...


def register_device(name: str) -> None:
    """Let tensors live on device type `name`; implementations are registered per operator (`Operator.register`)."""
    if name not in device.types:
        device.types.append(name)
    device.registered.add(name)


CPU = device("cpu")
META = device("meta")
_named: dict[str, device] = {}
# where factories make tensors: the default device, then those of `with device:`, innermost last
defaults: list[device] = [CPU]


def device_of(where: device | str | int) -> device:
    """The device that an argument names; one object for all who name it so."""
    if isinstance(where, device):
        return where
    if not isinstance(where, str):
        return device(where)
    found = _named.get(where)
    if found is None:
        found = _named[where] = device(where)
    return found


def _size(x: Any) -> Any:
    """One of a Size's numbers as an int, from a tensor or a NumPy integer too. Symbols, which stand for sizes while a
    program is traced, are kept.
    """
    if isinstance(x, int) or hasattr(x, "dtype"):
        return int(operator.index(x))
    if isinstance(x, (float, complex, str, bytes, tuple, list, dict, type(None))):
        raise TypeError(f"torch.Size(): 'iterable' must hold ints; found {type(x).__name__}")
    return x


class Size(tuple[int, ...]):
    """A tensor's shape: a tuple of ints with `numel()`."""

    __slots__ = ()

    def __new__(cls, iterable: Iterable[Any] = (), /) -> Self:
        self = super().__new__(cls, iterable)
        for s in self:
            if type(s) is not int:
                return super().__new__(cls, map(_size, self))
        return self

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, i: SupportsIndex, /) -> int: ...
        @overload
        def __getitem__(self, i: slice, /) -> Size: ...
        def __getitem__(self, i: Any, /) -> Any: ...  # by the core, see rl_patch_size

    def numel(self) -> int:
        """The product of the sizes."""
        n = 1
        for s in self:
            n = n * s
        return n

    def __repr__(self) -> str:
        return "torch.Size([" + ", ".join(map(str, self)) + "])"

    def __add__(self, other: tuple[Any, ...], /) -> Size:
        if not isinstance(other, tuple):
            return NotImplemented
        for s in other:
            if type(s) is not int:
                return Size(tuple.__add__(self, other))
        return tuple.__new__(Size, tuple.__add__(self, other))

    def __radd__(self, other: Iterable[int], /) -> Size:
        return Size(tuple.__add__(tuple(other), self))

    def __mul__(self, n: SupportsIndex, /) -> Size:
        return tuple.__new__(Size, tuple.__mul__(self, n))

    __rmul__ = __mul__

    def __reduce__(self) -> tuple[Any, ...]:
        return Size, (tuple(self),)
