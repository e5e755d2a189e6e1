"""Adds to the operators' pages what a site shows beside their text: formulas, plots, shapes, and differences.

    python tools/site_build/operators.py build/site-sources

The examples are run for it, and must print what the pages say.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import operator_pages as table
import rushlight
from rushlight.core.dispatch import Operator
from rushlight.core.tensor import Tensor
from site_build import differences, pictures
from site_build.formulas import formula

SHAPED = ("view", "join", "movement", "contraction", "reduction", "index", "scan", "sort")
CANNOT = (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError, AttributeError, AssertionError)


# --------------------------------------------------------------------------------------------------------------- curves
# Those whose first argument alone says little: what is drawn, and how it is called.
CALLS: dict[str, tuple[str, Callable[[Tensor], Tensor]]] = {
    "clamp": ("clamp(x, -1, 2)", lambda x: rushlight.clamp(x, -1, 2)),
    "lerp": ("lerp(x, 2, 0.5)", lambda x: rushlight.lerp(x, rushlight.full_like(x, 2.0), 0.5)),
    "polygamma": ("polygamma(1, x)", lambda x: rushlight.polygamma(1, x)),
    "where": ("where(x > 0, x, 0.1 * x)", lambda x: rushlight.where(x > 0, x, 0.1 * x)),
    "prelu": ("prelu(x, 0.25)", lambda x: rushlight.prelu(x, rushlight.tensor(0.25, dtype=x.dtype))),
    "masked_fill": ("masked_fill(x, x > 2, 0)", lambda x: x.masked_fill(x > 2, 0.0)),
    "frexp": ("frexp(x).mantissa", lambda x: rushlight.frexp(x)[0]),
    "complex": ("complex(x, 1).abs()", lambda x: rushlight.complex(x, rushlight.ones_like(x)).abs()),
    "polar": ("polar(2, x).real", lambda x: rushlight.polar(rushlight.full_like(x, 2.0), x).real),
    **{
        name: (f"x.{name}().real", lambda x, name=name: getattr(x, name)().real.double())
        for name in ("cdouble", "cfloat", "chalf")
    },
    "atleast_1d": ("atleast_1d(x)", lambda x: rushlight.atleast_1d(x)),
    "unravel_index": (
        "unravel_index(floor(x) + 4, (3, 3))[1]",
        lambda x: rushlight.unravel_index((x.floor() + 4).long(), (3, 3))[1],
    ),
    "type": ("x.type(torch.int64)", lambda x: x.type(rushlight.int64)),
    "copy_": ("zeros.copy_(x)", lambda x: rushlight.zeros_like(x).copy_(x)),
    "fake_quantize_per_channel_affine": (
        "fake_quantize_per_channel_affine(x, [0.5], [0], 0, -4, 7)",
        lambda x: rushlight.fake_quantize_per_channel_affine(
            x.view(1, -1).float(), rushlight.tensor([0.5]), rushlight.zeros(1, dtype=rushlight.int32), 0, -4, 7
        ).view(-1),
    ),
    "cuda": ("x.cuda()", lambda x: x.cpu()),  # (the values are the same on every device)
    "copysign": ("copysign(2, x)", lambda x: rushlight.copysign(rushlight.tensor(2.0), x)),
}


def plot(entry: table.Entry) -> str | None:
    """The plot of a pointwise operator as a function of its first argument; None where it is none of one number."""
    op = entry.op
    if (call := CALLS.get(op.name)) is not None:
        found = pictures.best_curve(call[1])
        return pictures.plot(found, call[0]) if found is not None else None
    required = [
        p
        for p in inspect.signature(op).parameters.values()
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    if not required or "Tensor" not in str(required[0].annotation):
        return None
    for value in (2.0, 2, 0.5):
        others = [rushlight.tensor(value) if "Tensor" in str(p.annotation) else value for p in required[1:]]
        function = lambda x, others=others: op(
            x * 1 if op.name.endswith("_") else x, *others
        )  # (no leaf is written to)
        label = f"{op.name}({', '.join(['x', *(f'{value:g}' for _ in others)])})"
        for whole in (False, True):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = pictures.curve(function, -8, 8, whole=True) if whole else pictures.best_curve(function)
            except CANNOT:
                continue  # it takes no such numbers: another of the ways to call it may be right
            if found is not None and pictures._finite(found.y) > 2:
                return pictures.plot(found, label)
    return None


# --------------------------------------------------------------------------------------------------------------- shapes
def drawn(code: str, name: str) -> str | None:
    """The example's operands and its result as grids; None where they are too large, or no numbers."""
    *before, last = ast.parse(code).body
    space: dict[str, Any] = {"torch": rushlight}
    if not isinstance(last, ast.Expr):
        return None
    call = _shaped(last.value)
    other = _LIKE.get(name.removeprefix("masked."))
    shown = None
    if other is not None and not other.isidentifier():
        shown, call = call, ast.parse(other, mode="eval").body
    elif other is not None and isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        call.func.attr = other
    if isinstance(call, ast.Call):
        before = [*before, *_named(call)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(ast.Module(before, []), name, "exec"), space)
        wanted = None if shown is None else eval(compile(ast.Expression(shown), name, "eval"), space).shape
        operands = {
            k: v for k, v in space.items() if isinstance(v, Tensor) and v.numel() <= pictures.LARGEST and v.numel()
        }
        if name in _OF_PLACES:
            return _moved(operands, space, ast.Expression(call), name)
        for key, value in operands.items():
            if value.is_complex():
                space[key] = operands[key] = value.detach().to(rushlight.complex128).requires_grad_() * 1.0
            elif (
                value.is_floating_point()
                or name in _OF_NUMBERS
                or not any(v.is_floating_point() or v.is_complex() for v in operands.values())
            ):
                # Not a leaf, so that it may be written to; and of distinct numbers, for extremes to be of one.
                leaf = value.detach().to(rushlight.float64)
                # (Nothing depends on what zeros are multiplied by.)
                leaf = (leaf if leaf.any() else leaf + 0.5).requires_grad_()
                space[key] = operands[key] = leaf * 1.0
        result = eval(compile(ast.Expression(call), name, "eval"), space)
        if wanted is not None and result.shape != wanted:
            raise ValueError(f"{name}: what is drawn in its place has another shape than its example")
    result = result[0] if isinstance(result, (tuple, list)) and result else result
    if not isinstance(result, Tensor) or not 0 < result.numel() <= pictures.LARGEST or result.ndim > 5:
        return None
    differentiable = {k: v for k, v in operands.items() if v.requires_grad and v.ndim <= 5}
    if not differentiable:
        return None
    at = _chosen(result)
    real = rushlight.view_as_real(result).sum(-1) if result.is_complex() else result
    grids = pictures.dependence(differentiable, real, at)
    if grids is None:
        return None
    return pictures.shapes(grids, pictures.Grid("result", tuple(result.shape), frozenset({at})), name)


def _chosen(result: Tensor) -> int:
    """Which of a result's elements is marked: one that is none of the ends."""
    return min(result.numel() - 1, result.numel() // 2 + (result.shape[-1] // 3 if result.ndim else 0))


def _shaped(value: ast.expr) -> ast.expr:
    """What an example's last line shows the shape of, or the shapes of its members; or the line."""
    if isinstance(value, ast.ListComp) and isinstance(value.elt, ast.Attribute) and value.elt.attr == "shape":
        return value.generators[0].iter
    return value.value if isinstance(value, ast.Attribute) and value.attr == "shape" else value


def _named(call: ast.Call) -> list[ast.stmt]:
    """Names for the tensors that are written within a call, as assignments to go before it."""
    made: list[ast.stmt] = []

    def named(x: ast.expr) -> ast.expr:
        if not (isinstance(x, ast.Call) and ast.unparse(x.func) in ("torch.tensor", "torch.ones", "torch.zeros")):
            return x
        key = f"operand_{len(made) + 1}" if made else "operand"
        made.extend(ast.parse(f"{key} = {ast.unparse(x)}").body)
        return ast.Name(key, ast.Load())

    if isinstance(call.func, ast.Attribute):
        call.func.value = named(call.func.value)
    call.args = [named(x) for x in call.args]
    ast.fix_missing_locations(call)
    return made


def _moved(operands: dict[str, Tensor], space: dict[str, Any], call: ast.Expression, name: str) -> str | None:
    """The same of a call that moves elements, and has no derivative: by the number that each element is."""
    first: dict[str, int] = {}
    for key, value in operands.items():
        first[key] = sum(operands[k].numel() for k in first)
        space[key] = rushlight.arange(first[key], first[key] + value.numel()).reshape(value.shape)
    result = eval(compile(call, name, "eval"), space)
    if not isinstance(result, Tensor) or not 0 < result.numel() <= pictures.LARGEST or result.ndim > 5:
        return None
    at = _chosen(result)
    found = int(result.reshape(-1)[at])
    grids = [
        pictures.Grid(key, tuple(value.shape), frozenset({found - first[key]} & set(range(value.numel()))))
        for key, value in operands.items()
    ]
    return pictures.shapes(grids, pictures.Grid("result", tuple(result.shape), frozenset({at})), name)


# What has no derivative, and is made of the elements that another operator with these arguments is made of; or that an
# expression of the example's operands is.
_LIKE = {
    **dict.fromkeys(("all", "any", "argmax", "argmin", "count_nonzero", "hash_tensor"), "sum"),
    "argsort": "sort",
    "isin": "mul",  # (of one number to look for)
    "bucketize": "input + boundaries.sum()",
    "searchsorted": "input + sorted_sequence.sum(-1, keepdim=True)",
    "histc": "input.sum().expand(4)",
    "detach_": "y * 1",
}
_OF_PLACES = ("resize", "resize_", "resize_as", "resize_as_", "set_", "detach")
_OF_NUMBERS = ("transpose", "movedim", "swapaxes")


def code_of(page: str) -> str | None:
    """The code of a page's example."""
    found = re.search(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    if found is None:
        return None
    return "".join(line[4:] + "\n" for line in found[1].splitlines() if line.startswith((">>> ", "... ")))


# ---------------------------------------------------------------------------------------------------------------- pages
def page(entry: table.Entry, text: str) -> tuple[str, bool]:
    """The page of an operator as the site has it, and whether there is a picture on it."""
    op: Operator = entry.op
    added = ""
    if (said := formula(entry.name, op)) is not None:
        added += f"```{{math}}\n{said}\n```\n\n"
    code, picture = code_of(text), None
    if op.shape_class == "pointwise":
        picture = plot(entry)
    # Those of one number's place, not of its value (meshgrid, tril), are drawn as views are.
    if picture is None and op.shape_class in (*SHAPED, "pointwise") and code is not None:
        try:
            picture = drawn(code, op.name)
        except CANNOT:
            picture = None  # the example takes numbers that have no gradient
    if picture is not None:
        added += f'<div class="picture">{picture}</div>\n\n'
    if different := differences.about(*entry.functions, *(f"Tensor.{m}" for m in entry.methods)):
        added += different + "\n\n"
    # The signature as Sphinx shows it, so that the search and links know the name.
    head, _, rest = text.partition("\n```\n")
    signature, _, rest = rest.partition("\n```\n")
    space = entry.name.rpartition(".")[0].removesuffix("Tensor")
    called = " ".join(signature.split()).removeprefix(f"{space}." if space else "")
    known = (
        f"```{{py:currentmodule}} {f'torch.{space}'.rstrip('.')}\n```\n\n"
        f"```{{py:function}} {called}\n:no-contents-entry:\n```\n"
    )
    where = rest.index("\nShape class: ")
    return f"{head}\n{known}{rest[:where]}\n{added}{rest[where + 1 :]}", picture is not None


def main() -> None:
    folder = Path(sys.argv[1]) / "operators"
    entries = table.entries()
    classes: dict[str, list[bool]] = {}
    for entry in entries:
        file = folder / entry.page
        text = file.read_text()
        code = code_of(text)
        if code is None:
            raise SystemExit(f"{entry.name}: its page has no example")
        example = re.search(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        if example is None or table.transcript(code) != example[1]:
            raise SystemExit(
                f"{entry.name}: its example does not print what the page says; run tools/operator_pages.py"
            )
        text, pictured = page(entry, text)
        if entry.op.shape_class in (*SHAPED, "pointwise") and not pictured:
            raise SystemExit(
                f"{entry.name}: it has no picture; say in CALLS or _LIKE how it is drawn, or give an example"
            )
        classes.setdefault(entry.op.shape_class, []).append(pictured)
        file.write_text(text)
    said = ", ".join(f"{k} {sum(v)} of {len(v)}" for k, v in sorted(classes.items()) if any(v))
    print(f"site: pictures of operators: {said}")


if __name__ == "__main__":
    main()
