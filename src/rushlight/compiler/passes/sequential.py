"""Kernels that visit their reduced dims in sequence: scans and scatters, with their operands' producers fused in."""

from __future__ import annotations

from typing import Any

from rushlight.compiler.passes.buffers import Buffers
from rushlight.compiler.passes.clusters import View
from rushlight.compiler.passes.fuse import KernelBuilder, Root, Space, reduced_dims
from rushlight.core.dtypes import dtype
from rushlight.program.affine import Atom
from rushlight.program.ir import Eqn, Primitive, Var
from rushlight.program.loops import Store


class ScanBuilder(KernelBuilder):
    """cumsum and its kin: the scanned dim is the kernel's reduced dim."""

    allow_reduce = False

    def __init__(self, buffers: Buffers, e: Eqn, space: Space) -> None:
        y = e.outputs[0]
        space.forbid |= set(e.outputs)
        space.reduced = self.visited(e)
        super().__init__(buffers, [Root(y, y.shape, buffers.home[y])], space)
        self.e = e

    def visited(self, e: Eqn) -> list[Atom]:
        """The dims that are visited in sequence."""
        return [("k", reduced_dims(e)[0] if e.outputs[0].ndim else -1)]

    def visits_once(self, var: Var, index: Any) -> bool:
        return False

    def emit_roots(self) -> None:
        e, y = self.e, self.e.outputs[0]
        index = list(self.index)
        if e.params["reverse"] and y.ndim:
            (dim,) = reduced_dims(e)
            index[dim] = index[dim].times(-1).plus(y.shape[dim] - 1)
        at = tuple(index)
        values = [self.emit(x, at) for x in e.inputs]
        for k, out in enumerate(e.outputs):
            operand = self.operand(self.buffers.home[out], at, out.dtype, True, "F")
            param = (e.prim.name, y.dtype.name, "index" if k else "value", bool(e.params["reverse"]))
            self.loops.stores.append(Store(operand, values[-1], "F", tuple(values[:-1]), "scan", param))


class BandBuilder(ScanBuilder):
    """bandrec and logbandrec: steps, then places, are visited in sequence; earlier results are read from the result
    itself.
    """

    def visited(self, e: Eqn) -> list[Atom]:
        return [("k", d) for d in e.params["dims"]]

    def emit_roots(self) -> None:
        e, y = self.e, self.e.outputs[0]
        dims: tuple[int, int] = e.params["dims"]
        visited = self.index
        index, home = list(visited), self.buffers.home[y]
        strides = [home.strides[d] for d in dims]
        if e.params["reverse"]:
            for k, d in enumerate(dims):
                index[d] = index[d].times(-1).plus(y.shape[d] - 1)
                strides[k] = strides[k] * -1
        at = tuple(index)
        # The result comes first among the operands: its strides decide which dim the vectors lie along.
        operand = self.operand(home, at, y.dtype, True, "F")
        b, *bands = [self.emit(x, at) for x in e.inputs]
        position = tuple(self.number(visited[d]) for d in dims)
        scalars = tuple(self.scalar(("sym", s), "int64") for s in strides)
        self.loops.stores.append(Store(operand, b, "F", (*bands, *position), "band", (e.prim.name, scalars)))


class ScatterBuilder(KernelBuilder):
    """scatter: the dims that are not indexed are kept, the index's own dims are visited in sequence, so the result is
    the same whatever the number of threads."""

    allow_reduce = False

    def __init__(self, buffers: Buffers, e: Eqn, space: Space) -> None:
        updates, out = e.inputs[-1], e.outputs[0]
        n = e.inputs[1].ndim
        space.forbid |= {out}
        space.reduced = [("k", d) for d in range(n)]
        super().__init__(buffers, [Root(updates, updates.shape, buffers.home[out])], space)
        self.e, self.n_index = e, n

    def visits_once(self, var: Var, index: Any) -> bool:
        return False

    def emit_roots(self) -> None:
        x, *indices, updates = self.e.inputs
        dims: tuple[int, ...] = self.e.params["dims"]
        index = self.index
        if any(a in self.reduced for lin in index[self.n_index :] for a in lin.terms):
            raise AssertionError("compiler: a scatter's kept dim is reduced")
        value = self.emit(updates, index)
        where = tuple(self.emit(i, index[: self.n_index]) for i in indices)
        home = self.buffers.home[self.e.outputs[0]]
        rest = [d for d in range(x.ndim) if d not in dims]
        view = View(home.buffer, home.offset, tuple(home.strides[d] for d in rest))
        operand = self.operand(view, index[self.n_index :], x.dtype, True, "F")
        scalars = tuple(
            (self.scalar(("sym", x.shape[d]), "int64"), self.scalar(("sym", home.strides[d]), "int64")) for d in dims
        )
        self.loops.stores.append(Store(operand, value, "F", where, "scatter", (self.e.params["mode"], scalars)))


class _Zero(Primitive):
    name, kind = "constant", "source"


def zero_of(d: dtype) -> Var:
    """The constant 0, rank 0, for the compiler's own use."""
    e = Eqn(_Zero(), (), {"value": 0, "dtype": d})
    v = Var((), d, "value", e)
    e.outputs = (v,)
    return v
