"""Fourier transforms beyond the samples: threads, forks, long lengths; and that istft inverts stft."""

from __future__ import annotations

import itertools
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest

import rushlight
from processes import on_threads
from rushlight import fft


def signal(*shape: int, complex: bool = False, dtype: Any = np.float64) -> Any:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if complex else x).astype(
        np.result_type(dtype, np.complex64) if complex else dtype
    )


@pytest.mark.parametrize("n", [2, 3, 16, 97, 1009, 1 << 16, 65537, 3 * 5 * 7 * 11 * 13])
def test_any_length(n: int) -> None:
    x = signal(n, complex=True)
    np.testing.assert_allclose(fft.fft(rushlight.tensor(x)).numpy(), np.fft.fft(x), rtol=1e-9, atol=1e-9 * n**0.5)
    np.testing.assert_allclose(fft.irfft(fft.rfft(rushlight.tensor(x.real)), n).numpy(), x.real, rtol=1e-9, atol=1e-12)


LARGE = [
    ((64, 1024), (1,)),
    ((1000, 97), (1,)),
    ((1001, 97), (0,)),
    ((50, 1000), (1,)),
    ((3, 129, 200), (1,)),
    ((256, 255), (0, 1)),
    ((7, 50, 130), (0, 2)),
    ((40000,), (0,)),
    ((2, 30, 700), (2, 0)),
]


@pytest.mark.parametrize(("shape", "dims"), LARGE, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_number_of_threads_changes_no_bit(shape: tuple[int, ...], dims: tuple[int, ...], dtype: Any) -> None:
    x, z = rushlight.tensor(signal(*shape, dtype=dtype)), rushlight.tensor(signal(*shape, complex=True, dtype=dtype))
    last = x.shape[dims[-1]]
    calls = [
        lambda: fft.fftn(z, dim=dims),
        lambda: fft.fftn(x, dim=dims),
        lambda: fft.rfftn(x, dim=dims),
        lambda: fft.dctn(x, axes=dims, norm="ortho"),
        lambda: fft.irfftn(fft.rfftn(x, dim=dims), [*(x.shape[d] for d in dims[:-1]), last], dims),
    ]
    before = rushlight.get_num_threads()
    try:
        results = []
        for threads in (1, 2, 3, 4):
            rushlight.set_num_threads(threads)
            results.append([f().numpy() for f in calls])
    finally:
        rushlight.set_num_threads(before)
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            assert a.tobytes() == b.tobytes()
    scale = np.abs(results[0][0]).max()
    np.testing.assert_allclose(
        results[0][0],
        np.fft.fftn(z.numpy().astype(np.complex128), axes=dims),
        rtol=1e-4 if dtype is np.float32 else 1e-11,
        atol=scale * (1e-6 if dtype is np.float32 else 1e-14),
    )
    np.testing.assert_allclose(results[0][4], x.numpy(), rtol=1e-4, atol=1e-5)


def test_strides() -> None:
    x = signal(6, 5, 8, complex=True)
    t = rushlight.tensor(x)
    for perm in itertools.permutations(range(3)):
        np.testing.assert_allclose(
            fft.fftn(t.permute(*perm), dim=(0, 2)).numpy(), np.fft.fftn(x.transpose(perm), axes=(0, 2)), atol=1e-12
        )
    np.testing.assert_allclose(
        fft.fft(t.flip(1)[:, ::2], dim=1).numpy(), np.fft.fft(x[:, ::-1][:, ::2], axis=1), atol=1e-12
    )
    np.testing.assert_allclose(
        fft.ifft(t[:, :1].expand(6, 7, 8), dim=1).numpy(),
        np.fft.ifft(np.broadcast_to(x[:, :1], (6, 7, 8)), axis=1),
        atol=1e-12,
    )
    out = rushlight.empty(6, 8, 5, dtype=rushlight.complex128).transpose(1, 2)
    assert fft.fft(t, out=out) is out
    np.testing.assert_allclose(out.numpy(), np.fft.fft(x), atol=1e-12)
    fft.fft(t, out=t)  # in place
    np.testing.assert_allclose(t.numpy(), np.fft.fft(x), atol=1e-12)


def test_a_new_length_compiles_nothing() -> None:
    from rushlight.operators.table.compile import compile_count

    fft.rfft(rushlight.ones(3, 10), 12)
    fft.rfft(rushlight.ones(3, 10))
    before = compile_count[0]
    for n in (11, 64, 100):
        fft.rfft(rushlight.ones(4, n), n + 5)
        fft.rfft(rushlight.ones(4, n))
    assert compile_count[0] == before


def test_forked_children_transform() -> None:
    code = """
        import os, signal
        import rushlight
        rushlight.set_num_threads(2)
        x = rushlight.randn(64, 2048)
        expected = rushlight.fft.rfft(x)
        for _ in range(20):
            rushlight.fft.rfft(x)
            pid = os.fork()
            if pid == 0:
                signal.alarm(20)
                os._exit(0 if rushlight.equal(rushlight.fft.rfft(x), expected) else 3)
            assert os.waitpid(pid, 0)[1] == 0
        print("ok")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["ok"], done.stderr


def test_transforms_on_several_threads_of_a_program() -> None:
    x = rushlight.randn(64, 2048)
    expected, product, errors = fft.rfft(x), x @ x.T, []

    def work() -> None:
        for _ in range(30):
            if not (rushlight.equal(fft.rfft(x), expected) and rushlight.equal(x @ x.T, product)):
                errors.append("another result")

    on_threads(work, 4)
    assert not errors


@pytest.mark.parametrize(("n_fft", "hop", "win"), [(16, 4, 16), (15, 5, 11), (12, 12, 12), (64, 1, 64), (40, 1, 33)])
@pytest.mark.parametrize("normalized", [False, True])
def test_istft_inverts_stft(n_fft: int, hop: int, win: int, normalized: bool) -> None:
    x = rushlight.tensor(signal(2, 150))
    w = rushlight.tensor(np.random.default_rng(1).uniform(0.5, 1.5, win))
    y = rushlight.stft(x, n_fft, hop, win, w, normalized=normalized, return_complex=True)
    back = rushlight.istft(y, n_fft, hop, win, w, normalized=normalized, length=150)
    n = 150 - (n_fft if hop == win else 0)  # the last samples may be in no segment
    np.testing.assert_allclose(back.numpy()[:, :n], x.numpy()[:, :n], atol=1e-12)
    z = rushlight.tensor(signal(2, 150, complex=True))
    y = z.stft(n_fft, hop, win, w, normalized=normalized)
    back = y.istft(n_fft, hop, win, w, normalized=normalized, length=150, onesided=False, return_complex=True)
    np.testing.assert_allclose(back.numpy()[:, :n], z.numpy()[:, :n], atol=1e-12)


def test_warnings_of_stft() -> None:
    x = rushlight.ones(40)
    with pytest.warns(UserWarning, match="no window was given"):
        y = rushlight.stft(x, 10, 5, return_complex=True)
    with pytest.warns(UserWarning, match="fewer than length=60"):
        assert rushlight.istft(y, 10, 5, window=rushlight.ones(10), length=60).shape == (60,)
