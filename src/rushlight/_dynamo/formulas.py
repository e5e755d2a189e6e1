"""Functions of a program's that do nothing but compute a number: formulas of rates, such as `LambdaLR` is given."""

from __future__ import annotations

import ast
import builtins
import math
import types
from typing import Any

from rushlight._dynamo.reads import Reads
from rushlight._dynamo.source import NotKnown, tree_of
from rushlight.core.replay import ABSENT

_NUMBERS = (int, float, bool, str, type(None))
_FUNCTIONS = (min, max, abs, round, int, float, pow)  # that a formula may call, beside math's
_NODES = (
    *(ast.arguments, ast.arg, ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.keyword),
    *(ast.Return, ast.If, ast.Pass, ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare),
    *(ast.IfExp, ast.Call, ast.Attribute, ast.Assign, ast.AugAssign, ast.AnnAssign),
)


def check_formula(f: Any, reads: Reads) -> None:
    """NotKnown unless a function computes a number from numbers, and does nothing else, whatever it is given.

    Args:
        f: the function.
        reads: gets what it refers to.
    """
    if type(f) is not types.FunctionType or f.__code__.co_flags & _NO_PLAIN:
        raise NotKnown(f"a formula is a {type(f).__name__}")
    name = f.__qualname__
    node = tree_of(f.__code__, f.__globals__)
    own = {*f.__code__.co_varnames}
    cells = dict(zip(f.__code__.co_freevars, f.__closure__ or (), strict=True))
    if f.__code__.co_cellvars or any(type(x) not in _NUMBERS for x in (f.__defaults__ or ())):
        raise NotKnown(f"{name}() is no plain formula")
    reads.functions[id(f)] = f

    def value_of(x: str) -> Any:
        found = reads.of(cells[x], None) if x in cells else reads.of(f.__globals__, x)
        return reads.of(vars(builtins), x) if found is ABSENT and x not in cells else found

    def check(n: ast.AST) -> None:
        if not isinstance(n, _NODES):
            raise NotKnown(f"{name}() has more than a formula ({type(n).__name__})")
        if isinstance(n, ast.Call):
            called: Any = n.func
            of_math = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name)
            if of_math and called.value.id not in own and value_of(called.value.id) is math:
                known = isinstance(reads.of(vars(math), called.attr), types.BuiltinFunctionType)
            else:
                plain = isinstance(called, ast.Name) and called.id not in own
                known = plain and any(value_of(called.id) is x for x in _FUNCTIONS)
            if not known or any(isinstance(x, ast.Starred) for x in n.args):
                raise NotKnown(f"{name}() calls what is no function of numbers")
            for part in (*n.args, *n.keywords):
                check(part)
            return
        if isinstance(n, ast.Attribute):
            if not isinstance(n.value, ast.Name) or n.value.id in own or value_of(n.value.id) is not math:
                raise NotKnown(f"{name}() reads an attribute")
            reads.of(vars(math), n.attr)
            return
        if isinstance(n, ast.Name) and n.id not in own:
            if isinstance(n.ctx, ast.Store) or type(value_of(n.id)) not in _NUMBERS:
                raise NotKnown(f"{name}() reads {n.id}, which is no number")
        for part in ast.iter_child_nodes(n):
            check(part)

    for part in [node.body] if isinstance(node, ast.Lambda) else node.body:
        if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)):  # (what documents it)
            check(part)


_NO_PLAIN = 0x20 | 0x80 | 0x100 | 0x200  # generators and coroutines, of inspect's flags of code
