"""Functions that are run by their syntax trees, as far as these show nothing but calls of operators and modules, pure
functions of Python's and reads of what a function refers to.

What is met runs as Python would run it, in the same order: only that whatever is read, be it a global, a variable of
a closure or an attribute, is noted (`Reads`), and that anything else ends it (`NotKnown`). So who has run a function
this way knows on what it depends. Nothing of what is run here has an effect: operators are left to the mode in force.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import operator
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rushlight._dynamo.source import Function, NotKnown, tree_of
from rushlight.core import dtypes as dt
from rushlight.core.base import OperatorBase
from rushlight.core.replay import ABSENT
from rushlight.core.tensor import Size, Tensor
from rushlight.nn import Module, Parameter, Sequential
from rushlight.nn.modules import _hooks
from rushlight.operators.table.define import METHODS

_SCALARS = frozenset((int, float, complex, bool, str, bytes, type(None), dt.dtype, type(...), slice, range))
# Pure functions of Python's: of whatever is in a container, and of plain values.
_OF_CONTAINERS = frozenset((zip, enumerate, tuple, list, reversed))
_OF_VALUES = frozenset((range, int, float, bool, str, abs, min, max, sum, round, divmod, sorted))
_OF_TENSORS = frozenset(
    "shape dtype device ndim layout T mT requires_grad itemsize nbytes is_cuda is_sparse is_quantized names".split()
)
_ASKED = frozenset("size dim numel nelement ndimension is_floating_point is_complex element_size stride".split())
_NEVER = frozenset("item tolist numpy backward data_ptr register_hook retain_grad requires_grad_ set_ resize_".split())
# Files of nn/modules whose modules' forward reads their own attributes and calls operators, and nothing else.
_PLAIN = frozenset(
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
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_MOST_TURNS = 10_000
_READ = vars(object)["__getattribute__"]


class Reads:
    """What was read, as `core.replay.Guard` compares it."""

    def __init__(self) -> None:
        self.stands: dict[tuple[int, Any], tuple[Any, Any, Any]] = {}
        self.types: dict[tuple[type, str], Any] = {}
        self.contents: dict[int, dict[Any, Any]] = {}
        self.items: dict[int, tuple[list[Any], tuple[Any, ...]]] = {}
        self.tensors: dict[int, Tensor] = {}  # that were found by what is read
        self.objects: dict[int, Any] = {}  # whose classes have a say
        self.empty: dict[int, dict[Any, Any]] = {}  # tables of hooks, where a program has had any
        self.functions: dict[int, types.FunctionType] = {}  # whose code and defaults may be replaced

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
        value = next((vars(c)[name] for c in cls.__mro__ if name in vars(c)), ABSENT)
        self.types[cls, name] = value
        return value

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

    def attributes(self) -> list[tuple[Any, str, Any]]:
        """What functions are made of."""
        parts = ("__code__", "__defaults__", "__kwdefaults__")
        return [(f, name, getattr(f, name)) for f in self.functions.values() for name in parts]

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

    def of_module(self, root: Module) -> None:
        """Note all of a module and its parts, which are of the library's own classes."""
        for m in root.modules():
            cls = type(m)
            if cls.__module__ not in _PLAIN or cls.__name__ == "MultiheadAttention" or "forward" in vars(m):
                raise NotKnown(f"{cls.__name__} is a module whose forward() is not known")
            self.objects[id(m)] = m
            self.no_hooks(m)
            self.all_of(vars(m))
            for table in (m._parameters, m._buffers, m._modules):
                self.all_of(table)
            self.names_of(self.of_class(cls, "forward"))
            self.of_class(cls, "__call__")

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


class _Closure:
    """A function that an interpreted one has made."""

    def __init__(self, node: Function, frame: _Frame, defaults: tuple[Any, ...], named: dict[str, Any]) -> None:
        self.node, self.frame, self.defaults, self.named = node, frame, defaults, named


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


class _Frame:
    """The variables of a call: its own, and where others are found."""

    def __init__(
        self, own: dict[str, Any], cells: dict[str, Any], names: dict[str, Any], outer: _Frame | None, all_own: set[str]
    ) -> None:
        self.own, self.cells, self.names, self.outer, self.all_own = own, cells, names, outer, all_own


class Interpreter:
    """Runs functions by their syntax trees; NotKnown where they do what it does not know.

    Args:
        reads: gets what is read.
    """

    def __init__(self, reads: Reads) -> None:
        self.reads = reads
        self.turns = 0
        self.frames: list[_Frame] = []

    def forget(self) -> None:
        """Let go of the variables of all calls."""
        for frame in self.frames:
            frame.own.clear()

    # ------------------------------------------------------------------------------------------------------- the calls
    def call(self, f: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """What a call of anything gives."""
        if isinstance(f, OperatorBase):
            if getattr(f, "name", "") in _NEVER:
                raise NotKnown(f"{f.name}() is called")  # type: ignore[attr-defined]
            return f(*args, **kwargs)  # type: ignore[operator]
        if isinstance(f, Module):
            return self.module(f, args, kwargs)
        if isinstance(f, _Closure):
            return self.closure(f, args, kwargs)
        if isinstance(f, types.MethodType):
            if isinstance(f.__self__, Module) and f.__func__ is Module.__call__:
                return self.module(f.__self__, args, kwargs)
            inner: Any = f.__func__
            return self.function(inner, (f.__self__, *args), kwargs)
        if isinstance(f, types.FunctionType):
            return self.function(f, args, kwargs)
        if isinstance(f, (type, types.BuiltinFunctionType)):
            if f is isinstance:
                return isinstance(*args)
            if f is len and len(args) == 1:
                x = args[0]
                return x.shape[0] if type(x) in (Tensor, Parameter) and x.ndim else len(self.elements(x))
            if f in _OF_CONTAINERS:
                return f(*[self.elements(x) for x in args], **kwargs)
            if f in _OF_VALUES or (getattr(f, "__module__", "") == "math" and getattr(math, f.__name__, None) is f):
                self.check_plain([*args, *kwargs.values()])
                pure: Any = f
                return pure(*args, **kwargs)
        raise NotKnown(f"{getattr(f, '__qualname__', type(f).__name__)}() is called")

    def check_plain(self, values: Iterable[Any]) -> None:
        """NotKnown where a value is no number, text, or a container of such."""
        for x in values:
            if type(x) in (list, tuple, Size):
                self.check_plain(x)
            elif type(x) not in _SCALARS:
                raise NotKnown(f"{type(x).__name__} where Python needs a plain value")

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
        if not _is_ours(forward):
            return self.function(forward, (m, *args), kwargs)
        self.reads.of_module(m)
        return m(*args, **kwargs)

    def parts(self, m: Module) -> list[Any]:
        """The modules of a container."""
        if type(m).__module__ not in _PLAIN:
            raise NotKnown(f"{type(m).__name__} is no container that is known")
        modules = self.reads.of(vars(m), "_modules")
        return list(self.reads.all_of(modules).values())

    def function(self, f: types.FunctionType, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A call of a function of the program's."""
        if _is_ours(f):
            raise NotKnown(f"{f.__qualname__}() is called")
        code = f.__code__
        kind = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
        if code.co_flags & kind or getattr(f, "__wrapped__", None) is not None or hasattr(f, "_context_"):
            raise NotKnown(f"{f.__qualname__}() is no plain function")
        self.reads.functions[id(f)] = f
        node = tree_of(code, f.__globals__)
        if isinstance(node, ast.FunctionDef) and code.co_flags & inspect.CO_NEWLOCALS == 0:
            raise NotKnown(f"{f.__qualname__}() is no plain function")
        own = self.bound(node.args, code.co_name, args, kwargs, f.__defaults__ or (), f.__kwdefaults__ or {})
        for x in (*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values()):
            self.reads.found(x)
        cells = dict(zip(code.co_freevars, f.__closure__ or (), strict=True))
        return self.body(node, _Frame(own, cells, f.__globals__, None, {*code.co_varnames, *code.co_cellvars}))

    def closure(self, f: _Closure, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A call of a function that an interpreted one has made."""
        own = self.bound(f.node.args, "<function>", args, kwargs, f.defaults, f.named)
        return self.body(f.node, _Frame(own, {}, f.frame.names, f.frame, {*own, *_assigned(f.node)}))

    def body(self, node: Function, frame: _Frame) -> Any:
        """What the body of a function gives."""
        self.frames.append(frame)
        if isinstance(node, ast.Lambda):
            return self.value(node.body, frame)
        try:
            for statement in node.body:
                self.statement(statement, frame)
        except _Return as found:
            return found.value
        return None

    def bound(
        self,
        given: ast.arguments,
        name: str,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        defaults: Sequence[Any],
        named: dict[str, Any],
    ) -> dict[str, Any]:
        """A function's arguments by their names."""
        positional = [a.arg for a in (*given.posonlyargs, *given.args)]
        own: dict[str, Any] = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=True))
        own.update(named)
        own.update(zip(positional, args, strict=False))
        rest = tuple(args[len(positional) :])
        if given.vararg is not None:
            own[given.vararg.arg] = rest
        elif rest:
            raise NotKnown(f"{name}() is called with too many arguments")
        by_name = {a.arg for a in (*given.args, *given.kwonlyargs)}
        others: dict[str, Any] = {}
        for key, x in kwargs.items():
            if key in positional[: len(args)]:
                raise NotKnown(f"{name}() gets an argument twice")
            (own if key in by_name else others)[key] = x
        if given.kwarg is not None:
            own[given.kwarg.arg] = others
        elif others:
            raise NotKnown(f"{name}() gets an argument that it does not know")
        if any(a not in own for a in (*positional, *(a.arg for a in given.kwonlyargs))):
            raise NotKnown(f"{name}() lacks an argument")
        return own

    # --------------------------------------------------------------------------------------------------- the statements
    def statement(self, s: ast.stmt, frame: _Frame) -> None:
        """Run a statement."""
        match s:
            case ast.Return():
                raise _Return(None if s.value is None else self.value(s.value, frame))
            case ast.Assign():
                x = self.value(s.value, frame)
                for target in s.targets:
                    self.assign(target, x, frame)
            case ast.AnnAssign():
                if s.value is not None:
                    self.assign(s.target, self.value(s.value, frame), frame)
            case ast.AugAssign(target=ast.Name(id=name)):
                before, x = self.value(ast.Name(name, ast.Load()), frame), self.value(s.value, frame)
                if type(before) not in _SCALARS and type(before) is not tuple:  # (of a tensor it would be written to)
                    raise NotKnown(f"{type(before).__name__} is changed in place")
                frame.own[name] = self.binary(s.op, before, x)
            case ast.Expr():
                self.value(s.value, frame)
            case ast.If():
                for inner in s.body if self.truth(self.value(s.test, frame)) else s.orelse:
                    self.statement(inner, frame)
            case ast.For():
                self.loop(s, self.elements(self.value(s.iter, frame)), frame)
            case ast.While():
                self.loop(s, None, frame)
            case ast.Pass():
                pass
            case ast.Break():
                raise _Break
            case ast.Continue():
                raise _Continue
            case ast.Assert():
                if not self.truth(self.value(s.test, frame)):
                    raise NotKnown("an assertion fails")
            case ast.FunctionDef(decorator_list=[]):
                frame.own[s.name] = self.made(s, frame)
            case _:
                raise NotKnown(f"line {s.lineno} is a statement ({type(s).__name__}) that is not known to be pure")

    def loop(self, s: ast.For | ast.While, elements: Sequence[Any] | None, frame: _Frame) -> None:
        """Run a loop."""
        left = None if elements is None else iter(elements)
        while True:
            self.turns += 1
            if self.turns > _MOST_TURNS:
                raise NotKnown("a loop has too many turns")
            if left is not None and isinstance(s, ast.For):
                x = next(left, ABSENT)
                if x is ABSENT:
                    break
                self.assign(s.target, x, frame)
            elif isinstance(s, ast.While) and not self.truth(self.value(s.test, frame)):
                break
            try:
                for inner in s.body:
                    self.statement(inner, frame)
            except _Break:
                return
            except _Continue:
                continue
        for inner in s.orelse:
            self.statement(inner, frame)

    def assign(self, target: ast.expr, x: Any, frame: _Frame) -> None:
        """Give a value to a variable, or its elements to several."""
        if isinstance(target, ast.Name):
            if target.id not in frame.all_own:
                raise NotKnown(f"{target.id} is no variable of the function's own")
            frame.own[target.id] = x
        elif isinstance(target, (ast.Tuple, ast.List)) and not any(isinstance(t, ast.Starred) for t in target.elts):
            elements = self.elements(x)
            if len(elements) != len(target.elts):
                raise NotKnown("a value has another number of elements than there are variables")
            for part, y in zip(target.elts, elements, strict=True):
                self.assign(part, y, frame)
        else:
            raise NotKnown(f"line {target.lineno} assigns to what is no variable")

    # -------------------------------------------------------------------------------------------------- the expressions
    def value(self, e: ast.expr, frame: _Frame) -> Any:
        """The value of an expression."""
        match e:
            case ast.Constant():
                return e.value
            case ast.Name():
                return self.name(e.id, frame)
            case ast.Attribute():
                return self.attribute(self.value(e.value, frame), e.attr)
            case ast.Call():
                return self.called(e, frame)
            case ast.BinOp():
                return self.binary(e.op, self.value(e.left, frame), self.value(e.right, frame))
            case ast.UnaryOp(op=ast.Not()):
                return not self.truth(self.value(e.operand, frame))
            case ast.UnaryOp():
                x = self.value(e.operand, frame)
                self.check_operand(x)
                return _UNARY[type(e.op)](x)
            case ast.BoolOp():
                x = None
                for part in e.values:
                    x = self.value(part, frame)
                    if self.truth(x) is isinstance(e.op, ast.Or):
                        return x
                return x
            case ast.Compare():
                return self.compared(e, frame)
            case ast.IfExp():
                return self.value(e.body if self.truth(self.value(e.test, frame)) else e.orelse, frame)
            case ast.Subscript():
                return self.item(self.value(e.value, frame), self.value(e.slice, frame))
            case ast.Slice():
                return slice(*[None if x is None else self.value(x, frame) for x in (e.lower, e.upper, e.step)])
            case ast.Tuple() | ast.List():
                made = self.spread(e.elts, frame)
                return made if isinstance(e, ast.List) else tuple(made)
            case ast.Dict() if None not in e.keys:
                return {
                    self.plain(self.value(k, frame)): self.value(v, frame)
                    for k, v in zip(e.keys, e.values, strict=True)
                    if k is not None
                }
            case ast.ListComp() | ast.GeneratorExp():
                found: list[Any] = []
                inner = _Frame({}, {}, frame.names, frame, _stored(e))
                self.frames.append(inner)
                self.comprehend(e.generators, lambda: found.append(self.value(e.elt, inner)), inner)
                return found
            case ast.Lambda():
                return self.made(e, frame)
        raise NotKnown(f"line {e.lineno} has an expression ({type(e).__name__}) that is not known to be pure")

    def plain(self, x: Any) -> Any:
        """A value that is a number or text; NotKnown for others."""
        self.check_plain([x])
        return x

    def made(self, node: Function, frame: _Frame) -> _Closure:
        """A function within a function."""
        defaults = tuple([self.value(x, frame) for x in node.args.defaults])
        pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        return _Closure(node, frame, defaults, {a.arg: self.value(x, frame) for a, x in pairs if x is not None})

    def spread(self, parts: Sequence[ast.expr], frame: _Frame) -> list[Any]:
        """The values of a list of expressions, `*x` among them."""
        found: list[Any] = []
        for x in parts:
            if isinstance(x, ast.Starred):
                found += self.elements(self.value(x.value, frame))
            else:
                found.append(self.value(x, frame))
        return found

    def comprehend(self, generators: Sequence[ast.comprehension], emit: Callable[[], None], frame: _Frame) -> None:
        """Run the loops of a comprehension."""
        if not generators:
            emit()
            return
        g = generators[0]
        if g.is_async:
            raise NotKnown("a comprehension is asynchronous")
        for x in self.elements(self.value(g.iter, frame)):
            self.turns += 1
            if self.turns > _MOST_TURNS:
                raise NotKnown("a loop has too many turns")
            self.assign(g.target, x, frame)
            if all(self.truth(self.value(test, frame)) for test in g.ifs):
                self.comprehend(generators[1:], emit, frame)

    def name(self, name: str, frame: _Frame) -> Any:
        """What a name stands for."""
        at: _Frame | None = frame
        while at is not None:
            if name in at.own:
                return at.own[name]
            if name in at.all_own:
                raise NotKnown(f"{name} has no value")
            if name in at.cells:
                found = self.reads.of(at.cells[name], None)
                if found is ABSENT:
                    raise NotKnown(f"{name} has no value")
                return found
            at = at.outer
        found = self.reads.of(frame.names, name)
        if found is ABSENT:
            found = self.reads.of(vars(builtins), name)
        if found is ABSENT:
            raise NotKnown(f"{name} has no value")
        return found

    def attribute(self, x: Any, name: str) -> Any:
        """An attribute of a value."""
        cls = type(x)
        if isinstance(x, types.ModuleType):
            self.reads.objects[id(x)] = x
            found = self.reads.of(vars(x), name)
            if found is ABSENT:
                raise NotKnown(f"{x.__name__} makes {name} when it is asked for")
            return found
        if cls in (Tensor, Parameter):
            if name in _OF_TENSORS:
                return getattr(x, name)
            raise NotKnown(f"Tensor.{name} is read")
        if isinstance(x, (type, dt.dtype)) or self.reads.of_class(cls, "__getattribute__") is not _READ:
            raise NotKnown(f"an attribute of {x!r:.40} is read")
        self.reads.objects[id(x)] = x
        in_class = self.reads.of_class(cls, name)
        if (
            in_class is not ABSENT
            and type(in_class) not in _SCALARS
            and not isinstance(in_class, (types.FunctionType, tuple, Module, Tensor))
        ):
            if isinstance(in_class, property) and isinstance(in_class.fget, types.FunctionType):
                return self.function(in_class.fget, (x,), {})
            raise NotKnown(f"{cls.__name__}.{name} is no plain attribute")
        own = getattr(x, "__dict__", None)
        if type(own) is not dict:
            raise NotKnown(f"{cls.__name__} has no plain attributes")
        found = self.reads.of(own, name)
        if found is not ABSENT:
            return found
        if isinstance(in_class, types.FunctionType):
            return types.MethodType(in_class, x)
        if in_class is not ABSENT:
            self.reads.found(in_class)
            return in_class
        if isinstance(x, Module) and self.reads.of_class(cls, "__getattr__") is vars(Module)["__getattr__"]:
            for table in ("_parameters", "_buffers", "_modules"):
                found = self.reads.of(self.reads.of(own, table), name)
                if found is not ABSENT:
                    return found
        raise NotKnown(f"{cls.__name__} has no {name}")

    def called(self, e: ast.Call, frame: _Frame) -> Any:
        """A call."""
        f: Any = None
        if isinstance(e.func, ast.Attribute):
            x = self.value(e.func.value, frame)
            if type(x) in (Tensor, Parameter):
                name = e.func.attr
                if name in _NEVER or (name not in METHODS and name not in _ASKED):
                    raise NotKnown(f"Tensor.{name}() is called")
                if name not in _ASKED and not isinstance(self.reads.of_class(type(x), name), OperatorBase):
                    raise NotKnown(f"Tensor.{name} was replaced")
                f = getattr(x, name)
                args, kwargs = self.arguments(e, frame)
                return f(*args, **kwargs)
            if type(x) in (str, Size, tuple, dict, list):
                return self.of_builtin(x, e, frame)
            f = self.attribute(x, e.func.attr)
        else:
            f = self.value(e.func, frame)
        args, kwargs = self.arguments(e, frame)
        return self.call(f, args, kwargs)

    def arguments(self, e: ast.Call, frame: _Frame) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of a call."""
        args = self.spread(e.args, frame)
        kwargs: dict[str, Any] = {}
        for k in e.keywords:
            if k.arg is None:
                kwargs.update(self.reads_of_dict(self.value(k.value, frame)))
            else:
                kwargs[k.arg] = self.value(k.value, frame)
        return args, kwargs

    def reads_of_dict(self, x: Any) -> dict[str, Any]:
        """A dict whose values are given by name."""
        if type(x) is not dict:
            raise NotKnown(f"{type(x).__name__} is given by name")
        return x

    def of_builtin(self, x: Any, e: ast.Call, frame: _Frame) -> Any:
        """A method of text or of a container."""
        assert isinstance(e.func, ast.Attribute)
        name = e.func.attr
        args, kwargs = self.arguments(e, frame)
        if isinstance(x, (str, Size, tuple)):
            self.check_plain([*args, *kwargs.values(), *(x if isinstance(x, tuple) else ())])
            return getattr(x, name)(*args, **kwargs)
        if isinstance(x, dict) and name in ("get", "items", "keys", "values"):
            self.check_plain(args[:1])
            return list(getattr(x, name)(*args)) if name != "get" else x.get(*args, **kwargs)
        if isinstance(x, list) and name in ("append", "extend", "insert") and id(x) not in self.reads.items:
            return getattr(x, name)(*[self.elements(a) if name == "extend" else a for a in args])
        raise NotKnown(f"{type(x).__name__}.{name}() is called")

    def binary(self, op: ast.operator, a: Any, b: Any) -> Any:
        """An operator of Python's."""
        self.check_operand(a)
        self.check_operand(b)
        return _BINARY[type(op)](a, b)

    def check_operand(self, x: Any) -> None:
        """NotKnown for what has operators of its own."""
        if type(x) not in (Tensor, Parameter, list, tuple, Size) and type(x) not in _SCALARS:
            raise NotKnown(f"{type(x).__name__} is an operand")

    def compared(self, e: ast.Compare, frame: _Frame) -> Any:
        """A comparison."""
        a = self.value(e.left, frame)
        found: Any = True
        for i, (op, right) in enumerate(zip(e.ops, e.comparators, strict=True)):
            b = self.value(right, frame)
            if isinstance(op, (ast.In, ast.NotIn)):
                self.check_plain([a, list(b) if isinstance(b, dict) else b])
            elif not isinstance(op, (ast.Is, ast.IsNot)):
                self.check_operand(a)
                self.check_operand(b)
            found = _COMPARED[type(op)](a, b)
            if i + 1 < len(e.ops) and not self.truth(found):
                return found
            a = b
        return found

    def truth(self, x: Any) -> bool:
        """Whether a value is true; NotKnown where that takes more than a look."""
        if type(x) in _SCALARS or type(x) in (list, tuple, dict, Size):
            return bool(x)
        raise NotKnown(f"whether a {type(x).__name__} is true is asked")

    def item(self, x: Any, key: Any) -> Any:
        """An element."""
        if type(x) in (Tensor, Parameter):
            return x[key]
        if type(x) in (list, tuple, Size, str, dict):
            return x[self.plain(key)]
        if isinstance(x, Module) and type(key) is int:
            return self.parts(x)[key]
        raise NotKnown(f"an element of a {type(x).__name__} is read")

    def elements(self, x: Any) -> list[Any]:
        """The elements of what is gone through."""
        if type(x) in (Tensor, Parameter):
            return list(x.unbind(0))
        if isinstance(x, Module):
            return self.parts(x)
        if type(x) in (list, tuple, Size, range, str, dict, zip, enumerate, reversed):
            return list(x)
        if isinstance(x, tuple):  # several results of an operator, by their names
            return list(x)
        raise NotKnown(f"a {type(x).__name__} is gone through")


def _is_ours(f: Any) -> bool:
    return (f.__module__ or "").partition(".")[0] == "rushlight"


def _stored(node: ast.AST) -> set[str]:
    """The names that are given a value."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _assigned(node: Function) -> set[str]:
    return (
        set()
        if isinstance(node, ast.Lambda)
        else _stored(node) | {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
    )
