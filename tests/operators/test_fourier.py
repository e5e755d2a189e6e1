"""Fourier, cosine and sine transforms by our codelets: bits that depend on nothing beside a line, errors, plans,
memory.
"""

from __future__ import annotations

import gc
import math
import os
import subprocess
import sys
import textwrap
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from processes import on_threads, printed_with_vectors
from rushlight import Tensor, fft
from rushlight.compiler import counters
from rushlight.compiler.routines import fourier, fourier_plans

# Every radix by itself and with others; primes by Rader and by Bluestein; lines of several passes before and after the
# turn; lines that the cache does not hold; odd and even, around the sizes of vectors.
RADICES = [1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 97, 127, 139]
SIZES = [*RADICES, 6, 10, 12, 15, 20, 32, 34, 64, 100, 128, 129, 130, 134, 149, 243, 250, 256, 257, 283, 286, 298, 347]
SIZES += [512, 556, 1000]
LONG = [1009, 1024, 2048, 3003, 4096, 4099, 10000, 16384, 32768, 40000, 65536, 65537, 100000, 2 * 3 * 5 * 7 * 11 * 13]

CALLS: dict[str, Callable[..., Tensor]] = {
    "fft": lambda x, z, d: fft.fft(z, dim=d),
    "ifft": lambda x, z, d: fft.ifft(z, dim=d),
    "fft of real": lambda x, z, d: fft.fft(x, dim=d, norm="ortho"),
    "rfft": lambda x, z, d: fft.rfft(x, dim=d),
    "ihfft": lambda x, z, d: fft.ihfft(x, dim=d),
    "irfft": lambda x, z, d: fft.irfft(z, x.shape[d], dim=d),
    "irfft of another length": lambda x, z, d: fft.irfft(z, x.shape[d] + 1, dim=d),
    "hfft": lambda x, z, d: fft.hfft(z, x.shape[d], dim=d),
    **{
        f"{name}{kind}": lambda x, z, d, name=name, kind=kind: getattr(fft, name)(x, kind, axis=d, norm="ortho")
        for name in ("dct", "dst")
        for kind in (1, 2, 3, 4)
    },
}
_LEAST = {"dct1": 2}  # the least length


def signals(*shape: int, dtype: Any = np.float32) -> tuple[Tensor, Tensor]:
    rng = np.random.default_rng(math.prod(shape))
    x, y = (rushlight.from_numpy(rng.standard_normal(shape).astype(dtype)) for _ in range(2))
    return x, rushlight.complex(x, y)


def bits(t: Tensor) -> bytes:
    parts = rushlight.view_as_real(t) if t.is_complex() else t
    return bytes(parts.contiguous().numpy().tobytes())


@pytest.fixture(autouse=True)
def _same_threads() -> Iterator[None]:
    before = rushlight.get_num_threads()
    yield
    rushlight.set_num_threads(before)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_line_has_the_same_bits_alone_and_among_others(name: str, dtype: Any) -> None:
    call = CALLS[name]
    for n in (*SIZES, 1024, 4096):
        if n < _LEAST.get(name, 1):
            continue
        x, z = signals(19, n, dtype=dtype)
        together = call(x, z, -1)
        expected = [bits(line) for line in together]
        assert bits(call(x[3], z[3], -1)) == expected[3], n
        wide = [t.t().contiguous().t() for t in (x, z)]  # lines lie side by side
        assert [bits(line) for line in call(*wide, -1)] == expected, n
        assert [bits(line) for line in call(x.t().contiguous(), z.t().contiguous(), 0).t()] == expected, n
        apart = [t.repeat_interleave(3, 1)[:, ::3] for t in (x, z)]  # neither lines nor numbers lie in a piece
        assert [bits(line) for line in call(*apart, -1)] == expected, n
        turned = [t.flip(1)[:, ::-1] for t in (x, z)]
        assert [bits(line) for line in call(*turned, -1)] == expected, n
        few = [t[:3].reshape(3, 1, n).expand(3, 2, n) for t in (x, z)]
        assert bits(call(*few, -1)[2, 1]) == expected[2], n


@pytest.mark.parametrize("n", LONG)
def test_long_lines_on_any_number_of_threads(n: int) -> None:
    x, z = signals(3, n)
    results = []
    for threads in (1, 2, 3):
        rushlight.set_num_threads(threads)
        results.append([bits(call(x, z, -1)) for call in CALLS.values()])
        results.append([bits(call(x.t().contiguous(), z.t().contiguous(), 0).t()) for call in CALLS.values()])
    assert all(r == results[0] for r in results)


# Batches of more than a megabyte, where codelets ask for memory ahead: lines in registers, of several passes, by
# Rader's and by Bluestein's way, longer than the cache; several dimensions whose rows are odd.
LARGE = [(700, 256), (300, 2, 128), (40, 4096), (70, 2000), (130, 1009), (60, 2039), (3, 40000), (12, 130, 66)]


@pytest.mark.parametrize("shape", LARGE, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_batches_have_the_bits_of_small_ones(shape: tuple[int, ...], dtype: Any) -> None:
    x, z = signals(*shape, dtype=dtype)
    for name in ("fft", "rfft", "irfft", "irfft of another length"):
        call = CALLS[name]
        for threads in (1, 2):
            rushlight.set_num_threads(threads)
            together = call(x, z, -1)
            few = [call(x[k : k + 1], z[k : k + 1], -1)[0] for k in (0, 1, shape[0] - 1)]
            assert [bits(together[k]) for k in (0, 1, shape[0] - 1)] == [bits(line) for line in few], name
            across = [t.movedim(-1, 0).contiguous() for t in (x, z)]  # lines lie side by side
            assert bits(call(*across, 0).movedim(0, -1)) == bits(together), name


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_planes_of_large_batches_have_the_bits_of_one(dtype: Any) -> None:
    """Real transforms of several dimensions by way of rows that begin at lines of the cache."""
    for shape in ((40, 96, 256), (90, 64, 33), (60, 66, 34), (25, 100, 130), (9, 7, 24, 128)):
        x, _ = signals(*shape, dtype=dtype)
        dims = tuple(range(1, len(shape)))
        for order in (dims, dims[::-1]):
            together = fft.rfftn(x, dim=order, norm="ortho")
            expected = [fft.rfftn(x[k], dim=[d - 1 for d in order], norm="ortho") for k in (0, shape[0] - 1)]
            assert [bits(together[k]) for k in (0, shape[0] - 1)] == [bits(t) for t in expected], (shape, order)
            wide = rushlight.zeros((*together.shape[:-1], together.shape[-1] + 3), dtype=together.dtype)
            out = wide[..., 1:-2]  # no dense rows, and nothing beside them is written
            assert bits(fft.rfftn(x, dim=order, norm="ortho", out=out)) == bits(together), (shape, order)
            assert not wide[..., :1].any() and not wide[..., -2:].any(), (shape, order)
            np.testing.assert_allclose(
                together.numpy(), np.fft.rfftn(x.double().numpy(), axes=order, norm="ortho"), rtol=0, atol=1e-4
            )


def error(found: Any, exact: Any) -> tuple[float, float]:
    """Root mean square and largest error, in units of the last place of the root mean square of what is exact."""
    eps = np.finfo(found.dtype).eps / 2
    size = math.sqrt(float(np.mean(np.abs(exact) ** 2))) or 1.0
    e = np.abs(found.astype(np.clongdouble if np.iscomplexobj(found) else np.longdouble) - exact) / size / eps
    return math.sqrt(float(np.mean(e**2))), float(np.max(e))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_errors_grow_with_the_root_of_the_logarithm(dtype: Any) -> None:
    """Against NumPy's transforms of long doubles. Random signs of rounding errors: 0.6 sqrt(log2 n) is what theory has
    for radix 2 (Schatzman, "Accuracy of the discrete Fourier transform and the fast Fourier transform", 1996); sums
    over an odd radix, and the two transforms of Bluestein's way, add to it.
    """
    for n in (*SIZES, *LONG):
        x, z = signals(2, n, dtype=dtype)
        xs, zs = x.numpy().astype(np.longdouble), z.numpy().astype(np.clongdouble)
        half = zs[:, : n // 2 + 1]
        cases = {
            "fft": (fft.fft(z), np.fft.fft(zs)),
            "ifft": (fft.ifft(z), np.fft.ifft(zs)),
            "fft of real": (fft.fft(x), np.fft.fft(xs)),
            "rfft": (fft.rfft(x), np.fft.rfft(xs)),
            "irfft": (fft.irfft(z[:, : n // 2 + 1], n), np.fft.irfft(half, n)),
        }
        largest = max(fourier_plans.primes_of(n), default=1)
        bound = 0.8 + 0.6 * math.sqrt(math.log2(n)) + (1.0 if largest > 16 else 0.3 if n % 2 else 0.0)
        for name, (found, exact) in cases.items():
            rms, most = error(found.numpy(), exact)
            assert rms <= bound, (n, name, rms, bound)
            assert most <= bound * (4 + math.log2(n) / 2), (n, name, most)


def test_avx2_and_avx512_give_the_same_bits(tmp_path: Path) -> None:
    if not os.path.exists("/proc/cpuinfo") or "avx512bw" not in Path("/proc/cpuinfo").read_text():
        pytest.skip("needs a processor with AVX-512")
    code = """
        import hashlib
        import rushlight
        from rushlight.compiler.emit import codelets
        from rushlight.compiler.llvm import machine
        assert ("zmm" in machine.assembly(codelets.module("pass 8 f32 p p b"))) == (sys.argv[1] == "wide")
        for n in (1, 12, 31, 32, 64, 128, 134, 139, 143, 149, 256, 347, 512, 1000, 65536):
            for dtype in (rushlight.float32, rushlight.float64):
                x = rushlight.arange(3 * n, dtype=rushlight.float64).sin().reshape(3, n).to(dtype)
                z = rushlight.complex(x, x.flip(0))
                fft = rushlight.fft
                results = [fft.fft(z), fft.ifft(z.t().contiguous(), dim=0), fft.fft(x), fft.rfft(x), fft.irfft(z, n)]
                for y in (*results, fft.dct(x), fft.dst(x, 4)):
                    y = rushlight.view_as_real(y) if y.is_complex() else y
                    print(n, dtype, hashlib.sha1(y.contiguous().numpy().tobytes()).hexdigest())
    """
    done = [
        printed_with_vectors(kind, code, [], {"RUSHLIGHT_CACHE_DIR": str(tmp_path / kind)})
        for kind in ("wide", "narrow")
    ]
    assert done[0] == done[1] and done[0].count("\n") == 210


def test_a_new_length_needs_no_new_codelet() -> None:
    """Of the same radices: counts, strides and twiddles are arguments."""
    _, z = signals(40, 4096)
    fft.fft(z[:, :1024])
    fft.fft(z)
    compiled = counters.stats()["kernels_compiled"] + counters.stats()["kernels_loaded_from_disk"]
    known = set(fourier._known)
    for n in (16 * 16 * 4, 16 * 4 * 16, 16 * 16 * 16):
        fft.fft(z[:20, :n])
        fft.ifft(z[:7, :n])
    assert fourier._known == known
    assert counters.stats()["kernels_compiled"] + counters.stats()["kernels_loaded_from_disk"] == compiled


def test_plans_take_no_more_memory_than_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fourier_plans, "_KEPT", 1 << 20)
    for n in range(3000, 3100):
        fourier_plans.plan(n, 8, False)
        assert sum(p.bytes for p in fourier_plans._plans.values()) <= 1 << 20
    monkeypatch.setattr(fourier_plans, "_KEPT", 1 << 18)
    big = fourier_plans.plan(1 << 17, 8, False)
    assert big.bytes > 1 << 18 and list(fourier_plans._plans.values()) == [big]  # too large for others beside it
    assert len(fourier_plans._plans) == 1


def test_large_tables_are_the_caches_to_drop() -> None:
    """A step of a program keeps what its last transform took, but for large tables."""
    held = []
    for n in (64, 2 * 65539):  # the second by Bluestein's way, with tables of 3 MB
        _, z = signals(n)
        fft.fft(z)
        held.append(weakref.ref(fourier_plans.plan(n, 4, False)))
        fourier_plans._plans.clear()
        gc.collect()
    assert held[1]() is None
    fft.fft(signals(32)[1])  # the step has another transform now
    gc.collect()
    assert held[0]() is None


def test_one_step_and_many_sizes() -> None:
    """Sizes that change from call to call, and calls by several threads, which share a program's steps."""
    lengths = [2, 1, 31, 32, 33, 64, 100, 139, 347, 1000]
    x, z = signals(3, 1000)

    def results() -> list[bytes]:
        out = []
        for n in lengths:
            for cut, d in ((z[:, :n], 1), (z[:, :n].t(), 0)):
                out += [fft.fft(cut, dim=d), fft.ifft(cut.contiguous(), dim=d), fft.irfft(cut, 2 * n, dim=d)]
            out += [fft.rfft(x[:, :n]), fft.dct(x[:, :n]), fft.fft2(z[:, :n]), fft.rfft2(x[:, :n])]
        return [bits(y) for y in out]

    expected, same = results(), list[bool]()
    on_threads(lambda: same.append(results() == expected), 4)
    assert same == [True] * 4
    assert fft.fft(z[:0]).shape == (0, 1000) and fft.rfft(x[:0]).shape == (0, 501)


def test_threads_that_need_new_plans_at_once() -> None:
    fourier_plans._plans.clear()
    lengths = [*range(200, 260), 5000, 70000]
    x, _ = signals(70000, dtype=np.float64)
    expected = [fft.rfft(x[:n]) for n in lengths]
    fourier_plans._plans.clear()
    wrong: list[int] = []

    def work() -> None:
        wrong.extend(n for n, e in zip(lengths, expected, strict=True) if not rushlight.equal(fft.rfft(x[:n]), e))

    on_threads(work, 4)
    assert not wrong


def test_twiddles_are_rounded_right() -> None:
    import mpmath

    with mpmath.workdps(40):
        for n in (7, 16, 1000, 4099):
            k = np.arange(0, n, max(1, n // 50))
            exact = [mpmath.expjpi(mpmath.mpf(-2 * int(j)) / n) for j in k]
            for item, dtype in ((4, np.float32), (8, np.float64)):
                re, im = fourier_plans._roots(k, n, item)
                assert [dtype(float(w.real)) for w in exact] == list(re)
                assert [dtype(float(w.imag)) for w in exact] == list(im)


def test_guarded_pages(tmp_path: Path) -> None:
    """No codelet reads or writes past a tensor or a workspace: every block ends, or begins, at a page that may not be
    touched.
    """
    code = """
        import rushlight
        from rushlight import fft
        for n in (1, 2, 3, 15, 16, 17, 31, 64, 100, 127, 128, 134, 149, 257, 298, 512, 1000, 1024, 4099):
            for dtype in (rushlight.float32, rushlight.float64):
                x = rushlight.ones(5, n, dtype=dtype)
                z = rushlight.complex(x, x)
                for y in (fft.fft(z), fft.rfft(x), fft.irfft(z, n), fft.fft(x)):
                    assert y.isfinite().all()
                for y in (fft.dct(x), fft.dct(x, 3), fft.dst(x, 4), fft.dst(x, 1)):
                    assert y.isfinite().all()
                z, x = z.t().contiguous(), x.t().contiguous()
                for y in (fft.fft(z, dim=0), fft.rfft(x, dim=0), fft.irfft(z, n, dim=0), fft.fft(x, dim=0)):
                    assert y.isfinite().all() and fft.dct(x, axis=0).isfinite().all()
        print("ok")
    """
    for guard in ("end", "start"):
        env = {**os.environ, "RUSHLIGHT_GUARD": guard}
        call = [sys.executable, "-c", textwrap.dedent(code)]
        done = subprocess.run(call, capture_output=True, text=True, env=env, timeout=300)
        assert done.stdout.split() == ["ok"], (guard, done.stderr)


def test_every_number_of_a_codelet_is_its_name() -> None:
    names = {fourier.name_of(n) for n in fourier._known}
    assert len(names) == len(fourier._known)
    assert fourier.name_of(0 | 0 << 1 | 2 << 4 | 0 << 6 | 2 << 8 | 16 << 10) == "pass 16 f32 c p v"
    assert fourier.name_of(1 | 1 << 1) == "turn f64 p p n"
    assert fourier.name_of(2 << 1 | 2 << 4 | 2 << 6 | 1 << 8 | 1 << 10) == "post f32 c b full"
    assert fourier.name_of(1 | 3 << 1 | 2 << 4 | 2 << 6 | 2 << 8 | 1 << 18) == "pre f64 c v half ask"


def test_no_memory_for_a_transform_is_an_error() -> None:
    code = """
        import rushlight
        from rushlight.core import _native
        z = rushlight.ones(40000, dtype=rushlight.complex64)
        out = rushlight.zeros(40000, dtype=rushlight.complex64)
        rushlight.fft.fft(z, out=out)
        refused = 0
        for k in range(1, 40):
            _native.guard_fail(k)
            try:
                rushlight.fft.fft(z, out=out)
            except MemoryError:
                refused += 1
            _native.guard_fail(0)
        assert refused >= 2, refused
        rushlight.fft.fft(z, out=out)
        assert out[0] == 40000
        print("ok")
    """
    env = {**os.environ, "RUSHLIGHT_GUARD": "end"}
    call = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(call, capture_output=True, text=True, env=env, timeout=120)
    assert done.stdout.split() == ["ok"], done.stderr
