"""A compiled loop nest, and its machine code for each variant, made when first asked for."""

from __future__ import annotations

from typing import NamedTuple

from rushlight.compiler.kernels import cache
from rushlight.core import locks
from rushlight.program.loops import BLOCK, CHUNK, LANES, SEQUENTIAL, Loops

POINTWISE_BLOCK = 4096
TILE_BLOCK = 64  # a work item of mode "tile" is so many rows by so many columns
# nodes of a sweep, those that are not cheap counted fourfold, up to which whole groups have a loop of their own
GROUPED = 12
PAIRED_FROM = 64  # chunks: in less the two places would not lie far enough apart to gain anything
WIDE = 8  # vectors of columns per work item, in a reduction over outer dims
# ns per element, roughly, on one core: for the core to decide how many threads a launch is worth.
_COSTLY = {
    "gather": 1.0,
    "random_bits": 1.0,
    "div": 0.15,
    "sqrt": 0.15,
    "rem": 1.5,
    "floordiv": 1.5,
    "fmod": 1.5,
    "pow": 0.8,
    "lgamma": 2.0,
    "digamma": 2.0,
}
CHEAP = frozenset(
    "load place scalar const index add sub mul neg abs max min select convert bitcast eq ne lt le gt ge and_ or_ xor "
    "not_ shl shr "
    "floor ceil round trunc real imag conj complex isnan sign copysign reduce".split()
)


def block_of(loops: Loops, mode: str, R: int = 0, classes: str = "") -> int:
    """How many elements of the innermost kept dim one work item covers; in mode "part", how many chunks, if they are
    PAIRED_FROM or more.

    Two chunks are read side by side where a variant does little but read one contiguous operand: from two places that
    lie far apart one core gets more bytes a second than from one.
    """
    if mode == "part":
        sweep = [n for n in loops.live() if n.level == "F"]
        read = [classes[k] for k in {n.param for n in sweep if n.op == "load"}]
        cheap = all(n.op in CHEAP and n.op not in ("index", "place") for n in sweep)
        return 2 if R == 1 and read == ["c"] and cheap and len(sweep) <= GROUPED else 1
    if mode == "tile":
        return TILE_BLOCK
    if mode not in ("col", "colpart"):
        return 1
    return POINTWISE_BLOCK if not loops.reduced or loops.in_sequence else WIDE * LANES if loops.wide else LANES


class Code(NamedTuple):
    """Machine code of one variant: its address; what a work item covers (`block_of`); ns per element."""

    address: int
    block: int
    cost: float


class Kernel:
    """One loop nest. The core coalesces dims (when `coalesce`) and asks for a variant.

    Attributes for the core: coalesce; kept, reduced (ranks in the plan); has_reduction; splittable, wide and
    partial_bytes (see `plan.Launch`); in_sequence (reductions of windows: mode "col" always); n_operands; col_block
    (the block of mode "col"); sequential (it has a scan or scatter: reduced dims are visited one element at a time);
    is_copy (it does nothing but write its first operand's elements to the second).

    Coalescing: drop dims of size 1; order kept dims (reduced dims keep their order) and merge adjacent ones whose
    strides fit for every operand. At least one kept dim remains, and at least one reduced dim when reduced > 0 (size 1,
    strides 0).
    """

    def __init__(self, loops: Loops) -> None:
        self.loops = loops
        self.coalesce, self.kept, self.reduced = loops.coalesce, loops.kept, loops.reduced
        live = loops.live()
        reduces = [n for n in live if n.op == "reduce"]
        self.has_reduction = bool(reduces)
        self.splittable, self.wide, self.in_sequence = loops.splittable, loops.wide, loops.in_sequence
        self.is_copy = (
            not loops.reduced
            and len(loops.operands) == 2
            and [(s.mode, s.value.op) for s in loops.stores] == [("store", "load")]
        )
        self.gathered = next((n.param[0] for n in live if n.op == "gather" and n.level == "F"), -1)
        self.sequential = any(s.mode in SEQUENTIAL for s in loops.stores)
        self.n_operands, self.col_block = len(loops.operands), block_of(loops, "col")
        self.partial_bytes = 8 * sum(_state_parts(n.args[0].dtype, n.param) for n in reduces)
        self.cost = 0.03 + sum(
            0.02 if n.op in CHEAP else _COSTLY.get(n.op, 0.3) for n in live if n.level == "F" or not loops.reduced
        )
        self._text = loops.text()
        self._codes: dict[tuple[int, int, str, str], Code] = {}

    def variant(self, K: int, R: int, mode: str, classes: bytes | str) -> Code:
        """The code for K kept and R reduced dims, a mode ("col", "row", "part", "final") and one class per operand.

        mode "col": the vector axis is the innermost kept dim; "row": the innermost reduced dim (needs R >= 1); "part"
        (or "colpart", when `wide`) and "final": the two steps of a split launch. A kernel without reduced dims has
        "col" only. "tile", without reduced dims and with K >= 2: the innermost two kept dims in tiles, for transposed
        operands.
        classes: per operand "c" (its stride along the vector axis is one element), "b" (0) or "s" (any other); in mode
        "tile" "t" for an operand of at most 8 bytes whose stride along the second innermost dim is one element.
        """
        if isinstance(classes, bytes):
            classes = classes.decode("ascii")
        if mode == "final":  # no operand is walked along the reduced dims
            classes = "s" * self.n_operands
        key = (K, R, mode, classes)
        code = self._codes.get(key)
        if code is None:
            with locks.building:
                code = self._codes.get(key)
                if code is None:
                    text = f"{self._text}\nvariant {K} {R} {mode} {classes} order {LANES} {BLOCK} {CHUNK}"
                    address = cache.get(text, lambda: self._build(K, R, mode, classes))
                    code = self._codes[key] = Code(address, block_of(self.loops, mode, R, classes), self.cost)
        return code

    def _build(self, K: int, R: int, mode: str, classes: str) -> cache.Made:
        from rushlight.compiler.emit import generator
        from rushlight.compiler.llvm import machine

        return machine.machine_code(
            lambda: generator.generate(self.loops, K, R, mode, classes), self._walks_rows(R, mode)
        )

    def _walks_rows(self, R: int, mode: str) -> bool:
        """Whether columns are reduced row after row: the loop over a row is so short that address arithmetic shows."""
        return R > 0 and mode in ("col", "colpart") and self.has_reduction

    def assembly(self, K: int, R: int, mode: str, classes: str) -> str:
        """The machine code of a variant as text."""
        from rushlight.compiler.emit import generator
        from rushlight.compiler.llvm import machine

        return machine.assembly(generator.generate(self.loops, K, R, mode, classes), self._walks_rows(R, mode))

    def __repr__(self) -> str:
        return self._text


_interned: dict[str, Kernel] = {}
cache.also_forget.append(_interned.clear)


def kernel_for(loops: Loops) -> Kernel:
    """The kernel of this loop nest: one object for equal nests, so that programs share its variants."""
    text = loops.text()
    return _interned.get(text) or _interned.setdefault(text, Kernel(loops))


def _state_parts(dtype: str, name: str) -> int:
    return (2 if dtype.startswith("complex") else 1) + (name in ("argmax", "argmin"))
