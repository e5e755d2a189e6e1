"""The C parts of the core, compiled into a library of their own and driven through ctypes."""

from __future__ import annotations

import ctypes
import itertools
import mmap
import os
import platform
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import scipy_openblas64

from processes import printed

NATIVE = Path(__file__).parents[2] / "src" / "rushlight" / "core" / "native"
BLAS = str(Path(scipy_openblas64.get_lib_dir()) / scipy_openblas64.get_library(fullname=True))
I64, PTR, INT, DOUBLE = ctypes.c_int64, ctypes.c_void_p, ctypes.c_int, ctypes.c_double
DTYPES = (np.float32, np.float64, np.complex64, np.complex128)

# Tasks written in C, so that no interpreter lock serialises them.
TASKS = r"""
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "alloc.h"
#include "blas.h"
#include "pool.h"
static int64_t count_items(void *ctx, int64_t b, int64_t e) {
    for (int64_t i = b; i < e; i++) {
        for (volatile int spin = 0; spin < 20; spin++) {}
        atomic_fetch_add((_Atomic int32_t *)ctx + i, 1);
    }
    return 0;
}
static int64_t fail_at_100(void *ctx, int64_t b, int64_t e) { (void)ctx; return b <= 100 && 100 < e ? 7 : 0; }
static int64_t nested(void *ctx, int64_t b, int64_t e) {
    for (int64_t i = b; i < e; i++) {
        int64_t rc = rl_parallel_for(count_items, (int32_t *)ctx + i * 64, 64, 1);
        if (rc || !rl_in_parallel()) return 9;
    }
    return 0;
}
int64_t add_one(void **p, const int64_t *q, int64_t b, int64_t e) {
    for (int64_t i = b; i < e; i++) ((double *)p[0])[i] += (double)q[0];
    return 0;
}
int64_t t_count(int32_t *seen, int64_t n, int64_t grain) { return rl_parallel_for(count_items, seen, n, grain); }
static _Atomic int32_t at;
static _Thread_local int is_caller;
static int64_t note_order(void *ctx, int64_t b, int64_t e) {
    for (int64_t i = b; i < e; i++) {
        int32_t mine = atomic_fetch_add(&at, 1);
        ((int32_t *)ctx)[mine] = (int32_t)(2 * i + is_caller);
        for (volatile int spin = 0; spin < 2000; spin++) {}
    }
    return 0;
}
int64_t t_order(int32_t *order, int64_t n) {
    at = 0;
    is_caller = 1;
    return rl_parallel_for(note_order, order, n, 1);
}
int64_t t_fail(int64_t n) { return rl_parallel_for(fail_at_100, NULL, n, 1); }
int64_t t_nested(int32_t *seen, int64_t n) { return rl_parallel_for(nested, seen, n, 1); }
int64_t t_launch(double *x, int64_t n, int64_t by, double cost) {
    void *p[1] = {x};
    return rl_launch(add_one, p, &by, n, cost);
}
/* Rounds of jobs; the number of rounds in which some item was not done exactly once. */
int64_t t_rounds(int64_t rounds, int64_t n) {
    int64_t bad = 0;
    int32_t *seen = malloc(n * sizeof *seen);
    for (int64_t r = 0; r < rounds; r++) {
        memset(seen, 0, n * sizeof *seen);
        if (rl_parallel_for(count_items, seen, n, 1)) bad++;
        for (int64_t i = 0; i < n; i++)
            if (seen[i] != 1) { bad++; break; }
    }
    free(seen);
    return bad;
}
/* C = A A of contiguous matrices of float32. */
static int t_square(int64_t n, const float *a, float *c) {
    rl_product p = {.batch = 1, .m = n, .n = n, .k = n, .a = (const char *)a, .b = (const char *)a, .c = (char *)c};
    p.a_rs = p.b_rs = p.c_rs = n * 4, p.a_cs = p.b_cs = p.c_cs = 4;
    return rl_multiply(&p, 1);
}
#if defined(__linux__) && defined(__x86_64__)
#include <sys/mman.h>
#include "codeload.h"
#include "restart.h"
/* A kernel, out[i] = in[i] + 1, that any thread but the caller never leaves when it comes first. */
int64_t add_or_stay(void **p, const int64_t *q, int64_t b, int64_t e);
extern const char add_or_stay_end[];
__asm__(".text\nadd_or_stay:\n"
        "mov (%rdi),%r8\n mov 8(%rdi),%r9\n mov 16(%rdi),%r10\n"
        "mov %fs:0,%rax\n cmp (%rsi),%rax\n je 1f\n"
        "mov $1,%eax\n xchg %eax,(%r10)\n test %eax,%eax\n jne 1f\n"
        "2: pause\n jmp 2b\n"
        "1: cmp %rcx,%rdx\n jge 3f\n mov (%r8,%rdx,8),%rax\n inc %rax\n mov %rax,(%r9,%rdx,8)\n inc %rdx\n jmp 1b\n"
        "3: xor %eax,%eax\n ret\n"
        "add_or_stay_end:\n");
/* Launch it until a worker's chunk was taken over so many times. The operands are gone right after each launch: who
 * went on with them would end the process. How many launches left an item undone. */
int64_t t_again(int64_t times) {
    enum { N = 4096 };
    void *code = rl_code_load((const void *)add_or_stay, (size_t)(add_or_stay_end - (const char *)add_or_stay));
    int64_t bad = 0, caller = (int64_t)(intptr_t)__builtin_thread_pointer(), until = rl_taken_over() + times;
    while (rl_taken_over() < until) {
        int64_t *x = mmap(NULL, 3 * N * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (int64_t i = 0; i < N; i++) x[i] = 3 * i;
        void *p[3] = {x, x + N, x + 2 * N};
        if (rl_launch_again((rl_kernel)code, p, &caller, N, 1000)) bad++;
        for (int64_t i = 0; i < N; i++)
            if (x[N + i] != 3 * i + 1) { bad++; break; }
        munmap(x, 3 * N * 8);
    }
    return bad;
}
#endif
/* Allocate, multiply and free, so that a fork may fall into any lock. */
int64_t t_churn(_Atomic int32_t *stop) {
    int64_t rounds = 0;
    while (!atomic_load(stop)) {
        size_t bytes = 64 * 64 * 4 << (rounds % 3);
        float *a = rl_alloc(bytes);
        memset(a, 0, bytes);
        float *c = rl_alloc(64 * 64 * 4);
        if (t_square(64, a, c) || t_rounds(1, 64)) return -1;
        rl_free(c, 64 * 64 * 4);
        rl_free(a, bytes);
        rounds++;
    }
    return rounds;
}
/* Fork `forks` times; every child allocates, multiplies and runs a parallel job. The number of children that failed. */
int64_t t_forks(int64_t forks) {
    int64_t bad = 0;
    for (int64_t i = 0; i < forks; i++) {
        if (t_rounds(1, 500)) bad++;
        pid_t pid = fork();
        if (pid == 0) {
            alarm(20);
            float *a = rl_alloc(256 * 256 * 4), *c = rl_alloc(256 * 256 * 4);
            for (int j = 0; j < 256 * 256; j++) a[j] = 1;
            int rc = t_square(256, a, c);
            _exit(rc || c[5] != 256 || t_rounds(1, 500));
        }
        int status;
        if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status)) bad++;
    }
    return bad;
}
"""


class Product(ctypes.Structure):
    """rl_product of native/product.h."""

    _fields_ = [
        ("dtype", INT),
        ("add", INT),
        *((name, I64) for name in ("batch", "m", "n", "k")),
        *((name, PTR) for name in "abc"),
        *((f"{name}_{axis}", I64) for name in "abc" for axis in ("bs", "rs", "cs")),
        ("gather", PTR),
        ("then", PTR),
        ("first", I64),
        ("wide", INT),
    ]


class Stats(ctypes.Structure):
    _fields_ = [(name, I64) for name in "allocated peak cached limit n_alloc n_hit n_free n_system".split()]


@pytest.fixture(scope="module")
def lib(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("native")
    (folder / "tasks.c").write_text(TASKS)
    sources = [*sorted(NATIVE.glob("*.c")), folder / "tasks.c"]
    out = folder / "libnative.so"
    flags = "-O1 -std=c11 -D_GNU_SOURCE -fPIC -shared -pthread -Wall -Wextra -Werror".split()
    subprocess.run(["cc", *flags, f"-I{NATIVE}", *map(str, sources), "-o", str(out), "-ldl", "-lm"], check=True)
    lib = ctypes.CDLL(str(out))
    lib.rl_alloc.restype = PTR
    lib.rl_alloc.argtypes = [ctypes.c_size_t]
    lib.rl_free.argtypes = [PTR, ctypes.c_size_t]
    lib.rl_alloc_class_size.restype = ctypes.c_size_t
    lib.rl_alloc_class_size.argtypes = [ctypes.c_size_t]
    lib.rl_alloc_trim.argtypes = lib.rl_alloc_set_limit.argtypes = [ctypes.c_size_t]
    lib.rl_code_load.restype = PTR
    lib.rl_code_load.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    lib.rl_code_unload.argtypes = [PTR, ctypes.c_size_t]
    lib.rl_blas_error.restype = ctypes.c_char_p
    lib.rl_blas_symbol.restype = PTR
    lib.rl_multiply.argtypes = [ctypes.POINTER(Product), INT]
    for name in ("t_count", "t_fail", "t_nested", "t_launch", "t_rounds"):
        getattr(lib, name).restype = I64
    lib.t_count.argtypes = [PTR, I64, I64]
    lib.t_nested.argtypes = [PTR, I64]
    lib.t_launch.argtypes = [PTR, I64, I64, DOUBLE]
    lib.t_rounds.argtypes = [I64, I64]
    lib.t_fail.argtypes = [I64]
    lib.t_order.argtypes, lib.t_order.restype = [PTR, I64], I64
    assert lib.rl_blas_open(b"/nonexistent/libblas.so") == -1
    assert b"nonexistent" in lib.rl_blas_error()
    assert lib.rl_blas_open(BLAS.encode()) == 0, lib.rl_blas_error()
    assert lib.rl_blas_open(BLAS.encode()) == 0
    return lib


@pytest.fixture
def threads(lib: ctypes.CDLL) -> Iterator[Callable[[int], None]]:
    yield lambda n: lib.rl_set_num_threads(n)
    lib.rl_set_num_threads(0)


# ---- pool


def test_default_size_is_within_the_affinity_mask(lib: ctypes.CDLL) -> None:
    assert 1 <= lib.rl_cpu_count() <= len(os.sched_getaffinity(0))


@pytest.mark.parametrize("n_threads", [1, 2, 3, 16])
def test_every_item_is_done_once(lib: ctypes.CDLL, threads: Callable[[int], None], n_threads: int) -> None:
    threads(n_threads)  # 16 threads on fewer processors: late workers, stolen chunks
    assert lib.rl_num_threads() == n_threads
    for n, grain in itertools.product((0, 1, 2, 63, 1000, 5000), (1, 7, 10_000)):
        seen = np.zeros(max(n, 1), np.int32)
        assert lib.t_count(seen.ctypes.data, n, grain) == 0
        assert (seen[:n] == 1).all()
    assert lib.t_rounds(300, 700) == 0


def test_several_threads_launch_at_once(lib: ctypes.CDLL, threads: Callable[[int], None]) -> None:
    threads(4)
    bad: list[int] = []
    users = [threading.Thread(target=lambda: bad.append(lib.t_rounds(60, 500))) for _ in range(20)]  # more than slots
    for user in users:
        user.start()
    for user in users:
        user.join(30)
    assert bad == [0] * 20


def test_size_changes_under_load(lib: ctypes.CDLL, threads: Callable[[int], None]) -> None:
    bad: list[int] = []
    user = threading.Thread(target=lambda: bad.append(lib.t_rounds(500, 300)))
    user.start()
    for n in itertools.islice(itertools.cycle((1, 5, 2, 8)), 200):
        threads(n)
    user.join(30)
    assert bad == [0]


def test_each_thread_begins_with_its_share(lib: ctypes.CDLL, threads: Callable[[int], None]) -> None:
    """A caller does chunks of its own share in order, and then others' from their ends."""
    threads(3)
    for _ in range(20):
        order = np.full(48, -1, np.int32)  # 16 chunks a thread
        assert lib.t_order(order.ctypes.data, 48) == 0
        assert sorted(i // 2 for i in order.tolist()) == list(range(48))
        by_caller = [i // 2 for i in order.tolist() if i % 2]
        if by_caller == list(range(48)):  # alone, as it does for a while after it had to wait for others
            continue
        own = [i for i in by_caller if i < 16]
        assert own == sorted(own) == by_caller[: len(own)]
        for begin in (16, 32):
            taken = [i for i in by_caller if begin <= i < begin + 16]
            assert taken == sorted(taken, reverse=True)


def test_nested_job_runs_inline(lib: ctypes.CDLL, threads: Callable[[int], None]) -> None:
    threads(3)
    seen = np.zeros((50, 64), np.int32)
    assert lib.t_nested(seen.ctypes.data, 50) == 0
    assert (seen == 1).all()
    assert lib.rl_in_parallel() == 0


def test_error_code_comes_back(lib: ctypes.CDLL, threads: Callable[[int], None]) -> None:
    for n in (1, 4):
        threads(n)
        assert lib.t_fail(1000) == 7
        assert lib.t_fail(50) == 0


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the code is x86-64's")
def test_what_a_worker_does_not_end_is_taken_over(lib: ctypes.CDLL, threads: Callable[[int], None]) -> None:
    if not lib.rl_restart_ready():
        pytest.skip("the system has no restartable sequences")
    lib.t_again.argtypes, lib.t_again.restype = [I64], I64
    for n in (2, 3):
        threads(n)
        assert lib.t_again(20) == 0


@pytest.mark.parametrize("cost", [0.0, 0.01, 1000.0])
def test_launch_runs_a_kernel(lib: ctypes.CDLL, threads: Callable[[int], None], cost: float) -> None:
    threads(3)
    for n in (0, 1, 100, 12_345):
        x = np.zeros(n + 1)
        assert lib.t_launch(x.ctypes.data, n, 3, cost) == 0
        assert (x[:n] == 3).all() and x[n] == 0


def test_idle_pool_uses_no_cpu(lib: ctypes.CDLL, threads: Callable[[int], None]) -> None:
    threads(4)
    assert lib.t_rounds(20, 2000) == 0
    time.sleep(0.02)
    start = time.process_time()
    time.sleep(0.4)
    assert time.process_time() - start < 0.01


# Forks of a process that holds nothing but the library: to fork the one that runs the tests takes long.
FORKS = """
import ctypes, signal, sys, threading
lib = ctypes.CDLL(sys.argv[1])
assert lib.rl_blas_open(sys.argv[2].encode()) == 0
lib.t_forks.restype = lib.t_churn.restype = ctypes.c_int64
lib.t_forks.argtypes = [ctypes.c_int64]
lib.rl_set_num_threads(3)
signal.alarm(60)  # a hang must end as a failure
stop, rounds = ctypes.c_int32(0), []
churn = lambda: rounds.append(lib.t_churn(ctypes.byref(stop)))
churning = [threading.Thread(target=churn) for _ in range(int(sys.argv[4]))]
for thread in churning:
    thread.start()
failed = lib.t_forks(int(sys.argv[3]))
stop.value = 1
for thread in churning:
    thread.join(30)
assert failed == 0, f"{failed} children failed"
assert len(rounds) == len(churning) and min(rounds, default=1) > 0, rounds
"""


@pytest.mark.parametrize(("forks", "churning"), [(200, 0), (50, 3)])
def test_forks_with_parallel_work(lib: ctypes.CDLL, forks: int, churning: int) -> None:
    """Forks after parallel jobs, and during jobs that three other threads run."""
    printed("-c", FORKS, lib._name, BLAS, forks, churning)


# ---- allocator


def stats(lib: ctypes.CDLL) -> Stats:
    out = Stats()
    lib.rl_alloc_get_stats(ctypes.byref(out))
    return out


def test_size_classes(lib: ctypes.CDLL) -> None:
    sizes = [*range(1, 3000), *(2**p + d for p in range(12, 47) for d in (-1, 0, 1, 12345))]
    for size in sizes:
        rounded = lib.rl_alloc_class_size(size)
        assert size <= rounded <= max(64, size + 63, size * 9 // 8 + 1)
        assert lib.rl_alloc_class_size(rounded) == rounded  # a class holds its own size
    assert lib.rl_alloc_class_size(0) == 64


def test_blocks_are_aligned_and_apart(lib: ctypes.CDLL) -> None:
    sizes = [0, 0, 1, 63, 64, 65, 1000, 4097, 100_000, 2_000_000, 3_000_000, 9_999_999]
    blocks = [lib.rl_alloc(size) for size in sizes]
    for block, size in zip(blocks, sizes, strict=True):
        assert block and block % 64 == 0
        if size >= 2 << 20:
            assert block % (2 << 20) == 0
        ctypes.memset(block, 0xAB, size)
    spans = sorted(zip(blocks, sizes, strict=True))
    assert all(a + max(size, 1) <= b for (a, size), (b, _) in itertools.pairwise(spans))
    for block, size in zip(blocks, sizes, strict=True):
        lib.rl_free(block, size)
    lib.rl_free(None, 10)


def test_a_freed_block_is_used_again(lib: ctypes.CDLL) -> None:
    lib.rl_alloc_trim(0)
    before = stats(lib)
    assert before.cached == 0
    first = lib.rl_alloc(100_000)
    rounded = lib.rl_alloc_class_size(100_000)
    during = stats(lib)
    assert during.allocated - before.allocated == rounded
    assert during.peak >= during.allocated
    lib.rl_free(first, 100_000)
    assert stats(lib).cached == rounded
    second = lib.rl_alloc(99_000)  # the same class
    assert second == first
    after = stats(lib)
    assert (after.n_alloc - before.n_alloc, after.n_hit - before.n_hit, after.cached) == (2, 1, 0)
    lib.rl_free(second, 99_000)
    lib.rl_alloc_trim(0)
    assert stats(lib).cached == 0
    assert stats(lib).allocated == before.allocated
    lib.rl_alloc_reset_peak()
    assert stats(lib).peak == before.allocated


def test_the_cache_is_bounded(lib: ctypes.CDLL) -> None:
    limit = stats(lib).limit
    assert 0 < limit <= 1 << 30
    lib.rl_alloc_set_limit(1 << 20)
    try:
        for size in (1000, 50_000, 300_000, 5_000_000):
            blocks = [lib.rl_alloc(size) for _ in range(40)]
            for block in blocks:
                lib.rl_free(block, size)
                assert stats(lib).cached <= 1 << 20
        # The bound on one class leaves room for others, and the class last used stays.
        block = lib.rl_alloc(200_000)
        lib.rl_free(block, 200_000)
        assert lib.rl_alloc(200_000) == block
        lib.rl_free(block, 200_000)
    finally:
        lib.rl_alloc_set_limit(limit)


def test_impossible_sizes_give_null(lib: ctypes.CDLL) -> None:
    before = stats(lib).allocated
    for size in (2**63, 2**64 - 1, 2**47 + 1, 2**47):
        assert lib.rl_alloc(size) is None
    assert stats(lib).allocated == before


# ---- machine code


def area(line: str) -> tuple[int, int, str]:
    """Begin, end and rights of a line of /proc/self/maps."""
    begin, end = line.split()[0].split("-")
    return int(begin, 16), int(end, 16), line.split()[1]


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the code is x86-64's")
def test_code_loads_runs_and_is_not_writable(lib: ctypes.CDLL) -> None:
    blob = bytes.fromhex("488d0437c3")  # lea rax, [rdi + rsi]; ret
    base = lib.rl_code_load(blob, len(blob))
    assert base and base % mmap.PAGESIZE == 0
    assert ctypes.CFUNCTYPE(I64, I64, I64)(base)(40, 2) == 42
    with open("/proc/self/maps") as maps:
        rights = next(rights for begin, end, rights in map(area, maps) if begin <= base < end)
    assert rights.startswith("r-x")
    lib.rl_code_unload(base, len(blob))
    assert not lib.rl_code_load(blob, 0)


# ---- matrix products


def random(rng: np.random.Generator, shape: tuple[int, ...], dtype: type) -> np.ndarray:
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.issubdtype(dtype, np.complexfloating) else x).astype(dtype)


def strided(x: np.ndarray, order: str) -> np.ndarray:
    """A copy of a matrix: row-major, column-major, with padded rows, with padded columns, or with no unit stride."""
    m, n = x.shape
    if order in "CF":
        return np.array(x, order=order)
    shapes = {"c": (m, n + 3), "f": (n, m + 5), "x": (2 * m, 2 * n)}
    big = np.full(shapes[order], 9, x.dtype)
    view = {"c": big[:, :n], "f": big[:, :m].T, "x": big[::2, ::2]}[order]
    view[...] = x
    return view


def multiply(lib: ctypes.CDLL, a: np.ndarray, b: np.ndarray, c: np.ndarray, add: bool = False) -> int:
    """C = A @ B, or C += A @ B; of matrices, or of batches of them, where one that is shared has the size 1."""
    p = Product(dtype=DTYPES.index(c.dtype.type), add=add, batch=1 if c.ndim == 2 else len(c))
    p.m, p.n, p.k = a.shape[-2], b.shape[-1], a.shape[-1]
    for name, x in zip("abc", (a, b, c), strict=True):
        setattr(p, name, x.ctypes.data)
        for axis, step in zip(("cs", "rs", "bs"), x.strides[::-1], strict=False):
            setattr(p, f"{name}_{axis}", 0 if axis == "bs" and len(x) == 1 else step)
    return lib.rl_multiply(ctypes.byref(p), 1)


def assert_near(actual: np.ndarray, expected: np.ndarray, message: str = "") -> None:
    """Every element within a few hundred rounding steps of the largest."""
    scale = max(1.0, float(abs(expected).max(initial=0)))
    np.testing.assert_allclose(actual, expected, 0, 300 * scale * float(np.finfo(actual.dtype).eps), err_msg=message)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "size", [(1, 1, 1), (3, 5, 4), (1, 70, 40), (70, 1, 40), (30, 40, 1), (33, 50, 17), (50, 60, 0), (3, 5, 8200)]
)
def test_gemm_strides(lib: ctypes.CDLL, dtype: type, size: tuple[int, int, int]) -> None:
    m, n, k = size
    rng = np.random.default_rng(0)
    for orders in itertools.product("CFcf", repeat=3):
        a, b, c = (strided(random(rng, s, dtype), o) for s, o in zip(((m, k), (k, n), (m, n)), orders, strict=True))
        for add in (False, True):
            expected = a @ b + (c if add else 0)
            if not add:
                c[...] = np.nan  # C must not be read
            assert multiply(lib, a, b, c, add) == 0
            assert_near(c, expected, str((orders, add)))
            padding = c.base if c.base is not None else c
            assert (np.asarray(padding).size == c.size) or (padding == 9).sum() >= padding.size - c.size


def test_gemm_refuses_what_blas_cannot_say(lib: ctypes.CDLL) -> None:
    rng = np.random.default_rng(1)
    a, b, c = (random(rng, (40, 40), np.float32) for _ in range(3))
    for i in range(3):
        operands = [a, b, c]
        operands[i] = strided(operands[i], "x")
        assert multiply(lib, *operands) == -1
    assert multiply(lib, a[::-1], b, c) == -1
    assert multiply(lib, np.broadcast_to(a[:1], (40, 40)), b, c) == -1
    small = [strided(random(rng, (5, 5), np.float64), "x") for _ in range(3)]
    assert multiply(lib, *small) == 0  # the loop for small sizes takes any strides
    np.testing.assert_allclose(small[2], small[0] @ small[1])
    for wrong in (Product(dtype=9, batch=1, m=1, n=1, k=1), Product(batch=1, m=-1, n=1, k=1)):
        assert lib.rl_multiply(ctypes.byref(wrong), 1) == -3


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "size",
    [(200, 300, 150), (64, 64, 64), (1, 3000, 400), (2500, 1, 300), (8, 1500, 257), (20, 10, 9000), (1, 1, 200_000)],
)
def test_gemm_bits_do_not_depend_on_threads(
    lib: ctypes.CDLL, threads: Callable[[int], None], dtype: type, size: tuple[int, int, int]
) -> None:
    m, n, k = size
    rng = np.random.default_rng(2)
    for order in "CF":
        a, b = strided(random(rng, (m, k), dtype), order), random(rng, (k, n), dtype)
        results = []
        for count in (1, 2, 5):
            threads(count)
            c = np.full((m, n), np.nan, dtype)
            assert multiply(lib, a, b, c) == 0
            results.append(c)
        assert_near(results[0], a @ b)
        assert results[0].tobytes() == results[1].tobytes() == results[2].tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [(3, 4, 5), (20, 30, 10), (90, 100, 80)])
def test_gemm_batched(lib: ctypes.CDLL, dtype: type, size: tuple[int, int, int]) -> None:
    m, n, k = size
    rng = np.random.default_rng(3)
    for batch, shared in ((0, False), (1, False), (7, False), (17, False), (5, True)):
        a, b = random(rng, (batch, m, k), dtype), random(rng, (1 if shared else batch, n, k), dtype)
        c = np.empty((batch, n, m), dtype)  # B and C are given transposed
        assert multiply(lib, a, b.transpose(0, 2, 1), c.transpose(0, 2, 1)) == 0
        expected = a @ b.transpose(0, 2, 1)
        assert_near(c.transpose(0, 2, 1), expected)


def test_blas_symbol(lib: ctypes.CDLL) -> None:
    assert lib.rl_blas_symbol(b"dgetrf_")
    assert not lib.rl_blas_symbol(b"no_such_routine_")


# ---- convolution

#       nd, N, Cin, Cout, groups, input size, kernel, stride, padding, dilation
CONVOLUTIONS = {
    "1d": (1, 2, 4, 6, 1, (17,), (3,), (1,), (1,), (1,)),
    "1d strided dilated": (1, 3, 4, 6, 2, (23,), (4,), (3,), (5,), (2,)),
    "2d": (2, 2, 3, 8, 1, (9, 11), (3, 3), (1, 1), (1, 1), (1, 1)),
    "2d wide padding": (2, 2, 3, 4, 1, (5, 4), (2, 3), (1, 1), (4, 3), (1, 1)),
    "2d strided": (2, 2, 3, 4, 1, (10, 9), (3, 2), (2, 3), (1, 0), (2, 1)),
    "2d stride beyond kernel": (2, 1, 3, 4, 1, (11, 12), (2, 2), (3, 4), (0, 0), (1, 1)),
    "2d groups": (2, 2, 6, 9, 3, (7, 8), (3, 3), (2, 1), (1, 1), (1, 1)),
    "2d pointwise": (2, 3, 5, 7, 1, (6, 7), (1, 1), (1, 1), (0, 0), (1, 1)),
    "2d pointwise groups": (2, 3, 4, 8, 2, (6, 7), (1, 1), (1, 1), (0, 0), (1, 1)),
    "2d pointwise strided": (2, 3, 5, 7, 1, (6, 7), (1, 1), (2, 2), (0, 0), (1, 1)),
    "2d depthwise": (2, 2, 6, 6, 6, (9, 35), (3, 3), (1, 1), (1, 1), (1, 1)),
    "2d depthwise strided": (2, 2, 3, 6, 3, (9, 10), (3, 2), (2, 3), (1, 1), (1, 2)),
    "2d depthwise multiplier": (2, 2, 3, 6, 3, (9, 10), (3, 3), (1, 2), (3, 4), (2, 1)),
    "2d depthwise wide stride": (2, 2, 3, 3, 3, (12, 40), (2, 5), (1, 3), (0, 1), (1, 2)),
    "2d depthwise stride beyond": (2, 2, 3, 3, 3, (12, 40), (2, 2), (5, 4), (0, 1), (1, 1)),
    "1d depthwise": (1, 3, 4, 4, 4, (50,), (7,), (1,), (3,), (1,)),
    "3d depthwise": (3, 2, 2, 4, 2, (5, 6, 19), (2, 3, 2), (1, 2, 1), (1, 0, 2), (1, 1, 2)),
    "2d many blocks": (2, 1, 8, 4, 1, (60, 70), (3, 3), (1, 1), (1, 1), (1, 1)),
    "2d many blocks strided": (2, 1, 8, 4, 1, (90, 110), (3, 3), (2, 2), (1, 1), (1, 1)),
    "2d many channels": (2, 2, 64, 5, 1, (6, 6), (3, 3), (2, 2), (1, 1), (1, 1)),
    "3d": (3, 2, 2, 3, 1, (5, 6, 7), (2, 3, 2), (1, 2, 1), (1, 0, 2), (1, 1, 2)),
    "3d stride 1": (3, 2, 2, 4, 2, (5, 4, 6), (3, 2, 3), (1, 1, 1), (1, 1, 1), (1, 2, 1)),
}


def output_size(size: int, kernel: int, stride: int, pad: int, dilation: int) -> int:
    return (size + 2 * pad - dilation * (kernel - 1) - 1) // stride + 1


def naive_convolution(
    x: np.ndarray, w: np.ndarray, y: np.ndarray, case: tuple, out: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(y, gradient by x given y, gradient by w given y), one kernel tap at a time."""
    _, batch, cin, cout, groups, size, kernel, stride, pad, dilation = case
    reach = [(o - 1) * s + d * (k - 1) + 1 for o, s, d, k in zip(out, stride, dilation, kernel, strict=True)]
    room = [max(r, n + p) for r, n, p in zip(reach, size, pad, strict=True)]
    padded = np.zeros((batch, groups, cin // groups, *room), x.dtype)
    inner = (slice(None),) * 3 + tuple(slice(p, p + n) for p, n in zip(pad, size, strict=True))
    padded[inner] = x.reshape(batch, groups, cin // groups, *size)
    grad, dw = np.zeros_like(padded), np.zeros_like(w).reshape(groups, cout // groups, cin // groups, *kernel)
    forward = np.zeros((batch, groups, cout // groups, *out), x.dtype)
    wg, yg = w.reshape(dw.shape), y.reshape(forward.shape)
    for tap in itertools.product(*map(range, kernel)):
        at = (slice(None),) * 3 + tuple(
            slice(t * d, t * d + (o - 1) * s + 1, s) for t, d, o, s in zip(tap, dilation, out, stride, strict=True)
        )
        weight = wg[(slice(None),) * 3 + tap]
        forward += np.einsum("goc,ngc...->ngo...", weight, padded[at])
        grad[at] += np.einsum("goc,ngo...->ngc...", weight, yg)
        dw[(slice(None),) * 3 + tap] = np.einsum(
            "ngop,ngcp->goc", yg.reshape(*yg.shape[:3], -1), padded[at].reshape(*padded.shape[:3], -1)
        )
    return forward.reshape(y.shape), grad[inner].reshape(x.shape), dw.reshape(w.shape)


def run_conv(lib: ctypes.CDLL, mode: int, case: tuple, out: tuple[int, ...], arrays: list[np.ndarray]) -> int:
    nd, batch, cin, cout, groups, *rest = case
    size, kernel, stride, pad, dilation = (np.array(v, np.int64) for v in rest)
    out_array = np.array(out, np.int64)
    vectors = [PTR(v.ctypes.data) for v in (size, out_array, kernel, stride, pad, dilation)]
    dtype = DTYPES.index(arrays[0].dtype.type)
    numbers = [I64(v) for v in (batch, cin, cout, groups)]
    return lib.rl_conv(mode, dtype, nd, *numbers, *vectors, *(PTR(a.ctypes.data) for a in arrays), None)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolution(lib: ctypes.CDLL, threads: Callable[[int], None], dtype: type, name: str) -> None:
    case = CONVOLUTIONS[name]
    _, batch, cin, cout, groups, size, kernel, stride, pad, dilation = case
    out = tuple(map(output_size, size, kernel, stride, pad, dilation))
    rng = np.random.default_rng(4)
    shapes = ((batch, cin, *size), (cout, cin // groups, *kernel), (batch, cout, *out))
    x, w, y = (random(rng, shape, dtype) for shape in shapes)
    forward, dx, dw = naive_convolution(x, w, y, case, out)
    for mode, place, expected in ((0, 2, forward), (1, 0, dx), (2, 1, dw)):
        results = []
        for count in (1, 3):
            threads(count)
            arrays = [x, w, y]
            arrays[place] = np.full_like(arrays[place], np.nan)
            assert run_conv(lib, mode, case, out, arrays) == 0
            results.append(arrays[place])
        assert_near(results[0], expected)
        assert results[0].tobytes() == results[1].tobytes()


def test_convolution_of_nothing(lib: ctypes.CDLL) -> None:
    case = (1, 2, 0, 3, 1, (5,), (2,), (1,), (0,), (1,))
    x, w, y = np.zeros((2, 0, 5)), np.zeros((3, 0, 2)), np.full((2, 3, 4), 5.0)
    assert run_conv(lib, 0, case, (4,), [x, w, y]) == 0
    assert (y == 0).all()
    case = (1, 0, 2, 3, 1, (5,), (2,), (1,), (0,), (1,))
    x, w, y = np.zeros((0, 2, 5)), np.full((3, 2, 2), 5.0), np.zeros((0, 3, 4))
    assert run_conv(lib, 2, case, (4,), [x, w, y]) == 0
    assert (w == 0).all()


def test_convolution_refuses_bad_arguments(lib: ctypes.CDLL) -> None:
    good = (1, 2, 4, 6, 2, (5,), (2,), (1,), (0,), (1,))
    arrays = [np.zeros((2, 4, 5)), np.zeros((6, 2, 2)), np.zeros((2, 6, 4))]
    assert run_conv(lib, 0, good, (4,), arrays) == 0
    for at, wrong in ((0, 4), (4, 3), (4, 0), (7, (0,)), (8, (-1,)), (9, (0,))):
        case = (*good[:at], wrong, *good[at + 1 :])
        assert run_conv(lib, 0, case, (4,), arrays) == -1
    assert run_conv(lib, 3, good, (4,), arrays) == -1
