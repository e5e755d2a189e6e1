"""Checkpoints made by a grammar (fuzz_files.py), loaded with weights_only=True between forbidden pages.

    python tests/system/fuzz_checkpoints.py FILES SEED [FIRST]     # e.g. 100000 0: some 20 minutes on one core
    python tests/system/fuzz_checkpoints.py --file SEED K [PATH]   # load file K of a seed again; PATH: and keep it

A file must load, or raise UnpicklingError or RuntimeError with a message that names what is wrong in the archive; it
must do so within SECONDS and with memory of at most GROWTH times its size beside ROOM bytes (RLIMIT_DATA). Every tensor
that is loaded must lie in its storage, and what is done with it must not reach out of it: the worker runs with
RUSHLIGHT_GUARD (even seeds forbid the bytes after a block, odd ones those before), so a reach outside is a SIGSEGV. One
file in ten is sound but for a few bytes and is read with weights_only=False, where nothing but the process's life is
asked.
"""

from __future__ import annotations

import copy
import faulthandler
import gc
import io
import math
import os
import pickle
import random
import resource
import sys
import warnings
from pathlib import Path
from typing import Any

import fuzz_archives
import fuzz_files
from fuzz import PACKAGE, complaint
from workers import drive, note

SECONDS = 30
GROWTH = 300  # an empty set costs 216 bytes and one byte of the file
ROOM = 96 << 20
FILES_A_WORKER = 5000
SMALL = 4096  # elements of tensors that are computed with
NODES = 400

MEMBERS = ("data.pkl", "data/", "byteorder", "version", "directory", "zip", "constants.pkl", "member ")


def in_use() -> int:
    """Bytes of private writable memory, as RLIMIT_DATA counts them."""
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmData:")) << 10


def verdict(error: BaseException) -> str | None:
    """Why an exception of load() is no answer to a bad file, or None when it is one."""
    unmeant = isinstance(error, (NotImplementedError, RecursionError))  # RuntimeErrors that nobody raises of a file
    if unmeant or not isinstance(error, (pickle.UnpicklingError, RuntimeError)):
        return f"{type(error).__name__} instead of UnpicklingError or RuntimeError: {str(error)[:300]}"
    if len(str(error)) > 4000:
        return f"a message of {len(str(error))} characters"
    if not any(name in str(error) for name in MEMBERS):
        return f"the message names no member: {str(error)[:300]}"
    return None


def tensors_in(obj: Any) -> list[Any]:
    """Some of the tensors in what was loaded; it may contain itself."""
    import rushlight as rl

    found, seen, left = [], set[int](), [obj]
    while left and len(seen) < NODES:
        x = left.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        if isinstance(x, rl.Tensor):
            found.append(x)
            left.extend(vars(x).values())
        elif isinstance(x, dict):
            left.extend([*x.keys(), *x.values(), getattr(x, "__dict__", None)][:NODES])
        elif isinstance(x, (list, tuple, set, frozenset)):
            left.extend(list(x)[:NODES])
    return found


def misplaced(t: Any) -> str | None:
    """What is wrong with a tensor's place in memory."""
    sizes, strides, offset = tuple(t.shape), t.stride(), t.storage_offset()
    if any(type(n) is not int or n < 0 for n in sizes) or any(type(s) is not int for s in strides):
        return f"sizes {sizes} and strides {strides}"
    if t.is_meta:
        return None
    last = offset + sum((n - 1) * s for n, s in zip(sizes, strides, strict=True))
    if all(sizes) and not (0 <= offset <= last and (last + 1) * t.itemsize <= t.untyped_storage().nbytes()):
        return f"elements {offset} to {last} of {t.itemsize} bytes in a storage of {t.untyped_storage().nbytes()}"
    if all(sizes) and t.data_ptr() != t.untyped_storage().data_ptr() + offset * t.itemsize:
        return "it does not begin where it says"
    return None


def saved_again(t: Any) -> Any:
    import rushlight as rl

    file = io.BytesIO()
    rl.save(t, file)
    file.seek(0)
    again = rl.load(file)
    if again.shape != t.shape or again.dtype != t.dtype or again.stride() != t.stride():
        raise AssertionError(f"saved again it is {again.dtype} {tuple(again.shape)}, not {t.dtype} {tuple(t.shape)}")
    return again


def reverse(t: Any) -> Any:
    x = t.detach().requires_grad_() if not t.is_leaf else t
    return (x * 2).sum().abs().backward() if x.requires_grad else None


USES: dict[str, Any] = {
    "repr": repr,
    "sum": lambda t: t.sum(),
    "clone": lambda t: t.clone(),
    "add": lambda t: t + 1,
    "copy": copy.deepcopy,
    "numpy": lambda t: t.detach().numpy(),
    "backward": reverse,
    "save": saved_again,
    "tolist": lambda t: t.tolist(),
    "contiguous": lambda t: t.contiguous(),
    "float": lambda t: t.float(),
    "fill": lambda t: t.detach().clone().fill_(1),
    "transpose": lambda t: t.flatten(),
    "equal": lambda t: (t == t).all(),
    "item": lambda t: t[(0,) * t.dim()],
}


def use(t: Any, r: random.Random) -> str | None:
    """Compute with a tensor; what goes wrong."""
    wrong = misplaced(t)
    if wrong:
        return wrong
    # Lists and texts go through the dimensions, elements or not; a text has 6 entries for each that is long.
    spread = math.prod(max(n, 1) for n in t.shape)
    names = r.sample(list(USES), 4) if t.numel() <= SMALL else ["repr", "item"]
    for name in names:
        if name == "tolist" and spread > SMALL or name == "repr" and spread > SMALL and t.dim() > 4:
            continue
        try:
            USES[name](t)
        except Exception as error:
            # Meta tensors have no values, unsigned integers no sum, and so on: plain errors, as for any tensor.
            if complaint(error, name) and not isinstance(
                error, (RuntimeError, TypeError, NotImplementedError, ValueError, IndexError)
            ):
                return f"{name} of it raises {type(error).__name__}: {str(error)[:300]}"
    return None


def ways(r: random.Random) -> dict[str, Any]:
    return r.choice(
        [
            {},
            {},
            {},
            {"map_location": "cpu"},
            {"map_location": "meta"},
            {"map_location": {"cuda:0": "cpu"}},
            {"map_location": lambda storage, where: storage},
            {"map_location": lambda storage, where: None},
        ]
    )


def attempt(data: bytes, r: random.Random) -> tuple[bool, str | None]:
    """Load a file and use what is in it: (whether it was loaded, what is wrong)."""
    import rushlight as rl

    trusting = r.random() < 0.1
    if trusting:
        file = bytearray(fuzz_archives.archive(r, fuzz_files.Grammar(r, 0.0).value(3).join([b"\x80\x02", b"."]), [], 0))
        for _ in range(r.randrange(4)):
            file[r.randrange(len(file))] = r.randrange(256)
        data = bytes(file)
    limit = in_use() + ROOM + GROWTH * len(data)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.RLIM_INFINITY))
    try:
        loaded = rl.load(io.BytesIO(data), weights_only=not trusting, **ways(r))
    except Exception as error:
        return False, None if trusting else verdict(error)
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    if trusting:
        return True, None
    for t in tensors_in(loaded)[:4]:
        wrong = use(t, r)
        if wrong:
            return True, f"a tensor {t.dtype} {tuple(t.shape)[:9]}: {wrong}"
    return True, None


def work(first: int, files: int, seed: int, log: int) -> None:
    """A worker: files first, first + 1, ... up to `files`; notes each in `log` and prints a line for each that is
    wrong.
    """
    import rushlight as rl

    rl.load(
        io.BytesIO(
            fuzz_archives.written(
                [fuzz_archives.Member(b"a/data.pkl", b"\x80\x02N."), fuzz_archives.Member(b"a/version", b"3")]
            )
        )
    )
    # The kernels of flags: to compile one takes more memory than a file's share.
    for name in "float16 bfloat16 float32 float64 complex32 complex64 complex128 int8 int16 int32 int64".split():
        flat = rl.zeros(3, dtype=getattr(rl, name))
        (-(flat.conj() if name.startswith("complex") else flat)).resolve_neg()
    warnings.simplefilter("ignore")
    fine = bad = 0
    for k in range(first, files):
        r = random.Random(seed * 1_000_003 + k)
        note(log, k, fine, bad)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        data = fuzz_files.draw(r)
        ok, wrong = attempt(data, r)
        fine += ok
        if wrong is not None:
            bad += 1
            print(f"file {k} ({len(data)} bytes): {wrong}", flush=True)
        if k % 50 == 0:
            gc.collect()
    faulthandler.cancel_dump_traceback_later()
    note(log, files, fine, bad)


def main() -> int:
    if sys.argv[1] == "--file":
        return one(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else None)
    files, seed = int(sys.argv[1]), int(sys.argv[2])
    if "--worker" in sys.argv:
        work(int(sys.argv[3]), files, seed, int(sys.argv[5]))
        return 0
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    return drive(__file__, "file", first, files, seed, FILES_A_WORKER, guarded(seed), "loaded")


def guarded(seed: int) -> dict[str, str]:
    """The environment of a worker."""
    return dict(
        os.environ,
        RUSHLIGHT_GUARD=("end", "start")[seed % 2],
        PYTHONFAULTHANDLER="1",
        PYTHONPATH=os.path.dirname(PACKAGE),
    )


def one(seed: int, k: int, path: str | None) -> int:
    """Load one file again, in this process."""
    env = guarded(seed)
    if os.environ.get("RUSHLIGHT_GUARD") != env["RUSHLIGHT_GUARD"]:
        os.execve(sys.executable, [sys.executable, *sys.argv], env)
    warnings.simplefilter("ignore")
    r = random.Random(seed * 1_000_003 + k)
    data = fuzz_files.draw(r)
    if path:
        Path(path).write_bytes(data)
    print(attempt(data, r))
    return 0


if __name__ == "__main__":
    sys.exit(main())
