"""Affine indices: where an element of a value lies, as a function of the indices of a kernel's dims (its atoms)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from rushlight.program.sym import Int, Sym, prod, same

Atom = Hashable


# A dim of the iteration space that must be split into these sizes for an index to be affine.
# (An assignment, since a class compiles annotations that are text, which costs more than the rest of it.)
Split = NamedTuple("Split", [("atom", Atom), ("sizes", tuple[Int, ...])])  # noqa: UP014


class Lin:
    """offset + the sum of coefficient * atom."""

    __slots__ = ("_key", "offset", "terms")

    def __init__(self, terms: dict[Atom, Int] | None = None, offset: Int = 0) -> None:
        self.terms = {a: c for a, c in terms.items() if isinstance(c, Sym) or c != 0} if terms else {}
        self.offset = offset
        self._key: tuple[object, ...] | None = None

    @staticmethod
    def at(offset: Int, index: Sequence[Lin], strides: Sequence[Int]) -> Lin:
        """Where in a buffer the element at an index lies: offset + the sum of index * stride."""
        terms: dict[Atom, Int] = {}
        for i, s in zip(index, strides, strict=True):
            if not is_zero(i.offset):
                offset = offset + i.offset * s
            for a, c in i.terms.items():
                terms[a] = terms[a] + c * s if a in terms else c * s
        return Lin(terms, offset)

    def __add__(self, other: Lin) -> Lin:
        if not other.terms and is_zero(other.offset):
            return self
        terms = dict(self.terms)
        for a, c in other.terms.items():
            terms[a] = terms[a] + c if a in terms else c
        return Lin(terms, self.offset + other.offset)

    def times(self, k: Int) -> Lin:
        if not isinstance(k, Sym) and k == 1:
            return self
        return Lin({a: c * k for a, c in self.terms.items()}, self.offset * k)

    def plus(self, k: Int) -> Lin:
        return self if is_zero(k) else Lin(self.terms, self.offset + k)

    @property
    def key(self) -> tuple[object, ...]:
        """A key by which two of them compare; it is kept, since a kernel compares each of its operands with all
        others."""

        def k(x: Int) -> object:
            return x.key if isinstance(x, Sym) else x

        if self._key is None:
            self._key = (k(self.offset), frozenset([(a, k(c)) for a, c in self.terms.items()]))
        return self._key


Index = tuple[Lin, ...]
Behind = Index | Split | None  # an index; None where there is no affine one; or what would make it affine
ZERO = Lin()


def is_zero(x: Int) -> bool:
    return not isinstance(x, Sym) and x == 0


def strides_of(sizes: Sequence[Int]) -> tuple[Int, ...]:
    """Contiguous strides in elements."""
    out: list[Int] = []
    step: Int = 1
    for n in reversed(sizes):
        out.append(step)
        step = step * n
    return tuple(reversed(out))


def flatten(index: Sequence[Lin], sizes: Sequence[Int]) -> Lin:
    """The row-major number of an element."""
    return Lin.at(0, index, strides_of(sizes))


def unflatten(number: Lin, sizes: Sequence[Int], size_of: Mapping[Atom, Int]) -> Behind:
    """Indices of an element of a value of these sizes from its row-major number; None when they are not affine in the
    atoms, a Split when splitting an atom would make them so.
    """
    if not is_zero(number.offset):
        return None
    left = dict(number.terms)
    out: list[Lin] = []
    step: Int = 1  # the coefficient that the next atom outwards must have
    for size in reversed(sizes):
        terms: dict[Atom, Int] = {}
        covered: Int = 1
        while not same(covered, size):
            atom = next((a for a, c in left.items() if same(c, step)), None)
            if atom is None:
                # No atom moves here: the index stays 0 along the rest of this dim, and the next atom must jump over it.
                if all(_steps_over(c, step * _over(size, covered)) for c in left.values()):
                    step = step * _over(size, covered)
                    break
                return None
            n = size_of[atom]
            rest = _over(size, covered)
            if same(n, rest) or _divides(n, rest):
                terms[atom] = covered
                covered = covered * n
                step = step * n
                del left[atom]
            elif _divides(rest, n):
                return Split(atom, (_over(n, rest), rest))
            else:
                return None
        out.append(Lin(terms))
    return None if left else tuple(reversed(out))


def _over(a: Int, b: Int) -> Int:
    return a // b


def _divides(a: Int, b: Int) -> bool:
    """Whether a divides b for all sizes."""
    return is_zero(b % a) if not is_zero(a) else False


def _steps_over(c: Int, step: Int) -> bool:
    return not is_zero(step) and is_zero(c % step)


def groups(a: Sequence[Int], b: Sequence[Int]) -> list[tuple[range, range]]:
    """Cut two shapes of one element count into the shortest runs of dims with equal products, from the left."""
    out: list[tuple[range, range]] = []
    i, j = 0, 0
    while i < len(a) or j < len(b):
        i0, j0 = i, j
        p: Int = 1
        q: Int = 1
        found = False
        # Grow the run of b for each run of a: quadratic in the rank, which is small.
        for i in range(i0 + (1 if i0 < len(a) else 0), len(a) + 1):
            p = prod(a[i0:i])
            q = 1
            for j in range(j0, len(b) + 1):
                q = prod(b[j0:j])
                if same(p, q) and (j > j0 or i > i0):
                    found = True
                    break
            if found:
                break
        if not found:
            return [*out, (range(i0, len(a)), range(j0, len(b)))]
        out.append((range(i0, i), range(j0, j)))
    return out


def reshaped(index: Index, new: Sequence[Int], old: Sequence[Int], size_of: Mapping[Atom, Int]) -> Behind:
    """The index into `old` of an element of a reshape of it to `new`; None or a Split as `unflatten` gives them."""
    out: list[Lin | None] = [None] * len(old)
    for g_new, g_old in groups(new, old):
        if len(g_new) == 1 and len(g_old) == 1:
            out[g_old[0]] = index[g_new[0]]
            continue
        number = flatten([index[k] for k in g_new], [new[k] for k in g_new])
        if len(g_old) == 1:
            out[g_old[0]] = number
            continue
        part = unflatten(number, [old[k] for k in g_old], size_of)
        if part is None or isinstance(part, Split):
            return part
        for k, lin in zip(g_old, part, strict=True):
            out[k] = lin
    return tuple(ZERO if x is None else x for x in out)


def covers(index: Sequence[Lin], sizes: Sequence[Int], size_of: Mapping[Atom, Int]) -> set[Atom] | None:
    """The atoms of an index that reaches each element of a value of these sizes exactly once; None when it does not."""
    seen: set[Atom] = set()
    for lin, size in zip(index, sizes, strict=True):
        if not is_zero(lin.offset):
            return None
        left, step = dict(lin.terms), 1
        while left:
            atom = next((a for a, c in left.items() if same(c, step)), None)
            if atom is None or atom in seen:
                return None
            seen.add(atom)
            del left[atom]
            step = step * size_of[atom]  # type: ignore[assignment]
        if not same(step, size):
            return None
    return seen
