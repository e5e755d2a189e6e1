"""What a kernel computes for one index of its space: values at affine indices, in order. The form that `index` makes of
a cluster.

Values are numbers: of their places in the body. Sizes are static in a body, or symbols.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from rushlight.compiler.passes.forms import Namer, View, lin_text, names_of, space_text
from rushlight.core.dtypes import dtype, int64
from rushlight.program.affine import Atom, Index, Lin
from rushlight.program.sym import Int


class Texts(NamedTuple):
    """How a body's text writes indices and sizes."""

    atoms: Mapping[Atom, str]
    name: Namer

    def lin(self, x: Lin) -> str:
        return lin_text(x, self.atoms, self.name)

    def place(self, view: View, index: Index) -> str:
        return f"b{view.buffer}[{self.lin(Lin.at(view.offset, index, view.strides))}]"


class Read(NamedTuple):
    """The element `at` of a view of a buffer. whole: the view is all of the buffer."""

    dtype: dtype
    view: View
    at: Index
    whole: bool = False
    args: tuple[int, ...] = ()

    def text(self, t: Texts) -> str:
        return t.place(self.view, self.at)


class Given(NamedTuple):
    """Scalar input `number` of the program."""

    dtype: dtype
    number: int
    args: tuple[int, ...] = ()

    def text(self, t: Texts) -> str:
        return f"scalar input {self.number}"


class Constant(NamedTuple):
    dtype: dtype
    value: Any
    args: tuple[int, ...] = ()

    def text(self, t: Texts) -> str:
        return str(self.value)


class Size(NamedTuple):
    """A size, as an integer."""

    value: Int
    dtype: dtype = int64
    args: tuple[int, ...] = ()

    def text(self, t: Texts) -> str:
        return t.name.size(self.value)


class Place(NamedTuple):
    """The value of an affine index, as an integer."""

    lin: Lin
    dtype: dtype = int64
    args: tuple[int, ...] = ()

    def text(self, t: Texts) -> str:
        return t.lin(self.lin)


class Apply(NamedTuple):
    """A pointwise operation."""

    op: str
    dtype: dtype
    args: tuple[int, ...]
    param: Any = None

    def text(self, t: Texts) -> str:
        return f"{self.op}({', '.join(f'%{a}' for a in self.args)}){'' if self.param is None else f' {self.param!r}'}"


class Gather(NamedTuple):
    """An element of a view: where the args say along some dims, whose sizes and strides are `where`, and at `at`
    along the others; before these the first `of_args` of `at` are where the args are read.
    """

    dtype: dtype
    args: tuple[int, ...]
    view: View
    at: Index
    of_args: int
    where: tuple[tuple[Int, Int], ...]

    def text(self, t: Texts) -> str:
        moved = [f"%{a} * {t.name.size(stride)}" for a, (_, stride) in zip(self.args, self.where, strict=True)]
        return f"gather {t.place(self.view, self.at[self.of_args :])} + {' + '.join(moved)}"


class Reduce(NamedTuple):
    """A reduction over all reduced dims."""

    name: str
    dtype: dtype
    args: tuple[int, ...]

    def text(self, t: Texts) -> str:
        return f"{self.name}(%{self.args[0]})"


class Write(NamedTuple):
    """Write the last of the args to the element `at` of a view of a buffer.

    mode: see `loops.Store`; in those that are in sequence the args before are its factors or indices, `param` is its
    static parameter, and `sizes` the sizes that are arguments of it. whole: the view is all of the buffer.
    """

    mode: str
    dtype: dtype
    args: tuple[int, ...]
    view: View
    at: Index
    whole: bool = False
    param: Any = None
    sizes: tuple[Any, ...] | None = None

    def text(self, t: Texts) -> str:
        more = [f"%{a}" for a in self.args[:-1]] + ([] if self.param is None else [repr(self.param)])
        return f"{self.mode} {t.place(self.view, self.at)} = %{self.args[-1]}" + (
            f" with {', '.join(more)}" if more else ""
        )


Entry = Read | Given | Constant | Size | Place | Apply | Gather | Reduce | Write


@dataclass(frozen=True)
class Body:
    """A kernel over atoms, kept and reduced. sweeps: whether there are reduced dims, all of which may be of size 1."""

    kept: tuple[Atom, ...]
    reduced: tuple[Atom, ...]
    sweeps: bool
    size_of: Mapping[Atom, Int]
    entries: tuple[Entry, ...]

    def touched(self, write: bool) -> Iterator[int]:
        of = (Write,) if write else (Read, Gather)
        return (e.view.buffer for e in self.entries if isinstance(e, of))

    def lines(self, name: Namer) -> Iterator[str]:
        t = Texts(names_of(self.kept, self.reduced), name)
        yield f"kernel over {space_text(t.atoms, self.size_of, name)}"
        for i, e in enumerate(self.entries):
            yield f"  {e.text(t)}" if isinstance(e, Write) else f"  %{i}: {e.dtype.name} = {e.text(t)}"

    def check(self) -> None:
        dims = {*self.kept, *self.reduced}
        assert dims == set(self.size_of), "a dim without a size, or a size of no dim"
        for i, e in enumerate(self.entries):
            for a in e.args:
                assert 0 <= a < i, f"%{i} uses %{a}, which is not computed yet"
                assert not isinstance(self.entries[a], Write), f"%{i} uses what is no value"
            if isinstance(e, Reduce):
                assert self.sweeps, f"%{i} is a reduction, and there are no reduced dims"
            if isinstance(e, Place):
                assert set(e.lin.terms) <= dims, f"%{i} varies along a dim that is not the kernel's"
            if isinstance(e, (Read, Gather, Write)):
                index = e.at[e.of_args :] if isinstance(e, Gather) else e.at
                assert len(index) == len(e.view.strides), f"%{i}: {len(index)} indices into {e.view}"
                for lin in e.at:
                    assert set(lin.terms) <= dims, f"%{i} varies along a dim that is not the kernel's"
