"""Random calls of every operator (fuzz.py), the forbidden pages that they run between, and the judgement of errors."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import fuzz
import fuzz_calls
import pytest
from fuzz_calls import Call, T

import rushlight as rl
from processes import printed

# A call takes 20 to 60 ms, by what is in the cache of kernels. RUSHLIGHT_FUZZ_CALLS=100000 is the full measure (an
# hour).
CALLS = int(os.environ.get("RUSHLIGHT_FUZZ_CALLS", "1400"))
PROCESSES = 2


@pytest.mark.parametrize("seed", range(PROCESSES))
def test_random_calls(seed: int) -> None:
    script = Path(__file__).parent / "fuzz.py"
    fine = int(printed(script, CALLS // PROCESSES, seed, timeout=CALLS).split(" succeeded")[0].split()[-1])
    assert fine >= CALLS // PROCESSES // 2, f"only {fine} calls succeeded: too few to tell anything"


def status(code: str, mode: str) -> int:
    """The exit status of a process that runs `code` between forbidden pages; `read(address)` is there."""
    head = (
        "import ctypes, rushlight as rl\nfrom rushlight.core import _native\nread = lambda address: "
        "ctypes.string_at(address, 1)[0]\n"
    )
    return subprocess.run(
        [sys.executable, "-c", head + code], env=dict(os.environ, RUSHLIGHT_GUARD=mode), stderr=subprocess.DEVNULL
    ).returncode


@pytest.mark.parametrize(
    ("mode", "offset", "ends"),
    [
        ("end", 20, -signal.SIGSEGV),
        ("end", 19, 0),
        ("end", 0, 0),
        ("start", -1, -signal.SIGSEGV),
        ("start", 0, 0),
        ("start", 19, 0),
    ],
)
def test_an_access_out_of_bounds_is_a_fault(mode: str, offset: int, ends: int) -> None:
    assert status(f"x = rl.ones(5)\nread(x.data_ptr() + {offset})", mode) == ends


@pytest.mark.parametrize("mode", ["end", "start"])
def test_use_after_free_is_a_fault(mode: str) -> None:
    assert (
        status(
            "x = rl.ones(5)\np = x.data_ptr()\nread(p)\ndel x\nkeep = [rl.ones(5) for _ in range(50)]\nread(p)", mode
        )
        == -signal.SIGSEGV
    )


def test_fresh_memory_is_filled() -> None:
    assert status("_native.guard_fill(7)\nx = rl.empty(3)\nraise SystemExit(read(x.data_ptr()))", "end") == 7
    # that build has a mode of its own
    assert fuzz.SANITIZED or status("raise SystemExit(bool(_native.guard_mode()))", "") == 0


def test_a_fault_in_an_operator_is_told_from_a_good_call() -> None:
    """What a tensor that claims more than its storage holds does to a kernel: the fuzz would see it."""
    code = (
        "from rushlight.core import raw, storage\nx = rl.ones(16)\n"
        "y = raw.tensor_from_storage(x.untyped_storage(), rl.float32, 0, (16,), (1,))\n(y + 1).sum().item()\n"
        "bad = raw.tensor_from_storage(storage.storage_from_external(x.data_ptr(), 4 << 20, x), rl.float32, 0, (17,), "
        "(1,))\n"
    )
    assert status(code, "end") == 0
    assert status(code + "(bad + 1).sum().item()", "end") == -signal.SIGSEGV


def test_what_is_wrong_with_an_error() -> None:
    def judged(call: Call) -> str | None:
        return fuzz.attempt(call)[1]

    assert judged(Call("add", [T("float32", (3,)), T("float32", (4,))], {})) is None
    assert judged(Call("softmax", [T("float32", (3,)), 5], {})) is None
    assert fuzz.complaint(KeyError("s0"), "add")
    assert fuzz.complaint(RuntimeError("internal: no slot"), "add")
    assert fuzz.complaint(RuntimeError(""), "add")
    try:
        [][1]
    except IndexError as error:
        assert fuzz.complaint(error, "add")
    try:
        raise TypeError("add(): argument 'other' must be Tensor")
    except TypeError as error:
        assert fuzz.complaint(error, "add") is None


def test_calls_are_repeatable_and_shrink() -> None:
    from rushlight.testing.samples import load

    load()
    for k in range(20):
        assert repr(fuzz_calls.draw(random.Random(k))) == repr(fuzz_calls.draw(random.Random(k)))
    call = Call(
        "add", [T("float32", (4, 6), [1, 2, 3], (6, 1), 3), T("float32", (4, 6), [5])], {"alpha": 2}, "backward"
    )
    small = fuzz_calls.shrink(call, lambda c: c.args[0].shape[0] >= 2)
    assert repr(small) == repr(Call("add", [T("float32", (2, 0), [1]), T("float32", (0, 0), [1])], {}, "call"))


def test_the_values_of_a_described_tensor() -> None:
    for shape, strides, offset in (
        ((2, 3), (3, 1), 0),
        ((2, 3), (1, 2), 1),
        ((2, 3), (-3, -1), 5),
        ((0, 3), (3, 1), 0),
        ((), (), 2),
    ):
        t = T("float32", shape, [1, 2, 3, 4, 5, 6], strides, offset).build()
        assert t.stride() == strides
        assert t.reshape(-1).tolist() == [1, 2, 3, 4, 5, 6][: t.numel()]
    assert T("bfloat16", (2,), [1.5, -2]).build().tolist() == [1.5, -2]
    assert T("int8", (2,), [300, -1]).build().tolist() == [44, -1]
    assert rl.is_tensor(T("bool", (2,), kind="foreign").build())


# What the fuzz found, in its smallest form; each once ended its process, or raised something that told the user
# nothing.
FOUND = [
    # A pivot beyond the matrix was exchanged.
    Call("lu_unpack", [T("complex128", (0, 1, 0)), T("int32", (1, 2))], {}),
    Call("lu_unpack", [T("float64", (3, 2)), T("int32", (5,), [1, 2, 3])], {}),
    # A plain tensor was given the memory that a batched one does not have.
    Call("set_", [T("float32", (0, 0)), T("float32", (0,))], {}, "vmap", 447134230),
    # A destination whose elements share memory.
    Call("fft.ihfft", [T("float64", (1, 2))], {}, "out", 888834645),
    Call("nn.functional.lp_pool2d", [T("float64", (2, 3, 6, 7)), 0, 2], {}),
    Call("nn.functional.hinge_embedding_loss", [T("complex128", (1,)), T("complex128", (1,))], {}),
    Call("broadcast_tensors", [None, T("float32", (3,))], {}),
    Call("nn.functional.softmax", [T("float32", (1, 3))], {"dtype": -1}),
    Call("cumprod", [T("float32", (3, 4)), 0], {"dtype": -1}, "vmap"),
    Call("topk", [T("int16", ()), 2**64], {}, "out"),
    Call("nn.functional.adaptive_avg_pool1d", [T("float32", (8, 3, 9)), 1j], {}),
    Call("unravel_index", [T("int64", (), [6]), 1j], {}),
    Call("empty_permuted", [2, 2], {}),
    Call("random_", [T("complex128", (1,))], {}),
]


@pytest.mark.parametrize("call", FOUND, ids=lambda c: c.name)
@pytest.mark.parametrize("mode", ["end", "start"])
def test_what_was_found_stays_mended(call: Call, mode: str) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\nimport fuzz\nfrom fuzz_calls import Call, T\n"
        f"ok, wrong = fuzz.attempt({call})\nsys.exit(wrong)\n"
    )
    printed("-c", code, env={"RUSHLIGHT_GUARD": mode})


def test_constructions_of_subclasses() -> None:
    """Classes on top of Tensor and instances of them, made at random and used; `constructions.py` runs long by hand."""
    assert printed(Path(__file__).parent / "constructions.py", 150, 7).endswith("done\n")
