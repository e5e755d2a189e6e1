"""Every condition that an operator's body sets on a number has a sample that fails it."""

from __future__ import annotations

import ast
import inspect
import textwrap

import pytest
from support import find

from rushlight.core.dispatch import Operator
from rushlight.core.named import Named
from rushlight.testing.samples import REGISTRY, load

load()
NUMBERS = {"float", "Number", "Real", "Int", "Ints", "Sizes", "int"}
ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.NotIn)


def names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def conditions(source: str) -> set[str]:
    """The parameters of a function that are numbers, are compared with numbers alone, and are refused by name."""
    function = ast.parse(textwrap.dedent(source)).body[0]
    assert isinstance(function, ast.FunctionDef)
    parameters = function.args.args + function.args.kwonlyargs
    numbers = {p.arg for p in parameters if p.annotation is not None and names(p.annotation) & NUMBERS}
    found = set()
    for node in ast.walk(function):
        match node:  # check_least("f", "p", p, 0)
            case ast.Call(func=ast.Name(id), args=[_, ast.Constant(argument), ast.Name(value), *_]):
                if id.startswith("check_") and argument == value and value in numbers:
                    found.add(value)
        for test, said in refusals(node):
            compared = any(isinstance(c, ast.Compare) and isinstance(c.ops[0], ORDER) for c in ast.walk(test))
            if compared and names(test) <= numbers | {"math", "inf", "training"}:
                found |= {n for n in names(test) & numbers if f"'{n}'" in said}
    return found


def refusals(node: ast.AST) -> list[tuple[ast.expr, str]]:
    """What a statement or a call refuses by a message of its own: what it asks, and what it says."""
    match node:
        case ast.If():
            return [(node.test, words(b)) for b in node.body if isinstance(b, ast.Raise)]
        case ast.Call(func=ast.Name("check_argument"), args=[test, _, ast.Constant(argument), *_]):
            return [(test, f"'{argument}'")]
        case ast.Call(func=ast.Name("check_that"), args=[test, _, subject, *_]):
            return [(test, words(subject))]
    return []


def words(node: ast.AST) -> str:
    return "".join(c.value for c in ast.walk(node) if isinstance(c, ast.Constant) and isinstance(c.value, str))


def body_of(name: str) -> str | None:
    """The source of an operator's body; None for what is no operator."""
    op = find(name)
    op = op.op if isinstance(op, Named) else op
    if not isinstance(op, Operator):
        return None
    body = op.definition.body
    return inspect.getsource(getattr(body, "__wrapped__", body))


CONDITIONS = {n: found for n in sorted(REGISTRY) if (source := body_of(n)) and (found := conditions(source))}


def test_conditions_are_found() -> None:
    source = """
    def f(input: Tensor, p: float = 2.0, q: Number = 1, r: int = 2, s: int = 3, t: int = 4, u: int = 5) -> Tensor:
        if not p > 0 or p == math.inf:
            raise ValueError(f"f(): 'p' must be greater than 0; found {p}")
        if input.ndim < q:
            raise ValueError("f(): 'q' is no condition on the number alone")
        check_least("f", "r", r, 0)
        check_argument(s >= 0, "f()", "s", "be at least 0", s)
        check_that(input.ndim < t, "f()", "'t'", "be less than the dimensions of 'input'", t)
        check_that(u < 2, "f()", "'u' and the like", "be less than 2", u)
    """
    assert conditions(source) == {"p", "r", "s", "u"}
    assert len(CONDITIONS) > 30


@pytest.mark.parametrize("name", sorted(CONDITIONS))
def test_every_condition_on_a_number_has_an_error_sample(name: str) -> None:
    spec = REGISTRY[name]
    messages = [e.match for e in spec.errors(spec.dtypes[0])]
    missing = [n for n in sorted(CONDITIONS[name]) if not any(n in m for m in messages)]
    assert not missing, f"{name}: no ErrorSample whose message names {', '.join(missing)}"
