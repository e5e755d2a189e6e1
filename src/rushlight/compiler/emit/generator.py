"""A kernel of the loop IR as an LLVM function, for one variant: ranks, mode and the operands' classes along the vector
axis (`frame.py` has the function's arguments).

A class a mode writes the loop over the work items. "col": (outer row) x (block of the innermost kept dim), or where
`Variant.scatters_rows` says so (outer row) x (slice of the places of a scatter); "row" and
"final": kept elements in row-major order; "part": (kept element) x (chunk of CHUNK reduced elements, or a pair of them
where `Variant.paired` says so); "colpart": ("col" item) x (chunk); "tile": (outer row) x (block of rows) x (block of
columns).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from rushlight.compiler.emit import memory, sequences, sweeps, vectors
from rushlight.compiler.emit.columns import WideColumns, reduce_integers, rows_together
from rushlight.compiler.emit.frame import Frame
from rushlight.compiler.emit.item import Item, launch_values
from rushlight.compiler.emit.tiles import RowScans, Tiles
from rushlight.compiler.emit.variant import PAIR_LANES, TILE_BLOCK, Mode, Variant
from rushlight.compiler.llvm import ir, machine
from rushlight.compiler.llvm.ir import I64
from rushlight.core.launch import PAIRED_FROM, ROWS_TOGETHER
from rushlight.program.loops import BLOCK, CHUNK, LANES, SEQUENTIAL, Node, Store

ROWS_FROM = 4  # so many rows are scanned side by side, in lanes of which the others do nothing


class Items(ABC):
    """The work items of a kernel in one mode."""

    def __init__(self, frame: Frame) -> None:
        self.frame, self.loops = frame, frame.loops
        self.known = launch_values(frame)

    @abstractmethod
    def emit(self) -> None:
        """Write the loop over the items from `begin` to `end`."""

    def item(self, index: Sequence[ir.Value]) -> Item:
        """The item at these kept indices."""
        f = self.frame
        base = [
            f.moved(p, *(f.b.mul(x, s) for x, s in zip(index, strides, strict=False)))
            for p, strides in zip(f.pointers, f.strides, strict=True)
        ]
        return Item(f, base, index, self.known)

    def store_kept(self, item: Item) -> None:
        for store in self.loops.stores:
            if store.level == "K":
                item.store(store)


class Rows(Items):
    """Mode "row": the vectors lie along the innermost reduced dim."""

    def emit(self) -> None:
        f = self.frame
        first = self.scans_of_rows() if f.variant.scans_rows else self.pairs() if f.variant.pairs_rows else f.begin
        with f.loop(first, f.end, 1) as number:
            item = self.item(f.decode(number, f.kept))
            for reduces, stores in self.loops.stages():
                self.stage(item, number, reduces, stores)
            self.store_kept(item)

    def pairs(self) -> ir.Value:
        """Rows two by two, where they consist of whole groups; the first item that is left. The sums of a short row
        are a chain, which takes longer than its elements do, and whose end the next sweep waits for.
        """
        f, b = self.frame, self.frame.b
        n = f.n_reduced
        whole = b.and_(b.icmp_signed("==", b.and_(n, I64(PAIR_LANES - 1)), I64(0)), b.icmp_signed("<=", n, I64(BLOCK)))
        stop = b.add(f.begin, b.select(whole, b.and_(b.sub(f.end, f.begin), I64(-2)), I64(0)))
        with f.loop(f.begin, stop, 2) as number:
            rows = [self.item(f.decode(x, f.kept)) for x in (number, b.add(number, I64(1)))]
            for reduces, stores in self.loops.stages():
                vectors.sweep_rows(rows, stores, reduces)
            for row in rows:
                self.store_kept(row)
        return stop

    def scans_of_rows(self) -> ir.Value:
        """Scans of LANES rows at a time; the first item that is left: of fewer than ROWS_FROM rows each is one, and of
        short rows, too.
        """
        f, b = self.frame, self.frame.b
        whole = b.and_(b.add(b.sub(f.end, f.begin), I64(LANES - ROWS_FROM)), I64(-LANES))
        whole = b.select(b.icmp_signed("<", f.n_reduced, I64(f.variant.scans_rows_from)), I64(0), whole)
        stop = f.least(f.end, b.add(f.begin, whole))
        rows = RowScans(Item(f, f.pointers, [], self.known))
        last = b.sub(f.end, I64(1))
        with f.loop(f.begin, stop, LANES) as number:
            with f.loop(I64(0), I64(LANES), 1) as r:
                rows.place(r, self.item(f.decode(f.least(b.add(number, r), last), f.kept)).base)
            rows.scan()
        return stop

    def stage(self, item: Item, number: ir.Value, reduces: list[Node], stores: list[Store]) -> None:
        """One sweep over the reduced dims of kept element `number`."""
        if not any(s.mode in SEQUENTIAL for s in stores):
            vectors.sweep_vectors(item, stores, reduces, I64(0), self.frame.n_reduced)
            return
        if reduces:
            raise AssertionError("a scan and a reduction cannot share a sweep")
        first = stores[0]
        steps = [n.param for n in first.index[-2:]] == [("r", 0), ("r", 1)]
        if self.frame.R == 2 and first.mode == "band" and steps:
            vectors.sweep_steps(item, first)
        else:
            vectors.sweep_elements(item, stores, reduces)


class Combined(Rows):
    """Mode "final": the partial results of the chunks are combined."""

    def stage(self, item: Item, number: ir.Value, reduces: list[Node], stores: list[Store]) -> None:
        sweeps.combine_partials(item, reduces, number)


class Chunks(Items):
    """Mode "part": chunks, or where the variant is paired and they are many a chunk of the first half and the one of
    the second.
    """

    def emit(self) -> None:
        f = self.frame
        b, paired = f.b, f.variant.paired
        chunks = b.sdiv(b.add(f.n_reduced, I64(CHUNK - 1)), I64(CHUNK))
        step = (
            b.select(b.icmp_signed(">=", chunks, I64(PAIRED_FROM)), b.sdiv(b.add(chunks, I64(1)), I64(2)), chunks)
            if paired
            else chunks
        )
        with f.loop(f.begin, f.end, 1) as item:
            kept, first = b.sdiv(item, step), b.srem(item, step)
            index = f.decode(kept, f.kept)
            before = b.mul(kept, chunks)  # chunks of the kept elements before this one
            if not paired:
                self.reduce(index, [(first, b.add(before, first))])
                return
            second = b.add(first, step)
            whole = b.icmp_signed("<=", b.mul(b.add(second, I64(1)), I64(CHUNK)), f.n_reduced)
            with b.if_then(whole):
                self.reduce(index, [(c, b.add(before, c)) for c in (first, second)])
            apart = b.select(b.icmp_signed("<", second, chunks), I64(2), I64(1))
            with f.loop(I64(0), b.select(whole, I64(0), apart), 1) as k:
                chunk = b.add(first, b.mul(k, step))
                self.reduce(index, [(chunk, b.add(before, chunk))])

    def reduce(self, index: Sequence[ir.Value], chunks: Sequence[sweeps.Chunk]) -> None:
        """One chunk of a kept element, or two side by side."""
        f = self.frame
        item = self.item(index)
        for reduces, stores in self.loops.stages():
            start = f.b.mul(chunks[0][0], I64(CHUNK))
            end = f.least(f.n_reduced, f.b.add(start, I64(CHUNK)))
            vectors.sweep_vectors(item, stores, reduces, start, end, chunks)


class Columns(Items):
    """Mode "col": the vectors lie along the innermost kept dim."""

    def emit(self) -> None:
        f = self.frame
        if not f.R and f.K == 1:
            self.emit_range()
        elif f.K > 1 and f.variant.reduces_integers:
            self.emit_rows_together()
        else:
            self.emit_blocks()

    def emit_range(self) -> None:
        """Of a kernel of one dim: the items are one range."""
        f = self.frame
        block = I64(f.variant.block)
        first = f.b.mul(f.begin, block)
        self.block([first], first, f.least(f.kept[0], f.b.mul(f.end, block)))

    def emit_blocks(self) -> None:
        f = self.frame
        b, block, inner = f.b, f.block, f.kept[-1]
        n_blocks = b.sdiv(b.add(inner, b.sub(block, I64(1))), block)
        # Counted on from item to item: a division for each dim is as much as a short row.
        at = [*f.decode(b.sdiv(f.begin, n_blocks), f.kept[:-1]), b.srem(f.begin, n_blocks)]
        places = [f.var(I64, x) for x in at]
        with f.loop(f.begin, f.end, 1):
            index = [b.load(v, typ=I64) for v in places]
            carry: ir.Value | None = None
            for v, i, n in zip(places[::-1], index[::-1], [n_blocks, *f.kept[-2::-1]], strict=True):
                nxt = b.add(i, I64(1))
                full = b.icmp_signed("==", nxt, n)
                stepped = b.select(full, I64(0), nxt)
                b.store(stepped if carry is None else b.select(carry, stepped, i), v)
                carry = full if carry is None else b.and_(carry, full)
            first = b.mul(index[-1], block)
            stop = f.least(inner, b.add(first, block))
            self.block([*index[:-1], first], first, stop)

    def emit_rows_together(self) -> None:
        """Of a kernel that reduces integers: where rows have an operand in common, as those of a product do, an item is
        ROWS_TOGETHER of them, and items go along rows.
        """
        f = self.frame
        b, block, rows = f.b, f.block, f.kept[-2]
        n_blocks = b.sdiv(b.add(f.kept[-1], b.sub(block, I64(1))), block)
        common: ir.Value = ir.I1(0)
        for strides in f.strides:
            common = b.or_(common, b.icmp_signed("==", strides[f.K - 2], I64(0)))
        height, most = b.select(common, I64(ROWS_TOGETHER), I64(1)), rows_together(f)
        high = b.sdiv(b.add(rows, b.sub(height, I64(1))), height)
        sizes = [I64(0), b.select(common, n_blocks, high), b.select(common, high, n_blocks)]
        with f.loop(f.begin, f.end, 1) as item:
            before, outer, inner = f.decode(item, sizes)
            index = f.decode(before, f.kept[:-2])
            top = b.mul(b.select(common, inner, outer), height)
            bottom = f.least(rows, b.add(top, height))
            first = b.mul(b.select(common, outer, inner), block)
            stop = f.least(f.kept[-1], b.add(first, block))
            several = b.add(top, b.and_(b.sub(bottom, top), I64(-most)))
            for start, end, count in ((top, several, most), (several, bottom, 1)):
                with f.loop(start, end, count) as row:
                    items = [self.item([*index, b.add(row, I64(r)), first]) for r in range(count)]
                    reduce_integers([WideColumns(x, first, stop) for x in items])

    def block(self, index: list[ir.Value], first: ir.Value, stop: ir.Value) -> None:
        """Columns [first, stop) of a row."""
        f, item = self.frame, self.item(index)
        if not f.R:
            vectors.sweep_vectors(item, list(self.loops.stores), [], I64(0), f.b.sub(stop, first))
        elif self.loops.wide:
            WideColumns(item, first, stop).emit()
        elif self.loops.in_sequence:
            self.windows(item, f.b.sub(stop, first))
        else:
            axis = memory.Axis(f, f.b.sub(stop, first), LANES)
            item = item.at(item.base, item.index, axis)
            for reduces, stores in self.loops.stages():
                if reduces and any(s.mode in SEQUENTIAL for s in stores):
                    raise AssertionError("a scan and a reduction cannot share a sweep")
                vectors.sweep_elements(item, stores, reduces)
            self.store_kept(item)

    def windows(self, item: Item, columns: ir.Value) -> None:
        """An item whose reductions are those of windows: vector after vector of columns."""
        f, b = self.frame, self.frame.b

        def vector(v: ir.Value, path: str) -> None:
            base = [f.moved(p, b.mul(v, s[f.K - 1])) for p, s in zip(item.base, f.strides, strict=True)]
            index = [*item.index[:-1], b.add(item.index[-1], v)]
            here = item.at(base, index, memory.Axis(f, b.sub(columns, v), LANES, path=path))
            for reduces, stores in self.loops.stages():
                if stores:
                    raise AssertionError("a sweep over windows stores nothing but what it has reduced")
                sweeps.window_reduce(here, reduces, here.sweep_nodes([r.args[0] for r in reduces]))
            for store in self.loops.stores:
                here.store(store)

        whole = b.and_(columns, I64(-LANES))
        with f.loop(I64(0), whole, LANES) as v:
            vector(v, "whole")
        with b.if_then(b.icmp_signed("<", whole, columns)):
            vector(whole, "masked" if machine.masks() else "either")


class ScatteredRows(Items):
    """Mode "col" of a scatter of rows: (outer row) x (slice of the places that the first index names).

    Whoever scatters visits all rows and takes those of its slice: so rows lie in one piece, and each place belongs to
    one thread, as it does in a launch that wrote it before. A slice of the columns would be in the caches of several.
    """

    def emit(self) -> None:
        f = self.frame
        b, slices = f.b, f.block
        (store,) = self.loops.stores
        size, _ = sequences.place_dim(f, store)
        per = b.sdiv(b.add(size, b.sub(slices, I64(1))), slices)
        if f.K == 1:
            self.slice([], b.mul(f.begin, per), b.mul(f.end, per), size)
            return
        with f.loop(f.begin, f.end, 1) as item:
            lo = b.mul(b.srem(item, slices), per)
            self.slice(f.decode(b.sdiv(item, slices), f.kept[:-1]), lo, b.add(lo, per), size)

    def slice(self, outer: list[ir.Value], lo: ir.Value, hi: ir.Value, size: ir.Value) -> None:
        f = self.frame
        (store,) = self.loops.stores
        vectors.scatter_rows(self.item([*outer, I64(0)]), store, f.least(lo, size), f.least(hi, size))


class ColumnChunks(Items):
    """Mode "colpart": chunks of the reduced elements, with columns along the vectors."""

    def emit(self) -> None:
        f = self.frame
        b, block, inner = f.b, I64(f.variant.block), f.kept[-1]
        n_chunks = b.sdiv(b.add(f.n_reduced, I64(CHUNK - 1)), I64(CHUNK))
        n_blocks = b.sdiv(b.add(inner, b.sub(block, I64(1))), block)
        with f.loop(f.begin, f.end, 1) as item:
            chunk, place = b.srem(item, n_chunks), b.sdiv(item, n_chunks)
            first = b.mul(b.srem(place, n_blocks), block)
            row = b.sdiv(place, n_blocks)
            index = [*f.decode(row, f.kept[:-1]), first]
            stop = f.least(inner, b.add(first, block))
            WideColumns(self.item(index), first, stop).emit_part(chunk, n_chunks, row)


class TileItems(Items):
    """Mode "tile": blocks of rows and columns, tile by tile."""

    def emit(self) -> None:
        f = self.frame
        b, K, block = f.b, f.K, I64(TILE_BLOCK)
        rows, columns = f.kept[K - 2], f.kept[K - 1]
        n_i, n_j = (b.sdiv(b.add(n, I64(TILE_BLOCK - 1)), block) for n in (rows, columns))
        tiles = Tiles(Item(f, f.pointers, [], self.known))
        with f.loop(f.begin, f.end, 1) as item:
            place = b.sdiv(item, n_j)
            i0, j0 = b.mul(b.srem(place, n_i), block), b.mul(b.srem(item, n_j), block)
            base = self.item([*f.decode(b.sdiv(place, n_i), f.kept[: K - 2]), i0, j0]).base
            n_rows, n_columns = f.least(block, b.sub(rows, i0)), f.least(block, b.sub(columns, j0))
            with f.loop(I64(0), n_columns, LANES) as j, f.loop(I64(0), n_rows, LANES) as i:
                corner = [
                    f.moved(p, b.mul(i, f.strides[k][K - 2]), b.mul(j, f.strides[k][K - 1])) for k, p in enumerate(base)
                ]
                tiles.tile(corner, f.least(I64(LANES), b.sub(n_rows, i)), f.least(I64(LANES), b.sub(n_columns, j)))


_MODES: dict[Mode, Callable[[Frame], Items]] = {
    Mode.COL: Columns,
    Mode.ROW: Rows,
    Mode.PART: Chunks,
    Mode.COLPART: ColumnChunks,
    Mode.FINAL: Combined,
    Mode.TILE: TileItems,
}


def generate(variant: Variant) -> ir.Module:
    """The LLVM module of one variant.

    Raises:
        ValueError: the ranks, mode or classes do not fit the kernel.
    """
    variant.check()
    frame = Frame(variant)
    (ScatteredRows if variant.scatters_rows else _MODES[variant.mode])(frame).emit()
    return frame.finish()
