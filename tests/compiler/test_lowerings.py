"""The table of vector code (`compiler/emit/pointwise.py`) and the costs of primitives."""

from __future__ import annotations

import pytest

import rushlight  # noqa: F401  registers the primitives
from rushlight.compiler.costs import cost_of
from rushlight.compiler.emit import pointwise as table
from rushlight.compiler.emit.frame import Frame
from rushlight.compiler.emit.variant import Mode, Variant
from rushlight.compiler.llvm import ir
from rushlight.core.dtypes import by_name
from rushlight.prims.base import PRIMS
from rushlight.prims.pointwise import Pointwise
from rushlight.program.loops import Loops, LoopsBuilder


@pytest.mark.parametrize("name", sorted(n for n, p in PRIMS.items() if isinstance(p, Pointwise)))
def test_every_pointwise_primitive_has_code_for_each_kind_that_it_takes(name: str) -> None:
    prim = PRIMS[name]
    assert isinstance(prim, Pointwise)
    for kind in prim.kinds:
        written = (name, kind) in table._LOWERINGS
        # A function that is called is written apart (`emit/functions.py`), and takes floats.
        assert written or (kind == "f" and prim.cost.called), f"{name} has no code for dtypes of kind {kind!r}"


def test_code_is_entered_once() -> None:
    with pytest.raises(ValueError, match="there is code for add of kind 'f' already"):
        table.lowers("add", kinds="f")(lambda b, args, src, dst: args[0])


def test_what_has_no_code_is_refused_by_name() -> None:
    module = ir.Module("k")
    b = ir.IRBuilder(ir.Function(module, ir.F32, [ir.F32], "k"))
    with pytest.raises(NotImplementedError, match="xor: the compiler has no code for float32"):
        table.pointwise(b, "xor", [b.function.args, b.function.args], by_name["float32"], by_name["float32"])


def test_what_is_dear_is_not_cheap() -> None:
    for name, prim in PRIMS.items():
        cost = cost_of(name)
        assert cost == prim.cost and cost.ns > 0
        assert not (cost.cheap and cost.once) and (cost.once or not cost.called), name
    assert cost_of("load").cheap and cost_of("index").cheap


def loops() -> Loops:
    out = LoopsBuilder(1, 0)
    out.operand("float32", "F", True)
    return out.build(lambda op: False)


@pytest.mark.parametrize(
    ("K", "R", "mode", "classes", "message"),
    [
        (1, 0, "col", "", "expected 1 operand classes"),
        (1, 0, "col", "t", "expected 1 operand classes"),
        (1, 0, "tile", "c", "it has no tiles"),
        (1, 1, "row", "c", "1 kept and 1 reduced dims do not fit a kernel of 1 and 0"),
        (0, 0, "col", "c", "0 kept and 0 reduced dims do not fit a kernel of 1 and 0"),
        (1, 0, "part", "c", "it cannot be split"),
        (1, 0, "colpart", "c", "it cannot be split"),
    ],
)
def test_a_variant_that_does_not_fit_is_refused(K: int, R: int, mode: str, classes: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Variant(loops(), K, R, Mode(mode), classes).check()
    Variant(loops(), 1, 0, Mode.COL, "c").check()


def test_the_function_of_a_variant_is_closed_when_it_is_finished() -> None:
    frame = Frame(Variant(loops(), 1, 0, Mode.COL, "c"))
    text = str(frame.finish())
    assert "ret i64 0" in text and text.count("define") == 1
