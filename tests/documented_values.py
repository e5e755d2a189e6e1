"""The lines of docs/differences.md that give a call whose value is right here and not in PyTorch, and where the right
one comes from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parent.parent / "docs" / "differences.md"


class _Names(dict[str, Any]):
    """The names of a library, Python's `complex`, and two numbers."""

    def __init__(self, library: Any) -> None:
        super().__init__(complex=complex, inf=float("inf"), nan=float("nan"))
        self.library = library

    def __missing__(self, name: str) -> Any:
        return getattr(self.library, name)


@dataclass
class Line:
    """Of a table row: the operators and dtypes that it is about, a call, and an expression of its value in mpmath or
    NumPy.
    """

    operators: tuple[str, ...]
    dtypes: tuple[str, ...]
    call: str
    value: str

    def covers(self, operator: str, dtype: str) -> bool:
        """Whether it is about a row of the operator database ("polygamma.polygamma_n_1", "int8")."""
        return dtype in self.dtypes and any(
            operator == name or operator.startswith(name + ".") for name in self.operators
        )

    def found(self, library: Any) -> Any:
        """What a library gives."""
        return eval(self.call, {}, _Names(library))

    def right(self) -> Any:
        """The value, as NumPy has it in double precision."""
        import mpmath
        import numpy

        def plain(x: Any) -> Any:
            return (
                [plain(v) for v in x]
                if isinstance(x, list)
                else complex(x)
                if isinstance(x, mpmath.mpc)
                else float(x)
                if isinstance(x, mpmath.mpf)
                else x
            )

        return numpy.asarray(plain(eval(self.value, {"mpmath": mpmath, "numpy": numpy})))


def lines() -> Iterator[Line]:
    """Those of the page, in order."""
    section = PAGE.read_text().partition("## PyTorch's own operator tests")[2].partition("\n## ")[0]
    for operators, dtypes, call, value in re.findall(
        r"^\| (`.*?`) \| ([a-z0-9 ]+) \| `(.*?)` \| .*? \| `(.*?)` \|$", section, re.MULTILINE
    ):
        yield Line(tuple(re.findall(r"`(.*?)`", operators)), tuple(dtypes.split()), call, value)
