"""Variants of a kernel: what a launch chooses among, and how the work of each is cut into items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rushlight.compiler.costs import cost_of
from rushlight.core.dtypes import by_name
from rushlight.core.launch import ROWS_TOGETHER
from rushlight.program.loops import LANES, SEQUENTIAL, Loops, Node

POINTWISE_BLOCK = 4096
TILE_BLOCK = 64  # a work item of mode TILE is so many rows by so many columns
# the most nodes of a sweep (those that are not cheap count fourfold) for which whole groups have a loop of their own;
# and that number with AVX-512's registers (eight exponentials in a row took twice the time of eight kernels, vector
# after vector)
GROUPED, GROUPED_WIDE = 12, 40
SMALL = 6  # nodes of a sweep over rows of columns that is worth writing out
PAIR_LANES = 32
TURNED_BYTES = 1 << 17  # of the stack, for buffers of operands that lie transposed along reduced dims
WIDE = 8  # vectors of columns per work item, in a reduction over outer dims


class Mode(StrEnum):
    """Along which dims the vectors lie, and what a work item is.

    COL: along the innermost kept dim; ROW: along the innermost reduced one. PART, or COLPART with columns along the
    vectors, and FINAL: the two steps of a split launch. TILE: the innermost two kept dims in tiles, some operands being
    transposed.
    """

    COL = "col"
    ROW = "row"
    PART = "part"
    COLPART = "colpart"
    FINAL = "final"
    TILE = "tile"

    @property
    def by_columns(self) -> bool:
        """Whether the vectors lie along the innermost kept dim."""
        return self in (Mode.COL, Mode.COLPART, Mode.TILE)


@dataclass(frozen=True)
class Variant:
    """K kept and R reduced dims, a mode, and a class per operand.

    Classes: "c" (the operand's stride along the vector axis is one element), "b" (0) or "s" (any other); in mode TILE
    "t" for an operand of at most 8 bytes whose stride along the second innermost dim is one element, and in modes ROW
    and PART of several dims (where `turned_room` says so) for one whose stride along another reduced dim is; in mode
    COL, without reduced dims, "r" for an operand whose stride is minus one element (a flipped one).
    """

    loops: Loops
    K: int
    R: int
    mode: Mode
    classes: str

    def __str__(self) -> str:
        return f"{self.K} {self.R} {self.mode} {self.classes}"

    def check(self) -> None:
        """ValueError where the ranks, the mode or the classes do not fit the kernel."""
        loops, K, R, mode, classes = self.loops, self.K, self.R, self.mode, self.classes
        if len(classes) != len(loops.operands) or set(classes) - set(
            "cbst" if mode is Mode.TILE or self.tells_turned else "cbsr" if self.tells_backward else "cbs"
        ):
            raise ValueError(
                f"kernel: expected {len(loops.operands)} operand classes among c, b and s, found {classes!r}"
            )
        if mode is Mode.TILE and (loops.reduced or K < 2 or not loops.coalesce):
            raise ValueError("kernel: it has no tiles")
        fits = loops.coalesce or (max(loops.kept, 1), loops.reduced) == (K, R)
        if K < 1 or (R > 0) != (loops.reduced > 0) or not fits:
            raise ValueError(
                f"kernel: {K} kept and {R} reduced dims do not fit a kernel of {loops.kept} and {loops.reduced}"
            )
        if mode in (Mode.PART, Mode.FINAL) and not loops.splittable or mode is Mode.COLPART and not loops.wide:
            raise ValueError("kernel: it cannot be split")

    @property
    def tells_backward(self) -> bool:
        """Whether an operand that lies in reverse order along the vector axis has a class of its own."""
        return self.mode is Mode.COL and self.R == 0

    @property
    def tells_turned(self) -> bool:
        """Whether an operand that lies transposed along the reduced dims has a class of its own."""
        return self.mode in (Mode.ROW, Mode.PART) and self.R > 1 and turned_room(self.loops) > 0

    @property
    def turns(self) -> bool:
        """Whether there is such an operand."""
        return self.tells_turned and "t" in self.classes

    @property
    def walks_rows(self) -> bool:
        """Whether columns are reduced row after row: the loop over a row is so short that address arithmetic shows."""
        return self.R > 0 and self.mode in (Mode.COL, Mode.COLPART) and self.loops.has_reduction

    @property
    def reads_one(self) -> bool:
        """Whether a reduction along a row does little but read one contiguous operand: two parts of it are then read
        side by side. One chain of additions is slower than the second-level cache, and from two places that lie far
        apart one core gets more bytes per second of the memory than from one.
        """
        if self.mode not in (Mode.ROW, Mode.PART) or self.R != 1:
            return False
        sweep = [n for n in self.loops.nodes if n.level == "F"]
        read = [self.classes[k] for k in {n.param for n in sweep if n.op == "load"}]
        cheap = all(cost_of(n.op).cheap and n.op not in ("index", "place") for n in sweep)
        return read == ["c"] and cheap and len(sweep) <= GROUPED

    @property
    def paired(self) -> bool:
        """Whether an item of mode PART may be two chunks, read side by side."""
        return self.mode is Mode.PART and self.reads_one

    @property
    def pairs_rows(self) -> bool:
        """Whether rows may be computed two by two: nothing but arithmetic, of which something is reduced."""
        loops = self.loops
        sweep = [n for n in loops.nodes if n.level == "F"]
        return (
            self.mode is Mode.ROW
            and self.R == 1
            and loops.has_reduction
            and not loops.in_sequence
            and not any(s.mode in SEQUENTIAL for s in loops.stores)
            and all(map(arithmetic, sweep))
        )

    @property
    def scans_rows(self) -> bool:
        """Whether rows that are scanned may lie along the lanes: a row's values depend on its elements alone."""
        loops = self.loops
        apart = all(
            n.level in "SF"
            and n.op not in ("place", "gather", "random_bits")
            and (n.op != "index" or n.param[0] == "r")
            for n in loops.nodes
        )
        return self.mode is Mode.ROW and self.R == 1 and apart and all(s.mode == "scan" for s in loops.stores)

    @property
    def scans_rows_from(self) -> int:
        """From how many elements on rows lie along the lanes: a tile of shorter ones takes longer to be turned, before
        and after, than its elements take one by one, if these are cheap.
        """
        swept = [n for n in self.loops.nodes if n.level == "F"]
        running = [(s.param[0], by_name[s.param[1]]) for s in self.loops.stores]
        narrow = any(by_name[n.dtype].compute is not by_name[n.dtype] for n in swept)
        sums = all(name in ("cumsum", "cumprod") or (d.kind == "f" and "log" not in name) for name, d in running)
        if narrow or not sums or not all(cost_of(n.op).cheap for n in swept):
            return 0
        return 8 if all(d.itemsize <= 4 for _, d in running) else 32

    @property
    def scatters_rows(self) -> bool:
        """Whether rows of columns are scattered, each to one place: a work item is then a slice of the places, not of
        the columns.
        """
        stores = self.loops.stores
        return (
            self.mode is Mode.COL
            and [s.mode for s in stores] == ["scatter"]
            and all(n.level in "SF" for n in self.loops.nodes)
            and all(self.uniform(n) for n in stores[0].index)
        )

    @property
    def reduces_integers(self) -> bool:
        """Whether columns of integers are reduced, which come to the same in any order, by little work: a column then
        has one state, in a register.
        """
        loops = self.loops
        if self.mode is not Mode.COL or self.R != 1 or not loops.wide or "s" in self.classes:
            return False
        ((reduces, _),) = loops.stages()
        nodes = swept(reduces)
        exact = all(by_name[r.args[0].dtype].kind in "biu" and not r.param.startswith("arg") for r in reduces)
        return exact and small(nodes) and all(n.op != "gather" for n in nodes)

    @property
    def block(self) -> int:
        """How many elements of the innermost kept dim a work item covers; in mode PART, how many chunks, if they are
        PAIRED_FROM or more; 0 where the launch says how many slices of the places of a scatter there are. Where
        integers are reduced in columns, of ROWS_TOGETHER rows, if these have an operand in common.
        """
        if self.scatters_rows:
            return 0
        if self.mode is Mode.PART:
            return 2 if self.paired else 1
        if self.K > 1 and self.reduces_integers:
            rows: int = ROWS_TOGETHER
            return rows * block_of(self.loops)
        return TILE_BLOCK if self.mode is Mode.TILE else block_of(self.loops) if self.mode.by_columns else 1

    @property
    def told_block(self) -> bool:
        """Whether the launch says how many columns a work item has, `block` at most: of a few hundred columns that is
        fewer, so that there are items for all threads. Or how many slices there are of the places of a scatter.
        """
        return self.mode is Mode.COL and self.R > 0 and self.loops.wide or self.scatters_rows

    def uniform(self, n: Node) -> bool:
        """Whether a value is the same in all lanes of a vector of columns or of a row."""
        col, classes = self.mode.by_columns, self.classes
        if n.level == "K":
            if not col or n.op == "index":
                return not col or n.param[1] != self.K - 1
            if n.op in ("load", "place"):
                return classes[n.param] == "b"
            return n.op not in ("gather", "random_bits", "reduce") and all(self.uniform(a) for a in n.args)
        if n.op == "load":
            return classes[n.param] == "b" and (self.R < 2 or col)
        if n.op == "place":
            return classes[n.param] == "b"
        if n.op == "index":
            kind, d = n.param
            return kind == "k" and d != self.K - 1 if not self.R else kind == "r" and col
        return n.op not in ("gather", "random_bits") and (n.level == "S" or all(self.uniform(a) for a in n.args))


def arithmetic(n: Node) -> bool:
    """Whether a node is that, written in place, or a load."""
    return n.op not in ("index", "place", "gather", "random_bits") and not cost_of(n.op).called


def block_of(loops: Loops) -> int:
    """How many elements of the innermost kept dim one work item of mode COL covers."""
    return POINTWISE_BLOCK if not loops.reduced or loops.in_sequence else WIDE * LANES if loops.wide else LANES


def turned_room(loops: Loops) -> int:
    """How many elements of each operand a buffer has room for where some lie transposed along the reduced dims
    (`turned.py`), a multiple of LANES; 0 where the kernel's sweeps must follow the operands themselves.
    """
    sweep = [n for n in loops.nodes if n.level == "F"]
    followed = any(n.op in ("index", "place", "gather", "random_bits") for n in sweep)
    sequential = loops.in_sequence or any(s.mode in SEQUENTIAL for s in loops.stores)
    if not loops.has_reduction or not loops.coalesce or followed or sequential:
        return 0
    read = {n.param for n in sweep if n.op == "load"}
    return TURNED_BYTES // max(sum(by_name[loops.operands[k].dtype].itemsize for k in read), 1) & -LANES


def small(nodes: Sequence[Node]) -> bool:
    """Whether a sweep over rows of columns is worth writing out."""
    computed = [n for n in nodes if n.op != "gather"]
    return len(computed) <= SMALL and all(cost_of(n.op).cheap for n in computed)


def swept(reduces: Sequence[Node]) -> list[Node]:
    """The nodes of the sweep: kept-level loads too are done at each step (they are in the cache)."""
    found: dict[int, Node] = {}
    work = [r.args[0] for r in reduces]
    while work:
        n = work.pop()
        if n.level != "S" and n.id not in found:
            found[n.id] = n
            work.extend(n.args)
    return [found[k] for k in sorted(found)]
