"""The iteration space of a kernel, and where the elements of its roots are in it."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rushlight.compiler.passes.forms import View
from rushlight.core.nesting import reached
from rushlight.prims.view import index_behind
from rushlight.program.affine import ZERO, Atom, Index, Lin, Split, flatten, strides_of
from rushlight.program.ir import Eqn, Var
from rushlight.program.sym import Int, Sym, same


@dataclass(frozen=True)
class Space:
    """An iteration space: the dims of the first root, and how they are split and reduced.

    splits: atoms that are taken apart. reduced: atoms of the root that are reduced, None while nothing is; added: sizes
    of reduced dims that the root does not have.
    """

    splits: Mapping[Atom, tuple[Int, ...]] = field(default_factory=dict)
    reduced: tuple[tuple[str, int], ...] | None = None
    added: tuple[Int, ...] = ()

    @property
    def reduced_dims(self) -> list[int]:
        """The dims of the root that are reduced."""
        return [d for _, d in self.reduced or ()]

    def split(self, s: Split) -> Space:
        return replace(self, splits={**self.splits, s.atom: s.sizes})


class Dims:
    """The dims of a kernel: its atoms, kept and reduced, and their sizes.

    index: of the element of the first root that is visited. reduces: whether there are reduced dims, all of which may
    be of size 1.
    """

    def __init__(self, shape: Sequence[Int], space: Space) -> None:
        self.shape = shape
        self.size_of: dict[Atom, Int] = {}
        self.index = tuple([self._leaf(("k", d), n, space.splits) for d, n in enumerate(shape)])
        of_root = list(self.size_of)
        for d, n in enumerate(space.added):
            self._leaf(("r", d), n, space.splits)
        self.tops = frozenset(space.reduced or ())
        self.kept = [a for a in of_root if top(a) not in self.tops]
        self.reduced = [a for a in of_root if top(a) in self.tops] + list(self.size_of)[len(of_root) :]
        self.reduces = space.reduced is not None
        self._reduced_set = frozenset(self.reduced)

    def _leaf(self, atom: Atom, size: Int, splits: Mapping[Atom, tuple[Int, ...]]) -> Lin:
        """The index along a dim: the atom, or its parts when it has been split."""
        if not isinstance(size, Sym) and size == 1:
            return ZERO
        sizes = splits.get(atom)
        if sizes is None:
            self.size_of[atom] = size
            return Lin({atom: 1})
        total = ZERO
        for i, (n, s) in enumerate(zip(sizes, strides_of(sizes), strict=True)):
            total = total + self._leaf((atom, i), n, splits).times(s)
        return total

    def level(self, index: Sequence[Lin]) -> str:
        """Whether an index varies along reduced dims ("F") or only along kept ones ("K")."""
        return "K" if self.reduces and all(self._reduced_set.isdisjoint(lin.terms) for lin in index) else "F"

    def along_rows(self, index: Sequence[Lin]) -> bool:
        """Whether a value that is visited there has a reduced dim innermost."""
        inner = next((lin for lin in reversed(index) if lin.terms), ZERO)
        return not self._reduced_set.isdisjoint(inner.terms)

    def of_rows(self, shape: Sequence[Int]) -> Index | None:
        """The index of a value that has the kept dims only (a statistic of each row); None where it has others."""
        kept = [d for d in range(len(self.index)) if ("k", d) not in self.tops]
        if len(kept) != len(shape) or not self.kept:
            return None
        if not all(same(self.shape[d], n) for d, n in zip(kept, shape, strict=True)):
            return None
        return tuple(self.index[d] for d in kept)

    def inside(self, e: Eqn, index: Index) -> Index | None:
        """Where reduction `e` visits its operand for its result's element `index`; None where the kernel's reduced dims
        are not the reduction's.
        """
        x, dims = e.inputs[0], reduced_dims(e)
        parts = self.assign([x.shape[d] for d in dims], self.reduced)
        if parts is None:
            return None
        kept, reduced = iter(index), iter(parts)
        return tuple([next(reduced) if d in dims else next(kept) for d in range(x.ndim)])

    def assign(self, sizes: Sequence[Int], atoms: Sequence[Atom]) -> list[Lin] | None:
        """The index along each reduced dim of these sizes in terms of the reduced atoms, taken in order."""
        left = list(atoms)
        out = []
        for n in sizes:
            if not isinstance(n, Sym) and n == 1:
                out.append(ZERO)
                continue
            taken: list[Atom] = []
            covered: Int = 1
            while not same(covered, n):
                if not left:
                    return None
                a = left.pop(0)
                taken.append(a)
                covered = covered * self.size_of[a]
                if not isinstance(covered, Sym) and not isinstance(n, Sym) and covered > n:
                    return None
            lin = ZERO
            for a, s in zip(taken, strides_of([self.size_of[a] for a in taken]), strict=True):
                lin = lin + Lin({a: s})
            out.append(lin)
        return None if left else out


class Numbers:
    """Numbers for indices, one for all that are equal. A pointwise value hands on its index unchanged, so the key of an
    index is worked out once.
    """

    def __init__(self) -> None:
        self._of_tuple: dict[int, tuple[int, Index]] = {}  # by its id, which lives as long as the tuple
        self._of_key: dict[object, int] = {}

    def __call__(self, index: Index) -> int:
        known = self._of_tuple.get(id(index))
        if known is None:
            key = tuple([i.key for i in index])
            known = self._of_tuple[id(index)] = (self._of_key.setdefault(key, len(self._of_key)), index)
        return known[0]


def in_shape(index: Index, shape: Sequence[Int]) -> Index:
    """The index, which is 0 along a dim of size 1."""
    for i, n in zip(index, shape, strict=True):
        if i is not ZERO and not isinstance(n, Sym) and n == 1:
            return tuple([ZERO if not isinstance(n, Sym) and n == 1 else i for i, n in zip(index, shape, strict=True)])
    return index


def top(atom: Any) -> tuple[str, int]:
    """The dim that an atom is a part of: ("k", its number) of a root's, ("r", its number) of those that are added."""
    while isinstance(atom[0], tuple):
        atom = atom[0]
    kind, d = atom
    return kind, d


def reduced_dims(e: Eqn) -> tuple[int, ...]:
    """The dims that a reduction takes away, in ascending order."""
    if "dim" in e.params:
        return (e.params["dim"] % e.inputs[0].ndim,)
    return tuple(sorted(d % max(e.inputs[0].ndim, 1) for d in e.params["dims"]))


def reduction_behind(var: Var) -> Eqn | None:
    """The reduction that `var` is a pointwise function of, if any."""
    values = reached([var], lambda v: v.eqn.inputs if v.eqn is not None and v.eqn.prim.kind == "pointwise" else ())
    return next((v.eqn for v in values if v.eqn is not None and v.eqn.prim.kind == "reduce"), None)


def between(x: Var, owner: Var) -> Iterator[Var]:
    """x and the views behind it, up to the value that they are views of."""
    while x is not owner:
        yield x
        assert x.eqn is not None
        x = x.eqn.inputs[0]


def base(x: Var, home: Mapping[Var, View]) -> tuple[Var, View] | None:
    """(the value with a buffer that x is a view of, x in it), when strides express the view."""
    found = seen_in(x, home, lambda v: all(map(same, home[v].strides, strides_of(v.shape))))
    if found is None:
        return None
    owner, at = found
    whole = home[owner]
    total = Lin.at(whole.offset, (at,), (1,)) if isinstance(at, Lin) else Lin.at(whole.offset, at, whole.strides)
    return owner, View(whole.buffer, total.offset, tuple(total.terms.get(d, 0) for d in range(x.ndim)))


def seen_in(x: Var, homes: Container[Var], row_major: Callable[[Var], bool]) -> tuple[Var, Index | Lin] | None:
    """(the value among `homes` that x is a view of, where the element (0, 1, ...) of x lies in it), when strides
    express the view. Of a reshape of a value that lies row by row, as `row_major` says, that is the element's number.
    """
    size_of: dict[Atom, Int] = {d: n for d, n in enumerate(x.shape) if isinstance(n, Sym) or n != 1}
    at, v = tuple([Lin({d: 1}) if d in size_of else ZERO for d in range(x.ndim)]), x
    while v not in homes:
        if v.eqn is None or v.eqn.prim.kind != "view":
            return None
        behind = index_behind(v.eqn, at, size_of)
        if behind is None or isinstance(behind, Split):
            source = v
            while source not in homes and source.eqn is not None and source.eqn.prim.name == "reshape":
                source = source.eqn.inputs[0]
            return (source, flatten(at, v.shape)) if source in homes and row_major(source) else None
        v = v.eqn.inputs[0]
        at = in_shape(behind, v.shape)
    return v, at
