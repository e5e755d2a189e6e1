"""The function of a variant: its arguments, and the small things that kernels are written with.

    int64 k(void **ptrs, const int64 *params, int64 begin, int64 end)

ptrs: one pointer per operand (its offset applied), in modes "part", "colpart" and "final" the workspace, and last the
error record (flag, index, size, dim). params: kept sizes, reduced sizes, each operand's strides in bytes (kept, then
reduced dims), how many columns a work item has or how many slices there are (where `Variant.told_block` says
so), the scalars (8 bytes, complex 16).

A loop's counter is a phi; other mutable state is in allocas, which SROA turns into registers.
"""

from __future__ import annotations

import copy
from contextlib import AbstractContextManager
from dataclasses import replace

from rushlight.compiler.emit.scalar import Value, compute_types
from rushlight.compiler.emit.variant import Mode, Variant
from rushlight.compiler.llvm import ir
from rushlight.compiler.llvm.control import counted
from rushlight.compiler.llvm.ir import I1, I8, I64, PTR
from rushlight.compiler.llvm.lanes import const, element, lanes_of, shaped
from rushlight.core.dtypes import by_name


class Frame:
    """The function under construction. Nothing of it changes but the builder's position.

    Attributes: variant, and its K, R and classes; b: the builder; module: holds the function `k`; begin, end: the
    work items to do; block: elements of the innermost kept dim of one; dtypes, pointers, strides (in bytes, kept
    then reduced dims): of the operands; kept, reduced: sizes; n_reduced: their product; scalars: values; workspace,
    err: pointers.
    """

    def __init__(self, variant: Variant) -> None:
        self.variant, self.loops = variant, variant.loops
        self.K, self.R, self.by_columns = variant.K, variant.R, variant.mode.by_columns
        # (What lies transposed along reduced dims is strided, but for a sweep over buffers: `turned.py`.)
        self.classes = variant.classes.replace("t", "s") if variant.turns else variant.classes
        self.dtypes = [by_name[o.dtype] for o in self.loops.operands]
        self.arrays: dict[str, ir.Value] = {}
        self.module = ir.Module("k")
        fn = ir.Function(self.module, I64, [PTR, PTR, I64, I64], "k")
        self._entry = fn.append_basic_block("entry")
        b = self.b = ir.IRBuilder(fn, self._entry)
        ptrs, self._params, self.begin, self.end = fn.args
        self._start = fn.append_basic_block("start")
        b.position_at_end(self._start)
        n, K, R = len(self.loops.operands), self.K, self.R
        extra = 1 if variant.mode in (Mode.PART, Mode.COLPART, Mode.FINAL) else 0
        pointers = [b.load(self.at(ptrs, PTR, I64(i)), typ=PTR) for i in range(n + extra + 1)]
        self.pointers, self.err = pointers[:n], pointers[-1]
        self.workspace = pointers[n] if extra else ir.NULL
        self.kept = [self._param(d) for d in range(K)]
        self.reduced = [self._param(K + d) for d in range(R)]
        base = K + R
        self.strides = [[self._stride(i, d, base + i * (K + R) + d) for d in range(K + R)] for i in range(n)]
        self.n_reduced: ir.Value = I64(1)
        for s in self.reduced:
            self.n_reduced = b.mul(self.n_reduced, s)
        base += n * (K + R)
        self.block = self._param(base) if variant.told_block else I64(variant.block)
        self.scalars = self._load_scalars(base + variant.told_block)

    def as_line(self) -> Frame:
        """The same function, as if the reduced dims were one, along which all operands are contiguous."""
        line = copy.copy(self)
        line.classes = "c" * len(self.classes)
        line.variant = replace(self.variant, R=1, classes=line.classes)
        line.R, line.reduced = 1, [self.n_reduced]
        line.strides = [[*s[: self.K], I64(d.itemsize)] for s, d in zip(self.strides, self.dtypes, strict=True)]
        return line

    def _param(self, k: int, t: ir.Type = I64) -> ir.Value:
        return self.b.load(self.at(self._params, I64, I64(k)), typ=t)

    def _stride(self, i: int, d: int, k: int) -> ir.Value:
        """Operand i's stride along dim d, in bytes: parameter k, unless its class says what it is."""
        c = self.classes[i]
        if d == (self.K if self.by_columns else self.K + self.R) - 1 and c in "cb" or c == "t" and d == self.K - 2:
            return I64(0 if c == "b" else self.dtypes[i].itemsize)
        if c == "r" and d == self.K - 1:
            return I64(-self.dtypes[i].itemsize)
        return self._param(k)

    def _load_scalars(self, k: int) -> list[Value]:
        values = []
        for name in self.loops.scalars:
            parts = []
            for t in compute_types(by_name[name]):
                if t == I1:
                    parts.append(self.b.icmp_unsigned("!=", self._param(k), I64(0)))
                else:
                    parts.append(self._param(k, t))
                k += 1
            values.append(parts)
        return values

    def finish(self) -> ir.Module:
        """End the function; its module."""
        self.b.ret(I64(0))
        with self.b.goto_block(self._entry):
            self.b.branch(self._start)
        return self.module

    def scalar_value(self, k: int) -> ir.Value:
        """The kernel's k-th scalar, an integer."""
        return self.scalars[k][0]

    # -- variables and memory ----------------------------------------------------------------------------------------
    def var(self, t: ir.Type, init: ir.Value | None = None) -> ir.Value:
        """A mutable variable (an alloca in the entry block)."""
        v = self.b.alloca(t)
        if init is not None:
            self.b.store(init, v)
        return v

    def array(self, t: ir.Type, n: int) -> ir.Value:
        return self.b.alloca(ir.array(t, n))

    def shared_array(self, name: str, t: ir.Type, n: int) -> ir.Value:
        """The array of this name, which all that ask for it use in turn."""
        if name not in self.arrays:
            self.arrays[name] = self.array(t, n)
        return self.arrays[name]

    def at(self, p: ir.Value, t: ir.Type, i: ir.Value) -> ir.Value:
        return self.b.gep(p, [i], source_etype=t)

    def moved(self, p: ir.Value, *offsets: ir.Value) -> ir.Value:
        """p plus byte offsets."""
        for o in offsets:
            p = self.b.gep(p, [o], source_etype=I8)
        return p

    def memory_types(self, types: list[ir.Type]) -> list[ir.Type]:
        """The types in which a state waits in memory: i1 becomes i8."""
        return [I8 if t == I1 else t for t in types]

    def put(self, v: ir.Value, p: ir.Value) -> None:
        lanes = lanes_of(v)
        if element(v.type) == I1:
            v = self.b.zext(v, shaped(I8, lanes))
        self.b.store(v, p)

    def get(self, p: ir.Value, t: ir.Type, lanes: int) -> ir.Value:
        """Load a value of element type t (I1 waits as I8)."""
        if t == I1:
            return self.b.icmp_unsigned("!=", self.b.load(p, typ=shaped(I8, lanes)), const(I8, 0, lanes))
        return self.b.load(p, typ=shaped(t, lanes))

    # -- control and indices -----------------------------------------------------------------------------------------
    def loop(self, start: ir.Value, stop: ir.Value, step: int) -> AbstractContextManager[ir.Value]:
        return counted(self.b, start, stop, step)

    def least(self, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.b.select(self.b.icmp_signed("<", x, y), x, y)

    def decode(self, row: ir.Value, sizes: list[ir.Value]) -> list[ir.Value]:
        """Row-major indices of `row`."""
        out: list[ir.Value] = []
        for size in sizes[:0:-1]:
            out.insert(0, self.b.srem(row, size))
            row = self.b.sdiv(row, size)
        return [row, *out] if sizes else []

    def advance(self, places: dict[int, ir.Value], counts: list[ir.Value]) -> None:
        """Step the reduced index by one (variables `counts`), and the operands' pointers (variables) with it."""
        self._advance_dim(self.R - 1, places, counts)

    def _advance_dim(self, d: int, places: dict[int, ir.Value], counts: list[ir.Value]) -> None:
        b, K = self.b, self.K
        x = b.add(b.load(counts[d], typ=I64), I64(1))
        for k, p in places.items():
            b.store(self.moved(b.load(p, typ=PTR), self.strides[k][K + d]), p)
        b.store(x, counts[d])
        if d == 0:
            return
        with b.if_then(b.icmp_signed("==", x, self.reduced[d])):
            b.store(I64(0), counts[d])
            for k, p in places.items():
                b.store(self.moved(b.load(p, typ=PTR), b.neg(b.mul(self.strides[k][K + d], self.reduced[d]))), p)
            self._advance_dim(d - 1, places, counts)
