"""What an interpreted call has read: the call depends on it, and `core.replay.Guard` compares it."""

from __future__ import annotations

import types
from typing import Any

from rushlight._dynamo.source import NotKnown
from rushlight.amp import autocast_mode
from rushlight.core import dtypes as dt
from rushlight.core.base import OperatorBase
from rushlight.core.replay import ABSENT
from rushlight.core.tensor import Tensor
from rushlight.nn import Module
from rushlight.nn import functional as F
from rushlight.nn.modules import _hooks

# Files of nn/modules whose modules' forward reads their own attributes and calls operators, and nothing else.
PLAIN = frozenset(
    f"rushlight.nn.modules.{name}"
    for name in (
        "activation batchnorm channelshuffle container conv distance dropout flatten fold instancenorm linear loss "
        "normalization padding pixelshuffle pooling sparse upsampling rnn"
    ).split()
)
_HOOKS = ("_forward_pre_hooks", "_forward_hooks", "_backward_pre_hooks", "_backward_hooks")  # tables of a module
_ALL_HOOKS = (  # and those of all modules
    _hooks.global_forward_pre_hooks,
    _hooks.global_forward_hooks,
    _hooks.global_backward_pre_hooks,
    _hooks.global_backward_hooks,
)


def is_ours(f: Any) -> bool:
    """Whether a function or a class is the library's."""
    return (f.__module__ or "").partition(".")[0] == "rushlight"


def dict_of(x: Any) -> dict[Any, Any] | None:
    """The dict of an object's attributes, where another may take its place."""
    found = getattr(x, "__dict__", None)
    return found if type(found) is dict and not isinstance(x, types.ModuleType) else None


class Reads:
    """What was read, as `core.replay.Guard` compares it."""

    def __init__(self) -> None:
        self.stands: dict[tuple[int, Any], tuple[Any, Any, Any]] = {}
        self.types: dict[tuple[type, str], Any] = {}
        self.contents: dict[int, dict[Any, Any]] = {}
        self.items: dict[int, tuple[list[Any], tuple[Any, ...]]] = {}
        self.tensors: dict[int, Tensor] = {}  # that were found by what is read
        self.objects: dict[int, Any] = {}  # objects whose classes count
        self.empty: dict[int, dict[Any, Any]] = {}  # tables of hooks, where a program has had any
        self.functions: dict[int, types.FunctionType] = {}  # whose code and defaults may be replaced
        self.made: dict[Any, tuple[Any, str, Any]] = {}  # (object, attribute, value) of other objects, by any key

    def of(self, holder: Any, key: Any) -> Any:
        """What stands in a dict under a key, or in a cell; ABSENT."""
        if isinstance(holder, types.CellType):
            try:
                value = holder.cell_contents
            except ValueError:
                value = ABSENT
        elif type(holder) is dict:
            value = holder.get(key, ABSENT)
        else:
            raise NotKnown(f"{type(holder).__name__} in the place of a dict")
        self.stands[id(holder), key] = holder, key, value
        self.found(value)
        return value

    def of_class(self, cls: type, name: str) -> Any:
        """What is found in a class; ABSENT."""
        value = self.types[cls, name] = self.in_class(cls, name)
        return value

    @staticmethod
    def in_class(cls: type, name: str) -> Any:
        """What a class has under a name; ABSENT."""
        return next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), ABSENT)

    def of_next_class(self, cls: type, of: type, name: str) -> Any:
        """What `super()` finds, in the classes that follow one among those of an object; ABSENT."""
        self.made[id(cls)] = cls, "__mro__", cls.__mro__
        for c in cls.__mro__[cls.__mro__.index(of) + 1 :]:
            self.of_class(c, name)  # (a name that it gets later is found there first)
            if name in vars(c):
                return vars(c)[name]
        return ABSENT

    def all_of(self, holder: Any) -> dict[Any, Any]:
        """A dict, all of whose values count."""
        if not isinstance(holder, dict):
            raise NotKnown(f"{type(holder).__name__} in the place of a dict")
        if id(holder) not in self.contents:
            self.contents[id(holder)] = holder
            for value in holder.values():
                self.found(value)
        return holder

    def found(self, value: Any) -> None:
        """Note a value that was read, with what is in it."""
        if isinstance(value, Tensor):
            self.tensors[id(value)] = value
        elif type(value) is list:
            if id(value) not in self.items:
                self.items[id(value)] = value, tuple(value)
                for x in value:
                    self.found(x)
        elif type(value) is tuple:
            for x in value:
                self.found(x)
        elif type(value) is dict and not _is_namespace(value):
            self.all_of(value)

    def casting(self, device_type: Any, dtype: Any = None, enabled: Any = True, cache_enabled: Any = None) -> None:
        """Note what a block of autocast with these arguments depends on."""
        state = autocast_mode._state
        if enabled and (device_type != "cpu" or dtype not in (None, dt.bfloat16, dt.float16)):
            raise NotKnown("autocast casts nothing, and warns of it")
        if (id(state), "nesting") not in self.made:
            if state.nesting:
                raise NotKnown("autocast has a block around the call")
            for name in ("nesting", "enabled", "dtype", "cache_enabled"):
                self.made[id(state), name] = state, name, getattr(state, name)

    def attributes(self) -> list[tuple[Any, str, Any]]:
        """The attributes of functions, and of other objects, that the guard compares."""
        parts = ("__code__", "__defaults__", "__kwdefaults__")
        return [*[(f, name, getattr(f, name)) for f in self.functions.values() for name in parts], *self.made.values()]

    def kinds(self) -> list[tuple[Any, type, dict[Any, Any] | None]]:
        """Objects whose classes count, with those classes and the dicts of their attributes."""
        return [(x, type(x), dict_of(x)) for x in self.objects.values()]

    def no_hooks(self, m: Module) -> None:
        """NotKnown where a module's call has hooks. Most programs never have one, and one flag says so."""
        if not _hooks.state.hooks_seen:
            return
        for name in _HOOKS:
            self.of(vars(m), name)
        for table in (*[vars(m)[name] for name in _HOOKS], *_ALL_HOOKS):
            if table:
                raise NotKnown(f"{type(m).__name__} has hooks")
            self.empty[id(table)] = table

    def of_module(self, root: Module) -> str:
        """Note all of a module and its parts. Returns "" where its call depends on nothing else: then the parts are of
        the library's own classes, unchanged; else why it depends on more.
        """
        for m in root.modules():
            cls = type(m)
            if cls.__module__ not in PLAIN:
                return f"{cls.__name__} is a module whose forward() is not known"
            for name, value in vars(m).items():
                if isinstance(self.in_class(cls, name), types.FunctionType):
                    return f"{cls.__name__}: its {name}() was replaced"
                if callable(value) and not isinstance(value, (OperatorBase, Module, Tensor, type)):
                    return f"{cls.__name__}.{name} is a function of the program's"
            why = self.methods_of(cls, "forward", set())
            if why:
                return why
        for m in root.modules():
            self.objects[id(m)] = m
            self.no_hooks(m)
            self.all_of(vars(m))
            self.tables_of(m)
            self.of_class(type(m), "__call__")
        return ""

    def tables_of(self, m: Module) -> None:
        """Note the parameters, buffers and parts of a module."""
        for name in ("_parameters", "_buffers", "_modules"):
            self.all_of(self.of(vars(m), name))

    def methods_of(self, cls: type, name: str, seen: set[str]) -> str:
        """Note a method of a class of the library's, the methods that it calls on its object, and their globals.
        Returns why it is not the library's own method, "" where it is.
        """
        seen.add(name)
        fn = self.in_class(cls, name)
        if not isinstance(fn, types.FunctionType) or fn is vars(Module).get(name):
            return ""
        for c in cls.__mro__[: cls.__mro__.index(Module)]:  # (one may call another by `super()`)
            if name in vars(c):
                self.of_class(c, name)
                if isinstance(vars(c)[name], types.FunctionType) and not is_ours(vars(c)[name]):
                    return f"{c.__name__}.{name}() was replaced"
        self.of_class(cls, name)
        self.names_of(fn)
        if "_function_" in fn.__code__.co_names:
            self.of(vars(F), self.of_class(cls, "_function_"))
        for other in fn.__code__.co_names:
            if other not in seen and (why := self.methods_of(cls, other, seen)):
                return why
        return ""

    def names_of(self, fn: Any) -> None:
        """Note the globals of a function of the library's own, and the operators that it calls by its namespaces."""
        for name in fn.__code__.co_names:
            if name not in fn.__globals__:
                continue
            x = self.of(fn.__globals__, name)
            if isinstance(x, types.ModuleType):
                for other in fn.__code__.co_names:
                    if isinstance(vars(x).get(other), OperatorBase):
                        self.of(vars(x), other)


def _is_namespace(x: dict[Any, Any]) -> bool:
    return "__name__" in x and "__builtins__" in x
