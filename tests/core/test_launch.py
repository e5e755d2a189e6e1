"""A launch remembers what the last one was given; one that differs in anything must not get it. Sizes as Python sees
them.
"""

from __future__ import annotations

import sys
import threading

import numpy as np

import rushlight as rl


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
