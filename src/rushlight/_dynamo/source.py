"""The syntax tree of a function, from the file that its code was compiled from."""

from __future__ import annotations

import ast
import linecache
import types
from collections.abc import Iterator

__all__ = ["NotKnown", "tree_of"]

Function = ast.FunctionDef | ast.Lambda


class NotKnown(BaseException):
    """Raised with the reason where a function may do more than call operators. It is not an Exception, so that no code
    in between takes it for an error of its own.
    """


_files: dict[str, tuple[list[str], list[types.CodeType], list[Function]]] = {}  # the last: by file, with its lines


def tree_of(code: types.CodeType, names: dict[str, object]) -> Function:
    """The syntax tree of a function's code. NotKnown where the file has another function there, or none.

    Args:
        code: the function's.
        names: its globals.
    """
    lines = linecache.getlines(code.co_filename, names)
    found = _files.get(code.co_filename)
    if found is None or found[0] != lines:
        try:
            tree = ast.parse("".join(lines))
            compiled = compile(tree, code.co_filename, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            raise NotKnown(f"{code.co_filename} has no source of Python") from None
        functions = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
        found = _files[code.co_filename] = lines, list(_codes(compiled)), functions
    if code not in found[1]:
        raise NotKnown(f"the source of {code.co_name}() is not to be had, or is another one")
    trees = [node for node in found[2] if _is_of(node, code)]
    if len(trees) != 1:
        raise NotKnown(f"the source of {code.co_name}() is not to be told from others")
    return trees[0]


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for x in code.co_consts:
        if isinstance(x, types.CodeType):
            yield x
            yield from _codes(x)


def _is_of(node: Function, code: types.CodeType) -> bool:
    """Whether a function of the file stands where this code does."""
    if isinstance(node, ast.FunctionDef):
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        return node.name == code.co_name and first == code.co_firstlineno
    if code.co_name != "<lambda>":
        return False
    spans = [(line, column) for line, _, column, _ in code.co_positions() if line is not None and column is not None]
    body = node.body
    inside = [at for at in spans if at >= (node.lineno, node.col_offset)]
    end = (body.end_lineno or 0, body.end_col_offset or 0)
    return bool(inside) and all(at < end for at in spans[1:]) and (body.lineno, body.col_offset) in spans
