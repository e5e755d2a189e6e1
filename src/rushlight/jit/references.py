"""The things that a function refers to without being given them: modules, and the places where tensors are named."""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

from rushlight.core.tensor import Tensor
from rushlight.core.watch import Watch
from rushlight.nn import Module
from rushlight.operators.table import dispatch as _dispatch

_OURS = ("rushlight", "torch")
_TYPES = frozenset(("isinstance", "is_tensor", "type"))


class Place(NamedTuple):
    """Where something stands: in a dict under a key, in a list or a tuple at a place, or in a cell of a closure.

    Calling it gives the object that stands there now; None where none does.
    """

    holder: Any
    key: Any = None

    def __call__(self) -> Any:
        holder = self.holder
        if isinstance(holder, dict):
            return holder.get(self.key)
        if isinstance(holder, types.CellType):
            try:
                return holder.cell_contents
            except ValueError:  # nothing is in it
                return None
        return holder[self.key] if self.key < len(holder) else None


class References:
    """The modules that a function reaches by its closure, its globals, its object and the functions that it names; and
    where the tensors stand that it reaches so.

    What it reaches by other ways (through attributes of attributes, or containers in containers) is not found.
    """

    def __init__(self, fn: Any) -> None:
        self.modules: list[Module] = []
        self.places: dict[int, tuple[Tensor, list[Place]]] = {}
        self.parts: list[tuple[Any, Place]] = []  # modules and objects, with where each stands
        self.asks_types = False  # whether a function that is reached asks for the type of something
        self._seen: set[int] = set()
        self._look(fn, None)

    def watch(self, count: int, grad: bool) -> Watch | None:
        """A watch that tells, for calls with so many plain tensors, whether everything stands as it does now, modules'
        modes too; None where a module keeps its mode in a way of its own.
        """
        stands = [(*place, place()) for place in self._all()]
        for m in self.modules:
            if "training" not in vars(m):
                return None
            stands.append((vars(m), "training", m.training))
        usual = all(type(holder) in (dict, list, tuple, types.CellType) for holder, _, _ in stands)
        return Watch(count, grad, _dispatch.casts, stands) if usual else None

    def _all(self) -> Iterator[Place]:
        yield from (place for _, place in self.parts)
        for _, places in self.places.values():
            yield from places

    def place(self, x: Tensor) -> Place | None:
        """Where a tensor stands; None where that is not known."""
        found = self.places.get(id(x))
        return None if found is None else found[1][0]

    def current(self) -> bool:
        """Whether all objects stand where they stood; tensors may have been replaced, by the same tensor in all places
        of one."""
        for part, place in self.parts:
            if place() is not part:
                return False
        for x, places in self.places.values():
            now = places[0]()
            if now is not x and not (isinstance(now, Tensor) and all(place() is now for place in places[1:])):
                return False
            if now is x and len(places) > 1 and not all(place() is x for place in places):
                return False
        return True

    def _stands(self, x: Tensor, place: Place) -> None:
        self.places.setdefault(id(x), (x, []))[1].append(place)

    def _look(self, x: Any, place: Place | None, inside: bool = False) -> None:
        if isinstance(x, Tensor):
            if place is not None:
                self._stands(x, place)
            return
        if isinstance(x, (Module, types.FunctionType)) and place is not None:
            self.parts.append((x, place))
        if id(x) in self._seen or isinstance(x, (type, types.ModuleType, str, int, float)):
            return
        self._seen.add(id(x))
        if isinstance(x, Module):
            self._look_at_module(x)
        elif isinstance(x, functools.partial):
            for y in (x.func, *x.args, *x.keywords.values()):
                self._look(y, None)
        elif isinstance(x, types.MethodType):
            self._look(x.__func__, None)
            self._look(x.__self__, None)
        elif isinstance(x, types.FunctionType):
            if not x.__module__ or x.__module__.partition(".")[0] not in _OURS:
                self.asks_types |= not _TYPES.isdisjoint(_names(x.__code__))
                for y, where in _named(x):
                    self._look(y, where)
        elif isinstance(x, (list, tuple, dict)) and not inside:
            for key in list(x) if isinstance(x, dict) else range(len(x)):
                self._look(x[key], Place(x, key), True)
        elif not inside and hasattr(x, "__dict__"):  # an object, such as the one of a method
            for name, y in list(vars(x).items()):
                self._look(y, Place(vars(x), name), True)

    def _look_at_module(self, root: Module) -> None:
        for module in root.modules():
            self._seen.add(id(module))
            self.modules.append(module)
            for held in (module._parameters, module._buffers):
                for name, x in held.items():
                    if x is not None:
                        self._stands(x, Place(held, name))
            for name, x in vars(module).items():
                if isinstance(x, Tensor):
                    self._stands(x, Place(vars(module), name))
            self.parts += [(m, Place(module._modules, name)) for name, m in module._modules.items()]
            self._look(vars(type(module)).get("forward"), None)


def _named(fn: types.FunctionType) -> Iterator[tuple[Any, Place]]:
    """The values of a function's closure, defaults and globals, with where they stand."""
    for cell in fn.__closure__ or ():
        try:
            yield cell.cell_contents, Place(cell)
        except ValueError:  # nothing is in it yet
            continue
    yield from ((x, Place((x,), 0)) for x in (*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()))
    yield from _globals(fn.__code__, fn.__globals__)


def _names(code: types.CodeType) -> Iterator[str]:
    """The names of a function's code, and of that of functions within it."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _names(inner)


def _globals(code: types.CodeType, names: dict[str, Any]) -> Iterator[tuple[Any, Place]]:
    for name in _names(code):
        if name in names:
            yield names[name], Place(names, name)
