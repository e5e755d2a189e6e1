"""The section of a package that programs in C read (core/runtime/read.c): a row of words of 64 bits, in which a
string is its length in bytes, then these, filled up with zeros.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any

from rushlight.compiler.products import kernels
from rushlight.compiler.routines.products import name_of
from rushlight.core import _native
from rushlight.packaging._file import Place, Writer
from rushlight.packaging._traces import Case, Program

__all__ = ["Words", "section"]

Value = tuple[str, int, int]  # a name, the code of a dtype, and how many dimensions


class Words:
    """A section that is made."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def add(self, *numbers: int) -> None:
        """Append numbers."""
        self.parts.append(struct.pack(f"<{len(numbers)}q", *numbers))

    def string(self, text: str) -> None:
        """Append a string."""
        data = text.encode()
        self.add(len(data))
        self.parts.append(data + b"\0" * (-len(data) % 8))

    def values(self, values: Sequence[Value]) -> None:
        """Append what arguments or results are."""
        self.add(len(values))
        for name, code, rank in values:
            self.string(name)
            self.add(code, rank)

    def whole(self) -> bytes:
        """All of it."""
        return b"".join(self.parts)


def section(
    writer: Writer,
    refused: str | None,
    weights: Sequence[Place],
    arguments: Sequence[Value],
    results: Sequence[Value],
    cases: Sequence[Case],
    processors: Sequence[dict[str, Any]],
) -> bytes:
    """The section; traces are put into the file.

    Args:
        writer: the file.
        refused: why a program in C cannot run the model, None where it can.
        weights: where they are in the file.
        arguments: what they are.
        results: likewise.
        cases: the traces.
        processors: the code for each, placed in the file (`_write._placed`).
    """
    words = Words()
    words.string(_native.conventions())
    words.string(refused or "")
    if refused is not None:
        return words.whole()
    words.add(len(weights), *(x for place in weights for x in place))
    words.values(arguments)
    words.values(results)
    words.add(sum(len(row) for row in processors[0]["variants"]))
    words.add(len(cases))
    known: dict[bytes, Place] = {}
    for case in cases:
        words.add(*(n for sizes in case.arguments for n in sizes), len(case.programs))
        for threads, program in case.programs:
            blob = _blob(program)
            if blob not in known:
                known[blob] = writer.add(blob)
            words.add(threads, *known[blob])
    words.add(len(processors))
    for p in processors:
        _add_processor(words, p)
    return words.whole()


def _blob(program: Program) -> bytes:
    words = Words()
    words.add(program.workspace, len(program.blocks), *(x for block in program.blocks for x in block))
    for r in program.results:
        words.add(r.block, r.offset, *r.sizes, *r.strides)
    words.parts.append(program.words)
    return words.whole()


def _add_processor(words: Words, p: dict[str, Any]) -> None:
    words.string(p["name"])
    words.string(" ".join(p["flags"]))
    words.string(p["code_path"])
    variants = [placed for row in p["variants"] for *_, placed, _ in row]
    number = {name: len(variants) + k for k, name in enumerate(p["functions"])}
    text = {name: len(variants) + len(number) + k for k, name in enumerate(p["texts"])}
    pieces = [*variants, *p["functions"].values(), *p["texts"].values()]
    words.add(len(pieces))
    for at, size, entry, calls in pieces:
        words.add(at, size, entry, len(calls), *(x for where, name in calls for x in (where, number[name])))
    words.add(*range(len(variants)))
    _add_rows(words, _products(text, p["code_path"]))
    of_pairs = [text.get(name, -1) for name in kernels.bf16_names(p["code_path"])]
    of_pairs = [] if -1 in of_pairs else of_pairs
    words.add(len(of_pairs), *of_pairs)
    _add_rows(words, _attention(text, p["code_path"]))


def _add_rows(words: Words, rows: Iterable[Sequence[int]]) -> None:
    found = list(rows)
    words.add(len(found), *(x for row in found for x in row))


def _dtypes() -> Iterable[tuple[int, str]]:
    return ((number, name_of(number)) for number in range(7) if name_of(number) in kernels.OURS)


def _products(text: dict[str, int], code_path: str) -> Iterable[Sequence[int]]:
    """The kernels of products in each dtype: its number, rows and columns of a tile, and the pieces."""
    for dtype, name in _dtypes():
        parts = kernels.parts_of(name, code_path)
        needed = [x for x in (parts.tile, parts.pack, parts.narrow) if x is not None]  # (dtypes share some)
        if all(x in text for x in needed):
            pieces = [text[x] for x in needed] + [-1] * (3 - len(needed))
            yield dtype, parts.rows, parts.columns, *pieces, text.get(parts.table, -1), text.get(parts.turned, -1)


def _attention(text: dict[str, int], code_path: str) -> Iterable[Sequence[int]]:
    """The kernels of attention: the dtype's number, whether they are the gradients', the mask, and the pieces."""
    for dtype, name in _dtypes():
        wide = "float64" if name == "float64" else "float32"
        for gradient in (False, True):
            for mask, of in enumerate((None, "bool", name, wide)):
                rows, *finish = kernels.attention_names(name, of, gradient, code_path)
                if rows in text:
                    yield dtype, int(gradient), mask, text[rows], text[finish[0]] if finish else -1
