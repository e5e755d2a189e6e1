"""The patterns of a `match` statement, as an inspection (`interpreter.py`) compares values with them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from rushlight._dynamo.source import NotKnown
from rushlight._dynamo.values import SCALARS, Values
from rushlight.core.replay import ABSENT
from rushlight.core.tensor import Size, Tensor
from rushlight.nn import Module, Parameter

# Classes for which a pattern of one part, without a name, is about the value itself.
_SELVES = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
_SEQUENCES = (list, tuple, Size)


class Patterns:
    """Compares values with patterns; NotKnown where that takes more than looks that are known.

    Args:
        values: has the operations on values.
        value: of an expression in a pattern.
    """

    def __init__(self, values: Values, value: Callable[[ast.expr], Any]) -> None:
        self.values, self.value = values, value

    def found(self, p: ast.pattern, x: Any) -> dict[str, Any] | None:
        """The variables to which a pattern gives values, None where a value does not fit it."""
        own: dict[str, Any] = {}
        return own if self.fits(p, x, own) else None

    def fits(self, p: ast.pattern | None, x: Any, own: dict[str, Any]) -> bool:
        """Whether a value fits; own: gets the variables."""
        match p:
            case None:
                return True
            case ast.MatchValue():
                y = self.value(p.value)
                if type(x) in (dict, set) and type(y) in SCALARS:
                    return False
                self.values.check_operand(x)
                self.values.check_operand(y)
                return self.values.truth(x == y)
            case ast.MatchSingleton():
                return x is p.value
            case ast.MatchAs():
                if not self.fits(p.pattern, x, own):
                    return False
                if p.name is not None:
                    own[p.name] = x
                return True
            case ast.MatchOr():
                return any(self.fits(part, x, own) for part in p.patterns)
            case ast.MatchSequence():
                return self.is_one_of(x, _SEQUENCES, (dict,)) and self.sequence(p, x, own)
            case ast.MatchMapping():
                return self.is_one_of(x, (dict,), _SEQUENCES) and self.mapping(p, x, own)
            case ast.MatchClass():
                return self.of_class(p, x, own)
        raise NotKnown(f"a pattern ({type(p).__name__}) is not known")

    @staticmethod
    def is_one_of(x: Any, kinds: tuple[type, ...], others: tuple[type, ...]) -> bool:
        """Whether a value is of one of these classes; NotKnown where another class may say that it is."""
        if type(x) in kinds:
            return True
        if type(x) in SCALARS and type(x) is not range:
            return False
        if type(x) in (Tensor, Parameter, *others) or isinstance(x, Module):
            return False
        raise NotKnown(f"a {type(x).__name__} is compared with a pattern")

    def sequence(self, p: ast.MatchSequence, x: Any, own: dict[str, Any]) -> bool:
        """Whether the elements of a list or tuple fit."""
        elements, parts = list(self.values.iterated(x)), p.patterns
        at = next((i for i, part in enumerate(parts) if isinstance(part, ast.MatchStar)), -1)
        if at < 0:
            return len(elements) == len(parts) and all(map(self.fits, parts, elements, [own] * len(parts)))
        end = len(elements) - (len(parts) - 1 - at)
        if end < at:
            return False
        pairs = [*zip(parts[:at], elements[:at], strict=True), *zip(parts[at + 1 :], elements[end:], strict=True)]
        if not all(self.fits(part, y, own) for part, y in pairs):
            return False
        star = parts[at]
        if isinstance(star, ast.MatchStar) and star.name is not None:
            own[star.name] = self.values.keep(elements[at:end])
        return True

    def mapping(self, p: ast.MatchMapping, x: dict[Any, Any], own: dict[str, Any]) -> bool:
        """Whether the values of a dict fit."""
        keys = [self.values.plain(self.value(key)) for key in p.keys]
        for key, part in zip(keys, p.patterns, strict=True):
            if not self.values.contains(key, x) or not self.fits(part, self.values.item(x, key), own):
                return False
        if p.rest is not None:
            own[p.rest] = self.values.keep({k: v for k, v in x.items() if k not in keys})
        return True

    def of_class(self, p: ast.MatchClass, x: Any, own: dict[str, Any]) -> bool:
        """Whether a value is of a class, and its attributes fit."""
        cls = self.value(p.cls)
        if not isinstance(cls, type):
            raise NotKnown("a pattern has a class that is none")
        if not self.values.call(isinstance, (x, cls), {}):
            return False
        names: list[str] = []
        if p.patterns and cls in _SELVES:
            if len(p.patterns) > 1 or not self.fits(p.patterns[0], x, own):
                return False
        elif p.patterns:
            found = self.values.attribute(cls, "__match_args__", True)
            if type(found) is not tuple or len(found) < len(p.patterns):
                raise NotKnown(f"a pattern has more parts than {cls.__name__} names")
            names = list(found[: len(p.patterns)])
        pairs = [*zip(names, p.patterns, strict=False), *zip(p.kwd_attrs, p.kwd_patterns, strict=True)]
        for name, part in pairs:
            y = self.values.attribute(x, name, True)
            if y is ABSENT or not self.fits(part, y, own):
                return False
        return True


def names_of(node: ast.AST) -> set[str]:
    """The variables to which the patterns within a node give values."""
    found: set[str] = set()
    for n in ast.walk(node):
        if isinstance(n, (ast.MatchAs, ast.MatchStar)) and n.name is not None:
            found.add(n.name)
        elif isinstance(n, ast.MatchMapping) and n.rest is not None:
            found.add(n.rest)
    return found
