"""Functions that are run by their syntax trees, as far as these show nothing but calls of operators and modules, pure
functions of Python's and reads of what a function refers to.

Statements run as Python would run them, in the same order; but each read of a global, a variable of a closure or an
attribute is noted (`Reads`), and anything that is not known ends the inspection (`NotKnown`). So after a function has
run this way, it is known what it depends on. The interpreter has no effect but on memory and gradients: operators are
left to the mode in force, and `Effects` notes the other effects.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import inspect
import operator
import sys
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import rushlight as rl
from rushlight._dynamo.effects import Effects, Later
from rushlight._dynamo.patterns import Patterns, names_of
from rushlight._dynamo.reads import Reads, is_ours
from rushlight._dynamo.source import Function, NotKnown, tree_of
from rushlight._dynamo.values import Values
from rushlight.amp.autocast_mode import autocast
from rushlight.core.replay import ABSENT
from rushlight.core.tensor import Size, Tensor
from rushlight.nn import Parameter

BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
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
_IN_PLACE: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.iadd,
    ast.Sub: operator.isub,
    ast.Mult: operator.imul,
    ast.Div: operator.itruediv,
    ast.FloorDiv: operator.ifloordiv,
    ast.Mod: operator.imod,
    ast.Pow: operator.ipow,
    ast.BitAnd: operator.iand,
    ast.BitOr: operator.ior,
    ast.BitXor: operator.ixor,
    ast.LShift: operator.ilshift,
    ast.RShift: operator.irshift,
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
}
_MOST_TURNS = 10_000
# Classes whose objects, made and used in a `with`, change the grad mode in the block, or nothing.
_BLOCKS = (rl.no_grad, rl.enable_grad, rl.set_grad_enabled, contextlib.nullcontext)
_ERRORS = (KeyError, IndexError, RuntimeError, ValueError, TypeError, ZeroDivisionError)


class _Closure:
    """A function that an interpreted one has made."""

    def __init__(self, node: Function, frame: _Frame, defaults: tuple[Any, ...], named: dict[str, Any]) -> None:
        self.node, self.frame, self.defaults, self.named = node, frame, defaults, named


class _Return(BaseException):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Break(BaseException):
    pass


class _Continue(BaseException):
    pass


class _Frame:
    """The variables of a call, or of a comprehension: its own, and where others are found.

    Args:
        own: the variables that have a value.
        cells: those of a closure.
        names: the globals.
        outer: the frame in which it was made.
        all_own: the names of all of its own.
        first: the name of the first argument of a function of Python's.
        loops: whether it is a comprehension's.
    """

    def __init__(
        self,
        own: dict[str, Any],
        cells: dict[str, Any],
        names: dict[str, Any],
        outer: _Frame | None,
        all_own: set[str],
        first: str = "",
        loops: bool = False,
    ) -> None:
        self.own, self.cells, self.names, self.outer, self.all_own = own, cells, names, outer, all_own
        self.first, self.loops = first, loops


class Interpreter(Values):
    """Runs functions by their syntax trees; NotKnown where a function does something that it does not know.

    Args:
        reads: gets what is read.
        effects: gets what is changed.
    """

    def __init__(self, reads: Reads, effects: Effects) -> None:
        super().__init__(reads, effects)
        self.turns = 0
        self.frames: weakref.WeakSet[_Frame] = weakref.WeakSet()  # their variables die with them, as Python's do

    def forget(self) -> None:
        """Let go of the variables of all calls."""
        for frame in list(self.frames):
            frame.own.clear()
        self.mine.clear()

    # ------------------------------------------------------------------------------------------------------- the calls
    def call(self, f: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """What a call of anything gives."""
        if isinstance(f, _Closure):
            return self.closure(f, args, kwargs)
        if f is super:
            raise NotKnown("super() is called in a way that is not known")
        return super().call(f, args, kwargs)

    def function(self, f: types.FunctionType, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A call of a function of the program's."""
        code = f.__code__
        if code is _DECORATED:
            return self.decorated(f, args, kwargs)
        if is_ours(f) and not f.__module__.startswith("rushlight.nn.modules."):
            raise NotKnown(f"{f.__qualname__}() is called")
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
        first = code.co_varnames[0] if code.co_argcount else ""
        return self.body(node, _Frame(own, cells, f.__globals__, None, {*code.co_varnames, *code.co_cellvars}, first))

    def decorated(self, f: types.FunctionType, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A call of a function that runs in a block, such as `@no_grad()` makes."""
        cells = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))
        with self.opened(self.reads.of(cells["self"], None).clone()):
            return self.call(self.reads.of(cells["func"], None), args, kwargs)

    @staticmethod
    def opened(block: Any) -> Any:
        """A block that changes nothing but the grad mode."""
        if type(block) not in _BLOCKS:
            raise NotKnown(f"a block of {type(block).__name__}")
        return block

    def closure(self, f: _Closure, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A call of a function that an interpreted one has made."""
        own = self.bound(f.node.args, "<function>", args, kwargs, f.defaults, f.named)
        return self.body(f.node, _Frame(own, {}, f.frame.names, f.frame, {*own, *_assigned(f.node)}))

    def body(self, node: Function, frame: _Frame) -> Any:
        """What the body of a function gives."""
        self.frames.add(frame)
        try:
            if isinstance(node, ast.Lambda):
                return self.value(node.body, frame)
            for statement in node.body:
                self.statement(statement, frame)
        except _Return as found:
            return found.value
        finally:
            # What a graph keeps, and what a program gives, depends on who holds a value: so nobody does for longer.
            inner = _inner_names(node)
            for name in [name for name in frame.own if name not in inner]:
                del frame.own[name]
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
            own[given.kwarg.arg] = self.keep(others)
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
            case ast.AugAssign():
                self.changed(s, frame)
            case ast.Expr():
                self.value(s.value, frame)
            case ast.If():
                for inner in s.body if self.truth(self.value(s.test, frame)) else s.orelse:
                    self.statement(inner, frame)
            case ast.For():
                self.loop(s, self.iterated(self.value(s.iter, frame)), frame)
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
            case ast.With():
                self.block(s.items, s.body, frame)
            case ast.Try():
                self.tried(s, frame)
            case ast.Match():
                self.matched(s, frame)
            case ast.Delete():
                for target in s.targets:
                    self.deleted(target, frame)
            case ast.Import() | ast.ImportFrom():
                self.imported(s, frame)
            case ast.FunctionDef(decorator_list=[]):
                frame.own[s.name] = self.made(s, frame)
            case _:
                raise NotKnown(f"line {s.lineno} is a statement ({type(s).__name__}) that is not known to be pure")

    def loop(self, s: ast.For | ast.While, left: Iterator[Any] | None, frame: _Frame) -> None:
        """Run a loop."""
        while True:
            self.turn()
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

    def matched(self, s: ast.Match, frame: _Frame) -> None:
        """Run a `match`."""
        x = self.value(s.subject, frame)
        patterns = Patterns(self, functools.partial(self.value, frame=frame))
        for case in s.cases:
            found = patterns.found(case.pattern, x)
            if found is None:
                continue
            for name in list(found):
                self.assign(ast.Name(name, ast.Store(), lineno=s.lineno), found.pop(name), frame)
            if case.guard is None or self.truth(self.value(case.guard, frame)):
                del x  # (nobody has what was looked at any more)
                for inner in case.body:
                    self.statement(inner, frame)
                return

    def turn(self) -> None:
        """One more turn of a loop."""
        self.turns += 1
        if self.turns > _MOST_TURNS:
            raise NotKnown("a loop has too many turns")

    def block(self, items: Sequence[ast.withitem], body: Sequence[ast.stmt], frame: _Frame) -> None:
        """Run a `with`."""
        if not items:
            for inner in body:
                self.statement(inner, frame)
            return
        e, target = items[0].context_expr, items[0].optional_vars
        made: Any = None
        if isinstance(e, ast.Call):
            made = self.value(e.func, frame)
            if not isinstance(made, type) or (made not in _BLOCKS and made is not autocast):
                raise NotKnown(f"line {e.lineno}: a block of {getattr(made, '__qualname__', type(made).__name__)}")
            args, kwargs = self.arguments(e, frame)
            if made is not contextlib.nullcontext:
                self.check_plain([*args, *kwargs.values()])
            if made is autocast:
                self.reads.casting(*args, **kwargs)
            found = made(*args, **kwargs)
        else:
            found = self.opened(self.value(e, frame))
            self.reads.objects[id(found)] = found
            self.reads.all_of(vars(found))
        with found as entered:
            if target is not None:
                self.assign(target, entered, frame)
            self.block(items[1:], body, frame)

    def tried(self, s: ast.Try, frame: _Frame) -> None:
        """Run a `try`. What is caught is what Python, or an operator, raises for what it is given."""
        try:
            try:
                for inner in s.body:
                    self.statement(inner, frame)
            except _ERRORS as error:
                self.caught(s, error, frame)
            else:
                for inner in s.orelse:
                    self.statement(inner, frame)
        except NotKnown:
            raise
        except BaseException:
            self.finished(s, frame)
            raise
        self.finished(s, frame)

    def caught(self, s: ast.Try, error: Exception, frame: _Frame) -> None:
        """Run the handler of an error; raise it again where there is none."""
        for handler in s.handlers:
            kinds = Exception if handler.type is None else self.value(handler.type, frame)
            for kind in kinds if type(kinds) is tuple else (kinds,):
                if not isinstance(kind, type) or kind.__module__ != "builtins":
                    raise NotKnown(f"line {handler.lineno} catches what is no error of Python's")
            if isinstance(error, kinds):
                if handler.name is not None:
                    raise NotKnown(f"line {handler.lineno} keeps the error that it catches")
                for inner in handler.body:
                    self.statement(inner, frame)
                return
        raise error

    def finished(self, s: ast.Try, frame: _Frame) -> None:
        """Run what a `try` ends with."""
        for inner in s.finalbody:
            self.statement(inner, frame)

    def imported(self, s: ast.Import | ast.ImportFrom, frame: _Frame) -> None:
        """Run an `import` of what has been imported before."""
        self.reads.of(vars(builtins), "__import__")
        for alias in s.names:
            name = alias.name if isinstance(s, ast.Import) else s.module or ""
            whole = self.reads.of(sys.modules, name)
            if (
                whole is ABSENT
                or not isinstance(whole, types.ModuleType)
                or (isinstance(s, ast.ImportFrom) and s.level)
            ):
                raise NotKnown(f"line {s.lineno} imports {name}")
            if isinstance(s, ast.ImportFrom):
                found = self.attribute(whole, alias.name)
            elif alias.asname is None and "." in name:
                found = self.reads.of(sys.modules, name.partition(".")[0])
            else:
                found = whole
            self.assign(ast.Name(alias.asname or alias.name.partition(".")[0], ast.Store()), found, frame)

    def changed(self, s: ast.AugAssign, frame: _Frame) -> None:
        """Run `x += y`."""
        target = s.target
        base: Any = None
        key: Any = None
        if isinstance(target, ast.Name):
            before = self.value(ast.Name(target.id, ast.Load()), frame)
        elif isinstance(target, ast.Subscript):
            base, key = self.value(target.value, frame), self.value(target.slice, frame)
            before = self.item(base, key)
        else:
            raise NotKnown(f"line {s.lineno} changes an attribute")
        x = self.value(s.value, frame)
        after = before
        if type(before) is list:
            if not self.is_mine(before) or not isinstance(s.op, ast.Add):
                raise NotKnown("a list is changed in place")
            before += list(self.iterated(x))
        elif type(before) is dict and type(x) is dict and self.is_mine(before) and isinstance(s.op, ast.BitOr):
            before |= x
        else:
            self.check_operand(before)
            self.check_operand(x)
            if type(s.op) not in _IN_PLACE:
                raise NotKnown(f"line {s.lineno} has an operator that is not known")
            after = _IN_PLACE[type(s.op)](before, x)
        if isinstance(target, ast.Name):
            self.assign(target, after, frame)
        else:
            self.set_item(base, key, after)

    def deleted(self, target: ast.expr, frame: _Frame) -> None:
        """Run `del x`."""
        if isinstance(target, ast.Name) and target.id in frame.own:
            del frame.own[target.id]
            return
        if isinstance(target, ast.Subscript):
            x, key = self.value(target.value, frame), self.value(target.slice, frame)
            if type(x) in (list, dict) and self.is_mine(x):
                del x[self.plain(key)]
                return
        raise NotKnown(f"line {target.lineno} deletes what is no variable")

    def assign(self, target: ast.expr, x: Any, frame: _Frame) -> None:
        """Give a value to a variable or an element, or its elements to several."""
        if isinstance(target, ast.Name):
            if target.id not in frame.all_own:
                raise NotKnown(f"{target.id} is no variable of the function's own")
            frame.own[target.id] = x
        elif isinstance(target, ast.Subscript):
            self.set_item(self.value(target.value, frame), self.value(target.slice, frame), x)
        elif isinstance(target, (ast.Tuple, ast.List)):
            elements = list(self.iterated(x))
            parts: list[Any] = target.elts
            at = next((i for i, part in enumerate(parts) if isinstance(part, ast.Starred)), -1)
            if at >= 0 and len(elements) >= len(parts) - 1:
                end = len(elements) - (len(parts) - 1 - at)
                elements[at:end] = [self.keep(elements[at:end])]
                parts = [*parts[:at], parts[at].value, *parts[at + 1 :]]
            if len(elements) != len(parts):
                raise NotKnown("a value has another number of elements than there are variables")
            for part, y in zip(parts, elements, strict=True):
                self.assign(part, y, frame)
        elif isinstance(target, ast.Attribute) and target.attr == "grad":
            leaf = self.value(target.value, frame)
            if type(leaf) not in (Tensor, Parameter):
                raise NotKnown(f"line {target.lineno} assigns to what is no variable")
            self.effects.set_grad(leaf, x)
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
                return self.attribute(self.value(e.value, frame), self.public(e.attr))
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
                return self.keep(made) if isinstance(e, ast.List) else tuple(made)
            case ast.Set():
                return self.keep({self.plain(x) for x in self.spread(e.elts, frame)})
            case ast.Dict():
                return self.keep(self.dictionary(e, frame))
            case ast.ListComp():
                return self.keep(list(self.comprehension(e, frame)))
            case ast.SetComp():
                return self.keep({self.plain(x) for x in self.comprehension(e, frame)})
            case ast.DictComp():
                return self.keep({self.plain(k): v for k, v in self.comprehension(e, frame)})
            case ast.GeneratorExp():
                return self.keep(self.comprehension(e, frame))
            case ast.Lambda():
                return self.made(e, frame)
            case ast.JoinedStr():
                return "".join([self.formatted(x, frame) for x in e.values])
            case ast.NamedExpr() if not frame.loops:
                x = self.value(e.value, frame)
                self.assign(e.target, x, frame)
                return x
        raise NotKnown(f"line {e.lineno} has an expression ({type(e).__name__}) that is not known to be pure")

    def dictionary(self, e: ast.Dict, frame: _Frame) -> dict[Any, Any]:
        """A dict that is written out."""
        found: dict[Any, Any] = {}
        for k, v in zip(e.keys, e.values, strict=True):
            if k is None:
                found.update(self.reads_of_dict(self.value(v, frame)))
            else:
                key = self.plain(self.value(k, frame))
                found[key] = self.value(v, frame)
        return found

    def formatted(self, x: ast.expr, frame: _Frame) -> str:
        """A part of an f-string."""
        if isinstance(x, ast.Constant):
            return str(x.value)
        if not isinstance(x, ast.FormattedValue):
            raise NotKnown(f"line {x.lineno} has text that is not known")
        value = self.plain(self.value(x.value, frame))
        conversions: dict[int, Callable[[Any], str]] = {114: repr, 115: str, 97: ascii}
        given = conversions.get(x.conversion)
        spec = "" if x.format_spec is None else self.value(x.format_spec, frame)
        return format(value if given is None else given(value), spec)

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
                found += list(self.iterated(self.value(x.value, frame)))
            else:
                found.append(self.value(x, frame))
        return found

    def comprehension(
        self, e: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, frame: _Frame
    ) -> Iterator[Any]:
        """What a comprehension gives, one after the other; of a dict pairs."""
        inner = _Frame({}, {}, frame.names, frame, _stored(e), loops=True)
        self.frames.add(inner)
        first = self.iterated(self.value(e.generators[0].iter, frame))
        return self.comprehended(e, 0, first, inner)

    def comprehended(self, e: Any, at: int, elements: Iterator[Any], frame: _Frame) -> Iterator[Any]:
        """What the loops of a comprehension from number `at` on give."""
        g: ast.comprehension = e.generators[at]
        if g.is_async:
            raise NotKnown("a comprehension is asynchronous")
        for x in elements:
            self.turn()
            self.assign(g.target, x, frame)
            if not all(self.truth(self.value(test, frame)) for test in g.ifs):
                continue
            if at + 1 < len(e.generators):
                yield from self.comprehended(
                    e, at + 1, self.iterated(self.value(e.generators[at + 1].iter, frame)), frame
                )
            elif isinstance(e, ast.DictComp):
                yield self.value(e.key, frame), self.value(e.value, frame)
            else:
                yield self.value(e.elt, frame)

    def name(self, name: str, frame: _Frame) -> Any:
        """What a name stands for."""
        if name.startswith("__") and not name.endswith("__"):
            raise NotKnown(f"{name} has another name in a class")
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

    def public(self, name: str) -> str:
        """A name that is the same in a class."""
        if name.startswith("__") and not name.endswith("__"):
            raise NotKnown(f"{name} has another name in a class")
        return name

    def called(self, e: ast.Call, frame: _Frame) -> Any:
        """A call."""
        if isinstance(e.func, ast.Attribute):
            x, name = self.value(e.func.value, frame), self.public(e.func.attr)
            if type(x) in (Tensor, Parameter):
                f = self.method_of(x, name)
                args, kwargs = self.arguments(e, frame)
                if any(type(y) is Later for y in (*args, *kwargs.values())):
                    raise NotKnown(f"Tensor.{name}() takes a number of a tensor")
                return f(*args, **kwargs)
            if type(x) in (str, Size, tuple, dict, list, set):
                args, kwargs = self.arguments(e, frame)
                return self.of_builtin(x, name, args, kwargs)
            f = self.attribute(x, name)
        else:
            f = self.value(e.func, frame)
        args, kwargs = self.arguments(e, frame)
        return self.super_of(frame, args) if f is super else self.call(f, args, kwargs)

    def super_of(self, frame: _Frame, args: list[Any]) -> Any:
        """super()."""
        if not args and frame.first and "__class__" in frame.cells:
            args = [self.reads.of(frame.cells["__class__"], None), frame.own.get(frame.first)]
        if len(args) != 2 or not isinstance(args[0], type) or not isinstance(args[1], args[0]):
            raise NotKnown("super() is called in a way that is not known")
        self.counts(args[1])
        return super(*args)

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

    def binary(self, op: ast.operator, a: Any, b: Any) -> Any:
        """An operator of Python's."""
        if type(a) is dict and type(b) is dict and isinstance(op, ast.BitOr):
            return self.keep(a | b)
        self.check_operand(a)
        self.check_operand(b)
        found = BINARY[type(op)](a, b)
        return self.keep(found) if type(found) is list else found

    def compared(self, e: ast.Compare, frame: _Frame) -> Any:
        """A comparison."""
        a = self.value(e.left, frame)
        found = True
        for i, (op, right) in enumerate(zip(e.ops, e.comparators, strict=True)):
            b = self.value(right, frame)
            if isinstance(op, (ast.In, ast.NotIn)):
                found = self.contains(a, b) is isinstance(op, ast.In)
            else:
                if not isinstance(op, (ast.Is, ast.IsNot)):
                    self.check_operand(a)
                    self.check_operand(b)
                found = _COMPARED[type(op)](a, b)
            if i + 1 < len(e.ops) and not self.truth(found):
                return found
            a = b
        return found


def _stored(node: ast.AST) -> set[str]:
    """The names that are given a value."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} | names_of(node)


def _assigned(node: Function) -> set[str]:
    return (
        set()
        if isinstance(node, ast.Lambda)
        else _stored(node) | {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
    )


@functools.lru_cache(4096)
def _inner_names(node: Function) -> frozenset[str]:
    """The names in the functions and generators within a function, which may outlive its call."""
    inner = (ast.FunctionDef, ast.Lambda, ast.GeneratorExp)
    found = [n for n in ast.walk(node) if n is not node and isinstance(n, inner)]
    return frozenset([n.id for f in found for n in ast.walk(f) if isinstance(n, ast.Name)])


def _plain_function() -> None:
    """Decorated once, for the code of the function that decorating makes."""


_DECORATED: types.CodeType = rl.no_grad()(_plain_function).__code__
