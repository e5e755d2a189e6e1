"""The codelets of Fourier transforms by themselves: one's text, and what each computes by its slots.

python tests/compiler/test_codelets.py    # writes the text anew
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rushlight.compiler.emit import codelets
from rushlight.compiler.llvm import machine
from rushlight.core import _native

GOLDEN = Path(__file__).parent / "golden/codelets"
NAMES = ["pass 4 f32 p p b"]


def text_of(name: str) -> str:
    """A codelet's module, for a processor with masks."""
    masks = machine.masks
    machine.masks = lambda: True  # type: ignore[assignment]
    try:
        return str(codelets.module(name))
    finally:
        machine.masks = masks


@pytest.mark.parametrize("name", NAMES)
def test_text(name: str) -> None:
    assert text_of(name) == (GOLDEN / f"{name}.txt").read_text(), (
        "if that is meant: python tests/compiler/test_codelets.py"
    )


@cache
def compiled(name: str) -> Any:
    made = machine.machine_code(lambda: codelets.module(name))
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(_native.load_code(bytearray(made.code)) + made.entry)


def run(name: str, slots: list[Any]) -> None:
    words = [np.float64(s).view(np.int64) if isinstance(s, float) else s for s in slots]
    row = np.array([s.ctypes.data if isinstance(s, np.ndarray) else s for s in words], np.int64)
    assert compiled(name)(row.ctypes.data) == 0


def asking(name: str, slots: list[Any], found: Any, first: int) -> None:
    """What asks for memory, wherever that is, has written the same."""
    expected = found.copy()
    for away in (64, -(1 << 40)):
        found[:] = 7
        run(f"{name} ask", slots + [0] * (first - len(slots)) + [away] * 3)
        assert found.tobytes() == expected.tobytes(), (name, away)


def exact(x: Any) -> Any:
    n = len(x)
    w = np.exp(-2j * np.pi * (np.outer(np.arange(n), np.arange(n)) % n) / n)
    return np.tensordot(w, x.astype(np.complex128), 1)


@pytest.mark.parametrize("radix", [1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 31, 61, 67, 139])
@pytest.mark.parametrize("t", ["f32", "f64"])
@pytest.mark.parametrize("source", ["s", "c", "r"])
@pytest.mark.parametrize("target", ["p", "c"])
def test_a_pass(radix: int, t: str, source: str, target: str) -> None:
    """Two groups of lanes, with and without twiddles; nothing beside the target is written."""
    real = np.float32 if t == "f32" else np.float64
    item, rng = real().itemsize, np.random.default_rng(radix)
    atol = 60 * radix * float(np.finfo(real).eps)
    unit, out = (2 * item if form == "c" else item for form in (source, target))
    for lanes in (1, 5, 16, 37):
        x = rng.standard_normal((2, 2, radix, lanes)).astype(real)  # planes
        w = rng.standard_normal((2, max(radix - 1, 1), lanes)).astype(real)
        z = x[0] + (0j if source == "r" else -1j * x[1].astype(np.float64))
        data = np.ascontiguousarray(np.moveaxis(x, 0, -1)) if source == "c" else x
        expected = np.stack([exact(group) for group in z])
        for twiddles in ("n", "v", "b"):
            found = np.full((2, 2, radix, lanes + 3) if target == "p" else (2, radix, lanes + 3, 2), 7, real)
            y = [found[0], found[1]] if target == "p" else [found, found]
            places = [data, data] if source == "c" else [data[0], data[1]]
            row, step = (lanes + 3) * out, lanes * unit
            name = f"pass {radix} {t} {source} {target} {twiddles}"
            slots = [*places, *y, w[0], w[1], 2, radix * step, radix * row, step, row, lanes, lanes * item, 0]
            slots += [-1.0, 3.0, -2.0]
            run(name, slots)
            if radix in (3, 16, 17):
                asking(name, slots, found, 18)
            got = np.moveaxis(found, -1, 0) if target == "c" else found
            want = expected.copy()
            if twiddles == "n":
                want = 3 * want.real - 2j * want.imag
            elif radix > 1:
                c = w[0] + 1j * w[1].astype(np.float64)
                want[:, 1:] *= c if twiddles == "v" else c[:, :1]
            np.testing.assert_allclose(got[0, ..., :lanes], want.real, rtol=0, atol=atol)
            np.testing.assert_allclose(got[1, ..., :lanes], want.imag, rtol=0, atol=atol)
            assert (got[..., lanes:] == 7).all()


@pytest.mark.parametrize(("before", "after"), [(8, 4), (4, 8), (8, 8), (2, 16), (16, 8), (8, 16), (16, 16)])
@pytest.mark.parametrize("t", ["f32", "f64"])
@pytest.mark.parametrize("source", ["s", "c", "r"])
@pytest.mark.parametrize("target", ["p", "c"])
def test_a_line(before: int, after: int, t: str, source: str, target: str) -> None:
    """Short lines, fewer and more than registers hold at once; nothing beside the target is written."""
    real = np.float32 if t == "f32" else np.float64
    item, n, rng = real().itemsize, before * after, np.random.default_rng(before)
    unit, out = (2 * item if form == "c" else item for form in (source, target))
    angle = 2 * np.pi * np.outer(np.arange(1, before), np.arange(after)) / n
    w = np.stack([np.cos(angle), -np.sin(angle)]).astype(real)
    for lines in (1, 3, 9):
        x = rng.standard_normal((2, lines, n)).astype(real)  # planes
        z = x[0] + (0j if source == "r" else -1j * x[1].astype(np.float64))
        data = np.ascontiguousarray(np.moveaxis(x, 0, -1)) if source == "c" else x
        found = np.full((2, lines, n + 3) if target == "p" else (lines, n + 3, 2), 7, real)
        y = [found[0], found[1]] if target == "p" else [found, found]
        places = [data, data] if source == "c" else [data[0], data[1]]
        slots = [*places, *y, w[0], w[1], lines, n * unit, (n + 3) * out, -1.0, 3.0, -2.0]
        run(f"line {before} {after} {t} {source} {target}", slots)
        if source == target == "c":
            asking(f"line {before} {after} {t} {source} {target}", slots, found, 14)
        got, want = np.moveaxis(found, -1, 0) if target == "c" else found, exact(z.T).T
        atol = 60 * n * float(np.finfo(real).eps)
        np.testing.assert_allclose(got[0, :, :n], 3 * want.real, rtol=0, atol=atol)
        np.testing.assert_allclose(got[1, :, :n], -2 * want.imag, rtol=0, atol=atol)
        assert (got[..., n:] == 7).all()


@pytest.mark.parametrize(("before", "after"), [(8, 4), (4, 8), (8, 8), (2, 16), (16, 8), (8, 16), (16, 16)])
@pytest.mark.parametrize("t", ["f32", "f64"])
def test_lines_without_factors_and_lines_of_real_numbers(before: int, after: int, t: str) -> None:
    real = np.float32 if t == "f32" else np.float64
    item, n, rng = real().itemsize, before * after, np.random.default_rng(before)
    angle = 2 * np.pi * np.outer(np.arange(1, before), np.arange(after)) / n
    w = np.stack([np.cos(angle), -np.sin(angle)]).astype(real)
    angle = np.pi * np.arange(n // 2 + 1) / n
    roots = np.stack([np.cos(angle), -np.sin(angle)]).astype(real)
    atol = 60 * n * float(np.finfo(real).eps)
    for lines in (1, 3, 9):
        x = rng.standard_normal((lines, 2 * n)).astype(real)
        places = [w[0], w[1], lines, 2 * n * item, (n + 3) * 2 * item]
        found = np.full((lines, n + 3, 2), 7, real)
        run(f"line {before} {after} {t} c c plain", [x, x, found, found, *places])
        asking(f"line {before} {after} {t} c c plain", [x, x, found, found, *places], found, 14)
        want = np.fft.fft(x[:, ::2] + 1j * x[:, 1::2].astype(np.float64))
        np.testing.assert_allclose(found[:, :n, 0] + 1j * found[:, :n, 1], want, rtol=0, atol=atol)
        assert (found[:, n:] == 7).all()
        found[:] = 7
        slots = [x, x, found, found, *places, np.nan, 1.5, -1.0, roots[0], roots[1]]
        run(f"real {before} {after} {t} c c", slots)
        asking(f"real {before} {after} {t} c c", slots, found, 14)
        want = np.fft.rfft(x.astype(np.float64))
        np.testing.assert_allclose(found[:, : n + 1, 0], 3 * want.real, rtol=0, atol=atol)
        np.testing.assert_allclose(found[:, : n + 1, 1], -2 * want.imag, rtol=0, atol=atol)
        assert (found[:, [0, n], 1] == 0).all() and (found[:, n + 1 :] == 7).all()


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 40), (16, 16), (8, 32), (33, 17), (16, 1), (129, 16)])
@pytest.mark.parametrize("t", ["f32", "f64"])
def test_a_turn(rows: int, columns: int, t: str) -> None:
    real = np.float32 if t == "f32" else np.float64
    item, rng = real().itemsize, np.random.default_rng(0)
    x = rng.standard_normal((2, rows, columns + 2)).astype(real)
    order = rng.permutation(rows)
    pairs = np.ascontiguousarray(np.moveaxis(x, 0, -1))
    for source, data, unit in (("p", x, item), ("c", pairs, 2 * item)):
        offsets = order * (columns + 2) * unit
        for target in ("p", "c") if source == "p" else ("p",):
            found = np.full((2, columns, rows + 3) if target == "p" else (columns, rows + 3, 2), 7, real)
            y = [found[0], found[1]] if target == "p" else [found, found]
            x_at = [data[0], data[1]] if source == "p" else [data, data]
            step = (rows + 3) * item * (1 if target == "p" else 2)
            run(f"turn {t} {source} {target} n", [*x_at, *y, offsets, rows, columns, step])
            got = found if target == "p" else np.moveaxis(found, -1, 0)
            assert (got[..., :rows] == x[:, order, :columns].swapaxes(1, 2)).all()
            assert (got[..., rows:] == 7).all()
    w, r = rng.standard_normal((2, rows, columns)).astype(real), rng.standard_normal((2, rows)).astype(real)
    found = np.full((2, columns, rows + 3), 7, real)
    slots = [x[0], x[1], found[0], found[1], np.arange(rows) * (columns + 2) * item, rows, columns, (rows + 3) * item]
    run(f"turn {t} p p v", [*slots, w[0], w[1], columns * item, r[0], r[1]])
    z, factor, row = (a[0] + 1j * a[1].astype(np.float64) for a in (x[..., :columns], w, r))
    want = (z * factor * row[:, None]).T
    atol = 40 * float(np.finfo(real).eps)
    np.testing.assert_allclose(found[0, :, :rows], want.real, rtol=0, atol=atol)
    np.testing.assert_allclose(found[1, :, :rows], want.imag, rtol=0, atol=atol)
    assert (found[..., rows:] == 7).all()


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for case in NAMES:
        (GOLDEN / f"{case}.txt").write_text(text_of(case))
