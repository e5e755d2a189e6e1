"""The writer of LLVM's text: what it writes parses, computes, is shared and folded where it may be, and disagreements
are refused.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.compiler.emit import scalar
from rushlight.compiler.kernels import cache
from rushlight.compiler.llvm import ir, machine, objfile
from rushlight.compiler.llvm.ir import F16, F32, F64, I1, I8, I32, I64, PTR, VOID
from rushlight.core.dtypes import bfloat16


def function(*parameters: ir.Type, returns: ir.Type = I64) -> ir.IRBuilder:
    module = ir.Module("k")
    return ir.IRBuilder(ir.Function(module, returns, parameters, "k"))


def run(b: ir.IRBuilder, *args: Any) -> int:
    """Compile the module and call k: of int64 and arrays, whose addresses it takes."""
    code, entry, _ = objfile.flatten(machine.compile_object(b.module))
    kinds = [ctypes.c_int64 if isinstance(a, int) else ctypes.c_void_p for a in args]
    call = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(cache.loader(code) + entry)
    return int(call(*[a if isinstance(a, int) else a.ctypes.data for a in args]))


def lines(b: ir.IRBuilder) -> list[str]:
    return [line for block in b.function.blocks for line in block.lines]


def test_types_are_one_object_each() -> None:
    assert ir.integer(64) is I64 and ir.vector(F32, 16) is ir.vector(F32, 16)
    assert ir.vector(F32, 16) is not ir.vector(F32, 8)
    assert (ir.vector(F64, 4).text, ir.vector(F64, 4).suffix, ir.vector(PTR, 4).suffix) == (
        "<4 x double>",
        "v4f64",
        "v4p0",
    )
    assert (I8.count, I8.element, ir.vector(I8, 2).element, ir.vector(I8, 2).width) == (0, I8, I8, 8)


NUMBERS: list[tuple[ir.Type, type, list[float]]] = [
    (I8, np.int8, [0, 1, -1, 127, -128, 255, 256]),
    (I64, np.int64, [0, 5, -1, 2**63 - 1, -(2**63), 2**64 - 1]),
    (F16, np.float16, [0.0, -0.0, 1.0, 0.1, 65504.0, 1e5, float("inf"), float("nan")]),
    (F32, np.float32, [0.0, -0.0, 1.0, 0.1, 1e-45, 3e38, -1e39, -float("inf"), float("nan")]),
    (F64, np.float64, [0.0, -0.0, 1.0, 0.1, 5e-324, 1e308, float("inf"), float("nan")]),
]


@pytest.mark.parametrize(("t", "dtype", "numbers"), NUMBERS, ids=[t.text for t, _, _ in NUMBERS])
@pytest.mark.parametrize("lanes", [0, 4])
def test_constants_have_the_bits_they_should(t: ir.Type, dtype: Any, numbers: list[float], lanes: int) -> None:
    b = function(PTR)
    shape = ir.vector(t, lanes) if lanes else t
    for k, x in enumerate(numbers):
        place = b.gep(b.function.args[0], [I64(k)], shape)
        b.store(shape(x), place, align=1)
        assert shape(x) is shape(x) or x != x, "a constant is made once"
    b.ret(I64(0))
    out: Any = np.zeros((len(numbers), lanes or 1), dtype)
    assert run(b, out) == 0
    for row, x in zip(out, numbers, strict=True):
        with np.errstate(over="ignore"):
            wanted = (np.full(1, int(x) % 2**64, np.uint64) if t.kind == "i" else np.full(1, x)).astype(dtype)
        assert row.tobytes() == wanted.tobytes() * (lanes or 1)


def test_no_such_constant() -> None:
    with pytest.raises(TypeError, match="constant: expected an integer or floating type; found ptr"):
        PTR(1)


def test_a_loop_with_phis() -> None:
    """Collatz steps of the second argument, added to the first."""
    b = function(I64, I64)
    total, start = b.function.args
    entry = b.block
    head, turn, done = (b.append_basic_block(n) for n in ("head", "turn", "done"))
    b.branch(head)
    b.position_at_end(head)
    n, steps = b.phi(I64), b.phi(I64)
    n.add_incoming(start, entry)
    steps.add_incoming(total, entry)
    b.cbranch(b.icmp_signed("==", n, I64(1)), done, turn, likely=False)
    b.position_at_end(turn)
    result = b.alloca(I64)
    with b.if_else(b.trunc(n, I1)) as (odd, even):
        with odd:
            b.store(b.add(b.mul(n, I64(3)), I64(1)), result)
        with even:
            b.store(b.sdiv(n, I64(2)), result)
    n.add_incoming(b.load(result, I64), b.block)
    steps.add_incoming(b.add(steps, I64(1)), b.block)
    b.branch(head)
    b.position_at_end(done)
    b.ret(steps)
    assert run(b, 100, 27) == 211
    with pytest.raises(TypeError, match="phi: expected operands of one type; found i64 and i32"):
        n.add_incoming(I32(0), entry)


def test_vectors_masks_and_intrinsics() -> None:
    b = function(PTR, PTR)
    source, target = b.function.args
    v4 = ir.vector(F32, 4)
    x = b.load(source, v4, align=4)
    even = b.icmp_unsigned("==", b.and_(ir.lanes(I32, (0, 1, 2, 3)), ir.vector(I32, 4)(1)), ir.vector(I32, 4)(0))
    y = b.select(even, b.intrinsic("fma.v4f32", v4, [x, x, b.broadcast(b.extract_element(x, I32(3)), 4)]), b.fneg(x))
    b.store(b.shuffle(y, x, (3, 2, 1, 0, 4)), target, align=4)
    b.ret(b.zext(b.fcmp_unordered("uno", b.extract_element(x, I32(0)), F32(0.0)), I64))
    out = np.zeros(8, np.float32)
    assert run(b, np.array([1, 2, 3, 4], np.float32), out) == 0
    assert out.tolist() == [-4, 13, -2, 5, 1, 0, 0, 0]
    assert run(b, np.array([np.nan, 2, 3, 4], np.float32), out) == 1


def test_a_table_is_written_once() -> None:
    b = function(I64)
    asked = []

    def words() -> list[int]:
        asked.append(1)
        return [3, -1, 4]

    for _ in range(2):
        table = b.module.table("rl.test_ir", I64, words)
    b.ret(b.load(b.gep(table, b.function.args, I64), I64))
    assert [run(b, k) for k in range(3)] == [3, -1, 4]
    again = function(I64)
    again.ret(again.load(again.gep(again.module.table("rl.test_ir", I64, words), again.function.args, I64), I64))
    assert run(again, 2) == 4 and len(asked) == 1


def test_the_same_instruction_is_written_once_a_block() -> None:
    b = function(F64, F64, PTR)
    x, y, p = b.function.args
    first = b.fadd(x, y)
    assert b.fadd(x, y) is first and b.fadd(y, x) is not first
    assert b.intrinsic("fabs.f64", F64, [x]) is b.intrinsic("fabs.f64", F64, [x])
    assert b.gep(p, [I64(8)], I8) is b.gep(p, [I64(8)], I8)
    assert b.load(p, F64) is not b.load(p, F64), "what a load gives may change"
    other = ir.Function(b.module, I64, [], "other")
    assert b.call(other, []) is not b.call(other, []), "a call may have effects"
    with b.if_then(b.fcmp_ordered("<", x, y)):
        inside = b.fadd(x, y)
        assert inside is not first and b.fadd(x, y) is inside
    behind = b.fadd(x, y)
    assert behind is not first and behind is not inside
    with b.goto_block(b.function.blocks[0]):
        assert b.fadd(x, y) is first


FOLDED: list[tuple[Callable[[ir.IRBuilder, ir.Value], ir.Value], int | None]] = [  # None: the argument itself
    (lambda b, x: b.add(x, I64(0)), None),
    (lambda b, x: b.add(I64(0), x), None),
    (lambda b, x: b.sub(x, I64(0)), None),
    (lambda b, x: b.mul(x, I64(1)), None),
    (lambda b, x: b.mul(I64(0), x), 0),
    (lambda b, x: b.and_(x, I64(-1)), None),
    (lambda b, x: b.or_(I64(0), x), None),
    (lambda b, x: b.xor(x, I64(0)), None),
    (lambda b, x: b.shl(x, I64(0)), None),
    (lambda b, x: b.sdiv(x, I64(1)), None),
    (lambda b, x: b.zext(x, I64), None),
    (lambda b, x: b.bitcast(x, I64), None),
    (lambda b, x: b.add(I64(2**63 - 1), I64(1)), -(2**63)),
    (lambda b, x: b.sub(I64(3), I64(5)), -2),
    (lambda b, x: b.select(I1(1), x, I64(3)), None),
    (lambda b, x: b.select(I1(0), x, I64(3)), 3),
    (lambda b, x: b.select(b.icmp_signed("<", I64(-1), I64(0)), I64(7), x), 7),
    (lambda b, x: b.trunc(I64(2**32 + 5), I32), 5),
    (lambda b, x: b.neg(I64(4)), -4),
    (lambda b, x: b.not_(I64(4)), -5),
]


@pytest.mark.parametrize("k", range(len(FOLDED)))
def test_folded(k: int) -> None:
    b = function(I64)
    (x,) = b.function.args
    emit, wanted = FOLDED[k]
    got = emit(b, x)
    assert lines(b) == []
    assert got is x if wanted is None else got.value == wanted


def test_not_folded() -> None:
    b = function(I64, F64, PTR)
    n, x, p = b.function.args
    values = [
        b.sub(I64(0), n),
        b.srem(n, I64(1)),
        b.icmp_unsigned("<", I64(-1), I64(0)),
        b.fadd(x, F64(0.0)),
        b.fmul(x, F64(1.0)),
        b.fadd(F64(1.0), F64(2.0)),
        b.sdiv(I64(1), I64(0)),
        b.shl(I64(1), I64(64)),
    ]
    assert len(lines(b)) == len(values) and all(v.value is None for v in values)
    assert b.gep(p, [I64(0)], F64) is p and b.broadcast(F64(0.0), 4).text == "zeroinitializer"
    assert b.broadcast(F64(-0.0), 4).text == "splat (double 0x8000000000000000)"


WRONG: list[tuple[Callable[[ir.IRBuilder, ir.Value, ir.Value, ir.Value], Any], str]] = [
    (lambda b, n, x, p: b.add(n, I32(1)), "add: expected operands of one type; found i64 and i32"),
    (
        lambda b, n, x, p: b.fmul(x, b.broadcast(x, 4)),
        "fmul: expected operands of one type; found double and <4 x double>",
    ),
    (lambda b, n, x, p: b.icmp_signed("<", n, I8(0)), "icmp: expected operands of one type; found i64 and i8"),
    (lambda b, n, x, p: b.fcmp_ordered("<", x, F32(0)), "fcmp: expected operands of one type; found double and float"),
    (lambda b, n, x, p: b.select(I1(1), n, x), "select: expected operands of one type; found i64 and double"),
    (lambda b, n, x, p: b.select(n, n, n), "select: expected a condition of i1 in as many lanes as i64; found i64"),
    (lambda b, n, x, p: b.cbranch(n, b.block, b.block), "br: expected a condition of type i1; found i64"),
    (lambda b, n, x, p: b.load(n, I64), "load: expected an address; found i64"),
    (lambda b, n, x, p: b.store(p, n), "store: expected an address; found i64"),
    (lambda b, n, x, p: b.gep(n, [n], I64), "getelementptr: expected an address; found i64"),
    (lambda b, n, x, p: b.extract_element(x, I32(0)), "extractelement: expected a vector; found double"),
    (
        lambda b, n, x, p: b.insert_element(b.broadcast(x, 2), n, I32(0)),
        "insertelement: expected a vector and one of its elements; found <2 x double> and i64",
    ),
    (
        lambda b, n, x, p: b.shuffle(b.broadcast(x, 2), b.broadcast(x, 4), [0]),
        "shufflevector: expected operands of one type; found <2 x double> and <4 x double>",
    ),
    (lambda b, n, x, p: b.trunc(n, ir.vector(I32, 4)), "trunc: expected as many lanes; found i64 to <4 x i32>"),
    (lambda b, n, x, p: b.ret(x), "ret: expected i64; found double"),
    (
        lambda b, n, x, p: b.intrinsic("fabs.f64", F64, [x]) and b.intrinsic("fabs.f64", F64, [n]),
        r"call of llvm.fabs.f64: expected \[double\]; found \[i64\]",
    ),
]


@pytest.mark.parametrize("k", range(len(WRONG)))
def test_types_that_disagree(k: int) -> None:
    b = function(I64, F64, PTR)
    emit, message = WRONG[k]
    with pytest.raises(TypeError, match=f"^{message.replace('(', '[(]')}$"):
        emit(b, *b.function.args)


def test_whoever_writes_instructions_is_in_the_key_of_the_cache() -> None:
    folder = Path(ir.__file__).parents[1]
    writers = {
        p
        for p in folder.rglob("*.py")
        if re.search(r"^from rushlight[.]compiler[.]llvm import .*\bir\b", p.read_text(), re.M)
    }
    assert {"generator", "memory", "scalar", "base"} <= {p.stem for p in writers}
    assert writers | {Path(ir.__file__)} <= set(cache.generators())


def test_a_block_ends_once() -> None:
    b = function(returns=VOID)
    b.ret_void()
    with pytest.raises(AssertionError, match=r"block entry[.]0 has ended already: ret void"):
        b.ret_void()


@pytest.mark.parametrize("lanes", [1, 16])
def test_what_is_rounded_to_bfloat16_is_not_rounded_again_when_it_is_stored(lanes: int) -> None:
    t = ir.vector(F32, lanes) if lanes > 1 else F32
    b = function(t)
    (x,) = b.function.args
    (rounded,) = scalar.round_half(b, [b.fmul(x, x)], bfloat16)
    written = len(lines(b))
    stored = scalar.to_memory(b, rounded, bfloat16)
    assert len(lines(b)) == written and scalar.from_memory(b, stored, bfloat16) is rounded
    assert scalar.to_memory(b, b.fadd(rounded, rounded), bfloat16) is not stored
    assert sum("fcmp uno" in line for line in lines(b)) == 2


def test_every_bfloat16_is_written_as_it_was_read() -> None:
    bits = rushlight.arange(1 << 16).to(rushlight.int16)
    x = bits.view(rushlight.bfloat16)
    number = ~x.isnan()
    for y in (x * 1, rushlight.where(number, x, x), x.abs().copysign(x), (x - 0.0).clone()):
        assert rushlight.equal(y.view(rushlight.int16)[number], bits[number])
        assert bool(y[~number].isnan().all())
