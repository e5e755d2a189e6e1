"""The pass `index`: at which index of its dims each kernel computes each value."""

from __future__ import annotations

from collections.abc import Callable

from rushlight.compiler.passes.bodies import (
    Apply,
    Body,
    Constant,
    Entry,
    Gather,
    Given,
    Place,
    Read,
    Reduce,
    Size,
    Write,
)
from rushlight.compiler.passes.cluster import Cluster
from rushlight.compiler.passes.forms import Schedule, View
from rushlight.compiler.passes.space import Dims, Numbers, base, in_shape
from rushlight.compiler.passes.tasks import InSequence
from rushlight.core.dtypes import int64
from rushlight.prims.view import index_behind
from rushlight.program.affine import Index, Split, flatten, is_zero, strides_of
from rushlight.program.ir import Eqn, Var
from rushlight.program.sym import Sym


def index(clusters: Schedule[Cluster]) -> Schedule[Body]:
    """The bodies of the kernels."""
    numbers = {v: i for i, v in enumerate(clusters.program.inputs)}
    return clusters.with_kernels([_Indexer(clusters, c, numbers).body() for c in clusters.kernels()])


class _Indexer:
    """Makes one body, from the kernel's roots to what has buffers."""

    def __init__(self, clusters: Schedule[Cluster], cluster: Cluster, numbers: dict[Var, int]) -> None:
        self.clusters, self.cluster, self.input_number = clusters, cluster, numbers
        self.dims = Dims(cluster.task.shape, cluster.space)
        self.number = Numbers()
        self.entries: list[Entry] = []
        self.done: dict[tuple[int, int], int] = {}

    def body(self) -> Body:
        dims, task = self.dims, self.cluster.task
        if isinstance(task, InSequence):
            values = [self.value(v, at) for v, at in task.needs(dims)]
            values += [self.add(Place(lin)) for lin in task.counts(dims)]
            self.entries += task.writes(dims, values, self.clusters.home)
        else:
            for root in task.roots:
                index = dims.index if len(root.shape) == len(dims.index) else dims.of_rows(root.shape)
                assert index is not None, "a root over other dims than the kernel's"
                own = root.dest is self.clusters.home.get(root.var)
                value = self.value(root.var, () if root.fill else index, own and not root.fill)
                self.write(root.dest, index, value, root.var)
        return Body(tuple(dims.kept), tuple(dims.reduced), dims.reduces, dims.size_of, tuple(self.entries))

    def add(self, entry: Entry) -> int:
        self.entries.append(entry)
        return len(self.entries) - 1

    def write(self, dest: View, index: Index, value: int, var: Var) -> None:
        self.add(Write("store", var.dtype, (value,), dest, index, self.is_whole(dest)))

    def is_whole(self, view: View) -> bool:
        """Whether a view is all of its buffer, so that an index into it is the element's place there."""
        return is_zero(view.offset) and view.strides is self.clusters.strides_of(view.buffer)

    # -- values ------------------------------------------------------------------------------------------------------
    def value(self, var: Var, index: Index, root: bool = False) -> int:
        """The element `index` of a value."""
        index = in_shape(index, var.shape)
        key = (id(var), self.number(index))
        found = self.done.get(key)
        if found is None:
            found = self.done[key] = self.new_value(var, index, root)
        return found

    def new_value(self, var: Var, index: Index, root: bool) -> int:
        if var.kind == "scalar":
            return self.add(Given(var.dtype, self.input_number[var]))
        home = self.clusters.home.get(var)
        if root or home is None:
            return self.computed(var, index)
        if var not in self.cluster.stored:
            return self.add(Read(var.dtype, home, index, self.is_whole(home)))
        value = self.computed(var, index)
        self.write(home, index, value, var)
        return value

    def computed(self, var: Var, index: Index) -> int:
        e = var.eqn
        assert e is not None
        return (_RULES.get(e.prim.name) or _RULES[e.prim.kind])(self, var, e, index)

    def pointwise(self, var: Var, e: Eqn, index: Index) -> int:
        if e.prim.buffered:
            return self.value(e.inputs[0], index)
        args = tuple([self.value(v, index) for v in e.inputs])
        return self.add(Apply(e.prim.name, var.dtype, args, e.params.get("n")))

    def view(self, var: Var, e: Eqn, index: Index) -> int:
        x = e.inputs[0]
        behind = index_behind(e, index, self.dims.size_of)
        assert not isinstance(behind, Split), "a dim that is still to be split"
        if behind is not None:
            return self.value(x, behind)
        copy = self.clusters.copies[x]
        return self.add(Read(var.dtype, View(copy.buffer, 0, strides_of(var.shape)), index))

    def constant(self, var: Var, e: Eqn, index: Index) -> int:
        value = e.params["value"]
        if isinstance(value, Sym):
            return self.add(Apply("convert", var.dtype, (self.add(Size(value)),)))
        return self.add(Constant(var.dtype, value))

    def iota(self, var: Var, e: Eqn, index: Index) -> int:
        place = self.add(Place(index[e.params["dim"]]))
        return place if var.dtype is int64 else self.add(Apply("convert", var.dtype, (place,)))

    def random_bits(self, var: Var, e: Eqn, index: Index) -> int:
        seed, offset = [self.as_int64(self.value(v, ())) for v in e.inputs]
        counter = self.add(Apply("add", int64, (offset, self.add(Place(flatten(index, var.shape))))))
        return self.add(Apply("random_bits", var.dtype, (seed, counter)))

    def as_int64(self, value: int) -> int:
        return value if self.entries[value].dtype is int64 else self.add(Apply("convert", int64, (value,)))

    def gather(self, var: Var, e: Eqn, index: Index) -> int:
        x, *indices = e.inputs
        along: tuple[int, ...] = e.params["dims"]
        found = base(x, self.clusters.home)
        assert found is not None, "a gather from what has no buffer"
        _, whole = found
        n = indices[0].ndim
        args = tuple([self.value(i, index[:n]) for i in indices])
        view = View(whole.buffer, whole.offset, tuple(s for d, s in enumerate(whole.strides) if d not in along))
        where = tuple((x.shape[d], whole.strides[d]) for d in along)
        return self.add(Gather(var.dtype, args, view, index, n, where))

    def reduce(self, var: Var, e: Eqn, index: Index) -> int:
        inside = self.dims.inside(e, index)
        assert inside is not None, "a reduction over other dims than the kernel's"
        return self.add(Reduce(e.prim.name, var.dtype, (self.value(e.inputs[0], inside),)))


# How a value is computed whose primitive is of this name or kind.
_RULES: dict[str, Callable[[_Indexer, Var, Eqn, Index], int]] = {
    "pointwise": _Indexer.pointwise,
    "view": _Indexer.view,
    "reduce": _Indexer.reduce,
    "constant": _Indexer.constant,
    "iota": _Indexer.iota,
    "random_bits": _Indexer.random_bits,
    "gather": _Indexer.gather,
}
