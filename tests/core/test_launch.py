"""A launch remembers what the last one was given; one that differs in anything must not get it. Sizes as Python sees
them.
"""

from __future__ import annotations

import sys
import threading
import time

import numpy as np
import pytest

import rushlight as rl
from rushlight.core import _native
from rushlight.operators.elementwise.comparison import _equal


def test_launches_that_differ_in_one_thing() -> None:
    """The same program, in turns with other sizes, strides, addresses and numbers."""
    rng = np.random.default_rng(0)
    base = rng.standard_normal((12, 14))
    x = rl.from_numpy(base)
    views = [
        (slice(0, 6), slice(0, 7)),
        (slice(6, 12), slice(7, 14)),
        (slice(0, 6), slice(7, 14)),
        (slice(0, 12, 2), slice(0, 7)),
        (slice(0, 6), slice(0, 14, 2)),
        (slice(1, 6), slice(0, 7)),
        (slice(0, 6), slice(0, 6)),
        (slice(0, 12, 2), slice(0, 14, 2)),
        (slice(3, 3), slice(0, 7)),
        (slice(0, 6), slice(0, 7)),
    ]
    for _ in range(3):
        for a in views:
            for number in (2.5, 3.5):
                assert (x[a] * number).numpy().tolist() == (base[a] * number).tolist()
            assert np.allclose(x[a].softmax(1).numpy(), np.exp(base[a]) / np.exp(base[a]).sum(1, keepdims=True))
            assert x[a].t().neg().numpy().tolist() == (-base[a].T).tolist()
            assert np.allclose(x[a].sum(0).numpy(), base[a].sum(0))


def test_launches_of_several_sizes_at_once() -> None:
    """Threads launch one program with sizes of their own while kernels of the others run."""
    wrong: list[int] = []

    def work(k: int) -> None:
        n = 200_000 + 1_000 * k
        x = rl.arange(n, dtype=rl.float64)
        for i in range(60):
            y = x * float(k + i + 1.5)
            if (
                y.shape != (n,)
                or y[-1].item() != (n - 1) * (k + i + 1.5)
                or y[n // 2].item() != (n // 2) * (k + i + 1.5)
            ):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_sizes_own_their_numbers() -> None:
    """Sizes beyond the ints that Python keeps for ever."""
    x = rl.empty(12345, 0, 67890)
    sizes = [x.shape for _ in range(1000)]
    assert set(sizes) == {(12345, 0, 67890)}
    count = sys.getrefcount(sizes[0][0])  # (an assertion would hold one more)
    assert count == 2  # the Size's, and the argument
    assert type(sizes[0][1:]) is rl.Size and sizes[0][1:] == (0, 67890) and sizes[0][-1] == 67890


def test_work_that_runs_backwards() -> None:
    """Every other launch of a thread begins at its end, piece by piece: each item is done once, whatever the sizes."""
    rng = np.random.default_rng(1)
    before = rl.get_num_threads()
    try:
        for threads in (1, 2):
            rl.set_num_threads(threads)
            for n, m in ((1, 400_000), (1, 399_989), (997, 401), (401, 997), (70_001, 5), (3, 100_003)):
                a, b = rng.standard_normal((2, n, m)).astype(np.float32)
                x, y = rl.from_numpy(a), rl.from_numpy(b)
                for _ in range(3):  # an odd number: the next launches have the other direction
                    assert np.array_equal((x + y).numpy(), a + b)
                    assert np.array_equal(x.t().contiguous().numpy(), a.T)
                    assert np.array_equal(x.amax(1).numpy(), a.max(1))
                    assert np.array_equal(rl.cat([x, y], 1).numpy(), np.concatenate([a, b], 1))
                first, again = (
                    [f(x) for f in (rl.sum, rl.exp, lambda x: x.sum(0), lambda x: x.cumsum(1), lambda x: x.softmax(1))]
                    for _ in range(2)
                )
                assert all(rl.equal(p, q) for p, q in zip(first, again, strict=True))
    finally:
        rl.set_num_threads(before)


def test_an_index_outside_is_found_in_either_direction() -> None:
    x, index = rl.arange(10.0), rl.zeros(1_000_000, dtype=rl.int64)
    index[3], index[-3] = 10, 11
    for _ in range(4):
        with pytest.raises(IndexError, match=r"index 1[01] "):
            x[index]


def test_a_number_leaves_its_tensor_to_the_next_call() -> None:
    """`equal` reads one element and hands on the tensor: nobody who has one sees it change, in any mode."""
    x, same = rl.ones(8, 8), rl.ones(8, 8)
    other = x.clone()
    other[3, 3] = 2
    for _ in range(3):
        assert rl.equal(x, same) is True and rl.equal(x, other) is False
        kept = [_equal(x, same), _equal(x, other)]
        with rl.inference_mode():
            assert rl.equal(x, same) is True and rl.equal(x, other) is False
            kept += [_equal(x, same), _equal(x, other)]
        assert rl.equal(x, other) is False and rl.equal(x, same) is True
        kept += [_equal(x, other), _equal(x, same)]
        assert [t.item() for t in kept] == [True, False, True, False, False, True]
        assert [t.is_inference() for t in kept] == [False, False, True, True, False, False]
        assert len({t.data_ptr() for t in kept}) == len(kept)
    w = rl.ones(8, 8, requires_grad=True)
    assert rl.equal(w, same) is True and rl.equal(w, other) is False

    def many() -> None:
        for _ in range(500):
            wrong.extend(k for k, y in enumerate((same, other)) if rl.equal(x, y) is not (k == 0))

    wrong: list[int] = []
    threads = [threading.Thread(target=many) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_launches_that_were_expected_at_any_time() -> None:
    """Workers that sleep until launches should come do what comes earlier, later or never, for several callers."""
    before = rl.get_num_threads()
    x, wrong = rl.arange(200_000, dtype=rl.float64), []
    whole = (x + 1.0).sum().item()

    def work() -> None:
        for ns in (0, 1, 150_000, 400_000, -5, 2**62, 0, 3_000_000):
            for pause in (0.0, 0.0002, 0.001):
                for _ in range(4):  # a row of launches that are shared
                    y = x + 1.0
                _native.expect_launches(ns)
                time.sleep(pause)
                _native.expect_launches()
                if y.sum().item() != whole or (x * 2.0)[-1].item() != 2.0 * x[-1].item():
                    wrong.append((ns, pause))

    try:
        rl.set_num_threads(3)
        work()
        _native.expect_launches(2**62)
        rl.set_num_threads(2)  # while they sleep
        callers = [threading.Thread(target=work) for _ in range(3)]
        for t in callers:
            t.start()
        for t in callers:
            t.join()
    finally:
        rl.set_num_threads(before)
    assert not wrong
