"""The kernel cache in a hostile world: processes at once, damaged and foreign files, folders that cannot be written,
full disks. The plans of programs are in it, too.

Each test runs a small program in a process of its own whose kernels go into a fresh folder; the program's result must
be right whatever the folder does, and nothing but that result may be said. What single files are trusted,
tests/compiler/test_cache.py asks.
"""

from __future__ import annotations

import ctypes
import os
import random
import resource
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from processes import printed
from rushlight.compiler.kernels.cache import _HEAD

PROGRAM = """if True:
    import rushlight as rl
    from rushlight import compiler
    x = rl.arange(40, dtype=rl.float32).reshape(5, 8) / 40
    x.requires_grad_()
    y = rl.nn.functional.gelu(x).softmax(-1).cumsum(0)
    y.square().sum().backward()
    print(float(y.detach().double().sum()), float(x.grad.double().abs().sum()))
    found = compiler.stats()
    print(int(found["kernels_compiled"]), int(found["kernels_loaded_from_disk"]))
    print(int(found["programs"]), int(found["plans_loaded_from_disk"] + found["calls_loaded_from_disk"]))
"""


def start(folder: Path | None, before: Callable[[], None] | None = None, **env: str | None) -> subprocess.Popen[str]:
    """The program in a process; an env value None takes the variable away."""
    full = {**os.environ, **{k: v for k, v in env.items() if v is not None}}
    full.pop("RUSHLIGHT_CACHE_DIR", None)
    if folder is not None:
        full["RUSHLIGHT_CACHE_DIR"] = str(folder)
    for k, v in env.items():
        if v is None:
            full.pop(k, None)
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=full,
        preexec_fn=before,
    )


def finish(process: subprocess.Popen[str]) -> tuple[str, int, int]:
    """(the result, kernels compiled, kernels loaded from disk) of a process; it must end well and say nothing else."""
    return ended(process)[:3]


def ended(process: subprocess.Popen[str]) -> tuple[str, int, int, int, int]:
    """What `finish` gives, with the programs, and how many of them were loaded from disk as a plan or a whole call."""
    out, err = process.communicate(timeout=200)
    assert process.returncode == 0, f"{process.returncode}: {err[-3000:]}"
    assert err == ""
    result, of_kernels, of_plans = out.splitlines()
    compiled, loaded = map(int, of_kernels.split())
    programs, plans = map(int, of_plans.split())
    return result, compiled, loaded, programs, plans


def files(folder: Path) -> list[Path]:
    """The kernels of a folder. What it costs to hand work over stands beside them where it could be measured."""
    return sorted(f for f in folder.rglob("*") if f.is_file() and not f.name.startswith("hand-over-"))


def kernels(folder: Path) -> list[Path]:
    """The files that hold code; the others hold plans and calls."""
    return [f for f in files(folder) if _HEAD.unpack_from(f.read_bytes())[-1] > 0]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, int]:
    """A folder that the program has filled, its result, and how many kernels it takes."""
    folder = tmp_path_factory.mktemp("filled") / "kernels"
    result, compiled, loaded, programs, plans = ended(start(folder))
    assert (compiled > 3, loaded, programs > 3, plans) == (True, 0, True, 0)
    assert len(kernels(folder)) == compiled
    assert len(files(folder)) == compiled + 2 * programs, "each program has a plan and a call"
    return folder, result, compiled


def test_a_second_process_compiles_nothing(filled: tuple[Path, str, int]) -> None:
    folder, result, n = filled
    *got, programs, plans = ended(start(folder))
    assert got == [result, 0, n]
    assert programs == plans, "each program's plan is on disk"


def test_processes_at_once_fill_one_folder(filled: tuple[Path, str, int], tmp_path: Path) -> None:
    _, result, n = filled
    running = [start(tmp_path / "kernels") for _ in range(5)]
    for process in running:
        got, compiled, loaded = finish(process)
        assert (got, compiled + loaded) == (result, n)
    assert len(files(tmp_path / "kernels")) == len(files(filled[0])), "temporary files are left over"
    assert finish(start(tmp_path / "kernels")) == (result, 0, n)


def copy(folder: Path, to: Path) -> Path:
    """A copy of a cache folder, file by file, with the permissions that the cache asks for."""
    to.mkdir(mode=0o700)
    for f in files(folder):
        target = to / f.relative_to(folder)
        target.parent.mkdir(mode=0o700, exist_ok=True)
        target.write_bytes(f.read_bytes())
        target.chmod(0o600)
    return to


def test_files_of_random_bytes(filled: tuple[Path, str, int], tmp_path: Path) -> None:
    """Every file damaged in a way of its own: each is made again, none is run."""
    folder, result, n = filled
    r = random.Random(7)
    damaged = copy(folder, tmp_path / "kernels")
    for k, f in enumerate(files(damaged)):
        data = bytearray(f.read_bytes())
        at = r.randrange(len(data))
        if k % 5 == 0:
            data[at] ^= 1 << r.randrange(8)
        elif k % 5 == 1:
            data = data[:at]
        elif k % 5 == 2:
            data = bytearray(r.randbytes(len(data)))
        elif k % 5 == 3:
            data += b"more"
        else:
            data = bytearray()
        f.write_bytes(data)
    *got, _, plans = ended(start(damaged))
    assert (got, plans) == ([result, n, 0], 0)
    assert finish(start(damaged)) == (result, 0, n)


def test_kernels_under_one_anothers_names(filled: tuple[Path, str, int], tmp_path: Path) -> None:
    """A good file under the name of another kernel is not that kernel."""
    folder, result, n = filled
    swapped = copy(folder, tmp_path / "kernels")
    found = files(swapped)
    data = [f.read_bytes() for f in found]
    for f, d in zip(found, [*data[1:], data[0]], strict=True):
        f.write_bytes(d)
    assert finish(start(swapped)) == (result, n, 0)


def test_things_that_are_no_files(filled: tuple[Path, str, int], tmp_path: Path) -> None:
    """Folders, pipes and dangling links where files should be: nothing hangs, the kernels stay in memory."""
    folder, result, n = filled
    odd = copy(folder, tmp_path / "kernels")
    for k, f in enumerate(files(odd)):
        f.unlink()
        if k % 3 == 0:
            f.mkdir()
        elif k % 3 == 1:
            os.mkfifo(f, 0o600)
        else:
            f.symlink_to(tmp_path / "nowhere")
    assert finish(start(odd)) == (result, n, 0)


def test_a_folder_that_others_may_write_is_not_trusted(filled: tuple[Path, str, int], tmp_path: Path) -> None:
    folder, result, n = filled
    open_to_all = copy(folder, tmp_path / "kernels")
    open_to_all.chmod(0o777)
    got, compiled, loaded, programs, plans = ended(start(open_to_all))
    assert (got, compiled + loaded) == (result, n)
    assert plans < programs, "the first plan that is asked for is made again, and the folder closed"
    assert not stat.S_IMODE(open_to_all.stat().st_mode) & 0o077, "closed for the next time"


def as_nobody() -> None:
    """Give up the privileges of root, which may write anything."""
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


def test_a_full_disk(filled: tuple[Path, str, int], tmp_path: Path) -> None:
    """No file may grow beyond a few bytes: the write fails in the middle, and no piece of a file stays."""
    _, result, n = filled

    def no_room() -> None:
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write fails (EFBIG) in place of the process
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    assert finish(start(tmp_path / "kernels", no_room)) == (result, n, 0)
    assert files(tmp_path / "kernels") == []
    assert finish(start(tmp_path / "kernels")) == (result, n, 0)


def test_no_descriptors_left(filled: tuple[Path, str, int]) -> None:
    """A process that may open no more files computes all the same."""
    folder, result, _ = filled
    # The modules that a first call imports are there already: a call like the program's, of another dtype, runs before
    # the limit.
    first = (
        "import resource, llvmlite.binding, rushlight as rl, rushlight.compiler.emit.generator\n"
        "import rushlight.compiler.passes.pipeline\n"
        "z = rl.arange(8, dtype=rl.float64).requires_grad_()\n"
        "rl.nn.functional.gelu(z).softmax(-1).cumsum(0).square().sum().backward()\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))\n"
    )
    shown = printed("-c", first + PROGRAM, env={"RUSHLIGHT_CACHE_DIR": str(folder)})
    assert shown.splitlines()[0] == result


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody whose folders are not his own")
def test_a_folder_of_somebody_else(filled: tuple[Path, str, int], tmp_path: Path) -> None:
    """Kernels that root left are not run by another user (who may not even read them here), and his may not be
    written.
    """
    folder, result, n = filled
    theirs = copy(folder, tmp_path / "kernels")
    theirs.chmod(0o755)
    for f in theirs.rglob("*"):
        f.chmod(0o755)
    for parent in theirs.parents:
        if stat.S_IMODE(parent.stat().st_mode) & 0o005 != 0o005:
            parent.chmod(stat.S_IMODE(parent.stat().st_mode) | 0o055)
    try:
        process = start(theirs, as_nobody)
    except PermissionError:
        pytest.skip("another user cannot run this Python")
    out, err = process.communicate(timeout=200)
    if "PermissionError" in err or "No module named" in err or "Permission denied" in err:
        pytest.skip("another user cannot read this checkout")
    assert process.returncode == 0, err
    assert out.splitlines()[0] == result
    assert out.splitlines()[1] == f"{n} 0"


def test_a_folder_that_may_only_be_read(filled: tuple[Path, str, int], tmp_path: Path) -> None:
    """What is there is used; what is not is made, and stays in memory."""
    folder, result, n = filled
    half = copy(folder, tmp_path / "kernels")
    for f in files(half)[::2]:
        f.unlink()
    left = files(half)
    for place in [half, *half.iterdir()]:
        place.chmod(0o500)
    process = start(half, without_privileges_over_files if os.getuid() == 0 else None)
    got, compiled, loaded, programs, plans = ended(process)
    assert (got, compiled + loaded) == (result, n) and 0 < plans < programs
    assert files(half) == left


def without_privileges_over_files() -> None:
    """Root that may write only where its permissions say so: what it starts has no CAP_DAC_OVERRIDE (1)."""
    drop_from_bounding_set = 24
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(drop_from_bounding_set, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


@pytest.mark.parametrize("home", ["/nonexistent", "", None])
def test_no_home(filled: tuple[Path, str, int], home: str | None) -> None:
    """No HOME, an empty one, or one that is not there: the kernels stay in memory, or go where the password file
    says.
    """
    _, result, n = filled
    got, compiled, loaded = finish(start(None, HOME=home, XDG_CACHE_HOME="/dev/null/nowhere"))
    assert (got, compiled + loaded) == (result, n)
    if home == "/nonexistent":
        got, compiled, loaded = finish(start(None, HOME=home, XDG_CACHE_HOME=None))
        assert (got, compiled + loaded) == (result, n)


def test_a_folder_that_disappears(filled: tuple[Path, str, int], tmp_path: Path) -> None:
    """The folder is deleted again and again while processes fill it."""
    import shutil

    _, result, n = filled
    running = [start(tmp_path / "kernels") for _ in range(3)]
    while any(p.poll() is None for p in running):
        shutil.rmtree(tmp_path / "kernels", ignore_errors=True)
        try:
            running[0].wait(0.05)
        except subprocess.TimeoutExpired:
            continue
    for p in running:
        got, compiled, loaded = finish(p)
        assert (got, compiled + loaded) == (result, n)


OWN = """if True:
    import rushlight as rl
    from rushlight import Tensor, compiler
    from rushlight.operators.table.pointwise import pointwise
    from rushlight.operators.table.tracer import P

    @pointwise(promote="float")
    def softcap(input: Tensor, cap: float = 30.0) -> Tensor:
        "Bends its input."
        return BODY

    x = rl.tensor([-100.0, 0.0, 1.0, 100.0], requires_grad=True)
    step = rl.compile(lambda x: softcap(x, 10.0) + 1, options={"always": True})
    y = step(x)
    y.sum().backward()
    print([*y.tolist(), *x.grad.tolist(), *softcap(x, 3.0).tolist()])
    found = compiler.stats()
    print(int(found["programs"]), int(found["plans_loaded_from_disk"] + found["calls_loaded_from_disk"]))
"""


def test_an_operator_of_a_program_s_own_that_is_edited(tmp_path: Path) -> None:
    """Its plans are used again as long as its body computes the same, and never longer."""

    def run(body: str, folder: str) -> tuple[str, int, int]:
        script = tmp_path / "own.py"
        script.write_text(OWN.replace("BODY", body))
        result, counts = printed(str(script), env={"RUSHLIGHT_CACHE_DIR": str(tmp_path / folder)}).splitlines()
        programs, plans = map(int, counts.split())
        return result, programs, plans

    result, programs, plans = run("P.tanh(input / cap) * cap", "one")
    assert plans < programs
    assert run("P.tanh(input / cap) * cap", "one") == (result, programs, programs)
    edited, programs, plans = run("P.sin(input / cap) * cap", "one")
    assert plans < programs and edited != result
    assert run("P.sin(input / cap) * cap", "alone")[0] == edited, "as with nothing on disk"
