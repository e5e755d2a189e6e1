"""Random calls of every operator, with forbidden pages around every block of memory: no crash, no hang, and plain
errors.

    python tests/system/fuzz.py CALLS SEED [FIRST]      # e.g. 100000 0: some 20 minutes on one core
    python tests/system/fuzz.py --call SEED K           # do call K of a seed again, and shrink it if it fails

Calls start from the operators' samples (fuzz_calls.py says how). They run in a worker process with RUSHLIGHT_GUARD set
(core/native/guard.h): an access out of bounds, and a use after free, is a SIGSEGV. Each call is noted before it is
made; when a worker dies, or does not come back within SECONDS, its call is reported, made smaller in forked children,
and the next worker goes on after it. Even seeds forbid the bytes after a block, odd seeds those before.

An error must be an ordinary exception about the arguments, raised where somebody meant to raise it: `complaint` below.
One call in twelve is done again on contiguous copies, or on fresh memory that holds another filling, and must agree.
"""

from __future__ import annotations

import faulthandler
import linecache
import os
import random
import resource
import subprocess
import sys
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any

from workers import drive, note

SECONDS = 100  # a call that takes longer hangs; the slowest compile for some 10 s of processor time
MEMORY = 3 << 30
CALLS_A_WORKER = 2500  # bounds what the call caches keep

# A KeyError, AttributeError or AssertionError tells of the library's inside; an IndexError may be the user's.
EXPECTED = (
    TypeError,
    ValueError,
    RuntimeError,
    IndexError,
    NotImplementedError,
    OverflowError,
    MemoryError,
    BufferError,
    ZeroDivisionError,
)
UNEXPECTED = (RecursionError, UnicodeError)
INSIDE = ("compiler", "program", "prims", "transforms")
ROOT = Path(__file__).resolve().parents[2]
# another build's under tools/sanitize.py
PACKAGE = os.path.join(os.environ.get("PYTHONPATH") or str(ROOT / "src"), "rushlight")
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")


def complaint(error: BaseException, name: str) -> str | None:
    """Why an exception is not an answer to wrong arguments, or None when it is one."""
    text = str(error)
    if "Torch not compiled with" in text:
        return None  # PyTorch's AssertionError for a device that is not there
    if isinstance(error, AssertionError) and text.startswith(name.rpartition(".")[2] + "("):
        return None  # PyTorch asserts here and there too; an assertion of ours names no operator
    if not isinstance(error, EXPECTED) or isinstance(error, UNEXPECTED):
        return f"{type(error).__name__} is not an error about arguments"
    if "internal:" in text or "llvm" in text.lower():
        return "the message speaks of the library's inside"
    if isinstance(error, MemoryError):
        return None  # of NumPy's too, which has no message where Python itself has no memory left
    if not text:
        return "an error without a message"
    file, line = site(error.__traceback__)
    short = name.rpartition(".")[2].strip("_")
    inside = file.startswith(PACKAGE) and file[len(PACKAGE) + 1 :].split("/")[0] in INSIDE
    if short in text and not inside:
        return None
    if "derivative is not implemented" in text:
        return None
    if inside and short not in text:
        return "raised inside the compiler, and does not name the operator"
    if "raise " not in line and short not in text:
        return "not raised on purpose, and does not name the operator"
    return None


def site(tb: TracebackType | None) -> tuple[str, str]:
    """The file and the line of source where an exception began; a compiled module's names are relative to src/."""
    file, number = "", 0
    while tb is not None:
        file, number = tb.tb_frame.f_code.co_filename, tb.tb_lineno
        tb = tb.tb_next
    if not os.path.isabs(file):
        file = str(ROOT / "src" / file.rpartition("src/")[2])
    return file, linecache.getline(file, number)


def alike(a: Any, b: Any) -> bool:
    """Whether two results agree: the same dtypes and shapes, and values up to the rounding of another order of
    summation.
    """
    import numpy as np

    if [(t.dtype, tuple(t.shape)) for t in a] != [(t.dtype, tuple(t.shape)) for t in b]:
        return False
    for x, y in zip(a, b, strict=True):
        if x.is_meta or x.numel() > 5000:
            continue
        p, q = np.array(x.tolist()), np.array(y.tolist())
        tolerance = (
            {2: 2e-2, 4: 1e-4, 8: 1e-4 if x.dtype.kind == "c" else 1e-9, 16: 1e-9}.get(x.itemsize, 0)
            if x.dtype.kind in "fc"
            else 0
        )
        with np.errstate(all="ignore"):
            if not np.allclose(p, q, rtol=tolerance, atol=tolerance, equal_nan=True):
                return False
    return True


# Their values are whatever the memory held, drawn at random, or read from the strides.
UNSTABLE = (
    "empty",
    "resize",
    "as_strided",
    "new",
    "stride",
    "data_ptr",
    "is_contiguous",
    "storage",
    "is_set_to",
    "untyped",
    "view",
    "is_non_overlapping",
    "__dlpack",
    "share",
    "__array",
)


def again(call: Any, first: Any, r: random.Random) -> str | None:
    """Do a call a second time under other circumstances; what differs, or None."""
    from dataclasses import replace

    import fuzz_calls

    from rushlight.core import _native

    op = fuzz_calls.OPERATORS[call.name]
    if (
        call.name.rpartition(".")[2].startswith(UNSTABLE)
        or getattr(op.definition, "shape_class", "") == "random"
        or call.mode in ("out", "meta")
    ):
        return None
    what = r.choice(["fill", "layout"])
    other = call
    if what == "layout":
        other = fuzz_calls.with_tensors(
            call,
            lambda t: replace(
                t,
                strides=t.strides if t.strides and 0 in t.strides else None,
                offset=t.offset if t.strides and 0 in t.strides else 0,
                kind="own",
            ),
        )
        # Elements that share memory hold the value last written: the copies must hold the same. A tensor without data
        # would get some.
        if call.mode == "inplace" or any(
            shares(t) or t.kind == "meta" for t in fuzz_calls.tensors_of([call.args, call.kwargs])
        ):
            return None
    _native.guard_fill(0x3C)
    try:
        second = fuzz_calls.run(other)
    except Exception as error:
        return f"works, but fails with another {what}: {type(error).__name__}: {error}"
    finally:
        _native.guard_fill(0xA5)
    return None if alike(first, second) else f"gives another result with another {what}"


def shares(t: Any) -> bool:
    """Whether two elements of a described tensor share memory (it may say so wrongly)."""
    if t.common:
        return True
    if t.strides is None or 0 in t.shape:
        return False
    reach = 0
    for s, n in sorted((abs(s), n) for s, n in zip(t.strides, t.shape, strict=True) if n > 1):
        if s <= reach:
            return True
        reach += s * (n - 1)
    return False


def attempt(call: Any, check: random.Random | None = None) -> tuple[bool, str | None]:
    """Do a call: (whether it succeeded, what is wrong)."""
    import fuzz_calls

    try:
        result = fuzz_calls.run(call)
    except Exception as error:
        wrong = complaint(error, call.name)
        if wrong is None:
            return False, None
        file, line = site(error.__traceback__)
        return (
            False,
            (
                f"{wrong}\n    {type(error).__name__}: {str(error)[:300]}\n    at {file.removeprefix(PACKAGE)}: "
                f"{line.strip()[:150]}"
            ),
        )
    return True, None if check is None else again(call, result, check)


def limit_memory() -> None:
    """What is larger must be a MemoryError. AddressSanitizer's table of all memory is itself larger, and it has a limit
    of its own.
    """
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def work(first: int, calls: int, seed: int, log: int) -> None:
    """A worker: calls first, first + 1, ... up to `calls`; notes each in `log` and prints a line for each that is
    wrong.
    """
    import fuzz_calls

    from rushlight.testing.samples import load

    load()
    warnings.simplefilter("ignore")
    limit_memory()
    fine = bad = 0
    for k in range(first, calls):
        r = random.Random(seed * 1_000_003 + k)
        note(log, k, fine, bad)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        try:
            call: Any = fuzz_calls.draw(r)
            ok, wrong = attempt(call, r if r.random() < 1 / 12 else None)
        except Exception as error:  # the samples' own tensors must be made
            call, ok, wrong = "", False, f"making the arguments raised {type(error).__name__}: {error}"
        fine += ok
        if wrong is not None:
            bad += 1
            print(f"call {k}: {wrong}\n    {str(call)[:600]}", flush=True)
    faulthandler.cancel_dump_traceback_later()
    note(log, calls, fine, bad)


def in_child(call: Any) -> int:
    """The status with which a forked child that does the call ends: 0 well, 1 a complaint, negative a signal."""
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        os._exit(int(attempt(call)[1] is not None))
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def repeat(seed: int, k: int) -> None:
    """Do one call again and print the smallest form in which it fails in the same way."""
    import fuzz_calls

    from rushlight.testing.samples import load

    load()
    warnings.simplefilter("ignore")
    limit_memory()
    call = fuzz_calls.draw(random.Random(seed * 1_000_003 + k))
    status = in_child(call)
    print(f"call {k} of seed {seed} ends with {status}")
    if status:
        call = fuzz_calls.shrink(call, lambda c: in_child(c) == status)
    else:
        r = random.Random(seed * 1_000_003 + k)
        fuzz_calls.draw(r)
        r.random()
        print(attempt(call, r)[1])
    print(f"    from fuzz_calls import Call, T, run\n    run({call})", flush=True)
    if status == 1:
        print(attempt(call)[1])


def main() -> int:
    if sys.argv[1] == "--call":
        seed = int(sys.argv[2])
    else:
        calls, seed = int(sys.argv[1]), int(sys.argv[2])
    mode = "heap" if SANITIZED else ("end", "start")[seed % 2]
    env = dict(
        os.environ,
        RUSHLIGHT_GUARD=mode,
        RUSHLIGHT_FUZZ="1",
        PYTHONFAULTHANDLER="1",
        PYTHONPATH=os.path.dirname(PACKAGE),
    )
    if sys.argv[1] == "--call":
        if os.environ.get("RUSHLIGHT_GUARD") != mode:
            os.execve(sys.executable, [sys.executable, *sys.argv], env)
        repeat(seed, int(sys.argv[3]))
        return 0
    if "--worker" in sys.argv:
        work(int(sys.argv[3]), calls, seed, int(sys.argv[5]))
        return 0

    def again(k: int) -> None:
        """Do a call that ended its process once more, and shrink it."""
        once = subprocess.run(
            [sys.executable, __file__, "--call", str(seed), str(k)],
            env=env,
            capture_output=True,
            text=True,
            errors="replace",
        )
        print(once.stdout, once.stderr[-500:], flush=True)

    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    return drive(__file__, "call", first, calls, seed, CALLS_A_WORKER, env, "succeeded", again)


if __name__ == "__main__":
    sys.exit(main())
