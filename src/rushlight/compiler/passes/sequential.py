"""Kernels that visit their reduced dims in sequence: scans and scatters, with their operands' producers fused in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight.compiler.passes.fuse import KernelBuilder, Root, View, reduced_dims
from rushlight.core.dtypes import dtype
from rushlight.program.ir import Eqn, Primitive, Var
from rushlight.program.loops import Store

if TYPE_CHECKING:
    from rushlight.compiler.passes.lower import Planner


class ScanBuilder(KernelBuilder):
    """cumsum and its kin: the scanned dim is the kernel's reduced dim."""

    def __init__(self, planner: Planner, e: Eqn, forbid: frozenset[Var]) -> None:
        y = e.outputs[0]
        super().__init__(planner, [Root(y, y.shape, planner.home[y])], forbid | set(e.outputs))
        self.e, self.dim = e, reduced_dims(e)[0] if y.ndim else -1
        self.reduced_keys = [("k", self.dim)]
        self.allow_reduce = False

    def visits_once(self, var: Var, index: Any) -> bool:
        return False

    def attempt(self) -> None:
        e, y = self.e, self.e.outputs[0]
        index = list(self.setup())
        if e.params["reverse"] and y.ndim:
            index[self.dim] = index[self.dim].times(-1).plus(y.shape[self.dim] - 1)
        at = tuple(index)
        values = [self.emit(x, at) for x in e.inputs]
        for k, out in enumerate(e.outputs):
            operand = self.operand(self.planner.home[out], at, out.dtype, True, "F")
            param = (e.prim.name, y.dtype.name, "index" if k else "value", bool(e.params["reverse"]))
            self.loops.stores.append(Store(operand, values[-1], "F", tuple(values[:-1]), "scan", param))


class BandBuilder(ScanBuilder):
    """bandrec and logbandrec: steps, then places, are visited in sequence; earlier results are read from the result
    itself.
    """

    def __init__(self, planner: Planner, e: Eqn, forbid: frozenset[Var]) -> None:
        super().__init__(planner, e, forbid)
        self.reduced_keys = [("k", d) for d in e.params["dims"]]

    def attempt(self) -> None:
        e, y = self.e, self.e.outputs[0]
        dims: tuple[int, int] = e.params["dims"]
        visited = self.setup()
        index, home = list(visited), self.planner.home[y]
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

    def __init__(self, planner: Planner, e: Eqn, forbid: frozenset[Var]) -> None:
        *_, updates = e.inputs
        out = e.outputs[0]
        super().__init__(planner, [Root(updates, updates.shape, planner.home[out])], forbid | {out})
        self.e = e
        self.n_index = e.inputs[1].ndim
        self.reduced_keys = [("k", d) for d in range(self.n_index)]
        self.allow_reduce = False

    def visits_once(self, var: Var, index: Any) -> bool:
        return False

    def attempt(self) -> None:
        x, *indices, updates = self.e.inputs
        dims: tuple[int, ...] = self.e.params["dims"]
        index = self.setup()
        if any(a in self.reduced for lin in index[self.n_index :] for a in lin.terms):
            raise AssertionError("compiler: a scatter's kept dim is reduced")
        value = self.emit(updates, index)
        where = tuple(self.emit(i, index[: self.n_index]) for i in indices)
        home = self.planner.home[self.e.outputs[0]]
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
