"""Fusion: the kernel that computes a value of a program, its producers pulled into it.

`KernelBuilder` holds an iteration space (atoms: kept, then reduced) and emits loop IR for a value at an affine index,
recursively: pointwise primitives pass the index on, views change it, reductions over the kernel's reduced dims become
reductions of the kernel. A value that cannot be computed there raises `NeedBuffer`; the planner then gives it a buffer
and builds again. A value that has a buffer of its own is computed here too, and stored, when the kernel visits each of
its elements once (softmax and its saved statistics are one kernel so); otherwise it is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rushlight.compiler.costs import once
from rushlight.compiler.passes.buffers import Buffers
from rushlight.compiler.passes.clusters import FusedKernel, KernelOperand, View
from rushlight.core.dtypes import dtype, int8
from rushlight.prims.view import index_behind
from rushlight.program.affine import ZERO, Atom, Index, Lin, Split, covers, flatten, is_zero, strides_of
from rushlight.program.ir import Eqn, Var
from rushlight.program.loops import Loops, Node, Store
from rushlight.program.sym import Int, Sym, same

# A kernel is cut where an expression gets deeper than this, or when it has this many equations: LLVM's time grows
# faster than the kernel. (The depth is what usually decides, so that cutting once is enough.)
MAX_DEPTH, MAX_EQNS = 120, 1500
IN_SEQUENCE = ("window_sum", "window_max", "window_min")


class NeedBuffer(Exception):
    """This value must be computed by a kernel of its own first."""

    def __init__(self, var: Var) -> None:
        super().__init__(str(var))
        self.var = var


class Restart(Exception):
    """The iteration space has changed; emit again."""


class Root(NamedTuple):
    """Something to compute and store: `var` at an index of `shape` (its own, or () for a fill), into `dest`."""

    var: Var
    shape: tuple[Int, ...]
    dest: View
    fill: bool = False


class Fused(NamedTuple):
    """A kernel, the values with buffers that it loads, and those that it stores."""

    kernel: FusedKernel
    loaded: frozenset[Var]
    stored: frozenset[Var]
    reduces: bool


@dataclass
class Space:
    """What attempts at a kernel have found out about its iteration space.

    forbid: values that the kernel may not store. splits: atoms that are taken apart. reduced: top-level atoms that are
    reduced, None while nothing is; new_reduced: sizes of reduced dims that the roots do not have. over_windows: whether
    the last reduction was one of windows.
    """

    forbid: frozenset[Var]
    splits: dict[Atom, tuple[Int, ...]] = field(default_factory=dict)
    reduced: list[Atom] | None = None
    new_reduced: list[Int] = field(default_factory=list)
    over_windows: bool = False


def fuse(make: Callable[[Space], KernelBuilder], forbid: frozenset[Var]) -> Fused:
    """Emit until the space settles.

    Raises:
        NeedBuffer: a value must have a buffer first.
    """
    space = Space(forbid)
    while True:
        try:
            return make(space).fused()
        except Split as s:
            space.splits[s.atom] = s.sizes
        except Restart:
            pass


class KernelBuilder:
    """Builds one kernel for one or several roots over the same iteration space."""

    allow_reduce = True

    def __init__(self, buffers: Buffers, roots: Sequence[Root], space: Space) -> None:
        self.buffers, self.roots, self.space = buffers, list(roots), space
        self.loops = Loops(0, 0)
        self.operands: list[KernelOperand] = []
        self.scalars: list[tuple[str, Int]] = []  # ("sym", Int) or ("input", k)
        self.memo: dict[tuple[int, int], Node] = {}
        self.index_number: dict[int, tuple[int, Index]] = {}  # of the tuple, by its id
        self.key_number: dict[Any, int] = {}
        self.loaded: set[Var] = set()
        self.stored: dict[Var, Node] = {}
        self.emitted: set[Eqn] = set()
        self.depth = 0
        self.in_full = False
        self.size_of: dict[Atom, Int] = {}
        self.order: list[Atom] = []
        self.index = tuple(self.leaf(("k", d), n) for d, n in enumerate(self.roots[0].shape))
        mark = len(self.order)
        for d, n in enumerate(space.new_reduced):
            self.leaf(("r", d), n)
        new = self.order[mark:]
        top = set(space.reduced or ())
        self.reduced = [a for a in self.order[:mark] if self.top(a) in top] + new
        self.reduced_set = frozenset(self.reduced)
        self.kept = [a for a in self.order[:mark] if self.top(a) not in top]
        self.loops.kept, self.loops.reduced = len(self.kept), len(self.reduced)
        self.has_reduced = space.reduced is not None
        if self.has_reduced and not self.reduced:
            self.loops.reduced = 1  # all reduced sizes are 1: the kernel keeps one such dim

    def fused(self) -> Fused:
        """The kernel in this space."""
        self.emit_roots()
        kernel = FusedKernel(
            self.loops, tuple(self.kept), tuple(self.reduced), self.size_of, tuple(self.operands), tuple(self.scalars)
        )
        return Fused(kernel, frozenset(self.loaded), frozenset(self.stored), self.has_reduced)

    # -- the space ---------------------------------------------------------------------------------------------------
    def leaf(self, atom: Atom, size: Int) -> Lin:
        """The index along a dim: the atom, or its parts when it has been split."""
        if not isinstance(size, Sym) and size == 1:
            return ZERO
        sizes = self.space.splits.get(atom)
        if sizes is None:
            self.size_of[atom] = size
            self.order.append(atom)
            return Lin({atom: 1})
        total = ZERO
        for i, (n, s) in enumerate(zip(sizes, strides_of(sizes), strict=True)):
            total = total + self.leaf((atom, i), n).times(s)
        return total

    @staticmethod
    def top(atom: Any) -> Atom:
        while isinstance(atom[0], tuple):
            atom = atom[0]
        return atom

    def emit_roots(self) -> None:
        index = self.index
        for root in self.roots:
            at = index if len(root.shape) == len(index) else self.row_index(root, index)
            if root.fill:
                node = self.emit(root.var, ())
            else:
                # A root is computed here when this is its own buffer; otherwise (a copy) it may be loaded.
                node = self.emit(
                    root.var,
                    at,
                    root=root.dest is self.buffers.home.get(root.var) and root.var not in self.buffers.done,
                )
            self.store(root.dest, at, node, root.var.dtype)
            if root.dest is self.buffers.home.get(root.var):
                self.stored[root.var] = node
        self.loops.keep_in_output(once)

    def row_index(self, root: Root, index: Index) -> Index:
        """The index of a further root that has the kept dims only (a statistic of each row)."""
        if not self.has_reduced:
            r = reduction_behind(root.var)
            keys: list[Atom] = [("k", d) for d in reduced_dims(r)] if r is not None else []
            # Rows only: a sum over outer dims is better done apart from a pointwise result that does not need it.
            if (
                r is None
                or r.prim.name in IN_SEQUENCE
                or r.inputs[0].ndim != len(index)
                or len(keys) == len(index)
                or keys[0] != ("k", len(index) - len(keys))
            ):
                raise NeedBuffer(root.var)
            self.space.reduced = keys
            raise Restart
        kept = [d for d in range(len(index)) if ("k", d) not in set(self.space.reduced or ())]
        if len(kept) != len(root.shape) or not self.kept:
            raise NeedBuffer(root.var)
        full = self.roots[0].shape
        if not all(same(full[d], n) for d, n in zip(kept, root.shape, strict=True)):
            raise NeedBuffer(root.var)
        return tuple(index[d] for d in kept)

    # -- operands ----------------------------------------------------------------------------------------------------
    def level(self, *lins: Lin) -> str:
        if not self.has_reduced:
            return "F"
        return "K" if all(self.reduced_set.isdisjoint(lin.terms) for lin in lins) else "F"

    def operand(
        self, view: View, index: Index, d: dtype, write: bool, level: str | None = None, at: Index | None = None
    ) -> int:
        lin = Lin.at(view.offset, index, view.strides)
        level = level or self.level(*index)
        if not write:
            for k, o in enumerate(self.operands):
                if (
                    not o.write
                    and o.buffer == view.buffer
                    and o.lin.key == lin.key
                    and o.dtype is d
                    and self.loops.operands[k].level == level
                ):
                    return k
        self.operands.append(KernelOperand(view.buffer, lin, d, write, at))
        return self.loops.operand(d.name, level, write)

    def element(self, view: View, index: Index) -> Index | None:
        """`index` where it is the element's place in the whole buffer."""
        return index if is_zero(view.offset) and view.strides is self.buffers.strides_of(view.buffer) else None

    def store(self, dest: View, index: Index, node: Node, d: dtype) -> None:
        level = self.level(*index)
        k = self.operand(dest, index, d, True, level, self.element(dest, index))
        self.loops.stores.append(Store(k, node, level))

    def load(self, view: View, index: Index, d: dtype) -> Node:
        level = self.level(*index)
        return self.loops.node(
            "load", (), d.name, self.operand(view, index, d, False, at=self.element(view, index)), level
        )

    def scalar(self, what: Any, d: str) -> int:
        for k, (w, name) in enumerate(zip(self.scalars, self.loops.scalars, strict=True)):
            if name == d and _scalar_key(w) == _scalar_key(what):
                return k
        self.scalars.append(what)
        return self.loops.scalar(d)

    def size(self, n: Int) -> Node:
        """A size as an int64 value."""
        if not isinstance(n, Sym):
            return self.loops.node("const", (), "int64", int(n), "S")
        return self.loops.node("scalar", (), "int64", self.scalar(("sym", n), "int64"), "S")

    def number(self, lin: Lin) -> Node:
        """The value of an affine index."""
        if lin.terms and not self.has_reduced:
            # As the place in a buffer of bytes that begins at address 0: its dims then coalesce as those of any
            # operand.
            k = next((k for k, o in enumerate(self.operands) if o.buffer < 0 and o.lin.key == lin.key), -1)
            if k < 0:
                self.operands.append(KernelOperand(-1, lin, int8, False))
                k = self.loops.operand("int8", "F", False)
            return self.loops.node("place", (), "int64", k, "F")
        total: Node | None = None if not is_zero(lin.offset) or lin.terms else self.size(0)
        if not is_zero(lin.offset):
            total = self.size(lin.offset)
        for atom, c in lin.terms.items():
            reduced = atom in self.reduced
            where = ("r", self.reduced.index(atom)) if reduced else ("k", self.kept.index(atom))
            term = self.loops.node("index", (), "int64", where, "F" if reduced or not self.has_reduced else "K")
            if isinstance(c, Sym) or c != 1:
                term = self.loops.node("mul", (term, self.size(c)), "int64")
            total = term if total is None else self.loops.node("add", (total, term), "int64")
        assert total is not None
        return total

    # -- values ------------------------------------------------------------------------------------------------------
    def emit(self, var: Var, index: Index, root: bool = False) -> Node:
        """The node of `var` at `index`."""
        # Along a dim of size 1 there is one index only, and it is 0.
        for i, n in zip(index, var.shape, strict=True):
            if i is not ZERO and not isinstance(n, Sym) and n == 1:
                index = tuple(
                    [ZERO if not isinstance(n, Sym) and n == 1 else i for i, n in zip(index, var.shape, strict=True)]
                )
                break
        # A pointwise value hands its index on as it is: what tells it from others is worked out once.
        known = self.index_number.get(id(index))
        if known is None:
            known = self.index_number[id(index)] = (
                self.key_number.setdefault(tuple([i.key for i in index]), len(self.key_number)),
                index,
            )
        key = (id(var), known[0])
        node = self.memo.get(key)
        if node is None:
            node = self.memo[key] = self.emit_new(var, index, root)
        return node

    def emit_new(self, var: Var, index: Index, root: bool) -> Node:
        buffers = self.buffers
        if var.kind == "scalar":
            k = buffers.input_number[var]
            return self.loops.node("scalar", (), var.dtype.name, self.scalar(("input", k), var.dtype.name), "S")
        e = var.eqn if var.kind == "value" else None
        home = buffers.home.get(var)
        if home is not None and not root:
            if (
                e is not None
                and var not in buffers.done
                and var not in self.space.forbid
                and buffers.fusable(var)
                and self.visits_once(var, index)
            ):
                try:
                    node = self.compute(var, e, index)
                except NeedBuffer as need:
                    if need.var is not var:
                        raise
                    self.space.forbid |= {var}  # it has a buffer, and this kernel cannot fill it: load it
                    raise Restart from None
                self.store(home, index, node, var.dtype)
                self.stored[var] = node
                return node
            self.loaded.add(var)
            return self.load(home, index, var.dtype)
        if e is None:
            raise AssertionError(f"compiler: {var} has neither a buffer nor an equation")
        if not buffers.fusable(var) or (e.prim.name == "buffered" and home is None):
            raise NeedBuffer(var)
        if (self.depth > MAX_DEPTH or len(self.emitted) > MAX_EQNS) and not root and var.shape:
            buffers.cuts.add(var)
            raise NeedBuffer(var)
        return self.compute(var, e, index)

    def visits_once(self, var: Var, index: Index) -> bool:
        """Whether this kernel visits each element of var exactly once at full level, or once per kept index."""
        if not self.buffers.absorb or var in self.buffers.cuts:
            return False
        atoms = covers(index, var.shape, self.size_of)
        if atoms is None:
            return False
        if self.has_reduced and atoms == set(self.kept):
            return True
        if not self.has_reduced and atoms and self.allow_reduce and (r := reduction_behind(var)) is not None:
            # A statistic of this kernel's rows (a saved mean): with its reduction, this becomes a kernel over rows.
            others = [a for a in self.order if a not in atoms]
            if others and self.reduce_these(r, atoms, others):
                raise Restart
        if self.space.over_windows:  # which overlap, and of which several are visited at once
            return False
        # (With no kept dims, a full-level store would make one work item of the whole kernel.)
        return atoms == set(self.kept) | set(self.reduced) and (bool(self.kept) or not self.has_reduced)

    def compute(self, var: Var, e: Eqn, index: Index) -> Node:
        code = self._COMPUTED.get(e.prim.name) or self._COMPUTED.get(e.prim.kind)
        if code is None:
            raise AssertionError(f"compiler: {e.prim.name} of kind {e.prim.kind} cannot be part of a kernel")
        self.emitted.add(e)
        self.depth += 1
        node = code(self, var, e, index)
        self.depth -= 1
        return node

    def identical(self, var: Var, e: Eqn, index: Index) -> Node:
        return self.emit(e.inputs[0], index)

    def pointwise(self, var: Var, e: Eqn, index: Index) -> Node:
        if e.prim.cost.once or self.buffers.long(var):
            self.check_repeats(var, index)
        args = tuple([self.emit(v, index) for v in e.inputs])
        return self.loops.node(e.prim.name, args, var.dtype.name, e.params.get("n"))

    def view(self, var: Var, e: Eqn, index: Index) -> Node:
        old = index_behind(e, index, self.size_of)
        if old is not None:
            return self.emit(e.inputs[0], old)
        # Not affine: through a contiguous copy of the operand, which has the new shape's strides as well.
        copy = self.buffers.contiguous_copy(e.inputs[0])
        self.loaded.add(copy.var)
        return self.load(View(copy.view.buffer, 0, strides_of(var.shape)), index, var.dtype)

    def constant(self, var: Var, e: Eqn, index: Index) -> Node:
        value = e.params["value"]
        if isinstance(value, Sym):
            return self.loops.node("convert", (self.size(value),), var.dtype.name)
        return self.loops.node("const", (), var.dtype.name, value, "S")

    def iota(self, var: Var, e: Eqn, index: Index) -> Node:
        node = self.number(index[e.params["dim"]])
        return node if var.dtype.name == "int64" else self.loops.node("convert", (node,), var.dtype.name)

    def random_bits(self, var: Var, e: Eqn, index: Index) -> Node:
        seed, offset = (self.as_int64(self.emit(v, ())) for v in e.inputs)
        counter = self.loops.node("add", (offset, self.number(flatten(index, var.shape))), "int64")
        return self.loops.node("random_bits", (seed, counter), var.dtype.name)

    def as_int64(self, node: Node) -> Node:
        return node if node.dtype == "int64" else self.loops.node("convert", (node,), "int64")

    def check_repeats(self, var: Var, index: Index) -> None:
        """A value that is expensive, or long in the making, of fewer dims than the kernel would be computed once per
        element: give it a buffer.
        """
        if not var.shape or var in self.buffers.home:
            return
        atoms = {a for i in index for a in i.terms}
        here = set(self.kept) | (set(self.reduced) if self.level(*index) == "F" else set())
        if not atoms >= here and atoms:
            raise NeedBuffer(var)

    def gather(self, var: Var, e: Eqn, index: Index) -> Node:
        x, *indices = e.inputs
        dims: tuple[int, ...] = e.params["dims"]
        if self.has_reduced and len(self.reduced) > 1 and self.level(*index) == "F":
            raise NeedBuffer(var)
        base = self.buffers.base(x)
        if base is None:
            raise NeedBuffer(x)
        owner, home = base
        self.loaded.add(owner)
        n = indices[0].ndim
        args = tuple(self.emit(i, index[:n]) for i in indices)
        rest = [d for d in range(x.ndim) if d not in dims]
        view = View(home.buffer, home.offset, tuple(home.strides[d] for d in rest))
        level = self.level(*index)
        operand = self.operand(view, index[n:], x.dtype, False, level)
        where = tuple(
            (self.scalar(("sym", x.shape[d]), "int64"), self.scalar(("sym", home.strides[d]), "int64")) for d in dims
        )
        return self.loops.node("gather", args, var.dtype.name, (operand, where), level)

    # -- reductions --------------------------------------------------------------------------------------------------
    def reduce(self, var: Var, e: Eqn, index: Index) -> Node:
        x = e.inputs[0]
        dims = reduced_dims(e)
        if not self.allow_reduce:
            raise NeedBuffer(var)
        sizes = [x.shape[d] for d in dims]
        atoms = covers(index, var.shape, self.size_of)
        if atoms is None:
            raise NeedBuffer(var)
        if not self.has_reduced:
            # Every dim of the roots that this reduction does not keep is one it reduces; or it brings dims of its own.
            others = [a for a in self.order if a not in atoms]
            if others:
                if not self.reduce_these(e, atoms, others):
                    raise NeedBuffer(var)
            else:
                self.space.reduced, self.space.new_reduced = [], sizes
            raise Restart
        if atoms != set(self.kept):
            raise NeedBuffer(var)
        if e.prim.name in IN_SEQUENCE and self.space.reduced:  # dims of a root, which would be stored on the way
            raise NeedBuffer(var)
        if any(n.op == "reduce" and (n.param in IN_SEQUENCE) != (e.prim.name in IN_SEQUENCE) for n in self.loops.nodes):
            raise NeedBuffer(var)
        if not self.kept and self.in_full:
            raise NeedBuffer(var)  # one item would do all the work of two sweeps
        parts = self.assign(sizes, self.reduced)
        if parts is None:
            raise NeedBuffer(var)
        inner: list[Lin] = []
        kept, reduced = list(index), list(parts)
        for d in range(x.ndim):
            inner.append(reduced.pop(0) if d in dims else kept.pop(0))
        was, self.in_full = self.in_full, True
        self.space.over_windows = e.prim.name in IN_SEQUENCE
        try:
            arg = self.emit(x, tuple(inner))
        finally:
            self.in_full = was
        return self.loops.node("reduce", (arg,), var.dtype.name, e.prim.name, "K")

    def reduce_these(self, e: Eqn, atoms: set[Atom], others: list[Atom]) -> bool:
        """Make `others` the reduced dims, when reduction `e` keeps `atoms` and there is something to keep."""
        if e.prim.name in IN_SEQUENCE:  # of windows nothing is stored on the way
            return False
        tops = list(dict.fromkeys(self.top(a) for a in others))
        sizes = [e.inputs[0].shape[d] for d in reduced_dims(e)]
        if not atoms or any(self.top(a) in tops for a in atoms) or self.assign(sizes, others) is None:
            return False
        self.space.reduced = tops
        return True

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

    # How a value is computed in a kernel whose primitive is of this name or kind.
    _COMPUTED = {
        "buffered": identical,
        "pointwise": pointwise,
        "view": view,
        "reduce": reduce,
        "constant": constant,
        "iota": iota,
        "random_bits": random_bits,
        "gather": gather,
    }


def reduction_behind(var: Var) -> Eqn | None:
    """The reduction that `var` is a pointwise function of, if any."""
    work, seen = [var], set()
    while work:
        v = work.pop()
        if v in seen or v.eqn is None:
            continue
        seen.add(v)
        if v.eqn.prim.kind == "reduce":
            return v.eqn
        if v.eqn.prim.kind == "pointwise":
            work.extend(v.eqn.inputs)
    return None


def reduced_dims(e: Eqn) -> tuple[int, ...]:
    """The dims that a reduction takes away, in ascending order."""
    if "dim" in e.params:
        return (e.params["dim"] % e.inputs[0].ndim,)
    return tuple(sorted(d % max(e.inputs[0].ndim, 1) for d in e.params["dims"]))


def _scalar_key(what: Any) -> Any:
    kind, value = what
    return kind, value.key if isinstance(value, Sym) else value
