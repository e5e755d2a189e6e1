"""A compiled loop nest, and its machine code for each variant, made when first asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rushlight.compiler.costs import cost_of
from rushlight.compiler.emit.variant import Mode, Variant, block_of, turned_room
from rushlight.compiler.kernels import cache, called
from rushlight.compiler.llvm.objfile import Made
from rushlight.core import locks
from rushlight.core.dtypes import by_name
from rushlight.program.loops import BLOCK, CHUNK, LANES, SEQUENTIAL, Loops, Node

if TYPE_CHECKING:
    from rushlight.compiler.llvm import ir


NS_A_BYTE = 0.015  # of operands: 67 GB/s, between what a core gets from its second-level cache and from the third


class Code(NamedTuple):
    """Machine code of one variant: its address; what a work item covers (`Variant.block`); ns per element."""

    address: int
    block: int
    cost: float


def exact(reduce: Node) -> bool:
    """Whether a reduction comes to the same bits in whatever order: of integers and bools, which are not rounded, have
    one zero, and give no index.
    """
    return by_name[reduce.args[0].dtype].kind in "iub" and not reduce.param.startswith("arg")


class Kernel:
    """One loop nest. The core coalesces dims (when `coalesce`) and asks for a variant.

    Attributes for the core: coalesce; kept, reduced (ranks in the plan); has_reduction; splittable, wide and
    partial_bytes (see `plan.Launch`); in_sequence (reductions of windows: mode "col" always); n_operands; col_block
    (the block of mode "col"); cost_of_nodes (`cost` where the operands are close by); places (of a scatter, the scalars
    that are the size and the stride of each dim that an index names); fill_cost; gathers (it reads where an operand's
    elements say); turned_room (see `emit/variant.py`); sequential (it has a scan or scatter: reduced dims are visited
    one element at a time); any_order (reduced dims may change places: every order gives the same bits); is_copy (it
    does nothing but write its first operand's elements to the second); moves (that, or it writes elements of one
    operand, which are at computed places).

    Coalescing: drop dims of size 1; order kept dims (reduced dims keep their order, but with any_order) and merge
    adjacent ones whose strides fit for every operand. At least one kept dim remains, and at least one reduced dim when
    reduced > 0 (size 1, strides 0).
    """

    def __init__(self, loops: Loops) -> None:
        self.loops = loops
        self.coalesce, self.kept, self.reduced = loops.coalesce, loops.kept, loops.reduced
        self.has_reduction = loops.has_reduction
        self.splittable, self.wide, self.in_sequence = loops.splittable, loops.wide, loops.in_sequence
        stored = [(s.mode, s.value.op) for s in loops.stores]
        self.is_copy = not loops.reduced and len(loops.operands) == 2 and stored == [("store", "load")]
        looked_up = [n for n in loops.nodes if n.op in ("load", "gather")]
        self.moves = self.is_copy or stored == [("store", "gather")] and len(looked_up) == 1
        self.places = [
            sizes
            for s in loops.stores
            if s.mode == "scatter"
            for sizes in s.param[1]
            if sizes is not None and sizes[1] is not None
        ]
        # of a scatter that fills its places first, ns for each place of a kept element; 0 of other kernels
        fills = any(s.mode == "scatter" and s.param[0][1] is not None for s in loops.stores)
        self.fill_cost = _moved_cost(loops.operands[loops.stores[0].operand].dtype) if fills else 0.0
        self.gathered = next((n.param[0] for n in loops.nodes if n.op == "gather" and n.level == "F"), -1)
        self.gathers = any(n.op == "gather" for n in loops.nodes)
        self.sequential = any(s.mode in SEQUENTIAL for s in loops.stores)
        self.any_order = loops.coalesce and not (self.sequential or self.in_sequence) and all(map(exact, loops.reduces))
        self.turned_room = turned_room(loops)
        self.n_operands, self.col_block = len(loops.operands), block_of(loops)
        self.partial_bytes = 8 * sum(_state_parts(n.args[0].dtype, n.param) for n in loops.reduces)
        self.cost_of_nodes = _cost_of_nodes(loops)
        self.cost = self.cost_of_nodes + _cost_of_operands(loops)
        self._text = loops.text()
        self._codes: dict[tuple[int, int, str, str], Code] = {}

    def variant(self, K: int, R: int, mode: str, classes: bytes | str) -> Code:
        """The code for K kept and R reduced dims, a mode ("col", "row", "part", "final") and one class per operand.

        mode "col": the vector axis is the innermost kept dim; "row": the innermost reduced dim (needs R >= 1); "part"
        (or "colpart", when `wide`) and "final": the two steps of a split launch. A kernel without reduced dims has
        "col" only. "tile", without reduced dims and with K >= 2: the innermost two kept dims in tiles, for transposed
        operands.
        classes: per operand "c" (its stride along the vector axis is one element), "b" (0) or "s" (any other); in mode
        "tile" "t" for an operand of at most 8 bytes whose stride along the second innermost dim is one element, in
        "row" and "part" for one whose stride along a reduced dim but the innermost is; in mode "col", without reduced
        dims, "r" for an operand whose stride is minus one element.
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
                    variant = Variant(self.loops, K, R, Mode(mode), classes)
                    address = cache.get(self._text_of(variant), lambda: _build(variant), called.address)
                    code = self._codes[key] = Code(address, variant.block, self.cost)
        return code

    def made(self, K: int, R: int, mode: str, classes: str) -> tuple[Made, int]:
        """The machine code of a variant, which is not loaded, and what a work item covers.

        It is made for the target that is in force (`llvm/machine.py`).
        """
        from rushlight.compiler.llvm import machine

        variant = Variant(self.loops, K, R, Mode(mode), classes)
        variant.check()
        text = self._text_of(variant) + machine.target_suffix()
        return cache.made(text, lambda: _build(variant)), variant.block

    def _text_of(self, variant: Variant) -> str:
        return f"{self._text}\nvariant {variant} order {LANES} {BLOCK} {CHUNK}"

    def assembly(self, K: int, R: int, mode: str, classes: str) -> str:
        """The machine code of a variant as text."""
        from rushlight.compiler.llvm import machine

        variant = Variant(self.loops, K, R, Mode(mode), classes)
        return machine.assembly(_module(variant), variant.walks_rows)

    def __repr__(self) -> str:
        return self._text


def _module(variant: Variant) -> ir.Module:
    from rushlight.compiler.emit import generator

    return generator.generate(variant)


def _build(variant: Variant) -> Made:
    from rushlight.compiler.llvm import machine

    return machine.machine_code(lambda: _module(variant), variant.walks_rows)


_interned: dict[str, Kernel] = {}
cache.also_forget.append(_interned.clear)


def kernel_for(loops: Loops) -> Kernel:
    """The kernel of this loop nest: one object for equal nests, so that programs share its variants."""
    text = loops.text()
    return _interned.get(text) or _interned.setdefault(text, Kernel(loops))


def _inner(loops: Loops) -> list[Node]:
    return [n for n in loops.nodes if n.level == "F" or not loops.reduced]


def _cost_of_nodes(loops: Loops) -> float:
    """About how many nanoseconds a core takes for what is computed of an element."""
    return 0.03 + sum(cost_of(n.op).ns for n in _inner(loops))


def _cost_of_operands(loops: Loops) -> float:
    """The same for what is moved, which as a rule lies no further off than in the third-level cache."""
    touched = {n.param for n in _inner(loops) if n.op == "load"}
    touched |= {s.operand for s in loops.stores if s.level == "F"}
    return NS_A_BYTE * sum(by_name[loops.operands[k].dtype].itemsize for k in touched)


def _moved_cost(dtype: str) -> float:
    return 0.03 + NS_A_BYTE * by_name[dtype].itemsize


def _state_parts(dtype: str, name: str) -> int:
    return (2 if dtype.startswith("complex") else 1) + (name in ("argmax", "argmin"))
