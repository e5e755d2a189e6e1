"""Symbolic sizes, strides and offsets as the slots of a plan: straight-line integer code with shared subexpressions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rushlight.compiler.plan import Code
from rushlight.program.sym import Atom, Guard, Int, Sym

_GUARD_OP = {"==": "eq", "<": "lt", "<=": "le"}


class Slots:
    """Gives every expression a slot; one that needs an alloc's strides is computed in `post`.

    known: the slot of each symbol that is there from the start; late: the symbols (alloc strides) that come after
    `code`. Slot numbers of code, alloc strides and post results are settled by `finish`, so references are handed out,
    of which that makes numbers.
    """

    def __init__(self, known: dict[int, int], first: int) -> None:
        self.known, self.first = dict(known), first
        self.code: list[tuple[str, int, int]] = []  # operands are references (see `_ref`)
        self.post: list[tuple[str, int, int]] = []
        self.late: dict[int, int] = {}  # symbol -> number among the alloc strides
        self._seen: dict[object, int] = {}

    # A reference is a slot number (>= 0) for what is there from the start, else -(4 * k + section) - 1.
    CODE, LATE, POST = 0, 1, 2

    @staticmethod
    def _ref(section: int, k: int) -> int:
        return -(4 * k + section) - 1

    def reserve(self, symbols: Iterable[int]) -> list[int]:
        """References of new alloc strides, which the core writes."""
        out = []
        for s in symbols:
            self.late[s] = len(self.late)
            out.append(self._ref(self.LATE, self.late[s]))
        return out

    def _is_late(self, ref: int) -> bool:
        return ref < 0 and (-ref - 1) % 4 != self.CODE

    def emit(self, op: str, a: int, b: int = 0) -> int:
        key = (op, a, b)
        found = self._seen.get(key)
        if found is None:
            late = op != "const" and (self._is_late(a) or self._is_late(b))
            target, section = (self.post, self.POST) if late else (self.code, self.CODE)
            found = self._seen[key] = self._ref(section, len(target))
            target.append(key)
        return found

    def of(self, x: Int) -> int:
        """The reference of the value of `x`."""
        if not isinstance(x, Sym):
            return self.emit("const", int(x))
        found = self._seen.get(x.key)
        if found is not None:
            return found
        total: int | None = None
        constant = 0
        for mono, c in x.terms.items():
            if not mono:
                constant = c
                continue
            term: int | None = None
            for atom in mono:
                v = self.atom(atom)
                term = v if term is None else self.emit("mul", term, v)
            assert term is not None
            if c != 1:
                term = self.emit("mul", term, self.emit("const", c))
            total = term if total is None else self.emit("add", total, term)
        if total is None:
            total = self.emit("const", constant)
        elif constant:
            total = self.emit("add", total, self.emit("const", constant))
        self._seen[x.key] = total
        return total

    def atom(self, a: Atom) -> int:
        if a.op == "var":
            k = a.args[0]
            return self._ref(self.LATE, self.late[k]) if k in self.late else self.known[k]
        return self.emit(a.op, self.of(a.args[0]), self.of(a.args[1]))

    def guard(self, g: Guard) -> tuple[int, int]:
        return self.emit(_GUARD_OP[g.op], self.of(g.lhs), self.of(g.rhs)), int(g.expected)

    def finish(self) -> Numbers:
        """Settle the numbers."""
        late_base = self.first + len(self.code)
        post_base = late_base + len(self.late)
        return Numbers(self.first, late_base, post_base, post_base + len(self.post))


class Numbers(NamedTuple):
    """Slot numbers of references: where the results of `code`, the alloc strides and the results of `post` begin."""

    code_base: int
    late_base: int
    post_base: int
    n_slots: int

    def one(self, ref: int) -> int:
        if ref >= 0:
            return ref
        k, section = divmod(-ref - 1, 4)
        return self[section] + k

    def many(self, refs: Iterable[int]) -> tuple[int, ...]:
        return tuple([self.one(r) for r in refs])

    def instructions(self, section: list[tuple[str, int, int]]) -> tuple[Code, ...]:
        return tuple([(op, a, 0) if op == "const" else (op, self.one(a), self.one(b)) for op, a, b in section])
