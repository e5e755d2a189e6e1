"""The kernel cache: what is kept, what is trusted, and what several processes may do to it at once."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sample_programs import execute, softmax, trace

import rushlight
from processes import TIMEOUT
from rushlight.compiler import counters
from rushlight.compiler.kernels import cache
from rushlight.compiler.llvm import objfile
from rushlight.program.loops import LoopsBuilder, Store

X = np.random.default_rng(1).standard_normal((6, 50)).astype("f")


def run_once() -> tuple[bytes, dict[str, float]]:
    """The bytes of a softmax, and what the counters gained."""
    before = counters.stats()
    cache.forget()
    (got,) = execute(trace(softmax, X), [X], modes="row")
    return got.tobytes(), {k: v - before[k] for k, v in counters.stats().items()}


def files(folder: Path) -> list[Path]:
    """The kernels of a folder."""
    return [f for f in folder.glob("??/*") if f.is_file()]


def test_a_kernel_is_compiled_once(folder: Path) -> None:
    first, gained = run_once()
    assert gained["kernels_compiled"] == 1
    second, gained = run_once()
    assert (gained["kernels_compiled"], gained["kernels_loaded_from_disk"]) == (0, 1)
    assert first == second
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "foreign", "version"])
def test_a_damaged_file_is_rebuilt(folder: Path, damage: str) -> None:
    first, _ = run_once()
    (file,) = files(folder)
    data = bytearray(file.read_bytes())
    if damage == "truncate":
        data = data[:-7]
    elif damage == "flip":
        data[len(data) // 2] ^= 1
    elif damage == "empty":
        data = bytearray()
    elif damage == "foreign":
        data = bytearray(b"something else entirely" * 10)
    else:
        data[8] ^= 1
    file.write_bytes(data)
    second, gained = run_once()
    assert gained["kernels_compiled"] == 1
    assert first == second
    third, gained = run_once()
    assert gained["kernels_loaded_from_disk"] == 1
    assert third == first


def test_a_file_that_others_may_write_is_not_trusted(folder: Path) -> None:
    run_once()
    (file,) = files(folder)
    file.chmod(0o666)
    assert run_once()[1]["kernels_compiled"] == 1


def test_a_link_is_not_followed(folder: Path, tmp_path: Path) -> None:
    run_once()
    (file,) = files(folder)
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert run_once()[1]["kernels_compiled"] == 1


def test_a_disk_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", "/dev/null/nowhere")
    assert run_once()[1]["kernels_compiled"] == 1


def test_a_pack_is_asked(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = run_once()
    (file,) = files(folder)
    kept = cache.read(file.name)
    monkeypatch.setenv("RUSHLIGHT_CACHE_DIR", str(tmp_path / "other"))
    monkeypatch.setattr(cache, "packs", [{file.name: kept}.get])
    second, gained = run_once()
    assert gained["kernels_compiled"] == 0
    assert first == second


def test_processes_at_once(folder: Path) -> None:
    """Four processes fill one empty folder; each gets the right result; the folder holds a kernel and a plan."""
    here = Path(__file__).parent
    code = (
        f"import sys; sys.path[:0] = {[str(here), str(here.parent), str(here.parent.parent / 'src')]!r}\n"
        "import numpy as np\nfrom sample_programs import execute, softmax, trace\n"
        "x = np.arange(300, dtype='f').reshape(6, 50)\n"
        "print(execute(trace(softmax, x), [x], modes='row')[0].tobytes().hex())\n"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "RUSHLIGHT_CACHE_DIR": str(folder)},
        )
        for _ in range(4)
    ]
    results = {p.communicate(timeout=TIMEOUT)[0] for p in running}
    assert len(results) == 1
    assert results != {""}
    first, second = files(folder)  # the kernel, and the plan, which has no code
    assert {len(found[1]) > 0 for f in (first, second) if (found := cache._read(f.name))} == {True, False}


NAMES = [f"{i * 2654435761 % 2**32:08x}{i:032x}" for i in range(400)]


def taken(folder: Path) -> int:
    return sum(max(f.stat().st_size, f.stat().st_blocks * 512) for f in files(folder))


@pytest.mark.parametrize("megabytes", [0.5, 3, 9])
def test_the_least_recently_used_go(folder: Path, monkeypatch: pytest.MonkeyPatch, megabytes: float) -> None:
    """A kernel that is read again and again stays, the folder never takes more than its bound, nor much less; foreign
    files are let alone.
    """
    monkeypatch.setenv("RUSHLIGHT_CACHE_MB", str(megabytes))
    (folder / NAMES[0][:2]).mkdir(mode=0o700, parents=True)
    foreign = folder / NAMES[0][:2] / "notes.txt"
    foreign.write_bytes(bytes(10))
    os.utime(foreign, (0, 0))
    used = NAMES[:3]
    for i, name in enumerate(NAMES):
        cache.write(name, cache.Made(bytes(50_000), 0))
        for n, j in enumerate(used):  # times as far apart as a day's work would make them
            if i >= n:
                assert cache.read(j) is not None, (i, j)
                os.utime(folder / j[:2] / j, (2e9 + i, 2e9 + i))
        if i >= len(used):
            os.utime(folder / name[:2] / name, (1e9 + i, 1e9 + i))
        assert taken(folder) - foreign.stat().st_blocks * 512 <= megabytes * 1e6
    assert taken(folder) > 0.4 * megabytes * 1e6
    assert foreign.exists()
    assert cache.read(NAMES[3]) is None


def test_a_process_finds_a_folder_too_large(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What other processes have written counts, and what processes that were killed left over goes."""
    for name in NAMES[:100]:
        cache.write(name, cache.Made(bytes(50_000), 0))
    left = folder / NAMES[0][:2] / ".new-1-2-3"
    left.write_bytes(bytes(1000))
    os.utime(left, (0, 0))
    monkeypatch.setattr(cache, "_known", {})
    monkeypatch.setenv("RUSHLIGHT_CACHE_MB", "1")
    cache.write(NAMES[200], cache.Made(bytes(50_000), 0))
    assert taken(folder) <= 1e6
    assert not left.exists()
    assert cache.read(NAMES[200]) is not None


def test_a_bound_of_zero_keeps_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUSHLIGHT_CACHE_MB", "0")
    assert run_once()[1]["kernels_compiled"] == 1
    assert run_once()[1]["kernels_compiled"] == 1
    assert not files(folder)


@pytest.mark.parametrize("wrong", ["many", "-1", "nan", "inf", "1 GB"])
def test_a_bound_that_is_no_number(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv("RUSHLIGHT_CACHE_MB", wrong)
    with pytest.raises(ValueError, match=r"RUSHLIGHT_CACHE_MB must be a number of megabytes.*found"):
        cache.bound()


def test_a_call_of_a_library_is_an_internal_error() -> None:
    """A kernel must be whole: a symbol from outside is named, never left to a linker."""
    from rushlight.compiler.llvm import ir, machine

    module = ir.Module("k")
    fn = ir.Function(module, ir.I64, [ir.PTR, ir.PTR, ir.I64, ir.I64], "k")
    b = ir.IRBuilder(fn)
    other = ir.Function(module, ir.I64, [ir.I64], "outside")
    b.ret(b.call(other, [fn.args[2]]))
    with pytest.raises(RuntimeError, match="outside"):
        objfile.flatten(machine.compile_object(module))


def test_the_text_of_a_kernel_is_canonical() -> None:
    def make(junk: bool) -> str:
        loops = LoopsBuilder(1, 0)
        a, o = loops.operand("float32", "F", False), loops.operand("float32", "F", True)
        x = loops.node("load", (), "float32", a, "F")
        loops.stores.append(Store(o, loops.node("exp", (x,), "float32"), "F"))
        if junk:
            loops.node("sin", (x,), "float32")  # not needed by any store
        return loops.build(lambda op: False).text()

    assert make(False) == make(True)


def test_what_a_hand_over_costs_is_measured_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, measured = cache._native.shared_from(), []
    monkeypatch.setattr(cache._native, "measure_hand_over", lambda: measured.append(7000) or 7000)

    def as_another_process() -> int:
        monkeypatch.setattr(cache, "_hand_over_known", False)
        cache._native.set_hand_over(50_000)
        run_once()
        return int(cache._native.shared_from())

    try:
        assert [as_another_process(), as_another_process(), len(measured)] == [28_000, 28_000, 1]
        (kept,) = [f for f in folder.iterdir() if f.is_file()]
        kept.write_text("no number")
        assert as_another_process() == 200_000  # nothing was compiled
        for file in files(folder):
            file.unlink()
        assert [as_another_process(), len(measured)] == [28_000, 2]
    finally:
        cache._native.set_hand_over(before // 4)


@pytest.fixture
def hand_over(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is known of what it costs, and 7000 ns are found; what the pool was told before holds again after."""
    before = cache._native.shared_from()
    monkeypatch.setattr(cache._native, "measure_hand_over", lambda: 7000)
    monkeypatch.setattr(cache, "_hand_over_known", False)
    yield
    cache._native.set_hand_over(before // 4)


@pytest.mark.usefixtures("hand_over")
@pytest.mark.parametrize("content", [b"", b"soon", b"-5", b"0", b"9" * 19, b"9" * 10**6, b"\xff\xfe", b"1e3"])
def test_what_is_no_cost_is_measured_anew(folder: Path, content: bytes) -> None:
    path = folder / f"hand-over-{cache.target()}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    cache._know_hand_over(True)
    assert path.read_text() == "7000\n"
    assert [p.name for p in folder.iterdir() if p.name.startswith(".new")] == []


@pytest.mark.usefixtures("hand_over")
def test_a_cost_that_cannot_be_kept_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache.os, "replace", full)
    folder.mkdir(parents=True, exist_ok=True)
    cache._know_hand_over(True)
    assert list(folder.iterdir()) == []


def test_from_where_on_work_is_shared() -> None:
    before = cache._native.shared_from()
    try:
        for given, found in ((1, 15_000), (20_000, 80_000), (2**62, 200_000)):
            cache._native.set_hand_over(given)
            assert cache._native.shared_from() == found
        assert cache._native.measure_hand_over() >= 0
    finally:
        cache._native.set_hand_over(before // 4)


def test_a_row_of_short_launches_wakes_a_worker_where_it_goes_on() -> None:
    """Where all workers sleep short work is not shared, but in a row of launches: once it has had as much work as is
    shared at once, and from its beginning where the row before had as much behind it. (What finds a worker awake is
    shared in any case.)
    """
    if cache._native.num_threads() == 1:
        pytest.skip("there are no workers")
    before = cache._native.shared_from()
    x = rushlight.ones(1 << 21)
    alone, woken = 200_000, 15_000
    # Rows of work in ns, one after the other, and from where on each is shared.
    rows = [([50_000], [alone])]
    rows += [([50_000] * 6 + [5_000, 300_000], [alone] * 4 + [woken] * 2 + [alone] * 2)]
    rows += [([50_000] * 6, [woken] * 2 + [alone] * 2 + [woken] * 2)]  # before, 250,000 came behind the first
    rows += [([50_000] * 2, [woken] * 2), ([50_000] * 2, [alone] * 2), ([50_000] * 5, [alone] * 4 + [woken])]
    try:
        cache._native.set_hand_over(2**62)
        for attempt in range(200):  # another process may have the processor in between, or keep a worker from it
            x.sin()  # starts the workers
            found = []
            for asked, _ in rows:
                time.sleep(0.002 + 0.0001 * attempt)
                found.append([cache._native.shared_from(ns) for ns in asked])
            if found == [expected for _, expected in rows]:
                break
        assert found == [expected for _, expected in rows]
    finally:
        cache._native.set_hand_over(before // 4)
