"""The formula of an operator as LaTeX: of a pointwise one read from its program, of others written here."""

from __future__ import annotations

import inspect
from typing import Any

import rushlight
from rushlight.core.dispatch import Operator
from rushlight.inspection.explaining import bind, compiled
from rushlight.program.ir import Program, Var
from rushlight.transforms import inline_calls
from site_build.written_formulas import FORMULAS

LONGEST = 170  # characters of LaTeX; more says less than the docstring

_FUNCTIONS = {
    "sin": r"\sin",
    "cos": r"\cos",
    "tan": r"\tan",
    "sinh": r"\sinh",
    "cosh": r"\cosh",
    "tanh": r"\tanh",
    "log": r"\log",
    "log2": r"\log_2",
    "log10": r"\log_{10}",
    "asin": r"\arcsin",
    "acos": r"\arccos",
    "atan": r"\arctan",
    "erf": r"\mathrm{erf}",
    "erfc": r"\mathrm{erfc}",
    "max": r"\max",
    "min": r"\min",
    "lgamma": r"\log\Gamma",
    "asinh": r"\mathrm{arsinh}",
    "acosh": r"\mathrm{arcosh}",
    "atanh": r"\mathrm{artanh}",
    "sign": r"\mathrm{sign}",
    "atan2": r"\mathrm{atan2}",
    "sigmoid": r"\sigma",
    "digamma": r"\psi",
    "round": r"\mathrm{round}",
    "trunc": r"\mathrm{trunc}",
    "erfinv": r"\mathrm{erf}^{-1}",
}
_RELATIONS = {
    "lt": "<",
    "le": r"\le",
    "gt": ">",
    "ge": r"\ge",
    "eq": "=",
    "ne": r"\ne",
    "and_": r"\land",
    "or_": r"\lor",
}
_LOOSE, _SUM, _PRODUCT, _TIGHT = range(4)  # how firmly a formula holds together


class Unwritable(Exception):
    """A program has a primitive that a formula has no sign for."""


def _arguments(op: Operator) -> tuple[list[Any], list[str]]:
    """Arguments to trace an operator with: tensors for those that must be given; and their names."""
    args: list[Any] = []
    names: list[str] = []
    for p in inspect.signature(op).parameters.values():
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD:
            args.append(rushlight.tensor([0.3, 0.5]) if "Tensor" in str(p.annotation) else 2.0)
            names.append(p.name)
    return args, names


def derived(op: Operator) -> str | None:
    """The formula that a pointwise operator's program says; None where it has none that is short."""
    args, names = _arguments(op)
    try:
        values = bind(op, tuple(args), {})
        program = inline_calls(compiled(op, values, False)[0])
        text = "y = " + written(program, "xzwuvt" if len(names) > 1 else "x")
    except (Unwritable, RuntimeError, TypeError, NotImplementedError, AttributeError, AssertionError, ValueError):
        return None  # it takes no floats, or is not traced like this
    if text == "y = x" or text.count("cases") > 2 or len(text) > LONGEST:
        return None  # a copy or a conversion; cases within cases are for the compiler
    return text


def written(program: Program, letters: str) -> str:
    """A program of one result as an expression of its inputs."""
    known: dict[int, tuple[str, int]] = {}
    for var, letter in zip(program.inputs, [*letters, *"abcdefg"], strict=False):
        known[id(var)] = letter, _TIGHT
    for eqn in program.eqns:
        said = _written(eqn.prim.name, [known[id(v)] for v in eqn.inputs], eqn.params)
        if len(said[0]) > 3 * LONGEST:
            raise Unwritable("long")
        known[id(eqn.outputs[0])] = said
    (out,) = program.outputs
    if not isinstance(out, Var):
        raise Unwritable("no value")
    text, firm = known[id(out)]
    return rf"\left[{text}\right]" if firm == _LOOSE and "cases" not in text else text


# A primitive's notation in braces of str.format, how firm each part must be to go without brackets, and how firm it is.
_NOTATIONS: dict[str, tuple[str, tuple[int, ...], int]] = {
    "add": ("{} + {}", (_LOOSE, _SUM), _SUM),
    "sub": ("{} - {}", (_LOOSE, _PRODUCT), _SUM),
    "mul": (r"{} \, {}", (_PRODUCT, _PRODUCT), _PRODUCT),
    "div": (r"\frac{{{}}}{{{}}}", (_LOOSE, _LOOSE), _TIGHT),
    "reciprocal": (r"\frac{{1}}{{{}}}", (_LOOSE,), _TIGHT),
    "neg": ("-{}", (_PRODUCT,), _SUM),
    "exp": ("e^{{{}}}", (_LOOSE,), _PRODUCT),
    "exp2": ("2^{{{}}}", (_LOOSE,), _PRODUCT),
    "expm1": ("e^{{{}}} - 1", (_LOOSE,), _SUM),
    "log1p": (r"\log\left(1 + {}\right)", (_SUM,), _PRODUCT),
    "pow": ("{}^{{{}}}", (_TIGHT, _LOOSE), _PRODUCT),
    "sqrt": (r"\sqrt{{{}}}", (_LOOSE,), _TIGHT),
    "rsqrt": (r"\frac{{1}}{{\sqrt{{{}}}}}", (_LOOSE,), _TIGHT),
    "abs": (r"\left|{}\right|", (_LOOSE,), _TIGHT),
    "floor": (r"\left\lfloor {} \right\rfloor", (_LOOSE,), _TIGHT),
    "ceil": (r"\left\lceil {} \right\rceil", (_LOOSE,), _TIGHT),
    "select": (r"\begin{{cases}} {1} & {0} \\ {2} & \text{{else}} \end{{cases}}", (_LOOSE, _LOOSE, _LOOSE), _LOOSE),
}


def _held(part: tuple[str, int], least: int) -> str:
    return part[0] if part[1] >= least else rf"\left({part[0]}\right)"


def _number(value: Any) -> str:
    known = {
        0.7071067811865476: r"\frac{1}{\sqrt{2}}",
        0.7978845608028654: r"\sqrt{2/\pi}",
        0.6931471805599453: r"\ln 2",
    }
    if value in known:
        return known[value]
    return f"{value:.6g}" if isinstance(value, float) else str(int(value))


def _written(name: str, parts: list[tuple[str, int]], params: dict[str, Any]) -> tuple[str, int]:
    """One primitive."""
    if name in ("broadcast_in_dim", "convert", "reshape", "alias"):
        return parts[0]
    if name == "constant":
        if isinstance(params["value"], complex) or params["value"] != params["value"] or abs(params["value"]) > 1e9:
            raise Unwritable("a number")
        return _number(params["value"]), _TIGHT if params["value"] >= 0 else _SUM
    if name in _NOTATIONS:
        text, least, firm = _NOTATIONS[name]
        return text.format(*map(_held, parts, least)), firm
    if name in _RELATIONS:
        return rf"{_held(parts[0], _SUM)} {_RELATIONS[name]} {_held(parts[1], _SUM)}", _LOOSE
    if name in _FUNCTIONS:
        inside = ", ".join(p[0] for p in parts)
        return rf"{_FUNCTIONS[name]}\left({inside}\right)", _PRODUCT
    raise Unwritable(name)


def formula(name: str, op: Operator) -> str | None:
    """The formula of an operator by its name; None where there is none that is short."""
    return FORMULAS.get(name) or (derived(op) if op.shape_class == "pointwise" else None)
