"""Each int among the arguments of every operator's samples replaced by numbers at the limits of 32 and 64 bits.

`python tests/system/huge.py [CALLS [SEED]]`: so many of them, chosen at random; 0 is all. Each must be an error that
names the operator, or a result that lies inside its memory: no crash, no hang, no process that ends for want of memory.
"""

from __future__ import annotations

import faulthandler
import os
import random
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

LIMITS = tuple(n + k for n in (1 << 31, 1 << 32, 1 << 61, 1 << 62, 1 << 63) for k in (-1, 0, 1)) + (
    -(1 << 31) - 1,
    -(1 << 61),
    -(1 << 63),
    -(1 << 63) - 1,
)
SECONDS = 20
MEMORY = 3 << 30


def places(x: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the ints of an argument are."""
    if type(x) is int:
        yield path
    elif type(x) in (list, tuple):
        for i, v in enumerate(x):
            yield from places(v, (*path, i))
    elif type(x) is slice:
        for name in ("start", "stop", "step"):
            yield from places(getattr(x, name), (*path, name))


def replaced(x: Any, path: tuple[Any, ...], value: int) -> Any:
    """`x` with another int in one place."""
    if not path:
        return value
    if type(x) is slice:
        return slice(*(value if n == path[0] else getattr(x, n) for n in ("start", "stop", "step")))
    return type(x)(replaced(v, path[1:], value) if i == path[0] else v for i, v in enumerate(x))


def calls() -> list[Any]:
    """A call for each int of each sample and each number, and for each parameter that takes ints and was left out."""
    import fuzz_calls
    from fuzz_calls import OPERATORS, REGISTRY, T

    from rushlight.core.flatten import Kind

    found = []
    for name in fuzz_calls.NAMES():
        op = OPERATORS[name]
        if name in REGISTRY:
            bases = fuzz_calls.bases(name, REGISTRY[name].dtypes[0].name)
        else:
            bases = [fuzz_calls.Call(name, [T("float32", (2, 3))], {})]
        seen: set[Any] = set()
        for call in bases:
            given = [((i,), a) for i, a in enumerate(call.args)] + [((k,), v) for k, v in call.kwargs.items()]
            for (key,), value in given:
                which = op.params[key].name if isinstance(key, int) and key < len(op.params) else key
                for path in places(value):
                    if which in fuzz_calls.STEPS or (which, path, type(value)) in seen:
                        continue
                    seen.add((which, path, type(value)))
                    found += [with_argument(call, key, replaced(value, path, n)) for n in LIMITS]
            for i, p in enumerate(op.params):
                if (
                    i >= len(call.args)
                    and p.name not in call.kwargs
                    and p.kind in (Kind.P_INT, Kind.P_INTS)
                    and p.name not in fuzz_calls.STEPS
                    and p.name not in seen
                ):
                    seen.add(p.name)
                    found += [with_argument(call, p.name, n if p.kind == Kind.P_INT else (n,)) for n in LIMITS]
    return found


def with_argument(call: Any, key: Any, value: Any) -> Any:
    if isinstance(key, str):
        return replace(call, kwargs={**call.kwargs, key: value})
    return replace(call, args=[value if i == key else a for i, a in enumerate(call.args)])


def outside(t: Any) -> bool:
    """Whether a result reaches outside of its memory, in numbers that do not wrap."""
    if t.is_meta or 0 in t.shape or getattr(type(t), "_dispatch_keys", 0):
        return False
    steps = [(n - 1) * s for n, s in zip(t.shape, t.stride(), strict=True)]
    low = t.storage_offset() + sum(s for s in steps if s < 0)
    high = t.storage_offset() + sum(s for s in steps if s > 0) + 1
    return bool(low < 0 or high * t.itemsize > t.untyped_storage().nbytes())


def judged(call: Any) -> str | None:
    """What is wrong with a call, or None."""
    import fuzz
    import fuzz_calls

    storages: dict[str, Any] = {}
    try:
        op = fuzz_calls.OPERATORS[call.name]
        results = fuzz_calls.flat(
            op(
                *fuzz_calls.change(call.args, lambda t: t.build(storages)),
                **fuzz_calls.change(call.kwargs, lambda t: t.build(storages)),
            )
        )
    except Exception as error:
        return (
            fuzz.complaint(error, call.name)
            and f"{fuzz.complaint(error, call.name)}: {type(error).__name__}: {str(error)[:200]}"
        )
    return next(
        (
            (
                f"a result of shape {tuple(t.shape)}, strides {t.stride()} and offset {t.storage_offset()} lies "
                "outside "
                "of its memory"
            )
            for t in results
            if outside(t)
        ),
        None,
    )


def work(chosen: list[Any], first: int, log: int) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    for k in range(first, len(chosen)):
        os.pwrite(log, f"{k}".ljust(20).encode(), 0)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        wrong = judged(chosen[k])
        if wrong is not None:
            print(f"{chosen[k]}: {wrong}", flush=True)
    faulthandler.cancel_dump_traceback_later()
    os.pwrite(log, f"{len(chosen)}".ljust(20).encode(), 0)


def main() -> int:
    from rushlight.testing.samples import load

    load()
    number, seed = int(sys.argv[1]), int(sys.argv[2])
    chosen = calls()
    total = len(chosen)
    if number:
        random.Random(seed).shuffle(chosen)
        chosen = chosen[:number]
    if "--worker" in sys.argv:
        work(chosen, int(sys.argv[4]), int(sys.argv[5]))
        return 0
    first = wrong = 0
    with tempfile.TemporaryFile() as log:
        while first < len(chosen):
            done = subprocess.run(
                [sys.executable, __file__, *sys.argv[1:3], "--worker", str(first), str(log.fileno())],
                pass_fds=[log.fileno()],
                capture_output=True,
                text=True,
                errors="replace",
                env=dict(os.environ, PYTHONFAULTHANDLER="1", RUSHLIGHT_FUZZ="1"),
            )
            first = int(os.pread(log.fileno(), 20, 0).decode().split()[0])
            wrong += done.stdout.count("\n")
            print(done.stdout, end="", flush=True)
            if first < len(chosen):
                wrong += 1
                how = "hangs" if "Timeout (" in done.stderr else f"ends its process with {done.returncode}"
                lines = [line for line in done.stderr.splitlines() if "File" in line or "rror" in line]
                print(f"{chosen[first]}: {how}\n    " + "\n    ".join(lines[:6]), flush=True)
                first += 1
    print(f"{len(chosen)} calls of {total}, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.argv += ["0", "0"]
    sys.exit(main())
