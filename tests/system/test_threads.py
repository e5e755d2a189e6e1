"""Several Python threads at once: operators, the first call of an operator, backward, and forks between them."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Any

import rushlight as rl
from processes import in_its_own_process, printed

THREADS = 6


def at_once(work: Callable[[int], Any], threads: int = THREADS) -> list[Any]:
    """The results of work(0), work(1), ... in threads that start together; raises what a thread raised."""
    barrier = threading.Barrier(threads)
    results: list[Any] = [None] * threads
    errors: list[BaseException] = []

    def body(k: int) -> None:
        try:
            barrier.wait(60)
            results[k] = work(k)
        except BaseException as error:  # told in the test's own thread
            errors.append(error)

    running = [threading.Thread(target=body, args=(k,), daemon=True) for k in range(threads)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # threads change places 500 times as often as usual
    try:
        for t in running:
            t.start()
        for t in running:
            t.join(300)
    finally:
        sys.setswitchinterval(interval)
    assert not any(t.is_alive() for t in running), "a thread hangs"
    if errors:
        raise errors[0]
    return results


def mixed(k: int, rounds: int = 40) -> list[float]:
    """Work of every kind on tensors of the thread's own: pointwise, reductions, products, sorting, indexing, random,
    views.
    """
    out = []
    for i in range(rounds):
        n = 3 + (k * 7 + i) % 50
        x = rl.arange(n * 40, dtype=rl.float32).reshape(n, 40) / (n * 40)
        y = (x.sin() * 2.0 + x).softmax(-1)
        z = y @ x.t()
        s, order = x.flip(1).sort(dim=1)
        w = x[order[0] % n, order[0]].sum() + s.cumsum(1)[-1, -1] + z.amax() + x[::2, 1:5].mean()
        out.append(float(w.item()))
    return out


def test_operators_in_threads_give_what_one_thread_gives() -> None:
    expected = [mixed(k) for k in range(THREADS)]
    for _ in range(3):
        assert at_once(mixed) == expected


def test_parallel_kernels_in_threads() -> None:
    """Calls large enough for the pool, from several threads: jobs share the workers, and each gets its own result."""

    def work(k: int) -> list[float]:
        x = rl.full((300_000,), float(k + 1))
        m = rl.full((150, 150), float(k + 1))
        return [float((x * 2.0 + 1.0).sum().item()) + float((m @ m).sum().item()) for _ in range(20)]

    for k, got in enumerate(at_once(work)):
        assert set(got) == {300_000.0 * (2 * (k + 1) + 1) + 150**3 * (k + 1) ** 2}


def test_the_first_call_of_an_operator_in_threads() -> None:
    """All threads miss the caches, in memory and on disk, for the same call at the same time."""
    code = """if True:
        import os, sys, threading
        sys.path[:0] = [sys.argv[1], os.path.dirname(sys.argv[1])]
        import rushlight as rl
        from test_threads import at_once
        x = rl.arange(60, dtype=rl.float64).reshape(5, 12).requires_grad_()

        def work(k):
            a = x.detach().clone().requires_grad_()
            y = rl.logsumexp(rl.nn.functional.gelu(a) * a.cos(), 1)
            y.sum().backward()
            return y.tolist(), a.grad.tolist()
        results = at_once(work)
        assert all(r == results[0] for r in results), results
    """
    printed("-c", code, os.path.dirname(__file__), env={"RUSHLIGHT_CACHE_DIR": "/dev/null/nowhere"})


def test_backward_in_threads() -> None:
    """A graph of each thread's own over shared weights: the gradients of the leaves add up."""
    rl.manual_seed(0)
    weight = rl.randn(8, 8, dtype=rl.float64).requires_grad_()
    own = [rl.randn(16, 8, dtype=rl.float64).requires_grad_() for _ in range(THREADS)]

    def gradients(k: int) -> Any:
        total = None
        for _ in range(30):
            loss = (own[k] @ weight).tanh().pow(2).sum()
            g = rl.autograd.grad(loss, [own[k], weight])
            total = g if total is None else (total[0] + g[0], total[1] + g[1])
        return total

    expected = [gradients(k) for k in range(THREADS)]
    for (a, b), (c, d) in zip(at_once(gradients), expected, strict=True):
        assert rl.equal(a, c)
        assert rl.equal(b, d)


def test_one_graph_from_several_threads() -> None:
    x = rl.ones(1000, dtype=rl.float64).requires_grad_()
    y = (x * 3.0).exp().sum()
    (expected,) = rl.autograd.grad(y, x, retain_graph=True)
    for _ in range(5):
        for got in at_once(lambda k: rl.autograd.grad(y, x, retain_graph=True)[0]):
            assert rl.equal(got, expected)


def test_backward_into_one_leaf_from_several_threads() -> None:
    """.grad of a shared leaf receives every thread's part, none is lost."""
    x = rl.ones(100, dtype=rl.float64).requires_grad_()

    def work(k: int) -> None:
        for _ in range(50):
            (x * float(k + 1)).sum().backward()

    at_once(work)
    assert x.grad.tolist() == [50.0 * sum(range(1, THREADS + 1))] * 100


def test_modes_belong_to_their_thread() -> None:
    entered, leave = threading.Event(), threading.Event()

    def work(k: int) -> bool:
        x = rl.ones(2, requires_grad=True)
        if k == 0:
            with rl.no_grad():
                entered.set()
                leave.wait(60)
                return bool((x * 2).requires_grad)
        entered.wait(60)
        found = bool((x * 2).requires_grad)
        leave.set()
        return found

    assert at_once(work, 2) == [False, True]


def test_fork_while_threads_work() -> None:
    """A child forked while other threads compute and compile can compute itself."""
    in_its_own_process(__file__, "fork_while_threads_work")


def fork_while_threads_work() -> None:
    stop = threading.Event()
    expected = mixed(0, 2)

    def busy(k: int) -> None:
        while not stop.is_set():
            mixed(k, 2)

    running = [threading.Thread(target=busy, args=(k,), daemon=True) for k in range(3)]
    for t in running:
        t.start()
    try:
        for k in range(100):
            child = os.fork()
            if child == 0:
                import signal

                signal.alarm(60)
                os._exit(0 if mixed(0, 2) == expected else 1)
            status = os.waitpid(child, 0)[1]
            assert status == 0, f"child {k}: status {status}"
    finally:
        stop.set()
        for t in running:
            t.join(60)


def test_a_list_that_another_thread_empties() -> None:
    """A call keeps the tensors of its list: between forbidden pages a freed one that is read ends the process."""
    code = """if True:
        import sys, threading
        import rushlight as rl
        current, stop = [None], threading.Event()

        def empty():
            while not stop.is_set():
                tensors = current[0]
                if tensors is not None:
                    tensors.clear()
        t = threading.Thread(target=empty, daemon=True)
        t.start()
        sys.setswitchinterval(1e-6)
        for _ in range(200):
            current[0] = tensors = [rl.ones(100_000) for _ in range(6)]
            try:
                assert rl.cat(tensors).sum().item() % 100_000 == 0
            except ValueError as error:                 # the list was empty already
                assert "cat" in str(error), error
        stop.set()
        t.join()
    """
    printed("-c", code, env={"RUSHLIGHT_GUARD": "end"})


def test_fork_while_a_thread_compiles() -> None:
    """A child forked while another thread traces or compiles can trace and compile: no lock stays taken in it."""
    code = """if True:
        import itertools, os, signal, sys, threading
        import rushlight as rl
        names = "sin cos tan exp exp2 expm1 log log2 log10 log1p sqrt rsqrt erf erfc sigmoid tanh sinh cosh".split()
        names += "asin acos atan floor ceil abs neg sign".split()
        dtypes = [rl.float32, rl.float64, rl.bfloat16, rl.float16]
        stop = threading.Event()

        def compile_on(first):
            # Every (operator, dtype, rank) is a call of its own.
            for name, d, rank in itertools.islice(itertools.product(names, dtypes, range(1, 17)), first, None, 2):
                if stop.is_set():
                    return
                getattr(rl, name)(rl.ones((2,) * rank, dtype=d).transpose(0, -1))
        threads = [threading.Thread(target=compile_on, args=(k,), daemon=True) for k in range(2)]
        for t in threads:
            t.start()
        forks = 0
        for k in range(20):
            if not any(t.is_alive() for t in threads):
                break
            forks = k
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                x = rl.ones((2,) * (1 + k % 6), dtype=dtypes[k % 4])
                getattr(rl, names[k * 5 % len(names)])(x).mul(2).flip(0).sum().item()
                os._exit(0)
            status = os.waitpid(child, 0)[1]
            if status:
                sys.exit(f"child {k}: status {status}")
        assert forks >= 10, f"the threads had nothing left to compile after {forks} forks: the test says little"
        stop.set()
        for t in threads:
            t.join()
    """
    printed("-c", code, env={"RUSHLIGHT_CACHE_DIR": "/dev/null/nowhere"})
