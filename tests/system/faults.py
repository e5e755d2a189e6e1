"""Faults at random moments: exceptions of signal handlers and allocations that fail, over work of every kind.

    python tests/system/faults.py signals SECONDS SEED        # in a process of its own, with a fresh kernel cache
    python tests/system/faults.py memory CALLS SEED

What must hold: the exception comes out (or, of a signal, one of them), nothing hangs, locks are free, what the thread
had in force is as before, and the next call gives the right value. A process that hangs dies with its stacks on stderr.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import random
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

from fuzz import SANITIZED

HANG = 120  # seconds without progress


class Interrupt(Exception):
    """What the handler raises."""


# -------------------------------------------------------------------------------------------------------------- signals
class Doubled:
    """A dataset of 24 examples."""

    def __len__(self) -> int:
        return 24

    def __getitem__(self, k: int) -> Any:
        import rushlight as rl

        return rl.full((3,), float(k)) * 2.0


def fresh_call(r: random.Random) -> None:
    """A call with a gradient that no cache has: a composition of its own number of steps and its own rank."""
    import rushlight as rl

    shape = [r.randint(2, 4) for _ in range(r.randint(1, 4))]
    x = rl.ones(shape, dtype=r.choice([rl.float32, rl.float64]), requires_grad=True)
    wanted = r.choice(
        [
            lambda t: t.softmax(-1),
            lambda t: t.logsumexp(0),
            lambda t: rl.nn.functional.gelu(t),
            lambda t: t.cumsum(0).tanh(),
            lambda t: t.flip(0).sort(0)[0],
            lambda t: rl.func.vmap(lambda a: a.sin() * 2)(t),
            lambda t: t @ t.mT if t.dim() > 1 else t.dot(t),
        ]
    )
    # Forgotten, so that it is made anew, from the disk or by LLVM.
    if r.random() < 0.5:
        from rushlight.compiler.kernels import cache

        cache.forget()
    wanted(x).sum().backward()
    assert x.grad is not None and x.grad.shape == x.shape


def fork(r: random.Random) -> None:
    """A forked child computes something; its parent waits for it."""
    import rushlight as rl

    child = -1
    try:
        child = os.fork()
        if child == 0:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(60)
            os._exit(0 if rl.ones(3).mul(2).sum().item() == 6.0 else 1)
    except Interrupt:
        if child == 0 or os.getpid() != PARENT:
            os._exit(0)
        raise
    finally:
        if os.getpid() != PARENT:
            os._exit(0)
    assert waited(child) == 0


def waited(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def load_batches(r: random.Random) -> None:
    import rushlight as rl

    loader: Any = rl.utils.data.DataLoader(Doubled(), batch_size=4, num_workers=r.choice([0, 1, 2]))
    assert sum(float(batch.sum().item()) for batch in loader) == 3 * 2 * sum(range(24))


def save_and_load(r: random.Random) -> None:
    import rushlight as rl

    # Not in a folder of its own: an exception inside os.close lets shutil.rmtree close a descriptor twice.
    path = os.path.join(os.environ["RUSHLIGHT_CACHE_DIR"], "saved.pt")
    rl.save({"a": rl.arange(100), "b": rl.ones(3)}, path)
    assert rl.load(path)["a"].sum().item() == 4950


def large(r: random.Random) -> None:
    import rushlight as rl

    x = rl.ones(300_000)
    assert float((x * 2 + 1).sum().item()) == 900_000.0


def step(r: random.Random) -> None:
    import rushlight as rl

    w = rl.nn.Linear(3, 2)
    opt = r.choice([rl.optim.Adam, rl.optim.SGD, rl.optim.RMSprop])(w.parameters(), lr=0.1)
    w(rl.ones(4, 3)).pow(2).sum().backward()
    with rl.no_grad():
        w.weight.add_(0.0)
    opt.step()


WORK: list[Callable[[random.Random], None]] = [
    fresh_call,
    fresh_call,
    fresh_call,
    fork,
    fork,
    large,
    step,
    save_and_load,
]
PARENT = os.getpid()


def in_order() -> None:
    """What every exception must leave: nothing locked, nothing in force, and a call gives its value. Another thread may
    be in a section for a while.
    """
    import rushlight as rl
    from rushlight.core import locks
    from rushlight.core import tensor as core
    from rushlight.program.ir import Builder

    end = time.monotonic() + HANG / 2
    while time.monotonic() < end and not (
        gc.isenabled() and not locks.tracing.locked() and not locks.building.locked()
    ):
        time.sleep(1e-3)
    assert gc.isenabled(), "the garbage collector is off"
    assert not Builder.active() and core.add_builders(0) == 0, "a trace is in progress"
    with locks.tracing, locks.building:
        pass
    assert rl.is_grad_enabled(), "recording is off"
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == set(), "signals are blocked"
    x = rl.ones(3, requires_grad=True)
    (x * 3.0).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [3.0, 3.0, 3.0]


armed = [False]


def raised(number: int, frame: Any) -> None:
    """The handler: it raises once for each time that it is armed, so that none comes between two rounds."""
    if armed[0]:
        armed[0] = False
        raise Interrupt


def signals(seconds: float, seed: int) -> Counter[str]:
    """Do random work while handlers raise at random moments; returns what happened how often."""
    import rushlight as rl

    r = random.Random(seed)
    warnings.simplefilter("ignore")
    happened: Counter[str] = Counter()
    lost: list[Any] = []
    sys.unraisablehook = lambda told: lost.append((told.exc_type, told.object))
    # Everything is imported first: an import that was interrupted may leave Python's own lock of the module taken.
    # The allocator of AddressSanitizer is not made for a fork beside another thread: the child may wait for its locks
    # for ever.
    work = [w for w in WORK if w is not fork] if SANITIZED else [*WORK, load_batches]
    for task in work:
        for k in range(8):
            task(random.Random(k))
    for number in (signal.SIGALRM, signal.SIGUSR1):
        signal.signal(number, raised)
    in_order()
    main, stop = threading.get_ident(), threading.Event()
    compiled = [0]

    def beside() -> None:  # another thread that compiles, and so holds the locks that a fork waits for
        own = random.Random(seed + 1)
        while not stop.is_set():
            fresh_call(own)
            compiled[0] += 1
            time.sleep(0.01)

    other = threading.Thread(target=beside, daemon=True)
    other.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        faulthandler.dump_traceback_later(HANG, exit=True)
        task = r.choice(work)
        timer: Any = None
        delay = r.choice([1e-4, 1e-3, 1e-2, 0.1]) * r.random() + 1e-5
        try:
            armed[0] = True
            if r.random() < 0.5:
                signal.setitimer(signal.ITIMER_REAL, delay)
            else:
                timer = threading.Timer(delay, signal.pthread_kill, (main, signal.SIGUSR1))
                timer.start()
            task(r)
            armed[0] = False
            happened["done"] += 1
        except Interrupt:
            happened["interrupted"] += 1
        signal.setitimer(signal.ITIMER_REAL, 0)
        if timer is not None and timer.ident is not None:
            timer.join()
        in_order()
        happened[task.__name__] += 1
        while True:  # children of interrupted forks
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    break
            except ChildProcessError:
                break
    stop.set()
    before = compiled[0]
    other.join(HANG)
    assert not other.is_alive(), "another thread hangs"
    happened["beside"] = before
    ours = [told for told in lost if told[0] is Interrupt and "rushlight" in repr(told[1])]
    assert not ours, f"exceptions were lost: {ours[:3]}"
    happened["lost elsewhere"] = len(lost)
    assert rl.ones(2).sum().item() == 2
    return happened


# --------------------------------------------------------------------------------------------------------------- memory
def memory(calls: int, seed: int) -> Counter[str]:
    """Random calls of all operators, of which each allocation fails once; returns what happened how often.

    The call must raise MemoryError, or do without; a second time it must give what it gave; nothing stays allocated.
    """
    import fuzz
    import fuzz_calls

    from rushlight.core import _native
    from rushlight.testing.samples import load

    assert _native.guard_mode(), "RUSHLIGHT_GUARD must be set"
    load()
    warnings.simplefilter("ignore")
    happened: Counter[str] = Counter()
    for k in range(calls):
        faulthandler.dump_traceback_later(HANG, exit=True)
        r = random.Random(seed * 1_000_003 + k)
        try:
            call = fuzz_calls.draw(r)
            fuzz_calls.run(call)
        except Exception:
            continue  # wrong arguments are the fuzz's matter
        happened["calls"] += 1
        for n in range(1, 30):
            _native.guard_fail(n)
            try:
                fuzz_calls.run(call)
                how = "did without"
            except MemoryError as error:
                how = "MemoryError"
                if not str(error):
                    raise AssertionError(
                        f"call {k}, allocation {n}: a MemoryError without a message: {call}"
                    ) from error
            except Exception as error:
                how = f"{type(error).__name__}: {error}"[:200]
            left = _native.guard_fail(0)
            if left >= 0:
                break  # it makes fewer allocations
            happened["failures"] += 1
            if how not in ("MemoryError", "did without"):
                print(f"call {k}, allocation {n}: {how}\n    {str(call)[:500]}", flush=True)
                happened["wrong"] += 1
            try:
                fuzz_calls.run(call)
            except Exception as error:
                print(
                    f"call {k} after a failure of allocation {n}: {type(error).__name__}: {error}\n    "
                    f"{str(call)[:500]}",
                    flush=True,
                )
                happened["broken"] += 1
    del fuzz
    return happened


def main() -> int:
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    what, amount, seed = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    if what == "memory":
        if not os.environ.get("RUSHLIGHT_GUARD"):
            os.execve(
                sys.executable, [sys.executable, *sys.argv], dict(os.environ, RUSHLIGHT_GUARD="end", RUSHLIGHT_FUZZ="1")
            )
        happened = memory(int(amount), seed)
    else:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["RUSHLIGHT_CACHE_DIR"] = folder
            happened = signals(amount, seed)
    print(dict(happened))
    return 1 if happened["wrong"] or happened["broken"] else 0


if __name__ == "__main__":
    sys.exit(main())
