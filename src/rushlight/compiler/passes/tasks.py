"""What a kernel is asked to do: to compute and store some values, or one that visits dims in sequence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from rushlight.compiler.passes.bodies import Write
from rushlight.compiler.passes.forms import View
from rushlight.compiler.passes.space import Dims, reduced_dims
from rushlight.program.affine import Index, Lin
from rushlight.program.ir import Eqn, Var
from rushlight.program.sym import Int, Sym, same


class Root(NamedTuple):
    """Something to compute and store: `var` at an index of `shape` (its own, or () for a fill), into `dest`."""

    var: Var
    shape: tuple[Int, ...]
    dest: View
    fill: bool = False


@dataclass(frozen=True)
class Fused:
    """Values over the dims of the first, or over those of its rows."""

    roots: tuple[Root, ...]

    @property
    def shape(self) -> tuple[Int, ...]:
        return self.roots[0].shape

    def text(self) -> str:
        return "kernel"


@dataclass(frozen=True)
class InSequence:
    """A primitive that visits dims in sequence, with its operands' producers."""

    eqn: Eqn

    @property
    def shape(self) -> tuple[Int, ...]:
        """The sizes that it visits."""
        return self.eqn.outputs[0].shape

    def visited(self) -> tuple[tuple[str, int], ...]:
        """The dims that are visited in sequence."""
        raise NotImplementedError(self.eqn.prim.name)

    def needs(self, dims: Dims) -> list[tuple[Var, Index]]:
        """The operands, and where they are needed."""
        raise NotImplementedError(self.eqn.prim.name)

    def counts(self, dims: Dims) -> list[Lin]:
        """What is needed beside: indices as numbers."""
        return []

    def writes(self, dims: Dims, values: list[int], home: Mapping[Var, View]) -> list[Write]:
        """What it writes, of the values of `needs` and then `counts`."""
        raise NotImplementedError(self.eqn.prim.name)

    def text(self) -> str:
        return f"kernel of {self.eqn.prim.name}"


@dataclass(frozen=True)
class Scan(InSequence):
    """cumsum and the like: the scanned dim is the kernel's reduced dim."""

    def visited(self) -> tuple[tuple[str, int], ...]:
        return (("k", self.dims()[0]),)

    def dims(self) -> tuple[int, ...]:
        return reduced_dims(self.eqn) if self.eqn.outputs[0].ndim else (-1,)

    def at(self, dims: Dims) -> Index:
        """The element of the result that is visited."""
        index, y = list(dims.index), self.eqn.outputs[0]
        if self.eqn.params["reverse"] and y.ndim:
            for d in self.dims():
                index[d] = index[d].times(-1).plus(y.shape[d] - 1)
        return tuple(index)

    def needs(self, dims: Dims) -> list[tuple[Var, Index]]:
        at = self.at(dims)
        return [(x, at) for x in self.eqn.inputs]

    def writes(self, dims: Dims, values: list[int], home: Mapping[Var, View]) -> list[Write]:
        e, (y,) = self.eqn, self.eqn.outputs
        rounding = tuple(d.name for d in e.params.get("rounding", ()))
        param = (e.prim.name, e.inputs[0].dtype.name, bool(e.params["reverse"]), rounding)
        return [Write("scan", y.dtype, tuple(values), home[y], self.at(dims), param=param)]


@dataclass(frozen=True)
class Band(Scan):
    """bandrec and logbandrec: steps, then places, are visited in sequence; earlier results are read from the result
    itself.
    """

    def visited(self) -> tuple[tuple[str, int], ...]:
        return tuple(("k", d) for d in self.dims())

    def dims(self) -> tuple[int, ...]:
        found: tuple[int, ...] = self.eqn.params["dims"]
        return found

    def counts(self, dims: Dims) -> list[Lin]:
        return [dims.index[d] for d in self.dims()]

    def writes(self, dims: Dims, values: list[int], home: Mapping[Var, View]) -> list[Write]:
        e, (y,) = self.eqn, self.eqn.outputs
        b, *others = values
        back = -1 if e.params["reverse"] else 1
        strides = tuple([home[y].strides[d] * back for d in self.dims()])
        args = (*others, b)
        return [Write("band", y.dtype, args, home[y], self.at(dims), param=e.prim.name, sizes=strides)]


@dataclass(frozen=True)
class Scatter(InSequence):
    """scatter: the dims that are not indexed are kept, and those of the index along which one of the indices is the
    place itself (`own`); its other dims are visited in sequence, so the result is the same whatever the number of
    threads.
    """

    @property
    def shape(self) -> tuple[Int, ...]:
        return self.eqn.inputs[-1].shape

    @cached_property
    def own(self) -> dict[int, int]:
        """Dims of the index, and which of the indices is the place along it: what is written at different places there
        lies apart. One dim at least is left."""
        _, *indices, _ = self.eqn.inputs
        found: dict[int, int] = {}
        for j, i in enumerate(indices):
            if i.eqn is not None and i.eqn.prim.name == "iota" and len(found) + 1 < i.ndim:
                found.setdefault(i.eqn.params["dim"], j)
        return found

    @cached_property
    def looked_at(self) -> tuple[int, ...]:
        """The indices that are read: not those that are a place of their own, and no longer than what is written to."""
        x, *indices, _ = self.eqn.inputs
        inside = {j for d, j in self.own.items() if same(indices[0].shape[d], x.shape[self.eqn.params["dims"][j]])}
        return tuple(j for j in range(len(indices)) if j not in inside)

    @cached_property
    def fill(self) -> tuple[Any, ...] | None:
        """The number that the result holds before anything is scattered, where each item of the kernel writes it to its
        own places first: they are in a cache then. None where a kernel before this one copies what was there.

        That takes an item for each of the other places, places that one index names, and dims beside that are kept:
        else one thread would fill all.
        """
        x, own = self.eqn.inputs[0], set(self.own.values())
        scattered = [j for j in range(len(self.eqn.params["dims"])) if j not in own]
        number = _number_everywhere(x)
        items = own.isdisjoint(self.looked_at) and len(scattered) == 1 and x.ndim > 1
        return (number,) if items and number is not None else None

    def visited(self) -> tuple[tuple[str, int], ...]:
        return tuple(("k", d) for d in range(self.eqn.inputs[1].ndim) if d not in self.own)

    def needs(self, dims: Dims) -> list[tuple[Var, Index]]:
        _, *indices, updates = self.eqn.inputs
        return [(updates, dims.index), *((indices[j], dims.index[: indices[j].ndim]) for j in self.looked_at)]

    def writes(self, dims: Dims, values: list[int], home: Mapping[Var, View]) -> list[Write]:
        e, x = self.eqn, self.eqn.inputs[0]
        update, *indices = values
        along, whole = e.params["dims"], home[e.outputs[0]]
        rest = iter(dims.index[e.inputs[1].ndim :])
        at = {d: next(rest) for d in range(x.ndim) if d not in along}
        at |= {along[j]: dims.index[d] for d, j in self.own.items()}
        kept = sorted(at)
        view = View(whole.buffer, whole.offset, tuple(whole.strides[d] for d in kept))
        # A place of its own must be looked at where the index may be longer than what it writes to.
        sizes: list[tuple[Int, Int | None] | None] = [(x.shape[d], whole.strides[d]) for d in along]
        for j in self.own.values():
            sizes[j] = (x.shape[along[j]], None) if j in self.looked_at else None
        index, param = tuple(at[d] for d in kept), (e.params["mode"], self.fill)
        return [Write("scatter", x.dtype, (*indices, update), view, index, param=param, sizes=tuple(sizes))]


def _number_everywhere(x: Var) -> Any:
    """The number that all elements of a value are, if that is known when it is planned."""
    while x.eqn is not None and x.eqn.prim.name == "broadcast_in_dim":
        x = x.eqn.inputs[0]
    if x.eqn is None or x.eqn.prim.name != "constant" or isinstance(x.eqn.params["value"], Sym):
        return None
    return x.eqn.params["value"]


Task = Fused | InSequence


def sequential(e: Eqn) -> InSequence:
    """The task of a scan or a band recurrence."""
    kinds: dict[str, Any] = {"scan": Scan, "band": Band}
    made: InSequence = kinds[e.prim.kind](e)
    return made
