"""Faults: signals, allocations that fail, a full disk, a user without a home. An exception comes out, and the next call
works.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from processes import printed

HERE = Path(__file__).parent
SLOW = os.environ.get("RUSHLIGHT_SLOW") == "1"


def run(code: str, *arguments: str, timeout: float = 300, **env: str) -> str:
    """What a fresh process that runs `code` prints; it must end well."""
    code = "import sys; sys.path.insert(0, sys.argv[1])\n" + code
    return printed("-c", code, HERE, *arguments, env=env, timeout=timeout)


def attack(what: str, amount: int, seed: int, **env: str) -> str:
    return printed(HERE / "faults.py", what, amount, seed, env=env, timeout=1000 + 3 * amount)


def test_signals_at_random_moments() -> None:
    assert "'interrupted'" in attack("signals", 600 if SLOW else 8, 1)


def test_interrupts_of_compiled_steps() -> None:
    seconds = 600 if SLOW else 10
    found = printed(HERE / "fault_steps.py", seconds, 1, timeout=1000 + 3 * seconds)
    assert "'interrupted'" in found and "'replayed'" in found


@pytest.mark.parametrize("guard", ["end", "heap"])
def test_every_allocation_of_random_calls_fails_once(guard: str) -> None:
    assert "'failures'" in attack("memory", 20_000 if SLOW else 40, 2, RUSHLIGHT_GUARD=guard, RUSHLIGHT_FUZZ="1")


NO_ROOM = """
import resource
import rushlight as rl
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
for make in (lambda: rl.from_file(sys.argv[2], shared=True, size=1 << 22),
             lambda: rl.UntypedStorage.from_file(sys.argv[2], True, 1 << 24)):
    try:
        make()[0] = 1
    except RuntimeError as error:
        assert "no room" in str(error), error
    else:
        raise AssertionError("a file larger than the limit")
t = rl.from_file(sys.argv[2], shared=True, size=1 << 10)
t.fill_(1)
print(t.sum().item())
"""


def test_a_shared_file_that_finds_no_room(tmp_path: Path) -> None:
    assert run(NO_ROOM, str(tmp_path / "memory")) == "1024.0\n"


SMALL_HEAP = """
import gc
gc.set_threshold(1, 1, 1)        # the collector runs between any two allocations of containers
import rushlight as rl
from rushlight import nn

net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.LayerNorm(8), nn.Linear(8, 2))
optimizer = rl.optim.Adam(net.parameters())
for _ in range(3):
    x = rl.ones(5, 4, requires_grad=True)
    y = net(x)
    y.register_hook(lambda g: g * 2)
    loss = nn.functional.cross_entropy(y, rl.zeros(5, dtype=rl.int64))
    loss = loss + rl.func.vmap(rl.func.grad(lambda t: t.sin().sum()))(x).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    a, b = x.detach().unbind(0)[:2]
    a.add_(b)
    rl.autograd.grad(net(x).square().sum(), x, create_graph=True)[0].sum().backward()
print(loss.isfinite().item())
"""


def test_the_collector_between_any_two_allocations() -> None:
    assert run(SMALL_HEAP) == "True\n"


FORK = """
import os, signal, threading, time
import rushlight as rl
from rushlight.core import locks

class Interrupt(Exception): pass
def raised(*args): raise Interrupt
rl.ones(3).softmax(0)
signal.signal(signal.SIGALRM, raised)
signal.signal(signal.SIGUSR1, raised)
holding, told = threading.Event(), []
sys.unraisablehook = lambda x: told.append(x.exc_type)

def hold():
    with locks.tracing, locks.building:
        holding.set()
        time.sleep(0.3)

def elsewhere():        # a signal that another thread receives is handled by the main one, too
    time.sleep(0.1)
    signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)

for by in ("timer", "thread"):
    holding.clear()
    threads = [threading.Thread(target=hold)] + ([threading.Thread(target=elsewhere)] if by == "thread" else [])
    for t in threads: t.start()
    holding.wait()
    parent, came = os.getpid(), False
    try:
        if by == "timer":
            signal.setitimer(signal.ITIMER_REAL, 0.1)
        child = os.fork()
        if child == 0:
            os._exit(0)
        time.sleep(0.01)
    except Interrupt:
        came = True
    if os.getpid() != parent:
        os._exit(1)
    assert came and not told, (by, came, told)
    for t in threads: t.join()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == set()
    os.wait()

    def compiles():
        out.append(rl.ones(2, 2).cumsum(0).tanh().sum().item())
    out = []
    t = threading.Thread(target=compiles, daemon=True)
    t.start(); t.join(100)
    assert out, "another thread hangs"
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        os._exit(0 if rl.ones(2).logsumexp(0).item() > 1 else 1)
    assert os.waitpid(child, 0)[1] == 0
print("well")
"""


def test_an_exception_of_a_handler_while_a_fork_waits_is_raised_after_it() -> None:
    assert run(FORK) == "well\n"


SCOPES = """
import gc, types
import rushlight as rl
from rushlight.core import locks
from rushlight.core import tensor as core
from rushlight.program.ir import Builder
# A trace that was cut off in an __enter__ of Python code leaves its marks; the section takes them away.
try:
    with locks.tracing, locks.no_collections():
        Builder().__enter__()
        raise KeyboardInterrupt
except KeyboardInterrupt:
    pass
assert not Builder.active() and core.add_builders(0) == 0 and gc.isenabled()
from rushlight.func.levels import Level, in_force

def f(x):
    Level("vmap", 3).__enter__()
    raise KeyboardInterrupt
for transform in (rl.func.vmap, rl.func.grad, lambda f: lambda x: rl.func.jvp(f, (x,), (x,))):
    try:
        transform(f)(rl.ones(3))
    except KeyboardInterrupt:
        pass
    assert not in_force()
    rl.rand(2)
for mode in (rl.no_grad(), rl.enable_grad(), rl.inference_mode()):
    assert not isinstance(type(mode).__enter__, types.FunctionType), "a handler may run within"
print("well")
"""


def test_what_an_interrupted_trace_had_in_force_is_put_back() -> None:
    assert run(SCOPES) == "well\n"


HOME = """
import os, pwd
os.environ.pop("HOME", None); os.environ.pop("XDG_CACHE_HOME", None); os.environ.pop("RUSHLIGHT_CACHE_DIR", None)
def nobody(uid): raise KeyError(uid)
pwd.getpwuid = nobody
os.chdir(sys.argv[2])
import rushlight as rl
assert rl.ones(3).softmax(0).sum().item() > 0.99
print(os.listdir("."))
"""


def test_a_user_without_a_home_keeps_kernels_in_memory(tmp_path: Path) -> None:
    assert run(HOME, str(tmp_path)) == "[]\n"


DISK = """
import os, resource, signal, threading
import rushlight as rl
folder = sys.argv[2]
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
rl.save({"a": rl.arange(10)}, folder + "/old.pt")
def kernels(): return [name for _, _, files in os.walk(os.environ["RUSHLIGHT_CACHE_DIR"]) for name in files]
before = kernels()
# every file of more than 200 bytes: an error, as of a full disk
resource.setrlimit(resource.RLIMIT_FSIZE, (200, hard))
assert abs(rl.ones(3).softmax(0).sum().item() - 1) < 1e-6    # the cache does without
assert kernels() == before
for attempt in range(3):
    try:
        rl.save({"a": rl.zeros(10000)}, folder + "/new.pt")
    except (OSError, RuntimeError) as error:
        assert str(error)
    else:
        raise AssertionError("a file that was cut short")
try:
    rl.ones(10000).share_memory_()
except (OSError, RuntimeError, MemoryError) as error:
    assert str(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
rl.save({"a": rl.zeros(10000)}, folder + "/new.pt")
assert rl.load(folder + "/new.pt")["a"].shape == (10000,)
assert rl.load(folder + "/old.pt")["a"].tolist() == list(range(10))
t = rl.ones(10000).share_memory_()
assert t.is_shared() and t.sum().item() == 10000
assert abs(rl.ones(3, 2).softmax(0).sum().item() - 2) < 1e-6
assert len(kernels()) > len(before)
print("well")
"""


def test_a_full_disk(tmp_path: Path) -> None:
    assert run(DISK, str(tmp_path), RUSHLIGHT_CACHE_DIR=str(tmp_path / "kernels")) == "well\n"


FOLDERS = """
import errno, os, shutil
import rushlight as rl
from rushlight.compiler.kernels import cache
base = os.environ["RUSHLIGHT_CACHE_DIR"]
real = os.replace
calls = 0
for fault in (errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT, "gone", "file"):
    def replace(*args):
        if fault == "gone":
            shutil.rmtree(base)
            return real(*args)
        if fault == "file":
            return real(*args)
        raise OSError(fault, os.strerror(fault))
    if fault == "file":
        shutil.rmtree(base, ignore_errors=True)
        open(base, "w").close()
    os.replace = replace
    cache.forget()
    calls += 1
    x = rl.ones([2] * calls)
    assert abs((x.softmax(0) + x.logsumexp(0)).sum().item()) > 0
    left = [name for _, _, files in os.walk(base) for name in files]
    assert not left, (fault, left)
print("well")
"""


def test_a_cache_folder_that_cannot_be_written(tmp_path: Path) -> None:
    assert run(FOLDERS, RUSHLIGHT_CACHE_DIR=str(tmp_path / "kernels")) == "well\n"


LOADER = """
import os, time
import rushlight as rl
class Slow(rl.utils.data.Dataset):
    def __len__(self): return 100000
    def __getitem__(self, k):
        time.sleep(0.001)
        return rl.full((10,), float(k))
workers, ahead = int(sys.argv[2]), 3 if sys.argv[2] != "0" else None
loader = rl.utils.data.DataLoader(
    Slow(), batch_size=4, num_workers=workers, persistent_workers=sys.argv[3] == "persistent", prefetch_factor=ahead
)
for i, batch in enumerate(loader):
    if i == 1:
        print("at work", flush=True)
"""


@pytest.mark.parametrize(("workers", "kind"), [(0, "fresh"), (2, "fresh"), (2, "persistent")])
def test_ctrl_c_in_a_loop_over_a_loader(workers: int, kind: str) -> None:
    """KeyboardInterrupt once, from the main process alone, and no worker is left."""
    for delay in (0.0, 0.03, 0.1):
        code = (
            "import signal, sys\nsignal.signal(signal.SIGINT, signal.default_int_handler)       # whatever was "
            "inherited\n"
        ) + LOADER
        process = subprocess.Popen(
            [sys.executable, "-c", code, "", str(workers), kind],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "at work\n"
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to all of them
        _, errors = process.communicate(timeout=100)
        assert process.returncode in (-signal.SIGINT, 130), (process.returncode, errors[-2000:])
        assert errors.count("Traceback (most recent call last)") == 1 and errors.rstrip().endswith(
            "KeyboardInterrupt"
        ), errors[-3000:]
        end = time.monotonic() + 20
        while group_members(process.pid) and time.monotonic() < end:
            time.sleep(0.05)
        assert not group_members(process.pid)


def group_members(group: int) -> list[int]:
    """The living processes of a process group."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                found.append(int(entry))
    return found


THREADS = """
import gc, threading
import rushlight as rl
threading.stack_size(128 << 10)
out = []
def work():
    x = rl.ones(4, 5, requires_grad=True)
    y = rl.nn.functional.gelu(x).softmax(-1) @ x.mT
    out.append(float(y.sum().item()))
    (x * 2 + 1).sum().backward()
warm = sys.argv[2] == "warm"
if warm:
    work()
out.clear()
t = threading.Thread(target=work)
t.start(); t.join()
assert out
threading.stack_size(0)
print("well")
"""


def test_a_thread_with_a_small_stack_launches() -> None:
    assert run(THREADS, "warm") == "well\n"


EXITS = {
    "a daemon thread computes": "threading.Thread(target=forever, daemon=True).start(); time.sleep(0.3)",
    "a graph is alive": (
        "x = rl.ones(3, requires_grad=True); sys.keep = [(x * i).sin() for i in range(100)]; sys.keep.append(sys.keep)"
    ),
    "a loader's workers are alive": (
        "l = iter(rl.utils.data.DataLoader(range(100), num_workers=2)); next(l); sys.keep = l"
    ),
    "exit hooks compute": "import atexit; atexit.register(lambda: print(rl.ones(4).cumprod(0).sum().item()))",
    "finalizers compute": "class F:\n    def __del__(self): rl.ones(3).add(1)\nsys.keep = F()",
    "a call in a tracing function": "sys.setprofile(lambda *a: None); rl.ones(3, 3).logsumexp(1)",
}


@pytest.mark.parametrize("name", EXITS)
def test_the_end_of_the_interpreter(name: str) -> None:
    code = """
import os, threading, time
import rushlight as rl
def forever():
    while True:
        x = rl.ones(50000, requires_grad=True)
        (x * 2 + 1).sum().backward()
""" + EXITS[name]
    run(code, timeout=100)


def test_exceptions_of_tracing_functions_come_out() -> None:
    assert (
        run("""
import rushlight as rl
from rushlight.core import locks
class Stop(Exception): pass
for setter in (sys.settrace, sys.setprofile):
    stopped = 0
    for at in (1, 2, 3, 5, 8, 13, 50, 200, 1000, 5000):
        count = 0
        def tell(frame, event, arg):
            global count
            count += 1
            if count == at:
                raise Stop
            return tell
        from rushlight.compiler.kernels import cache
        cache.forget()
        setter(tell)
        try:
            rl.ones([1 + at % 3, 2, 3][:1 + at % 3]).logsumexp(0).mul(at)
        except Stop:
            stopped += 1
        finally:
            setter(None)
        import gc
        assert gc.isenabled()
        assert rl.ones(3).softmax(0).sum().item() > 0.9
        x = rl.ones(2, requires_grad=True)
        (x * x).sum().backward()
        assert x.grad.tolist() == [2, 2]
    assert stopped
print("well")
""")
        == "well\n"
    )


def test_a_low_recursion_limit_is_a_recursion_error() -> None:
    assert (
        run("""
import rushlight as rl
failed = 0
for limit in range(20, 200, 6):
    old = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(limit)
        rl.ones([2] * (1 + limit % 4)).logsumexp(0).sum()
    except RecursionError:
        failed += 1
    finally:
        sys.setrecursionlimit(old)
    x = rl.ones(2, requires_grad=True)
    (x * x).sum().backward()
    assert x.grad.tolist() == [2, 2]
assert failed
print("well")
""")
        == "well\n"
    )


NO_MEMORY = """
import _testcapi
import rushlight as rl

def work():
    x = rl.ones(3, 4, requires_grad=True)
    y = (x.view(12)[2:] * 2.0).sum()
    y.backward()
    return x.grad.sum().item(), rl.cat([x, x]).tolist()[0], rl.tensor([[1, 2], [3, 4]])[0, 1].item()

expected = work()
failed = 0
for n in range(int(sys.argv[2])):
    _testcapi.set_nomemory(n, n + 1)
    try:
        work()
    except MemoryError:
        failed += 1
    except BaseException as error:
        _testcapi.remove_mem_hooks()
        if not isinstance(error, (SystemError, RuntimeError)) or True:
            print(n, type(error).__name__, str(error)[:200])
    finally:
        _testcapi.remove_mem_hooks()
    assert work() == expected, n
assert failed > 50, failed
print("well")
"""


def test_python_s_own_allocations_fail() -> None:
    pytest.importorskip("_testcapi")
    assert run(NO_MEMORY, str(5000 if SLOW else 400)) == "well\n"


def test_a_subinterpreter_is_refused() -> None:
    """The core's state is the process's: a second interpreter gets an ImportError that says so, not a crash."""
    interpreters: Any = pytest.importorskip("_xxsubinterpreters")
    del interpreters
    out = run("""
import _xxsubinterpreters as interpreters
import rushlight
i = interpreters.create()
try:
    interpreters.run_string(i, "import sys; sys.path[:] = " + repr(sys.path) + "; import rushlight")
except Exception as error:
    print("ImportError" in str(error), str(error)[:300])
else:
    print("imported")
""")
    assert out.startswith("True"), out
