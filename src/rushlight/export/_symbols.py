"""Sizes as nodes of an exported graph, and as the texts that a saved one has."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import rushlight
from rushlight.fx.graph import Graph
from rushlight.fx.node import Node
from rushlight.program.sym import Int, Sym, sym_max, sym_min

__all__ = ["SizeNodes", "symbol_names", "text_of_size"]


class SizeNodes:
    """Writes sizes into a graph: those of inputs as `sym_size`, others as Python's arithmetic on them.

    Args:
        graph: where the nodes go.
        sources: for each symbol an input and the dimension that has this size.
        before: the node before which the sizes of inputs are asked for; None: where the first use is.
    """

    def __init__(self, graph: Graph, sources: dict[int, tuple[Node, int]]) -> None:
        self.graph, self.sources = graph, sources
        self.known: dict[Any, Node] = {}
        self.last: Node | None = None  # of the nodes of symbols, which stand behind the inputs

    def node(self, x: Int) -> Node | int:
        """The node of a size; an int as it is."""
        if isinstance(x, Sym):
            x = x.env.simplify(x)
        if not isinstance(x, Sym):
            return int(x)
        found = self.known.get(x.key)
        if found is None:
            found = self.known[x.key] = self._written(x)
        return found

    def _written(self, x: Sym) -> Node:
        if len(x.terms) == 1:
            ((mono, c),) = x.terms.items()
            if c == 1 and len(mono) == 1:
                return self._atom(x, mono[0])
        total: Any = None
        for mono, c in sorted(x.terms.items(), key=lambda term: len(term[0]) == 0):
            term: Any = None
            for atom in mono:
                part = self.node(Sym(x.env, {(atom,): 1}))
                term = part if term is None else self._call(operator.mul, (term, part), None)
            if term is None:
                term = c
            elif c != 1:
                term = self._call(operator.mul, (term, c), Sym(x.env, {mono: c}))
            total = term if total is None else self._call(operator.add, (total, term), None)
        total.meta["val"] = x
        return total

    def _atom(self, x: Sym, atom: Any) -> Node:
        if atom.op == "var":
            placeholder, d = self.sources[atom.args[0]]
            behind = self.last
            if behind is None:
                behind = [n for n in self.graph.nodes if n.op == "placeholder"][-1]
            aten = rushlight.ops.aten
            with self.graph.inserting_after(behind):
                made = self.graph.create_node(
                    "call_function", aten.sym_size.int, (placeholder, d), {}, name=f"sym_size_int_{len(self.known) + 1}"
                )
            made.meta["val"] = x
            self.last = made
            return made
        functions: dict[str, Callable[..., Any]] = {"floordiv": operator.floordiv, "mod": operator.mod}
        functions |= {"min": rushlight.sym_min, "max": rushlight.sym_max}
        a, b = (self.node(x.env.adopt(v)) for v in atom.args)
        return self._call(functions[atom.op], (a, b), x)

    def _call(self, function: Callable[..., Any], args: tuple[Any, ...], value: Any) -> Node:
        made = self.graph.create_node("call_function", function, args, {}, name=function.__name__)
        if value is None:
            value = function(*(a.meta["val"] if isinstance(a, Node) else a for a in args))
        made.meta["val"] = value
        return made


def symbol_names(x: Any) -> set[str]:
    """The names of the symbols in a size."""
    found: set[str] = set()
    if isinstance(x, Sym):
        for mono in x.terms:
            for atom in mono:
                if atom.op == "var":
                    found.add(repr(Sym(x.env, {(atom,): 1})))
                else:
                    found |= {n for part in atom.args for n in symbol_names(x.env.adopt(part))}
    return found


# ------------------------------------------------------------------------------------------------------ in saved files
_TEXTS = {"floordiv": "FloorDiv", "mod": "Mod", "min": "Min", "max": "Max"}


def text_of_size(x: Int) -> str:
    """A size as SymPy would write the calls that make it."""
    if not isinstance(x, Sym):
        return f"Integer({int(x)})"
    terms = []
    for mono, c in x.terms.items():
        factors = [] if c == 1 and mono else [f"Integer({c})"]
        for atom in mono:
            if atom.op == "var":
                name = repr(Sym(x.env, {(atom,): 1}))
                factors.append(f"Symbol('{name}', positive=True, integer=True)")
            else:
                parts = (text_of_size(x.env.adopt(part)) for part in atom.args)
                factors.append(f"{_TEXTS[atom.op]}({', '.join(parts)})")
        terms.append(factors[0] if len(factors) == 1 else f"Mul({', '.join(factors)})")
    return terms[0] if len(terms) == 1 else f"Add({', '.join(terms)})"


def size_of_text(text: str, symbols: Callable[[str], Sym]) -> Int:
    """The size that `text_of_size` or SymPy wrote; `symbols` gives that of a name.

    Raises:
        ValueError: it is computed in a way that is not known here.
    """

    def read(node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, str)):
            return node.value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            if name == "Symbol":
                return symbols(str(read(node.args[0])))
            args = [read(a) for a in node.args]
            combine = _READ.get(name)
            if combine is not None:
                found = args[0]
                for a in args[1:]:
                    found = combine(found, a)
                return found
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -read(node.operand)
        raise ValueError(f"a size of the saved graph is computed in a way that is not known here: {text}")

    result: Int = read(ast.parse(text, mode="eval").body)
    return result


_READ: dict[str, Callable[[Any, Any], Any]] = {
    "Integer": lambda a, b: a,
    "Add": operator.add,
    "Mul": operator.mul,
    "Pow": operator.pow,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "PythonMod": operator.mod,
    "Min": sym_min,
    "Max": sym_max,
}
