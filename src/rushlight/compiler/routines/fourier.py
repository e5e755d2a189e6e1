"""Routines of plans that transform: by generated codelets (`core/native/fourier.c` says over which lines they run)."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from rushlight.compiler.kernels import cache, called
from rushlight.compiler.llvm.objfile import Made
from rushlight.compiler.routines.fourier_plans import Plan, plan, trig_plan
from rushlight.core import _native, locks

_C2C, _R2C, _C2R, _R2F, _TRIG = range(5)  # native/fourier.h
_known: set[int] = set()


class Transform(NamedTuple):
    """What a transform of operands of some sizes takes (`made_transform` in core/library.pyx); see native/fourier.h.

    item: bytes of a real number; trig: the type, 8 for sines, 16 for an orthogonal transform; scale: what the result
    is multiplied by; real_size: how many real numbers a line has; sizes: of the result, or of half a spectrum.
    """

    kind: int
    item: int
    inverse: bool
    trig: int
    scale: float
    real_size: int
    sizes: tuple[int, ...]
    axes: tuple[int, ...]
    plans: tuple[Plan, ...]


def transform(
    name: str, real: bool, item: int, given: tuple[int, ...], result: tuple[int, ...], params: Mapping[str, Any]
) -> Transform:
    """The transform that a primitive of this name is of operands of these sizes.

    Args:
        name: fft (of complex or real numbers, to complex ones), rfft (half the spectrum of real numbers), irfft (the
            real numbers of half a spectrum) or trig (cosines or sines).
        real: whether the operand is real.
        item: bytes of an element of the operand or the result, whichever has more.
        given, result: the sizes of the two.
        params: the primitive's.
    """
    dims, scale = params["dims"], params["scale"]
    if name == "trig":
        return _trig(item, result, dims, params["sine"], params["type"], scale)
    sizes = given if name == "irfft" else result
    line = (result if name == "irfft" else given)[dims[-1]] if real or name == "irfft" else 0
    kind = {"fft": _R2F if real else _C2C, "rfft": _R2C, "irfft": _C2R}[name]
    lengths = [sizes[d] for d in dims[:-1]] + [line or sizes[dims[-1]]]
    last = len(dims) - 1
    plans = tuple([plan(n, item // 2, k == last and line > 0) for k, n in enumerate(lengths)])
    factor = _factor(math.prod(lengths), scale)
    return Transform(kind, item // 2, params["inverse"], 0, factor, line, sizes, dims, plans)


def _trig(item: int, sizes: tuple[int, ...], dims: tuple[int, ...], sine: bool, type: int, scale: int) -> Transform:
    plans = tuple([trig_plan(sizes[d], item, type, sine, scale) for d in dims])
    factor = 1.0  # which twiddles hold, but for type 1, which has none
    if type == 1:
        factor = _factor(math.prod([2 * (sizes[d] + (1 if sine else -1)) for d in dims]), scale)
    return Transform(_TRIG, item, False, type + 8 * sine + 16 * (scale == 1), factor, 0, sizes, dims, plans)


@functools.lru_cache(1024)
def _factor(n: int, scale: int) -> float:
    """n ** (-scale / 2), rounded once."""
    root = 1.0 / math.sqrt(n)
    root += root * float(1 - n * Fraction(root) ** 2) / 2
    return (1.0, root, 1.0 / n)[scale]


# -- codelets
_ASK = 1 << 18
_SOURCES, _TARGETS, _TWIDDLES, _NAMES = "pscr", "pqcd", "nbv", ("pass", "turn", "post", "pre", "line", "real")


def name_of(number: int) -> str:
    """The name of a codelet (`emit/codelets.py`) by its number (native/fourier.h)."""
    t, kind = ("f32", "f64")[number & 1], _NAMES[number >> 1 & 7]
    source, target = _SOURCES[number >> 4 & 3], _TARGETS[number >> 6 & 3]
    twiddles, radix = _TWIDDLES[number >> 8 & 3], (number & _ASK - 1) >> 10
    parts = {
        "pass": f"{radix} {t} {source} {target} {twiddles}",
        "line": f"{1 << (radix & 7)} {1 << (radix >> 3)} {t} {source} {target}" + " plain" * (twiddles == "b"),
        "real": f"{1 << (radix & 7)} {1 << (radix >> 3)} {t} {source} {target}",
        "turn": f"{t} {source} {target} {twiddles}",
    }
    half = f"{t} {source} {twiddles} {'full' if radix else 'half'}"
    return f"{kind} {parts.get(kind, half)}" + " ask" * (number >= _ASK)


def make_codelet(number: int) -> None:
    """Compile a codelet, or take it from the kernel cache."""
    name = name_of(number)
    with locks.building:
        address = cache.get(_text(name), lambda: _build(name), called.address)
        _native.fourier_codelet(number, address)
        _known.add(number)


def watched_codelets(run: Callable[[], None]) -> list[str]:
    """The names of the codelets that a function's transforms call, with batches of any size."""
    with locks.building:
        _forget()
    run()
    return [_text(name_of(number)) for number in sorted({form for number in _known for form in _forms(number)})]


def _forms(number: int) -> list[int]:
    """A codelet, and the same where operands are larger or smaller, if it reads or writes these."""
    turns, outside = number >> 1 & 7 == 1, number >> 5 & 1 or number >> 7 & 1  # "c", "r"; "c", "d"
    return [number] if turns or not outside else [number & ~_ASK, number | _ASK]


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
