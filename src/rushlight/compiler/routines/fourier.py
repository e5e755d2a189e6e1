"""Routines of plans that transform: by generated codelets (`core/native/fourier.c` says over which lines they run)."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from rushlight.compiler.kernels import cache, called
from rushlight.compiler.llvm.objfile import Made
from rushlight.compiler.routines.fourier_plans import Plan, plan, trig_plan
from rushlight.core import _native, locks
from rushlight.core.tensor import Tensor

_C2C, _R2C, _C2R, _R2F, _TRIG = range(5)  # native/fourier.h
_known: set[int] = set()


def fft(x: Tensor, out: Tensor, *, dims: tuple[int, ...], inverse: bool, scale: int) -> None:
    """The complex transform of a real or complex tensor."""
    sizes = tuple(out.shape)
    if x.dtype.kind == "c":
        _run(_C2C, x, out, sizes, dims, inverse, scale, 0)
    else:
        _run(_R2F, x, out, sizes, dims, inverse, scale, sizes[dims[-1]])


def rfft(x: Tensor, out: Tensor, *, dims: tuple[int, ...], inverse: bool, scale: int) -> None:
    """Half the spectrum of a real tensor."""
    _run(_R2C, x, out, tuple(out.shape), dims, inverse, scale, x.shape[dims[-1]])


def irfft(x: Tensor, out: Tensor, *, dims: tuple[int, ...], size: int, inverse: bool, scale: int) -> None:
    """The real tensor of half a spectrum."""
    _run(_C2R, x, out, tuple(x.shape), dims, inverse, scale, size)


def trig(x: Tensor, out: Tensor, *, dims: tuple[int, ...], sine: bool, type: int, scale: int) -> None:
    """The cosine or sine transform of a real tensor."""
    sizes = tuple(out.shape)
    plans = [trig_plan(sizes[d], x.itemsize, type, sine, scale) for d in dims]
    factor = 1.0  # which twiddles hold, but for type 1, which has none
    if type == 1:
        factor = _factor(math.prod([2 * (sizes[d] + (1 if sine else -1)) for d in dims]), scale)
    _call(_TRIG, x, out, sizes, dims, False, type + 8 * sine + 16 * (scale == 1), factor, 0, plans)


def _run(
    kind: int, x: Tensor, y: Tensor, sizes: tuple[int, ...], dims: tuple[int, ...], inverse: bool, scale: int, real: int
) -> None:
    item = max(x.itemsize, y.itemsize) // 2
    lengths = [sizes[d] for d in dims]
    if real:
        lengths[-1] = real
    plans = [plan(n, item, False) for n in lengths[:-1]]
    plans.append(plan(lengths[-1], item, real > 0))
    _call(kind, x, y, sizes, dims, inverse, 0, _factor(math.prod(lengths), scale), real, plans)


@functools.lru_cache(1024)
def _factor(n: int, scale: int) -> float:
    """n ** (-scale / 2), rounded once."""
    root = 1.0 / math.sqrt(n)
    root += root * float(1 - n * Fraction(root) ** 2) / 2
    return (1.0, root, 1.0 / n)[scale]


def _call(
    kind: int,
    x: Tensor,
    y: Tensor,
    sizes: tuple[int, ...],
    dims: tuple[int, ...],
    inverse: bool,
    trig: int,
    factor: float,
    real: int,
    plans: Sequence[Plan],
) -> None:
    places = x.data_ptr(), tuple(x.stride()), x.itemsize, y.data_ptr(), tuple(y.stride()), y.itemsize
    addresses = tuple([p.address for p in plans])
    given = kind, plans[0].item, inverse, trig, factor, real, sizes, *places, dims, addresses
    while missing := _native.fourier(*given):
        _make(missing)


# -- codelets
_SOURCES, _TARGETS, _TWIDDLES, _NAMES = "pscr", "pqcd", "nbv", ("pass", "turn", "post", "pre", "line", "real")


def name_of(number: int) -> str:
    """The name of a codelet (`emit/codelets.py`) by its number (native/fourier.h)."""
    t, kind = ("f32", "f64")[number & 1], _NAMES[number >> 1 & 7]
    source, target = _SOURCES[number >> 4 & 3], _TARGETS[number >> 6 & 3]
    twiddles, radix = _TWIDDLES[number >> 8 & 3], number >> 10
    parts = {
        "pass": f"{radix} {t} {source} {target} {twiddles}",
        "line": f"{1 << (radix & 7)} {1 << (radix >> 3)} {t} {source} {target}" + " plain" * (twiddles == "b"),
        "real": f"{1 << (radix & 7)} {1 << (radix >> 3)} {t} {source} {target}",
        "turn": f"{t} {source} {target} {twiddles}",
    }
    half = f"{t} {source} {twiddles} {'full' if radix else 'half'}"
    return f"{kind} {parts.get(kind, half)}"


def _make(number: int) -> None:
    """Compile a codelet, or take it from the kernel cache."""
    name = name_of(number)
    with locks.building:
        address = cache.get(_text(name), lambda: _build(name), called.address)
        _native.fourier_codelet(number, address)
        _known.add(number)


def watched_codelets(run: Callable[[], None]) -> list[str]:
    """The names of the codelets that a function's transforms call."""
    with locks.building:
        _forget()
    run()
    return [_text(name_of(number)) for number in sorted(_known)]


def made_codelet(text: str) -> Made:
    """The code of a codelet, for the target that is in force."""
    from rushlight.compiler.llvm import machine

    return cache.made(text + machine.target_suffix(), lambda: _build(text.removeprefix(_text(""))))


def _text(name: str) -> str:
    return f"codelet {name}"


def _build(name: str) -> Made:
    from rushlight.compiler.emit import codelets
    from rushlight.compiler.llvm import machine

    return machine.machine_code(lambda: codelets.module(name))


def _forget() -> None:
    while _known:
        _native.fourier_codelet(_known.pop(), 0)


cache.also_forget.append(_forget)
