"""Routines of plans that ducc0 does: Fourier, cosine and sine transforms of NumPy arrays, on the pool's threads."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from rushlight.core import _native

Pass = Callable[[Any, Any, tuple[int, ...]], Any]  # (operand, result, dims): one transform, on the calling thread

_LANES = 16  # lines that ducc0 transforms together at most (float32, AVX-512)
_WORTH = 1 << 15  # elements from which threads are worth waking: about 50 us on one


@cache
def library() -> Any:
    """The module ducc0.fft.

    Raises:
        ImportError: naming the package to install.
    """
    try:
        import ducc0.fft
    except ModuleNotFoundError as error:
        if error.name not in ("ducc0", "ducc0.fft"):
            raise
        raise ImportError(
            "rushlight needs the package ducc0 for Fourier, cosine and sine transforms; install it with pip"
        ) from error
    return ducc0.fft


def along(run: Pass, x: Any, out: Any, dim: int) -> None:
    """A transform along one dimension, on threads, such that the bits do not depend on their number.

    ducc0 rounds lines that do not fill its vectors in another way. So every share is made to fill vectors, and the
    lines that are left over are always done apart.
    """
    others = [d for d in range(x.ndim) if d != dim]
    if not others:
        run(x, out, (dim,))
        return
    split = max(others, key=lambda d: x.shape[d])
    rows = x.shape[split]
    lines = math.prod(x.shape[d] for d in others) // rows  # in each of the rows
    step = _LANES // math.gcd(_LANES, lines)
    steps = rows // step
    least = max(1, _WORTH // 4 * rows // x.size // step)  # steps that are worth a share of their own
    # one each: between two, a thread would wait for the interpreter
    shares = min(_native.num_threads(), steps // least)
    cuts = sorted({0, rows, step * steps} | {step * (steps * k // shares) for k in range(1, shares)})

    def part(k: int) -> None:
        where = (slice(None),) * split + (slice(cuts[k], cuts[k + 1]),)
        run(x[where], out[where], (dim,))

    _native.share(part, len(cuts) - 1)


def fft(x: Any, out: Any, *, dims: tuple[int, ...], inverse: bool, scale: int) -> None:
    """The complex transform of a real or complex array."""
    c2c = library().c2c

    def run(a: Any, b: Any, axes: tuple[int, ...]) -> None:
        c2c(a, axes, not inverse, scale, b, 1)

    if out.size < _WORTH:
        run(x, out, dims)
        return
    along(run, x, out, dims[-1])
    for d in dims[:-1]:
        along(run, out, out, d)


def rfft(x: Any, out: Any, *, dims: tuple[int, ...], inverse: bool, scale: int) -> None:
    """Half the spectrum of a real array."""
    r2c = library().r2c

    def run(a: Any, b: Any, axes: tuple[int, ...]) -> None:
        r2c(a, axes, not inverse, scale, b, 1)

    if out.size < _WORTH:
        run(x, out, dims)
        return
    along(run, x, out, dims[-1])
    if dims[:-1]:
        fft(out, out, dims=dims[:-1], inverse=inverse, scale=scale)


def irfft(x: Any, out: Any, *, dims: tuple[int, ...], size: int, inverse: bool, scale: int) -> None:
    """The real array of half a spectrum."""
    c2r = library().c2r

    def run(a: Any, b: Any, axes: tuple[int, ...]) -> None:
        c2r(a, axes, size, not inverse, scale, b, 1)

    if x.size < _WORTH:
        run(x, out, dims)
        return
    if dims[:-1]:
        import numpy as np

        between = np.empty(x.shape, x.dtype)
        fft(x, between, dims=dims[:-1], inverse=inverse, scale=scale)
        x = between
    along(run, x, out, dims[-1])


def trig(x: Any, out: Any, *, dims: tuple[int, ...], sine: bool, type: int, scale: int) -> None:
    """The cosine or sine transform of a real array."""
    transform = library().dst if sine else library().dct

    def run(a: Any, b: Any, axes: tuple[int, ...]) -> None:
        transform(a, type, axes, scale, b, 1)

    if out.size < _WORTH:
        run(x, out, dims)
        return
    along(run, x, out, dims[0])
    for d in dims[1:]:
        along(run, out, out, d)
