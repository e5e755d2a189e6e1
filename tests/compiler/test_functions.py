"""Functions that kernels call (the same values as in place, kept apart on disk, found by machine code on both
platforms), and tails.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest
import vecmath_jit
from sample_programs import execute, softmax, trace

import rushlight as rl
from rushlight import prims
from rushlight.compiler import counters
from rushlight.compiler.costs import cost_of
from rushlight.compiler.emit import functions
from rushlight.compiler.kernels import cache
from rushlight.compiler.llvm import ir, machine, objfile


def run_once() -> tuple[bytes, dict[str, float]]:
    """The bytes of lgamma, and what the counters gained."""
    before = counters.stats()
    cache.forget()
    x = np.linspace(0.5, 3, 40)
    (got,) = execute(trace(prims.lgamma, x), [x])
    return got.tobytes(), {k: v - before[k] for k, v in counters.stats().items()}


@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("name", ["lgamma", "erfinv", "digamma"])
def test_a_call_gives_the_bits_of_the_code_in_place(name: str, double: bool) -> None:
    assert cost_of(name).called
    x = np.random.default_rng(0).uniform(-0.99, 0.99, 1003).astype("d" if double else "f")
    in_place = vecmath_jit.compiled(name, double, 16)(x)
    assert getattr(rl, name)(rl.from_numpy(x)).numpy().tobytes() == in_place.tobytes()


def test_a_function_is_kept_beside_the_kernels_that_call_it(folder: Path) -> None:
    first, gained = run_once()
    assert gained["kernels_compiled"] == 2  # the kernel, and what it calls
    second, gained = run_once()
    assert (gained["kernels_compiled"], gained["kernels_loaded_from_disk"]) == (0, 2)
    called = [f for f in folder.rglob("*") if f.is_file() and not cache.read(f.name).calls]  # type: ignore[union-attr]
    assert len(called) == 1
    called[0].unlink()
    third, gained = run_once()
    assert (gained["kernels_compiled"], gained["kernels_loaded_from_disk"]) == (1, 1)
    assert first == second == third


@pytest.mark.parametrize("platform", ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"])
def test_calls_go_through_slots_behind_the_code(platform: str) -> None:
    """Two calls of one function and one of another: two slots, each read by the jump before it, which the calls
    reach.
    """
    module = ir.Module("k")
    t = ir.vector(ir.F32, 4)
    fn = ir.Function(module, t, [t], "k")
    b = ir.IRBuilder(fn)
    x = functions.call(b, "lgamma", [fn.args[0]], None)
    x = functions.call(b, "digamma", [x], None)
    b.ret(functions.call(b, "lgamma", [x], None))
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    host = llvm.Target.from_triple(platform).create_target_machine(reloc="pic", codemodel="small")
    made = objfile.flatten(host.emit_object(llvm.parse_assembly(module.text(platform))))
    assert sorted(name for _, name in made.calls) == ["function digamma v4f32 1 None", "function lgamma v4f32 1 None"]
    arm = platform.startswith("aarch64")
    reached = []
    for at in range(made.entry, len(made.code) - 4, 4 if arm else 1):
        (word,) = struct.unpack_from("<I", made.code, at)
        if arm and word >> 26 == 0b100101:  # bl: 26 bits, in words
            reached.append(at + 4 * ((word & 0x3FFFFFF) - (word >> 25 & 1) * 0x4000000))
        elif not arm and made.code[at] == 0xE8:  # call: 32 bits from the next instruction on
            reached.append(at + 5 + struct.unpack_from("<i", made.code, at + 1)[0])
    for slot, name in made.calls:
        assert slot % 8 == 0
        assert made.code[slot : slot + 8] == b"\0" * 8
        jump = made.code[slot - 8 : slot]
        assert jump == (bytes.fromhex("5000005800021fd6") if arm else bytes.fromhex("ff25020000006690"))
        assert reached.count(slot - 8) == (2 if "lgamma" in name else 1)


def softplus(x: object, y: object) -> object:
    return prims.log1p(prims.exp(prims.add(x, y)))


@pytest.mark.parametrize("f", [softmax, prims.neg, softplus])
def test_tails_without_masks(f: Callable[..., object], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processors whose masks cost something get other code for tails: it gives the same bits."""
    sizes = [(3, n) for n in (1, 15, 16, 17, 63, 64, 65, 130)]
    inputs = [
        [np.random.default_rng(n).standard_normal(n).astype("f") for _ in range(2 if f is softplus else 1)]
        for n in sizes
    ]
    results = []
    for masks in (True, False):
        cache.forget()
        monkeypatch.setattr(machine, "masks", lambda masks=masks: masks)
        monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(folder / str(masks)))
        results.append([execute(trace(f, *x), x, modes="row" if f is softmax else "")[0].tobytes() for x in inputs])
    assert results[0] == results[1]


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "int64", "complex64", "complex128"])
def test_strided_vectors_and_their_tails(dtype: str) -> None:
    """Whole vectors and tails of every length, read and written with strides of both signs."""
    x = np.arange(200).astype(dtype)
    for n in range(1, 36):
        for step in (2, 5, -1, -2):
            part = x[100 : 100 + n * step : step]
            t = rl.from_numpy(x.copy())
            start, stop = (100, 100 + n * step) if step > 0 else (100 + (n - 1) * step, 101)
            view = t[start : stop : abs(step)]
            got = (view if step > 0 else view.flip(0)) + 1
            assert (got.numpy() == part + 1).all(), (n, step)
            view += 1
            expected = x.copy()
            expected[start : stop : abs(step)] += 1
            assert (t.numpy() == expected).all(), (n, step)
