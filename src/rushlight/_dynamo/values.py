"""The operations of Python on values that are known to have no effect: attributes, elements, truth, pure functions.

All reads are noted (`reads.py`); an operation that is not known ends the inspection (`NotKnown`). Lists, dicts and
iterators
that the function has made itself (`mine`) may change; others may not.
"""

from __future__ import annotations

import functools
import math
import operator
import types
import typing
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import rushlight as rl
from rushlight._dynamo.effects import CLIPS, RUNS, Effects, Later
from rushlight._dynamo.reads import Reads, is_ours
from rushlight._dynamo.source import NotKnown
from rushlight.core import dtypes as dt
from rushlight.core.base import OperatorBase
from rushlight.core.replay import ABSENT
from rushlight.core.tensor import Size, Tensor
from rushlight.nn import Module, Parameter, Sequential
from rushlight.nn import functional as F
from rushlight.operators.table.define import METHODS
from rushlight.optim.optimizer import Optimizer

SCALARS = frozenset(
    (int, float, complex, bool, str, bytes, type(None), dt.dtype, type(...), slice, range, rl.device, rl.layout)
    + (rl.memory_format, rl.finfo, rl.iinfo)
)
_ATTRIBUTES = {  # of plain values
    rl.device: frozenset(("type", "index")),
    dt.dtype: frozenset(("is_floating_point", "is_complex", "is_signed", "itemsize")),
    rl.finfo: frozenset("bits dtype eps max min resolution smallest_normal tiny".split()),
    rl.iinfo: frozenset("bits dtype max min".split()),
    slice: frozenset(("start", "stop", "step")),
}
# Pure functions of Python's: of whatever is in a container, and of plain values.
_OF_CONTAINERS = frozenset((zip, enumerate, tuple, list, reversed, dict, sum, iter, map))
_OF_VALUES = frozenset(
    (range, int, float, bool, str, chr, ord, abs, min, max, round, divmod, sorted, slice, set, frozenset, pow, complex)
    + (operator.index, rl.finfo, rl.iinfo, rl.device, rl.Size)
)
# Functions of the library's that read only their arguments, the guard's modes and the default dtype, and call
# operators.
_OURS = frozenset(
    (rl.is_tensor, rl.is_floating_point, rl.is_complex, rl.numel, rl.result_type, rl.promote_types, rl.can_cast)
    + (rl.get_default_dtype, rl.is_grad_enabled, rl.is_inference_mode_enabled, rl.einsum, rl.broadcast_shapes)
    + (F.multi_head_attention_forward, F.upsample, F.upsample_bilinear, F.upsample_nearest)
)
# Functions that make tensors of plain values: new ones at every call.
_MAKERS = frozenset((rl.tensor, rl.as_tensor, rl.scalar_tensor))
_OF_TENSORS = frozenset(
    "shape dtype device ndim layout T mT H mH real imag requires_grad itemsize nbytes is_cuda is_sparse is_quantized "
    "names".split()
)
_ASKED = frozenset("size dim numel nelement ndimension is_floating_point is_complex element_size stride".split())
_NEVER = frozenset("item tolist numpy data_ptr register_hook retain_grad requires_grad_ set_ resize_".split())
_LISTED = frozenset(
    vars(Module)[name]
    for name in ("parameters", "named_parameters", "buffers", "named_buffers", "children", "named_children")
)
_CHANGES: dict[Any, frozenset[str]] = {  # methods that change what the function has made
    list: frozenset("append extend insert pop reverse clear".split()),
    dict: frozenset("update setdefault pop clear".split()),
    set: frozenset(("add",)),
}
_LOOKS: dict[Any, frozenset[str]] = {
    list: frozenset(("copy",)),
    dict: frozenset(("get", "items", "keys", "values", "copy")),
    set: frozenset(),
}
_READ = vars(object)["__getattribute__"]
_ITEM: Any = Reads.in_class(Tensor, "item")
_BACKWARD, _REQUIRES = Reads.in_class(Tensor, "backward"), Reads.in_class(Tensor, "requires_grad_")


class Values:
    """What is done with values.

    Args:
        reads: gets what is read.
        effects: gets what is changed.
    """

    def __init__(self, reads: Reads, effects: Effects) -> None:
        self.reads, self.effects = reads, effects
        self.mine: dict[int, Any] = {}  # by id, which is theirs while they are held

    def keep(self, x: Any) -> Any:
        """A container or an iterator that the function has made."""
        self.mine[id(x)] = x
        return x

    def counts(self, x: Any) -> None:
        """Note that the class of an object counts. (Classes of other values are known by where the values come
        from.)"""
        if type(x) not in SCALARS and not isinstance(x, (Tensor, tuple, list, dict, set)) and not self.is_mine(x):
            self.reads.objects[id(x)] = x

    @staticmethod
    def is_given(x: Any) -> bool:
        """Whether methods that are known by their changes take this value, beside plain ones."""
        return isinstance(x, (Tensor, Optimizer, Later))

    def is_mine(self, x: Any) -> bool:
        """Whether nobody else has it."""
        return id(x) in self.mine

    # ------------------------------------------------------------------------------------------------------- the calls
    def call(self, f: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """What a call of anything gives."""
        if any(type(x) is Later for x in (f, *args, *kwargs.values())):
            return self.call_later(f, args, kwargs)
        if isinstance(f, OperatorBase):
            if getattr(f, "name", "") in _NEVER:
                raise NotKnown(f"{f.name}() is called")  # type: ignore[attr-defined]
            if f in _MAKERS:
                return self.constant(f, args, kwargs)
            return f(*args, **kwargs)  # type: ignore[operator]
        if isinstance(f, Module):
            return self.module(f, args, kwargs)
        if isinstance(f, types.MethodType):
            if isinstance(f.__self__, Module):
                if f.__func__ is Module.__call__:
                    return self.module(f.__self__, args, kwargs)
                if f.__func__ in _LISTED:
                    for m in f.__self__.modules():
                        self.reads.objects[id(m)] = m
                        self.reads.tables_of(m)
                    self.check_plain([*args, *kwargs.values()])
                    return self.keep(iter(f(*args, **kwargs)))
            known = self.effects.method(f.__self__, f.__func__)
            if known is not None:
                self.check_plain([x for x in (*args, *kwargs.values()) if not self.is_given(x)])
                return known(*args, **kwargs)
            return self.function(f.__func__, (f.__self__, *args), kwargs)  # type: ignore[arg-type]
        if type(f) is functools.partial:
            for name in ("func", "args", "keywords"):
                self.reads.made[id(f), name] = f, name, getattr(f, name)
                self.reads.found(getattr(f, name))
            return self.call(f.func, (*f.args, *args), {**f.keywords, **kwargs})
        if isinstance(f, types.FunctionType) and f in RUNS:
            return self.effects.run(f, *self.of_leaves(args, kwargs))
        if isinstance(f, types.FunctionType) and f in CLIPS:
            return self.clipped(f, args, kwargs)
        if isinstance(f, types.FunctionType) and f not in _OURS and f not in _MAKERS and f is not typing.cast:
            return self.function(f, args, kwargs)
        if isinstance(f, (type, types.BuiltinFunctionType, types.FunctionType)) or callable(f):
            found = self.pure(f, args, kwargs)
            if found is not ABSENT:
                return found
        raise NotKnown(f"{getattr(f, '__qualname__', type(f).__name__)}() is called")

    def call_later(self, f: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A call that takes a number which is known later."""
        if isinstance(f, types.MethodType) and not isinstance(f.__self__, Module):
            known = self.effects.method(f.__self__, f.__func__)
            if known is not None:
                return known(*args, **kwargs)
            return self.function(f.__func__, (f.__self__, *args), kwargs)  # type: ignore[arg-type]
        if isinstance(f, types.FunctionType) and not is_ours(f):
            return self.function(f, args, kwargs)
        raise NotKnown(f"{getattr(f, '__qualname__', type(f).__name__)}() takes a number of a tensor")

    def pure(self, f: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A call of a function that has no effect; ABSENT for others."""
        if f is isinstance and len(args) == 2:
            self.counts(args[0])
            return isinstance(*args) if self.tells_kinds(args[1]) else ABSENT
        if f in (float, int) and len(args) == 1 and type(args[0]) in (Tensor, Parameter):
            return self.effects.number(f, args[0])
        if f is type and len(args) == 1:
            self.counts(args[0])
            return type(args[0])
        if f is typing.cast:
            return args[1]
        if f is len and len(args) == 1:
            return self.length(args[0])
        if f in (getattr, hasattr) and len(args) in (2, 3) and type(args[1]) is str:
            found = self.attribute(args[0], args[1], f is hasattr or len(args) == 3)
            return found is not ABSENT if f is hasattr else args[2] if found is ABSENT else found
        if f is next and len(args) == 1 and self.is_mine(args[0]):
            return next(args[0])
        if not _hashable(f):
            return ABSENT
        if f in _MAKERS:
            return self.constant(f, args, kwargs)
        if f in _OURS:
            return f(*args, **kwargs)
        if f in _OF_CONTAINERS:
            return self.keep(self.of_container(f, args, kwargs))
        if f in (any, all) and len(args) == 1:
            return f(self.truth(x) for x in self.iterated(args[0]))
        if f in _OF_VALUES or (getattr(f, "__module__", "") == "math" and getattr(math, f.__name__, None) is f):
            given = [list(x) if type(x) is types.GeneratorType and self.is_mine(x) else x for x in args]
            self.check_plain([*given, *kwargs.values()])
            found = f(*given, **kwargs)
            return self.keep(found) if type(found) in (list, set) else found
        return ABSENT

    def of_container(self, f: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A function of whatever is in a container."""
        if f is map and len(args) == 2:
            return (self.call(args[0], (x,), {}) for x in self.iterated(args[1]))
        if f is dict and args and type(args[0]) is dict:
            return {**args[0], **kwargs}
        if f is reversed and len(args) == 1:
            x = args[0]
            return reversed(x if type(x) in (list, tuple, range) else list(self.iterated(x)))
        given = [self.iterated(x) if i == 0 or f is zip else self.plain(x) for i, x in enumerate(args)]
        if f is sum and given and not kwargs:
            elements = list(given[0])
            for x in (*elements, *given[1:]):
                self.check_operand(x)
            return sum(elements, *given[1:])
        if f is not dict:
            self.check_plain(kwargs.values())
        return f(*given, **kwargs)

    def tells_kinds(self, kinds: Any) -> bool:
        """Whether the second argument of `isinstance` has only classes that decide by the class of a value."""
        if type(kinds) is tuple:
            return all(self.tells_kinds(k) for k in kinds)
        return type(kinds) in (type, type(Tensor), type(Parameter), types.UnionType)

    def constant(self, make: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A tensor that is made of plain values."""
        if make is rl.as_tensor and args and type(args[0]) is Tensor:
            return make(*args, **kwargs)
        if kwargs.get("requires_grad"):
            raise NotKnown(f"{make.__name__}() makes a tensor that requires grad")
        self.check_plain([*args, *kwargs.values()])
        return make(*args, **kwargs)

    def function(self, f: types.FunctionType, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A call of a function."""
        raise NotImplementedError

    def of_leaves(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Arguments that are tensors, several of them, or plain values."""

        def one(x: Any) -> Any:
            if x is None or isinstance(x, Tensor):
                return x
            if type(x) in SCALARS:
                return self.plain(x)
            found = list(self.iterated(x))
            if not all(y is None or type(y) in (Tensor, Parameter) for y in found):
                raise NotKnown("a backward takes what is no plain tensor")
            return found

        return [one(x) for x in args], {k: one(x) for k, x in kwargs.items()}

    def clipped(self, f: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A call of a function that bounds gradients."""
        left = list(args)
        if not left and "parameters" not in kwargs:
            raise NotKnown(f"{f.__name__}() lacks an argument")
        more = {k: v for k, v in kwargs.items() if k != "parameters" or left}
        given = left.pop(0) if left else kwargs["parameters"]
        self.check_plain([*left, *more.values()])
        return self.effects.clip(f, [given] if isinstance(given, Tensor) else list(self.iterated(given)), left, more)

    def check_plain(self, values: Iterable[Any]) -> None:
        """NotKnown where a value is no number, text, or a container of such."""
        for x in values:
            if type(x) in (list, tuple, Size, set, frozenset):
                self.check_plain(x)
            elif type(x) not in SCALARS:
                raise NotKnown(f"{type(x).__name__} where Python needs a plain value")

    def plain(self, x: Any) -> Any:
        """A value that is a number or text; NotKnown for others."""
        self.check_plain([x])
        return x

    def module(self, m: Module, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A module's call."""
        cls = type(m)
        self.reads.objects[id(m)] = m
        if self.reads.of_class(cls, "__call__") is not vars(Module)["__call__"]:
            raise NotKnown(f"{cls.__name__} has a call of its own")
        self.reads.no_hooks(m)
        if self.reads.of(vars(m), "forward") is not ABSENT:
            raise NotKnown(f"{cls.__name__}: its forward() was replaced")
        forward = self.reads.of_class(cls, "forward")
        if not isinstance(forward, types.FunctionType):
            raise NotKnown(f"{cls.__name__}: its forward is no function")
        if forward is vars(Sequential)["forward"] and len(args) == 1 and not kwargs:
            x = args[0]
            for part in self.parts(m):
                x = self.call(part, (x,), {})
            return x
        if is_ours(forward) and not self.reads.of_module(m):
            return m(*args, **kwargs)
        return self.function(forward, (m, *args), kwargs)

    def parts(self, m: Module) -> list[Any]:
        """The modules of a container, which it gives when it is gone through."""
        cls = type(m)
        if cls not in (rl.nn.Sequential, rl.nn.ModuleList):
            known = self.reads.of_class(cls, "__iter__")
            if known not in (vars(c).get("__iter__") for c in rl.nn.Sequential.__mro__) or known is ABSENT:
                raise NotKnown(f"{cls.__name__} is no container that is known")
        self.reads.objects[id(m)] = m
        modules = self.reads.of(vars(m), "_modules")
        return list(self.reads.all_of(modules).values())

    # -------------------------------------------------------------------------------------------------- the attributes
    def attribute(self, x: Any, name: str, or_absent: bool = False) -> Any:
        """An attribute of a value. or_absent: ABSENT where there is none."""
        cls = type(x)
        if cls is Later:
            raise NotKnown("an attribute of a number of a tensor is read")
        if name == "__dict__" and isinstance(x, Module):
            self.reads.objects[id(x)] = x
            return self.reads.all_of(vars(x))
        if isinstance(x, types.ModuleType):
            self.reads.objects[id(x)] = x
            found = self.reads.of(vars(x), name)
            if found is ABSENT:
                raise NotKnown(f"{x.__name__} makes {name} when it is asked for")
            return found
        if cls in (Tensor, Parameter):
            if name in _OF_TENSORS:
                return getattr(x, name)
            if name == "grad":
                return self.effects.grad(x)
            raise NotKnown(f"Tensor.{name} is read")
        if name in _ATTRIBUTES.get(cls, ()):
            return getattr(x, name)
        if isinstance(x, tuple) and is_ours(cls) and name in getattr(cls, "_fields", dir(cls)) and name[0] != "_":
            return getattr(x, name)
        if type(x) is super:
            return self.of_super(x, name)
        if type(x) is type:
            return self.of_type(x, name)
        if cls in SCALARS or isinstance(x, type) or self.reads.of_class(cls, "__getattribute__") is not _READ:
            raise NotKnown(f"an attribute of {x!r:.40} is read")
        self.reads.objects[id(x)] = x
        if name == "__class__":
            return cls
        in_class = self.reads.of_class(cls, name)
        own = getattr(x, "__dict__", None)
        if type(own) is not dict:
            raise NotKnown(f"{cls.__name__} has no plain attributes")
        if hasattr(type(in_class), "__set__"):
            if isinstance(in_class, property) and isinstance(in_class.fget, types.FunctionType):
                return self.function(in_class.fget, (x,), {})
            raise NotKnown(f"{cls.__name__}.{name} is no plain attribute")
        found = self.reads.of(own, name)
        if found is not ABSENT:
            return found
        if in_class is not ABSENT:
            return self.bound_to(in_class, x, cls)
        getter = self.reads.of_class(cls, "__getattr__")
        if getter is vars(Module)["__getattr__"]:
            for table in ("_parameters", "_buffers", "_modules"):
                found = self.reads.of(self.reads.of(own, table), name)
                if found is not ABSENT:
                    return found
        elif getter is not ABSENT:
            raise NotKnown(f"{cls.__name__} makes {name} when it is asked for")
        if or_absent:
            return ABSENT
        raise NotKnown(f"{cls.__name__} has no {name}")

    def of_super(self, x: Any, name: str) -> Any:
        """What `super()` finds."""
        found = self.reads.of_next_class(x.__self_class__, x.__thisclass__, name)
        if found is ABSENT:
            raise NotKnown(f"super() finds no {name}")
        return self.bound_to(found, x.__self__, x.__self_class__)

    def of_type(self, cls: type, name: str) -> Any:
        """What is found in a class."""
        if name in ("__name__", "__qualname__"):
            found = getattr(cls, name)
            self.reads.made[id(cls), name] = cls, name, found
            return found
        if hasattr(type, name):
            raise NotKnown(f"{cls.__name__}.{name} is read")
        found = self.reads.of_class(cls, name)
        if found is ABSENT:
            raise NotKnown(f"{cls.__name__} has no {name}")
        if isinstance(found, types.FunctionType):
            return found
        return self.bound_to(found, None, cls)

    def bound_to(self, found: Any, x: Any, cls: type) -> Any:
        """What a class has, as an attribute of one of its objects."""
        if isinstance(found, types.FunctionType):
            return types.MethodType(found, x)
        if type(found) is staticmethod:
            return found.__func__
        if type(found) is classmethod:
            return types.MethodType(found.__func__, cls)
        if hasattr(type(found), "__get__") and not isinstance(found, (type, OperatorBase)):
            raise NotKnown(f"{cls.__name__} has a {type(found).__name__}, which is no plain attribute")
        if isinstance(found, OperatorBase) and x is not None:
            raise NotKnown(f"{cls.__name__} has an operator among its methods")
        self.reads.found(found)
        return found

    def method_of(self, x: Any, name: str) -> Any:
        """A method of a tensor."""
        if name == "backward":
            if self.reads.of_class(type(x), name) is not _BACKWARD:
                raise NotKnown("Tensor.backward was replaced")
            return functools.partial(self.backward, x)
        if name == "requires_grad_":
            if self.reads.of_class(type(x), name) is not _REQUIRES:
                raise NotKnown("Tensor.requires_grad_ was replaced")
            return functools.partial(self.effects.requires_grad, x)
        if name == "item":
            if self.reads.of_class(type(x), name) is not _ITEM:
                raise NotKnown("Tensor.item was replaced")
            return functools.partial(self.effects.number, _ITEM, x)
        if name in _NEVER or (name not in METHODS and name not in _ASKED and name != "new_tensor"):
            raise NotKnown(f"Tensor.{name}() is called")
        if name == "new_tensor":
            return lambda data, **more: self.constant(rl.tensor, [data], {"dtype": x.dtype, "device": x.device} | more)
        if name not in _ASKED and not isinstance(self.reads.of_class(type(x), name), OperatorBase):
            raise NotKnown(f"Tensor.{name} was replaced")
        return getattr(x, name)

    def backward(self, x: Tensor, *args: Any, **kwargs: Any) -> None:
        """x.backward()"""
        given, named = self.of_leaves(args, kwargs)
        self.effects.run(type(x).backward, [x, *given], named)

    def of_builtin(self, x: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """A method of text or of a container."""
        kind = type(x)
        if kind in (str, Size, tuple):
            self.check_plain([*args, *kwargs.values(), *(x if kind is not str else ())])
            found = getattr(x, name)(*args, **kwargs)
            return self.keep(found) if type(found) is list else found
        if name in _LOOKS[kind]:
            self.check_plain(args[:1])
            found = getattr(x, name)(*args, **kwargs)
            return found if name == "get" else self.keep(found)
        if name in _CHANGES[kind] and self.is_mine(x):
            if kind is dict and name == "update":
                if args and type(args[0]) is not dict:
                    raise NotKnown(f"dict.update() takes a {type(args[0]).__name__}")
            elif kind is not list or name == "pop":
                self.check_plain(args[:1])
            return getattr(x, name)(*[self.iterated(a) if name == "extend" else a for a in args], **kwargs)
        raise NotKnown(f"{kind.__name__}.{name}() is called")

    # ---------------------------------------------------------------------------------------------------- the operators
    def check_operand(self, x: Any) -> None:
        """NotKnown for what has operators of its own."""
        if type(x) not in (Tensor, Parameter, list, tuple, Size) and type(x) not in SCALARS:
            raise NotKnown(f"{type(x).__name__} is an operand")

    def truth(self, x: Any) -> bool:
        """Whether a value is true; NotKnown where that takes more than a look."""
        if type(x) in SCALARS or type(x) in (list, tuple, dict, set, Size):
            return bool(x)
        if isinstance(x, (types.FunctionType, types.MethodType, OperatorBase)) or x is NotImplemented:
            return True
        if isinstance(x, Module):
            if self.reads.of_class(type(x), "__bool__") is ABSENT and self.reads.of_class(type(x), "__len__") is ABSENT:
                return True
        raise NotKnown(f"whether a {type(x).__name__} is true is asked")

    def length(self, x: Any) -> int:
        """len(x)."""
        if type(x) in (Tensor, Parameter):
            if not x.ndim:
                raise NotKnown("the length of a tensor without dimensions is asked")
            return int(x.shape[0])
        if type(x) in (list, tuple, Size, str, dict, set, range):
            return len(x)
        if isinstance(x, tuple) and is_ours(type(x)):
            return tuple.__len__(x)
        if isinstance(x, Module):
            return int(self.of_class_method(x, "__len__", ()))
        raise NotKnown(f"the length of a {type(x).__name__} is asked")

    def of_class_method(self, x: Any, name: str, args: tuple[Any, ...]) -> Any:
        """A special method of an object."""
        self.reads.objects[id(x)] = x
        found = self.reads.of_class(type(x), name)
        if not isinstance(found, types.FunctionType):
            raise NotKnown(f"{type(x).__name__}.{name} is no function")
        return self.function(found, (x, *args), {})

    def contains(self, x: Any, container: Any) -> bool:
        """x in container."""
        if isinstance(container, Module):
            return self.truth(self.of_class_method(container, "__contains__", (x,)))
        self.check_plain([x, list(container) if type(container) is dict else container])
        return x in container

    def item(self, x: Any, key: Any) -> Any:
        """An element."""
        if type(x) in (Tensor, Parameter):
            return x[self.index(key)]
        if type(x) in (list, tuple, Size, str, dict):
            found = x[self.plain(key)]
            return self.keep(found) if type(x) is list and type(key) is slice else found
        if isinstance(x, tuple) and is_ours(type(x)):
            return tuple.__getitem__(x, self.plain(key))
        if isinstance(x, Module):
            if type(key) is int and type(x) in (rl.nn.Sequential, rl.nn.ModuleList):
                return self.parts(x)[key]
            return self.of_class_method(x, "__getitem__", (key,))
        raise NotKnown(f"an element of a {type(x).__name__} is read")

    def index(self, key: Any) -> Any:
        """An index of a tensor: lists of numbers in it are tensors."""
        if type(key) is tuple:
            return tuple([self.index(k) for k in key])
        if type(key) is list and all(type(k) is int for k in key):
            return self.constant(rl.tensor, [key], {"dtype": dt.int64})
        if type(key) is list:
            raise NotKnown("a tensor is indexed by a list")
        return key

    def set_item(self, x: Any, key: Any, value: Any) -> None:
        """x[key] = value."""
        if type(x) in (Tensor, Parameter):
            x[self.index(key)] = value
        elif type(x) in (list, dict) and self.is_mine(x):
            x[self.plain(key)] = value
        else:
            raise NotKnown(f"an element of a {type(x).__name__} is written")

    def iterated(self, x: Any) -> Iterator[Any]:
        """What goes through a value."""
        if type(x) in (Tensor, Parameter):
            return iter(x.unbind(0))
        if isinstance(x, Module):
            if type(x) in (rl.nn.ParameterList, rl.nn.ModuleDict, rl.nn.ParameterDict):
                return self.iterated(self.of_class_method(x, "__iter__", ()))
            return iter(self.parts(x))
        if type(x) in (list, tuple, Size, range, str, dict):
            return iter(x)
        if self.is_mine(x) or (isinstance(x, tuple) and is_ours(type(x))):
            return iter(x)
        raise NotKnown(f"a {type(x).__name__} is gone through")


def _hashable(x: Any) -> bool:
    try:
        hash(x)
    except TypeError:
        return False
    return True
