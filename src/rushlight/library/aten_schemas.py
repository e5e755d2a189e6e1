"""The arguments of PyTorch's inner operators, `torch.ops.aten`: their order, names, types and defaults.

They are read from `aten_schemas.txt`, which `tools/aten_schemas.py` writes.
"""

from __future__ import annotations

import functools
from ast import literal_eval
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["AtenArgument", "AtenSchema", "schema_of", "schemas_of"]


class AtenArgument(NamedTuple):
    """One argument.

    kind: "T" (a tensor), "int", "number", "int[2]", "T?[]", ...
    written: the operator writes to it.
    """

    name: str
    kind: str
    default: Any
    has_default: bool
    by_name: bool
    written: bool


class AtenSchema(NamedTuple):
    """One overload; returns: the kinds of what it returns."""

    name: str
    overload: str
    arguments: tuple[AtenArgument, ...]
    returns: tuple[str, ...]


def schemas_of(name: str) -> tuple[AtenSchema, ...]:
    """All overloads of an operator, none for an unknown one."""
    return tuple(_parsed(line) for line in _lines().get(name, ()))


def schema_of(name: str, overload: str) -> AtenSchema | None:
    """One overload of an operator: ("add", "Tensor")."""
    return next((s for s in schemas_of(name) if s.overload == overload), None)


@functools.cache
def _lines() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in Path(__file__).with_name("aten_schemas.txt").read_text().splitlines():
        found.setdefault(line.partition(" ")[0].partition(".")[0], []).append(line)
    return found


@functools.cache
def _parsed(line: str) -> AtenSchema:
    head, _, results = line.partition(" -> ")
    full, *words = head.split(" ")
    name, _, overload = full.partition(".")
    arguments: list[AtenArgument] = []
    by_name = False
    for word in words:
        if word == "*":
            by_name = True
            continue
        declared, has_default, default = word.partition("=")
        argument, _, kind = declared.partition(":")
        plain = kind.replace("!", "")
        value = _value(default) if has_default else None
        arguments.append(AtenArgument(argument, plain, value, bool(has_default), by_name, "!" in kind))
    returns = () if results == "nothing" else tuple(results.replace("!", "").split(",")) if results else ("T",)
    return AtenSchema(name, overload or "default", tuple(arguments), returns)


def _value(text: str) -> Any:
    try:
        return literal_eval(text)
    except ValueError:
        return text  # the name of a dtype or a memory format
