"""The random numbers of a traced function: they are drawn at each call, in the function's order, and are operands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from rushlight.core.tensor import Tensor
from rushlight.program.sym import Int, Sym, SymEnv, var_atom

Place = tuple[int, int]  # an operand, and one of its dimensions


class Draw(NamedTuple):
    """One draw.

    make: makes the numbers, from their size. said: what distinguishes it from other draws. size: as the trace has it,
    in the symbols of the operands' sizes; places: where each of these symbols stands.
    """

    make: Callable[[tuple[int, ...]], Tensor]
    said: Any
    size: tuple[Int, ...]
    places: tuple[tuple[int, Place], ...]

    def drawn(self, operands: Sequence[Tensor]) -> Tensor:
        """The numbers of a call with these operands."""
        if not self.places:
            return self.make(tuple([int(n) for n in self.size]))
        sizes = SymEnv([0] * (max(index for index, _ in self.places) + 1))
        for index, (k, d) in self.places:
            sizes.hints[index] = operands[k].shape[d]
        return self.make(tuple([sizes.hint(n) for n in self.size]))

    @property
    def key(self) -> Any:
        """A key that is equal for draws that give the same numbers."""
        return self.said, tuple([n.key if isinstance(n, Sym) else n for n in self.size]), self.places


def places_of(size: Sequence[Int], operands: Sequence[Any]) -> tuple[tuple[int, Place], ...]:
    """The operands' sizes in which the symbols of a size stand."""
    wanted = {index for n in size for index in _symbols(n)}
    found: dict[int, Place] = {}
    for k, x in enumerate(operands if wanted else ()):
        for d, n in enumerate(x.shape):
            for index in wanted:
                if isinstance(n, Sym) and n.terms == {(var_atom(index),): 1}:
                    found.setdefault(index, (k, d))
    if len(found) < len(wanted):
        raise RuntimeError(
            "jit: the size of what a traced function draws must follow from sizes of its tensors; found "
            f"{[str(n) for n in size]}"
        )
    return tuple(found.items())


def _symbols(n: Int) -> Iterator[int]:
    """The symbols that a size is computed from."""
    for mono in n.terms if isinstance(n, Sym) else ():
        for atom in mono:
            if atom.op == "var":
                yield atom.args[0]
            else:
                for x in atom.args:
                    yield from _symbols(x)


def ones_in(operands: Sequence[Tensor]) -> tuple[tuple[bool, ...], ...]:
    """Which sizes are 1."""
    return tuple([tuple([n == 1 for n in x.shape]) for x in operands])


def alike(a: Sequence[Draw], b: Sequence[Draw]) -> bool:
    """Whether two functions draw the same."""
    return [d.key for d in a] == [d.key for d in b]
