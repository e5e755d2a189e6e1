"""Modules that hold other modules or parameters."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, groupby, islice
from typing import Any, Self, overload

from rushlight import Tensor
from rushlight.core.checks import check_that
from rushlight.nn.parameter import Parameter

from .module import Module, _addindent

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def _position(index: Any, size: int) -> int:
    position = operator.index(index)
    if not -size <= position < size:
        raise IndexError(f"index must be in [{-size}, {size - 1}]; found {position}")
    return position % size


def _pairs(name: str, given: Any) -> Iterator[tuple[Any, Any]]:
    """The pairs of a mapping, or of an iterable of pairs; TypeError or ValueError, in the name of `name`, for
    others.
    """
    if not isinstance(given, Iterable):
        raise TypeError(f"{name}.update(): expected a mapping or an iterable of pairs; found {type(given).__name__}")
    if isinstance(given, (Mapping, ModuleDict, ParameterDict)):
        yield from given.items()
        return
    for i, pair in enumerate(given):
        if not isinstance(pair, Iterable):
            raise TypeError(
                f"{name}.update(): element {i} must be a pair of key and value; found {type(pair).__name__}"
            )
        parts = tuple(pair)
        if len(parts) != 2:
            raise ValueError(f"{name}.update(): element {i} must be a pair of key and value; found {len(parts)} values")
        yield parts


class _Row(Module):
    """What Sequential and ModuleList have in common: modules in a row, named by their places."""

    def _key_(self, index: Any) -> str:
        """The name of the module at a place."""
        return str(_position(index, len(self)))

    def _rebuild_(self, modules: list[Any]) -> None:
        """Hold these modules, in this order."""
        self._modules.clear()
        self._modules.update((str(i), module) for i, module in enumerate(modules))

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._key_(idx), module)

    def __delitem__(self, idx: slice | int) -> None:
        rest = list(self._modules.values())
        del rest[idx if isinstance(idx, slice) else _position(idx, len(rest))]
        # Names stay numbers in order, as PyTorch keeps them.
        self._rebuild_(rest)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def _add_(self, modules: Iterable[Module]) -> Self:
        for module in list(modules):  # they may be this row's own
            self.add_module(str(len(self)), module)
        return self

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        return self._add_([module])

    def pop(self, key: int | slice) -> Any:
        """Take the module at a place out and return it."""
        taken = self[key]  # type: ignore[index]
        del self[key]
        return taken


class Sequential(_Row):
    """Calls its modules in a row, each on the output of the one before.

    Args:
        args: modules, or one ordered dictionary of modules by name.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        match args:
            case [OrderedDict() as members]:
                for name, module in members.items():
                    self.add_module(name, module)
            case _:
                self._add_(args)

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)  # type: ignore[misc]
        return input

    def _key_(self, index: Any) -> str:
        # Members may have names of their own.
        return next(islice(self._modules, _position(index, len(self)), None))

    def __getitem__(self, idx: slice | int) -> Any:
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._key_(idx)]

    def _members_of_(self, other: Any) -> list[Any]:
        """What is added by `+`."""
        if not isinstance(other, Sequential):
            raise ValueError(f"Sequential: only a Sequential can be added; found {type(other).__name__}")
        return list(other)

    def __add__(self, other: Any) -> Sequential:
        return Sequential(*self, *self._members_of_(other))

    def __iadd__(self, other: Any) -> Sequential:
        return self.extend(self._members_of_(other))

    def __mul__(self, other: int) -> Sequential:
        if not isinstance(other, int):
            return NotImplemented
        if other <= 0:
            raise ValueError(f"Sequential: it can be repeated once or more often; found {other} times")
        return Sequential(*(module for _ in range(other) for module in self))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Sequential:
        return self.extend(list(self * other)[len(self) :])

    def insert(self, index: int, module: Module) -> Sequential:
        """Put a module before the one at ``index``.

        Raises:
            AssertionError: the value is not a module.
            IndexError: the index is out of range.
        """
        if not isinstance(module, Module):
            raise AssertionError(f"Sequential.insert(): module must be a Module; found {type(module).__name__}")
        n = len(self)
        check_that(-n <= index <= n, "Sequential.insert()", "index", lambda: f"be in [{-n}, {n}]", index, IndexError)
        members = list(self)
        members.insert(index, module)
        self._rebuild_(members)
        return self

    def extend(self, sequential: Iterable[Module]) -> Sequential:
        """Add modules at the end."""
        return self._add_(sequential)


class ModuleList(_Row):
    """A list of modules.

    Args:
        modules: the first members.
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    @overload
    def __getitem__(self, idx: int) -> Module: ...
    @overload
    def __getitem__(self, idx: slice) -> ModuleList: ...
    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])  # type: ignore[arg-type]
        return self._modules[self._key_(idx)]

    def __iadd__(self, modules: Iterable[Module]) -> ModuleList:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def __repr__(self) -> str:
        texts = [repr(module) for module in self]
        if not texts:
            return self._get_name() + "()"
        lines: list[str] = []
        at = 0
        # A run of members that print alike takes one line: stacks of equal layers stay readable.
        for text, run in groupby(texts):
            count = sum(1 for _ in run)
            label = f"({at}):" if count == 1 else f"({at}-{at + count - 1}): {count} x"
            lines.append(_addindent(f"{label} {text}", 2))
            at += count
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"

    def insert(self, index: int, module: Module) -> None:
        """Put a module before the one at ``index``."""
        members = list(self)
        members.insert(index, module)
        self._rebuild_(members)

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        """Add modules at the end.

        Raises:
            TypeError: the argument cannot be iterated.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend(): modules must be iterable; found {type(modules).__name__}")
        return self._add_(modules)


class ModuleDict(Module):
    """A dictionary of modules.

    Args:
        modules: a mapping, or pairs, of the first members.
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None) -> None:
        super().__init__()
        if modules is not None:  # a subclass may have an `update` of another meaning
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Take all members out."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """The member of this name, which is taken out."""
        return self._modules.pop(key)

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def items(self) -> Any:
        """The pairs of name and module."""
        return self._modules.items()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add or replace members.

        Raises:
            TypeError: the argument is not iterable, or an element is not a pair.
            ValueError: an element's length is not 2.
        """
        for key, module in _pairs("ModuleDict", modules):
            self[key] = module


def _describe(value: Any, kind: Callable[[Tensor], Any]) -> str:
    if isinstance(value, Tensor):
        name = "Parameter" if isinstance(value, Parameter) else "Tensor"
        size = "x".join(str(n) for n in value.size())
        device = "" if value.device.type == "cpu" else f" ({value.device})"
        return f"{name} containing: [{kind(value)} of size {size}{device}]"
    return f"Object of type: {type(value).__name__}"


class _Holder(Module):
    """What ParameterList and ParameterDict have in common: members are attributes, and tensors become parameters."""

    def _hold_(self, name: str, value: Any) -> None:
        plain = isinstance(value, Tensor) and not isinstance(value, Parameter)
        setattr(self, name, Parameter(value) if plain else value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"{type(self).__name__} cannot be called: it only holds parameters")


class ParameterList(_Holder):
    """A list of parameters; tensors put in it become parameters, other values are kept as they are.

    Args:
        values: the first members.
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    @overload
    def __getitem__(self, idx: int) -> Any: ...
    @overload
    def __getitem__(self, idx: slice) -> ParameterList: ...
    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(self[i] for i in range(*idx.indices(len(self))))
        return getattr(self, str(_position(idx, len(self))))

    def __setitem__(self, idx: int, param: Any) -> None:
        self._hold_(str(_position(idx, len(self))), param)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(self._size))

    def __iadd__(self, parameters: Iterable[Any]) -> ParameterList:
        return self.extend(parameters)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, value: Any) -> ParameterList:
        """Add a value at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Add values at the end.

        Raises:
            TypeError: the argument is a tensor, or cannot be iterated.
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend(): values must be a list of tensors; found {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(f"  ({i}): {_describe(value, lambda t: t.dtype)}" for i, value in enumerate(self))


class ParameterDict(_Holder):
    """A dictionary of parameters; tensors put in it become parameters, other values are kept as they are.

    Args:
        parameters: a mapping, or pairs, of the first members.
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    @staticmethod
    def _attribute_(key: str) -> str:
        check_that(isinstance(key, str), "ParameterDict", "keys", "be strings", type(key).__name__, TypeError)
        return key

    def __getitem__(self, key: str) -> Any:
        if key not in self._keys:
            raise KeyError(key)
        return getattr(self, self._attribute_(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self._hold_(self._attribute_(key), value)
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._attribute_(key))

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """Return a new ParameterDict of the same parameters."""
        return ParameterDict(OrderedDict((key, self[key]) for key in self._keys))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of ``key``, put in as ``default`` first when it is missing."""
        if key not in self._keys:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Take all members out."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """The member of this name, which is taken out."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Take the newest member out and return its name and value."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of ``key``, or ``default``."""
        return self[key] if key in self._keys else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Return a new ParameterDict with ``default`` for every key."""
        return ParameterDict((key, default) for key in keys)

    def keys(self) -> Any:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """The pairs of name and value."""
        return ((key, self[key]) for key in self._keys)

    def values(self) -> Iterable[Any]:
        """The values."""
        return (self[key] for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add or replace members.

        Raises:
            TypeError: the argument is not iterable, or an element is not a pair.
            ValueError: an element's length is not 2.
        """
        pairs = _pairs("ParameterDict", parameters)
        # Of a mapping without an order of its own the names are taken in theirs.
        unordered = isinstance(parameters, Mapping) and not isinstance(parameters, OrderedDict)
        for key, value in sorted(pairs) if unordered else pairs:
            self[key] = value

    def extra_repr(self) -> str:
        return "\n".join(f"  ({key}): {_describe(value, lambda t: t.type())}" for key, value in self.items())

    def __or__(self, other: ParameterDict) -> ParameterDict:
        copy = self.copy()
        copy.update(other)
        return copy

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        copy = other.copy()
        copy.update(self)
        return copy

    def __ior__(self, other: ParameterDict) -> ParameterDict:
        self.update(other)
        return self
